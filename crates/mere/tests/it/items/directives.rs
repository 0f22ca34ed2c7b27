//! Directives, notes and tools as their authors have them: a run tells everything a directive says,
//! and `load` says what the next call needs.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::samples::{Pair, directive, note, person, token};

const WILD: &str = r#"<!-- kiwi-mcp:validated:2026-01-24T09:30:00Z:0123456789ab -->
# Wild

```xml
<directive name="wild" version="1.0.0" stage="beta">
  <metadata>
    <description>Does wild things.</description>
    <model_class tier="fast"/>
    <permissions><read resource="filesystem" path="docs/**"/></permissions>
  </metadata>
  <permissions><execute resource="tool" action="web_search"/><spawn resource="thread"/></permissions>
  <inputs order="any">
    Ask for what is missing.
    <input name="topic" type="string" required="true" example="owls">What. <hint>short</hint></input>
    <schema>
      input_schema:
        type: object
        properties:
          depth: {type: integer, description: How far., default: 2}
        required: [depth]
    </schema>
  </inputs>
  <process mode="strict">
    Read everything first.
    <phase name="find" goal="three sources">
      <step name="search" id="1">Find three sources</step>
      <step name="compare" parallel="true">
        <description>Weigh them.</description>
        <tool_call name="rank"><param name="by">age</param></tool_call>
        <action><![CDATA[rank(a < b)]]></action>
      </step>
    </phase>
    <command>ls -l</command>
    <step name="report"><description>Say it.</description><action>Write.</action></step>
  </process>
  <outputs><success id="a">Good <b>news</b></success><failure>Bad</failure></outputs>
  <context note="n">Be <em>brief</em>.</context>
  <success_criteria>All of it.</success_criteria>
</directive>
```
"#;

#[test]
fn a_run_tells_everything_that_a_directive_says() {
    let stage = Stage::new();
    stage.file("project/.ai/directives/wild.md", WILD);
    let parameters = json!({ "topic": "owls", "depth": 3 });
    let reply = Pair::new(&stage).run("directive", "wild", &parameters);
    assert_eq!(reply["code"], "IT-RUN-S-001", "{reply}");
    let data = &reply["data"];
    let strict = json!({ "tag": "process", "attributes": { "mode": "strict" } });
    let find = json!({
        "tag": "phase", "name": "find", "attributes": { "goal": "three sources" }, "group": strict
    });
    let text = |text: &str| json!([{ "text": text }]);
    let process = json!([
        { "name": "", "description": "", "action": "Read everything first.", "group": strict },
        { "name": "search", "description": "", "action": "Find three sources",
          "attributes": { "id": "1" }, "group": find },
        { "name": "compare", "description": "Weigh them.", "action": "rank(a < b)",
          "attributes": { "parallel": "true" },
          "parts": [
            { "tag": "description", "parts": text("Weigh them.") },
            { "tag": "tool_call", "attributes": { "name": "rank" }, "parts": [
                { "tag": "param", "attributes": { "name": "by" }, "parts": text("age") }] },
            { "tag": "action", "parts": text("rank(a < b)") }],
          "group": find },
        { "name": "", "description": "", "action": "",
          "parts": [{ "tag": "command", "parts": text("ls -l") }], "group": strict },
        { "name": "report", "description": "Say it.", "action": "Write.", "group": strict }
    ]);
    let inputs = json!([
        { "name": "topic", "type": "string", "required": true, "description": "What.",
          "attributes": { "example": "owls" },
          "parts": [{ "text": "What." }, { "tag": "hint", "parts": text("short") }],
          "value": "owls" },
        { "name": "depth", "type": "integer", "required": true, "description": "How far.",
          "value": 3 }
    ]);
    for (key, expected) in [
        ("process", process),
        ("inputs", inputs),
        (
            "input_notes",
            json!([{ "tag": "inputs", "attributes": { "order": "any" } },
                   { "text": "Ask for what is missing." }]),
        ),
        (
            "outputs",
            json!({ "success": { "attributes": { "id": "a" }, "parts": [
                        { "text": "Good" }, { "tag": "b", "parts": text("news") }] },
                    "failure": "Bad" }),
        ),
        (
            "context",
            json!({ "attributes": { "note": "n" }, "parts": [
                { "text": "Be" }, { "tag": "em", "parts": text("brief") }, { "text": "." }] }),
        ),
        ("model", json!({ "tier": "fast" })),
        (
            "permissions",
            json!([{ "execute": { "resource": "tool", "action": "web_search" },
                     "spawn": { "resource": "thread" } },
                   { "read": { "resource": "filesystem", "path": "docs/**" } }]),
        ),
        (
            "other",
            json!([{ "tag": "directive", "attributes": { "stage": "beta" } },
                   { "tag": "success_criteria", "parts": text("All of it.") }]),
        ),
        (
            "validation_warnings",
            json!([
                "`<success_criteria>` is not a known element of a directive",
                "`<spawn>` is not `<read>`, `<write>` or `<execute>`",
                "an old in-file signature, read as unsigned"
            ]),
        ),
    ] {
        assert_eq!(data[key], expected, "{key}");
    }
    assert_eq!(data["input_schema"]["required"], json!(["depth", "topic"]));
}

#[test]
fn load_says_what_the_next_call_takes() {
    let stage = Stage::new();
    stage.file("project/.ai/directives/wild.md", WILD);
    stage.file("project/.ai/directives/plain.md", &directive("plain"));
    let manifest = "tool_id: t\ntool_type: script\nexecutor_id: python_runtime\nversion: 1.0.0\n";
    let schema = json!({ "type": "object", "required": ["n"] });
    stage.file("project/.ai/tools/t.yaml", &format!("{manifest}input_schema: {schema}\n"));
    let listed = "parameters: [{name: n, type: integer, required: true}]\n";
    stage
        .file("project/.ai/tools/u.yaml", &format!("{manifest}{listed}").replace(": t\n", ": u\n"));
    let mut pair = Pair::new(&stage);
    let loaded = pair.load("directive", "wild");
    let ran = pair.run("directive", "wild", &json!({ "topic": "owls", "depth": 3 }));
    let mut inputs = ran["data"]["inputs"].clone();
    for input in inputs.as_array_mut().expect("inputs") {
        input.as_object_mut().expect("an input").remove("value");
    }
    assert_eq!(loaded["data"]["inputs"], inputs);
    assert_eq!(pair.load("directive", "plain")["data"]["inputs"], json!([]));
    assert_eq!(pair.load("tool", "t")["data"]["input_schema"], schema);
    let made = pair.load("tool", "u")["data"]["input_schema"].clone();
    assert_eq!(
        (&made["required"], &made["properties"]["n"]["type"]),
        (&json!(["n"]), &json!("integer"))
    );
}

#[test]
fn secrets_are_masked_wherever_they_stand_in_a_directive() {
    let stage = Stage::new();
    let key = token('9');
    let text = format!(
        "<directive name=\"d\" version=\"1.0.0\" k=\"{key}\"><metadata/><{key}/>\
         <permissions n=\"{key}\">{key}<{key}/></permissions>\
         <inputs k=\"{key}\">{key}<input name=\"{key}\" type=\"{key}\" k=\"{key}\">{key}<b k=\"{key}\">{key}\
         </b></input><schema k=\"{key}\">properties: {{\"{key}\": {{description: {key}}}}}</schema></inputs>\
         <process k=\"{key}\">{key}<phase name=\"{key}\" k=\"{key}\"><wave {key}=\"{key}\"><step name=\"{key}\" \
         k=\"{key}\">{key}<{key} k=\"{key}\"/><action>{key}</action></step></wave></phase></process>\
         <outputs k=\"{key}\"><o>{key}</o></outputs><context>{key}<b/>{key}</context></directive>\n"
    );
    stage.file("project/.ai/directives/d.md", &text);
    let mut pair = Pair::new(&stage);
    for reply in [pair.run("directive", "d", &json!({})), pair.load("directive", "d")] {
        assert_eq!(reply["reply_type"], "S", "{reply}");
        assert!(!reply.to_string().contains(&key), "{reply}");
        assert!(reply["data"]["masked"].as_u64() >= Some(5), "{reply}");
    }
    // A fault repeats names of the file, too.
    let broken = text.replace("<outputs", &format!("<{key}>"));
    stage.file("project/.ai/directives/d.md", &broken);
    let reply = pair.load("directive", "d");
    assert_eq!(reply["code"], "IT-ITEM-I-004", "{reply}");
    assert!(!reply.to_string().contains(&key), "{reply}");
}

#[test]
fn an_old_signature_in_a_file_counts_for_nothing_and_is_told() {
    let stage = Stage::new();
    let line = "<!-- kiwi-mcp:validated:2026-01-24T09:30:00Z:0123456789ab -->\n";
    let text = format!("{line}---\nzettel_id: 20260124\ntitle: T\nrequires: [other]\n---\nText.\n");
    stage.file("project/.ai/knowledge/20260124.md", &text);
    stage.file("project/.ai/knowledge/other.md", &note("other", ""));
    stage.file("project/.ai/directives/d.md", &format!("{line}{}", directive("d")));
    let mut pair = Pair::new(&stage);
    let warning = json!(["an old in-file signature, read as unsigned"]);
    for (kind, id) in [("knowledge", "20260124"), ("directive", "d")] {
        let loaded = pair.load(kind, id);
        let ran = pair.run(kind, id, &json!({}));
        for reply in [&loaded, &ran] {
            // The pair of voices has seen that it is unsigned.
            assert_eq!(reply["data"]["validation_warnings"], warning, "{reply}");
        }
        assert_eq!(loaded["data"]["integrity"], ran["data"]["integrity"]);
    }
    let ran = pair.run("knowledge", "20260124", &json!({}));
    assert_eq!(ran["data"]["content"], "Text.\n");
    assert_eq!(ran["data"]["metadata"]["zettel_id"], "20260124");
    let arguments = json!({
        "item_type": "knowledge", "item_id": "20260124", "include_relationships": true,
        "types": ["requires", "suggests"]
    });
    let related = pair.ask("load", &arguments).to_string();
    assert!(related.contains("\"requires\"") && related.contains("other"), "{related}");
    let doctor = person(&stage, &["doctor"]);
    let checks = doctor["data"]["checks"].as_array().expect("checks").iter();
    let told = checks.filter(|check| check["what"] == warning[0]).map(|check| &check["address"]);
    let addresses =
        ["ROOT_PROJECT:/.ai/directives/d.md", "ROOT_PROJECT:/.ai/knowledge/20260124.md"];
    assert_eq!(told.collect::<Vec<_>>(), addresses.map(Value::from).iter().collect::<Vec<_>>());
}

#[test]
fn a_directive_of_many_steps_and_secrets_is_told() {
    let stage = Stage::new();
    let steps = (0..6_000).map(|step| {
        let key = ["gh", "p_", "0123456789abcdefghijABCDEFGHIJ"].concat();
        format!("<step name=\"s\">{key}{step:06}</step>\n")
    });
    let text =
        directive("d").replace("<process>", &format!("<process>{}", steps.collect::<String>()));
    stage.file("project/.ai/directives/d.md", &text);
    let reply = Pair::new(&stage).run("directive", "d", &json!({}));
    assert_eq!(reply["data"]["process"].as_array().map(Vec::len), Some(6_001));
    assert_eq!(reply["data"]["process"][5_999]["action"], "[masked]");
}

#[test]
fn the_schema_of_one_input_counts_beside_the_schema_of_all() {
    let stage = Stage::new();
    let inputs = r#"<inputs><schema>{"type":"object","properties":{"topic":{"type":"string"}}}</schema>
        <input name="topic">text<schema>{"minLength":5,"description":"X"}</schema></input></inputs>"#;
    let text = format!(
        "<directive name=\"both\" version=\"1.0.0\"><metadata/>{inputs}<process/></directive>\n"
    );
    stage.file("project/.ai/directives/both.md", &text);
    let mut pair = Pair::new(&stage);
    let reply = pair.run("directive", "both", &json!({ "topic": "ab" }));
    assert_eq!(reply["reply_type"], "I", "{reply}");
    let reply = pair.run("directive", "both", &json!({ "topic": "owlets" }));
    let schema = json!({ "minLength": 5, "description": "X" });
    assert_eq!(reply["data"]["inputs"][0]["schema"], schema, "{reply}");
    let topic = &reply["data"]["input_schema"]["properties"]["topic"];
    assert_eq!(*topic, json!({ "type": "string", "allOf": [schema] }));
}
