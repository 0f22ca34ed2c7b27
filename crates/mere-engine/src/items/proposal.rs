//! A change that an agent proposes. It stays in the agent's workspace until a person decides.
//!
//! `proposals/<name>/proposal.json` describes the proposal, and its files lie beside it under
//! `item/`. An agent can write anything there, so a proposal is treated as untrusted input: it is
//! parsed strictly, limited in size, and checked again when it is accepted.

use mere_core::address::{Address, AgentName, RelPath, Root};
use mere_core::digest::{Fidelity, Sha256, ShownDigest};
use mere_core::item::{CategoryBase, ItemForm, ScopedPath};
use mere_core::text::json;
use serde_json::{Value, json};
use uuid::Uuid;

use super::current_file::CurrentFile;
use super::{ItemCall, ItemError};
use crate::policy::{ItemOperation, ItemPermit};
use crate::space::ItemChangeError;
use crate::trust::digest_key::DigestKeyError;
use mere_host::{
    EntryKind, Folder, MissingFolders, OpenFolder, TargetLookup, Workspace, WorkspaceError,
    WorkspaceLimits, open_regular_file, read_at_most,
};

/// The folder of a workspace that holds proposals.
pub(crate) const PROPOSALS_FOLDER: &str = "proposals";
/// The file that describes a proposal.
pub(crate) const PROPOSAL_FILE: &str = "proposal.json";
/// The folder that holds the proposed files.
pub(crate) const ITEM_FOLDER: &str = "item";

/// A change that waits for a person's decision.
#[derive(Debug)]
pub(crate) struct Proposal {
    pub(crate) agent: AgentName,
    /// The name of its folder in the agent's workspace.
    pub(crate) name: String,
    pub(crate) action: ProposedAction,
    pub(crate) place: ScopedPath,
    /// Paths relative to the folder of the main file; the main file comes last.
    pub(crate) files: Vec<RelPath>,
}

/// The kind of change that is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProposedAction {
    Create,
    /// Holds the digest of the whole item that the proposal was made for. The agent can read it, so
    /// it is the one that the agent is shown.
    Update(ShownDigest),
    Delete(ShownDigest),
}

impl ProposedAction {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update(_) => "update",
            Self::Delete(_) => "delete",
        }
    }

    /// Returns the digest that the item must have now, or `None` if no item may exist.
    pub(crate) fn expected_digest(self) -> Option<ShownDigest> {
        match self {
            Self::Create => None,
            Self::Update(before) | Self::Delete(before) => Some(before),
        }
    }
}

/// Saves a permitted change as a proposal and returns its address.
#[expect(clippy::needless_pass_by_value, reason = "a permit is spent once")]
pub(crate) fn save_proposal(call: &ItemCall<'_>, permit: ItemPermit) -> Result<Address, ItemError> {
    let place = permit.place();
    let (action, files) = match permit.operation() {
        ItemOperation::Create { files } => (ProposedAction::Create, &files[..]),
        ItemOperation::Replace { files, digest } => {
            (ProposedAction::Update(shown_digest(call, place, *digest)?), &files[..])
        }
        ItemOperation::Remove { digest } => {
            (ProposedAction::Delete(shown_digest(call, place, *digest)?), &[][..])
        }
        // Signatures are never proposed.
        ItemOperation::AddSidecar { .. } | ItemOperation::ReplaceWhole { .. } => {
            return Err(ItemChangeError::InvalidPlace.into());
        }
    };
    let random = Uuid::new_v4().simple().to_string();
    let mut proposal = Proposal {
        agent: call.items.view.agent.clone(),
        name: format!("{}-{}-{}", place.kind, place.id, &random[..8]),
        action,
        place: place.clone(),
        files: files.iter().map(|(path, _)| path.clone()).collect(),
    };
    let project = call.context.project().map_err(ItemChangeError::from)?;
    let address = proposal.address()?;
    let failed = |cause| ItemChangeError::WriteFailed { address: address.clone(), cause };
    let workspace = Workspace::open(project, call.items.view.agent, call.is_cancelled);
    let workspace =
        workspace.map_err(failed)?.ok_or_else(|| ItemChangeError::TimedOut(address.clone()))?;
    let folder = Workspace::folder_of(project, call.items.view.agent).map_err(failed)?;
    if let Some(name) = folder.and_then(|folder| find_same(&folder, &proposal, files)) {
        proposal.name = name;
        return Ok(proposal.address()?);
    }
    write_proposal(&workspace, &proposal, (files, call.agents.workspace_limits()))?;
    Ok(address)
}

/// Writes a proposal into the workspace, all of it or nothing.
fn write_proposal(
    workspace: &Workspace,
    proposal: &Proposal,
    (files, limits): (&[(RelPath, Vec<u8>)], WorkspaceLimits),
) -> Result<(), ItemChangeError> {
    let address = proposal.address()?;
    let folder = address.path();
    let failed = |cause| ItemChangeError::WriteFailed { address: address.clone(), cause };
    let put = |path: RelPath, bytes: &[u8]| {
        let lookup = workspace.find_target(&path, MissingFolders::Create).map_err(failed)?;
        let TargetLookup::Found(target) = lookup else {
            return Err(failed(std::io::ErrorKind::AlreadyExists.into()));
        };
        workspace.put(&target, bytes, limits).map_err(|error| match error {
            WorkspaceError::Full { size, limits } => {
                ItemChangeError::WorkspaceFull { address: address.clone(), size, limits }
            }
            WorkspaceError::TooDeep => ItemChangeError::InvalidPlace,
            WorkspaceError::Io(cause) => failed(cause),
        })
    };
    let put_all = || {
        let item = folder.child(ITEM_FOLDER).ok_or(ItemChangeError::InvalidPlace)?;
        for (path, bytes) in files {
            put(item.join_path(path), bytes)?;
        }
        // The description is written last: without it there is no proposal.
        let about = folder.child(PROPOSAL_FILE).ok_or(ItemChangeError::InvalidPlace)?;
        put(about, proposal.to_json_text().as_bytes())
    };
    put_all().inspect_err(|_| {
        let _ = workspace.remove_folder(folder);
    })
}

/// Finds a proposal of the same change that waits already, and returns its name. What cannot be
/// read is another one.
fn find_same(
    workspace: &Folder,
    proposal: &Proposal,
    files: &[(RelPath, Vec<u8>)],
) -> Option<String> {
    let waiting = OpenFolder::find(workspace.dir(), PROPOSALS_FOLDER).ok()??;
    let prefix = format!("{}-{}-", proposal.place.kind, proposal.place.id);
    let mut names = Vec::new();
    let listed = waiting.for_each_entry(|name, kind| {
        let name = name.filter(|name| kind == EntryKind::Folder && name.starts_with(&prefix));
        names.extend(name.map(str::to_owned).filter(|_| names.len() < MAX_COMPARED));
        Ok(())
    });
    listed.ok()?;
    let about = (PROPOSAL_FILE.to_owned(), proposal.to_json_text().into_bytes());
    let files = files.iter().map(|(path, bytes)| (format!("{ITEM_FOLDER}/{path}"), bytes.clone()));
    let expected = std::iter::once(about).chain(files).collect::<Vec<_>>();
    names.into_iter().find(|name| {
        expected.iter().all(|(path, bytes)| {
            let path = format!("{PROPOSALS_FOLDER}/{name}/{path}");
            read_beside(workspace, &path, bytes.len() as u64).is_some_and(|found| found == *bytes)
        })
    })
}

/// Reads a file of a workspace that has at most so many bytes. No link is followed.
fn read_beside(workspace: &Folder, path: &str, most: u64) -> Option<Vec<u8>> {
    let (folder, name) = path.rsplit_once('/')?;
    let folder = OpenFolder::find(workspace.dir(), folder).ok()??.into_dir();
    read_at_most(open_regular_file(&folder, name).ok()??, most).ok()?
}

/// How many proposals for one item a new one is compared with.
const MAX_COMPARED: usize = 100;

/// Returns the digest of an item as a whole, as the agent is shown it.
fn shown_digest(
    call: &ItemCall<'_>,
    place: &ScopedPath,
    digest: Sha256,
) -> Result<ShownDigest, ItemError> {
    let (items, view) = (&call.items, call.items.view);
    let current = CurrentFile::read_main(items, place)?;
    // An item that has changed since is not judged by what it is now.
    let is_current = current.item_digest(place)? == digest;
    let fidelity = if is_current { current.item_fidelity(view, place) } else { Fidelity::Altered };
    let shown = view.shown_digest(digest, fidelity);
    Ok(shown.map_err(|DigestKeyError| ItemChangeError::DigestKey(current.address.clone()))?)
}

impl Proposal {
    /// Returns the address of the proposal's folder.
    fn address(&self) -> Result<Address, ItemChangeError> {
        let folder = self.folder().ok_or(ItemChangeError::InvalidPlace)?;
        Ok(Address::directory(Root::Workspace, folder))
    }

    /// Returns the proposal's folder in the workspace.
    pub(crate) fn folder(&self) -> Option<RelPath> {
        RelPath::default().child(PROPOSALS_FOLDER)?.child(&self.name)
    }

    pub(crate) fn to_json_text(&self) -> String {
        let ScopedPath { scope, kind, base, category, id, form, .. } = &self.place;
        let base = match base {
            CategoryBase::Space | CategoryBase::Store(_) => None,
            CategoryBase::InPlace(folder) => Some(folder.as_str()),
        };
        let files = self.files.iter().map(RelPath::as_str).collect::<Vec<_>>();
        let value = json!({
            "v": 1, "action": self.action.name(), "item_type": kind.name(), "id": id.as_str(),
            "category": category.as_str(), "scope": scope.name(), "base": base,
            "form": if *form == ItemForm::Folder { "folder" } else { "flat" },
            "before": self.action.expected_digest().map(|before| before.to_string()), "files": files
        });
        format!("{value:#}\n")
    }

    /// Parses a proposal's description. Returns `None` if it is not a valid one.
    pub(crate) fn parse(agent: AgentName, name: &str, text: &[u8]) -> Option<Self> {
        const KEYS: [&str; 10] = [
            "v",
            "action",
            "item_type",
            "id",
            "category",
            "scope",
            "base",
            "form",
            "before",
            "files",
        ];
        let value = json::parse(text).ok()?;
        let text_field = |key: &str| value[key].as_str();
        let known = value.as_object()?.keys().all(|key| KEYS.contains(&&**key));
        if value["v"] != 1 || !known {
            return None;
        }
        let before = match &value["before"] {
            Value::Null => None,
            before => Some(before.as_str()?.parse::<ShownDigest>().ok()?),
        };
        let action = match (text_field("action")?, before) {
            ("create", None) => ProposedAction::Create,
            ("update", Some(before)) => ProposedAction::Update(before),
            ("delete", Some(before)) => ProposedAction::Delete(before),
            _ => return None,
        };
        let base = match &value["base"] {
            Value::Null => CategoryBase::Space,
            base => CategoryBase::InPlace(base.as_str()?.parse().ok()?),
        };
        let form = match text_field("form")? {
            "flat" => ItemForm::Flat,
            "folder" => ItemForm::Folder,
            _ => return None,
        };
        let place = ScopedPath {
            scope: text_field("scope")?.parse().ok()?,
            kind: text_field("item_type")?.parse().ok()?,
            base,
            category: text_field("category")?.parse().ok()?,
            id: text_field("id")?.parse().ok()?,
            version: None,
            form,
        };
        let files = value["files"].as_array()?.iter();
        let files = files.map(|path| path.as_str()?.parse().ok()).collect::<Option<_>>()?;
        Some(Self { agent, name: name.to_owned(), action, place, files })
    }
}
