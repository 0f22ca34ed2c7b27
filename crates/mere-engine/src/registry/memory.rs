//! What this machine remembers about a registry: the last checkpoint, tiles, and evidence.
//!
//! The checkpoint and the evidence lie in the state folder, which no root shows. Tiles lie in the
//! cache: they can be read again, and are checked whenever they are used.

use mere_core::digest::Sha256;
use mere_core::log::{SignedCheckpoint, TrustedCheckpoint};
use mere_core::registry::Namespace;
use serde_json::{Value, json};

use super::logins::KnownRegistry;
use super::{DistrustedAnswer, LogFault, RegistryError};
use mere_host::{Cache, Environment, RegistryUrl, StateFolder, new_sortable_id};

/// The folder in the state folder that holds one folder for each registry.
const FOLDER: &str = "registries";
/// The file that keeps the last checkpoint.
const CHECKPOINT: &str = "checkpoint";
/// The size of the largest tile that is kept, in bytes.
const MAX_TILE_BYTES: u64 = 2 * 1024 * 1024;

/// What is remembered about one registry.
pub(crate) struct RegistryMemory {
    state: Option<StateFolder>,
    tiles: Option<Cache>,
}

impl RegistryMemory {
    /// Returns what is remembered about a registry. A mirror is remembered apart from its registry:
    /// it may be behind.
    pub(crate) fn of_registry(environment: &Environment, registry: &KnownRegistry) -> Self {
        let name = match &registry.url {
            RegistryUrl::Server(_) => registry.id.to_string(),
            RegistryUrl::Folder(_) => {
                let url = Sha256::digest(registry.url.to_string().as_bytes()).to_string();
                format!("{}-mirror-{}", registry.id, &url[..8])
            }
        };
        let state = environment.state_folder(&format!("{FOLDER}/{name}"));
        let tiles = environment.cache().map(|cache| cache.folder("registry-tiles").folder(&name));
        Self { state, tiles }
    }

    /// Returns the last checkpoint that was trusted.
    pub(crate) fn last_checkpoint(&self) -> Result<Option<SignedCheckpoint>, RegistryError> {
        let Some(state) = &self.state else { return Ok(None) };
        let bytes = state.read(CHECKPOINT).map_err(unkept)?;
        let damaged =
            |_| RegistryError::Unkept(format!("{} is damaged", state.display_path(CHECKPOINT)));
        bytes.map(|bytes| SignedCheckpoint::parse(&bytes).map_err(damaged)).transpose()
    }

    /// Remembers a checkpoint, unless a larger one was remembered meanwhile.
    pub(crate) fn keep_checkpoint(&self, trusted: &TrustedCheckpoint) -> Result<(), RegistryError> {
        let Some(state) = &self.state else { return Ok(()) };
        let locked = state.lock().map_err(unkept)?;
        let kept = locked.read(CHECKPOINT).map_err(unkept)?;
        let kept = kept.and_then(|bytes| SignedCheckpoint::parse(&bytes).ok());
        let is_behind = |kept: &SignedCheckpoint| {
            let (kept, new) = (kept.checkpoint(), trusted.signed().checkpoint());
            (kept.head().size, kept.time()) < (new.head().size, new.time())
        };
        if kept.as_ref().is_none_or(is_behind) {
            let text = trusted.signed().to_string();
            locked.replace(CHECKPOINT, text.as_bytes()).map_err(unkept)?;
        }
        Ok(())
    }

    /// Returns the index of the last change of a namespace's keys that was seen.
    pub(crate) fn last_key_change(&self, of: &Namespace) -> Result<Option<u64>, RegistryError> {
        let Some(state) = &self.state else { return Ok(None) };
        let name = key_change_file(of);
        let damaged = || RegistryError::Unkept(format!("{} is damaged", state.display_path(&name)));
        let Some(bytes) = state.read(&name).map_err(unkept)? else { return Ok(None) };
        let index = String::from_utf8(bytes).ok().and_then(|text| text.trim().parse().ok());
        index.map(Some).ok_or_else(damaged)
    }

    /// Remembers the index of the last change of a namespace's keys.
    pub(crate) fn keep_key_change(&self, of: &Namespace, index: u64) -> Result<(), RegistryError> {
        let Some(state) = &self.state else { return Ok(()) };
        let locked = state.lock().map_err(unkept)?;
        locked.replace(&key_change_file(of), format!("{index}\n").as_bytes()).map_err(unkept)
    }

    /// Keeps the evidence of a fault, and returns the error that names it.
    pub(crate) fn distrust(&self, fault: LogFault, evidence: &Evidence) -> RegistryError {
        let evidence = self.keep_evidence(&fault, evidence);
        RegistryError::Distrusted(Box::new(DistrustedAnswer { fault, evidence }))
    }

    fn keep_evidence(&self, fault: &LogFault, evidence: &Evidence) -> Option<String> {
        let state = self.state.as_ref()?;
        let name = format!("evidence-{}.json", new_sortable_id());
        let seen = self.last_checkpoint().ok().flatten().map(|seen| seen.to_string());
        let text = json!({
            "v": 1,
            "fault": fault.to_string(),
            "checkpoint_before": seen,
            "checkpoint": evidence.checkpoint,
            "request": evidence.request,
            "answer": evidence.answer,
        });
        let kept =
            state.lock().and_then(|folder| folder.replace(&name, format!("{text:#}\n").as_bytes()));
        match kept {
            Ok(()) => Some(name),
            Err(error) => {
                tracing::error!(%error, "the evidence could not be kept");
                None
            }
        }
    }

    /// Returns a tile that was read before. It may be damaged.
    pub(crate) fn read_tile(&self, path: &str) -> Option<Vec<u8>> {
        self.tiles.as_ref()?.read(&path.trim_start_matches('/').replace('/', "-"), MAX_TILE_BYTES)
    }

    /// Keeps a tile.
    pub(crate) fn keep_tile(&self, path: &str, bytes: &[u8]) {
        let Some(tiles) = &self.tiles else { return };
        if let Err(error) = tiles.write(&path.trim_start_matches('/').replace('/', "-"), bytes) {
            tracing::debug!(%error, "a tile of a log could not be kept");
        }
    }
}

/// Returns the name of the file that remembers the last change of a namespace's keys.
fn key_change_file(namespace: &Namespace) -> String {
    format!("keys-{}", namespace.key())
}

/// What a registry said that contradicts its log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// The checkpoint that it showed.
    pub(crate) checkpoint: Option<String>,
    /// What it was asked for.
    pub(crate) request: Option<String>,
    /// What it answered.
    pub(crate) answer: Option<Value>,
}

fn unkept(error: impl std::fmt::Display) -> RegistryError {
    RegistryError::Unkept(error.to_string())
}
