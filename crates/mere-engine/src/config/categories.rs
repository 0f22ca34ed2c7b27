//! `categoryMode:` and `categories:` of a config: the category hierarchy of a store or of an item
//! type.
//!
//! A category that is named is protected, even if its entry is empty or has an empty description.

use mere_core::category::{CategoryMode, ConfiguredCategory, Description, Hierarchy};
use mere_core::item::{Category, IdError, ItemId};
use serde::Deserialize;
use serde_saphyr::Spanned;

use super::YamlError;
use super::ordered_map::OrderedMap;
use super::policies::{self, RawPolicy};

/// The categories of one level.
pub(super) type RawCategories = OrderedMap<Option<RawCategory>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCategory {
    description: Option<Spanned<String>>,
    subcategories: Option<RawCategories>,
    policies: Option<Spanned<RawPolicy>>,
}

/// What the categories hold. Only categories of memories may have policies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CategoryUse {
    Memories,
    Items,
}

pub(super) fn parse_mode(mode: Option<Spanned<String>>) -> Result<CategoryMode, YamlError> {
    let Some(mode) = mode else { return Ok(CategoryMode::default()) };
    mode.value.parse().map_err(|error| error_at(&mode, error))
}

pub(super) fn parse(
    categories: Option<RawCategories>,
    holds: CategoryUse,
) -> Result<Hierarchy, YamlError> {
    let top_level = parse_level(categories, &Category::default(), holds)?;
    Ok(Hierarchy { top_categories: top_level, ..Hierarchy::default() })
}

fn parse_level(
    categories: Option<RawCategories>,
    parent: &Category,
    holds: CategoryUse,
) -> Result<Vec<ConfiguredCategory>, YamlError> {
    let Some(categories) = categories else { return Ok(Vec::new()) };
    let level = categories.into_unique_entries()?.into_iter();
    level.map(|(name, raw)| parse_category(&name, raw, parent, holds)).collect()
}

fn parse_category(
    name: &Spanned<String>,
    raw: Option<RawCategory>,
    parent: &Category,
    holds: CategoryUse,
) -> Result<ConfiguredCategory, YamlError> {
    let category = parse_name(name, parent)?;
    let Some(raw) = raw else {
        return Ok(ConfiguredCategory {
            category,
            description: Description::default(),
            policy: policies::parse(None)?,
            subcategories: Vec::new(),
        });
    };
    if let Some(policies) = raw.policies.as_ref().filter(|_| holds == CategoryUse::Items) {
        let reason =
            "policies apply only to memories, but these categories hold items: remove this key";
        return Err(YamlError::at_location(policies.referenced, reason.to_owned()));
    }
    let subcategories = parse_level(raw.subcategories, &category, holds)?;
    Ok(ConfiguredCategory {
        description: parse_description(raw.description)?,
        policy: policies::parse(raw.policies.map(|policies| policies.value))?,
        subcategories,
        category,
    })
}

/// Parses the key of a category. A key is one level, and deeper levels are nested.
fn parse_name(name: &Spanned<String>, parent: &Category) -> Result<Category, YamlError> {
    if name.value.contains('/') {
        let reason = "a key names one category: nest deeper categories under `subcategories`";
        return Err(YamlError::at_location(name.referenced, reason.to_owned()));
    }
    let level = name.value.parse::<ItemId>().map_err(|error| error_at(name, error))?;
    parent.child(&level).map_err(|error: IdError| error_at(name, error))
}

pub(super) fn parse_description(
    description: Option<Spanned<String>>,
) -> Result<Description, YamlError> {
    let Some(description) = description else { return Ok(Description::default()) };
    description.value.parse().map_err(|error| error_at(&description, error))
}

fn error_at(text: &Spanned<String>, error: impl std::error::Error) -> YamlError {
    YamlError::at_location(text.referenced, error.to_string())
}
