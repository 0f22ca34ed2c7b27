//! Assigns positions across the flow: each vertex is as near to its neighbours as the order and the
//! space between boxes allow.
//!
//! One layer is solved at a time, exactly: the positions with the least squared distance from the
//! desired ones are the means of blocks that push each other (pool adjacent violators).

use super::layer_graph::{LayerGraph, Vertex};

/// The number of rounds over all layers.
const ROUNDS: usize = 30;
/// The number of final rounds, in which both sides count.
const FINAL_ROUNDS: usize = 8;
/// The weight of a line between two bends, which makes it straighter.
const STRAIGHT_WEIGHT: i64 = 4;

/// Returns the space between two adjacent vertices of a layer.
fn gap(one: Vertex, other: Vertex) -> i32 {
    match (one.is_bend, other.is_bend) {
        (false, false) => 18,
        (true, true) => 10,
        _ => 14,
    }
}

impl LayerGraph {
    /// Returns the centre of each vertex across the flow; no coordinate is negative.
    pub(super) fn assign_positions(&self) -> Vec<i32> {
        let mut middles = vec![0_i64; self.vertices.len()];
        for layer in &self.layers {
            let wanted = layer.iter().map(|_| (0, 1)).collect::<Vec<_>>();
            self.place_layer(layer, &wanted, &mut middles);
        }
        let count = self.layers.len();
        for round in 0..ROUNDS {
            for step in 0..count {
                let layer = &self.layers[if round % 2 == 0 { step } else { count - 1 - step }];
                let wanted =
                    layer.iter().map(|vertex| self.desired_position(*vertex, round, &middles));
                let wanted = wanted.collect::<Vec<_>>();
                self.place_layer(layer, &wanted, &mut middles);
            }
        }
        let top = |index: usize| middles[index] - i64::from(self.vertices[index].across / 2);
        let highest = (0..middles.len()).map(top).min().unwrap_or_default();
        middles.iter().map(|middle| i32::try_from(middle - highest).unwrap_or(i32::MAX)).collect()
    }

    /// Returns the desired position of a vertex, and its weight.
    fn desired_position(&self, vertex: usize, round: usize, middles: &[i64]) -> (i64, i64) {
        let (before, after) = (self.before[vertex].iter(), self.after[vertex].iter());
        let is_both = round + FINAL_ROUNDS >= ROUNDS;
        let before = before.filter(|_| is_both || round.is_multiple_of(2));
        let after = after.filter(|_| is_both || !round.is_multiple_of(2));
        let (mut sum, mut weights) = (0, 0);
        for other in before.chain(after) {
            let is_line = self.vertices[vertex].is_bend && self.vertices[*other].is_bend;
            let weight = if is_line { STRAIGHT_WEIGHT } else { 1 };
            sum += middles[*other] * weight;
            weights += weight;
        }
        if weights == 0 { (middles[vertex], 1) } else { (sum / weights, weights) }
    }

    fn place_layer(&self, layer: &[usize], wanted: &[(i64, i64)], middles: &mut [i64]) {
        let offsets = self.minimum_offsets(layer);
        // Each block has the weighted sum of its desired positions, the weight, and the vertex
        // count.
        let mut blocks = Vec::<(i64, i64, usize)>::new();
        for ((want, weight), offset) in wanted.iter().zip(&offsets) {
            let mut block = ((want - offset) * weight, *weight, 1);
            while let Some(last) = blocks.pop_if(|last| last.0 * block.1 >= block.0 * last.1) {
                block = (last.0 + block.0, last.1 + block.1, last.2 + block.2);
            }
            blocks.push(block);
        }
        let places = blocks.iter().flat_map(|(sum, weight, size)| {
            std::iter::repeat_n(sum.div_euclid((*weight).max(1)), *size)
        });
        for ((vertex, place), offset) in layer.iter().zip(places).zip(offsets) {
            middles[*vertex] = place + offset;
        }
    }

    /// Returns the distance of each vertex of a layer from the first if they are as close as
    /// allowed.
    fn minimum_offsets(&self, layer: &[usize]) -> Vec<i64> {
        let mut offset = 0;
        let mut offsets = Vec::with_capacity(layer.len());
        for (at, index) in layer.iter().enumerate() {
            if let Some(last) = at.checked_sub(1).map(|last| self.vertices[layer[last]]) {
                let vertex = self.vertices[*index];
                let room = gap(last, vertex) + (last.across + 1) / 2 + (vertex.across + 1) / 2;
                offset += i64::from(room);
            }
            offsets.push(offset);
        }
        offsets
    }
}
