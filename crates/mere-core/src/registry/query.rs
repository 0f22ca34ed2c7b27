//! The queries of search and of lists: what comes after the `?`.
//!
//! Each key may be there once, and unknown keys are refused, so that a misspelt filter is not
//! ignored. Values are percent-encoded UTF-8.

use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use super::namespace::Namespace;
use super::published_name::RegistryType;
use crate::item::Category;

/// The longest query in bytes.
const MAX_QUERY_BYTES: usize = 4096;
/// The longest text to search for, in bytes.
const MAX_TEXT_BYTES: usize = 1024;
/// The most items of a page.
pub const MAX_PAGE_ITEMS: u16 = 100;
/// How many items a page has if nothing else is asked for.
pub const DEFAULT_PAGE_ITEMS: u16 = 20;

/// Which items are listed or searched, and which page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegistryQuery {
    /// The words to search for; empty for a list.
    pub text: String,
    /// The types; all if empty.
    pub types: Vec<RegistryType>,
    /// The only namespace.
    pub namespace: Option<Namespace>,
    /// The only category, with everything below it.
    pub category: Option<Category>,
    /// How many items the page has.
    pub limit: Option<u16>,
    /// Where the page begins.
    pub cursor: Option<String>,
}

/// Which relationships of an entry are asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RelationshipDirection {
    /// Those that it states.
    #[default]
    Out,
    /// Those that others state about it.
    In,
}

/// A query that is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the query is malformed, or has an unknown or repeated key")]
pub struct RegistryQueryError;

impl RegistryQuery {
    /// Returns how many items the page has.
    pub fn page_size(&self) -> u16 {
        self.limit.unwrap_or(DEFAULT_PAGE_ITEMS)
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let types = self.types.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(",");
        let fields = [
            ("q", Some(self.text.clone()).filter(|text| !text.is_empty())),
            ("types", Some(types).filter(|types| !types.is_empty())),
            ("namespace", self.namespace.as_ref().map(ToString::to_string)),
            ("category", self.category.as_ref().map(ToString::to_string)),
            ("limit", self.limit.map(|limit| limit.to_string())),
            ("cursor", self.cursor.clone()),
        ];
        fields.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}

impl fmt::Display for RegistryQuery {
    /// Writes the query without the `?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (key, value)) in self.fields().iter().enumerate() {
            let and = if at == 0 { "" } else { "&" };
            write!(f, "{and}{key}={}", encode(value))?;
        }
        Ok(())
    }
}

impl FromStr for RegistryQuery {
    type Err = RegistryQueryError;

    /// Accepts `type` for one type, and `types` for several.
    fn from_str(text: &str) -> Result<Self, RegistryQueryError> {
        let mut query = Self::default();
        for (key, value) in parse_pairs(text)? {
            match key {
                "q" if value.len() <= MAX_TEXT_BYTES => query.text = value,
                "type" | "types" if query.types.is_empty() => query.types = parse_types(&value)?,
                "namespace" => query.namespace = Some(parse(&value)?),
                "category" => query.category = Some(parse(&value)?),
                "limit" => query.limit = Some(parse_limit(&value)?),
                "cursor" => query.cursor = Some(value),
                _ => return Err(RegistryQueryError),
            }
        }
        Ok(query)
    }
}

impl RelationshipDirection {
    /// Returns the query for it, without the `?`.
    pub fn query(self) -> &'static str {
        match self {
            Self::Out => "direction=out",
            Self::In => "direction=in",
        }
    }

    /// Parses a query, which may be empty.
    pub fn parse_query(text: &str) -> Result<Self, RegistryQueryError> {
        let all = [Self::Out, Self::In];
        let found = all.into_iter().find(|direction| direction.query() == text);
        found.or_else(|| text.is_empty().then(Self::default)).ok_or(RegistryQueryError)
    }
}

fn parse<T: FromStr>(text: &str) -> Result<T, RegistryQueryError> {
    text.parse().map_err(|_| RegistryQueryError)
}

fn parse_limit(text: &str) -> Result<u16, RegistryQueryError> {
    let limit = parse::<u16>(text)?;
    if (1..=MAX_PAGE_ITEMS).contains(&limit) { Ok(limit) } else { Err(RegistryQueryError) }
}

fn parse_types(text: &str) -> Result<Vec<RegistryType>, RegistryQueryError> {
    let mut types = Vec::new();
    for name in text.split(',') {
        let kind = parse(name)?;
        if types.contains(&kind) {
            return Err(RegistryQueryError);
        }
        types.push(kind);
    }
    Ok(types)
}

/// Splits a query into keys and decoded values. No key may be there twice.
fn parse_pairs(text: &str) -> Result<Vec<(&str, String)>, RegistryQueryError> {
    if text.len() > MAX_QUERY_BYTES {
        return Err(RegistryQueryError);
    }
    let mut pairs = Vec::<(&str, String)>::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or(RegistryQueryError)?;
        if pairs.iter().any(|(other, _)| *other == key) {
            return Err(RegistryQueryError);
        }
        pairs.push((key, decode(value)?));
    }
    Ok(pairs)
}

/// Percent-encodes all but the characters that never need it.
fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Decodes percent signs, and `+` as a space, as forms in browsers write it.
fn decode(text: &str) -> Result<String, RegistryQueryError> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        out.push(match first {
            b'+' => b' ',
            b'%' => {
                let (digits, after) = rest.split_first_chunk::<2>().ok_or(RegistryQueryError)?;
                rest = after;
                hex_value(digits[0])? << 4 | hex_value(digits[1])?
            }
            other => *other,
        });
    }
    String::from_utf8(out).map_err(|_| RegistryQueryError)
}

fn hex_value(digit: u8) -> Result<u8, RegistryQueryError> {
    let value = char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    value.ok_or(RegistryQueryError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_as_it_is_written() {
        let query = RegistryQuery {
            text: "jwt & größe=50% +x/\"'".to_owned(),
            types: vec![RegistryType::Tool, RegistryType::Knowledge],
            namespace: Some("acme".parse().expect("a namespace")),
            category: Some("api/auth".parse().expect("a category")),
            limit: Some(50),
            cursor: Some("a=b&c".to_owned()),
        };
        assert_eq!(query.to_string().parse(), Ok(query.clone()));
        assert!(query.to_string().is_ascii());
        assert_eq!("".parse(), Ok(RegistryQuery::default()));
        assert_eq!(RegistryQuery::default().to_string(), "");
        let of_form = "q=two+words&type=tool".parse::<RegistryQuery>().expect("a query");
        assert_eq!((of_form.text.as_str(), of_form.types), ("two words", vec![RegistryType::Tool]));
        assert_eq!(of_form.limit, None);
    }

    #[test]
    fn a_malformed_query_is_refused() {
        let long = format!("q={}", "a".repeat(MAX_TEXT_BYTES + 1));
        for bad in [
            "q",
            "x=1",
            "q=a&q=b",
            "type=tool&types=tool",
            "types=tool,tool",
            "types=",
            "limit=0",
            "limit=101",
            "limit=x",
            "limit=-1",
            "namespace=Admin",
            "category=A",
            "q=%",
            "q=%4",
            "q=%zz",
            "q=%ff",
            "type=memory",
            &long,
        ] {
            assert_eq!(bad.parse::<RegistryQuery>(), Err(RegistryQueryError), "{bad}");
        }
    }

    #[test]
    fn a_direction_has_one_query() {
        for direction in [RelationshipDirection::Out, RelationshipDirection::In] {
            assert_eq!(RelationshipDirection::parse_query(direction.query()), Ok(direction));
        }
        assert_eq!(RelationshipDirection::parse_query(""), Ok(RelationshipDirection::Out));
        assert!(RelationshipDirection::parse_query("direction=both").is_err());
    }
}
