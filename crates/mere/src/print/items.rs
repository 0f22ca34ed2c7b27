//! How items look to a person: tables, one item with its text, and proposals as differences.
//!
//! It also holds the small functions that the other files of this folder share.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::Printer;
use crate::print::terminal;

pub(super) const STRONG: Style = Style::new().bold();
pub(super) const FAINT: Style = Style::new().dimmed();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
/// The widest cell of a table.
const MAX_CELL_WIDTH: usize = 60;
/// The narrowest useful last column.
const MIN_LAST_COLUMN: usize = 12;

impl Printer {
    /// Formats a drawing of entries and their links, or the problems of those links.
    pub(crate) fn graph(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let Some(drawing) = data["drawing"].as_str() else { return self.checks(reply) };
        if drawing.trim().is_empty() {
            return "There is no knowledge here yet; `mere new knowledge ID` creates an entry.\n"
                .into();
        }
        let mut out = self.escape_controls(drawing);
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }

    /// Formats what a command did, in the words of its reply.
    pub(crate) fn outcome(&self, reply: &Value) -> String {
        let mut out = self.escape_controls(as_text(&reply["message"])) + "\n";
        for warning in as_list(&reply["data"]["validation_warnings"]) {
            push_line(
                &mut out,
                format_args!(
                    "  {} {}",
                    self.paint("note:", FAINT),
                    self.escape_controls(as_text(warning))
                ),
            );
        }
        for note in as_list(&reply["data"]["relinked"]) {
            push_line(
                &mut out,
                format_args!("  links changed in {}", self.escape_controls(as_text(note))),
            );
        }
        for note in as_list(&reply["data"]["proposed"]) {
            push_line(
                &mut out,
                format_args!(
                    "  proposed for a note that somebody else signed: {}",
                    self.escape_controls(as_text(note))
                ),
            );
        }
        for note in as_list(&reply["data"]["not_relinked"]) {
            push_line(
                &mut out,
                format_args!(
                    "  still links to the old id: {}",
                    self.escape_controls(as_text(note))
                ),
            );
        }
        if let Some(count) = reply["data"]["links_elsewhere"].as_u64() {
            let links = if count == 1 { "link" } else { "links" };
            push_line(
                &mut out,
                format_args!("  {count} {links} elsewhere still pointing to the old id"),
            );
        }
        self.unchanged_links(&mut out, &reply["data"]);
        out
    }

    /// Formats the links that were not changed when an entry was renamed, and where they are.
    fn unchanged_links(&self, out: &mut String, data: &Value) {
        for (name, what) in [
            ("ambiguous", "left unchanged because the old id alone was ambiguous"),
            ("now_ambiguous", "now ambiguous because several entries have the id"),
            ("now_to_others", "now pointing to a different entry"),
        ] {
            let Some(count) = data[name]["links"].as_u64() else { continue };
            let links = if count == 1 { "link" } else { "links" };
            let items = as_list(&data[name]["in"]).map(|item| self.escape_controls(as_text(item)));
            let items = items.collect::<Vec<_>>().join(", ");
            let more = data[name]["left_out"].as_u64();
            let more = more.map_or_else(String::new, |more| format!(" and {more} more"));
            push_line(out, format_args!("  {count} {links} {what}: {items}{more}"));
        }
    }

    /// Formats a space that was created.
    pub(crate) fn new_space(&self, reply: &Value) -> String {
        let mut out = self.outcome(reply);
        for path in as_list(&reply["data"]["made"]) {
            let mark = self.paint("+", GOOD);
            push_line(&mut out, format_args!("  {mark} {}", self.path(as_text(path))));
        }
        let data = &reply["data"];
        if let Some(key) = data["key"].as_str() {
            let made = if data["key_made"] == true {
                "generated now, without a passphrase"
            } else {
                "yours"
            };
            push_line(&mut out, format_args!("  key {} ({made})", self.escape_controls(key)));
        } else {
            push_line(
                &mut out,
                format_args!("  not signed: your key is locked; run `mere sign --all`"),
            );
        }
        if let Some(hook) = data["git_hook"].as_str() {
            push_line(&mut out, format_args!("  pre-commit hook: {hook}"));
        }
        out += "\nTry next:\n";
        for step in as_list(&reply["data"]["next"]) {
            push_line(&mut out, format_args!("  {}", self.paint(as_text(step), STRONG)));
        }
        out
    }

    /// Formats a table of items.
    pub(crate) fn items(&self, reply: &Value) -> String {
        let items = as_list(&reply["data"]["items"]).collect::<Vec<_>>();
        let rows = items.iter().map(|item| {
            let about = match (as_text(&item["fault"]), as_text(&item["description"])) {
                ("", "") if item["title"] == item["id"] => String::new(),
                ("", "") => as_text(&item["title"]).to_owned(),
                ("", about) => about.to_owned(),
                (fault, _) => format!("BROKEN: {fault}"),
            };
            [
                as_text(&item["item_type"]).to_owned(),
                item_name(item),
                as_text(&item["version"]).to_owned(),
                as_text(&item["scope"]).to_owned(),
                as_text(&item["trust"]["status"]).to_owned(),
                about,
            ]
        });
        self.table(["TYPE", "ID", "VERSION", "SCOPE", "TRUST", "ABOUT"], rows.collect())
    }

    /// Formats one item: its details, then its text.
    pub(crate) fn item(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let mut out = String::new();
        if self.is_terminal {
            let name = format!("{} {}", as_text(&data["item_type"]), item_name(data));
            let head = [name, as_text(&data["version"]).to_owned()].join(" ");
            push_line(
                &mut out,
                format_args!("{}", self.paint(&self.escape_controls(head.trim()), STRONG)),
            );
            let trust = as_text(&data["trust"]["status"]);
            push_line(
                &mut out,
                format_args!("{} · {trust}", self.escape_controls(as_text(&data["address"]))),
            );
            out += &self.signatures(&data["trust"]);
            for shadow in as_list(&data["shadows"]) {
                push_line(
                    &mut out,
                    format_args!("wins over {}", self.escape_controls(as_text(shadow))),
                );
            }
            for file in as_list(&data["files"]).skip(1) {
                let path = self.escape_controls(as_text(&file["path"]));
                push_line(&mut out, format_args!("with {path} ({} bytes)", file["size"]));
            }
            for warning in as_list(&data["validation_warnings"]) {
                push_line(
                    &mut out,
                    format_args!(
                        "{} {}",
                        self.paint("note:", BAD),
                        self.escape_controls(as_text(warning))
                    ),
                );
            }
            out.push('\n');
        }
        out + &self.markdown(as_text(&data["content"]))
    }

    /// Formats every item that a name could mean.
    pub(crate) fn candidates(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let rows = as_list(&data["candidates"]).map(|one| {
            let mark = if one["wins"] == true { "→" } else { "" };
            let why = as_text(&one["why"]).to_owned();
            let trust = as_text(&one["trust"]["status"]).to_owned();
            [mark.to_owned(), as_text(&one["address"]).to_owned(), trust, why]
        });
        let mut out = self.table(["", "ADDRESS", "TRUST", "WHY"], rows.collect());
        for one in as_list(&data["candidates"]) {
            push_line(&mut out, format_args!("{}", self.escape_controls(as_text(&one["address"]))));
            out += &self.signatures(&one["trust"]);
            for key in ["fault", "fix"] {
                if let Some(words) = one[key].as_str() {
                    push_line(&mut out, format_args!("  {}", self.escape_controls(words)));
                }
            }
        }
        for path in as_list(&data["elsewhere"]) {
            push_line(
                &mut out,
                format_args!(
                    "   {} (a client's own folder; not used from there)",
                    self.escape_controls(as_text(path))
                ),
            );
        }
        out + &format!("{}\n", self.escape_controls(as_text(&reply["message"])))
    }

    /// Formats the items that an ambiguous name could mean.
    pub(crate) fn candidate_list(&self, reply: &Value) -> String {
        let rows = as_list(&reply["data"]["candidates"])
            .map(|one| [as_text(&one["id"]).to_owned(), as_text(&one["address"]).to_owned()]);
        self.table(["ID", "ADDRESS"], rows.collect())
    }

    /// Formats what happened to the index, or how it differs from the disk.
    pub(crate) fn index(&self, reply: &Value) -> String {
        let mut out = String::new();
        for space in as_list(&reply["data"]["spaces"]) {
            let scope = as_text(&space["scope"]);
            match space["items"].as_u64() {
                Some(1) => push_line(&mut out, format_args!("{scope}: 1 item")),
                Some(items) => push_line(&mut out, format_args!("{scope}: {items} items")),
                None => push_line(&mut out, format_args!("{scope}: {}", as_text(&space["state"]))),
            }
            for (key, mark) in [("missing", "+"), ("changed", "~"), ("gone", "-")] {
                for path in as_list(&space[key]) {
                    push_line(
                        &mut out,
                        format_args!("  {mark} {}", self.escape_controls(as_text(path))),
                    );
                }
            }
            for stray in as_list(&space["strays"]) {
                let path = self.escape_controls(as_text(&stray["path"]));
                push_line(
                    &mut out,
                    format_args!("  not an item: {path} ({})", as_text(&stray["why"])),
                );
            }
        }
        if reply["reply_type"] == "S" { out + &self.outcome(reply) } else { out }
    }

    /// Formats the proposals that wait for a decision.
    pub(crate) fn proposals(&self, reply: &Value) -> String {
        let rows = as_list(&reply["data"]["proposals"]).map(|one| {
            [
                as_text(&one["proposal"]).to_owned(),
                as_text(&one["action"]).to_owned(),
                as_text(&one["item_type"]).to_owned(),
                item_name(one),
            ]
        });
        let rows = rows.collect::<Vec<_>>();
        if rows.is_empty() {
            return "There are no proposals.\n".to_owned();
        }
        self.table(["PROPOSAL", "ACTION", "TYPE", "ID"], rows)
    }

    /// Formats one proposal with the changes it would make.
    pub(crate) fn proposal(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let head = [&data["agent"], &data["action"], &data["item_type"]].map(as_text);
        let head =
            format!("{} proposes to {} the {} {}", head[0], head[1], head[2], item_name(data));
        let mut out = format!("{}\n", self.paint(&self.escape_controls(&head), STRONG));
        push_line(&mut out, format_args!("{}", self.escape_controls(as_text(&data["address"]))));
        out += &self.changes(&data["changes"]);
        if let Some(base) = data["base"].as_str() {
            let words = format!("compared with {base}");
            push_line(&mut out, format_args!("{}", self.paint(&words, FAINT)));
        }
        push_line(
            &mut out,
            format_args!(
                "\n{}",
                self.paint(&format!("digest {}", as_text(&data["digest"])), FAINT)
            ),
        );
        if data["stale"] == true {
            let why = "The item has changed since this was proposed, so it cannot be accepted.";
            push_line(&mut out, format_args!("\n{}", self.paint(why, BAD)));
        }
        if let Some(fault) = data["fault"].as_str() {
            let why = self.paint("It cannot be placed:", BAD);
            push_line(&mut out, format_args!("\n{why} {}", self.escape_controls(fault)));
        }
        out
    }

    /// Formats the state of the config files.
    pub(crate) fn config(&self, reply: &Value) -> String {
        let mut out = String::new();
        for file in as_list(&reply["data"]["files"]) {
            push_line(
                &mut out,
                format_args!(
                    "{}: {}",
                    self.escape_controls(as_text(&file["address"])),
                    as_text(&file["state"])
                ),
            );
            for key in ["problem", "note"] {
                if let Some(words) = file[key].as_str() {
                    push_line(&mut out, format_args!("  {}", self.escape_controls(words)));
                }
            }
            for warning in as_list(&file["warnings"]) {
                let mark = self.paint("note:", FAINT);
                push_line(
                    &mut out,
                    format_args!("  {mark} {}", self.escape_controls(as_text(warning))),
                );
            }
        }
        out
    }

    /// Formats Markdown; with colours its headings stand out.
    pub(super) fn markdown(&self, text: &str) -> String {
        if !self.uses_colours {
            return self.escape_controls(text);
        }
        let mut fenced = false;
        let lines = text.split_inclusive('\n').map(|line| {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            let shown = self.escape_controls(line);
            let heading = !fenced && line.starts_with('#');
            (if heading { self.paint(&shown, STRONG) } else { shown }) + end
        });
        lines.collect()
    }

    /// Formats rows in columns. On a terminal the last column takes the width that is left;
    /// otherwise it is as wide as its content.
    pub(super) fn table<const N: usize>(&self, head: [&str; N], rows: Vec<[String; N]>) -> String {
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
        let room = terminal::width()
            .map(|all| all.saturating_sub(others))
            .filter(|room| *room >= MIN_LAST_COLUMN);
        widths[N - 1] = room.map_or(widths[N - 1], |room| room.min(widths[N - 1]));
        let joined = |cells: &[String; N]| {
            let cells = cells.iter().zip(widths);
            let padded = cells.map(|(cell, width)| format!("{:<width$}", truncate(cell, width)));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut out = String::new();
        if self.is_terminal {
            push_line(
                &mut out,
                format_args!("{}", self.paint(&joined(&head.map(str::to_owned)), FAINT)),
            );
        }
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

/// Returns category and id.
pub(super) fn item_name(item: &Value) -> String {
    match (as_text(&item["category"]), as_text(&item["id"])) {
        ("", id) => id.to_owned(),
        (category, id) => format!("{category}/{id}"),
    }
}

/// Appends a line.
pub(super) fn push_line(out: &mut String, words: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(words);
    out.push('\n');
}

pub(super) fn as_text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(super) fn as_list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
