//! The key of this machine, which signs receipts and nothing else.
//!
//! It is made at the first run, and kept in the user's state folder, which is not meant to be
//! carried to other machines. Nobody is asked before it signs: it says what happened, and vouches
//! for nothing.

use ed25519_dalek::Signer;
use mere_core::digest::Sha256;
use mere_core::trust::{PublicKey, Receipt, ReceiptHead, SignedReceipt};

use super::keys::{KeyFault, pem};
use crate::trust::approvals::records::RecordError;
use mere_host::{Environment, StateFolder};

/// The folder in the state folder that holds the key and what it signs apart from the receipts.
const FOLDER: &str = "machine";
const KEY_FILE: &str = "receipts_ed25519";

/// The key of this machine. Its secret part is wiped when it is dropped.
pub(crate) struct MachineKey {
    key: ed25519_dalek::SigningKey,
    public: PublicKey,
}

/// Returns the folder of the machine's key.
pub(crate) fn machine_folder(environment: &Environment) -> Result<StateFolder, RecordError> {
    environment.state_folder(FOLDER).ok_or(RecordError::NoFolder)
}

impl MachineKey {
    /// Reads the key, if there is one.
    pub(crate) fn read(environment: &Environment) -> Result<Option<Self>, KeyFault> {
        let file = machine_folder(environment)?.read_key(KEY_FILE)?;
        file.map(|file| Self::from_private(pem::Pem::parse(&file)?.open(None)?)).transpose()
    }

    /// Reads the key, or makes it.
    pub(crate) fn read_or_create(environment: &Environment) -> Result<Self, KeyFault> {
        if let Some(key) = Self::read(environment)? {
            return Ok(key);
        }
        let not_saved = |error: mere_host::WriteError| KeyFault::NotSaved(error.to_string());
        let folder = machine_folder(environment)?.lock().map_err(not_saved)?;
        // Another process may have made it meanwhile.
        if let Some(key) = Self::read(environment)? {
            return Ok(key);
        }
        let key = pem::generate()?;
        let text = pem::encode(&key, None)?;
        let key = Self::from_private(key)?;
        let public = format!("{} {}\n", key.public, pem::COMMENT);
        folder.replace(&format!("{KEY_FILE}.pub"), public.as_bytes()).map_err(not_saved)?;
        folder.replace(KEY_FILE, text.as_bytes()).map_err(not_saved)?;
        Ok(key)
    }

    fn from_private(key: ed25519_dalek::SigningKey) -> Result<Self, KeyFault> {
        Ok(Self { public: pem::public_key_of(&key)?, key })
    }

    /// Returns the public half.
    pub(crate) fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs a receipt.
    pub(crate) fn sign_receipt(&self, receipt: Receipt) -> SignedReceipt {
        let signature = self.key.sign(&receipt.envelope().message()).to_bytes();
        SignedReceipt::new(receipt, self.public.fingerprint(), signature)
    }

    /// Signs the head of the chain of receipts, and returns its text.
    pub(crate) fn sign_head(&self, head: ReceiptHead) -> String {
        let signature = self.key.sign(&head.envelope().message()).to_bytes();
        head.to_text(self.public.fingerprint(), &signature)
    }

    /// Returns what stands for a project's folder in receipts. Whoever does not have the key cannot
    /// find out which folder it is, not even by guessing.
    pub(crate) fn project_key(&self, folder: &str) -> String {
        let secret = zeroize::Zeroizing::new(self.key.to_bytes());
        let purpose = b"merestone project key v1\0";
        let all = zeroize::Zeroizing::new([purpose, &secret[..], folder.as_bytes()].concat());
        Sha256::digest(&all).to_string()[..32].to_owned()
    }
}
