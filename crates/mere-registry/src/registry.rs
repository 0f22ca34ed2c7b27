//! An open registry: its database, its blobs and the key of its log.

use mere_core::log::{EntryDisclosure, EntryNonce, LogSigner, RegistryEvent, VerifierKey};
use mere_core::registry::RegistryId;

use crate::accounts::{NamespaceRow, Privacy};
use crate::blobs::{BlobLocation, BlobStore};
use crate::clock;
use crate::database::{Connection, Database, DatabaseLocation};
use crate::error::RegistryError;
use crate::storage::{KeyFile, create_private_file, data_folder, is_there, setting};
use crate::transparency::{LogKey, LogState, MAX_CHECKPOINT_AGE_SECONDS};

/// The variables that say where the database and the blobs are, if no option does.
const DATABASE_VARIABLE: &str = "MERE_REGISTRY_DATABASE";
const BLOBS_VARIABLE: &str = "MERE_REGISTRY_BLOBS";

/// Where a registry is. What is not given is in the user's data folder.
#[derive(Clone, Debug, Default)]
pub struct RegistryOptions {
    /// The database.
    pub database: Option<DatabaseLocation>,
    /// The blobs.
    pub blobs: Option<BlobLocation>,
    /// The file of the log's private key. Without one, the key is in the database.
    pub log_key_file: Option<KeyFile>,
}

/// An open registry.
pub struct Registry {
    pub(crate) database: Database,
    pub(crate) blobs: BlobStore,
    pub(crate) signer: LogSigner,
    id: RegistryId,
}

impl Registry {
    /// Opens a registry. One that does not exist is created.
    pub fn open(options: &RegistryOptions) -> Result<Self, RegistryError> {
        Self::open_at(options, options.database_location()?)
    }

    /// Opens a registry that there is already: whoever looks something up makes none by a mistyped
    /// path.
    pub fn open_existing(options: &RegistryOptions) -> Result<Self, RegistryError> {
        let location = options.database_location()?;
        match &location {
            DatabaseLocation::Sqlite(path) if !is_there(path) => {
                let words = format!("registry in {path} yet; `mere registry serve` makes one");
                Err(RegistryError::Missing(words))
            }
            _ => Self::open_at(options, location),
        }
    }

    fn open_at(
        options: &RegistryOptions,
        location: DatabaseLocation,
    ) -> Result<Self, RegistryError> {
        if let DatabaseLocation::Sqlite(path) = &location {
            // It may hold the private key of the log.
            create_private_file(path).map_err(|error| RegistryError::File(error.to_string()))?;
        }
        let database = Database::open(location)?;
        let blobs = BlobStore::open(&options.blob_location()?)?;
        let key = LogKey { file: options.log_key_file.as_ref() };
        let (signer, state) = database.write(|connection| {
            let signer = key.open(connection)?;
            Ok::<_, RegistryError>((signer, LogState::require(connection)?))
        })?;
        let malformed = |_| RegistryError::Log("the id of the registry is malformed");
        let id = state.registry_id.parse().map_err(malformed)?;
        Ok(Self { database, blobs, signer, id })
    }

    /// Returns the id of the registry.
    pub fn id(&self) -> RegistryId {
        self.id
    }

    /// Returns the public key of the log.
    pub fn log_key(&self) -> &VerifierKey {
        self.signer.key()
    }

    /// Returns how many entries the log has.
    pub fn log_size(&self) -> Result<u64, RegistryError> {
        self.database.read(|connection| Ok(LogState::require(connection)?.frontier.size()))
    }

    /// Returns the newest checkpoint, signed again if it is old.
    pub(crate) fn checkpoint(&self) -> Result<String, RegistryError> {
        let now = clock::now();
        let seconds = u64::try_from(now.as_second()).unwrap_or_default();
        let is_old = |state: &LogState| {
            seconds.saturating_sub(state.signed_at) >= MAX_CHECKPOINT_AGE_SECONDS
        };
        let state = self.database.read(LogState::require)?;
        if !is_old(&state) {
            return Ok(state.checkpoint);
        }
        self.database.write(|connection| {
            let mut state = LogState::require(connection)?;
            if is_old(&state) {
                state.sign(connection, &self.signer, now)?;
            }
            Ok(state.checkpoint)
        })
    }

    /// Appends an event to the log, sealed if its namespace is private. Returns its index. The
    /// caller is in a transaction.
    pub(crate) fn append_to_log(
        &self,
        connection: &mut Connection,
        namespace: &NamespaceRow,
        event: RegistryEvent,
    ) -> Result<u64, RegistryError> {
        let disclosure = match namespace.privacy {
            Privacy::Public => EntryDisclosure::public(event),
            Privacy::Private => {
                let mut nonce = [0; 32];
                getrandom::fill(&mut nonce)?;
                EntryDisclosure::sealed(event, EntryNonce::new(nonce))
            }
        };
        LogState::append(connection, &self.signer, &disclosure, clock::now())
    }
}

impl RegistryOptions {
    fn database_location(&self) -> Result<DatabaseLocation, RegistryError> {
        if let Some(location) = &self.database {
            return Ok(location.clone());
        }
        match setting(DATABASE_VARIABLE) {
            Some(text) => text.parse().map_err(|_| {
                RegistryError::Malformed("MERE_REGISTRY_DATABASE does not name a database")
            }),
            None => Ok(DatabaseLocation::Sqlite(format!("{}/registry.db", default_folder()?))),
        }
    }

    fn blob_location(&self) -> Result<BlobLocation, RegistryError> {
        if let Some(location) = &self.blobs {
            return Ok(location.clone());
        }
        match setting(BLOBS_VARIABLE) {
            Some(text) => text.parse().map_err(|_| {
                RegistryError::Malformed("MERE_REGISTRY_BLOBS does not name a blob store")
            }),
            None => Ok(BlobLocation::Folder(format!("{}/blobs", default_folder()?))),
        }
    }
}

fn default_folder() -> Result<String, RegistryError> {
    let missing = "there is no data folder: set HOME, or name --database and --blobs";
    data_folder().ok_or(RegistryError::Malformed(missing))
}
