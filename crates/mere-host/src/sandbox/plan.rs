//! What is run in a cell, and what comes out of it.

use std::time::Duration;

use mere_core::address::RelPath;

use super::wire::{Exit, SandboxLayer};
use crate::Folder;

/// What is run, and what it sees.
pub struct RunPlan<'a> {
    /// The program, by its path in the cell, and its arguments.
    pub argv: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// What it reads.
    pub input: Vec<u8>,
    /// The files of the tool, verified.
    pub files: &'a [(RelPath, Vec<u8>)],
    /// The agent's workspace.
    pub workspace: &'a Folder,
    /// What else is shown: where, and what.
    pub read_only_folders: Vec<(&'static str, &'a Folder)>,
    pub timeout: Duration,
    pub limits: RunLimits,
    pub level: SandboxLevel,
}

/// What a run may use.
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
    /// How many bytes are kept of each output.
    pub(crate) captured_output: usize,
    /// After how many bytes of output it ends.
    pub(crate) total_output: u64,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            memory: 1024 * 1024 * 1024,
            tasks: 256,
            workspace_growth: 1024 * 1024 * 1024,
            largest_file: 512 * 1024 * 1024,
            captured_output: 256 * 1024,
            total_output: 64 * 1024 * 1024,
        }
    }
}

/// How much of a sandbox there must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SandboxLevel {
    /// All of it.
    #[default]
    Full,
    /// What namespaces can do, where the kernel has no landlock or no seccomp.
    Namespaces,
}

/// Who is told what happens, and can end it.
pub struct RunObserver<'a> {
    /// Whether nobody waits for it any more.
    pub is_cancelled: &'a dyn Fn() -> bool,
    /// Is given what the program has said meanwhile, once in a while: its output, and its errors.
    pub on_output: &'a dyn Fn(&[u8], &[u8]),
}

/// A run that has ended.
#[derive(Debug)]
pub struct FinishedRun {
    pub end: RunEnd,
    pub stdout: CapturedOutput,
    pub stderr: CapturedOutput,
    pub duration: Duration,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// By itself.
    Exit(Exit),
    /// It took too long.
    Timeout,
    /// Nobody waited for it any more.
    Cancelled,
    /// It used more than it may.
    Exceeded(ExceededLimit),
}

/// What there was too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExceededLimit {
    Memory,
    Tasks,
    Workspace,
    Output,
}

impl ExceededLimit {
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Tasks => "processes",
            Self::Workspace => "workspace",
            Self::Output => "output",
        }
    }
}

/// What was kept of an output.
#[derive(Debug, Default)]
pub struct CapturedOutput {
    pub bytes: Vec<u8>,
    pub truncated: bool,
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("the layer `{name}` is missing: {1}", name = .0.name())]
    Layer(SandboxLayer, String),
    #[error("the limits of a run cannot be kept: {0}")]
    Limits(String),
    #[error("the program could not be started: {0}")]
    NotStarted(String),
    #[error("the sandbox failed: {0}")]
    Io(#[from] std::io::Error),
}

/// By what totals are kept that nothing keeps.
pub const NOT_ENFORCED: &str = "nothing";

/// What became of each layer, and by what totals are kept.
#[derive(Debug)]
pub struct LayerReport {
    pub layers: Vec<(SandboxLayer, Result<(), String>)>,
    pub processes_limited_by: &'static str,
    pub memory_limited_by: &'static str,
}
