//! How signatures look to a person: differences before signing, findings after verification.
//!
//! Texts from an item are escaped, because they are shown before anybody trusts them.

use anstyle::Style;
use serde::Deserialize;

use super::Printer;
use super::items::{BAD, FAINT, GOOD, STRONG, item_name, push_line};
use super::reply::{ReplyView, nullable};

/// Who vouches for an item. Only a signed item has a key, and only a known key has a name.
#[derive(Deserialize)]
pub(crate) struct ItemTrust {
    pub(super) status: String,
    key: Option<String>,
    signer: Option<String>,
    placed_by: Option<String>,
    /// The version in a registry that it came from.
    origin: Option<String>,
}

/// The data of a reply that lists items to sign or to countersign.
#[derive(Deserialize)]
pub(crate) struct SigningPlan {
    pub(crate) items: Vec<SignableItem>,
    /// How many other items are unsigned and need no signature here.
    #[serde(default)]
    pub(crate) unsigned: u64,
    /// How many other items are signed by keys that do not count here.
    #[serde(default)]
    pub(crate) unknown_key: u64,
}

/// An item that could be signed. One that cannot is `unfit`, and has no digest.
#[derive(Deserialize)]
pub(crate) struct SignableItem {
    item_type: String,
    id: String,
    category: String,
    scope: String,
    #[serde(deserialize_with = "nullable")]
    address: Option<String>,
    status: String,
    fault: Option<String>,
    pub(crate) digest: Option<String>,
    /// Only an item that is signed by itself comes with its differences.
    #[serde(default)]
    changes: Vec<FileChange>,
    base: Option<String>,
    pub(crate) unfit: Option<String>,
    pub(crate) warning: Option<String>,
}

/// The difference of one file.
#[derive(Deserialize)]
pub(crate) struct FileChange {
    path: String,
    diff: String,
}

/// The data of a reply to `mere sign`.
#[derive(Deserialize)]
pub(crate) struct SigningResult {
    signed: Vec<SignedItem>,
    left: Vec<UnsignedItem>,
    /// The lockfiles that were made anew.
    #[serde(default)]
    relocked: Vec<String>,
}

/// The data of a reply that lists stale lockfiles.
#[derive(Deserialize)]
pub(crate) struct StaleLocks {
    pub(crate) stale: Vec<StaleLock>,
}

/// A lockfile that does not pin its tool as it is now.
#[derive(Deserialize)]
pub(crate) struct StaleLock {
    pub(crate) tool: String,
    pub(crate) fix: String,
}

#[derive(Deserialize)]
struct SignedItem {
    item_type: String,
    id: String,
    category: String,
    note: Option<String>,
}

/// An item that was not signed.
#[derive(Deserialize)]
pub(super) struct UnsignedItem {
    pub(super) address: String,
    pub(super) why: String,
}

/// The data of a reply to `mere verify`.
#[derive(Deserialize)]
pub(crate) struct Verification {
    pub(crate) checked: u64,
    pub(super) items: Vec<VerifiedItem>,
}

/// What verification says about an item, about a file, or about the team's roster.
#[derive(Deserialize)]
pub(super) struct VerifiedItem {
    #[serde(deserialize_with = "nullable")]
    pub(super) address: Option<String>,
    pub(super) status: String,
    pub(super) finding: bool,
    trust: Option<ItemTrust>,
    /// The files that differ from what was signed.
    #[serde(default)]
    pub(super) files: Vec<String>,
    pub(super) fault: Option<String>,
    pub(super) fix: Option<String>,
}

impl SignableItem {
    pub(crate) fn address(&self) -> &str {
        self.address.as_deref().unwrap_or_default()
    }

    /// Returns whether it is a tool, which may have a lockfile.
    pub(crate) fn is_tool(&self) -> bool {
        self.item_type == "tool"
    }

    /// Returns whether it can be signed as it is.
    pub(crate) fn can_be_signed(&self) -> bool {
        self.digest.is_some() && self.unfit.is_none()
    }

    /// Returns whether it comes with what differs, and not only with its name.
    pub(crate) fn is_shown_in_full(&self) -> bool {
        self.base.is_some() || self.unfit.is_some()
    }

    /// Returns the type and the name of the item.
    fn title(&self) -> String {
        format!("{} {}", self.item_type, item_name(&self.category, &self.id))
    }
}

impl Printer {
    /// Formats one item that could be signed: what differs, and from what.
    pub(crate) fn difference(&self, item: &SignableItem) -> String {
        let mut out = format!("{}\n", self.paint(&self.escape_controls(&item.title()), STRONG));
        push_line(&mut out, format_args!("{} · {}", self.place(item.address()), item.status));
        if let Some(fault) = &item.fault {
            push_line(&mut out, format_args!("  {}", self.escape_controls(fault)));
        }
        if item.changes.is_empty() && item.base.is_some() {
            push_line(&mut out, format_args!("  no byte differs"));
        }
        out += &self.changes(&item.changes);
        if let Some(base) = &item.base {
            let words = format!("compared with {base}");
            push_line(&mut out, format_args!("{}", self.paint(&words, FAINT)));
        }
        for (why, words) in [(&item.unfit, "It cannot be signed:"), (&item.warning, "Note:")] {
            if let Some(why) = why {
                let words = self.paint(words, BAD);
                push_line(&mut out, format_args!("{words} {}", self.escape_controls(why)));
            }
        }
        out
    }

    /// Formats differences, file by file.
    pub(super) fn changes(&self, changes: &[FileChange]) -> String {
        let mut out = String::new();
        for FileChange { path, diff } in changes {
            let path = self.paint(&self.escape_controls(path), FAINT);
            push_line(&mut out, format_args!("\n{path}"));
            for line in diff.lines() {
                let style = match line.as_bytes().first() {
                    Some(b'+') => GOOD,
                    Some(b'-') => BAD,
                    _ => Style::new(),
                };
                let line = self.paint(&self.escape_controls(line), style);
                push_line(&mut out, format_args!("{line}"));
            }
        }
        out
    }

    /// Formats a table of items that could be signed.
    pub(crate) fn signable_items(&self, items: &[SignableItem]) -> String {
        let rows = items.iter().map(|item| {
            let name = item_name(&item.category, &item.id);
            [item.item_type.clone(), name, item.scope.clone(), item.status.clone()]
        });
        self.table(["TYPE", "ID", "SCOPE", "TRUST"], rows.collect())
    }

    /// Formats what was signed and what was not.
    pub(crate) fn signing_result(&self, reply: &ReplyView<SigningResult>) -> String {
        let mut out = String::new();
        for item in &reply.data.signed {
            let words = format!("{} {}", item.item_type, item_name(&item.category, &item.id));
            let words = self.escape_controls(&words);
            push_line(&mut out, format_args!("{} {words}", self.paint("signed", GOOD)));
            if let Some(note) = &item.note {
                push_line(&mut out, format_args!("  {} {note}", self.paint("note:", BAD)));
            }
        }
        for address in &reply.data.relocked {
            push_line(
                &mut out,
                format_args!("{} {}", self.paint("locked", GOOD), self.path(address)),
            );
        }
        for item in &reply.data.left {
            let why = self.escape_controls(&item.why);
            push_line(&mut out, format_args!("{} {why}", self.paint("not signed:", BAD)));
        }
        out
    }

    /// Formats whose signatures an item has.
    pub(super) fn signatures(&self, trust: &ItemTrust) -> String {
        let mut out = String::new();
        if let Some(key) = &trust.key {
            let name = self.escape_controls(trust.signer.as_deref().unwrap_or("an unknown key"));
            let key = self.escape_controls(key);
            push_line(&mut out, format_args!("  author's signature: {name} ({key})"));
        }
        if let Some(other) = &trust.placed_by {
            let other = self.escape_controls(other);
            push_line(&mut out, format_args!("  install signature: {other}"));
        }
        if let Some(origin) = &trust.origin {
            let origin = self.escape_controls(origin);
            push_line(&mut out, format_args!("  from the registry: {origin}"));
        }
        out
    }

    /// Formats what verification found.
    pub(crate) fn verification(&self, reply: &ReplyView<Verification>) -> String {
        let mut out = String::new();
        for item in &reply.data.items {
            let status = self.paint(&item.status, if item.finding { BAD } else { GOOD });
            let place = self.place(item.address.as_deref().unwrap_or_default());
            push_line(&mut out, format_args!("{status} {place}"));
            out += &item.trust.as_ref().map(|trust| self.signatures(trust)).unwrap_or_default();
            for words in [&item.fault, &item.fix].into_iter().flatten() {
                push_line(&mut out, format_args!("  {}", self.escape_controls(words)));
            }
        }
        self.with_sentence(out, reply)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use super::*;
    use serde_json::json;

    #[test]
    fn an_item_is_told_with_what_stands_in_the_way() {
        let item = json!({ "item_type": "tool", "id": "a", "category": "", "scope": "user",
            "address": "ROOT_USER:/a", "status": "changed", "finding": true, "fault": "f",
            "digest": "00", "changes": [], "base": "b", "unfit": "u", "warning": "w" });
        let expected = "tool a
ROOT_USER:/a · changed
  f
  no byte differs
compared with b
It cannot be signed: u
Note: w
";
        let plan = success::<SigningPlan>(json!({ "items": [item] })).data;
        assert_eq!(pipe_printer().difference(&plan.items[0]), expected);
        assert_eq!(plan.items[0].digest.as_deref(), Some("00"));
        assert_eq!(pipe_printer().signable_items(&plan.items), "tool  a   user   changed\n");
    }

    #[test]
    fn what_was_signed_and_what_was_not_is_named() {
        let data = json!({ "key": "k", "left": [{ "address": "ROOT_USER:/b", "why": "w" }],
            "signed": [{ "item_type": "tool", "id": "a", "category": "c", "note": "n" }] });
        let expected = "signed tool c/a\n  note: n\nnot signed: w\n";
        assert_eq!(pipe_printer().signing_result(&success(data)), expected);
    }

    #[test]
    fn a_finding_is_told_with_its_signatures_and_its_fix() {
        let data = json!({ "checked": 1, "items": [
            { "address": "ROOT_USER:/a", "status": "changed", "finding": true, "files": ["a.py"],
              "trust": { "status": "verified", "key": "k", "signer": "s", "placed_by": "p" },
              "fault": "f", "fix": "x" },
        ] });
        let expected = "changed ROOT_USER:/a
  author's signature: s (k)
  install signature: p
  f
  x
Done.
";
        let reply = success(data);
        assert_eq!(pipe_printer().verification(&reply), expected);
        assert_eq!(reply.data.items[0].files, ["a.py"]);
    }
}
