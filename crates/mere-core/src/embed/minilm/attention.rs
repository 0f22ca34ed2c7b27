//! Multi-head attention: each token becomes a weighted mean of all tokens, once for each head.

use super::math::exponential;
use super::shape::HEAD_SIZE;

/// The query, key and value vectors of all tokens. Each list holds vectors of equal width, one
/// after the other.
pub(super) struct Attention {
    pub(super) queries: Vec<f32>,
    pub(super) keys: Vec<f32>,
    pub(super) values: Vec<f32>,
}

impl Attention {
    /// Returns the weighted values, in the layout of `values`.
    pub(super) fn weighted_values(&self, width: usize) -> Vec<f32> {
        let mut mixed = vec![0.0; self.values.len()];
        let mut scores = vec![0.0; self.values.len() / width];
        for head in (0..width).step_by(HEAD_SIZE) {
            let keys = self.transposed_keys(width, head);
            let queries = head_slices(&self.queries, width, head);
            let places =
                mixed.chunks_exact_mut(width).map(|place| &mut place[head..head + HEAD_SIZE]);
            for (query, place) in queries.zip(places) {
                compute_scores(query, &keys, &mut scores);
                let sum = exponentiate_scores(&mut scores);
                for (weight, value) in scores.iter().zip(head_slices(&self.values, width, head)) {
                    add_scaled(place, value, weight / sum);
                }
            }
        }
        mixed
    }

    /// Transposes the keys of a head to one line per dimension, so that scoring adds whole lines
    /// instead of summing within one.
    fn transposed_keys(&self, width: usize, head: usize) -> Vec<f32> {
        let dimensions = head..head + HEAD_SIZE;
        dimensions.flat_map(|at| self.keys.iter().skip(at).step_by(width).copied()).collect()
    }
}

/// Returns the slice of each vector that belongs to a head.
fn head_slices(vectors: &[f32], width: usize, head: usize) -> impl Iterator<Item = &[f32]> {
    vectors.chunks_exact(width).map(move |vector| &vector[head..head + HEAD_SIZE])
}

fn compute_scores(query: &[f32], keys: &[f32], scores: &mut [f32]) {
    let scale = 1.0 / 32.0_f32.sqrt();
    scores.fill(0.0);
    for (number, line) in query.iter().zip(keys.chunks_exact(scores.len())) {
        add_scaled(scores, line, number * scale);
    }
}

/// Turns scores into softmax weights that are not yet normalised, and returns their sum.
fn exponentiate_scores(scores: &mut [f32]) -> f32 {
    let greatest = scores.iter().fold(f32::MIN, |so_far, score| so_far.max(*score));
    for score in scores.iter_mut() {
        *score = exponential(*score - greatest);
    }
    scores.iter().sum()
}

fn add_scaled(sums: &mut [f32], numbers: &[f32], weight: f32) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += weight * number;
    }
}
