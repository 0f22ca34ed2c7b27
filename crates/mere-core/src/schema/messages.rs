//! The wording of problems, with the schema's words and ours, but never the instance's values.
//!
//! Nobody has checked those values; they may be secrets, or text that poses as an instruction.
//! Only names are repeated, and only if they are short and plain.

use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind as Kind};
use jsonschema::{JsonType, JsonTypeSet};
use serde_json::Value;

use super::{Problem, SchemaError, near_names};
use crate::text::canonical;

/// The longest name or literal that is repeated, in characters.
const MAX_LITERAL: usize = 64;
/// The most names or options that are listed.
const MAX_LISTED: usize = 12;

/// Describes an error of the library about an instance.
pub(super) fn describe_problem(
    error: &ValidationError<'_>,
    schema: &Value,
    instance: &Value,
) -> Problem {
    let at = error.instance_path().as_str();
    let is_closed = error.schema_path().as_str().ends_with("/additionalProperties");
    let message = match (error.kind(), instance.pointer(at)) {
        // The library does not name the keys if no key at all is allowed.
        (Kind::FalseSchema, Some(Value::Object(map))) if is_closed => {
            describe_unknown_names(&map.keys().cloned().collect::<Vec<_>>())
        }
        (kind, Some(Value::Object(map))) => {
            let (place, _) = error.schema_path().as_str().rsplit_once('/').unwrap_or_default();
            let hint = schema.pointer(place).and_then(|part| near_names::hint(kind, part, map));
            describe_kind(kind) + &hint.unwrap_or_default()
        }
        (kind, _) => describe_kind(kind),
    };
    Problem { pointer: plain_pointer(at), message }
}

/// Describes an error of the library about a schema.
pub(super) fn describe_schema_error(error: &ValidationError<'_>) -> SchemaError {
    let at = plain_pointer(error.instance_path().as_str());
    let what = match error.kind() {
        Kind::Referencing(_) => return SchemaError::Unresolved,
        Kind::Format { format } if format == "regex" => {
            "must be a small pattern without look-around and back-references".into()
        }
        kind => describe_kind(kind),
    };
    SchemaError::Invalid { at, what }
}

/// Returns a pointer in which segments that are not plain are replaced by an ellipsis.
fn plain_pointer(pointer: &str) -> String {
    let segments = pointer.split('/').map(|part| if is_plain(part) { part } else { "…" });
    segments.collect::<Vec<_>>().join("/")
}

fn describe_kind(kind: &Kind) -> String {
    match kind {
        Kind::Required { property } => format!("{} is missing", format_literal(property)),
        Kind::Type { kind } => format!("must be {}", describe_types(kind)),
        Kind::Enum { options } => format!("must be one of {}", format_literals(options)),
        Kind::Constant { expected_value } => format!("must be {}", format_literal(expected_value)),
        Kind::Format { format } => format!("must be in the format {}", quote(format)),
        Kind::Pattern { pattern } => format!("must match the pattern {}", quote(pattern)),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            describe_unknown_names(unexpected)
        }
        Kind::PropertyNames { error } => {
            format!("has an invalid name: {}", describe_kind(error.kind()))
        }
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            "must match one of the forms the schema allows".into()
        }
        Kind::OneOfMultipleValid { .. } => {
            "must match exactly one of the forms the schema allows, but matches several".into()
        }
        Kind::Not { .. } => "must not match the form the schema excludes".into(),
        Kind::FalseSchema => "is not allowed".into(),
        Kind::UniqueItems => "must not contain duplicate items".into(),
        Kind::Contains => {
            "must have the number of items that match `contains` that the schema requires".into()
        }
        kind => describe_limit(kind),
    }
}

/// Describes a value that is too large or too small.
fn describe_limit(kind: &Kind) -> String {
    match kind {
        Kind::MinLength { limit } => {
            format!("must have at least {}", pluralize(*limit, "character"))
        }
        Kind::MaxLength { limit } => {
            format!("must have at most {}", pluralize(*limit, "character"))
        }
        Kind::MinItems { limit } => format!("must have at least {}", pluralize(*limit, "item")),
        Kind::MaxItems { limit } => format!("must have at most {}", pluralize(*limit, "item")),
        Kind::MinProperties { limit } => format!("must have at least {}", pluralize(*limit, "key")),
        Kind::MaxProperties { limit } => format!("must have at most {}", pluralize(*limit, "key")),
        Kind::AdditionalItems { .. } | Kind::UnevaluatedItems { .. } => {
            "has more items than the schema allows".into()
        }
        Kind::Minimum { limit } => format!("must be at least {}", format_number(limit)),
        Kind::Maximum { limit } => format!("must be at most {}", format_number(limit)),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {}", format_number(limit)),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {}", format_number(limit)),
        kind => format!("does not fit {}", quote(kind.keyword())),
    }
}

fn describe_types(kind: &TypeKind) -> String {
    let set = match kind {
        TypeKind::Single(kind) => JsonTypeSet::empty().insert(*kind),
        TypeKind::Multiple(set) => *set,
    };
    let names = set.iter().map(|kind| match kind {
        JsonType::Array => "a list",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    });
    names.collect::<Vec<_>>().join(" or ")
}

fn pluralize(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn format_number(limit: &Value) -> String {
    shorten(&canonical::to_text(limit))
}

/// Describes names that the schema does not know; those that are not plain are only counted.
fn describe_unknown_names(names: &[String]) -> String {
    let plain = names.iter().filter(|name| is_plain(name)).take(MAX_LISTED);
    let mut listed = plain.map(|name| quote(name)).collect::<Vec<_>>();
    let rest = names.len() - listed.len();
    if rest > 0 {
        listed.push(if rest == 1 { "1 name".into() } else { format!("{rest} names") });
    }
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb} unknown", listed.join(", "))
}

fn format_literals(options: &Value) -> String {
    let options = options.as_array().map_or(&[][..], Vec::as_slice);
    let mut listed = options.iter().take(MAX_LISTED).map(format_literal).collect::<Vec<_>>();
    if options.len() > MAX_LISTED {
        listed.push(format!("{} more", options.len() - MAX_LISTED));
    }
    listed.join(", ")
}

/// Formats a value of the schema: a plain text as it is, anything else as JSON.
fn format_literal(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) && !text.is_empty() => quote(text),
        value => quote(&canonical::to_text(value)),
    }
}

pub(super) fn quote(text: &str) -> String {
    format!("`{}`", shorten(text))
}

/// Returns a text for a sentence. One that is too long is left out and not cut, because a part of a
/// path or of a secret would not be recognised as one.
fn shorten(text: &str) -> String {
    match text.chars().count() {
        0..=MAX_LITERAL => text.replace(['`', '\n', '\r'], "'"),
        count => format!("({count} characters)"),
    }
}

/// Checks whether a name can be put into a sentence without being mistaken for anything else.
pub(super) fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || c == ' ' || (c.is_ascii_graphic() && c != '`');
    name.chars().count() <= MAX_LITERAL && name.chars().all(is_plain)
}
