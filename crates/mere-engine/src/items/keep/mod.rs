//! What a person does with items. No agent can ask for any of this.

mod anchor;
mod anchoring;
mod attributes;
mod config;
mod difference;
mod doctor;
mod graph;
mod index;
mod init;
mod judged;
mod links;
mod list;
mod memory;
mod review;
mod select;
mod sign;
mod team;
mod verify;
mod waiting;
mod why;
mod work;

use mere_core::item::{ItemType, MemoryPath};
use mere_core::reply::Draft;
use mere_core::request::{Keep, RunTool, Sign};

use super::chain::{self, Ask};
use super::change::{Desk, Mode};
use crate::models;
use crate::tool_error::ToolError;

pub(super) use anchor::copy;
pub(super) use anchoring::{arrived, bytes_of, seal_files};
pub(crate) use config::check as check_config;
pub(super) use memory::delete as delete_memory;
pub(crate) use team::TeamFault;

/// Does what a person asks for.
pub(crate) fn keep(desk: &Desk<'_>, asked: &Keep) -> Result<Draft, ToolError> {
    match asked {
        Keep::Init(asked) => init::init(desk, *asked),
        Keep::New { kind: ItemType::Memory, item, scope, .. } => {
            memory::new(desk, item, desk.scope(*scope))
        }
        Keep::Move { kind: ItemType::Memory, item, category, source, .. } => {
            let to = |from| MemoryPath { category: category.clone(), ..from };
            memory::relocate(desk, (item, desk.source(*source)), to)
        }
        Keep::Rename { kind: ItemType::Memory, item, id, source, .. } => {
            let to = |from| MemoryPath { slug: id.clone(), ..from };
            memory::relocate(desk, (item, desk.source(*source)), to)
        }
        Keep::New { kind, item, scope, form } => {
            anchor::new(desk, (*kind, item), (desk.scope(*scope), *form))
        }
        Keep::List(listing) => list::list(desk, listing),
        Keep::Copy { kind, item, to, author } => {
            anchor::copy_named(desk, (*kind, item), (*to, *author))
        }
        Keep::Move { kind, item, category, source, author } => {
            let how = (desk.source(*source), *author);
            anchor::change_category(desk, (*kind, item), category, how)
        }
        Keep::Rename { kind, item, id, source, author } => {
            anchor::rename(desk, (*kind, item), id, (desk.source(*source), *author))
        }
        Keep::Run(asked) => run_tool(desk, asked),
        Keep::Chain { item } => chain::show(desk, item),
        Keep::Lock(asked) => chain::lock(desk, asked),
        Keep::Prepare { item } => chain::prepare(desk, item),
        Keep::Why { kind, item } => why::why(desk, *kind, item),
        Keep::Index(how) => index::index(desk, *how),
        Keep::Proposals => review::list(desk),
        Keep::Review { proposal, verdict } => review::review(desk, proposal, *verdict),
        Keep::Sign(Sign::Plan(selection)) => sign::plan(desk, selection),
        Keep::Sign(Sign::Seal { chosen, stage }) => sign::seal(desk, chosen, *stage),
        Keep::Doctor(repair) => doctor::doctor(desk, *repair),
        Keep::Graph(asked) => graph::graph(desk, asked),
        Keep::Verify(asked) => verify::verify(desk, asked),
        Keep::Work(asked) => work::work(desk, asked),
        Keep::Team(asked) => team::team(desk, asked),
        Keep::Join(asked) => team::join(desk, asked),
        Keep::Model(asked) => models::command(desk, asked),
        Keep::CheckConfig => Ok(check_config(desk.context)),
        Keep::Store(_) | Keep::Keys(_) | Keep::Trust(_) => Ok(crate::wording::panicked()),
    }
}

/// Runs a tool for a person.
fn run_tool(desk: &Desk<'_>, asked: &RunTool) -> Result<Draft, ToolError> {
    let RunTool { item, parameters, texts, locking, unsigned, dry_run } = asked;
    let mode = if *dry_run { Mode::Dry } else { Mode::Really };
    let (locking, unsigned) = (*locking, *unsigned);
    chain::run(desk, &Ask { item, given: (parameters, texts), locking, unsigned, mode })
}
