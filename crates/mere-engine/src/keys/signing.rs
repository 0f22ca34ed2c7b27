//! A key that can sign: unlocked here, or in ssh-agent.

use std::fmt;

use ed25519_dalek::Signer;
use mere_core::request::Secret;
use mere_core::trust::{Fingerprint, PublicKey};

use super::fault::KeyFault;
use super::pem::{self, Pem};
use super::ring::{self, KeyLocation, OwnKey};
use mere_host::{Environment, KeyFile, SshAgent, SshAgentError};

/// A key that can sign. What is secret of it is wiped when it is dropped.
pub(crate) struct SigningKey {
    public: PublicKey,
    backend: SigningBackend,
}

/// Who signs.
enum SigningBackend {
    Local(Box<ed25519_dalek::SigningKey>),
    Agent(SshAgent),
}

impl SigningKey {
    pub(super) fn from_private(key: ed25519_dalek::SigningKey) -> Result<Self, KeyFault> {
        Ok(Self {
            public: pem::public_key_of(&key)?,
            backend: SigningBackend::Local(Box::new(key)),
        })
    }

    /// Its public half.
    pub(crate) fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Whether ssh-agent signs, which may ask a person each time.
    pub(crate) fn is_in_agent(&self) -> bool {
        matches!(self.backend, SigningBackend::Agent(_))
    }

    /// Its signature of these bytes.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<[u8; 64], KeyFault> {
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

/// The key that signs.
pub(crate) fn unlock(
    surroundings: &Environment,
    unlock: Option<&Secret>,
) -> Result<SigningKey, KeyFault> {
    open_key(surroundings, ring::find(surroundings, None)?, unlock)
}

/// One of the user's keys.
pub(crate) fn unlock_by_fingerprint(
    surroundings: &Environment,
    key: Fingerprint,
    unlock: Option<&Secret>,
) -> Result<SigningKey, KeyFault> {
    open_key(surroundings, ring::find(surroundings, Some(key))?, unlock)
}

/// By ssh-agent if it holds the key, else from its file.
fn open_key(
    surroundings: &Environment,
    own: OwnKey,
    unlock: Option<&Secret>,
) -> Result<SigningKey, KeyFault> {
    let held = agent_holding(surroundings, &own.public);
    if let Ok(Some(agent)) = held {
        return Ok(SigningKey { public: own.public, backend: SigningBackend::Agent(agent) });
    }
    let name = own.public.fingerprint();
    let file = match &own.location {
        KeyLocation::Stored(name) => surroundings.read_saved_key(name)?,
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
    SigningKey::from_private(pem.open(unlock)?)
}

/// The user's agent, if it holds the key now.
pub(super) fn agent_holding(
    surroundings: &Environment,
    key: &PublicKey,
) -> Result<Option<SshAgent>, SshAgentError> {
    let Some(agent) = surroundings.ssh_agent() else { return Ok(None) };
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
        let signature = key.sign(b"message").expect("a signature");
        assert!(key.public().is_signature_valid(&signature, b"message"));
        assert!(!key.public().is_signature_valid(&signature, b"another"));
    }
}
