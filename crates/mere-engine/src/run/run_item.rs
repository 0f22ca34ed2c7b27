//! Running an item of any type that can be run: a tool through its chain, a directive or a knowledge
//! entry for an agent to follow or read.

use mere_core::item::{Item, ItemType};
use mere_core::reply::Draft;
use mere_core::request::{Execute, LockfilePolicy, LookupScope, Reader, RunItem, UnsignedPolicy};
use mere_core::schema::input_schema;

use super::directive::{OpenedItem, run_directive, run_knowledge, run_skill};
use super::inputs::check_inputs;
use super::{RunCall, RunError, RunRequest, run_tool};
use crate::items::change::ExecutionMode;
use crate::items::find::NamedItem;
use crate::items::item_fidelity::ItemFidelity;
use crate::items::version_check::{note_version, use_advice};
use crate::items::{ItemError, LoadedItem, open_for_use};
use crate::search::SearchContext;
use crate::search::relations::relationships;

/// Runs a tool, or prepares a directive or knowledge entry for an agent to follow or read.
pub(crate) fn run_item(
    call: &RunCall<'_>,
    search: &SearchContext<'_>,
    request: &Execute,
    inputs: &RunItem,
) -> Result<Draft, RunError> {
    let parameters = &inputs.parameters;
    if request.kind == ItemType::Tool {
        let mode = ExecutionMode::from(request);
        let (locking, unsigned) = (LockfilePolicy::Optional, UnsignedPolicy::Refuse);
        return run_tool(
            call,
            &RunRequest {
                item: &request.item,
                parameters: (parameters, &[]),
                locking,
                unsigned,
                mode,
                replay: None,
                remote_tools: None,
            },
        );
    }
    if !matches!(request.kind, ItemType::Directive | ItemType::Knowledge) {
        return Err(ItemError::NotRunnable(request.kind).into());
    }
    let (kind, item, source) = (request.kind, &request.item, LookupScope::Local);
    let found = call.items.find_for_use(NamedItem { kind, item, source })?;
    let usable = open_for_use(&call.items, found.place)?;
    let age = note_version(call.items.trust_policy, usable.checked());
    let fidelity = ItemFidelity::examine(call.items.view, usable.item());
    let opens_run = call.items.reader == Reader::Agent && !request.dry_run;
    let open_run = |loaded: &LoadedItem| {
        let directive = match &loaded.item {
            Item::Directive(directive) => Some(&**directive),
            _ => None,
        };
        opens_run.then(|| (call.open_run)(&loaded.place, directive))
    };
    let opened = OpenedItem { usable, fidelity, age, beside: found.beside, open_run: &open_run };
    let usable = &opened.usable;
    let draft = match &usable.item().item {
        Item::Directive(directive) => run_directive(&call.items, &opened, directive, parameters),
        Item::Knowledge(entry) => {
            check_inputs(usable.item(), &input_schema(None, &[]), parameters)?;
            let walk = inputs.relationships.as_ref();
            let related = walk.map(|walk| relationships(search, &usable.item().place, walk));
            run_knowledge(&call.items, &opened, entry, related.transpose()?.flatten())
        }
        _ => run_skill(&call.items, &opened, parameters),
    }?;
    Ok(match use_advice(usable.checked(), call.items.trust_policy, &opened.age) {
        Some(advice) => draft.hint(advice),
        None => draft,
    })
}
