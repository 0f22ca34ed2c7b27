//! Where there is no sandbox, nothing runs.

use std::process::ExitCode;

use super::{Cells, Finished, Layer, Plan, Refusal, Standing, Watcher};

/// No cell is ever started here.
pub fn cell() -> Option<ExitCode> {
    None
}

/// Refuses.
pub fn run(_: &Cells, _: &Plan<'_>, _: &Watcher<'_>) -> Result<Finished, Refusal> {
    Err(nowhere())
}

/// There is none.
pub(crate) enum Cell {}

impl Cell {
    pub(super) fn build() -> Result<Self, Refusal> {
        Err(nowhere())
    }

    pub(super) fn is_waiting(&mut self) -> bool {
        match *self {}
    }
}

/// No layers.
pub fn layers() -> Result<Standing, Refusal> {
    Err(nowhere())
}

fn nowhere() -> Refusal {
    Refusal::Layer(Layer::Namespaces, "tools are run on Linux only".to_owned())
}
