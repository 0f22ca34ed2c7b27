//! The tools that change files: `write`, `edit` and `patch_section`.
//!
//! Each change holds the workspace's lock throughout: it examines the file, computes the new
//! content from it, and replaces the file in one step.

use std::ops::Range;

use cap_std::fs::File;
use mere_core::address::Address;
use mere_core::digest::{Sha256, ShownDigest};
use mere_core::reply::{Code, Data, Draft, Fields, Prose, Success, codes};
use mere_core::request::{FileChange, FileChangeKind};
use mere_core::text::markdown;
use mere_core::text::markdown::PatchError;
use mere_core::turn::Turn;

use crate::files::error::FileError;
use crate::files::fidelity::ExaminedFile;
use crate::files::redaction::{RedactedText, RedactionConflict};
use crate::files::view::View;
use crate::policy::{self, Denied, Permit};
use crate::trust::digest_key::DigestKeyError;
use crate::world::{ResolveError, check_active};
use mere_host::{
    ExistingEntry, Folder, MissingFolders, TargetLookup, Workspace, WorkspaceError,
    WorkspaceLimits, WorkspaceSize, WriteTarget, read_at_most,
};

/// The largest file that is edited.
const MAX_EDITED: u64 = 16 * 1024 * 1024;

/// The largest Markdown file whose sections are replaced. It is parsed as a whole.
const MAX_PATCHED: usize = 2 * 1024 * 1024;

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error("{address} has changed")]
    Stale { address: Address, current: Option<ShownDigest> },
    #[error("the digest of {0} cannot be compared")]
    DigestKey(Address),
    #[error("the old text occurs {count} times in {address}")]
    NotOnce { address: Address, count: usize },
    #[error("{address}: {error}")]
    Section { address: Address, error: PatchError },
    #[error("{0} is not editable text")]
    NotText(Address),
    #[error("{0} is not a regular file")]
    NotRegularFile(Address),
    #[error("the directory of {0} does not exist")]
    NoDirectory(Address),
    #[error("the change touches hidden parts of {0}")]
    TouchesRedaction(Address),
    #[error("something is at {0} already")]
    Exists(Address),
    #[error("{0} looks like another name")]
    LooksAlike(Address),
    #[error("{0} is not empty")]
    NotEmpty(Address),
    #[error("{0} cannot be deleted or moved like this")]
    Unmovable(Address, UnmovableReason),
    #[error("{0} would have too many levels")]
    TooDeep(Address),
    #[error("the workspace cannot take {address}")]
    Full { address: Address, size: WorkspaceSize, limits: WorkspaceLimits },
    #[error("{address} could not be written")]
    Failed { address: Address, cause: std::io::Error },
}

/// Why something is not deleted or moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnmovableReason {
    /// It is the workspace itself.
    Workspace,
    /// It is a directory that contains the new path.
    IntoItself,
    /// It is a file, and the new path ends in `/`.
    NamedAsDirectory,
}

impl ChangeError {
    /// Converts what kept a workspace from being changed at `address`.
    pub(super) fn from_workspace(error: WorkspaceError, address: &Address) -> Self {
        let address = address.clone();
        match error {
            WorkspaceError::Full { size, limits } => Self::Full { address, size, limits },
            WorkspaceError::TooDeep => Self::TooDeep(address),
            WorkspaceError::Io(cause) => Self::Failed { address, cause },
        }
    }
}

/// A file that was changed.
struct ChangedFile {
    sha256: Data,
    bytes: usize,
    created: bool,
}

/// Makes the change that the call asks for, if policy allows it.
pub(crate) fn change_file(
    view: &View<'_>,
    project: &Folder,
    call: &FileChange,
    turn: &dyn Turn,
) -> Result<Draft, FileError> {
    let address = call.path.address(&view.home);
    let address = view.world.address(&call.path, &view.home).unwrap_or(address);
    let permit = policy::permit(&view.run, address, call).map_err(ChangeError::from)?;
    check_speakable(view, permit.address())?;
    if permit.address().is_directory() {
        return Err(ChangeError::NotRegularFile(permit.address().clone()).into());
    }
    apply(permit, view, project, turn)
}

/// Checks that a reply may name what is changed. A hidden file may not be changed either, because
/// the reply would reveal that it exists. A name that spells a real folder could be written, but no
/// reply could ever name it.
pub(super) fn check_speakable(view: &View<'_>, address: &Address) -> Result<(), FileError> {
    let spells_a_folder = view.gate.has_escaped_folder_in(address.path().as_str());
    let is_speakable = view.world.may_show(address) && !spells_a_folder;
    if is_speakable { Ok(()) } else { Err(ResolveError::NotVisible.into()) }
}

/// Opens the agent's workspace for a change at `address`, and creates it if it does not exist.
pub(super) fn open_workspace(
    view: &View<'_>,
    project: &Folder,
    address: &Address,
    turn: &dyn Turn,
) -> Result<Workspace, FileError> {
    let is_cancelled = || check_active(turn).is_err();
    let workspace = Workspace::open(project, view.agent, &is_cancelled);
    let failed = |cause| ChangeError::Failed { address: address.clone(), cause };
    if let Some(workspace) = workspace.map_err(failed)? {
        return Ok(workspace);
    }
    check_active(turn).map_err(|error| FileError::from_traversal(error, address))?;
    Err(FileError::TimedOut(address.clone()))
}

/// Checks that no other name in the folder looks like the target's. A file that is not shown for
/// that reason is answered as missing, and no new one is made.
pub(super) fn check_twins(
    target: &WriteTarget,
    entry: &ExistingEntry,
    address: &Address,
) -> Result<(), FileError> {
    let failed = |cause| ChangeError::Failed { address: address.clone(), cause };
    if !target.has_twin().map_err(failed)? {
        return Ok(());
    }
    Err(match entry {
        ExistingEntry::Absent => ChangeError::LooksAlike(address.clone()).into(),
        _ => ResolveError::NotVisible.into(),
    })
}

/// Applies a permitted change. A permit can be spent only once.
#[expect(clippy::needless_pass_by_value, reason = "a permit is spent once")]
fn apply(
    permit: Permit<'_>,
    view: &View<'_>,
    project: &Folder,
    turn: &dyn Turn,
) -> Result<Draft, FileError> {
    let address = permit.address();
    let failed = |cause| ChangeError::Failed { address: address.clone(), cause };
    // Without a workspace there is nothing to edit, and no reason to create one.
    if !view.world.has_workspace() && !matches!(permit.kind(), FileChangeKind::Write { .. }) {
        return Err(ResolveError::NotVisible.into());
    }
    let missing = match permit.kind() {
        FileChangeKind::Write { create_dirs: true, .. } => MissingFolders::Create,
        _ => MissingFolders::Refuse,
    };
    // A refusal must not leave a new workspace behind.
    let is_deep = permit.path().names().count() > 1;
    if !view.world.has_workspace() && missing == MissingFolders::Refuse && is_deep {
        return Err(ChangeError::NoDirectory(address.clone()).into());
    }
    let workspace = open_workspace(view, project, address, turn)?;
    let target = match workspace.find_target(permit.path(), missing).map_err(failed)? {
        TargetLookup::Found(target) => target,
        TargetLookup::MissingFolder => return Err(ChangeError::NoDirectory(address.clone()).into()),
        TargetLookup::NotAFolder => return Err(ChangeError::NotRegularFile(address.clone()).into()),
    };
    let occupant = target.existing_entry().map_err(failed)?;
    let created = matches!(occupant, ExistingEntry::Absent);
    check_twins(&target, &occupant, address)?;
    let new = new_content(&permit, view, occupant)?;
    // A call that was abandoned by now must not change anything.
    check_active(turn).map_err(|error| FileError::from_traversal(error, address))?;
    workspace
        .put(&target, new.as_bytes(), view.workspace_limits)
        .map_err(|error| ChangeError::from_workspace(error, address))?;
    if created {
        workspace.remove_abandoned_files();
    }
    let fidelity = view.fidelity_of(address, new.as_bytes());
    let sha256 = view.digest_data(Sha256::digest(new.as_bytes()), fidelity);
    let changed = ChangedFile { sha256, bytes: new.len(), created };
    Ok(change_reply(&permit, changed))
}

/// Computes the new content of the file.
fn new_content(
    permit: &Permit<'_>,
    view: &View<'_>,
    occupant: ExistingEntry,
) -> Result<String, FileError> {
    let address = permit.address();
    let current = match occupant {
        ExistingEntry::Folder | ExistingEntry::Other => {
            return Err(ChangeError::NotRegularFile(address.clone()).into());
        }
        ExistingEntry::Absent => None,
        ExistingEntry::File(file) => Some(file),
    };
    let file = match (permit.kind(), permit.expect(), current) {
        // The new content does not depend on the current one.
        (FileChangeKind::Write { content, .. }, None, _) => return Ok(content.clone()),
        (_, Some(_), None) => return Err(stale_error(address, None).into()),
        (_, None, None) => return Err(ResolveError::NotVisible.into()),
        (_, _, Some(file)) => file,
    };
    let text = read_current(permit, view, file)?;
    let secrets = view.secret_display_at(address);
    let conflict = |RedactionConflict| ChangeError::TouchesRedaction(address.clone());
    let seen = RedactedText::new(&text, secrets, view.gate, view.agent).map_err(conflict)?;
    let (range, new) = match permit.kind() {
        FileChangeKind::Write { content, .. } => (0..seen.text().len(), content.clone()),
        FileChangeKind::Edit { old, new } => locate_edit(&seen, old, new, address)?,
        FileChangeKind::Patch { section, occurrence, content } => {
            if text.len() > MAX_PATCHED {
                return Err(ChangeError::NotText(address.clone()).into());
            }
            let patch = markdown::patch(seen.text(), section, *occurrence, content)
                .map_err(|error| ChangeError::Section { address: address.clone(), error })?;
            (patch.range, patch.text)
        }
    };
    let changed = match permit.kind() {
        FileChangeKind::Write { .. } => seen.rewrite(&new),
        FileChangeKind::Edit { .. } | FileChangeKind::Patch { .. } => {
            seen.splice(range.clone(), &new)
        }
    };
    let changed = changed.map_err(conflict)?;
    // This proves the result: the next reader sees what the caller meant, and nothing that was
    // hidden.
    let shown = [&seen.text()[..range.start], &new, &seen.text()[range.end..]].concat();
    let shows = |text: &str| {
        let seen = RedactedText::new(text, secrets, view.gate, view.agent);
        seen.map(|seen| seen.text().to_owned())
    };
    if shows(&shown).is_err() || shows(&shown) != shows(&changed) {
        return Err(ChangeError::TouchesRedaction(address.clone()).into());
    }
    Ok(changed)
}

/// Reads the text that is to be changed, if it is what the caller expects.
fn read_current(permit: &Permit<'_>, view: &View<'_>, file: File) -> Result<String, ChangeError> {
    let address = permit.address();
    let bytes = read_at_most(file, MAX_EDITED)
        .map_err(|cause| ChangeError::Failed { address: address.clone(), cause })?;
    let bytes = bytes.ok_or_else(|| ChangeError::NotText(address.clone()))?;
    if let Some(expected) = permit.expect() {
        let (sha256, fidelity) = (Sha256::digest(&bytes), view.fidelity_of(address, &bytes));
        check_digest(view, address, ExaminedFile { sha256, fidelity }, expected)?;
    }
    String::from_utf8(bytes).map_err(|_| ChangeError::NotText(address.clone()))
}

/// Finds the only occurrence of `old` in the text, and returns its range with the replacement. A
/// file with CRLF line endings keeps them, whichever endings the caller uses.
fn locate_edit(
    seen: &RedactedText<'_>,
    old: &str,
    new: &str,
    address: &Address,
) -> Result<(Range<usize>, String), ChangeError> {
    let text = seen.text();
    let windows = text.matches("\r\n").count() * 2 > text.matches('\n').count();
    let crlf = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
    let new = if windows { crlf(new) } else { new.to_owned() };
    let exact = !windows || text.contains(old);
    let old = if exact { old.to_owned() } else { crlf(old) };
    let count = if old.is_empty() { 0 } else { count_occurrences(text, &old) };
    match (text.find(&old), count) {
        (Some(at), 1) => Ok((at..at + old.len(), new)),
        _ => Err(ChangeError::NotOnce { address: address.clone(), count }),
    }
}

/// Counts how often a text occurs, including overlapping occurrences. Counting stops at 100.
fn count_occurrences(text: &str, part: &str) -> usize {
    const ENOUGH: usize = 100;
    let (mut count, mut from) = (0, 0);
    while let Some(at) = text[from..].find(part) {
        count += 1;
        let step = part.chars().next().map_or(1, char::len_utf8);
        from += at + step;
        if count == ENOUGH {
            break;
        }
    }
    count
}

pub(super) fn stale_error(address: &Address, current: Option<ShownDigest>) -> ChangeError {
    ChangeError::Stale { address: address.clone(), current }
}

/// Makes the digest of a file that the caller is shown.
pub(super) fn shown_digest(
    view: &View<'_>,
    address: &Address,
    file: ExaminedFile,
) -> Result<ShownDigest, ChangeError> {
    let shown = view.shown_digest(file.sha256, file.fidelity);
    shown.map_err(|DigestKeyError| ChangeError::DigestKey(address.clone()))
}

/// Checks that a file is the one that the caller saw, by the digest that it was shown. Whoever
/// guesses another form of the digest learns nothing.
pub(super) fn check_digest(
    view: &View<'_>,
    address: &Address,
    file: ExaminedFile,
    expected: ShownDigest,
) -> Result<(), ChangeError> {
    let current = shown_digest(view, address, file)?;
    if current == expected { Ok(()) } else { Err(stale_error(address, Some(current))) }
}

fn change_reply(permit: &Permit<'_>, changed: ChangedFile) -> Draft {
    let (code, words): (Code<Success>, _) = match (permit.kind(), changed.created) {
        (FileChangeKind::Write { .. }, true) => (codes::WRITE, " was created."),
        (FileChangeKind::Write { .. }, false) => (codes::WRITE, " was replaced."),
        (FileChangeKind::Edit { .. }, _) => (codes::WRITE_EDITED, " was edited."),
        (FileChangeKind::Patch { .. }, _) => (codes::WRITE_PATCHED, " was patched."),
    };
    let data = Fields::default()
        .with("target", permit.address().clone())
        .with("sha256", changed.sha256)
        .with("bytes", changed.bytes as u64)
        .with("created", changed.created);
    let message = Prose::words("").address(permit.address().clone()).and(words);
    Draft::success(code, message).data(data)
}
