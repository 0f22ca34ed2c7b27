//! Links to an entry that gets another name, in the frontmatter and the body of a note.

use mere_core::address::RelPath;
use mere_core::item::{
    BareLinks, EntryName, EntryRename, Knowledge, Relation, RelinkedNote, Scope, ScopedPath,
    find_wikilinks, relink,
};
use proptest::prelude::*;

fn place(path: &str) -> ScopedPath {
    let path = format!("knowledge/{path}.md").parse::<RelPath>().expect("a path");
    ScopedPath::from_space_path(Scope::Project, &path).expect("an entry")
}

fn renaming(from: &str, to: &str, bare: BareLinks) -> EntryRename {
    let name = |path: &str| EntryName::from(&place(path));
    EntryRename { from: name(from), to: name(to), bare_links: bare }
}

/// A note with some lines below its title.
fn note(rest: &str) -> String {
    format!("---\nid: n\ntitle: N\n{rest}")
}

/// Renames the entry `from` to `to` in a note, and compares the lines below its title.
fn check(from: &str, to: &str, text: &str, expected: Option<&str>) {
    for ending in ["\n", "\r\n"] {
        let note = |rest: &str| note(rest).replace('\n', ending);
        let found = relink(&note(text), &place("x/n"), &renaming(from, to, BareLinks::UseId));
        let found = found.unwrap_or_else(|fault| panic!("{text:?}: {fault:?}"));
        assert_eq!(found, RelinkedNote { text: expected.map(note), ambiguous: 0 }, "{text:?}");
    }
}

#[test]
fn relations_keep_their_spelling() {
    for (old, new) in [
        ("extends: a # a\n", "extends: b # a\n"),
        (
            "related: [a, \"a\", 'a', aa, x/a, api/a]\n",
            "related: [b, \"b\", 'b', aa, x/a, api/b]\n",
        ),
        ("references:\n- a # why\n# a\n-   api/a\n", "references:\n- b # why\n# a\n-   api/b\n"),
        ("supersedes: [\n  a, # a\n  c]\n", "supersedes: [\n  b, # a\n  c]\n"),
        ("\"depends_on\": [\"\\x61\"]\n", "\"depends_on\": [\"b\"]\n"),
        ("contradicts:\n- |-\n  a\n- >-\n  c\n", "contradicts:\n- |-\n  b\n- >-\n  c\n"),
        ("implements: [a]\na: a\ntags: [a]\n", "implements: [b]\na: a\ntags: [a]\n"),
    ] {
        let body = "---\na [a](a.md)\n";
        check("api/a", "api/b", &format!("{old}{body}"), Some(&format!("{new}{body}")));
    }
}

#[test]
fn wikilinks_keep_what_is_around_them() {
    for (old, new) in [
        ("[[a]] ![[a]] [[a|a]] [[a#a]] [[ a ]]", "[[b]] ![[b]] [[b|a]] [[b#a]] [[ b ]]"),
        ("[[api/a]] [[api/a#x|a]] [[x/a]] [[/a]]", "[[api/b]] [[api/b#x|a]] [[x/a]] [[/a]]"),
        ("`[[a]]` [[a]]\n\n```\n[[a]]\n```\n", "`[[a]]` [[b]]\n\n```\n[[a]]\n```\n"),
        ("[[aa]] [[A]] [[a]] \\[[a]]\n\n    [[a]]\n", "[[aa]] [[A]] [[b]] \\[[a]]\n\n    [[a]]\n"),
    ] {
        check("api/a", "api/b", &format!("---\n{old}"), Some(&format!("---\n{new}")));
    }
}

#[test]
fn a_move_changes_only_what_says_the_category() {
    let text = |link: &str| format!("related: [a, {link}]\n---\n[[a]] [[{link}]]\n");
    check("api/a", "web/auth/a", &text("api/a"), Some(&text("web/auth/a")));
    check("api/a", "a", &text("api/a"), Some(&text("/a")));
    check("a", "api/a", &text("/a"), Some(&text("api/a")));
    check("api/a", "web/a", &text("x/a"), None);
    check("api/a", "api/a", &text("api/a"), None);
    let both = "related: [a, api/a]\n---\n";
    check("api/a", "web/b", both, Some("related: [b, web/b]\n---\n"));
}

#[test]
fn a_note_without_such_links_stays() {
    for text in ["---\n", "related: [c]\n---\na\n[[c]]\n", "a: [a]\nb: {related: a}\n---\n`[[a]]`"]
    {
        check("a", "b", text, None);
    }
}

#[test]
fn a_new_name_that_looks_like_no_text_is_quoted() {
    check("a", "1e3", "related: [a, 'a']\n---\n", Some("related: [\"1e3\", '1e3']\n---\n"));
    check("a", "on", "extends: a\n---\n[[a]]", Some("extends: \"on\"\n---\n[[on]]"));
    check("on", "a", "extends: \"on\"\n---\n", Some("extends: \"a\"\n---\n"));
}

#[test]
fn a_bare_id_says_its_category_or_stays_where_others_have_it() {
    let text = note("related: [a, 'a', api/a, /a]\nextends: a\n---\n[[a|x]] ![[a.md#y]] [[api/a]]");
    for (from, to, bare, expected, unclear) in [
        (
            "api/a",
            "api/b",
            BareLinks::UseQualifiedName,
            "related: [api/b, 'api/b', api/b, /a]\nextends: api/b\n---\n\
             [[api/b|x]] ![[api/b.md#y]] [[api/b]]",
            0,
        ),
        (
            "a",
            "b",
            BareLinks::UseQualifiedName,
            "related: [/b, '/b', api/a, /b]\nextends: /b\n---\n[[/b|x]] ![[/b.md#y]] [[api/a]]",
            0,
        ),
        (
            "api/a",
            "ops/b",
            BareLinks::Keep,
            "related: [a, 'a', ops/b, /a]\nextends: a\n---\n[[a|x]] ![[a.md#y]] [[ops/b]]",
            5,
        ),
    ] {
        let found = relink(&text, &place("x/n"), &renaming(from, to, bare)).expect("a note");
        assert_eq!(
            found,
            RelinkedNote { text: Some(note(expected)), ambiguous: unclear },
            "{from} {to}"
        );
    }
    let found = relink(&text, &place("x/n"), &renaming("ops/a", "ops/b", BareLinks::Keep));
    assert_eq!(found.expect("a note"), RelinkedNote { text: None, ambiguous: 5 });
}

#[test]
fn what_cannot_be_proved_is_a_fault() {
    for text in ["related: [a\n---\n", "related: {a: a}\n---\n", "related: [a]\nid: m\n---\n"] {
        let found = relink(&note(text), &place("x/n"), &renaming("a", "b", BareLinks::UseId));
        assert!(found.is_err(), "{text:?}");
    }
}

/// What a link may be, plainly or in quotes, and what is none.
fn link() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("old"),
        Just("api/old"),
        Just("/old"),
        Just("x/old"),
        Just("older"),
        Just("other")
    ]
    .prop_map(str::to_owned)
}

fn relation() -> impl Strategy<Value = String> {
    let quoted = (link(), 0..3_usize).prop_map(|(link, quote)| {
        let quote = ["\"", "'", ""][quote];
        format!("{quote}{link}{quote}")
    });
    proptest::collection::vec(quoted, 0..4).prop_flat_map(|links| {
        let block =
            links.iter().map(|link| ["\n  - ", link, " # old"].concat()).collect::<String>();
        prop_oneof![Just(format!(" [{}]", links.join(" , "))), Just(block)]
    })
}

fn body() -> impl Strategy<Value = String> {
    let pieces = [
        "[[",
        "]]",
        "![[",
        "|old",
        "#old",
        ".md",
        "`",
        "```\n",
        "~~~",
        "\n",
        "\n\n",
        "    ",
        "> ",
        "- ",
        "\\",
        "| a |\n|---|\n",
        "é",
        " ",
        "old",
        "[[old]]",
        "[[api/old]]",
        "<!--",
        "-->",
    ];
    let piece = prop::sample::select(pieces.to_vec());
    proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_link_is_renamed_and_nothing_else(
        relations in proptest::collection::btree_map(0..Relation::ALL.len(), relation(), 0..4),
        body in body(),
        ending in prop_oneof![Just("\n"), Just("\r\n")],
        to in prop_oneof![Just("api/new"), Just("web/old"), Just("web/new")],
    ) {
        let lines = relations.iter().map(|(index, value)| format!("{}:{value}\n", Relation::ALL[*index]));
        let lines = lines.collect::<String>();
        let note = format!("---\nid: n\ntitle: N\n{lines}odd: {{ old: 'old' }}\n---\n{body}");
        let note = note.replace('\n', ending);
        let at = place("x/n");
        let renaming = renaming("api/old", to, BareLinks::UseId);
        let Ok(relinked) = relink(&note, &at, &renaming) else {
            return Err(TestCaseError::fail(format!("{note:?}")));
        };
        let after = relinked.text.as_deref().unwrap_or(&note);
        let EntryRename { from, to, bare_links } = renaming;
        let new = |target: &str| match target {
            "old" => to.id.to_string(),
            "api/old" => format!("{}/{}", to.category, to.id),
            other => other.to_owned(),
        };
        let read = |text: &str| {
            let entry = Knowledge::parse(text, &at).expect("an entry");
            let body = text[entry.content.clone()].to_owned();
            let targets = find_wikilinks(&body).expect("links");
            let targets = targets.into_iter().map(|range| body[range].to_owned());
            (targets.collect::<Vec<_>>(), entry.relations)
        };
        let (mut targets, mut relations) = read(&note);
        for target in targets.iter_mut().chain(relations.iter_mut().flat_map(|(_, ids)| ids)) {
            *target = new(target);
        }
        prop_assert_eq!(read(after), (targets, relations), "{:?}", note);
        let back = relink(after, &at, &EntryRename { from: to, to: from, bare_links }).expect("a note");
        prop_assert_eq!(back.text.as_deref().unwrap_or(after), &note);
    }
}
