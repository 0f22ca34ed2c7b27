//! What the log says about an item after one of its versions was published.
//!
//! A registry that drops a yank, or hides a newer version, still has it in the log. Of a private
//! namespace the log shows commitments only, so that nothing is found there.

use mere_core::item::Version;
use mere_core::log::{LogEntry, RegistryEvent};
use mere_core::registry::{RegistryItemName, RegistryType, RegistryVersionName};

use super::RegistryError;
use super::log_reader::LogReader;

/// What the log says after a version was published.
#[derive(Debug, Default)]
pub(super) struct LaterEvents {
    /// Whether the version was yanked.
    pub(super) is_yanked: bool,
    /// Whether a lockfile was published for the version, and not yanked.
    pub(super) has_lockfile: bool,
    /// The newer versions that were published and not yanked.
    newer: Vec<Version>,
}

impl LaterEvents {
    /// Reads the log from the entry after the publication of a version.
    pub(super) fn read(
        log: &LogReader<'_>,
        version: &RegistryVersionName,
        published_at: u64,
    ) -> Result<Self, RegistryError> {
        let mut events = Self::default();
        log.for_each_entry(published_at.saturating_add(1), &mut |_, entry| {
            // An entry that cannot be understood is of a kind that a later program writes.
            if let Ok(LogEntry::Public(event)) = LogEntry::parse(entry) {
                events.note(&event, version);
            }
        })?;
        Ok(events)
    }

    fn note(&mut self, event: &RegistryEvent, of: &RegistryVersionName) {
        match event {
            RegistryEvent::Publish(event)
                if event.version.item == of.item
                    && of.version.is_older_than(&event.version.version) =>
            {
                self.newer.push(event.version.version.clone());
            }
            RegistryEvent::Publish(event) if is_lockfile_of(&event.version, of) => {
                self.has_lockfile = true;
            }
            RegistryEvent::Yank(event) if is_lockfile_of(&event.version, of) => {
                self.has_lockfile = false;
            }
            RegistryEvent::Yank(event) if event.version == *of => self.is_yanked = true,
            RegistryEvent::Yank(event) if event.version.item == of.item => {
                self.newer.retain(|newer| *newer != event.version.version);
            }
            _ => {}
        }
    }

    /// Returns a newer version that could have been chosen instead. A version before its release is
    /// only chosen by its number.
    pub(super) fn newer_release(&self) -> Option<&Version> {
        self.newer.iter().find(|version| !version.is_pre_release())
    }
}

/// Reports whether a version is the lockfile of a tool.
fn is_lockfile_of(version: &RegistryVersionName, tool: &RegistryVersionName) -> bool {
    let RegistryItemName { kind, namespace, id } = &version.item;
    *kind == RegistryType::Lockfile
        && tool.item.kind == RegistryType::Tool
        && (namespace, id, &version.version) == (&tool.item.namespace, &tool.item.id, &tool.version)
}
