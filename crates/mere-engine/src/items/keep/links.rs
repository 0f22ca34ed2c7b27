//! Links to a knowledge entry that is called otherwise now, changed in the notes of its scope.
//!
//! One's own signed notes are signed anew. A note that another signed is not changed but proposed to
//! be: its author must say so. What could not be changed is told, and nothing is lost by it. So are
//! links that nobody changes and that lead elsewhere now.

use std::collections::{BTreeSet, HashSet};

use mere_core::address::{Address, RelPath};
use mere_core::digest::Sha256;
use mere_core::item::{
    self, BareLinks, EntryRename, ItemId, ItemRef, ItemType, RelinkedNote, Scope, ScopedPath,
    relink,
};
use mere_core::reply::{Data, Fields};
use mere_core::request::Reader;
use mere_core::spoken::Spoken;

use super::super::belongings::whole_of;
use super::super::change::{Desk, sealing};
use super::super::place::{Placing, apply};
use super::super::prospect::main_name;
use super::super::sealer::{Sealer, space_id};
use super::super::{Opened, Standing, is_shown, proposal};
use super::anchoring::arrived;
use crate::enforce::{
    self, ChangeRoute, ExpectedState, ItemChange, ItemOperation, SignatureState, SigningReason,
};
use crate::read::open_visible_file;
use crate::search::{Fate, Outdated, Shift};
use mere_host::read_at_most;

/// How many notes are named whose links lead elsewhere now.
const MAX_NAMED: usize = 5;

/// What became of the links.
#[derive(Default)]
pub(super) struct Followed {
    changed: Vec<Address>,
    /// Notes that others signed, for which a change is proposed.
    proposed: Vec<Address>,
    /// Notes that link there and were left as they are.
    left: Vec<Address>,
    /// Links by the old id alone, which other entries had too: they were left as they are.
    unclear: Tally,
    /// How many links lead nowhere now, in items that are not told above.
    lost: u64,
    /// Links that fit several entries now.
    now_unclear: Tally,
    /// Links that lead to another entry now.
    turned: Tally,
}

/// Links, and the items that state them.
#[derive(Default)]
struct Tally {
    links: u64,
    items: BTreeSet<Address>,
}

impl Tally {
    fn add(&mut self, address: Address, links: u64) {
        self.links += links;
        self.items.insert(address);
    }

    /// How many links, and in which items, of which so many are named.
    fn told(self, most: usize) -> Option<Fields> {
        let more = self.items.len().saturating_sub(most) as u64;
        let items = self.items.into_iter().take(most).map(Data::from);
        let fields = Fields::default()
            .with("links", self.links)
            .with("in", items.collect::<Data>())
            .with_some("left_out", Some(more).filter(|more| *more > 0));
        (self.links > 0).then_some(fields)
    }
}

impl Followed {
    /// Adds to a reply what there is to tell.
    pub(super) fn tell(self, fields: Fields) -> Fields {
        let some = |notes: Vec<Address>| {
            (!notes.is_empty()).then(|| notes.into_iter().map(Data::from).collect::<Data>())
        };
        fields
            .with_some("relinked", some(self.changed))
            .with_some("proposed", some(self.proposed))
            .with_some("not_relinked", some(self.left))
            .with_some("ambiguous", self.unclear.told(usize::MAX))
            .with_some("links_elsewhere", Some(self.lost).filter(|count| *count > 0))
            .with_some("now_ambiguous", self.now_unclear.told(MAX_NAMED))
            .with_some("now_to_others", self.turned.told(MAX_NAMED))
    }

    /// Counts the links that lead elsewhere now, but for those that were changed or are told already.
    fn count(&mut self, shifts: Vec<Shift>) {
        let told = self.changed.iter().chain(&self.proposed).chain(&self.left);
        let told = told.collect::<HashSet<_>>();
        for Shift { place, fate, was_meant } in shifts {
            let Some(address) = place.address() else { continue };
            if was_meant && told.contains(&address) {
                continue;
            }
            match fate {
                Fate::Lost => self.lost += 1,
                Fate::Unclear => self.now_unclear.add(address, 1),
                Fate::Turned => self.turned.add(address, 1),
            }
        }
    }
}

/// Changes the links to what lay at `from` in every note of the scope.
///
/// The user's notes are those of every project, and another one may still have that entry: they are
/// not changed for one of a project, and neither are directives. What their links lead to is told
/// where the index knows it.
pub(super) fn follow(desk: &Desk<'_>, from: &ScopedPath, to: &ScopedPath) -> Followed {
    let mut followed = Followed::default();
    if from.kind != ItemType::Knowledge {
        return followed;
    }
    let shows = |place: &ScopedPath| is_shown(desk.view, place);
    let shifts = desk.glanced(Outdated::Useless, |library| library.shifts((from, to), &shows));
    let bare = bare(desk, from, to);
    change_all(
        desk,
        from.scope,
        &EntryRename { from: from.into(), to: to.into(), bare_links: bare },
        &mut followed,
    );
    followed.count(shifts.ok().flatten().unwrap_or_default());
    followed
}

fn change_all(desk: &Desk<'_>, scope: Scope, renaming: &EntryRename, followed: &mut Followed) {
    let notes = desk.stock.all(scope).unwrap_or_default().into_iter();
    let notes = notes.map(|entry| entry.place).filter(|place| place.kind == ItemType::Knowledge);
    for place in notes {
        let Some(address) = place.address() else { continue };
        let (ending, unclear) = change(desk, place, renaming);
        if unclear > 0 {
            followed.unclear.add(address.clone(), unclear as u64);
        }
        match ending {
            Ending::Changed => followed.changed.push(address),
            Ending::Proposed => followed.proposed.push(address),
            Ending::Left => followed.left.push(address),
            Ending::None => {}
        }
    }
}

/// What a link by the id alone becomes. A project's entries come before the user's, so an id that
/// one of them has does not do for a user's note either.
fn bare(desk: &Desk<'_>, from: &ScopedPath, to: &ScopedPath) -> BareLinks {
    let has_others = |scope: Scope, id: &ItemId| {
        let item = ItemRef { category: None, id: id.clone(), version: None };
        let there = desk.stock.candidates(scope, from.kind, &item).unwrap_or_default();
        let mut others = there.iter().filter(|place| *place != from && *place != to);
        others.any(|place| is_shown(desk.view, place))
    };
    let comes_before = |id: &ItemId| from.scope == Scope::User && has_others(Scope::Project, id);
    if has_others(from.scope, &from.id) {
        BareLinks::Keep
    } else if from.id != to.id && (has_others(from.scope, &to.id) || comes_before(&to.id)) {
        BareLinks::UseQualifiedName
    } else {
        BareLinks::UseId
    }
}

/// What became of one note.
enum Ending {
    Changed,
    Proposed,
    Left,
    /// It does not link there.
    None,
}

/// What became of a note, and how many of its links stay since nobody knows what they mean.
fn change(desk: &Desk<'_>, place: ScopedPath, renaming: &EntryRename) -> (Ending, usize) {
    match relinked(desk, &place, renaming) {
        None => (Ending::None, 0),
        Some(Err(())) => (Ending::Left, 0),
        Some(Ok((before, RelinkedNote { text, ambiguous: unclear }))) => {
            let settle = |new| settle(desk, place, before, new).unwrap_or(Ending::Left);
            (text.map_or(Ending::None, settle), unclear)
        }
    }
}

/// A note's digest, and what becomes of it; nothing if it does not link there.
fn relinked(
    desk: &Desk<'_>,
    place: &ScopedPath,
    renaming: &EntryRename,
) -> Option<Result<(Sha256, RelinkedNote), ()>> {
    let main = desk.view.resolve(&Spoken::Rooted(place.address()?)).ok()?;
    let bytes =
        read_at_most(open_visible_file(&main).ok()?, item::MAX_ITEM_BYTES as u64).ok()??;
    let text = item::decode_text(&bytes).ok()?;
    if !text.contains(renaming.from.id.as_str()) {
        return None;
    }
    let relinked = relink(text, place, renaming);
    Some(relinked.map(|relinked| (Sha256::digest(&bytes), relinked)).map_err(|_| ()))
}

/// Writes a note that nobody signed, signs one's own anew, and proposes the change of another's.
fn settle(desk: &Desk<'_>, place: ScopedPath, before: Sha256, new: String) -> Option<Ending> {
    let sealing = sealing(desk, &place);
    let mut files = vec![(main_name(&place)?, new.into_bytes())];
    let mut who = desk.who;
    if sealing == SignatureState::Signed {
        match sealed(desk, &place, &files) {
            Some(sidecar) => {
                files.insert(0, (place.sidecar_name()?.parse().ok()?, sidecar));
            }
            // Proposed as by anybody else.
            None => who = Reader::Agent,
        }
    }
    let how = ItemOperation::Put { files, before: ExpectedState::Whole(whole_of(before, &[])) };
    let permit =
        enforce::permit_item(who, desk.agents, ItemChange { place, operation: how }, sealing);
    match permit.route() {
        ChangeRoute::Direct => {
            apply(permit, &Placing { context: desk.context, over: desk.over }).ok()?;
            Some(Ending::Changed)
        }
        ChangeRoute::Propose => proposal::keep(desk, permit).ok().map(|_| Ending::Proposed),
    }
}

/// The signatures of one's own note as it will be; none if it is not one's own to sign.
fn sealed(desk: &Desk<'_>, place: &ScopedPath, files: &[(RelPath, Vec<u8>)]) -> Option<Vec<u8>> {
    let opened = Opened::judge(desk.view, desk.court, place.clone()).ok()?;
    let Standing::Verified(vouched) = &opened.standing else { return None };
    if !desk.court.is_own_key(vouched.author.key) {
        return None;
    }
    let sealer = Sealer::unlock(desk, SigningReason::Requested).ok()?;
    sealer.seal(&arrived(files, &[], place).ok()?, &space_id(desk, place).ok()?).ok()
}
