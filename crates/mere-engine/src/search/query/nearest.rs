//! The items nearest to a query vector: chosen by sketches, then compared by the vectors
//! themselves.
//!
//! Only items that the query may find at all are candidates.

use std::collections::HashMap;

use mere_core::embed::{Sketch, Vector};

use crate::search::index::{SearchIndex, Sketches};
use crate::search::update::live_index::LiveIndex;

/// The number of nearest sketches whose vectors are compared.
const MAX_CANDIDATES: usize = 256;

/// The cosine similarity of each item that was compared.
pub(super) type Similarities = HashMap<u32, f32>;

/// Compares the nearest of the eligible items, and those of `also`, with a vector. The eligible
/// items are given by segment and slot.
pub(super) fn find_similar(
    live_index: &LiveIndex,
    vector: &Vector,
    eligible: &[Vec<bool>],
    also: Vec<u32>,
) -> rusqlite::Result<Similarities> {
    let LiveIndex { index, sketches, .. } = live_index;
    let mut similarities = Similarities::new();
    let allowed = allowed_items(index, eligible);
    let nearest = nearest_by_sketch(sketches, &Sketch::from_vector(vector), &allowed);
    for item in nearest.into_iter().chain(also) {
        if !similarities.contains_key(&item)
            && let Some(cosine) = index.cosine(item, (sketches, vector))?
        {
            similarities.insert(item, cosine);
        }
    }
    Ok(similarities)
}

/// Returns whether an item is eligible, by its number.
fn allowed_items(index: &SearchIndex, eligible: &[Vec<bool>]) -> Vec<bool> {
    let slots = index.segments.iter().filter_map(|segment| segment.slots.last());
    let most = slots.map(|slot| slot.item).max().unwrap_or_default();
    let mut allowed = vec![false; to_usize(most).saturating_add(1)];
    for (segment, own) in index.segments.iter().zip(eligible) {
        for (slot, own) in segment.slots.iter().zip(own) {
            allowed[to_usize(slot.item)] |= *own;
        }
    }
    allowed
}

/// Returns the items with the nearest sketches. There are few distinct distances, so they are
/// counted instead of sorted.
fn nearest_by_sketch(sketches: &Sketches, sketch: &Sketch, allowed: &[bool]) -> Vec<u32> {
    let mut counts = vec![0_usize; sketch.words().len() * 64 + 1];
    let mut distances = Vec::with_capacity(sketches.items.len());
    for (item, distance) in sketches.distances(sketch) {
        if allowed.get(to_usize(item)) == Some(&true) {
            counts[to_usize(distance)] += 1;
            distances.push((item, distance));
        }
    }
    let mut sum = 0;
    let limit = counts.iter().take_while(|count| {
        let fits = sum < MAX_CANDIDATES;
        sum += **count;
        fits
    });
    let limit = limit.count();
    let near = distances.into_iter().filter(|(_, distance)| to_usize(*distance) < limit);
    near.map(|(item, _)| item).collect()
}

fn to_usize(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
