//! The ways in which the path of a folder can be written in a text.

use std::fmt::Write;

/// Returns the path plain, JSON-escaped (with and without escaped slashes, and in ASCII) and
/// URL-escaped (with slashes kept, and with all of them escaped in either case).
pub(super) fn all_spellings(path: &str) -> Vec<String> {
    let json = escape_json(path);
    let ascii = escape_non_ascii(&json);
    let url = percent_encode(path, b"-._~/");
    let mut spellings = vec![
        path.to_owned(),
        json.replace('/', "\\/"),
        json.replace('/', "\\u002f"),
        json.replace('/', "\\u002F"),
        ascii.replace('/', "\\/"),
        json,
        ascii,
        lowercase_escapes(&url),
        url,
    ];
    let whole = percent_encode(path, b"-._~");
    spellings.push(lowercase_escapes(&whole));
    spellings.push(whole);
    spellings.sort();
    spellings.dedup();
    spellings
}

/// Returns the length of the path separator that `rest` begins with, in any spelling, or 0.
pub(super) fn separator_length(rest: &str) -> usize {
    ["/", "\\/", "%2F", "%2f", "\\u002f", "\\u002F", "\\\\", "\\"]
        .iter()
        .find(|separator| rest.starts_with(**separator) && is_separator(separator))
        .map_or(0, |separator| separator.len())
}

/// Rejects a lone backslash except on Windows, because elsewhere it starts an escape.
fn is_separator(text: &str) -> bool {
    cfg!(windows) || !matches!(text, "\\\\" | "\\")
}

/// Checks whether `rest` begins with a percent escape.
pub(super) fn is_percent_escape(rest: &str) -> bool {
    let mut bytes = rest.bytes();
    bytes.next() == Some(b'%')
        && bytes.next().is_some_and(|b| b.is_ascii_hexdigit())
        && bytes.next().is_some_and(|b| b.is_ascii_hexdigit())
}

fn escape_json(path: &str) -> String {
    let quoted = serde_json::Value::from(path).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn escape_non_ascii(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

fn percent_encode(path: &str, kept: &[u8]) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn lowercase_escapes(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    let mut digits = 0;
    for c in url.chars() {
        out.push(if digits > 0 { c.to_ascii_lowercase() } else { c });
        digits = if c == '%' { 2 } else { digits.max(1) - 1 };
    }
    out
}
