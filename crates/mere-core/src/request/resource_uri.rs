//! The URIs of resources: `mere://knowledge/api/jwt`, `mere://memory/ops/limits`,
//! `mere://file/ROOT_PROJECT:/src/a.rs` and `skill://release/deploy/SKILL.md`.
//!
//! A URI is decoded once, here, because clients encode what they put into a template. What it
//! names is then an address, a reference or a path like any other, and is resolved as one.

use std::fmt;
use std::str::FromStr;

use crate::address::{Address, RelPath};
use crate::item::{Category, ItemRef, ItemType};

/// A resource that a client names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceUri {
    /// A knowledge entry or a memory.
    Note(ItemType, ItemRef),
    /// A file.
    File(Address),
    /// A file or folder of a skill: the name of the skill, and the path from its folder.
    Skill(RelPath),
}

/// A text that is not the URI of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the URI of a resource")]
pub struct ResourceUriError;

/// The longest URI, in bytes.
const MAX_URI_BYTES: usize = 8 * 1024;

impl FromStr for ResourceUri {
    type Err = ResourceUriError;

    fn from_str(text: &str) -> Result<Self, ResourceUriError> {
        if text.len() > MAX_URI_BYTES || text.contains(['?', '#']) {
            return Err(ResourceUriError);
        }
        let rest = |prefix: &str| text.strip_prefix(prefix).map(decode);
        if let Some(path) = rest("skill://") {
            let path = path?.parse::<RelPath>().map_err(|_| ResourceUriError)?;
            return if path.is_root() { Err(ResourceUriError) } else { Ok(Self::Skill(path)) };
        }
        if let Some(address) = rest("mere://file/") {
            return address?.parse().map(Self::File).map_err(|_| ResourceUriError);
        }
        for kind in [ItemType::Knowledge, ItemType::Memory] {
            if let Some(name) = rest(&format!("mere://{}/", kind.name())) {
                let name = name?.parse::<ItemRef>().map_err(|_| ResourceUriError)?;
                // A URI names one item: without a category, the one that has none.
                let category = name.category.clone().or_else(|| Some(Category::default()));
                return Ok(Self::Note(kind, ItemRef { category, ..name }));
            }
        }
        Err(ResourceUriError)
    }
}

impl fmt::Display for ResourceUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Note(kind, item) => {
                let name = item.to_string();
                write!(f, "mere://{}/{}", kind.name(), name.strip_prefix('/').unwrap_or(&name))
            }
            Self::File(address) => write!(f, "mere://file/{}", encode(&address.to_string())),
            Self::Skill(path) => write!(f, "skill://{}", encode(path.as_str())),
        }
    }
}

/// Escapes what RFC 3986 does not let stand in a path.
fn encode(text: &str) -> String {
    let encoded = text.bytes().map(|byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=:@".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    });
    encoded.collect()
}

/// Decodes percent escapes, all of which must be valid.
fn decode(text: &str) -> Result<String, ResourceUriError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || {
            let digit = rest.next().and_then(|byte| char::from(byte).to_digit(16));
            digit.and_then(|digit| u8::try_from(digit).ok()).ok_or(ResourceUriError)
        };
        bytes.push(digit()? * 16 + digit()?);
    }
    String::from_utf8(bytes).map_err(|_| ResourceUriError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_an_item_a_file_or_a_part_of_a_skill() {
        let note = |kind, name: &str| Ok(ResourceUri::Note(kind, name.parse().expect("a name")));
        let file = |address: &str| Ok(ResourceUri::File(address.parse().expect("an address")));
        let skill = |path: &str| Ok(ResourceUri::Skill(path.parse().expect("a path")));
        for (text, expected) in [
            ("mere://knowledge/api/jwt", note(ItemType::Knowledge, "api/jwt")),
            ("mere://knowledge/jwt", note(ItemType::Knowledge, "/jwt")),
            ("mere://memory/ops/limits", note(ItemType::Memory, "ops/limits")),
            ("mere://file/ROOT_PROJECT:/a%20b.md", file("ROOT_PROJECT:/a b.md")),
            ("mere://file/ROOT_PROJECT%3A%2Fsrc%2Fa.rs", file("ROOT_PROJECT:/src/a.rs")),
            // Only once.
            ("mere://file/ROOT_PROJECT:/%2525", file("ROOT_PROJECT:/%25")),
            ("skill://release/deploy/SKILL.md", skill("release/deploy/SKILL.md")),
        ] {
            assert_eq!(text.parse::<ResourceUri>(), expected, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "mere://",
            "mere://file/src/a.rs",
            "mere://file//etc/passwd",
            "mere://file/ROOT_PROJECT:/../x",
            "mere://file/ROOT_PROJECT:/%2e%2e/x",
            "mere://file/ROOT_PROJECT:/%00",
            "mere://file/ROOT_PROJECT:/%zz",
            "mere://file/ROOT_PROJECT:/%F",
            "mere://file/ROOT_PROJECT:/%ff",
            "mere://knowledge/../x",
            "mere://tool/x",
            "mere://knowledge/a?x=1",
            "skill://",
            "skill://../x/SKILL.md",
            "skill://a/%2e%2e/SKILL.md",
            "file:///etc/passwd",
            "MERE://knowledge/a",
        ] {
            assert_eq!(text.parse::<ResourceUri>(), Err(ResourceUriError), "{text}");
        }
    }
}
