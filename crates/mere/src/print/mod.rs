//! How answers look to a person: paths as they can be typed here, colours on a terminal, and one
//! result per line for programs.

pub(crate) mod calls;
pub(crate) mod exports;
pub(crate) mod files;
pub(crate) mod grants;
pub(crate) mod imports;
pub(crate) mod items;
pub(crate) mod json_outcome;
pub(crate) mod keys;
pub(crate) mod memory;
mod models;
pub(crate) mod operator_reply;
pub(crate) mod outcome;
pub(crate) mod proposals;
pub(crate) mod refusal;
mod refusal_words;
pub(crate) mod registry;
pub(crate) mod reply;
pub(crate) mod run;
pub(crate) mod runs;
pub(crate) mod sarif;
mod search;
mod secrets;
pub(crate) mod sharing;
pub(crate) mod signature_log;
pub(crate) mod signing;
pub(crate) mod spaces;
mod stores;
pub(crate) mod team;
pub(crate) mod terminal;
pub(crate) mod waiting_line;
pub(crate) mod workspaces;

use anstyle::{AnsiColor, Style};
use mere_core::address::{Address, Root, is_invisible, is_joined};

use crate::arguments::ColourArgument;

const PATH: Style = AnsiColor::Magenta.on_default();
const NUMBER: Style = AnsiColor::Green.on_default();

/// A printer of answers. It knows whether a terminal is attached and where paths start from.
pub(crate) struct Printer {
    uses_colours: bool,
    /// Whether standard output is a terminal. Then lines are grouped, and contents of files are
    /// escaped as well.
    is_terminal: bool,
    working_directory: Option<Address>,
    /// How the person starts this program: `mere`, or a path where that is not on the path for
    /// programs.
    program: String,
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
            program: terminal::own_command(),
            last_file: None,
        }
    }

    /// Formats an address of the project as a path that can be typed here. Other addresses stay as
    /// they are.
    fn path(&self, address: &str) -> String {
        let parsed = address.parse::<Address>().ok();
        let near = parsed
            .filter(|parsed| *parsed.root() == Root::Project)
            .zip(self.working_directory.as_ref());
        let Some((parsed, working)) = near else { return self.escape_controls(address) };
        let here = working.path().names().collect::<Vec<_>>();
        let there = parsed.path().names().collect::<Vec<_>>();
        let shared = here.iter().zip(&there).take_while(|(a, b)| a == b).count();
        let ups = std::iter::repeat_n("..", here.len() - shared);
        let parts = ups.chain(there[shared..].iter().copied()).collect::<Vec<_>>();
        let path = if parts.is_empty() { ".".to_owned() } else { parts.join("/") };
        self.escape_controls(&if parsed.is_directory() { path + "/" } else { path })
    }

    /// Formats where something lies: its address, and for a person before it the path that can be
    /// pasted here.
    fn place(&self, address: &str) -> String {
        let (path, address) = (self.path(address), self.escape_controls(address));
        if self.is_terminal && path != address { format!("{path} ({address})") } else { address }
    }

    /// Formats a command of this program so that it can be typed.
    fn command(&self, words: &str) -> String {
        match words.strip_prefix("mere ") {
            Some(arguments) => format!("{} {arguments}", self.program),
            None => words.to_owned(),
        }
    }

    fn paint(&self, text: &str, style: Style) -> String {
        if self.uses_colours { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// Formats the content of a file, or what a tool printed. A program gets it as it is; for a
    /// person it is escaped.
    fn content(&self, text: &str) -> String {
        if self.is_terminal { self.escape_controls(text) } else { text.to_owned() }
    }

    /// Escapes characters that could control the terminal, hide letters, or show them in another
    /// order. Invisible ones that writing needs stay. Where the text goes does not matter: what is
    /// piped is often shown in the end.
    #[expect(clippy::unused_self, reason = "every method of a printer formats for its reader")]
    fn escape_controls(&self, text: &str) -> String {
        let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || is_invisible(c);
        if !text.contains(steers) {
            return text.to_owned();
        }
        let text = text.replace("\r\n", "\n");
        let is_harmless = |(at, c): (usize, char)| {
            !steers(c) || is_joined(&text[..at], c, &text[at + c.len_utf8()..])
        };
        let shown = text.char_indices().map(|(at, c)| match c {
            c if is_harmless((at, c)) => c.to_string(),
            c => c.escape_unicode().to_string(),
        });
        shown.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::reply::ReplyView;
    use super::*;

    /// Returns a printer for a terminal without colours, in the project's folder.
    pub(super) fn terminal_printer() -> Printer {
        Printer { is_terminal: true, ..pipe_printer() }
    }

    /// Reads a success with this data.
    pub(super) fn success<T: serde::de::DeserializeOwned>(data: serde_json::Value) -> ReplyView<T> {
        let mut reply = serde_json::json!({ "reply_type": "S", "message": "Done." });
        reply["data"] = data;
        ReplyView::from_value(reply).expect("a reply")
    }

    /// Returns a printer for a program, in the project's folder.
    pub(super) fn pipe_printer() -> Printer {
        Printer {
            uses_colours: false,
            is_terminal: false,
            working_directory: "ROOT_PROJECT:/".parse().ok(),
            program: "mere".to_owned(),
            last_file: None,
        }
    }

    #[test]
    fn a_command_names_the_program_as_it_can_be_started() {
        let printer = Printer { program: "target/release/mere".to_owned(), ..pipe_printer() };
        assert_eq!(printer.command("mere list"), "target/release/mere list");
        assert_eq!(pipe_printer().command("mere list"), "mere list");
    }

    #[test]
    fn a_path_reads_from_where_the_person_stands() {
        let check = |working: &str, address: &str, expected: &str| {
            let printer = Printer { working_directory: working.parse().ok(), ..pipe_printer() };
            assert_eq!(printer.path(address), expected);
        };
        check("ROOT_PROJECT:/", "ROOT_PROJECT:/src/a.rs", "src/a.rs");
        check("ROOT_PROJECT:/src/", "ROOT_PROJECT:/src/a.rs", "a.rs");
        check("ROOT_PROJECT:/src/deep/", "ROOT_PROJECT:/docs/", "../../docs/");
        check("ROOT_PROJECT:/src/", "ROOT_PROJECT:/src/", "./");
        check("ROOT_PROJECT:/", "ROOT_USER:/a", "ROOT_USER:/a");
        check("none", "ROOT_PROJECT:/a", "ROOT_PROJECT:/a");
    }
}
