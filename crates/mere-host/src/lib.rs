//! Everything that touches the machine: its file system, environment and working directory.
//!
//! Nothing outside this module names a host path. Only three kinds of things leave it: handles
//! ([`Folder`]), what a person typed ([`TypedPath`]), and the landmarks that the gate must keep
//! from agents.

mod boundary;
mod cores;
mod database;
mod derived;
mod durable;
mod editing;
mod editor;
mod fetcher;
mod folder;
mod git;
mod key_files;
mod link;
mod lock;
mod log_file;
mod models;
mod open_folder;
mod packages;
mod person_file;
mod pip;
mod project;
mod sandbox;
mod site;
mod ssh_agent;
mod stamps;
mod surroundings;
mod terminal;
mod typed;
mod watch;
mod workspace;

pub use boundary::Boundary;
pub use cores::available_parallelism;
pub use database::{Database, DatabaseLock};
pub use derived::{Cache, is_temporary_name, read_at, replace_derived_file};
pub use durable::{LockedFolder, WriteError};
pub use editing::{FolderWriter, GITIGNORE_PATTERNS, WritePrecondition};
pub use editor::edit_file;
pub use folder::{Folder, FolderIdentity, is_symlink_error, none_if_missing};
pub use git::{GitRepository, HookInstallation};
pub use key_files::{KeyFile, KeyFileError, LinkPolicy};
pub use link::{PathStep, read_link};
pub use log_file::LogFile;
pub use models::ModelFolder;
pub use open_folder::{EntryKind, OpenFolder, open_regular_file};
use open_folder::{exchange, rename_no_replace};
pub use packages::{PackageManifest, PackagesError};
pub use person_file::{read_file, write_file};
pub use pip::{Pip, PipError};
pub use project::find_project;
pub use sandbox::run_cell_stage;
pub use sandbox::{
    CapturedOutput, CellPool, ExceededLimit, Exit, FinishedRun, LayerReport, NOT_ENFORCED, Program,
    RunEnd, RunLimits, RunObserver, RunPlan, SEARCH_PATH, SandboxError, SandboxLayer, SandboxLevel,
    probe_layers, run_tool,
};
pub use site::{FolderLocation, RelativeLocation};
pub use ssh_agent::{SshAgent, SshAgentError};
pub use stamps::{FileStamp, FileStamps, WatchedFiles, now_nanoseconds};
pub use surroundings::{Environment, SPACE_FOLDER, WORKSPACES_FOLDER};
pub use terminal::{Terminal, has_terminal};
pub use typed::TypedPath;
pub use watch::{FolderChange, FolderWatcher, Interest, WatchReport};
pub use workspace::{
    ExistingEntry, MissingFolders, TargetLookup, Workspace, digest_file, read_at_most,
};
