//! The digest of a file as a reader may know it.
//!
//! The SHA-256 of a file beside its masked text would let anybody try passwords offline until one
//! fits. A reader who does not see a file as it is on disk is therefore given an HMAC with a key of
//! this machine instead. Only [`ShownDigest::new`] makes the digest that a reply shows, and it asks
//! how the reader sees the file; a bare [`Sha256`] cannot be put into a reply.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit as _, Mac as _};

use super::{DigestError, Sha256};

/// What a keyed digest begins with.
const KEYED_PREFIX: &str = "keyed:";

/// Whether a reader sees a file as it is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// Every byte is shown as it is.
    Exact,
    /// Something in the file is masked, rewritten or withheld.
    Altered,
}

impl Fidelity {
    /// Returns how a reader sees two things together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == Self::Exact { other } else { Self::Altered }
    }
}

/// The key of this machine for digests.
#[derive(Clone)]
pub struct DigestKey([u8; 32]);

impl DigestKey {
    /// Makes a key of random bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Computes the HMAC of a digest. Different digests have different HMACs, so it tells files
    /// apart as well as the digest does.
    fn authenticate(&self, digest: Sha256) -> KeyedDigest {
        // A key that is shorter than a block is filled with zeros.
        let mut block = [0; 64];
        block[..self.0.len()].copy_from_slice(&self.0);
        let mac = Hmac::<sha2::Sha256>::new(&block.into()).chain_update(digest.as_bytes());
        KeyedDigest(mac.finalize().into_bytes().into())
    }
}

impl fmt::Debug for DigestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DigestKey")
    }
}

/// The HMAC of a digest with the key of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KeyedDigest([u8; 32]);

/// The digest of a file as its reader knows it, or says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownDigest(Form);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Plain(Sha256),
    Keyed(KeyedDigest),
}

impl ShownDigest {
    /// Makes the digest of a file for somebody who sees the file like this. The key is needed only
    /// if the file is not shown as it is.
    pub fn new<E>(
        sha256: Sha256,
        fidelity: Fidelity,
        key: impl FnOnce() -> Result<DigestKey, E>,
    ) -> Result<Self, E> {
        Ok(Self(match fidelity {
            Fidelity::Exact => Form::Plain(sha256),
            Fidelity::Altered => Form::Keyed(key()?.authenticate(sha256)),
        }))
    }

    /// Makes the plain digest of something that is shown as it is, and none of anything else.
    pub fn if_exact(sha256: Sha256, fidelity: Fidelity) -> Option<Self> {
        (fidelity == Fidelity::Exact).then_some(Self(Form::Plain(sha256)))
    }

    /// Makes a digest that its reader may know in any case, because it is given to people only.
    pub fn for_people(sha256: Sha256) -> Self {
        Self(Form::Plain(sha256))
    }

    /// Checks whether this is a digest of these bytes in either form. That answers a guess, so no
    /// agent may learn the result: an agent's digest is compared with the one it would be shown.
    pub fn names<E>(
        &self,
        sha256: Sha256,
        key: impl FnOnce() -> Result<DigestKey, E>,
    ) -> Result<bool, E> {
        let fidelity = match self.0 {
            Form::Plain(_) => Fidelity::Exact,
            Form::Keyed(_) => Fidelity::Altered,
        };
        Ok(Self::new(sha256, fidelity, key)? == *self)
    }
}

impl FromStr for ShownDigest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        Ok(Self(match text.strip_prefix(KEYED_PREFIX) {
            // Both are 32 bytes with one spelling.
            Some(digits) => Form::Keyed(KeyedDigest(digits.parse::<Sha256>()?.0)),
            None => Form::Plain(text.parse()?),
        }))
    }
}

impl fmt::Display for ShownDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Form::Plain(digest) => digest.fmt(f),
            Form::Keyed(KeyedDigest(bytes)) => write!(f, "{KEYED_PREFIX}{}", Sha256(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn shown(sha256: Sha256, fidelity: Fidelity, key: u8) -> ShownDigest {
        let key = || Ok::<_, Infallible>(DigestKey::new([key; 32]));
        match ShownDigest::new(sha256, fidelity, key) {
            Ok(shown) => shown,
            Err(never) => match never {},
        }
    }

    #[test]
    fn an_altered_file_has_a_digest_that_only_the_key_makes() {
        let sha256 = Sha256::digest(b"password: hunter2");
        let plain = shown(sha256, Fidelity::Exact, 1);
        assert_eq!(plain.to_string(), sha256.to_string());
        let keyed = shown(sha256, Fidelity::Altered, 1);
        // HMAC-SHA-256 with 32 bytes of 1, computed with another implementation.
        assert_eq!(
            keyed.to_string(),
            "keyed:de663d6fbc1c17b209b48f1a9044c6ad77798bd82e5d3b56d953a5a605ada3a3"
        );
        assert_ne!(keyed, plain);
        assert_ne!(keyed, shown(sha256, Fidelity::Altered, 2));
        assert_ne!(keyed, shown(Sha256::digest(b"password: hunter3"), Fidelity::Altered, 1));
    }

    #[test]
    fn prints_what_it_parses() {
        let digits = "0123456789abcdef".repeat(4);
        for text in [digits.clone(), format!("keyed:{digits}")] {
            assert_eq!(text.parse::<ShownDigest>().map(|digest| digest.to_string()), Ok(text));
        }
        let upper = digits.to_uppercase();
        for bad in [
            "",
            "keyed:",
            "keyed:00",
            &format!("keyed:{upper}"),
            &format!("sha256:{digits}"),
            &format!("Keyed:{digits}"),
            &format!("keyed:keyed:{digits}"),
            &format!("keyed: {digits}"),
        ] {
            assert!(bad.parse::<ShownDigest>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_form_decides_how_a_digest_is_compared() {
        let (one, other) = (Sha256::digest(b"a"), Sha256::digest(b"b"));
        for fidelity in [Fidelity::Exact, Fidelity::Altered] {
            let digest = shown(one, fidelity, 1);
            let key = || Ok::<_, Infallible>(DigestKey::new([1; 32]));
            assert_eq!(digest.names(one, key), Ok(true));
            assert_eq!(digest.names(other, key), Ok(false));
        }
        assert_eq!(Fidelity::Exact.and(Fidelity::Exact), Fidelity::Exact);
        assert_eq!(Fidelity::Exact.and(Fidelity::Altered), Fidelity::Altered);
        assert_eq!(Fidelity::Altered.and(Fidelity::Exact), Fidelity::Altered);
    }
}
