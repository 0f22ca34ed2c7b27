//! Values that are secrets, and values that only stand where one would.
//!
//! Code and documents assign all kinds of things to names that say secret: variables, types,
//! references to a vault, labels in other languages, examples. A value that looks random is a
//! secret whatever it contains. Any other value is one only if people choose it, and if it is not
//! an expression, a path, or words with some digits.

use std::sync::LazyLock;

use super::secret_name::ValueKind;

const MIN_CHOSEN_BYTES: usize = 6;
const MIN_RANDOM_BYTES: usize = 16;

/// Beginnings of values that name where the secret is.
const REFERENCES: [&str; 15] = [
    "arn:",
    "vault:",
    "op://",
    "env:",
    "env.",
    "file:",
    "projects/",
    "ssm:",
    "kms:",
    "secret:",
    "secrets.",
    "ENC[",
    "ENC(",
    "!",
    "data:",
];

/// Beginnings of password hashes: they can be verified, but not used.
const HASHES: [&str; 10] =
    ["$argon2", "$2a$", "$2b$", "$2y$", "$pbkdf2", "$scrypt", "$1$", "$5$", "$6$", "$apr1$"];

/// Words that people choose as passwords, with digits behind them. As all words that are known,
/// they stand in examples too.
const FAVOURITES: [&str; 12] = [
    "admin", "root", "guest", "letmein", "qwerty", "asdf", "master", "super", "hello", "manager",
    "postgres", "mysql",
];

/// Words of examples, types and code. A value of such words and digits is no secret.
static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| WORD_LIST.split(' ').collect());

const WORD_LIST: &str = "\
    a abc abcd abcde abcdef access account admin aes alice an any api application arg array as \
    asdf at auth bad bar base basic baz be bearer big blank bob bool byte bytes change changed \
    char characters chars ci claim client code config cookie correct csrf current data database \
    db default demo dev different doe dummy early empty encrypted enter env example expected \
    exporter failed fails fake false field file first fixme float foo foobar full generated good \
    guest handshake hash hashed hello here hex hidden hmac http https id in incorrect input \
    insert int integration invalid is item john jwt key kind label least letmein level levels \
    local localhost long manager masked master max md me min missing mock mongo more must my \
    mysql name new nil no node none not null number oauth object of old one only org other otp \
    param pass passphrase passwd password path pin placeholder policy postgres prefix private \
    prod projection provider public pwd qux qwerty random raw real really redacted redis ref \
    reference refresh regenerated remote removed replace resource rest root rotation rsa safe \
    salt sample second secret secrets secure server session sha short simple size some source \
    spec sql ssl staging status str string strong stub suffix super symbol test tested tester \
    testing tests text than the this three tls to todo token tokens top traffic true two type \
    uint undefined unit unknown updated user username utf v val valid value var varchar version \
    very volume weak webdav with word world wrong x xx xxx xxxx xyz you your z";

/// Checks whether a value is a secret: what stands between quotes, or a bare word. Of a long value
/// the beginning is enough.
pub(super) fn is_secret(value: &str, kind: ValueKind) -> bool {
    if let Some(default) = default_of_variable(value) {
        return is_secret(default, kind);
    }
    if kind == ValueKind::UserAndPassword
        && let Some((_, password)) = value.split_once(':')
    {
        return is_secret(password, ValueKind::Chosen);
    }
    if value.len() < MIN_CHOSEN_BYTES
        || value.contains(|c: char| c.is_whitespace() || c.is_control())
        || is_indirect(value)
        || is_call(value)
        || is_sequence(value) && !is_weak_password(value)
    {
        return false;
    }
    looks_random(value) || kind == ValueKind::Chosen && looks_chosen(value)
}

/// Returns the default of a variable: `${DB_PASSWORD:-default}`.
fn default_of_variable(value: &str) -> Option<&str> {
    let (name, default) = value.strip_prefix("${")?.strip_suffix('}')?.split_once(":-")?;
    is_identifier(name).then_some(default)
}

/// Checks for values that stand for another one: variables, templates, formats, bytes by number,
/// and references to where the secret is kept.
fn is_indirect(value: &str) -> bool {
    let inside = |open, close| value.contains(open) && value.contains(close);
    let starts = |list: &[&str]| list.iter().any(|start| value.starts_with(start));
    inside('{', '}')
        || inside('<', '>')
        || value.contains("$(")
        || value.contains("://")
        || value.contains("...")
        || value.contains("***")
        || value.contains("\\x")
        || value.strip_prefix('$').is_some_and(is_variable)
        || value.strip_prefix('%').is_some_and(|rest| rest.ends_with('%') || rest.starts_with('('))
        || value.starts_with('[') && value.ends_with(']')
        || value.starts_with('@') && value.ends_with('@')
        || starts(&REFERENCES)
        || starts(&HASHES)
}

fn is_variable(name: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':' | b'.');
    name.bytes().all(is_name)
        || name
            .bytes()
            .all(|byte| byte == b'_' || byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Checks whether a machine could have made a value: letters and digits, or capitals and small
/// letters, change often.
fn looks_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    if bytes.len() < MIN_RANDOM_BYTES || !bytes.is_ascii() {
        return false;
    }
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let (all, changes) = count_changes(bytes);
    (digits >= 2 || digits == 1 && bytes.len() >= MIN_RANDOM_BYTES * 2)
        && letters >= 4
        && changes * 4 >= all
        && all * 2 >= bytes.len()
        && has_variety(bytes)
}

/// Counts the pairs of letters and digits, and those of two classes.
fn count_changes(bytes: &[u8]) -> (usize, usize) {
    let pairs = bytes.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphanumeric));
    let changes = pairs.clone().filter(|pair| class(pair[0]) != class(pair[1])).count();
    (pairs.count(), changes)
}

fn class(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        _ => 2,
    }
}

/// Checks that the characters are not a few in repetition.
fn has_variety(bytes: &[u8]) -> bool {
    let mut seen = [false; 256];
    for byte in bytes {
        seen[usize::from(*byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count() >= 8
}

/// Checks whether a value is mostly an alphabet, a count, or one character in repetition.
fn is_sequence(value: &str) -> bool {
    let steps = value.as_bytes().windows(2);
    steps.filter(|pair| pair[1].wrapping_sub(pair[0]) <= 1).count() * 2 >= value.len()
}

/// Checks whether a person could have chosen a value as a password: letters with digits or signs,
/// and more than words of examples and code.
fn looks_chosen(value: &str) -> bool {
    let value = &without_escapes(value);
    let count = |wanted: fn(char) -> bool| value.chars().filter(|c| wanted(*c)).count();
    let (letters, digits) = (count(char::is_alphabetic), count(|c| c.is_ascii_digit()));
    let signs = count(|c| c.is_ascii_punctuation() && !matches!(c, '_' | '-' | '.' | '/' | ':'));
    let (pairs, changes) = count_changes(value.as_bytes());
    let ends_in_sign = value.ends_with(|c: char| c.is_ascii_punctuation());
    letters >= 3
        && (digits > 0 || signs >= 2 + usize::from(ends_in_sign) || changes * 2 >= pairs.max(8))
        && !is_expression(value)
        && (!is_words(value) || is_weak_password(value))
}

/// Checks for a favourite of those who choose weak passwords, with digits behind it: `admin123`.
/// Only what is nothing else than that counts, because names such as `admin_password_1` have the
/// same words.
fn is_weak_password(value: &str) -> bool {
    let (word, rest) = value.split_at(value.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(0));
    let is_end = |c: char| c.is_ascii_digit() || matches!(c, '!' | '@' | '#' | '$' | '*' | '+');
    FAVOURITES.iter().any(|favourite| word.eq_ignore_ascii_case(favourite))
        && rest.chars().all(is_end)
        && rest.bytes().filter(u8::is_ascii_digit).count() >= 2
}

/// Replaces escaped letters by a letter: translations in JSON and HTML are full of them.
fn without_escapes(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(c) = rest.chars().next() {
        let escape = match c {
            '\\' if rest[1..].starts_with('u') => rest.get(..6).map(str::len),
            '\\' => rest.get(..2).map(str::len),
            '&' => rest.find(';').filter(|end| (3..10).contains(end)).map(|end| end + 1),
            _ => None,
        };
        out.push(if escape.is_some() { 'x' } else { c });
        rest = &rest[escape.unwrap_or(c.len_utf8())..];
    }
    out
}

/// Checks for calls, indexing and members of objects, whose names can look random.
fn is_call(value: &str) -> bool {
    const MAX_MEMBER_BYTES: usize = 19;
    let is_member = |part: &str| is_identifier(part) && part.len() <= MAX_MEMBER_BYTES;
    let has =
        |open, close| value.find(open).is_some_and(|at| at > 0 && value[at..].contains(close));
    has('(', ')') || has('[', ']') || value.contains('.') && value.split('.').all(is_member)
}

fn is_identifier(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Checks for code: calls, indexing, members, paths, comparisons, versions.
fn is_expression(value: &str) -> bool {
    let is_chain = |separator: &str| {
        value.contains(separator)
            && value.trim_end_matches(['(', ')']).split(separator).all(is_identifier)
    };
    value.contains(['(', ')', '[', ']', '|', '`'])
        || ["->", "=>", "::", "&&", "!="].iter().any(|sign| value.contains(sign))
        || value.starts_with(['/', '.', '~', '#', '&', '*', '%', '=', '<'])
        || ["/", ".", "\\", ":", "@"].iter().any(|separator| is_chain(separator))
}

/// Checks whether all letters of a value form known words. Words may be joined without a gap, and
/// single letters may stand between them.
fn is_words(value: &str) -> bool {
    let parts = || value.split(|c: char| !c.is_alphabetic()).filter(|part| !part.is_empty());
    parts().any(|part| part.len() > 2)
        && parts().all(|part| part.len() == 1 || is_joined_words(&part.to_ascii_lowercase()))
}

fn is_joined_words(part: &str) -> bool {
    // Which prefixes of the part consist of words.
    let mut ends = vec![false; part.len() + 1];
    ends[0] = true;
    for start in 0..part.len() {
        if !ends[start] {
            continue;
        }
        for word in
            WORDS.iter().filter(|word| part.as_bytes()[start..].starts_with(word.as_bytes()))
        {
            ends[start + word.len()] = true;
        }
    }
    ends[part.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[&str], kind: ValueKind, expected: bool) {
        for value in values {
            assert_eq!(is_secret(value, kind), expected, "{value}");
        }
    }

    #[test]
    fn chosen_passwords_are_secrets() {
        let values = ["hunter2", "S3cure!Pa55", "p@ss$w0rd", "correct-horse-7", "Tr0ub4dor&3"];
        check(&values, ValueKind::Chosen, true);
        check(
            &["pässwörd9", "aB$!cd%f", "x9!kk2", "$ecr3tPass", "l33t\\\"s"],
            ValueKind::Chosen,
            true,
        );
        check(&values, ValueKind::Random, false);
        check(
            &["admin123", "Admin@123", "root1234", "root1234!", "qwerty99", "guest2024"],
            ValueKind::Chosen,
            true,
        );
        check(&["admin123"], ValueKind::Random, false);
        let idents = ["user:hunter2", "user:admin123", "dXNlcjpodW50ZXIyMTIzNA=="];
        check(&idents, ValueKind::UserAndPassword, true);
        check(&["user:password", "${IDENT}", "username:pass"], ValueKind::UserAndPassword, false);
    }

    #[test]
    fn made_values_are_secrets_under_every_name() {
        let values = [
            concat!("wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"),
            "3f9a0c7e51b8d2463f9a0c7e",
            "f47ac10b-58cc-4372-a567-0e02b2c3d479",
            "q7Zx3VmK8tRw1BnC5yDfG9hJ",
        ];
        check(&values, ValueKind::Random, true);
        check(&values, ValueKind::Chosen, true);
    }

    #[test]
    fn placeholders_words_types_and_code_are_none() {
        let values = [
            "",
            "string",
            "null",
            "Passwort",
            "Contraseña",
            "Mot-de-passe",
            "password",
            "changeme",
            "${DB_PASSWORD}",
            "$DB_PASSWORD",
            "$(cat f1)",
            "{{ pw1 }}",
            "{{pw1}}",
            "<password1>",
            "%DB_PASSWORD1%",
            "%(password1)s",
            "[YOUR-PASSWORD-1]",
            "test1234",
            "password123",
            "my-secret-1",
            "mysecretpassword2",
            "abc123",
            "admin",
            "admin1",
            "admin_password_1",
            "root_user_12",
            "test_admin123",
            "********",
            "xxxxxxxx1",
            "sha256",
            "u64",
            "uint256",
            "varchar255",
            "config.db1.password",
            "self.token2",
            "get_password1()",
            "args[1]",
            "/run/secrets/db1",
            "./key1.txt",
            "vault:secret/data/db1",
            "op://a/b/c1",
            "https://example.com/1",
            "Token::Number1",
            "12345678",
            "1.2.3",
            "2024-01-01",
            "$argon2id$v=19$m=4096",
            "Contrase\\u00f1a",
            "Contrase&ntilde;a",
            "P&#228;sswort",
            "Password*",
            "Passwort?!",
            "arn:aws:iam::123:role1",
            "user.password2",
            "secrets.DB_1",
        ];
        check(&values, ValueKind::Chosen, false);
        let values = ["2024-01-01T00:00:00Z", "abcdefghijklmnop0123456789", "aaaaaaaaaaaaaaaa11"];
        check(&values, ValueKind::Chosen, false);
        let names = ["your-api-key-goes-here-123", "getUserTokenFromRequest2"];
        check(&names, ValueKind::Random, false);
    }
}
