//! Everything that touches the machine: its file system, environment and working directory.
//!
//! Nothing outside this crate names a host path. Only three kinds of things leave it: handles
//! ([`Folder`]), what a person typed ([`TypedPath`]), and the landmarks that the gate must keep
//! from agents.

mod environment;
mod folder;
mod net;
mod programs;
mod sandbox;
mod watch;
mod write;

pub use environment::boundary::{Boundary, LocatedPath, NoAddress};
pub use environment::fault::fault_point;
pub use environment::landmarks::{ConfigAuthor, NamedFolder};
pub use environment::own_program::{own_arguments, own_command};
pub use environment::parallelism::available_parallelism;
pub use environment::private_folders::OwnFolder;
pub use environment::project::{ProjectRequest, RefusedRoot, SearchStop, StopReason, find_project};
pub use environment::terminal::{Terminal, has_terminal};
pub use environment::threads::{
    SharedWork, WorkerThreads, map_in_parallel, map_with_progress, reset_poisoned, share_work,
};
pub use environment::typed_path::{TypedPath, open_typed_folder, read_typed_file};
pub use environment::wide_folder::WideFolder;
pub use environment::{
    Environment, EnvironmentError, SPACE_FOLDER, SPACE_INDEX, WORKSPACES_FOLDER,
};
pub use folder::file_system::{FileSystem, NameCase, Sharing};
pub use folder::link::{AbsoluteTarget, LinkTarget, PathStep, read_link};
pub use folder::location::{FolderLocation, RelativeLocation};
pub use folder::open_folder::{EntryKind, OpenFolder, open_regular_file};
use folder::open_folder::{exchange, rename_no_replace};
pub use folder::{Folder, FolderIdentity, is_symlink_error, none_if_missing};
pub use net::http_client::{HttpError, PostRequest};
pub use net::mcp_exchange::{FinishedSession, SessionEnd, SessionLimits, speak_over_http};
pub use net::registry_client::{RegistryClient, RegistryMethod, RegistryRequest, RegistryResponse};
pub use net::registry_url::{RegistryPath, RegistryUrl, RegistryUrlError};
pub use net::tool_request::{
    FinishedRequest, RefusedHost, RequestEnd, RequestObserver, send_tool_request,
};
pub use net::url::{Url, UrlError};
pub use programs::editor::edit_file;
pub use programs::git::{GitRepository, HookInstallation};
pub use programs::git_history::{Commit, FileVersion};
pub use programs::git_merge::{MERGE_DRIVER, MergeVersions, TextMerge, merge_texts};
pub use programs::packages::{PackageManifest, PackageRequest, PackagesError};
pub use programs::pip::{Pip, PipError};
pub use programs::secret_command::{SecretCommandError, read_secret_from_command};
pub use programs::server_process::{ScratchFolder, ServerKiller, ServerProcess};
pub use programs::ssh_agent::{SshAgent, SshAgentError};
pub use sandbox::{
    CapturedOutput, CellPool, ChangeJudge, ChangedFile, DifferenceBound, ExceededLimit, Exit,
    FileState, FinishedRun, LayerReport, LeftOut, LeftOutPath, MAX_CHANGED_BYTES,
    MAX_CHANGED_FILES, MAX_COPIED_BYTES, MAX_COPIED_FILES, MAX_SHOWN_OUTPUT, NOT_ENFORCED,
    NewContent, Program, ProjectDifference, ProjectSurvey, ProjectView, RunEnd, RunInput,
    RunLimits, RunObserver, RunPlan, SEARCH_PATH, SandboxError, SandboxLayer, SandboxLevel,
    SurveyLimit, ViewScratch, probe_layers, run_cell_stage, run_tool,
};
pub use watch::file_stamps::{
    FileStamp, FileStamps, WatchedFiles, new_sortable_id, now_nanoseconds,
};
pub use watch::mount_points::{MountPoints, MountTable};
pub use watch::process_view::describe_process_view;
pub use watch::vouching::{VouchListener, VouchQuestion, ask_for_vouch};
pub use watch::{FolderChange, FolderWatcher, Interest, WatchOutcome, WatchReport};
pub use write::audit_sink::AuditSink;
pub use write::client_file::{ClientFile, ClientFileError};
pub use write::database::{Database, DatabaseLock};
pub use write::derived_files::{Cache, is_temporary_name, read_at, replace_derived_file};
pub use write::folder_lock::{LOCK_SECONDS, LockHeld};
pub use write::folder_writer::{FolderWriter, GITIGNORE_PATTERNS, WritePrecondition};
pub use write::key_files::{KeyFile, KeyFileError, LinkPolicy};
pub use write::line_log::{Durability, LineLog, LogEnd};
pub use write::locked_folder::{ExposedFile, LockedFolder, WriteError};
pub use write::log_file::LogFile;
pub use write::model_folder::ModelFolder;
pub use write::person_file::{read_file, write_file};
pub use write::project_change::ApplyError;
pub use write::proposal_store::{LockedProposals, MAX_WAITING_PROPOSALS, ProposalStore, SaveError};
pub use write::registry_folder::{RegistryFolder, RegistryFolderWriter};
pub use write::repository_sweep::{DisarmedRepository, SweepReport};
pub use write::run_marker::{RunMarker, recover_unfinished_runs};
pub use write::state_folder::StateFolder;
pub use write::unpacked_folder::UnpackedFolder;
pub use write::workspace::{
    EntryOutcome, MissingFolders, TargetLookup, Workspace, digest_file, read_at_most,
};
pub use write::workspace_size::{WorkspaceError, WorkspaceLimits, WorkspaceSize};
pub use write::write_target::{ExistingEntry, WriteTarget};
