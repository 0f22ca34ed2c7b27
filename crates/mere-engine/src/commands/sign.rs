//! `mere sign`: shows what would be signed, and signs exactly that.
//!
//! Each item is bound to the digest that was shown; one that has changed since is not signed.

use std::collections::HashMap;

use mere_core::address::{Address, RelPath, is_invisible};
use mere_core::digest::Sha256;
use mere_core::item::{Item, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{GitStaging, ItemSelection, SelectedItems, ShownItem};
use mere_core::trust::{Sidecar, TrustStatus};

use super::CommandCall;
use super::difference::{cache_signed_texts, differences};
use super::item_report::{ItemReport, ItemTrouble, verify_all};
use super::list::fault_data;
use super::select::{all_items, is_file_of, select, sidecar_path, unstaged_paths};
use crate::error::tool_error::ToolError;
use crate::files::view::count_phrase;
use crate::items::apply_permit::{WriteContext, apply_permit};
use crate::items::item_signer::{ItemSigner, ensure_space_id};
use crate::items::reply_fields::own_text;
use crate::items::tool_check::tool_warnings;
use crate::items::validation::check_own_schema;
use crate::items::version_check::remember_versions;
use crate::items::{ItemCall, ItemError, LoadedItem};
use crate::policy::{self, ItemChange, SignatureState, SigningReason};
use crate::space::ItemChangeError;
use crate::trust::{forget_drafts, now};
use crate::world::Context;
use mere_host::GitRepository;

/// Shows what would be signed.
pub(super) fn plan_signing(
    call: &CommandCall<'_>,
    selection: &ItemSelection,
) -> Result<Draft, ToolError> {
    let places = select(call.change, selection)?;
    let strict = call.items.trust_policy.without_drafts();
    let trust_policy = match selection.which {
        SelectedItems::Unfinished | SelectedItems::Unsigned => call.items.trust_policy,
        _ => &strict,
    };
    let reports = verify_all(call, trust_policy, &places);
    let is_selected = |one: &&ItemReport| match selection.which {
        SelectedItems::Unfinished => is_unfinished(one),
        SelectedItems::Unsigned => is_offered(one),
        _ => !one.is_verified() || call.items.trust_policy.is_draft(&one.place),
    };
    let selected = reports.iter().filter(is_selected).collect::<Vec<_>>();
    // Signing everything shows only a list; otherwise the person confirms one by one and sees each
    // diff.
    let detail = match selection.which {
        SelectedItems::All if selection.kind.is_none() => CandidateDetail::Listed,
        _ => CandidateDetail::WithDifference,
    };
    let rows = selected.iter().map(|one| candidate_fields(call, one, detail)).collect::<Vec<_>>();
    let (total, verified) = (rows.len() as u64, (reports.len() - rows.len()) as u64);
    let data = Fields::default()
        .with("items", Data::List(rows))
        .with("count", total)
        .with("verified", verified);
    let message = count_phrase(total, "item is to be signed", "items are to be signed").and(".");
    Ok(Draft::success(codes::SIGN_PLAN, message).data(data))
}

/// Returns whether a person has to decide about an item. An item that a stranger signed is not
/// signed in passing.
fn is_unfinished(report: &ItemReport) -> bool {
    match &report.trust_status {
        Ok(TrustStatus::Draft(())) | Err(ItemTrouble::Broken(_)) => true,
        Ok(TrustStatus::Unsigned(())) => report.is_finding,
        Ok(TrustStatus::Verified(_) | TrustStatus::UnknownKey(..))
        | Err(ItemTrouble::Invalid | ItemTrouble::Unreadable) => false,
    }
}

/// Returns whether an item is among those that a person is offered to sign when a folder becomes a
/// space: the unfinished ones, and all that nobody has signed.
pub(super) fn is_offered(report: &ItemReport) -> bool {
    is_unfinished(report) || matches!(report.trust_status, Ok(TrustStatus::Unsigned(())))
}

/// How much of an item is shown before it is signed.
#[derive(Clone, Copy)]
enum CandidateDetail {
    Listed,
    WithDifference,
}

fn candidate_fields(call: &CommandCall<'_>, report: &ItemReport, detail: CandidateDetail) -> Data {
    let fields = report.to_fields();
    match LoadedItem::read(call.items.view, report.place.clone()) {
        Ok(loaded) => {
            let space_id = call.items.trust_policy.space_id(loaded.place.scope);
            if check_lockfile_space(&loaded, space_id).is_err() {
                let unfit = "it was made for another space; `mere lock` makes one for this space";
                return fields.with("unfit", Content::mention(unfit)).into();
            }
            let (changes, base) = match detail {
                CandidateDetail::WithDifference => differences(call.change, &loaded),
                CandidateDetail::Listed => Default::default(),
            };
            let names_folder = call.agent_gate.has_escaped_folder_in(&loaded.text);
            let hides = loaded.text.contains(is_invisible);
            let warning = match (names_folder, hides) {
                (_, true) => Some("it contains invisible characters"),
                (true, false) => Some("it names a folder on this machine"),
                (false, false) => None,
            };
            let warnings = warning.map(Content::mention).into_iter();
            let warnings = warnings.chain(tool_warnings(call.items, &loaded));
            let unfit = check_own_schema(call.items.view, &loaded).err();
            fields
                .with_some("unfit", unfit.map(|error| reason_of(&error.into())))
                .with("digest", loaded.item_digest())
                .with("changes", Data::List(changes))
                .with_some("base", base)
                .with_some("warning", join_warnings(warnings))
                .into()
        }
        Err(error) => fields.with("unfit", fault_data(&error)).into(),
    }
}

/// Signs items, each exactly as it was shown.
pub(super) fn sign_chosen(
    call: &CommandCall<'_>,
    chosen: &[ShownItem],
    stage: GitStaging,
) -> Result<Draft, ToolError> {
    let signing = SigningRun::begin(call.change, stage)?;
    let (mut signed, mut left, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let mut signed_addresses = Vec::new();
    for (number, one) in chosen.iter().enumerate() {
        match signing.sign(one) {
            Ok((fields, sidecar)) => {
                files.extend(sidecar);
                signed_addresses.push(&one.address);
                signed.push(fields);
            }
            Err(error) => left.push(refusal_fields(&one.address, &error)),
        }
        (call.progress)(number as u64 + 1, chosen.len() as u64);
    }
    end_drafts(call.change.context, &signed_addresses);
    if stage == GitStaging::Add && !files.is_empty() {
        let git = GitRepository::discover(call.change.context.project()?)
            .ok_or(ItemChangeError::NoGitRepository)?;
        git.stage_files(&files).map_err(ItemChangeError::GitFailed)?;
    }
    Ok(signing_reply(&signing.signer, signed, left))
}

/// The state of signing several items.
struct SigningRun<'a> {
    call: &'a ItemCall<'a>,
    signer: ItemSigner,
    places: HashMap<String, ScopedPath>,
    /// Files whose staged version differs from the one on disk.
    unstaged: Vec<RelPath>,
}

impl<'a> SigningRun<'a> {
    fn begin(call: &'a ItemCall<'a>, stage: GitStaging) -> Result<Self, ToolError> {
        let signer = ItemSigner::unlock(call, SigningReason::Requested)?;
        let places = all_items(call, None)?.into_iter();
        let places = places.filter_map(|place| Some((place.address()?.to_string(), place)));
        let unstaged = match stage {
            GitStaging::Add => unstaged_paths(call)?,
            GitStaging::Leave => Vec::new(),
        };
        Ok(Self { call, signer, places: places.collect(), unstaged })
    }

    /// Signs one item. Returns what the reply reports about it, and the path of its sidecar.
    fn sign(&self, one: &ShownItem) -> Result<(Data, Option<RelPath>), ToolError> {
        let stale = || ItemChangeError::Stale { address: one.address.clone(), current: None };
        let place = self.places.get(&one.address.to_string()).ok_or_else(stale)?;
        let sidecar = sidecar_path(&one.address, place);
        let mut unstaged = self.unstaged.iter().filter(|path| is_file_of(place, path));
        if let Some(path) = unstaged.find(|path| Some(*path) != sidecar.as_ref()) {
            return Err(ItemChangeError::NotStaged(path.clone()).into());
        }
        Ok((sign_one(self.call, &self.signer, place, one.digest)?, sidecar))
    }
}

fn signing_reply(signer: &ItemSigner, signed: Vec<Data>, left: Vec<Data>) -> Draft {
    let message = count_phrase(signed.len() as u64, "item was signed", "items were signed");
    let is_whole = left.is_empty();
    let data = Fields::default()
        .with("key", Content::mention(signer.fingerprint().to_string()))
        .with("signed", Data::List(signed))
        .with("left", Data::List(left));
    if is_whole {
        return Draft::success(codes::SIGN_DONE, message.and(".")).data(data);
    }
    Draft::invalid(codes::SIGN_LEFT, message.and("; some were not."))
        .hint("The reason is given for each; what was signed stays signed.")
        .data(data)
}

pub(super) fn refusal_fields(address: &Address, error: &ToolError) -> Data {
    let fields = Fields::default().with("address", address.clone());
    fields.with("why", reason_of(error)).into()
}

/// Returns why an item is not signed, and what to do where its own text is at fault.
fn reason_of(error: &ToolError) -> Content {
    let reply = crate::error::tool_error_reply(error);
    let reason = reply.message().render_for_person();
    let fix = match error {
        ToolError::Item(ItemError::InvalidFrontmatter { .. } | ItemError::InvalidSchema { .. }) => {
            reply.hint_prose().map(Prose::render_for_person)
        }
        _ => None,
    };
    Content::mention(match fix {
        Some(fix) => format!("{reason} {fix}"),
        None => reason,
    })
}

/// Joins warnings into one, or returns `None` if there are none.
fn join_warnings(warnings: impl Iterator<Item = Content>) -> Option<Content> {
    let warnings = warnings.map(|warning| warning.text().to_owned());
    let joined = warnings.reduce(|before, warning| {
        let separator = if before.ends_with('.') { " " } else { "; " };
        before + separator + &warning
    });
    joined.map(Content::mention)
}

fn sign_one(
    call: &ItemCall<'_>,
    signer: &ItemSigner,
    place: &ScopedPath,
    digest: Sha256,
) -> Result<Data, ToolError> {
    let loaded = LoadedItem::read(call.items.view, place.clone())?;
    if loaded.item_digest() != digest {
        let (address, current) = (loaded.address.clone(), Some(loaded.sha256));
        return Err(ItemChangeError::Stale { address, current }.into());
    }
    sign_loaded(call, signer, &loaded)?;
    let note = (!counts(call, signer, place)).then_some(Content::mention(
        "your key is not trusted here: the team or the project lets others sign",
    ));
    let notes = note.into_iter().chain(tool_warnings(&call.items, &loaded));
    let fields = Fields::default()
        .with("item_type", place.kind.name())
        .with("id", own_text(&place.id))
        .with("category", ParsedName::from(&place.category))
        .with("scope", place.scope.name())
        .with("address", loaded.address.clone())
        .with_some("note", join_warnings(notes));
    Ok(fields.into())
}

/// Signs an item that was read, and writes its sidecar. A knowledge entry that does not match its
/// own schema is not signed.
pub(super) fn sign_loaded(
    call: &ItemCall<'_>,
    signer: &ItemSigner,
    loaded: &LoadedItem,
) -> Result<(), ToolError> {
    check_own_schema(call.items.view, loaded)?;
    let space_id = ensure_space_id(call, &loaded.place)?;
    check_lockfile_space(loaded, Some(&space_id))?;
    let sidecar = signer.sign_item(loaded, &space_id)?;
    let statement = Sidecar::parse(&sidecar).ok().map(|sidecar| sidecar.placement.statement);
    write_sidecar(call, loaded, sidecar)?;
    cache_signed_texts(call, loaded);
    if counts(call, signer, &loaded.place) {
        note_signed_version(call, signer, loaded, statement);
    }
    Ok(())
}

/// Returns whether the signer's key counts for an item.
fn counts(call: &ItemCall<'_>, signer: &ItemSigner, place: &ScopedPath) -> bool {
    let keyring = call.items.trust_policy.keyring(place.scope);
    keyring.is_trusted(signer.fingerprint(), place, now())
}

/// Remembers the version of an item that was signed. Whoever signs an older version than the one
/// that was seen means it, so the statement is accepted.
fn note_signed_version(
    call: &ItemCall<'_>,
    signer: &ItemSigner,
    loaded: &LoadedItem,
    statement: Option<Sha256>,
) {
    let (trust_policy, place) = (call.items.trust_policy, &loaded.place);
    let Some(version) = loaded.item.version() else { return };
    let seen = trust_policy.seen_version(place).ok().flatten();
    let is_older = seen.is_some_and(|seen| version.is_older_than(&seen.newest));
    match statement.filter(|_| is_older) {
        Some(statement) => {
            let accepted = trust_policy.accept_version(place, statement, signer.permit());
            if let Err(error) = accepted {
                tracing::warn!(%error, "a version that was signed could not be remembered");
            }
        }
        None => remember_versions(trust_policy, &[(place, version)]),
    }
}

/// Refuses to sign a lockfile that was made for another space. It pins what lies there, and signing
/// it would not make it one of this space.
fn check_lockfile_space(
    loaded: &LoadedItem,
    space_id: Option<&str>,
) -> Result<(), ItemChangeError> {
    match &loaded.item {
        Item::Lockfile(lockfile) if Some(lockfile.space_id.as_str()) != space_id => {
            let (address, tool) = (loaded.address.clone(), loaded.place.id.clone());
            Err(ItemChangeError::LockfileOfOtherSpace { address, tool })
        }
        _ => Ok(()),
    }
}

/// Writes a sidecar beside an item, provided that the item is unchanged.
pub(super) fn write_sidecar(
    call: &ItemCall<'_>,
    loaded: &LoadedItem,
    sidecar: Vec<u8>,
) -> Result<(), ToolError> {
    let change = ItemChange::add_sidecar(loaded.place.clone(), sidecar, loaded.item_digest());
    let permit =
        policy::permit_item(call.items.reader, call.agents, change, SignatureState::Unsigned);
    apply_permit(permit, &WriteContext { context: call.context, is_cancelled: call.is_cancelled })?;
    Ok(())
}

/// Ends the drafts of signed items. A draft record that stays behind by mistake grants little, and
/// expires by itself.
pub(super) fn end_drafts(context: &Context, addresses: &[&Address]) {
    for scope in [mere_core::item::Scope::Project, mere_core::item::Scope::User] {
        let Ok(Some(key)) = context.approval_key(scope) else { continue };
        if let Err(error) = forget_drafts(&context.environment, &key, addresses) {
            tracing::warn!(%error, "the end of a draft could not be kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_joined_as_sentences_are() {
        let join = |warnings: &[&'static str]| {
            let joined = join_warnings(warnings.iter().map(|words| Content::mention(*words)));
            joined.map(|joined| joined.text().to_owned())
        };
        assert_eq!(join(&[]), None);
        assert_eq!(join(&["a", "b. B.", "c. C.", "d"]).as_deref(), Some("a; b. B. c. C. d"));
    }
}
