//! What a person does with items, by commands of their own: no agent can ask for these.

use crate::digest::Sha256;
use crate::graph::WalkOptions;
use crate::item::{Category, ItemForm, ItemId, ItemRef, ItemType, Scope};
use crate::request::{
    ItemWork, JoinCommand, KeysCommand, LockCommand, LookupScope, ModelCommand, RunTool,
    SignCommand, StoreCommand, TeamCommand, TrustCommand, VerifyCommand,
};

/// One thing a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonCommand {
    /// Make a space.
    Init(InitSpace),
    /// Make an item from a template.
    New {
        /// What kind of item.
        kind: ItemType,
        /// Which one.
        item: ItemRef,
        /// In which scope.
        scope: Scope,
        /// As a file or as a folder.
        form: ItemForm,
    },
    /// Which items are there?
    List(ListItems),
    /// Copy an item into another scope.
    Copy {
        /// What kind of item.
        kind: ItemType,
        /// Which one.
        item: ItemRef,
        /// Where to.
        to: Scope,
        /// Who vouches for the copy.
        author: AuthorChoice,
    },
    /// Put an item into another category.
    Move {
        /// What kind of item.
        kind: ItemType,
        /// Which one.
        item: ItemRef,
        /// Where to.
        category: Category,
        /// Where it is looked for.
        source: LookupScope,
        /// Who vouches for it there.
        author: AuthorChoice,
    },
    /// Call an item by another id.
    Rename {
        /// What kind of item.
        kind: ItemType,
        /// Which one.
        item: ItemRef,
        /// Its new id.
        id: ItemId,
        /// Where it is looked for.
        source: LookupScope,
        /// Who vouches for it there.
        author: AuthorChoice,
    },
    /// Where could this item come from, and which one wins?
    Why {
        /// What kind of item.
        kind: ItemType,
        /// Which one.
        item: ItemRef,
    },
    /// Run a tool.
    Run(RunTool),
    /// Which tools run this one, and with what?
    Chain {
        /// Which one.
        item: ItemRef,
    },
    /// Pin what tools run on.
    Lock(LockCommand),
    /// Fetch the packages that a tool needs.
    Prepare {
        /// Which one.
        item: ItemRef,
    },
    /// See to the index.
    Index(IndexCommand),
    /// Which changes do agents propose?
    Proposals,
    /// Decide on one.
    Review {
        /// Which one, as the list shows it.
        proposal: String,
        /// What becomes of it.
        decision: ReviewDecision,
    },
    /// Show or make signatures.
    Sign(SignCommand),
    /// Are items what was signed?
    Verify(VerifyCommand),
    /// Work on an item.
    Work(ItemWork),
    /// Is everything right?
    Doctor(DoctorMode),
    /// How does knowledge hang together?
    Graph(GraphCommand),
    /// Is the configuration right?
    CheckConfig,
    /// See to one's own keys.
    Keys(KeysCommand),
    /// See to the keys of others.
    Trust(TrustCommand),
    /// See to the team of the space.
    Team(TeamCommand),
    /// Join the team of the space, or leave it.
    Join(JoinCommand),
    /// See to the stores of memories.
    Store(StoreCommand),
    /// See to the models that meanings are found by.
    Model(ModelCommand),
}

/// What is asked about the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphCommand {
    /// A drawing of what is around an entry, or of everything.
    Draw {
        /// Around which one.
        entry: Option<ItemRef>,
        /// How far and along which links.
        walk: WalkOptions,
        /// As what.
        format: DrawingFormat,
    },
    /// What is wrong with it?
    Check,
}

/// What a drawing is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawingFormat {
    /// A tree for a terminal.
    Text,
    /// For Graphviz.
    Dot,
    /// Data.
    Json,
    /// A picture.
    Svg,
}

/// Who vouches for an item at another place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthorChoice {
    /// Whoever did before.
    Unchanged,
    /// Whoever puts it there.
    Me,
}

/// A space that is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitSpace {
    /// Whose.
    pub scope: Scope,
    /// What it begins with.
    pub example: StarterItems,
    /// Whether git is to check what is committed.
    pub hook: GitHook,
}

/// Whether git checks what is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitHook {
    /// From now on.
    Install,
    /// As before.
    Leave,
}

/// What a new space begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StarterItems {
    /// One item of each type.
    OneOfEach,
    /// Nothing.
    None,
}

/// Which items are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListItems {
    /// Of one type.
    pub kind: Option<ItemType>,
    /// Of one form: skills are folders.
    pub form: Option<ItemForm>,
    /// In one scope.
    pub scope: Option<Scope>,
    /// In a category and below.
    pub category: Option<Category>,
}

/// Whether what is wrong is also put right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoctorMode {
    /// It is only looked at.
    CheckOnly,
    /// What nobody has to decide on is put right.
    Repair,
}

/// What becomes of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexCommand {
    /// What has changed is read again.
    Update,
    /// Everything is read again.
    Rebuild,
    /// It is compared with the disk, and nothing is written.
    Check,
}

/// What a person decides on a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// Show it.
    Show,
    /// Let it be so, if it is what was shown.
    Accept {
        /// The digest that came with what was shown; none takes what lies there now.
        shown_digest: Option<Sha256>,
    },
    /// Drop it.
    Reject,
}
