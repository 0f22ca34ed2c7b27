//! Withdrawing a version: it is hidden, and the log says so for ever.

use mere_core::item::ItemType;
use mere_core::log::{LoggedEvent, RegistryEvent};
use mere_core::registry::{ApiPath, PublishedReference, RegistryItemName, RegistryType};
use mere_core::reply::{Content, Draft, Fields, Prose, codes};

use super::connection::PATIENCE;
use super::{LogFault, RegistryChoice, RegistryError};

/// Yanks a version, and checks that the log says so.
pub(crate) fn yank(
    choice: RegistryChoice<'_>,
    kind: ItemType,
    item: &PublishedReference,
) -> Result<Draft, RegistryError> {
    let kind = RegistryType::try_from(kind).map_err(|_| RegistryError::UnsharedType(kind))?;
    let version = item.version.clone().ok_or(RegistryError::NoVersion)?;
    let name = RegistryItemName::new(kind, item.name.clone()).with_version(version);
    let registry = choice.open(PATIENCE)?;
    let event = registry.connection.post::<LoggedEvent>(&ApiPath::Yank(name.clone()))?;
    let is_this = matches!(&event.disclosure.event, RegistryEvent::Yank(yank)
        if yank.version.version == name.version && yank.version.item.id == name.item.id);
    let log = registry.read_log()?;
    if !is_this || log.prove_entry(&event.disclosure, event.index)?.is_none() {
        return Err(log.distrust(LogFault::Unlogged));
    }
    let message = Prose::words("`").content(Content::mention(item.to_string()));
    let message = message.and(format!("` is withdrawn, as entry {} of the log.", event.index));
    let data = Fields::default().with("index", event.index);
    Ok(Draft::success(codes::YANKED, message).data(data))
}
