//! Updates the links to a knowledge entry that was moved or renamed, in the notes of its scope.
//!
//! The user's own signed notes are signed again. A note that somebody else signed is not changed;
//! the change is proposed instead, since its author must agree. The reply lists the notes that
//! could not be changed, and the links that were left alone and now lead elsewhere. Nothing is lost
//! by either.

use std::collections::{BTreeSet, HashSet};

use mere_core::address::{Address, RelPath, Spoken};
use mere_core::digest::Sha256;
use mere_core::item::{
    self, BareLinks, EntryRename, ItemId, ItemRef, ItemType, RelinkedNote, Scope, ScopedPath,
    relink,
};
use mere_core::reply::{Data, Fields};
use mere_core::request::Reader;

use super::CommandCall;
use crate::files::read::open_visible_file;
use crate::items::apply_permit::{WriteContext, apply_permit};
use crate::items::item_files::item_digest;
use crate::items::item_signer::{ItemSigner, ensure_space_id};
use crate::items::new_item::main_file_name;
use crate::items::relocation::load_from_files;
use crate::items::signature_state::detect_signature_state;
use crate::items::{ItemCall, ItemReader, is_visible, proposal, read_and_verify};
use crate::policy::{self, ChangeRoute, ItemChange, SignatureState, SigningReason};
use crate::search::{LinkChange, LinkOutcome, StalePolicy};
use mere_host::read_at_most;

/// The largest number of notes that are named for links that now lead elsewhere.
const MAX_NAMED: usize = 5;

/// What happened to the links.
#[derive(Default)]
pub(super) struct LinkUpdates {
    changed: Vec<Address>,
    /// Notes that somebody else signed, for which a change was proposed.
    proposed: Vec<Address>,
    /// Notes that link to the entry but were left as they are.
    unchanged: Vec<Address>,
    /// Links that use only the old id, which other entries had as well. They were left as they are.
    ambiguous: LinkTally,
    /// The number of links that now lead nowhere, in items that are not listed above.
    dangling: u64,
    /// Links that now match several entries.
    now_ambiguous: LinkTally,
    /// Links that now lead to another entry.
    now_to_others: LinkTally,
}

/// A number of links, and the items that contain them.
#[derive(Default)]
struct LinkTally {
    links: u64,
    items: BTreeSet<Address>,
}

impl LinkTally {
    fn add(&mut self, address: Address, links: u64) {
        self.links += links;
        self.items.insert(address);
    }

    /// Returns the number of links and the items that contain them, naming at most `most` items.
    fn into_fields(self, most: usize) -> Option<Fields> {
        let more = self.items.len().saturating_sub(most) as u64;
        let items = self.items.into_iter().take(most).map(Data::from);
        let fields = Fields::default()
            .with("links", self.links)
            .with("in", items.collect::<Data>())
            .with_some("left_out", Some(more).filter(|more| *more > 0));
        (self.links > 0).then_some(fields)
    }
}

impl LinkUpdates {
    /// Adds the results to the fields of a reply.
    pub(super) fn add_to(self, fields: Fields) -> Fields {
        let some = |notes: Vec<Address>| {
            (!notes.is_empty()).then(|| notes.into_iter().map(Data::from).collect::<Data>())
        };
        fields
            .with_some("relinked", some(self.changed))
            .with_some("proposed", some(self.proposed))
            .with_some("not_relinked", some(self.unchanged))
            .with_some("ambiguous", self.ambiguous.into_fields(usize::MAX))
            .with_some("links_elsewhere", Some(self.dangling).filter(|count| *count > 0))
            .with_some("now_ambiguous", self.now_ambiguous.into_fields(MAX_NAMED))
            .with_some("now_to_others", self.now_to_others.into_fields(MAX_NAMED))
    }

    /// Counts the links that now lead elsewhere, except those that were changed or are already
    /// listed.
    fn count_shifts(&mut self, shifts: Vec<LinkChange>) {
        let listed = self.changed.iter().chain(&self.proposed).chain(&self.unchanged);
        let listed = listed.collect::<HashSet<_>>();
        for LinkChange { source: place, outcome, led_to_renamed } in shifts {
            let Some(address) = place.address() else { continue };
            if led_to_renamed && listed.contains(&address) {
                continue;
            }
            match outcome {
                LinkOutcome::Broken => self.dangling += 1,
                LinkOutcome::Ambiguous => self.now_ambiguous.add(address, 1),
                LinkOutcome::Redirected => self.now_to_others.add(address, 1),
            }
        }
    }
}

/// Updates the links to `from` in every note of the scope.
///
/// The user's notes are shared by all projects, and another project may still have that entry, so
/// they are not changed for an entry of a project. Directives are not changed either. What their
/// links lead to is reported as far as the index knows it.
pub(super) fn update_links(
    call: &CommandCall<'_>,
    from: &ScopedPath,
    to: &ScopedPath,
) -> LinkUpdates {
    let mut followed = LinkUpdates::default();
    if from.kind != ItemType::Knowledge {
        return followed;
    }
    let is_visible = call.search.visibility().is_visible;
    let shifts = call.search.try_with_index(StalePolicy::Refuse, |live_index| {
        live_index.link_changes((from, to), is_visible)
    });
    let bare_links = bare_link_rule(call.items, from, to);
    update_notes(
        call.change,
        from.scope,
        &EntryRename { from: from.into(), to: to.into(), bare_links },
        &mut followed,
    );
    let shifts = shifts.ok().flatten().map(|answer| answer.value);
    followed.count_shifts(shifts.unwrap_or_default());
    followed
}

fn update_notes(
    call: &ItemCall<'_>,
    scope: Scope,
    renaming: &EntryRename,
    followed: &mut LinkUpdates,
) {
    let notes = call.items.sources.indexed_items(scope).unwrap_or_default().into_iter();
    let notes = notes.map(|entry| entry.place).filter(|place| place.kind == ItemType::Knowledge);
    for place in notes {
        let Some(address) = place.address() else { continue };
        let (ending, unclear) = update_note(call, place, renaming);
        if unclear > 0 {
            followed.ambiguous.add(address.clone(), unclear as u64);
        }
        match ending {
            NoteOutcome::Changed => followed.changed.push(address),
            NoteOutcome::Proposed => followed.proposed.push(address),
            NoteOutcome::Unchanged => followed.unchanged.push(address),
            NoteOutcome::NotLinked => {}
        }
    }
}

/// Decides what becomes of a link that uses only an id. A project's entries take precedence over
/// the user's, so an id that a project's entry has does not work in a user's note either.
fn bare_link_rule(items: &ItemReader<'_>, from: &ScopedPath, to: &ScopedPath) -> BareLinks {
    let has_others = |scope: Scope, id: &ItemId| {
        let item = ItemRef { category: None, id: id.clone(), version: None };
        let there = items.sources.candidates(scope, from.kind, &item).unwrap_or_default();
        let mut others = there.iter().filter(|place| *place != from && *place != to);
        others.any(|place| is_visible(items.view, place))
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

/// What happened to one note.
enum NoteOutcome {
    Changed,
    Proposed,
    Unchanged,
    /// It does not link to the entry.
    NotLinked,
}

/// Updates one note. Returns what happened to it, and how many of its links stay because their
/// meaning is ambiguous.
fn update_note(
    call: &ItemCall<'_>,
    place: ScopedPath,
    renaming: &EntryRename,
) -> (NoteOutcome, usize) {
    match relink_note(&call.items, &place, renaming) {
        None => (NoteOutcome::NotLinked, 0),
        Some(Err(())) => (NoteOutcome::Unchanged, 0),
        Some(Ok((before, RelinkedNote { text, ambiguous }))) => {
            let write =
                |new| write_or_propose(call, place, before, new).unwrap_or(NoteOutcome::Unchanged);
            (text.map_or(NoteOutcome::NotLinked, write), ambiguous)
        }
    }
}

/// Returns a note's digest and its new text. Returns `None` if it does not link to the entry.
fn relink_note(
    items: &ItemReader<'_>,
    place: &ScopedPath,
    renaming: &EntryRename,
) -> Option<Result<(Sha256, RelinkedNote), ()>> {
    let main = items.view.resolve(&Spoken::Rooted(place.address()?)).ok()?;
    let bytes =
        read_at_most(open_visible_file(&main).ok()?, item::MAX_ITEM_BYTES as u64).ok()??;
    let text = item::decode_text(&bytes).ok()?;
    if !text.contains(renaming.from.id.as_str()) {
        return None;
    }
    let relinked = relink(text, place, renaming);
    Some(relinked.map(|relinked| (Sha256::digest(&bytes), relinked)).map_err(|_| ()))
}

/// Writes an unsigned note, writes and signs the user's own note, or proposes the change of
/// somebody else's.
fn write_or_propose(
    call: &ItemCall<'_>,
    place: ScopedPath,
    before: Sha256,
    new: String,
) -> Option<NoteOutcome> {
    let signature_state = detect_signature_state(&call.items, &place);
    let mut files = vec![(main_file_name(&place)?, new.into_bytes())];
    let mut reader = call.items.reader;
    if signature_state == SignatureState::Signed {
        match sign_own_note(call, &place, &files) {
            Some(sidecar) => {
                files.insert(0, (place.sidecar_name()?.parse().ok()?, sidecar));
            }
            // The change is proposed, as if an agent had asked for it.
            None => reader = Reader::Agent,
        }
    }
    let change = ItemChange::replace(place, files, item_digest(before, &[]));
    let permit = policy::permit_item(reader, call.agents, change, signature_state);
    match permit.route() {
        ChangeRoute::Direct => {
            apply_permit(
                permit,
                &WriteContext { context: call.context, is_cancelled: call.is_cancelled },
            )
            .ok()?;
            Some(NoteOutcome::Changed)
        }
        ChangeRoute::Propose => {
            proposal::save_proposal(call, permit).ok().map(|_| NoteOutcome::Proposed)
        }
    }
}

/// Signs the user's own note as it will be. Returns `None` if it is not the user's to sign.
fn sign_own_note(
    call: &ItemCall<'_>,
    place: &ScopedPath,
    files: &[(RelPath, Vec<u8>)],
) -> Option<Vec<u8>> {
    let checked = read_and_verify(&call.items, place.clone()).ok()?;
    if !call.items.trust_policy.is_own_key(checked.signers()?.author.key) {
        return None;
    }
    let signer = ItemSigner::unlock(call, SigningReason::Requested).ok()?;
    signer
        .sign_item(&load_from_files(files, &[], place).ok()?, &ensure_space_id(call, place).ok()?)
        .ok()
}
