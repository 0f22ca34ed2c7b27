//! `mere model`: lists the models, and fetches or removes the one that can be fetched. Agents
//! cannot call any of this.

mod fetch;
mod list;
mod wheel;

use mere_core::reply::{Draft, Prose, codes};
use mere_core::request::ModelCommand;

use crate::error::tool_error::ToolError;
use crate::items::ItemCall;
use crate::search::{MINILM_FILE, ModelCommandError};
use mere_host::ModelFolder;

/// Runs a `mere model` command.
pub(crate) fn run_command(desk: &ItemCall<'_>, asked: &ModelCommand) -> Result<Draft, ToolError> {
    let done = match asked {
        ModelCommand::List => return list::list(desk),
        ModelCommand::Fetch { from } => fetch::fetch(desk, from.as_ref()),
        ModelCommand::Remove => remove(desk),
    };
    Ok(done.unwrap_or_else(|fault| crate::error::model_error_reply(&fault)))
}

fn remove(desk: &ItemCall<'_>) -> Result<Draft, ModelCommandError> {
    if !model_folder(desk)?.remove(MINILM_FILE)? {
        return Err(ModelCommandError::NotFetched);
    }
    let message = Prose::words("The model `minilm` was removed.");
    Ok(Draft::success(codes::MODEL_REMOVED, message))
}

fn model_folder(desk: &ItemCall<'_>) -> Result<ModelFolder, ModelCommandError> {
    desk.context.environment.model_folder().ok_or(ModelCommandError::NoFolder)
}
