//! A key that can sign: unlocked in this process, or held by ssh-agent.
//!
//! ssh-agent is preferred if it holds the key. A file that no longer holds the recorded key is
//! refused.

use std::fmt;

use ed25519_dalek::Signer;
use mere_core::request::Secret;
use mere_core::trust::{Fingerprint, PublicKey};

use super::fault::KeyFault;
use super::own_keys::{self, KeyLocation, OwnKey};
use super::pem::{self, Pem};
use crate::policy::SigningPermit;
use mere_host::{Environment, KeyFile, SshAgent, SshAgentError};

/// A key that can sign. Its secret part is wiped when it is dropped.
pub(crate) struct SigningKey {
    public: PublicKey,
    backend: SigningBackend,
}

/// Where the signature is made.
enum SigningBackend {
    Local(Box<ed25519_dalek::SigningKey>),
    Agent(SshAgent),
}

impl SigningKey {
    pub(crate) fn from_private(key: ed25519_dalek::SigningKey) -> Result<Self, KeyFault> {
        Ok(Self {
            public: pem::public_key_of(&key)?,
            backend: SigningBackend::Local(Box::new(key)),
        })
    }

    /// Returns the public half.
    pub(crate) fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Checks whether ssh-agent signs, which may ask a person each time.
    pub(crate) fn is_in_agent(&self) -> bool {
        matches!(self.backend, SigningBackend::Agent(_))
    }

    /// Signs these bytes, if policy allows that the user's key signs.
    pub(crate) fn sign(
        &self,
        message: &[u8],
        _permit: &SigningPermit,
    ) -> Result<[u8; 64], KeyFault> {
        match &self.backend {
            SigningBackend::Local(key) => Ok(key.sign(message).to_bytes()),
            SigningBackend::Agent(agent) => Ok(agent.sign(&self.public, message)?),
        }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public.fingerprint())
    }
}

/// Unlocks the current key.
pub(crate) fn unlock(
    environment: &Environment,
    passphrase: Option<&Secret>,
) -> Result<SigningKey, KeyFault> {
    open_key(environment, own_keys::find(environment, None)?, passphrase)
}

/// Unlocks one of the user's keys.
pub(crate) fn unlock_by_fingerprint(
    environment: &Environment,
    key: Fingerprint,
    passphrase: Option<&Secret>,
) -> Result<SigningKey, KeyFault> {
    open_key(environment, own_keys::find(environment, Some(key))?, passphrase)
}

/// Opens a key in ssh-agent if that holds it, otherwise from its file.
fn open_key(
    environment: &Environment,
    own: OwnKey,
    passphrase: Option<&Secret>,
) -> Result<SigningKey, KeyFault> {
    let held = agent_holding(environment, &own.public);
    if let Ok(Some(agent)) = held {
        return Ok(SigningKey { public: own.public, backend: SigningBackend::Agent(agent) });
    }
    let name = own.public.fingerprint();
    let file = match &own.location {
        KeyLocation::Stored(name) => environment.read_saved_key(name)?,
        KeyLocation::InPlace(path) => KeyFile::read_private(path)?,
        KeyLocation::Agent => {
            held?;
            return Err(KeyFault::NotInAgent(name));
        }
    };
    let pem = Pem::parse(&file)?;
    if *pem.public() != own.public {
        return Err(KeyFault::Changed { file: file.display_path, key: name });
    }
    SigningKey::from_private(pem.open(passphrase)?)
}

/// Returns the user's ssh-agent, if it holds the key now.
pub(super) fn agent_holding(
    environment: &Environment,
    key: &PublicKey,
) -> Result<Option<SshAgent>, SshAgentError> {
    let Some(agent) = environment.ssh_agent() else { return Ok(None) };
    Ok(agent.keys()?.contains(key).then(|| agent.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_prints_its_name_and_signs() {
        let held = pem::generate().expect("a key");
        let key = SigningKey::from_private(held.clone()).expect("a key");
        assert_eq!(format!("{key:?}"), format!("SigningKey({})", key.public().fingerprint()));
        let signature = key.sign(b"message", &SigningPermit::for_tests()).expect("a signature");
        assert!(key.public().is_signature_valid(&signature, b"message"));
        assert!(!key.public().is_signature_valid(&signature, b"another"));
    }
}
