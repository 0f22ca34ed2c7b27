//! The tools that rearrange the workspace: `delete`, `move` and `mkdir`.
//!
//! Each holds the workspace's lock throughout. A link is deleted or moved itself, and never what it
//! leads to; nothing is replaced; and no move shows what was hidden at the old address.

use mere_core::address::{Address, EntryForm, Root, Spoken, visible_form};
use mere_core::digest::{Sha256, ShownDigest};
use mere_core::reply::{Draft, Fields, Prose, codes};
use mere_core::request::EntryChange;
use mere_core::turn::Turn;

use crate::files::error::FileError;
use crate::files::file_change::{
    ChangeError, UnmovableReason, check_digest, check_speakable, check_twins, open_workspace,
    shown_digest, stale_error,
};
use crate::files::view::View;
use crate::policy::{self, MoveEffect, MovePermit, PermittedEntryChange};
use crate::world::{ResolveError, check_active};
use mere_host::{
    EntryOutcome, ExistingEntry, Folder, MissingFolders, TargetLookup, Workspace, WorkspaceSize,
    WriteTarget,
};

/// Rearranges the workspace as the call asks, if policy allows it.
pub(crate) fn rearrange(
    view: &View<'_>,
    project: &Folder,
    call: &EntryChange,
    turn: &dyn Turn,
) -> Result<Draft, FileError> {
    let resolve = |path: &Spoken| {
        let address = path.address(&view.home);
        view.world.address(path, &view.home).unwrap_or(address)
    };
    let permit =
        policy::permit_entry_change(&view.run, call, resolve).map_err(ChangeError::from)?;
    let change = permit.spend();
    let (PermittedEntryChange::Delete { target: address, .. }
    | PermittedEntryChange::Move { from: address, .. }
    | PermittedEntryChange::MakeDirectory { target: address }) = &change;
    check_speakable(view, address)?;
    let is_new = !view.world.has_workspace();
    // Without a workspace there is nothing to delete or move, and no reason to create one.
    if is_new && !matches!(change, PermittedEntryChange::MakeDirectory { .. }) {
        return Err(ResolveError::NotVisible.into());
    }
    let workspace = open_workspace(view, project, address, turn)?;
    // A call that was abandoned by now must not change anything.
    check_active(turn).map_err(|error| FileError::from_traversal(error, address))?;
    match &change {
        PermittedEntryChange::Delete { target, expect } => {
            delete(view, &workspace, target, *expect)
        }
        PermittedEntryChange::Move { from, to, expect } => {
            EntryMove { view, workspace: &workspace, from, to }.run(*expect)
        }
        PermittedEntryChange::MakeDirectory { target } if target.path().is_root() => {
            let existed = if is_new { Existed::No } else { Existed::Yes };
            Ok(directory_reply(target.clone(), existed))
        }
        PermittedEntryChange::MakeDirectory { target } => make_directory(view, &workspace, target),
    }
}

/// Finds what exists at an address. What is missing is answered as everywhere.
fn find_existing(
    workspace: &Workspace,
    address: &Address,
) -> Result<(WriteTarget, ExistingEntry), FileError> {
    let failed = |cause| ChangeError::Failed { address: address.clone(), cause };
    if address.path().is_root() {
        let reason = UnmovableReason::Workspace;
        return Err(ChangeError::Unmovable(address.clone(), reason).into());
    }
    let lookup = workspace.find_target(address.path(), MissingFolders::Refuse);
    let TargetLookup::Found(target) = lookup.map_err(failed)? else {
        return Err(ResolveError::NotVisible.into());
    };
    let entry = target.existing_entry().map_err(failed)?;
    let is_found = match entry {
        ExistingEntry::Absent => false,
        ExistingEntry::Folder => true,
        ExistingEntry::File(_) | ExistingEntry::Other => !address.is_directory(),
    };
    if !is_found {
        return Err(ResolveError::NotVisible.into());
    }
    check_twins(&target, &entry, address)?;
    Ok((target, entry))
}

/// Checks that an entry is the file that the caller saw, and returns the digest that it must still
/// have when it is deleted or moved. Only a regular file has one.
fn check_expected(
    view: &View<'_>,
    address: &Address,
    entry: &ExistingEntry,
    expect: Option<ShownDigest>,
) -> Result<Option<Sha256>, ChangeError> {
    let Some(expected) = expect else { return Ok(None) };
    let ExistingEntry::File(file) = entry else {
        return Err(ChangeError::NotRegularFile(address.clone()));
    };
    let failed = |cause| ChangeError::Failed { address: address.clone(), cause };
    let examined = view.examine(address, file).map_err(failed)?;
    check_digest(view, address, examined, expected)?;
    Ok(Some(examined.sha256))
}

/// Answers for a file that was changed at the last moment, with the digest that it has now.
fn changed_meanwhile(view: &View<'_>, address: &Address, target: &WriteTarget) -> FileError {
    let current = || {
        let failed = |cause| ChangeError::Failed { address: address.clone(), cause };
        let ExistingEntry::File(file) = target.existing_entry().map_err(failed)? else {
            return Ok(None);
        };
        let examined = view.examine(address, &file).map_err(failed)?;
        shown_digest(view, address, examined).map(Some)
    };
    current().map_or_else(FileError::from, |current| stale_error(address, current).into())
}

fn delete(
    view: &View<'_>,
    workspace: &Workspace,
    address: &Address,
    expect: Option<ShownDigest>,
) -> Result<Draft, FileError> {
    let failed = |cause| ChangeError::Failed { address: address.clone(), cause };
    let (target, entry) = find_existing(workspace, address)?;
    let digest = check_expected(view, address, &entry, expect)?;
    let size = match entry {
        ExistingEntry::Folder => target.folder_size().map_err(failed)?,
        _ => None,
    };
    if size.is_some_and(|size| size.files > 0) && !address.is_directory() {
        return Err(ChangeError::NotEmpty(address.clone()).into());
    }
    if workspace.remove(&target, digest).map_err(failed)? != EntryOutcome::Done {
        return Err(changed_meanwhile(view, address, &target));
    }
    Ok(deletion_reply(address, size))
}

fn deletion_reply(address: &Address, size: Option<WorkspaceSize>) -> Draft {
    let path = address.path().clone();
    let data = Fields::default();
    let (target, words, data) = match size {
        None => (Address::file(Root::Workspace, path), " was deleted.".to_owned(), data),
        Some(WorkspaceSize { files, bytes, .. }) => {
            let words = match files {
                0 => " was deleted.".to_owned(),
                1 => " was deleted, with one file or directory in it.".to_owned(),
                _ => format!(" was deleted, with {files} files and directories in it."),
            };
            let data = data.with("files", files).with("bytes", bytes);
            (Address::directory(Root::Workspace, path), words, data)
        }
    };
    let message = Prose::words("").address(target.clone()).and(words);
    let data = data.with("target", target).with("deleted", true);
    Draft::success(codes::WRITE_DELETED, message).data(data)
}

/// One entry on its way to another address.
struct EntryMove<'a> {
    view: &'a View<'a>,
    workspace: &'a Workspace,
    from: &'a Address,
    to: &'a Address,
}

impl EntryMove<'_> {
    fn run(&self, expect: Option<ShownDigest>) -> Result<Draft, FileError> {
        let (from, to) = (self.from, self.to);
        check_speakable(self.view, to)?;
        let (source, entry) = find_existing(self.workspace, from)?;
        let digest = check_expected(self.view, from, &entry, expect)?;
        let is_directory = matches!(entry, ExistingEntry::Folder);
        self.check_new_name(&entry)?;
        let failed = |cause| ChangeError::Failed { address: from.clone(), cause };
        let effect = self.effect(&source, &entry).map_err(failed)?;
        let form = if is_directory { EntryForm::Folder } else { EntryForm::Leaf };
        let permit = policy::permit_move(effect, to, form).map_err(ChangeError::from)?;
        self.rename(permit, &source, digest)?;
        let address = if is_directory { Address::directory } else { Address::file };
        let (from, to) = (
            address(Root::Workspace, from.path().clone()),
            address(Root::Workspace, to.path().clone()),
        );
        let message = Prose::words("").address(from.clone()).and(" is now ").address(to.clone());
        let data = Fields::default().with("target", to).with("from", from).with("moved", true);
        Ok(Draft::success(codes::WRITE_MOVED, message.and(".")).data(data))
    }

    /// Gives the entry its new path.
    fn rename(
        &self,
        _permit: MovePermit,
        source: &WriteTarget,
        digest: Option<Sha256>,
    ) -> Result<(), FileError> {
        let to = self.to;
        let failed = |cause| ChangeError::Failed { address: self.from.clone(), cause };
        let lookup = self.workspace.find_target(to.path(), MissingFolders::Refuse);
        let destination = match lookup.map_err(failed)? {
            TargetLookup::Found(target) => target,
            TargetLookup::MissingFolder => return Err(ChangeError::NoDirectory(to.clone()).into()),
            TargetLookup::NotAFolder => return Err(ChangeError::NotRegularFile(to.clone()).into()),
        };
        if !self.keeps_its_look() {
            check_twins(&destination, &ExistingEntry::Absent, to)?;
        }
        let outcome = self.workspace.rename(source, &destination, digest);
        match outcome.map_err(|error| ChangeError::from_workspace(error, to))? {
            EntryOutcome::Done => Ok(()),
            EntryOutcome::Taken => Err(ChangeError::Exists(to.clone()).into()),
            EntryOutcome::Changed => Err(changed_meanwhile(self.view, self.from, source)),
        }
    }

    /// Checks the new path against the old one.
    fn check_new_name(&self, entry: &ExistingEntry) -> Result<(), ChangeError> {
        let is_directory = matches!(entry, ExistingEntry::Folder);
        let (from, to) = (self.from.path().as_str(), self.to.path().as_str());
        let is_inside = to.strip_prefix(from).is_some_and(|rest| rest.starts_with('/'));
        match (is_directory, is_inside) {
            _ if to.is_empty() => Err(ChangeError::Exists(self.to.clone())),
            (true, true) => {
                Err(ChangeError::Unmovable(self.from.clone(), UnmovableReason::IntoItself))
            }
            (false, _) if self.to.is_directory() => {
                Err(ChangeError::Unmovable(self.to.clone(), UnmovableReason::NamedAsDirectory))
            }
            _ => Ok(()),
        }
    }

    /// Checks whether only invisible characters of the name change. Then the one name that looks
    /// like the new one is the old one.
    fn keeps_its_look(&self) -> bool {
        let parts = |address: &Address| address.path().split_last();
        parts(self.from).zip(parts(self.to)).is_some_and(|(from, to)| {
            from.0 == to.0 && visible_form(from.1.as_str()) == visible_form(to.1.as_str())
        })
    }

    /// Tells whether anything that is moved would be shown where it was hidden or masked.
    fn effect(&self, source: &WriteTarget, entry: &ExistingEntry) -> std::io::Result<MoveEffect> {
        let (from, to) = (self.from.path().as_str(), self.to.path().as_str());
        let world = &self.view.world;
        let mut shows_more = world.shows_more(&Root::Workspace, from, to);
        if matches!(entry, ExistingEntry::Folder) {
            source.visit_paths(&mut |below| {
                let (from, to) = ([from, below].concat(), [to, below].concat());
                shows_more = shows_more || world.shows_more(&Root::Workspace, &from, &to);
            })?;
        }
        Ok(if shows_more { MoveEffect::ShowsMore } else { MoveEffect::ShowsTheSame })
    }
}

fn make_directory(
    view: &View<'_>,
    workspace: &Workspace,
    address: &Address,
) -> Result<Draft, FileError> {
    let failed = |cause| ChangeError::Failed { address: address.clone(), cause };
    let taken = || ChangeError::NotRegularFile(address.clone());
    let lookup = workspace.find_target(address.path(), MissingFolders::Create);
    let TargetLookup::Found(target) = lookup.map_err(failed)? else { return Err(taken().into()) };
    let existed = match target.existing_entry().map_err(failed)? {
        ExistingEntry::Folder => Existed::Yes,
        ExistingEntry::File(_) | ExistingEntry::Other => {
            return Err(ChangeError::Exists(address.clone()).into());
        }
        ExistingEntry::Absent => {
            check_twins(&target, &ExistingEntry::Absent, address)?;
            let made = workspace.make_folder(&target, view.workspace_limits);
            made.map_err(|error| ChangeError::from_workspace(error, address))?;
            Existed::No
        }
    };
    Ok(directory_reply(Address::directory(Root::Workspace, address.path().clone()), existed))
}

/// Whether a directory existed before the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Existed {
    Yes,
    No,
}

fn directory_reply(target: Address, existed: Existed) -> Draft {
    let created = existed == Existed::No;
    let words = if created { " was created." } else { " exists already." };
    let message = Prose::words("").address(target.clone()).and(words);
    let data = Fields::default().with("target", target).with("created", created);
    Draft::success(codes::WRITE_DIRECTORY, message).data(data)
}
