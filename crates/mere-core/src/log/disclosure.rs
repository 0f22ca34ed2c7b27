//! What somebody who may know an event is given: the event, and the nonce if its entry is sealed.

use super::entry::{EntryCommitment, EntryNonce, LogEntry, RegistryEvent};

/// An event, and how it is written in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryDisclosure {
    /// The event.
    pub event: RegistryEvent,
    /// The nonce of its commitment, if the entry is sealed.
    pub nonce: Option<EntryNonce>,
}

/// An event with the index of its entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// The index in the log.
    pub index: u64,
    /// The event.
    pub disclosure: EntryDisclosure,
}

impl EntryDisclosure {
    /// Describes an event that everybody may know.
    pub fn public(event: RegistryEvent) -> Self {
        Self { event, nonce: None }
    }

    /// Describes an event of a private namespace.
    pub fn sealed(event: RegistryEvent, nonce: EntryNonce) -> Self {
        Self { event, nonce: Some(nonce) }
    }

    /// Returns the entry that the log must have.
    pub fn leaf(&self) -> LogEntry {
        match &self.nonce {
            None => LogEntry::Public(self.event.clone()),
            Some(nonce) => LogEntry::Sealed(EntryCommitment::new(&self.event, nonce)),
        }
    }
}
