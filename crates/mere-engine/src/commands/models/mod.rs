//! `mere model`: lists the models, and fetches or removes the one that can be fetched. Agents
//! cannot call any of this.

mod fetch;
mod list;
pub(in crate::commands) mod wheel;

use mere_core::reply::{Draft, Prose, codes};
use mere_core::request::ModelCommand;

use crate::commands::CommandCall;
use crate::error::tool_error::ToolError;
use crate::search::{MINILM_FILE, ModelCommandError};
use crate::world::Context;
use mere_host::ModelFolder;

/// Runs a `mere model` command.
pub(crate) fn run_command(
    call: &CommandCall<'_>,
    command: &ModelCommand,
) -> Result<Draft, ToolError> {
    let done = match command {
        ModelCommand::List => return list::list(call),
        ModelCommand::Fetch { from } => fetch::fetch(call, from.as_ref()),
        ModelCommand::Remove => remove(call.change.context),
    };
    Ok(done.unwrap_or_else(|fault| crate::error::model_error_reply(&fault)))
}

fn remove(context: &Context) -> Result<Draft, ModelCommandError> {
    if !model_folder(context)?.remove(MINILM_FILE)? {
        return Err(ModelCommandError::NotFetched);
    }
    let message = Prose::words("The model `minilm` was removed.");
    Ok(Draft::success(codes::MODEL_REMOVED, message))
}

fn model_folder(context: &Context) -> Result<ModelFolder, ModelCommandError> {
    context.environment.model_folder().ok_or(ModelCommandError::NoFolder)
}
