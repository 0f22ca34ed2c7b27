//! Private keys in OpenSSH's format: reading, unlocking, generating and locking them.
//!
//! The public half that a file states is trusted only after the private half has produced the same
//! one.

use ed25519_dalek::SigningKey;
use mere_core::request::Secret;
use mere_core::trust::PublicKey;
use ssh_key::private::{Ed25519Keypair, KeypairData};
use ssh_key::{Algorithm, Cipher, Error, Kdf, LineEnding, PrivateKey};
use zeroize::Zeroizing;

use super::fault::KeyFault;
use mere_host::KeyFile;

/// The comment in our keys. It never contains the name of a user or a machine.
pub(crate) const COMMENT: &str = "merestone";
/// The number of bcrypt rounds for a passphrase, the same as `ssh-keygen` uses.
const ROUNDS: u32 = 24;
/// The most bcrypt rounds that a file may ask for.
const MAX_ROUNDS: u32 = 10_000;

/// A private key as it was read from a file. It may be locked.
pub(crate) struct Pem {
    key: PrivateKey,
    public: PublicKey,
    display_path: String,
}

impl Pem {
    pub(crate) fn parse(file: &KeyFile) -> Result<Self, KeyFault> {
        Self::read(&file.bytes, file.display_path.clone())
    }

    fn read(bytes: &[u8], shown: String) -> Result<Self, KeyFault> {
        let form = |cause| KeyFault::InvalidFormat { file: shown.clone(), cause };
        let key = match PrivateKey::from_openssh(bytes) {
            Ok(key) => key,
            Err(Error::AlgorithmUnknown | Error::AlgorithmUnsupported { .. }) => {
                return Err(KeyFault::NotEd25519 { file: shown });
            }
            Err(_) => return Err(form("it is not in OpenSSH's format")),
        };
        if key.algorithm() != Algorithm::Ed25519 {
            return Err(KeyFault::NotEd25519 { file: shown });
        }
        if matches!(key.kdf(), Kdf::Bcrypt { rounds, .. } if *rounds > MAX_ROUNDS) {
            return Err(form("its passphrase needs an unreasonable number of rounds"));
        }
        let bytes = key.public_key().key_data().ed25519();
        let public = bytes.and_then(|bytes| PublicKey::from_bytes(bytes.as_ref()).ok());
        let public = public.ok_or_else(|| form("its public half is not a valid key"))?;
        Ok(Self { key, public, display_path: shown })
    }

    /// Returns the public half that the file states.
    pub(crate) fn public(&self) -> &PublicKey {
        &self.public
    }

    pub(crate) fn is_locked(&self) -> bool {
        self.key.is_encrypted()
    }

    /// Unlocks the key and returns it, after checking that its halves belong together.
    pub(crate) fn open(self, passphrase: Option<&Secret>) -> Result<SigningKey, KeyFault> {
        let name = self.public.fingerprint();
        let key = match (self.key.is_encrypted(), passphrase) {
            (false, _) => self.key,
            (true, None) => return Err(KeyFault::Locked(name)),
            (true, Some(secret)) => match self.key.decrypt(secret.expose()) {
                Ok(key) => key,
                Err(Error::Crypto) => return Err(KeyFault::WrongPassphrase(name)),
                Err(_) => {
                    let cause = "it cannot be unlocked with any passphrase";
                    return Err(KeyFault::InvalidFormat { file: self.display_path, cause });
                }
            },
        };
        let form = KeyFault::InvalidFormat {
            file: self.display_path,
            cause: "its public and private halves do not match",
        };
        let pair = key.key_data().ed25519();
        let Some(pair) = pair else { return Err(form) };
        let key = SigningKey::from_bytes(pair.private.as_ref());
        if key.verifying_key().as_bytes() == self.public.as_bytes() { Ok(key) } else { Err(form) }
    }
}

/// Generates a key.
pub(crate) fn generate() -> Result<SigningKey, KeyFault> {
    let mut seed = Zeroizing::new([0; 32]);
    getrandom::fill(seed.as_mut())?;
    Ok(SigningKey::from_bytes(&seed))
}

/// Returns the text of a key's file, locked if there is a passphrase.
pub(crate) fn encode(
    key: &SigningKey,
    passphrase: Option<&Secret>,
) -> Result<Zeroizing<String>, KeyFault> {
    let failed =
        |_: Error| KeyFault::NotSaved("the key cannot be written in OpenSSH's format".to_owned());
    let pair = Zeroizing::new(key.to_keypair_bytes());
    let pair = Ed25519Keypair::from_bytes(&pair).map_err(failed)?;
    let open = PrivateKey::new(KeypairData::Ed25519(pair), COMMENT).map_err(failed)?;
    let Some(passphrase) = passphrase else {
        return open.to_openssh(LineEnding::LF).map_err(failed);
    };
    let mut salt = vec![0; 16];
    getrandom::fill(&mut salt)?;
    let mut check = [0; 4];
    getrandom::fill(&mut check)?;
    let kdf = Kdf::Bcrypt { salt, rounds: ROUNDS };
    let check = u32::from_be_bytes(check);
    let locked = open.encrypt_with(Cipher::Aes256Ctr, kdf, check, passphrase.expose());
    locked.and_then(|locked| locked.to_openssh(LineEnding::LF)).map_err(failed)
}

/// Returns the public half.
pub(crate) fn public_key_of(key: &SigningKey) -> Result<PublicKey, KeyFault> {
    let public = PublicKey::from_bytes(key.verifying_key().as_bytes());
    public.map_err(|_| KeyFault::Random)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Pem, KeyFault> {
        Pem::read(text.as_bytes(), "key".to_owned())
    }

    #[test]
    fn what_locks_a_key_unlocks_it() {
        let key = generate().expect("a key");
        let secret = Secret::new("correct horse".to_owned());
        let locked = encode(&key, Some(&secret)).expect("a text");
        let pem = || read(&locked).expect("a key");
        assert!(pem().is_locked());
        assert_eq!(pem().open(Some(&secret)).ok().as_ref(), Some(&key));
        let name = public_key_of(&key).expect("a key").fingerprint();
        assert!(matches!(pem().open(None), Err(KeyFault::Locked(key)) if key == name));
        let wrong = Secret::new("correct house".to_owned());
        assert!(
            matches!(pem().open(Some(&wrong)), Err(KeyFault::WrongPassphrase(key)) if key == name)
        );
        let open = read(&encode(&key, None).expect("a text")).expect("a key");
        assert!(!open.is_locked() && open.open(Some(&wrong)).ok() == Some(key));
    }

    #[test]
    fn a_file_of_another_format_is_refused_in_plain_words() {
        let Err(KeyFault::InvalidFormat { file, cause }) = read("not a key") else {
            panic!("no key was read");
        };
        assert_eq!((&*file, cause), ("key", "it is not in OpenSSH's format"));
    }

    #[test]
    fn a_file_cannot_ask_for_endless_work() {
        let secret = Secret::new("s".to_owned());
        let locked = encode(&generate().expect("a key"), Some(&secret)).expect("a text");
        let key = PrivateKey::from_openssh(locked.as_bytes()).expect("a key");
        let Kdf::Bcrypt { salt, rounds } = key.kdf() else { panic!("locked") };
        let mut bytes = key.to_bytes().expect("bytes").to_vec();
        let before = [&salt[..], &rounds.to_be_bytes()].concat();
        let at = bytes.windows(before.len()).position(|window| window == before).expect("there");
        bytes[at + 16..at + 20].copy_from_slice(&u32::MAX.to_be_bytes());
        let key = PrivateKey::from_bytes(&bytes).expect("a key");
        let text = key.to_openssh(LineEnding::LF).expect("a text");
        assert!(matches!(read(&text), Err(KeyFault::InvalidFormat { .. })));
    }

    #[test]
    fn two_halves_of_different_keys_are_none() {
        let (one, other) = (generate().expect("a key"), generate().expect("a key"));
        let pair = [one.to_bytes(), other.verifying_key().to_bytes()].concat();
        let pair = Ed25519Keypair::from_bytes(&pair.try_into().expect("64 bytes")).expect("a pair");
        let key = PrivateKey::new(KeypairData::Ed25519(pair), COMMENT).expect("a key");
        let text = key.to_openssh(LineEnding::LF).expect("a text");
        assert!(matches!(
            read(&text).and_then(|pem| pem.open(None)),
            Err(KeyFault::InvalidFormat { .. })
        ));
    }
}
