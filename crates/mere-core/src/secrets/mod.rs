//! Finds secrets of known forms in text, so that they can be masked before an agent sees them.
//!
//! A secret is recognised by its own shape (a prefix of `secret_form::FORMS` and what follows it, a
//! JWT, a bot's token, a password in a URL, a private key), or by the name that it is assigned to.
//! A secret without a known shape that stands alone is not found.
//!
//! The work is linear in the length of any text: no byte belongs to the runs of more than a few
//! candidates, because a candidate inside a word is refused before anything after it is read.

mod assignment;
mod bot_token;
mod characters;
mod jwt;
mod lines_below;
mod password;
mod pieces;
mod private_key;
mod redactor;
mod secret_form;
mod secret_name;
mod secret_value;
mod separator;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input, MatchKind};

pub use assignment::is_assigned_secret;
pub use lines_below::may_be_value_line;
pub use pieces::{SecretPieces, TooManyPieces};
pub use redactor::{
    MAX_SECRET_BYTES, MIN_SECRET_BYTES, RedactedStream, RedactorError, SecretRedactor,
};
use secret_form::{FORMS, SecretForm};

/// The stand-in for a secret.
pub const MASK: &str = "[masked]";

/// Returns where a masked text may be cut: at `end`, or behind the mask that `end` is in.
pub(crate) fn end_outside_mask(text: &str, end: usize) -> usize {
    let near = text.floor_char_boundary(end.saturating_sub(MASK.len() - 1));
    let mask = text[near..].find(MASK).map(|at| near + at).filter(|start| *start < end);
    mask.map_or(end, |start| start + MASK.len())
}

/// Why something counts as a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// It has the shape of a secret.
    Shape,
    /// It is assigned to a name that says secret.
    Name,
}

/// Returns the byte ranges of known secrets in `text`: ordered, not overlapping, on char
/// boundaries.
pub fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for scanner in &*SCANNERS {
        scanner.scan(text, &mut |range, _| found.push(range));
    }
    merge_overlaps(found)
}

/// Returns the byte ranges of known secrets in `text`, each with its evidence. A secret may be
/// there twice, and ranges may overlap.
pub fn find_with_evidence(text: &str) -> Vec<(Range<usize>, Evidence)> {
    let mut found = Vec::new();
    for scanner in &*SCANNERS {
        scanner.scan(text, &mut |range, evidence| found.push((range, evidence)));
    }
    found
}

/// The form of secret that a needle indicates.
#[derive(Clone, Copy)]
enum NeedleKind {
    Prefixed(&'static SecretForm),
    Jwt,
    Assignment,
    BotToken,
    Password,
    PrivateKey,
}

impl NeedleKind {
    fn evidence(self) -> Evidence {
        match self {
            Self::Assignment => Evidence::Name,
            _ => Evidence::Shape,
        }
    }

    /// Finds the secret around the needle at `hit`, if there is one.
    fn find_secret(self, text: &str, hit: Range<usize>) -> Option<Range<usize>> {
        match self {
            Self::Prefixed(form) => form.find_secret(text, hit.start),
            Self::Jwt => jwt::find_secret(text, hit.start),
            Self::Assignment => assignment::find_secret(text, hit),
            Self::BotToken => bot_token::find_secret(text, hit.start),
            Self::Password => password::find_secret(text, hit),
            Self::PrivateKey => private_key::find_secret(text, hit),
        }
    }
}

/// An automaton over needles, and the kind of each.
struct Scanner {
    automaton: Option<AhoCorasick>,
    needle_kinds: Vec<NeedleKind>,
}

/// The automaton's vector search compares as many bytes as its shortest needle has, at most four.
/// A few needles of three bytes among sixty would make it four times slower, so they get a search
/// of their own. The vector search is used for up to 64 needles, so names that say secret have one
/// of their own as well.
static SCANNERS: LazyLock<[Scanner; 3]> = LazyLock::new(|| {
    let (short, long) = needles().into_iter().partition(|(needle, _)| needle.len() < 4);
    let names = assignment::NEEDLES.map(|needle| (needle.to_owned(), NeedleKind::Assignment));
    [Scanner::new(long), Scanner::new(short), Scanner::new(names.to_vec())]
});

fn needles() -> Vec<(String, NeedleKind)> {
    let mut needles = vec![
        (jwt::NEEDLE.to_owned(), NeedleKind::Jwt),
        (bot_token::NEEDLE.to_owned(), NeedleKind::BotToken),
        (password::NEEDLE.to_owned(), NeedleKind::Password),
        (private_key::NEEDLE.to_owned(), NeedleKind::PrivateKey),
    ];
    for form in FORMS {
        needles
            .extend(form.needles().into_iter().map(|needle| (needle, NeedleKind::Prefixed(form))));
    }
    needles
}

impl Scanner {
    /// The vector search deals the needles into sixteen buckets in turn and compares one bucket at
    /// a time, so the needles are ordered such that those with a common beginning share a bucket.
    fn new(mut needles: Vec<(String, NeedleKind)>) -> Self {
        needles.sort_by(|(one, _), (other, _)| one.cmp(other));
        let rows = needles.len().div_ceil(16).max(1);
        let interleaved = (0..rows).flat_map(|row| needles.iter().skip(row).step_by(rows).cloned());
        let (needles, needle_kinds): (Vec<_>, Vec<_>) = interleaved.unzip();
        let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&needles);
        Self { automaton: automaton.ok(), needle_kinds }
    }

    /// Reports the secrets it finds, in needle order. Without an automaton, the whole text is
    /// secret.
    fn scan(&self, text: &str, report: &mut dyn FnMut(Range<usize>, Evidence)) {
        let Some(automaton) = &self.automaton else {
            report(0..text.len(), Evidence::Shape);
            return;
        };
        let mut at = 0;
        while let Some(hit) = automaton.find(Input::new(text).span(at..text.len())) {
            at = hit.end();
            let kind = self.needle_kinds[hit.pattern().as_usize()];
            if let Some(range) = kind.find_secret(text, hit.range()) {
                at = at.max(range.end);
                report(range, kind.evidence());
            }
        }
    }
}

/// Sorts ranges and merges those that overlap.
fn merge_overlaps(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|range| range.start);
    let mut joined = Vec::<Range<usize>>::with_capacity(found.len());
    for range in found {
        match joined.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}
