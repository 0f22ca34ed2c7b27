//! What a call needs to change items: with the spaces as they were when it began, or as they are once
//! it has made one.

use super::Session;
use super::dispatch::PermittedCall;
use crate::commands::ItemStep;
use crate::error::tool_error::ToolError;
use crate::items::{ItemCall, ItemReader};

impl Session {
    /// Returns what a call that changes items needs.
    pub(super) fn item_call<'a>(
        &'a self,
        call: &PermittedCall<'a>,
        items: ItemReader<'a>,
        is_cancelled: &'a dyn Fn() -> bool,
    ) -> Result<ItemCall<'a>, ToolError> {
        let PermittedCall { request, snapshot, .. } = call;
        Ok(ItemCall {
            items,
            context: &self.context,
            agents: snapshot.agents()?,
            item_rules: snapshot.item_rules()?,
            passphrase: request.key_passphrase.as_ref(),
            is_cancelled,
        })
    }

    /// Takes a step of a call with the configuration and the spaces as they are now, because the
    /// call has made a space.
    pub(super) fn with_current_spaces(
        &self,
        call: &PermittedCall<'_>,
        is_cancelled: &dyn Fn() -> bool,
        step: &mut ItemStep<'_>,
    ) -> Result<(), ToolError> {
        self.refresh();
        let (request, snapshot) = (call.request, self.snapshot());
        let call = PermittedCall { request, snapshot: &snapshot, run: call.run.clone() };
        let view = self.view(&snapshot, &request.caller, call.run.clone())?;
        let sources = self.item_sources(&snapshot)?;
        let (trust_policy, reader) = (snapshot.trust_policy()?, request.caller.reader);
        let items = ItemReader { view: &view, sources: &sources, trust_policy, reader };
        step(&self.item_call(&call, items, is_cancelled)?)
    }
}
