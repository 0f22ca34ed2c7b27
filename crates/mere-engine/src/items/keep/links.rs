//! Links to a knowledge entry that is called otherwise now, changed in the notes of its scope.
//!
//! A note that is signed is left as it is: its author must say so. What could not be changed is
//! told, and nothing is lost by it.

use mere_core::address::Address;
use mere_core::digest::Sha256;
use mere_core::item::{self, EntryName, ItemRef, ItemType, ScopedPath, relink};
use mere_core::spoken::Spoken;

use super::super::belongings::whole_of;
use super::super::change::{Desk, sealing};
use super::super::place::{Placing, apply};
use super::super::prospect::main_name;
use crate::enforce::{self, Expect, ItemChange, ItemHow, Sealing};
use crate::host::read_at_most;
use crate::read::open;

/// What became of the links.
#[derive(Default)]
pub(super) struct Relinked {
    pub(super) changed: Vec<Address>,
    /// Notes that link there and were left as they are.
    pub(super) left: Vec<Address>,
}

/// Changes the links to what lay at `from` in every note of the scope.
pub(super) fn follow(desk: &Desk<'_>, from: &ScopedPath, to: &ScopedPath) -> Relinked {
    let mut relinked = Relinked::default();
    if from.kind != ItemType::Knowledge || is_shared(desk, from, to) {
        return relinked;
    }
    let names = (EntryName::from(from), EntryName::from(to));
    let notes = desk.stock.all(from.scope).unwrap_or_default().into_iter();
    let notes = notes.map(|entry| entry.place).filter(|place| place.kind == ItemType::Knowledge);
    for place in notes {
        let Some(address) = place.address() else { continue };
        match change(desk, place, &names) {
            Some(true) => relinked.changed.push(address),
            Some(false) => relinked.left.push(address),
            None => {}
        }
    }
    relinked
}

/// Whether another entry still has the old id: then a link by the id alone may mean that one.
fn is_shared(desk: &Desk<'_>, from: &ScopedPath, to: &ScopedPath) -> bool {
    let item = ItemRef { category: None, id: from.id.clone(), version: None };
    let there = desk.stock.candidates(from.scope, from.kind, &item);
    there.is_ok_and(|there| there.iter().any(|place| place != from && place != to))
}

/// Changes one note; `None` if it does not link there.
fn change(desk: &Desk<'_>, place: ScopedPath, (from, to): &(EntryName, EntryName)) -> Option<bool> {
    let address = place.address()?;
    let main = desk.view.resolve(&Spoken::Rooted(address)).ok()?;
    let bytes = read_at_most(open(&main).ok()?, item::MAX_BYTES as u64).ok()??;
    let text = item::decode(&bytes).ok()?;
    if !text.contains(from.id.as_str()) {
        return None;
    }
    let new = match relink(text, &place, from, to) {
        Ok(None) => return None,
        Ok(Some(new)) => new,
        Err(_) => return Some(false),
    };
    let sealing = sealing(desk, &place);
    if sealing == Sealing::Signed {
        return Some(false);
    }
    let files = vec![(main_name(&place)?, new.into_bytes())];
    let how = ItemHow::Put { files, before: Expect::Whole(whole_of(Sha256::of(&bytes), &[])) };
    let permit = enforce::permit_item(desk.who, desk.agents, ItemChange { place, how }, sealing);
    Some(apply(permit, &Placing { context: desk.context, over: desk.over }).is_ok())
}
