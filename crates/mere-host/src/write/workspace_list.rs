//! The workspaces of a project, as a person looks after them.
//!
//! A workspace is emptied under its lock, so no agent writes meanwhile. Files that are removed leave
//! the workspace at once.

use std::io;

use mere_core::address::AgentName;

use super::derived_files::temporary_name;
use super::repository_sweep::SweepReport;
use super::workspace::Workspace;
use super::workspace_size::WorkspaceSize;
use crate::{EntryKind, Folder, OpenFolder, SPACE_FOLDER, WORKSPACES_FOLDER};

impl Workspace {
    /// Returns the agents that have a workspace in a project, by name.
    pub fn list_agents(project: &Folder) -> io::Result<Vec<AgentName>> {
        let all = project.subfolder(&format!("{SPACE_FOLDER}/{WORKSPACES_FOLDER}"))?;
        let Some(all) = all else { return Ok(Vec::new()) };
        let mut agents = Vec::new();
        OpenFolder::open(all.dir(), "")?.for_each_entry(|name, kind| {
            let name = name.filter(|_| kind == EntryKind::Folder);
            agents.extend(name.and_then(|name| name.parse::<AgentName>().ok()));
            Ok(())
        })?;
        agents.sort();
        Ok(agents)
    }

    /// Opens the folder of an agent's workspace for reading, if there is one.
    pub fn folder_of(project: &Folder, agent: &AgentName) -> io::Result<Option<Folder>> {
        project.subfolder(&format!("{SPACE_FOLDER}/{WORKSPACES_FOLDER}/{agent}"))
    }

    /// Disarms the repositories in an agent's workspace.
    pub fn disarm(workspace: &Folder) -> SweepReport {
        SweepReport::sweep(workspace.dir())
    }

    /// Removes everything in the workspace but the entry `kept` of its top folder, and returns how
    /// much that was. An empty workspace is removed too.
    pub fn clear(&self, kept: &str) -> io::Result<WorkspaceSize> {
        let before = self.size();
        for entry in self.agent_folder.entries()? {
            let name = entry?.file_name();
            if name == kept {
                continue;
            }
            let staged = temporary_name();
            self.agent_folder.rename(&name, &self.all_workspaces, &staged)?;
            if let Err(error) = self.remove_staged(&staged, None) {
                self.all_workspaces.rename(&staged, &self.agent_folder, &name)?;
                return Err(error);
            }
        }
        OpenFolder::open(&self.agent_folder, "")?.sync()?;
        self.remove_abandoned_files();
        let after = self.size();
        if after.files == 0 {
            // It fails if something was written meanwhile, and then it stays.
            let _ = self.all_workspaces.remove_dir(self.agent.as_str());
        }
        Ok(before.without(&after))
    }
}
