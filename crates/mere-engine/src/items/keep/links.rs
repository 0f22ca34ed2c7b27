//! Links to a knowledge entry that is called otherwise now, changed in the notes of its scope.
//!
//! One's own signed notes are signed anew. A note that another signed is not changed but proposed to
//! be: its author must say so. What could not be changed is told, and nothing is lost by it.

use mere_core::address::{Address, RelPath};
use mere_core::digest::Sha256;
use mere_core::item::{self, EntryName, ItemRef, ItemType, ScopedPath, relink};
use mere_core::request::Reader;
use mere_core::spoken::Spoken;

use super::super::belongings::whole_of;
use super::super::change::{Desk, sealing};
use super::super::place::{Placing, apply};
use super::super::prospect::main_name;
use super::super::sealer::{Sealer, space_id};
use super::super::{Opened, Standing, is_shown, proposal};
use super::anchoring::arrived;
use crate::enforce::{self, Errand, Expect, ItemChange, ItemHow, Sealing, Way};
use crate::host::read_at_most;
use crate::read::open;
use crate::search::Outdated;

/// What became of the links.
#[derive(Default)]
pub(super) struct Relinked {
    pub(super) changed: Vec<Address>,
    /// Notes that others signed, for which a change is proposed.
    pub(super) proposed: Vec<Address>,
    /// Notes that link there and were left as they are.
    pub(super) left: Vec<Address>,
    /// How many links lead nowhere now, in items that are not told above. None if that is not known.
    pub(super) elsewhere: Option<u64>,
}

/// Changes the links to what lay at `from` in every note of the scope.
pub(super) fn follow(desk: &Desk<'_>, from: &ScopedPath, to: &ScopedPath) -> Relinked {
    let mut relinked = Relinked::default();
    if from.kind != ItemType::Knowledge {
        return relinked;
    }
    if !is_shared(desk, from, to) {
        change_all(desk, (from, to), &mut relinked);
    }
    relinked.elsewhere = elsewhere(desk, from, &relinked);
    relinked
}

fn change_all(desk: &Desk<'_>, (from, to): (&ScopedPath, &ScopedPath), relinked: &mut Relinked) {
    let names = (EntryName::from(from), EntryName::from(to));
    let notes = desk.stock.all(from.scope).unwrap_or_default().into_iter();
    let notes = notes.map(|entry| entry.place).filter(|place| place.kind == ItemType::Knowledge);
    for place in notes {
        let Some(address) = place.address() else { continue };
        match change(desk, place, &names) {
            Ending::Changed => relinked.changed.push(address),
            Ending::Proposed => relinked.proposed.push(address),
            Ending::Left => relinked.left.push(address),
            Ending::None => {}
        }
    }
}

/// How many links to what lay at `from` are left beside those that were told: in the other scope, and
/// in directives. The user's notes are those of every project, and another one may still have that
/// entry: they are not changed.
fn elsewhere(desk: &Desk<'_>, from: &ScopedPath, told: &Relinked) -> Option<u64> {
    let shows = |place: &ScopedPath| is_shown(desk.view, place);
    let bereft = desk.glanced(Outdated::Useless, |library| library.bereft(from, &shows));
    let bereft = bereft.ok().flatten()?;
    let is_told = |place: &ScopedPath| {
        let address = place.address();
        let mut told = told.proposed.iter().chain(&told.left);
        told.any(|told| Some(told) == address.as_ref())
    };
    Some(bereft.iter().filter(|place| !is_told(place)).count() as u64)
}

/// Whether another entry still has the old id: then a link by the id alone may mean that one.
fn is_shared(desk: &Desk<'_>, from: &ScopedPath, to: &ScopedPath) -> bool {
    let item = ItemRef { category: None, id: from.id.clone(), version: None };
    let there = desk.stock.candidates(from.scope, from.kind, &item);
    there.is_ok_and(|there| there.iter().any(|place| place != from && place != to))
}

/// What became of one note.
enum Ending {
    Changed,
    Proposed,
    Left,
    /// It does not link there.
    None,
}

fn change(desk: &Desk<'_>, place: ScopedPath, names: &(EntryName, EntryName)) -> Ending {
    match relinked(desk, &place, names) {
        None => Ending::None,
        Some(Err(())) => Ending::Left,
        Some(Ok((before, new))) => settle(desk, place, before, new).unwrap_or(Ending::Left),
    }
}

/// A note's digest, and its text with the links changed; nothing if it does not link there.
fn relinked(
    desk: &Desk<'_>,
    place: &ScopedPath,
    (from, to): &(EntryName, EntryName),
) -> Option<Result<(Sha256, String), ()>> {
    let main = desk.view.resolve(&Spoken::Rooted(place.address()?)).ok()?;
    let bytes = read_at_most(open(&main).ok()?, item::MAX_BYTES as u64).ok()??;
    let text = item::decode(&bytes).ok()?;
    if !text.contains(from.id.as_str()) {
        return None;
    }
    match relink(text, place, from, to) {
        Ok(None) => None,
        Ok(Some(new)) => Some(Ok((Sha256::of(&bytes), new))),
        Err(_) => Some(Err(())),
    }
}

/// Writes a note that nobody signed, signs one's own anew, and proposes the change of another's.
fn settle(desk: &Desk<'_>, place: ScopedPath, before: Sha256, new: String) -> Option<Ending> {
    let sealing = sealing(desk, &place);
    let mut files = vec![(main_name(&place)?, new.into_bytes())];
    let mut who = desk.who;
    if sealing == Sealing::Signed {
        match sealed(desk, &place, &files) {
            Some(sidecar) => {
                files.insert(0, (place.sidecar_name()?.parse().ok()?, sidecar));
            }
            // Proposed as by anybody else.
            None => who = Reader::Agent,
        }
    }
    let how = ItemHow::Put { files, before: Expect::Whole(whole_of(before, &[])) };
    let permit = enforce::permit_item(who, desk.agents, ItemChange { place, how }, sealing);
    match permit.way() {
        Way::Direct => {
            apply(permit, &Placing { context: desk.context, over: desk.over }).ok()?;
            Some(Ending::Changed)
        }
        Way::Propose => proposal::keep(desk, permit).ok().map(|_| Ending::Proposed),
    }
}

/// The signatures of one's own note as it will be; none if it is not one's own to sign.
fn sealed(desk: &Desk<'_>, place: &ScopedPath, files: &[(RelPath, Vec<u8>)]) -> Option<Vec<u8>> {
    let opened = Opened::judge(desk.view, desk.court, place.clone()).ok()?;
    let Standing::Verified(vouched) = &opened.standing else { return None };
    if !desk.court.is_own(vouched.author.key) {
        return None;
    }
    let sealer = Sealer::unlock(desk, Errand::Asked).ok()?;
    sealer.seal(&arrived(files, &[], place).ok()?, &space_id(desk, place).ok()?).ok()
}
