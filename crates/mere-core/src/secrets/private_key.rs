//! Private keys in armour: from `-----BEGIN … PRIVATE KEY-----` to the END of the same label.
//!
//! The whole block is one secret, and without an END line everything that follows is. That much is
//! hidden only if key material follows, because code and prose mention these lines too. Line breaks
//! may be escaped, and every line may have quotes, indentation, comment signs or line numbers.

use std::ops::Range;

use super::characters::CharSet;

/// The common part of the labels of private keys. The dashes would match every ruler.
pub(super) const NEEDLE: &str = "PRIVATE KEY";

const BEGIN: &[u8] = b"-----BEGIN ";
const DASHES: &str = "-----";
const MAX_LABEL_BYTES: usize = 32;

/// The extent of the headers that may precede the key material.
const MAX_HEADER_BYTES: usize = 256;
/// A lower bound for the first line of every key.
const MIN_LINE_BYTES: usize = 40;

/// Finds the block whose first line has the needle at `needle`.
pub(super) fn find_secret(text: &str, needle: Range<usize>) -> Option<Range<usize>> {
    let (start, label) = label_start(&text.as_bytes()[..needle.start])?;
    let rest = &text[needle.end..];
    let rest = rest.strip_prefix(" BLOCK").unwrap_or(rest);
    let body = rest.strip_prefix(DASHES)?;
    let label = &text[label..text.len() - rest.len()];
    let length = block_length(body, &format!("{DASHES}END {label}{DASHES}"))?;
    Some(start..text.len() - body.len() + length)
}

/// Finds where the line that ends `before` begins, and where its label begins.
fn label_start(before: &[u8]) -> Option<(usize, usize)> {
    let near = before.len().saturating_sub(BEGIN.len() + MAX_LABEL_BYTES);
    let at = near + before[near..].windows(BEGIN.len()).rposition(|window| window == BEGIN)?;
    let label = at + BEGIN.len();
    let is_label = |byte: &u8| *byte == b' ' || CharSet::Capital.contains(*byte);
    before[label..].iter().all(is_label).then_some((at, label))
}

/// Measures the block after its first line, including its last line.
fn block_length(body: &str, end: &str) -> Option<usize> {
    let bytes = body.as_bytes();
    let plain = bytes.iter().take_while(|byte| is_block_byte(**byte)).count();
    if bytes[plain..].starts_with(end.as_bytes()) {
        let has_key = bytes[..plain].iter().any(|byte| CharSet::Base64.contains(*byte));
        return has_key.then_some(plain + end.len());
    }
    let near = &bytes[..bytes.len().min(MAX_HEADER_BYTES + MIN_LINE_BYTES)];
    let mut lines = near.split(|byte| !is_key_byte(*byte));
    lines
        .any(|line| line.len() >= MIN_LINE_BYTES)
        .then(|| body.find(end).map_or(body.len(), |at| at + end.len()))
}

/// Checks for the bytes of a block without headers; backslashes come from escaped line breaks.
fn is_block_byte(byte: u8) -> bool {
    byte.is_ascii_whitespace() || is_key_byte(byte)
}

fn is_key_byte(byte: u8) -> bool {
    byte == b'\\' || CharSet::Base64.contains(byte)
}

#[cfg(test)]
mod tests {
    use crate::secrets::tests::{BASE64, body, check};

    #[test]
    fn private_keys_are_one_range() {
        let line = body(BASE64, 64);
        for label in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
            for glue in ["\n", "\r\n", "\\n", "\\r\\n", " ", "\n    ", "\\n\" +\n  b\"", "\n 12\t"]
            {
                let (begin, end) = (format!("BEGIN {label}PRIVATE"), format!("END {label}PRIVATE"));
                let open = format!("-----{begin} KEY-----{glue}{line}{glue}{line}==");
                let whole = format!("{open}{glue}-----{end} KEY-----");
                check(&format!("key: \"{whole}\"\nrest"), &[&whole]);
                check(&format!("{whole}\n{whole}"), &[&whole, &whole]);
                check(&format!("a {open}"), &[&open]);
            }
        }
        let short =
            format!("-----{} KEY-----\nabc\n-----{} KEY-----", "BEGIN PRIVATE", "END PRIVATE");
        check(&short, &[&short]);
        let headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,3F9A0C7E\n\n";
        let headed = format!("-----{} KEY-----\n{headers}{line}\n", "BEGIN RSA PRIVATE");
        check(&headed, &[&headed]);
        let armour = format!(
            "-----{0} KEY BLOCK-----\nVersion: GnuPG v2\n\n{line}\n=q7Zx\n-----{1} KEY BLOCK-----",
            "BEGIN PGP PRIVATE", "END PGP PRIVATE"
        );
        check(&format!("{armour}\n"), &[&armour]);
    }

    #[test]
    fn the_lines_around_a_key_are_no_key() {
        let begin = format!("-----{} KEY-----", "BEGIN PRIVATE");
        let end = format!("-----{} KEY-----", "END PRIVATE");
        for text in [
            format!("const BEGIN: &str = \"{begin}\";\nconst END: &str = \"{end}\";"),
            format!("key.replace(\"{begin}\", \"\").replace(\"{end}\", \"\").decode()"),
            format!("`{begin}\n${{body}}\n{end}`"),
            format!("\"{begin}\\n\" + body + \"\\n{end}\\n\""),
            format!("{begin}\n...\n{end}"),
            format!("A file that begins with {begin} holds a private key, which nobody may read."),
            format!("{begin}{begin}\n{begin}"),
            format!("{end}\n{}", body(BASE64, 64)),
        ] {
            check(&text, &[]);
        }
    }
}
