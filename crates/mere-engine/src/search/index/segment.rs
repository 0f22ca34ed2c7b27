//! A segment: a part of the index that was written at once, with its items and their posting lists.
//!
//! A segment is never changed once it is written, save that items are marked as deleted.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use mere_core::item::ItemType;
use rusqlite::{Connection, OptionalExtension, Row};

use super::postings::{EncodedPostings, MergedOccurrence, PostingList, PostingWriter};
use super::vocabulary::SegmentVocabulary;
use super::{CorpusId, schema};
use crate::search::error::SearchError;

/// The number of bytes of a slot in the segment's row.
const SLOT_BYTES: usize = 13;

/// An item of a segment, with what every query needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentSlot {
    pub(crate) item: u32,
    /// The order among equal matches, which does not depend on when or by which process they were
    /// indexed.
    pub(crate) tie_break: u32,
    pub(crate) word_count: u16,
    pub(crate) kind: u8,
    pub(crate) corpus: CorpusId,
}

impl SegmentSlot {
    pub(super) fn write(self, bytes: &mut Vec<u8>) {
        bytes.extend(self.item.to_le_bytes());
        bytes.extend(self.tie_break.to_le_bytes());
        bytes.extend(self.word_count.to_le_bytes());
        bytes.push(self.kind);
        bytes.extend(self.corpus.to_le_bytes());
    }

    fn read(bytes: [u8; SLOT_BYTES]) -> Self {
        let read_u32 = |at: usize| {
            let (chunk, _) = bytes[at..].as_chunks::<4>();
            chunk.first().map_or(0, |chunk| u32::from_le_bytes(*chunk))
        };
        let [.., short, long, kind, low, high] = bytes;
        let word_count = u16::from_le_bytes([short, long]);
        let corpus = CorpusId::from_le_bytes([low, high]);
        Self { item: read_u32(0), tie_break: read_u32(4), word_count, kind, corpus }
    }
}

/// The kind of an item that could not be parsed.
pub(super) const UNPARSED_KIND: u8 = u8::MAX;

/// Returns the number of a type in the index; lockfiles are never indexed.
pub(crate) fn kind_number(kind: ItemType) -> u8 {
    match kind {
        ItemType::Directive => 0,
        ItemType::Tool => 1,
        ItemType::Knowledge => 2,
        ItemType::Memory => 3,
        ItemType::Lockfile => 4,
    }
}

/// Returns the type that has a number.
pub(crate) fn kind_from_number(number: u8) -> Option<ItemType> {
    ItemType::ALL.into_iter().find(|kind| kind_number(*kind) == number)
}

/// A segment without its terms, which are read on demand.
pub(crate) struct Segment {
    pub(crate) id: i64,
    /// In the order of the item numbers.
    pub(crate) slots: Vec<SegmentSlot>,
    /// Whether each slot's item still exists.
    pub(crate) live: Vec<bool>,
    vocabulary: OnceLock<SegmentVocabulary>,
}

impl Segment {
    pub(super) fn new(id: i64, bytes: &[u8]) -> rusqlite::Result<Self> {
        let (chunks, rest) = bytes.as_chunks::<SLOT_BYTES>();
        let slots = chunks.iter().copied().map(SegmentSlot::read).collect::<Vec<_>>();
        if !rest.is_empty() || !slots.is_sorted_by(|one, other| one.item < other.item) {
            return Err(schema::corruption_error());
        }
        Ok(Self { id, live: vec![true; slots.len()], slots, vocabulary: OnceLock::new() })
    }

    /// Marks an item as deleted.
    pub(super) fn mark_deleted(&mut self, item: u32) {
        if let Some(at) = self.slot_index(item) {
            self.live[at] = false;
        }
    }

    pub(crate) fn slot_index(&self, item: u32) -> Option<usize> {
        self.slots.binary_search_by_key(&item, |slot| slot.item).ok()
    }

    /// Reads the posting list of a term where it lies, without its positions.
    pub(crate) fn read_postings<T>(
        &self,
        connection: &Connection,
        word: &str,
        read: impl FnOnce(PostingList<'_>) -> Option<T>,
    ) -> rusqlite::Result<Option<T>> {
        let mut one = connection
            .prepare_cached("SELECT items FROM posting WHERE segment = ? AND word = ?")?;
        let read = |row: &Row<'_>| {
            let list = PostingList::parse(row.get_ref(0)?.as_blob()?);
            list.and_then(read).ok_or_else(schema::corruption_error)
        };
        one.query_row((self.id, word), read).optional()
    }

    /// Reads the posting list of a term with its positions.
    pub(crate) fn read_with_positions(
        &self,
        connection: &Connection,
        word: &str,
    ) -> rusqlite::Result<Option<EncodedPostings>> {
        let mut one = connection.prepare_cached(
            "SELECT items, positions FROM posting WHERE segment = ? AND word = ?",
        )?;
        let read =
            |row: &Row<'_>| Ok(EncodedPostings { items: row.get(0)?, positions: row.get(1)? });
        one.query_row((self.id, word), read).optional()
    }

    /// Reads the posting lists of all terms that begin with the prefix, and of the prefix's own
    /// stem, merged into one.
    pub(crate) fn read_prefix_postings(
        &self,
        connection: &Connection,
        prefix: &str,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<EncodedPostings>, SearchError> {
        let mut stem = prefix.to_owned();
        mere_core::search::stem(&mut stem);
        let mut all = connection.prepare_cached(
            "SELECT items, positions FROM posting WHERE segment = ?1 AND word >= ?2 AND word < ?3
             UNION ALL
             SELECT items, positions FROM posting WHERE segment = ?1 AND word = ?4 AND word < ?2",
        )?;
        let mut found = BTreeMap::<u32, MergedOccurrence>::new();
        let mut rows = all.query((self.id, prefix, format!("{prefix}\u{10ffff}"), stem))?;
        while let Some(row) = rows.next()? {
            if is_cancelled() {
                return Err(SearchError::Cancelled);
            }
            let [items, positions] = [row.get_ref(0)?, row.get_ref(1)?].map(|part| part.as_blob());
            let items = items.map_err(rusqlite::Error::from)?;
            let Some(posting) = PostingList::parse(items) else { continue };
            let mut posting = posting.with_positions(positions.map_err(rusqlite::Error::from)?);
            while let Some((at, places)) = posting.next_with_positions() {
                found.entry(at.slot).or_default().add(at, places);
            }
        }
        let mut writer = PostingWriter::default();
        for (item, union) in found {
            writer.add_merged(item, union);
        }
        Ok(writer.finish())
    }

    /// Returns the vocabulary. It stays in memory, because another misspelling is likely to follow.
    pub(crate) fn vocabulary(
        &self,
        connection: &Connection,
    ) -> rusqlite::Result<&SegmentVocabulary> {
        if let Some(words) = self.vocabulary.get() {
            return Ok(words);
        }
        let words = SegmentVocabulary::parse(self.vocabulary_text(connection)?);
        Ok(self.vocabulary.get_or_init(|| words))
    }

    /// Reads the vocabulary as it is stored.
    pub(super) fn vocabulary_text(&self, connection: &Connection) -> rusqlite::Result<String> {
        let mut all = connection.prepare_cached("SELECT words FROM segment WHERE id = ?")?;
        let words = all.query_row([self.id], |row| row.get::<_, Vec<u8>>(0)).optional()?;
        Ok(words.and_then(|words| String::from_utf8(words).ok()).unwrap_or_default())
    }
}
