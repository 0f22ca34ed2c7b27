//! The paths that an agent may write in a call.
//!
//! The text is parsed once, here. Anything but the accepted forms is refused, never decoded or
//! repaired, and the refusal does not say which rule was broken. A `Spoken` path becomes an
//! [`Address`] as soon as the home root is known.

use std::str::FromStr;

use crate::address::{Address, RelPath, Root, has_address_characters};

/// The longest text that is parsed, in bytes.
pub const MAX_SPOKEN_BYTES: usize = 4096;

/// A path as an agent wrote it, parsed but not yet bound to a home root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// The home root itself, given by an empty path, `.` or `./`.
    Home,
    /// A bare relative path, which starts from the home root.
    Relative {
        /// The segments below the home root.
        path: RelPath,
        /// Whether it was written with a final `/`.
        directory: bool,
    },
    /// A whole address.
    Rooted(Address),
}

/// A text that is not an accepted form of a path. The error carries nothing, because the answer
/// must not distinguish a malformed path from a missing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a path that an agent may use")]
pub struct MalformedPath;

impl Spoken {
    /// Returns the address that this path means in a session whose home is `home`.
    pub fn address(&self, home: &Root) -> Address {
        match self {
            Self::Home => Address::directory(home.clone(), RelPath::default()),
            Self::Relative { path, directory: true } => {
                Address::directory(home.clone(), path.clone())
            }
            Self::Relative { path, directory: false } => Address::file(home.clone(), path.clone()),
            Self::Rooted(address) => address.clone(),
        }
    }
}

impl FromStr for Spoken {
    type Err = MalformedPath;

    fn from_str(text: &str) -> Result<Self, MalformedPath> {
        if text.len() > MAX_SPOKEN_BYTES || !has_address_characters(text) {
            return Err(MalformedPath);
        }
        let (head, below) = match text.split_once('/') {
            Some((head, below)) => (head, Some(below)),
            None => (text, None),
        };
        if head.contains(':') {
            return parse_rooted(head, below.ok_or(MalformedPath)?);
        }
        parse_relative(text)
    }
}

/// Parses a path with a root. `head` is everything before the first slash, including its final `:`.
fn parse_rooted(head: &str, below: &str) -> Result<Spoken, MalformedPath> {
    let root = head.strip_suffix(':').ok_or(MalformedPath)?;
    let root = root.parse::<Root>().map_err(|_| MalformedPath)?;
    let (path, directory) = parse_segments(below)?;
    let address =
        if directory { Address::directory(root, path) } else { Address::file(root, path) };
    Ok(Spoken::Rooted(address))
}

fn parse_relative(text: &str) -> Result<Spoken, MalformedPath> {
    if text.is_empty() || text == "." || text == "./" {
        return Ok(Spoken::Home);
    }
    if text.starts_with('~') {
        return Err(MalformedPath);
    }
    let (path, directory) = parse_segments(text.strip_prefix("./").unwrap_or(text))?;
    Ok(Spoken::Relative { path, directory })
}

/// Parses segments with an optional final slash. The empty text is the root itself.
fn parse_segments(text: &str) -> Result<(RelPath, bool), MalformedPath> {
    if text.is_empty() {
        return Ok((RelPath::default(), true));
    }
    let (text, directory) = match text.strip_suffix('/') {
        Some(shorter) => (shorter, true),
        None => (text, false),
    };
    // There must be something between two slashes.
    let path =
        if text.is_empty() { Err(MalformedPath) } else { text.parse().map_err(|_| MalformedPath) };
    Ok((path?, directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let parsed = text.parse::<Spoken>().ok();
        let address = parsed.map(|spoken| spoken.address(&Root::User).to_string());
        assert_eq!(address.as_deref(), expected, "{text:?}");
    }

    #[test]
    fn accepted_forms_become_addresses() {
        check("", Some("ROOT_USER:/"));
        check(".", Some("ROOT_USER:/"));
        check("./", Some("ROOT_USER:/"));
        check("src/a.rs", Some("ROOT_USER:/src/a.rs"));
        check("./src/", Some("ROOT_USER:/src/"));
        check("%2e%2e/x", Some("ROOT_USER:/%2e%2e/x"));
        check("ROOT_PROJECT:/", Some("ROOT_PROJECT:/"));
        check("ROOT_PROJECT:/home/me", Some("ROOT_PROJECT:/home/me"));
        check("ROOT_WORKSPACE:/a/", Some("ROOT_WORKSPACE:/a/"));
        check("ROOT_REGISTRY:/ns/tools", Some("ROOT_REGISTRY:/ns/tools"));
        check("mod:docs:/a:b", Some("mod:docs:/a:b"));
    }

    #[test]
    fn everything_else_is_refused() {
        let long = format!("a/{}", "b/".repeat(2100));
        for text in [
            "/",
            "/etc/passwd",
            "//x",
            "../x",
            "..",
            "a/../../b",
            "a/..",
            "a/./b",
            "././a",
            "a//b",
            "a//",
            "C:\\Windows",
            "C:/Windows",
            "C:",
            "\\\\server\\share",
            "\\\\?\\C:\\x",
            "~",
            "~/.ssh",
            "~root",
            "file:/etc",
            "file:///etc",
            "ROOT_NOPE:/",
            "root_project:/x",
            "Root_Project:/",
            "ROOT_PROJECT:",
            "ROOT_PROJECT://x",
            "ROOT_PROJECT:/../x",
            "ROOT_PROJECT:/a/../b",
            "ROOT_PROJECT:/./a",
            "ROOT_PROJECT:x",
            "mod::/a",
            "mod:/a",
            "mod:x",
            "mod:a b:/",
            "mod:..:/x",
            "a\0b",
            "a\nb",
            "a\u{202e}b",
            "a\u{200d}b",
            "ROOT_PROJECT\u{200b}:/a",
            ":/a",
            "::",
            &long,
        ] {
            check(text, None);
        }
    }
}
