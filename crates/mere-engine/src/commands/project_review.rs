//! `mere review` for the changes to the project that a tool proposes.
//!
//! They are applied all or none, and only to the files that the tool saw.

use mere_core::address::{Address, RelPath, Root, Spoken};
use mere_core::digest::{Sha256, ShownDigest};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::ReviewDecision;

use super::difference::unified_diff_text;
use crate::error::tool_error::ToolError;
use crate::files::read::open_visible_file;
use crate::files::view::count_phrase;
use crate::items::{ItemCall, ItemError};
use crate::run::project_fields::left_out_path_data;
use crate::run::project_proposal::{ProjectProposal, conflicting_files};
use crate::space::{ItemChangeError, ProposalError};
use mere_host::{ApplyError, ChangedFile, LockedProposals, ProposalStore, read_at_most};

/// The largest file of which a diff is shown, in bytes.
const MAX_DIFFED_BYTES: u64 = 1024 * 1024;
/// The bytes of all diffs that are shown of one proposal. A longer reply would be cut, and what is
/// accepted must at least be named.
const MAX_SHOWN_BYTES: usize = 512 * 1024;

/// Returns what a list says about a proposal.
pub(super) fn project_proposal_fields(proposal: &ProjectProposal) -> Fields {
    let count = proposal.files.len();
    let files = format!("{count} {}", if count == 1 { "file" } else { "files" });
    Fields::default()
        .with("proposal", Content::mention(proposal.id.as_str()))
        .with("agent", Content::mention(proposal.agent.as_str()))
        .with("tool", Content::mention(proposal.tool.as_str()))
        .with("action", "change")
        .with("item_type", "project")
        .with("id", Data::Words(files.into()))
        .with("category", "")
        .with("address", Address::directory(Root::Project, RelPath::default()))
}

/// Shows, accepts or rejects a proposal.
pub(super) fn decide(
    call: &ItemCall<'_>,
    proposal: &ProjectProposal,
    verdict: ReviewDecision,
) -> Result<Draft, ToolError> {
    let store = call.context.environment.proposal_store();
    let store = store.ok_or(ItemChangeError::Proposal(ProposalError::Missing))?;
    match verdict {
        ReviewDecision::Show => show(call, proposal, &store),
        ReviewDecision::Accept { shown_digest } => {
            if shown_digest.is_some_and(|shown| shown != proposal.digest) {
                return Err(ItemChangeError::Proposal(ProposalError::Changed).into());
            }
            accept(call, proposal, &store)
        }
        ReviewDecision::Reject => {
            lock(&store)?.remove(&proposal.id).map_err(write_error)?;
            let message = Prose::words(format!("The proposal `{}` was rejected.", proposal.id));
            Ok(Draft::success(codes::REVIEW_REJECTED, message)
                .data(project_proposal_fields(proposal)))
        }
    }
}

fn show(
    call: &ItemCall<'_>,
    proposal: &ProjectProposal,
    store: &ProposalStore,
) -> Result<Draft, ToolError> {
    let changes = proposal.read_changes(store).map_err(ItemChangeError::Proposal)?;
    let project = call.context.project()?;
    let conflicts = conflicting_files(project, &changes).map_err(ItemError::Unsearchable)?;
    let mut room = MAX_SHOWN_BYTES;
    let shown = changes.iter().map(|change| {
        let diff = if conflicts.contains(&change.path) {
            "It is not what the tool saw any more.\n".to_owned()
        } else {
            diff_text(call, change)
        };
        let diff = if diff.len() <= room { diff } else { describe(change, "too long to show") };
        room = room.saturating_sub(diff.len());
        let diff = format!("{}{diff}", mode_note(change));
        let path = Content::mention(format!("{}{}", change.path, action_note(change)));
        Data::from(Fields::default().with("path", path).with("diff", Content::body(diff)))
    });
    let shown = shown.collect::<Data>();
    let left_out = proposal.left_out.iter().map(|(path, reason)| {
        let path = left_out_path_data(path, reason);
        let reason = Content::mention(reason.as_str());
        Data::from(Fields::default().with("path", path).with("reason", reason))
    });
    let data = project_proposal_fields(proposal)
        .with("changes", shown)
        .with("base", "the files as the tool saw them")
        .with("digest", ShownDigest::for_people(proposal.digest))
        .with("stale", !conflicts.is_empty())
        .with("left_out", left_out.collect::<Data>());
    let message = Prose::words(format!("The proposal `{}`.", proposal.id));
    Ok(Draft::success(codes::REVIEW_SHOWN, message).data(data))
}

fn accept(
    call: &ItemCall<'_>,
    proposal: &ProjectProposal,
    store: &ProposalStore,
) -> Result<Draft, ToolError> {
    let project = call.context.project()?;
    let locked = lock(store)?;
    let changes = proposal.read_changes(store).map_err(ItemChangeError::Proposal)?;
    locked.apply(&proposal.id, project, &changes).map_err(|error| match error {
        ApplyError::Conflict(paths) => {
            ToolError::from(ItemChangeError::Proposal(ProposalError::Conflict(paths)))
        }
        ApplyError::Io(cause) => write_error(cause),
    })?;
    let count = changes.len() as u64;
    let message = count_phrase(count, "file", "files").and(" of the project changed.");
    Ok(Draft::success(codes::REVIEW_ACCEPTED, message).data(project_proposal_fields(proposal)))
}

fn lock(store: &ProposalStore) -> Result<LockedProposals, ToolError> {
    store.lock().map_err(|error| write_error(error.into()))
}

fn write_error(cause: std::io::Error) -> ToolError {
    let address = Address::directory(Root::Project, RelPath::default());
    ItemChangeError::WriteFailed { address, cause }.into()
}

/// Returns the diff of a file that is still what the tool saw.
fn diff_text(call: &ItemCall<'_>, change: &ChangedFile) -> String {
    let new = change.after.as_ref().map_or(Some(""), |after| shown_text(&after.bytes));
    let old = match change.before {
        None => Some(String::new()),
        Some(_) => read_text(call, &change.path),
    };
    match (old, new) {
        (Some(old), Some(new)) => unified_diff_text(&old, new),
        _ => describe(change, "a file that is not text, or is too long to show"),
    }
}

/// Returns the text of a file, if it can be shown.
fn shown_text(bytes: &[u8]) -> Option<&str> {
    let is_short = bytes.len() as u64 <= MAX_DIFFED_BYTES;
    std::str::from_utf8(bytes).ok().filter(|text| is_short && !text.contains('\0'))
}

fn read_text(call: &ItemCall<'_>, path: &RelPath) -> Option<String> {
    let address = Address::file(Root::Project, path.clone());
    let target = call.items.view.resolve(&Spoken::Rooted(address)).ok()?;
    let bytes = read_at_most(open_visible_file(&target).ok()?, MAX_DIFFED_BYTES).ok()??;
    shown_text(&bytes).map(str::to_owned)
}

/// Names the contents of a file that is not shown.
fn describe(change: &ChangedFile, why: &str) -> String {
    match &change.after {
        None => format!("{why}\n"),
        Some(after) => {
            let digest = Sha256::digest(&after.bytes);
            format!("{why}: {} bytes, sha256 {digest}\n", after.bytes.len())
        }
    }
}

fn action_note(change: &ChangedFile) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => " (new)",
        (_, None) => " (deleted)",
        _ => "",
    }
}

/// Returns a line about the right to execute the file, if it changes.
fn mode_note(change: &ChangedFile) -> &'static str {
    let before = change.before.is_some_and(|before| before.is_executable);
    match &change.after {
        Some(after) if after.is_executable && !before => "It becomes executable.\n",
        Some(after) if before && !after.is_executable => "It is not executable any more.\n",
        _ => "",
    }
}
