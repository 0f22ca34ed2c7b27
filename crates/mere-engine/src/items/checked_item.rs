//! An item that was read and verified, and who vouches for it.
//!
//! This is the only way from bytes on disk to a reply with an item's body: the item is verified
//! first and then permitted. A broken item has no body to return; an item that nobody vouches for
//! is used only where policy allows it.

use mere_core::address::Address;
use mere_core::item::ScopedPath;
use mere_core::reply::{Content, Fields, Prose};
use mere_core::request::Reader;
use mere_core::trust::{
    ItemSigners, TrustedSigner, UntrustedReason, UntrustedSigner, Verification, VerificationFailure,
};

use super::change::ItemCall;
use super::load::item_name;
use super::loaded::SidecarFile;
use super::{ItemError, LoadedItem, RawItem};
use crate::error::tool_error::ToolError;
use crate::files::view::View;
use crate::policy::{self, SignatureRequirement};
use crate::trust::{Membership, TrustPolicy};

/// Who vouches for an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TrustStatus {
    /// Its author and whoever placed it here vouch for it.
    Verified(ItemSigners),
    /// A person is working on it.
    Draft,
    /// It has no signature.
    Unsigned,
    /// It is signed by a key that is not trusted.
    UnknownKey(UnknownSigner),
}

/// A signer whose key is not trusted, and the user's membership in the team of this space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnknownSigner {
    signer: UntrustedSigner,
    membership: Membership,
}

/// An item that was read and is not broken.
pub(crate) struct CheckedItem {
    pub(crate) loaded: LoadedItem,
    pub(crate) trust_status: TrustStatus,
    /// The sidecar that was verified.
    pub(crate) sidecar_bytes: Option<Vec<u8>>,
}

/// A broken item, with what is reported instead of its body.
#[derive(Debug)]
pub(crate) struct BrokenItem {
    pub(crate) place: ScopedPath,
    pub(crate) address: Address,
    pub(crate) failure: VerificationFailure,
}

impl CheckedItem {
    /// Reads an item and checks its signatures. A broken item is an error.
    pub(crate) fn read_and_verify(
        view: &View<'_>,
        court: &TrustPolicy,
        place: ScopedPath,
    ) -> Result<Self, ToolError> {
        let raw = RawItem::read(view, place)?;
        let (place, address) = (raw.place.clone(), raw.address.clone());
        let signed = match &raw.sidecar {
            SidecarFile::Bytes(bytes) => Some(bytes.clone()),
            SidecarFile::None | SidecarFile::Unreadable => None,
        };
        let (loaded, standing) = match raw.verify(court)? {
            Verification::Verified(verified) => {
                let (loaded, vouched) = verified.into_parts();
                (loaded, TrustStatus::Verified(vouched))
            }
            Verification::Draft(loaded) => (loaded, TrustStatus::Draft),
            Verification::Unsigned(loaded) => (loaded, TrustStatus::Unsigned),
            Verification::UnknownKey(loaded, stranger) => {
                let membership = court.membership(place.scope);
                (loaded, TrustStatus::UnknownKey(UnknownSigner { signer: stranger, membership }))
            }
            Verification::Broken(failure) => {
                let broken = BrokenItem { place, address, failure };
                return Err(ItemError::Broken(Box::new(broken)).into());
            }
        };
        Ok(Self { loaded, trust_status: standing, sidecar_bytes: signed })
    }

    /// Reads and verifies an item for use by the caller. Policy decides about an item that nobody
    /// vouches for.
    pub(crate) fn open_for_use(desk: &ItemCall<'_>, place: ScopedPath) -> Result<Self, ToolError> {
        Self::open_for_reader(desk.reader, (desk.view, desk.trust_policy), place)
    }

    /// Does the same as [`Self::open_for_use`] without a whole [`ItemCall`].
    pub(crate) fn open_for_reader(
        who: Reader,
        (view, court): (&View<'_>, &TrustPolicy),
        place: ScopedPath,
    ) -> Result<Self, ToolError> {
        let opened = Self::read_and_verify(view, court, place)?;
        let must = who == Reader::Agent && court.requires_signature(opened.loaded.place.kind);
        let demand =
            if must { SignatureRequirement::Required } else { SignatureRequirement::Optional };
        policy::permit_use(&opened, demand).map_err(ItemError::UseDenied)?;
        Ok(opened)
    }

    /// Returns the fields of `trust` in a reply.
    pub(crate) fn trust_fields(&self) -> Fields {
        self.trust_status.to_fields()
    }

    /// Returns what to do about an item that nobody vouches for.
    pub(crate) fn advice(&self) -> Option<Prose> {
        self.trust_status.advice(&self.loaded.place)
    }
}

/// Returns whether the caller may rely on what an item says. An item that has no sidecar and needs
/// none is not read.
pub(crate) fn is_usable_by_caller(desk: &ItemCall<'_>, place: &ScopedPath) -> bool {
    let must = desk.reader == Reader::Agent && desk.trust_policy.requires_signature(place.kind);
    let is_plain = !must && RawItem::has_no_sidecar(desk.view, place).unwrap_or_default();
    is_plain || CheckedItem::open_for_use(desk, place.clone()).is_ok()
}

impl TrustStatus {
    /// Returns its name in `trust.status`.
    pub(crate) fn status(&self) -> &'static str {
        match self {
            Self::Verified(_) => "verified",
            Self::Draft => "draft",
            Self::Unsigned => "unsigned",
            Self::UnknownKey(_) => "unknown-key",
        }
    }

    /// Returns the fields of `trust` in a reply.
    pub(crate) fn to_fields(&self) -> Fields {
        let fields = Fields::default().with("status", self.status());
        match self {
            Self::Verified(vouched) => {
                let (author, installer) = (&vouched.author, &vouched.installer);
                let other = (author.key != installer.key).then(|| display_name(installer));
                fields
                    .with("key", Content::mention(author.key.to_string()))
                    .with_some("signer", author.name.clone().map(Content::mention))
                    .with_some("placed_by", other.map(Content::mention))
            }
            Self::Draft | Self::Unsigned => fields,
            Self::UnknownKey(UnknownSigner { signer: stranger, .. }) => {
                let key = Content::mention(stranger.key.to_string());
                fields.with("key", key).with_some("why", limitation(stranger.reason))
            }
        }
    }

    /// Returns what to do about an item that nobody vouches for. Memories are never signed, so they
    /// need nothing.
    pub(crate) fn advice(&self, place: &ScopedPath) -> Option<Prose> {
        let item = format!("{} {}", place.kind, item_name(place));
        let words = match self {
            Self::Verified(_) => return None,
            Self::Unsigned if place.kind == mere_core::item::ItemType::Memory => return None,
            Self::Draft => format!(
                "It is a draft: a person is working on it, and it differs from what was signed. \
                 `mere sign {item}` ends the draft."
            ),
            Self::Unsigned => {
                format!("Nobody has signed it. Ask a person to read it and run `mere sign {item}`.")
            }
            Self::UnknownKey(unvouched) => unvouched.advice(&item),
        };
        Some(Prose::with_names(&words, &[item_name(place)]))
    }
}

impl UnknownSigner {
    /// Returns what to do. Where there is a team, the team decides whose keys are trusted.
    fn advice(&self, item: &str) -> String {
        let whose = match self.signer.reason {
            UntrustedReason::UnknownKey => "a key that nobody here trusts",
            UntrustedReason::OutsideLimits => "a key that is trusted only for other items",
            UntrustedReason::Expired => "a key that has expired",
        };
        let cure = match self.membership {
            Membership::NoTeam => {
                format!(
                    "Ask a person to run `mere trust add`, or read it and run `mere sign {item}`."
                )
            }
            Membership::NotJoined => {
                "The space has a team that has not been joined here. Ask a person to run `mere \
                 join`, which shows whose signatures would count."
                    .to_owned()
            }
            Membership::Joined => format!(
                "Ask an admin of the team to run `mere team add`, or a member to read it and \
                 `mere sign {item}`."
            ),
        };
        format!("It is signed by {whose}. {cure}")
    }
}

fn display_name(voucher: &TrustedSigner) -> String {
    voucher.name.clone().unwrap_or_else(|| voucher.key.to_string())
}

fn limitation(why: UntrustedReason) -> Option<&'static str> {
    match why {
        UntrustedReason::UnknownKey => None,
        UntrustedReason::OutsideLimits => {
            Some("trusted only for other scopes, types or categories")
        }
        UntrustedReason::Expired => Some("it has expired"),
    }
}
