//! How answers look to a person: paths as they can be typed here, colours on a terminal, and one
//! result per line for programs.

mod items;
mod keys;
mod memory;
mod models;
pub(crate) mod operator_reply;
mod run;
pub(crate) mod sarif;
mod search;
mod signing;
mod stores;
mod team;
pub(crate) mod terminal;

use anstyle::{AnsiColor, Style};
use mere_core::address::{Address, Root, is_invisible};
use serde_json::Value;

use crate::arguments::ColourArgument;

const PATH: Style = AnsiColor::Magenta.on_default();
const NUMBER: Style = AnsiColor::Green.on_default();

/// A printer of answers. It knows whether a terminal is attached and where paths start from.
pub(crate) struct Printer {
    uses_colours: bool,
    /// Whether standard output is a terminal. Then lines are grouped, and characters that could
    /// control the terminal are escaped.
    is_terminal: bool,
    working_directory: Option<Address>,
    /// The file whose lines were printed last.
    last_file: Option<String>,
}

impl Printer {
    pub(crate) fn new(colour: ColourArgument, working_directory: Option<Address>) -> Self {
        let uses_colours = match colour {
            ColourArgument::Auto => terminal::supports_colours(),
            ColourArgument::Always => true,
            ColourArgument::Never => false,
        };
        Self {
            uses_colours,
            is_terminal: terminal::is_output_terminal(),
            working_directory,
            last_file: None,
        }
    }

    /// Formats the lines of a text file, or describes a binary file.
    pub(crate) fn file_text(&self, data: &Value) -> String {
        if data["binary"] == true {
            let kind = data["media_type"].as_str().unwrap_or_default();
            return format!("binary file, {kind}, {} bytes\n", data["size"]);
        }
        self.escape_controls(data["content"].as_str().unwrap_or_default())
    }

    /// Formats one path per match.
    pub(crate) fn paths(&self, data: &Value) -> String {
        let paths = data["matches"].as_array().into_iter().flatten().filter_map(Value::as_str);
        paths.map(|path| self.paint(&self.path(path), PATH) + "\n").collect()
    }

    /// Formats the directories, as a tree for a person and as paths for a program.
    pub(crate) fn directories(&self, data: &Value) -> String {
        let branches = data["directories"].as_array().into_iter().flatten();
        let lines = branches.map(|branch| {
            let address = branch["path"].as_str().unwrap_or_default();
            if !self.is_terminal {
                return self.paint(&self.path(address), PATH) + "\n";
            }
            let name = address.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let depth = usize::try_from(branch["depth"].as_u64().unwrap_or(1)).unwrap_or(1);
            let name = self.paint(&self.escape_controls(name), PATH);
            format!("{}{name}/\n", "  ".repeat(depth - 1))
        });
        lines.collect()
    }

    /// Formats the matching lines, under their file's name for a person and each with its file for
    /// a program.
    pub(crate) fn matches(&mut self, data: &Value) -> String {
        let mut out = String::new();
        for found in data["matches"].as_array().into_iter().flatten() {
            let path = self.path(found["path"].as_str().unwrap_or_default());
            if self.is_terminal && self.last_file.as_ref() != Some(&path) {
                let gap = if self.last_file.is_some() { "\n" } else { "" };
                out = out + gap + &self.paint(&path, PATH) + "\n";
                self.last_file = Some(path.clone());
            }
            let line = found["line"].as_u64().unwrap_or_default();
            let before = strings(&found["before"]);
            let first = line.saturating_sub(before.len() as u64);
            for (at, text) in (first..).zip(before) {
                out.push_str(&self.match_line(&path, at, '-', text));
            }
            out.push_str(&self.match_line(
                &path,
                line,
                ':',
                found["text"].as_str().unwrap_or_default(),
            ));
            for (at, text) in (line + 1..).zip(strings(&found["after"])) {
                out.push_str(&self.match_line(&path, at, '-', text));
            }
        }
        out
    }

    fn match_line(&self, path: &str, line: u64, mark: char, text: &str) -> String {
        let number = self.paint(&line.to_string(), NUMBER);
        let text = self.escape_controls(text);
        if self.is_terminal {
            return format!("{number}{mark}{text}\n");
        }
        format!("{}{mark}{number}{mark}{text}\n", self.paint(path, PATH))
    }

    /// Formats an address of the project as a path that can be typed here. Other addresses stay as
    /// they are.
    fn path(&self, address: &str) -> String {
        let said = address.parse::<Address>().ok();
        let near =
            said.filter(|said| *said.root() == Root::Project).zip(self.working_directory.as_ref());
        let Some((said, working)) = near else { return self.escape_controls(address) };
        let here = working.path().names().collect::<Vec<_>>();
        let there = said.path().names().collect::<Vec<_>>();
        let shared = here.iter().zip(&there).take_while(|(a, b)| a == b).count();
        let ups = std::iter::repeat_n("..", here.len() - shared);
        let parts = ups.chain(there[shared..].iter().copied()).collect::<Vec<_>>();
        let path = if parts.is_empty() { ".".to_owned() } else { parts.join("/") };
        self.escape_controls(&if said.is_directory() { path + "/" } else { path })
    }

    fn paint(&self, text: &str, style: Style) -> String {
        if self.uses_colours { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// Escapes characters that could control the terminal, hide letters, or show them in another
    /// order.
    fn escape_controls(&self, text: &str) -> String {
        let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || is_invisible(c);
        if !self.is_terminal || !text.contains(steers) {
            return text.to_owned();
        }
        let text = text.replace("\r\n", "\n");
        let shown = text.chars().map(|c| match c {
            c if steers(c) => c.escape_unicode().to_string(),
            c => c.to_string(),
        });
        shown.collect()
    }
}

fn strings(lines: &Value) -> Vec<&str> {
    lines.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn printer(working: &str, watched: bool) -> Printer {
        Printer {
            uses_colours: false,
            is_terminal: watched,
            working_directory: working.parse().ok(),
            last_file: None,
        }
    }

    #[test]
    fn a_path_reads_from_where_the_person_stands() {
        let check = |working: &str, address: &str, expected: &str| {
            assert_eq!(printer(working, false).path(address), expected);
        };
        check("ROOT_PROJECT:/", "ROOT_PROJECT:/src/a.rs", "src/a.rs");
        check("ROOT_PROJECT:/src/", "ROOT_PROJECT:/src/a.rs", "a.rs");
        check("ROOT_PROJECT:/src/deep/", "ROOT_PROJECT:/docs/", "../../docs/");
        check("ROOT_PROJECT:/src/", "ROOT_PROJECT:/src/", "./");
        check("ROOT_PROJECT:/", "ROOT_USER:/a", "ROOT_USER:/a");
        check("none", "ROOT_PROJECT:/a", "ROOT_PROJECT:/a");
    }

    #[test]
    fn a_file_cannot_steer_the_terminal() {
        let data = json!({ "content": "a\u{1b}[31m\tb\r\nc\u{7}\n" });
        assert_eq!(printer("", true).file_text(&data), "a\\u{1b}[31m\tb\nc\\u{7}\n");
        assert_eq!(printer("", false).file_text(&data), "a\u{1b}[31m\tb\r\nc\u{7}\n");
    }

    #[test]
    fn matches_are_grouped_for_a_person_and_whole_for_a_program() {
        let data = json!({ "matches": [
            { "path": "ROOT_PROJECT:/a", "line": 2, "text": "x", "before": ["w"], "after": ["y"] },
            { "path": "ROOT_PROJECT:/b", "line": 9, "text": "z" },
        ] });
        let program = printer("ROOT_PROJECT:/", false).matches(&data);
        assert_eq!(program, "a-1-w\na:2:x\na-3-y\nb:9:z\n");
        let person = printer("ROOT_PROJECT:/", true).matches(&data);
        assert_eq!(person, "a\n1-w\n2:x\n3-y\n\nb\n9:z\n");
    }
}
