//! Signed notes: a text, an empty line, and lines with signatures (C2SP `signed-note`).
//!
//! Parsing checks the form only, and within bounds. The text means nothing before somebody's key
//! has verified it. A note that parses is printed as the same bytes.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::cosignature::Cosignature;
use super::time::LogTime;
use super::verifier_key::{NoteAlgorithm, NoteKeyId, NoteKeyName, VerifierKey};

/// The size of the largest note that is parsed, in bytes.
pub const MAX_NOTE_BYTES: usize = 64 * 1024;
/// The most signatures that a note may have.
pub const MAX_NOTE_SIGNATURES: usize = 64;
/// What a line with a signature begins with.
const SIGNATURE_PREFIX: &str = "— ";

/// A text with signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedNote {
    body: String,
    signatures: Vec<NoteSignature>,
}

/// One signature of a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSignature {
    name: NoteKeyName,
    key: NoteKeyId,
    bytes: Vec<u8>,
}

/// The reason why bytes are not a note, or a note is not to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// It does not have the form of a signed note.
    #[error("it is not a signed note")]
    Form,
    /// It is too long, or has too many signatures.
    #[error("the signed note is too long")]
    TooLong,
    /// The key did not sign it.
    #[error("the note is not signed by the expected key")]
    NotSigned,
    /// There is a signature of the key, and it is invalid.
    #[error("the note has an invalid signature")]
    BadSignature,
}

impl SignedNote {
    /// Creates a note that nobody has signed yet. Its text must end with a line break.
    pub fn new(body: String) -> Result<Self, NoteError> {
        let is_plain = !body.contains(|c: char| c < ' ' && c != '\n');
        if is_plain && body.ends_with('\n') && body.len() <= MAX_NOTE_BYTES {
            Ok(Self { body, signatures: Vec::new() })
        } else {
            Err(NoteError::Form)
        }
    }

    /// Parses a note that has at least one signature.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoteError> {
        if bytes.len() > MAX_NOTE_BYTES {
            return Err(NoteError::TooLong);
        }
        let text = str::from_utf8(bytes).map_err(|_| NoteError::Form)?;
        let end = text.rfind("\n\n").ok_or(NoteError::Form)?;
        let mut note = Self::new(text[..=end].to_owned())?;
        note.signatures = parse_signatures(&text[end + 2..])?;
        Ok(note)
    }

    /// Returns the signed text.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Returns the signatures.
    pub fn signatures(&self) -> &[NoteSignature] {
        &self.signatures
    }

    /// Adds a signature. It replaces an earlier one by the same key.
    pub fn add_signature(&mut self, signature: NoteSignature) {
        self.signatures.retain(|one| one.name != signature.name || one.key != signature.key);
        self.signatures.push(signature);
    }

    /// Removes all signatures except those of this key.
    pub fn retain_signatures_of(&mut self, key: &VerifierKey) {
        self.signatures.retain(|signature| signature.is_named_after(key));
    }

    /// Checks that a key signed the note. Signatures of other keys are ignored.
    pub fn check_signed_by(&self, key: &VerifierKey) -> Result<(), NoteError> {
        if key.algorithm() != NoteAlgorithm::Ed25519 {
            return Err(NoteError::NotSigned);
        }
        let mut result = Err(NoteError::NotSigned);
        for signature in self.signatures.iter().filter(|one| one.is_named_after(key)) {
            let bytes = signature.bytes.as_slice().try_into();
            let bytes = bytes.map_err(|_| NoteError::BadSignature)?;
            if !key.public_key().is_signature_valid(bytes, self.body.as_bytes()) {
                return Err(NoteError::BadSignature);
            }
            result = Ok(());
        }
        result
    }

    /// Checks that a witness co-signed the note, and returns when it last did.
    pub fn check_cosigned_by(&self, key: &VerifierKey) -> Result<LogTime, NoteError> {
        if key.algorithm() != NoteAlgorithm::CosignatureV1 {
            return Err(NoteError::NotSigned);
        }
        let mut last = None;
        for signature in self.signatures.iter().filter(|one| one.is_named_after(key)) {
            let cosignature = Cosignature::from_bytes(&signature.bytes)?;
            last = last.max(Some(cosignature.check(&self.body, key)?));
        }
        last.ok_or(NoteError::NotSigned)
    }
}

impl fmt::Display for SignedNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.body, format_signatures(&self.signatures))
    }
}

impl NoteSignature {
    /// Puts the name and the id of a key before the bytes that it made.
    pub(super) fn new(key: &VerifierKey, bytes: Vec<u8>) -> Self {
        Self { name: key.name().clone(), key: key.id(), bytes }
    }

    /// Returns the name of the key that it claims to be from.
    pub fn name(&self) -> &NoteKeyName {
        &self.name
    }

    /// Returns the id of the key that it claims to be from.
    pub fn key_id(&self) -> NoteKeyId {
        self.key
    }

    /// Reports whether it claims to be from this key.
    pub fn is_named_after(&self, key: &VerifierKey) -> bool {
        self.name == *key.name() && self.key == key.id()
    }
}

impl fmt::Display for NoteSignature {
    /// Writes the line without its line break.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [self.key.0.as_slice(), &self.bytes].concat();
        write!(f, "{SIGNATURE_PREFIX}{} {}", self.name, BASE64_STANDARD.encode(bytes))
    }
}

impl FromStr for NoteSignature {
    type Err = NoteError;

    fn from_str(line: &str) -> Result<Self, NoteError> {
        let fields = line.strip_prefix(SIGNATURE_PREFIX).and_then(|rest| rest.split_once(' '));
        let (name, bytes) = fields.ok_or(NoteError::Form)?;
        let bytes = BASE64_STANDARD.decode(bytes).map_err(|_| NoteError::Form)?;
        let (key, bytes) = bytes.split_first_chunk::<4>().ok_or(NoteError::Form)?;
        if bytes.is_empty() {
            return Err(NoteError::Form);
        }
        let name = name.parse().map_err(|_| NoteError::Form)?;
        Ok(Self { name, key: NoteKeyId(*key), bytes: bytes.to_vec() })
    }
}

/// Parses lines with signatures, at least one. This is also what a witness answers.
pub fn parse_signatures(lines: &str) -> Result<Vec<NoteSignature>, NoteError> {
    if lines.len() > MAX_NOTE_BYTES || lines.lines().count() > MAX_NOTE_SIGNATURES {
        return Err(NoteError::TooLong);
    }
    let lines = lines.strip_suffix('\n').ok_or(NoteError::Form)?;
    lines.split('\n').map(str::parse).collect()
}

/// Writes lines with signatures.
pub fn format_signatures(signatures: &[NoteSignature]) -> String {
    let mut lines = String::new();
    for signature in signatures {
        lines.extend([signature.to_string().as_str(), "\n"]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the documentation of Go's package `note`.
    const TEXT: &str = "If you think cryptography is the answer to your problem,\n\
                        then you don't know what your problem is.\n";
    const PETER: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const BY_PETER: &str = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FF\
                            YC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    const ENOCH: &str = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop";
    const BY_ENOCH: &str = "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1a\
                            GrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n";

    fn key(text: &str) -> VerifierKey {
        text.parse().expect("a key")
    }

    #[test]
    fn verifies_the_notes_of_others() {
        let text = format!("{TEXT}\n{BY_PETER}{BY_ENOCH}");
        let note = SignedNote::parse(text.as_bytes()).expect("a note");
        assert_eq!(note.body(), TEXT);
        assert_eq!(note.to_string(), text);
        assert_eq!(note.check_signed_by(&key(PETER)), Ok(()));
        assert_eq!(note.check_signed_by(&key(ENOCH)), Ok(()));
        let of_peter = SignedNote::parse(format!("{TEXT}\n{BY_PETER}").as_bytes());
        let of_peter = of_peter.expect("a note");
        assert_eq!(of_peter.check_signed_by(&key(ENOCH)), Err(NoteError::NotSigned));
    }

    #[test]
    fn a_name_or_an_id_alone_is_not_enough() {
        let renamed = BY_PETER.replace("PeterNeumann", "EnochRoot");
        let note = SignedNote::parse(format!("{TEXT}\n{renamed}").as_bytes()).expect("a note");
        for one in [PETER, ENOCH] {
            assert_eq!(note.check_signed_by(&key(one)), Err(NoteError::NotSigned));
        }
    }

    #[test]
    fn a_changed_text_or_signature_is_refused() {
        let changed = TEXT.replace("cryptography", "Cryptography");
        let text = format!("{changed}\n{BY_PETER}");
        let note = SignedNote::parse(text.as_bytes()).expect("a note");
        assert_eq!(note.check_signed_by(&key(PETER)), Err(NoteError::BadSignature));
        let changed = BY_PETER.replace("JnAM=", "JnAQ=");
        let text = format!("{TEXT}\n{BY_PETER}{changed}");
        let note = SignedNote::parse(text.as_bytes()).expect("a note");
        assert_eq!(note.check_signed_by(&key(PETER)), Err(NoteError::BadSignature));
        let longer = BY_PETER.replace("x08go/", "x08go/ABCD");
        let text = format!("{TEXT}\n{longer}");
        let note = SignedNote::parse(text.as_bytes()).expect("a note");
        assert_eq!(note.check_signed_by(&key(PETER)), Err(NoteError::BadSignature));
        assert_eq!(note.check_cosigned_by(&key(PETER)), Err(NoteError::NotSigned));
    }

    /// The example of C2SP `signed-note`, whose text has an empty line.
    #[test]
    fn the_last_empty_line_ends_the_text() {
        let text = "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è \
                    subito sera.\n\n— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ\
                    2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";
        let note = SignedNote::parse(text.as_bytes()).expect("a note");
        assert!(note.body().ends_with("\n\ned è subito sera.\n"));
        assert_eq!(note.signatures()[0].name().as_str(), "quasimodo.example/salvatore");
        assert_eq!(note.signatures()[0].key_id().to_string(), "367ba04b");
        assert_eq!(note.to_string(), text);
    }

    #[test]
    fn what_is_no_note_is_refused() {
        let tail = format!("\n{BY_PETER}");
        for bad in [
            String::new(),
            "\n".to_owned(),
            TEXT.to_owned(),
            format!("{TEXT}\n"),
            format!("{TEXT}{BY_PETER}"),
            format!("{TEXT}\n{}", BY_PETER.trim_end()),
            format!("\u{1}{TEXT}{tail}"),
            format!("{}{tail}", TEXT.replace('\n', "\r\n")),
            format!("{TEXT}{tail}Unexpected line.\n"),
            format!("{TEXT}\n— Bad Name x08go/ZJkuBS\n"),
            format!("{TEXT}\n— Name x08g\n"),
            format!("{TEXT}\n— Name x08go_ZJ\n"),
            format!("{TEXT}\n- Name x08go/ZJ\n"),
        ] {
            assert_eq!(SignedNote::parse(bad.as_bytes()), Err(NoteError::Form), "{bad}");
        }
        assert!(SignedNote::parse(format!("\u{ff}{TEXT}{tail}").as_bytes()).is_ok());
        assert!(SignedNote::parse(&[b"\xff", tail.as_bytes()].concat()).is_err());
        let many = format!("{TEXT}\n{}", BY_PETER.repeat(MAX_NOTE_SIGNATURES + 1));
        assert_eq!(SignedNote::parse(many.as_bytes()), Err(NoteError::TooLong));
        let long = format!("{}{tail}", TEXT.repeat(1000));
        assert_eq!(SignedNote::parse(long.as_bytes()), Err(NoteError::TooLong));
        assert_eq!(SignedNote::new("no line break".to_owned()), Err(NoteError::Form));
    }

    #[test]
    fn a_new_signature_replaces_the_old_one_of_its_key() {
        let text = format!("{TEXT}\n{BY_PETER}{BY_ENOCH}");
        let mut note = SignedNote::parse(text.as_bytes()).expect("a note");
        note.add_signature(BY_PETER.trim_end().parse().expect("a signature"));
        assert_eq!(note.to_string(), format!("{TEXT}\n{BY_ENOCH}{BY_PETER}"));
        note.retain_signatures_of(&key(ENOCH));
        assert_eq!(note.to_string(), format!("{TEXT}\n{BY_ENOCH}"));
    }
}
