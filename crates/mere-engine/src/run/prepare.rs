//! `mere prepare`: fetches a tool's packages when a person asks for it.
//!
//! This is the only way packages are fetched: running a tool downloads nothing.

use super::{RunCall, RunError};
use mere_core::item::ItemRef;
use mere_core::reply::{Content, Draft, Fields, Prose, codes};
use mere_core::request::{LockfilePolicy, UnsignedPolicy};

use super::links::Linked;
use super::lock::Locked;
use super::ready::read_tool_files;
use super::runtime_needs::RuntimeNeeds;
use mere_host::PackagesError;

/// Fetches the packages of a tool. The tool must be signed as if it were run, because its packages
/// are downloaded onto this machine.
pub(crate) fn prepare(call: &RunCall<'_>, item: &ItemRef) -> Result<Draft, RunError> {
    let linked = Linked::follow(&call.items, item, UnsignedPolicy::Refuse)?;
    let locked = Locked::check(call, linked, LockfilePolicy::Optional)?;
    let files = read_tool_files(call, &locked)?;
    let needs = RuntimeNeeds::from_chain(call, &locked, &files);
    let config = locked.linked().chain().config().map_err(RunError::Config)?;
    let command = config.value().get("command").and_then(|command| command.get(0));
    let command = command.and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let program = needs.find_program(call.context, &[command], &files)?;
    let tool = Content::mention(needs.tool().to_string());
    let (Some(request), Some(key)) = (needs.package_request, needs.packages_key(&program)) else {
        let message = Prose::words("`").content(tool);
        let message = message.and("` needs no packages; it can be run as it is.");
        return Ok(Draft::success(codes::PREPARED, message).hint(
            "A tool of python_runtime asks with `requirements.txt`, one of node_runtime with \
             `package.json`.",
        ));
    };
    let packages = call.context.environment.package_sets();
    let packages = packages.ok_or(RunError::Packages(PackagesError::NoFolder))?;
    let is_there = packages.find(&key).map_err(PackagesError::from).map_err(RunError::Packages)?;
    if is_there.is_none() {
        packages.fetch(&key, request, &program).map_err(RunError::Packages)?;
    }
    let data = Fields::default().with("packages", Content::mention(key));
    let message = Prose::words("The packages of `").content(tool);
    let message = message.and("` are installed; it can be run.");
    Ok(Draft::success(codes::PREPARED, message).data(data))
}
