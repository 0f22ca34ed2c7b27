//! What replies say about a chain and its links.
//!
//! Nothing is run here, and values are masked before they are shown.

use mere_core::chain::{Chain, HostReach, ToolGrant};
use mere_core::digest::{Fidelity, ShownDigest};
use mere_core::item::{ItemRef, PinnedTool, ProjectAccess};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};

use super::links::ListedLinks;
use super::ready::{Ready, ReadyRequest, ReadySession};

/// Returns the reply of a dry run, in which everything was done except running the tool.
pub(super) fn dry_run_reply(ready: &Ready) -> Draft {
    let linked = ready.locked().linked();
    let chain = linked.chain();
    let argv = ready.subprocess.argv.iter();
    let argv =
        argv.map(|one| Data::from(Content::mention(crate::files::masking::mask_secrets(one))));
    let names = ready.environment.iter().map(|(name, _)| Data::from(Content::mention(name)));
    let data = Fields::default()
        .with("dry_run", true)
        .with("chain", link_list(linked.listed()))
        .with("argv", argv.collect::<Data>())
        .with("environment", names.collect::<Data>())
        .with("granted", grant_fields(ready.granted().grant()))
        .with("timeout_s", ready.subprocess.timeout.as_secs())
        .with_some("lockfile", ready.locked().lockfile().cloned());
    let message = chain_title(chain).and(" It would run; this is a dry run.");
    Draft::success(codes::RUN_DRY, message).data(data)
}

/// Returns the reply to a dry run of a request. Values are not shown, because they may be secret.
pub(super) fn dry_request_reply(ready: &ReadyRequest) -> Draft {
    let chain = ready.locked().linked().chain();
    let request = &ready.request;
    let names = request.headers.iter().map(|(name, _)| Data::from(Content::mention(name.clone())));
    let data = Fields::default()
        .with("chain", link_list(ready.locked().linked().listed()))
        .with("method", request.method.as_str())
        .with("host", Data::Words(request.url.endpoint().to_string().into()))
        .with("headers", names.collect::<Data>())
        .with("granted", grant_fields(ready.granted().grant()))
        .with("timeout_s", request.timeout.as_secs())
        .with_some("lockfile", ready.locked().lockfile().cloned());
    let message = chain_title(chain).and(" It would run; this is a dry run.");
    Draft::success(codes::RUN_DRY, message).data(data)
}

/// Returns the reply to a dry run of a session with a server on the web. Values are not shown.
pub(super) fn dry_session_reply(ready: &ReadySession) -> Draft {
    let chain = ready.locked().linked().chain();
    let headers = ready.server.endpoint.headers.iter();
    let names = headers.map(|(name, _)| Data::from(Content::mention(name.clone())));
    let host = ready.server.endpoint.url.endpoint().to_string();
    let data = Fields::default()
        .with("chain", link_list(ready.locked().linked().listed()))
        .with("host", Data::Words(host.into()))
        .with("headers", names.collect::<Data>())
        .with("granted", grant_fields(ready.granted().grant()))
        .with("timeout_s", ready.server.timeout.as_secs())
        .with_some("lockfile", ready.locked().lockfile().cloned());
    let message = chain_title(chain).and(" It would run; this is a dry run.");
    Draft::success(codes::RUN_DRY, message).data(data)
}

/// Returns what was granted, as replies list it.
pub(crate) fn grant_fields(grant: &ToolGrant) -> Fields {
    let of_reach = |reach| {
        let hosts = grant.hosts.iter().filter(move |one| one.reach == reach);
        hosts.map(|one| Data::Words(one.target.to_string().into())).collect::<Data>()
    };
    let secrets = grant.secrets.iter().map(|name| Data::Words(name.to_string().into()));
    Fields::default()
        .with("project", grant.project.map(ProjectAccess::as_str))
        .with("net", of_reach(HostReach::Public))
        .with("net_private", of_reach(HostReach::Private))
        .with("secrets", secrets.collect::<Data>())
}

/// Returns the links of a chain as results list them.
pub(crate) fn link_list(links: ListedLinks<'_>) -> Data {
    links.into_iter().map(|(pin, fidelity)| Data::from(link_fields(pin, fidelity))).collect()
}

/// Returns what a result says about one link to somebody who sees its files like this.
pub(crate) fn link_fields(pin: &PinnedTool, fidelity: Fidelity) -> Fields {
    Fields::default()
        .with("tool_id", Data::Words(pin.id.to_string().into()))
        .with("version", Data::Words(pin.version.to_string().into()))
        .with("scope", pin.scope.map_or("builtin", mere_core::item::Scope::name))
        .with("category", ParsedName::from(&pin.category))
        .with("integrity", ShownDigest::if_exact(pin.integrity, fidelity))
}

/// Returns the id of a link's executor.
pub(crate) fn executor_data(pin: &PinnedTool) -> Data {
    pin.executor.as_ref().map_or(Data::Null, |id| Data::Words(id.to_string().into()))
}

/// Returns the chain in one line, from the tool to what is built in.
fn chain_title(chain: &Chain) -> Prose {
    links_title(chain.pins())
}

/// Returns links in one line.
pub(crate) fn links_title<'a>(pins: impl Iterator<Item = &'a PinnedTool>) -> Prose {
    let mut message = Prose::words("");
    for (number, pin) in pins.enumerate() {
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
