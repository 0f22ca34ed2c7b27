//! Memories, lockfiles, schemas of directives, and files restated where it is not plain.

use mere_core::address::RelPath;
use mere_core::item::{Item, ItemFault, Scope, ScopedPath, rewrite_location};
use serde_json::{Value, json};

fn place(path: &str) -> ScopedPath {
    let path = path.parse::<RelPath>().expect("a path");
    ScopedPath::from_space_path(Scope::Project, &path).expect("an item")
}

/// What a fault says, as one text.
fn words(fault: &ItemFault) -> String {
    format!("{:?}", fault.what)
}

fn faulty(path: &str, text: &str, says: &str) {
    let fault = Item::parse(text, &place(path)).expect_err(says);
    assert!(words(&fault).contains(says), "{fault:?}\n{text}");
}

#[test]
fn a_memory_may_be_a_plain_note() {
    let at = place("memory/team/standup.md");
    for (text, title) in [("", "standup"), ("just words\n", "standup"), ("a\n\n# Daily\n", "Daily")]
    {
        let item = Item::parse(text, &at).expect("a memory");
        assert_eq!((item.title(&at), item.metadata()), (title, json!({})));
        assert_eq!(item.content_range(), Some(0..text.len()));
    }
    let text = "---\nexpires_at: 2026-01-24T09:30:00+01:00\nsource: me\ncitations: [a, b]\n---\nx";
    let Ok(Item::Memory(memory)) = Item::parse(text, &at) else { panic!("a memory") };
    let expires = memory.expires_at.map(|time| time.to_string());
    assert_eq!(expires.as_deref(), Some("2026-01-24T08:30:00Z"));
    assert_eq!((memory.source.as_deref(), memory.citations.len()), (Some("me"), 2));
}

#[test]
fn a_memory_that_is_wrong_is_no_note() {
    for (front, says) in [
        ("created_at: yesterday", "RFC 3339"),
        ("created_at: 2026-02-30T00:00:00Z", "RFC 3339"),
        ("updated_at: 2026-01-24 09:30:00Z", "RFC 3339"),
        ("expires_at: 1700000000", "not a string"),
        ("tags: {a: b}", "list of strings"),
        ("source: [a]", "not a string"),
    ] {
        faulty("memory/x.md", &format!("---\n{front}\n---\n"), says);
    }
    faulty("memory/x.md", "---\ntags: [a]\n", "not closed");
    faulty("memory/x.md", "---\ntags: [a\n---\n", "not one plain YAML mapping");
}

fn lockfile() -> Value {
    let hash = "ab".repeat(32);
    json!({
        "lockfile_version": 1,
        "root": { "tool_id": "jwt", "version": "1.2.0", "integrity": hash },
        "resolved_chain": [{
            "tool_id": "jwt", "version": "1.2.0", "scope": "project", "category": "api",
            "integrity": hash, "executor": "python_runtime"
        }],
        "registry": null,
        "metadata": {
            "tool_id": "jwt", "version": "1.2.0", "category": "api", "scope": "project",
            "space_id": "0190a6c4-3b5e-7cc3-98c4-dc0c0c07398f"
        }
    })
}

#[test]
fn a_lockfile_has_a_closed_schema() {
    let path = "lockfiles/api/jwt@1.2.0.lock.json";
    let text = lockfile().to_string();
    let item = Item::parse(&text, &place(path)).expect("a lockfile");
    assert_eq!(item.metadata(), lockfile());
    for (pointer, value, says) in [
        ("/lockfile_version", json!(2), "`lockfile_version` is not 1"),
        ("/lockfile_version", json!(1.0), "`lockfile_version` is not 1"),
        ("/root/tool_id", json!("other"), "the tool is"),
        ("/root/version", json!("1.2.1"), "the version is"),
        ("/root/integrity", json!("AB".repeat(32)), "`integrity` is not 64"),
        ("/resolved_chain", json!({}), "`resolved_chain` is not a list"),
        ("/resolved_chain/0", json!(1), "not an object"),
        ("/resolved_chain/0/integrity", json!("sha256:ab"), "`integrity` is not 64"),
        ("/resolved_chain/0/scope", json!("team"), "`scope` is not"),
        ("/resolved_chain/0/executor", json!("../x"), "`executor` is not a valid id"),
        ("/registry", json!({ "id": "r" }), "`url` is missing"),
        ("/registry", json!({ "id": "r", "url": "u", "extra": 1 }), "extra"),
        ("/metadata/tool_id", json!("other"), "the tool is"),
        ("/metadata/version", json!("1.2.1"), "the version is"),
        ("/metadata/category", json!("api/auth"), "the category is"),
        ("/metadata/scope", json!("user"), "the scope is"),
        ("/metadata/space_id", json!("me"), "`space_id` is not a UUID"),
        ("/metadata", json!(null), "not an object"),
    ] {
        let mut changed = lockfile();
        *changed.pointer_mut(pointer).expect(pointer) = value;
        faulty(path, &changed.to_string(), says);
    }
    for (pointer, field) in [("", "odd"), ("/root", "odd"), ("/resolved_chain/0", "odd")] {
        let mut changed = lockfile();
        changed.pointer_mut(pointer).expect(pointer)[field] = json!(1);
        faulty(path, &changed.to_string(), field);
    }
    for field in ["lockfile_version", "root", "resolved_chain", "registry", "metadata"] {
        let mut changed = lockfile();
        changed.as_object_mut().expect("an object").remove(field);
        faulty(path, &changed.to_string(), "is missing");
    }
}

#[test]
fn a_lockfile_elsewhere_is_caught() {
    let text = lockfile().to_string();
    for path in ["lockfiles/jwt@1.2.0.lock.json", "lockfiles/api/jwt@1.2.1.lock.json"] {
        assert!(Item::parse(&text, &place(path)).is_err(), "{path}");
    }
    let at = place("lockfiles/api/jwt@1.2.0.lock.json");
    assert!(Item::parse(&text, &ScopedPath { scope: Scope::User, ..at.clone() }).is_err());
    let other_version = place("lockfiles/api/jwt@1.2.1.lock.json");
    assert!(rewrite_location(&text, &at, &other_version).is_err(), "a version is not restated");
}

#[test]
fn inputs_may_share_one_schema() {
    let at = place("directives/x.md");
    let text = |schema: &str| {
        format!(
            "<directive name='x' version='1.0.0'><metadata/><inputs><schema>{schema}</schema>\
             <input name='a'><schema>{{\"type\": \"string\"}}</schema></input></inputs><process/>\
             </directive>"
        )
    };
    let parsed = Item::parse(&text("<![CDATA[{\"required\": [\"a\"]}]]>"), &at);
    let Ok(Item::Directive(directive)) = parsed else { panic!("a directive") };
    assert_eq!(directive.input_schema, Some(json!({ "required": ["a"] })));
    assert_eq!(directive.inputs[0].schema, Some(json!({ "type": "string" })));
    faulty("directives/x.md", &text("{"), "`<schema>` is not JSON");
}

#[test]
fn a_value_that_readers_disagree_on_is_to_be_quoted() {
    let note = |line: &str| format!("---\nid: x\ntitle: X\n{line}\n---\nbody\n");
    let tool = |line: &str| format!("tool_id: x\ntool_type: primitive\nversion: 1.0.0\n{line}\n");
    for (line, column) in [
        ("at: 12:30", 5),
        ("mode: 0755", 7),
        ("draft: no", 8),
        ("size: [1, 1e3]", 11),
        ("big: 18446744073709551616", 6),
        ("on: push", 1),
    ] {
        for (path, text) in [("knowledge/x.md", note(line)), ("tools/x.yaml", tool(line))] {
            let fault = Item::parse(&text, &place(path)).expect_err(line);
            assert_eq!((fault.line, fault.column), (4, column), "{line}");
            assert!(format!("{:?}", fault.fix).contains("quotes"), "{fault:?}");
        }
    }
    for line in ["at: '12:30'", "\"on\": push", "day: 2026-01-24", "mode: 493", "draft: false"] {
        assert!(Item::parse(&note(line), &place("knowledge/x.md")).is_ok(), "{line}");
        assert!(Item::parse(&tool(line), &place("tools/x.yaml")).is_ok(), "{line}");
    }
    faulty("knowledge/x.md", &note("a: !!str 1"), "not one plain YAML mapping");
    faulty("tools/x.yaml", &tool("<<: {a: 1}"), "not one plain YAML mapping");
}

fn restated(from: &str, to: &str, text: &str, expected: &str) {
    let found = rewrite_location(text, &place(from), &place(to)).expect("valid there");
    assert_eq!(found, expected);
}

#[test]
fn what_looks_like_no_text_is_quoted() {
    let (from, tool) = ("tools/api/a.yaml", "tool_type: primitive\nversion: 1.0.0\n");
    let text = format!("tool_id: a # a\ncategory: api\n{tool}");
    for (to, id, category) in [
        ("tools/b.yaml", "b", "\"\""),
        ("tools/1e3/0x1f.yaml", "\"0x1f\"", "\"1e3\""),
        ("tools/true/null/manifest.yaml", "\"null\"", "\"true\""),
        ("tools/api/20260124.yaml", "\"20260124\"", "api"),
    ] {
        restated(from, to, &text, &format!("tool_id: {id} # a\ncategory: {category}\n{tool}"));
    }
    let unstated = format!("tool_id: 'a'\n{tool}");
    restated(from, "tools/x/y/b.yaml", &unstated, &format!("tool_id: 'b'\n{tool}"));
    let flow = "{tool_id: a, tool_type: primitive, version: 1.0.0, category: \"api\"}";
    let other = "{tool_id: b, tool_type: primitive, version: 1.0.0, category: \"x/y\"}";
    restated(from, "tools/x/y/b.yaml", flow, other);
}

#[test]
fn a_directive_is_restated_wherever_it_is_stated() {
    let text = |attribute: &str, category: &str| {
        format!(
            "a\n<directive {attribute} version='1.0.0'><metadata>{category}</metadata><process/></directive>\n"
        )
    };
    let wide = " ".repeat(400);
    for (name, renamed) in [
        ("name='a'", "name='b'"),
        ("name='&#97;'", "name='b'"),
        (&*format!("name{wide}={wide}\"a\""), &*format!("name{wide}={wide}\"b\"")),
    ] {
        let (from, to) = ("directives/a.md", "directives/x/b.md");
        restated(from, to, &text(name, ""), &text(renamed, ""));
        let stated = text(renamed, "<category>x</category>");
        restated(from, to, &text(name, "<category/>"), &stated);
        restated(to, "directives/b.md", &stated, &text(renamed, "<category></category>"));
    }
}

#[test]
fn an_item_stays_of_its_kind() {
    let text = "---\nid: a\ntitle: b\n---\n";
    let from = place("knowledge/a.md");
    assert!(rewrite_location(text, &from, &place("memory/a.md")).is_err());
    assert!(
        rewrite_location("no frontmatter", &from, &from).is_err(),
        "it is not valid where it is"
    );
    let skill = "---\nname: a\ndescription: b\n---\n<directive name='a' version='1.0.0'/>";
    let to = place("directives/a.md");
    assert!(rewrite_location(skill, &place("directives/a/SKILL.md"), &to).is_err());
}
