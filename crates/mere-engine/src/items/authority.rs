//! Which item a name means where an item is used: by precedence, unless nobody vouches for the
//! item that would win and somebody does for the one it would hide.
//!
//! The rule itself is [`Vouching::winning_scope`]. Signatures are looked at only if a name exists in
//! several scopes, so a lookup costs no more than before everywhere else. A change is about the
//! item that [`super::find::find`] returns, because whoever changes an item does not rely on it.

use mere_core::item::{ItemType, ScopedPath};
use mere_core::trust::{SidecarFile, VerificationFailure, Vouching};

use super::find::{NamedItem, ResolvedItem, ambiguity_error, resolve};
use super::{BrokenItem, ItemError, ItemReader, RawItem};
use crate::world::ResolveError;

/// Chooses among the items that a name can mean, for somebody who relies on the item.
pub(super) fn choose(
    items: &ItemReader<'_>,
    named: NamedItem<'_>,
    candidates: Vec<ScopedPath>,
) -> Result<ResolvedItem, ItemError> {
    let has_one_scope = candidates.iter().all(|place| place.scope == candidates[0].scope);
    if has_one_scope || named.kind != ItemType::Knowledge {
        return resolve(named, candidates);
    }
    let vouched = candidates.into_iter().map(|place| {
        let vouching = vouching(items, &place);
        (place, vouching)
    });
    let vouched = vouched.collect::<Vec<_>>();
    let scopes = vouched.iter().map(|(place, vouching)| (place.scope, *vouching));
    let nearest = scopes.clone().map(|(scope, _)| scope).min();
    let winner = Vouching::winning_scope(named.kind, scopes);
    if winner == nearest {
        return resolve(named, vouched.into_iter().map(|(place, _)| place).collect());
    }
    for (place, _) in vouched.iter().filter(|(place, _)| Some(place.scope) < winner) {
        check_signature_was_never_seen(items, place)?;
    }
    let is_chosen = |(place, vouching): &(ScopedPath, Vouching)| {
        Some(place.scope) == winner && *vouching == Vouching::Person
    };
    let (chosen, others) = vouched.into_iter().partition::<Vec<_>, _>(is_chosen);
    let mut chosen = chosen.into_iter().map(|(place, _)| place).collect::<Vec<_>>();
    let beside = others.into_iter().map(|(place, _)| place).collect();
    match (chosen.pop(), chosen.is_empty()) {
        (Some(place), true) => Ok(ResolvedItem { place, shadows: Vec::new(), beside }),
        (last, _) => {
            chosen.extend(last);
            Err(ambiguity_error(named.kind, named.item, chosen))
        }
    }
}

/// Refuses to pass over an item whose signature was seen here before: it must have been taken away,
/// and that must not make way for another item.
fn check_signature_was_never_seen(
    items: &ItemReader<'_>,
    place: &ScopedPath,
) -> Result<(), ItemError> {
    let why = match items.trust_policy.seen_version(place) {
        Ok(None) => return Ok(()),
        Ok(Some(_)) => "it was signed when this machine saw it before, and is not now",
        Err(error) => {
            tracing::warn!(%error, "the versions that were seen cannot be read");
            "it is not known whether it was signed before"
        }
    };
    let address = place.address().ok_or(ResolveError::NotVisible)?;
    let failure = VerificationFailure::BadSignature(why);
    Err(ItemError::Broken(Box::new(BrokenItem { place: place.clone(), address, failure })))
}

/// Returns whether somebody vouches for an item. One whose signature does not hold counts as
/// vouched for: whoever reads it reports that it is broken.
fn vouching(items: &ItemReader<'_>, place: &ScopedPath) -> Vouching {
    let Ok(raw) = RawItem::read(items.view, place.clone()) else { return Vouching::Nobody };
    let has_sidecar = raw.sidecar != SidecarFile::None;
    match raw.verify(items) {
        Ok(Ok(checked)) => checked.vouching(),
        Ok(Err(_)) => Vouching::Person,
        Err(_) if has_sidecar => Vouching::Person,
        Err(_) => Vouching::Nobody,
    }
}
