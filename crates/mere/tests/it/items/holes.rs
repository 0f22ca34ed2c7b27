//! Holes that were found once, each with a name.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{note, person, skill, tool};

/// A token of a known form, in two pieces so that no scanner takes it for a real one.
fn token() -> String {
    ["gh", "p_", "0123456789abcdefghijABCDEFGHIJ012345"].concat()
}

fn update(id: &str, content: &str, dry: bool) -> Value {
    json!({
        "item_type": "knowledge", "action": "update", "item_id": id, "content": content,
        "dry_run": dry
    })
}

#[test]
fn a_folder_that_was_not_there_is_watched_when_it_comes() {
    let stage = Stage::new();
    stage.folder("project/.ai");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut code = |id: &str| {
        let arguments = json!({ "item_type": "knowledge", "item_id": id });
        mcp.call("load", &arguments)["code"].as_str().expect("a code").to_owned()
    };
    assert_eq!(code("a"), "IT-ITEM-I-001");
    for id in ["a", "b", "c"] {
        stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(id, ""));
        assert_eq!(code(id), "IT-LOAD-S-001", "{id}");
    }
    for id in ["d", "e"] {
        stage.file(&format!("project/.ai/knowledge/w/{id}.md"), &note(id, ""));
        assert_eq!(code(id), "IT-LOAD-S-001", "{id}");
        std::fs::remove_dir_all(stage.path("project/.ai/knowledge/w")).expect("removed");
        assert_eq!(code(id), "IT-ITEM-I-001", "{id}");
    }
    stage.file("project/.ai/knowledge/w/f.md", &note("f", ""));
    assert_eq!(code("f"), "IT-LOAD-S-001");
    stage.file("project/.ai/knowledge/w/g.md", &note("g", ""));
    assert_eq!(code("g"), "IT-LOAD-S-001", "the folder that came back is watched too");
}

#[test]
fn a_schema_does_not_tell_what_is_masked() {
    let stage = Stage::new();
    let text = format!("---\nid: n\ntitle: N\ntoken: {}\n---\nb\n", token());
    stage.file("project/.ai/knowledge/n.md", &text);
    let mut mcp = Mcp::greeted(&stage, &[]);
    let load = json!({ "item_type": "knowledge", "item_id": "n" });
    let seen = mcp.call("load", &load)["data"]["content"].as_str().expect("text").to_owned();
    assert!(!seen.contains(&token()), "{seen}");
    for dry in [true, false] {
        let mut answers = Vec::new();
        for first in ["0", "z"] {
            let schema = format!(
                "frontmatter_schema: {{properties: {{token: {{pattern: '^{}_{first}'}}}}}}\n---\nb",
                "ghp"
            );
            let content = seen.replace("---\nb", &schema);
            let changed = mcp.call("execute", &update("n", &content, dry));
            let run = json!({ "item_type": "knowledge", "item_id": "n" });
            let run = mcp.call("execute", &run);
            answers.push((changed["code"].clone(), run["code"].clone()));
        }
        assert_eq!(answers[0], answers[1], "both guesses are answered alike");
    }
}

#[test]
fn a_fault_does_not_tell_what_is_masked() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/n.md", &note("n", &format!("category: {}\n", token())));
    let mut mcp = Mcp::greeted(&stage, &[]);
    for key in ["category", "id", "zettel_id"] {
        let content = format!("---\ntitle: T\n{key}: [masked]\n---\n");
        let reply = mcp.call("execute", &update("n", &content, true));
        assert!(!reply.to_string().contains("0123456789"), "{reply}");
        let content = "---\ntitle: T\ncategory: [masked]\nid: n\n---\n";
        let reply = mcp.call("execute", &update("n", content, true));
        assert!(!reply.to_string().contains("0123456789"), "{reply}");
    }
}

#[test]
fn a_key_in_pieces_is_masked_piece_by_piece() {
    let stage = Stage::new();
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let (begin, end) = ("-----BEGIN PRIVATE ", "-----END PRIVATE ");
    let lines = format!("lines:\n- \"{begin}KEY-----\"\n- \"{body}\"\n- \"{end}KEY-----\"\n");
    let text = format!("---\nid: n\ntitle: N\n{lines}---\nb\n");
    stage.file("project/.ai/knowledge/n.md", &text);
    let split =
        format!("---\nid: m\ntitle: M\nk: \"{begin}KEY-----\"\n---\n{body}\n{end}KEY-----\n");
    stage.file("project/.ai/knowledge/m.md", &split);
    let mut mcp = Mcp::greeted(&stage, &[]);
    for id in ["n", "m"] {
        for tool in ["load", "execute"] {
            let reply = mcp.call(tool, &json!({ "item_type": "knowledge", "item_id": id }));
            assert_eq!(reply["reply_type"], "S", "{reply}");
            assert!(!reply.to_string().contains(body), "{tool} {id} {reply}");
        }
    }
}

#[test]
fn sensitive_files_of_a_skill_are_not_told() {
    let stage = Stage::new();
    stage.file("project/.ai/directives/s/SKILL.md", &skill("s"));
    stage.file("project/.ai/directives/s/.env", "A=b\n");
    stage.file("project/.ai/directives/s/id_rsa", "x\n");
    stage.file("project/.ai/directives/s/run.sh", "x\n");
    let load = json!({ "item_type": "directive", "item_id": "s" }).to_string();
    let files = stage.call_text("load", &load).reply["data"]["files"].clone();
    let paths = files.as_array().expect("files").iter().map(|file| file["path"].clone());
    assert_eq!(paths.collect::<Vec<_>>(), ["SKILL.md", "run.sh"]);
}

#[test]
fn a_signature_that_may_not_be_seen_counts_all_the_same() {
    let stage = Stage::new();
    stage.file("project/.ai/config.yaml", "sensitive: ['*.sig']\n");
    stage.file("project/.ai/knowledge/n.md", &note("n", "old"));
    stage.file("project/.ai/knowledge/n.md.sig", "{}");
    let update = update("n", &note("n", "new"), false).to_string();
    assert_eq!(stage.call_text("execute", &update).code(), "IT-CHANGE-S-002");
    let text = std::fs::read_to_string(stage.path("project/.ai/knowledge/n.md"));
    assert_eq!(text.expect("it is there"), note("n", "old"));
}

#[test]
fn a_folder_beside_a_flat_tool_stays_when_the_tool_goes() {
    let stage = Stage::new();
    stage.file("project/.ai/tools/fl.yaml", &tool("fl"));
    stage.file("project/.ai/tools/fl.py", "");
    stage.file("project/.ai/tools/fl.data/keep.txt", "mine");
    let gone = person(&stage, &["delete", "tool", "fl", "--yes"]);
    assert_eq!(gone["reply_type"], "S", "{gone}");
    assert!(!stage.path("project/.ai/tools/fl.py").exists());
    assert!(stage.path("project/.ai/tools/fl.data/keep.txt").exists());
}

#[test]
fn what_a_killed_maker_left_is_no_obstacle_and_what_is_in_the_way_is_named() {
    let stage = Stage::new();
    let create = json!({
        "item_type": "tool", "action": "create", "item_id": "t", "content": tool("t"),
        "files": [{ "path": "t.sh", "content": "echo\n" }]
    });
    stage.file("home/.ai/config.yaml", "agents: {write: {tool: direct}}\n");
    stage.file("project/.ai/tools/t.sh", "another's\n");
    let reply = stage.call_text("execute", &create.to_string()).reply;
    assert_eq!(reply["code"], "IT-ITEM-I-007", "{reply}");
    assert!(
        reply["message"].as_str().expect("words").contains("/tools/t.sh already exists"),
        "{reply}"
    );
    stage.file("project/.ai/tools/t.sh", "echo\n");
    assert_eq!(stage.call_text("execute", &create.to_string()).code(), "IT-CHANGE-S-001");
}

#[test]
fn a_folder_in_place_that_moves_with_the_config_is_found_where_it_is() {
    let stage = Stage::new();
    stage.file("project/.ai/config.yaml", "folders: {directives: [.claude/skills]}\n");
    stage.file("project/.claude/skills/s/SKILL.md", &skill("s"));
    let mut mcp = Mcp::greeted(&stage, &[]);
    let load = json!({ "item_type": "directive", "item_id": "s" });
    let first = mcp.call("load", &load)["data"]["address"].clone();
    assert_eq!(first, "ROOT_PROJECT:/.claude/skills/s/SKILL.md");
    std::fs::rename(stage.path("project/.claude"), stage.path("project/.agents")).expect("moved");
    stage.file("project/.ai/config.yaml", "folders: {directives: [.agents/skills]}\n");
    let then = mcp.call("load", &load)["data"]["address"].clone();
    assert_eq!(then, "ROOT_PROJECT:/.agents/skills/s/SKILL.md");
}

#[test]
fn a_moved_file_keeps_its_mode_and_an_update_tells_the_integrity_of_all() {
    let stage = Stage::new();
    stage.file("project/.ai/tools/kit/manifest.yaml", &tool("kit"));
    let script = stage.file("project/.ai/tools/kit/run.sh", "echo\n");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    person(&stage, &["move", "tool", "kit", "deep"]);
    let moved = stage.path("project/.ai/tools/deep/kit/run.sh");
    let mode = std::fs::metadata(moved).expect("moved").permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    stage.file("home/.ai/config.yaml", "agents: {write: {tool: direct}}\n");
    let content = tool("kit") + "x_note: another\n";
    let update = json!({
        "item_type": "tool", "action": "update", "item_id": "kit", "content": content
    });
    let integrity =
        stage.call_text("execute", &update.to_string()).reply["data"]["integrity"].clone();
    let load = json!({ "item_type": "tool", "item_id": "kit" }).to_string();
    assert_eq!(stage.call_text("load", &load).reply["data"]["integrity"], integrity);
}

#[test]
fn init_keeps_what_it_cannot_read_and_spaces_it_does_not_know() {
    let stage = Stage::new();
    let ignore_file = stage.file("project/.ai/.gitignore", "");
    std::fs::write(&ignore_file, b"caf\xe9\n").expect("written");
    assert_eq!(person(&stage, &["init"])["reply_type"], "S");
    assert_eq!(std::fs::read(&ignore_file).expect("there"), b"caf\xe9\n");
    for space in ["{", r#"{"format":"2"}"#, r#"{"format":2}"#] {
        stage.file("project/.ai/space.json", space);
        assert_eq!(person(&stage, &["init"])["code"], "IT-CHANGE-I-006", "{space}");
        assert_eq!(person(&stage, &["new", "note", "x"])["code"], "IT-CHANGE-I-006", "{space}");
    }
}

#[test]
fn what_git_runs_and_spaces_are_not_taken_in_place() {
    for folder in [".git", ".git/hooks", ".ai", ".ai/directives", ".GIT", "skills/~"] {
        let stage = Stage::new();
        let config = format!("folders: {{directives: ['{folder}']}}\n");
        stage.file("project/.ai/config.yaml", &config);
        let output = stage.person(&["config", "check"]);
        assert_eq!(output.status.code(), Some(4), "{folder}");
    }
}
