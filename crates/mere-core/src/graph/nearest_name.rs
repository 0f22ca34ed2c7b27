//! Guesses which entry a dangling link meant.
//!
//! It looks for an entry with that id in another category, then for one with that title, then for
//! the id with the smallest edit distance. The work has a budget, so that a thousand misspelled
//! links among a hundred thousand notes do not take too long.

use std::collections::HashMap;

use strsim::osa_distance;

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
                let (one, other) = trim_common_ends(id, other);
                let found = osa_distance(one, other);
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
fn trim_common_ends<'a>(one: &'a str, other: &'a str) -> (&'a str, &'a str) {
    let equal = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    let start = equal.map(|(c, _)| c.len_utf8()).sum::<usize>();
    let (one, other) = (&one[start..], &other[start..]);
    let equal = one.chars().rev().zip(other.chars().rev()).take_while(|(a, b)| a == b);
    let end = equal.map(|(c, _)| c.len_utf8()).sum::<usize>();
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
            ("café", "cafè", 1),
            ("日本", "本日", 1),
        ] {
            for (one, other) in [(one, other), (other, one), trim_common_ends(one, other)] {
                assert_eq!(osa_distance(one, other), expected, "{one:?} {other:?}");
            }
        }
    }
}
