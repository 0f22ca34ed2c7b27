//! The files of an item that a trusted key vouched for, whatever is on disk now.
//!
//! This is the only answer to the questions of what a change is compared with and what a person has
//! already been shown. A sidecar without a trusted signature vouches for nothing, so nothing can
//! hide behind it.

use mere_core::address::{RelPath, Root};
use mere_core::item::ScopedPath;
use mere_core::item::integrity::FileDigest;
use mere_core::trust;
use mere_core::trust::{Sidecar, Statement, TrustedSigner, check_author};

use super::{ItemCall, ItemReader, RawItem};
use crate::trust::now;
use crate::world::Context;
use mere_host::{Commit, FileVersion, GitRepository};

/// How many commits are searched for a signature, or for the text that was signed.
const MAX_COMMITS: usize = 200;

/// Returns the files that somebody has been shown: those vouched for by the sidecar on disk or, failing that, by the last
/// committed one. Returns none if no trusted key vouched for any.
pub(crate) fn vouched_files(call: &ItemCall<'_>, place: &ScopedPath) -> Vec<FileDigest> {
    vouched_statement(call, place).map(|statement| statement.files).unwrap_or_default()
}

/// Returns what a trusted key stated in that sidecar, wherever it says the item lies.
fn vouched_statement(call: &ItemCall<'_>, place: &ScopedPath) -> Option<Statement> {
    let raw = RawItem::read(call.items.view, place.clone()).ok();
    let present = raw.and_then(|raw| trusted_statement(&call.items, place, raw.sidecar.bytes()?));
    let committed = || {
        let git = GitRepository::discover(call.context.project_folder()?)?;
        let bytes = git.read_committed(&sidecar_path(place)?)?;
        trusted_statement(&call.items, place, &bytes)
    };
    present.or_else(committed)
}

/// The last version of an item that a trusted key vouched for.
pub(crate) struct VouchedVersion {
    pub(crate) statement: Statement,
    /// Who signed it.
    pub(crate) signer: TrustedSigner,
    /// The commit in whose state the signature was found; `None` if it lies beside the item.
    pub(crate) commit: Option<Commit>,
}

/// Returns the last version of an item that a trusted key vouched for: by the sidecar beside it or,
/// failing that, by the newest one in the history of the project. Somebody whose key is not trusted
/// may have replaced it in any number of commits since.
pub(crate) fn last_vouched_version(
    call: &ItemCall<'_>,
    place: &ScopedPath,
) -> Option<VouchedVersion> {
    let keyring = call.items.trust_policy.keyring(place.scope);
    let vouched = |bytes: &[u8], commit: Option<Commit>| {
        let sidecar = Sidecar::parse(bytes).ok()?;
        let signer = check_author(&sidecar.author, keyring, place, now()).ok()?.ok()?;
        Some(VouchedVersion { statement: sidecar.statement, signer, commit })
    };
    let raw = RawItem::read(call.items.view, place.clone()).ok();
    let present = raw.and_then(|raw| vouched(raw.sidecar.bytes()?, None));
    present.or_else(|| {
        let versions = signature_history(call.context, place).into_iter();
        let vouched = versions.filter_map(|one| vouched(&one.bytes, Some(one.commit)));
        // A branch may bring an old signature back, so the order of commits says little; when its
        // signer claims to have signed says more, and only trusted signers are asked.
        vouched.reduce(|last, one| if one.is_newer_than(&last) { one } else { last })
    })
}

impl VouchedVersion {
    fn is_newer_than(&self, other: &Self) -> bool {
        self.statement.created.is_later_than(other.statement.created)
    }
}

/// Returns the sidecars that an item had in the history of the project, the newest first.
pub(crate) fn signature_history(context: &Context, place: &ScopedPath) -> Vec<FileVersion> {
    let versions = || {
        let git = GitRepository::discover(context.project_folder()?)?;
        git.file_history(&sidecar_path(place)?, MAX_COMMITS).ok()
    };
    versions().unwrap_or_default()
}

/// Reads a text of the project that is wanted from the history of its file.
pub(crate) fn read_from_history(
    context: &Context,
    path: &RelPath,
    is_wanted: impl Fn(&[u8]) -> bool,
) -> Option<Vec<u8>> {
    let git = GitRepository::discover(context.project_folder()?)?;
    let versions = git.file_history(path, MAX_COMMITS).ok()?;
    versions.into_iter().map(|version| version.bytes).find(|bytes| is_wanted(bytes))
}

fn trusted_statement(
    items: &ItemReader<'_>,
    place: &ScopedPath,
    sidecar: &[u8],
) -> Option<Statement> {
    let keyring = items.trust_policy.keyring(place.scope);
    trust::trusted_statement(sidecar, keyring, place, now())
}

/// Returns the path of an item's sidecar relative to the project, or `None` for an item outside it.
fn sidecar_path(place: &ScopedPath) -> Option<RelPath> {
    let address = place.address().filter(|address| *address.root() == Root::Project)?;
    let (folder, _) = address.path().split_last()?;
    folder.child(&place.sidecar_name()?)
}
