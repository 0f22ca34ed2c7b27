//! Tiles: where the hashes and the entries of a tree are served (C2SP `tlog-tiles`).
//!
//! A tile is a row of at most 256 hashes of one level, and an entry bundle the entries of a tile of
//! the lowest level. Their paths have one spelling; any other is refused.

use std::fmt;
use std::str::FromStr;

use super::hash::HASH_BYTES;

/// How many levels of the tree lie between two levels of tiles.
pub const TILE_HEIGHT: u32 = 8;
/// How many hashes or entries a full tile has.
pub const TILE_WIDTH: u16 = 1 << TILE_HEIGHT;
/// The highest level that a path may name.
const MAX_LEVEL: u8 = 63;
/// The longest path of a tile in bytes: no number in it has more than 20 digits.
const MAX_PATH_BYTES: usize = 64;

/// The place of a tile, and how many hashes of it are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TileId {
    level: u8,
    row: TileRow,
}

/// The place of an entry bundle, and how many entries of it are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleId(TileRow);

/// The index of a tile within its level, and its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TileRow {
    index: u64,
    width: u16,
}

/// A path or a place that no tile has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such tile")]
pub struct TileIdError;

impl TileRow {
    fn new(index: u64, width: u16) -> Result<Self, TileIdError> {
        let is_known = (1..=TILE_WIDTH).contains(&width);
        if is_known { Ok(Self { index, width }) } else { Err(TileIdError) }
    }

    /// Returns the row that has a hash, of a level that has `count` hashes.
    fn containing(at: u64, count: u64) -> Option<Self> {
        let width = u64::from(TILE_WIDTH);
        let index = at / width;
        let present = count.checked_sub(index * width).filter(|_| at < count)?;
        Some(Self { index, width: u16::try_from(present).unwrap_or(TILE_WIDTH).min(TILE_WIDTH) })
    }

    /// Returns all rows of a level that has `count` hashes.
    fn all(count: u64) -> impl Iterator<Item = Self> {
        let width = u64::from(TILE_WIDTH);
        (0..count.div_ceil(width)).filter_map(move |index| Self::containing(index * width, count))
    }
}

impl fmt::Display for TileRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut groups = vec![self.index % 1000];
        let mut rest = self.index / 1000;
        while rest > 0 {
            groups.push(rest % 1000);
            rest /= 1000;
        }
        let (last, first) = groups.split_first().unwrap_or((&0, &[]));
        first.iter().rev().try_for_each(|group| write!(f, "x{group:03}/"))?;
        write!(f, "{last:03}")?;
        if self.width == TILE_WIDTH { Ok(()) } else { write!(f, ".p/{}", self.width) }
    }
}

impl FromStr for TileRow {
    type Err = TileIdError;

    fn from_str(text: &str) -> Result<Self, TileIdError> {
        let (index, width) = match text.split_once(".p/") {
            Some((index, width)) => (index, width.parse().map_err(|_| TileIdError)?),
            None => (text, TILE_WIDTH),
        };
        let digits = index.split('/').map(|group| group.trim_start_matches('x'));
        let index = digits.collect::<String>().parse().map_err(|_| TileIdError)?;
        let row = Self::new(index, width)?;
        if row.to_string() == text { Ok(row) } else { Err(TileIdError) }
    }
}

impl TileId {
    /// Names a tile.
    pub fn new(level: u8, index: u64, width: u16) -> Result<Self, TileIdError> {
        if level > MAX_LEVEL {
            return Err(TileIdError);
        }
        Ok(Self { level, row: TileRow::new(index, width)? })
    }

    /// Returns the tile that has a certain hash of a level, as wide as it is in a tree of this
    /// size. Returns `None` if the tree does not have that hash.
    pub fn containing(level: u8, at: u64, tree_size: u64) -> Option<Self> {
        let row = TileRow::containing(at, count_hashes(level, tree_size))?;
        Some(Self { level, row })
    }

    /// Returns all tiles of a tree, from the lowest level up.
    pub fn all(tree_size: u64) -> impl Iterator<Item = Self> {
        let levels = (0..=MAX_LEVEL).take_while(move |level| count_hashes(*level, tree_size) > 0);
        levels.flat_map(move |level| {
            TileRow::all(count_hashes(level, tree_size)).map(move |row| Self { level, row })
        })
    }

    /// Returns its level; the leaves are at level 0.
    pub fn level(self) -> u8 {
        self.level
    }

    /// Returns its index within the level.
    pub fn index(self) -> u64 {
        self.row.index
    }

    /// Returns how many hashes it has.
    pub fn width(self) -> u16 {
        self.row.width
    }

    /// Returns the index of its first hash among all hashes of the level.
    pub fn first_hash(self) -> u64 {
        self.row.index.saturating_mul(u64::from(TILE_WIDTH))
    }

    /// Returns how many bytes it has.
    pub fn byte_length(self) -> usize {
        usize::from(self.row.width) * HASH_BYTES
    }

    /// Returns the same tile once it is full.
    #[must_use]
    pub fn full(self) -> Self {
        Self { row: TileRow { width: TILE_WIDTH, ..self.row }, ..self }
    }
}

/// Returns how many hashes a level of tiles has.
fn count_hashes(level: u8, tree_size: u64) -> u64 {
    tree_size.checked_shr(u32::from(level) * TILE_HEIGHT).unwrap_or(0)
}

impl BundleId {
    /// Names a bundle.
    pub fn new(index: u64, width: u16) -> Result<Self, TileIdError> {
        TileRow::new(index, width).map(Self)
    }

    /// Returns the bundle that has an entry, as wide as it is in a tree of this size. Returns
    /// `None` if the tree does not have that entry.
    pub fn containing(entry: u64, tree_size: u64) -> Option<Self> {
        TileRow::containing(entry, tree_size).map(Self)
    }

    /// Returns all bundles of a tree.
    pub fn all(tree_size: u64) -> impl Iterator<Item = Self> {
        TileRow::all(tree_size).map(Self)
    }

    /// Returns its index.
    pub fn index(self) -> u64 {
        self.0.index
    }

    /// Returns how many entries it has.
    pub fn width(self) -> u16 {
        self.0.width
    }

    /// Returns the index of its first entry.
    pub fn first_entry(self) -> u64 {
        self.0.index.saturating_mul(u64::from(TILE_WIDTH))
    }

    /// Returns the same bundle once it is full.
    #[must_use]
    pub fn full(self) -> Self {
        Self(TileRow { width: TILE_WIDTH, ..self.0 })
    }
}

impl fmt::Display for TileId {
    /// Writes its path below the log, such as `tile/0/x001/234.p/5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tile/{}/{}", self.level, self.row)
    }
}

impl fmt::Display for BundleId {
    /// Writes its path below the log, such as `tile/entries/x001/234.p/5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tile/entries/{}", self.0)
    }
}

impl FromStr for TileId {
    type Err = TileIdError;

    fn from_str(text: &str) -> Result<Self, TileIdError> {
        let path = text.strip_prefix("tile/").filter(|_| text.len() <= MAX_PATH_BYTES);
        let (level, row) = path.and_then(|path| path.split_once('/')).ok_or(TileIdError)?;
        let row = row.parse::<TileRow>()?;
        let id = Self::new(level.parse().map_err(|_| TileIdError)?, row.index, row.width)?;
        if id.to_string() == text { Ok(id) } else { Err(TileIdError) }
    }
}

impl FromStr for BundleId {
    type Err = TileIdError;

    fn from_str(text: &str) -> Result<Self, TileIdError> {
        let row = text.strip_prefix("tile/entries/").filter(|_| text.len() <= MAX_PATH_BYTES);
        row.ok_or(TileIdError)?.parse().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_standard() {
        for (level, index, width, path) in [
            (0, 0, 256, "tile/0/000"),
            (0, 0, 1, "tile/0/000.p/1"),
            (63, 999, 255, "tile/63/999.p/255"),
            (1, 1000, 256, "tile/1/x001/000"),
            (2, 1_234_067, 256, "tile/2/x001/x234/067"),
            (2, 1_234_067, 8, "tile/2/x001/x234/067.p/8"),
        ] {
            let id = TileId::new(level, index, width).expect("a tile");
            assert_eq!(id.to_string(), path);
            assert_eq!(path.parse(), Ok(id));
            let bundle = BundleId::new(index, width).expect("a bundle");
            let path = path.replacen(&format!("/{level}/"), "/entries/", 1);
            assert_eq!(bundle.to_string(), path);
            assert_eq!(path.parse(), Ok(bundle));
        }
        let last = TileId::new(0, u64::MAX, 256).expect("a tile");
        assert_eq!(last.to_string().parse(), Ok(last));
    }

    #[test]
    fn a_path_has_one_spelling() {
        for bad in [
            "",
            "tile/",
            "tile/0",
            "tile/0/",
            "tile/0/0",
            "tile/0/0000",
            "tile/0/x000/000",
            "tile/0/x001",
            "tile/0/001/000",
            "tile/0/xx001/000",
            "tile/0/x01/000",
            "tile/00/000",
            "tile/+0/000",
            "tile/-1/000",
            "tile/64/000",
            "tile/0/000.p/0",
            "tile/0/000.p/256",
            "tile/0/000.p/01",
            "tile/0/000.p/",
            "tile/0/000.p",
            "tile/0/000/",
            "tile/0/+00",
            "/tile/0/000",
            "tile/0/x018/x446/x744/x073/x709/x551/616",
            "tile/entries/000",
        ] {
            assert_eq!(bad.parse::<TileId>(), Err(TileIdError), "{bad}");
        }
        for bad in ["tile/0/000", "tile/entries/0", "tile/entries/000.p/256", "entries/000"] {
            assert_eq!(bad.parse::<BundleId>(), Err(TileIdError), "{bad}");
        }
        for (level, width) in [(64, 1), (0, 0), (0, 257)] {
            assert_eq!(TileId::new(level, 0, width), Err(TileIdError));
        }
    }

    /// The example of the standard: a tree of 70,000 entries.
    #[test]
    fn a_tree_has_these_tiles() {
        let tiles = TileId::all(70_000).collect::<Vec<_>>();
        let count = |level, is_full| {
            let of_level = tiles.iter().filter(|tile| tile.level() == level);
            of_level.filter(|tile| (tile.width() == TILE_WIDTH) == is_full).count()
        };
        assert_eq!([count(0, true), count(0, false), count(1, true)], [273, 1, 1]);
        assert_eq!([count(1, false), count(2, true), count(2, false)], [1, 0, 1]);
        let partial =
            |level| TileId::containing(level, u64::from(70_000_u32 >> (8 * level)) - 1, 70_000);
        for (level, width) in [(0, 112), (1, 17), (2, 1)] {
            assert_eq!(partial(level).map(TileId::width), Some(width), "{level}");
        }
        let of_256 = TileId::all(256).map(|tile| tile.to_string()).collect::<Vec<_>>();
        assert_eq!(of_256, ["tile/0/000", "tile/1/000.p/1"]);
        assert_eq!(TileId::all(0).count(), 0);
        assert_eq!(TileId::containing(0, 5, 5), None);
        assert_eq!(BundleId::all(257).map(BundleId::width).collect::<Vec<_>>(), [256, 1]);
        assert_eq!(BundleId::containing(256, 300).map(BundleId::first_entry), Some(256));
    }
}
