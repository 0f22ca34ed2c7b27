//! One memory in the table: what lists show of it, and the stamp of its file.
//!
//! A file that cannot be parsed has a row too, so that it does not silently disappear from lists.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::sync::Arc;

use cap_std::fs::File;
use jiff::Timestamp;
use mere_core::item::{self, ItemId, Memory, MemoryPath};

use mere_host::{FileStamp, OpenFolder, now_nanoseconds};

/// The largest file that is read.
const MAX_FILE_BYTES: u64 = item::MAX_ITEM_BYTES as u64;

/// What the table holds about one memory.
#[derive(Clone, Debug)]
pub(crate) struct MemoryRow {
    /// The category and slug.
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) tags: Vec<String>,
    /// The time that the memory states, or else the modification time of its file.
    pub(crate) updated_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
    /// The size of its content, or of its file if that could not be parsed.
    pub(crate) bytes: u64,
    /// True if the file could not be parsed. Its slug then serves as the title.
    pub(crate) is_faulty: bool,
    /// The stamp of its file; `None` if the file could still change without changing its stamp.
    stamp: Option<FileStamp>,
}

/// A row with the values that scans over all rows compare. Times are in nanoseconds since 1970.
#[derive(Clone)]
pub(super) struct IndexedRow {
    pub(super) updated_nanoseconds: i64,
    /// `i64::MAX` if it never expires.
    expires_nanoseconds: i64,
    /// A hash of its slug, which lets a lookup skip most rows without touching their strings.
    slug_hash: u64,
    pub(super) row: Arc<MemoryRow>,
}

impl IndexedRow {
    fn new(row: MemoryRow) -> Self {
        let expires_nanoseconds = row.expires_at.map_or(i64::MAX, to_nanoseconds);
        let (updated_nanoseconds, slug_hash) =
            (to_nanoseconds(row.updated_at), hash_slug(slug_of(&row.path)));
        Self { updated_nanoseconds, expires_nanoseconds, slug_hash, row: Arc::new(row) }
    }

    pub(super) fn path(&self) -> &str {
        &self.row.path
    }

    /// Returns those of these rows that have this slug.
    pub(super) fn with_slug<'a>(
        slots: &'a [Self],
        wanted: &'a ItemId,
    ) -> impl Iterator<Item = &'a Self> {
        let mark = hash_slug(wanted.as_str());
        let candidates = slots.iter().filter(move |slot| slot.slug_hash == mark);
        candidates.filter(|slot| slug_of(slot.path()) == wanted.as_str())
    }

    /// Returns true if it has expired at this moment.
    pub(super) fn has_expired(&self, now: i64) -> bool {
        self.expires_nanoseconds <= now
    }

    /// Returns the same row if the stamp of its file is unchanged, else the row that the file has
    /// now, or `None` if there is no file.
    pub(super) fn refresh(&self, folder: &OpenFolder) -> io::Result<Option<Self>> {
        if let Some(stamp) = self.row.stamp
            && let Ok(now) = folder.file_stamp(&file_name(self.path()))
            && now == Some(stamp)
        {
            return Ok(Some(self.clone()));
        }
        Self::read(folder, self.path())
    }

    /// Reads the memory at this path from its folder. Returns `None` if there is none.
    pub(super) fn read(folder: &OpenFolder, path: &str) -> io::Result<Option<Self>> {
        let (began, name) = (now_nanoseconds(), file_name(path));
        let (stamp, memory) = match folder.open_file(&name) {
            Ok(None) => return Ok(None),
            // The stamp is taken before the file is read, so a change during the read is noticed
            // later.
            Ok(Some(file)) => {
                let stamp = FileStamp::from_metadata(&file.metadata()?);
                (stamp, parse_file(file, stamp, path)?)
            }
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => return Ok(None),
                io::ErrorKind::PermissionDenied => (stamp_of_unreadable(folder, &name)?, None),
                _ => return Err(error),
            },
        };
        let mut row = match memory {
            Some(memory) => MemoryRow::from_memory(path, memory, stamp),
            None => MemoryRow::from_invalid(path, stamp),
        };
        row.stamp = row.stamp.filter(|stamp| !stamp.is_racy(began));
        Ok(Some(Self::new(row)))
    }
}

/// The most tags of a memory that lists show.
const MAX_TAGS: usize = item::bounds::TAGS.most;
/// The longest tag that lists show, in characters, because people may write anything there. A tag
/// is not cut: a part of a path or of a secret would not be recognised as one.
const MAX_TAG_CHARACTERS: usize = item::bounds::TAG.most;

fn is_listed_tag(tag: &str) -> bool {
    tag.chars().nth(MAX_TAG_CHARACTERS).is_none()
}

impl MemoryRow {
    pub(crate) fn memory_path(&self) -> Option<MemoryPath> {
        self.path.parse().ok()
    }

    fn from_memory(path: &str, memory: Memory, stamp: FileStamp) -> Self {
        Self {
            path: path.to_owned(),
            title: memory.title,
            tags: memory.tags.into_iter().filter(|tag| is_listed_tag(tag)).take(MAX_TAGS).collect(),
            updated_at: memory.updated_at.unwrap_or_else(|| modified_time(stamp)),
            expires_at: memory.expires_at,
            bytes: memory.content.len() as u64,
            is_faulty: false,
            stamp: Some(stamp),
        }
    }

    fn from_invalid(path: &str, stamp: FileStamp) -> Self {
        Self {
            path: path.to_owned(),
            title: slug_of(path).to_owned(),
            tags: Vec::new(),
            updated_at: modified_time(stamp),
            expires_at: None,
            bytes: stamp.size,
            is_faulty: true,
            stamp: Some(stamp),
        }
    }
}

/// Parses a file. Returns `None` if it is too large or not a valid memory.
fn parse_file(file: File, stamp: FileStamp, path: &str) -> io::Result<Option<Memory>> {
    let mut bytes = Vec::new();
    if stamp.size <= MAX_FILE_BYTES {
        // One byte more than allowed is read, to notice a file that grows meanwhile.
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    }
    let text = item::decode_text(&bytes).ok().filter(|_| stamp.size <= MAX_FILE_BYTES);
    let slug = slug_of(path).parse::<ItemId>().ok();
    Ok(text.zip(slug).and_then(|(text, slug)| Memory::parse(text, &slug).ok()))
}

/// Returns the stamp of a file that may not be read, or a stamp of zeros if even its metadata may
/// not.
fn stamp_of_unreadable(folder: &OpenFolder, name: &str) -> io::Result<FileStamp> {
    match folder.file_stamp(name) {
        Err(error) if error.kind() != io::ErrorKind::PermissionDenied => Err(error),
        stamp => Ok(stamp.ok().flatten().unwrap_or(FileStamp::from((0, 0, 0, 0)))),
    }
}

fn hash_slug(slug: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    slug.hash(&mut hasher);
    hasher.finish()
}

/// Returns the last name of a path.
fn slug_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, slug)| slug)
}

fn file_name(path: &str) -> String {
    [slug_of(path), ".md"].concat()
}

fn modified_time(stamp: FileStamp) -> Timestamp {
    Timestamp::from_nanosecond(i128::from(stamp.modified)).unwrap_or_default()
}

/// Converts a time to nanoseconds since 1970. Times outside the years 1677 to 2262 are clamped.
pub(super) fn to_nanoseconds(at: Timestamp) -> i64 {
    let bounds = (i128::from(i64::MIN), i128::from(i64::MAX));
    i64::try_from(at.as_nanosecond().clamp(bounds.0, bounds.1)).unwrap_or_default()
}
