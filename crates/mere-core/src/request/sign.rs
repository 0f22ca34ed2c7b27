//! What a person asks for about signatures of items: no agent can ask for these.

use crate::address::Address;
use crate::digest::Sha256;
use crate::item::{ItemRef, ItemType, Scope};
use crate::pattern::Pattern;
use crate::request::Source;
use crate::trust::Fingerprint;

/// Which items a command is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Of one type.
    pub kind: Option<ItemType>,
    /// In one scope.
    pub scope: Option<Scope>,
    /// Which of these.
    pub which: Which,
}

/// Which of the items that are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// All of them.
    #[default]
    All,
    /// Those a person has to decide on: changed, out of place, drafts, and unsigned ones that must
    /// be signed.
    Unfinished,
    /// Those whose files are staged for the next commit.
    Staged,
    /// Those that are named.
    Named(Vec<Wanted>),
}

/// A name, or many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// One item.
    Item(ItemRef),
    /// All whose `category/id` looks like this.
    Like(Pattern),
}

/// What becomes of signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Show what would be signed, and how it differs from what was.
    Plan(Selection),
    /// Sign these.
    Seal {
        /// Each as it was shown.
        chosen: Vec<Chosen>,
        /// Whether git is told of the new signatures.
        stage: Stage,
    },
}

/// Whether git is told of what was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The signatures are staged for the next commit.
    Add,
    /// Git is left alone.
    Leave,
}

/// An item as it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Which.
    pub address: Address,
    /// One digest of all that it was.
    pub digest: Sha256,
}

/// Are these items what was signed?
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verify {
    /// Which items.
    pub selection: Selection,
    /// If any are named, only the roster counts that these signed, and nothing of the user's.
    pub admins: Vec<Fingerprint>,
    /// The lowest serial of that roster.
    pub least_serial: u64,
}

/// A person works on an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// What kind of item.
    pub kind: ItemType,
    /// Which one.
    pub item: ItemRef,
    /// Where it is looked for.
    pub source: Source,
    /// With an editor or without.
    pub how: Working,
}

/// How a person works on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Working {
    /// From now on, with whatever they like.
    Draft,
    /// In their editor, until it closes.
    Edit,
}
