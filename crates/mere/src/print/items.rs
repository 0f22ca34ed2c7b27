//! How items look to a person: tables, and one item with its text.
//!
//! It also holds the small functions that the other files of this folder share.

use std::collections::BTreeSet;
use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use mere_core::reply::{CodeId, codes};
use serde::Deserialize;

use super::Printer;
use super::reply::{ReplyView, nullable};
use super::signing::ItemTrust;
use super::spaces::StrayFile;
use crate::print::terminal;

pub(super) const STRONG: Style = Style::new().bold();
pub(super) const FAINT: Style = Style::new().dimmed();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
/// The widest cell of a table.
const MAX_CELL_WIDTH: usize = 60;
/// The narrowest useful last column.
const MIN_LAST_COLUMN: usize = 12;

/// The refusals that name an item whose text is withheld because its signature does not hold.
pub(crate) const WITHHELD_ITEM: [CodeId; 6] = [
    codes::TRUST_CHANGED.id(),
    codes::TRUST_FILES.id(),
    codes::TRUST_LOCATION.id(),
    codes::TRUST_REVOKED.id(),
    codes::TRUST_SIGNATURE.id(),
    codes::TRUST_VERSION.id(),
];

/// The data of a reply to `mere list`.
#[derive(Deserialize)]
pub(crate) struct ItemList {
    items: Vec<ListedItem>,
    #[serde(default)]
    scripts_without_manifest: Vec<UnlistedScript>,
    #[serde(default)]
    strays: Vec<StrayFile>,
}

/// The same, as far as names matter.
#[derive(Deserialize)]
pub(crate) struct ItemNames {
    items: Vec<ItemNameFields>,
}

#[derive(Deserialize)]
struct ItemNameFields {
    id: String,
    category: String,
}

impl ItemNames {
    /// Returns each name once, in order.
    pub(crate) fn sorted(self) -> BTreeSet<String> {
        self.items.iter().map(|item| item_name(&item.category, &item.id)).collect()
    }
}

/// A script that is no tool because it has no manifest.
#[derive(Deserialize)]
pub(super) struct UnlistedScript {
    address: String,
    fix: String,
}

/// An item in a list. One that is broken has a `fault` instead of a version, a title and a
/// description.
#[derive(Deserialize)]
struct ListedItem {
    item_type: String,
    id: String,
    category: String,
    scope: String,
    version: Option<String>,
    title: Option<String>,
    description: Option<String>,
    trust: Option<ItemTrust>,
    fault: Option<String>,
}

/// The data of a reply to `mere show`.
#[derive(Deserialize)]
pub(crate) struct LoadedItem {
    item_type: String,
    id: String,
    category: String,
    #[serde(deserialize_with = "nullable")]
    version: Option<String>,
    /// A tool that ships with the program has no address.
    #[serde(deserialize_with = "nullable")]
    address: Option<String>,
    content: String,
    trust: ItemTrust,
    files: Vec<ItemFile>,
    #[serde(default)]
    shadows: Vec<String>,
    #[serde(default)]
    beside: Vec<String>,
    #[serde(default)]
    validation_warnings: Vec<String>,
}

#[derive(Deserialize)]
struct ItemFile {
    path: String,
    size: u64,
}

/// The data of a reply that refuses to show an item.
#[derive(Deserialize)]
pub(crate) struct WithheldItem {
    item_type: String,
    id: String,
    category: String,
    address: String,
    trust: ItemTrust,
}

/// The data of a reply to `mere why`.
#[derive(Deserialize)]
pub(crate) struct NameCandidates {
    candidates: Vec<NameCandidate>,
    elsewhere: Vec<String>,
    #[serde(default)]
    client_use: Vec<ClientUse>,
    #[serde(default)]
    copies_differ: bool,
}

/// The copy of a skill that a client reads by itself.
#[derive(Deserialize)]
struct ClientUse {
    client: String,
    path: String,
}

/// An item that a name could mean. An item that cannot be read has no `trust`.
#[derive(Deserialize)]
struct NameCandidate {
    #[serde(deserialize_with = "nullable")]
    address: Option<String>,
    wins: bool,
    why: String,
    trust: Option<ItemTrust>,
    fault: Option<String>,
    fix: Option<String>,
}

impl Printer {
    /// Formats a table of items. Memories, of which there may be many, are only counted.
    pub(crate) fn item_overview(&self, reply: &ReplyView<ItemList>) -> String {
        let (memories, items) =
            reply.data.items.iter().partition::<Vec<_>, _>(|item| item.is_memory());
        let count = match memories.len() {
            0 => String::new(),
            1 => "1 memory: `mere list memory` lists it\n".to_owned(),
            count => format!("{count} memories: `mere list memory` lists them\n"),
        };
        self.item_table(items.into_iter())
            + &self.paint(&count, FAINT)
            + &self.oddities(&reply.data)
    }

    /// Formats a table of items.
    pub(crate) fn items(&self, reply: &ReplyView<ItemList>) -> String {
        self.item_table(reply.data.items.iter()) + &self.oddities(&reply.data)
    }

    fn item_table<'a>(&self, items: impl Iterator<Item = &'a ListedItem>) -> String {
        let rows = items.map(|item| {
            let trust = item.trust.as_ref().map(|trust| trust.status.clone());
            [
                item.item_type.clone(),
                item_name(&item.category, &item.id),
                item.version.clone().unwrap_or_default(),
                item.scope.clone(),
                trust.unwrap_or_default(),
                item.about(),
            ]
        });
        let heading = ["TYPE", "ID", "VERSION", "SCOPE", "TRUST", "ABOUT"];
        self.table(heading, rows.collect())
    }

    /// Formats what lies among items and is none.
    fn oddities(&self, list: &ItemList) -> String {
        self.scripts(&list.scripts_without_manifest) + &self.strays(&list.strays)
    }

    /// Formats scripts that are no tools, each with what makes it one.
    pub(super) fn scripts(&self, scripts: &[UnlistedScript]) -> String {
        let lines = scripts.iter().map(|UnlistedScript { address, fix }| {
            let (address, fix) = (self.escape_controls(address), self.escape_controls(fix));
            format!("not a tool: {address} has no manifest: {fix}\n")
        });
        lines.collect()
    }

    /// Formats one item: its details, then its text. A program gets the text alone.
    pub(crate) fn item(&self, reply: &ReplyView<LoadedItem>) -> String {
        let item = &reply.data;
        let content = self.markdown(&item.content);
        if !self.is_terminal {
            return content;
        }
        let name = item_name(&item.category, &item.id);
        let version = item.version.as_deref().unwrap_or_default();
        let head = format!("{} {name} {version}", item.item_type);
        let address = item.address.as_deref().unwrap_or("ships with mere");
        let mut out = self.item_head(&head, address, &item.trust);
        for shadow in &item.shadows {
            push_line(&mut out, format_args!("wins over {}", self.escape_controls(shadow)));
        }
        for other in &item.beside {
            let other = self.escape_controls(other);
            push_line(&mut out, format_args!("beside {other}, which nobody vouches for"));
        }
        for ItemFile { path, size } in item.files.iter().skip(1) {
            let path = self.escape_controls(path);
            push_line(&mut out, format_args!("with {path} ({size} bytes)"));
        }
        for warning in &item.validation_warnings {
            let note = self.paint("note:", BAD);
            push_line(&mut out, format_args!("{note} {}", self.escape_controls(warning)));
        }
        out + "\n" + &content
    }

    /// Formats the details of an item whose text is withheld. A program gets nothing.
    pub(crate) fn withheld_item(&self, reply: &ReplyView<WithheldItem>) -> String {
        let item = &reply.data;
        if !self.is_terminal {
            return String::new();
        }
        let head = format!("{} {}", item.item_type, item_name(&item.category, &item.id));
        self.item_head(&head, &item.address, &item.trust) + "\n"
    }

    /// Formats the first lines about an item: its name, where it is, and who signed it.
    fn item_head(&self, name: &str, address: &str, trust: &ItemTrust) -> String {
        let name = self.paint(&self.escape_controls(name.trim()), STRONG);
        let place = self.place(address);
        format!("{name}\n{place} · {}\n{}", trust.status, self.signatures(trust))
    }

    /// Formats every item that a name could mean.
    pub(crate) fn candidates(&self, reply: &ReplyView<NameCandidates>) -> String {
        let data = &reply.data;
        let rows = data.candidates.iter().map(|one| {
            let mark = if one.wins { "→" } else { "" };
            let trust = one.trust.as_ref().map(|trust| trust.status.clone());
            let address = one.address.clone().unwrap_or_default();
            [mark.to_owned(), address, trust.unwrap_or_default(), one.why.clone()]
        });
        let mut out = self.table(["", "ADDRESS", "TRUST", "WHY"], rows.collect());
        for one in &data.candidates {
            let address = one.address.as_deref().unwrap_or_default();
            push_line(&mut out, format_args!("{}", self.place(address)));
            out += &one.trust.as_ref().map(|trust| self.signatures(trust)).unwrap_or_default();
            for words in [&one.fault, &one.fix].into_iter().flatten() {
                push_line(&mut out, format_args!("  {}", self.escape_controls(words)));
            }
        }
        for path in &data.elsewhere {
            push_line(
                &mut out,
                format_args!(
                    "   {} (a client's own folder; not used from there)",
                    self.escape_controls(path)
                ),
            );
        }
        for ClientUse { client, path } in &data.client_use {
            let path = self.escape_controls(path);
            push_line(&mut out, format_args!("   {client} reads {path} by itself"));
        }
        if data.copies_differ {
            push_line(&mut out, format_args!("   the copies in the clients' folders differ"));
        }
        out + &self.sentence(reply)
    }

    /// Formats Markdown; with colours its headings stand out.
    pub(super) fn markdown(&self, text: &str) -> String {
        if !self.uses_colours {
            return self.content(text);
        }
        let mut fenced = false;
        let lines = text.split_inclusive('\n').map(|line| {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            let shown = self.content(line);
            let heading = !fenced && line.starts_with('#');
            (if heading { self.paint(&shown, STRONG) } else { shown }) + end
        });
        lines.collect()
    }

    /// Formats rows in columns. On a terminal the last column takes the width that is left;
    /// otherwise it is as wide as its content.
    pub(super) fn table<const N: usize>(&self, head: [&str; N], rows: Vec<[String; N]>) -> String {
        let table = self.headed_table(head, rows);
        match table.split_once('\n') {
            Some((_, rows)) if !self.is_terminal => rows.to_owned(),
            _ => table,
        }
    }

    /// Formats rows as columns with a head, also for a program.
    pub(super) fn headed_table<const N: usize>(
        &self,
        head: [&str; N],
        rows: Vec<[String; N]>,
    ) -> String {
        if rows.is_empty() {
            return String::new();
        }
        let rows = rows.into_iter().map(|row| row.map(|cell| self.cell(&cell)));
        let rows = rows.collect::<Vec<_>>();
        let width = |column: usize| {
            let cells = rows.iter().map(|row| row[column].chars().count());
            cells.chain([head[column].chars().count()]).max().unwrap_or_default()
        };
        let mut widths: [usize; N] = std::array::from_fn(width);
        // On a terminal the last column takes the width that is left, if that is enough to be
        // useful.
        let others = widths[..N - 1].iter().map(|width| width + 2).sum::<usize>();
        let available = terminal::width()
            .map(|all| all.saturating_sub(others))
            .filter(|available| *available >= MIN_LAST_COLUMN);
        widths[N - 1] = available.map_or(widths[N - 1], |available| available.min(widths[N - 1]));
        let joined = |cells: &[String; N]| {
            let cells = cells.iter().zip(widths);
            let padded = cells.map(|(cell, width)| format!("{:<width$}", truncate(cell, width)));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut out = String::new();
        let head = self.paint(&joined(&head.map(str::to_owned)), FAINT);
        push_line(&mut out, format_args!("{head}"));
        for row in &rows {
            push_line(&mut out, format_args!("{}", joined(row)));
        }
        out
    }

    /// Formats a text as one line, truncated on a terminal.
    fn cell(&self, text: &str) -> String {
        let text = self.escape_controls(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        if !self.is_terminal || text.chars().count() <= MAX_CELL_WIDTH {
            return text;
        }
        truncate(&text, MAX_CELL_WIDTH)
    }
}

/// Truncates a cell to the width of its column.
pub(super) fn truncate(cell: &str, width: usize) -> String {
    if cell.chars().count() <= width {
        return cell.to_owned();
    }
    cell.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

impl ListedItem {
    fn is_memory(&self) -> bool {
        self.item_type == "memory" && self.fault.is_none()
    }

    /// Describes the item in a few words, or says what is wrong with it.
    fn about(&self) -> String {
        let some = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let fault = some(&self.fault).map(|fault| format!("BROKEN: {fault}"));
        let title = || self.title.clone().filter(|title| *title != self.id);
        fault.or_else(|| some(&self.description)).or_else(title).unwrap_or_default()
    }
}

/// Returns category and id.
pub(super) fn item_name(category: &str, id: &str) -> String {
    if category.is_empty() { id.to_owned() } else { format!("{category}/{id}") }
}

/// Appends a line.
pub(super) fn push_line(out: &mut String, words: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(words);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success, terminal_printer};
    use serde_json::json;

    #[test]
    fn an_item_is_told_before_its_text() {
        let item = json!({
            "item_type": "tool", "id": "a", "category": "t", "version": "1.0.0",
            "address": "ROOT_PROJECT:/.ai/tools/t/a.yaml", "content": "tool_id: a\n",
            "trust": { "status": "verified", "key": "SHA256:x", "placed_by": "you" },
            "files": [{ "path": "a.yaml", "size": 11 }, { "path": "a.py", "size": 3 }],
            "shadows": ["ROOT_USER:/tools/t/a.yaml"], "validation_warnings": ["odd"],
        });
        let expected = "tool t/a 1.0.0
.ai/tools/t/a.yaml (ROOT_PROJECT:/.ai/tools/t/a.yaml) · verified
  author's signature: an unknown key (SHA256:x)
  install signature: you
wins over ROOT_USER:/tools/t/a.yaml
with a.py (3 bytes)
note: odd

tool_id: a
";
        assert_eq!(terminal_printer().item(&success(item.clone())), expected);
        assert_eq!(pipe_printer().item(&success(item.clone())), "tool_id: a\n");
        let place = ".ai/tools/t/a.yaml (ROOT_PROJECT:/.ai/tools/t/a.yaml)";
        let expected = &format!("tool t/a\n{place} · verified\n");
        assert!(terminal_printer().withheld_item(&success(item)).starts_with(expected));
    }

    #[test]
    fn a_row_says_what_an_item_is_about_or_what_is_wrong() {
        let row = |more: serde_json::Value| {
            let mut item =
                json!({ "item_type": "note", "id": "a", "category": "", "scope": "user" });
            item.as_object_mut()
                .expect("an object")
                .extend(more.as_object().cloned().expect("fields"));
            pipe_printer().items(&success(json!({ "items": [item] })))
        };
        let trust = json!({ "status": "unsigned" });
        for (more, expected) in [
            (
                json!({ "title": "a", "description": "", "trust": trust }),
                "note  a    user  unsigned\n",
            ),
            (json!({ "title": "T", "description": "" }), "note  a    user    T\n"),
            (
                json!({ "title": "T", "description": "D", "version": "1" }),
                "note  a  1  user    D\n",
            ),
            (json!({ "fault": "line 2" }), "note  a    user    BROKEN: line 2\n"),
        ] {
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(words(&row(more)), words(expected));
        }
    }

    #[test]
    fn memories_are_counted_and_bury_nothing() {
        let item = |kind: &str, id: &str| json!({ "item_type": kind, "id": id, "category": "", "scope": "user" });
        let list = |items: &[serde_json::Value]| {
            pipe_printer().item_overview(&success(json!({ "items": items })))
        };
        let memories = [item("memory", "m"), item("tool", "a"), item("memory", "n")];
        let expected = "2 memories: `mere list memory` lists them\n";
        assert!(list(&memories).ends_with(expected));
        assert_eq!(list(&memories).lines().count(), 2);
        assert_eq!(list(&memories[..1]), "1 memory: `mere list memory` lists it\n");
        // One that is broken is told like any other item.
        let mut broken = item("memory", "b");
        broken["fault"] = "line 2".into();
        assert!(list(&[broken]).contains("BROKEN: line 2"));
    }

    #[test]
    fn every_candidate_is_told_with_why_it_wins_or_loses() {
        let reply = success(json!({
            "winner": null,
            "candidates": [{ "address": "ROOT_USER:/a", "wins": true, "why": "w", "fault": "f",
                             "fix": "x" }],
            "elsewhere": [".claude/skills/a"],
        }));
        let expected = "→  ROOT_USER:/a         w
ROOT_USER:/a
  f
  x
   .claude/skills/a (a client's own folder; not used from there)
Done.
";
        assert_eq!(pipe_printer().candidates(&reply), expected);
    }
}
