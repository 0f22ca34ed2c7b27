//! `mere sign`: shows what would be signed, and signs exactly that.

use std::collections::HashMap;

use mere_core::address::{Address, RelPath};
use mere_core::digest::Sha256;
use mere_core::item::ScopedPath;
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, codes};
use mere_core::request::{GitStaging, ItemSelection, SelectedItems, ShownItem};
use mere_core::segment::is_invisible;

use super::super::place::{Placing, apply};
use super::super::sealer::{Sealer, space_id};
use super::super::tell::word;
use super::super::{ItemError, Loaded, Standing, Unmade};
use super::Desk;
use super::difference::{differences, remember};
use super::judged::{Judged, Trouble, judge_all};
use super::list::fault;
use super::select::{everything, owns, select, sidecar_path, unstaged};
use crate::court;
use crate::enforce::{self, ItemChange, ItemOperation, SignatureState, SigningReason};
use crate::tool_error::ToolError;
use crate::view::count_phrase;
use mere_host::GitRepository;

/// Shows what would be signed.
pub(super) fn plan(desk: &Desk<'_>, selection: &ItemSelection) -> Result<Draft, ToolError> {
    let places = select(desk, selection)?;
    let strict = desk.court.without_drafts();
    let court = if selection.which == SelectedItems::Unfinished { desk.court } else { &strict };
    let judged = judge_all(desk, court, &places);
    let is_meant = |one: &&Judged| match selection.which {
        SelectedItems::Unfinished => is_unfinished(one),
        _ => !one.is_verified() || desk.court.is_draft(&one.place),
    };
    let meant = judged.iter().filter(is_meant).collect::<Vec<_>>();
    // Who asks for everything is shown a list; whoever is asked one by one sees each.
    let shows = selection.which != SelectedItems::All;
    let told = meant.iter().map(|one| candidate(desk, one, shows)).collect::<Vec<_>>();
    let (total, verified) = (told.len() as u64, (judged.len() - told.len()) as u64);
    let data = Fields::default()
        .with("items", Data::List(told))
        .with("count", total)
        .with("verified", verified);
    let message = count_phrase(total, "item is to be signed", "items are to be signed").and(".");
    Ok(Draft::success(codes::SIGN_PLAN, message).data(data))
}

/// What a person has to decide on. What strangers signed is not theirs to sign by the way.
fn is_unfinished(judged: &Judged) -> bool {
    match &judged.standing {
        Ok(Standing::Draft) | Err(Trouble::Broken(_)) => true,
        Ok(Standing::Unsigned) => judged.is_finding,
        Ok(Standing::Verified(_) | Standing::Unknown(_))
        | Err(Trouble::Invalid | Trouble::Unreadable) => false,
    }
}

fn candidate(desk: &Desk<'_>, judged: &Judged, shows: bool) -> Data {
    let fields = judged.told();
    match Loaded::read(desk.view, judged.place.clone()) {
        Ok(loaded) => {
            let (changes, base) =
                if shows { differences(desk, &loaded) } else { Default::default() };
            let names_folder = desk.agent_gate.has_escaped_folder_in(&loaded.text);
            let hides = loaded.text.contains(is_invisible);
            let warning = match (names_folder, hides) {
                (_, true) => Some("it has characters that cannot be seen"),
                (true, false) => Some("it names a folder of this machine"),
                (false, false) => None,
            };
            fields
                .with("digest", loaded.whole())
                .with("changes", Data::List(changes))
                .with_some("base", base)
                .with_some("warning", warning)
                .into()
        }
        Err(error) => fields.with("unfit", fault(&error)).into(),
    }
}

/// Signs items, each as it was shown.
pub(super) fn seal(
    desk: &Desk<'_>,
    chosen: &[ShownItem],
    stage: GitStaging,
) -> Result<Draft, ToolError> {
    let signing = Signing::begin(desk, stage)?;
    let (mut signed, mut left, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let mut over = Vec::new();
    for (number, one) in chosen.iter().enumerate() {
        match signing.seal(one) {
            Ok((told, sidecar)) => {
                files.extend(sidecar);
                over.push(&one.address);
                signed.push(told);
            }
            Err(error) => left.push(refused(&one.address, &error)),
        }
        (desk.progress)(number as u64 + 1, chosen.len() as u64);
    }
    forget_drafts(desk, &over);
    if stage == GitStaging::Add && !files.is_empty() {
        let git = GitRepository::discover(&desk.context.project).ok_or(Unmade::NoGit)?;
        git.stage_files(&files).map_err(ItemError::Unsearchable)?;
    }
    Ok(report(&signing.sealer, signed, left))
}

/// Items that are being signed.
struct Signing<'a> {
    desk: &'a Desk<'a>,
    sealer: Sealer,
    places: HashMap<String, ScopedPath>,
    /// Files that are not staged as they lie there.
    loose: Vec<RelPath>,
}

impl<'a> Signing<'a> {
    fn begin(desk: &'a Desk<'a>, stage: GitStaging) -> Result<Self, ToolError> {
        let sealer = Sealer::unlock(desk, SigningReason::Requested)?;
        let places = everything(desk, None)?.into_iter();
        let places = places.filter_map(|place| Some((place.address()?.to_string(), place)));
        let loose = match stage {
            GitStaging::Add => unstaged(desk)?,
            GitStaging::Leave => Vec::new(),
        };
        Ok(Self { desk, sealer, places: places.collect(), loose })
    }

    /// Signs one item, and says what is told of it and where its signatures lie.
    fn seal(&self, one: &ShownItem) -> Result<(Data, Option<RelPath>), ToolError> {
        let gone = || Unmade::Stale { address: one.address.clone(), current: None };
        let place = self.places.get(&one.address.to_string()).ok_or_else(gone)?;
        let sidecar = sidecar_path(&one.address, place);
        let mut loose = self.loose.iter().filter(|path| owns(place, path));
        if let Some(path) = loose.find(|path| Some(*path) != sidecar.as_ref()) {
            return Err(Unmade::Unstaged(path.clone()).into());
        }
        Ok((seal_one(self.desk, &self.sealer, place, one.digest)?, sidecar))
    }
}

fn report(sealer: &Sealer, signed: Vec<Data>, left: Vec<Data>) -> Draft {
    let message = count_phrase(signed.len() as u64, "item was signed", "items were signed");
    let is_whole = left.is_empty();
    let data = Fields::default()
        .with("key", Content::mention(sealer.key().to_string()))
        .with("signed", Data::List(signed))
        .with("left", Data::List(left));
    if is_whole {
        return Draft::success(codes::SIGN_DONE, message.and(".")).data(data);
    }
    Draft::invalid(codes::SIGN_LEFT, message.and("; some were not."))
        .hint("Why is said for each; what was signed stays signed.")
        .data(data)
}

pub(super) fn refused(address: &Address, error: &ToolError) -> Data {
    let why = crate::wording::tool_error_reply(error).message().render_for_person();
    let fields = Fields::default().with("address", address.clone());
    fields.with("why", Content::mention(why)).into()
}

fn seal_one(
    desk: &Desk<'_>,
    sealer: &Sealer,
    place: &ScopedPath,
    digest: Sha256,
) -> Result<Data, ToolError> {
    let loaded = Loaded::read(desk.view, place.clone())?;
    if loaded.whole() != digest {
        let (address, current) = (loaded.address.clone(), Some(loaded.sha256));
        return Err(Unmade::Stale { address, current }.into());
    }
    seal_loaded(desk, sealer, &loaded)?;
    let counts = desk.court.keyring(place.scope).is_trusted(sealer.key(), place, court::now());
    let note = (!counts)
        .then_some("your key does not count here: the team or the project lets others sign");
    let fields = Fields::default()
        .with("item_type", place.kind.name())
        .with("id", word(&place.id))
        .with("category", ParsedName::from(&place.category))
        .with("scope", place.scope.name())
        .with("address", loaded.address.clone())
        .with_some("note", note);
    Ok(fields.into())
}

/// Writes the sidecar of an item that was read.
pub(super) fn seal_loaded(
    desk: &Desk<'_>,
    sealer: &Sealer,
    loaded: &Loaded,
) -> Result<(), ToolError> {
    let sidecar = sealer.seal(loaded, &space_id(desk, &loaded.place)?)?;
    write(desk, loaded, sidecar)?;
    remember(desk, loaded);
    Ok(())
}

/// Puts a sidecar beside an item, if it is still that item.
pub(super) fn write(desk: &Desk<'_>, loaded: &Loaded, sidecar: Vec<u8>) -> Result<(), ToolError> {
    let how = ItemOperation::Seal { sidecar, whole: loaded.whole() };
    let change = ItemChange { place: loaded.place.clone(), operation: how };
    let permit = enforce::permit_item(desk.who, desk.agents, change, SignatureState::Unsigned);
    apply(permit, &Placing { context: desk.context, over: desk.over })?;
    Ok(())
}

/// What is signed is no draft any more. A record that stays grants little, and ends by itself.
pub(super) fn forget_drafts(desk: &Desk<'_>, addresses: &[&Address]) {
    for scope in [mere_core::item::Scope::Project, mere_core::item::Scope::User] {
        let Ok(Some(key)) = desk.context.approval_key(scope) else { continue };
        if let Err(error) = court::forget_drafts(&desk.context.environment, &key, addresses) {
            tracing::warn!(%error, "the end of a draft could not be kept");
        }
    }
}
