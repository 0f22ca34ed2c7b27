//! Tries out what the sandbox can do on this machine, with cells that run nothing.

use std::time::Duration;

use super::cell_process::Cell;
use super::process_tree::can_list_children;
use super::project::mount::{LOWER, SCRATCH};
use super::protocol::{
    Access, BindMount, CellInput, CellNetwork, CellOrder, CellReport, ProjectLayer, ProjectOrder,
    SandboxLayer, send,
};
use super::run_plan::{LayerReport, NOT_ENFORCED, RunLimits, SandboxError, SandboxLevel};
use super::supervisor::process_limits;

/// A folder that every machine has. Nothing in it is read or changed.
const SOME_FOLDER: &[u8] = b"/usr";

/// Reports which layers work here, and how tools can be shown the project.
pub fn probe_layers() -> Result<LayerReport, SandboxError> {
    let watched = if can_list_children() { "watching" } else { NOT_ENFORCED };
    let mut cell = match Cell::build() {
        Ok(cell) => cell,
        Err(SandboxError::Layer(layer, why)) => {
            return Ok(LayerReport {
                layers: vec![(layer, Err(why.clone()))],
                processes_limited_by: watched,
                memory_limited_by: watched,
                project_overlay: Err(why),
            });
        }
        Err(error) => return Err(error),
    };
    cell.join_group();
    let limited = |by_group| if by_group { "control group" } else { watched };
    let processes_limited_by = limited(cell.control_group.has_task_limit);
    let memory_limited_by = limited(cell.control_group.has_memory_limit);
    let mut layers = vec![(SandboxLayer::Namespaces, Ok(()))];
    cell.process.send_order(&empty_order(None), std::iter::empty())?;
    while let Some(report) = cell.process.receive()? {
        match report {
            CellReport::Layer(layer, built) => layers.push((layer, built)),
            CellReport::Built => send(&cell.process.socket, &())?,
            _ => {}
        }
    }
    let project_overlay = probe_overlay()?;
    Ok(LayerReport { layers, processes_limited_by, memory_limited_by, project_overlay })
}

/// Tries to mount an overlay over a folder, as it is done for the project of a run.
fn probe_overlay() -> Result<Result<(), String>, SandboxError> {
    let bind = |target: &str| BindMount {
        source: SOME_FOLDER.to_vec(),
        identity: None,
        target: target.to_owned(),
        access: Access::Read,
    };
    let project = ProjectOrder {
        project: bind(LOWER),
        scratch: bind(SCRATCH),
        hidden: 0,
        access: Access::Read,
        layer: ProjectLayer::Overlay,
    };
    let mut cell = Cell::build()?;
    cell.process.send_order(&empty_order(Some(project)), std::iter::empty())?;
    while let Some(report) = cell.process.receive()? {
        match report {
            // The cell waits for a copy now, and ends with this function.
            CellReport::NoOverlay(why) | CellReport::Layer(_, Err(why)) => return Ok(Err(why)),
            CellReport::Built => return Ok(Ok(())),
            _ => {}
        }
    }
    Ok(Err("the cell ended".to_owned()))
}

/// Returns an order to build all layers, and to run nothing.
fn empty_order(project: Option<ProjectOrder>) -> CellOrder {
    CellOrder {
        argv: Vec::new(),
        environment: Vec::new(),
        files: Vec::new(),
        input: CellInput::Bytes(0),
        binds: Vec::new(),
        project,
        bounds: process_limits(RunLimits::default(), Duration::from_secs(1)),
        network: CellNetwork::None,
        level: SandboxLevel::Namespaces,
    }
}
