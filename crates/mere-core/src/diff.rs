//! What differs between two texts, line by line, for a person to read.

/// How many equal lines are shown around a difference.
const AROUND: usize = 3;

/// A line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// In both texts.
    Same(String),
    /// In the old one only.
    Old(String),
    /// In the new one only.
    New(String),
    /// Equal lines that are left out.
    Gap,
}

/// Compares two texts: what differs between their common beginning and their common end.
pub fn unified(old: &str, new: &str) -> Vec<Line> {
    let (old, new) = (old.lines().collect::<Vec<_>>(), new.lines().collect::<Vec<_>>());
    let first = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[first..], &new[first..]);
    let last = old_rest.iter().rev().zip(new_rest.iter().rev());
    let last = last.take_while(|(old, new)| old == new).count();
    let same = |lines: &[&str]| {
        lines.iter().map(|line| Line::Same((*line).to_owned())).collect::<Vec<_>>()
    };
    let mut out = Vec::new();
    let begin = first.saturating_sub(AROUND);
    out.extend((begin > 0).then_some(Line::Gap));
    out.extend(same(&old[begin..first]));
    out.extend(old_rest[..old_rest.len() - last].iter().map(|line| Line::Old((*line).to_owned())));
    out.extend(new_rest[..new_rest.len() - last].iter().map(|line| Line::New((*line).to_owned())));
    let tail = &old_rest[old_rest.len() - last..];
    out.extend(same(&tail[..last.min(AROUND)]));
    out.extend((last > AROUND).then_some(Line::Gap));
    out
}
