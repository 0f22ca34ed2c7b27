//! The arguments of the tools that create, delete and describe categories.

use std::str::FromStr;

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::{CallError, StoreVerb, Verb};
use crate::category::{DeletableContents, Description, Force};
use crate::item::Category;

pub(super) const CREATE_ABOUT: &str =
    "Create a category for memories, with missing ancestors. An existing one stays as it is.";
pub(super) const DELETE_ABOUT: &str =
    "Delete a category. Configured categories, and what is not a memory, cannot be deleted.";
pub(super) const DESCRIBE_ABOUT: &str =
    "Describe what a category is for; an empty text clears the description.";

const PATH: Parameter = Parameter {
    name: "path",
    kind: ParameterKind::Text,
    need: Need::Required,
    about: "Such as `api/auth`.",
};

pub(super) const CREATE: &[Parameter] = &[
    PATH,
    Parameter { name: "description", kind: ParameterKind::Text, need: Need::Optional, about: "" },
];

pub(super) const DELETE: &[Parameter] = &[
    PATH,
    Parameter { name: "recursive", kind: ParameterKind::Flag, need: Need::Optional, about: "" },
];

pub(super) const DESCRIBE: &[Parameter] = &[
    PATH,
    Parameter {
        name: "description",
        kind: ParameterKind::Text,
        need: Need::Required,
        about: "At most 500 characters.",
    },
];

/// One call about a category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryCall {
    /// The category.
    pub path: Category,
    /// The change to make.
    pub change: CategoryChange,
    /// Tells whether a person overrides the mode; agents never do.
    pub force: Force,
}

/// A change to a category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CategoryChange {
    /// Creates it.
    Create {
        /// The description, which is used if the category is new.
        description: Option<Description>,
    },
    /// Deletes it.
    Delete {
        /// Tells whether it may contain anything.
        depth: DeletableContents,
    },
    /// Counts what is in it, for a person who is about to delete it.
    CountContents,
    /// Describes it.
    Describe {
        /// The new description.
        description: Description,
    },
}

pub(super) fn parse_create(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let description = arguments.text("description")?;
    let description = description.map(|text| parse_description(arguments, text)).transpose()?;
    category_call(arguments, CategoryChange::Create { description })
}

pub(super) fn parse_delete(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let depth = if arguments.flag("recursive")? {
        DeletableContents::Memories
    } else {
        DeletableContents::Nothing
    };
    category_call(arguments, CategoryChange::Delete { depth })
}

pub(super) fn parse_describe(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let description = parse_description(arguments, arguments.required_text("description")?)?;
    category_call(arguments, CategoryChange::Describe { description })
}

fn category_call(arguments: &Arguments<'_>, what: CategoryChange) -> Result<Verb, CallError> {
    let path = category(arguments, "path")?;
    let path = path.ok_or_else(|| arguments.malformed_error("path", CATEGORY_FORM))?;
    Ok(Verb::Stores(StoreVerb::Category(CategoryCall { path, change: what, force: Force::No })))
}

const CATEGORY_FORM: &str =
    "one to eight levels of lower-case letters, digits, `_` and `-`, such as `api/auth`";

/// Returns a category that must be well-formed, or `None` for the top level.
pub(super) fn category(
    arguments: &Arguments<'_>,
    name: &'static str,
) -> Result<Option<Category>, CallError> {
    let category = arguments.text(name)?.map(Category::from_str).transpose();
    let category = category.map_err(|_| arguments.malformed_error(name, CATEGORY_FORM))?;
    Ok(category.filter(|category| !category.is_empty()))
}

fn parse_description(arguments: &Arguments<'_>, text: &str) -> Result<Description, CallError> {
    let takes = "at most 500 visible characters";
    text.parse().map_err(|_| arguments.malformed_error("description", takes))
}
