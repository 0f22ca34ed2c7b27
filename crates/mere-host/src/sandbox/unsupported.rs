//! The sandbox on systems that have none.
//!
//! Every run is refused: a tool never runs without a sandbox.

use std::process::ExitCode;

use super::{CellPool, FinishedRun, LayerReport, RunObserver, RunPlan, SandboxError, SandboxLayer};

/// Returns `None`, because no cell is ever started here.
pub fn run_cell_stage() -> Option<ExitCode> {
    None
}

/// Refuses to run the tool.
pub fn run_tool(
    _: &CellPool,
    _: &RunPlan<'_>,
    _: &RunObserver<'_>,
) -> Result<FinishedRun, SandboxError> {
    Err(unsupported())
}

/// A cell, which cannot exist here.
pub(crate) enum Cell {}

impl Cell {
    pub(super) fn build() -> Result<Self, SandboxError> {
        Err(unsupported())
    }

    pub(super) fn is_alive(&mut self) -> bool {
        match *self {}
    }
}

/// Fails, because there are no layers.
pub fn probe_layers() -> Result<LayerReport, SandboxError> {
    Err(unsupported())
}

fn unsupported() -> SandboxError {
    SandboxError::Layer(SandboxLayer::Namespaces, "tools can only be run on Linux".to_owned())
}
