//! Proposals in the workspaces. Each is read once, so that what is shown is what is applied.
//!
//! What an agent wrote is limited in number and size, and a link is never followed.

use mere_core::address::{AgentName, RelPath};
use mere_core::digest::{Sha256, Sha256Hasher};
use mere_core::item::{self, CategoryBase, ItemType, Scope, ScopedPath};

use crate::items::proposal::{ITEM_FOLDER, PROPOSAL_FILE, PROPOSALS_FOLDER, Proposal};
use crate::items::{ItemCall, ItemError, ItemReader};
use crate::space::{ItemChangeError, ProposalError};
use crate::world::Context;
use mere_host::{
    EntryKind, Folder, OpenFolder, SPACE_FOLDER, WORKSPACES_FOLDER, none_if_missing,
    open_regular_file, read_at_most,
};

/// The largest number of proposals that are read per agent, so that no agent can crowd out
/// another's.
const MAX_PROPOSALS: usize = 200;
/// The largest description of a proposal.
const MAX_PROPOSAL_BYTES: u64 = 64 * 1024;
/// The largest number of files that are read for one proposal.
const MAX_FILES: usize = 100;

/// A proposal with its files, as they were at one moment.
pub(super) struct PendingProposal {
    pub(super) proposal: Proposal,
    /// The main file comes last.
    pub(super) files: Vec<(RelPath, Vec<u8>)>,
    /// The digest of the description and all files.
    pub(super) digest: Sha256,
}

impl PendingProposal {
    /// Reads a proposal's files.
    pub(super) fn read(context: &Context, proposal: Proposal) -> Result<Self, ItemError> {
        let files = read_files(context, &proposal)?;
        let mut hasher = Sha256Hasher::default();
        hasher.update(proposal.to_json_text().as_bytes());
        for (path, bytes) in &files {
            hasher.update(format!("\0{path}\0{}\0", bytes.len()).as_bytes());
            hasher.update(bytes);
        }
        Ok(Self { proposal, files, digest: hasher.digest() })
    }
}

/// Returns every proposal in the project's workspaces.
pub(super) fn read_proposals(call: &ItemCall<'_>) -> std::io::Result<Vec<Proposal>> {
    let workspaces =
        call.context.project()?.subfolder(&format!("{SPACE_FOLDER}/{WORKSPACES_FOLDER}"))?;
    let Some(workspaces) = workspaces else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for agent in list_folders(&workspaces, "")? {
        let Ok(agent) = agent.parse::<AgentName>() else { continue };
        let names = list_folders(&workspaces, &format!("{agent}/{PROPOSALS_FOLDER}"))?;
        for name in names.into_iter().take(MAX_PROPOSALS) {
            let path = format!("{agent}/{PROPOSALS_FOLDER}/{name}");
            let about = read_file(&workspaces, &path, PROPOSAL_FILE, MAX_PROPOSAL_BYTES)?;
            let proposal = about.and_then(|about| Proposal::parse(agent.clone(), &name, &about));
            // A proposal for a place where no item can lie is ignored.
            found.extend(proposal.filter(|one| is_valid_target(&call.items, &one.place)));
        }
    }
    Ok(found)
}

/// Returns whether items of this type are kept at this place: in a space, or in a folder whose
/// items are used in place.
fn is_valid_target(items: &ItemReader<'_>, place: &ScopedPath) -> bool {
    match (place.scope, &place.base) {
        (Scope::Registry, _) | (_, CategoryBase::Store(_)) => false,
        (_, CategoryBase::Space) => {
            matches!(place.kind, ItemType::Directive | ItemType::Tool | ItemType::Knowledge)
        }
        (_, CategoryBase::InPlace(folder)) => {
            let in_place_folders = items.sources.in_place_folders();
            place.kind == ItemType::Directive
                && in_place_folders.iter().any(|one| one == folder.as_str())
        }
    }
}

/// Reads a proposal's files, the main one last.
fn read_files(
    context: &Context,
    proposal: &Proposal,
) -> Result<Vec<(RelPath, Vec<u8>)>, ItemError> {
    let project = context.project().map_err(ItemChangeError::from)?;
    let workspaces = project.subfolder(&format!("{SPACE_FOLDER}/{WORKSPACES_FOLDER}"));
    let workspaces = workspaces
        .map_err(ItemError::Unsearchable)?
        .ok_or(ItemChangeError::Proposal(ProposalError::Missing))?;
    let top = format!("{}/{PROPOSALS_FOLDER}/{}/{ITEM_FOLDER}", proposal.agent, proposal.name);
    let mut files = Vec::new();
    for path in proposal.files.iter().take(MAX_FILES) {
        let Some((parents, name)) = path.split_last() else { continue };
        let folder = [top.as_str(), parents.as_str()].join("/");
        let bytes = read_file(
            &workspaces,
            folder.trim_end_matches('/'),
            name.as_str(),
            4 * item::MAX_ITEM_BYTES as u64,
        );
        let bytes = bytes.map_err(ItemError::Unsearchable)?;
        let bytes = bytes.ok_or(ItemChangeError::Proposal(ProposalError::Invalid(
            "a file is missing or too large",
        )))?;
        files.push((path.clone(), bytes));
    }
    Ok(files)
}

fn list_folders(root: &Folder, path: &str) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    let Ok(Some(folder)) = none_if_missing(OpenFolder::open(root.dir(), path)) else {
        return Ok(names);
    };
    folder.for_each_entry(|name, kind| {
        let name = name.filter(|_| kind == EntryKind::Folder);
        names.extend(name.map(str::to_owned));
        Ok(())
    })?;
    names.sort();
    Ok(names)
}

fn read_file(root: &Folder, path: &str, name: &str, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    let Ok(Some(folder)) = none_if_missing(OpenFolder::open(root.dir(), path)) else {
        return Ok(None);
    };
    let file = none_if_missing(open_regular_file(&folder.into_dir(), name))?.flatten();
    file.map_or(Ok(None), |file| read_at_most(file, most))
}
