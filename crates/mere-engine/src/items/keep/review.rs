//! `mere review`: a person decides on what agents propose.
//!
//! A proposal is placed by the same checks as anything else, and only on the item it was made for:
//! if that has changed since, it is not placed.

use mere_core::address::{Address, RelPath};
use mere_core::diff::{self, Line};
use mere_core::item::{self, Base, ItemType, Scope, ScopedPath};
use mere_core::name::AgentName;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{Text, Verdict};
use mere_core::root::Root;
use mere_core::spoken::Spoken;

use super::super::change::{Desk, refuse_taken};
use super::super::place::{Placing, apply};
use super::super::proposal::{FILE, FOLDER, ITEM, Proposal, ProposedAction};
use super::super::prospect::{Prospect, main_name};
use super::super::tell::{self, word};
use super::super::{ItemError, Unmade};
use crate::enforce::{self, Expect, ItemChange, ItemHow, Sealing};
use crate::host::{
    EntryKind, Folder, OpenFolder, SPACE, WORKSPACES, Workspace, absent, open_regular, read_at_most,
};
use crate::read::open;
use crate::tool_error::ToolError;
use crate::view::counted;

/// How many proposals are looked at.
const MAX_PROPOSALS: usize = 1_000;
/// The largest text of what a proposal says.
const MAX_ABOUT: u64 = 64 * 1024;

/// Lists what waits for a person.
pub(super) fn list(desk: &Desk<'_>) -> Result<Draft, ToolError> {
    let found = all(desk).map_err(ItemError::Unsearchable)?;
    let count = found.len() as u64;
    let told = found.iter().map(|proposal| Data::from(about(proposal))).collect::<Data>();
    let data = Fields::default().with("proposals", told).with("count", count);
    let message = counted(count, "proposal waits", "proposals wait").and(".");
    Ok(Draft::success(codes::REVIEW, message).data(data))
}

/// Shows, accepts or rejects one.
pub(super) fn review(desk: &Desk<'_>, name: &str, verdict: Verdict) -> Result<Draft, ToolError> {
    let found = all(desk).map_err(ItemError::Unsearchable)?;
    let mut found = found.into_iter().filter(|one| one.name == name || label(one) == name);
    let (Some(proposal), None) = (found.next(), found.next()) else {
        return Err(Unmade::NoProposal.into());
    };
    match verdict {
        Verdict::Show => show(desk, &proposal),
        Verdict::Accept => accept(desk, &proposal),
        Verdict::Reject => {
            forget(desk, &proposal)?;
            let message = Prose::words(format!("The proposal `{}` was dropped.", label(&proposal)));
            Ok(Draft::success(codes::REVIEW_REJECTED, message).data(about(&proposal)))
        }
    }
}

/// What a proposal is called: the agent, and its name there.
fn label(proposal: &Proposal) -> String {
    format!("{}/{}", proposal.agent, proposal.name)
}

fn about(proposal: &Proposal) -> Fields {
    Fields::default()
        .with("proposal", Content::mention(label(proposal)))
        .with("agent", word(&proposal.agent))
        .with("action", proposal.action.name())
        .with("item_type", proposal.place.kind.name())
        .with("id", word(&proposal.place.id))
        .with("category", word(&proposal.place.category))
        .with("scope", proposal.place.scope.name())
        .with("address", proposal.place.address())
}

fn show(desk: &Desk<'_>, proposal: &Proposal) -> Result<Draft, ToolError> {
    let mut changes = Vec::new();
    match proposal.action {
        ProposedAction::Delete(_) => {
            let old = current(desk, proposal, None)?.unwrap_or_default();
            changes.push(change(proposal, None, (&old, "")));
        }
        ProposedAction::Create | ProposedAction::Update(_) => {
            for (path, bytes) in files(desk, proposal)? {
                let old = current(desk, proposal, Some(&path))?.unwrap_or_default();
                let new = String::from_utf8_lossy(&bytes).into_owned();
                changes.push(change(proposal, Some(&path), (&old, &new)));
            }
        }
    }
    let fault = match proposal.action {
        ProposedAction::Delete(_) => None,
        ProposedAction::Create | ProposedAction::Update(_) => prospect(desk, proposal).err(),
    };
    let fault = fault.map(|error| Content::mention(error.to_string()));
    let data = about(proposal).with("changes", Data::List(changes)).with_some("fault", fault);
    let message = Prose::words(format!("The proposal `{}`.", label(proposal)));
    Ok(Draft::success(codes::REVIEW_SHOWN, message).data(data))
}

fn change(proposal: &Proposal, path: Option<&RelPath>, (old, new): (&str, &str)) -> Data {
    let name = path.map_or_else(|| proposal.place.id.to_string(), RelPath::to_string);
    let lines = diff::unified(old, new).into_iter().map(|line| match line {
        Line::Same(text) => format!(" {text}\n"),
        Line::Old(text) => format!("-{text}\n"),
        Line::New(text) => format!("+{text}\n"),
        Line::Unended => "\\ no newline at the end\n".to_owned(),
        Line::Gap => "…\n".to_owned(),
    });
    let diff = Content::body(lines.collect::<String>());
    Fields::default().with("path", Content::mention(name)).with("diff", diff).into()
}

fn accept(desk: &Desk<'_>, proposal: &Proposal) -> Result<Draft, ToolError> {
    let place = proposal.place.clone();
    let address = place.address().ok_or(Unmade::Place)?;
    let (how, integrity) = match proposal.action {
        ProposedAction::Delete(main) => (ItemHow::Remove { main }, None),
        ProposedAction::Create => {
            refuse_taken(desk, &place)?;
            let prospect = prospect(desk, proposal)?;
            let how = ItemHow::Put { files: prospect.files, before: Expect::Nothing };
            (how, prospect.integrity)
        }
        ProposedAction::Update(main) => {
            let prospect = prospect(desk, proposal)?;
            let how = ItemHow::Put { files: prospect.files, before: Expect::Main(main) };
            (how, prospect.integrity)
        }
    };
    let change = ItemChange { place, how };
    let permit = enforce::permit_item(desk.who, desk.agents, change, Sealing::Unsigned);
    apply(permit, &Placing { context: desk.context, over: desk.over })?;
    forget(desk, proposal)?;
    let data = about(proposal).with("integrity", integrity).with("trust", tell::trust());
    let done = match proposal.action {
        ProposedAction::Create => " was created.",
        ProposedAction::Update(_) => " was changed.",
        ProposedAction::Delete(_) => " was deleted.",
    };
    let message = Prose::words("").address(address).and(done);
    Ok(Draft::success(codes::REVIEW_ACCEPTED, message).data(data))
}

/// The item as it would be.
fn prospect(desk: &Desk<'_>, proposal: &Proposal) -> Result<Prospect, ItemError> {
    let broken = |_| Unmade::BrokenProposal("a file is not text");
    let texts = files(desk, proposal)?.into_iter();
    let texts = texts.map(|(path, bytes)| Ok((path, String::from_utf8(bytes).map_err(broken)?)));
    let mut texts = texts.collect::<Result<Vec<_>, ItemError>>()?;
    let (main, content) = texts.pop().ok_or(Unmade::BrokenProposal("it has no file"))?;
    // What was shown under another name must not become the main file.
    if main_name(&proposal.place).as_ref() != Some(&main) {
        return Err(Unmade::BrokenProposal("its main file is not the last one").into());
    }
    let text = Text { content, files: texts };
    Prospect::new((desk.stock, desk.view), proposal.place.clone(), &text)
}

/// The text of a file of the item as it is now, if it is there: the main file, or one beside it.
fn current(
    desk: &Desk<'_>,
    proposal: &Proposal,
    path: Option<&RelPath>,
) -> Result<Option<String>, ToolError> {
    let main = proposal.place.address().ok_or(Unmade::Place)?;
    let address = match (path, main.path().split_last()) {
        (Some(path), Some((folder, _))) => Address::file(main.root().clone(), folder.below(path)),
        _ => main,
    };
    let Ok(target) = desk.view.resolve(&Spoken::Rooted(address.clone())) else { return Ok(None) };
    let bytes = read_at_most(open(&target)?, item::MAX_BYTES as u64);
    let bytes = bytes.map_err(|cause| ToolError::unreadable(&address, cause))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Takes a proposal out of its workspace.
fn forget(desk: &Desk<'_>, proposal: &Proposal) -> Result<(), Unmade> {
    let folder = proposal.folder().ok_or(Unmade::NoProposal)?;
    let address = Address::directory(Root::Workspace, folder.clone());
    let failed = |cause| Unmade::Failed { address: address.clone(), cause };
    let workspace = Workspace::open(&desk.context.project, &proposal.agent, desk.over);
    let workspace = workspace.map_err(failed)?.ok_or_else(|| Unmade::Late(address.clone()))?;
    workspace.remove_folder(&folder).map_err(failed)
}

/// Every proposal in the project's workspaces.
fn all(desk: &Desk<'_>) -> std::io::Result<Vec<Proposal>> {
    let workspaces = desk.context.project.subfolder(&format!("{SPACE}/{WORKSPACES}"))?;
    let Some(workspaces) = workspaces else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for agent in folders(&workspaces, "")? {
        let Ok(agent) = agent.parse::<AgentName>() else { continue };
        for name in folders(&workspaces, &format!("{agent}/{FOLDER}"))? {
            let path = format!("{agent}/{FOLDER}/{name}");
            let about = file(&workspaces, &path, FILE, MAX_ABOUT)?;
            let proposal = about.and_then(|about| Proposal::parse(agent.clone(), &name, &about));
            // A proposal for a place where no item lies is none.
            found.extend(proposal.filter(|one| is_open(desk, &one.place)));
            if found.len() == MAX_PROPOSALS {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// Whether items of that type are kept there: in a space, or in a folder that is taken in place.
fn is_open(desk: &Desk<'_>, place: &ScopedPath) -> bool {
    match (place.scope, &place.base) {
        (Scope::Registry, _) => false,
        (_, Base::Space) => true,
        (_, Base::InPlace(folder)) => {
            let taken = desk.stock.in_place();
            place.kind == ItemType::Directive && taken.iter().any(|one| one == folder.as_str())
        }
    }
}

/// A proposal's files, the main one last.
fn files(desk: &Desk<'_>, proposal: &Proposal) -> Result<Vec<(RelPath, Vec<u8>)>, ItemError> {
    let workspaces = desk.context.project.subfolder(&format!("{SPACE}/{WORKSPACES}"));
    let workspaces = workspaces.map_err(ItemError::Unsearchable)?.ok_or(Unmade::NoProposal)?;
    let top = format!("{}/{FOLDER}/{}/{ITEM}", proposal.agent, proposal.name);
    let mut files = Vec::new();
    for path in proposal.files.iter().take(100) {
        let Some((parents, name)) = path.split_last() else { continue };
        let folder = [top.as_str(), parents.as_str()].join("/");
        let bytes = file(
            &workspaces,
            folder.trim_end_matches('/'),
            name.as_str(),
            4 * item::MAX_BYTES as u64,
        );
        let bytes = bytes.map_err(ItemError::Unsearchable)?;
        let bytes = bytes.ok_or(Unmade::BrokenProposal("a file is missing or too large"))?;
        files.push((path.clone(), bytes));
    }
    Ok(files)
}

fn folders(root: &Folder, path: &str) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    let Ok(Some(folder)) = absent(OpenFolder::below(root.dir(), path)) else { return Ok(names) };
    folder.read(|name, kind| {
        let name = name.filter(|_| kind == EntryKind::Folder);
        names.extend(name.map(str::to_owned));
        Ok(())
    })?;
    names.sort();
    Ok(names)
}

fn file(root: &Folder, path: &str, name: &str, most: u64) -> std::io::Result<Option<Vec<u8>>> {
    let Ok(Some(folder)) = absent(OpenFolder::below(root.dir(), path)) else { return Ok(None) };
    let file = absent(open_regular(&folder.into_dir(), name))?.flatten();
    file.map_or(Ok(None), |file| read_at_most(file, most))
}
