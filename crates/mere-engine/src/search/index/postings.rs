//! Posting lists: the items that have a word, with fields, counts and positions, in few bytes.
//!
//! Items are numbered by their slots in a segment. Each entry has the distance from the previous
//! slot, the fields with the word and, if the body has it, how often. The positions, which only
//! phrases need, are bytes of their own. Bytes that make no sense end the list, which is then not
//! complete.

use mere_core::search::{DocumentField, term_weight};

/// The most positions of a word that are stored for one item.
const MAX_POSITIONS: u32 = 1000;

/// An item that has a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// The slot of the item in its segment.
    pub(crate) slot: u32,
    /// One bit for each field that has the word.
    pub(crate) fields: u8,
    /// How often the body has the word.
    pub(crate) body_count: u32,
}

/// A posting list as it is stored.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EncodedPostings {
    pub(crate) items: Vec<u8>,
    pub(crate) positions: Vec<u8>,
}

/// An item that has a word, and how much the word counts in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WeightedSlot {
    pub(crate) slot: u32,
    pub(crate) weight: f32,
}

/// The posting list of a word while it is written.
#[derive(Default)]
pub(super) struct PostingWriter {
    count: u32,
    last_slot: u32,
    items: Vec<u8>,
    /// For each item the differences between positions, each plus one, and a terminating zero.
    positions: Vec<u8>,
    current: Option<OpenOccurrence>,
}

/// The item that is being written.
#[derive(Clone, Copy)]
struct OpenOccurrence {
    occurrence: Occurrence,
    position_count: u32,
    last_position: u32,
}

impl PostingWriter {
    /// Adds the position of an item's word in a field. Slots and positions must be in order.
    pub(super) fn add(&mut self, item: u32, field: DocumentField, place: u32) {
        let mut open = match self.current {
            Some(open) if open.occurrence.slot == item => open,
            _ => {
                self.finish_item();
                OpenOccurrence {
                    occurrence: Occurrence { slot: item, fields: 0, body_count: 0 },
                    position_count: 0,
                    last_position: 0,
                }
            }
        };
        open.occurrence.fields |= field.bit();
        open.occurrence.body_count += u32::from(field == DocumentField::Body);
        if open.position_count < MAX_POSITIONS {
            write_varint(
                &mut self.positions,
                place.saturating_sub(open.last_position).saturating_add(1),
            );
            (open.position_count, open.last_position) = (open.position_count + 1, place);
        }
        self.current = Some(open);
    }

    /// Adds an item with its positions as another list has them.
    pub(super) fn add_copy(&mut self, at: Occurrence, places: &[u8]) {
        self.finish_item();
        self.positions.extend(places);
        self.current = Some(OpenOccurrence { occurrence: at, position_count: 0, last_position: 0 });
    }

    /// Adds an item with what several lists have of it.
    pub(super) fn add_merged(&mut self, item: u32, mut union: MergedOccurrence) {
        self.finish_item();
        union.positions.sort_unstable();
        union.positions.dedup();
        let mut last = 0;
        for place in union.positions {
            write_varint(&mut self.positions, place.saturating_sub(last).saturating_add(1));
            last = place;
        }
        let MergedOccurrence { fields, body_count: times, .. } = union;
        self.current = Some(OpenOccurrence {
            occurrence: Occurrence { slot: item, fields, body_count: times },
            position_count: 0,
            last_position: 0,
        });
    }

    fn finish_item(&mut self) {
        let Some(OpenOccurrence { occurrence: at, .. }) = self.current.take() else { return };
        write_varint(&mut self.items, at.slot - self.last_slot);
        self.items.push(at.fields);
        if at.fields & DocumentField::Body.bit() != 0 {
            write_varint(&mut self.items, at.body_count);
        }
        self.positions.push(0);
        (self.count, self.last_slot) = (self.count + 1, at.slot);
    }

    /// Returns the bytes; none if no item has the word.
    pub(super) fn finish(mut self) -> Option<EncodedPostings> {
        self.finish_item();
        if self.count == 0 {
            return None;
        }
        let mut items = Vec::with_capacity(self.items.len() + 5);
        write_varint(&mut items, self.count);
        items.extend(&self.items);
        Some(EncodedPostings { items, positions: self.positions })
    }
}

/// What several lists have of one item.
#[derive(Default)]
pub(super) struct MergedOccurrence {
    fields: u8,
    body_count: u32,
    positions: Vec<u32>,
}

impl MergedOccurrence {
    pub(super) fn add(&mut self, at: Occurrence, bytes: &[u8]) {
        self.fields |= at.fields;
        self.body_count = self.body_count.saturating_add(at.body_count);
        self.positions.extend(decode_positions(bytes));
    }
}

/// The posting list of a word while it is read.
#[derive(Clone)]
pub(crate) struct PostingList<'a> {
    items: &'a [u8],
    positions: &'a [u8],
    last_slot: u32,
    /// The number of items that follow.
    remaining: u32,
}

impl<'a> PostingList<'a> {
    /// Reads a list without the positions.
    pub(crate) fn parse(mut items: &'a [u8]) -> Option<Self> {
        let remaining = read_varint(&mut items)?;
        Some(Self { items, positions: &[], last_slot: 0, remaining })
    }

    /// Adds the positions, for [`next_with_positions`](Self::next_with_positions).
    pub(crate) fn with_positions(self, positions: &'a [u8]) -> Self {
        Self { positions, ..self }
    }

    /// Returns the slots of the list that are allowed, and how much the word counts in each. Returns
    /// none if the list is not well formed.
    pub(crate) fn collect_allowed(mut self, allowed: &[bool]) -> Option<Vec<WeightedSlot>> {
        // No item takes less than two bytes, whatever the list says of their number.
        let most = self.items.len() / 2;
        let mut slots = Vec::with_capacity(most.min(allowed.len()));
        for Occurrence { slot, fields, body_count } in self.by_ref() {
            if allowed.get(usize::try_from(slot).ok()?) == Some(&true) {
                slots.push(WeightedSlot { slot, weight: term_weight(fields, body_count) });
            }
        }
        self.is_complete().then_some(slots)
    }

    /// Returns whether the list was well formed, after all of it was read.
    pub(crate) fn is_complete(&self) -> bool {
        self.remaining == 0 && self.items.is_empty()
    }

    /// Returns the next item with its encoded positions, for [`decode_positions`].
    pub(crate) fn next_with_positions(&mut self) -> Option<(Occurrence, &'a [u8])> {
        let occurrence = self.next()?;
        // A zero byte only occurs as the terminator: the last byte of a larger number is never
        // zero.
        let end = self.positions.iter().position(|byte| *byte == 0)?;
        let (own, rest) = self.positions.split_at(end);
        self.positions = &rest[1..];
        Some((occurrence, own))
    }
}

impl Iterator for PostingList<'_> {
    type Item = Occurrence;

    #[inline]
    fn next(&mut self) -> Option<Occurrence> {
        let item = self.last_slot.checked_add(read_varint(&mut self.items)?)?;
        let (fields, rest) = self.items.split_first()?;
        self.items = rest;
        let has_body = fields & DocumentField::Body.bit() != 0;
        let times = if has_body { read_varint(&mut self.items)? } else { 0 };
        (self.last_slot, self.remaining) = (item, self.remaining.checked_sub(1)?);
        Some(Occurrence { slot: item, fields: *fields, body_count: times })
    }
}

/// Decodes the positions of one item.
pub(crate) fn decode_positions(mut bytes: &[u8]) -> impl Iterator<Item = u32> {
    let mut place = 0_u32;
    std::iter::from_fn(move || {
        place = place.checked_add(read_varint(&mut bytes)?.checked_sub(1)?)?;
        Some(place)
    })
}

/// Writes a number as a varint, seven bits to a byte.
fn write_varint(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Reads a varint.
#[inline]
fn read_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let mut writer = PostingWriter::default();
        writer.add(3, DocumentField::Title, 0);
        writer.add(3, DocumentField::Body, 10);
        writer.add(3, DocumentField::Body, 300);
        writer.add(70_000, DocumentField::Tags, 5);
        let bytes = writer.finish().expect("bytes");
        let list = || PostingList::parse(&bytes.items).expect("a posting");
        let mut posting = list().with_positions(&bytes.positions);
        let (first, at) = posting.next_with_positions().expect("an item");
        assert_eq!(first, Occurrence { slot: 3, fields: 1 | 32, body_count: 2 });
        assert_eq!(decode_positions(at).collect::<Vec<_>>(), [0, 10, 300]);
        let (second, at) = posting.next_with_positions().expect("an item");
        assert_eq!(second, Occurrence { slot: 70_000, fields: 4, body_count: 0 });
        assert_eq!(decode_positions(at).collect::<Vec<_>>(), [5]);
        assert_eq!(posting.next(), None);
        assert_eq!(list().count(), 2);
        let allowed = |last: bool| [vec![true; 70_000], vec![last]].concat();
        let slots = |allowed: &[bool]| {
            let slots = list().collect_allowed(allowed).expect("well formed");
            slots.into_iter().map(|one| one.slot).collect::<Vec<_>>()
        };
        assert_eq!(slots(&allowed(true)), [3, 70_000]);
        assert_eq!(slots(&allowed(false)), [3]);
        assert!(slots(&[]).is_empty());
        assert!(PostingWriter::default().finish().is_none());
    }

    #[test]
    fn bytes_that_make_no_sense_end_the_list() {
        for bytes in [&b""[..], b"\x01", b"\xff\xff\xff\xff\xff\xff", b"\x01\x7f", b"\x02\x80"] {
            assert_eq!(PostingList::parse(bytes).map_or(0, Iterator::count), 0);
            let list = PostingList::parse(bytes);
            assert_eq!(list.and_then(|list| list.collect_allowed(&[true; 200])), None);
        }
    }
}
