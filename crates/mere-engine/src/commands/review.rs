//! `mere review`: a person decides on the proposals of agents.
//!
//! A proposal goes through the same checks as any other change, and applies only to the item that
//! it was made for: if that item has changed since, the proposal is not applied.

use mere_core::address::{Address, AgentName, RelPath, Root, Spoken};
use mere_core::digest::{Sha256, ShownDigest};
use mere_core::item::integrity::FileDigest;
use mere_core::item::{self, ItemType, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{ItemContent, ReviewDecision, ReviewScope};
use mere_core::trust::{Checked, VerificationFailure};

use super::CommandCall;
use super::difference::file_change;
use super::pending_proposals::{PendingProposal, read_proposals};
use super::project_review::{self, project_proposal_fields};
use super::sign_plan::{ItemsOfStrangers, items_of_strangers};
use crate::error::tool_error::ToolError;
use crate::files::read::open_visible_file;
use crate::files::view::count_phrase;
use crate::items::apply_permit::{WriteContext, apply_permit};
use crate::items::change::{ExecutionMode, permit_destination};
use crate::items::item_files::{hash_other_files, read_item_digest};
use crate::items::item_signer::{ItemSigner, ensure_space_id, try_unlock};
use crate::items::new_item::{NewItem, main_file_name};
pub(crate) use crate::items::proposal::{Proposal, ProposedAction};
use crate::items::relocation::{add_signature, load_from_files};
use crate::items::reply_fields::own_text;
use crate::items::signature_state::detect_signature_state;
use crate::items::tool_lockfiles::{delete_lockfiles, describe_deletion, find_lockfiles};
use crate::items::vouched_files::vouched_files;
use crate::items::{
    ItemCall, ItemError, ItemReader, item_advice, read_and_verify, trust_status_fields,
};
use crate::policy::{self, ItemChange, SignatureState, SigningReason};
use crate::run::project_proposal::read_project_proposals;
use crate::space::{ItemChangeError, ProposalError};
use crate::trust::digest_key::DigestKeyError;
use mere_host::{Workspace, read_at_most};

/// Lists the proposals that wait for a person and, where everything is asked for, the items that
/// somebody signed whose key does not count.
pub(super) fn list_pending(call: &CommandCall<'_>, scope: ReviewScope) -> Result<Draft, ToolError> {
    let context = call.change.context;
    let found = read_proposals(call.change).map_err(ItemError::Unsearchable)?;
    let of_tools = read_project_proposals(context).map_err(ItemError::Unsearchable)?;
    let count = (found.len() + of_tools.len()) as u64;
    let proposals = found.iter().map(|proposal| Data::from(proposal_fields(proposal)));
    let of_tools = of_tools.iter().map(|proposal| Data::from(project_proposal_fields(proposal)));
    let proposals = proposals.chain(of_tools).collect::<Data>();
    let data = Fields::default().with("proposals", proposals).with("count", count);
    let message = count_phrase(count, "proposal waits", "proposals wait");
    if scope == ReviewScope::Proposals {
        return Ok(Draft::success(codes::REVIEW, message.and(".")).data(data));
    }
    let ItemsOfStrangers { rows, hint } = items_of_strangers(call)?;
    let message = match rows.len() {
        0 => message.and("."),
        1 => message.and(", and 1 item is signed by a key that does not count here."),
        items => {
            message.and(format!(", and {items} items are signed by keys that do not count here."))
        }
    };
    let draft = Draft::success(codes::REVIEW, message).data(data.with("items", Data::List(rows)));
    Ok(hint.into_iter().fold(draft, Draft::hint))
}

/// Shows, accepts or rejects a proposal.
pub(super) fn review(
    call: &ItemCall<'_>,
    name: &str,
    verdict: ReviewDecision,
) -> Result<Draft, ToolError> {
    // An agent cannot make a proposal of this kind, so none of its own can stand in for one.
    let of_tools = read_project_proposals(call.context).map_err(ItemError::Unsearchable)?;
    if let Some(proposal) = of_tools.into_iter().find(|one| one.id == name) {
        return project_review::decide(call, &proposal, verdict);
    }
    let found = read_proposals(call).map_err(ItemError::Unsearchable)?;
    let mut found = found.into_iter().filter(|one| one.name == name || label(one) == name);
    let (Some(proposal), None) = (found.next(), found.next()) else {
        return Err(ItemChangeError::Proposal(ProposalError::Missing).into());
    };
    match verdict {
        ReviewDecision::Show => {
            show_proposal(&call.items, PendingProposal::read(call.context, proposal)?)
        }
        ReviewDecision::Accept { shown_digest: shown } => {
            let waiting = PendingProposal::read(call.context, proposal)?;
            if shown.is_some_and(|shown| shown != waiting.digest) {
                return Err(ItemChangeError::Proposal(ProposalError::Changed).into());
            }
            accept(call, waiting)
        }
        ReviewDecision::Reject => {
            remove_proposal(call, &proposal.agent, proposal.folder())?;
            let message =
                Prose::words(format!("The proposal `{}` was rejected.", label(&proposal)));
            Ok(Draft::success(codes::REVIEW_REJECTED, message).data(proposal_fields(&proposal)))
        }
    }
}

/// Returns the label of a proposal: the agent, and the proposal's name in that agent's workspace.
fn label(proposal: &Proposal) -> String {
    format!("{}/{}", proposal.agent, proposal.name)
}

fn proposal_fields(proposal: &Proposal) -> Fields {
    Fields::default()
        .with("proposal", Content::mention(label(proposal)))
        .with("agent", own_text(&proposal.agent))
        .with("action", proposal.action.name())
        .with("item_type", proposal.place.kind.name())
        .with("id", own_text(&proposal.place.id))
        .with("category", ParsedName::from(&proposal.place.category))
        .with("scope", proposal.place.scope.name())
        .with("address", proposal.place.address())
}

fn show_proposal(items: &ItemReader<'_>, waiting: PendingProposal) -> Result<Draft, ToolError> {
    let proposal = &waiting.proposal;
    let mut changes = Vec::new();
    let now = CurrentItem::read(items, &proposal.place)?;
    let base = ComparisonBase::for_place(items, &proposal.place);
    if let ProposedAction::Delete(_) = proposal.action {
        for path in &now.files {
            let old = read_current_text(items, proposal, path)?.unwrap_or_default();
            changes.push(file_change(path.as_str(), Some(&old), Some("")));
        }
    }
    for (path, bytes) in &waiting.files {
        let old = match base {
            ComparisonBase::Verified => {
                read_current_text(items, proposal, path)?.unwrap_or_default()
            }
            ComparisonBase::Empty => String::new(),
        };
        let new = String::from_utf8_lossy(bytes);
        changes.push(file_change(path.as_str(), Some(&old), Some(&new)));
    }
    let data = proposal_fields(proposal)
        .with("changes", Data::List(changes))
        .with("base", base.description())
        .with("digest", ShownDigest::for_people(waiting.digest))
        .with("stale", !now.is_expected(items, proposal)?);
    let message = Prose::words(format!("The proposal `{}`.", label(proposal)));
    let fault = match proposal.action {
        ProposedAction::Delete(_) => None,
        ProposedAction::Create | ProposedAction::Update(_) => proposed_item(items, waiting).err(),
    };
    let fault = fault.map(|error| {
        let reply = crate::error::tool_error_reply(&error.into());
        Content::mention(reply.message().render_for_person())
    });
    Ok(Draft::success(codes::REVIEW_SHOWN, message).data(data.with_some("fault", fault)))
}

/// What a proposal is compared with. An item that nobody vouches for may contain anything, and an
/// accepted item gets signed, so in that case the whole new item is shown.
#[derive(Clone, Copy)]
enum ComparisonBase {
    Verified,
    Empty,
}

impl ComparisonBase {
    fn for_place(items: &ItemReader<'_>, place: &ScopedPath) -> Self {
        let trust_policy = items.trust_policy.without_drafts();
        match read_and_verify(&items.with_policy(&trust_policy), place.clone()) {
            Ok(Checked::Verified(_)) => Self::Verified,
            _ => Self::Empty,
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Verified => "the item as it was signed",
            Self::Empty => {
                "nothing: nobody vouches for an item there, so the whole new item is shown"
            }
        }
    }
}

fn accept(call: &ItemCall<'_>, waiting: PendingProposal) -> Result<Draft, ToolError> {
    let place = waiting.proposal.place.clone();
    let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let fields = proposal_fields(&waiting.proposal);
    let (agent, name) = (waiting.proposal.agent.clone(), waiting.proposal.folder());
    let mut lockfiles = Vec::new();
    let (change, integrity, done) = match waiting.proposal.action {
        ProposedAction::Delete(_) => {
            let digest = expected_item(&call.items, &waiting.proposal)?;
            if place.kind == ItemType::Tool {
                lockfiles = find_lockfiles(&call.items, &place)?;
            }
            (ItemChange::remove(place.clone(), digest), None, " was deleted.")
        }
        ProposedAction::Create => {
            let destination = permit_destination(call, place.clone())?;
            let new_item = proposed_item(&call.items, waiting)?;
            let files = sign_accepted(call, &place, new_item.files)?;
            (ItemChange::create(destination, files), new_item.integrity, " was created.")
        }
        ProposedAction::Update(_) => {
            let digest = expected_item(&call.items, &waiting.proposal)?;
            let new_item = proposed_item(&call.items, waiting)?;
            let files = sign_accepted(call, &place, new_item.files)?;
            let change = ItemChange::replace(place.clone(), files, digest);
            (change, new_item.integrity, " was changed.")
        }
    };
    let permit =
        policy::permit_item(call.items.reader, call.agents, change, SignatureState::Unsigned);
    apply_permit(permit, &WriteContext { context: call.context, is_cancelled: call.is_cancelled })?;
    let lockfiles = delete_lockfiles(call, &lockfiles, ExecutionMode::Real);
    remove_proposal(call, &agent, name)?;
    let accepted = read_and_verify(&call.items, place).ok();
    let trust = accepted.as_ref().map(trust_status_fields);
    let integrity = integrity.map(ShownDigest::for_people);
    let data = fields.with("integrity", integrity).with_some("trust", trust);
    let message = Prose::words("").address(address).and(done);
    let message = message.append(&describe_deletion(&lockfiles));
    let draft = Draft::success(codes::REVIEW_ACCEPTED, message).data(data);
    Ok(match accepted.and_then(|accepted| item_advice(&accepted, call.items.trust_policy)) {
        Some(advice) => draft.hint(advice),
        None => draft,
    })
}

/// Signs the files of an accepted item, and puts the sidecar before them. If nobody can sign, an
/// unsigned item stays unsigned, but a signed one is an error rather than left broken.
fn sign_accepted(
    call: &ItemCall<'_>,
    place: &ScopedPath,
    files: Vec<(RelPath, Vec<u8>)>,
) -> Result<Vec<(RelPath, Vec<u8>)>, ToolError> {
    let Some(kept) = unshown_files(call, place, &files)? else { return Ok(files) };
    let signer = match detect_signature_state(&call.items, place) {
        SignatureState::Signed => Some(ItemSigner::unlock(call, SigningReason::Requested)?),
        SignatureState::Unsigned => try_unlock(call, SigningReason::Requested)?,
    };
    let Some(signer) = signer else { return Ok(files) };
    let loaded = load_from_files(&files, &kept, place)?;
    Ok(add_signature(&signer, &loaded, &ensure_space_id(call, place)?, files)?)
}

/// Returns the files that a proposal does not change, and that the person is therefore not shown.
/// They are signed only if they were vouched for already. Returns `None` if they were not, and the
/// item is unsigned.
fn unshown_files(
    call: &ItemCall<'_>,
    place: &ScopedPath,
    files: &[(RelPath, Vec<u8>)],
) -> Result<Option<Vec<FileDigest>>, ToolError> {
    let is_given = |path: &str| files.iter().any(|(given, _)| given.as_str() == path);
    let checked = read_and_verify(
        &call.items.with_policy(&call.items.trust_policy.without_drafts()),
        place.clone(),
    );
    let mut kept = match &checked {
        Ok(checked) => checked.item().files.clone(),
        Err(_) => CurrentItem::other_files(&call.items, place),
    };
    kept.retain(|file| !is_given(&file.path));
    let trusted = vouched_files(call, place);
    let is_trusted = kept.iter().all(|file| trusted.contains(file));
    match checked {
        Err(ItemError::Broken(broken)) => {
            let lacks = matches!(&broken.failure, VerificationFailure::WrongFiles { missing, .. }
                if !missing.iter().all(|path| is_given(path)));
            if is_trusted && !lacks {
                Ok(Some(kept))
            } else {
                Err(ItemError::Broken(broken).into())
            }
        }
        _ if is_trusted => Ok(Some(kept)),
        Ok(Checked::UnknownKey(loaded, _)) => {
            Err(ItemChangeError::SignedByOther(loaded.address).into())
        }
        _ => Ok(None),
    }
}

/// Builds the item as it would be after accepting.
fn proposed_item(items: &ItemReader<'_>, waiting: PendingProposal) -> Result<NewItem, ItemError> {
    let broken = |_| ItemChangeError::Proposal(ProposalError::Invalid("a file is not text"));
    let PendingProposal { proposal, files, .. } = waiting;
    let texts = files.into_iter();
    let texts = texts.map(|(path, bytes)| Ok((path, String::from_utf8(bytes).map_err(broken)?)));
    let mut texts = texts.collect::<Result<Vec<_>, ItemError>>()?;
    let (main, content) =
        texts.pop().ok_or(ItemChangeError::Proposal(ProposalError::Invalid("it has no file")))?;
    // A file that was shown under another name must not become the main file.
    if main_file_name(&proposal.place).as_ref() != Some(&main) {
        return Err(ItemChangeError::Proposal(ProposalError::Invalid(
            "its main file is not the last one",
        ))
        .into());
    }
    let text = ItemContent { main_file: content, files: texts };
    NewItem::new((items.sources, items.view), proposal.place, &text)
}

/// Returns the digest of the item that a proposal was made for. It is checked once more when the
/// change is made.
fn expected_item(items: &ItemReader<'_>, proposal: &Proposal) -> Result<Sha256, ToolError> {
    let now = CurrentItem::read(items, &proposal.place)?;
    let is_expected = now.is_expected(items, proposal)?;
    let address = proposal.place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let stale = ItemChangeError::Stale { address, current: None };
    Ok(now.digest.filter(|_| is_expected).ok_or(stale)?)
}

/// The item as it is now.
struct CurrentItem {
    /// One digest of the whole item, or `None` if there is no item.
    digest: Option<Sha256>,
    /// Its files, the main one last.
    files: Vec<RelPath>,
}

impl CurrentItem {
    /// Returns the item's other files, or none if they cannot be hashed.
    fn other_files(items: &ItemReader<'_>, place: &ScopedPath) -> Vec<FileDigest> {
        let main = place.address().map(|address| items.view.resolve(&Spoken::Rooted(address)));
        let Some(Ok(main)) = main else { return Vec::new() };
        let others = main.parent_folder().map(|folder| hash_other_files(folder, place));
        others.and_then(Result::ok).unwrap_or_default()
    }

    /// Checks whether this is what a proposal was made for.
    fn is_expected(&self, items: &ItemReader<'_>, proposal: &Proposal) -> Result<bool, ToolError> {
        let expected = proposal.action.expected_digest();
        let (Some(expected), Some(digest)) = (expected, self.digest) else {
            return Ok(expected.is_none() && self.digest.is_none());
        };
        let address = proposal.place.address().ok_or(ItemChangeError::InvalidPlace)?;
        // A person may know whether a digest is right, in whatever form the proposal has it.
        let is_expected = expected.names(digest, || items.view.digest_key.load());
        Ok(is_expected.map_err(|DigestKeyError| ItemChangeError::DigestKey(address))?)
    }

    fn read(items: &ItemReader<'_>, place: &ScopedPath) -> Result<Self, ToolError> {
        let none = Self { digest: None, files: Vec::new() };
        let address = place.address().ok_or(ItemChangeError::InvalidPlace)?;
        let Ok(main) = items.view.resolve(&Spoken::Rooted(address.clone())) else {
            return Ok(none);
        };
        let unreadable = |cause| ToolError::unreadable(&address, cause);
        let bytes = read_at_most(open_visible_file(&main)?, 16 * item::MAX_ITEM_BYTES as u64)
            .map_err(unreadable)?;
        let (Some(bytes), Some(folder)) = (bytes, main.parent_folder()) else { return Ok(none) };
        let whole = read_item_digest(Sha256::digest(&bytes), folder, place).map_err(unreadable)?;
        let others = hash_other_files(folder, place).unwrap_or_default();
        let others = others.iter().filter_map(|file| file.path.parse().ok());
        let files = others.chain(main_file_name(place)).collect();
        Ok(Self { digest: Some(whole), files })
    }
}

/// Reads the current text of one of the item's files, if it exists.
fn read_current_text(
    items: &ItemReader<'_>,
    proposal: &Proposal,
    path: &RelPath,
) -> Result<Option<String>, ToolError> {
    let main = proposal.place.address().ok_or(ItemChangeError::InvalidPlace)?;
    let folder = main.path().split_last().map(|(folder, _)| folder).unwrap_or_default();
    let address = Address::file(main.root().clone(), folder.join_path(path));
    let Ok(target) = items.view.resolve(&Spoken::Rooted(address.clone())) else { return Ok(None) };
    let bytes = read_at_most(open_visible_file(&target)?, item::MAX_ITEM_BYTES as u64);
    let bytes = bytes.map_err(|cause| ToolError::unreadable(&address, cause))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Removes a proposal from its workspace.
fn remove_proposal(
    call: &ItemCall<'_>,
    agent: &AgentName,
    folder: Option<RelPath>,
) -> Result<(), ItemChangeError> {
    let folder = folder.ok_or(ItemChangeError::Proposal(ProposalError::Missing))?;
    let address = Address::directory(Root::Workspace, folder.clone());
    let failed = |cause| ItemChangeError::WriteFailed { address: address.clone(), cause };
    let workspace = Workspace::open(call.context.project()?, agent, call.is_cancelled);
    let workspace =
        workspace.map_err(failed)?.ok_or_else(|| ItemChangeError::TimedOut(address.clone()))?;
    workspace.remove_folder(&folder).map_err(failed)
}
