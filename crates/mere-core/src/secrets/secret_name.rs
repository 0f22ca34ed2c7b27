//! Names that say that their value is a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`.
//!
//! A name is judged by its end, because `password_hash`, `token_type` and `secret_name` name other
//! things. Case, separators and trailing digits do not matter, nor do words that say which of
//! several is meant, as in `DB_PASSWORD_PROD`. Variables of an environment are often named after
//! what they open: there a password may stand anywhere in a name that does not end in a word for
//! something else.

/// How a value must look to count as a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// People choose such values: anything that is not plainly a word or a placeholder counts.
    Chosen,
    /// Machines make such values: only what looks random counts.
    Random,
    /// The value of an HTTP header: the scheme comes first, and what follows must look random.
    Header,
    /// A user, a colon and a password, or both encoded.
    UserAndPassword,
}

/// The longest name that is judged.
const MAX_NAME_BYTES: usize = 64;

/// Ends of names whose values people choose.
const CHOSEN: [&str; 7] =
    ["password", "passwd", "passphrase", "passcode", "passwort", "pwd", "secret"];

/// Words at the end of a name that say which of several is meant. They are passed over.
const QUALIFIERS: [&str; 30] = [
    "prod",
    "production",
    "live",
    "dev",
    "develop",
    "development",
    "stage",
    "staging",
    "test",
    "testing",
    "qa",
    "uat",
    "ci",
    "local",
    "sandbox",
    "preview",
    "main",
    "primary",
    "secondary",
    "replica",
    "backup",
    "old",
    "new",
    "current",
    "previous",
    "admin",
    "root",
    "default",
    "internal",
    "external",
];

/// Words of which one makes a whole name that of a password, in the names of an environment.
const ENVIRONMENT_WORDS: [&str; 4] = ["PASSWORD", "PASSWD", "PASSPHRASE", "PASSWORT"];

/// Last words of names that have a password in them and name something else.
const ABOUT_PASSWORDS: &str = "ALG ALGO ALGORITHM ALLOWED ATTEMPTS ATTRIBUTE AUTH BYTES CHANGE \
    CHANGED CHARACTERS CHARS CLASS CODE COLUMN COMMAND COST COUNT CRYPT DAYS DIGEST DIR DISABLED \
    EMPTY ENABLED ENCODING ENCRYPTED ENV ERROR EXPIRED EXPIRY EXPIRES FAILED FIELD FILE FLAG FORM \
    FORMAT GRANT HASH HASHED HASHER HASHES HASHING HEADER HELP HINT ID INDEX INPUT INVALID KDF KEY \
    LABEL LEN LENGTH LIFETIME LIMIT LINK MAX MESSAGE METHOD MIN MISMATCH MISSING MODE MSG NAME \
    NAMESPACE OPTION PAGE PARAM PARAMETER PATH PATTERN PLACEHOLDER POLICY PREFIX PROMPT PROVIDER \
    PROPERTY REALM REF REGEX REQUIRED RESET ROUNDS ROUTE RULES SALT SCHEMA SCHEME SELECTOR SIZE \
    SOURCE STATUS STORE STRATEGY STRENGTH STRING SUFFIX TEMPLATE TEXT TIME TIMEOUT TITLE TOKEN TTL \
    TYPE UPDATE URI URL VALIDATION VALIDATOR VAR VARIABLE VERSION VIEW WORDS WRONG";

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
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let name = without_number(name);
    let mut meant = name;
    loop {
        if let Some(kind) = kind_by_end(meant) {
            return kind.value_kind();
        }
        let start = last_word_start(meant.as_bytes());
        let last = &meant[start..];
        if start == 0 || !QUALIFIERS.iter().any(|word| last.eq_ignore_ascii_case(word)) {
            break;
        }
        meant = without_number(&meant[..start]);
    }
    names_environment_password(name).then_some(ValueKind::Chosen)
}

fn without_number(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-' | '.'))
}

/// Checks whether a name is that of a variable of an environment, and one of its words is a
/// password: `PASSWORD_OF_DB`, `DB_PASSWORD_ACME`.
fn names_environment_password(name: &str) -> bool {
    let is_shouted = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let last = name.rsplit('_').next().unwrap_or_default();
    name.bytes().all(is_shouted)
        && name.split('_').any(|word| ENVIRONMENT_WORDS.contains(&word))
        && !ABOUT_PASSWORDS.split(' ').any(|word| last == word)
}

/// What the end of a name says.
enum NameEnd {
    Secret(ValueKind),
    /// It looks like the name of a secret, and is none.
    Harmless,
}

impl NameEnd {
    fn value_kind(self) -> Option<ValueKind> {
        match self {
            Self::Secret(kind) => Some(kind),
            Self::Harmless => None,
        }
    }
}

fn kind_by_end(name: &str) -> Option<NameEnd> {
    let mut buffer = [0; MAX_NAME_BYTES];
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
        return Some(NameEnd::Harmless);
    }
    let kind = if ends(&RANDOM) || last_word.eq_ignore_ascii_case("auth") {
        ValueKind::Random
    } else if ends(&["authorization"]) {
        ValueKind::Header
    } else if ends(&["authident"]) {
        ValueKind::UserAndPassword
    } else if ends(&CHOSEN) || last_word.eq_ignore_ascii_case("pass") {
        ValueKind::Chosen
    } else {
        return None;
    };
    Some(NameEnd::Secret(kind))
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
        check(
            &["DB_PASSWORD_PROD", "db-password-staging", "dbPasswordProd", "DB_PASS_2_DEV"],
            chosen,
        );
        check(
            &["client_secret_live", "password_new", "DB_PASSWORD_ACME", "PASSWORD_OF_DB"],
            chosen,
        );
        let random = Some(ValueKind::Random);
        check(&["token", "authToken", "_authToken", "GITHUB_TOKEN", "x-api-key"], random);
        check(&["aws_secret_access_key", "apiKey", "APIKEY", "AccountKey", "_auth"], random);
        check(&["SECRET_KEY_BASE", "secretKey", "API_KEY_PROD", "apiTokenStaging"], random);
        check(&["npmAuthIdent", "NPM_AUTH_IDENT"], Some(ValueKind::UserAndPassword));
        check(&["Authorization", "proxy-authorization"], Some(ValueKind::Header));
        check(&["password_hash", "passwordField", "token_type", "tokens", "secret_name"], None);
        check(
            &["compass", "bypass", "primary_key", "public_key", "cacheKey", "key", "", "_"],
            None,
        );
        check(&["password_acme", "PASSWORD_HASH", "MIN_PASSWORD_LENGTH", "SECRET_OF_DB"], None);
        check(&["nextTokenTest", "prod", "test_prod", "PASSWORDLESS_LOGIN"], None);
        check(&["next_token", "nextPageToken", "oauth", "author", &"token".repeat(20)], None);
    }
}
