//! What replies say about a chain: its links, and the config that they add up to.
//!
//! Nothing is run here, and values are masked before they are shown.

use mere_core::item::ItemRef;
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::LockfilePolicy;
use serde_json::Value;

use super::RunError;
use super::links::{LinkRequirement, Linked};
use super::lock::Locked;
use super::ready::Ready;
use crate::error::tool_error::ToolError;
use crate::items::load::item_name;
use crate::items::reply_fields::mask_value;
use crate::items::{CheckedItem, ItemCall};

/// `mere chain`: shows the links of a tool with their trust, the merged config, and whether the
/// chain is pinned.
pub(crate) fn show_chain(desk: &ItemCall<'_>, item: &ItemRef) -> Result<Draft, ToolError> {
    let linked = Linked::follow(desk, item, LinkRequirement::ToShow)?;
    let config = linked.chain.config().map_err(RunError::Config)?;
    let config = Value::Object(config.value().clone());
    let trusted = linked.chain.pins().zip(&linked.checked_items).map(|(pin, opened)| {
        let trust = opened
            .as_ref()
            .map_or_else(|| Fields::default().with("status", "builtin"), CheckedItem::trust_fields);
        Data::from(link_fields(pin).with("executor", executor_data(pin)).with("trust", trust))
    });
    let trusted = trusted.collect::<Data>();
    let title = chain_title(&linked);
    // A chain that would be refused is still shown.
    let permitted = linked.permit_run().map_err(ToolError::from);
    let locked = permitted.and_then(|()| Locked::check(desk, linked, LockfilePolicy::Optional));
    let (lockfile, trouble) = match locked {
        Ok(locked) => (locked.lockfile, None),
        Err(error) => {
            (None, Some(crate::error::tool_error_reply(&error).message().render_for_person()))
        }
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

/// Returns the reply of a dry run, in which everything was done except running the tool.
pub(super) fn dry_run_reply(ready: &Ready) -> Draft {
    let linked = &ready.locked.linked;
    let argv = ready.subprocess.argv.iter();
    let argv = argv.map(|one| Data::from(Content::mention(crate::items::mask_secrets(one))));
    let names = ready.environment.iter().map(|(name, _)| Data::from(Content::mention(name)));
    let data = Fields::default()
        .with("dry_run", true)
        .with("chain", link_list(linked))
        .with("argv", argv.collect::<Data>())
        .with("environment", names.collect::<Data>())
        .with("timeout_s", ready.subprocess.timeout.as_secs())
        .with_some("lockfile", ready.locked.lockfile.clone());
    let message = chain_title(linked).and(" It would run; this is a dry run.");
    Draft::success(codes::RUN_DRY, message).data(data)
}

/// Returns the links of a chain as results list them.
pub(super) fn link_list(linked: &Linked) -> Data {
    linked.chain.pins().map(|pin| Data::from(link_fields(pin))).collect()
}

fn link_fields(pin: &mere_core::item::PinnedTool) -> Fields {
    Fields::default()
        .with("tool_id", Data::Words(pin.id.to_string().into()))
        .with("version", Data::Words(pin.version.to_string().into()))
        .with("scope", pin.scope.map_or("builtin", mere_core::item::Scope::name))
        .with("category", ParsedName::from(&pin.category))
        .with("integrity", pin.integrity)
}

fn executor_data(pin: &mere_core::item::PinnedTool) -> Data {
    pin.executor.as_ref().map_or(Data::Null, |id| Data::Words(id.to_string().into()))
}

fn chain_title(linked: &Linked) -> Prose {
    let mut message = Prose::words("");
    for (number, pin) in linked.chain.pins().enumerate() {
        if number > 0 {
            message = message.and(" → ");
        }
        message = match linked.checked_items.get(number).and_then(Option::as_ref) {
            Some(opened) => message.name(item_name(&opened.loaded.place)),
            None => message.and(pin.id.to_string()),
        };
    }
    message.and(".")
}
