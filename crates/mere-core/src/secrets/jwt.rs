//! JSON Web Tokens (JWT): `header.payload.signature`, the first two base64url of JSON objects.
//!
//! `eyJ` is how `{"` begins in base64. The needle is that of the payload, because with the dot it
//! is rarer than that of the header. An unsigned token grants nothing, so a signature is required.

use std::ops::Range;

use super::characters::{CharSet, can_begin_after, is_plausibly_random};

/// The dot between header and payload, and the beginning of the payload.
pub(super) const NEEDLE: &str = ".eyJ";

const OBJECT_START: &[u8] = b"eyJ";
const MIN_OBJECT_BYTES: usize = 10;
const MIN_SIGNATURE_BYTES: usize = 16;

/// Finds the token whose first dot is at `dot`.
pub(super) fn find_secret(text: &str, dot: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = find_header_start(&bytes[..dot])?;
    let payload = dot + 1;
    let second = payload + CharSet::Word.leading_run(&bytes[payload..]);
    if bytes.get(second) != Some(&b'.') {
        return None;
    }
    let signature = second + 1;
    let end = signature + CharSet::Word.leading_run(&bytes[signature..]);
    let fits = dot - start >= MIN_OBJECT_BYTES
        && second - payload >= MIN_OBJECT_BYTES
        && end - signature >= MIN_SIGNATURE_BYTES;
    (fits && is_plausibly_random(&bytes[signature..end])).then_some(start..end)
}

/// Finds the start of the header that ends `before`. It is searched for inside the run, because an
/// escape before it consists of the same characters.
fn find_header_start(before: &[u8]) -> Option<usize> {
    let run = before.len() - CharSet::Word.trailing_run(before);
    let mut objects = (run..before.len()).filter(|at| before[*at..].starts_with(OBJECT_START));
    objects.find(|at| can_begin_after(&before[..*at]))
}

#[cfg(test)]
mod tests {
    use crate::secrets::tests::{WORD, body, check};

    #[test]
    fn web_tokens_are_found() {
        let token = format!("{}{}.{}{}.{}", "eyJ", "hbGciOiJI", "eyJ", "zdWIiOiIx", body(WORD, 43));
        let token = token.as_str();
        check(token, &[token]);
        check(&format!("Bearer {token}"), &[token]);
        check(&format!("a\\n{token}\\n=%3D{token}"), &[token, token]);
        check(&format!("x{token}"), &[]);
        check(&format!("{}{}.{}{}.", "eyJ", "hbGciOiJI", "eyJ", "zdWIiOiIx"), &[]);
        check(&format!("{}{}.eyJ....", "eyJ", "hbGciOiJI"), &[]);
    }
}
