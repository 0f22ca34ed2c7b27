//! The sentences for what was not published or withdrawn.

use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};

use crate::registry::{PublishFinding, RegistryError};

/// Answers what cannot be published or withdrawn.
pub(super) fn publish_refusal_reply(error: &RegistryError) -> Draft {
    match error {
        RegistryError::NotOwn(address) => {
            let message = Prose::words("").address(address.clone());
            Draft::invalid(codes::PUBLISH_UNSIGNED, message.and(" is not signed by your own key."))
                .hint("Only what the user vouches for is published. Ask a person to run `mere sign`.")
        }
        RegistryError::Private { address, findings } => {
            let message = Prose::words("").address(address.clone());
            let message =
                message.and(" contains what must not leave this machine. Nothing was sent.");
            let findings = findings.iter().map(finding_fields).collect::<Data>();
            Draft::invalid(codes::PUBLISH_PRIVATE, message)
                .hint("Take it out and sign the item again.")
                .data(Fields::default().with("findings", findings))
        }
        RegistryError::NoNamespace => Draft::invalid(
            codes::PUBLISH_NAMESPACE,
            "It is not clear which namespace is meant.",
        )
        .hint(
            "Ask a person to run `mere login URL --namespace NS` for a default; `mere publish` takes \
             `--namespace`, too.",
        ),
        RegistryError::NoQualifiedName => Draft::invalid(
            codes::PUBLISH_NAMESPACE,
            "An item of a registry is named with its namespace.",
        )
        .hint("Write it as NAMESPACE/ID; `search` with `source: registry` finds it."),
        RegistryError::Unconfirmed => Draft::invalid(
            codes::PUBLISH_CONFIRM,
            "Publishing cannot be undone. Nothing was sent.",
        )
        .hint("Pass `confirm: true` if it is meant; `dry_run: true` shows what would be sent."),
        _ => Draft::invalid(codes::YANK_VERSION, "The version to withdraw must be named.")
            .hint("Write it as NAMESPACE/ID@VERSION."),
    }
}

fn finding_fields(finding: &PublishFinding) -> Data {
    Fields::default()
        .with("path", Content::mention(finding.path.clone()))
        .with("line", finding.line as u64)
        .with("what", finding.what.words())
        .into()
}
