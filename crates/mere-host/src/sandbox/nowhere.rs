//! The sandbox on systems that have none.
//!
//! Every run is refused: a tool never runs without a sandbox.

use std::process::ExitCode;

use super::{Cells, Finished, Layer, Plan, Refusal, Standing, Watcher};

/// Returns `None`, because no cell is ever started here.
pub fn cell() -> Option<ExitCode> {
    None
}

/// Refuses to run the tool.
pub fn run(_: &Cells, _: &Plan<'_>, _: &Watcher<'_>) -> Result<Finished, Refusal> {
    Err(nowhere())
}

/// A cell, which cannot exist here.
pub(crate) enum Cell {}

impl Cell {
    pub(super) fn build() -> Result<Self, Refusal> {
        Err(nowhere())
    }

    pub(super) fn is_waiting(&mut self) -> bool {
        match *self {}
    }
}

/// Fails, because there are no layers.
pub fn layers() -> Result<Standing, Refusal> {
    Err(nowhere())
}

fn nowhere() -> Refusal {
    Refusal::Layer(Layer::Namespaces, "tools are run on Linux only".to_owned())
}
