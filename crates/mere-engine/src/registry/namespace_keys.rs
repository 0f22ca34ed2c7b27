//! The keys of a namespace, as its log has them, and how they changed since they were last read.
//!
//! Of a public namespace everybody can find the changes in the log. Of a private one they are sealed
//! there: the registry shows them to its readers, and each is proved here.

use mere_core::log::RegistryEvent;
use mere_core::registry::{ApiPath, Namespace, NamespaceInfo};
use mere_core::request::Reader;
use mere_core::trust::PublicKey;

use super::log_reader::LogReader;
use super::memory::Evidence;
use super::{LogFault, OpenRegistry, RegistryError};

/// The keys of a namespace, all of whose changes are in the log.
pub(super) struct LoggedKeys {
    info: NamespaceInfo,
}

impl LoggedKeys {
    /// Reads the keys, and proves every change of them.
    pub(super) fn read(
        registry: &OpenRegistry,
        log: &LogReader<'_>,
        namespace: &Namespace,
    ) -> Result<Self, RegistryError> {
        let path = ApiPath::Namespace(namespace.clone());
        let info = registry.connection.get_body::<NamespaceInfo>(&path)?;
        let info = info.ok_or(RegistryError::Absent)?;
        let newer = match info.key_changes.last() {
            // It was changed after the checkpoint was read, or never.
            Some(last) if last.index >= log.size() => Some(registry.read_log()?),
            _ => None,
        };
        let log = newer.as_ref().unwrap_or(log);
        let evidence = || Evidence {
            request: Some(path.to_string()),
            answer: serde_json::to_value(&info).ok(),
            ..Evidence::default()
        };
        if !info.name.is_same_as(namespace) {
            return Err(log.distrust_answer(LogFault::OtherItem, evidence()));
        }
        let last = info.key_changes.last().map_or(0, |change| change.index);
        if registry.memory.last_key_change(&info.name)?.is_some_and(|seen| seen > last) {
            return Err(log.distrust_answer(LogFault::HiddenKeyChange, evidence()));
        }
        for change in &info.key_changes {
            if log.prove_entry(&change.disclosure, change.index)?.is_none() {
                return Err(log.distrust_answer(LogFault::Unlogged, evidence()));
            }
        }
        Ok(Self { info })
    }

    /// Returns the keys that count now.
    pub(super) fn keys(&self) -> impl Iterator<Item = &PublicKey> {
        self.info.keys.iter().map(|key| &key.public_key)
    }

    /// Returns what a person should know: how the keys changed since they were last told. The first
    /// time nothing is new. What an agent is told, a person was not.
    pub(super) fn note_changes(
        &self,
        registry: &OpenRegistry,
        reader: Reader,
    ) -> Result<Vec<String>, RegistryError> {
        let name = &self.info.name;
        let last = self.info.key_changes.last().map_or(0, |change| change.index);
        let seen = registry.memory.last_key_change(name)?;
        let is_told = |seen: u64| seen < last && reader == Reader::Person;
        if seen.is_none_or(is_told) {
            registry.memory.keep_key_change(name, last)?;
        }
        let Some(seen) = seen else { return Ok(Vec::new()) };
        let new = self.info.key_changes.iter().filter(|change| change.index > seen);
        let sentences = new.filter_map(|change| {
            let index = change.index;
            match &change.disclosure.event {
                RegistryEvent::KeyAdd(event) => Some(format!(
                    "Since {}, signatures by {} count in {name} (entry {index} of the log).",
                    event.at, event.key
                )),
                RegistryEvent::KeyRemove(event) => Some(format!(
                    "Since {}, new signatures by {} count no more in {name} (entry {index} of the \
                     log).",
                    event.at, event.key
                )),
                RegistryEvent::Publish(_) | RegistryEvent::Yank(_) => None,
            }
        });
        Ok(sentences.collect())
    }
}
