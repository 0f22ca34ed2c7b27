//! `search:` of a config: the order of hits.
//!
//! A type that the config does not name keeps its default position after the named ones.

use mere_core::item::ItemType;
use serde::Deserialize;

use super::{SpannedTexts, YamlError};

/// The types that are searched, in their default order.
pub(crate) const SEARCHED_TYPES: [ItemType; 4] =
    [ItemType::Directive, ItemType::Tool, ItemType::Knowledge, ItemType::Memory];

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSearch {
    #[serde(rename = "typePriority")]
    type_priority: Option<SpannedTexts>,
}

/// Returns the order of types among equal hits. Types that are not named follow in the default
/// order.
pub(super) fn parse_type_priority(
    raw: Option<RawSearch>,
) -> Result<Option<Vec<ItemType>>, YamlError> {
    let Some(types) = raw.unwrap_or_default().type_priority else { return Ok(None) };
    let mut order = Vec::new();
    for one in types {
        let kind = SEARCHED_TYPES.into_iter().find(|kind| kind.name() == one.value);
        let Some(kind) = kind.filter(|kind| !order.contains(kind)) else {
            let reason =
                "the types must be directive, tool, knowledge or memory, each at most once";
            return Err(YamlError::at_location(one.referenced, reason.to_owned()));
        };
        order.push(kind);
    }
    let rest = SEARCHED_TYPES.into_iter().filter(|kind| !order.contains(kind)).collect::<Vec<_>>();
    order.extend(rest);
    Ok(Some(order))
}
