//! How signatures look to a person: differences before signing, findings after verification.
//!
//! Texts from an item are escaped, because they are shown before anybody trusts them.

use anstyle::Style;
use serde_json::Value;

use super::Printer;
use super::items::{BAD, FAINT, GOOD, STRONG, as_list, as_text, item_name, push_line};

impl Printer {
    /// Formats one item that could be signed: what differs, and from what.
    pub(crate) fn difference(&self, item: &Value) -> String {
        let head = format!("{} {}", as_text(&item["item_type"]), item_name(item));
        let mut out = format!("{}\n", self.paint(&self.escape_controls(&head), STRONG));
        push_line(
            &mut out,
            format_args!(
                "{} · {}",
                self.escape_controls(as_text(&item["address"])),
                as_text(&item["status"])
            ),
        );
        if let Some(fault) = item["fault"].as_str() {
            push_line(&mut out, format_args!("  {}", self.escape_controls(fault)));
        }
        let is_same = as_list(&item["changes"]).next().is_none();
        if is_same && item["base"].is_string() {
            push_line(&mut out, format_args!("  no byte differs"));
        }
        out += &self.changes(&item["changes"]);
        if let Some(base) = item["base"].as_str() {
            let words = format!("compared with {base}");
            push_line(&mut out, format_args!("{}", self.paint(&words, FAINT)));
        }
        for (key, words) in [("unfit", "It cannot be signed:"), ("warning", "Note:")] {
            if let Some(why) = item[key].as_str() {
                let words = self.paint(words, BAD);
                push_line(&mut out, format_args!("{words} {}", self.escape_controls(why)));
            }
        }
        out
    }

    /// Formats differences, file by file.
    pub(crate) fn changes(&self, changes: &Value) -> String {
        let mut out = String::new();
        for change in as_list(changes) {
            push_line(
                &mut out,
                format_args!(
                    "\n{}",
                    self.paint(&self.escape_controls(as_text(&change["path"])), FAINT)
                ),
            );
            for changed in as_text(&change["diff"]).lines() {
                let style = match changed.as_bytes().first() {
                    Some(b'+') => GOOD,
                    Some(b'-') => BAD,
                    _ => Style::new(),
                };
                push_line(
                    &mut out,
                    format_args!("{}", self.paint(&self.escape_controls(changed), style)),
                );
            }
        }
        out
    }

    /// Formats a table of items that could be signed.
    pub(crate) fn signable_items(&self, items: &[Value]) -> String {
        let rows = items.iter().map(|item| {
            let [kind, status] = ["item_type", "status"].map(|key| as_text(&item[key]).to_owned());
            [kind, item_name(item), as_text(&item["scope"]).to_owned(), status]
        });
        self.table(["TYPE", "ID", "SCOPE", "TRUST"], rows.collect())
    }

    /// Formats what was signed and what was not.
    pub(crate) fn signing_result(&self, reply: &Value) -> String {
        let mut out = String::new();
        for item in as_list(&reply["data"]["signed"]) {
            let words = format!("{} {}", as_text(&item["item_type"]), item_name(item));
            push_line(
                &mut out,
                format_args!("{} {}", self.paint("signed", GOOD), self.escape_controls(&words)),
            );
            if let Some(note) = item["note"].as_str() {
                push_line(&mut out, format_args!("  {} {note}", self.paint("note:", BAD)));
            }
        }
        for item in as_list(&reply["data"]["left"]) {
            let why = self.escape_controls(as_text(&item["why"]));
            push_line(&mut out, format_args!("{} {why}", self.paint("not signed:", BAD)));
        }
        out
    }

    /// Formats whose signatures an item has.
    pub(crate) fn signatures(&self, trust: &Value) -> String {
        let mut out = String::new();
        if let Some(key) = trust["key"].as_str() {
            let name = trust["signer"].as_str().unwrap_or("an unknown key");
            let (name, key) = (self.escape_controls(name), self.escape_controls(key));
            push_line(&mut out, format_args!("  author's signature: {name} ({key})"));
        }
        if let Some(other) = trust["placed_by"].as_str() {
            push_line(
                &mut out,
                format_args!("  install signature: {}", self.escape_controls(other)),
            );
        }
        out
    }

    /// Formats what verification found.
    pub(crate) fn verification(&self, reply: &Value) -> String {
        let mut out = String::new();
        for item in as_list(&reply["data"]["items"]) {
            let is_finding = item["finding"] == true;
            let style = if is_finding { BAD } else { GOOD };
            let status = self.paint(as_text(&item["status"]), style);
            push_line(
                &mut out,
                format_args!("{status} {}", self.escape_controls(as_text(&item["address"]))),
            );
            out += &self.signatures(&item["trust"]);
            for key in ["fault", "fix"] {
                if let Some(words) = item[key].as_str() {
                    push_line(&mut out, format_args!("  {}", self.escape_controls(words)));
                }
            }
        }
        if reply["reply_type"] == "S" { out + &self.outcome(reply) } else { out }
    }

    /// Formats what the doctor found.
    pub(crate) fn checks(&self, reply: &Value) -> String {
        let mut out = String::new();
        for check in as_list(&reply["data"]["checks"]) {
            let (mark, style) = match as_text(&check["state"]) {
                "wrong" => ("✗", BAD),
                "note" => ("·", FAINT),
                _ => ("✓", GOOD),
            };
            let place = match as_text(&check["address"]) {
                "" => String::new(),
                address => format!("{} ", self.path(address)),
            };
            let words = self.escape_controls(as_text(&check["what"]));
            let name = self.paint(as_text(&check["check"]), STRONG);
            push_line(&mut out, format_args!("{} {name}: {place}{words}", self.paint(mark, style)));
            if let Some(fix) = check["fix"].as_str() {
                let fix = self.escape_controls(fix);
                push_line(&mut out, format_args!("    {fix}"));
            }
        }
        if reply["reply_type"] == "S" { out + &self.outcome(reply) } else { out }
    }
}
