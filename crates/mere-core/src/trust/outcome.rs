//! What verification can come to.

use std::fmt;

use super::key::Fingerprint;
use crate::item::{ScopedPath, Version};

/// Somebody whose key counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedSigner {
    /// Which key.
    pub key: Fingerprint,
    /// Whose, as the person or the team calls them.
    pub name: Option<String>,
}

/// Who vouches for an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemSigners {
    /// For what it is.
    pub author: TrustedSigner,
    /// For where it lies.
    pub installer: TrustedSigner,
}

/// Somebody whose key does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UntrustedSigner {
    /// The key.
    pub key: Fingerprint,
    /// Why it does not.
    pub reason: UntrustedReason,
}

/// Why a key does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UntrustedReason {
    /// Nobody has admitted it.
    UnknownKey,
    /// It is admitted for other scopes, types or categories.
    OutsideLimits,
    /// Its time is over.
    Expired,
}

/// An item whose signatures, content and place were checked. Made by [`super::verify`] alone.
#[derive(Clone, Debug)]
pub struct Verified<T> {
    item: T,
    signers: ItemSigners,
}

impl<T> Verified<T> {
    pub(super) fn new(item: T, signers: ItemSigners) -> Self {
        Self { item, signers }
    }

    /// The item.
    pub fn item(&self) -> &T {
        &self.item
    }

    /// Who vouches for it.
    pub fn signers(&self) -> &ItemSigners {
        &self.signers
    }

    /// The item, and who vouches for it.
    pub fn into_parts(self) -> (T, ItemSigners) {
        (self.item, self.signers)
    }
}

/// The one outcome of verification. What is broken has no body.
#[derive(Clone, Debug)]
pub enum Verification<T> {
    /// Signed by keys that count, unchanged, in its place.
    Verified(Verified<T>),
    /// A person is at work on it; only its place was checked.
    Draft(T),
    /// There is no signature.
    Unsigned(T),
    /// Content and place are as the signatures say, but a key does not count.
    UnknownKey(T, UntrustedSigner),
    /// Anything else.
    Broken(VerificationFailure),
}

impl<T> Verification<T> {
    /// Its name in `trust.status`.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Verified(_) => "verified",
            Self::Draft(_) => "draft",
            Self::Unsigned(_) => "unsigned",
            Self::UnknownKey(..) => "unknown-key",
            Self::Broken(failure) => failure.status(),
        }
    }
}

/// Why an item must not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerificationFailure {
    /// The sidecar is no sidecar, or a signature in it is not what it says.
    BadSignature(&'static str),
    /// Signed by a key that was revoked, and by no other that counts.
    RevokedKey(Fingerprint),
    /// Signed for another place.
    WrongLocation(Box<LocationMismatch>),
    /// Signed as another version.
    WrongVersion {
        /// The version that was signed.
        expected: Version,
        /// The version that was found.
        found: Option<Version>,
    },
    /// These files are not what was signed; none if the files are, and the item they make is not.
    Changed(Vec<String>),
    /// There are files that were not signed, or signed ones are missing.
    WrongFiles {
        /// Not signed.
        extra: Vec<String>,
        /// Signed, and not there.
        missing: Vec<String>,
    },
}

impl VerificationFailure {
    /// Its name in `trust.status`.
    pub fn status(&self) -> &'static str {
        match self {
            Self::BadSignature(_) => "bad-signature",
            Self::RevokedKey(_) => "revoked-key",
            Self::WrongLocation(_) => "wrong-location",
            Self::WrongVersion { .. } => "wrong-version",
            Self::Changed(_) => "changed",
            Self::WrongFiles { .. } => "wrong-files",
        }
    }
}

/// A signed place and the place that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationMismatch {
    /// The first of the facts that differ.
    pub field: LocationField,
    /// As it was signed.
    pub expected: String,
    /// As it was found.
    pub found: String,
    /// Where the item belongs, as far as that can be said.
    pub expected_path: Option<ScopedPath>,
}

/// A fact about a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationField {
    /// What kind of item.
    Type,
    /// Its id.
    Id,
    /// Its category.
    Category,
    /// Whose space.
    Scope,
    /// Which space.
    Space,
    /// The folder its category starts from.
    Base,
}

impl LocationField {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Id => "id",
            Self::Category => "category",
            Self::Scope => "scope",
            Self::Space => "space",
            Self::Base => "base",
        }
    }
}

impl fmt::Display for LocationField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
