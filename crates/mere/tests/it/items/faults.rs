//! Items that are not right: each says where, what, and what to do, over MCP and from the keyboard.

use serde_json::Value;

use crate::support::harness::Stage;
use crate::support::samples::{Pair, directive, lockfile, note, person, skill, tool};

/// What is put where, and what is told of it.
struct Wrong<'a> {
    kind: &'a str,
    id: &'a str,
    path: &'a str,
    text: &'a str,
    /// Line and column.
    place: (u64, u64),
    /// What the message says.
    says: &'a [&'a str],
}

/// Loads the wrong item; a healthy one of the user must not be taken for it.
fn check(wrong: &Wrong<'_>) {
    let stage = Stage::new();
    stage.file(&format!("project/.ai/{}", wrong.path), wrong.text);
    let mut pair = Pair::new(&stage);
    let reply = pair.load(wrong.kind, wrong.id);
    let shown = format!("{} {:?} {reply}", wrong.path, wrong.text);
    assert_eq!(reply["code"], "IT-ITEM-I-004", "{shown}");
    let data = &reply["data"];
    assert_eq!(data["address"], format!("ROOT_PROJECT:/.ai/{}", wrong.path), "{shown}");
    let place = (data["line"].as_u64(), data["column"].as_u64());
    assert_eq!(place, (Some(wrong.place.0), Some(wrong.place.1)), "{shown}");
    let message = reply["message"].as_str().expect("a message");
    let place = format!("at line {}, column {}: ", wrong.place.0, wrong.place.1);
    assert!(message.contains(&place), "{shown}");
    for word in wrong.says {
        assert!(message.contains(word), "{word}: {shown}");
    }
    assert!(reply["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{shown}");
    let listed = person(&stage, &["list"]);
    let fault = listed["data"]["items"][0]["fault"].as_str().expect("a fault");
    assert!(fault.starts_with(place.trim_start_matches("at ")), "{fault} {shown}");
}

#[test]
fn a_note_that_is_wrong_says_where() {
    for (text, place, says) in [
        ("no frontmatter\n", (1, 1), &["no frontmatter"][..]),
        ("", (1, 1), &["no frontmatter"]),
        ("---\nid: x\ntitle: T\n", (1, 1), &["not closed"]),
        ("---\nid: y\ntitle: T\n---\n", (2, 1), &["`y` in the file", "`x` by its location"]),
        ("---\nzettel_id: y\ntitle: T\n---\n", (2, 1), &["`y`", "`x`"]),
        ("---\nid: x\nzettel_id: z\ntitle: T\n---\n", (3, 1), &["`z`", "`x`"]),
        ("---\ntitle: T\n---\n", (1, 1), &["`id` is missing"]),
        ("---\nid: x\n---\n", (1, 1), &["`title` is missing"]),
        ("---\nid: x\ntitle: \" \"\n---\n", (3, 1), &["`title` is missing"]),
        (
            "---\nid: x\ntitle: T\ncategory: b\n---\n",
            (4, 1),
            &["`b` in the file", "`a` by its location"],
        ),
        ("---\nid: x\ntitle: T\nversion: 1.0\n---\n", (4, 1), &["`version` is not a string"]),
        ("---\nid: x\ntitle: T\nversion: 2\n---\n", (4, 1), &["`version` is not a string"]),
        ("---\nid: x\ntitle: T\nversion: \"1.0\"\n---\n", (4, 1), &["`version` is not SemVer"]),
        ("---\nid: x\ntitle: T\ntags: {a: b}\n---\n", (4, 1), &["not a list of strings"]),
        ("---\nid: x\ntitle: T\nextends: [true]\n---\n", (4, 1), &["not a list of strings"]),
        ("---\nid: x\ntitle: T\nextends: [1, {}]\n---\n", (4, 1), &["not a list of ids"]),
        ("---\nid: x\ntitle: 5\n---\n", (3, 1), &["not a string"]),
        ("---\nid: x\ntitle: T\ntitle: U\n---\n", (4, 1), &["not one plain YAML mapping"]),
        ("---\nid: x\ntitle: &a T\n---\n", (3, 11), &["not one plain YAML mapping"]),
        ("---\nid: x\ntitle: !t T\n---\n", (3, 8), &["not one plain YAML mapping"]),
        ("---\n- id\n---\n", (2, 1), &["not one plain YAML mapping"]),
    ] {
        let path = "knowledge/a/x.md";
        check(&Wrong { kind: "knowledge", id: "x", path, text, place, says });
    }
}

#[test]
fn a_directive_that_is_wrong_says_where() {
    let good = directive("x");
    let change = |old: &str, new: &str| {
        assert!(good.contains(old), "{old}");
        good.replacen(old, new, 1)
    };
    let meta = "<metadata>";
    for (text, place, says) in [
        (
            change("name=\"x\"", "name=\"y\""),
            (3, 1),
            &["`y` in the file", "`x` by its location"][..],
        ),
        (change("name=\"x\" ", ""), (3, 1), &["`x` by its location"]),
        (change(" version=\"1.2.0\"", ""), (3, 1), &["`version`"]),
        (change("1.2.0", "1.2"), (3, 1), &["not SemVer"]),
        (change(meta, "<metadata><category>b</category>"), (4, 11), &["`b`", "`a`"]),
        (change(meta, "<context/><context/><metadata>"), (4, 11), &["appears twice"]),
        (change("<step name=\"one\">", "<step>"), (6, 10), &["a step has no name"]),
        (change(meta, "<inputs><input/></inputs><metadata>"), (4, 9), &["an input has no name"]),
        (
            change(meta, "<inputs><schema>{</schema></inputs><metadata>"),
            (4, 9),
            &["`<schema>` is not JSON"],
        ),
        (good.replace("metadata>", "about>"), (3, 1), &["`<metadata>` is missing"]),
        (good.clone() + &good, (10, 1), &["second `<directive>`"]),
    ] {
        let path = "directives/a/x.md";
        check(&Wrong { kind: "directive", id: "a/x", path, text: &text, place, says });
    }
}

#[test]
fn markup_that_is_wrong_is_no_directive() {
    let good = directive("x");
    for (old, new) in [
        ("</directive>", ""),
        ("</metadata>", "</meta>"),
        ("<metadata>", "<metadata a=\"1\" a=\"2\">"),
        ("<metadata>", "<metadata>&what;"),
        ("<metadata>", "<metadata>&"),
        ("<directive ", "<!DOCTYPE x [<!ENTITY a \"b\">]>\n<directive "),
        ("<metadata>", "<!DOCTYPE x><metadata>"),
        ("<metadata>", "<metadata a=1>"),
    ] {
        assert!(good.contains(old));
        let stage = Stage::new();
        stage.file("project/.ai/directives/x.md", &good.replacen(old, new, 1));
        let reply = Pair::new(&stage).load("directive", "x");
        // A document type before the element is prose to us.
        let prose = new.contains("ENTITY");
        let code = if prose { "IT-LOAD-S-001" } else { "IT-ITEM-I-004" };
        assert_eq!(reply["code"], code, "{new} {reply}");
        assert!(prose || reply["data"]["line"].as_u64() >= Some(3), "{new} {reply}");
    }
}

#[test]
fn a_skill_that_is_wrong_says_where() {
    for (text, place, says) in [
        (skill("y"), (2, 1), &["`y` in the file", "`x` by its location"][..]),
        (skill("x").replace("name: x\n", ""), (1, 1), &["`x` by its location"]),
        (skill("x").replace("Skilled at x.", ""), (3, 1), &["`description` is missing"]),
        (
            "---\nname: x\ndescription: d\nmetadata: {version: 1.0}\n---\n".into(),
            (4, 1),
            &["not SemVer"],
        ),
        ("# no frontmatter\n".into(), (1, 1), &["no frontmatter"]),
    ] {
        let path = "directives/x/SKILL.md";
        check(&Wrong { kind: "directive", id: "x", path, text: &text, place, says });
    }
}

#[test]
fn a_tool_that_is_wrong_says_where() {
    let good = tool("x");
    for (text, place, says) in [
        (tool("y"), (1, 1), &["`y` in the file", "`x` by its location"][..]),
        (good.replace("tool_id: x\n", ""), (1, 1), &["`tool_id` is missing"]),
        (good.replace("tool_type: script\n", ""), (1, 1), &["`tool_type` is missing"]),
        (good.replace("script", "spell"), (2, 1), &["`tool_type` is not a known type"]),
        (good.replace("executor_id: subprocess\n", ""), (1, 1), &["`executor_id` is missing"]),
        (good.replace("subprocess", "../x"), (3, 1), &["`executor_id` is not a valid id"]),
        (good.replace("\"1.0.0\"", "1.0"), (4, 1), &["not a string"]),
        (good.replace("\"1.0.0\"", "one"), (4, 1), &["`version` is not SemVer"]),
        (good.replace("version: \"1.0.0\"\n", ""), (1, 1), &["`version` is missing"]),
        (good.clone() + "category: c\n", (7, 1), &["`c` in the file", "`a` by its location"]),
        (good.clone() + "tool_id: x\n", (7, 1), &["not one plain YAML mapping"]),
        (good.clone() + "a: &b {}\n", (7, 7), &["not one plain YAML mapping"]),
        (good.clone() + "a: {<<: {}}\n", (7, 5), &["not one plain YAML mapping"]),
        ("[]\n".into(), (1, 1), &["not one plain YAML mapping"]),
    ] {
        for path in ["tools/a/x.yaml", "tools/a/x/manifest.yaml"] {
            check(&Wrong { kind: "tool", id: "x", path, text: &text, place, says });
        }
    }
}

#[test]
fn a_lockfile_that_was_moved_or_changed_says_so() {
    let good = lockfile("x", "1.0.0", "a");
    for (path, text, says) in [
        (
            "lockfiles/b/x@1.0.0.lock.json",
            good.clone(),
            &["`a` in the file", "`b` by its location"][..],
        ),
        (
            "lockfiles/a/y@1.0.0.lock.json",
            good.clone(),
            &["`x` in the file", "`y` by its location"],
        ),
        ("lockfiles/a/x@2.0.0.lock.json", good.clone(), &["`1.0.0`", "`2.0.0`"]),
        (
            "lockfiles/a/x@1.0.0.lock.json",
            good.replace("project", "user"),
            &["`user`", "`project`"],
        ),
        (
            "lockfiles/a/x@1.0.0.lock.json",
            good.replace("lockfile_version", "v"),
            &["`v` is not known"],
        ),
        ("lockfiles/a/x@1.0.0.lock.json", good.replace("6f2d7c1e", ""), &["is not a UUID"]),
        ("lockfiles/a/x@1.0.0.lock.json", good.replacen('{', "{\"root\": 1,", 1), &["strict JSON"]),
        ("lockfiles/a/x@1.0.0.lock.json", "[]".into(), &["not an object"]),
    ] {
        let stage = Stage::new();
        stage.file(&format!("project/.ai/{path}"), &text);
        let name = path.rsplit('/').next().expect("a name");
        let id = name.trim_end_matches(".lock.json");
        let reply = Pair::new(&stage).load("lockfile", id);
        assert_eq!(reply["code"], "IT-ITEM-I-004", "{path} {reply}");
        let message = reply["message"].as_str().expect("a message");
        assert!(says.iter().all(|word| message.contains(word)), "{says:?} {message}");
        assert!(reply["data"]["line"].as_u64() >= Some(1), "{reply}");
    }
}

#[test]
fn a_memory_may_be_plain_but_what_it_states_is_right() {
    for (text, place) in [
        ("---\ntags: 5\n---\n", Some((2, 1))),
        ("---\ncreated_at: yesterday\n---\n", Some((2, 1))),
        ("---\na: 1\nexpires_at: 2026-01-24\n---\n", Some((3, 1))),
        ("---\nnot closed\n", Some((1, 1))),
        ("---\nexpires_at: 2126-01-24T09:30:00Z\n---\n", None),
        ("", None),
        ("--- \n---\n", None),
    ] {
        let stage = Stage::new();
        stage.file("project/.ai/memory/m.md", text);
        let reply = Pair::new(&stage).load("memory", "m");
        let data = &reply["data"];
        match place {
            None => assert_eq!(reply["code"], "IT-LOAD-S-001", "{text:?} {reply}"),
            Some((line, column)) => {
                assert_eq!(reply["code"], "IT-ITEM-I-004", "{text:?} {reply}");
                assert_eq!(
                    (&data["line"], &data["column"]),
                    (&Value::from(line), &Value::from(column)),
                    "{text:?}"
                );
            }
        }
    }
}

#[test]
fn what_editors_leave_in_a_file_is_no_fault() {
    let stage = Stage::new();
    let marked = format!("\u{feff}{}", note("a", "Body"));
    stage.file("project/.ai/knowledge/a.md", &marked);
    stage.file("project/.ai/knowledge/b.md", &note("b", "Body").replace('\n', "\r\n"));
    stage.file("project/.ai/directives/c.md", &directive("c").replace('\n', "\r\n"));
    let mut pair = Pair::new(&stage);
    for (kind, id, text) in [
        ("knowledge", "a", marked),
        ("knowledge", "b", note("b", "Body").replace('\n', "\r\n")),
        ("directive", "c", directive("c").replace('\n', "\r\n")),
    ] {
        let reply = pair.load(kind, id);
        assert_eq!(reply["data"]["content"], text, "{reply}");
    }
}

#[test]
fn a_fault_names_the_command_that_opens_the_file() {
    let stage = Stage::new();
    let step = |id: &str, parts: &str| {
        format!("<directive name=\"{id}\" version=\"1.0.0\"><metadata/>{parts}</directive>\n")
    };
    for (path, text, what, says) in [
        (
            "directives/a/unnamed",
            step("unnamed", "<process><step/></process>"),
            "directive",
            "Add `name`",
        ),
        (
            "directives/a/cased",
            step("cased", "<inputs><input name='x' required='True'/></inputs><process/>"),
            "directive",
            "required=\"true\"",
        ),
        (
            "directives/a/short",
            "<directive name='short' version='1.0'><metadata/><process/></directive>".to_owned(),
            "directive",
            "1.0.0",
        ),
        (
            "directives/a/prefix",
            step("prefix", "<process><p:step name='x'/></process>"),
            "directive",
            "xmlns:prefix",
        ),
        (
            "knowledge/a/tagged",
            "---\nid: tagged\ntitle: T\ntags: [2026]\n---\n".to_owned(),
            "knowledge",
            "[a, b]",
        ),
    ] {
        stage.file(&format!("project/.ai/{path}.md"), &text);
        let (_, name) = path.split_once('/').expect("a name");
        let call = serde_json::json!({ "item_type": what, "item_id": name });
        let reply = stage.call_text("load", &call.to_string()).reply;
        let hint = reply["hint"].as_str().unwrap_or_default();
        assert!(hint.contains(says), "{reply:#}");
        assert!(
            hint.ends_with(&format!("`mere edit {what} {name}` opens it for a person.")),
            "{hint}"
        );
        assert!(!hint.contains("Close every element"), "{hint}");
    }
}

#[test]
fn a_category_that_the_location_does_not_have_is_said_to_be_none() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/n.md", "---\nid: n\ntitle: T\ncategory: core\n---\n");
    let call = serde_json::json!({ "item_type": "knowledge", "item_id": "n" });
    let reply = stage.call_text("load", &call.to_string()).reply;
    let message = reply["message"].as_str().unwrap_or_default();
    assert!(message.contains("`core` in the file, but it has none by its location"), "{message}");
}
