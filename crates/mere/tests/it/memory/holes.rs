//! Holes that were found in stores, each closed: what agents may delete, how much a list may say,
//! who waits for whom, what is told of what nobody may see.

use std::fs::File;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

#[test]
fn in_a_folder_of_the_project_an_agent_deletes_memories_and_nothing_else() {
    let stage = Stage::new();
    stage.file("project/.ai/config.yaml", "stores: {a: {path: ../src}}\n");
    stage.file("project/src/core/main.rs", "fn main() {}\n");
    stage.file("project/src/notes/deep/a.md", "# A\n");
    let all = |path: &str| json!({ "path": path, "recursive": true });
    let reply = call(&stage, "delete_category", &all("core"));
    assert_eq!(reply["code"], "EN-CATEGORY-D-007", "{reply}");
    let message = "Cannot delete category 'core': it contains 1 other file that agents may not \
                   delete. Ask a person to check what is there.";
    assert_eq!(reply["message"], message);
    assert!(stage.path("project/src/core/main.rs").exists());
    assert_eq!(call(&stage, "delete_category", &all("notes"))["reply_type"], "S");
    assert!(!stage.path("project/src/notes").exists());
}

#[test]
fn what_an_agent_may_not_see_it_does_not_delete_either() {
    let stage = Stage::new();
    stage.file("project/.ai/config.yaml", "sensitive: ['sec*.md']\n");
    stage.file("project/.ai/memory/c/secret.md", "# Hidden\n");
    stage.file("project/.ai/memory/c/plain.md", "# Plain\n");
    let reply = call(&stage, "delete_category", &json!({ "path": "c", "recursive": true }));
    assert_eq!(reply["code"], "EN-CATEGORY-D-007", "{reply}");
    assert!(stage.path("project/.ai/memory/c/plain.md").exists());
    let hidden = call(&stage, "get_memory", &json!({ "path": "c/secret" }));
    let missing = call(&stage, "get_memory", &json!({ "path": "c/gone" }));
    assert_eq!((&hidden["code"], &hidden["hint"]), (&missing["code"], &missing["hint"]));
    let person = stage.person(&["category", "delete", "c", "--recursive", "--yes"]);
    assert!(person.status.success(), "a person may");
}

#[test]
fn what_a_list_says_of_a_memory_is_short() {
    let stage = Stage::new();
    for number in 0..20 {
        let (title, tag) = ("t".repeat(100_000), "g".repeat(100_000));
        let text = format!("---\ntags: [{tag}, {tag}]\n---\n# {title}\n");
        stage.file(&format!("project/.ai/memory/m{number}.md"), &text);
    }
    let reply = call(&stage, "list_memories", &json!({}));
    assert_eq!(reply["data"]["count"], 20);
    assert!(reply.to_string().len() < 40_000, "{} bytes", reply.to_string().len());
    for tags in [json!(["x".repeat(101)]), json!([""]), json!(["a\u{202e}b"]), json!(vec!["x"; 65])]
    {
        let reply =
            call(&stage, "create_memory", &json!({ "path": "n", "content": "", "tags": tags }));
        assert_eq!(reply["reply_type"], "I", "{reply}");
    }
}

#[test]
fn a_lock_that_nobody_gives_back_keeps_no_server_from_answering() {
    let stage = Stage::new();
    stage.folder("project/.ai/memory");
    let config = "stores: {m: {path: ./memory, categories: {todo: {}}}}\n";
    stage.file("project/.ai/config.yaml", config);
    let lock = File::open(stage.path("project/.ai/memory")).expect("the folder");
    lock.lock().expect("the lock");
    let began = Instant::now();
    let mut mcp = Mcp::greeted(&stage, &[]);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(mcp.tool("list_memories", &json!({}))["structuredContent"]["reply_type"], "S");
    let sync = stage.person(&["store", "sync"]);
    assert_eq!(sync.status.code(), Some(4), "{}", String::from_utf8_lossy(&sync.stderr));
    drop(lock);
    assert!(stage.person(&["store", "sync"]).status.success());
}

#[test]
fn secrets_in_descriptions_are_masked_wherever_they_are_told() {
    let stage = Stage::new();
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4).chars().take(36).collect::<String>());
    let config = format!(
        "stores: {{m: {{path: ./memory, description: '{secret}', categories: {{todo: {{description: '{secret}'}}}}}}}}\n"
    );
    stage.file("project/.ai/config.yaml", &config);
    stage.file("project/.ai/memory/legacy/.category.yaml", &format!("description: {secret}\n"));
    for (tool, arguments) in [
        ("list_stores", json!({})),
        ("list_memories", json!({})),
        ("create_category", json!({ "path": "legacy" })),
    ] {
        let reply = call(&stage, tool, &arguments);
        assert_eq!(reply["reply_type"], "S", "{reply}");
        assert!(!reply.to_string().contains(&secret), "{tool}: {reply}");
    }
}

#[test]
fn no_other_store_takes_the_place_of_one_that_awaits_trust() {
    let stage = Stage::new();
    let config = format!("stores: {{out: {{path: {}}}}}\n", stage.folder("beside/out").display());
    stage.file("project/.ai/config.yaml", &config);
    let reply = call(&stage, "create_memory", &json!({ "path": "a", "content": "x" }));
    assert_eq!((&reply["reply_type"], &reply["code"]), (&json!("E"), &json!("IT-STORE-E-005")));
    assert!(!stage.path("project/.ai/memory").exists());
}

#[test]
fn a_label_keeps_what_people_wrote_into_it() {
    let stage = Stage::new();
    let label = "project/.ai/memory/c/.category.yaml";
    stage.file(label, "# mine\nowner: bob\ndescription: Old # why\n");
    let describe = json!({ "path": "c", "description": "New: one" });
    assert_eq!(call(&stage, "set_category_description", &describe)["reply_type"], "S");
    let text = std::fs::read_to_string(stage.path(label)).expect("the label");
    assert_eq!(text, "# mine\nowner: bob\ndescription: \"New: one\" # why\n");
}

#[test]
fn the_end_of_time_is_a_time() {
    let stage = Stage::new();
    stage.file("project/.ai/memory/a.md", "---\nexpires_at: 9999-12-31T23:59:59Z\n---\nx\n");
    assert_eq!(call(&stage, "get_memory", &json!({ "path": "a" }))["reply_type"], "S");
}

#[test]
fn a_page_tells_nothing_of_a_name_that_is_hidden() {
    let stage = Stage::new();
    stage.file("project/.ai/memory/id_rsa-notes.md", "# Hidden\n");
    for path in ["a", "z"] {
        stage.file(&format!("project/.ai/memory/{path}.md"), "# Shown\n");
    }
    for sort in ["path", "recent"] {
        let (mut seen, mut cursor) = (Vec::new(), Value::Null);
        for _ in 0..4 {
            let wanted = json!({ "limit": 1, "sort": sort, "cursor": cursor });
            let data = call(&stage, "list_memories", &wanted)["data"].clone();
            let rows = data["memories"].as_array().expect("memories");
            seen.extend(rows.iter().map(|row| row["path"].clone()));
            cursor = data["next"].clone();
            if let Some(next) = cursor.as_str() {
                let decoded =
                    base64::Engine::decode(&base64::prelude::BASE64_URL_SAFE_NO_PAD, next);
                let decoded = String::from_utf8(decoded.expect("base64")).expect("UTF-8");
                assert!(!decoded.contains("id_rsa"), "{sort}: {decoded}");
            }
            if cursor.is_null() {
                break;
            }
        }
        seen.sort_by_key(ToString::to_string);
        assert_eq!(seen, ["a", "z"], "{sort}");
    }
}

#[test]
fn tags_that_were_masked_for_the_reader_stay_what_they_are() {
    let stage = Stage::new();
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4).chars().take(36).collect::<String>());
    let text = format!("---\ntags: [{secret}, plain]\n---\nx\n");
    stage.file("project/.ai/memory/a.md", &text);
    let tags = call(&stage, "get_memory", &json!({ "path": "a" }))["data"]["tags"].clone();
    assert_eq!(tags, json!(["[masked]", "plain"]));
    let more = json!({ "path": "a", "tags": ["[masked]", "plain", "new"] });
    assert_eq!(call(&stage, "update_memory", &more)["reply_type"], "S");
    let kept = std::fs::read_to_string(stage.path("project/.ai/memory/a.md")).expect("the file");
    assert!(kept.contains(&secret) && kept.contains("new") && !kept.contains("[masked]"), "{kept}");
    let made_up = json!({ "path": "a", "tags": ["x[masked]"] });
    assert_eq!(call(&stage, "update_memory", &made_up)["code"], "IT-CHANGE-I-005");
}
