//! What the reply to a run says about the project: the proposal, and what is left out of it.

use mere_core::address::{Address, RelPath, Root};
use mere_core::reply::{Content, Data, Fields};

use super::project_proposal::{ProposalAuthor, save_proposal};
use super::ready::Ready;
use super::{RunCall, RunError};
use mere_host::{
    DifferenceBound, Exit, FinishedRun, LeftOut, MAX_CHANGED_BYTES, MAX_CHANGED_FILES,
    ProjectDifference, RunEnd,
};

pub(super) const PROPOSAL_HINT: &str =
    "Its changes to the project wait for a person: `mere review` shows and applies them.";

/// The changes of a run, saved as a proposal if there are any.
pub(super) struct SavedChanges<'a> {
    difference: &'a ProjectDifference,
    proposal: Option<String>,
    is_cut_short: bool,
}

/// Saves what a tool changed in the project. A tool that was stopped proposes nothing, because it
/// had not finished.
pub(super) fn save_changes<'a>(
    call: &RunCall<'_>,
    ready: &Ready,
    finished: &'a FinishedRun,
) -> Result<Option<SavedChanges<'a>>, RunError> {
    let Some(difference) = &finished.changes else { return Ok(None) };
    let is_cut_short = !matches!(finished.end, RunEnd::Exit(Exit::Code(_)) | RunEnd::SessionOver);
    let mut proposal = None;
    if !is_cut_short && !difference.files.is_empty() {
        let tool = &ready.locked().linked().chain().leaf().pin.id;
        let author = ProposalAuthor { tool, agent: call.items.view.agent };
        proposal = Some(save_proposal(call.context, &author, difference)?);
    }
    Ok(Some(SavedChanges { difference, proposal, is_cut_short }))
}

impl SavedChanges<'_> {
    /// Returns whether a proposal waits.
    pub(super) fn has_proposal(&self) -> bool {
        self.proposal.is_some()
    }

    /// Adds what was proposed and what was not.
    pub(super) fn add_to(&self, data: Fields) -> Fields {
        let proposal = self.proposal.as_ref().map(|id| {
            Fields::default()
                .with("id", Content::mention(id.as_str()))
                .with("files", self.difference.files.len() as u64)
        });
        let why = match self.difference.exceeded {
            _ if self.is_cut_short && !self.difference.files.is_empty() => {
                Some("the tool was stopped before it had finished".to_owned())
            }
            Some(DifferenceBound::Files) => {
                Some(format!("the tool changed more than {MAX_CHANGED_FILES} files"))
            }
            Some(DifferenceBound::Bytes) => {
                let mebibytes = MAX_CHANGED_BYTES / 1024 / 1024;
                Some(format!("the changed files have more than {mebibytes} MiB"))
            }
            None => None,
        };
        let left_out = self.difference.left_out.iter().map(|one| {
            Data::from(
                Fields::default()
                    .with("path", left_out_path_data(&one.path, one.reason.reason()))
                    .with("reason", one.reason.reason()),
            )
        });
        let count = self.difference.left_out_count;
        let is_more = count > self.difference.left_out.len() as u64;
        data.with("proposal", proposal)
            .with_some("not_proposed", why.map(|why| Data::Words(why.into())))
            .with("left_out", left_out.collect::<Data>())
            .with_some("left_out_count", is_more.then_some(count))
    }
}

/// Returns a path that is left out: its address, or what it looks like if it can have none.
pub(crate) fn left_out_path_data(path: &str, reason: &str) -> Data {
    match path.parse::<RelPath>() {
        Ok(path) if reason != LeftOut::Name.reason() => Address::file(Root::Project, path).into(),
        _ => Content::mention(path).into(),
    }
}
