//! The keys whose signatures are trusted, and what each is trusted for.
//!
//! A revoked key is never trusted, whoever adds it.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::envelope::Envelope;
use super::key::{Fingerprint, PublicKey};
use super::verification::{TrustedSigner, UntrustedReason, UntrustedSigner, VerificationFailure};
use crate::item::{Category, ItemType, Scope, ScopedPath};

/// The limits within which a key is trusted. An empty list allows all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyLimits {
    /// The scopes it is trusted in.
    pub scopes: Vec<Scope>,
    /// The item types it is trusted for.
    pub kinds: Vec<ItemType>,
    /// The categories it is trusted in, including their subcategories.
    pub categories: Vec<Category>,
    /// The last day on which it is trusted.
    pub not_after: Option<Date>,
}

impl KeyLimits {
    /// Returns why a key is not trusted for an item, or `None` if it is.
    fn rejection_reason(&self, place: &ScopedPath, now: Timestamp) -> Option<UntrustedReason> {
        let scope = self.scopes.is_empty() || self.scopes.contains(&place.scope);
        let kind = self.kinds.is_empty() || self.kinds.contains(&place.kind);
        let category = self.categories.is_empty()
            || self.categories.iter().any(|above| above.contains(&place.category));
        if !(scope && kind && category) {
            return Some(UntrustedReason::OutsideLimits);
        }
        let today = now.to_zoned(TimeZone::UTC).date();
        self.not_after.filter(|last| today > *last).map(|_| UntrustedReason::Expired)
    }
}

/// A trusted key.
#[derive(Clone, Debug)]
pub struct TrustedKey {
    /// The key.
    pub key: PublicKey,
    /// The name that the person or the team has given its owner.
    pub name: Option<String>,
    /// The limits within which it is trusted.
    pub limits: KeyLimits,
}

/// The trusted keys and the revoked ones.
#[derive(Clone, Debug, Default)]
pub struct Keyring {
    trusted: HashMap<Fingerprint, Vec<TrustedKey>>,
    revoked: HashSet<Fingerprint>,
}

impl Keyring {
    /// Adds a trusted key.
    pub fn add(&mut self, trusted_key: TrustedKey) {
        self.trusted.entry(trusted_key.key.fingerprint()).or_default().push(trusted_key);
    }

    /// Revokes a key. It is never trusted again, whoever adds it.
    pub fn revoke(&mut self, key: Fingerprint) {
        self.revoked.insert(key);
    }

    /// Revokes every key that another keyring has revoked.
    pub fn revoke_all_of(&mut self, other: &Self) {
        self.revoked.extend(&other.revoked);
    }

    /// Removes every trusted key but these.
    pub fn retain_only(&mut self, keys: &[Fingerprint]) {
        self.trusted.retain(|key, _| keys.contains(key));
    }

    /// Reports whether a key was revoked.
    pub fn is_revoked(&self, key: Fingerprint) -> bool {
        self.revoked.contains(&key)
    }

    /// Reports whether a key is trusted for an item.
    pub fn is_trusted(&self, key: Fingerprint, place: &ScopedPath, now: Timestamp) -> bool {
        self.look_up(key, place, now).is_ok()
    }

    /// Returns the first signer of an envelope whose key is trusted for the item, or else the first
    /// whose key is not. A signature that claims a key we know and was not made by it invalidates
    /// the envelope, whatever other signatures it has.
    pub(super) fn check_signers(
        &self,
        envelope: &Envelope,
        place: &ScopedPath,
        now: Timestamp,
    ) -> Result<Result<TrustedSigner, UntrustedSigner>, VerificationFailure> {
        let message = envelope.message();
        let (mut trusted, mut revoked, mut untrusted) = (None, None, None);
        for mark in envelope.signatures() {
            let name = mark.key;
            let admitted = self.trusted.get(&name).and_then(|all| all.first());
            if admitted.is_some_and(|one| !one.key.is_signature_valid(&mark.signature, &message)) {
                return Err(VerificationFailure::BadSignature(
                    "a signature was not made by the key it names",
                ));
            }
            match self.look_up(name, place, now) {
                _ if self.revoked.contains(&name) => revoked = revoked.or(Some(name)),
                Ok(found) => trusted = trusted.or(Some(found)),
                Err(why) => {
                    untrusted = untrusted.or(Some(UntrustedSigner { key: name, reason: why }));
                }
            }
        }
        match (trusted, revoked, untrusted) {
            (Some(trusted), ..) => Ok(Ok(trusted)),
            (None, Some(key), _) => Err(VerificationFailure::RevokedKey(key)),
            (None, None, Some(untrusted)) => Ok(Err(untrusted)),
            (None, None, None) => Err(VerificationFailure::BadSignature("nobody signed it")),
        }
    }

    fn look_up(
        &self,
        key: Fingerprint,
        place: &ScopedPath,
        now: Timestamp,
    ) -> Result<TrustedSigner, UntrustedReason> {
        if self.revoked.contains(&key) {
            return Err(UntrustedReason::UnknownKey);
        }
        let mut why = UntrustedReason::UnknownKey;
        for trusted_key in self.trusted.get(&key).into_iter().flatten() {
            match trusted_key.limits.rejection_reason(place, now) {
                None => return Ok(TrustedSigner { key, name: trusted_key.name.clone() }),
                Some(limit) => why = limit,
            }
        }
        Err(why)
    }
}
