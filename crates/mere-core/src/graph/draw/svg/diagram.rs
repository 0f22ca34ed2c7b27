//! The whole diagram: which entries are connected, where everything lies, and what is drawn.

use std::collections::{BTreeSet, HashSet};

use super::card::Card;
use super::geometry::{Flow, Point, Rect, Size, to_i32};
use super::layered_layout::{Component, ComponentLayout};
use super::{pack, panels};
use crate::graph::Subgraph;
use crate::graph::subgraph::DrawnLink;
use crate::item::Relation;

/// The space between boxes without links.
const ROW_GAP: i32 = 18;
/// The most entries that are laid out in layers.
const MAX_LAYERED: usize = 400;

/// A line of the drawing.
#[derive(Debug)]
pub(super) struct Curve {
    pub(super) link: DrawnLink,
    pub(super) path: String,
    pub(super) head: Option<String>,
}

/// A frame around the entries of one category.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) place: Rect,
    pub(super) caption: String,
}

/// The positions of everything.
#[derive(Debug, Default)]
pub(super) struct DiagramLayout {
    pub(super) boxes: Vec<Rect>,
    pub(super) curves: Vec<Curve>,
    pub(super) panels: Vec<Panel>,
    pub(super) size: Size,
}

impl DiagramLayout {
    /// Puts boxes without links below the others, in rows.
    fn add_unlinked(&mut self, alone: &[usize], sizes: &[Size]) {
        let widest = alone.iter().map(|node| sizes[*node].width).max().unwrap_or_default();
        let cell = widest + ROW_GAP;
        let square = to_i32((alone.len() * 3 / 4).isqrt().max(1));
        let columns = ((self.size.width + ROW_GAP) / cell.max(1)).max(square);
        let columns = usize::try_from(columns).unwrap_or(1).max(1);
        let mut y = if self.size.height > 0 { self.size.height + pack::GAP } else { 0 };
        for row in alone.chunks(columns) {
            let height = row.iter().map(|node| sizes[*node].height).max().unwrap_or_default();
            for (column, node) in row.iter().enumerate() {
                let at = Point { x: to_i32(column) * cell, y };
                self.boxes[*node] = Rect { at, size: Size { width: widest, height } };
                self.size.width = self.size.width.max(at.x + widest);
            }
            self.size.height = y + height;
            y += height + ROW_GAP;
        }
    }
}

/// A diagram that is ready to be written.
#[derive(Debug)]
pub(super) struct Diagram {
    pub(super) cards: Vec<Card>,
    pub(super) layout: DiagramLayout,
    pub(super) relations: Vec<Relation>,
}

impl Diagram {
    /// Lays a subgraph out.
    pub(super) fn new(subgraph: &Subgraph<'_>) -> Self {
        let links = select_links(&subgraph.links);
        let relations = links.iter().map(|link| link.relation).collect::<BTreeSet<_>>();
        let relations = relations.into_iter().collect();
        let all = 0..subgraph.nodes.len();
        if subgraph.nodes.len() <= MAX_LAYERED {
            let cards = all.clone().map(|at| Card::new(subgraph, at)).collect::<Vec<_>>();
            let sizes = cards.iter().map(|card| card.size).collect::<Vec<_>>();
            if let Some(layout) = best_layered_layout(&sizes, &links) {
                return Self { cards, layout, relations };
            }
        }
        let cards = all.map(|at| Card::compact(subgraph, at)).collect::<Vec<_>>();
        let size = cards.first().map(|card| card.size).unwrap_or_default();
        let layout = panels::lay_out_panels(subgraph, size, &links);
        Self { cards, layout, relations }
    }
}

/// Selects the links to draw: a plain reference only if no other link leads the same way.
fn select_links(links: &[DrawnLink]) -> Vec<DrawnLink> {
    let ends = |link: &DrawnLink| (link.from, link.to);
    let related = links.iter().filter(|link| link.relation != Relation::References).map(ends);
    let related = related.collect::<HashSet<_>>();
    let is_more =
        |link: &&DrawnLink| link.relation != Relation::References || !related.contains(&ends(link));
    let links = links.iter().filter(|link| link.from != link.to).filter(is_more);
    links.copied().collect()
}

/// Lays the boxes out in both directions, and returns the better layout.
fn best_layered_layout(sizes: &[Size], links: &[DrawnLink]) -> Option<DiagramLayout> {
    let groups = ConnectedGroups::new(sizes.len(), links);
    let right = groups.lay_out(sizes, links, Flow::Right)?;
    let down = groups.lay_out(sizes, links, Flow::Down)?;
    // Boxes are wide, so links that go right have more room.
    let is_down = down.size.layout_cost() * 5 < right.size.layout_cost() * 4;
    Some(if is_down { down } else { right })
}

/// The entries of each connected component, and those without links.
struct ConnectedGroups {
    linked: Vec<Vec<usize>>,
    unlinked: Vec<usize>,
}

impl ConnectedGroups {
    fn new(count: usize, links: &[DrawnLink]) -> Self {
        let mut near = vec![Vec::new(); count];
        for link in links {
            near[link.from].push(link.to);
            near[link.to].push(link.from);
        }
        let mut is_seen = near.iter().map(Vec::is_empty).collect::<Vec<_>>();
        let unlinked = (0..count).filter(|node| is_seen[*node]).collect();
        let mut groups = Vec::new();
        for start in 0..count {
            let mut group = Vec::new();
            let mut open = vec![start];
            while let Some(node) = open.pop() {
                if !std::mem::replace(&mut is_seen[node], true) {
                    group.push(node);
                    open.extend(&near[node]);
                }
            }
            if !group.is_empty() {
                group.sort_unstable();
                groups.push(group);
            }
        }
        Self { linked: groups, unlinked }
    }

    fn lay_out(&self, sizes: &[Size], links: &[DrawnLink], flow: Flow) -> Option<DiagramLayout> {
        let mut part_of = vec![(0, 0); sizes.len()];
        let mut parts = Vec::new();
        for (part, group) in self.linked.iter().enumerate() {
            for (place, node) in group.iter().enumerate() {
                part_of[*node] = (part, place);
            }
            let sizes = group.iter().map(|node| sizes[*node]).collect();
            parts.push(Component { sizes, links: Vec::new() });
        }
        for link in links {
            let ((part, from), (_, to)) = (part_of[link.from], part_of[link.to]);
            parts[part].links.push(DrawnLink { from, to, relation: link.relation });
        }
        let laid = parts.iter().map(|part| part.lay_out(flow)).collect::<Option<Vec<_>>>()?;
        let mut spread = self.combine(laid, sizes.len());
        spread.add_unlinked(&self.unlinked, sizes);
        Some(spread)
    }

    fn combine(&self, laid: Vec<ComponentLayout>, count: usize) -> DiagramLayout {
        let sizes = laid.iter().map(|part| part.size).collect::<Vec<_>>();
        let (places, size) = pack::pack(&sizes);
        let mut spread =
            DiagramLayout { boxes: vec![Rect::default(); count], size, ..DiagramLayout::default() };
        for ((part, group), at) in laid.into_iter().zip(&self.linked).zip(places) {
            for (place, node) in part.boxes.iter().zip(group) {
                spread.boxes[*node] = Rect { at: place.at.translate(at), size: place.size };
            }
            for route in part.routes {
                let DrawnLink { from, to, relation } = route.link;
                let link = DrawnLink { from: group[from], to: group[to], relation };
                let (path, head) = route.translate(at).to_path_data();
                spread.curves.push(Curve { link, path, head });
            }
        }
        spread
    }
}

/// The margin around the diagram and its heading.
pub(super) const MARGIN: Point = Point { x: 28, y: 28 };
