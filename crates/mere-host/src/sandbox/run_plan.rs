//! The types of a run in a cell: what is run, under which limits, and the result.
//!
//! They are the same on every system and hold no logic.

use std::cell::RefCell;
use std::time::Duration;

use mere_core::address::RelPath;
use mere_core::mcp::{McpFault, McpSession};
use mere_core::network::NetworkGrants;
use mere_core::secrets::SecretRedactor;
use serde::{Deserialize, Serialize};

use super::project::{ProjectDifference, ProjectView};
use super::protocol::{Exit, SandboxLayer};
use crate::{Folder, RefusedHost, RunMarker, SweepReport, WorkspaceLimits, WorkspaceSize};

/// The program that is run, and everything that it sees.
pub struct RunPlan<'a> {
    /// The program, by its path in the cell, and its arguments.
    pub argv: Vec<String>,
    /// The environment variables of the process, and no others.
    pub environment: Vec<(String, String)>,
    /// What the program reads from standard input.
    pub input: RunInput<'a>,
    /// The secrets that the program was given, which are removed from its output as it arrives.
    pub redactor: &'a SecretRedactor,
    /// The tool's files, verified.
    pub files: &'a [(RelPath, Vec<u8>)],
    /// The agent's workspace.
    pub workspace: &'a Folder,
    /// What stays behind if the run is cut short.
    pub marker: &'a RunMarker,
    /// Other folders that are shown read-only, each with its path in the cell.
    pub read_only_folders: Vec<(&'static str, &'a Folder)>,
    /// The project, if the tool was granted access to it.
    pub project: Option<ProjectView<'a>>,
    /// The longest time that the run may take.
    pub timeout: Duration,
    /// The resources that the run may use.
    pub limits: RunLimits,
    /// The hosts that the program may connect to.
    pub network: NetworkGrants,
    /// The layers that the sandbox must have.
    pub level: SandboxLevel,
}

/// What a program reads from standard input.
pub enum RunInput<'a> {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What this session answers to what the program writes to standard output. The run ends with
    /// the session.
    Session(&'a RefCell<McpSession>),
}

impl RunInput<'_> {
    /// Returns the bytes that are known before the run.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Session(_) => &[],
        }
    }
}

/// The limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLimits {
    /// Bytes of memory, all processes together.
    pub(crate) memory: u64,
    /// Processes and threads.
    pub(crate) tasks: u64,
    /// By how many bytes the workspace may grow.
    pub(crate) workspace_growth: u64,
    /// The largest file, in bytes.
    pub(crate) largest_file: u64,
    /// The number of bytes that are captured of each output: those that may be shown, and
    /// [`OUTPUT_OVERLAP`] more.
    pub(crate) captured_output: usize,
    /// After how many bytes of output the run is ended.
    pub(crate) total_output: u64,
}

/// The number of bytes of each output that may be shown.
pub const MAX_SHOWN_OUTPUT: usize = 256 * 1024;
/// The number of bytes after them that are captured as well, so that a path or a secret that lies
/// across the end is recognised.
pub(crate) const OUTPUT_OVERLAP: usize = 16 * 1024;

/// The bytes by which the workspace may grow in a run, however full it is.
const LEAST_GROWTH: u64 = 64 * 1024 * 1024;

impl RunLimits {
    /// Returns the limits of a run in this workspace, which may grow only as far as it may hold. A
    /// little is always free, because tools need room for temporary files.
    pub fn in_workspace(workspace: &Folder, limits: WorkspaceLimits) -> Self {
        let default = Self::default();
        let size = WorkspaceSize::measure(workspace.dir());
        let room = limits.bytes.saturating_sub(size.bytes).max(LEAST_GROWTH);
        Self { workspace_growth: default.workspace_growth.min(room), ..default }
    }
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            memory: 1024 * 1024 * 1024,
            tasks: 256,
            workspace_growth: 1024 * 1024 * 1024,
            largest_file: 512 * 1024 * 1024,
            captured_output: MAX_SHOWN_OUTPUT + OUTPUT_OVERLAP,
            total_output: 64 * 1024 * 1024,
        }
    }
}

/// The part of the sandbox that is required.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SandboxLevel {
    /// All layers.
    #[default]
    Full,
    /// All but landlock and seccomp, which may be missing if the kernel lacks them.
    Namespaces,
}

impl SandboxLevel {
    /// Returns whether tools run although this machine does not have a layer.
    pub fn accepts_missing(self, layer: SandboxLayer) -> bool {
        match self {
            Self::Full => false,
            Self::Namespaces => layer.is_optional(),
        }
    }
}

/// The observer of a run, who can also cancel it.
pub struct RunObserver<'a> {
    /// Returns true once nobody waits for the run any more.
    pub is_cancelled: &'a dyn Fn() -> bool,
    /// Called from time to time with the new bytes of standard output and standard error.
    pub on_output: &'a dyn Fn(&[u8], &[u8]),
}

/// A run that has ended.
#[derive(Debug)]
pub struct FinishedRun {
    /// The way in which the run ended.
    pub end: RunEnd,
    /// The bytes that it wrote to standard output.
    pub stdout: CapturedOutput,
    /// The bytes that it wrote to standard error.
    pub stderr: CapturedOutput,
    /// The time that it took.
    pub duration: Duration,
    /// The repositories that were found in the workspace during and after the run.
    pub repositories: SweepReport,
    /// What the tool changed in its view of the project, if it may propose changes.
    pub changes: Option<ProjectDifference>,
    /// The hosts that it tried to connect to and that were refused.
    pub refused_hosts: Vec<RefusedHost>,
}

/// The way in which a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The program exited or was killed by a signal.
    Exit(Exit),
    /// It took too long.
    Timeout,
    /// Nobody waited for it any more.
    Cancelled,
    /// It exceeded a limit.
    Exceeded(ExceededLimit),
    /// The session with it is over.
    SessionOver,
    /// It did not keep to the protocol of the session with it.
    SessionFault(McpFault),
}

/// The limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExceededLimit {
    /// Memory.
    Memory,
    /// Processes and threads.
    Tasks,
    /// Disk space in the workspace.
    Workspace,
    /// Output.
    Output,
    /// Repositories, which the tool made again and again.
    Repositories,
}

impl ExceededLimit {
    /// Returns the name of the limit in replies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Tasks => "processes",
            Self::Workspace => "workspace",
            Self::Output => "output",
            Self::Repositories => "repositories",
        }
    }
}

/// The captured part of an output.
#[derive(Debug, Default)]
pub struct CapturedOutput {
    /// The first bytes of the output. No more than [`MAX_SHOWN_OUTPUT`] are to be shown.
    pub bytes: Vec<u8>,
    /// True if there was more than may be shown.
    pub truncated: bool,
}

/// The reason why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A layer of the sandbox cannot be built here.
    #[error("the layer `{name}` is missing: {1}", name = .0.name())]
    Layer(SandboxLayer, String),
    /// A limit cannot be enforced here.
    #[error("the limits of a run cannot be enforced: {0}")]
    Limits(String),
    /// There is no overlay, and the project is too large to be copied.
    #[error("there is no overlay, and the project is too large to be copied")]
    ProjectTooLarge,
    /// The program could not be started.
    #[error("the program could not be started: {0}")]
    NotStarted(String),
    /// The machine failed.
    #[error("the sandbox failed: {0}")]
    Io(#[from] std::io::Error),
}

/// The name in a [`LayerReport`] for a limit that nothing enforces.
pub const NOT_ENFORCED: &str = "nothing";

/// Which layers work, and what enforces the limits on processes and memory.
#[derive(Debug)]
pub struct LayerReport {
    /// Each layer, and why it cannot be built.
    pub layers: Vec<(SandboxLayer, Result<(), String>)>,
    /// The mechanism that limits processes.
    pub processes_limited_by: &'static str,
    /// The mechanism that limits memory.
    pub memory_limited_by: &'static str,
    /// Why tools are shown a copy of the project instead of an overlay, if they are.
    pub project_overlay: Result<(), String>,
}
