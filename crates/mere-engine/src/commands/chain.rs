//! `mere chain`: shows how a tool would be run, and runs nothing.

use mere_core::item::ItemRef;
use mere_core::reply::{Content, Data, Draft, Fields, codes};
use mere_core::request::LockfilePolicy;
use serde_json::Value;

use crate::error::tool_error::ToolError;
use crate::error::tool_error_reply;
use crate::files::masking::mask_value;
use crate::items::trust_status_fields;
use crate::run::show::{chain_title, executor_data, link_fields};
use crate::run::{Linked, Locked, RunCall, RunError, ShownChain};

/// `mere chain`: shows the links of a tool with their trust, the merged config, and whether the
/// chain is pinned.
pub(crate) fn show_chain(call: &RunCall<'_>, item: &ItemRef) -> Result<Draft, ToolError> {
    let shown = ShownChain::follow(&call.items, item)?;
    let config = shown.chain().config().map_err(RunError::Config)?;
    let config = Value::Object(config.value().clone());
    let trusted = shown.chain().pins().zip(shown.links()).map(|(pin, link)| {
        let trust = link
            .as_ref()
            .map_or_else(|| Fields::default().with("status", "builtin"), trust_status_fields);
        Data::from(link_fields(pin).with("executor", executor_data(pin)).with("trust", trust))
    });
    let trusted = trusted.collect::<Data>();
    let title = chain_title(shown.chain());
    // A chain that would be refused is still shown.
    let linked = Linked::permit(&call.items, shown).map_err(ToolError::from);
    let locked = linked.and_then(|one| Ok(Locked::check(call, one, LockfilePolicy::Optional)?));
    let (lockfile, trouble) = match locked {
        Ok(locked) => (locked.lockfile().cloned(), None),
        Err(error) => (None, Some(tool_error_reply(&error).message().render_for_person())),
    };
    let data = Fields::default()
        .with("chain", trusted)
        .with(
            "config",
            Data::from_foreign(&mask_value(&config), &mut |text| Content::mention(text)),
        )
        .with_some("lockfile", lockfile)
        .with_some("refused", trouble.map(Content::mention));
    Ok(Draft::success(codes::CHAIN, title).data(data))
}
