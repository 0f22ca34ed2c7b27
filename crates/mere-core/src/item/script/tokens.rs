//! The tokens of a script: names, numbers, texts and signs, with where they stand.
//!
//! Comments are left out. A script that cannot be split to its end gives the tokens before the place
//! where it stopped, and says so. The number of tokens is limited.

use super::ScriptLanguage;

/// The largest number of tokens that are read.
const MAX_TOKENS: usize = 200_000;
/// The deepest nesting of brackets that is counted.
const MAX_DEPTH: usize = 1_000;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScriptToken<'a> {
    pub(super) kind: TokenKind<'a>,
    /// How many brackets are open before it. A closing bracket counts as outside of its pair.
    pub(super) depth: usize,
    /// The column, if it is the first token of its line.
    pub(super) line_start: Option<usize>,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind<'a> {
    Name(&'a str),
    Number(&'a str),
    /// A text; `None` if its value is not plain, such as that of a text with templates in it.
    Text(Option<String>),
    Sign(char),
}

/// The tokens of a script.
#[derive(Default)]
pub(super) struct Tokens<'a> {
    pub(super) list: Vec<ScriptToken<'a>>,
    /// Whether the script could be split to its end.
    pub(super) is_complete: bool,
}

impl TokenKind<'_> {
    pub(super) fn is_name(&self, name: &str) -> bool {
        matches!(self, Self::Name(one) if *one == name)
    }

    pub(super) fn is_sign(&self, sign: char) -> bool {
        *self == Self::Sign(sign)
    }
}

/// Splits a Python or JavaScript text into tokens.
pub(super) fn split(language: ScriptLanguage, text: &str) -> Tokens<'_> {
    let mut splitter = Splitter {
        language,
        text,
        at: 0,
        line: 0,
        depth: 0,
        is_line_start: true,
        tokens: Tokens::default(),
    };
    splitter.tokens.is_complete = splitter.split_all().is_some();
    splitter.tokens
}

/// A text has no end.
struct Unterminated;

struct Splitter<'a> {
    language: ScriptLanguage,
    text: &'a str,
    at: usize,
    /// The offset of the current line.
    line: usize,
    depth: usize,
    is_line_start: bool,
    tokens: Tokens<'a>,
}

impl<'a> Splitter<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Splits until the end. Returns `None` where the text cannot be split further.
    fn split_all(&mut self) -> Option<()> {
        if self.rest().starts_with("#!") {
            self.skip_line();
        }
        while let Some(next) = self.rest().chars().next() {
            match next {
                '\n' => {
                    self.at += 1;
                    self.line = self.at;
                    self.is_line_start = true;
                }
                '\\' if self.is_continued() => self.skip_continuation(),
                _ if next.is_whitespace() || next == '\u{feff}' => self.at += next.len_utf8(),
                _ if self.skip_comment()? => {}
                _ => self.read_token(next)?,
            }
        }
        (self.depth == 0).then_some(())
    }

    fn is_continued(&self) -> bool {
        self.rest().starts_with("\\\n") || self.rest().starts_with("\\\r\n")
    }

    /// Skips a backslash and the line end after it. The next line belongs to this one.
    fn skip_continuation(&mut self) {
        self.at += self.rest().find('\n').map_or(1, |end| end + 1);
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Skips a comment, if there is one here.
    fn skip_comment(&mut self) -> Option<bool> {
        let rest = self.rest();
        let (line_mark, is_script) = match self.language {
            ScriptLanguage::Node => ("//", true),
            ScriptLanguage::Python | ScriptLanguage::Bash => ("#", false),
        };
        if rest.starts_with(line_mark) {
            self.skip_line();
            return Some(true);
        }
        if is_script && rest.starts_with("/*") {
            self.at += rest.find("*/")? + 2;
            return Some(true);
        }
        Some(false)
    }

    fn read_token(&mut self, next: char) -> Option<()> {
        let start = self.at;
        let rest = self.rest();
        if let Some(kind) = self.read_text(next).ok()? {
            self.push(kind, start);
        } else if next.is_alphabetic() || next == '_' || next == '$' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
            let name = &rest[..end.unwrap_or(rest.len())];
            self.at += name.len();
            self.push(TokenKind::Name(name), start);
        } else if next.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
            let number = &rest[..end.unwrap_or(rest.len())];
            self.at += number.len();
            self.push(TokenKind::Number(number), start);
        } else {
            self.at += next.len_utf8();
            if ")]}".contains(next) {
                self.depth = self.depth.checked_sub(1)?;
            }
            self.push(TokenKind::Sign(next), start);
            if "([{".contains(next) {
                self.depth += 1;
            }
        }
        let is_bounded = self.tokens.list.len() < MAX_TOKENS && self.depth < MAX_DEPTH;
        is_bounded.then_some(())
    }

    fn push(&mut self, kind: TokenKind<'a>, start: usize) {
        let line_start = self.is_line_start.then(|| start - self.line);
        self.is_line_start = false;
        self.tokens.list.push(ScriptToken { kind, depth: self.depth, line_start });
    }

    /// Reads a text, if there is one here.
    fn read_text(&mut self, next: char) -> Result<Option<TokenKind<'a>>, Unterminated> {
        let rest = self.rest();
        match self.language {
            ScriptLanguage::Python | ScriptLanguage::Bash => {
                let is_letter = |c: &char| "rRbBfFuU".contains(*c);
                let quote = rest.chars().take(2).take_while(is_letter).count();
                let prefix = &rest[..quote];
                if !rest[quote..].starts_with(['"', '\'']) {
                    return Ok(None);
                }
                self.at += quote;
                let mark = self.rest().get(..3).filter(|mark| ["\"\"\"", "'''"].contains(mark));
                let mark = mark.or(self.rest().get(..1)).ok_or(Unterminated)?;
                let has = |letters: &str| prefix.contains(|c| letters.contains(c));
                let body = self.read_body(mark).ok_or(Unterminated)?;
                let value = if has("bBfF") {
                    None
                } else if has("rR") {
                    Some(body.to_owned())
                } else {
                    unescape(body)
                };
                Ok(Some(TokenKind::Text(value)))
            }
            ScriptLanguage::Node => match next {
                '"' | '\'' | '`' => {
                    let body = self.read_body(&rest[..1]).ok_or(Unterminated)?;
                    let is_plain = next != '`' || !body.contains("${");
                    let value = if is_plain { unescape(body) } else { None };
                    Ok(Some(TokenKind::Text(value)))
                }
                '/' if self.is_pattern_here() => {
                    self.skip_pattern().ok_or(Unterminated)?;
                    Ok(Some(TokenKind::Text(None)))
                }
                _ => Ok(None),
            },
        }
    }

    /// Reads a text from its opening mark to its closing one, and returns what is between them.
    fn read_body(&mut self, mark: &str) -> Option<&'a str> {
        let is_long = mark.len() == 3 || mark == "`";
        let start = self.at + mark.len();
        let body = &self.text[start..];
        let mut letters = body.char_indices();
        while let Some((at, letter)) = letters.next() {
            if body[at..].starts_with(mark) {
                self.at = start + at + mark.len();
                return Some(&body[..at]);
            }
            match letter {
                '\\' => drop(letters.next()),
                '\n' if !is_long => return None,
                _ => {}
            }
        }
        None
    }

    /// Reports whether a slash starts a regular expression: it does where no value ends before it.
    fn is_pattern_here(&self) -> bool {
        match self.tokens.list.last().map(|token| &token.kind) {
            None => true,
            Some(TokenKind::Sign(sign)) => !")]}".contains(*sign),
            Some(TokenKind::Name(name)) => ["return", "typeof", "case", "in", "of"].contains(name),
            Some(TokenKind::Number(_) | TokenKind::Text(_)) => false,
        }
    }

    fn skip_pattern(&mut self) -> Option<()> {
        let mut is_class = false;
        let mut letters = self.rest().char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => drop(letters.next()),
                '[' => is_class = true,
                ']' => is_class = false,
                '\n' => return None,
                '/' if !is_class => {
                    self.at += at + 1;
                    return Some(());
                }
                _ => {}
            }
        }
        None
    }
}

/// Replaces the escapes that both languages have. Returns `None` for others.
fn unescape(body: &str) -> Option<String> {
    let mut value = String::with_capacity(body.len());
    let mut letters = body.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            value.push(letter);
            continue;
        }
        let digits = match letters.next()? {
            'n' => {
                value.push('\n');
                continue;
            }
            't' => {
                value.push('\t');
                continue;
            }
            'r' => {
                value.push('\r');
                continue;
            }
            '\n' => continue,
            own @ ('\\' | '\'' | '"' | '`') => {
                value.push(own);
                continue;
            }
            'x' => 2,
            'u' => 4,
            _ => return None,
        };
        let hex = letters.by_ref().take(digits).collect::<String>();
        let is_whole = hex.len() == digits && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = u32::from_str_radix(&hex, 16).ok().filter(|_| is_whole)?;
        value.push(char::from_u32(code)?);
    }
    Some(value)
}
