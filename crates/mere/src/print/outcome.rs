//! How a change looks to a person: the sentence of its reply, and what else it did.
//!
//! Moving or renaming an entry also changes links to it, which are listed here.

use serde::Deserialize;

use super::Printer;
use super::items::{FAINT, push_line};
use super::reply::ReplyView;

/// The data of a reply to a change.
#[derive(Deserialize)]
pub(crate) struct ChangeOutcome {
    /// Only items that were created, changed or deleted have this.
    #[serde(default)]
    validation_warnings: Vec<String>,
    /// Where the item lies, if the command was about one.
    #[serde(default)]
    address: Option<String>,
}

/// The data of a reply that names what it is about.
#[derive(Deserialize)]
pub(crate) struct SubjectAddress {
    pub(crate) address: String,
}

/// The data of a reply about an item that was moved or renamed. Lists without links are absent.
#[derive(Deserialize)]
pub(crate) struct Relocation {
    #[serde(default)]
    relinked: Vec<String>,
    #[serde(default)]
    proposed: Vec<String>,
    #[serde(default)]
    not_relinked: Vec<String>,
    links_elsewhere: Option<u64>,
    ambiguous: Option<LinkTally>,
    now_ambiguous: Option<LinkTally>,
    now_to_others: Option<LinkTally>,
}

/// A number of links, and the items that contain them.
#[derive(Deserialize)]
struct LinkTally {
    links: u64,
    #[serde(rename = "in")]
    items: Vec<String>,
    left_out: Option<u64>,
}

impl Printer {
    /// Formats what a command did, in the words of its reply.
    pub(crate) fn outcome(&self, reply: &ReplyView<ChangeOutcome>) -> String {
        let mut out = self.sentence(reply);
        for warning in &reply.data.validation_warnings {
            let note = self.paint("note:", FAINT);
            push_line(&mut out, format_args!("  {note} {}", self.escape_controls(warning)));
        }
        out
    }

    /// Formats what a command wrote. A person also gets the path that can be pasted.
    pub(crate) fn written_item(&self, reply: &ReplyView<ChangeOutcome>) -> String {
        let mut out = self.outcome(reply);
        let address = reply.data.address.as_deref().unwrap_or_default();
        let path = self.path(address);
        if self.is_terminal && path != address {
            push_line(&mut out, format_args!("  file: {path}"));
        }
        out
    }

    /// Formats the move of an item, and what happened to the links to it.
    pub(crate) fn relocation(&self, reply: &ReplyView<Relocation>) -> String {
        let (mut out, data) = (self.sentence(reply), &reply.data);
        for (notes, what) in [
            (&data.relinked, "links changed in"),
            (&data.proposed, "proposed for a note that somebody else signed:"),
            (&data.not_relinked, "still links to the old id:"),
        ] {
            for note in notes {
                push_line(&mut out, format_args!("  {what} {}", self.escape_controls(note)));
            }
        }
        if let Some(count) = data.links_elsewhere {
            let links = if count == 1 { "link" } else { "links" };
            push_line(
                &mut out,
                format_args!("  {count} {links} elsewhere still pointing to the old id"),
            );
        }
        for (tally, what) in [
            (&data.ambiguous, "left unchanged because the old id alone was ambiguous"),
            (&data.now_ambiguous, "now ambiguous because several entries have the id"),
            (&data.now_to_others, "now pointing to a different entry"),
        ] {
            let Some(LinkTally { links: count, items, left_out }) = tally else { continue };
            let links = if *count == 1 { "link" } else { "links" };
            let items = items.iter().map(|item| self.escape_controls(item));
            let items = items.collect::<Vec<_>>().join(", ");
            let more = left_out.map_or_else(String::new, |more| format!(" and {more} more"));
            push_line(&mut out, format_args!("  {count} {links} {what}: {items}{more}"));
        }
        out
    }

    /// Formats the sentence of a reply.
    pub(super) fn sentence<T>(&self, reply: &ReplyView<T>) -> String {
        self.escape_controls(&reply.message) + "\n"
    }

    /// Appends the sentence of a success. That of a refusal is printed elsewhere.
    pub(super) fn with_sentence<T>(&self, out: String, reply: &ReplyView<T>) -> String {
        if reply.is_success() { out + &self.sentence(reply) } else { out }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success, terminal_printer};
    use serde_json::json;

    #[test]
    fn what_was_written_is_told_to_a_person_with_its_path() {
        let reply = success(json!({ "address": "ROOT_PROJECT:/.ai/tools/a.yaml" }));
        assert_eq!(terminal_printer().written_item(&reply), "Done.\n  file: .ai/tools/a.yaml\n");
        assert_eq!(pipe_printer().written_item(&reply), "Done.\n");
    }

    #[test]
    fn a_change_is_told_with_its_warnings() {
        let reply = success(json!({ "validation_warnings": ["`x` is not known"] }));
        assert_eq!(pipe_printer().outcome(&reply), "Done.\n  note: `x` is not known\n");
        assert_eq!(pipe_printer().outcome(&success(json!({ "path": "a" }))), "Done.\n");
    }

    #[test]
    fn a_move_is_told_with_what_became_of_links() {
        let reply = success(json!({
            "relinked": ["a"], "proposed": ["b"], "not_relinked": ["c", "d"], "links_elsewhere": 1,
            "ambiguous": { "links": 1, "in": ["e"] },
            "now_ambiguous": { "links": 8, "in": ["f", "g"], "left_out": 3 },
            "now_to_others": { "links": 2, "in": ["h"] },
        }));
        let expected = "Done.
  links changed in a
  proposed for a note that somebody else signed: b
  still links to the old id: c
  still links to the old id: d
  1 link elsewhere still pointing to the old id
  1 link left unchanged because the old id alone was ambiguous: e
  8 links now ambiguous because several entries have the id: f, g and 3 more
  2 links now pointing to a different entry: h
";
        assert_eq!(pipe_printer().relocation(&reply), expected);
    }
}
