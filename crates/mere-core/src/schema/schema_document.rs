//! A schema document. Its references lead into itself and nowhere else.
//!
//! The `$id` and `$schema` at the top are removed, because they would change the base from which
//! the library resolves references; below the top they are refused for the same reason. A reference
//! therefore leads the library to exactly the same place as here, or nowhere.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::SchemaError;
use super::keyword::{self, SubschemaKey};

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A schema document and the anchors in it.
#[derive(Debug)]
pub(super) struct SchemaDocument {
    root: Value,
    /// Anchors and the JSON pointers that they stand for.
    anchors: BTreeMap<String, String>,
}

impl SchemaDocument {
    /// Collects the anchors of a document whose size was checked before.
    pub(super) fn parse(schema: &Value) -> Result<Self, SchemaError> {
        let mut root = schema.clone();
        if let Some(map) = root.as_object_mut() {
            if map.get("$schema").is_some_and(|draft| !is_supported_draft(draft)) {
                return Err(SchemaError::OtherDraft);
            }
            map.shift_remove("$schema");
            map.shift_remove("$id");
        }
        let mut anchors = BTreeMap::new();
        collect_anchors(&root, "", &mut anchors)?;
        Ok(Self { root, anchors })
    }

    /// Returns the top of the document.
    pub(super) fn root(&self) -> &Value {
        &self.root
    }

    /// Resolves a reference. Percent signs are refused, because implementations decode them
    /// differently.
    pub(super) fn resolve(&self, reference: &str) -> Option<&Value> {
        let fragment = reference.strip_prefix('#').filter(|fragment| !fragment.contains('%'))?;
        let pointer = match fragment.chars().next() {
            None | Some('/') => fragment,
            Some(_) => self.anchors.get(fragment)?,
        };
        self.root.pointer(pointer).filter(|schema| keyword::is_schema(schema))
    }
}

fn is_supported_draft(draft: &Value) -> bool {
    draft.as_str().is_some_and(|draft| draft.trim_end_matches('#') == DRAFT)
}

fn collect_anchors(
    schema: &Value,
    at: &str,
    anchors: &mut BTreeMap<String, String>,
) -> Result<(), SchemaError> {
    let Some(map) = schema.as_object() else { return Ok(()) };
    for keyword in ["$anchor", "$dynamicAnchor"] {
        if let Some(Value::String(name)) = map.get(keyword)
            && anchors.insert(name.clone(), at.to_owned()).is_some()
        {
            return Err(SchemaError::DuplicateAnchor);
        }
    }
    for part in keyword::subschemas(map) {
        let at = match part.key {
            SubschemaKey::Only => format!("{at}/{}", part.keyword),
            SubschemaKey::Index(index) => format!("{at}/{}/{index}", part.keyword),
            SubschemaKey::Name(name) => {
                let name = name.replace('~', "~0").replace('/', "~1");
                format!("{at}/{}/{name}", part.keyword)
            }
        };
        collect_anchors(part.schema, &at, anchors)?;
    }
    Ok(())
}

/// Refuses keywords that would change the base of references below the top.
pub(super) fn check_reference_base(schema: &Map<String, Value>) -> Result<(), SchemaError> {
    if schema.contains_key("$id") {
        return Err(SchemaError::NestedId);
    }
    match schema.get("$schema") {
        Some(draft) if !is_supported_draft(draft) => Err(SchemaError::OtherDraft),
        _ => Ok(()),
    }
}
