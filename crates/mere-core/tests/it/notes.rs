//! Notes as people have them: ids that look like numbers, and signatures of an older format.

use mere_core::address::RelPath;
use mere_core::item::{
    BareLinks, EntryName, EntryRename, Item, Knowledge, Relation, Scope, ScopedPath, relink,
    rewrite_location,
};
use mere_core::reply::Content;
use serde_json::json;

const OLD_SIGNATURE: &str = "<!-- kiwi-mcp:validated:2026-01-24T09:30:00Z:0123456789ab -->\n";

fn place(path: &str) -> ScopedPath {
    let path = path.parse::<RelPath>().expect("a path");
    ScopedPath::from_space_path(Scope::Project, &path).expect("an item")
}

fn note(path: &str, text: &str) -> Knowledge {
    let read = Knowledge::parse(text, &place(path));
    read.unwrap_or_else(|fault| panic!("{fault:?}\n{text}"))
}

fn hash(path: &str, text: &str) -> String {
    note(path, text).integrity(text, &place(path)).to_string()
}

#[test]
fn an_id_that_is_a_number_is_the_text_that_is_written() {
    for id in [
        "20260124",
        "20260124093000",
        "0123",
        "007",
        "0",
        "1_000",
        "1e3",
        "0x1f",
        "0b11",
        "0o17",
        "18446744073709551616",
        "123456789012345678901234567890",
        "2026-01-24",
    ] {
        for key in ["id", "zettel_id", "\"zettel_id\""] {
            let path = format!("knowledge/{id}.md");
            let plain = format!("---\n{key}: {id}\ntitle: T\n---\nbody\n");
            let quoted = plain.replace(&format!(": {id}\n"), &format!(": '{id}'\n"));
            let name = key.trim_matches('"');
            assert_eq!(note(&path, &plain).frontmatter[name], json!(id), "{plain}");
            assert_eq!(hash(&path, &plain), hash(&path, &quoted), "{plain}");
        }
    }
    for (stem, stated) in [
        ("7", "007"),
        ("007", "7"),
        ("15", "0x0f"),
        ("1000", "1e3"),
        ("1000", "1_000"),
        ("on", "on"),
        ("true", "true"),
        ("5", "5.0"),
        ("5", "+5"),
        ("5", "[5]"),
    ] {
        let text = format!("---\nzettel_id: {stated}\ntitle: T\n---\n");
        let at = place(&format!("knowledge/{stem}.md"));
        assert!(Knowledge::parse(&text, &at).is_err(), "{text}");
    }
    // Only the id is a text; elsewhere readers would still disagree.
    for line in ["x: {zettel_id: 007}", "x: [007]", "version: 1.0", "other: 007"] {
        let text = format!("---\nzettel_id: 5\ntitle: T\n{line}\n---\n");
        assert!(Knowledge::parse(&text, &place("knowledge/5.md")).is_err(), "{line}");
    }
    let numbers = "---\nzettel_id: 5\ntitle: T\nx: {id: 7}\nrating: 5\n---\n";
    let read = note("knowledge/5.md", numbers);
    assert_eq!(
        (&read.frontmatter["x"], &read.frontmatter["rating"]),
        (&json!({ "id": 7 }), &json!(5))
    );
    // In other types an `id` is any value.
    let skill = "---\nname: s\ndescription: d\nid: 5\n---\n";
    let item = Item::parse(skill, &place("directives/s/SKILL.md")).expect("a skill");
    assert_eq!(item.metadata()["id"], json!(5));
}

#[test]
fn a_note_with_a_numeric_id_can_be_renamed() {
    let text = "---\nzettel_id: 007 # agent\ntitle: T\nrelated: [\"12\"]\n---\n[[12]]\n";
    for (to, id) in [("12", "\"12\""), ("on", "\"on\""), ("bond", "bond")] {
        let to = place(&format!("knowledge/{to}.md"));
        let moved = rewrite_location(text, &place("knowledge/007.md"), &to).expect("valid there");
        assert_eq!(moved, text.replace("zettel_id: 007", &format!("zettel_id: {id}")));
    }
    let name = |path: &str| EntryName::from(&place(path));
    let renaming = EntryRename {
        from: name("knowledge/12.md"),
        to: name("knowledge/13.md"),
        bare_links: BareLinks::UseId,
    };
    let linked = relink(text, &place("knowledge/007.md"), &renaming).expect("a note").text;
    assert_eq!(linked, Some(text.replace("12", "13")));
}

#[test]
fn links_to_numeric_ids_are_rewritten_as_they_are_written() {
    let name = |id: &str| EntryName::from(&place(&format!("knowledge/{id}.md")));
    for (written, from, to, rewritten) in [
        ("requires: [20260125]", "20260125", "20260126", "requires: [\"20260126\"]"),
        ("requires: 20260125", "20260125", "plan", "requires: plan"),
        ("requires: [7, 0012]", "0012", "0013", "requires: [7, \"0013\"]"),
        ("requires: [12, 0012]", "12", "plan", "requires: [plan, 0012]"),
        ("requires: [0x1f]", "0x1f", "b", "requires: [b]"),
    ] {
        let text = format!("---\nid: n\ntitle: T\n{written}\n---\n[[{from}]]\n");
        let bare_links = BareLinks::UseId;
        let renaming = EntryRename { from: name(from), to: name(to), bare_links };
        let linked = relink(&text, &place("knowledge/n.md"), &renaming).expect("a note").text;
        let expected = format!("---\nid: n\ntitle: T\n{rewritten}\n---\n[[{to}]]\n");
        assert_eq!(linked, Some(expected), "{written}");
    }
}

#[test]
fn an_old_signature_is_skipped_and_told() {
    let plain = "---\nid: n\ntitle: T\n---\nbody\n";
    let (path, warning) = ("knowledge/n.md", "an old in-file signature, read as unsigned");
    let expected = hash(path, plain);
    for before in [
        OLD_SIGNATURE.to_owned(),
        format!("\u{feff}{OLD_SIGNATURE}"),
        "# x:validated:2026-01-24:abc\n".to_owned(),
        format!("{OLD_SIGNATURE}\n\n"),
        format!("\n  {OLD_SIGNATURE}"),
        "<!--\nx:validated:2026-01-24:abc\n-->\n".to_owned(),
        OLD_SIGNATURE.repeat(10_000),
        format!("<!-- a:validated:{} -->\n", "b".repeat(900_000)),
    ] {
        let text = format!("{before}{plain}");
        let read = note(path, &text);
        assert_eq!(read.content, text.len() - "body\n".len()..text.len());
        assert_eq!(read.integrity(&text, &place(path)).to_string(), expected);
        let warnings = read.warnings.iter().map(Content::text).collect::<Vec<_>>();
        assert_eq!(warnings, [warning]);
        let moved = rewrite_location(&text, &place(path), &place("knowledge/m.md"));
        assert_eq!(moved.expect("valid there"), text.replace("id: n", "id: m"));
    }
    let windows = format!("{OLD_SIGNATURE}{plain}").replace('\n', "\r\n");
    assert_eq!(note(path, &windows).warnings.len(), 1);
    let later = format!("{plain}{OLD_SIGNATURE}");
    let read = note(path, &later);
    assert!(read.warnings.is_empty() && hash(path, &later) != expected, "it is content");
    for before in [
        "<!-- a comment -->\n",
        "# A heading\n",
        "\n",
        "<!-- x:validated:y --> text\n",
        "<!-- x:validated:y\nand more -->\n",
        "<!-- x:validated:y -->\ntext\n",
        "x:validated:y\n",
    ] {
        let text = format!("{before}{plain}");
        assert!(Knowledge::parse(&text, &place(path)).is_err(), "{before:?}");
    }
    let skill = format!("{OLD_SIGNATURE}---\nname: s\ndescription: d\n---\nbody\n");
    let item = Item::parse(&skill, &place("directives/s/SKILL.md")).expect("a skill");
    assert_eq!(item.warnings().first().map(Content::text), Some(warning));
}

#[test]
fn an_entry_may_require_and_suggest_others() {
    let text = "---\nid: n\ntitle: T\nrequires: [a, b]\nsuggests: c\n---\n";
    let expected = [
        (Relation::Requires, vec!["a".to_owned(), "b".to_owned()]),
        (Relation::Suggests, vec!["c".to_owned()]),
    ];
    assert_eq!(note("knowledge/n.md", text).relations, expected);
    assert_eq!(Relation::guess("require"), Some(Relation::Requires));
}
