//! A picture with many entries: a panel for each category, small boxes in it, and straight links.

use std::collections::BTreeMap;

use super::geometry::{Point, Rect, Size, int};
use super::pack;
use super::route::HEAD;
use super::sheet::{Curve, Panel, Spread};
use crate::graph::Picture;
use crate::graph::picture::Stroke;

/// The room between boxes, around them, and for the caption.
const APART: i32 = 8;
const PAD: i32 = 14;
const CAPTION: i32 = 28;

/// Lays out boxes of one size by the categories of their entries.
pub(super) fn spread(picture: &Picture<'_>, card: Size, strokes: &[Stroke]) -> Spread {
    let mut groups = BTreeMap::<&str, Vec<usize>>::new();
    for index in 0..picture.nodes.len() {
        groups.entry(picture.node(index).category.as_str()).or_default().push(index);
    }
    let cell = Size { width: card.width + APART, height: card.height + APART };
    let grids = groups.values().map(|group| Grid::new(group.len(), cell)).collect::<Vec<_>>();
    let sizes = grids.iter().map(|grid| grid.size).collect::<Vec<_>>();
    let (places, size) = pack::pack(&sizes);
    let mut boxes = vec![Rect::default(); picture.nodes.len()];
    let mut panels = Vec::new();
    for (((category, group), grid), at) in groups.into_iter().zip(&grids).zip(places) {
        for (place, index) in group.into_iter().enumerate() {
            boxes[index] = Rect { at: grid.cell(place, cell).moved(at), size: card };
        }
        let caption = if category.is_empty() { "no category" } else { category };
        panels.push(Panel { place: Rect { at, size: grid.size }, caption: caption.to_owned() });
    }
    let curves = strokes.iter().map(|stroke| line(*stroke, boxes[stroke.from], boxes[stroke.to]));
    Spread { curves: curves.collect(), boxes, panels, size }
}

/// Cells in rows, about as wide as high.
struct Grid {
    columns: usize,
    size: Size,
}

impl Grid {
    fn new(count: usize, cell: Size) -> Self {
        let ratio = usize::try_from(cell.width / cell.height.max(1)).unwrap_or(1).max(1);
        let columns = (count * 3 / (ratio * 2)).isqrt().max(1);
        let rows = count.div_ceil(columns);
        let width = int(columns) * cell.width - APART + 2 * PAD;
        let height = int(rows) * cell.height - APART + CAPTION + PAD;
        Self { columns, size: Size { width, height } }
    }

    fn cell(&self, place: usize, cell: Size) -> Point {
        let (row, column) = (int(place / self.columns), int(place % self.columns));
        Point { x: PAD + column * cell.width, y: CAPTION + row * cell.height }
    }
}

/// A straight link from the rim of one box to the rim of another.
fn line(stroke: Stroke, from: Rect, to: Rect) -> Curve {
    let (start, end) = (rim(from, middle(to)), rim(to, middle(from)));
    let (dx, dy) = (end.x - start.x, end.y - start.y);
    let length = i64::from(dx).pow(2) + i64::from(dy).pow(2);
    let length = i32::try_from(length.isqrt()).unwrap_or(i32::MAX).max(1);
    let (ux, uy) = (dx * HEAD / length, dy * HEAD / length);
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
    Curve { stroke, path, head: (!stroke.relation.is_symmetric()).then_some(head) }
}

fn middle(rect: Rect) -> Point {
    rect.at.moved(Point { x: rect.size.width / 2, y: rect.size.height / 2 })
}

/// Where a line from the middle of a box towards a place leaves the box.
fn rim(rect: Rect, towards: Point) -> Point {
    let from = middle(rect);
    let (dx, dy) = (towards.x - from.x, towards.y - from.y);
    let (half, tall) = (rect.size.width / 2, rect.size.height / 2);
    let is_side = i64::from(dx.abs()) * i64::from(tall) > i64::from(dy.abs()) * i64::from(half);
    let (x, y) = if is_side {
        (half * dx.signum(), dy * half / dx.abs().max(1))
    } else {
        (dx * tall / dy.abs().max(1), tall * dy.signum())
    };
    from.moved(Point { x, y })
}
