//! The commands that only people have. No agent can request any of them.
//!
//! Each command has a file of its own; this one only dispatches to them.

mod accept_version;
pub(crate) mod adopt;
mod call;
pub(crate) mod calls;
mod chain;
mod config;
pub(crate) mod connect;
mod difference;
mod doctor;
mod example_items;
mod export;
pub(crate) mod git;
mod grants;
mod graph;
mod import_mcp;
mod index;
mod init;
mod init_preview;
mod item_report;
pub(crate) mod key_list;
pub(crate) mod keys;
mod link_updates;
mod list;
mod lock;
mod memory;
mod minimum_versions;
pub(crate) mod models;
mod new_tool;
mod orphan_report;
mod pending_proposals;
mod place_item;
mod project_review;
pub(crate) mod receipts;
pub(crate) mod registry;
mod renew_space;
mod review;
mod secret_warning;
pub(crate) mod secrets;
mod select;
mod sign;
mod sign_plan;
mod signature_log;
mod signature_rule;
pub(crate) mod signers;
mod stale_locks;
mod team;
mod tool_lockfiles;
pub(crate) mod torture;
mod verify;
mod why;
mod work;
mod workspaces;

use mere_core::item::{ItemType, MemoryPath};
use mere_core::reply::Draft;
use mere_core::request::{ItemCommand, ReviewCommand, RunTool, SignCommand, ToolCommand};

use crate::error::tool_error::ToolError;
pub(crate) use crate::items::change::ExecutionMode;
use crate::items::copy::CopyTarget;
use crate::items::find::NamedItem;
use crate::items::new_item::place_in_space;
use crate::run;
use crate::run::{RunCall, RunRequest};
pub(crate) use call::{CommandCall, ItemStep};

pub(crate) use config::check as check_config;
pub(super) use memory::delete as delete_memory;

/// Executes a person's command about the spaces and the items in them.
pub(crate) fn execute_item_command(
    call: &CommandCall<'_>,
    command: &ItemCommand,
) -> Result<Draft, ToolError> {
    match command {
        ItemCommand::Init(space) => init::init(call, *space),
        ItemCommand::PreviewInit { scope } => init_preview::preview_init(call, *scope),
        ItemCommand::AcceptVersion { kind, item, source } => {
            accept_version::accept_version(call.change, *kind, item, *source)
        }
        ItemCommand::RenewSpace(scope) => renew_space::renew(call, *scope),
        ItemCommand::New { kind: ItemType::Memory, item, scope, .. } => {
            memory::create(call, item, call.change.effective_scope(*scope))
        }
        ItemCommand::Move { kind: ItemType::Memory, item, category, source, .. } => {
            let to = |from| MemoryPath { category: category.clone(), ..from };
            memory::move_memory(call, (item, call.change.effective_source(*source)), to)
        }
        ItemCommand::Rename { kind: ItemType::Memory, item, id, source, .. } => {
            let to = |from| MemoryPath { slug: id.clone(), ..from };
            memory::move_memory(call, (item, call.change.effective_source(*source)), to)
        }
        ItemCommand::New { kind, item, scope, form, script } => {
            let place = place_in_space(call.change.effective_scope(*scope), *kind, item, *form);
            place_item::create_from_template(call.change, place, *script)
        }
        ItemCommand::List(filter) => list::list(call.items, filter),
        ItemCommand::Copy { kind, item, to, author } => {
            let to = CopyTarget { scope: *to, author: *author };
            place_item::copy_by_name(call.change, *kind, item, to)
        }
        ItemCommand::Move { kind, item, category, source, author } => {
            let source = call.change.effective_source(*source);
            let named = NamedItem { kind: *kind, item, source };
            place_item::change_category(call, named, category, *author)
        }
        ItemCommand::Rename { kind, item, id, source, author } => {
            let source = call.change.effective_source(*source);
            place_item::rename_item(call, NamedItem { kind: *kind, item, source }, id, *author)
        }
        ItemCommand::Export(request) => export::export_items(call, request),
        ItemCommand::Tool(command) => execute_tool_command(call, command),
        ItemCommand::Why { kind, item } => why::explain_choice(call.change, *kind, item),
        ItemCommand::Index(command) => index::index(call, *command),
        ItemCommand::Review(command) => execute_review_command(call, command),
        ItemCommand::Sign(command) => execute_sign_command(call, command),
        ItemCommand::Workspace(command) => workspaces::execute_workspace_command(call, command),
        ItemCommand::Doctor(mode) => doctor::diagnose(call, *mode),
        ItemCommand::Graph(command) => graph::execute_graph_command(call, command),
        ItemCommand::Verify(command) => verify::verify(call, command),
        ItemCommand::Work(work) => work::begin_work(call.change, work),
        ItemCommand::Team(command) => team::execute_team_command(call, command),
        ItemCommand::Join(command) => team::join(call.change, command),
        ItemCommand::Model(command) => models::run_command(call, command),
        ItemCommand::Git(command) => git::execute_git_command(call, *command),
        ItemCommand::Registry(command) => registry::execute_registry_command(call, command),
    }
}

/// Executes a person's command about the changes that agents propose.
fn execute_review_command(
    call: &CommandCall<'_>,
    command: &ReviewCommand,
) -> Result<Draft, ToolError> {
    match command {
        ReviewCommand::List(scope) => review::list_pending(call, *scope),
        ReviewCommand::Decide { proposal, decision } => {
            review::review(call.change, proposal, *decision)
        }
    }
}

/// Executes a person's command about signatures.
fn execute_sign_command(call: &CommandCall<'_>, command: &SignCommand) -> Result<Draft, ToolError> {
    match command {
        SignCommand::Plan(selection) => sign_plan::plan_signing(call, selection),
        SignCommand::Log { kind, item, source } => {
            let source = call.change.effective_source(*source);
            signature_log::list_signatures(call.change, NamedItem { kind: *kind, item, source })
        }
        SignCommand::Sign { items, after } => sign::sign_chosen(call, items, *after),
    }
}

/// Executes a person's command about tools.
fn execute_tool_command(call: &CommandCall<'_>, command: &ToolCommand) -> Result<Draft, ToolError> {
    match command {
        ToolCommand::Replay { receipt } => Ok(run::replay(call.run, *receipt)?),
        ToolCommand::Run(tool) => run_tool_for_person(call.run, tool),
        ToolCommand::Chain { item } => chain::show_chain(call.run, item),
        ToolCommand::Lock(command) => lock::lock(call.change, command),
        ToolCommand::Grant(request) => grants::grant(call.run, request),
        ToolCommand::ListGrants => grants::list_grants(call.run),
        ToolCommand::Revoke { item } => grants::revoke(call.run, item),
        ToolCommand::ImportMcp(request) => import_mcp::import_mcp(call, request),
        ToolCommand::Prepare { item } => Ok(run::prepare(call.run, item)?),
    }
}

/// Runs a tool for a person.
fn run_tool_for_person(call: &RunCall<'_>, tool: &RunTool) -> Result<Draft, ToolError> {
    let request = RunRequest {
        item: &tool.item,
        parameters: (&tool.parameters, &tool.typed_parameters),
        locking: tool.lockfile_policy,
        unsigned: tool.unsigned_policy,
        mode: if tool.dry_run { ExecutionMode::DryRun } else { ExecutionMode::Real },
        replay: None,
        remote_tools: None,
    };
    Ok(run::run_tool(call, &request)?)
}
