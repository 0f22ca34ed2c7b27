//! Which files an agent may change: those of its workspace, and nothing else.
//!
//! A [`Permit`] or [`EntryPermit`] is the change itself: it names the file and what happens to it,
//! so it cannot be spent on another.

use mere_core::address::{Address, EntryForm, RelPath, RepositoryName, Root, Spoken};
use mere_core::digest::ShownDigest;
use mere_core::request::{EntryChange, FileChange, FileChangeKind};

use super::{Denied, RunPermit};

/// A change that policy allows.
pub struct Permit<'a> {
    address: Address,
    change: &'a FileChange,
}

/// Allows a change to a file in the workspace, and to nothing else, if the run permits it. Does not
/// check whether the file exists.
pub(crate) fn permit<'a>(
    run: &RunPermit,
    address: Address,
    change: &'a FileChange,
) -> Result<Permit<'a>, Denied> {
    run.permit_write(&address)?;
    check_place(&address, Denied::OutsideWorkspace)?;
    check_name(&address, EntryForm::Leaf)?;
    Ok(Permit { address, change })
}

/// Checks that an agent may change what lies at an address, whatever its last name is.
fn check_place(address: &Address, outside: fn(Address) -> Denied) -> Result<(), Denied> {
    if *address.root() != Root::Workspace {
        return Err(outside(address.clone().with_root(Root::Workspace)));
    }
    let is_repository = |name| RepositoryName::recognize(name, EntryForm::Folder);
    address
        .path()
        .names()
        .find_map(is_repository)
        .map_or(Ok(()), |name| Err(Denied::Repository(name)))
}

/// Checks that the last name of an address means no repository for something of this form.
fn check_name(address: &Address, form: EntryForm) -> Result<(), Denied> {
    let name = address.path().names().next_back();
    let meaning = name.and_then(|name| RepositoryName::recognize(name, form));
    meaning.map_or(Ok(()), |name| Err(Denied::Repository(name)))
}

/// A deletion, a move or a new directory that policy allows.
pub struct EntryPermit {
    change: PermittedEntryChange,
}

/// A permitted change to an entry, with the addresses that it is for.
pub(crate) enum PermittedEntryChange {
    Delete { target: Address, expect: Option<ShownDigest> },
    Move { from: Address, to: Address, expect: Option<ShownDigest> },
    MakeDirectory { target: Address },
}

impl EntryPermit {
    /// Spends the permit on its change.
    pub(crate) fn spend(self) -> PermittedEntryChange {
        self.change
    }
}

/// Allows the workspace to be rearranged, and nothing else, as far as the run permits it. Does not
/// check what exists.
pub(crate) fn permit_entry_change(
    run: &RunPermit,
    change: &EntryChange,
    resolve: impl Fn(&Spoken) -> Address,
) -> Result<EntryPermit, Denied> {
    let allow = |path: &Spoken, outside: fn(Address) -> Denied| {
        let address = resolve(path);
        run.permit_write(&address)?;
        check_place(&address, outside).map(|()| address)
    };
    let change = match change {
        EntryChange::Delete { path, expect } => PermittedEntryChange::Delete {
            target: allow(path, Denied::NotInWorkspace)?,
            expect: *expect,
        },
        EntryChange::Move { from, to, expect } => PermittedEntryChange::Move {
            from: allow(from, Denied::NotInWorkspace)?,
            to: allow(to, Denied::OutsideWorkspace)?,
            expect: *expect,
        },
        EntryChange::MakeDirectory { path } => {
            PermittedEntryChange::MakeDirectory { target: allow(path, Denied::OutsideWorkspace)? }
        }
    };
    Ok(EntryPermit { change })
}

/// Whether a move would let an agent see more than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveEffect {
    /// Everything is as visible at its new address as it was.
    ShowsTheSame,
    /// Something that is hidden or masked would be shown.
    ShowsMore,
}

/// Permission to move something, because nothing will be shown that was hidden, and no repository
/// will be made.
pub(crate) struct MovePermit(());

/// Allows a move by what it does to visibility, since only a person shows what is hidden, and by
/// what the new name means for an entry of this form.
pub(crate) fn permit_move(
    effect: MoveEffect,
    to: &Address,
    form: EntryForm,
) -> Result<MovePermit, Denied> {
    check_name(to, form)?;
    match effect {
        MoveEffect::ShowsTheSame => Ok(MovePermit(())),
        MoveEffect::ShowsMore => Err(Denied::Reveals),
    }
}

impl Permit<'_> {
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn path(&self) -> &RelPath {
        self.address.path()
    }

    /// Returns what happens to the file.
    pub(crate) fn kind(&self) -> &FileChangeKind {
        &self.change.kind
    }

    /// Returns the digest that the file must have before the change.
    pub(crate) fn expect(&self) -> Option<ShownDigest> {
        self.change.expect
    }
}
