//! How an export looks to a person.

use std::fmt::Write;

use serde::Deserialize;

use super::Printer;
use super::items::{FAINT, STRONG};
use super::reply::ReplyView;

/// The data of a reply to `mere export`.
#[derive(Deserialize)]
pub(crate) struct ExportReport {
    files: Vec<String>,
    left: Vec<LeftItem>,
}

#[derive(Deserialize)]
struct LeftItem {
    item: String,
    why: String,
}

impl Printer {
    /// Formats what was exported.
    pub(crate) fn exported(&self, reply: &ReplyView<ExportReport>) -> String {
        let mut out = String::new();
        for file in &reply.data.files {
            let _ = writeln!(out, "{}", self.paint(&self.escape_controls(file), STRONG));
        }
        for LeftItem { item, why } in &reply.data.left {
            let why = self.paint(&format!("is left out: {}", self.escape_controls(why)), FAINT);
            let _ = writeln!(out, "{}  {why}", self.escape_controls(item));
        }
        self.with_sentence(out, reply)
    }
}
