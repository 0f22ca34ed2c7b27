//! What a person asks for about signatures of items: no agent can ask for these.

use crate::address::Address;
use crate::digest::Sha256;
use crate::item::{ItemRef, ItemType, Scope};
use crate::pattern::Pattern;
use crate::request::LookupScope;
use crate::trust::Fingerprint;

/// Which items a command is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemSelection {
    /// Of one type.
    pub kind: Option<ItemType>,
    /// In one scope.
    pub scope: Option<Scope>,
    /// Which of these.
    pub which: SelectedItems,
}

/// Which of the items that are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SelectedItems {
    /// All of them.
    #[default]
    All,
    /// Those a person has to decide on: changed, out of place, drafts, and unsigned ones that must
    /// be signed.
    Unfinished,
    /// Those whose files are staged for the next commit.
    Staged,
    /// Those that are named.
    Named(Vec<ItemMatcher>),
}

/// A name, or many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemMatcher {
    /// One item.
    Item(ItemRef),
    /// All whose `category/id` looks like this.
    Matching(Pattern),
}

/// What becomes of signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignCommand {
    /// Show what would be signed, and how it differs from what was.
    Plan(ItemSelection),
    /// Sign these.
    Sign {
        /// Each as it was shown.
        items: Vec<ShownItem>,
        /// Whether git is told of the new signatures.
        staging: GitStaging,
    },
}

/// Whether git is told of what was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitStaging {
    /// The signatures are staged for the next commit.
    Add,
    /// Git is left alone.
    Leave,
}

/// An item as it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownItem {
    /// Which.
    pub address: Address,
    /// One digest of all that it was.
    pub digest: Sha256,
}

/// Are these items what was signed?
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyCommand {
    /// Which items.
    pub selection: ItemSelection,
    /// If any are named, only the roster counts that these signed, and nothing of the user's.
    pub admins: Vec<Fingerprint>,
    /// The lowest serial of that roster.
    pub minimum_serial: u64,
}

/// A person works on an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemWork {
    /// What kind of item.
    pub kind: ItemType,
    /// Which one.
    pub item: ItemRef,
    /// Where it is looked for.
    pub source: LookupScope,
    /// With an editor or without.
    pub mode: WorkMode,
}

/// How a person works on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkMode {
    /// From now on, with whatever they like.
    Draft,
    /// In their editor, until it closes.
    Edit,
}
