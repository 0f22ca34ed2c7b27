//! The layered layout of a connected component: boxes that do not touch, and curves that run
//! between them.

use super::geometry::{Flow, Point, Rect, Size, to_i32};
use super::layer_graph::LayerGraph;
use super::rank::assign_ranks;
use super::rank_folding::LayerLimits;
use super::route::{LayerPositions, Route, route_links};
use crate::graph::subgraph::DrawnLink;

/// The most boxes and bends; more would be too many to look at, and to lay out.
const MAX_VERTICES: usize = 6_000;
/// The least and the greatest distance between layers.
const MIN_LAYER_GAP: i32 = 52;
const MAX_LAYER_GAP: i32 = 150;

/// A connected component to lay out: boxes, and links between them.
#[derive(Debug, Default)]
pub(super) struct Component {
    pub(super) sizes: Vec<Size>,
    pub(super) links: Vec<DrawnLink>,
}

/// The layout of a component.
#[derive(Clone, Debug, Default)]
pub(super) struct ComponentLayout {
    /// The rectangles of the boxes, which may have grown.
    pub(super) boxes: Vec<Rect>,
    /// The curve of each link.
    pub(super) routes: Vec<Route>,
    pub(super) size: Size,
}

/// The extent of one layer along the flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerBand {
    pub(super) start: i32,
    pub(super) length: i32,
}

impl Component {
    /// Lays the component out. Returns `None` if that would take too long.
    pub(super) fn lay_out(&self, flow: Flow) -> Option<ComponentLayout> {
        let ranks = assign_ranks(self.sizes.len(), &self.links, self.layer_limits(flow));
        let mut layer_graph = LayerGraph::new(flow, &self.sizes, &self.links, &ranks);
        if layer_graph.vertices.len() > MAX_VERTICES {
            return None;
        }
        layer_graph.reduce_crossings();
        let middles = layer_graph.assign_positions();
        let bands = self.layer_bands(flow, &layer_graph, &middles);
        let boxes = self.sizes.iter().enumerate().map(|(index, size)| {
            let band = bands[ranks[index]];
            let across = flow.extent(*size).1;
            let at = flow.point(band.start, middles[index] - across / 2);
            Rect { at, size: flow.size(band.length, across) }
        });
        let boxes = boxes.collect::<Vec<_>>();
        let positions = LayerPositions { flow, bands: &bands, middles: &middles };
        let routes = route_links(&layer_graph, &self.links, positions);
        let size = bounding_size(&boxes, &routes);
        Some(ComponentLayout { boxes, routes, size })
    }

    /// Returns the most layers and the most boxes in each, so that the whole is about as wide as a
    /// screen.
    fn layer_limits(&self, flow: Flow) -> LayerLimits {
        let count = self.sizes.len();
        let root = count.isqrt();
        match flow {
            Flow::Right => {
                LayerLimits { layers: (root / 2 + 4).max(8), boxes: (count * 4).isqrt().max(6) }
            }
            Flow::Down => LayerLimits { layers: (root + 3).max(12), boxes: root.max(4) },
        }
    }

    /// Places the layers, with more space between them if links have far to go.
    fn layer_bands(&self, flow: Flow, layer_graph: &LayerGraph, middles: &[i32]) -> Vec<LayerBand> {
        let mut start = 0;
        let bands = layer_graph.layers.iter().map(|layer| {
            let lengths = layer.iter().filter_map(|vertex| self.sizes.get(*vertex));
            let length = lengths.map(|size| flow.extent(*size).0).max().unwrap_or(0);
            let band = LayerBand { start, length };
            let steps = layer.iter().flat_map(|vertex| {
                layer_graph.after[*vertex]
                    .iter()
                    .map(|other| (middles[*vertex] - middles[*other]).abs())
            });
            let (mut steepest, mut count) = (0, 0_usize);
            for step in steps {
                steepest = steepest.max(step);
                count += 1;
            }
            let room = steepest / 7 + to_i32(count.min(60));
            start += length + (MIN_LAYER_GAP + room).clamp(MIN_LAYER_GAP, MAX_LAYER_GAP);
            band
        });
        bands.collect()
    }
}

fn bounding_size(boxes: &[Rect], routes: &[Route]) -> Size {
    let corners = boxes
        .iter()
        .map(|rect| rect.at.translate(Point { x: rect.size.width, y: rect.size.height }));
    let points = routes.iter().flat_map(|route| route.points.iter().copied());
    corners.chain(points).fold(Size::default(), |size, point| Size {
        width: size.width.max(point.x),
        height: size.height.max(point.y),
    })
}
