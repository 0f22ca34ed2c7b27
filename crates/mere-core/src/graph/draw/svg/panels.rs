//! The layout of a drawing with many entries: a panel for each category with small boxes, and
//! straight links.

use std::collections::BTreeMap;

use super::diagram::{Curve, DiagramLayout, Panel};
use super::geometry::{Point, Rect, Size, to_i32};
use super::pack;
use super::route::ARROWHEAD_LENGTH;
use crate::graph::Subgraph;
use crate::graph::subgraph::DrawnLink;

/// The space between boxes, around them, and for the caption.
const GAP: i32 = 8;
const PADDING: i32 = 14;
const CAPTION_HEIGHT: i32 = 28;

/// Lays out boxes of one size by the categories of their entries.
pub(super) fn lay_out_panels(
    subgraph: &Subgraph<'_>,
    card: Size,
    links: &[DrawnLink],
) -> DiagramLayout {
    let mut groups = BTreeMap::<&str, Vec<usize>>::new();
    for index in 0..subgraph.nodes.len() {
        groups.entry(subgraph.node(index).category.as_str()).or_default().push(index);
    }
    let cell = Size { width: card.width + GAP, height: card.height + GAP };
    let grids = groups.values().map(|group| PanelGrid::new(group.len(), cell)).collect::<Vec<_>>();
    let sizes = grids.iter().map(|grid| grid.size).collect::<Vec<_>>();
    let (places, size) = pack::pack(&sizes);
    let mut boxes = vec![Rect::default(); subgraph.nodes.len()];
    let mut panels = Vec::new();
    for (((category, group), grid), at) in groups.into_iter().zip(&grids).zip(places) {
        for (place, index) in group.into_iter().enumerate() {
            boxes[index] = Rect { at: grid.cell_position(place, cell).translate(at), size: card };
        }
        let caption = if category.is_empty() { "no category" } else { category };
        panels.push(Panel { place: Rect { at, size: grid.size }, caption: caption.to_owned() });
    }
    let curves = links.iter().map(|link| straight_link(*link, boxes[link.from], boxes[link.to]));
    DiagramLayout { curves: curves.collect(), boxes, panels, size }
}

/// Cells in rows, about as wide as high.
struct PanelGrid {
    columns: usize,
    size: Size,
}

impl PanelGrid {
    fn new(count: usize, cell: Size) -> Self {
        let ratio = usize::try_from(cell.width / cell.height.max(1)).unwrap_or(1).max(1);
        let columns = (count * 3 / (ratio * 2)).isqrt().max(1);
        let rows = count.div_ceil(columns);
        let width = to_i32(columns) * cell.width - GAP + 2 * PADDING;
        let height = to_i32(rows) * cell.height - GAP + CAPTION_HEIGHT + PADDING;
        Self { columns, size: Size { width, height } }
    }

    fn cell_position(&self, place: usize, cell: Size) -> Point {
        let (row, column) = (to_i32(place / self.columns), to_i32(place % self.columns));
        Point { x: PADDING + column * cell.width, y: CAPTION_HEIGHT + row * cell.height }
    }
}

/// Draws a straight link from the edge of one box to the edge of another.
fn straight_link(link: DrawnLink, from: Rect, to: Rect) -> Curve {
    let (start, end) = (edge_point(from, center(to)), edge_point(to, center(from)));
    let (dx, dy) = (end.x - start.x, end.y - start.y);
    let length = i64::from(dx).pow(2) + i64::from(dy).pow(2);
    let length = i32::try_from(length.isqrt()).unwrap_or(i32::MAX).max(1);
    let (ux, uy) = (dx * ARROWHEAD_LENGTH / length, dy * ARROWHEAD_LENGTH / length);
    let base = Point { x: end.x - ux, y: end.y - uy };
    let path = format!("M{} {}L{} {}", start.x, start.y, end.x, end.y);
    let head = format!(
        "M{} {}L{} {}L{} {}Z",
        end.x,
        end.y,
        base.x - uy / 2,
        base.y + ux / 2,
        base.x + uy / 2,
        base.y - ux / 2
    );
    Curve { link, path, head: (!link.relation.is_symmetric()).then_some(head) }
}

fn center(rect: Rect) -> Point {
    rect.at.translate(Point { x: rect.size.width / 2, y: rect.size.height / 2 })
}

/// Returns the point where a line from the centre of a box towards another point leaves the box.
fn edge_point(rect: Rect, towards: Point) -> Point {
    let from = center(rect);
    let (dx, dy) = (towards.x - from.x, towards.y - from.y);
    let (half, tall) = (rect.size.width / 2, rect.size.height / 2);
    let is_side = i64::from(dx.abs()) * i64::from(tall) > i64::from(dy.abs()) * i64::from(half);
    let (x, y) = if is_side {
        (half * dx.signum(), dy * half / dx.abs().max(1))
    } else {
        (dx * tall / dy.abs().max(1), tall * dy.signum())
    };
    from.translate(Point { x, y })
}
