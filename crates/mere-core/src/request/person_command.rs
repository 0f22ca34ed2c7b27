//! The commands that only people can give: no agent can ask for these.
//!
//! Those about items have a group of their own, [`ItemCommand`].

use crate::digest::Sha256;
use crate::graph::WalkOptions;
use crate::item::{
    Category, ItemForm, ItemId, ItemRef, ItemType, Scope, ScriptLanguage, ScriptStyle,
};
use crate::request::{
    ExportItems, ItemWork, JoinCommand, KeysCommand, LookupScope, ModelCommand, ReceiptCommand,
    RegistryCommand, SecretsCommand, SignCommand, StoreCommand, TeamCommand, ToolCommand,
    TrustCommand, VerifyCommand, WorkspaceCommand,
};

/// One command of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonCommand {
    /// Checks the configuration, which may be broken.
    CheckConfig,
    /// Manages the person's own keys.
    Keys(KeysCommand),
    /// Manages the keys of others.
    Trust(TrustCommand),
    /// Manages the person's secrets.
    Secrets(SecretsCommand),
    /// Shows and checks the receipts of runs.
    Receipts(ReceiptCommand),
    /// Lists the newest calls of agents.
    Calls {
        /// How many at most.
        limit: usize,
    },
    /// Manages the stores of memories.
    Stores(StoreCommand),
    /// Manages the spaces and the items in them.
    Items(ItemCommand),
}

/// One command of a person about the spaces and the items in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemCommand {
    /// Creates a space.
    Init(InitSpace),
    /// Shows what a space already contains before it is created.
    PreviewInit {
        /// The scope of the space.
        scope: Scope,
    },
    /// Accepts the version of an item although a newer one was seen.
    AcceptVersion {
        /// The type of the item.
        kind: ItemType,
        /// The item.
        item: ItemRef,
        /// The scopes in which it is looked up.
        source: LookupScope,
    },
    /// Gives the space of a scope a new id.
    RenewSpace(Scope),
    /// Creates an item from a template.
    New {
        /// The type of the item.
        kind: ItemType,
        /// The item.
        item: ItemRef,
        /// The scope.
        scope: Scope,
        /// The form of the item: a file or a folder.
        form: ItemForm,
        /// The script that a tool begins with, if the person chose one.
        script: ScriptChoice,
    },
    /// Lists items.
    List(ListItems),
    /// Copies an item into another scope.
    Copy {
        /// The type of the item.
        kind: ItemType,
        /// The item.
        item: ItemRef,
        /// The target scope.
        to: Scope,
        /// The author who vouches for the copy.
        author: AuthorChoice,
    },
    /// Moves an item into another category.
    Move {
        /// The type of the item.
        kind: ItemType,
        /// The item.
        item: ItemRef,
        /// The target category.
        category: Category,
        /// The scopes in which the item is looked up.
        source: LookupScope,
        /// The author who vouches for the moved item.
        author: AuthorChoice,
    },
    /// Gives an item another id.
    Rename {
        /// The type of the item.
        kind: ItemType,
        /// The item.
        item: ItemRef,
        /// The new id.
        id: ItemId,
        /// The scopes in which the item is looked up.
        source: LookupScope,
        /// The author who vouches for the renamed item.
        author: AuthorChoice,
    },
    /// Explains which items a name could mean, and which one wins.
    Why {
        /// The type of the item.
        kind: ItemType,
        /// The name.
        item: ItemRef,
    },
    /// Writes items in the format of another program.
    Export(ExportItems),
    /// Runs tools, and manages what they run on.
    Tool(ToolCommand),
    /// Updates, rebuilds or checks the index.
    Index(IndexCommand),
    /// Reviews the changes that agents propose.
    Review(ReviewCommand),
    /// Shows or makes signatures.
    Sign(SignCommand),
    /// Checks that items are what was signed.
    Verify(VerifyCommand),
    /// Starts work on an item.
    Work(ItemWork),
    /// Looks after the agents' workspaces.
    Workspace(WorkspaceCommand),
    /// Looks for problems.
    Doctor(DoctorMode),
    /// Draws or checks the knowledge graph.
    Graph(GraphCommand),
    /// Manages the team of the space.
    Team(TeamCommand),
    /// Joins the team of the space, or leaves it.
    Join(JoinCommand),
    /// Manages the embedding models.
    Model(ModelCommand),
    /// Tells git about the project.
    Git(GitCommand),
    /// Shares items through a registry.
    Registry(RegistryCommand),
}

/// A command about what git is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitCommand {
    /// Lets git merge signatures, lockfiles and memories.
    Setup,
}

/// What a person chose for the script of a new tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScriptChoice {
    /// The language.
    pub language: Option<ScriptLanguage>,
    /// How it is run.
    pub style: Option<ScriptStyle>,
}

/// A command about the knowledge graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphCommand {
    /// Draws the surroundings of an entry, or everything.
    Draw {
        /// The entry in the centre.
        entry: Option<ItemRef>,
        /// The distance and the links to follow.
        walk: WalkOptions,
        /// The format.
        format: DrawingFormat,
    },
    /// Looks for problems.
    Check,
}

/// The format of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawingFormat {
    /// A tree for a terminal.
    Text,
    /// Graphviz's language.
    Dot,
    /// JSON data.
    Json,
    /// An SVG picture.
    Svg,
}

/// The author who vouches for an item at its new location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorChoice {
    /// The same as before.
    Unchanged,
    /// The person who puts it there.
    Me,
}

/// A space to create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitSpace {
    /// The scope of the space.
    pub scope: Scope,
    /// The items that it begins with.
    pub example: StarterItems,
    /// Tells whether git is to check commits.
    pub hook: GitHook,
    /// Tells whether agents will need signatures.
    pub signatures: SignatureRule,
}

/// The rule of a space about unsigned items. Signatures are never required of items that nobody has
/// signed yet: agents could no longer use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureRule {
    /// In a new space agents may use directives, tools and lockfiles only if they are signed. An
    /// existing space keeps its rule.
    RequiredIfNew,
    /// Agents may use directives, tools and lockfiles only if they are signed, in an existing space
    /// too. While some are not signed, nothing is changed.
    Required,
    /// The items are signed first; a second call decides.
    AfterSigning,
    /// Agents may use unsigned items. This is for a folder whose items nobody has signed yet.
    NotRequired,
}

/// The treatment of the git hook that checks commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitHook {
    /// Installs it.
    Install,
    /// Leaves the hooks as they are.
    Leave,
}

/// The items that a new space begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StarterItems {
    /// One item of each type.
    OneOfEach,
    /// No items.
    None,
}

/// The items to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListItems {
    /// Only items of this type.
    pub kind: Option<ItemType>,
    /// Only items in this scope.
    pub scope: Option<Scope>,
    /// Only items in this category and below.
    pub category: Option<Category>,
}

/// Tells whether problems are also repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoctorMode {
    /// Problems are only reported.
    CheckOnly,
    /// Problems that need no decision are repaired.
    Repair,
}

/// A command about the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexCommand {
    /// Reads what has changed.
    Update,
    /// Reads everything again.
    Rebuild,
    /// Compares the index with the disk, without writing anything.
    Check,
}

/// A command about the changes that agents propose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewCommand {
    /// Lists them, and what else a person is asked to look at.
    List(ReviewScope),
    /// Decides on one.
    Decide {
        /// The proposal, named as in the list.
        proposal: String,
        /// The decision.
        decision: ReviewDecision,
    },
}

/// What a person is asked to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewScope {
    /// The changes that agents propose.
    Proposals,
    /// These, and the items that are signed by keys that do not count.
    Everything,
}

/// A person's decision on a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// Only shows it.
    Show,
    /// Accepts it, if it is still what was shown.
    Accept {
        /// The digest of what was shown; `None` accepts the current version.
        shown_digest: Option<Sha256>,
    },
    /// Rejects it.
    Reject,
}
