//! The tokens of a model, and the lookup of the longest token that a word begins with.
//!
//! The file has one token per line, and a token's id is its line number. A token that begins with
//! `##` only continues a word. Finding the longest token at a position costs one step per byte,
//! because the hash of a prefix is an intermediate step of the hash of the whole.

/// The most tokens a vocabulary may have: ids have sixteen bits, and one value marks a free slot.
pub const MAX_TOKENS: usize = 60_000;

/// The longest token, in bytes.
const MAX_TOKEN_BYTES: usize = 64;
/// The longest probe sequence. Real vocabularies stay far below it; one crafted to collide is
/// refused.
const MAX_PROBES: usize = 128;
const SLOTS: usize = 1 << 17;
const FREE_SLOT: u16 = u16::MAX;
const CONTINUATION_PREFIX: &[u8] = b"##";

/// The id of a token.
pub type TokenId = u16;

/// The tokens of a model.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    text: Box<[u8]>,
    /// The offset at which each token starts in `text`, and one more at the end.
    offsets: Vec<u32>,
    slots: Box<[u16]>,
    longest_token: usize,
    unknown_token: TokenId,
}

/// The reason why a list is not a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VocabularyError {
    /// It has too many tokens.
    #[error("a vocabulary has at most {MAX_TOKENS} tokens")]
    TooMany,
    /// A token is empty or too long.
    #[error("a token has 1 to {MAX_TOKEN_BYTES} bytes")]
    Length,
    /// Too many tokens have colliding hashes.
    #[error("too many tokens have colliding hashes")]
    Collisions,
    /// A special token is missing.
    #[error("the vocabulary has no `{0}`")]
    Missing(&'static str),
}

/// The position of a token in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordPosition {
    /// At the beginning of the word.
    Beginning,
    /// After another token of the same word.
    Continuing,
}

impl Vocabulary {
    /// Parses a list of tokens, each followed by a line feed, which the last may lack.
    pub fn read(text: &[u8]) -> Result<Self, VocabularyError> {
        let mut vocabulary = Self {
            text: text.into(),
            offsets: vec![0],
            slots: vec![FREE_SLOT; SLOTS].into(),
            longest_token: 0,
            unknown_token: 0,
        };
        for line in text.strip_suffix(b"\n").unwrap_or(text).split(|byte| *byte == b'\n') {
            vocabulary.add(line)?;
        }
        vocabulary.unknown_token = vocabulary.find_named("[UNK]")?;
        Ok(vocabulary)
    }

    fn add(&mut self, line: &[u8]) -> Result<(), VocabularyError> {
        let token = u16::try_from(self.len()).map_err(|_| VocabularyError::TooMany)?;
        if self.len() >= MAX_TOKENS {
            return Err(VocabularyError::TooMany);
        }
        if line.is_empty() || line.len() > MAX_TOKEN_BYTES {
            return Err(VocabularyError::Length);
        }
        self.longest_token = self.longest_token.max(line.len());
        let end = self.offsets.last().copied().unwrap_or(0) as usize + line.len() + 1;
        self.offsets.push(u32::try_from(end).map_err(|_| VocabularyError::TooMany)?);
        let slot = Hash::from_bytes(line).probe_slots().find(|slot| self.slots[*slot] == FREE_SLOT);
        self.slots[slot.ok_or(VocabularyError::Collisions)?] = token;
        Ok(())
    }

    /// Returns the number of tokens.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Tells whether there are no tokens, which is never the case for a vocabulary that was parsed.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the token for words that cannot be split into known tokens.
    pub fn unknown_token(&self) -> TokenId {
        self.unknown_token
    }

    /// Returns the bytes of a token.
    pub fn token_bytes(&self, token: TokenId) -> Option<&[u8]> {
        let at = usize::from(token);
        let (start, end) = (*self.offsets.get(at)?, *self.offsets.get(at + 1)?);
        self.text.get(start as usize..end as usize - 1)
    }

    /// Finds the token with this exact name.
    pub fn find_named(&self, name: &'static str) -> Result<TokenId, VocabularyError> {
        self.find(Hash::from_bytes(name.as_bytes()), b"", name.as_bytes())
            .ok_or(VocabularyError::Missing(name))
    }

    /// Finds the longest token at the start of the rest of a word, and returns its length in bytes.
    pub fn find_longest_prefix(&self, rest: &str, place: WordPosition) -> Option<(TokenId, usize)> {
        let before = if place == WordPosition::Continuing { CONTINUATION_PREFIX } else { b"" };
        let mut hash = Hash::from_bytes(before);
        let mut ends = [hash; MAX_TOKEN_BYTES + 1];
        let most = rest.len().min(self.longest_token);
        for (end, byte) in ends[1..].iter_mut().zip(&rest.as_bytes()[..most]) {
            hash.add_byte(*byte);
            *end = hash;
        }
        (1..=most).rev().filter(|end| rest.is_char_boundary(*end)).find_map(|end| {
            let token = self.find(ends[end], before, &rest.as_bytes()[..end])?;
            Some((token, end))
        })
    }

    fn find(&self, hash: Hash, before: &[u8], word: &[u8]) -> Option<TokenId> {
        let mut tokens =
            hash.probe_slots().map(|slot| self.slots[slot]).take_while(|at| *at != FREE_SLOT);
        tokens.find(|token| {
            let bytes = self.token_bytes(*token).and_then(|bytes| bytes.strip_prefix(before));
            bytes == Some(word)
        })
    }
}

/// An FNV-1a hash of the bytes so far, which is computed byte by byte.
#[derive(Clone, Copy, Debug)]
struct Hash(u32);

impl Hash {
    fn from_bytes(bytes: &[u8]) -> Self {
        let mut hash = Self(0x811c_9dc5);
        for byte in bytes {
            hash.add_byte(*byte);
        }
        hash
    }

    fn add_byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }

    /// Returns the slots that a token with this hash may occupy, in probe order.
    fn probe_slots(self) -> impl Iterator<Item = usize> {
        let first = (self.0 ^ self.0 >> 15) as usize;
        (0..MAX_PROBES).map(move |step| (first + step) % SLOTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use WordPosition::{Beginning, Continuing};

    #[test]
    fn the_longest_token_is_found() {
        let list = "[UNK]\na\nab\n##ab\n##abc\n##é\n##";
        let vocabulary = Vocabulary::read(list.as_bytes()).expect("a vocabulary");
        for (rest, place, expected) in [
            ("abc", Beginning, Some((2, 2))),
            ("abc", Continuing, Some((4, 3))),
            ("ax", Beginning, Some((1, 1))),
            ("ax", Continuing, None),
            ("é", Continuing, Some((5, 2))),
            ("è", Continuing, None),
            ("##ab", Beginning, Some((3, 4))),
            ("", Beginning, None),
            ("", Continuing, None),
        ] {
            assert_eq!(vocabulary.find_longest_prefix(rest, place), expected, "{rest} {place:?}");
        }
        assert_eq!(vocabulary.token_bytes(4), Some(&b"##abc"[..]));
        assert_eq!(vocabulary.token_bytes(7), None);
    }

    #[test]
    fn what_is_no_vocabulary_is_refused() {
        let check = |text: &[u8], expected| {
            assert_eq!(Vocabulary::read(text).map(|_| ()), Err(expected));
        };
        check(b"", VocabularyError::Length);
        check(b"[UNK]\n\na", VocabularyError::Length);
        check(b"a\nb\n", VocabularyError::Missing("[UNK]"));
        check(&[b'a'; MAX_TOKEN_BYTES + 1], VocabularyError::Length);
        check(&b"a\n".repeat(MAX_PROBES + 1), VocabularyError::Collisions);
        let many = (0..=MAX_TOKENS).map(|number| number.to_string()).collect::<Vec<_>>();
        check(many.join("\n").as_bytes(), VocabularyError::TooMany);
    }
}
