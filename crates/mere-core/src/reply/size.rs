//! How large a reply is, and how one that is too large is cut.
//!
//! Lists lose their ends, and the reply says so: what was asked for is never lost as a whole. No
//! text is cut here, because half a path or half a secret would not be recognised by the gate.

use std::borrow::Cow;

use super::Draft;
use super::data::{Data, Fields};
use super::prose::{Prose, ProsePart};

/// The largest reply to a call that does not ask for a file's content, in bytes of JSON.
pub const MAX_REPLY_BYTES: usize = 1024 * 1024;
/// What a reply that is too large is cut to. The rest is left for what the gate adds.
const CUT_REPLY_BYTES: usize = MAX_REPLY_BYTES * 3 / 4;
/// What a value costs besides its text: quotes, commas, a number.
const OVERHEAD: usize = 24;

/// Returns how many bytes a text takes in JSON, without its quotes.
pub fn json_length(text: &str) -> usize {
    let escaped = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 1,
        0..=0x1f => 5,
        _ => 0,
    });
    text.len() + escaped.sum::<usize>()
}

impl Draft {
    /// Cuts the lists of a reply that is larger than [`MAX_REPLY_BYTES`].
    #[must_use]
    pub fn cut_to_limit(mut self) -> Self {
        let words = prose_size(&self.message) + self.hint.as_ref().map_or(0, prose_size);
        if words + fields_size(&self.data) <= MAX_REPLY_BYTES {
            return self;
        }
        let mut left_out = 0;
        cut_fields(&mut self.data, CUT_REPLY_BYTES, &mut left_out);
        // The cursor of the next page would pass over what was cut.
        self.data.remove("next");
        self.data = self.data.with("truncated", true).with("left_out", left_out);
        self.hint(
            "The reply was cut to 1 MiB. Ask for less at once: with a smaller `limit`, a narrower \
             `path`, or more precise words.",
        )
    }
}

impl Fields {
    /// Returns about how many bytes the fields take as JSON.
    pub fn json_size(&self) -> usize {
        fields_size(self)
    }
}

fn prose_size(prose: &Prose) -> usize {
    let parts = prose.parts().iter().map(|part| match part {
        ProsePart::Words(words) => json_length(words),
        ProsePart::Address(address) => address.to_text().len(),
        ProsePart::Name(name) => name.as_str().len(),
        ProsePart::Content(content) => json_length(content.text()),
    });
    parts.sum()
}

fn fields_size(fields: &Fields) -> usize {
    fields.iter().map(|(name, value)| name.len() + OVERHEAD + data_size(value)).sum()
}

/// Returns about how many bytes a value takes in JSON.
fn data_size(data: &Data) -> usize {
    match data {
        Data::Null | Data::Bool(_) | Data::Number(_) | Data::ForeignNumber(_) => OVERHEAD,
        Data::Words(words) => json_length(words),
        Data::Address(address) => json_length(&address.to_text()),
        Data::Root(root) => root.to_string().len(),
        Data::Name(name) => json_length(name.as_str()),
        Data::Content(content) => json_length(content.text()),
        Data::List(items) => items.iter().map(|item| OVERHEAD + data_size(item)).sum(),
        Data::Fields(fields) => fields_size(fields),
        Data::ForeignFields(fields) => {
            let fields = fields.iter();
            fields.map(|(name, value)| json_length(name.text()) + OVERHEAD + data_size(value)).sum()
        }
    }
}

/// Cuts the largest fields until all fit.
fn cut_fields(fields: &mut Fields, room: usize, left_out: &mut u64) {
    let sizes = fields.iter().map(|(_, value)| data_size(value)).enumerate();
    let mut sizes = sizes.collect::<Vec<_>>();
    sizes.sort_by_key(|(_, size)| *size);
    let count = sizes.len();
    let mut room = room.saturating_sub(count * OVERHEAD);
    for (done, (index, size)) in sizes.into_iter().enumerate() {
        // The small fields come first, so that what they do not need is left for the large ones.
        let share = room / (count - done);
        let value = &mut fields.0[index].1;
        if size > share {
            cut_data(value, share, left_out);
        }
        room = room.saturating_sub(data_size(value));
    }
}

fn cut_data(data: &mut Data, room: usize, left_out: &mut u64) {
    match data {
        Data::List(items) => {
            let mut used = 0;
            let fits = items.iter().take_while(|item| {
                used += OVERHEAD + data_size(item);
                used <= room
            });
            // One that does not fit alone is cut, so that a list never becomes empty.
            let fits = fits.count().max(1);
            *left_out += items.len().saturating_sub(fits) as u64;
            items.truncate(fits);
            if let [only] = items.as_mut_slice()
                && data_size(only) > room
            {
                cut_data(only, room, left_out);
            }
        }
        Data::Fields(fields) => cut_fields(fields, room, left_out),
        Data::Words(_) | Data::Content(_) | Data::ForeignFields(_) => {
            *left_out += 1;
            *data = Data::Words(Cow::Borrowed("[left out: too long]"));
        }
        Data::Null
        | Data::Bool(_)
        | Data::Number(_)
        | Data::ForeignNumber(_)
        | Data::Address(_)
        | Data::Root(_)
        | Data::Name(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{Content, codes};

    fn draft(items: usize, text: &str) -> Draft {
        let item = || Fields::default().with("title", Content::mention(text));
        let items = (0..items).map(|_| Data::from(item())).collect::<Data>();
        let data = Fields::default().with("count", 1).with("items", items).with("next", "cursor");
        Draft::success(codes::SEARCH, "Found.").data(data)
    }

    #[test]
    fn a_reply_that_fits_is_left_alone() {
        let cut = draft(100, "a title").cut_to_limit();
        assert!(cut.hint.is_none());
        assert_eq!(cut.data.iter().count(), 3);
    }

    #[test]
    fn a_list_loses_its_end_and_the_rest_stays() {
        for (items, text) in [
            (100_000, "a title".to_owned()),
            (1_000, "\u{1}".repeat(2_000)),
            (3, "x".repeat(2_000_000)),
            (1, "x".repeat(2_000_000)),
        ] {
            let cut = draft(items, &text).cut_to_limit();
            assert!(fields_size(&cut.data) <= MAX_REPLY_BYTES, "{items}");
            let names = cut.data.iter().map(|(name, _)| name.as_ref()).collect::<Vec<_>>();
            assert_eq!(names, ["count", "items", "truncated", "left_out"]);
            let list = cut.data.iter().find(|(name, _)| name == "items");
            assert!(matches!(list, Some((_, Data::List(list))) if !list.is_empty()), "{items}");
        }
    }
}
