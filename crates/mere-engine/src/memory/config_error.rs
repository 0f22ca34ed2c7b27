//! Reasons why a store cannot have the name or the folder that a config file gives it.
//!
//! Each message is for the person who edits the file, and says how to fix it.

use mere_core::address::ModName;

/// A mistake in the configuration of a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum StoreConfigError {
    #[error("both config files define a store `{0}`: rename one of them")]
    Duplicate(ModName),
    #[error(
        "the store `{0}` lies outside the project and would be mounted as `mod:{0}`, but an extra \
         folder or the surrounding project already has that name: rename one of them"
    )]
    NameTaken(ModName),
    #[error(
        "the path of the store `{0}` contains a name that an address cannot express: rename the \
         folder, or choose another"
    )]
    Unaddressable(ModName),
    #[error(
        "the folder of the store `{0}` is or contains the project or a space: give the store a \
         folder of its own, such as `./memory`"
    )]
    ContainsRoot(ModName),
    #[error(
        "the path of the store `{0}` is a whole space: name a folder in it, such as `./memory`"
    )]
    WholeSpace(ModName),
    #[error(
        "the folder of the store `{0}` is reserved for workspaces or items: choose another folder, \
         such as `./memory`"
    )]
    InReservedFolder(ModName),
    #[error(
        "the folder of the store `{0}` is inside `.git` or inside another folder's space: choose \
         another folder, such as `./memory`"
    )]
    InGitOrForeignSpace(ModName),
    #[error(
        "the folder of the store `{0}` is inside, or contains, the folder for keys, approvals or \
         caches: choose another folder"
    )]
    TouchesPrivateFolder(ModName),
    #[error(
        "the folders of the stores `{0}` and `{1}` overlap: give each store a folder of its own"
    )]
    Overlap(ModName, ModName),
    #[error("no store is called `{name}`: {}", default_of(.known))]
    UnknownDefault { name: ModName, known: Vec<ModName> },
}

fn default_of(known: &[ModName]) -> String {
    let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    format!("`defaultStore` must be one of {}", known.join(", "))
}
