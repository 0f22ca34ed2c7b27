//! Passwords in URLs: `scheme://user:password@host`.
//!
//! Only the password is secret; the rest says where it leads. In the URL of a database or a queue
//! any word counts as a password, however weak, but a placeholder does not. The URLs of other
//! services stand in documents too, so there a password must not be a word.

use std::ops::Range;

use super::characters::{CharSet, can_begin_after};
use super::secret_name::ValueKind;
use super::secret_value;

/// The characters that follow a scheme.
pub(super) const NEEDLE: &str = "://";

/// The schemes; a driver may follow, as in `postgresql+asyncpg`.
const SCHEMES: [&str; 12] = [
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mssql",
    "sqlserver",
    "clickhouse",
    "mongodb",
    "redis",
    "rediss",
    "amqp",
    "amqps",
];

const MAX_SCHEME_BYTES: usize = 32;
/// The longest beginning of a web URL in which a password is looked for.
const MAX_AUTHORITY_BYTES: usize = 512;

/// Finds the password of the URL whose `://` is at `separator`.
pub(super) fn find_secret(text: &str, separator: Range<usize>) -> Option<Range<usize>> {
    let is_database = has_scheme_suffix(&text.as_bytes()[..separator.start]);
    let rest = &text[separator.end..];
    let rest =
        if is_database { rest } else { &rest[..rest.floor_char_boundary(MAX_AUTHORITY_BYTES)] };
    let authority = &rest[..rest.find(is_authority_end).unwrap_or(rest.len())];
    // The last `@` is the one before the host, because it is often left unescaped in passwords.
    let user_and_password = &authority[..authority.rfind('@')?];
    let colon = user_and_password.find(':')?;
    let password = &user_and_password[colon + 1..];
    let start = separator.end + colon + 1;
    let is_password = !is_placeholder(password)
        && (is_database || secret_value::is_secret(password, ValueKind::Chosen));
    is_password.then_some(start..start + password.len())
}

fn has_scheme_suffix(before: &[u8]) -> bool {
    // Most URLs are web URLs, and a text can be full of them.
    if before.ends_with(b"https") || before.ends_with(b"http") {
        return false;
    }
    let near = &before[before.len().saturating_sub(MAX_SCHEME_BYTES)..];
    let word = CharSet::Word.trailing_run(near);
    let before = match near[..near.len() - word].last() {
        Some(b'+') => &before[..before.len() - word - 1],
        _ => before,
    };
    SCHEMES.iter().any(|scheme| before.strip_suffix(scheme.as_bytes()).is_some_and(can_begin_after))
}

fn is_authority_end(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '/' | '\\' | '"' | '\'' | '`')
}

/// Checks for text that stands for a password or already masks one: `${PASSWORD}`, `<password>`,
/// `[PASSWORD]`, `$PASSWORD`, `%s`, `****`.
fn is_placeholder(password: &str) -> bool {
    let inside = |open, close| password.contains(open) && password.ends_with(close);
    let mut others = password.chars().skip_while(|c| password.starts_with(*c));
    inside('{', '}')
        || inside('<', '>')
        || inside('[', ']')
        || password.strip_prefix('$').is_some_and(is_variable)
        || password.strip_prefix('%').is_some_and(|rest| !is_percent_escape(rest))
        || others.next().is_none()
}

/// Checks whether `$` and this name form a variable. A mix of lowercase letters and digits is more
/// likely a password.
fn is_variable(name: &str) -> bool {
    let all = |wanted: fn(&u8) -> bool| name.bytes().all(|byte| byte == b'_' || wanted(&byte));
    name.starts_with('(')
        || all(u8::is_ascii_alphabetic)
        || all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

fn is_percent_escape(rest: &str) -> bool {
    rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use crate::secrets::tests::check;

    #[test]
    fn passwords_of_databases_are_found() {
        for (before, password, after) in [
            ("postgres://user:", "hunter2", "@host/db"),
            ("postgresql+asyncpg://user:", "hunter2", "@host"),
            ("jdbc:mysql://user:", "p@ss", "@host:3306"),
            ("mongodb+srv://user:", "a%40b", "@a.example,b.example"),
            ("redis://:", "hunter2", "@[::1]:6379"),
            ("rediss://user:", "pässwörd", "@host"),
            ("amqp://${USER}:", "hunter2", "@host"),
            ("\"a\\namqps://user:", "p#?$!", "@host\""),
            ("clickhouse://user:", "$ecret1", "@host"),
            ("https://user:", "hunter2", "@example.com/x"),
            ("git+https://oauth2:", "S3cure-x", "@git.example.com/a.git"),
            ("ftp://user:", "p@ssw0rd!", "@example.com"),
        ] {
            check(&format!("{before}{password}{after}"), &[password]);
        }
        let two = format!("mysql://a:{0}@b,redis://a:{0}@b", "hunter2");
        check(&two, &["hunter2", "hunter2"]);
    }

    #[test]
    fn urls_without_a_password_stay() {
        for text in [
            "https://user:password@example.com https://user:pass123@example.com https://a.com",
            "https://user:${TOKEN1}@example.com http://localhost:8080/@scope1 https://a:1@b",
            "postgres://user@host postgres://host:5432/db redis://localhost:6379 me@example.com",
            "postgres://user:${PASSWORD}@host postgres://user:$PGPASSWORD@host mysql://u:$pass@h",
            "mysql://%s:%s@%s mysql://%(user)s:%(password)s@h mysql://{}:{}@{} mysql://u:<pass>@h",
            "redis://:****@h redis://:xxx@h amqp://u:[YOUR-PASSWORD]@h amqp://u:@h amqp://u:$(p)@h",
            "notmysql://u:hunter@h mysql:u:hunter@h mysql+://u postgres://a b:hunter@h",
            "\"postgres://\" + user + \":\" + password + \"@host\"",
        ] {
            check(text, &[]);
        }
    }
}
