//! The curves of links: from the side of one box, through bends, to the side of another.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::geometry::{Flow, Point, to_i32};
use super::layer_graph::LayerGraph;
use super::layered_layout::LayerBand;
use crate::graph::subgraph::DrawnLink;
use crate::item::Relation;

/// The length of an arrowhead.
pub(super) const ARROWHEAD_LENGTH: i32 = 8;
/// The greatest and the least distance between two links at the side of a box.
const MAX_PORT_GAP: i32 = 11;
const MIN_PORT_GAP: i32 = 7;
/// The space that is kept free at the corners of a box.
const CORNER_SPACE: i32 = 10;

/// The curve of a link.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) link: DrawnLink,
    pub(super) flow: Flow,
    /// The points from one box to the other, in the order of layers. Every second step passes a
    /// layer.
    pub(super) points: Vec<Point>,
    /// Is set if the link points in the other direction.
    pub(super) is_reversed: bool,
}

/// A point at the side of a box where links of one relation and direction leave for one neighbour.
type Port = (usize, BoxSide, usize, Relation, bool);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BoxSide {
    Before,
    After,
}

/// Where the layers and the vertices of a layout lie.
#[derive(Clone, Copy)]
pub(super) struct LayerPositions<'a> {
    pub(super) flow: Flow,
    pub(super) bands: &'a [LayerBand],
    /// The middle of each vertex, across the flow.
    pub(super) middles: &'a [i32],
}

/// Returns the curve of each link between different boxes.
pub(super) fn route_links(
    layer_graph: &LayerGraph,
    links: &[DrawnLink],
    positions: LayerPositions<'_>,
) -> Vec<Route> {
    let LayerPositions { flow, bands, middles } = positions;
    let ports = port_offsets(layer_graph, links, middles);
    let routes = links.iter().zip(&layer_graph.paths).filter(|(_, way)| way.len() > 1);
    let routes = routes.map(|(link, way)| {
        let is_reversed = way.first() != Some(&link.from);
        let mut points = Vec::new();
        for (step, vertex) in way.iter().enumerate() {
            let band = bands[layer_graph.vertices[*vertex].layer];
            let (start, end) = (band.start, band.start + band.length);
            let port = |side, other: usize| {
                let port = (*vertex, side, other, link.relation, is_reversed);
                middles[*vertex] + ports.get(&port).copied().unwrap_or_default()
            };
            if step > 0 {
                points.push(flow.point(start, port(BoxSide::Before, way[step - 1])));
            }
            if step + 1 < way.len() {
                points.push(flow.point(end, port(BoxSide::After, way[step + 1])));
            }
        }
        Route { link: *link, flow, points, is_reversed }
    });
    routes.collect()
}

/// Returns the distance of each port from the centre of its box.
fn port_offsets(
    layer_graph: &LayerGraph,
    links: &[DrawnLink],
    middles: &[i32],
) -> BTreeMap<Port, i32> {
    let mut sides = BTreeMap::<(usize, BoxSide), Vec<Port>>::new();
    for (link, way) in links.iter().zip(&layer_graph.paths) {
        let [first, second, ..] = way[..] else { continue };
        let (last, before) = (way[way.len() - 1], way[way.len() - 2]);
        let is_reversed = first != link.from;
        for (vertex, side, other) in
            [(first, BoxSide::After, second), (last, BoxSide::Before, before)]
        {
            let port = (vertex, side, other, link.relation, is_reversed);
            sides.entry((vertex, side)).or_default().push(port);
        }
    }
    let mut places = BTreeMap::new();
    for ((vertex, _), mut ports) in sides {
        ports.sort_unstable_by_key(|port| (middles[port.2], *port));
        ports.dedup();
        let room = (layer_graph.vertices[vertex].across - 2 * CORNER_SPACE).max(0);
        let is_crowded = (to_i32(ports.len()) - 1) * MIN_PORT_GAP > room;
        // If there is not enough space for each, links of one relation share a port.
        let slots = if is_crowded { shared_slots(&ports) } else { (0..ports.len()).collect() };
        let steps = to_i32(slots.iter().max().copied().unwrap_or_default());
        let reach = room.min(MAX_PORT_GAP * steps);
        for (port, slot) in ports.into_iter().zip(slots) {
            let place = (reach * to_i32(slot)).checked_div(steps).unwrap_or_default();
            places.insert(port, place - reach / 2);
        }
    }
    places
}

/// Assigns a slot to each relation and direction, in the order of their mean positions.
fn shared_slots(ports: &[Port]) -> Vec<usize> {
    let mut sums = BTreeMap::<_, (usize, usize)>::new();
    for (at, port) in ports.iter().enumerate() {
        let sum = sums.entry((port.3, port.4)).or_default();
        *sum = (sum.0 + at, sum.1 + 1);
    }
    let mut order = sums.into_iter().collect::<Vec<_>>();
    order.sort_by_key(|(kind, (sum, count))| (sum * 1_000 / count.max(&1), *kind));
    let slot = |port: &Port| order.iter().position(|(kind, _)| *kind == (port.3, port.4));
    ports.iter().map(|port| slot(port).unwrap_or_default()).collect()
}

impl Route {
    /// Moves the curve.
    pub(super) fn translate(mut self, by: Point) -> Self {
        for point in &mut self.points {
            *point = point.translate(by);
        }
        self
    }

    /// Returns the path data of the curve, which stops short of its arrowhead, and of the
    /// arrowhead.
    pub(super) fn to_path_data(&self) -> (String, Option<String>) {
        let mut points = self.points.clone();
        let has_head = !self.link.relation.is_symmetric();
        let tip = if self.is_reversed { points.first_mut() } else { points.last_mut() };
        let mut head = None;
        if let Some(tip) = tip.filter(|_| has_head) {
            let back = if self.is_reversed { ARROWHEAD_LENGTH } else { -ARROWHEAD_LENGTH };
            let end = *tip;
            *tip = end.translate(self.flow.point(back, 0));
            let (left, right) = (
                tip.translate(self.flow.point(0, ARROWHEAD_LENGTH / 2)),
                tip.translate(self.flow.point(0, -ARROWHEAD_LENGTH / 2)),
            );
            head = Some(format!(
                "M{} {}L{} {}L{} {}Z",
                end.x, end.y, left.x, left.y, right.x, right.y
            ));
        }
        (curve_path(self.flow, &points), head)
    }
}

/// Returns path data that is straight across layers and curved between them.
fn curve_path(flow: Flow, points: &[Point]) -> String {
    let mut data = String::new();
    for (step, point) in points.iter().enumerate() {
        let Some(last) = step.checked_sub(1).map(|last| points[last]) else {
            data = format!("M{} {}", point.x, point.y);
            continue;
        };
        if step % 2 == 0 || last.x == point.x || last.y == point.y {
            let _ = write!(data, "L{} {}", point.x, point.y);
            continue;
        }
        let half = match flow {
            Flow::Right => (point.x - last.x) / 2,
            Flow::Down => (point.y - last.y) / 2,
        };
        let (out, into) =
            (last.translate(flow.point(half, 0)), point.translate(flow.point(-half, 0)));
        let _ = write!(data, "C{} {} {} {} ", out.x, out.y, into.x, into.y);
        let _ = write!(data, "{} {}", point.x, point.y);
    }
    data
}
