//! Guesses which entry a dangling link meant.
//!
//! It looks for an entry with that id in another category, then for one with that title, then for
//! the id with the smallest edit distance. The work has a budget, so that a thousand misspelled
//! links among a hundred thousand notes do not take too long.

use std::collections::HashMap;

use super::Graph;
use super::node::NodeId;

/// The most names, and pairs of letters in names, that are compared for all links together.
const MAX_WORK: usize = 200_000_000;
/// The longest name that is compared with others.
const MAX_NAME_BYTES: usize = 64;

/// Finds entries by names that are nearly theirs.
pub(super) struct NearestNames {
    by_name: HashMap<String, NodeId>,
    by_title: HashMap<String, NodeId>,
    /// Each normalised id, with the set of its letters.
    ids: Vec<(NodeId, String, u64)>,
    cache: HashMap<String, Option<NodeId>>,
    budget: usize,
}

impl NearestNames {
    pub(super) fn new(graph: &Graph) -> Self {
        // The first of several entries wins, so it is inserted last.
        let last_first = || graph.by_id.iter().rev().map(|at| (graph.node(*at), *at));
        let by_title =
            last_first().map(|(node, at)| (normalize_spelling(&node.title), at)).collect();
        let by_name =
            last_first().map(|(node, at)| (normalize_spelling(node.id.as_str()), at)).collect();
        let ids = graph.by_id.iter().map(|at| {
            let name = normalize_spelling(graph.node(*at).id.as_str());
            let letters = letter_set(&name);
            (*at, name, letters)
        });
        let (ids, cache) = (ids.collect(), HashMap::new());
        Self { by_name, by_title, ids, cache, budget: MAX_WORK }
    }

    /// Finds the entry that was probably meant.
    pub(super) fn find(&mut self, target: &str) -> Option<NodeId> {
        if let Some(known) = self.cache.get(target) {
            return *known;
        }
        let found = self.search(target);
        self.cache.insert(target.to_owned(), found);
        found
    }

    fn search(&mut self, target: &str) -> Option<NodeId> {
        let target = target.trim_matches(|c: char| c.is_whitespace() || matches!(c, '[' | ']'));
        let target = target.split(['|', '#']).next().unwrap_or_default();
        let id = normalize_spelling(target.rsplit('/').next().unwrap_or_default());
        let same = self.by_name.get(&id).or_else(|| self.by_title.get(&normalize_spelling(target)));
        same.copied().or_else(|| self.find_similar_id(&id))
    }

    /// Finds the id with the smallest edit distance, if that is small enough.
    fn find_similar_id(&mut self, id: &str) -> Option<NodeId> {
        let mut few = (id.len() / 3).min(3);
        if few == 0 || id.len() > MAX_NAME_BYTES {
            return None;
        }
        let wanted = letter_set(id);
        let mut best = None;
        for (node, other, has) in &self.ids {
            let unlike = (has ^ wanted).count_ones() as usize;
            let work = if unlike > 2 * few || other.len().abs_diff(id.len()) > few {
                1
            } else {
                let (one, other) = trim_common_ends(id.as_bytes(), other.as_bytes());
                let found = edit_distance(one, other);
                if found <= few {
                    (best, few) = (Some(*node), found.saturating_sub(1));
                }
                (one.len() + 1) * (other.len() + 1)
            };
            // No id is equal, so an edit distance of one cannot be improved.
            self.budget = self.budget.checked_sub(work)?;
            if few == 0 {
                break;
            }
        }
        best
    }
}

/// Removes the common beginning and end of two names.
fn trim_common_ends<'a>(one: &'a [u8], other: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[start..], &other[start..]);
    let end = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    (&one[..one.len() - end], &other[..other.len() - end])
}

/// Normalises differences in spelling: case, spaces and underscores.
fn normalize_spelling(name: &str) -> String {
    let letters = name.trim().chars().flat_map(char::to_lowercase);
    letters.map(|c| if c.is_whitespace() || c == '_' { '-' } else { c }).collect()
}

/// Returns the set of letters and digits of a name as bits.
fn letter_set(name: &str) -> u64 {
    name.bytes().fold(0, |set, byte| set | 1 << (byte & 63))
}

/// Computes the edit distance: the number of insertions, deletions, replacements and swaps of
/// adjacent letters.
pub(crate) fn edit_distance(one: &[u8], other: &[u8]) -> usize {
    let mut before = vec![0; other.len() + 1];
    let mut last = (0..=other.len()).collect::<Vec<_>>();
    for (row, letter) in one.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, with) in other.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != with);
            let mut fewest = replaced.min(last[column + 1] + 1).min(line[column] + 1);
            let is_swap =
                row > 0 && column > 0 && one[row - 1] == *with && other[column - 1] == *letter;
            if is_swap {
                fewest = fewest.min(before[column - 1] + 1);
            }
            line.push(fewest);
        }
        before = std::mem::replace(&mut last, line);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted() {
        for (one, other, expected) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("abc", "acb", 1),
            ("abc", "abd", 1),
            ("abc", "ab", 1),
            ("", "abc", 3),
            ("paging", "pagination", 5),
        ] {
            let (one, other) = (one.as_bytes(), other.as_bytes());
            for (one, other) in [(one, other), (other, one), trim_common_ends(one, other)] {
                assert_eq!(edit_distance(one, other), expected, "{one:?} {other:?}");
            }
        }
    }
}
