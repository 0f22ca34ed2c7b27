//! The examples by which the formats and the layout were designed, end to end and word for word.

use base64::Engine as _;
use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::searches::full_search;
use crate::support::workshop::{Who, Workshop};
use crate::trust::keys::{done, run, text};

const RESEARCH_TOPIC: &str = r#"# Research Topic Directive

<directive name="research_topic" version="1.0.0">
  <metadata>
    <category>research</category>
    <model tier="balanced" />
  </metadata>
  <permissions>
    <execute resource="tool" action="web_search" />
  </permissions>
  <inputs>
    <input name="topic" type="string" required="true" />
  </inputs>
  <process>
    <step name="search">...</step>
  </process>
</directive>
"#;

const API_PATTERNS: &str = "---
zettel_id: 20260124-api-patterns
title: REST API Design Patterns
entry_type: pattern
category: architecture
tags: [api, rest, design]
references:
  - 20260101-http-methods
extends:
  - 20260115-web-fundamentals
version: 1.0.0
---

# REST API Design Patterns

Content here...
";

const ENRICH_EMAILS: &str = "tool_id: enrich_emails
tool_type: script
executor_id: python_runtime
version: 1.0.0
manifest:
  entrypoint: main.py
  language: python
";

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

#[test]
fn the_directive_is_followed_with_its_topic() {
    let stage = Stage::new();
    stage.file("project/.ai/directives/research/research_topic.md", RESEARCH_TOPIC);
    let arguments = json!({
        "item_type": "directive", "item_id": "research_topic", "parameters": { "topic": "tides" },
    });
    let reply = call(&stage, "execute", &arguments);
    let data = &reply["data"];
    assert_eq!((&reply["reply_type"], &data["status"]), (&json!("S"), &json!("ready")), "{reply}");
    assert_eq!(data["inputs"][0]["name"], "topic");
    assert_eq!(data["inputs"][0]["value"], "tides");
    assert_eq!(data["process"][0]["name"], "search");
    assert_eq!(data["process"][0]["action"], "...");
    assert_eq!(data["model"], json!({ "tier": "balanced" }));
    assert!(data["permissions"].to_string().contains("web_search"), "{data}");
    assert_eq!(data["inputs_validated"], true);
    let missing = call(
        &stage,
        "execute",
        &json!({ "item_type": "directive", "item_id": "research/research_topic" }),
    );
    assert_eq!(missing["reply_type"], "I", "a required input is missing: {missing}");
}

#[test]
fn the_note_is_found_loaded_and_given_as_context() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/architecture/20260124-api-patterns.md", API_PATTERNS);
    let note = json!({ "item_type": "knowledge", "item_id": "20260124-api-patterns" });
    let loaded = call(&stage, "load", &note);
    assert_eq!(loaded["data"]["category"], "architecture", "{loaded}");
    assert_eq!(loaded["data"]["content"], API_PATTERNS);
    let given = call(&stage, "execute", &note);
    assert_eq!(given["data"]["frontmatter_validated"], true, "{given}");
    assert_eq!(given["data"]["integrity"], loaded["data"]["integrity"]);
    let warnings = given["data"]["validation_warnings"].to_string();
    for id in ["20260101-http-methods", "20260115-web-fundamentals"] {
        assert!(warnings.contains(id), "a relation that leads nowhere is told: {warnings}");
    }
    let query = json!({ "query": "REST API Design", "filters": { "entry_type": "pattern" } });
    let found = call(&stage, "search", &full_search(query));
    assert_eq!(found["data"]["knowledge"][0]["id"], "20260124-api-patterns", "{found}");
}

#[test]
fn the_tool_runs_as_a_folder_and_as_a_flat_tool_its_entrypoint_is_explained() {
    let workshop = Workshop::new(Who::Tester);
    let folder = "project/.ai/tools/enrich_emails";
    workshop.stage.file(&format!("{folder}/manifest.yaml"), ENRICH_EMAILS);
    workshop.stage.file(&format!("{folder}/main.py"), "print('enriched')\n");
    workshop.person(&["sign", "tool", "enrich_emails"]);
    let result = workshop.call("enrich_emails", &json!({}));
    assert_eq!(result["data"]["stdout"], "enriched\n", "{result:#}");
    let chain = result["data"]["chain"].as_array().expect("a chain").iter();
    let chain = chain.map(|link| text(&link["tool_id"]).to_owned()).collect::<Vec<_>>();
    assert_eq!(chain, ["enrich_emails", "python_runtime", "subprocess"]);

    let stage = Stage::new();
    let flat = json!({
        "item_type": "tool", "action": "create", "item_id": "enrich_emails",
        "content": ENRICH_EMAILS, "files": [{ "path": "enrich_emails.py", "content": "print(1)\n" }],
    });
    let refused = call(&stage, "execute", &flat);
    assert_eq!(refused["reply_type"], "I", "{refused}");
    let words = format!("{} {}", refused["message"], refused["hint"]);
    assert!(words.contains("main.py") && words.contains("enrich_emails."), "{words}");
}

#[test]
fn a_script_runs_through_its_runtime_and_a_primitive() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("my_script", "python_runtime", "print('ran')\n");
    let chain = workshop.person(&["chain", "my_script", "--json"]);
    let chain: Value = serde_json::from_slice(&chain.stdout).expect("a reply");
    assert_eq!(chain["message"], "t/my_script → python_runtime → subprocess.");
    assert_eq!(workshop.call("my_script", &json!({}))["data"]["stdout"], "ran\n");
}

#[test]
fn each_kind_is_loaded_from_the_project_by_one_call() {
    let stage = Stage::new();
    stage.file("project/.ai/directives/research/research_topic.md", RESEARCH_TOPIC);
    stage.file("project/.ai/knowledge/architecture/20260124-api-patterns.md", API_PATTERNS);
    stage.file("project/.ai/tools/enrich_emails/manifest.yaml", ENRICH_EMAILS);
    stage.file("project/.ai/tools/enrich_emails/main.py", "print(1)\n");
    for (kind, id) in [
        ("directive", "research_topic"),
        ("tool", "enrich_emails"),
        ("knowledge", "20260124-api-patterns"),
    ] {
        let arguments = json!({ "item_type": kind, "item_id": id, "source": "project" });
        let reply = call(&stage, "load", &arguments);
        assert_eq!((&reply["reply_type"], &reply["data"]["id"]), (&json!("S"), &json!(id)));
    }
}

#[test]
fn a_category_is_the_path_below_the_folder_of_the_type() {
    let workshop = Workshop::new(Who::Tester);
    let stage = &workshop.stage;
    let directive = |name: &str| RESEARCH_TOPIC.replace("research_topic", name);
    let in_category = |text: String, category: &str| {
        text.replace("<category>research<", &format!("<category>{category}<"))
    };
    stage.file(
        "project/.ai/directives/core/workflow.md",
        &in_category(directive("workflow"), "core"),
    );
    stage.file("project/.ai/tools/api/auth/jwt_verifier.py", "print(1)\n");
    let manifest = "tool_id: jwt_verifier\ntool_type: script\nexecutor_id: python_runtime\n\
        version: 1.0.0\nmanifest: {entrypoint: jwt_verifier.py}\n";
    stage.file("project/.ai/tools/api/auth/jwt_verifier.yaml", manifest);
    let note = "---\nid: authentication\ntitle: Authentication\n---\nText.\n";
    stage.file("project/.ai/knowledge/patterns/security/authentication.md", note);
    stage.file("project/.ai/tools/data/scraper.py", "print(1)\n");
    let scraper = manifest.replace("jwt_verifier", "scraper").replace("1.0.0", "1.2.0");
    stage.file("project/.ai/tools/data/scraper.yaml", &scraper);
    workshop.person(&["sign", "--all", "--yes"]);
    workshop.person(&["lock", "scraper"]);
    for (kind, id, category, path) in [
        ("directive", "workflow", "core", "directives/core/workflow.md"),
        ("tool", "jwt_verifier", "api/auth", "tools/api/auth/jwt_verifier.yaml"),
        (
            "knowledge",
            "authentication",
            "patterns/security",
            "knowledge/patterns/security/authentication.md",
        ),
        ("lockfile", "scraper", "data", "lockfiles/data/scraper@1.2.0.lock.json"),
    ] {
        let reply = call(stage, "load", &json!({ "item_type": kind, "item_id": id }));
        assert_eq!(reply["data"]["category"], category, "{reply}");
        assert_eq!(reply["data"]["address"], format!("ROOT_PROJECT:/.ai/{path}"));
        assert_eq!(reply["data"]["trust"]["status"], "verified");
    }
}

#[test]
fn a_directive_in_another_scope_and_category_is_at_the_wrong_location() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    let body = RESEARCH_TOPIC.replace("research_topic", "my_dir");
    let body = body.replace("    <category>research</category>\n", "");
    stage.file("project/.ai/directives/core/my_dir.md", &body);
    done(&stage, &["init"]);
    done(&stage, &["sign", "directive", "core/my_dir"]);
    let sidecar = std::fs::read(stage.path("project/.ai/directives/core/my_dir.md.sig"));
    let sidecar = String::from_utf8(sidecar.expect("a sidecar")).expect("text");
    stage.file("home/.ai/directives/wrong/my_dir.md", &body);
    stage.file("home/.ai/directives/wrong/my_dir.md.sig", &sidecar);
    let moved = json!({ "item_type": "directive", "item_id": "wrong/my_dir", "source": "user" });
    let reply = call(&stage, "load", &moved);
    assert_eq!(reply["reply_type"], "E", "{reply}");
    let message = text(&reply["message"]);
    assert!(
        message.contains("Item my_dir at wrong location.")
            && message.contains("Expected: ROOT_PROJECT:/.ai/directives/core/my_dir.md")
            && message.contains("Found: ROOT_USER:/directives/wrong/my_dir.md"),
        "{message}"
    );
    assert_eq!(reply["data"]["content"], Value::Null);
    let (status, checked) = run(&stage, &["verify", "--all"]);
    assert_eq!(status, 4, "{checked}");
}

#[test]
fn category_and_scope_are_part_of_the_signature() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    let body = RESEARCH_TOPIC.replace("research_topic", "my_directive");
    let body = body.replace("<category>research<", "<category>core/api<");
    stage.file("project/.ai/directives/core/api/my_directive.md", &body);
    done(&stage, &["init"]);
    done(&stage, &["sign", "directive", "my_directive"]);
    let sidecar = std::fs::read(stage.path("project/.ai/directives/core/api/my_directive.md.sig"));
    let sidecar: Value = serde_json::from_slice(&sidecar.expect("a sidecar")).expect("JSON");
    let payload = |envelope: &str| {
        let payload = text(&sidecar[envelope]["payload"]);
        let bytes = base64::prelude::BASE64_STANDARD.decode(payload).expect("base64");
        serde_json::from_slice::<Value>(&bytes).expect("a payload")
    };
    assert_eq!(payload("statement")["category"], "core/api");
    assert_eq!(payload("placement")["scope"], "project");
    assert_eq!(payload("placement")["base"], "directives");
}
