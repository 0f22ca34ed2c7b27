//! `mere connect`: writes this program into the settings of a client, and takes it out again.
//!
//! What else the settings say keeps every byte. Settings that cannot be understood are not touched:
//! the person gets what to paste instead. Host paths are named, so no agent sees any of this.

mod client;
mod entry;
pub(super) mod record;
mod server_check;

use std::io;
use std::sync::Arc;

use mere_core::item::Scope;
use mere_host::{ClientFile, ClientFileError, Folder, TypedPath, WriteError, own_command};

pub use client::AgentClient;
use client::{SettingsPath, WORKSPACE_VARIABLE};
use entry::{EntryError, SettingsEntry};
use record::{RECORDS_FOLDER, SettingsChange, SettingsRecords};

use crate::world::{Context, OpenError};

/// What a person wants to have in the settings of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientSetting {
    /// The MCP server.
    Server,
    /// A hook that checks signatures when a session begins.
    SessionHook,
}

/// Which setting of which client, for the project or for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingsTarget {
    /// The client.
    pub client: AgentClient,
    /// Whether the settings of the project or of the user are meant.
    pub scope: Scope,
    /// What should be there.
    pub setting: ClientSetting,
}

/// What became of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsOutcome {
    /// The entry was written.
    Written,
    /// The entry was there already.
    Unchanged,
    /// The file is what it was before, byte for byte.
    Restored,
    /// Only the entry was removed, because the file was changed since.
    Removed,
    /// There was no entry.
    Absent,
}

/// The report on one settings file.
#[derive(Clone, Debug)]
pub struct SettingsReport {
    /// The client.
    pub client: AgentClient,
    /// The path of the file.
    pub file: String,
    /// What became of it.
    pub outcome: SettingsOutcome,
    /// The path of the old bytes, if there are some.
    pub backup: Option<String>,
}

/// What would be written into one settings file.
#[derive(Clone, Debug)]
pub struct SettingsPlan {
    /// The client.
    pub client: AgentClient,
    /// The path of the file.
    pub file: String,
    /// The entry, as it would be written into an empty file.
    pub snippet: String,
}

/// Why a client was not connected. For people: it names host paths.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The project or the environment cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The home folder or a folder that a variable names cannot be opened.
    #[error("the folder of the settings of {client} cannot be opened: {cause}")]
    Folder {
        /// The client.
        client: AgentClient,
        /// Why it cannot be opened.
        cause: io::Error,
    },
    /// This client has no such setting.
    #[error("{0} has no session-start hook that `mere` knows; only Claude Code has one")]
    NoHook(AgentClient),
    /// The file is not changed.
    #[error("{file} was not changed: {reason}\nYou can paste this into it yourself:\n\n{snippet}")]
    Refused {
        /// The path of the file.
        file: String,
        /// Why it is not changed.
        reason: String,
        /// What a person can paste.
        snippet: String,
    },
    /// What a file looked like could not be recorded.
    #[error("nothing was changed: {0}")]
    Record(#[from] WriteError),
    /// There is no folder for the records.
    #[error(
        "nothing was changed: there is no folder for the old settings, because HOME is not set"
    )]
    NoStateFolder,
    /// This program cannot be named to a client.
    #[error("the path of this program cannot be found: {0}")]
    OwnProgram(io::Error),
    /// The server does not answer.
    #[error("nothing was changed: `{command}` does not answer as an MCP server: {cause}")]
    Silent {
        /// The command that was started.
        command: String,
        /// Why there is no answer.
        cause: io::Error,
    },
}

/// The settings of the clients of this machine, as far as they are about this program.
pub struct ClientConnections {
    context: Context,
    command: String,
}

/// A file and the entry for it.
struct SettingsFile {
    client: AgentClient,
    file: ClientFile,
    entry: SettingsEntry,
}

impl ClientConnections {
    /// Finds the project and this program.
    pub fn find(
        project: Option<&TypedPath>,
        directory: Option<&TypedPath>,
    ) -> Result<Self, ConnectError> {
        let context = Context::find(project, directory)?;
        Ok(Self { context, command: own_command().map_err(ConnectError::OwnProgram)? })
    }

    /// Starts the command that would be written, and returns how many tools it has.
    pub fn check_server(&self, client: AgentClient, scope: Scope) -> Result<usize, ConnectError> {
        let project = self.context.project_folder();
        let shown = project.map(Folder::display_path).unwrap_or_default();
        let arguments = client.server_arguments(scope).into_iter();
        let arguments = arguments.map(|one| one.replace(WORKSPACE_VARIABLE, &shown));
        let arguments = arguments.collect::<Vec<_>>();
        server_check::count_tools(&self.command, &arguments, project).map_err(|cause| {
            let command = format!("{} {}", self.command, arguments.join(" "));
            ConnectError::Silent { command, cause }
        })
    }

    /// Returns what would be written.
    pub fn plan(&self, target: SettingsTarget) -> Result<SettingsPlan, ConnectError> {
        let settings = self.settings(target)?;
        let snippet = settings.entry.snippet();
        Ok(SettingsPlan { client: target.client, file: settings.file.display_path(), snippet })
    }

    /// Writes an entry into the settings of a client.
    pub fn connect(&self, target: SettingsTarget) -> Result<SettingsReport, ConnectError> {
        let settings = self.settings(target)?;
        let records = self.records()?;
        let path = settings.file.display_path();
        let now = settings.read()?;
        let text = now.as_deref().unwrap_or_default();
        let after = settings.entry.set(text).map_err(|error| settings.refuse(&error))?;
        if now.as_ref() == Some(&after) {
            return Ok(settings.report(SettingsOutcome::Unchanged, None));
        }
        let known = records.find(&path, text.as_bytes())?;
        let (before, made_folders) = match known {
            Some((record, before)) => (before, record.made_folders),
            // What was changed since is kept, without the entry that this program has added.
            None if records.has_record(&path)? => {
                let without = settings.entry.remove(text);
                (without.map_err(|error| settings.refuse(&error))?.or_else(|| now.clone()), 0)
            }
            None => (now.clone(), settings.file.missing_folders()),
        };
        let change =
            SettingsChange { before: before.as_deref(), after: after.as_bytes(), made_folders };
        records.save(&path, &change)?;
        settings.replace(now.as_deref(), &after)?;
        let backup = before.map(|_| records.display_backup(&path));
        Ok(settings.report(SettingsOutcome::Written, backup))
    }

    /// Takes an entry out of the settings of a client.
    pub fn disconnect(&self, target: SettingsTarget) -> Result<SettingsReport, ConnectError> {
        let settings = self.settings(target)?;
        let records = self.records()?;
        let path = settings.file.display_path();
        let outcome = match settings.read()? {
            None => SettingsOutcome::Absent,
            Some(now) => match records.find(&path, now.as_bytes())? {
                Some((_, Some(before))) => {
                    settings.replace(Some(&now), &before)?;
                    SettingsOutcome::Restored
                }
                Some((record, None)) => {
                    let removed = settings.file.remove(now.as_bytes(), record.made_folders);
                    removed.map_err(|error| settings.refuse(&error))?;
                    SettingsOutcome::Restored
                }
                None => settings.remove_entry(&now)?,
            },
        };
        records.forget(&path)?;
        Ok(settings.report(outcome, None))
    }

    fn records(&self) -> Result<SettingsRecords, ConnectError> {
        let folder = self.context.environment.state_folder(RECORDS_FOLDER);
        Ok(SettingsRecords::new(folder.ok_or(ConnectError::NoStateFolder)?.lock()?))
    }

    fn settings(&self, target: SettingsTarget) -> Result<SettingsFile, ConnectError> {
        let SettingsTarget { client, scope, setting } = target;
        let (path, entry) = match setting {
            ClientSetting::Server => {
                (client.server_settings(scope), client.server_entry(&self.command, scope))
            }
            ClientSetting::SessionHook => {
                let hook = client.session_hook(&self.command);
                hook.ok_or(ConnectError::NoHook(client))?
            }
        };
        let failed = |cause| ConnectError::Folder { client, cause };
        let file = match scope {
            Scope::Project => {
                self.context.require_project()?;
                self.open_project_file(path.path).map_err(failed)?
            }
            Scope::User | Scope::Registry => self.open_user_file(path).map_err(failed)?,
        };
        Ok(SettingsFile { client, file, entry })
    }

    fn open_project_file(&self, path: &str) -> io::Result<ClientFile> {
        let project = self.context.project().map_err(|_| io::ErrorKind::NotFound)?;
        Ok(ClientFile::new(Arc::clone(project), parse_path(path)?))
    }

    fn open_user_file(&self, path: SettingsPath) -> io::Result<ClientFile> {
        let environment = &self.context.environment;
        if let Some((variable, inside)) = path.variable
            && let Some(folder) = environment.open_variable_folder(variable)?
        {
            return Ok(ClientFile::new(Arc::new(folder), parse_path(inside)?));
        }
        Ok(ClientFile::new(Arc::new(environment.open_home()?), parse_path(path.path)?))
    }
}

impl SettingsFile {
    fn read(&self) -> Result<Option<String>, ConnectError> {
        self.file.read().map_err(|error| self.refuse(&error))
    }

    fn replace(&self, before: Option<&str>, after: &str) -> Result<(), ConnectError> {
        self.file
            .replace(before.map(str::as_bytes), after.as_bytes())
            .map_err(|error: ClientFileError| self.refuse(&error))
    }

    fn remove_entry(&self, now: &str) -> Result<SettingsOutcome, ConnectError> {
        let without = self.entry.remove(now).map_err(|error: EntryError| self.refuse(&error))?;
        let Some(without) = without else { return Ok(SettingsOutcome::Absent) };
        self.replace(Some(now), &without)?;
        Ok(SettingsOutcome::Removed)
    }

    fn refuse(&self, reason: &dyn std::error::Error) -> ConnectError {
        ConnectError::Refused {
            file: self.file.display_path(),
            reason: reason.to_string(),
            snippet: self.entry.snippet(),
        }
    }

    fn report(&self, outcome: SettingsOutcome, backup: Option<String>) -> SettingsReport {
        SettingsReport { client: self.client, file: self.file.display_path(), outcome, backup }
    }
}

fn parse_path(path: &str) -> io::Result<mere_core::address::RelPath> {
    path.parse().map_err(|_| io::ErrorKind::InvalidInput.into())
}
