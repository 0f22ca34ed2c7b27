//! Plain literals of Python and JavaScript, as JSON.
//!
//! Only what is written out counts: a name, a call or an operation is not a literal.

use serde_json::{Map, Number, Value};

use super::ScriptLanguage;
use super::tokens::{ScriptToken, TokenKind};

/// How deeply values may be nested.
const MAX_LEVELS: usize = 24;

/// Parses tokens that are one literal and nothing else.
pub(super) fn parse_literal(language: ScriptLanguage, tokens: &[ScriptToken<'_>]) -> Option<Value> {
    let mut parser = LiteralParser { language, tokens };
    let value = parser.value(0)?;
    while parser.tokens.first().is_some_and(|token| token.kind.is_sign(';')) {
        parser.tokens = &parser.tokens[1..];
    }
    parser.tokens.is_empty().then_some(value)
}

struct LiteralParser<'a, 't> {
    language: ScriptLanguage,
    tokens: &'t [ScriptToken<'a>],
}

impl<'a, 't> LiteralParser<'a, 't> {
    fn next(&mut self) -> Option<&'t TokenKind<'a>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(&first.kind)
    }

    fn take_sign(&mut self, sign: char) -> bool {
        let is_there = self.tokens.first().is_some_and(|token| token.kind.is_sign(sign));
        if is_there {
            self.tokens = &self.tokens[1..];
        }
        is_there
    }

    fn value(&mut self, level: usize) -> Option<Value> {
        if level > MAX_LEVELS {
            return None;
        }
        match self.next()? {
            TokenKind::Text(text) => self.text(text.clone()?),
            TokenKind::Number(text) => parse_number(text).map(Value::Number),
            TokenKind::Name(name) => match (self.language, *name) {
                (ScriptLanguage::Python, "True") | (ScriptLanguage::Node, "true") => {
                    Some(Value::Bool(true))
                }
                (ScriptLanguage::Python, "False") | (ScriptLanguage::Node, "false") => {
                    Some(Value::Bool(false))
                }
                (ScriptLanguage::Python, "None") | (ScriptLanguage::Node, "null") => {
                    Some(Value::Null)
                }
                _ => None,
            },
            TokenKind::Sign('-') => match self.next()? {
                TokenKind::Number(text) => parse_number(&format!("-{text}")).map(Value::Number),
                _ => None,
            },
            TokenKind::Sign('[') => self.list(']', level),
            TokenKind::Sign('(') if self.language == ScriptLanguage::Python => {
                self.list(')', level)
            }
            TokenKind::Sign('{') => self.mapping(level),
            TokenKind::Sign(_) => None,
        }
    }

    /// Joins texts that follow each other, as Python does.
    fn text(&mut self, mut text: String) -> Option<Value> {
        while self.language == ScriptLanguage::Python
            && let Some(ScriptToken { kind: TokenKind::Text(more), .. }) = self.tokens.first()
        {
            text += more.as_deref()?;
            self.tokens = &self.tokens[1..];
        }
        Some(Value::String(text))
    }

    fn list(&mut self, end: char, level: usize) -> Option<Value> {
        let mut items = Vec::new();
        let mut has_comma = false;
        while !self.take_sign(end) {
            items.push(self.value(level + 1)?);
            has_comma = self.take_sign(',');
            if !has_comma && !self.tokens.first()?.kind.is_sign(end) {
                return None;
            }
        }
        // Brackets around a single value are not a tuple.
        match (end, items.len(), has_comma) {
            (')', 1, false) => items.pop(),
            _ => Some(Value::Array(items)),
        }
    }

    fn mapping(&mut self, level: usize) -> Option<Value> {
        let mut map = Map::new();
        while !self.take_sign('}') {
            let key = match self.next()? {
                TokenKind::Text(text) => text.clone()?,
                TokenKind::Name(name) if self.language == ScriptLanguage::Node => {
                    (*name).to_owned()
                }
                _ => return None,
            };
            if !self.take_sign(':') {
                return None;
            }
            let value = self.value(level + 1)?;
            map.insert(key, value);
            if !self.take_sign(',') && !self.tokens.first()?.kind.is_sign('}') {
                return None;
            }
        }
        Some(Value::Object(map))
    }
}

fn parse_number(text: &str) -> Option<Number> {
    let digits = text.replace('_', "");
    match digits.parse::<i64>() {
        Ok(number) => Some(number.into()),
        Err(_) => digits.parse::<f64>().ok().and_then(Number::from_f64),
    }
}
