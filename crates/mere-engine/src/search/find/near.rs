//! What looks alike to a model: first by signs, then by the vectors themselves.

use std::collections::HashMap;

use mere_core::embed::{Sketch, Vector};

use super::TextMatches;
use crate::search::index::{SearchIndex, Sketches};

/// How many of the nearest by signs are looked at closely.
const MAX_CANDIDATES: usize = 256;

/// How alike items are, as far as that was asked.
pub(crate) type Similarities = HashMap<u32, f32>;

/// The items nearest to a vector among those that may be found, and those of `also`.
pub(crate) fn find_similar(
    index: &SearchIndex,
    (sketches, wanted): (&Sketches, &Vector),
    found: &TextMatches,
    also: impl Iterator<Item = u32>,
) -> rusqlite::Result<Similarities> {
    let mut likeness = Similarities::new();
    let nearest =
        nearest_by_sketch(sketches, &Sketch::from_vector(wanted), &allowed_items(index, found));
    for item in nearest.into_iter().chain(also) {
        if !likeness.contains_key(&item)
            && let Some(cosine) = index.cosine(item, (sketches, wanted))?
        {
            likeness.insert(item, cosine);
        }
    }
    Ok(likeness)
}

/// Whether an item may be found, by its number.
fn allowed_items(index: &SearchIndex, found: &TextMatches) -> Vec<bool> {
    let slots = index.segments.iter().filter_map(|segment| segment.slots.last());
    let most = slots.map(|slot| slot.item).max().unwrap_or_default();
    let mut allowed = vec![false; to_usize(most).saturating_add(1)];
    for (segment, own) in index.segments.iter().zip(&found.eligible) {
        for (slot, own) in segment.slots.iter().zip(own) {
            allowed[to_usize(slot.item)] |= *own;
        }
    }
    allowed
}

/// The nearest by signs: distances are few, so they are counted and not sorted.
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
