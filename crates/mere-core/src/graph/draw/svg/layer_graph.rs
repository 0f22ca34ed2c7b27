//! Boxes in layers, with a bend wherever a link passes a layer, so that no link runs under a box.
//!
//! Links of one relation that leave the same box, or lead to the same box, share their bends: they
//! run as one line for as long as possible.

use std::collections::BTreeMap;

use super::geometry::{Flow, Size};
use crate::graph::subgraph::DrawnLink;
use crate::item::Relation;

/// A box or a bend in a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) layer: usize,
    /// The extent across the flow; 0 for a bend.
    pub(super) across: i32,
    pub(super) is_bend: bool,
}

/// Boxes and bends in layers. The boxes are the first vertices, in their own order.
#[derive(Debug)]
pub(super) struct LayerGraph {
    pub(super) vertices: Vec<Vertex>,
    /// The vertices of each layer, in order.
    pub(super) layers: Vec<Vec<usize>>,
    /// The neighbours of each vertex in the layer before.
    pub(super) before: Vec<Vec<usize>>,
    /// The neighbours of each vertex in the layer after.
    pub(super) after: Vec<Vec<usize>>,
    /// The vertices that each link passes, in the order of layers; empty for a link to itself.
    pub(super) paths: Vec<Vec<usize>>,
}

/// The key of links that share their bends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BendBundle {
    at: usize,
    is_source: bool,
    relation: Relation,
    is_reversed: bool,
}

impl LayerGraph {
    /// Builds the layers from the sizes and ranks of the boxes.
    pub(super) fn new(flow: Flow, sizes: &[Size], links: &[DrawnLink], ranks: &[usize]) -> Self {
        let boxes = sizes.iter().zip(ranks).map(|(size, rank)| Vertex {
            layer: *rank,
            across: flow.extent(*size).1,
            is_bend: false,
        });
        let mut vertices = boxes.collect::<Vec<_>>();
        let counts = link_counts(links, sizes.len());
        let mut bends = BTreeMap::new();
        let ways = links.iter().map(|link| {
            let is_reversed = ranks[link.from] > ranks[link.to];
            let (start, end) =
                if is_reversed { (link.to, link.from) } else { (link.from, link.to) };
            if start == end {
                return Vec::new();
            }
            let is_source = counts[start] >= counts[end];
            let at = if is_source { start } else { end };
            let bundle = BendBundle { at, is_source, relation: link.relation, is_reversed };
            let passed = (ranks[start] + 1..ranks[end]).map(|layer| {
                *bends.entry((bundle, layer)).or_insert_with(|| {
                    vertices.push(Vertex { layer, across: 0, is_bend: true });
                    vertices.len() - 1
                })
            });
            [start].into_iter().chain(passed.collect::<Vec<_>>()).chain([end]).collect()
        });
        let ways = ways.collect::<Vec<_>>();
        Self::from_paths(vertices, ways)
    }

    fn from_paths(vertices: Vec<Vertex>, paths: Vec<Vec<usize>>) -> Self {
        let mut layers = vec![Vec::new(); vertices.iter().map(|v| v.layer + 1).max().unwrap_or(0)];
        let is_box = |(_, vertex): &(usize, &Vertex)| !vertex.is_bend;
        let (boxes, bends) =
            vertices.iter().enumerate().partition::<Vec<(usize, &Vertex)>, _>(is_box);
        for (index, vertex) in boxes {
            layers[vertex.layer].push(index);
        }
        // If nothing else decides, a link passes through the middle of a layer.
        let middles = layers.iter().map(|layer: &Vec<usize>| layer.len() / 2).collect::<Vec<_>>();
        for (index, vertex) in bends {
            layers[vertex.layer].insert(middles[vertex.layer], index);
        }
        let (mut before, mut after) =
            (vec![Vec::new(); vertices.len()], vec![Vec::new(); vertices.len()]);
        for pair in paths.iter().flat_map(|way| way.windows(2)) {
            before[pair[1]].push(pair[0]);
            after[pair[0]].push(pair[1]);
        }
        for list in before.iter_mut().chain(&mut after) {
            list.sort_unstable();
            list.dedup();
        }
        Self { vertices, layers, before, after, paths }
    }
}

/// Counts the links of each box.
fn link_counts(links: &[DrawnLink], count: usize) -> Vec<usize> {
    let mut counts = vec![0; count];
    for link in links {
        counts[link.from] += 1;
        counts[link.to] += 1;
    }
    counts
}
