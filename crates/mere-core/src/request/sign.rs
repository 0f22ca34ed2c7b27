//! The commands of people about signatures of items: no agent can ask for these.

use std::collections::BTreeMap;

use crate::address::Address;
use crate::digest::Sha256;
use crate::item::{ItemName, ItemRef, ItemType, Scope, Version};
use crate::request::LookupScope;
use crate::text::pattern::Pattern;
use crate::trust::Fingerprint;

/// The items that a command is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemSelection {
    /// Only items of this type.
    pub kind: Option<ItemType>,
    /// Only items in this scope.
    pub scope: Option<Scope>,
    /// The items among these.
    pub which: SelectedItems,
}

impl ItemSelection {
    /// Returns whether it names each item itself, rather than by its type or a pattern.
    pub fn names_each_item(&self) -> bool {
        let SelectedItems::Named(names) = &self.which else { return false };
        names.iter().all(|name| matches!(name, ItemMatcher::Item(_)))
    }
}

/// The items among those that exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SelectedItems {
    /// All of them.
    #[default]
    All,
    /// Those that a person has to decide on: changed or misplaced items, drafts, and unsigned items
    /// that must be signed.
    Unfinished,
    /// The same, and all other items that nobody has signed.
    Unsigned,
    /// Those that a person has to decide on, and those that are signed by keys that do not count.
    Reviewable,
    /// Those that are signed by keys that do not count.
    SignedByStrangers,
    /// Those with files that are staged for the next commit.
    Staged,
    /// Those that are named.
    Named(Vec<ItemMatcher>),
}

/// The name of one item, or a pattern for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemMatcher {
    /// One item.
    Item(ItemRef),
    /// All items whose `category/id` matches.
    Matching(Pattern),
}

/// A command about signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignCommand {
    /// Shows what would be signed, and how it differs from what was signed before.
    Plan(ItemSelection),
    /// Lists who signed an item, what, and when.
    Log {
        /// The type of the item.
        kind: ItemType,
        /// The item.
        item: ItemRef,
        /// The scopes in which it is looked up.
        source: LookupScope,
    },
    /// Signs these items.
    Sign {
        /// The items, each as it was shown.
        items: Vec<ShownItem>,
        /// Tells what follows.
        after: AfterSigning,
    },
}

/// What follows the signing of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AfterSigning {
    /// Tells whether the new signatures are staged in git.
    pub staging: GitStaging,
    /// Tells whether stale lockfiles are made anew.
    pub relocking: Relocking,
}

impl AfterSigning {
    /// Nothing follows.
    pub const NOTHING: Self = Self { staging: GitStaging::Leave, relocking: Relocking::Leave };
}

/// Tells whether lockfiles follow the tools that are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relocking {
    /// Those that are stale are made anew.
    Follow,
    /// They stay as they are, and the reply names those that are stale.
    Leave,
}

/// Tells whether new signatures are staged in git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GitStaging {
    /// They are staged for the next commit.
    Add,
    /// Git is left alone.
    Leave,
}

/// An item in the state in which it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownItem {
    /// The address of the item.
    pub address: Address,
    /// One digest over everything in the item.
    pub digest: Sha256,
}

/// The request to check that items are what was signed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifyCommand {
    /// The items.
    pub selection: ItemSelection,
    /// If any are named, only the roster that they signed counts, and nothing of the user's.
    pub admins: Vec<Fingerprint>,
    /// The lowest serial that this roster may have.
    pub minimum_serial: u64,
    /// The items that must exist, and the lowest version that each may have.
    pub minimum_versions: BTreeMap<ItemName, Version>,
}

/// The request to work on an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemWork {
    /// The type of the item.
    pub kind: ItemType,
    /// The item.
    pub item: ItemRef,
    /// The scopes in which it is looked up.
    pub source: LookupScope,
    /// The way of working.
    pub mode: WorkMode,
}

/// The ways in which a person works on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkMode {
    /// With any program, from now on.
    Draft,
    /// In their editor, until it closes.
    Edit,
}
