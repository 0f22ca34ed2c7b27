//! Private keys as OpenSSH writes them: read, unlocked, made, locked.
//!
//! What a file says of its own public half is believed only after the private half has made the
//! same one.

use ed25519_dalek::SigningKey;
use mere_core::request::Secret;
use mere_core::trust::PublicKey;
use ssh_key::private::{Ed25519Keypair, KeypairData};
use ssh_key::{Algorithm, Cipher, Error, Kdf, LineEnding, PrivateKey};
use zeroize::Zeroizing;

use super::fault::KeyFault;
use crate::host::KeyFile;

/// What our keys say about themselves: never a user's or a machine's name.
pub(super) const COMMENT: &str = "merestone";
/// How much work a passphrase makes, as `ssh-keygen` has it.
const ROUNDS: u32 = 24;
/// The most work that a file may ask for.
const MAX_ROUNDS: u32 = 10_000;

/// A private key that was read; it may be locked.
pub(super) struct Pem {
    key: PrivateKey,
    public: PublicKey,
    shown: String,
}

impl Pem {
    pub(super) fn parse(file: &KeyFile) -> Result<Self, KeyFault> {
        let shown = file.shown.clone();
        let form = |cause| KeyFault::Form { file: shown.clone(), cause };
        let key = match PrivateKey::from_openssh(&file.bytes) {
            Ok(key) => key,
            Err(Error::AlgorithmUnknown | Error::AlgorithmUnsupported { .. }) => {
                return Err(KeyFault::NotEd25519 { file: shown });
            }
            Err(_) => return Err(form("it is not in OpenSSH's form")),
        };
        if key.algorithm() != Algorithm::Ed25519 {
            return Err(KeyFault::NotEd25519 { file: shown });
        }
        if matches!(key.kdf(), Kdf::Bcrypt { rounds, .. } if *rounds > MAX_ROUNDS) {
            return Err(form("its passphrase takes more work than any should"));
        }
        let bytes = key.public_key().key_data().ed25519();
        let public = bytes.and_then(|bytes| PublicKey::from_bytes(bytes.as_ref()).ok());
        let public = public.ok_or_else(|| form("its public half is no key"))?;
        Ok(Self { key, public, shown })
    }

    /// What it says its public half is.
    pub(super) fn public(&self) -> &PublicKey {
        &self.public
    }

    pub(super) fn is_locked(&self) -> bool {
        self.key.is_encrypted()
    }

    /// The key itself.
    pub(super) fn open(self, unlock: Option<&Secret>) -> Result<SigningKey, KeyFault> {
        let name = self.public.fingerprint();
        let key = match (self.key.is_encrypted(), unlock) {
            (false, _) => self.key,
            (true, None) => return Err(KeyFault::Locked(name)),
            (true, Some(secret)) => match self.key.decrypt(secret.expose()) {
                Ok(key) => key,
                Err(Error::Crypto) => return Err(KeyFault::WrongPassphrase(name)),
                Err(_) => {
                    let cause = "it cannot be unlocked by any passphrase";
                    return Err(KeyFault::Form { file: self.shown, cause });
                }
            },
        };
        let form = KeyFault::Form { file: self.shown, cause: "its two halves do not fit" };
        let pair = key.key_data().ed25519();
        let Some(pair) = pair else { return Err(form) };
        let key = SigningKey::from_bytes(pair.private.as_ref());
        if key.verifying_key().as_bytes() == self.public.as_bytes() { Ok(key) } else { Err(form) }
    }
}

/// Makes a key.
pub(super) fn make() -> Result<SigningKey, KeyFault> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(seed.as_mut())?;
    Ok(SigningKey::from_bytes(&seed))
}

/// The text of a key's file, locked if there is a passphrase.
pub(super) fn text(
    key: &SigningKey,
    passphrase: Option<&Secret>,
) -> Result<Zeroizing<String>, KeyFault> {
    let unmade = |_: Error| KeyFault::Unkept("the key has no OpenSSH form".to_owned());
    let pair = Zeroizing::new(key.to_keypair_bytes());
    let pair = Ed25519Keypair::from_bytes(&pair).map_err(unmade)?;
    let open = PrivateKey::new(KeypairData::Ed25519(pair), COMMENT).map_err(unmade)?;
    let Some(passphrase) = passphrase else {
        return open.to_openssh(LineEnding::LF).map_err(unmade);
    };
    let mut salt = vec![0; 16];
    getrandom::fill(&mut salt)?;
    let mut check = [0; 4];
    getrandom::fill(&mut check)?;
    let kdf = Kdf::Bcrypt { salt, rounds: ROUNDS };
    let check = u32::from_be_bytes(check);
    let locked = open.encrypt_with(Cipher::Aes256Ctr, kdf, check, passphrase.expose());
    locked.and_then(|locked| locked.to_openssh(LineEnding::LF)).map_err(unmade)
}

/// The public half.
pub(super) fn public_of(key: &SigningKey) -> Result<PublicKey, KeyFault> {
    let public = PublicKey::from_bytes(key.verifying_key().as_bytes());
    public.map_err(|_| KeyFault::Random)
}
