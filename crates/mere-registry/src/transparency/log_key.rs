//! The private key of the log: in the database, or in a file that the operator keeps elsewhere.

use mere_core::digest::Sha256;
use mere_core::log::{Frontier, LogSigner, LogTime};
use mere_core::registry::RegistryId;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::log_state::{LogState, sign_checkpoint};
use crate::clock;
use crate::database::Connection;
use crate::error::RegistryError;
use crate::hexadecimal;
use crate::storage::KeyFile;

/// What is said when the file is missing.
const NO_FILE: &str = "the file of its key does not exist";

/// Where the key is.
pub(crate) struct LogKey<'a> {
    /// The file, if it is in one.
    pub(crate) file: Option<&'a KeyFile>,
}

impl LogKey<'_> {
    /// Opens the key of the log, and begins the log if there is none. The caller is in a
    /// transaction.
    pub(crate) fn open(&self, connection: &mut Connection) -> Result<LogSigner, RegistryError> {
        match LogState::read(connection)? {
            Some(state) => self.open_existing(&state),
            None => self.begin(connection),
        }
    }

    fn open_existing(&self, state: &LogState) -> Result<LogSigner, RegistryError> {
        let seed = match (&state.signing_key, self.file) {
            (Some(seed), None) => Zeroizing::new(seed.clone()),
            (None, Some(file)) => read_seed(file)?.ok_or(RegistryError::Log(NO_FILE))?,
            (None, None) => {
                return Err(RegistryError::Log("its key is in a file: name it by --log-key-file"));
            }
            (Some(_), Some(_)) => {
                return Err(RegistryError::Log("its key is in the database, not in a file"));
            }
        };
        let signer = make_signer(&state.registry_id, &seed)?;
        if signer.key().to_string() == state.verifier_key {
            Ok(signer)
        } else {
            Err(RegistryError::Log("the key is that of another log"))
        }
    }

    fn begin(&self, connection: &mut Connection) -> Result<LogSigner, RegistryError> {
        let registry_id = Uuid::new_v4().to_string();
        let found = self.file.map(read_seed).transpose()?.flatten();
        let seed = if let Some(seed) = found {
            seed
        } else {
            let seed = random_seed()?;
            if let Some(file) = self.file {
                create_seed(file, &seed)?;
            }
            seed
        };
        let signer = make_signer(&registry_id, &seed)?;
        let (frontier, time) = (Frontier::default(), LogTime::from_timestamp(clock::now()));
        let state = LogState {
            registry_id,
            verifier_key: signer.key().to_string(),
            signing_key: self.file.is_none().then(|| seed.to_string()),
            checkpoint: sign_checkpoint(&frontier, &signer, time)?,
            frontier,
            signed_at: time.seconds(),
        };
        state.insert(connection)?;
        Ok(signer)
    }
}

/// Returns 32 random bytes as hexadecimal digits.
pub(crate) fn random_seed() -> Result<Zeroizing<String>, RegistryError> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(bytes.as_mut_slice())?;
    Ok(Zeroizing::new(hexadecimal::encode(bytes.as_slice())))
}

/// Reads the digits of a key from a file; `None` if there is no file.
pub(crate) fn read_seed(file: &KeyFile) -> Result<Option<Zeroizing<String>>, RegistryError> {
    let text = file.read().map_err(|error| RegistryError::File(error.to_string()))?;
    Ok(text.map(|text| Zeroizing::new(text.trim().to_owned())))
}

/// Writes the digits of a key into a new file.
pub(crate) fn create_seed(file: &KeyFile, seed: &str) -> Result<(), RegistryError> {
    file.create(&format!("{seed}\n")).map_err(|error| RegistryError::File(error.to_string()))
}

/// Parses the digits of a key.
pub(crate) fn parse_seed(seed: &str) -> Result<[u8; 32], RegistryError> {
    // A key has the spelling of a digest: 64 hexadecimal digits.
    let seed = seed.parse::<Sha256>();
    seed.map(|seed| *seed.as_bytes()).map_err(|_| RegistryError::Log("its key is malformed"))
}

fn make_signer(registry_id: &str, seed: &str) -> Result<LogSigner, RegistryError> {
    const MALFORMED: &str = "its key is malformed";
    let invalid = |_| RegistryError::Log(MALFORMED);
    let id = registry_id.parse::<RegistryId>().map_err(invalid)?;
    let origin = id.log_origin().map_err(invalid)?;
    LogSigner::new(origin, &parse_seed(seed)?).map_err(|_| RegistryError::Log(MALFORMED))
}
