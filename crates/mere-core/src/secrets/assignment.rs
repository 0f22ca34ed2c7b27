//! Values that are assigned to names which say that they are secret: `password: …`,
//! `"client_secret": "…"`, `export DB_PASSWORD=…`, `<password>…</password>`, `--token …`.
//!
//! Only the value is secret. Quotes may be escaped to any depth, because JSON stands in strings.
//! A value without quotes must be a whole word that cannot be code: the rest of a line, or of a
//! connection string. Each step looks at a bounded number of bytes.

use std::ops::Range;

use super::characters::CharSet;
use super::lines_below;
use super::secret_name::{ValueKind, value_kind};
use super::secret_value::is_secret;
use super::separator::{Separator, gap_length, quote_length};

/// Parts of the names that say secret. All have four bytes or more, in the spellings that occur:
/// small, capital and camel case.
pub(super) const NEEDLES: [&str; 42] = [
    "assw",
    "ASSW",
    "assphrase",
    "ASSPHRASE",
    "asscode",
    "ASSCODE",
    "_pass",
    "_PASS",
    "pass:",
    "pass=",
    "pass\"",
    "pass'",
    "Pass:",
    "Pass=",
    "Pass\"",
    "_pwd",
    "_PWD",
    "pwd=",
    "PWD=",
    "Pwd=",
    "pwd:",
    "pwd\"",
    "pwd'",
    "ecret",
    "ECRET",
    "oken",
    "OKEN",
    "_key",
    "_KEY",
    "-key",
    "-Key",
    "Key=",
    "Key:",
    "Key\"",
    "Key ",
    "pikey",
    "PIKEY",
    "_auth",
    "auth\"",
    "uthorization",
    "AuthIdent",
    "AUTH_IDENT",
];

/// The longest name, and the longest gap around a separator.
const MAX_NAME_BYTES: usize = 64;
pub(super) const MAX_GAP_BYTES: usize = 64;
/// The part of a value that decides whether all of it is secret.
pub(super) const SAMPLE_BYTES: usize = 128;

/// Finds the secret that is assigned to the name around `needle`.
pub(super) fn find_secret(text: &str, needle: Range<usize>) -> Option<Range<usize>> {
    let name = name_around(text, &needle)?;
    // This comes first because code is full of names that nothing is assigned to.
    let (separator, value) = Separator::parse(text, &name)?;
    let kind = value_kind(&text[name.clone()])?;
    let assignment = Assignment { text, name, separator, value }.after_type();
    if let Some(secret) = lines_below::find_secret(&assignment, kind) {
        return Some(secret);
    }
    // A long value is measured only if its beginning is secret, or the work would not be linear.
    let sample = assignment.locate_value(kind, SAMPLE_BYTES)?;
    if !is_secret(&text[sample.clone()], kind) {
        return None;
    }
    if sample.len() < SAMPLE_BYTES {
        return Some(sample);
    }
    // The rest of a long value belongs to it even if it ends otherwise than a value should.
    let whole = assignment.locate_value(kind, usize::MAX);
    Some(
        whole
            .filter(|whole| whole.start == sample.start && whole.end > sample.end)
            .unwrap_or(sample),
    )
}

/// Checks whether a value is a secret because of its name, where both are known apart.
pub fn is_assigned_secret(name: &str, value: &str) -> bool {
    match value_kind(name) {
        Some(ValueKind::Header) => {
            is_secret(&value[header_value(value, 0, SAMPLE_BYTES)], ValueKind::Random)
        }
        Some(kind) => is_secret(cut(value, SAMPLE_BYTES), kind),
        None => false,
    }
}

/// Finds the whole name around a part of it. The part may contain what follows the name.
fn name_around(text: &str, needle: &Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let near = &bytes[needle.start.saturating_sub(MAX_NAME_BYTES)..needle.start];
    let start = needle.start - CharSet::Word.trailing_run(near);
    let far = &bytes[needle.start..bytes.len().min(needle.start + MAX_NAME_BYTES)];
    let end = needle.start + CharSet::Word.leading_run(far);
    // A dash before a name is that of an option.
    let dashes = bytes[start..end].iter().take_while(|byte| **byte == b'-').count();
    // A name behind `::` is that of a type.
    let is_name = start + dashes < end && !bytes[..start].ends_with(b"::");
    (is_name && end - start <= MAX_NAME_BYTES).then_some(start + dashes..end)
}

/// A name to which something is assigned.
pub(super) struct Assignment<'a> {
    pub(super) text: &'a str,
    pub(super) name: Range<usize>,
    pub(super) separator: Separator,
    /// Where the value begins, with its quotes.
    pub(super) value: usize,
}

impl Assignment<'_> {
    /// Finds the value. One that is longer than `reach` is cut there.
    fn locate_value(&self, kind: ValueKind, reach: usize) -> Option<Range<usize>> {
        match self.separator {
            Separator::Tag => self.element_text(reach),
            Separator::Gap => self.option_value(reach),
            _ if kind == ValueKind::Header => Some(header_value(self.text, self.value, reach)),
            _ => quoted_value(self.text, self.value, reach).or_else(|| self.bare_value(reach)),
        }
    }

    /// Skips a type between the name and the value: `password: str = "…"`.
    fn after_type(self) -> Self {
        let bytes = self.text.as_bytes();
        let near = &bytes[self.value..bytes.len().min(self.value + MAX_GAP_BYTES)];
        let is_type = |byte: &u8| byte.is_ascii_alphanumeric() || b" _&'<>[].,|:?".contains(byte);
        let length = near.iter().take_while(|byte| is_type(byte)).count();
        if self.separator != Separator::Colon || near.get(length) != Some(&b'=') {
            return self;
        }
        let value = self.value + length + 1;
        let gap = gap_length(&bytes[value..]);
        Self { separator: Separator::Quoted, value: value + gap, ..self }
    }

    /// Finds a value without quotes.
    fn bare_value(&self, reach: usize) -> Option<Range<usize>> {
        let Self { text, ref name, separator, value } = *self;
        let line = line_start(text, name.start);
        let before = text[line..name.start].trim_matches([' ', '\t', '"', '\'', '*']);
        let begins = matches!(before, "" | "-" | "export" | "set" | "ENV" | "ARG" | "-e" | "#");
        let length = word_length(&text[value..], reach);
        let (word, rest) = text[value..].split_at(length);
        let ends = ends_line(rest) || length >= reach;
        match separator {
            // The whole line is a setting of an environment, and the value may have any signs.
            Separator::Tight if begins && is_environment_name(&text[name.clone()]) => {
                ends.then_some(value..value + length)
            }
            Separator::Tight => {
                let length = word.find([';', '&', ',', ')', '}']).unwrap_or(word.len());
                let follows = text[value + length..].chars().next();
                let is_argument = matches!(follows, Some(',' | ')' | '}'));
                (!is_argument).then_some(value..value + length)
            }
            // In a list between braces, what could be the name of a variable is one.
            Separator::Colon if before.ends_with(['{', ',']) => {
                let length = word.find([',', '}']).unwrap_or(word.len());
                let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_$.".contains(&byte);
                let is_variable = length < SAMPLE_BYTES && word[..length].bytes().all(is_name);
                (!is_variable).then_some(value..value + length)
            }
            Separator::Equals | Separator::Colon | Separator::Beside => {
                let is_code = word.ends_with([',', ';', '{', '(', '[']);
                let begins = begins || separator == Separator::Beside;
                (begins && !is_code && ends).then_some(value..value + length)
            }
            Separator::Quoted | Separator::Tag | Separator::Gap => None,
        }
    }

    /// Finds the text of an element: `<password>…</password>`.
    fn element_text(&self, reach: usize) -> Option<Range<usize>> {
        let is_element = self.text[..self.name.start].ends_with(['<', ':', '.']);
        let near = cut(&self.text[self.value..], reach);
        let length = match near.find(['<', '\n']) {
            Some(end) if !near[end..].starts_with("</") => return None,
            end => end.unwrap_or(near.len()),
        };
        is_element.then_some(self.value..self.value + length)
    }

    /// Finds the value of an option of a command: `--password …`.
    fn option_value(&self, reach: usize) -> Option<Range<usize>> {
        if !self.text[..self.name.start].ends_with("--") {
            return None;
        }
        let end = self.value + word_length(&self.text[self.value..], reach);
        quoted_value(self.text, self.value, reach).or(Some(self.value..end))
    }
}

/// Finds what follows the scheme in a header: `Authorization: Bearer …`.
fn header_value(text: &str, at: usize, reach: usize) -> Range<usize> {
    let start = at + quote_length(&text.as_bytes()[at..]);
    let scheme = text[start..].bytes().take(MAX_GAP_BYTES).take_while(u8::is_ascii_alphabetic);
    let scheme = start + scheme.count();
    let gap = gap_length(&text.as_bytes()[scheme..]);
    let value = if gap > 0 { scheme + gap } else { start };
    let is_word = |byte: &u8| CharSet::Base64.contains(*byte) || b"-_.~:".contains(byte);
    let length = text[value..].bytes().take(reach).take_while(is_word).count();
    value..value + length
}

/// Finds the text between quotes. Letters before them say what kind of string it is; quotes inside
/// are escaped once more than those around it.
pub(super) fn quoted_value(text: &str, at: usize, reach: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let kind = bytes.get(at..)?.iter().take(2).take_while(|byte| b"brufBRUF@$".contains(byte));
    let open = at + kind.count();
    let escapes = bytes[open..].iter().take(8).take_while(|byte| **byte == b'\\').count();
    let quote = *bytes.get(open + escapes).filter(|byte| b"\"'`".contains(byte))?;
    let start = open + escapes + 1;
    let near = cut(&text[start..], reach);
    let mut backslashes = 0;
    for (offset, byte) in near.bytes().enumerate() {
        match byte {
            b'\\' => backslashes += 1,
            b'\n' => return None,
            // Each level of escapes doubles the backslashes and adds one before a quote.
            _ if byte == quote && backslashes % (2 * escapes + 2) == escapes => {
                return Some(start..start + offset - escapes);
            }
            _ => backslashes = 0,
        }
    }
    // The text ends within the value, or it is longer than what is looked at.
    Some(start..start + near.len())
}

/// Measures a word without quotes. An escaped line end ends it, because texts stand in JSON.
pub(super) fn word_length(text: &str, reach: usize) -> usize {
    let near = cut(text, reach);
    let ends =
        |c: char| c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '`' | '\\');
    near.find(ends).unwrap_or(near.len())
}

/// Cuts a text after at least `reach` bytes.
pub(super) fn cut(text: &str, reach: usize) -> &str {
    &text[..text.ceil_char_boundary(reach)]
}

/// Checks that nothing but a comment follows in the line.
fn ends_line(rest: &str) -> bool {
    let trimmed = rest.trim_start_matches([' ', '\t']);
    let is_comment = trimmed.len() < rest.len() && trimmed.starts_with(['#', ';']);
    is_comment
        || trimmed.is_empty()
        || trimmed.starts_with(['\n', '\r', '"', '\'', '`'])
        || trimmed.starts_with("\\n")
        || trimmed.starts_with("\\r")
        || trimmed.starts_with("&& ")
}

fn line_start(text: &str, at: usize) -> usize {
    let near = text.ceil_char_boundary(at.saturating_sub(MAX_NAME_BYTES));
    let line = text[near..at].rfind('\n').map(|end| near + end + 1);
    // An escaped line end begins a line as well.
    let escaped = text[near..at].rfind("\\n").map(|end| near + end + 2);
    line.max(escaped).unwrap_or(near)
}

fn is_environment_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use crate::secrets::tests::check;

    /// Finds `S3cure!x` in each text, and nothing else.
    fn check_found(texts: &[&str]) {
        for text in texts {
            check(text, &["S3cure!x"]);
            check(&format!("line\n{text}\nline\n"), &["S3cure!x"]);
        }
    }

    #[test]
    fn assigned_passwords_are_found_in_every_notation() {
        check_found(&[
            "password: S3cure!x",
            "  password: S3cure!x  # the database",
            "- password: 'S3cure!x'",
            "password = S3cure!x",
            "password=S3cure!x",
            "password=\"S3cure!x\"",
            "export DB_PASSWORD=S3cure!x",
            "export PASSWORD='S3cure!x'",
            "set DB_PASS=S3cure!x",
            "ENV PASSWORD=S3cure!x",
            "$env:PASSWORD = \"S3cure!x\"",
            "{\"user\":\"me\",\"password\":\"S3cure!x\"}",
            "{\"password\" : \"S3cure!x\", \"a\": 1}",
            r#"{\"password\": \"S3cure!x\"}"#,
            r#""{\\\"password\\\": \\\"S3cure!x\\\"}""#,
            "'password' => 'S3cure!x',",
            "password := \"S3cure!x\"",
            "let password = \"S3cure!x\";",
            "const PASSWORD: &str = \"S3cure!x\";",
            "password: str = 'S3cure!x'",
            "password = b'S3cure!x'",
            "os.environ[\"DB_PASSWORD\"] = \"S3cure!x\"",
            "connect(user=\"me\", password=\"S3cure!x\")",
            "Server=db;User=me;Password=S3cure!x;Timeout=3",
            "Server=db;Pwd=S3cure!x",
            "https://example.com/?password=S3cure!x&a=b",
            "<password>S3cure!x</password>",
            "<db:password>S3cure!x</db:password>",
            "<add key=\"Password\" value=\"S3cure!x\"/>",
            "<user password=\"S3cure!x\"/>",
            "- name: DB_PASSWORD\n  value: S3cure!x",
            "- name: DB_PASSWORD\n  value: \"S3cure!x\"",
            "{\"name\": \"DB_PASSWORD\", \"value\": \"S3cure!x\"}",
            "mysql --password S3cure!x -u me",
            "mysql --password=S3cure!x -u me",
            "spring.datasource.password=S3cure!x",
            "client_secret: S3cure!x",
            "{host: h, password: S3cure!x, port: 1}",
            "{password: S3cure!x}",
            "password: !!str S3cure!x",
            "password: &main S3cure!x",
            "**Password:** S3cure!x",
            "- **Password**: `S3cure!x`",
            "os.environ.get(\"DB_PASSWORD\", \"S3cure!x\")",
            "process.env.DB_PASSWORD || 'S3cure!x'",
            "headers.set(\"X-Secret\", \"S3cure!x\")",
        ]);
        check("password: ${DB_PASSWORD:-S3cure!x}", &["${DB_PASSWORD:-S3cure!x}"]);
        check("  password: UzNjdXJlTXlQd0Fi", &["UzNjdXJlTXlQd0Fi"]);
    }

    #[test]
    fn escaped_quotes_belong_to_the_value() {
        check(r#""password": "a\"b1\\", "x": "y""#, &[r#"a\"b1\\"#]);
        check(r#"{\"password\": \"a\\\"b12\", \"x\": 1}"#, &[r#"a\\\"b12"#]);
        check("password = 'it\\'s_S3cure'", &["it\\'s_S3cure"]);
    }

    #[test]
    fn made_values_are_found_under_names_of_keys_and_tokens() {
        let key = concat!("wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY");
        for text in [
            format!("aws_secret_access_key = {key}"),
            format!("AWS_SECRET_ACCESS_KEY={key}"),
            format!("\"secretAccessKey\": \"{key}\""),
            format!("api_key: {key}"),
            format!("X-Api-Key: {key}"),
            format!("//registry.npmjs.org/:_authToken={key}"),
            format!("Authorization: Bearer {key}"),
            format!("curl -H 'Authorization: token {key}' x"),
            format!("headers = {{\"Authorization\": \"Basic {key}\"}}"),
            format!("Authorization: {key}"),
            format!("deploy --token {key}"),
        ] {
            check(&text, &[key]);
        }
    }

    #[test]
    fn what_only_stands_where_a_secret_would_stays() {
        for text in [
            "password: ${DB_PASSWORD}",
            "password: string",
            "password: string;",
            "password: Option<String>,",
            "token: null",
            "\"password\": \"\"",
            "\"password\": \"Passwort\"",
            "\"password\": \"Contrase\\u00f1a\"",
            "\"password\": \"Enter 8 letters\"",
            "\"password\": {\"type\": \"string\", \"minLength\": 8}",
            "password: { type: String, required: true }",
            "def login(user, password=None, token=default1):",
            "fn login(user: &str, password: &str) -> Token2 {",
            "connect(user=user1, password=password1)",
            "password = get_password(user1)",
            "password = config.database.password1",
            "password = os.environ['DB_PASSWORD_1']",
            "let token = tokens[1];",
            "token = Token::Number1",
            "token: Token32,",
            "token == \"S3cure!x\"",
            "self.password = password1",
            "password1 = password2",
            "PASSWORD=$1",
            "PASSWORD=\"$(cat /run/secrets/pw1)\"",
            "PWD=/home/user1/project",
            "password_hash = \"S3cure!x9\"",
            "password_file: /run/secrets/pw1",
            "secret_name: db-password-1",
            "<password></password> <password>{{pw1}}</password>",
            "<input type=\"password\" name=\"pw1\" value=\"x\">",
            "{\"type\": \"password\", \"value\": 12}",
            "| password | S3cure |",
            "Enter the password: it has 8 characters",
            "--password PASSWORD1 --token <token1>",
            "Authorization: Bearer <token>",
            "Authorization: Bearer ${TOKEN_1}",
            "token_type: bearer1",
            "next_token = \"q7Zx3VmK8tRw1BnC5yDfG9hJ\"",
            "token: !secret api_token_1",
            "assert_eq!(token, \"abc123\")",
            "password: &'static str,",
            "secret: [u8; 32],",
            "key: api_key_1",
            "connect({user: user1, password: password1, token})",
            "{password: pw1}",
            "{id:e.client_id,hasSecret:e.client_secret!==void 0&&e.id}",
            "password: ${DB_PASSWORD:-changeme}",
            "os.environ.get(\"DB_PASSWORD\", default1)",
            "t(\"password\", \"Passwort\")",
            "password: &main ${X1}",
            "token: myPassWordFieldName",
        ] {
            check(text, &[]);
            check(&format!("line\n{text}\nline\n"), &[]);
        }
    }
}
