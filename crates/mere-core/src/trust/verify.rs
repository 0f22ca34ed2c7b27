//! The one verification: first the signatures, then the location, then the bytes, then the item
//! they make.
//!
//! Nothing of an item is parsed before its raw bytes and its location are known to be right, and a
//! broken item is not parsed at all. Digests are those of the bytes that will be used; none is
//! taken from a claim.

use jiff::Timestamp;

use super::envelope::Envelope;
use super::keyring::Keyring;
use super::placement::Placement;
use super::sidecar::{Sidecar, SidecarFile};
use super::statement::Statement;
use super::verification::{
    Checked, ItemSigners, LocationField, LocationMismatch, TrustedSigner, UntrustedSigner,
    Verification, VerificationFailure, Verified,
};
use crate::digest::Sha256;
use crate::item::integrity::FileDigest;
use crate::item::{CategoryBase, ItemForm, ItemId, ItemType, ScopedPath, Version};

/// An item as it was found.
#[derive(Clone, Copy, Debug)]
pub struct FoundItem<'a> {
    /// Its location.
    pub path: &'a ScopedPath,
    /// The id of its space; `None` if the space has none.
    pub space_id: Option<&'a str>,
    /// All its files, sorted by path.
    pub files: &'a [FileDigest],
    /// Its sidecar.
    pub sidecar: &'a SidecarFile,
    /// Whether a person is working on it.
    pub is_draft: bool,
    /// The current time.
    pub now: Timestamp,
}

/// The claims of an item about itself, once it is parsed.
#[derive(Clone, Debug, Default)]
pub struct ItemClaims {
    /// Its version.
    pub version: Option<Version>,
    /// Its canonical hash.
    pub integrity: Option<Sha256>,
    /// The tool that runs it.
    pub executor: Option<ItemId>,
}

/// The result of the checks that come before the item itself is parsed.
enum SignatureCheck {
    Signed(Box<Sidecar>, Result<ItemSigners, UntrustedSigner>),
    Draft,
    Unsigned,
}

/// Verifies an item. `read` parses the item from the bytes that were hashed; it is not called for
/// an item that is already known to be broken.
pub fn verify<T, E>(
    found_item: &FoundItem<'_>,
    keyring: &Keyring,
    read: impl FnOnce() -> Result<(T, ItemClaims), E>,
) -> Result<Verification<T>, E> {
    let signatures = match check_signatures(found_item, keyring) {
        Ok(signatures) => signatures,
        Err(failure) => return Ok(Err(failure)),
    };
    let (item, claims) = read()?;
    let (sidecar, signers) = match signatures {
        SignatureCheck::Unsigned => return Ok(Ok(Checked::Unsigned(item))),
        SignatureCheck::Draft => return Ok(Ok(Checked::Draft(item))),
        SignatureCheck::Signed(sidecar, signers) => (sidecar, signers),
    };
    Ok(match (check_claims(&sidecar.statement, claims), signers) {
        (Err(failure), _) => Err(failure),
        (Ok(()), Ok(signers)) => Ok(Checked::Verified(Verified::new(item, signers))),
        (Ok(()), Err(signer)) => Ok(Checked::UnknownKey(item, signer)),
    })
}

/// Returns the statement of a sidecar if its author's key is trusted, wherever it says the item
/// lies. Returns `None` if the bytes are not a sidecar or no trusted key signed the statement. The
/// statement tells what was once vouched for, and nothing about what lies there now.
pub fn trusted_statement(
    bytes: &[u8],
    keyring: &Keyring,
    place: &ScopedPath,
    now: Timestamp,
) -> Option<Statement> {
    let sidecar = Sidecar::parse(bytes).ok()?;
    keyring.check_signers(&sidecar.author, place, now).ok()?.ok()?;
    Some(sidecar.statement)
}

/// Checks who signed a statement about an item that would lie at a place. A key that is not trusted is
/// not known here, so that nothing is said about its signature.
pub fn check_author(
    author: &Envelope,
    keyring: &Keyring,
    place: &ScopedPath,
    now: Timestamp,
) -> Result<Result<TrustedSigner, UntrustedSigner>, VerificationFailure> {
    keyring.check_signers(author, place, now)
}

/// Checks an item that has no sidecar against one that lies elsewhere in its space, without an item
/// of its own. The failure is the one that the item would have if that sidecar lay beside it.
///
/// Such a sidecar counts only if it was made for this very space and trusted keys signed all of it.
/// Otherwise anybody could make an item unusable by dropping a file somewhere. It only ever
/// contradicts: an item that it describes correctly is unsigned all the same.
pub fn check_displaced_sidecar(
    found_item: &FoundItem<'_>,
    bytes: &[u8],
    keyring: &Keyring,
) -> Result<(), VerificationFailure> {
    let FoundItem { path, now, .. } = *found_item;
    let Some((sidecar, _)) = trusted_sidecar(bytes, keyring, now) else { return Ok(()) };
    let (placement, kind) = (&sidecar.placement, sidecar.statement.kind);
    let is_of_this_space = placement.scope == path.scope
        && Some(placement.space_id.as_str()) == found_item.space_id
        && kind == path.kind;
    if !is_of_this_space || path.kind == ItemType::Memory {
        return Ok(());
    }
    check_location(found_item, &sidecar)?;
    check_version(path, &sidecar.statement)?;
    if found_item.is_draft {
        return Ok(());
    }
    check_files(&sidecar.statement.files, found_item.files)
}

/// Returns a sidecar, and the place that it was made for, if trusted keys signed all of it.
pub fn trusted_sidecar(
    bytes: &[u8],
    keyring: &Keyring,
    now: Timestamp,
) -> Option<(Sidecar, ScopedPath)> {
    let sidecar = Sidecar::parse(bytes).ok()?;
    let place = signed_path(&sidecar)?;
    keyring.check_signers(&sidecar.author, &place, now).ok()?.ok()?;
    keyring.check_signers(&sidecar.installer, &place, now).ok()?.ok()?;
    Some((sidecar, place))
}

fn check_signatures(
    found_item: &FoundItem<'_>,
    keyring: &Keyring,
) -> Result<SignatureCheck, VerificationFailure> {
    // Memories are not signed.
    let bytes = match found_item.sidecar {
        _ if found_item.path.kind == ItemType::Memory => return Ok(SignatureCheck::Unsigned),
        SidecarFile::None if found_item.is_draft => return Ok(SignatureCheck::Draft),
        SidecarFile::None => return Ok(SignatureCheck::Unsigned),
        SidecarFile::Bytes(bytes) => bytes,
        SidecarFile::Unreadable => {
            return Err(VerificationFailure::BadSignature("it is not a file, or it is too large"));
        }
    };
    let sidecar =
        Sidecar::parse(bytes).map_err(|error| VerificationFailure::BadSignature(error.0))?;
    let author = keyring.check_signers(&sidecar.author, found_item.path, found_item.now)?;
    let installer = keyring.check_signers(&sidecar.installer, found_item.path, found_item.now)?;
    check_location(found_item, &sidecar)?;
    check_version(found_item.path, &sidecar.statement)?;
    if found_item.is_draft {
        return Ok(SignatureCheck::Draft);
    }
    check_files(&sidecar.statement.files, found_item.files)?;
    let signers =
        author.and_then(|author| installer.map(|installer| ItemSigners { author, installer }));
    Ok(SignatureCheck::Signed(Box::new(sidecar), signers))
}

/// Checks that the item lies where its signatures say.
fn check_location(
    found_item: &FoundItem<'_>,
    sidecar: &Sidecar,
) -> Result<(), VerificationFailure> {
    let (place, statement, placement) = (found_item.path, &sidecar.statement, &sidecar.placement);
    let base = Placement::base_name(place.kind, &place.base);
    let facts = [
        (LocationField::Type, statement.kind.name(), place.kind.name()),
        (LocationField::Id, statement.id.as_str(), place.id.as_str()),
        (LocationField::Category, statement.category.as_str(), place.category.as_str()),
        (LocationField::Scope, placement.scope.name(), place.scope.name()),
        // A placement names a space, so it is never met by a space without an id.
        (LocationField::Space, &placement.space_id, found_item.space_id.unwrap_or_default()),
        (LocationField::Base, &placement.base, &base),
    ];
    match facts.into_iter().find(|(_, expected, found)| expected != found) {
        None => Ok(()),
        Some((field, expected, found)) => {
            Err(VerificationFailure::WrongLocation(Box::new(LocationMismatch {
                field,
                expected: expected.to_owned(),
                found: found.to_owned(),
                expected_path: signed_path(sidecar),
                signature: None,
            })))
        }
    }
}

/// Returns where an item belongs according to its signatures alone, because what was found may be a
/// different item.
fn signed_path(sidecar: &Sidecar) -> Option<ScopedPath> {
    let (statement, placement) = (&sidecar.statement, &sidecar.placement);
    let base = if placement.base == statement.kind.folder() {
        CategoryBase::Space
    } else {
        CategoryBase::InPlace(placement.base.parse().ok()?)
    };
    let is_lockfile = statement.kind == ItemType::Lockfile;
    // No flat item has a main file of this name.
    let is_folder = |main| statement.files.iter().any(|file| file.path == main);
    let is_folder = statement.kind.folder_main_file().is_some_and(is_folder);
    Some(ScopedPath {
        scope: placement.scope,
        kind: statement.kind,
        base,
        category: statement.category.clone(),
        id: statement.id.clone(),
        version: is_lockfile.then(|| statement.version.clone()),
        form: if is_folder { ItemForm::Folder } else { ItemForm::Flat },
    })
}

/// Checks the version of a lockfile, which is part of its file name.
fn check_version(place: &ScopedPath, statement: &Statement) -> Result<(), VerificationFailure> {
    match &place.version {
        Some(found) if *found != statement.version => Err(VerificationFailure::WrongVersion {
            expected: statement.version.clone(),
            found: Some(found.clone()),
        }),
        _ => Ok(()),
    }
}

/// Checks that the files are the complete set, byte for byte.
fn check_files(signed: &[FileDigest], found: &[FileDigest]) -> Result<(), VerificationFailure> {
    let lacks = |all: &[FileDigest], one: &FileDigest| {
        all.binary_search_by(|other| other.path.cmp(&one.path)).is_err()
    };
    let paths = |from: &[FileDigest], others: &[FileDigest]| {
        let paths = from.iter().filter(|one| lacks(others, one));
        paths.map(|one| one.path.clone()).collect::<Vec<_>>()
    };
    let (extra, missing) = (paths(found, signed), paths(signed, found));
    if !extra.is_empty() || !missing.is_empty() {
        return Err(VerificationFailure::WrongFiles { extra, missing });
    }
    let changed = signed.iter().zip(found).filter(|(signed, found)| signed != found);
    let changed = changed.map(|(signed, _)| signed.path.clone()).collect::<Vec<_>>();
    if changed.is_empty() { Ok(()) } else { Err(VerificationFailure::Changed(changed)) }
}

/// Checks the item's own claims against the author's statement.
fn check_claims(statement: &Statement, claims: ItemClaims) -> Result<(), VerificationFailure> {
    if claims.version.as_ref() != Some(&statement.version) {
        let expected = statement.version.clone();
        return Err(VerificationFailure::WrongVersion { expected, found: claims.version });
    }
    if claims.integrity != Some(statement.integrity) || claims.executor != statement.executor {
        return Err(VerificationFailure::Changed(Vec::new()));
    }
    Ok(())
}
