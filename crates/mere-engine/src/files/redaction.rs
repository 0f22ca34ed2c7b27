//! A file's text as an agent sees it, and how edits map back to the original.
//!
//! Before an agent sees a text, known secrets are masked, and the gate replaces real folders with
//! addresses. An agent that edits what it saw must not write those stand-ins over the original, so
//! a change is applied to the original bytes, or refused where it touches a stand-in.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use mere_core::address::AgentName;
use mere_core::gate::Gate;
use mere_core::reply::Content;
use mere_core::secrets;

pub(crate) use mere_core::secrets::MASK;

/// A text with its secrets masked.
pub(crate) struct MaskedText {
    pub(crate) text: String,
    /// How many secrets were masked.
    pub(crate) count: u64,
    replacements: Vec<Replacement>,
}

/// A range of the shown text that stands for a range of the original.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Replacement {
    shown: Range<usize>,
    original: Range<usize>,
}

impl MaskedText {
    /// Wraps a text that a person has confirmed to be shown as it is.
    pub(crate) fn unmasked(text: String) -> Self {
        Self { text, count: 0, replacements: Vec::new() }
    }

    /// Masks a whole text.
    pub(crate) fn mask_whole(text: String) -> Self {
        let secrets = secrets::find(&text);
        Self::mask_ranges(text, secrets)
    }

    /// Masks a part of a text that follows `before`, where a secret may have begun.
    pub(crate) fn mask_part(before: &str, text: String) -> Self {
        let secrets = find_after(before, &text);
        Self::mask_ranges(text, secrets)
    }

    /// Masks a line, right after `before`, of a file that has a private key somewhere before it.
    /// Everything in the line that could be part of the key's body is masked, even a short run if
    /// the line consists of nothing else.
    pub(crate) fn mask_line_near_key(before: &str, line: &str) -> Self {
        const LEAST: usize = 16;
        let encoded = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
        let alone = line.trim().chars().all(encoded);
        let mut secrets = find_after(before, line);
        let mut start = None;
        for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
            match (start, encoded(c)) {
                (None, true) => start = Some(at),
                (Some(from), false) => {
                    if alone || at - from >= LEAST {
                        secrets.push(from..at);
                    }
                    start = None;
                }
                _ => {}
            }
        }
        Self::mask_ranges(line.to_owned(), merge_ranges(secrets))
    }

    /// Returns the masked text as content that shows what stands for the first `end` bytes of the
    /// original. A secret that lies across the end is shown as one mask.
    pub(crate) fn into_body_until(self, end: usize) -> Content {
        let end = self.shown_offset(end);
        Content::body(self.text).cut_at(end)
    }

    /// Counts the secrets that begin in the first `end` bytes of the original.
    pub(crate) fn count_until(&self, end: usize) -> u64 {
        self.replacements.partition_point(|piece| piece.original.start < end) as u64
    }

    /// Maps an offset of the original to the masked text; within a secret, to the end of its mask.
    pub(crate) fn shown_offset(&self, original: usize) -> usize {
        let begun = self.replacements.partition_point(|piece| piece.original.start < original);
        let last = begun.checked_sub(1).map(|index| &self.replacements[index]);
        last.map_or(original, |piece| piece.shown.end + original.saturating_sub(piece.original.end))
    }

    fn mask_ranges(text: String, secrets: Vec<Range<usize>>) -> Self {
        if secrets.is_empty() {
            return Self::unmasked(text);
        }
        let count = secrets.len() as u64;
        let changes = secrets.into_iter().map(|secret| (secret, MASK));
        let (text, pieces) = replace_ranges(&text, changes);
        Self { text, count, replacements: pieces }
    }
}

/// Finds the secrets in a text that follows `before`, where they may have begun.
fn find_after(before: &str, text: &str) -> Vec<Range<usize>> {
    if before.is_empty() {
        return secrets::find(text);
    }
    let found = secrets::find(&[before, text].concat());
    let found = found.into_iter().filter(|secret| secret.end > before.len());
    found
        .map(|secret| secret.start.saturating_sub(before.len())..secret.end - before.len())
        .collect()
}

/// Sorts ranges, and merges those that touch.
fn merge_ranges(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut out = Vec::<Range<usize>>::new();
    for range in ranges {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// Replaces ranges of a text, and returns the new text with the replacements that were made.
fn replace_ranges<'a>(
    text: &str,
    changes: impl Iterator<Item = (Range<usize>, &'a str)>,
) -> (String, Vec<Replacement>) {
    let mut out = String::with_capacity(text.len());
    let mut pieces = Vec::new();
    let mut done = 0;
    for (original, stand_in) in changes {
        out.push_str(&text[done..original.start]);
        let start = out.len();
        out.push_str(stand_in);
        done = original.end;
        pieces.push(Replacement { shown: start..out.len(), original });
    }
    out.push_str(&text[done..]);
    (out, pieces)
}

/// Whether a reader saw the secrets of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretDisplay {
    Masked,
    Shown,
}

/// The error for a change that touches something the reader did not see in its original form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the change touches text that was masked or rewritten")]
pub(crate) struct RedactionConflict;

/// A whole text as an agent saw it.
pub(crate) struct RedactedText<'a> {
    original: &'a str,
    text: String,
    replacements: Vec<Replacement>,
}

impl<'a> RedactedText<'a> {
    /// Computes what `agent` saw of `original`.
    pub(crate) fn new(
        original: &'a str,
        secrets: SecretDisplay,
        gate: &Gate,
        agent: &AgentName,
    ) -> Result<Self, RedactionConflict> {
        let masked = match secrets {
            SecretDisplay::Masked => MaskedText::mask_whole(original.to_owned()),
            SecretDisplay::Shown => MaskedText::unmasked(original.to_owned()),
        };
        let changes = gate.replacements_in(&masked.text, agent).ok_or(RedactionConflict)?;
        let changes = changes.iter().map(|change| (change.range.clone(), change.text.as_str()));
        let (text, rewritten) = replace_ranges(&masked.text, changes);
        let pieces = compose_replacements(&masked.replacements, &rewritten);
        Ok(Self { original, text, replacements: pieces })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the original with a range of the shown text replaced.
    pub(crate) fn splice(
        &self,
        range: Range<usize>,
        new: &str,
    ) -> Result<String, RedactionConflict> {
        let old = &self.text[range.clone()];
        // If a stand-in occurs more or less often than before, it is unclear which original is
        // meant.
        let unclear = self.replacements_in(&range).any(|piece| {
            let stand_in = &self.text[piece.shown.clone()];
            let (before, now) = (old.matches(stand_in).count(), new.matches(stand_in).count());
            now != 0 && now != before
        });
        if unclear {
            return Err(RedactionConflict);
        }
        let start = common_prefix_len(old, new);
        let end = common_suffix_len(&old[start..], &new[start..]);
        let middle = range.start + start..range.end - end;
        let new = &new[start..new.len() - end];
        let (from, to) = (self.original_offset(middle.start)?, self.original_offset(middle.end)?);
        if self.replacements_in(&middle).any(|piece| new.contains(&self.text[piece.shown.clone()]))
        {
            return Err(RedactionConflict);
        }
        Ok([&self.original[..from], new, &self.original[to..]].concat())
    }

    /// Returns the original as it becomes when the reader replaces all it saw with `new`. Lines
    /// that stay unchanged keep what they hide.
    pub(crate) fn rewrite(&self, new: &str) -> Result<String, RedactionConflict> {
        if self.replacements.is_empty() {
            return Ok(new.to_owned());
        }
        let hiding = self.redacted_lines()?;
        let mut out = String::with_capacity(new.len());
        let mut used = HashMap::<&str, usize>::new();
        let mut changed = Vec::new();
        let mut at = 0;
        for line in new.split_inclusive('\n') {
            let adjacent = neighbours(new, at, at + line.len());
            at += line.len();
            let Some(originals) = hiding.get(line) else {
                changed.push(line);
                out.push_str(line);
                continue;
            };
            let nth = used.entry(line).or_default();
            out.push_str(pick_original(originals, *nth, adjacent)?);
            *nth += 1;
        }
        let all_kept = |(line, originals): (&&str, &Vec<RedactedLine<'_, '_>>)| {
            let kept = used.get(line).copied().unwrap_or_default();
            are_identical(originals) || kept == originals.len() || kept == 0
        };
        let removed = hiding.keys().filter(|line| !used.contains_key(*line)).collect::<Vec<_>>();
        let reused = self.stand_ins().into_iter().any(|text| {
            removed.iter().any(|line| line.contains(text))
                && changed.iter().any(|line| line.contains(text))
        });
        if reused || !hiding.iter().all(all_kept) { Err(RedactionConflict) } else { Ok(out) }
    }

    /// Returns the shown lines that hide something, each with the original lines it stands for.
    fn redacted_lines(
        &self,
    ) -> Result<HashMap<&str, Vec<RedactedLine<'a, '_>>>, RedactionConflict> {
        let mut hiding = HashMap::<&str, Vec<RedactedLine<'a, '_>>>::new();
        let mut pieces = self.replacements.iter().peekable();
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            let end = start + line.len();
            let hides = pieces.peek().is_some_and(|piece| piece.shown.start < end);
            while pieces.next_if(|piece| piece.shown.start < end).is_some() {}
            if hides {
                let original =
                    &self.original[self.original_offset(start)?..self.original_offset(end)?];
                let adjacent = neighbours(&self.text, start, end);
                hiding
                    .entry(line)
                    .or_default()
                    .push(RedactedLine { original, neighbours: adjacent });
            }
            start = end;
        }
        Ok(hiding)
    }

    /// Returns the distinct stand-ins.
    fn stand_ins(&self) -> BTreeSet<&str> {
        self.replacements.iter().map(|piece| &self.text[piece.shown.clone()]).collect()
    }

    /// Returns the replacements that a range of the shown text touches.
    fn replacements_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Replacement> {
        let overlaps = move |piece: &&Replacement| {
            piece.shown.start < range.end && range.start < piece.shown.end
        };
        self.replacements.iter().filter(overlaps)
    }

    /// Maps an offset of the shown text to the original. Fails within a stand-in.
    fn original_offset(&self, at: usize) -> Result<usize, RedactionConflict> {
        let before = self.replacements.partition_point(|piece| piece.shown.end <= at);
        if self.replacements.get(before).is_some_and(|piece| piece.shown.start < at) {
            return Err(RedactionConflict);
        }
        let last = before.checked_sub(1).map(|index| &self.replacements[index]);
        Ok(last.map_or(at, |piece| piece.original.end + (at - piece.shown.end)))
    }
}

/// Composes two successive lists of replacements. The second never touches the first's.
fn compose_replacements(first: &[Replacement], second: &[Replacement]) -> Vec<Replacement> {
    let shifted = |at: usize| {
        let before = first.partition_point(|piece| piece.shown.end <= at).checked_sub(1);
        let before = before.map(|index| &first[index]);
        before.map_or(at, |piece| piece.original.end + (at - piece.shown.end))
    };
    let later = second.iter().map(|piece| Replacement {
        shown: piece.shown.clone(),
        original: shifted(piece.original.start)..shifted(piece.original.end),
    });
    let moved = first.iter().map(|piece| {
        let at = piece.shown.start;
        let before = second.partition_point(|other| other.original.end <= at).checked_sub(1);
        let before = before.map(|index| &second[index]);
        let start = before.map_or(at, |other| other.shown.end + (at - other.original.end));
        Replacement { shown: start..start + piece.shown.len(), original: piece.original.clone() }
    });
    let mut pieces = later.chain(moved).collect::<Vec<_>>();
    pieces.sort_by_key(|piece| piece.shown.start);
    pieces
}

/// An original line with redacted parts, and the lines shown before and after it.
struct RedactedLine<'o, 's> {
    original: &'o str,
    neighbours: (&'s str, &'s str),
}

/// Returns the original for the nth copy of a shown line. Where copies hide different things, the
/// copy must stand between the same lines as before.
fn pick_original<'a>(
    originals: &[RedactedLine<'a, '_>],
    nth: usize,
    adjacent: (&str, &str),
) -> Result<&'a str, RedactionConflict> {
    if are_identical(originals) {
        return originals.first().map(|one| one.original).ok_or(RedactionConflict);
    }
    let found = originals.get(nth).filter(|one| one.neighbours == adjacent);
    found.map(|one| one.original).ok_or(RedactionConflict)
}

fn are_identical(originals: &[RedactedLine<'_, '_>]) -> bool {
    originals.windows(2).all(|pair| pair[0].original == pair[1].original)
}

/// Returns the lines before and after a line of a text.
fn neighbours(text: &str, start: usize, end: usize) -> (&str, &str) {
    let before = text[..start].split_inclusive('\n').next_back().unwrap_or_default();
    let after = text[end..].split_inclusive('\n').next().unwrap_or_default();
    (before, after)
}

/// Returns the length in bytes of the common prefix of two texts, in whole characters.
fn common_prefix_len(left: &str, right: &str) -> usize {
    let pairs = left.chars().zip(right.chars());
    pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

fn common_suffix_len(left: &str, right: &str) -> usize {
    let pairs = left.chars().rev().zip(right.chars().rev());
    pairs.take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mere_core::address::Root;
    use mere_core::gate::{Landmark, StandIn};

    const KEY: &str = concat!("gh", "p_0123456789abcdefghijABCDEFGHIJ012345");

    fn gate() -> Gate {
        let mark = |path: &str, stand_in| Landmark { path: path.to_owned(), stand_in };
        Gate::new(vec![
            mark("/work/app", StandIn::Root(Root::Project)),
            mark("/home/me", StandIn::Home),
        ])
    }

    fn redacted(original: &str) -> RedactedText<'_> {
        RedactedText::new(original, SecretDisplay::Masked, &gate(), &AgentName::default())
            .expect("seen")
    }

    #[test]
    fn an_edit_keeps_what_it_does_not_touch() {
        let original = format!("root /work/app/src\nkey {KEY} x\nhome /home/me/a\nend\n");
        let redacted = redacted(&original);
        assert_eq!(redacted.text(), "root ROOT_PROJECT:/src\nkey [masked] x\nhome <home>/a\nend\n");
        let edit = |old: &str, new: &str| {
            let at = redacted.text().find(old).expect("the old text");
            redacted.splice(at..at + old.len(), new)
        };
        let expected = original.replace("end", "END");
        assert_eq!(edit("end", "END"), Ok(expected));
        // The stand-ins lie on both sides of the change, so they are put back.
        let expected = original.replace(" x\n", " y\n");
        let old = "root ROOT_PROJECT:/src\nkey [masked] x\nhome <home>/a";
        assert_eq!(edit(old, &old.replace(" x\n", " y\n")), Ok(expected));
        // What is hidden may be removed, but not rewritten.
        assert_eq!(
            edit("key [masked] x\n", ""),
            Ok(original.replace(&format!("key {KEY} x\n"), ""))
        );
        assert_eq!(edit("key [masked] x", "token [masked] z"), Err(RedactionConflict));
        assert_eq!(edit("[masked]", "[mask"), Err(RedactionConflict));
        assert_eq!(
            edit("key [masked] x\n", "key [masked] x\nkey [masked] x\n"),
            Err(RedactionConflict)
        );
        assert_eq!(edit("ROOT_PROJECT:/src", "ROOT_USER:/src"), Err(RedactionConflict));
    }

    #[test]
    fn a_whole_write_keeps_the_lines_that_stand_there_unchanged() {
        let original = format!("a /work/app/x\nb\nkey {KEY}\n");
        let redacted = redacted(&original);
        let check = |new: &str, expected: Result<&str, RedactionConflict>| {
            assert_eq!(redacted.rewrite(new), expected.map(str::to_owned), "{new}");
        };
        let key = format!("key {KEY}\n");
        check("a ROOT_PROJECT:/x\nB\nkey [masked]\n", Ok(&original.replace("\nb\n", "\nB\n")));
        check("key [masked]\nnew\na ROOT_PROJECT:/x\n", Ok(&format!("{key}new\na /work/app/x\n")));
        check("b\n", Ok("b\n"));
        check("a2 ROOT_PROJECT:/x\nkey [masked]\n", Err(RedactionConflict));
        check("b\nsecret [masked]\n", Err(RedactionConflict));
    }

    #[test]
    fn copies_of_a_line_that_hide_different_things_keep_their_order_or_are_refused() {
        let original = "p /home/me/a\nq\np /work/app\n".replace("/work/app", "/home/me/a");
        let first = redacted(&original);
        assert_eq!(first.rewrite("p <home>/a\n"), Ok("p /home/me/a\n".to_owned()));
        let other = KEY.replace('0', "9");
        let original = format!("k {KEY}\nk {other}\n");
        let both = redacted(&original);
        assert_eq!(both.rewrite("k [masked]\nn\nk [masked]\n"), Err(RedactionConflict));
        let original = format!("[a]\nk {KEY}\n[b]\nk {other}\nend\n");
        let apart = redacted(&original);
        let kept = apart.rewrite("x\n[a]\nk [masked]\n[b]\nk [masked]\nend\ny\n");
        assert_eq!(kept, Ok(format!("x\n{original}y\n")));
        let swapped = "[b]\nk [masked]\n[a]\nk [masked]\nend\n";
        assert_eq!(apart.rewrite(swapped), Err(RedactionConflict));
        assert_eq!(both.rewrite("k [masked]\n"), Err(RedactionConflict));
        assert_eq!(both.rewrite("k [masked]\nk [masked]\nk [masked]\n"), Err(RedactionConflict));
    }

    #[test]
    fn a_secret_that_began_before_a_part_is_masked_in_it() {
        let block = concat!(
            "-----BEGIN ",
            "PRIVATE KEY-----\nAAAA\nBBBB\n-----END ",
            "PRIVATE KEY-----\nrest\n"
        );
        let (before, text) = block.split_at(block.find("BBBB").expect("a line"));
        let part = MaskedText::mask_part(before, text.to_owned());
        assert_eq!((part.text.as_str(), part.count), ("[masked]\nrest\n", 1));
    }
}
