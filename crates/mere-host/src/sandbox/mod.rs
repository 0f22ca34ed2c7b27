//! A cell: the sandbox in which a tool runs.
//!
//! [`RunPlan`] says what is run and what it sees; [`run_tool`] supervises it until it has ended and
//! returns how. A tool sees `/tool`, its own verified files; `/work`, the agent's workspace;
//! `/packages` and `/interpreter`, where a person configured them; and the system's programs and
//! libraries, and nothing else. If a layer is missing, nothing runs. ADR 12 has the reasons.

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod cell;
mod cells;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod control;
#[cfg(target_os = "linux")]
mod disarm;
#[cfg(target_os = "linux")]
mod family;
#[cfg(target_os = "linux")]
mod group;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(not(target_os = "linux"))]
mod nowhere;
mod plan;
mod programs;
#[cfg(target_os = "linux")]
mod root;
#[cfg(target_os = "linux")]
mod totals;
mod wire;

#[cfg(target_os = "linux")]
pub use cell::run_cell_stage;
pub use cells::CellPool;
#[cfg(target_os = "linux")]
pub use keeper::{probe_layers, run_tool};
#[cfg(not(target_os = "linux"))]
pub use nowhere::cell;
#[cfg(not(target_os = "linux"))]
pub use nowhere::{layers, run};
pub use plan::{
    CapturedOutput, ExceededLimit, FinishedRun, LayerReport, NOT_ENFORCED, RunEnd, RunLimits,
    RunObserver, RunPlan, SandboxError, SandboxLevel,
};
pub use programs::{Program, SEARCH_PATH};
pub use wire::{Exit, SandboxLayer};
