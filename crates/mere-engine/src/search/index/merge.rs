//! Merging small segments into larger ones, without the deleted items.
//!
//! A merge is one transaction and changes no result: it can be interrupted or left out at any time.

use std::collections::HashSet;

use rusqlite::{Connection, Rows};

use super::postings::{EncodedPostings, PostingList, PostingWriter};
use super::segment::{Segment, SegmentSlot};
use super::{
    SearchIndex, bump_generation, insert_segment, schema, vocabulary, write_segment_words,
};

/// The number of segments of one size tier from which on they are merged.
const SEGMENTS_PER_TIER: usize = 8;

/// The new slot of each item of a segment; none for a deleted one.
type SlotMoves = Vec<Option<u32>>;

impl SearchIndex {
    /// Merges segments where many are of one size or most of one is deleted, if that affects no
    /// more than `most` items. Returns whether another merge may be due. If `enough` returns true,
    /// everything stays as it was.
    pub(crate) fn merge(
        &mut self,
        most: usize,
        enough: &dyn Fn() -> bool,
    ) -> rusqlite::Result<bool> {
        self.refresh()?;
        let Some(chosen) = self.choose_segments(most) else { return Ok(false) };
        let change = schema::begin_write(&mut self.connection)?;
        // Another process may have merged them or deleted items.
        if super::read_counter(&change, "generation")? != self.generation {
            drop(change);
            self.refresh()?;
            return Ok(true);
        }
        let old = chosen.iter().map(|at| &self.segments[*at]).collect::<Vec<_>>();
        if !write_merged(&change, &old, enough)? {
            return Ok(false);
        }
        let generation = bump_generation(&change)?;
        change.commit()?;
        self.note_own_change(generation);
        self.refresh()?;
        Ok(true)
    }

    /// Chooses the segments to merge.
    fn choose_segments(&self, most: usize) -> Option<Vec<usize>> {
        let size = |at: &usize| self.segments[*at].slots.len();
        let tier = |at: &usize| (size(at) | 1).ilog2() / 3;
        let all = || 0..self.segments.len();
        let tiers = all().map(|at| tier(&at)).collect::<HashSet<_>>();
        let mut tiers = tiers.into_iter().collect::<Vec<_>>();
        tiers.sort_unstable();
        for wanted in tiers {
            let candidates = all().filter(|at| tier(at) <= wanted).collect::<Vec<_>>();
            let work = candidates.iter().map(size).sum::<usize>();
            if candidates.iter().filter(|at| tier(at) == wanted).count() >= SEGMENTS_PER_TIER
                && work <= most
            {
                return Some(candidates);
            }
        }
        let is_mostly_deleted = |at: &usize| {
            let live = self.segments[*at].live.iter().filter(|live| **live).count();
            size(at) >= 64 && live * 2 < size(at) && size(at) <= most
        };
        all().find(is_mostly_deleted).map(|at| vec![at])
    }
}

/// Writes one segment in place of several. Returns false if it was interrupted.
fn write_merged(
    change: &Connection,
    old: &[&Segment],
    enough: &dyn Fn() -> bool,
) -> rusqlite::Result<bool> {
    let (slots, moves) = arrange_slots(old);
    let id = insert_segment(change, &slots)?;
    let merged = MergedSegments { old, moves: &moves };
    let Some(mut words) = merge_words(change, id, &merged, enough)? else {
        return Ok(false);
    };
    for segment in old {
        words.copy_forms(&segment.vocabulary_text(change)?);
    }
    write_segment_words(change, id, words)?;
    for segment in old {
        change.execute("DELETE FROM segment WHERE id = ?", [segment.id])?;
        change.execute("DELETE FROM posting WHERE segment = ?", [segment.id])?;
        let mut one = change.prepare_cached("DELETE FROM deleted_item WHERE item = ?")?;
        for (slot, _) in segment.slots.iter().zip(&segment.live).filter(|(_, live)| !**live) {
            one.execute([slot.item])?;
        }
    }
    Ok(true)
}

/// Returns the slots of the remaining items, in order, and where each old slot goes.
fn arrange_slots(old: &[&Segment]) -> (Vec<SegmentSlot>, Vec<SlotMoves>) {
    let mut slots = Vec::new();
    for segment in old {
        let live = segment.slots.iter().zip(&segment.live).filter(|(_, live)| **live);
        slots.extend(live.map(|(slot, _)| *slot));
    }
    slots.sort_unstable_by_key(|slot| slot.item);
    let place = |slot: &SegmentSlot| {
        let found = slots.binary_search_by_key(&slot.item, |slot| slot.item).ok();
        found.and_then(|at| u32::try_from(at).ok())
    };
    let moves = old.iter().map(|segment| {
        let slots = segment.slots.iter().zip(&segment.live);
        slots.map(|(slot, live)| if *live { place(slot) } else { None }).collect()
    });
    let moves = moves.collect();
    (slots, moves)
}

/// The terms of a segment, read in order.
struct WordCursor<'a> {
    rows: Rows<'a>,
    next: Option<(String, EncodedPostings)>,
}

impl WordCursor<'_> {
    fn advance(&mut self) -> rusqlite::Result<()> {
        self.next = match self.rows.next()? {
            Some(row) => {
                let postings = EncodedPostings { items: row.get(1)?, positions: row.get(2)? };
                Some((row.get(0)?, postings))
            }
            None => None,
        };
        Ok(())
    }
}

/// Segments that become one, and where their slots go.
struct MergedSegments<'a> {
    old: &'a [&'a Segment],
    moves: &'a [SlotMoves],
}

/// Writes the terms of several segments as those of one and returns its vocabulary; none if
/// `enough` returned true.
fn merge_words(
    change: &Connection,
    id: i64,
    merged: &MergedSegments<'_>,
    enough: &dyn Fn() -> bool,
) -> rusqlite::Result<Option<vocabulary::VocabularyWriter>> {
    let MergedSegments { old, moves } = *merged;
    let sql = "SELECT word, items, positions FROM posting WHERE segment = ? ORDER BY word";
    let mut statements =
        old.iter().map(|_| change.prepare(sql)).collect::<rusqlite::Result<Vec<_>>>()?;
    let mut sources = Vec::new();
    for (statement, segment) in statements.iter_mut().zip(old) {
        let mut source = WordCursor { rows: statement.query([segment.id])?, next: None };
        source.advance()?;
        sources.push(source);
    }
    let mut insert = change.prepare("INSERT INTO posting VALUES (?, ?, ?, ?)")?;
    let mut words = vocabulary::VocabularyWriter::default();
    loop {
        let heads = sources.iter().filter_map(|source| source.next.as_ref());
        let Some(word) = heads.map(|(word, _)| word).min().cloned() else {
            return Ok(Some(words));
        };
        if enough() {
            return Ok(None);
        }
        let mut lists = Vec::new();
        for (source, moves) in sources.iter_mut().zip(moves) {
            if let Some((_, postings)) = source.next.take_if(|(head, _)| *head == word) {
                lists.push((postings, moves));
                source.advance()?;
            }
        }
        if let Some(EncodedPostings { items, positions }) = merge_postings(&lists)? {
            insert.execute((id, &word, items, positions))?;
            words.add_stem(&word);
        }
    }
}

fn merge_postings(
    lists: &[(EncodedPostings, &SlotMoves)],
) -> rusqlite::Result<Option<EncodedPostings>> {
    let mut all = Vec::new();
    for (EncodedPostings { items, positions }, moves) in lists {
        let posting = PostingList::parse(items).ok_or_else(schema::corruption_error)?;
        let mut posting = posting.with_positions(positions);
        while let Some((mut at, places)) = posting.next_with_positions() {
            let item = usize::try_from(at.slot).ok().and_then(|item| *moves.get(item)?);
            if let Some(item) = item {
                at.slot = item;
                all.push((at, places));
            }
        }
        if !posting.is_complete() {
            return Err(schema::corruption_error());
        }
    }
    all.sort_by_key(|(at, _)| at.slot);
    let mut writer = PostingWriter::default();
    for (at, places) in all {
        writer.add_copy(at, places);
    }
    Ok(writer.finish())
}
