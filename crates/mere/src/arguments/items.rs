//! The arguments of the commands for items, and those that other commands share: an item, its
//! scope, and how the answer is printed.
//!
//! Names are parsed here, but nothing is looked up.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use mere_core::item::{
    Category, ItemForm, ItemId, ItemRef, ItemType, Scope, ScriptLanguage, ScriptStyle,
};
use mere_core::request::{
    AuthorChoice, GitHook, InitSpace, ItemCommand, ListItems, LookupScope, ScriptChoice,
    SignatureRule, StarterItems,
};

use super::ColourArgument;

/// A type as a person may name it: directive (skill), tool, knowledge (note), memory, lockfile, and
/// their plurals.
#[derive(Clone, Copy)]
pub(crate) struct TypeArgument {
    pub(crate) kind: ItemType,
    /// How a new item is stored on disk: a skill is a folder.
    pub(crate) form: ItemForm,
}

impl FromStr for TypeArgument {
    type Err = mere_core::item::ItemTypeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form =
            if matches!(text, "skill" | "skills") { ItemForm::Folder } else { ItemForm::Flat };
        Ok(Self { kind: text.parse()?, form })
    }
}

/// Which item is meant.
#[derive(Args)]
pub(crate) struct ItemArguments {
    /// directive (or skill), tool, knowledge (or note), memory, lockfile
    #[arg(value_name = "TYPE")]
    pub(crate) kind: TypeArgument,
    /// Its id, or category/id; a lockfile's id may end in @version
    #[arg(value_name = "ID")]
    pub(crate) item: ItemRef,
}

/// How the answer is printed.
#[derive(Args)]
pub(crate) struct AnswerArguments {
    /// Print the reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColourArgument::Auto)]
    pub(crate) color: ColourArgument,
}

/// Where to look for an item.
#[derive(Args)]
pub(crate) struct SourceArguments {
    /// Look only in this scope [default: the project, then the user]
    #[arg(long, value_enum)]
    scope: Option<ScopeArgument>,
}

impl SourceArguments {
    pub(crate) fn source(&self) -> LookupScope {
        self.scope.map_or(LookupScope::Local, |scope| LookupScope::Only(scope.into()))
    }
}

/// Where to change an item. An item in the user's own space is changed only on request.
#[derive(Args)]
pub(crate) struct TargetArguments {
    /// The scope to change it in
    #[arg(long, value_enum, default_value_t = ScopeArgument::Project)]
    scope: ScopeArgument,
}

impl TargetArguments {
    pub(crate) fn source(&self) -> LookupScope {
        LookupScope::Only(self.scope.into())
    }
}

/// A scope on this machine.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ScopeArgument {
    /// The project's .ai folder
    Project,
    /// Your own space, ~/.ai
    User,
}

impl From<ScopeArgument> for Scope {
    fn from(scope: ScopeArgument) -> Self {
        match scope {
            ScopeArgument::Project => Self::Project,
            ScopeArgument::User => Self::User,
        }
    }
}

/// Creates .ai with an example of each type, and tells git what to ignore. Safe to repeat.
#[derive(Args)]
#[command(after_help = "Examples:
  mere init                      in the project
  mere init --user               your own space, ~/.ai
  mere init --template blank     without examples
  mere init --git-hook           also let git check signatures before each commit")]
pub(crate) struct InitArguments {
    /// Create your own space instead of the project's
    #[arg(long)]
    user: bool,
    /// What to put into a new space
    #[arg(long, value_enum, default_value_t = TemplateArgument::Example)]
    template: TemplateArgument,
    /// Let git check signatures before each commit: installs a pre-commit hook
    #[arg(long, conflicts_with = "user")]
    git_hook: bool,
    /// Let agents use directives, tools and lockfiles only if they are signed, in an existing space
    /// too; unsigned items are shown first, to be signed
    #[arg(long)]
    pub(crate) require_signed: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl InitArguments {
    /// Returns the scope of the space.
    pub(crate) fn scope(&self) -> Scope {
        if self.user { Scope::User } else { Scope::Project }
    }

    /// Builds the request.
    pub(crate) fn to_request(&self) -> InitSpace {
        InitSpace {
            scope: self.scope(),
            signatures: if self.require_signed {
                SignatureRule::Required
            } else {
                SignatureRule::RequiredIfNew
            },
            example: match self.template {
                TemplateArgument::Example => StarterItems::OneOfEach,
                TemplateArgument::Blank => StarterItems::None,
            },
            hook: if self.git_hook { GitHook::Install } else { GitHook::Leave },
        }
    }
}

/// What a new space contains.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TemplateArgument {
    /// One working item of each type
    Example,
    /// Nothing
    Blank,
}

/// The new file is already valid; edit it from there.
#[derive(Args)]
#[command(after_help = "Examples:
  mere new directive release/deploy
  mere new skill code-review          a folder with SKILL.md
  mere new tool data/clean --user
  mere new tool data/clean --lang node --function
  mere new tool data/clean            where clean.py lies: writes the manifest for it")]
pub(crate) struct NewArguments {
    #[command(flatten)]
    item: ItemArguments,
    /// Create it in your own space instead of the project's
    #[arg(long)]
    user: bool,
    /// The language of a tool's script [default: python]
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    lang: Option<LanguageArgument>,
    /// Make a tool whose function `main` is called with the parameters
    #[arg(long)]
    function: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The language of a script.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum LanguageArgument {
    /// Python
    Python,
    /// JavaScript
    Node,
    /// Bash
    Bash,
}

impl From<LanguageArgument> for ScriptLanguage {
    fn from(language: LanguageArgument) -> Self {
        match language {
            LanguageArgument::Python => Self::Python,
            LanguageArgument::Node => Self::Node,
            LanguageArgument::Bash => Self::Bash,
        }
    }
}

impl NewArguments {
    /// Builds the request.
    pub(crate) fn to_request(&self) -> ItemCommand {
        ItemCommand::New {
            kind: self.item.kind.kind,
            item: self.item.item.clone(),
            scope: if self.user { Scope::User } else { Scope::Project },
            form: self.item.kind.form,
            script: ScriptChoice {
                language: self.lang.map(ScriptLanguage::from),
                style: self.function.then_some(ScriptStyle::Function),
            },
        }
    }
}

/// Broken items are listed with what is wrong.
#[derive(Args)]
#[command(after_help = "Examples:
  mere list
  mere list tools --scope user
  mere list notes --category api")]
pub(crate) struct ListArguments {
    /// List only this type: directive (or skill), tool, knowledge (or note), memory, lockfile
    #[arg(value_name = "TYPE")]
    kind: Option<TypeArgument>,
    /// List only this scope
    #[arg(long, value_enum)]
    scope: Option<ScopeArgument>,
    /// List only this category and those below it
    #[arg(long)]
    category: Option<Category>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl ListArguments {
    /// Checks whether a type was named.
    pub(crate) fn names_type(&self) -> bool {
        self.kind.is_some()
    }

    /// Builds the request.
    pub(crate) fn to_request(&self) -> ListItems {
        ListItems {
            kind: self.kind.map(|kind| kind.kind),
            scope: self.scope.map(Scope::from),
            category: self.category.clone(),
        }
    }
}

/// The project's item wins over yours.
#[derive(Args)]
#[command(after_help = "Examples:
  mere show knowledge how-items-work
  mere show tool api/jwt --scope user
  mere show skill code-review --json")]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Nothing is overwritten: an existing item of that name stays.
#[derive(Args)]
#[command(after_help = "Examples:
  mere copy tool api/jwt --to user
  mere copy note style --to project")]
pub(crate) struct CopyArguments {
    #[command(flatten)]
    item: ItemArguments,
    /// The scope to copy it to; it is copied from the other one
    #[arg(long, value_enum)]
    to: ScopeArgument,
    /// Sign the copy as its author instead of keeping the author's signature
    #[arg(long)]
    as_mine: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl CopyArguments {
    /// Builds the request.
    pub(crate) fn to_request(&self) -> ItemCommand {
        ItemCommand::Copy {
            kind: self.item.kind.kind,
            item: self.item.item.clone(),
            to: self.to.into(),
            author: if self.as_mine { AuthorChoice::Me } else { AuthorChoice::Unchanged },
        }
    }
}

/// Its id stays. A category named in the file itself is changed as well.
#[derive(Args)]
#[command(after_help = "Examples:
  mere move tool api/jwt security
  mere move note style ''             into no category")]
pub(crate) struct MoveArguments {
    #[command(flatten)]
    item: ItemArguments,
    /// The new category; '' for none
    category: Category,
    /// Become its author; without this, an item signed by somebody else is not moved
    #[arg(long)]
    as_mine: bool,
    #[command(flatten)]
    source: TargetArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl MoveArguments {
    /// Builds the request.
    pub(crate) fn to_request(&self) -> ItemCommand {
        ItemCommand::Move {
            kind: self.item.kind.kind,
            item: self.item.item.clone(),
            category: self.category.clone(),
            source: self.source.source(),
            author: if self.as_mine { AuthorChoice::Me } else { AuthorChoice::Unchanged },
        }
    }
}

/// Links to a renamed knowledge entry are updated in the notes of its scope.
#[derive(Args)]
#[command(after_help = "Examples:
  mere rename note style house-style
  mere rename tool api/jwt token")]
pub(crate) struct RenameArguments {
    #[command(flatten)]
    item: ItemArguments,
    /// The new id
    new_id: ItemId,
    /// Become its author; without this, an item signed by somebody else is not renamed
    #[arg(long)]
    as_mine: bool,
    #[command(flatten)]
    source: TargetArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl RenameArguments {
    /// Builds the request.
    pub(crate) fn to_request(&self) -> ItemCommand {
        ItemCommand::Rename {
            kind: self.item.kind.kind,
            item: self.item.item.clone(),
            id: self.new_id.clone(),
            source: self.source.source(),
            author: if self.as_mine { AuthorChoice::Me } else { AuthorChoice::Unchanged },
        }
    }
}

/// Asks first.
#[derive(Args)]
#[command(after_help = "Examples:
  mere delete note scratch
  mere delete tool api/jwt --scope user --yes")]
pub(crate) struct DeleteArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    /// Answer yes to all questions
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) source: TargetArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Shows every candidate in every scope, and in the folders that clients read on their own.
#[derive(Args)]
#[command(after_help = "Example:
  mere why skill code-review")]
pub(crate) struct WhyArguments {
    #[command(flatten)]
    pub(crate) item: ItemArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}
