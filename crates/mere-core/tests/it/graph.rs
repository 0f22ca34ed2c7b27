//! Graphs of entries: what links mean, what is around an entry, and what is wrong.

use std::collections::HashSet;

use mere_core::graph::{
    Direction, Graph, GraphBuilder, GraphEntry, Link, NodeId, RelatedEntries, RelationSet,
    Resolution, Subgraph, WalkDepth, WalkOptions,
};
use mere_core::item::{ItemType, Relation, Scope};
use mere_core::trust::Vouching;
use proptest::prelude::*;

/// An entry from `category/id relation:target …`; `~` before it means the user's, and `!` before
/// either that somebody vouches for it.
pub(super) fn entry(line: &str) -> GraphEntry {
    let vouching = if line.starts_with('!') { Vouching::Person } else { Vouching::Nobody };
    let line = line.trim_start_matches('!');
    let scope = if line.starts_with('~') { Scope::User } else { Scope::Project };
    let mut words = line.trim_start_matches('~').split(' ');
    let name = words.next().unwrap_or_default();
    let (category, id) = name.rsplit_once('/').unwrap_or(("", name));
    let links = words.map(|word| {
        let (relation, target) = word.split_once(':').expect("a link");
        Link { relation: relation.parse().expect("a relation"), target: target.to_owned() }
    });
    GraphEntry {
        kind: ItemType::Knowledge,
        scope,
        category: category.parse().expect("a category"),
        id: id.parse().expect("an id"),
        title: format!("The {id}"),
        entry_type: None,
        links: links.collect(),
        vouching,
    }
}

pub(super) fn graph(lines: &[&str]) -> Graph {
    lines.iter().map(|line| entry(line)).collect()
}

pub(super) fn at(graph: &Graph, name: &str) -> NodeId {
    let found = graph.resolve(ItemType::Knowledge, &name.parse().expect("a name"));
    let Resolution::One(node) = found else { panic!("{name}: {found:?}") };
    node
}

fn names(graph: &Graph, nodes: &[NodeId]) -> Vec<String> {
    nodes.iter().map(|node| graph.node(*node).to_string()).collect()
}

/// What a walk finds, as `relation direction: name@distance …` and what it leaves out.
fn walked(graph: &Graph, from: &str, walk: &WalkOptions) -> Vec<String> {
    let related = graph.walk(at(graph, from), walk);
    let groups = related.groups.iter().map(|((relation, direction), found)| {
        let found = found.iter().map(|one| format!("{}@{}", graph.node(one.node), one.distance));
        format!("{relation} {direction}: {}", found.collect::<Vec<_>>().join(" "))
    });
    groups
        .chain((related.omitted_count > 0).then(|| format!("{} more", related.omitted_count)))
        .collect()
}

pub(super) fn depth(number: u64) -> WalkOptions {
    WalkOptions { depth: number.try_into().expect("a depth"), ..WalkOptions::default() }
}

#[test]
fn a_name_leads_to_the_nearest_scope() {
    let graph = graph(&[
        "a/x",
        "~a/x",
        "~b/y",
        "a/y",
        "c/z",
        "d/z",
        "top",
        "~e/only",
        "f/z2 related:z",
        "g/n references:a/x references:x references:/top references:e/only references:Nope",
    ]);
    let resolve = |name: &str| graph.resolve(ItemType::Knowledge, &name.parse().expect("a name"));
    for (name, scope, expected) in [
        ("x", Scope::Project, "a/x"),
        ("a/x", Scope::Project, "a/x"),
        ("y", Scope::Project, "a/y"),
        ("b/y", Scope::User, "b/y"),
        ("/top", Scope::Project, "top"),
        ("only", Scope::User, "e/only"),
    ] {
        let node = at(&graph, name);
        assert_eq!(graph.node(node).to_string(), expected);
        assert_eq!(graph.node(node).scope, scope, "{name}");
    }
    let Resolution::Several(several) = resolve("z") else { panic!("not several") };
    assert_eq!(names(&graph, &several), ["c/z", "d/z"]);
    for nothing in ["a/top", "/x", "gone", "a/x@1.0.0"] {
        assert_eq!(resolve(nothing), Resolution::Nothing, "{nothing}");
    }
    assert_eq!(graph.link_count(), 3);
    assert_eq!(graph.unresolved_links(at(&graph, "n")).len(), 1);
}

#[test]
fn a_walk_groups_what_is_around() {
    let graph = graph(&[
        "a extends:b references:b references:c related:d",
        "b extends:c",
        "c extends:a",
        "d contradicts:a",
        "e supersedes:a depends_on:f",
        "f",
    ]);
    let all = ["extends outgoing: b@1", "extends incoming: c@1", "references outgoing: b@1 c@1"];
    let rest = ["contradicts both: d@1", "supersedes incoming: e@1", "related both: d@1"];
    let both = [all, rest].concat();
    assert_eq!(walked(&graph, "a", &depth(1)), both);
    let mut deep = both.clone();
    deep.insert(5, "depends_on outgoing: f@2");
    assert_eq!(walked(&graph, "a", &depth(5)), deep);
    let out = WalkOptions { direction: Direction::Outgoing, ..depth(1) };
    let expected = [all[0], all[2], rest[0], rest[2]];
    assert_eq!(walked(&graph, "a", &out), expected);
    let only = WalkOptions { relations: [Relation::Extends].into_iter().collect(), ..depth(5) };
    assert_eq!(walked(&graph, "a", &only), all[..2]);
    let few = WalkOptions { limit: 1, ..depth(5) };
    let expected = ["extends outgoing: b@1", "references outgoing: b@1", "4 more"];
    assert_eq!(walked(&graph, "a", &few), expected);
}

#[test]
fn an_entry_is_told_by_every_relation_that_leads_to_it_at_its_distance() {
    let graph = graph(&[
        "a extends:b references:b related:c related:d",
        "b related:a",
        "c extends:e references:e references:b",
        "d depends_on:e extends:e",
        "e supersedes:a",
        "f references:e",
    ]);
    let near = [
        "extends outgoing: b@1",
        "references outgoing: b@1",
        "supersedes incoming: e@1",
        "related both: b@1 c@1 d@1",
    ];
    assert_eq!(walked(&graph, "a", &depth(1)), near);
    let out = WalkOptions { direction: Direction::Outgoing, ..depth(2) };
    let far = [
        "extends outgoing: b@1 e@2",
        "references outgoing: b@1 e@2",
        "depends_on outgoing: e@2",
        "related both: b@1 c@1 d@1",
    ];
    assert_eq!(walked(&graph, "a", &out), far);
}

#[test]
fn what_supersedes_an_entry_is_followed_to_the_newest() {
    let graph = graph(&[
        "v1",
        "v2 supersedes:v1",
        "v3 supersedes:v2",
        "w2 supersedes:v1",
        "own supersedes:own",
        "p supersedes:q",
        "q supersedes:p",
    ]);
    let found = |name: &str| graph.succession(at(&graph, name));
    let first = found("v1").expect("superseded");
    assert_eq!(names(&graph, &first.direct), ["v2", "w2"]);
    assert_eq!(names(&graph, &first.newest), ["v3", "w2"]);
    let circle = found("p").expect("superseded");
    assert_eq!((names(&graph, &circle.direct), circle.newest), (vec!["q".to_owned()], vec![]));
    assert_eq!((found("v3"), found("own")), (None, None));
}

#[test]
fn a_check_finds_what_is_wrong() {
    let graph = graph(&[
        "a/paging extends:a/base references:pagign",
        "b/base references:twice",
        "x/twice",
        "y/twice",
        "l1 extends:l2",
        "l2 extends:l3",
        "l3 extends:l1 contradicts:l1",
        "s supersedes:s",
        "c1 contradicts:c2",
        "c2 contradicts:c1 related:The-c1",
        "alone",
        "~alone extends:nothing",
    ]);
    let check = graph.check();
    let dangling = check.dangling.iter().map(|one| {
        let nearest = one.suggestion.map(|node| graph.node(node).to_string());
        format!("{} {} {} {nearest:?}", graph.node(one.from), one.relation, one.target)
    });
    let expected = [
        "c2 related The-c1 Some(\"c1\")",
        "a/paging extends a/base Some(\"b/base\")",
        "a/paging references pagign Some(\"a/paging\")",
    ];
    assert_eq!(dangling.collect::<Vec<_>>(), expected);
    let fits = check.ambiguous.iter().map(|one| names(&graph, &one.candidates));
    assert_eq!(fits.collect::<Vec<_>>(), [["x/twice", "y/twice"]]);
    let cycles =
        check.cycles.iter().map(|one| (one.relation, names(&graph, &one.path), one.others));
    let three = ["l1", "l2", "l3"].map(str::to_owned).to_vec();
    let own = vec!["s".to_owned()];
    let expected = [(Relation::Extends, three, 0), (Relation::Supersedes, own, 0)];
    assert_eq!(cycles.collect::<Vec<_>>(), expected);
    let although = check.contradictions.iter().map(|pair| {
        let although =
            pair.conflicting_link.map(|(node, said)| format!("{} {said}", graph.node(node)));
        (names(&graph, &[pair.between.0, pair.between.1]).join(" "), although)
    });
    let expected = [("c1 c2".to_owned(), None), ("l1 l3".into(), Some("l3 extends".into()))];
    assert_eq!(although.collect::<Vec<_>>(), expected);
    assert_eq!(names(&graph, &check.orphans), ["alone", "s", "x/twice", "y/twice"]);
    assert!(!check.is_sound() && self::graph(&["a related:b", "b", "c"]).check().is_sound());
}

#[test]
fn a_knot_is_told_once_by_its_shortest_circle() {
    let graph = graph(&[
        "a extends:b",
        "b extends:c extends:a",
        "c extends:d",
        "d extends:a",
        "e extends:a",
    ]);
    let cycles = graph.check().cycles;
    assert_eq!(cycles.len(), 1);
    assert_eq!((names(&graph, &cycles[0].path).join(" "), cycles[0].others), ("a b".into(), 2));
}

#[test]
fn the_order_of_entries_does_not_matter() {
    let lines = ["b/x extends:y", "a/y related:b/x", "~a/y", "z references:gone", "c/z"];
    let back = lines.iter().rev().copied().collect::<Vec<_>>();
    let (one, other) = (graph(&lines), graph(&back));
    let drawn = |graph: &Graph| {
        let picture = Subgraph::entire_graph(graph, &WalkOptions::default());
        [picture.to_text(), picture.to_dot(), picture.to_json(), picture.to_svg()]
    };
    assert_eq!(drawn(&one), drawn(&other));
    assert_eq!(one.check(), other.check());
}

#[test]
fn a_long_chain_is_not_deep() {
    let mut builder = GraphBuilder::default();
    for at in 0..100_000 {
        let next = (at + 1) % 100_000;
        builder.add(entry(&format!("n{at} extends:n{next} supersedes:n{next}")));
    }
    let graph = builder.build();
    let cycles = graph.check().cycles;
    assert_eq!(cycles.iter().map(|cycle| cycle.path.len()).collect::<Vec<_>>(), [100_000; 2]);
    let first = at(&graph, "n0");
    let succession = graph.succession(first).expect("superseded");
    assert!(succession.newest.is_empty());
    assert_eq!(walked(&graph, "n0", &WalkOptions { limit: 0, ..depth(5) }), ["10 more"]);
    let picture = Subgraph::entire_graph(
        &graph,
        &WalkOptions { limit: usize::MAX, ..WalkOptions::default() },
    );
    assert_eq!(picture.entry_count(), 100_000);
    assert!(picture.to_svg().contains("98000 more not shown"));
}

/// A graph of some size with any links, and where to begin.
pub(super) fn any_graph() -> impl Strategy<Value = (Vec<Vec<(usize, usize)>>, usize)> {
    let links = prop::collection::vec((0..8_usize, 0..70_usize), 0..6);
    prop::collection::vec(links, 1..60).prop_flat_map(|links| {
        let count = links.len();
        (Just(links), 0..count)
    })
}

pub(super) fn of_links(links: &[Vec<(usize, usize)>]) -> Graph {
    let entries = links.iter().enumerate().map(|(at, links)| {
        let said = links.iter().map(|(said, to)| format!(" {}:n{to}", Relation::ALL[*said]));
        entry(&format!("c{}/n{at}{}", at % 5, said.collect::<String>()))
    });
    entries.collect()
}

/// The entries of all groups, each once.
fn entries(related: &RelatedEntries) -> HashSet<NodeId> {
    related.groups.values().flatten().map(|one| one.node).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_walk_ends_and_tells_each_entry_once_by_each_relation((links, start) in any_graph(), far in 1..=5_u64) {
        let graph = of_links(&links);
        let from = at(&graph, &format!("n{start}"));
        let mut found = Vec::new();
        for direction in Direction::ALL {
            let walk = WalkOptions { direction, ..depth(far) };
            let related = graph.walk(from, &walk);
            for group in related.groups.values() {
                let distinct = group.iter().map(|one| one.node).collect::<HashSet<_>>();
                prop_assert_eq!(distinct.len(), group.len());
            }
            let nodes = entries(&related);
            prop_assert!(!nodes.contains(&from));
            let far = related.groups.values().flatten().all(|one| one.distance <= walk.depth.get());
            prop_assert!(far);
            found.push(nodes);
        }
        prop_assert!(found[0].iter().chain(&found[1]).all(|node| found[2].contains(node)));
        let few = graph.walk(from, &WalkOptions { limit: 3, ..depth(far) });
        prop_assert_eq!(entries(&few).len() + few.omitted_count, found[2].len());
    }

    #[test]
    fn circles_are_circles((links, _) in any_graph()) {
        let graph = of_links(&links);
        let mut seen = HashSet::new();
        for cycle in graph.check().cycles {
            let walk = WalkOptions {
                relations: [cycle.relation].into_iter().collect::<RelationSet>(),
                direction: Direction::Outgoing,
                depth: WalkDepth::default(),
                limit: usize::MAX,
            };
            for (at, node) in cycle.path.iter().enumerate() {
                let next = cycle.path[(at + 1) % cycle.path.len()];
                let related = graph.walk(*node, &walk);
                let leads = related.groups.values().flatten().any(|one| one.node == next);
                prop_assert!(leads || next == *node);
                prop_assert!(seen.insert((cycle.relation, *node)));
            }
        }
    }
}

#[test]
fn what_nobody_vouches_for_hides_and_supersedes_nothing_that_somebody_does() {
    let own = |lines: &[&str], name: &str| {
        let graph = graph(lines);
        graph.node(at(&graph, name)).scope
    };
    // By its name, by its bare id, and by its bare id in another category.
    assert_eq!(own(&["a/x", "!~a/x"], "a/x"), Scope::User);
    assert_eq!(own(&["a/x", "!~a/x"], "x"), Scope::User);
    assert_eq!(own(&["evil/x", "evil/b/x", "!~a/x", "~b/x"], "x"), Scope::User);
    assert_eq!(own(&["!a/x", "!~a/x"], "a/x"), Scope::Project);
    assert_eq!(own(&["a/x", "~a/x"], "x"), Scope::Project);
    // The links of what is passed over are its own affair.
    let passed_over = graph(&["a/x supersedes:b/y", "!~a/x", "!b/y"]);
    assert!(!passed_over.is_superseded(at(&passed_over, "b/y")));
    for (newer, older, counts) in [
        ("n/new supersedes:n/old", "!n/old", false),
        ("n/new supersedes:n/old", "!~n/old", false),
        ("n/new supersedes:n/old", "n/old", true),
        ("!n/new supersedes:n/old", "!n/old", true),
        ("!n/new supersedes:n/old", "n/old", true),
    ] {
        let graph = graph(&[newer, older]);
        let found = graph.succession(at(&graph, "n/old"));
        assert_eq!(found.is_some(), counts, "{newer} {older}");
    }
}
