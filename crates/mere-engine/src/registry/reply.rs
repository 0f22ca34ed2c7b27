//! The replies about what was installed.

use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};

use super::install::InstalledItem;
use super::pull::PulledItems;

/// Drafts the reply to an installation.
pub(crate) fn pulled_reply(pulled: &PulledItems) -> Draft {
    let warnings = pulled.warnings.iter().cloned().map(Content::mention).map(Data::from);
    let data = Fields::default()
        .with("items", pulled.installed.iter().map(installed_fields).collect::<Data>())
        .with("warnings", warnings.collect::<Data>());
    let Some(requested) = pulled.requested() else {
        return Draft::success(codes::PULL_UNCHANGED, "Nothing was installed.").data(data);
    };
    let message = Prose::words("").address(requested.address.clone());
    if pulled.has_changes() {
        let message = message.and(format!(" is installed in version {}.", requested.version));
        Draft::success(codes::PULLED, message).data(data)
    } else {
        let message = message.and(format!(" is version {} already.", requested.version));
        Draft::success(codes::PULL_UNCHANGED, message).data(data)
    }
}

/// Returns what became of one item.
pub(crate) fn installed_fields(item: &InstalledItem) -> Data {
    Fields::default()
        .with("item_type", item.place.kind.name())
        .with("address", item.address.clone())
        .with("version", Data::Words(item.version.to_string().into()))
        .with("state", item.state.word())
        .into()
}
