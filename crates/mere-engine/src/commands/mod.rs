//! The commands that only people have. No agent can request any of them.
//!
//! Each command has a file of its own; this one only dispatches to them.

mod config;
pub(crate) mod config_check;
mod difference;
mod doctor;
mod git_attributes;
mod graph;
mod index;
mod init;
mod item_report;
pub(crate) mod key_list;
pub(crate) mod keys;
mod link_updates;
mod list;
mod memory;
pub(crate) mod models;
mod pending_proposals;
mod place_item;
mod relocation;
mod review;
mod select;
mod sign;
pub(crate) mod signers;
mod team;
mod verify;
mod why;
mod work;

use mere_core::item::{ItemType, MemoryPath};
use mere_core::reply::Draft;
use mere_core::request::{PersonCommand, RunTool, SignCommand};

use crate::error::tool_error::ToolError;
pub(crate) use crate::items::change::{ExecutionMode, ItemCall};
use crate::run;
use crate::run::RunRequest;

pub(crate) use config::check as check_config;
pub(super) use memory::delete as delete_memory;
pub(super) use place_item::copy_item;
pub(super) use relocation::{add_signature, load_from_files, read_verified_bytes};
pub(crate) use team::TeamRefusal;

/// Executes a person's command.
pub(crate) fn execute_person_command(
    desk: &ItemCall<'_>,
    asked: &PersonCommand,
) -> Result<Draft, ToolError> {
    match asked {
        PersonCommand::Init(asked) => init::init(desk, *asked),
        PersonCommand::New { kind: ItemType::Memory, item, scope, .. } => {
            memory::create(desk, item, desk.effective_scope(*scope))
        }
        PersonCommand::Move { kind: ItemType::Memory, item, category, source, .. } => {
            let to = |from| MemoryPath { category: category.clone(), ..from };
            memory::move_memory(desk, (item, desk.effective_source(*source)), to)
        }
        PersonCommand::Rename { kind: ItemType::Memory, item, id, source, .. } => {
            let to = |from| MemoryPath { slug: id.clone(), ..from };
            memory::move_memory(desk, (item, desk.effective_source(*source)), to)
        }
        PersonCommand::New { kind, item, scope, form } => place_item::create_from_template(
            desk,
            (*kind, item),
            (desk.effective_scope(*scope), *form),
        ),
        PersonCommand::List(listing) => list::list(desk, listing),
        PersonCommand::Copy { kind, item, to, author } => {
            place_item::copy_by_name(desk, (*kind, item), (*to, *author))
        }
        PersonCommand::Move { kind, item, category, source, author } => {
            let how = (desk.effective_source(*source), *author);
            place_item::change_category(desk, (*kind, item), category, how)
        }
        PersonCommand::Rename { kind, item, id, source, author } => place_item::rename_item(
            desk,
            (*kind, item),
            id,
            (desk.effective_source(*source), *author),
        ),
        PersonCommand::Run(asked) => run_tool_for_person(desk, asked),
        PersonCommand::Chain { item } => run::show_chain(desk, item),
        PersonCommand::Lock(asked) => run::lock(desk, asked),
        PersonCommand::Prepare { item } => run::prepare(desk, item),
        PersonCommand::Why { kind, item } => why::explain_choice(desk, *kind, item),
        PersonCommand::Index(how) => index::index(desk, *how),
        PersonCommand::Proposals => review::list_pending(desk),
        PersonCommand::Review { proposal, decision: verdict } => {
            review::review(desk, proposal, *verdict)
        }
        PersonCommand::Sign(SignCommand::Plan(selection)) => sign::plan_signing(desk, selection),
        PersonCommand::Sign(SignCommand::Sign { items: chosen, staging: stage }) => {
            sign::sign_chosen(desk, chosen, *stage)
        }
        PersonCommand::Doctor(repair) => doctor::diagnose(desk, *repair),
        PersonCommand::Graph(asked) => graph::execute_graph_command(desk, asked),
        PersonCommand::Verify(asked) => verify::verify(desk, asked),
        PersonCommand::Work(asked) => work::begin_work(desk, asked),
        PersonCommand::Team(asked) => team::execute_team_command(desk, asked),
        PersonCommand::Join(asked) => team::join(desk, asked),
        PersonCommand::Model(asked) => models::run_command(desk, asked),
        PersonCommand::CheckConfig => Ok(check_config(desk.context)),
        PersonCommand::Store(_) | PersonCommand::Keys(_) | PersonCommand::Trust(_) => {
            Ok(crate::error::panic_reply())
        }
    }
}

/// Runs a tool for a person.
fn run_tool_for_person(desk: &ItemCall<'_>, asked: &RunTool) -> Result<Draft, ToolError> {
    let RunTool {
        item,
        parameters,
        typed_parameters: texts,
        lockfile_policy: locking,
        unsigned_policy: unsigned,
        dry_run,
    } = asked;
    let mode = if *dry_run { ExecutionMode::DryRun } else { ExecutionMode::Real };
    let (locking, unsigned) = (*locking, *unsigned);
    run::run_tool(
        desk,
        &RunRequest { item, parameters: (parameters, texts), locking, unsigned, mode },
    )
}
