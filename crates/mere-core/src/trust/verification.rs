//! The possible results of verifying an item.
//!
//! Only `verify` can create a [`Verified`] item, and a broken item carries no content.

use std::fmt;

use super::key::Fingerprint;
use crate::address::Address;
use crate::item::{ScopedPath, Version, is_leftover};

/// A signer whose key is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedSigner {
    /// The key.
    pub key: Fingerprint,
    /// The name that the person or the team has given them.
    pub name: Option<String>,
}

/// The signers of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemSigners {
    /// The author, who vouches for what it is.
    pub author: TrustedSigner,
    /// The installer, who vouches for where it lies.
    pub installer: TrustedSigner,
}

/// A signer whose key is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UntrustedSigner {
    /// The key.
    pub key: Fingerprint,
    /// The reason why the key is not trusted.
    pub reason: UntrustedReason,
}

/// The reason why a key is not trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UntrustedReason {
    /// Nobody has added it.
    UnknownKey,
    /// It is trusted for other scopes, types or categories.
    OutsideLimits,
    /// Its last day is over.
    Expired,
}

/// An item whose signatures, content and location were checked. Only [`super::verify()`] creates
/// one, and the item inside cannot be exchanged.
#[derive(Clone, Debug)]
pub struct Verified<T> {
    item: T,
    signers: ItemSigners,
}

impl<T> Verified<T> {
    pub(super) fn new(item: T, signers: ItemSigners) -> Self {
        Self { item, signers }
    }

    /// Returns the item.
    pub fn item(&self) -> &T {
        &self.item
    }

    /// Returns who signed it.
    pub fn signers(&self) -> &ItemSigners {
        &self.signers
    }
}

/// The result of verifying an item. A broken item has no content here.
pub type Verification<T> = Result<Checked<T>, VerificationFailure>;

/// An item that was checked and is not broken, by who vouches for it.
#[derive(Clone, Debug)]
pub enum Checked<T> {
    /// It is signed by trusted keys, unchanged, and in its place.
    Verified(Verified<T>),
    /// A person is working on it; only its location was checked.
    Draft(T),
    /// It has no signature.
    Unsigned(T),
    /// Content and location match the signatures, but a key is not trusted.
    UnknownKey(T, UntrustedSigner),
}

/// Who vouches for an item, without the item.
pub type TrustStatus = Checked<()>;

impl<T> Checked<T> {
    /// Returns the item, whoever vouches for it.
    pub fn item(&self) -> &T {
        match self {
            Self::Verified(verified) => verified.item(),
            Self::Draft(item) | Self::Unsigned(item) | Self::UnknownKey(item, _) => item,
        }
    }

    /// Returns the trusted signers of a verified item.
    pub fn signers(&self) -> Option<&ItemSigners> {
        match self {
            Self::Verified(verified) => Some(verified.signers()),
            Self::Draft(_) | Self::Unsigned(_) | Self::UnknownKey(..) => None,
        }
    }

    /// Returns who vouches for the item. The result is no proof about any item.
    pub fn without_item(&self) -> TrustStatus {
        match self {
            Self::Verified(one) => Checked::Verified(Verified::new((), one.signers.clone())),
            Self::Draft(_) => Checked::Draft(()),
            Self::Unsigned(_) => Checked::Unsigned(()),
            Self::UnknownKey(_, signer) => Checked::UnknownKey((), *signer),
        }
    }

    /// Returns its name in `trust.status`.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Verified(_) => "verified",
            Self::Draft(_) => "draft",
            Self::Unsigned(_) => "unsigned",
            Self::UnknownKey(..) => "unknown-key",
        }
    }
}

/// The reason why an item must not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerificationFailure {
    /// The sidecar is malformed, or a signature in it is invalid.
    BadSignature(&'static str),
    /// It is signed by a revoked key, and by no trusted one.
    RevokedKey(Fingerprint),
    /// It was signed for another location.
    WrongLocation(Box<LocationMismatch>),
    /// It was signed as another version.
    WrongVersion {
        /// The version that was signed.
        expected: Version,
        /// The version that was found.
        found: Option<Version>,
    },
    /// These files are not what was signed. The list is empty if all files match but the item's own
    /// claims do not.
    Changed(Vec<String>),
    /// There are files that were not signed, or signed files are missing.
    WrongFiles {
        /// The files that were not signed.
        extra: Vec<String>,
        /// The signed files that are missing.
        missing: Vec<String>,
    },
}

impl VerificationFailure {
    /// Checks whether all that is wrong are files that an editor or a system left behind.
    pub fn is_only_leftovers(&self) -> bool {
        match self {
            Self::WrongFiles { extra, missing } => {
                missing.is_empty()
                    && !extra.is_empty()
                    && extra.iter().all(|file| is_leftover(file))
            }
            _ => false,
        }
    }

    /// Returns its name in `trust.status`.
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

/// A difference between the signed location and the one that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationMismatch {
    /// The first field that differs.
    pub field: LocationField,
    /// The signed value.
    pub expected: String,
    /// The value that was found.
    pub found: String,
    /// The location where the item belongs, if the signatures tell.
    pub expected_path: Option<ScopedPath>,
    /// The address of the signature, if it does not lie beside the item.
    pub signature: Option<Address>,
}

/// A field of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationField {
    /// The type of the item.
    Type,
    /// The id of the item.
    Id,
    /// The category of the item.
    Category,
    /// The scope of the space.
    Scope,
    /// The id of the space.
    Space,
    /// The folder that the category starts from.
    Base,
}

impl LocationField {
    /// Returns its name.
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
