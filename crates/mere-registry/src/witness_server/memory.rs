//! What a witness remembers: the size and root that it co-signed last, for each log.

use std::collections::BTreeMap;
use std::io;

use mere_core::log::{TreeHash, TreeHead};
use serde::{Deserialize, Serialize};

use crate::storage::WitnessFile;

/// The memory of a witness.
pub(super) struct WitnessMemory {
    file: WitnessFile,
    heads: BTreeMap<String, TreeHead>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredHead {
    size: u64,
    root: String,
}

impl WitnessMemory {
    /// Reads the memory. A witness without a file remembers nothing; one whose file is damaged does
    /// not start, because it could vouch for a second history.
    pub(super) fn open(file: WitnessFile) -> io::Result<Self> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the state is damaged");
        let text = file.read()?.unwrap_or_else(|| "{}".to_owned());
        let stored = serde_json::from_str::<BTreeMap<String, StoredHead>>(&text);
        let heads = stored.map_err(|_| damaged())?.into_iter().map(|(origin, head)| {
            let root = head.root.parse::<TreeHash>().map_err(|_| damaged())?;
            Ok((origin, TreeHead { size: head.size, root }))
        });
        Ok(Self { heads: heads.collect::<io::Result<_>>()?, file })
    }

    /// Returns what was co-signed last of a log.
    pub(super) fn last(&self, origin: &str) -> Option<TreeHead> {
        self.heads.get(origin).copied()
    }

    /// Remembers what is co-signed next, durably.
    pub(super) fn remember(&mut self, origin: &str, head: TreeHead) -> io::Result<()> {
        let before = self.heads.insert(origin.to_owned(), head);
        let stored = self.heads.iter().map(|(origin, head)| {
            let stored = StoredHead { size: head.size, root: head.root.to_string() };
            (origin.clone(), stored)
        });
        let stored = stored.collect::<BTreeMap<_, _>>();
        let text = serde_json::to_string_pretty(&stored).unwrap_or_default();
        let written = self.file.replace(&text);
        if written.is_err() {
            match before {
                Some(before) => self.heads.insert(origin.to_owned(), before),
                None => self.heads.remove(origin),
            };
        }
        written
    }
}
