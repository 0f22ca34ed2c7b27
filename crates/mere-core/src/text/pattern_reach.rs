//! Where a glob pattern can reach: every text that its braces can become stays below the directory.

use std::collections::BTreeSet;

use super::pattern::skip_class;

/// What has been read of the segment in which a pattern has arrived.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SegmentSoFar {
    Empty,
    Dot,
    DotDot,
    Name,
}

/// Where one of the texts that a pattern can become has arrived.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PatternPosition {
    segment: SegmentSoFar,
    is_first: bool,
}

impl PatternPosition {
    const START: Self = Self { segment: SegmentSoFar::Empty, is_first: true };

    /// Reads one more character, or returns `None` if the text then leaves its directory.
    fn read(self, c: char) -> Option<Self> {
        let segment = match (c, self.segment) {
            ('/', SegmentSoFar::Name) => {
                return Some(Self { segment: SegmentSoFar::Empty, is_first: false });
            }
            ('/', _) => return None,
            ('~', SegmentSoFar::Empty) | (':', _) if self.is_first => return None,
            ('.', SegmentSoFar::Empty) => SegmentSoFar::Dot,
            ('.', SegmentSoFar::Dot) => SegmentSoFar::DotDot,
            _ => SegmentSoFar::Name,
        };
        Some(Self { segment, ..self })
    }
}

/// The alternatives of an open brace: where each begins, and where those that were read have
/// arrived.
struct OpenBrace {
    begins: BTreeSet<PatternPosition>,
    arrived: BTreeSet<PatternPosition>,
}

/// Checks that every text that a pattern can become is relative and has no empty, `.` or `..`
/// segment. All of them are read at once, because their number grows with the power of the braces.
pub(super) fn stays_below(text: &str) -> bool {
    let mut positions = BTreeSet::from([PatternPosition::START]);
    let mut braces = Vec::<OpenBrace>::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let read = match (c, braces.last_mut()) {
            ('{', _) => {
                braces.push(OpenBrace { begins: positions.clone(), arrived: BTreeSet::new() });
                continue;
            }
            (',', Some(brace)) => {
                brace.arrived.append(&mut positions);
                positions.clone_from(&brace.begins);
                continue;
            }
            ('}', Some(brace)) => {
                positions.append(&mut brace.arrived);
                braces.pop();
                continue;
            }
            ('\\', _) => {
                let escaped = rest.chars().next().unwrap_or(c);
                rest = rest.strip_prefix(escaped).unwrap_or(rest);
                escaped
            }
            ('[', _) => match skip_class(rest) {
                Ok(behind) => {
                    let class = &rest[..rest.len() - behind.len()];
                    rest = behind;
                    class_character(class)
                }
                Err(_) => c,
            },
            _ => c,
        };
        let Some(next) = positions.iter().map(|position| position.read(read)).collect() else {
            return false;
        };
        positions = next;
    }
    positions.iter().all(|position| position.segment == SegmentSoFar::Name)
}

/// Returns the character that a class stands for in a path: its only member, a slash if that is a
/// member, or any other.
fn class_character(class: &str) -> char {
    let members = class.strip_suffix(']').unwrap_or(class);
    match members.strip_prefix(['!', '^']) {
        None if members.contains('/') => '/',
        None if members == "." => '.',
        _ => '?',
    }
}
