//! `mere workspace`: shows what agents keep in their workspaces, and empties them.
//!
//! Proposals stay: a person decides on them with `mere review`.

use mere_core::address::{Address, AgentName, RelPath, Root};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{DryRun, WorkspaceCommand};

use super::CommandCall;
use crate::error::lock_held_reply;
use crate::error::tool_error::ToolError;
use crate::files::error::FileError;
use crate::files::view::{count_phrase, disarmed_data, left_data, nonzero, usage_fields};
use crate::items::proposal::PROPOSALS_FOLDER;
use mere_host::{EntryKind, Folder, LockHeld, OpenFolder, SweepReport, Workspace, WorkspaceSize};

/// What one agent keeps.
struct AgentWorkspace {
    agent: AgentName,
    folder: Folder,
    size: WorkspaceSize,
    proposals: Proposals,
    repositories: SweepReport,
}

/// The proposals in a workspace, and what they take with the folder they lie in.
#[derive(Default)]
struct Proposals {
    count: u64,
    size: WorkspaceSize,
}

/// Executes a command about workspaces.
pub(super) fn execute_workspace_command(
    call: &CommandCall<'_>,
    command: &WorkspaceCommand,
) -> Result<Draft, ToolError> {
    let project = call.change.context.project()?;
    let agents = Workspace::list_agents(project).map_err(unreadable)?;
    let named = match command {
        WorkspaceCommand::Clean { agent, .. } => agent.as_ref(),
        WorkspaceCommand::List => None,
    };
    if let Some(named) = named.filter(|named| !agents.contains(named)) {
        return Ok(missing_reply(named, &agents));
    }
    let agents = agents.into_iter().filter(|agent| named.is_none_or(|named| named == agent));
    let mut workspaces = Vec::new();
    for agent in agents {
        let folder = Workspace::folder_of(project, &agent).map_err(unreadable)?;
        let Some(folder) = folder else { continue };
        let repositories = Workspace::disarm(&folder);
        let proposals = read_proposals(&folder).map_err(unreadable)?;
        let size = WorkspaceSize::measure(folder.dir());
        workspaces.push(AgentWorkspace { agent, folder, size, proposals, repositories });
    }
    match command {
        WorkspaceCommand::List => Ok(list_reply(call, &workspaces)),
        WorkspaceCommand::Clean { dry_run: DryRun::Yes, .. } => {
            let planned = workspaces.iter().map(|one| one.size.without(&one.proposals.size));
            let planned = planned.collect::<Vec<_>>();
            Ok(clean_reply(&workspaces, &planned, DryRun::Yes))
        }
        WorkspaceCommand::Clean { dry_run: DryRun::No, .. } => {
            Ok(clean(project, call, &workspaces))
        }
    }
}

fn unreadable(cause: std::io::Error) -> FileError {
    FileError::unreadable(&Address::directory(Root::Workspace, RelPath::default()), cause)
}

fn read_proposals(workspace: &Folder) -> std::io::Result<Proposals> {
    let Some(folder) = workspace.subfolder(PROPOSALS_FOLDER)? else {
        return Ok(Proposals::default());
    };
    let mut count = 0;
    OpenFolder::open(folder.dir(), "")?.for_each_entry(|_, kind| {
        count += u64::from(kind == EntryKind::Folder);
        Ok(())
    })?;
    let mut size = WorkspaceSize::measure(folder.dir());
    size.files += 1;
    Ok(Proposals { count, size })
}

/// Empties the workspaces, one after the other.
fn clean(project: &Folder, call: &CommandCall<'_>, workspaces: &[AgentWorkspace]) -> Draft {
    let mut removed = Vec::new();
    for AgentWorkspace { agent, .. } in workspaces {
        let workspace = Workspace::open(project, agent, call.change.is_cancelled);
        let cleared = workspace.and_then(|workspace| {
            let workspace = workspace.ok_or(std::io::ErrorKind::TimedOut)?;
            workspace.clear(PROPOSALS_FOLDER)
        });
        match cleared {
            Ok(size) => removed.push(size),
            Err(cause) => return failure_reply(agent, &cause),
        }
    }
    clean_reply(workspaces, &removed, DryRun::No)
}

fn list_reply(call: &CommandCall<'_>, workspaces: &[AgentWorkspace]) -> Draft {
    let limits = &call.items.view.workspace_limits;
    let rows = workspaces.iter().map(|one| {
        let fields = usage_fields(&one.size, limits)
            .with("agent", Content::mention(one.agent.as_str()))
            .with("path", Content::mention(one.folder.display_path()))
            .with_some("proposals", nonzero(one.proposals.count))
            .with_some("repositories", disarmed_data(&one.repositories))
            .with_some(
                "left",
                (!one.repositories.is_clean()).then(|| left_data(&one.repositories)),
            );
        Data::from(fields)
    });
    let count = workspaces.len() as u64;
    let data = Fields::default().with("workspaces", rows.collect::<Data>()).with("count", count);
    let message = count_phrase(count, "workspace", "workspaces").and(" in this project.");
    Draft::success(codes::WORKSPACE_LIST, message).data(data)
}

fn clean_reply(workspaces: &[AgentWorkspace], sizes: &[WorkspaceSize], dry_run: DryRun) -> Draft {
    let rows = workspaces.iter().zip(sizes).map(|(one, size)| {
        let fields = Fields::default()
            .with("agent", Content::mention(one.agent.as_str()))
            .with("files", size.files)
            .with("bytes", size.bytes)
            .with_some("proposals", nonzero(one.proposals.count));
        Data::from(fields)
    });
    let files = sizes.iter().map(|size| size.files).sum::<u64>();
    let kept = workspaces.iter().map(|one| one.proposals.count).sum::<u64>();
    let data = Fields::default()
        .with("workspaces", rows.collect::<Data>())
        .with("files", files)
        .with("bytes", sizes.iter().map(|size| size.bytes).sum::<u64>())
        .with("dry_run", dry_run == DryRun::Yes);
    let message = count_phrase(files, "file or directory", "files and directories");
    let verb = match (dry_run, files) {
        (DryRun::Yes, _) => " would be deleted.",
        (DryRun::No, 1) => " was deleted.",
        (DryRun::No, _) => " were deleted.",
    };
    let reply = Draft::success(codes::WORKSPACE_CLEAN, message.and(verb)).data(data);
    if kept == 0 {
        return reply;
    }
    let hint = count_phrase(kept, "proposal stays", "proposals stay");
    reply.hint(hint.and(": decide with `mere review`."))
}

fn missing_reply(agent: &AgentName, agents: &[AgentName]) -> Draft {
    let message =
        Prose::words("There is no workspace of ").content(Content::mention(agent.as_str()));
    let reply = Draft::invalid(codes::WORKSPACE_MISSING, message.and(" in this project."));
    if agents.is_empty() {
        return reply.hint("No agent has written in this project yet.");
    }
    let names = agents.iter().map(AgentName::as_str).collect::<Vec<_>>().join(", ");
    reply.hint(Prose::words("The agents with one are ").content(Content::mention(names)).and("."))
}

fn failure_reply(agent: &AgentName, cause: &std::io::Error) -> Draft {
    if LockHeld::is_cause_of(cause) {
        let what = Prose::words("The workspace of ").content(Content::mention(agent.as_str()));
        return lock_held_reply(what.and(" was not emptied"));
    }
    tracing::error!(%cause, %agent, "a workspace could not be emptied");
    let message = Prose::words("The workspace of ").content(Content::mention(agent.as_str()));
    Draft::fault(codes::WORKSPACE_FAILED, message.and(" could not be emptied."))
        .hint("Check who owns the files in it, and run `mere workspace list` to see what is left.")
}
