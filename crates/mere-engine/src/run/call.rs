//! What a call that runs something needs.

use mere_core::item::{Directive, ScopedPath};
use mere_core::reply::{CodeId, Prose};
use mere_core::request::RunHandle;
use mere_core::turn::OutputStream;

use super::RunError;
use crate::config::RunConfig;
use crate::items::ItemReader;
use crate::world::Context;
use mere_host::CellPool;

/// One call that runs an item.
pub(crate) struct RunCall<'a> {
    pub(crate) items: ItemReader<'a>,
    pub(crate) context: &'a Context,
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
    /// The settings for running tools.
    pub(crate) run_config: &'a RunConfig,
    /// The sandbox cells that tools run in.
    pub(crate) cells: &'a CellPool,
    /// Opens the run of a directive for an agent.
    pub(crate) open_run: &'a dyn Fn(&ScopedPath, Option<&Directive>) -> RunHandle,
    /// Returns the code of the reply that an error leads to.
    pub(crate) refusal_code: &'a dyn Fn(&RunError) -> CodeId,
    /// Reports a note about a running tool's output, with the elapsed milliseconds.
    pub(crate) report_tool_note: &'a dyn Fn(u64, Prose),
    /// Passes a running tool's output on to a person as it arrives.
    pub(crate) stream_tool_output: &'a dyn Fn(OutputStream, &Prose),
}
