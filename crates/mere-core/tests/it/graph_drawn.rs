//! Drawings of graphs: they stay drawings, whatever the entries say.

use mere_core::graph::{Graph, Link, NodeId, Subgraph, WalkOptions};
use mere_core::item::Relation;
use proptest::prelude::*;

use super::graph::{any_graph, at, depth, entry, graph, of_links};

#[test]
fn a_tree_describes_each_entry_and_draws_each_link_once() {
    let graph = graph(&[
        "api/paging extends:rest related:cursors references:gone references:twice",
        "api/cursor-paging extends:paging depends_on:cursors",
        "api/rest",
        "db/cursors",
        "x/twice",
        "y/twice",
        "v2 supersedes:cursors",
    ]);
    let picture = Subgraph::neighbourhood(&graph, at(&graph, "paging"), &depth(2));
    let expected = "\
api/paging · The paging
├─ extends → api/rest · The rest
├─ ← extends api/cursor-paging · The cursor-paging
│  └─ depends_on → db/cursors ^
├─ related ↔ db/cursors · The cursors [superseded]
│  └─ ← supersedes v2 · The v2
├─ references → gone [not there]
└─ references → twice [matches several]
";
    assert_eq!(picture.to_text(), expected);
    let few = Subgraph::neighbourhood(
        &graph,
        at(&graph, "paging"),
        &WalkOptions { limit: 1, ..depth(2) },
    );
    assert!(few.to_text().ends_with("… and 3 more\n"));
    let listed = Subgraph::entire_graph(&graph, &WalkOptions::default()).to_text();
    assert!(listed.starts_with("v2 · The v2\n  supersedes → db/cursors\napi/cursor-paging"));
}

/// Titles that want to be more than titles.
const HOSTILE: [&str; 14] = [
    "</text><script>alert(1)</script>",
    "\" onload=\"x",
    "'single' & <b>double</b> ]]>",
    "line\nbreak\r\n\ttab",
    "\u{0}\u{1}\u{7f}\u{85}\u{9b}31m\u{1b}]0;x\u{7}",
    "\u{202e}gpj.exe\u{2066}\u{200f}",
    "שלום עולם",
    "\\N \\G \\\" \\",
    "&lt;&amp;&#x41;",
    "--> <!-- <![CDATA[",
    "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "\u{fffe}\u{ffff}\u{feff}",
    "日本語のとても長いタイトル",
    "",
];

fn titled(titles: &[String]) -> Graph {
    let entries = titles.iter().enumerate().map(|(at, title)| {
        let relation = Relation::ALL[at % 8];
        let next = (at + 1) % titles.len();
        let mut entry = entry(&format!("h/n{at} {relation}:n{next} references:n0"));
        entry.title.clone_from(title);
        entry.entry_type = Some(title.clone());
        entry.links.push(Link { relation, target: title.clone() });
        entry
    });
    entries.collect()
}

/// Checks every drawing of a graph: one document, and every text of an entry only a text in it.
fn check_drawings(graph: &Graph, focus: NodeId) {
    let walk = depth(5);
    for picture in
        [Subgraph::entire_graph(graph, &walk), Subgraph::neighbourhood(graph, focus, &walk)]
    {
        check_svg(&picture.to_svg());
        check_dot(&picture.to_dot());
        let json = serde_json::from_str::<serde_json::Value>(&picture.to_json()).expect("JSON");
        assert_eq!(json["nodes"].as_array().map(Vec::len), Some(picture.entry_count()));
        assert_eq!(json["edges"].as_array().map(Vec::len), Some(picture.link_count()));
        let text = picture.to_text();
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        assert!(text.lines().all(|line| line.chars().count() < 400), "{text}");
    }
}

fn check_svg(svg: &str) {
    let document = roxmltree::Document::parse(svg).expect("XML");
    let allowed = ["svg", "title", "desc", "style", "rect", "text", "g", "path"];
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        assert!(allowed.contains(&node.tag_name().name()), "{}", node.tag_name().name());
        let odd = |name: &str| name.starts_with("on") || name.contains("href");
        assert!(!node.attributes().any(|attribute| odd(attribute.name())), "{svg}");
    }
    let text = document.root_element().descendants().filter_map(|node| node.text());
    assert!(text.flat_map(str::chars).all(|c| c == '\n' || !c.is_control()));
    check_boxes(&document);
}

/// No two boxes of entries touch, and all are on the sheet.
fn check_boxes(document: &roxmltree::Document<'_>) {
    let number = |node: roxmltree::Node<'_, '_>, name| {
        node.attribute(name).and_then(|text| text.parse::<i64>().ok()).expect("a number")
    };
    let entries = document.descendants().filter(|node| {
        let is_entry = node.attribute("class").is_some_and(|class| class.starts_with("entry"));
        is_entry && node.children().any(|child| child.has_tag_name("title"))
    });
    let rects = entries.filter_map(|node| node.children().find(|child| child.has_tag_name("rect")));
    let rects = rects.map(|node| ["x", "y", "width", "height"].map(|name| number(node, name)));
    let rects = rects.collect::<Vec<_>>();
    for (at, [x, y, width, height]) in rects.iter().enumerate() {
        assert!(*x >= 0 && *y >= 0 && *width > 0 && *height > 0);
        assert!(x + width < number(document.root_element(), "width"));
        for [other_x, other_y, other_width, other_height] in &rects[at + 1..] {
            let is_apart = x + width <= *other_x
                || other_x + other_width <= *x
                || y + height <= *other_y
                || other_y + other_height <= *y;
            assert!(is_apart, "two boxes touch");
        }
    }
}

/// Every line of a Graphviz drawing is whole, and its quotes are closed.
fn check_dot(dot: &str) {
    for line in dot.lines().skip(1).filter(|line| *line != "}") {
        let (mut is_quoted, mut is_escaped) = (false, false);
        for c in line.chars() {
            match c {
                '"' if !is_escaped => is_quoted = !is_quoted,
                '<' | '>' if !is_quoted && !line.contains(" -> ") => panic!("{line}"),
                _ => {}
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        assert!(!is_quoted && line.ends_with(';') && line.starts_with("  "), "{line}");
    }
}

#[test]
fn hostile_titles_stay_titles() {
    let mut titles = HOSTILE.map(str::to_owned).to_vec();
    titles.push("x".repeat(10_000));
    titles.push("W \u{301}".repeat(5_000));
    let graph = titled(&titles);
    for focus in graph.ids() {
        check_drawings(&graph, focus);
    }
    assert!(!Subgraph::entire_graph(&graph, &WalkOptions::default()).to_svg().contains("<script"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_graph_is_drawn((links, start) in any_graph()) {
        let graph = of_links(&links);
        check_drawings(&graph, at(&graph, &format!("n{start}")));
    }

    #[test]
    fn every_title_is_drawn(titles in prop::collection::vec("\\PC{0,40}|.{0,20}|[\\x00-\\x7f]{0,30}", 1..9)) {
        let graph = titled(&titles);
        check_drawings(&graph, at(&graph, "n0"));
    }
}
