//! Changes to the project that a tool proposes. They wait in the user's state folder, where neither
//! an agent nor a tool can change them, until a person decides.

use mere_core::address::{AgentName, RelPath};
use mere_core::digest::Sha256;
use mere_core::item::{ItemId, Scope};
use mere_core::text::json;
use serde_json::{Value, json};
use uuid::Uuid;

use super::project_view::ProjectError;
use crate::space::ProposalError;
use crate::trust::project_key::ProjectKey;
use crate::world::Context;
use mere_host::{
    ChangedFile, FileState, Folder, NewContent, ProjectDifference, ProposalStore, SaveError,
};

/// The tool that changed the project, and the agent for whom it ran.
pub(super) struct ProposalAuthor<'a> {
    pub(super) tool: &'a ItemId,
    pub(super) agent: &'a AgentName,
}

/// A proposal as it is described.
#[derive(Debug)]
pub(crate) struct ProjectProposal {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) agent: String,
    pub(crate) files: Vec<ProposedFile>,
    /// The changes that are left out: each path, and the reason.
    pub(crate) left_out: Vec<(String, String)>,
    /// The digest of the whole description, which has the digests of all contents.
    pub(crate) digest: Sha256,
}

/// The proposed change of a file.
#[derive(Debug)]
pub(crate) struct ProposedFile {
    pub(crate) path: RelPath,
    pub(crate) before: Option<FileState>,
    after: Option<FileState>,
}

/// Saves what a tool changed as a proposal. Returns its id.
pub(super) fn save_proposal(
    context: &Context,
    author: &ProposalAuthor<'_>,
    difference: &ProjectDifference,
) -> Result<String, ProjectError> {
    let no_place = || std::io::Error::other("the project has no key, or there is no state folder");
    let key = context.approval_key(Scope::Project).map_err(ProjectError::NotSaved)?;
    let (key, store) = key
        .zip(context.environment.proposal_store())
        .ok_or_else(|| ProjectError::NotSaved(no_place()))?;
    let random = Uuid::new_v4().simple().to_string();
    let id = format!("{}-{}", author.tool, &random[..8]);
    let files = difference.files.iter().map(|file| {
        let after = file.after.as_ref().map(NewContent::state);
        json!({
            "path": file.path.as_str(), "before": file.before.map(state_json),
            "after": after.map(state_json),
        })
    });
    let left_out = difference.left_out.iter();
    let left_out = left_out.map(|one| json!({ "path": one.path, "reason": one.reason.reason() }));
    let mut description = key.record();
    description["v"] = json!(1);
    description["tool"] = json!(author.tool.as_str());
    description["agent"] = json!(author.agent.as_str());
    description["files"] = files.collect();
    description["left_out"] = left_out.collect();
    let contents = difference.files.iter().filter_map(|file| file.after.as_ref());
    let contents = contents.map(|after| after.bytes.as_slice()).collect::<Vec<_>>();
    let locked = store.lock().map_err(|error| ProjectError::NotSaved(error.into()))?;
    let saved = locked.save(&id, format!("{description:#}\n").as_bytes(), &contents);
    saved.map_err(|error| match error {
        SaveError::TooMany => ProjectError::TooManyProposals,
        SaveError::Io(cause) => ProjectError::NotSaved(cause),
    })?;
    Ok(id)
}

/// Returns how many proposals wait, of all projects.
pub(super) fn count_waiting(context: &Context) -> std::io::Result<usize> {
    context.environment.proposal_store().map_or(Ok(0), |store| store.count())
}

/// Returns the proposals for this project.
pub(crate) fn read_project_proposals(context: &Context) -> std::io::Result<Vec<ProjectProposal>> {
    let key = context.approval_key(Scope::Project)?;
    let Some((key, store)) = key.zip(context.environment.proposal_store()) else {
        return Ok(Vec::new());
    };
    let all = store.list()?.into_iter();
    Ok(all.filter_map(|(id, text)| ProjectProposal::parse(id, &text, &key)).collect())
}

/// Settles what a killed process began to apply to this project.
pub(crate) fn recover_project_changes(context: &Context) -> std::io::Result<()> {
    let (Ok(project), Some(store)) = (context.project(), context.environment.proposal_store())
    else {
        return Ok(());
    };
    let is_own = |text: &[u8]| {
        let key = context.approval_key(Scope::Project).ok().flatten();
        let record = json::parse(text).ok();
        key.zip(record).is_some_and(|(key, record)| key.matches(&record))
    };
    store.recover(project, &is_own)
}

impl ProjectProposal {
    /// Parses a description. Returns `None` if it is for another project, or not valid.
    fn parse(id: String, text: &[u8], key: &ProjectKey) -> Option<Self> {
        let value = json::parse(text).ok()?;
        if value["v"] != 1 || !key.matches(&value) {
            return None;
        }
        let files = value["files"].as_array()?.iter().map(|file| {
            let path = file["path"].as_str()?.parse::<RelPath>().ok()?;
            let before = parse_state(&file["before"]).ok()?;
            let after = parse_state(&file["after"]).ok()?;
            Some(ProposedFile { path, before, after })
        });
        let left_out = value["left_out"].as_array()?.iter().map(|one| {
            Some((one["path"].as_str()?.to_owned(), one["reason"].as_str()?.to_owned()))
        });
        Some(Self {
            id,
            tool: value["tool"].as_str()?.to_owned(),
            agent: value["agent"].as_str()?.to_owned(),
            files: files.collect::<Option<_>>()?,
            left_out: left_out.collect::<Option<_>>()?,
            digest: Sha256::digest(text),
        })
    }

    /// Reads the new contents. Each must be what the description says.
    pub(crate) fn read_changes(
        &self,
        store: &ProposalStore,
    ) -> Result<Vec<ChangedFile>, ProposalError> {
        let broken = || ProposalError::Invalid("a file is missing or changed");
        let mut changes = Vec::new();
        let mut number = 0;
        for file in &self.files {
            let mut content = None;
            if let Some(after) = file.after {
                let bytes = store.read_content(&self.id, number).ok().flatten();
                let new = NewContent {
                    bytes: bytes.ok_or_else(broken)?,
                    is_executable: after.is_executable,
                };
                if new.state() != after {
                    return Err(broken());
                }
                content = Some(new);
                number += 1;
            }
            changes.push(ChangedFile {
                path: file.path.clone(),
                before: file.before,
                after: content,
            });
        }
        Ok(changes)
    }
}

/// Returns the files of the project that are not what the tool saw.
pub(crate) fn conflicting_files(
    project: &Folder,
    changes: &[ChangedFile],
) -> std::io::Result<Vec<RelPath>> {
    ProposalStore::find_conflicts(project, changes)
}

fn state_json(state: FileState) -> Value {
    json!({ "sha256": state.sha256.to_string(), "executable": state.is_executable })
}

/// Parses a state, or that there is none.
fn parse_state(value: &Value) -> Result<Option<FileState>, InvalidState> {
    if value.is_null() {
        return Ok(None);
    }
    let sha256 = value["sha256"].as_str().and_then(|text| text.parse().ok());
    let (sha256, is_executable) = sha256.zip(value["executable"].as_bool()).ok_or(InvalidState)?;
    Ok(Some(FileState { sha256, is_executable }))
}

/// A description has something else in the place of a file's state.
struct InvalidState;
