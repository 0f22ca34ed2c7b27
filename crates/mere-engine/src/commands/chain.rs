//! `mere chain`: shows how a tool would be run, and runs nothing.

use mere_core::address::Address;
use mere_core::item::ItemRef;
use mere_core::reply::{Content, Data, Draft, Fields, codes};
use mere_core::request::LockfilePolicy;
use serde_json::{Map, Value};

use crate::error::tool_error::ToolError;
use crate::error::tool_error_reply;
use crate::files::masking::mask_value;
use crate::run::show::{executor_data, link_fields, links_title};
use crate::run::{
    DrawnChain, DrawnLink, Linked, Locked, RunCall, RunError, ShownChain, builtin_links,
};

/// `mere chain`: shows the links of a tool with their trust, the merged config, and whether the
/// chain is pinned. A chain that would be refused is still drawn, as far as it goes.
pub(crate) fn show_chain(call: &RunCall<'_>, item: &ItemRef) -> Result<Draft, ToolError> {
    if let Some(links) = builtin_links(item) {
        return Ok(show_builtin(links));
    }
    let DrawnChain { links, chain } = DrawnChain::follow(&call.items, item)?;
    let title = links_title(links.iter().map(|link| &link.pin));
    let links = link_data(links);
    let merged = chain.as_ref().ok().and_then(|shown| shown.chain().config().ok());
    let config = merged.map_or_else(Map::new, |config| config.value().clone());
    let (lockfile, trouble) =
        match chain.map_err(ToolError::from).and_then(|shown| pin(call, shown)) {
            Ok(lockfile) => (lockfile, None),
            Err(error) => (None, Some(tool_error_reply(&error).message().render_for_person())),
        };
    let config = mask_value(&Value::Object(config));
    let data = Fields::default()
        .with("chain", links)
        .with("config", Data::from_foreign(&config, &mut |text| Content::mention(text)))
        .with_some("lockfile", lockfile)
        .with_some("refused", trouble.map(Content::mention));
    Ok(Draft::success(codes::CHAIN, title).data(data))
}

/// Shows a tool that is built into the binary, which nobody runs by itself.
fn show_builtin(links: Vec<DrawnLink>) -> Draft {
    let title = links_title(links.iter().map(|link| &link.pin));
    let data = Fields::default()
        .with("chain", link_data(links))
        .with("config", Fields::default())
        .with("refused", "It ships with Merestone and runs other tools; it is not run by itself.");
    Draft::success(codes::CHAIN, title).data(data)
}

fn link_data(links: Vec<DrawnLink>) -> Data {
    let links = links.into_iter().map(|DrawnLink { pin, trust, fidelity }| {
        let trust = trust.unwrap_or_else(|| Fields::default().with("status", "builtin"));
        let fields = link_fields(&pin, fidelity).with("executor", executor_data(&pin));
        Data::from(fields.with("trust", trust))
    });
    links.collect()
}

/// Returns the lockfile that pins a chain, if the chain would run.
fn pin(call: &RunCall<'_>, shown: ShownChain) -> Result<Option<Address>, ToolError> {
    shown.chain().config().map_err(RunError::Config)?;
    let linked = Linked::permit(&call.items, shown)?;
    let locked = Locked::check(call, linked, LockfilePolicy::Optional)?;
    Ok(locked.lockfile().cloned())
}
