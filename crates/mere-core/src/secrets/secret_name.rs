//! Names that say that their value is a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`.
//!
//! A name is judged by its end, because `password_hash`, `token_type` and `secret_name` name other
//! things. Case, separators and trailing digits do not matter.

/// How a value must look to count as a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// People choose such values: anything that is not plainly a word or a placeholder counts.
    Chosen,
    /// Machines make such values: only what looks random counts.
    Random,
    /// The value of an HTTP header: the scheme comes first, and what follows must look random.
    Header,
}

/// The longest name that is judged.
const MAX_NAME_BYTES: usize = 64;

/// Ends of names whose values people choose.
const CHOSEN: [&str; 7] =
    ["password", "passwd", "passphrase", "passcode", "passwort", "pwd", "secret"];

/// Ends of names whose values machines make. Other keys name rows, caches and shortcuts.
const RANDOM: [&str; 22] = [
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "secretkeybase",
    "privatekey",
    "authkey",
    "accountkey",
    "storagekey",
    "sharedkey",
    "masterkey",
    "servicekey",
    "licensekey",
    "sessionkey",
    "signingkey",
    "signkey",
    "encryptionkey",
    "encryptkey",
    "cryptokey",
    "jwtkey",
    "hmackey",
    "sastoken",
];

/// Tokens that lead to the next page, order changes or prove who owns a domain, and are no secrets.
const HARMLESS: [&str; 20] = [
    "nexttoken",
    "pagetoken",
    "continuationtoken",
    "synctoken",
    "starttoken",
    "startingtoken",
    "cancellationtoken",
    "canceltoken",
    "changetoken",
    "locktoken",
    "requesttoken",
    "idempotencytoken",
    "actiontoken",
    "updatetoken",
    "outputtoken",
    "inputtoken",
    "backwardtoken",
    "forwardtoken",
    "resumetoken",
    "verificationtoken",
];

/// Returns how a value of this name must look to be a secret, or `None` if the name does not say
/// that its value is one.
pub(super) fn value_kind(name: &str) -> Option<ValueKind> {
    let mut buffer = [0; MAX_NAME_BYTES];
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-' | '.'));
    let last_word_start = last_word_start(name.as_bytes());
    let mut length = 0;
    for byte in name.bytes().filter(u8::is_ascii_alphanumeric) {
        *buffer.get_mut(length)? = byte.to_ascii_lowercase();
        length += 1;
    }
    let plain = &buffer[..length];
    let ends = |list: &[&str]| list.iter().any(|end| plain.ends_with(end.as_bytes()));
    let last_word = &name[last_word_start..];
    if ends(&HARMLESS) {
        None
    } else if ends(&RANDOM) || last_word.eq_ignore_ascii_case("auth") {
        Some(ValueKind::Random)
    } else if ends(&["authorization"]) {
        Some(ValueKind::Header)
    } else if ends(&CHOSEN) || last_word.eq_ignore_ascii_case("pass") {
        Some(ValueKind::Chosen)
    } else {
        None
    }
}

/// Finds where the last word of a name begins: after a separator, or at the last capital that
/// follows a small letter.
fn last_word_start(name: &[u8]) -> usize {
    let begins = |pair: &[u8]| {
        !pair[0].is_ascii_alphanumeric()
            || pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()
    };
    name.windows(2).rposition(begins).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], expected: Option<ValueKind>) {
        for name in names {
            assert_eq!(value_kind(name), expected, "{name}");
        }
    }

    #[test]
    fn the_end_of_a_name_tells() {
        let chosen = Some(ValueKind::Chosen);
        check(
            &["password", "PASSWORD", "db_password", "dbPassword", "DB-PASSWD", "pw_pwd"],
            chosen,
        );
        check(&["password2", "password_1", "client_secret", "clientSecret", "DB_PASS"], chosen);
        check(&["smtpPass", "pass", "spring.datasource.password"], chosen);
        let random = Some(ValueKind::Random);
        check(&["token", "authToken", "_authToken", "GITHUB_TOKEN", "x-api-key"], random);
        check(&["aws_secret_access_key", "apiKey", "APIKEY", "AccountKey", "_auth"], random);
        check(&["SECRET_KEY_BASE", "secretKey"], random);
        check(&["Authorization", "proxy-authorization"], Some(ValueKind::Header));
        check(&["password_hash", "passwordField", "token_type", "tokens", "secret_name"], None);
        check(
            &["compass", "bypass", "primary_key", "public_key", "cacheKey", "key", "", "_"],
            None,
        );
        check(&["next_token", "nextPageToken", "oauth", "author", &"token".repeat(20)], None);
    }
}
