//! The commands that share items through a registry.
//!
//! What they do is in the room `registry`; here a tool that was installed also gets its lockfile,
//! which pins what was installed together.

use mere_core::item::{ItemRef, ItemType};
use mere_core::reply::{Draft, Prose};
use mere_core::request::{LookupScope, RegistryAction, RegistryCommand};

use super::CommandCall;
use super::example_items::shared_examples;
use super::lock::pin_installed;
use crate::error::tool_error::ToolError;
use crate::error::{registry_error_reply, tool_error_reply};
use crate::items::ItemCall;
use crate::policy::RegistryUse;
use crate::registry::{
    MirrorRequest, PublishCall, PulledItems, RegistryError, installed_reply, list_outdated, log_in,
    log_out, mirror, publish, publish_examples, pull, pulled_reply, update, yank,
};
use crate::space::ItemChangeError;

/// Executes a person's command about a registry.
pub(super) fn execute_registry_command(
    call: &CommandCall<'_>,
    command: &RegistryCommand,
) -> Result<Draft, ToolError> {
    let default = call.registry_choice(RegistryUse::Publish).map_err(ItemChangeError::from)?;
    let choice = default.or_named(command.registry.as_deref());
    Ok(match &command.action {
        RegistryAction::Login(login) => log_in(choice, login)?,
        RegistryAction::Logout => log_out(choice)?,
        RegistryAction::Publish(request) => {
            let (items, agent_gate) = (call.change, call.agent_gate);
            publish(&PublishCall { choice, items, agent_gate }, request)?
        }
        RegistryAction::PublishExamples { scope, login } => {
            let scope = call.change.effective_scope(*scope);
            let (items, agent_gate) = (call.change, call.agent_gate);
            let examples = shared_examples(scope);
            let source = LookupScope::Only(scope);
            publish_examples(
                &PublishCall { choice, items, agent_gate },
                (&examples, source),
                login,
            )?
        }
        RegistryAction::Pull(request) => {
            let pulled = pull(choice, call.change, request)?;
            with_lockfile(call, &pulled, pulled_reply(&pulled))
        }
        RegistryAction::Outdated => {
            installed_reply(&list_outdated(choice, call.change)?, &describe_error)
        }
        RegistryAction::Update { only } => {
            let (installed, pulled) = update(choice, call.change, only.as_ref())?;
            let draft = installed_reply(&installed, &describe_error);
            pulled.iter().fold(draft, |draft, pulled| with_lockfile(call, pulled, draft))
        }
        RegistryAction::Yank { kind, item } => yank(choice, *kind, item)?,
        RegistryAction::Mirror { folder, namespace } => {
            let (namespace, is_cancelled) = (namespace.as_ref(), call.change.is_cancelled);
            mirror(choice, &MirrorRequest { folder, namespace, is_cancelled })?
        }
    })
}

/// Pins the chain of a tool that was installed, maybe in a space that was made for it. That it
/// cannot be pinned does not undo the installation; the reply says why.
pub(crate) fn with_lockfile(call: &CommandCall<'_>, pulled: &PulledItems, draft: Draft) -> Draft {
    let Some(tool) = pulled.requested().filter(|item| item.place.kind == ItemType::Tool) else {
        return draft;
    };
    if !pulled.has_changes() {
        return draft;
    }
    let category = Some(tool.place.category.clone());
    let item = ItemRef { category, id: tool.place.id.clone(), version: None };
    let pin = &mut |call: &ItemCall<'_>| pin_installed(call, &item, tool.place.scope).map(drop);
    match (call.with_current_spaces)(pin) {
        Ok(()) => draft,
        Err(error) => {
            let why = tool_error_reply(&error).message().render_for_person();
            draft.hint(Prose::words(format!("The tool was not pinned by a lockfile: {why}")))
        }
    }
}

/// Returns the sentence for why an item was not updated.
fn describe_error(error: &RegistryError) -> String {
    registry_error_reply(error).message().render_for_person()
}
