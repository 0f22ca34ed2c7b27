//! Who has a word, where and how often, in as few bytes as can be.
//!
//! The items of a segment are counted from 0. Of each that has the word there is: how far it is
//! from the one before, the fields that have it, how often the body has it; then, for phrases,
//! where it stands. Bytes that make no sense end the list, which is then not whole.

use mere_core::search::DocumentField;

/// The most places of a word in one item that are remembered.
const MAX_PLACES: u32 = 1000;

/// One item that has a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// Which item of the segment.
    pub(crate) item: u32,
    /// A bit for each field.
    pub(crate) fields: u8,
    /// How often its body has the word.
    pub(crate) times: u32,
}

/// Who has a word, being written.
#[derive(Default)]
pub(super) struct Writer {
    count: u32,
    last: u32,
    items: Vec<u8>,
    /// Of each item the steps from place to place, one more than they are, and a zero.
    places: Vec<u8>,
    open: Option<Open>,
}

/// The item that is being written.
#[derive(Clone, Copy)]
struct Open {
    at: Occurrence,
    counted: u32,
    last: u32,
}

impl Writer {
    /// An item has the word in a field at a place. Items come in order, and so do places.
    pub(super) fn add(&mut self, item: u32, field: DocumentField, place: u32) {
        let mut open = match self.open {
            Some(open) if open.at.item == item => open,
            _ => {
                self.close();
                Open { at: Occurrence { item, fields: 0, times: 0 }, counted: 0, last: 0 }
            }
        };
        open.at.fields |= field.bit();
        open.at.times += u32::from(field == DocumentField::Body);
        if open.counted < MAX_PLACES {
            push(&mut self.places, place.saturating_sub(open.last).saturating_add(1));
            (open.counted, open.last) = (open.counted + 1, place);
        }
        self.open = Some(open);
    }

    /// An item with all that another list says of it.
    pub(super) fn copy(&mut self, at: Occurrence, places: &[u8]) {
        self.close();
        self.places.extend(places);
        self.open = Some(Open { at, counted: 0, last: 0 });
    }

    /// An item with what several lists say of it.
    pub(super) fn add_union(&mut self, item: u32, mut union: Union) {
        self.close();
        union.places.sort_unstable();
        union.places.dedup();
        let mut last = 0;
        for place in union.places {
            push(&mut self.places, place.saturating_sub(last).saturating_add(1));
            last = place;
        }
        let Union { fields, times, .. } = union;
        self.open = Some(Open { at: Occurrence { item, fields, times }, counted: 0, last: 0 });
    }

    fn close(&mut self) {
        let Some(Open { at, .. }) = self.open.take() else { return };
        push(&mut self.items, at.item - self.last);
        self.items.push(at.fields);
        if at.fields & DocumentField::Body.bit() != 0 {
            push(&mut self.items, at.times);
        }
        self.places.push(0);
        (self.count, self.last) = (self.count + 1, at.item);
    }

    /// The bytes; none if nobody has the word.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        self.close();
        if self.count == 0 {
            return None;
        }
        let mut bytes = Vec::with_capacity(self.items.len() + self.places.len() + 8);
        push(&mut bytes, self.count);
        push(&mut bytes, u32::try_from(self.items.len()).ok()?);
        bytes.extend(&self.items);
        bytes.extend(&self.places);
        Some(bytes)
    }
}

/// What several lists say of one item.
#[derive(Default)]
pub(super) struct Union {
    fields: u8,
    times: u32,
    places: Vec<u32>,
}

impl Union {
    pub(super) fn add(&mut self, at: Occurrence, bytes: &[u8]) {
        self.fields |= at.fields;
        self.times = self.times.saturating_add(at.times);
        self.places.extend(places(bytes));
    }
}

/// Who has a word, being read.
#[derive(Clone)]
pub(crate) struct Posting<'a> {
    items: &'a [u8],
    places: &'a [u8],
    last: u32,
    /// How many items are to come.
    left: u32,
}

impl<'a> Posting<'a> {
    pub(crate) fn read(mut bytes: &'a [u8]) -> Option<Self> {
        let left = take(&mut bytes)?;
        let length = usize::try_from(take(&mut bytes)?).ok()?;
        let (items, places) = bytes.split_at_checked(length)?;
        Some(Self { items, places, last: 0, left })
    }

    /// Whether there is what there should be, after all of it was read.
    pub(crate) fn is_whole(&self) -> bool {
        self.left == 0 && self.items.is_empty()
    }

    /// The next item with where it has the word, as [`places`] reads it.
    pub(crate) fn next_with_places(&mut self) -> Option<(Occurrence, &'a [u8])> {
        let occurrence = self.next()?;
        // A zero is no part of a larger number, whose last byte is never zero.
        let end = self.places.iter().position(|byte| *byte == 0)?;
        let (own, rest) = self.places.split_at(end);
        self.places = &rest[1..];
        Some((occurrence, own))
    }
}

impl Iterator for Posting<'_> {
    type Item = Occurrence;

    fn next(&mut self) -> Option<Occurrence> {
        let item = self.last.checked_add(take(&mut self.items)?)?;
        let (fields, rest) = self.items.split_first()?;
        self.items = rest;
        let has_body = fields & DocumentField::Body.bit() != 0;
        let times = if has_body { take(&mut self.items)? } else { 0 };
        (self.last, self.left) = (item, self.left.checked_sub(1)?);
        Some(Occurrence { item, fields: *fields, times })
    }
}

/// The places that some bytes say.
pub(crate) fn places(mut bytes: &[u8]) -> impl Iterator<Item = u32> {
    let mut place = 0_u32;
    std::iter::from_fn(move || {
        place = place.checked_add(take(&mut bytes)?.checked_sub(1)?)?;
        Some(place)
    })
}

/// Writes a number, seven bits a byte.
fn push(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Reads a number.
fn take(bytes: &mut &[u8]) -> Option<u32> {
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
        let mut writer = Writer::default();
        writer.add(3, DocumentField::Title, 0);
        writer.add(3, DocumentField::Body, 10);
        writer.add(3, DocumentField::Body, 300);
        writer.add(70_000, DocumentField::Tags, 5);
        let bytes = writer.finish().expect("bytes");
        let mut posting = Posting::read(&bytes).expect("a posting");
        let (first, at) = posting.next_with_places().expect("an item");
        assert_eq!(first, Occurrence { item: 3, fields: 1 | 32, times: 2 });
        assert_eq!(places(at).collect::<Vec<_>>(), [0, 10, 300]);
        let (second, at) = posting.next_with_places().expect("an item");
        assert_eq!(second, Occurrence { item: 70_000, fields: 4, times: 0 });
        assert_eq!(places(at).collect::<Vec<_>>(), [5]);
        assert_eq!(posting.next(), None);
        assert_eq!(Posting::read(&bytes).expect("a posting").count(), 2);
        assert!(Writer::default().finish().is_none());
    }

    #[test]
    fn bytes_that_make_no_sense_end_the_list() {
        for bytes in
            [&b""[..], b"\x01", b"\xff\xff\xff\xff\xff\xff", b"\x01\x7f\x01", b"\x02\x01\x80"]
        {
            assert_eq!(Posting::read(bytes).map_or(0, Iterator::count), 0);
        }
    }
}
