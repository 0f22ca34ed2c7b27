//! A connected part of a picture, laid out in layers: boxes that do not touch, and curves that run
//! between them.

use super::fold::Room;
use super::geometry::{Flow, Point, Rect, Size, int};
use super::lattice::Lattice;
use super::rank::ranks;
use super::route::Route;
use crate::graph::picture::Stroke;

/// How many bends and boxes there may be; more are too many to look at, and to lay out.
const MAX_VERTICES: usize = 6_000;
/// The room between layers.
const NARROW: i32 = 52;
const WIDE: i32 = 150;

/// What is to be laid out: boxes, and links between them.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) sizes: Vec<Size>,
    pub(super) strokes: Vec<Stroke>,
}

/// What was laid out.
#[derive(Clone, Debug, Default)]
pub(super) struct Laid {
    /// Where the boxes lie; they may have grown.
    pub(super) boxes: Vec<Rect>,
    /// The curve of each stroke.
    pub(super) routes: Vec<Route>,
    pub(super) size: Size,
}

/// The boxes of one layer along the flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub(super) start: i32,
    pub(super) length: i32,
}

impl Part {
    /// Lays it out; none if that would take too long.
    pub(super) fn lay(&self, flow: Flow) -> Option<Laid> {
        let ranks = ranks(self.sizes.len(), &self.strokes, self.room(flow));
        let mut lattice = Lattice::new(flow, &self.sizes, &self.strokes, &ranks);
        if lattice.vertices.len() > MAX_VERTICES {
            return None;
        }
        lattice.order();
        let middles = lattice.place();
        let bands = self.bands(flow, &lattice, &middles);
        let boxes = self.sizes.iter().enumerate().map(|(index, size)| {
            let band = bands[ranks[index]];
            let across = flow.extent(*size).1;
            let at = flow.point(band.start, middles[index] - across / 2);
            Rect { at, size: flow.size(band.length, across) }
        });
        let boxes = boxes.collect::<Vec<_>>();
        let routes = super::route::routes(&lattice, &self.strokes, (flow, &bands, &middles));
        let size = reach(&boxes, &routes);
        Some(Laid { boxes, routes, size })
    }

    /// How many layers there may be and how many boxes in each, so that the whole is about as wide
    /// as a screen.
    fn room(&self, flow: Flow) -> Room {
        let count = self.sizes.len();
        let root = count.isqrt();
        match flow {
            Flow::Right => {
                Room { layers: (root / 2 + 4).max(8), boxes: (count * 4).isqrt().max(6) }
            }
            Flow::Down => Room { layers: (root + 3).max(12), boxes: root.max(4) },
        }
    }

    /// Where the layers lie: further apart where links have far to go.
    fn bands(&self, flow: Flow, lattice: &Lattice, middles: &[i32]) -> Vec<Band> {
        let mut start = 0;
        let bands = lattice.layers.iter().map(|layer| {
            let lengths = layer.iter().filter_map(|vertex| self.sizes.get(*vertex));
            let length = lengths.map(|size| flow.extent(*size).0).max().unwrap_or(0);
            let band = Band { start, length };
            let steps = layer.iter().flat_map(|vertex| {
                lattice.after[*vertex]
                    .iter()
                    .map(|other| (middles[*vertex] - middles[*other]).abs())
            });
            let (mut steepest, mut count) = (0, 0_usize);
            for step in steps {
                steepest = steepest.max(step);
                count += 1;
            }
            let room = steepest / 7 + int(count.min(60));
            start += length + (NARROW + room).clamp(NARROW, WIDE);
            band
        });
        bands.collect()
    }
}

fn reach(boxes: &[Rect], routes: &[Route]) -> Size {
    let corners =
        boxes.iter().map(|rect| rect.at.moved(Point { x: rect.size.width, y: rect.size.height }));
    let points = routes.iter().flat_map(|route| route.points.iter().copied());
    corners.chain(points).fold(Size::default(), |size, point| Size {
        width: size.width.max(point.x),
        height: size.height.max(point.y),
    })
}
