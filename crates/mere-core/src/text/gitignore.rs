//! The rules of one ignore file, read as git reads them.
//!
//! Each line is split into tokens over bytes, in the way git's own matcher reads it, and then
//! compiled: to a glob in one shared set for almost all lines, and to a regular expression of its
//! own for the few that globs cannot express. The last line that matches decides.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

/// How many lines of a file are read. The limit bounds the memory of the compiled rules.
const MAX_LINES: usize = 2048;

/// The compiled rules of one ignore file.
#[derive(Debug)]
pub struct IgnoreRules {
    rules: Vec<IgnoreRule>,
    set: GlobSet,
    /// The index of the rule that each glob of the set belongs to.
    glob_rules: Vec<usize>,
    /// The rules that are not globs.
    regexes: Vec<(usize, Regex)>,
}

#[derive(Debug)]
struct IgnoreRule {
    verdict: IgnoreVerdict,
    folders_only: bool,
}

/// The decision of the rules about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreVerdict {
    /// The path is ignored.
    Ignored,
    /// The path is not ignored, whatever earlier rules say.
    Included,
}

/// The kind of a path. Rules that end with a slash apply to folders only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsFolder {
    /// The path is a folder.
    Yes,
    /// The path is not a folder.
    No,
}

impl IgnoreRules {
    /// Parses an ignore file. Lines that have no pattern or could never match are skipped. Returns
    /// `None` if no rule remains.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (mut lines, mut globs, mut expressions) = (Vec::new(), Vec::new(), Vec::new());
        let mut set = GlobSetBuilder::new();
        for line in text.split('\n').take(MAX_LINES) {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let Some((verdict, pattern)) = parse_line(line) else { continue };
            let folders_only = pattern.ends_with('/');
            let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
            let Some(tokens) = tokenize(pattern) else { continue };
            if let Some(glob) = tokens.to_glob() {
                set.add(glob);
                globs.push(lines.len());
            } else if let Some(expression) = tokens.to_regex() {
                expressions.push((lines.len(), expression));
            } else {
                continue;
            }
            lines.push(IgnoreRule { verdict, folders_only });
        }
        let set = set.build().ok().filter(|_| !lines.is_empty())?;
        Some(Self { rules: lines, set, glob_rules: globs, regexes: expressions })
    }

    /// Returns what the last matching rule says about a path relative to the file's folder.
    pub fn decide(&self, path: &str, is_folder: IsFolder) -> Option<IgnoreVerdict> {
        let counts = |line: &usize| is_folder == IsFolder::Yes || !self.rules[*line].folders_only;
        let globs = if self.set.is_empty() { Vec::new() } else { self.set.matches(path) };
        let last = globs.into_iter().map(|glob| self.glob_rules[glob]).filter(counts).max();
        let expressions = self.regexes.iter().rev();
        let mut expressions = expressions.filter(|(line, _)| counts(line) && Some(*line) > last);
        let later = expressions.find(|(_, expression)| expression.is_match(path));
        let line = later.map(|(line, _)| *line).or(last)?;
        Some(self.rules[line].verdict)
    }
}

/// Parses a line into its verdict and pattern. Returns `None` for a comment or an empty line.
fn parse_line(line: &str) -> Option<(IgnoreVerdict, &str)> {
    if line.starts_with('#') {
        return None;
    }
    let line = trim_trailing_spaces(line);
    let (verdict, pattern) = match line.strip_prefix('!') {
        Some(pattern) => (IgnoreVerdict::Included, pattern),
        None => (IgnoreVerdict::Ignored, line),
    };
    (!pattern.is_empty()).then_some((verdict, pattern))
}

/// Removes trailing spaces, but not one that is escaped.
fn trim_trailing_spaces(line: &str) -> &str {
    let bytes = line.as_bytes();
    let (mut at, mut end) = (0, 0);
    while at < bytes.len() {
        let step = if bytes[at] == b'\\' { 2 } else { 1 };
        if bytes[at] != b' ' {
            end = at + step;
        }
        at += step;
    }
    line.get(..end.min(bytes.len())).unwrap_or(line)
}

/// A pattern split into tokens.
#[derive(Debug)]
struct TokenizedPattern {
    tokens: Vec<PatternToken>,
    /// Whether the pattern is matched against names at any depth, not against the whole path.
    any_depth: bool,
    /// Whether a glob can express the pattern.
    is_glob: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum PatternToken {
    Byte(u8),
    /// `?`
    Any,
    /// `*`
    Star,
    /// `**/`: any number of folders, including none.
    Folders,
    /// `**` at the end.
    All,
    /// `[…]`: the bytes it matches, as ranges.
    Class(Vec<(u8, u8)>),
}

/// Splits a pattern without its final slash into tokens. Returns `None` if it could never match.
fn tokenize(pattern: &str) -> Option<TokenizedPattern> {
    let any_depth = !pattern.contains('/');
    let bytes = pattern.strip_prefix('/').unwrap_or(pattern).as_bytes();
    if bytes.is_empty() || bytes.ends_with(b"/") || pattern.contains("//") {
        return None;
    }
    let mut out = TokenizedPattern { tokens: Vec::new(), any_depth, is_glob: true };
    let mut at = 0;
    // Git compares the part before the first special character separately, so what follows is
    // treated as if it stood at the beginning.
    let special = bytes.iter().position(|byte| b"*?[\\".contains(byte));
    while let Some(byte) = bytes.get(at) {
        at += 1;
        let token = match byte {
            b'\\' => {
                at += 1;
                PatternToken::Byte(*bytes.get(at - 1)?)
            }
            b'?' => PatternToken::Any,
            b'[' => {
                let (class, length) = parse_class(&bytes[at..])?;
                at += length;
                out.is_glob = false;
                PatternToken::Class(class)
            }
            b'*' => {
                let run = bytes[at - 1..].iter().take_while(|byte| **byte == b'*').count();
                let after_slash = at == 1 || bytes[at - 2] == b'/';
                let begins = after_slash || special == Some(at - 1);
                at += run - 1;
                let next = bytes.get(at);
                let stars = if run < 2 || any_depth || !begins {
                    PatternToken::Star
                } else {
                    match next {
                        None => PatternToken::All,
                        Some(b'/') => PatternToken::Folders,
                        Some(_) => PatternToken::Star,
                    }
                };
                at += usize::from(stars == PatternToken::Folders);
                out.is_glob &= after_slash || stars == PatternToken::Star;
                stars
            }
            byte => PatternToken::Byte(*byte),
        };
        out.tokens.push(token);
    }
    Some(out)
}

/// Parses a bracket expression after its `[`. Returns the bytes it matches and its length, or
/// `None` if it is not closed.
fn parse_class(bytes: &[u8]) -> Option<(Vec<(u8, u8)>, usize)> {
    let negated = matches!(bytes.first(), Some(b'!' | b'^'));
    let mut at = usize::from(negated);
    let mut set = [false; 256];
    let mut previous = None;
    let start = at;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        match byte {
            b']' if at - 1 > start => break,
            b'-' if previous.is_some() && bytes.get(at).is_some_and(|next| *next != b']') => {
                let mut end = bytes[at];
                at += 1;
                if end == b'\\' {
                    end = *bytes.get(at)?;
                    at += 1;
                }
                (previous.take()?..=end).for_each(|byte| set[usize::from(byte)] = true);
                continue;
            }
            b'[' if bytes.get(at) == Some(&b':') => {
                if let Some((name, length)) = parse_named_class(&bytes[at + 1..]) {
                    (0..=u8::MAX).filter(name).for_each(|b| set[usize::from(b)] = true);
                    at += 1 + length;
                    previous = None;
                    continue;
                }
                set[usize::from(b'[')] = true;
            }
            b'\\' => {
                let escaped = *bytes.get(at)?;
                at += 1;
                set[usize::from(escaped)] = true;
                previous = Some(escaped);
                continue;
            }
            byte => set[usize::from(byte)] = true,
        }
        previous = Some(byte);
    }
    let wanted = |byte: u8| set[usize::from(byte)] != negated && byte != b'/';
    let ranges = (0..=u8::MAX).filter(|byte| wanted(*byte)).map(|byte| (byte, byte));
    Some((ranges.collect(), at))
}

type ByteClass = fn(&u8) -> bool;

/// Parses a named class such as `alpha:]`. Returns the class and the length.
fn parse_named_class(bytes: &[u8]) -> Option<(ByteClass, usize)> {
    let classes: [(&str, ByteClass); 12] = [
        ("alnum", u8::is_ascii_alphanumeric),
        ("alpha", u8::is_ascii_alphabetic),
        ("blank", |byte| matches!(byte, b' ' | b'\t')),
        ("cntrl", u8::is_ascii_control),
        ("digit", u8::is_ascii_digit),
        ("graph", u8::is_ascii_graphic),
        ("lower", u8::is_ascii_lowercase),
        ("print", |byte| matches!(byte, b' '..=b'~')),
        ("punct", u8::is_ascii_punctuation),
        ("space", |byte| matches!(byte, b' ' | b'\t'..=b'\r')),
        ("upper", u8::is_ascii_uppercase),
        ("xdigit", u8::is_ascii_hexdigit),
    ];
    classes.into_iter().find_map(|(name, class)| {
        let closed = bytes.strip_prefix(name.as_bytes())?.starts_with(b":]");
        closed.then_some((class, name.len() + 2))
    })
}

impl TokenizedPattern {
    /// Converts the pattern to an equivalent glob, if there is one.
    fn to_glob(&self) -> Option<globset::Glob> {
        if !self.is_glob {
            return None;
        }
        let mut glob = if self.any_depth { b"**/".to_vec() } else { Vec::new() };
        for token in &self.tokens {
            match token {
                PatternToken::Byte(byte) => {
                    if b"*?[]{}\\!,^-".contains(byte) {
                        glob.push(b'\\');
                    }
                    glob.push(*byte);
                }
                PatternToken::Any => glob.push(b'?'),
                PatternToken::Star => glob.push(b'*'),
                PatternToken::Folders => glob.extend_from_slice(b"**/"),
                PatternToken::All => glob.extend_from_slice(b"**"),
                PatternToken::Class(_) => return None,
            }
        }
        let glob = String::from_utf8(glob).ok()?;
        GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build().ok()
    }

    /// Converts the pattern to an equivalent regular expression.
    fn to_regex(&self) -> Option<Regex> {
        use std::fmt::Write;
        let mut text = if self.any_depth { "^(?:.*/)?".to_owned() } else { "^".to_owned() };
        for token in &self.tokens {
            let _ = match token {
                PatternToken::Byte(byte) => write!(text, "\\x{byte:02x}"),
                PatternToken::Any => text.write_str("[^/]"),
                PatternToken::Star => text.write_str("[^/]*"),
                PatternToken::Folders => text.write_str("(?:.*/)?"),
                PatternToken::All => text.write_str(".*"),
                // An empty class never matches.
                PatternToken::Class(bytes) if bytes.is_empty() => return None,
                PatternToken::Class(bytes) => {
                    let ranges =
                        bytes.iter().map(|(from, to)| format!("\\x{from:02x}-\\x{to:02x}"));
                    write!(text, "[{}]", ranges.collect::<String>())
                }
            };
        }
        text.push('$');
        let bytes = syntax::Config::new().unicode(false).utf8(false).dot_matches_new_line(true);
        Regex::builder().syntax(bytes).build(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rules: &str, path: &str, expected: Option<IgnoreVerdict>) {
        let decided = IgnoreRules::parse(rules).and_then(|rules| rules.decide(path, IsFolder::No));
        assert_eq!(decided, expected, "{rules:?} {path:?}");
    }

    #[test]
    fn lines_mean_what_git_means() {
        use IgnoreVerdict::{Ignored, Included};
        for (rules, path, expected) in [
            ("*.log\n!keep.log", "a/x.log", Some(Ignored)),
            ("*.log\n!keep.log", "a/keep.log", Some(Included)),
            ("/top", "top", Some(Ignored)),
            ("/top", "a/top", None),
            ("a/b", "x/a/b", None),
            ("a/**/b", "a/b", Some(Ignored)),
            ("a/**/b", "a/x/y/b", Some(Ignored)),
            ("a/**", "a/b/c", Some(Ignored)),
            ("a/**", "a", None),
            ("***/a", "c/d/a", Some(Ignored)),
            ("dir/", "dir", None),
            ("# x", "# x", None),
            ("\\#x", "#x", Some(Ignored)),
            ("\\!x", "!x", Some(Ignored)),
            ("x  ", "x", Some(Ignored)),
            ("a\\  ", "a ", Some(Ignored)),
            ("a\t", "a", None),
            ("*\n!", "x", Some(Ignored)),
            ("{a,b}", "{a,b}", Some(Ignored)),
            ("{a,b}", "a", None),
            ("[a", "[a", None),
            ("[b-a]", "b", Some(Ignored)),
            ("[a\\]b]", "]", Some(Ignored)),
            ("[[:alpha:]]", "c", Some(Ignored)),
            ("[!a-c]x", "dx", Some(Ignored)),
            ("[]-]", "-", Some(Ignored)),
            ("a\\", "a\\", None),
            ("**//", "x", None),
            ("", "x", None),
            ("/", "x", None),
        ] {
            check(rules, path, expected);
        }
    }
}
