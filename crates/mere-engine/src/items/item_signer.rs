//! Making signatures: the only place where the user's key signs for an item.
//!
//! An [`ItemSigner`] exists only where signing is permitted: it holds the permit and the unlocked
//! key, which signs for nothing else. It signs items that were read and parsed, for the place where
//! they lie or will lie.

use mere_core::address::Address;
use mere_core::item::{Scope, ScopedPath};
use mere_core::trust::{
    ClaimedTime, Envelope, Fingerprint, Placement, PublicKey, Sidecar, Statement,
};

use super::{ItemCall, ItemError, ItemReader, LoadedItem};
use crate::policy::{self, SigningPermit, SigningReason};
use crate::space::ItemChangeError;
use crate::space::git_attributes::{byte_lines, write_missing_lines};
use crate::trust::keys::{KeyFault, SigningKey};
use crate::trust::{keys, now};
use mere_host::GitRepository;

/// The user's key, unlocked and permitted to sign.
pub(crate) struct ItemSigner {
    key: SigningKey,
    permit: SigningPermit,
}

impl ItemSigner {
    /// Unlocks the user's key for a given reason, if policy allows it.
    pub(crate) fn unlock(
        call: &ItemCall<'_>,
        reason: SigningReason<'_>,
    ) -> Result<Self, ItemError> {
        let key = keys::unlock(&call.context.environment, call.passphrase);
        Self::permit_key(call, key, reason)
    }

    /// Unlocks one of the user's keys, whichever is current.
    pub(crate) fn unlock_named(
        call: &ItemCall<'_>,
        key: Fingerprint,
        reason: SigningReason<'_>,
    ) -> Result<Self, ItemError> {
        let key = keys::unlock_by_fingerprint(&call.context.environment, key, call.passphrase);
        Self::permit_key(call, key, reason)
    }

    fn permit_key(
        call: &ItemCall<'_>,
        key: Result<SigningKey, KeyFault>,
        reason: SigningReason<'_>,
    ) -> Result<Self, ItemError> {
        // A refusal to sign must be reported before anybody is asked for a passphrase.
        let permit = permit_signing(&call.items, reason, &key)?;
        let signer = Self { key: key.map_err(ItemError::Key)?, permit };
        // The user's own keyring decides: a key that the user revoked no longer signs.
        if call.items.trust_policy.keyring(Scope::User).is_revoked(signer.fingerprint()) {
            return Err(ItemError::Key(KeyFault::Revoked(signer.fingerprint())));
        }
        Ok(signer)
    }

    /// Returns the permit, which also shows that somebody is there.
    pub(crate) fn permit(&self) -> &SigningPermit {
        &self.permit
    }

    /// Returns the key's fingerprint.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.key.public().fingerprint()
    }

    /// Returns the public key.
    pub(crate) fn public_key(&self) -> &PublicKey {
        self.key.public()
    }

    /// Signs an item as its author, for the place where it lies.
    pub(crate) fn sign_item(
        &self,
        loaded: &LoadedItem,
        space_id: &str,
    ) -> Result<Vec<u8>, ItemError> {
        let claims = loaded.claims();
        let (Some(version), Some(integrity)) = (claims.version, claims.integrity) else {
            return Err(ItemChangeError::UnsupportedType(loaded.place.kind).into());
        };
        let place = &loaded.place;
        let created = ClaimedTime::from_timestamp(now());
        let statement = Statement {
            kind: place.kind,
            id: place.id.clone(),
            version,
            category: place.category.clone(),
            integrity,
            files: loaded.all_files(),
            executor: claims.executor,
            created,
        };
        let mut sidecar = Sidecar::new(statement, new_placement(place, space_id, created));
        self.sign_envelope(&mut sidecar.author)?;
        self.sign_envelope(&mut sidecar.installer)?;
        Ok(sidecar.to_text().into_bytes())
    }

    /// Signs the placement of an item by another author. The author's signature is kept.
    pub(crate) fn sign_placement(
        &self,
        signed: &Sidecar,
        place: &ScopedPath,
        space_id: &str,
    ) -> Result<Vec<u8>, ItemError> {
        let new = new_placement(place, space_id, ClaimedTime::from_timestamp(now()));
        let placement = Placement { origin: signed.placement.origin.clone(), ..new };
        let (author, statement) = (signed.author.clone(), signed.statement.clone());
        let mut sidecar = Sidecar::with_signed_statement(author, statement, placement);
        sidecar.log_proof.clone_from(&signed.log_proof);
        self.sign_envelope(&mut sidecar.installer)?;
        Ok(sidecar.to_text().into_bytes())
    }

    /// Adds the user's signatures to the existing ones.
    pub(crate) fn countersign(&self, mut signed: Sidecar) -> Result<Vec<u8>, ItemError> {
        self.sign_envelope(&mut signed.author)?;
        self.sign_envelope(&mut signed.installer)?;
        Ok(signed.to_text().into_bytes())
    }

    /// Adds the user's signature to an envelope.
    pub(crate) fn sign_envelope(&self, envelope: &mut Envelope) -> Result<(), ItemError> {
        let signature = self.key.sign(&envelope.message(), &self.permit).map_err(ItemError::Key)?;
        envelope.add_signature(self.fingerprint(), signature);
        Ok(())
    }
}

/// Allows somebody who is present to decide. Setting signatures aside requires the same presence as
/// making them.
pub(crate) fn permit_setting_aside(call: &ItemCall<'_>) -> Result<SigningPermit, ItemError> {
    let key = keys::unlock(&call.context.environment, call.passphrase);
    permit_signing(&call.items, SigningReason::Requested, &key)
}

fn permit_signing(
    items: &ItemReader<'_>,
    reason: SigningReason<'_>,
    key: &Result<SigningKey, KeyFault>,
) -> Result<SigningPermit, ItemError> {
    let context = policy::SigningContext {
        reader: items.reader,
        has_terminal: mere_host::has_terminal(),
        is_in_agent: key.as_ref().is_ok_and(SigningKey::is_in_agent),
        may_sign_unattended: items.trust_policy.may_sign_unattended(),
    };
    Ok(policy::permit_signing(context, reason).map_err(ItemChangeError::from)?)
}

/// Creates a placement. The digest of the statement is filled in when the sidecar is built.
fn new_placement(place: &ScopedPath, space_id: &str, created: ClaimedTime) -> Placement {
    Placement {
        statement: mere_core::digest::Sha256::digest(b""),
        scope: place.scope,
        space_id: space_id.to_owned(),
        base: Placement::base_name(place.kind, &place.base),
        origin: None,
        created,
    }
}

/// Unlocks the user's key, or returns `None` if there is no key or policy denies signing.
pub(crate) fn try_unlock(
    call: &ItemCall<'_>,
    reason: SigningReason<'_>,
) -> Result<Option<ItemSigner>, ItemError> {
    match ItemSigner::unlock(call, reason) {
        Ok(signer) => Ok(Some(signer)),
        Err(ItemError::Key(KeyFault::NoKey) | ItemError::Change(ItemChangeError::Denied(_))) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Returns the id of a place's space, and gives the space an id if it has none.
pub(crate) fn ensure_space_id(
    call: &ItemCall<'_>,
    place: &ScopedPath,
) -> Result<String, ItemError> {
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    ensure_id_of_scope(call, place.scope, address)
}

/// Returns the id of the space of a scope, and gives the space an id if it has none. From then on
/// there are signatures, and git is told to keep what they are about.
pub(crate) fn ensure_id_of_scope(
    call: &ItemCall<'_>,
    scope: Scope,
    address: Address,
) -> Result<String, ItemError> {
    if let Some(id) = call.items.trust_policy.space_id(scope) {
        return Ok(id.to_owned());
    }
    let ensured = call.context.ensure_space_id(scope, call.is_cancelled);
    let ensured = ensured.map_err(|cause| ItemChangeError::WriteFailed { address, cause })?;
    let (id, is_new) = ensured.ok_or(ItemChangeError::NoSpaceId)?;
    let project = call.context.project_folder().filter(|_| scope == Scope::Project && is_new);
    if project.and_then(GitRepository::discover).is_some() {
        let lines = byte_lines(call.items.sources.in_place_folders());
        // `mere doctor` says so if it fails.
        if let Err(error) = write_missing_lines(call.context, &lines, call.is_cancelled) {
            tracing::warn!(%error, ".gitattributes could not be written");
        }
    }
    Ok(id)
}
