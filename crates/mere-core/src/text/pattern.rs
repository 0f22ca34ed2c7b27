//! Glob patterns over the paths below a directory.
//!
//! `*` and `?` stay within a name, `**` crosses directories, `[a-z]` and `{a,b}` are alternatives,
//! and a backslash takes the meaning from the one of these characters that follows it. What other
//! programs understand and this does not is refused, not matched as if it were a name: a leading
//! `!`, `{1..3}`, `[[:alpha:]]`. A pattern without a slash is matched against names at any depth, one with a slash against the
//! whole path. A pattern that would reach above its directory, or that names a place on the
//! machine, is refused, and so is one of whose alternatives any would: the rule holds for every
//! text that the braces can become.

use std::str::FromStr;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::pattern_reach::stays_below;
use crate::address::has_address_characters;

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
    /// The pattern starts with `!`, as one that excludes something.
    #[error("the pattern starts with `!`, but no pattern excludes; `\\!` is the character itself")]
    Negated,
    /// The pattern has a number range or a named class.
    #[error("the pattern has a range such as `{{1..3}}` or a class such as `[[:alpha:]]`")]
    Unknown,
    /// A backslash stands before an ordinary character, or between brackets.
    #[error("the pattern has a backslash that is not before one of `*?[]{{}}!,`")]
    Escape,
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
        glob.literal_separator(true).backslash_escape(true).empty_alternates(true);
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

/// Checks that a pattern stays below its directory and has only what is understood, and removes a
/// leading `./`.
fn check_pattern(text: &str) -> Result<&str, PatternError> {
    if text.len() > MAX_BYTES {
        return Err(PatternError::Glob);
    }
    let text = text.strip_prefix("./").unwrap_or(text);
    // Without its escapes a pattern has only characters that a path may have.
    if !stays_below(text) || !has_address_characters(&text.replace('\\', "")) {
        return Err(PatternError::Path);
    }
    if text.starts_with('!') {
        return Err(PatternError::Negated);
    }
    check_syntax(text).map(|()| text)
}

/// Checks that brackets, braces and backslashes are used as they are understood.
fn check_syntax(text: &str) -> Result<(), PatternError> {
    let mut rest = text.chars();
    let mut brace = None::<String>;
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some('*' | '?' | '[' | ']' | '{' | '}' | '!' | ',') => {}
                _ => return Err(PatternError::Escape),
            },
            '[' => rest = skip_class(rest.as_str())?.chars(),
            '{' => brace = Some(String::new()),
            '}' => {
                let inside = brace.take().unwrap_or_default();
                if inside.contains("..") && !inside.contains(',') {
                    return Err(PatternError::Unknown);
                }
            }
            c => brace.iter_mut().for_each(|inside| inside.push(c)),
        }
    }
    Ok(())
}

/// Returns what follows a class, whose opening bracket was read already.
pub(super) fn skip_class(text: &str) -> Result<&str, PatternError> {
    let body = text.strip_prefix(['!', '^']).unwrap_or(text);
    // A bracket that comes first is a member of the class.
    let start = usize::from(body.starts_with(']'));
    let end = body[start..].find(']').ok_or(PatternError::Glob)? + start;
    match &body[..end] {
        class if class.contains('\\') => Err(PatternError::Escape),
        class if ["[:", "[.", "[="].iter().any(|named| class.contains(named)) => {
            Err(PatternError::Unknown)
        }
        _ => Ok(&body[end + 1..]),
    }
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
            ["", "/", "/etc/*", "../*", "a/../b", "a//b", "a/", ".", "./", "~/x", "C:/x", "a\0b"]
        {
            assert_eq!(text.parse::<Pattern>(), Err(PatternError::Path), "{text}");
        }
        for text in ["a[", "{a,b", "a}", &"a".repeat(1025)] {
            assert_eq!(text.parse::<Pattern>(), Err(PatternError::Glob), "{text}");
        }
    }

    #[test]
    fn every_alternative_stays_below_the_directory() {
        let braces = "{a,b}".repeat(200) + "/{c,../d}/x";
        for text in [
            "{src,../beside}/*",
            "{..,src}/*",
            "src/{a,{b,..}}/*",
            "{src,{lib,{deep,../beside}}}/*",
            "{a,.}./b",
            "{.,a}{.,b}/c",
            "{a,b/..}",
            "{a,b/../c}/d",
            r"{a\,b,..}/c",
            r"\{/{..,a}/b",
            "[.][.]/a",
            "{src,/etc}/*",
            "{,src}/*",
            "src{/,}/a",
            "a{,/}",
            "src/{,a}",
            "{src,~}/a",
            "{,a}~/b",
            "{src,C:}/a",
            "{a,C}:/b",
            "[/]etc/a",
            "{a,b}}/../c",
            &braces,
        ] {
            assert_eq!(text.parse::<Pattern>(), Err(PatternError::Path), "{text}");
        }
        check("{src,beside}/*", "beside/a", true);
        check("src{,/deep}/*.rs", "src/deep/a.rs", true);
        check("{,src/}a", "a", true);
        check("{src,{lib,docs}/deep}/*", "docs/deep/a", true);
        check("a{..,b}/c", "a../c", true);
        check("{.,a}b/c", ".b/c", true);
        check(r"{a\,..,b}/c", "a,../c", true);
        check("src/[!/]*", "src/a", true);
        check("[.]env", ".env", true);
        check("a/b:c", "a/b:c", true);
        check(&"{a,b}".repeat(20), &"ab".repeat(10), true);
    }

    #[test]
    fn a_backslash_takes_the_meaning_from_what_follows() {
        check(r"a\[1\].md", "a[1].md", true);
        check(r"a\[1\].md", "a1.md", false);
        check(r"pages/\[id\]/*.tsx", "pages/[id]/index.tsx", true);
        check(r"\*", "*", true);
        check(r"\*", "a", false);
        check(r"\!keep", "!keep", true);
        check(r"\{a\,b\}", "{a,b}", true);
        check(r"{a\,b,c}", "a,b", true);
        check("[[]id]", "[id]", true);
        check("a[!b]c", "axc", true);
        check("[]]", "]", true);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for (text, error) in [
            ("!src/**", PatternError::Negated),
            ("!*.rs", PatternError::Negated),
            ("a\\b", PatternError::Escape),
            ("a\\", PatternError::Escape),
            (r"a\\b", PatternError::Escape),
            (r"[\]]", PatternError::Escape),
            (r"C\:x", PatternError::Path),
            ("{1..3}", PatternError::Unknown),
            ("a{x..z}/b", PatternError::Unknown),
            ("[[:alpha:]]*", PatternError::Unknown),
        ] {
            assert_eq!(text.parse::<Pattern>(), Err(error), "{text}");
        }
    }
}
