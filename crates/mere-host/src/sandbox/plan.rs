//! What is run in a cell, and what comes out of it.

use std::time::Duration;

use mere_core::address::RelPath;

use super::wire::{Exit, Layer};
use crate::Folder;

/// What is run, and what it sees.
pub struct Plan<'a> {
    /// The program, by its path in the cell, and its arguments.
    pub argv: Vec<String>,
    pub environment: Vec<(String, String)>,
    /// What it reads.
    pub input: Vec<u8>,
    /// The files of the tool, verified.
    pub files: &'a [(RelPath, Vec<u8>)],
    /// The agent's workspace.
    pub work: &'a Folder,
    /// What else is shown: where, and what.
    pub shown: Vec<(&'static str, &'a Folder)>,
    pub timeout: Duration,
    pub limits: Limits,
    pub level: Level,
}

/// What a run may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory, all processes together.
    pub(crate) memory: u64,
    /// Processes and threads.
    pub(crate) tasks: u64,
    /// By how many bytes the workspace may grow.
    pub(crate) work: u64,
    /// The largest file, in bytes.
    pub(crate) file: u64,
    /// How many bytes are kept of each output.
    pub(crate) kept: usize,
    /// After how many bytes of output it ends.
    pub(crate) output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 1024 * 1024 * 1024,
            tasks: 256,
            work: 1024 * 1024 * 1024,
            file: 512 * 1024 * 1024,
            kept: 256 * 1024,
            output: 64 * 1024 * 1024,
        }
    }
}

/// How much of a sandbox there must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// All of it.
    #[default]
    Full,
    /// What namespaces can do, where the kernel has no landlock or no seccomp.
    Namespaces,
}

/// Who is told what happens, and can end it.
pub struct Watcher<'a> {
    /// Whether nobody waits for it any more.
    pub over: &'a dyn Fn() -> bool,
    /// Is given what the program has said meanwhile, once in a while: its output, and its errors.
    pub heard: &'a dyn Fn(&[u8], &[u8]),
}

/// A run that has ended.
#[derive(Debug)]
pub struct Finished {
    pub ended: Ended,
    pub stdout: Captured,
    pub stderr: Captured,
    pub duration: Duration,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exit(Exit),
    /// It took too long.
    Timeout,
    /// Nobody waited for it any more.
    Cancelled,
    /// It used more than it may.
    Exceeded(Excess),
}

/// What there was too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    Memory,
    Tasks,
    Work,
    Output,
}

impl Excess {
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Tasks => "processes",
            Self::Work => "workspace",
            Self::Output => "output",
        }
    }
}

/// What was kept of an output.
#[derive(Debug, Default)]
pub struct Captured {
    pub bytes: Vec<u8>,
    pub truncated: bool,
}

/// Why nothing was run.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("the layer `{name}` is missing: {1}", name = .0.name())]
    Layer(Layer, String),
    #[error("the limits of a run cannot be kept: {0}")]
    Totals(String),
    #[error("the program could not be started: {0}")]
    Unstarted(String),
    #[error("the sandbox failed: {0}")]
    Io(#[from] std::io::Error),
}

/// By what totals are kept that nothing keeps.
pub const NOT_KEPT: &str = "nothing";

/// What became of each layer, and by what totals are kept.
#[derive(Debug)]
pub struct Standing {
    pub layers: Vec<(Layer, Result<(), String>)>,
    pub processes: &'static str,
    pub memory: &'static str,
}
