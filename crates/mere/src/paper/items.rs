//! How items look to a person: tables, one item with its text, proposals as differences.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::Paper;
use crate::render;

pub(super) const STRONG: Style = Style::new().bold();
pub(super) const FAINT: Style = Style::new().dimmed();
pub(super) const BAD: Style = AnsiColor::Red.on_default();
pub(super) const GOOD: Style = AnsiColor::Green.on_default();
/// The widest cell of a table.
const WIDE: usize = 60;
/// The narrowest last column that says anything.
const LEAST: usize = 12;

impl Paper {
    /// A drawing of entries and their links, or what is wrong with these.
    pub(crate) fn graph(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let Some(drawing) = data["drawing"].as_str() else { return self.checks(reply) };
        if drawing.trim().is_empty() {
            return "There is no knowledge here yet: `mere new knowledge ID` makes an entry.\n"
                .into();
        }
        let mut out = self.plain(drawing);
        if !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }

    /// What a command did, in its own words.
    pub(crate) fn outcome(&self, reply: &Value) -> String {
        let mut out = self.plain(text(&reply["message"])) + "\n";
        for warning in list(&reply["data"]["validation_warnings"]) {
            line(
                &mut out,
                format_args!("  {} {}", self.painted("note:", FAINT), self.plain(text(warning))),
            );
        }
        for note in list(&reply["data"]["relinked"]) {
            line(&mut out, format_args!("  links changed in {}", self.plain(text(note))));
        }
        for note in list(&reply["data"]["proposed"]) {
            line(
                &mut out,
                format_args!(
                    "  proposed for a note that another signed: {}",
                    self.plain(text(note))
                ),
            );
        }
        for note in list(&reply["data"]["not_relinked"]) {
            line(
                &mut out,
                format_args!("  still links to the old name: {}", self.plain(text(note))),
            );
        }
        if let Some(count) = reply["data"]["links_elsewhere"].as_u64() {
            let links = if count == 1 { "link" } else { "links" };
            line(&mut out, format_args!("  {count} {links} elsewhere still to the old name"));
        }
        self.unfollowed(&mut out, &reply["data"]);
        out
    }

    /// Links that nobody changed when an entry got another name, and where they are.
    fn unfollowed(&self, out: &mut String, data: &Value) {
        for (name, what) in [
            ("ambiguous", "left by the old id alone, which several had"),
            ("now_ambiguous", "by an id that several have now"),
            ("now_to_others", "to another entry now than before"),
        ] {
            let Some(count) = data[name]["links"].as_u64() else { continue };
            let links = if count == 1 { "link" } else { "links" };
            let items = list(&data[name]["in"]).map(|item| self.plain(text(item)));
            let items = items.collect::<Vec<_>>().join(", ");
            let more = data[name]["left_out"].as_u64();
            let more = more.map_or_else(String::new, |more| format!(" and {more} more"));
            line(out, format_args!("  {count} {links} {what}: {items}{more}"));
        }
    }

    /// A space that was made.
    pub(crate) fn made(&self, reply: &Value) -> String {
        let mut out = self.outcome(reply);
        for path in list(&reply["data"]["made"]) {
            let mark = self.painted("+", GOOD);
            line(&mut out, format_args!("  {mark} {}", self.path(text(path))));
        }
        let data = &reply["data"];
        if let Some(key) = data["key"].as_str() {
            let made =
                if data["key_made"] == true { "made now, without a passphrase" } else { "yours" };
            line(&mut out, format_args!("  key {} ({made})", self.plain(key)));
        } else {
            line(&mut out, format_args!("  not signed: your key is locked; run `mere sign --all`"));
        }
        if let Some(hook) = data["git_hook"].as_str() {
            line(&mut out, format_args!("  pre-commit hook: {hook}"));
        }
        out += "\nTry next:\n";
        for step in list(&reply["data"]["next"]) {
            line(&mut out, format_args!("  {}", self.painted(text(step), STRONG)));
        }
        out
    }

    /// A table of items.
    pub(crate) fn items(&self, reply: &Value) -> String {
        let items = list(&reply["data"]["items"]).collect::<Vec<_>>();
        let rows = items.iter().map(|item| {
            let about = match (text(&item["fault"]), text(&item["description"])) {
                ("", "") if item["title"] == item["id"] => String::new(),
                ("", "") => text(&item["title"]).to_owned(),
                ("", about) => about.to_owned(),
                (fault, _) => format!("BROKEN: {fault}"),
            };
            [
                text(&item["item_type"]).to_owned(),
                named(item),
                text(&item["version"]).to_owned(),
                text(&item["scope"]).to_owned(),
                text(&item["trust"]["status"]).to_owned(),
                about,
            ]
        });
        self.table(["TYPE", "ID", "VERSION", "SCOPE", "TRUST", "ABOUT"], rows.collect())
    }

    /// One item: what it is, then its text.
    pub(crate) fn item(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let mut out = String::new();
        if self.watched {
            let name = format!("{} {}", text(&data["item_type"]), named(data));
            let head = [name, text(&data["version"]).to_owned()].join(" ");
            line(&mut out, format_args!("{}", self.painted(&self.plain(head.trim()), STRONG)));
            let trust = text(&data["trust"]["status"]);
            line(&mut out, format_args!("{} · {trust}", self.plain(text(&data["address"]))));
            out += &self.vouched(&data["trust"]);
            for shadow in list(&data["shadows"]) {
                line(&mut out, format_args!("wins over {}", self.plain(text(shadow))));
            }
            for file in list(&data["files"]).skip(1) {
                let path = self.plain(text(&file["path"]));
                line(&mut out, format_args!("with {path} ({} bytes)", file["size"]));
            }
            for warning in list(&data["validation_warnings"]) {
                line(
                    &mut out,
                    format_args!("{} {}", self.painted("note:", BAD), self.plain(text(warning))),
                );
            }
            out.push('\n');
        }
        out + &self.markdown(text(&data["content"]))
    }

    /// Everything a name could mean.
    pub(crate) fn candidates(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let rows = list(&data["candidates"]).map(|one| {
            let mark = if one["wins"] == true { "→" } else { "" };
            let why = text(&one["why"]).to_owned();
            let trust = text(&one["trust"]["status"]).to_owned();
            [mark.to_owned(), text(&one["address"]).to_owned(), trust, why]
        });
        let mut out = self.table(["", "ADDRESS", "TRUST", "WHY"], rows.collect());
        for one in list(&data["candidates"]) {
            line(&mut out, format_args!("{}", self.plain(text(&one["address"]))));
            out += &self.vouched(&one["trust"]);
            for key in ["fault", "fix"] {
                if let Some(words) = one[key].as_str() {
                    line(&mut out, format_args!("  {}", self.plain(words)));
                }
            }
        }
        for path in list(&data["elsewhere"]) {
            line(
                &mut out,
                format_args!(
                    "   {} (a client's own folder; not taken in place)",
                    self.plain(text(path))
                ),
            );
        }
        out + &format!("{}\n", self.plain(text(&reply["message"])))
    }

    /// The items a name could mean, where a call says so.
    pub(crate) fn candidates_of(&self, reply: &Value) -> String {
        let rows = list(&reply["data"]["candidates"])
            .map(|one| [text(&one["id"]).to_owned(), text(&one["address"]).to_owned()]);
        self.table(["ID", "ADDRESS"], rows.collect())
    }

    /// What became of the index, or how it differs.
    pub(crate) fn index(&self, reply: &Value) -> String {
        let mut out = String::new();
        for space in list(&reply["data"]["spaces"]) {
            let scope = text(&space["scope"]);
            match space["items"].as_u64() {
                Some(1) => line(&mut out, format_args!("{scope}: 1 item")),
                Some(items) => line(&mut out, format_args!("{scope}: {items} items")),
                None => line(&mut out, format_args!("{scope}: {}", text(&space["state"]))),
            }
            for (key, mark) in [("missing", "+"), ("changed", "~"), ("gone", "-")] {
                for path in list(&space[key]) {
                    line(&mut out, format_args!("  {mark} {}", self.plain(text(path))));
                }
            }
            for stray in list(&space["strays"]) {
                let path = self.plain(text(&stray["path"]));
                line(&mut out, format_args!("  not an item: {path} ({})", text(&stray["why"])));
            }
        }
        if reply["reply_type"] == "S" { out + &self.outcome(reply) } else { out }
    }

    /// What waits for a decision.
    pub(crate) fn proposals(&self, reply: &Value) -> String {
        let rows = list(&reply["data"]["proposals"]).map(|one| {
            [
                text(&one["proposal"]).to_owned(),
                text(&one["action"]).to_owned(),
                text(&one["item_type"]).to_owned(),
                named(one),
            ]
        });
        let rows = rows.collect::<Vec<_>>();
        if rows.is_empty() {
            return "Nothing is proposed.\n".to_owned();
        }
        self.table(["PROPOSAL", "ACTION", "TYPE", "ID"], rows)
    }

    /// One proposal: what it would change.
    pub(crate) fn proposal(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let head = [&data["agent"], &data["action"], &data["item_type"]].map(text);
        let head = format!("{} proposes to {} the {} {}", head[0], head[1], head[2], named(data));
        let mut out = format!("{}\n", self.painted(&self.plain(&head), STRONG));
        line(&mut out, format_args!("{}", self.plain(text(&data["address"]))));
        out += &self.changes(&data["changes"]);
        if let Some(base) = data["base"].as_str() {
            let words = format!("compared with {base}");
            line(&mut out, format_args!("{}", self.painted(&words, FAINT)));
        }
        line(
            &mut out,
            format_args!("\n{}", self.painted(&format!("digest {}", text(&data["digest"])), FAINT)),
        );
        if data["stale"] == true {
            let why = "The item has changed since this was proposed: it cannot be accepted.";
            line(&mut out, format_args!("\n{}", self.painted(why, BAD)));
        }
        if let Some(fault) = data["fault"].as_str() {
            let why = self.painted("It cannot be placed:", BAD);
            line(&mut out, format_args!("\n{why} {}", self.plain(fault)));
        }
        out
    }

    /// What the config files are.
    pub(crate) fn config(&self, reply: &Value) -> String {
        let mut out = String::new();
        for file in list(&reply["data"]["files"]) {
            line(
                &mut out,
                format_args!("{}: {}", self.plain(text(&file["address"])), text(&file["state"])),
            );
            for key in ["problem", "note"] {
                if let Some(words) = file[key].as_str() {
                    line(&mut out, format_args!("  {}", self.plain(words)));
                }
            }
            for warning in list(&file["warnings"]) {
                let mark = self.painted("note:", FAINT);
                line(&mut out, format_args!("  {mark} {}", self.plain(text(warning))));
            }
        }
        out
    }

    /// Markdown with its headings set off, where a person looks at it.
    pub(super) fn markdown(&self, text: &str) -> String {
        if !self.coloured {
            return self.plain(text);
        }
        let mut fenced = false;
        let lines = text.split_inclusive('\n').map(|line| {
            let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            let shown = self.plain(line);
            let heading = !fenced && line.starts_with('#');
            (if heading { self.painted(&shown, STRONG) } else { shown }) + end
        });
        lines.collect()
    }

    /// Rows in columns; the last one is as wide as it likes, up to a bound on a terminal.
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
        // On a terminal the last column takes what is left, if that is enough to say anything.
        let others = widths[..N - 1].iter().map(|width| width + 2).sum::<usize>();
        let room =
            render::width().map(|all| all.saturating_sub(others)).filter(|room| *room >= LEAST);
        widths[N - 1] = room.map_or(widths[N - 1], |room| room.min(widths[N - 1]));
        let joined = |cells: &[String; N]| {
            let cells = cells.iter().zip(widths);
            let padded = cells.map(|(cell, width)| format!("{:<width$}", cut(cell, width)));
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let mut out = String::new();
        if self.watched {
            line(
                &mut out,
                format_args!("{}", self.painted(&joined(&head.map(str::to_owned)), FAINT)),
            );
        }
        for row in &rows {
            line(&mut out, format_args!("{}", joined(row)));
        }
        out
    }

    /// A text on one line, and not too wide for a terminal.
    fn cell(&self, text: &str) -> String {
        let text = self.plain(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        if !self.watched || text.chars().count() <= WIDE {
            return text;
        }
        cut(&text, WIDE)
    }
}

/// A cell that is no wider than its column.
pub(super) fn cut(cell: &str, width: usize) -> String {
    if cell.chars().count() <= width {
        return cell.to_owned();
    }
    cell.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// Category and id.
pub(super) fn named(item: &Value) -> String {
    match (text(&item["category"]), text(&item["id"])) {
        ("", id) => id.to_owned(),
        (category, id) => format!("{category}/{id}"),
    }
}

/// Adds a line.
pub(super) fn line(out: &mut String, words: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(words);
    out.push('\n');
}

pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(super) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
