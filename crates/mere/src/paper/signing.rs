//! How signatures look to a person: differences before, findings after.

use anstyle::Style;
use serde_json::Value;

use super::Paper;
use super::items::{BAD, FAINT, GOOD, STRONG, line, list, named, text};

impl Paper {
    /// One item that could be signed: what differs, and from what.
    pub(crate) fn difference(&self, item: &Value) -> String {
        let head = format!("{} {}", text(&item["item_type"]), named(item));
        let mut out = format!("{}\n", self.painted(&self.plain(&head), STRONG));
        line(
            &mut out,
            format_args!("{} · {}", self.plain(text(&item["address"])), text(&item["status"])),
        );
        if let Some(fault) = item["fault"].as_str() {
            line(&mut out, format_args!("  {}", self.plain(fault)));
        }
        let is_same = list(&item["changes"]).next().is_none();
        if is_same && item["base"].is_string() {
            line(&mut out, format_args!("  not a byte of it differs"));
        }
        out += &self.changes(&item["changes"]);
        if let Some(base) = item["base"].as_str() {
            let words = format!("compared with {base}");
            line(&mut out, format_args!("{}", self.painted(&words, FAINT)));
        }
        for (key, words) in [("unfit", "It cannot be signed:"), ("warning", "Note:")] {
            if let Some(why) = item[key].as_str() {
                let words = self.painted(words, BAD);
                line(&mut out, format_args!("{words} {}", self.plain(why)));
            }
        }
        out
    }

    /// Differences, file by file.
    pub(crate) fn changes(&self, changes: &Value) -> String {
        let mut out = String::new();
        for change in list(changes) {
            line(
                &mut out,
                format_args!("\n{}", self.painted(&self.plain(text(&change["path"])), FAINT)),
            );
            for changed in text(&change["diff"]).lines() {
                let style = match changed.as_bytes().first() {
                    Some(b'+') => GOOD,
                    Some(b'-') => BAD,
                    _ => Style::new(),
                };
                line(&mut out, format_args!("{}", self.painted(&self.plain(changed), style)));
            }
        }
        out
    }

    /// Items that could be signed.
    pub(crate) fn to_sign(&self, items: &[Value]) -> String {
        let rows = items.iter().map(|item| {
            let [kind, status] = ["item_type", "status"].map(|key| text(&item[key]).to_owned());
            [kind, named(item), text(&item["scope"]).to_owned(), status]
        });
        self.table(["TYPE", "ID", "SCOPE", "TRUST"], rows.collect())
    }

    /// What was signed, and what was not.
    pub(crate) fn signed(&self, reply: &Value) -> String {
        let mut out = String::new();
        for item in list(&reply["data"]["signed"]) {
            let words = format!("{} {}", text(&item["item_type"]), named(item));
            line(&mut out, format_args!("{} {}", self.painted("signed", GOOD), self.plain(&words)));
            if let Some(note) = item["note"].as_str() {
                line(&mut out, format_args!("  {} {note}", self.painted("note:", BAD)));
            }
        }
        for item in list(&reply["data"]["left"]) {
            let why = self.plain(text(&item["why"]));
            line(&mut out, format_args!("{} {why}", self.painted("not signed:", BAD)));
        }
        out
    }

    /// Whose signatures an item has.
    pub(crate) fn vouched(&self, trust: &Value) -> String {
        let mut out = String::new();
        if let Some(key) = trust["key"].as_str() {
            let name = trust["signer"].as_str().unwrap_or("an unknown key");
            let (name, key) = (self.plain(name), self.plain(key));
            line(&mut out, format_args!("  author's signature: {name} ({key})"));
        }
        if let Some(other) = trust["placed_by"].as_str() {
            line(&mut out, format_args!("  install signature: {}", self.plain(other)));
        }
        out
    }

    /// What verification found.
    pub(crate) fn verified(&self, reply: &Value) -> String {
        let mut out = String::new();
        for item in list(&reply["data"]["items"]) {
            let is_finding = item["finding"] == true;
            let style = if is_finding { BAD } else { GOOD };
            let status = self.painted(text(&item["status"]), style);
            line(&mut out, format_args!("{status} {}", self.plain(text(&item["address"]))));
            out += &self.vouched(&item["trust"]);
            for key in ["fault", "fix"] {
                if let Some(words) = item[key].as_str() {
                    line(&mut out, format_args!("  {}", self.plain(words)));
                }
            }
        }
        if reply["reply_type"] == "S" { out + &self.outcome(reply) } else { out }
    }

    /// What the doctor found.
    pub(crate) fn checks(&self, reply: &Value) -> String {
        let mut out = String::new();
        for check in list(&reply["data"]["checks"]) {
            let (mark, style) = match text(&check["state"]) {
                "wrong" => ("✗", BAD),
                "note" => ("·", FAINT),
                _ => ("✓", GOOD),
            };
            let place = match text(&check["address"]) {
                "" => String::new(),
                address => format!("{} ", self.path(address)),
            };
            let words = self.plain(text(&check["what"]));
            let name = self.painted(text(&check["check"]), STRONG);
            line(&mut out, format_args!("{} {name}: {place}{words}", self.painted(mark, style)));
            if let Some(fix) = check["fix"].as_str() {
                let fix = self.plain(fix);
                line(&mut out, format_args!("    {fix}"));
            }
        }
        if reply["reply_type"] == "S" { out + &self.outcome(reply) } else { out }
    }
}
