//! What replies say about a chain: its links, and the config that they add up to.
//!
//! Nothing is run here, and values are masked before they are shown.

use mere_core::chain::Chain;
use mere_core::item::ItemRef;
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::LockfilePolicy;
use serde_json::Value;

use super::RunError;
use super::links::{Linked, ShownChain};
use super::lock::Locked;
use super::ready::Ready;
use crate::error::tool_error::ToolError;
use crate::items::reply_fields::mask_value;
use crate::items::{ItemCall, trust_status_fields};

/// `mere chain`: shows the links of a tool with their trust, the merged config, and whether the
/// chain is pinned.
pub(crate) fn show_chain(desk: &ItemCall<'_>, item: &ItemRef) -> Result<Draft, ToolError> {
    let shown = ShownChain::follow(desk, item)?;
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
    let linked = Linked::permit(desk, shown).map_err(ToolError::from);
    let locked = linked.and_then(|one| Locked::check(desk, one, LockfilePolicy::Optional));
    let (lockfile, trouble) = match locked {
        Ok(locked) => (locked.lockfile().cloned(), None),
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
    let chain = ready.locked().linked().chain();
    let argv = ready.subprocess.argv.iter();
    let argv = argv.map(|one| Data::from(Content::mention(crate::items::mask_secrets(one))));
    let names = ready.environment.iter().map(|(name, _)| Data::from(Content::mention(name)));
    let data = Fields::default()
        .with("dry_run", true)
        .with("chain", link_list(chain))
        .with("argv", argv.collect::<Data>())
        .with("environment", names.collect::<Data>())
        .with("timeout_s", ready.subprocess.timeout.as_secs())
        .with_some("lockfile", ready.locked().lockfile().cloned());
    let message = chain_title(chain).and(" It would run; this is a dry run.");
    Draft::success(codes::RUN_DRY, message).data(data)
}

/// Returns the links of a chain as results list them.
pub(super) fn link_list(chain: &Chain) -> Data {
    chain.pins().map(|pin| Data::from(link_fields(pin))).collect()
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

fn chain_title(chain: &Chain) -> Prose {
    let mut message = Prose::words("");
    for (number, pin) in chain.pins().enumerate() {
        if number > 0 {
            message = message.and(" → ");
        }
        let category = Some(pin.category.clone()).filter(|category| !category.is_empty());
        let tool = ItemRef { category, id: pin.id.clone(), version: None };
        // A tool without a scope is built into the binary.
        message = match pin.scope {
            Some(_) => message.name(ParsedName::from(&tool)),
            None => message.and(pin.id.to_string()),
        };
    }
    message.and(".")
}
