//! The arguments of `mere category`.
//!
//! They are parsed here and run in `categories.rs`; the store's mode decides what is permitted.

use clap::{Args, Subcommand};
use mere_core::address::ModName;
use mere_core::category::{DeletableContents, Description, Force};
use mere_core::item::{Category, IdError};

use super::AnswerArguments;

/// Commands for categories.
#[derive(Args)]
#[command(after_help = "Examples:
  mere category list
  mere category create api/auth --description 'Who may do what'
  mere category define standards --description 'How we write code'")]
pub(crate) struct CategoryArguments {
    #[command(subcommand)]
    pub(crate) what: CategoryCommandArguments,
    /// The memory store [default: `settings.defaultStore`, else the first]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) store: Option<ModName>,
}

impl CategoryArguments {
    /// Checks whether the person overrides the store's mode.
    pub(crate) fn is_forced(&self) -> bool {
        match &self.what {
            CategoryCommandArguments::Create(arguments) => arguments.force,
            CategoryCommandArguments::Delete(arguments) => arguments.force,
            _ => false,
        }
    }
}

#[derive(Subcommand)]
pub(crate) enum CategoryCommandArguments {
    /// Create a category
    ///
    /// Also creates missing parents, where the store's mode allows it. An existing category stays
    /// as it is.
    Create(CreateCategoryArguments),
    /// Delete a category
    ///
    /// Asks first. A category named in config.yaml is never deleted.
    Delete(DeleteCategoryArguments),
    /// Describe what a category is for
    ///
    /// The description is kept in the category itself. For a category named in config.yaml, change
    /// it there.
    #[command(after_help = "Examples:
  mere category describe api/auth 'Who may do what'
  mere category describe api/auth ''      remove the description")]
    Describe {
        /// The category, such as api/auth
        #[arg(value_parser = parse_named_category)]
        path: Category,
        /// What it is for, at most 500 characters; '' removes the description
        #[arg(value_name = "TEXT")]
        description: Description,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Name a category in config.yaml, which protects it
    ///
    /// Comments in config.yaml are kept.
    #[command(after_help = "Examples:
  mere category define standards
  mere category define standards/testing --description 'How we test'")]
    Define {
        /// The category, such as api/auth
        #[arg(value_parser = parse_named_category)]
        path: Category,
        /// What it is for, at most 500 characters
        #[arg(long, value_name = "TEXT")]
        description: Option<Description>,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Remove a category from config.yaml; its folder stays
    #[command(after_help = "Example:
  mere category undefine standards/testing")]
    Undefine {
        /// The category, such as api/auth
        #[arg(value_parser = parse_named_category)]
        path: Category,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// List categories, what they are for, and how many memories each has
    #[command(after_help = "Examples:
  mere category list
  mere category list standards      those directly below it")]
    List {
        /// Only the categories directly below this one [default: the top categories]
        category: Option<Category>,
        #[command(flatten)]
        answer: AnswerArguments,
    },
}

/// The arguments for a category to create.
#[derive(Args)]
#[command(after_help = "Examples:
  mere category create api/auth
  mere category create api/auth --description 'Who may do what'
  mere category create api --force      even though the store's mode forbids it")]
pub(crate) struct CreateCategoryArguments {
    /// The category, such as api/auth
    #[arg(value_parser = parse_named_category)]
    pub(crate) path: Category,
    /// What it is for, at most 500 characters
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<Description>,
    /// Create it even if the store's mode forbids it; only at a terminal
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl CreateCategoryArguments {
    /// Returns whether the person overrides the store's mode.
    pub(crate) fn force(&self) -> Force {
        if self.force { Force::Mode } else { Force::No }
    }
}

/// The arguments for a category to delete.
#[derive(Args)]
#[command(after_help = "Examples:
  mere category delete api/auth
  mere category delete api --recursive --yes")]
pub(crate) struct DeleteCategoryArguments {
    /// The category, such as api/auth
    #[arg(value_parser = parse_named_category)]
    pub(crate) path: Category,
    /// Delete everything in it as well
    #[arg(long, short)]
    pub(crate) recursive: bool,
    /// Delete it even if the store's mode forbids it; only at a terminal
    #[arg(long)]
    force: bool,
    /// Answer yes to all questions
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl DeleteCategoryArguments {
    /// Returns whether the person overrides the store's mode.
    pub(crate) fn force(&self) -> Force {
        if self.force { Force::Mode } else { Force::No }
    }

    /// Returns what the category may contain.
    pub(crate) fn contents(&self) -> DeletableContents {
        if self.recursive { DeletableContents::Everything } else { DeletableContents::Nothing }
    }
}

/// Parses a category that has a name.
fn parse_named_category(text: &str) -> Result<Category, IdError> {
    let category = text.parse::<Category>()?;
    if category.is_empty() { Err(IdError::Form) } else { Ok(category) }
}

#[cfg(test)]
mod tests {
    use crate::arguments::Arguments;
    use clap::Parser;
    use clap::error::ErrorKind;

    fn check(words: &[&str], expected: Option<ErrorKind>) {
        let parsed = Arguments::try_parse_from(["mere", "category"].iter().chain(words));
        assert_eq!(parsed.err().map(|error| error.kind()), expected, "{words:?}");
    }

    #[test]
    fn a_category_has_a_name() {
        for good in [
            &["create", "api/auth", "--description", "Who may do what", "--force"][..],
            &["delete", "api", "--recursive", "--force", "--yes", "--store", "notes"],
            &["describe", "api", ""],
            &["define", "api"],
            &["undefine", "api", "--json"],
            &["list"],
            &["list", "api"],
        ] {
            check(good, None);
        }
        let long = "x".repeat(501);
        for bad in [
            &["create", ""][..],
            &["create", "a/../b"],
            &["delete", "/a"],
            &["describe", "", "text"],
            &["describe", "a", &long],
            &["define", "A"],
        ] {
            check(bad, Some(ErrorKind::ValueValidation));
        }
        check(&["describe", "a"], Some(ErrorKind::MissingRequiredArgument));
        check(&["define", "a", "--force"], Some(ErrorKind::UnknownArgument));
    }
}
