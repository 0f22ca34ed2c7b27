//! Everything that touches the machine: its file system, environment and working directory.
//!
//! Nothing outside this module names a host path. Only three kinds of things leave it: handles
//! ([`Folder`]), what a person typed ([`TypedPath`]), and the landmarks that the gate must keep
//! from agents.

mod boundary;
mod database;
mod derived_files;
mod editor;
mod environment;
mod fetcher;
mod file_stamps;
mod folder;
mod folder_lock;
mod folder_writer;
mod git;
mod key_files;
mod link;
mod location;
mod locked_folder;
mod log_file;
mod model_folder;
mod open_folder;
mod packages;
mod parallelism;
mod person_file;
mod pip;
mod project;
mod sandbox;
mod ssh_agent;
mod terminal;
mod typed_path;
mod watch;
mod workspace;

pub use boundary::Boundary;
pub use database::{Database, DatabaseLock};
pub use derived_files::{Cache, is_temporary_name, read_at, replace_derived_file};
pub use editor::edit_file;
pub use environment::{Environment, SPACE_FOLDER, WORKSPACES_FOLDER};
pub use file_stamps::{FileStamp, FileStamps, WatchedFiles, now_nanoseconds};
pub use folder::{Folder, FolderIdentity, is_symlink_error, none_if_missing};
pub use folder_writer::{FolderWriter, GITIGNORE_PATTERNS, WritePrecondition};
pub use git::{GitRepository, HookInstallation};
pub use key_files::{KeyFile, KeyFileError, LinkPolicy};
pub use link::{PathStep, read_link};
pub use location::{FolderLocation, RelativeLocation};
pub use locked_folder::{LockedFolder, WriteError};
pub use log_file::LogFile;
pub use model_folder::ModelFolder;
pub use open_folder::{EntryKind, OpenFolder, open_regular_file};
use open_folder::{exchange, rename_no_replace};
pub use packages::{PackageManifest, PackagesError};
pub use parallelism::available_parallelism;
pub use person_file::{read_file, write_file};
pub use pip::{Pip, PipError};
pub use project::find_project;
pub use sandbox::run_cell_stage;
pub use sandbox::{
    CapturedOutput, CellPool, ExceededLimit, Exit, FinishedRun, LayerReport, NOT_ENFORCED, Program,
    RunEnd, RunLimits, RunObserver, RunPlan, SEARCH_PATH, SandboxError, SandboxLayer, SandboxLevel,
    probe_layers, run_tool,
};
pub use ssh_agent::{SshAgent, SshAgentError};
pub use terminal::{Terminal, has_terminal};
pub use typed_path::TypedPath;
pub use watch::{FolderChange, FolderWatcher, Interest, WatchReport};
pub use workspace::{
    ExistingEntry, MissingFolders, TargetLookup, Workspace, digest_file, read_at_most,
};
