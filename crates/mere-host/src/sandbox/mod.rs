//! A cell: the sandbox in which a tool runs.
//!
//! [`RunPlan`] says what is run and what it sees; [`run_tool`] supervises it until it has ended and
//! returns how. A tool sees `/tool`, its own verified files; `/work`, the agent's workspace;
//! `/packages` and `/interpreter`, where a person configured them; `/project`, where a person
//! granted it; and the system's programs and libraries, and nothing else. If a layer is missing, nothing runs. ADR 12 has the reasons.

mod cell_pool;
#[cfg(target_os = "linux")]
mod cell_process;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(target_os = "linux")]
mod control_group;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod output_capture;
#[cfg(target_os = "linux")]
mod prepared_layers;
#[cfg(target_os = "linux")]
mod private_root;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(target_os = "linux")]
mod process_tree;
mod program;
#[cfg(target_os = "linux")]
mod program_session;
mod project;
mod protocol;
mod run_plan;
#[cfg(target_os = "linux")]
mod stages;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod syscall_ranges;
#[cfg(target_os = "linux")]
mod syscalls;
#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(target_os = "linux")]
mod usage;
#[cfg(target_os = "linux")]
mod workspace_owner;

pub use cell_pool::CellPool;
#[cfg(target_os = "linux")]
pub use probe::probe_layers;
pub use program::{Program, SEARCH_PATH};
pub use project::{
    ChangeJudge, ChangedFile, DifferenceBound, FileState, LeftOut, LeftOutPath, MAX_CHANGED_BYTES,
    MAX_CHANGED_FILES, MAX_COPIED_BYTES, MAX_COPIED_FILES, NewContent, ProjectDifference,
    ProjectSurvey, ProjectView, SurveyLimit, ViewScratch,
};
pub use protocol::{Exit, SandboxLayer};
pub(crate) use run_plan::OUTPUT_OVERLAP;
pub use run_plan::{
    CapturedOutput, ExceededLimit, FinishedRun, LayerReport, MAX_SHOWN_OUTPUT, NOT_ENFORCED,
    RunEnd, RunInput, RunLimits, RunObserver, RunPlan, SandboxError, SandboxLevel,
};
#[cfg(target_os = "linux")]
pub use stages::run_cell_stage;
#[cfg(target_os = "linux")]
pub use supervisor::run_tool;
#[cfg(not(target_os = "linux"))]
pub use unsupported::run_cell_stage;
#[cfg(not(target_os = "linux"))]
pub use unsupported::{probe_layers, run_tool};
