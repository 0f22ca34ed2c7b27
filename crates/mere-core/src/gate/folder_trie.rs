//! Finds the paths of folders in a text.
//!
//! The folders form a trie of bytes. A path can only begin at a separator, so a text is searched
//! from one separator to the next, and at most of them the first byte that follows decides.

use std::ops::Range;

use super::path_reading::{
    MAX_LAYERS, UnitRole, is_name_end, may_be_other, parent_end, read_folder, read_unit,
    separator_end, skip_separators,
};

/// How much is read of names that `..` takes back: `/home/x/../me`.
const MAX_DETOUR_BYTES: usize = 128;

/// The paths of folders, each with a number.
pub(super) struct FolderTrie {
    nodes: Vec<Node>,
    /// The bytes with which a first name may begin in a text.
    first_bytes: [bool; 256],
}

#[derive(Default)]
struct Node {
    children: Vec<(u8, usize)>,
    folder: Option<usize>,
}

/// The node before the first name of a path.
const ROOT: usize = 0;

impl Default for FolderTrie {
    fn default() -> Self {
        let mut first_bytes = [false; 256];
        for byte in (0..=u8::MAX).filter(|byte| may_be_other(*byte)) {
            first_bytes[usize::from(byte)] = true;
        }
        Self { nodes: vec![Node::default()], first_bytes }
    }
}

impl FolderTrie {
    /// Adds the absolute path of a folder. Returns false if it has no name, or is known already.
    pub(super) fn insert(&mut self, path: &str, folder: usize) -> bool {
        let path = read_folder(without_drive(path));
        let Some((b'/', names)) = path.split_first() else { return false };
        let Some(first) = names.first() else { return false };
        self.first_bytes[usize::from(*first)] = true;
        let mut node = ROOT;
        for byte in names {
            node = self.child(node, *byte).unwrap_or_else(|| self.add_child(node, *byte));
        }
        let is_new = self.nodes[node].folder.is_none();
        self.nodes[node].folder.get_or_insert(folder);
        is_new
    }

    /// Returns the places in a text where a folder's path lies, with the folder's number. Of
    /// several that begin at one place the longest counts, and none overlaps the one before.
    pub(super) fn paths_in<'a>(&'a self, text: &'a str) -> FolderPaths<'a> {
        let is_empty = self.nodes[ROOT].children.is_empty();
        let text = if is_empty { "" } else { text };
        FolderPaths { trie: self, text, at: 0, has_entities: has_entities(text.as_bytes()) }
    }

    fn add_child(&mut self, node: usize, byte: u8) -> usize {
        self.nodes.push(Node::default());
        let child = self.nodes.len() - 1;
        self.nodes[node].children.push((byte, child));
        child
    }

    fn child(&self, node: usize, byte: u8) -> Option<usize> {
        let children = &self.nodes[node].children;
        children.iter().find(|(edge, _)| *edge == byte).map(|(_, child)| *child)
    }

    /// Finds the longest path whose first name begins at `at`.
    fn longest_path(&self, text: &[u8], mut at: usize) -> Option<(usize, usize)> {
        let mut longest = None;
        // The node at which the current name began, and those of the names above it.
        let (mut name, mut above) = (ROOT, Vec::new());
        let mut node = ROOT;
        while let Some(unit) = read_unit(&text[at..]) {
            let mut bytes = match unit.role {
                UnitRole::Mark => {
                    at += unit.length;
                    continue;
                }
                UnitRole::Separator => b"/",
                UnitRole::Name => unit.bytes(),
            };
            let mut next = Some(node);
            while let (Some(here), Some((byte, rest))) = (next, bytes.split_first()) {
                next = self.child(here, *byte);
                bytes = rest;
            }
            let Some(next) = next else {
                // No folder has this name, but the path may come back from it.
                let detour = if name == ROOT { None } else { skip_detour(text, at) };
                let Some(end) = detour else { return longest };
                (node, at) = (name, end);
                continue;
            };
            node = next;
            if unit.role == UnitRole::Name {
                at += unit.length;
                if let Some(folder) = self.nodes[node].folder.filter(|_| is_name_end(&text[at..])) {
                    longest = Some((at, folder));
                }
                continue;
            }
            at = skip_separators(text, at);
            above.push(name);
            name = node;
            while let Some(end) = parent_end(text, at) {
                name = above.pop().unwrap_or(ROOT);
                (node, at) = (name, end);
            }
        }
        longest
    }
}

/// The search for paths in one text.
pub(super) struct FolderPaths<'a> {
    trie: &'a FolderTrie,
    text: &'a str,
    at: usize,
    /// Whether a separator may be written as an entity of HTML.
    has_entities: bool,
}

impl Iterator for FolderPaths<'_> {
    type Item = (Range<usize>, usize);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.text.as_bytes();
        while let Some(start) = self.next_candidate() {
            let names = skip_separators(text, start);
            if names == start {
                self.at = (start + 1).max(escape_start(text, start));
                continue;
            }
            self.at = names;
            if text.get(names).is_none_or(|byte| !self.trie.first_bytes[usize::from(*byte)]) {
                continue;
            }
            if let Some((end, folder)) = self.trie.longest_path(text, names) {
                self.at = end;
                return Some((self.path_start(start, names)..end, folder));
            }
        }
        None
    }
}

impl FolderPaths<'_> {
    /// Finds the next place at which a separator may begin.
    fn next_candidate(&self) -> Option<usize> {
        let rest = &self.text.as_bytes()[self.at..];
        let found = memchr::memchr3(b'/', b'%', b'\\', rest);
        let found = if self.has_entities {
            let near = &rest[..found.unwrap_or(rest.len())];
            memchr::memchr(b'&', near).or(found)
        } else {
            found
        };
        found.map(|offset| self.at + offset)
    }

    /// Returns where a path begins whose separators are at `start..names`. Those of a URL belong
    /// to the URL, but for the last; a drive belongs to the path.
    fn path_start(&self, start: usize, names: usize) -> usize {
        let before = &self.text[..start];
        let has_drive = cfg!(windows) && before.ends_with(':');
        if has_drive && before.len() >= 2 && before.as_bytes()[start - 2].is_ascii_alphabetic() {
            return start - 2;
        }
        if !before.ends_with(':') && !before.ends_with("%3A") && !before.ends_with("%3a") {
            return start;
        }
        let mut last = start;
        while let Some(end) = separator_end(self.text.as_bytes(), last).filter(|end| *end < names) {
            last = end;
        }
        last
    }
}

/// Returns where the escape begins that the last of several backslashes belongs to.
fn escape_start(text: &[u8], at: usize) -> usize {
    let backslashes = text[at..].iter().take_while(|byte| **byte == b'\\').count();
    (at + backslashes).saturating_sub(MAX_LAYERS)
}

/// Checks whether a text has entities of HTML at all; hardly any has.
fn has_entities(text: &[u8]) -> bool {
    let is_entity = |at: usize| {
        let body = &text[at + 1..];
        [&b"#"[..], b"sol;", b"amp;"].iter().any(|start| body.starts_with(start))
    };
    memchr::memchr_iter(b'&', text).any(is_entity)
}

/// Returns the end of names that `..` takes back, from the middle of the first of them on.
fn skip_detour(text: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut names) = (from, 1_usize);
    let near = &text[from..text.len().min(from + MAX_DETOUR_BYTES)];
    let is_gap = |byte: &u8| byte.is_ascii_whitespace();
    let near = &near[..near.iter().position(is_gap).unwrap_or(near.len())];
    let comes_back = near.windows(2).any(|two| matches!(two, b".." | b"%2" | [b'&' | b'\\', _]));
    if !comes_back {
        return None;
    }
    while let Some(unit) = read_unit(&text[at..]) {
        if at - from > near.len() {
            return None;
        }
        if unit.role != UnitRole::Separator {
            at += unit.length;
            continue;
        }
        at = skip_separators(text, at);
        while let Some(end) = parent_end(text, at) {
            (at, names) = (end, names - 1);
            if names == 0 {
                return Some(at);
            }
        }
        names += 1;
    }
    None
}

/// Returns a path of Windows without its drive; any drive counts.
fn without_drive(path: &str) -> &str {
    if !cfg!(windows) {
        return path;
    }
    path.split_once(':').map_or(path, |(_, rest)| rest)
}
