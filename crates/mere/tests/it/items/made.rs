//! What is wrong with an item is said when it is made, not when it is run.

use serde_json::{Value, json};

use crate::support::workshop::{Who, Workshop, manifest};

/// An agent's call that makes or changes a tool.
fn execute(workshop: &Workshop, call: &Value) -> Value {
    workshop.stage.call_text("execute", &call.to_string()).reply
}

fn create(workshop: &Workshop, id: &str, content: &str, files: &Value) -> Value {
    let call = json!({ "item_type": "tool", "action": "create", "item_id": id, "category": "t",
        "content": content, "files": files });
    execute(workshop, &call)
}

/// The manifest of the source, word for word.
const ENRICH_EMAILS: &str = "tool_id: enrich_emails\ntool_type: script\nexecutor_id: python_runtime\n\
    version: 1.0.0\nmanifest:\n  entrypoint: main.py\n  language: python\n";

#[test]
fn enrich_emails_runs_as_a_folder_and_is_explained_as_a_file() {
    let workshop = Workshop::new(Who::Tester);
    let folder = "project/.ai/tools/data/enrich_emails";
    workshop.stage.file(&format!("{folder}/manifest.yaml"), ENRICH_EMAILS);
    workshop.stage.file(&format!("{folder}/main.py"), "print('enriched')\n");
    workshop.person(&["sign", "tool", "enrich_emails"]);
    assert_eq!(workshop.call("enrich_emails", &json!({}))["data"]["stdout"], "enriched\n");
    // It says nothing about parameters, so it takes none, and the refusal says why.
    let reply = workshop.call("enrich_emails", &json!({ "limit": 3 }));
    assert_eq!(reply["code"], "IT-RUN-I-002", "{reply:#}");
    let hint = reply["hint"].as_str().expect("a hint");
    assert!(hint.contains("`data/enrich_emails` has no `input_schema`"), "{hint}");
    std::fs::remove_dir_all(workshop.stage.path(folder)).expect("removed");
    workshop.stage.file("project/.ai/tools/data/main.py", "print('enriched')\n");
    workshop.stage.file("project/.ai/tools/data/enrich_emails.yaml", ENRICH_EMAILS);
    let explained = |text: &str| {
        for part in [
            "`manifest.entrypoint` names `main.py`",
            "owns only files that are named after it, such as `enrich_emails.py`",
            "Rename the script to `enrich_emails.py`",
            "make the tool a folder `enrich_emails`",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    };
    // Signing says it and signs; `doctor` finds it; `load` warns; a run is refused.
    let output = workshop.person(&["sign", "tool", "enrich_emails", "--json"]);
    let signed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    explained(signed["data"]["signed"][0]["note"].as_str().expect("a note"));
    let output = workshop.command().args(["doctor", "--json"]).output().expect("mere runs");
    let doctor: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let checks = doctor["data"]["checks"].as_array().expect("checks");
    let found = checks.iter().find(|check| check["check"] == "tools").expect("a finding");
    assert_eq!(found["state"], "wrong", "{found:#}");
    explained(&format!("{} {}", found["what"], found["fix"]));
    let call = json!({ "item_type": "tool", "item_id": "enrich_emails" });
    let loaded = workshop.stage.call_text("load", &call.to_string()).reply;
    explained(&loaded["data"]["validation_warnings"].to_string());
    let reply = workshop.call("enrich_emails", &json!({}));
    assert_eq!(reply["data"]["field"], "manifest.entrypoint", "{reply:#}");
    // Who makes it is refused.
    let content = ENRICH_EMAILS.replace("enrich_emails", "other");
    let reply = create(&workshop, "other", &content, &json!([]));
    assert_eq!(reply["code"], "IT-CHANGE-I-002", "{reply:#}");
    assert_eq!((&reply["data"]["line"], &reply["data"]["column"]), (&json!(6), &json!(3)));
    let files = json!([{ "path": "main.py", "content": "print(1)\n" }]);
    let reply = create(&workshop, "other", &content, &files);
    assert_eq!(reply["code"], "IT-CHANGE-S-002", "{reply:#}");
}

#[test]
fn a_manifest_that_could_not_run_is_refused_when_it_is_made() {
    let workshop = Workshop::new(Who::Tester);
    let file = json!([{ "path": "x.py", "content": "" }]);
    let good = manifest("x", "python_runtime", "x.py");
    let schema = "input_schema: {type: object}\n";
    for (content, part) in [
        (good.replace("x.py", "missing.py"), "owns only files that are named after it"),
        (good.replace("x.py", "x.missing.py"), "which does not exist"),
        (good.replace("x.py", "../x.py"), "is not the path of one of the tool's files"),
        (good.replace("python_runtime", "nobody"), "names `nobody`, which does not exist"),
        (good.replace("python_runtime", "bash_runtime"), "`bash_runtime` does not run `x`"),
        (good.replace("python_runtime", "x"), "is in the chain twice"),
        (good.replace("manifest: {entrypoint: x.py}\n", ""), "`python_runtime` does not run `x`"),
        (good.replace(schema, "input_schema: {type: spell}\n"), "`input_schema` cannot be used"),
        (good.replace(schema, "input_schema: [1]\n"), "`input_schema` is not a JSON Schema"),
        (good.replace(schema, "parameters: {a: 1}\n"), "`parameters` is not a list"),
        (format!("{good}config_schema: {{type: 3}}\n"), "`config_schema` cannot be used"),
        (format!("{good}config: {{command: [id]}}\n"), "`python_runtime` does not run `x`"),
        (format!("{good}config: [1]\n"), "`/config` must be an object"),
        (format!("{good}config: {{call: a.b}}\n"), "is not the plain name of a function"),
        (format!("{good}env_config: {{A: {{file: x}}}}\n"), "must have exactly one of"),
        (
            format!("{good}validation: {{child_schemas: [{{match: {{}}}}]}}\n"),
            "the tool could run no other",
        ),
    ] {
        let reply = create(&workshop, "x", &content, &file);
        assert_eq!(reply["code"], "IT-CHANGE-I-002", "{content} {reply:#}");
        let message = reply["message"].as_str().expect("a message");
        assert!(message.contains(part), "{content} {message}");
        assert!(!reply["hint"].as_str().expect("a hint").is_empty());
    }
    let bash = manifest("y", "bash_runtime", "y.sh") + "config: {call: main}\n";
    let reply = create(&workshop, "y", &bash, &json!([{ "path": "y.sh", "content": "" }]));
    let message = reply["message"].as_str().expect("a message");
    assert!(message.contains("the runtime calls none"), "{reply:#}");
    // What is right is taken; an older name is said.
    assert_eq!(create(&workshop, "x", &good, &file)["code"], "IT-CHANGE-S-002");
    let api = "tool_id: z\ntool_type: http\nexecutor_id: http_client\nversion: 1.0.0\n\
               config: {url: https://a.example}\n";
    let reply = create(&workshop, "z", api, &json!([]));
    assert_eq!(reply["code"], "IT-CHANGE-S-002", "{reply:#}");
    let warnings = reply["data"]["validation_warnings"].to_string();
    assert!(warnings.contains("is read as `api`"), "{warnings}");
    let api = "tool_id: v\ntool_type: http\nexecutor_id: http_client\nversion: 1.0.0\n";
    let reply = create(&workshop, "v", api, &json!([]));
    assert_eq!(reply["code"], "IT-CHANGE-I-002", "{reply:#}");
    let reply =
        create(&workshop, "v", &format!("{api}config: {{url: https://a.example}}\n"), &json!([]));
    assert_eq!(reply["code"], "IT-CHANGE-S-002", "{reply:#}");
}

#[test]
fn an_update_is_checked_with_the_files_that_stay() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("x", "python_runtime", "print(1)\n");
    let update = |content: &str| {
        let call = json!({ "item_type": "tool", "action": "update", "item_id": "x",
            "content": content });
        execute(&workshop, &call)
    };
    let good = manifest("x", "python_runtime", "x.py");
    assert_eq!(update(&good.replace("1.0.0", "1.1.0"))["code"], "IT-CHANGE-S-002");
    assert_eq!(update(&good.replace("x.py", "x.js"))["code"], "IT-CHANGE-I-002");
}

#[test]
fn older_tool_types_run_under_their_older_names() {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file("project/.ai/tools/t/old.py", "print('ran')\n");
    let text = manifest("old", "python_runtime", "old.py").replace("script", "python");
    workshop.manifest("old", &format!("# kiwi-mcp:validated:2026:abc\n{text}"), "");
    assert_eq!(workshop.call("old", &json!({}))["data"]["stdout"], "ran\n");
    let call = json!({ "item_type": "tool", "item_id": "old" });
    let loaded = workshop.stage.call_text("load", &call.to_string()).reply;
    let warnings = loaded["data"]["validation_warnings"].to_string();
    assert!(warnings.contains("`tool_type: python` is an older name"), "{loaded:#}");
    assert!(warnings.contains("old in-file signature, read as unsigned"), "{loaded:#}");
    // The manifest is told, and hashed, as it is written.
    assert_eq!(loaded["data"]["metadata"]["tool_type"], "python");
    workshop.person(&["lock", "old"]);
    assert_eq!(workshop.call("old", &json!({}))["data"]["success"], true);
}

#[test]
fn a_lockfile_of_the_older_format_names_the_command_that_replaces_it() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("x", "python_runtime", "print('ran')\n");
    let digest = "0".repeat(64);
    let older = json!({
        "lockfile_version": 1, "generated_at": "2026-01-24T00:00:00Z",
        "root": { "tool_id": "x", "version": "1.0.0", "integrity": digest },
        "resolved_chain": [{ "tool_id": "x", "version": "1.0.0", "integrity": digest,
            "executor": "python_runtime" }],
        "registry": { "url": "https://example.com", "fetched_at": "2026-01-24T00:00:00Z" }
    });
    workshop.stage.file("project/.ai/lockfiles/t/x@1.0.0.lock.json", &older.to_string());
    let run = workshop.call("x", &json!({}));
    let call = json!({ "item_type": "lockfile", "item_id": "t/x@1.0.0" });
    let load = workshop.stage.call_text("load", &call.to_string()).reply;
    for reply in [&run, &load] {
        assert_eq!(reply["reply_type"], "I", "{reply:#}");
        assert!(reply["message"].as_str().expect("a message").contains("older format"));
        assert!(reply["hint"].as_str().expect("a hint").contains("`mere lock t/x`"), "{reply:#}");
    }
    workshop.person(&["lock", "t/x"]);
    assert_eq!(workshop.call("x", &json!({}))["data"]["success"], true);
}

#[test]
fn a_note_that_breaks_its_own_schema_is_not_made_and_not_signed() {
    let workshop = Workshop::new(Who::Tester);
    let text = "---\nid: n\ntitle: N\nlevel: high\nfrontmatter_schema:\n  properties:\n    \
        level: {type: integer}\n---\nBody.\n";
    let call = json!({ "item_type": "knowledge", "action": "create", "item_id": "n",
        "content": text });
    assert_eq!(execute(&workshop, &call)["code"], "IT-RUN-I-004");
    workshop.stage.file("project/.ai/knowledge/n.md", text);
    let sign = || workshop.command().args(["sign", "note", "n", "--json"]).output().expect("runs");
    let output = sign();
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(1), "{reply:#}");
    assert!(reply.to_string().contains("does not match its schema"), "{reply:#}");
    assert!(!workshop.stage.path("project/.ai/knowledge/n.md.sig").exists());
    let call = json!({ "item_type": "knowledge", "item_id": "n" });
    let loaded = workshop.stage.call_text("load", &call.to_string()).reply;
    assert_eq!(loaded["reply_type"], "S", "{loaded:#}");
    let warnings = loaded["data"]["validation_warnings"].to_string();
    assert!(warnings.contains("does not match its `frontmatter_schema`"), "{warnings}");
    workshop.stage.file("project/.ai/knowledge/n.md", &text.replace("high", "3"));
    assert!(sign().status.success());
}

#[test]
fn doctor_and_sign_name_a_note_that_breaks_its_own_schema_with_its_fix() {
    let workshop = Workshop::new(Who::Tester);
    let note = "---\nid: odd\ntitle: Odd\nlevel: 1\nfrontmatter_schema:\n  properties:\n    \
        level: {type: string}\n---\n";
    workshop.stage.file("project/.ai/knowledge/odd.md", note);
    let output = workshop.command().args(["doctor", "--json"]).output().expect("mere runs");
    let reply = serde_json::from_slice::<Value>(&output.stdout).expect("JSON");
    let checks = reply["data"]["checks"].as_array().expect("checks").iter();
    let mut found = checks.filter(|check| check["address"] == "ROOT_PROJECT:/.ai/knowledge/odd.md");
    let found = found.find(|check| check["state"] == "wrong").expect("a finding");
    assert!(found["what"].to_string().contains("does not match its schema"), "{found}");
    assert!(found["fix"].to_string().contains("mere edit knowledge odd"), "{found}");
    let output = workshop.command().args(["sign", "knowledge", "odd"]).output().expect("mere runs");
    let printed = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("mere edit knowledge odd"), "{printed}");
}

#[test]
fn a_chain_that_is_refused_names_what_to_correct() {
    let workshop = Workshop::new(Who::Tester);
    let manifest =
        |id: &str, rest: &str| format!("tool_id: {id}\ntool_type: script\nversion: 1.0.0\n{rest}");
    for (id, rest, fix) in [
        ("bare", "executor_id: python_runtime\n", "mere edit tool bare"),
        (
            "mixed",
            "executor_id: bash_runtime\nmanifest: {entrypoint: mixed.py}\n",
            "`python_runtime` (.py)",
        ),
        ("web", "executor_id: http_client\n", "`tool_type: api`"),
        ("remote", "executor_id: mcp_client\n", "mere import-mcp"),
    ] {
        workshop.stage.file(&format!("project/.ai/tools/{id}.yaml"), &manifest(id, rest));
        workshop.stage.file(&format!("project/.ai/tools/{id}.py"), "print(1)\n");
        workshop.person(&["sign", "tool", id]);
        let reply = workshop.call(id, &json!({}));
        let (message, hint) = (reply["message"].to_string(), reply["hint"].to_string());
        assert!(hint.contains(fix) && !hint.contains("child_schemas"), "{reply:#}");
        assert!(!message.contains("[.]"), "no pattern: {message}");
    }
}
