//! `ROOT_X:/rel/path`: the only way a file is named to an agent.
//!
//! An `Address` says where something would be; it does not say that the thing exists or may be
//! seen. Printing an address and parsing it again gives the same value, and nothing it prints is a
//! host path.

mod characters;
mod name;
mod network;
mod repository_name;
mod root;
mod segment;
mod spoken;

use std::fmt;
use std::str::FromStr;

pub use characters::{
    has_address_characters, is_address_character, is_invisible, is_joined, is_pictograph,
    visible_form,
};
pub use name::{AgentName, MAX_NAME_BYTES, ModName, NameError};
pub use network::{HostName, HostNameError, NetworkTarget, NetworkTargetError, WEB_PORTS};
pub use repository_name::{EntryForm, RepositoryName};
pub use root::{Root, RootError};
pub use segment::{MAX_SEGMENT_BYTES, Segment, SegmentError};
pub use spoken::{MAX_SPOKEN_BYTES, MalformedPath, Spoken};

/// A path of segments below a root, joined by slashes. It is empty for the root itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(String);

impl RelPath {
    /// Returns the segments from the root down.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = Segment> {
        self.names().map(Segment::from_checked)
    }

    /// Returns the segments from the root down, as text.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// Reports whether this is the root itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the whole path as text, without a slash at either end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns this path with one more segment.
    #[must_use]
    pub fn join(&self, segment: &Segment) -> Self {
        self.append(segment.as_str())
    }

    /// Returns this path with one more name, or `None` if the name is not a valid segment.
    pub fn child(&self, name: &str) -> Option<Self> {
        Segment::check(name).ok().map(|()| self.append(name))
    }

    /// Appends a path that is relative to this one.
    #[must_use]
    pub fn join_path(&self, below: &Self) -> Self {
        if below.is_root() { self.clone() } else { self.append(&below.0) }
    }

    /// Splits off the last segment: returns the parent path and the name, or `None` for the root.
    pub fn split_last(&self) -> Option<(Self, Segment)> {
        let (parent, name) = self.0.rsplit_once('/').unwrap_or(("", &self.0));
        (!name.is_empty()).then(|| (Self(parent.to_owned()), Segment::from_checked(name)))
    }

    /// Reports whether `other` is this path or lies below it.
    pub fn contains(&self, other: &Self) -> bool {
        let rest = other.0.strip_prefix(&self.0);
        rest.is_some_and(|rest| self.is_root() || rest.is_empty() || rest.starts_with('/'))
    }

    fn append(&self, rest: &str) -> Self {
        let mut path = String::with_capacity(self.0.len() + 1 + rest.len());
        path.push_str(&self.0);
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(rest);
        Self(path)
    }
}

impl FromStr for RelPath {
    type Err = SegmentError;

    fn from_str(text: &str) -> Result<Self, SegmentError> {
        text.to_owned().try_into()
    }
}

impl TryFrom<String> for RelPath {
    type Error = SegmentError;

    fn try_from(text: String) -> Result<Self, SegmentError> {
        if !text.is_empty() {
            text.split('/').try_for_each(Segment::check)?;
        }
        Ok(Self(text))
    }
}

impl FromIterator<Segment> for RelPath {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        segments.into_iter().fold(Self::default(), |path, segment| path.join(&segment))
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A canonical address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    root: Root,
    path: RelPath,
    directory: bool,
}

impl Address {
    /// Creates the address of a directory. It prints with a final `/`.
    pub fn directory(root: Root, path: RelPath) -> Self {
        Self { root, path, directory: true }
    }

    /// Creates the address of a file. An empty path is the root, which is a directory.
    pub fn file(root: Root, path: RelPath) -> Self {
        let directory = path.is_root();
        Self { root, path, directory }
    }

    /// Returns the same path in another root, or in this root under its other name.
    #[must_use]
    pub fn with_root(self, root: Root) -> Self {
        Self { root, ..self }
    }

    /// Returns the root this address starts from.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Returns the path below the root.
    pub fn path(&self) -> &RelPath {
        &self.path
    }

    /// Formats the address as text.
    pub fn to_text(&self) -> String {
        let mut text = String::with_capacity(self.root.text_length() + self.path.0.len() + 3);
        self.root.push_to(&mut text);
        text.push_str(":/");
        text.push_str(&self.path.0);
        if self.directory && !self.path.is_root() {
            text.push('/');
        }
        text
    }

    /// Reports whether the address is short enough for an agent to pass it back in a call.
    pub fn is_within_length_limit(&self) -> bool {
        let slash = usize::from(self.directory && !self.path.is_root());
        self.root.text_length() + ":/".len() + self.path.0.len() + slash <= MAX_SPOKEN_BYTES
    }

    /// Reports whether the address is written as a directory's, with a final `/`.
    pub fn is_directory(&self) -> bool {
        self.directory
    }
}

impl FromStr for Address {
    type Err = MalformedPath;

    /// Parses only the canonical form; a bare relative path is not an address.
    fn from_str(text: &str) -> Result<Self, MalformedPath> {
        match text.parse()? {
            Spoken::Rooted(address) => Ok(address),
            Spoken::Home | Spoken::Relative { .. } => Err(MalformedPath),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        text.parse().expect("a path")
    }

    #[test]
    fn a_path_contains_what_lies_below_it_and_no_neighbour() {
        for (above, below, expected) in [
            ("", "", true),
            ("", "a", true),
            ("a", "a", true),
            ("a", "a/b", true),
            ("a/b", "a/b/c", true),
            ("a", "ab", false),
            ("a", "b", false),
            ("a/b", "a", false),
            ("a", "", false),
        ] {
            assert_eq!(path(above).contains(&path(below)), expected, "{above} {below}");
        }
    }

    #[test]
    fn a_path_is_made_of_its_segments() {
        let segments = ["a", "b"].map(|name| name.parse::<Segment>().expect("a segment"));
        assert_eq!(RelPath::from_iter(segments.clone()), path("a/b"));
        assert_eq!(segments[0].to_string(), "a");
        assert_eq!(path("x").join(&segments[0]), path("x/a"));
        assert_eq!(path("").join(&segments[0]), path("a"));
    }

    #[test]
    fn an_address_says_whether_it_is_a_directory_and_prints_its_root() {
        for (text, is_directory) in [
            ("ROOT_PROJECT:/", true),
            ("ROOT_USER:/a/", true),
            ("ROOT_WORKSPACE:/a", false),
            ("mod:docs:/a/b", false),
        ] {
            let address = text.parse::<Address>().expect("an address");
            assert_eq!(
                (address.is_directory(), address.to_string()),
                (is_directory, text.to_owned())
            );
            let (root, _) = text.split_once(":/").expect("a root");
            assert_eq!(address.root().to_string(), root);
        }
    }

    #[test]
    fn an_address_keeps_its_path_in_another_root() {
        let address = Address::file(Root::Project, path("a/b")).with_root(Root::Workspace);
        assert_eq!(address, Address::file(Root::Workspace, path("a/b")));
    }

    #[test]
    fn an_address_that_can_be_spoken_is_within_the_limit() {
        let name = |length: usize| {
            let names = std::iter::repeat_n("a".repeat(99), length / 100);
            let last = "b".repeat(length % 100);
            path(&names.chain([last]).collect::<Vec<_>>().join("/"))
        };
        for root in ["ROOT_PROJECT", "mod:docs"] {
            let (root, prefix) = (root.parse::<Root>().expect("a root"), root.len() + ":/".len());
            for length in [4001, 4095 - prefix, 4096 - prefix, 4097 - prefix] {
                for (address, slash) in [
                    (Address::file(root.clone(), name(length)), 0),
                    (Address::directory(root.clone(), name(length)), 1),
                ] {
                    let text = address.to_string();
                    assert_eq!(text.len(), prefix + length + slash);
                    assert_eq!(address.is_within_length_limit(), text.len() <= MAX_SPOKEN_BYTES);
                    assert_eq!(address.is_within_length_limit(), text.parse::<Address>().is_ok());
                }
            }
        }
    }
}
