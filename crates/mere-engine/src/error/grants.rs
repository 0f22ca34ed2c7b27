//! The sentences for tools that ask for more than they were granted.

use mere_core::address::NetworkTarget;
use mere_core::chain::grant_options;
use mere_core::item::{ItemRef, ProjectAccess, ToolPermissions};
use mere_core::network::NetworkDenial;
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};

use mere_host::RefusedHost;

use super::run::location_fields;
use crate::files::masking::mask_secrets;

/// Returns what a tool asks for, or what it was not granted, as data.
pub(crate) fn permission_fields(asked: &ToolPermissions) -> Fields {
    let texts = |list: Vec<String>| list.into_iter().map(|one| Data::Words(one.into()));
    let hosts = asked.hosts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let secrets = asked.secrets.iter().map(ToString::to_string).collect::<Vec<_>>();
    Fields::default()
        .with("project", asked.project.map(ProjectAccess::as_str))
        .with("net", texts(hosts).collect::<Data>())
        .with("secrets", texts(secrets).collect::<Data>())
}

/// Describes what a tool asks for in plain words, such as "to read the project".
pub(crate) fn describe_permissions(asked: &ToolPermissions) -> String {
    let project = asked.project.map(|access| match access {
        ProjectAccess::Read => "to read the project".to_owned(),
        ProjectAccess::Propose => "to read the project and propose changes to it".to_owned(),
    });
    let list = |what: &str, names: Vec<String>| {
        (!names.is_empty()).then(|| format!("{what} {}", names.join(", ")))
    };
    let hosts = asked.hosts.iter().map(ToString::to_string).collect();
    let secrets = asked.secrets.iter().map(ToString::to_string).collect();
    let parts = [project, list("to connect to", hosts), list("to be given the secrets", secrets)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Answers a run of a tool that asks for more than a person granted.
pub(super) fn not_granted_reply(tool: &ItemRef, missing: &ToolPermissions) -> Draft {
    let message = Prose::words("The tool `")
        .name(ParsedName::from(tool))
        .and(format!("` asks {}. ", describe_permissions(missing)))
        .and("Nobody has granted that here, so nothing was run.");
    let hint = Prose::words("Ask a person to run `mere grant ")
        .name(ParsedName::from(tool))
        .and(format!("{}`; only a person can grant it.", grant_options(missing)));
    let data = Fields::default()
        .with("tool", ParsedName::from(tool))
        .with("missing", permission_fields(missing));
    Draft::denied(codes::RUN_UNGRANTED, message).hint(hint).data(data)
}

/// Answers a request to a host that a tool may not connect to.
pub(super) fn refused_host_reply(
    tool: &ItemRef,
    refused: &RefusedHost,
    target: Option<&NetworkTarget>,
) -> Draft {
    let RefusedHost { endpoint, denial } = refused;
    let message = Prose::words("The tool `").name(ParsedName::from(tool));
    let private = target.filter(|_| *denial == NetworkDenial::PrivateAddress);
    let host = || Content::mention(endpoint.to_string());
    let message = message.and("` would connect to `").content(host()).and(match private {
        Some(_) => {
            "`, which leads to a private address. It was granted as a public host, so nothing was \
             sent."
        }
        None => "`, which was not granted. Nothing was sent.",
    });
    let hint = if let Some(target) = private {
        Prose::words("Ask a person to run `mere grant ")
            .name(ParsedName::from(tool))
            .and(format!(" --net-private {target}`; only a person can grant it."))
    } else {
        Prose::words(
            "A tool reaches only the hosts that its manifest lists under `permissions.net` and \
             that the user has granted.",
        )
    };
    let data = Fields::default()
        .with("tool", ParsedName::from(tool))
        .with("refused_hosts", Data::from_iter([Data::from(host())]));
    Draft::denied(codes::RUN_HOST, message).hint(hint).data(data)
}

/// Answers a run of a tool that asks for an environment variable which tools are not given.
pub(super) fn variable_reply(variable: &str, name: &str) -> Draft {
    let message = Prose::words("The tool asks for the environment variable `")
        .content(Content::mention(mask_secrets(name)))
        .and("`, which it has not been granted. Nothing was run.");
    Draft::denied(codes::RUN_UNGRANTED, message)
        .hint(
            "To give it to tools, the user sets `sandbox: {env: [NAME]}` in their own config.yaml.",
        )
        .data(location_fields(None, format!("env_config.{variable}")))
}
