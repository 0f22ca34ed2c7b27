//! How files look to a person: their text, their paths, and the lines that match.
//!
//! The reply of each file tool is one page. A page says how many results it has and how to ask for
//! the next one.

use serde::Deserialize;

use super::{NUMBER, PATH, Printer};

/// The data of a reply to `read`.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum FileText {
    /// Lines of a text file.
    Text { content: String, first: u64, last: u64, truncated: bool, masked: Option<u64> },
    /// A file that is no text.
    Binary { media_type: String, size: u64 },
}

/// The data of a reply to `glob`.
#[derive(Deserialize)]
pub(crate) struct PathPage {
    matches: Vec<String>,
    count: u64,
    next: Option<String>,
}

/// The data of a reply to `dir list`.
#[derive(Deserialize)]
pub(crate) struct EntryPage {
    entries: Vec<EntryRow>,
    count: u64,
    next: Option<String>,
}

#[derive(Deserialize)]
struct EntryRow {
    path: String,
}

/// The data of a reply to `dir tree`.
#[derive(Deserialize)]
pub(crate) struct DirectoryPage {
    directories: Vec<DirectoryRow>,
    count: u64,
    next: Option<String>,
}

#[derive(Deserialize)]
struct DirectoryRow {
    path: String,
    depth: usize,
}

/// The data of a reply to `grep`.
#[derive(Deserialize)]
pub(crate) struct MatchPage {
    matches: Vec<LineMatch>,
    count: u64,
    masked: Option<u64>,
    next: Option<String>,
}

/// A line that matches, with the lines around it.
#[derive(Deserialize)]
struct LineMatch {
    path: String,
    line: u64,
    text: String,
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    after: Vec<String>,
}

/// Where the next page begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NextPage {
    /// At a line of the same file.
    Line(u64),
    /// Where a cursor says.
    Cursor(String),
}

/// A page of a file tool's results.
pub(crate) trait ResultPage {
    /// Returns how many results the page has.
    fn count(&self) -> u64;

    /// Returns where the next page begins, if there is one.
    fn next(&self) -> Option<NextPage>;

    /// Returns how many secrets are masked on the page, if any are.
    fn masked(&self) -> Option<u64> {
        None
    }

    /// Checks whether the page is part of a file and contains none of its text.
    fn is_empty_text(&self) -> bool {
        false
    }
}

impl ResultPage for FileText {
    fn count(&self) -> u64 {
        match self {
            Self::Text { first, last, .. } => last.checked_sub(*first).map_or(0, |more| more + 1),
            Self::Binary { .. } => 0,
        }
    }

    fn next(&self) -> Option<NextPage> {
        match self {
            Self::Text { last, truncated: true, .. } => Some(NextPage::Line(last + 1)),
            _ => None,
        }
    }

    fn masked(&self) -> Option<u64> {
        match self {
            Self::Text { masked, .. } => *masked,
            Self::Binary { .. } => None,
        }
    }

    fn is_empty_text(&self) -> bool {
        matches!(self, Self::Text { content, .. } if content.is_empty())
    }
}

impl ResultPage for PathPage {
    fn count(&self) -> u64 {
        self.count
    }

    fn next(&self) -> Option<NextPage> {
        self.next.clone().map(NextPage::Cursor)
    }
}

impl ResultPage for EntryPage {
    fn count(&self) -> u64 {
        self.count
    }

    fn next(&self) -> Option<NextPage> {
        self.next.clone().map(NextPage::Cursor)
    }
}

impl ResultPage for DirectoryPage {
    fn count(&self) -> u64 {
        self.count
    }

    fn next(&self) -> Option<NextPage> {
        self.next.clone().map(NextPage::Cursor)
    }
}

impl ResultPage for MatchPage {
    fn count(&self) -> u64 {
        self.count
    }

    fn next(&self) -> Option<NextPage> {
        self.next.clone().map(NextPage::Cursor)
    }

    fn masked(&self) -> Option<u64> {
        self.masked
    }
}

impl Printer {
    /// Formats the lines of a text file, or describes a binary file.
    pub(crate) fn file_text(&mut self, file: &FileText) -> String {
        match file {
            FileText::Text { content, .. } => self.content(content),
            FileText::Binary { media_type, size } => {
                format!("binary file, {media_type}, {size} bytes\n")
            }
        }
    }

    /// Formats one path per match.
    pub(crate) fn paths(&mut self, page: &PathPage) -> String {
        page.matches.iter().map(|path| self.paint(&self.path(path), PATH) + "\n").collect()
    }

    /// Formats one path per entry; a folder ends in a slash.
    pub(crate) fn entries(&mut self, page: &EntryPage) -> String {
        page.entries.iter().map(|entry| self.paint(&self.path(&entry.path), PATH) + "\n").collect()
    }

    /// Formats the directories, as a tree for a person and as paths for a program.
    pub(crate) fn directories(&mut self, page: &DirectoryPage) -> String {
        let lines = page.directories.iter().map(|DirectoryRow { path: address, depth }| {
            if !self.is_terminal {
                return self.paint(&self.path(address), PATH) + "\n";
            }
            let name = address.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let name = self.paint(&self.escape_controls(name), PATH);
            format!("{}{name}/\n", "  ".repeat(depth.saturating_sub(1)))
        });
        lines.collect()
    }

    /// Formats the matching lines, under their file's name for a person and each with its file for
    /// a program.
    pub(crate) fn matches(&mut self, page: &MatchPage) -> String {
        let mut out = String::new();
        for found in &page.matches {
            let path = self.path(&found.path);
            if self.is_terminal && self.last_file.as_ref() != Some(&path) {
                let gap = if self.last_file.is_some() { "\n" } else { "" };
                out = out + gap + &self.paint(&path, PATH) + "\n";
                self.last_file = Some(path.clone());
            }
            let line = found.line;
            let first = line.saturating_sub(found.before.len() as u64);
            for (at, text) in (first..).zip(&found.before) {
                out.push_str(&self.match_line(&path, at, '-', text));
            }
            out.push_str(&self.match_line(&path, line, ':', &found.text));
            for (at, text) in (line + 1..).zip(&found.after) {
                out.push_str(&self.match_line(&path, at, '-', text));
            }
        }
        out
    }

    fn match_line(&self, path: &str, line: u64, mark: char, text: &str) -> String {
        let number = self.paint(&line.to_string(), NUMBER);
        let text = self.content(text);
        if self.is_terminal {
            return format!("{number}{mark}{text}\n");
        }
        format!("{}{mark}{number}{mark}{text}\n", self.paint(path, PATH))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, terminal_printer};
    use super::*;
    use serde_json::{Value, json};

    fn read<T: serde::de::DeserializeOwned>(data: Value) -> T {
        serde_json::from_value(data).expect("a page")
    }

    fn text(content: &str, (first, last): (u64, u64)) -> FileText {
        let data = json!({ "content": content, "first": first, "last": last, "truncated": false });
        read(data)
    }

    #[test]
    fn a_file_cannot_steer_the_terminal() {
        let file = text("a\u{1b}[31m\tb\r\nc\u{7}\n", (1, 2));
        assert_eq!(terminal_printer().file_text(&file), "a\\u{1b}[31m\tb\nc\\u{7}\n");
        assert_eq!(pipe_printer().file_text(&file), "a\u{1b}[31m\tb\r\nc\u{7}\n");
    }

    #[test]
    fn matches_are_grouped_for_a_person_and_whole_for_a_program() {
        let page: MatchPage = read(json!({ "count": 2, "matches": [
            { "path": "ROOT_PROJECT:/a", "line": 2, "text": "x", "before": ["w"], "after": ["y"] },
            { "path": "ROOT_PROJECT:/b", "line": 9, "text": "z" },
        ] }));
        assert_eq!(pipe_printer().matches(&page), "a-1-w\na:2:x\na-3-y\nb:9:z\n");
        assert_eq!(terminal_printer().matches(&page), "a\n1-w\n2:x\n3-y\n\nb\n9:z\n");
    }

    #[test]
    fn a_page_says_how_it_goes_on() {
        let whole = text("a\nb\n", (3, 4));
        assert_eq!((whole.count(), whole.next(), whole.is_empty_text()), (2, None, false));
        let beyond = text("", (5, 4));
        assert_eq!((beyond.count(), beyond.is_empty_text()), (0, true));
        let part: FileText =
            read(json!({ "content": "a", "first": 1, "last": 1, "truncated": true, "masked": 2 }));
        assert_eq!((part.next(), part.masked()), (Some(NextPage::Line(2)), Some(2)));
        let binary: FileText =
            read(json!({ "binary": true, "media_type": "image/png", "size": 9 }));
        assert_eq!((binary.count(), binary.next(), binary.is_empty_text()), (0, None, false));
        let paths: PathPage = read(json!({ "matches": ["a"], "count": 1, "next": "x" }));
        assert_eq!(paths.next(), Some(NextPage::Cursor("x".to_owned())));
    }
}
