//! Removes the secrets that a tool was given from whatever it says, in every usual encoding.
//!
//! This is not a guess by shape: the values are known. A value is found as it is, as JSON, as a URL
//! and as a form write it, in hexadecimal, and in base64 wherever it begins in the encoded text.
//! Whoever splits or encrypts a secret gets it out; that is why a person decides who is given one.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use crate::item::SecretName;

/// The shortest secret, in bytes: a shorter one would be found in ordinary words.
pub const MIN_SECRET_BYTES: usize = 8;
/// The longest secret, in bytes.
pub const MAX_SECRET_BYTES: usize = 16 * 1024;
/// The shortest line of a secret that is searched for by itself.
const MIN_LINE_BYTES: usize = 16;
/// The bytes that encoders of URLs leave as they are besides letters and digits: in a path, in one
/// part of it, in a whole URL (as `encodeURI` does), in a component (`encodeURIComponent`), in a form;
/// and none at all, letters and digits included.
const UNRESERVED_SETS: [&[u8]; 6] =
    [b"-._~/", b"-._~", b"-._~!'()*;,/?:@&=+$#", b"-._~!'()*", b"-._*", b""];

/// Finds the values of some secrets in bytes.
pub struct SecretRedactor {
    /// `None` if there are no secrets.
    automaton: Option<AhoCorasick>,
    /// The stand-in for each pattern of the automaton.
    stand_ins: Vec<String>,
    longest: usize,
}

/// The secrets cannot be searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there are too many secrets to search for")]
pub struct RedactorError;

impl SecretRedactor {
    /// Prepares the search for the values of these secrets.
    pub fn new(secrets: &[(SecretName, &str)]) -> Result<Self, RedactorError> {
        let mut patterns = Vec::<Vec<u8>>::new();
        let mut stand_ins = Vec::new();
        for (name, value) in secrets {
            for spelling in spellings(value) {
                patterns.push(spelling);
                stand_ins.push(format!("[secret {name}]"));
            }
        }
        let longest = patterns.iter().map(Vec::len).max().unwrap_or(0);
        let automaton = (!patterns.is_empty()).then(|| {
            AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&patterns)
        });
        let automaton = automaton.transpose().map_err(|_| RedactorError)?;
        Ok(Self { automaton, stand_ins, longest })
    }

    /// Returns a redactor that finds nothing.
    pub fn none() -> Self {
        Self { automaton: None, stand_ins: Vec::new(), longest: 0 }
    }

    /// Replaces every secret in a text that is known whole.
    pub fn redact<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        match &self.automaton {
            Some(automaton) if automaton.is_match(bytes) => {
                let (redacted, _) = self.replace_before(automaton, bytes, bytes.len());
                Cow::Owned(redacted)
            }
            _ => Cow::Borrowed(bytes),
        }
    }

    /// Replaces every secret in a text.
    pub fn redact_text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.redact(text.as_bytes())).into_owned()
    }

    /// Replaces the secrets that begin before `end`. Returns the replaced text, and where the rest of
    /// the bytes begins.
    fn replace_before(
        &self,
        automaton: &AhoCorasick,
        bytes: &[u8],
        end: usize,
    ) -> (Vec<u8>, usize) {
        let (mut out, mut done) = (Vec::with_capacity(bytes.len()), 0);
        for found in automaton.find_iter(bytes).take_while(|found| found.start() < end) {
            out.extend_from_slice(&bytes[done..found.start()]);
            out.extend_from_slice(self.stand_ins[found.pattern().as_usize()].as_bytes());
            done = found.end();
        }
        let end = end.max(done);
        out.extend_from_slice(&bytes[done..end]);
        (out, end)
    }
}

impl fmt::Debug for SecretRedactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretRedactor").finish_non_exhaustive()
    }
}

/// A stream whose secrets are replaced as it arrives. It holds back what may be the beginning of a
/// secret until more is known.
#[derive(Default)]
pub struct RedactedStream {
    pending: Vec<u8>,
}

impl RedactedStream {
    /// Adds bytes of the stream, and returns those that are certain not to contain a part of a
    /// secret.
    pub fn push(&mut self, redactor: &SecretRedactor, bytes: &[u8]) -> Vec<u8> {
        let Some(automaton) = &redactor.automaton else { return bytes.to_vec() };
        self.pending.extend_from_slice(bytes);
        let certain = self.pending.len().saturating_sub(redactor.longest.saturating_sub(1));
        let (out, rest) = redactor.replace_before(automaton, &self.pending, certain);
        self.pending.drain(..rest);
        out
    }

    /// Ends the stream, and returns what was held back.
    pub fn finish(&mut self, redactor: &SecretRedactor) -> Vec<u8> {
        redactor.redact(&std::mem::take(&mut self.pending)).into_owned()
    }
}

/// Returns the ways in which a value is written.
fn spellings(value: &str) -> BTreeSet<Vec<u8>> {
    let mut all = BTreeSet::new();
    let lines = value.lines().map(str::trim).filter(|line| line.len() >= MIN_LINE_BYTES);
    for text in lines.chain([value]) {
        let bytes = text.as_bytes();
        all.insert(bytes.to_vec());
        all.extend(json_spellings(text).map(String::into_bytes));
        for kept in UNRESERVED_SETS {
            for digits in [LOWER_HEX, UPPER_HEX] {
                let encoded = percent_encode(bytes, kept, digits);
                all.insert(encoded.replace("%20", "+").into_bytes());
                all.insert(encoded.into_bytes());
            }
        }
        for digits in [LOWER_HEX, UPPER_HEX] {
            let pairs = bytes.iter().map(|byte| hex_pair(*byte, digits));
            all.insert(pairs.collect::<String>().into_bytes());
        }
        for offset in 0..3 {
            all.insert(base64_part(&STANDARD_NO_PAD, bytes, offset));
            all.insert(base64_part(&URL_SAFE_NO_PAD, bytes, offset));
        }
    }
    all.retain(|spelling| spelling.len() >= MIN_SECRET_BYTES);
    all
}

/// Returns a text as it stands between the quotes of a JSON string: with letters of other scripts as
/// they are or escaped, and with slashes as they are or escaped.
fn json_spellings(text: &str) -> impl Iterator<Item = String> {
    let plain = serde_json::Value::from(text).to_string();
    let plain = plain[1..plain.len() - 1].to_owned();
    let escape = |digits: &'static [u8; 16]| {
        let units = plain.chars().map(move |character| match character {
            c if c.is_ascii() => c.to_string(),
            c => {
                let units = c.encode_utf16(&mut [0; 2]).to_vec();
                let pairs = units.into_iter().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
                let pairs = pairs.chunks(2).map(|pair| {
                    format!("\\u{}{}", hex_pair(pair[0], digits), hex_pair(pair[1], digits))
                });
                pairs.collect()
            }
        });
        units.collect::<String>()
    };
    let all = [escape(LOWER_HEX), escape(UPPER_HEX), plain.clone()];
    all.into_iter().flat_map(|one| [one.replace('/', "\\/"), one])
}

const LOWER_HEX: &[u8; 16] = b"0123456789abcdef";
const UPPER_HEX: &[u8; 16] = b"0123456789ABCDEF";

fn hex_pair(byte: u8, digits: &[u8; 16]) -> String {
    let digit = |value: u8| char::from(digits[usize::from(value & 0x0f)]);
    [digit(byte >> 4), digit(byte)].iter().collect()
}

/// Encodes bytes for a URL. Letters and digits stay as they are, unless nothing is kept at all.
fn percent_encode(bytes: &[u8], kept: &[u8], digits: &[u8; 16]) -> String {
    let is_kept =
        |byte: u8| !kept.is_empty() && (byte.is_ascii_alphanumeric() || kept.contains(&byte));
    let encoded = bytes.iter().map(|byte| match *byte {
        byte if is_kept(byte) => char::from(byte).to_string(),
        byte => format!("%{}", hex_pair(byte, digits)),
    });
    encoded.collect()
}

/// Returns the characters of base64 that depend on nothing but these bytes, if they begin at this
/// offset of a group of three.
fn base64_part(encoding: &impl base64::Engine, bytes: &[u8], offset: usize) -> Vec<u8> {
    let mut shifted = vec![0; offset];
    shifted.extend_from_slice(bytes);
    let encoded = encoding.encode(&shifted).into_bytes();
    let first = (offset * 8).div_ceil(6);
    let last = shifted.len() * 8 / 6;
    encoded.get(first..last).unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use proptest::prelude::*;

    fn redactor(value: &str) -> SecretRedactor {
        SecretRedactor::new(&[("KEY".parse().expect("a name"), value)]).expect("a redactor")
    }

    #[test]
    fn a_secret_is_found_in_every_encoding() {
        let value = "s3cr\u{e9}t \"/+?=&x\n";
        let redactor = redactor(value);
        let bytes = value.as_bytes();
        let mut shown = vec![
            value.to_owned(),
            serde_json::Value::from(value).to_string(),
            "s3cr\\u00e9t \\\"\\/+?=&x\\n".to_owned(),
            "s3cr%C3%A9t%20%22%2F%2B%3F%3D%26x%0A".to_owned(),
            "s3cr%c3%a9t+%22%2f%2b%3f%3d%26x%0a".to_owned(),
        ];
        shown
            .extend([LOWER_HEX, UPPER_HEX].map(|digits| {
                bytes.iter().map(|byte| hex_pair(*byte, digits)).collect::<String>()
            }));
        for text in shown {
            let around = format!("before {text} after");
            let redacted = redactor.redact_text(&around);
            assert!(redacted.contains("[secret KEY]"), "{around}: {redacted}");
            assert!(!redacted.contains("s3cr"), "{redacted}");
        }
        for prefix in ["", "a", "ab", "abc", "user:"] {
            for suffix in ["", "z", "zz", "zzz"] {
                let whole = [prefix.as_bytes(), bytes, suffix.as_bytes()].concat();
                for text in [STANDARD_NO_PAD.encode(&whole), URL_SAFE_NO_PAD.encode(&whole)] {
                    assert!(redactor.redact_text(&text).contains("[secret KEY]"), "{text}");
                }
            }
        }
    }

    #[test]
    fn each_line_of_a_long_secret_is_found() {
        let redactor = redactor("-----BEGIN KEY-----\nAAAAB3NzaC1yc2EAAAADAQ\n-----END KEY-----\n");
        assert_eq!(redactor.redact_text("x AAAAB3NzaC1yc2EAAAADAQ y"), "x [secret KEY] y");
    }

    #[test]
    fn nothing_is_found_without_secrets() {
        assert_eq!(SecretRedactor::none().redact_text("text"), "text");
        let mut stream = RedactedStream::default();
        assert_eq!(stream.push(&SecretRedactor::none(), b"text"), b"text");
    }

    proptest! {
        #[test]
        fn a_stream_says_what_the_whole_text_says(
            before in "[ab]{0,12}", after in "[ab]{0,12}", cuts in prop::collection::vec(1_usize..9, 1..9),
        ) {
            let redactor = redactor("abababab");
            let text = format!("{before}abababab{after}");
            let (mut stream, mut told, mut rest) = (RedactedStream::default(), Vec::new(), text.as_bytes());
            for cut in cuts.into_iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (now, later) = rest.split_at(cut.min(rest.len()));
                told.extend(stream.push(&redactor, now));
                rest = later;
            }
            told.extend(stream.finish(&redactor));
            prop_assert_eq!(String::from_utf8(told).expect("text"), redactor.redact_text(&text));
        }
    }
}
