//! An item that was read and verified, and who vouches for it.
//!
//! This is the only way from bytes on disk to a reply with an item's body: the item is verified
//! first and then permitted. A broken item has no body to return; an item that nobody vouches for
//! is used only where policy allows it.

use mere_core::address::Address;
use mere_core::item::{ItemType, ScopedPath};
use mere_core::reply::{Content, Fields, Prose};
use mere_core::request::Reader;
use mere_core::trust::{
    Checked, TrustStatus, TrustedSigner, UntrustedReason, UntrustedSigner, VerificationFailure,
};

use super::load::{command_words, item_name};
use super::{ItemError, ItemReader, LoadedItem, RawItem};
use crate::policy::{self, SignatureRequirement, Usable};
use crate::trust::{Membership, SignerStanding, TrustPolicy};

/// An item that was read and is not broken, by who vouches for it.
pub(crate) type CheckedItem = Checked<LoadedItem>;

/// An item that its reader may use.
pub(crate) type UsableItem = Usable<LoadedItem>;

/// A broken item, with what is reported instead of its body.
#[derive(Debug)]
pub(crate) struct BrokenItem {
    pub(crate) place: ScopedPath,
    pub(crate) address: Address,
    pub(crate) failure: VerificationFailure,
}

/// An item that must be signed but has no signature by a trusted key, with what is reported instead
/// of its body.
#[derive(Debug, thiserror::Error)]
#[error("{address} is {}", .status.status())]
pub(crate) struct UntrustedItem {
    pub(crate) address: Address,
    pub(crate) place: ScopedPath,
    pub(crate) status: TrustStatus,
    /// How its signer relates to the team of the item's space.
    pub(crate) standing: SignerStanding,
}

impl UntrustedItem {
    /// Describes an item that policy refused.
    pub(crate) fn new(refused: &CheckedItem, trust_policy: &TrustPolicy) -> Box<Self> {
        let loaded = refused.item();
        Box::new(Self {
            address: loaded.address.clone(),
            place: loaded.place.clone(),
            status: refused.without_item(),
            standing: signer_standing(refused, &loaded.place, trust_policy),
        })
    }
}

/// Reads an item and checks its signatures. A broken item is an error.
pub(crate) fn read_and_verify(
    items: &ItemReader<'_>,
    place: ScopedPath,
) -> Result<CheckedItem, ItemError> {
    let raw = RawItem::read(items.view, place)?;
    let (place, address) = (raw.place.clone(), raw.address.clone());
    raw.verify(items)?
        .map_err(|failure| ItemError::Broken(Box::new(BrokenItem { place, address, failure })))
}

/// Reads and verifies an item for use by the caller. Policy decides about an item that nobody
/// vouches for.
pub(crate) fn open_for_use(
    items: &ItemReader<'_>,
    place: ScopedPath,
) -> Result<UsableItem, ItemError> {
    let policy = items.trust_policy;
    let requirement = signature_requirement(policy, items.reader, place.kind);
    let checked = read_and_verify(items, place)?;
    let usable = policy::permit_use(checked, requirement);
    usable.map_err(|item| ItemError::UseDenied(UntrustedItem::new(&item, policy)))
}

/// Returns whether a reader needs a signature on items of a type. People may use unsigned ones.
pub(crate) fn signature_requirement(
    trust_policy: &TrustPolicy,
    reader: Reader,
    kind: ItemType,
) -> SignatureRequirement {
    match reader {
        Reader::Agent => trust_policy.signature_requirement(kind),
        Reader::Person => SignatureRequirement::Optional,
    }
}

/// Returns the fields of `trust` in a reply.
pub(crate) fn trust_status_fields<T>(checked: &Checked<T>) -> Fields {
    let fields = Fields::default().with("status", checked.status());
    match checked {
        Checked::Verified(verified) => {
            let (author, installer) = (&verified.signers().author, &verified.signers().installer);
            let other = (author.key != installer.key).then(|| display_name(installer));
            fields
                .with("key", Content::mention(author.key.to_string()))
                .with_some("signer", author.name.clone().map(Content::mention))
                .with_some("placed_by", other.map(Content::mention))
        }
        Checked::Draft(_) | Checked::Unsigned(_) => fields,
        Checked::UnknownKey(_, signer) => {
            let key = Content::mention(signer.key.to_string());
            fields.with("key", key).with_some("why", limitation(signer.reason))
        }
    }
}

/// Returns what to do about a checked item that nobody vouches for.
pub(crate) fn item_advice(checked: &CheckedItem, trust_policy: &TrustPolicy) -> Option<Prose> {
    let place = &checked.item().place;
    trust_advice(checked, place, &signer_standing(checked, place, trust_policy))
}

/// Returns how whoever signed an item relates to the team of its space.
fn signer_standing<T>(
    checked: &Checked<T>,
    place: &ScopedPath,
    trust_policy: &TrustPolicy,
) -> SignerStanding {
    let key = match checked {
        Checked::UnknownKey(_, signer) => Some(signer.key),
        Checked::Verified(_) | Checked::Draft(_) | Checked::Unsigned(_) => None,
    };
    trust_policy.signer_standing(place.scope, key)
}

/// Returns what to do about an item that nobody vouches for, given how its signer relates to the
/// team of its space. Memories are never signed, so they need nothing.
pub(crate) fn trust_advice<T>(
    checked: &Checked<T>,
    place: &ScopedPath,
    standing: &SignerStanding,
) -> Option<Prose> {
    let item = command_words(place);
    let words = match checked {
        Checked::Verified(_) => return None,
        Checked::Unsigned(_) if place.kind == ItemType::Memory => return None,
        Checked::Draft(_) => format!(
            "It is a draft: a person is working on it, and it may differ from what was signed. `mere sign {item}` ends the draft."
        ),
        Checked::Unsigned(_) => {
            format!("Nobody has signed it. Ask a person to read it and run `mere sign {item}`.")
        }
        Checked::UnknownKey(_, signer) => match &standing.former {
            Some(name) => return Some(former_member_advice(name, place)),
            None => untrusted_signer_advice(*signer, standing.membership, &item),
        },
    };
    Some(Prose::with_names(&words, &[item_name(place)]))
}

/// Returns what to do about an item that somebody signed who has left the team.
fn former_member_advice(name: &str, place: &ScopedPath) -> Prose {
    let item = command_words(place);
    let words = format!(
        ", who is no longer a member of the team. Ask a member to read it and run `mere sign {item}`."
    );
    let advice = Prose::with_names(&words, &[item_name(place)]);
    Prose::words("It is signed by ").content(Content::mention(name)).append(&advice)
}

/// Returns what to do. Where there is a team, the team decides whose keys are trusted.
fn untrusted_signer_advice(signer: UntrustedSigner, membership: Membership, item: &str) -> String {
    let signed_by = match signer.reason {
        UntrustedReason::UnknownKey => "a key that nobody here trusts",
        UntrustedReason::OutsideLimits => "a key that is trusted only for other items",
        UntrustedReason::Expired => "a key that has expired",
    };
    let advice = match membership {
        Membership::NoTeam => {
            format!("Ask a person to run `mere trust add`, or read it and run `mere sign {item}`.")
        }
        Membership::NotJoined => {
            "The space has a team that has not been joined here. Ask a person to run `mere join`, \
             which shows whose signatures would count."
                .to_owned()
        }
        Membership::Joined => format!(
            "Ask an admin of the team to run `mere team add`, or a member to read it and \
                 `mere sign {item}`."
        ),
    };
    format!("It is signed by {signed_by}. {advice}")
}

fn display_name(signer: &TrustedSigner) -> String {
    signer.name.clone().unwrap_or_else(|| signer.key.to_string())
}

fn limitation(reason: UntrustedReason) -> Option<&'static str> {
    match reason {
        UntrustedReason::UnknownKey => None,
        UntrustedReason::OutsideLimits => {
            Some("trusted only for other scopes, types or categories")
        }
        UntrustedReason::Expired => Some("it has expired"),
    }
}
