//! Files made to hurt the parsers: each is refused with a place and a fix, and none is dear.

use mere_core::address::RelPath;
use mere_core::item::{Item, ItemFault, MAX_ITEM_BYTES, Scope, ScopedPath, decode_text};

fn place(path: &str) -> ScopedPath {
    let path = path.parse::<RelPath>().expect("a path");
    ScopedPath::from_space_path(Scope::Project, &path).expect("an item")
}

fn parse(path: &str, bytes: &[u8]) -> Result<Item, ItemFault> {
    Item::parse(decode_text(bytes)?, &place(path))
}

/// A fault that says where and what to do, and does not repeat the file.
fn refused(name: &str, path: &str, text: impl AsRef<[u8]>) {
    let fault = parse(path, text.as_ref()).err().unwrap_or_else(|| panic!("{name} was accepted"));
    assert!(fault.line >= 1 && fault.column >= 1, "{name}");
    assert!(!fault.what.parts().is_empty() && !fault.fix.parts().is_empty(), "{name}");
}

fn directive(process: &str) -> String {
    format!(
        "<directive name=\"x\" version=\"1.0.0\"><metadata/><process>{process}</process></directive>"
    )
}

fn refused_directive(name: &str, process: &str) {
    refused(name, "directives/x.md", directive(process));
}

fn accepted_directive(name: &str, process: &str) {
    let text = directive(process);
    assert!(parse("directives/x.md", text.as_bytes()).is_ok(), "{name}");
}

fn repeat(count: usize, spelled: &str) -> String {
    (0..count).map(|index| spelled.replace("{}", &index.to_string())).collect()
}

#[test]
fn entities_and_document_types() {
    let laughs = "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
    let foreign = "<!DOCTYPE d [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>";
    for kind in [laughs, foreign] {
        refused_directive("a document type inside", &format!("{kind}&b;&x;"));
        let inside = format!("<directive {kind} name=\"x\" version=\"1.0.0\"></directive>");
        refused("a document type in a tag", "directives/x.md", inside);
        // Before the element it is prose, and its entities are not known.
        let before = format!("{kind}\n{}", directive("&b;"));
        refused("a document type before", "directives/x.md", before);
    }
    for entity in ["&x;", "&#0;", "&#xD800;", "&#x110000;", "&", "&amp"] {
        refused_directive(entity, entity);
    }
    accepted_directive("known entities", "&amp;&lt;&gt;&quot;&apos;&#97;");
}

#[test]
fn many_repeat() {
    refused_directive("attributes", &format!("<a {}/>", repeat(50_000, " a{}='b'")));
    refused_directive("hidden by >", &format!("<a z='>' {}/>", repeat(50_000, " a{}=\">\"")));
    refused_directive("hidden by <", &format!("<a z='<' {}/>", repeat(50_000, " a{}=\"<\"")));
    refused_directive("after an open quote", &format!("<a z='> {}/>", repeat(50_000, " a{}='")));
    refused_directive("without spaces", &format!("<a{}/>", repeat(50_000, "a{}=''")));
    refused_directive("without values", &format!("<a{}/>", repeat(50_000, " a{}")));
    refused_directive("twice", "<a b='1' b='2'/>");
    refused_directive("twice by a namespace", "<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>");
    refused_directive("65", &format!("<a{}/>", repeat(65, " a{}='b'")));
    accepted_directive("64", &format!("<a{}/>", repeat(64, " a{}='='")));
    accepted_directive("> in quotes", "<a b='>' c=\"/>\"/>");
    let spread = format!("<a{}/>", repeat(64, " a{}=''"));
    let spread = spread.repeat(1000);
    accepted_directive("64 on each of many", &spread);
}

#[test]
fn many_namespaces() {
    let one = repeat(50_000, " xmlns:a{}='u'");
    refused_directive("on one element", &format!("<a{one}/>"));
    let each = repeat(15_000, "<a xmlns:a{}='u'/>");
    refused_directive("on each element", &each);
    let around = format!("<a{}>", repeat(60, " xmlns:a{}='u'"));
    let nested = [around.repeat(28), each, "</a>".repeat(28)].concat();
    refused_directive("copied into each", &nested);
    refused_directive("not declared", "<p:a/>");
    refused_directive("spaced", &format!("<a{}/>", repeat(20, " xmlns:a{} \n = 'u'")));
    accepted_directive("a few", &format!("<a{}/>", repeat(16, " xmlns:a{}='u'")));
}

#[test]
fn depth_and_size_of_markup() {
    refused_directive("depth", &"<a>".repeat(100_000));
    refused_directive("closed depth", &["<a>".repeat(100_000), "</a>".repeat(100_000)].concat());
    refused_directive("depth behind >", &"<a b='/>'>".repeat(50_000));
    refused_directive("depth behind />", &"<a b='/'>".repeat(50_000));
    refused_directive("20,001 nodes", &"<a/>".repeat(20_001));
    refused_directive("comments are nodes", &"<!---->".repeat(20_001));
    refused_directive("ends that are none", &"</directive>".repeat(50_000));
    refused_directive("open tags", &"<".repeat(500_000));
    refused_directive("open comments", &"<!--".repeat(100_000));
    refused_directive("open CDATA", &"<![CDATA[".repeat(100_000));
    refused("unclosed", "directives/x.md", "<directive name=\"x\" version=\"1.0.0\"><metadata/>");
    let long = MAX_ITEM_BYTES / 12 - 100;
    accepted_directive("ends in CDATA", &format!("<![CDATA[{}]]>", "</directive>".repeat(long)));
    let pieces = "<![CDATA[</directive>]]>".repeat(20_000);
    accepted_directive("ends in many CDATA", &pieces);
    refused_directive("ends in CDATA and no end", &format!("{pieces}<a>"));
    refused("starts on a line", "directives/x.md", "<directive".repeat(100_000));
    refused("starts on lines", "directives/x.md", "<directive\n".repeat(90_000));
    let second = format!("{}\n{}", directive(""), "<directive>\n".repeat(80_000));
    refused("second elements", "directives/x.md", second);
    let part = "<directive name='x' version='1.0.0'><metadata/><process/><process/></directive>";
    refused("a part twice", "directives/x.md", part);
}

#[test]
fn yaml_in_manifests_and_frontmatter() {
    let bomb = (1..30).map(|level| format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1));
    let bomb = ["a0: &a0 [x, x]\n".to_owned()].into_iter().chain(bomb).collect::<Vec<_>>();
    let steps = (0..1400).map(|level| [&" ".repeat(level), "a:\n"].concat()).collect::<String>();
    let cases = [
        ("an alias bomb", bomb.concat()),
        ("an anchor", "x: &a 1\n".to_owned()),
        ("an alias", "x: *a\n".to_owned()),
        ("a tag", "x: !!python/object:os.system ls\n".to_owned()),
        ("a tag of one's own", "x: !own {}\n".to_owned()),
        ("a merge", "x: {<<: {y: 1}}\n".to_owned()),
        ("flow lists", format!("x: {}\n", "[".repeat(100_000))),
        ("flow maps", format!("x: {}\n", "{a: ".repeat(100_000))),
        ("flow and closed", format!("x: {}{}\n", "[".repeat(100_000), "]".repeat(100_000))),
        ("block lists", format!("x:\n {}a\n", "- ".repeat(100_000))),
        ("block maps", steps),
        ("complex keys", format!("{}a\n", "? ".repeat(100_000))),
        ("a key twice", "title: a\ntitle: b\n".to_owned()),
        ("a key twice below", "x: {y: 1, y: 2}\n".to_owned()),
        ("a key twice in a list", "x:\n - y: 1\n   y: 2\n".to_owned()),
        ("a key twice by quotes", "x: {1: a, \"1\": b}\n".to_owned()),
        ("many keys", repeat(60_000, "k{}: 1\n")),
        ("many items", format!("x: [{}]\n", "a,".repeat(400_000))),
        ("quotes", format!("x: {}\n", "\"".repeat(500_001))),
        ("indicators", format!("x: {}\n", "&".repeat(500_000))),
        ("dashes", format!("x: {}\n", "-\n".repeat(400_000))),
        ("colons", format!("x: {}\n", ": ".repeat(400_000))),
        ("a control character", "x: \u{1}\n".to_owned()),
    ];
    for (name, yaml) in cases {
        let manifest = "tool_id: x\ntool_type: primitive\nversion: 1.0.0\n";
        refused(name, "tools/x.yaml", format!("{manifest}{yaml}"));
        refused(name, "knowledge/x.md", format!("---\nid: x\ntitle: x\n{yaml}---\n"));
        refused(name, "memory/x.md", format!("---\ntitle: x\n{yaml}---\n"));
        let skill = format!("---\nname: x\ndescription: x\ntitle: x\n{yaml}---\n");
        refused(name, "directives/x/SKILL.md", skill);
    }
    for (name, text) in [("unclosed", "---\ntitle: x\n"), ("a list", "---\n- a\n---\n")] {
        refused(name, "memory/x.md", text);
        refused(name, "knowledge/x.md", text);
    }
}

#[test]
fn json_in_lockfiles_and_schemas() {
    let lockfile = "lockfiles/x@1.0.0.lock.json";
    for (name, json) in [
        ("depth", "[".repeat(100_000)),
        ("closed depth", ["[".repeat(100_000), "]".repeat(100_000)].concat()),
        ("objects", "{\"a\":".repeat(100_000)),
        ("a key twice", r#"{"root":{},"root":{}}"#.to_owned()),
        ("a key twice below", r#"{"root":{"a":1,"\u0061":1}}"#.to_owned()),
        ("many values", format!("[{}0]", "0,".repeat(400_000))),
        ("a mark", "\u{feff}{}".to_owned()),
        ("more than one", "{} {}".to_owned()),
        ("no number", r#"{"root":NaN}"#.to_owned()),
        ("nothing", String::new()),
    ] {
        refused(name, lockfile, &json);
        refused_directive(
            name,
            &format!("<a/></process><inputs><schema><![CDATA[{json}]]></schema></inputs><process>"),
        );
    }
}

#[test]
fn bytes_that_are_no_text() {
    for path in ["directives/x.md", "tools/x.yaml", "knowledge/x.md", "memory/x.md"] {
        refused("not UTF-8", path, b"a\xffb");
        refused("UTF-16", path, b"\xff\xfea\0");
        refused("a NUL", path, b"a\0b");
        refused("oversized", path, vec![b' '; MAX_ITEM_BYTES + 1]);
    }
}

#[test]
fn marks_and_line_ends_of_other_systems() {
    let texts = [
        ("directives/x.md", directive("<step name='a'><action>b</action></step>")),
        ("directives/x/SKILL.md", "---\nname: x\ndescription: y\n---\nbody\n".to_owned()),
        ("tools/x.yaml", "tool_id: x\ntool_type: primitive\nversion: 1.0.0\n".to_owned()),
        ("knowledge/x.md", "---\nid: x\ntitle: y\n---\nbody\n".to_owned()),
        ("memory/x.md", "---\ntags: [a]\n---\n# T\n".to_owned()),
        ("memory/x.md", "# T\n".to_owned()),
    ];
    for (path, text) in texts {
        for text in [format!("\u{feff}{text}"), text.replace('\n', "\r\n")] {
            let item = parse(path, text.as_bytes()).expect(path);
            let body = item.content_range().map(|body| text[body].to_owned());
            assert!(body.is_none_or(|body| !body.starts_with('\u{feff}')), "{path}");
            assert!(path != "memory/x.md" || item.title(&place(path)) == "T", "{path}");
        }
    }
}

#[test]
fn a_fault_stands_where_it_is_in_the_file() {
    let check = |path, text: &str, expected| {
        let fault = parse(path, text.as_bytes()).expect_err("a fault");
        assert_eq!((fault.line, fault.column), expected, "{text}");
    };
    check("directives/x.md", "a\n\n  <directive name='x' name='y'></directive>", (3, 23));
    check("directives/x.md", "\n<directive>\n  <a></b>\n</directive>", (3, 6));
    check("knowledge/x.md", "---\nid: x\ntitle: é\nid: y\n---\n", (4, 1));
    check("tools/x.yaml", "tool_id: x\n\ntool_type: y\nversion: 1.0.0\n", (3, 1));
    check("memory/x.md", "---\na: 1\nexpires_at: 2026-01-01\n---\n", (3, 1));
    check("lockfiles/x@1.0.0.lock.json", "{\n  \"odd\": 1}", (2, 10));
}
