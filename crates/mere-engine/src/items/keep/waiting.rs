//! Proposals as they lie in the workspaces, read once: what is shown is what is placed.

use mere_core::address::RelPath;
use mere_core::digest::{Sha256, Sha256Hasher};
use mere_core::item::{self, CategoryBase, ItemType, Scope, ScopedPath};
use mere_core::name::AgentName;

use super::super::change::Desk;
use super::super::proposal::{FILE, FOLDER, ITEM, Proposal};
use super::super::{ItemError, Unmade, Unplaced};
use mere_host::{
    EntryKind, Folder, OpenFolder, SPACE_FOLDER, WORKSPACES_FOLDER, none_if_missing,
    open_regular_file, read_at_most,
};

/// How many proposals of one agent are looked at: none can hide another's.
const MAX_PROPOSALS: usize = 200;
/// The largest text of what a proposal says.
const MAX_ABOUT: u64 = 64 * 1024;
/// How many files one has.
const MAX_FILES: usize = 100;

/// A proposal with its files, as they were at one moment.
pub(super) struct Waiting {
    pub(super) proposal: Proposal,
    /// The main one last.
    pub(super) files: Vec<(RelPath, Vec<u8>)>,
    /// Of all of it.
    pub(super) digest: Sha256,
}

impl Waiting {
    /// Reads a proposal's files.
    pub(super) fn read(desk: &Desk<'_>, proposal: Proposal) -> Result<Self, ItemError> {
        let files = files(desk, &proposal)?;
        let mut hasher = Sha256Hasher::default();
        hasher.update(proposal.text().as_bytes());
        for (path, bytes) in &files {
            hasher.update(format!("\0{path}\0{}\0", bytes.len()).as_bytes());
            hasher.update(bytes);
        }
        Ok(Self { proposal, files, digest: hasher.digest() })
    }
}

/// Every proposal in the project's workspaces.
pub(super) fn all(desk: &Desk<'_>) -> std::io::Result<Vec<Proposal>> {
    let workspaces =
        desk.context.project.subfolder(&format!("{SPACE_FOLDER}/{WORKSPACES_FOLDER}"))?;
    let Some(workspaces) = workspaces else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for agent in folders(&workspaces, "")? {
        let Ok(agent) = agent.parse::<AgentName>() else { continue };
        let names = folders(&workspaces, &format!("{agent}/{FOLDER}"))?;
        for name in names.into_iter().take(MAX_PROPOSALS) {
            let path = format!("{agent}/{FOLDER}/{name}");
            let about = file(&workspaces, &path, FILE, MAX_ABOUT)?;
            let proposal = about.and_then(|about| Proposal::parse(agent.clone(), &name, &about));
            // A proposal for a place where no item lies is none.
            found.extend(proposal.filter(|one| is_open(desk, &one.place)));
        }
    }
    Ok(found)
}

/// Whether items of that type are kept there: in a space, or in a folder that is taken in place.
fn is_open(desk: &Desk<'_>, place: &ScopedPath) -> bool {
    match (place.scope, &place.base) {
        (Scope::Registry, _) | (_, CategoryBase::Store(_)) => false,
        (_, CategoryBase::Space) => {
            matches!(place.kind, ItemType::Directive | ItemType::Tool | ItemType::Knowledge)
        }
        (_, CategoryBase::InPlace(folder)) => {
            let taken = desk.stock.in_place();
            place.kind == ItemType::Directive && taken.iter().any(|one| one == folder.as_str())
        }
    }
}

/// A proposal's files, the main one last.
fn files(desk: &Desk<'_>, proposal: &Proposal) -> Result<Vec<(RelPath, Vec<u8>)>, ItemError> {
    let workspaces = desk.context.project.subfolder(&format!("{SPACE_FOLDER}/{WORKSPACES_FOLDER}"));
    let workspaces =
        workspaces.map_err(ItemError::Unsearchable)?.ok_or(Unmade::Unplaced(Unplaced::Missing))?;
    let top = format!("{}/{FOLDER}/{}/{ITEM}", proposal.agent, proposal.name);
    let mut files = Vec::new();
    for path in proposal.files.iter().take(MAX_FILES) {
        let Some((parents, name)) = path.split_last() else { continue };
        let folder = [top.as_str(), parents.as_str()].join("/");
        let bytes = file(
            &workspaces,
            folder.trim_end_matches('/'),
            name.as_str(),
            4 * item::MAX_ITEM_BYTES as u64,
        );
        let bytes = bytes.map_err(ItemError::Unsearchable)?;
        let bytes =
            bytes.ok_or(Unmade::Unplaced(Unplaced::Broken("a file is missing or too large")))?;
        files.push((path.clone(), bytes));
    }
    Ok(files)
}

fn folders(root: &Folder, path: &str) -> std::io::Result<Vec<String>> {
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

fn file(root: &Folder, path: &str, name: &str, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    let Ok(Some(folder)) = none_if_missing(OpenFolder::open(root.dir(), path)) else {
        return Ok(None);
    };
    let file = none_if_missing(open_regular_file(&folder.into_dir(), name))?.flatten();
    file.map_or(Ok(None), |file| read_at_most(file, most))
}
