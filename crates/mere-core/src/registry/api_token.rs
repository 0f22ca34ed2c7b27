//! Tokens: what a client shows to act for somebody.
//!
//! A token is printed once. The registry stores only its digest; 32 random bytes cannot be guessed
//! from it, so no slow hash is needed.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use crate::digest::Sha256;

/// What a token begins with, so that people and scanners recognise it.
const PREFIX: &str = "mere_";

/// A token.
#[derive(Clone)]
pub struct ApiToken(Zeroizing<String>);

/// A text that is not a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token reads `mere_` and 43 characters")]
pub struct ApiTokenError;

impl ApiToken {
    /// Makes a token of 32 random bytes.
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self(Zeroizing::new(format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(bytes))))
    }

    /// Returns the token as text.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Computes the digest that the registry stores.
    pub fn digest(&self) -> Sha256 {
        Sha256::digest(self.0.as_bytes())
    }
}

impl FromStr for ApiToken {
    type Err = ApiTokenError;

    fn from_str(text: &str) -> Result<Self, ApiTokenError> {
        let encoded = text.strip_prefix(PREFIX).ok_or(ApiTokenError)?;
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(encoded).map(Zeroizing::new);
        let bytes = bytes.map_err(|_| ApiTokenError)?;
        if bytes.len() == 32 {
            Ok(Self(Zeroizing::new(text.to_owned())))
        } else {
            Err(ApiTokenError)
        }
    }
}

impl fmt::Debug for ApiToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_one_form_and_is_not_printed() {
        let token = ApiToken::from_bytes(&[0xfb; 32]);
        let text = token.expose();
        assert_eq!(text.len(), PREFIX.len() + 43);
        assert!(text.contains(['-', '_']));
        let parsed = text.parse::<ApiToken>().expect("a token");
        assert_eq!(parsed.digest(), token.digest());
        assert_eq!(token.digest(), Sha256::digest(text.as_bytes()));
        assert_eq!(format!("{token:?}"), "ApiToken(…)");
        for bad in [
            "",
            "mere_",
            &text[1..],
            &text[..47],
            &format!("{text}A"),
            &format!("{text}="),
            &text.to_uppercase(),
            &format!(" {text}"),
            &text.replace('-', "+"),
        ] {
            assert!(bad.parse::<ApiToken>().is_err(), "{bad}");
        }
    }
}
