//! `execute` with `run`: inputs are checked before a directive's steps are told, a note's
//! frontmatter before its text, and nothing else runs.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::samples::{Pair, directive, directive_with, lockfile, note, skill, tool};

const INPUTS: &str = r#"<inputs>
<input name="topic" type="string" required="true">What to find out.</input>
<input name="count" type="integer">How many.</input>
<input name="depth" type="string">How far.<schema>{"enum": ["shallow", "deep"]}</schema></input>
</inputs>
<outputs><output name="report">A report.</output></outputs>
<context>Be brief.</context>
<permissions><read resource="filesystem" path="src/**"/></permissions>"#;

/// The problems of wrong inputs, each with its place.
fn problems(reply: &Value) -> Vec<(&str, &str)> {
    let problems = reply["data"]["problems"].as_array().unwrap_or_else(|| panic!("{reply}"));
    problems
        .iter()
        .map(|one| (one["at"].as_str().expect("a place"), one["what"].as_str().expect("words")))
        .collect()
}

#[test]
fn a_directive_is_told_step_by_step_when_its_inputs_fit() {
    let stage = Stage::new();
    stage.file("project/.ai/directives/study/find.md", &directive_with("find", INPUTS));
    let reply = Pair::new(&stage).run("directive", "find", &json!({ "topic": "owls", "count": 3 }));
    assert_eq!(reply["code"], "IT-RUN-S-001", "{reply}");
    let data = &reply["data"];
    for (key, expected) in [
        ("status", json!("ready")),
        ("name", json!("find")),
        ("version", json!("1.2.0")),
        ("description", json!("Does find.")),
        ("address", json!("ROOT_PROJECT:/.ai/directives/study/find.md")),
        ("inputs_validated", json!(true)),
        ("validation_warnings", json!([])),
        ("context", json!("Be brief.")),
        ("outputs", json!({ "output": { "name": "report", "_text": "A report." } })),
        ("permissions", json!({ "read": { "resource": "filesystem", "path": "src/**" } })),
        ("process", json!([{ "name": "one", "description": "First.", "action": "Act." }])),
    ] {
        assert_eq!(data[key], expected, "{key}");
    }
    let inputs = data["inputs"].as_array().expect("inputs");
    assert_eq!(
        inputs[0],
        json!({
            "name": "topic", "type": "string", "required": true,
            "description": "What to find out.", "value": "owls"
        })
    );
    assert_eq!((&inputs[1]["value"], &inputs[2]["value"]), (&json!(3), &Value::Null));
    assert_eq!(data["input_schema"]["required"], json!(["topic"]));
    assert_eq!(data["integrity"].as_str().map(str::len), Some(64));
    assert!(data["instructions"].as_str().is_some_and(|how| how.contains("process")));
}

#[test]
fn wrong_inputs_are_told_every_problem_the_schema_and_an_example() {
    let stage = Stage::new();
    stage.file("project/.ai/directives/find.md", &directive_with("find", INPUTS));
    let mut pair = Pair::new(&stage);
    let mut check = |parameters: Value, places: &[&str]| {
        let reply = pair.run("directive", "find", &parameters);
        assert_eq!(reply["code"], "IT-RUN-I-002", "{parameters} {reply}");
        let mut found = problems(&reply).iter().map(|(at, _)| *at).collect::<Vec<_>>();
        found.sort_unstable();
        assert_eq!(found, places, "{parameters} {reply}");
        let message = reply["message"].as_str().expect("a message");
        let words = if places.len() == 1 { "1 problem:" } else { "problems:" };
        assert!(message.starts_with("The inputs have ") && message.contains(words), "{message}");
        assert_eq!(reply["data"]["address"], "ROOT_PROJECT:/.ai/directives/find.md");
        assert_eq!(reply["data"]["input_schema"]["properties"]["count"]["type"], "integer");
        let example = reply["data"]["example"].clone();
        assert!(reply["data"].get("process").is_none(), "{reply}");
        // What is shown as an example fits.
        let again = pair.run("directive", "find", &example);
        assert_eq!(again["code"], "IT-RUN-S-001", "{example} {again}");
    };
    check(json!({}), &[""]);
    check(json!({ "topic": 5 }), &["/topic"]);
    check(json!({ "topic": "a", "count": "3" }), &["/count"]);
    check(json!({ "topic": "a", "count": 3.5 }), &["/count"]);
    check(json!({ "topic": "a", "depth": "abyssal" }), &["/depth"]);
    check(json!({ "topic": null, "count": [], "depth": 1 }), &["/count", "/depth", "/topic"]);
    check(json!({ "count": true }), &["", "/count"]);
    check(json!({ "topic": "a", "Topic": "b" }), &[""]);
    check(json!({ "topic": "a", "x": 1, "/etc/passwd": 2 }), &[""]);
}

#[test]
fn an_unknown_parameter_is_named() {
    let stage = Stage::new();
    stage.file("project/.ai/directives/plain.md", &directive("plain"));
    let mut pair = Pair::new(&stage);
    assert_eq!(pair.run("directive", "plain", &json!({}))["code"], "IT-RUN-S-001");
    let reply = pair.run("directive", "plain", &json!({ "tpoic": 1 }));
    assert_eq!(reply["code"], "IT-RUN-I-002", "{reply}");
    assert!(problems(&reply)[0].1.contains("tpoic"), "{reply}");
    for parameters in [json!([]), json!("x"), json!(5)] {
        let arguments =
            json!({ "item_type": "directive", "item_id": "plain", "parameters": parameters });
        assert_eq!(pair.ask("execute", &arguments)["code"], "MCP-ARG-I-001", "{parameters}");
    }
}

#[test]
fn a_schema_for_all_inputs_is_the_authors_own() {
    let stage = Stage::new();
    let schema = r##"{"type": "object", "required": ["a"], "properties": {"a": {"type": "array",
        "minItems": 2, "items": {"$ref": "#/$defs/name"}}}, "minProperties": 2,
        "$defs": {"name": {"type": "string", "pattern": "^[a-z]+$"}}}"##;
    let parts = format!(
        "<inputs><schema><![CDATA[{schema}]]></schema><input name=\"b\" type=\"bool\" \
         required=\"true\">Yes?</input></inputs>"
    );
    stage.file("project/.ai/directives/all.md", &directive_with("all", &parts));
    let mut pair = Pair::new(&stage);
    for (parameters, count) in [
        (json!({ "a": ["x", "y"], "b": true }), 0),
        (json!({ "a": ["x", "y"], "b": true, "more": 1 }), 0),
        (json!({ "a": ["x", "y"] }), 2),
        (json!({ "a": ["x"], "b": true }), 1),
        (json!({ "a": ["x", "Y"], "b": "true" }), 2),
    ] {
        let reply = pair.run("directive", "all", &parameters);
        if count == 0 {
            assert_eq!(reply["data"]["inputs_validated"], true, "{reply}");
        } else {
            assert_eq!(problems(&reply).len(), count, "{parameters} {reply}");
        }
    }
}

#[test]
fn a_schema_that_cannot_be_used_runs_nothing() {
    for schema in [
        r#"{"type": "sting"}"#,
        r#"{"$ref": "https://example.com/schema.json"}"#,
        r#"{"$ref": "file:///etc/passwd"}"#,
        r##"{"$ref": "#/$defs/missing"}"##,
        r#"{"pattern": "("}"#,
    ] {
        let stage = Stage::new();
        let parts = format!("<inputs><input name=\"a\"><schema>{schema}</schema></input></inputs>");
        stage.file("project/.ai/directives/d.md", &directive_with("d", &parts));
        let reply = Pair::new(&stage).run("directive", "d", &json!({ "a": "x" }));
        assert_eq!(reply["code"], "IT-RUN-I-003", "{schema} {reply}");
        assert!(reply["data"].get("process").is_none(), "{reply}");
        assert!(!reply.to_string().contains("root:"), "{reply}");
    }
}

#[test]
fn a_skill_is_followed_as_it_reads() {
    let stage = Stage::new();
    stage.file("project/.ai/directives/team/s/SKILL.md", &skill("s"));
    stage.file("project/.ai/directives/team/s/scripts/go.sh", "true\n");
    let mut pair = Pair::new(&stage);
    let reply = pair.run("directive", "team/s", &json!({}));
    assert_eq!(reply["code"], "IT-RUN-S-001", "{reply}");
    let data = &reply["data"];
    assert_eq!((&data["status"], &data["version"]), (&"ready".into(), &"0.0.0".into()));
    assert_eq!(data["content"], "# s\n\nFollow me.\n");
    assert_eq!((&data["inputs"], &data["process"]), (&json!([]), &json!([])));
    assert_eq!(data["files"][1]["path"], "scripts/go.sh");
    assert_eq!(data["inputs_validated"], true);
    assert_eq!(pair.run("directive", "s", &json!({ "x": 1 }))["code"], "IT-RUN-I-002");
}

#[test]
fn a_note_is_read_when_its_frontmatter_fits_its_own_schema() {
    let stage = Stage::new();
    let entry = |owner: &str| {
        format!(
            "---\nid: n\ntitle: N\n{owner}frontmatter_schema:\n  required: [owner]\n  properties:\n    \
             owner: {{type: string, pattern: \"^@\"}}\n---\nText.\n"
        )
    };
    stage.file("project/.ai/knowledge/n.md", &entry("owner: \"@me\"\n"));
    let mut pair = Pair::new(&stage);
    let reply = pair.run("knowledge", "n", &json!({}));
    assert_eq!(reply["code"], "IT-RUN-S-002", "{reply}");
    let data = &reply["data"];
    assert_eq!((&data["content"], &data["title"]), (&"Text.\n".into(), &"N".into()));
    assert_eq!(data["frontmatter_validated"], true);
    assert_eq!(data["metadata"]["owner"], "@me");
    assert_eq!(data["validation_warnings"], json!([]));
    for (owner, at) in [("", ""), ("owner: me\n", "/owner"), ("owner: 5\n", "/owner")] {
        stage.file("project/.ai/knowledge/n.md", &entry(owner));
        let reply = pair.run("knowledge", "n", &json!({}));
        assert_eq!(reply["code"], "IT-RUN-I-004", "{owner} {reply}");
        assert_eq!(problems(&reply)[0].0, at, "{reply}");
        assert!(reply["data"].get("content").is_none());
    }
    stage.file("project/.ai/knowledge/n.md", &entry("").replace("[owner]", "owner"));
    assert_eq!(pair.run("knowledge", "n", &json!({}))["code"], "IT-RUN-I-003");
    assert_eq!(pair.run("knowledge", "n", &json!({ "x": 1 }))["reply_type"], "I");
}

#[test]
fn a_relation_to_nothing_is_a_warning() {
    let stage = Stage::new();
    let text = "---\nid: n\ntitle: N\nentry_type: riddle\nextends: base\n\
                references: [there, api/deep, nowhere, \"../x\", n]\n---\n";
    stage.file("project/.ai/knowledge/n.md", text);
    stage.file("home/.ai/knowledge/there.md", &note("there", ""));
    stage.file("project/.ai/knowledge/api/deep.md", &note("deep", ""));
    // One that means several is there.
    stage.file("project/.ai/knowledge/a/base.md", &note("base", ""));
    stage.file("project/.ai/knowledge/b/base.md", &note("base", ""));
    let expected = json!([
        "`entry_type` is none of pattern, learning, reference, concept, api_fact, experiment, template, workflow, decision, insight, procedure",
        "`references` names `nowhere`, which does not exist",
        "`references` names `../x`, which is not a valid id"
    ]);
    let mut pair = Pair::new(&stage);
    for reply in [pair.run("knowledge", "n", &json!({})), pair.load("knowledge", "n")] {
        assert_eq!(reply["data"]["validation_warnings"], expected, "{reply}");
    }
}

#[test]
fn nothing_else_is_run() {
    let stage = Stage::new();
    stage.file("project/.ai/tools/t.yaml", &tool("t"));
    stage.file("project/.ai/memory/m.md", "a thought\n");
    stage.file("project/.ai/lockfiles/t@1.0.0.lock.json", &lockfile("t", "1.0.0", ""));
    let mut pair = Pair::new(&stage);
    for (kind, id) in [("memory", "m"), ("lockfile", "t")] {
        let reply = pair.run(kind, id, &json!({}));
        assert_eq!(reply["code"], "IT-RUN-I-001", "{reply}");
        assert_eq!(reply["message"], format!("Items of the type {kind} cannot be run."));
    }
    for kind in ["directive", "tool"] {
        assert_eq!(pair.run(kind, "missing", &json!({}))["code"], "IT-ITEM-I-001");
    }
    assert_eq!(pair.run("tool", "t", &json!({}))["code"], "EN-RUN-D-001");
}
