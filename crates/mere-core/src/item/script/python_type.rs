//! The JSON Schema of a Python type, as far as it is a plain one.

use serde_json::{Map, Value, json};

use super::ScriptLanguage;
use super::literal::parse_literal;
use super::tokens::{ScriptToken, TokenKind};

/// How deeply types may be nested.
const MAX_LEVELS: usize = 8;

/// Returns the schema of a type. One that is not known accepts anything.
pub(super) fn parse_type(tokens: &[ScriptToken<'_>]) -> Map<String, Value> {
    parse_nested(tokens, 0).unwrap_or_default()
}

/// Lets a schema accept null as well.
pub(super) fn allow_null(schema: &mut Map<String, Value>) {
    if let Some(Value::String(kind)) = schema.get("type") {
        schema.insert("type".to_owned(), json!([kind, "null"]));
    }
    if let Some(Value::Array(options)) = schema.get_mut("enum")
        && !options.contains(&Value::Null)
    {
        options.push(Value::Null);
    }
}

fn parse_nested(tokens: &[ScriptToken<'_>], level: usize) -> Option<Map<String, Value>> {
    let depth = tokens.first()?.depth;
    if level > MAX_LEVELS {
        return None;
    }
    let mut options = tokens.split(|token| token.depth == depth && token.kind.is_sign('|'));
    let is_none = |option: &[ScriptToken<'_>]| matches!(option, [one] if one.kind.is_name("None"));
    let (first, second, rest) = (options.next()?, options.next(), options.next());
    match (second, rest) {
        (None, _) => parse_single(first, level),
        (Some(second), None) if is_none(second) || is_none(first) => {
            let other = if is_none(second) { first } else { second };
            let mut schema = parse_single(other, level)?;
            allow_null(&mut schema);
            Some(schema)
        }
        _ => None,
    }
}

/// Parses a type without alternatives: a name, perhaps with its module and with types in brackets.
fn parse_single(tokens: &[ScriptToken<'_>], level: usize) -> Option<Map<String, Value>> {
    let bracket = tokens.iter().position(|token| token.kind.is_sign('['));
    let (name, inner) = tokens.split_at(bracket.unwrap_or(tokens.len()));
    let TokenKind::Name(name) = name.last()?.kind else { return None };
    let inner = match inner {
        [_, inner @ .., end] if end.kind.is_sign(']') => Some(inner),
        _ => None,
    };
    let of = |kind: &str| Map::from_iter([("type".to_owned(), Value::from(kind))]);
    match (name, inner) {
        ("str", None) => Some(of("string")),
        ("int", None) => Some(of("integer")),
        ("float", None) => Some(of("number")),
        ("bool", None) => Some(of("boolean")),
        ("list" | "List" | "Sequence", inner) => {
            let mut schema = of("array");
            let items = inner.and_then(|inner| parse_nested(inner, level + 1));
            if let Some(items) = items.filter(|items| !items.is_empty()) {
                schema.insert("items".to_owned(), Value::Object(items));
            }
            Some(schema)
        }
        ("dict" | "Dict" | "Mapping", _) => Some(of("object")),
        ("Optional", Some(inner)) => {
            let mut schema = parse_nested(inner, level + 1)?;
            allow_null(&mut schema);
            Some(schema)
        }
        ("Literal", Some(inner)) => {
            let depth = inner.first()?.depth;
            let options = inner.split(|token| token.depth == depth && token.kind.is_sign(','));
            let options = options.map(|option| parse_literal(ScriptLanguage::Python, option));
            let options = options.collect::<Option<Vec<_>>>()?;
            Some(Map::from_iter([("enum".to_owned(), Value::Array(options))]))
        }
        _ => None,
    }
}
