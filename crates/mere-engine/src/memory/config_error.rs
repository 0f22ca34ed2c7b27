//! Reasons why a store cannot have the name or the folder that a config file gives it.
//!
//! Each message is for the person who edits the file, and says how to fix it.

use mere_core::address::ModName;

/// A mistake in the configuration of a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum StoreConfigError {
    #[error("the store `{0}` is in both config files: rename one of them")]
    Duplicate(ModName),
    #[error(
        "the store `{0}` lies elsewhere, where it is `mod:{0}`, and an extra folder or the project \
         around has that name already: rename one of them"
    )]
    NameTaken(ModName),
    #[error(
        "the path of the store `{0}` has a name that no address can hold: rename the folder, or \
         choose another"
    )]
    Unaddressable(ModName),
    #[error(
        "the store `{0}` would be the project, or hold it or a space: give it a folder of its own, \
         such as `./memory`"
    )]
    ContainsRoot(ModName),
    #[error("the store `{0}` would be a whole space: name a folder in it, such as `./memory`")]
    WholeSpace(ModName),
    #[error(
        "the store `{0}` would lie where workspaces or items lie: choose another folder, such as \
         `./memory`"
    )]
    InReservedFolder(ModName),
    #[error(
        "the store `{0}` would lie in `.git`, or in a space inside another folder: choose another \
         folder, such as `./memory`"
    )]
    InGitOrForeignSpace(ModName),
    #[error(
        "the store `{0}` would lie where keys, approvals or caches are kept, or hold them: choose \
         another folder"
    )]
    TouchesPrivateFolder(ModName),
    #[error(
        "the store `{0}` is or lies in the folder of the store `{1}`, or the other way round: give \
         each a folder of its own"
    )]
    Overlap(ModName, ModName),
    #[error("no store is called `{name}`: {}", default_of(.known))]
    UnknownDefault { name: ModName, known: Vec<ModName> },
}

fn default_of(known: &[ModName]) -> String {
    let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    format!("`defaultStore` is one of {}", known.join(", "))
}
