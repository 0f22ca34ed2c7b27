//! Glob patterns over the paths below a directory.
//!
//! `*` and `?` stay within a name, `**` crosses directories, `[a-z]` and `{a,b}` are alternatives.
//! A pattern without a slash is matched against names at any depth, one with a slash against the
//! whole path. A pattern that would reach above its directory, or that names a place on the
//! machine, is refused.

use std::str::FromStr;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::address::is_address_character;

/// The longest pattern in bytes.
const MAX_BYTES: usize = 1024;

/// A valid pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    set: GlobSet,
}

/// The reason why a text is not a pattern. The error never repeats the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The pattern is absolute, reaches above its directory, or has a character that no path has.
    #[error(
        "the pattern is absolute, has an empty, `.` or `..` segment, or a character that no path has"
    )]
    Path,
    /// A bracket or a brace is not closed, or the pattern is too long.
    #[error("the pattern is too long, or a bracket or brace in it does not close")]
    Glob,
}

impl Pattern {
    /// Reports whether a path below the directory matches.
    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path)
    }

    /// Reports whether a path that ends with this name could match.
    pub fn may_match_name(&self, name: &str) -> bool {
        self.text.contains('/') || self.set.is_match(name)
    }

    /// Returns the pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        Ok(Self { text: text.to_owned(), set: build(&[to_glob(text)?], CaseRule::Sensitive)? })
    }
}

/// A set of patterns, any of which may match.
#[derive(Clone, Debug, Default)]
pub struct Patterns(GlobSet);

impl Patterns {
    /// Parses patterns that ignore case: on some file systems both spellings name the same file.
    pub fn case_insensitive(texts: &[&str]) -> Result<Self, PatternError> {
        let spelled = texts.iter().map(|text| to_glob(text)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self(build(&spelled, CaseRule::Insensitive)?))
    }

    /// Parses patterns that are all matched against whole paths, even those without a slash.
    pub fn anchored(texts: &[&str]) -> Result<Self, PatternError> {
        let checked = texts.iter().map(|text| check_pattern(text).map(str::to_owned));
        let checked = checked.collect::<Result<Vec<_>, _>>()?;
        Ok(Self(build(&checked, CaseRule::Sensitive)?))
    }

    /// Reports whether any pattern matches a path below the directory.
    pub fn matches_any(&self, path: &str) -> bool {
        !self.0.is_empty() && self.0.is_match(path)
    }

    /// Reports whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CaseRule {
    Sensitive,
    Insensitive,
}

fn build(spelled: &[String], case: CaseRule) -> Result<GlobSet, PatternError> {
    let mut set = GlobSetBuilder::new();
    for text in spelled {
        let mut glob = GlobBuilder::new(text);
        glob.literal_separator(true).backslash_escape(false).empty_alternates(true);
        glob.case_insensitive(case == CaseRule::Insensitive);
        set.add(glob.build().map_err(|_| PatternError::Glob)?);
    }
    set.build().map_err(|_| PatternError::Glob)
}

/// Converts a pattern to the glob that is matched against whole paths.
fn to_glob(text: &str) -> Result<String, PatternError> {
    let text = check_pattern(text)?;
    Ok(if text.contains('/') { text.to_owned() } else { format!("**/{text}") })
}

/// Checks that a pattern stays below its directory, and removes a leading `./`.
fn check_pattern(text: &str) -> Result<&str, PatternError> {
    if text.len() > MAX_BYTES {
        return Err(PatternError::Glob);
    }
    let text = text.strip_prefix("./").unwrap_or(text);
    let head = text.split('/').next().unwrap_or_default();
    let outside = head.starts_with('~') || head.contains(':');
    let broken = text.split('/').any(|name| matches!(name, "" | "." | ".."));
    if outside || broken || !text.chars().all(is_address_character) {
        return Err(PatternError::Path);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, path: &str, expected: bool) {
        let pattern = pattern.parse::<Pattern>().expect("a pattern");
        assert_eq!(pattern.matches(path), expected, "{pattern:?} {path}");
    }

    #[test]
    fn a_bare_pattern_matches_names_at_any_depth() {
        check("*.rs", "a.rs", true);
        check("*.rs", "src/deep/a.rs", true);
        check("*.rs", ".hidden.rs", true);
        check("src", "src", true);
        check("src", "a/src", true);
        check("*.rs", "a.rs/b", false);
    }

    #[test]
    fn a_pattern_with_a_slash_matches_the_whole_path() {
        check("src/*.rs", "src/a.rs", true);
        check("src/*.rs", "src/deep/a.rs", false);
        check("src/**/*.rs", "src/a.rs", true);
        check("src/**/*.rs", "src/deep/er/a.rs", true);
        check("./*/a", "b/a", true);
        check("src/**", "src/a/b", true);
        check("{src,lib}/*.{rs,md}", "lib/x.md", true);
        check("[a-c]/?", "b/x", true);
    }

    #[test]
    fn what_reaches_outside_is_refused() {
        for text in
            ["", "/", "/etc/*", "../*", "a/../b", "a//b", "a/", ".", "./", "~/x", "C:/x", "a\\b"]
        {
            assert_eq!(text.parse::<Pattern>(), Err(PatternError::Path), "{text}");
        }
        for text in ["a[", "{a,b", &"a".repeat(1025)] {
            assert_eq!(text.parse::<Pattern>(), Err(PatternError::Glob), "{text}");
        }
    }
}
