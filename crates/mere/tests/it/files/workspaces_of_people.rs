//! `mere workspace`: a person sees what agents keep, and empties it after saying yes.

use std::process::Output;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

const SPACES: &str = "project/.ai/workspaces";

fn workspace(stage: &Stage, arguments: &[&str]) -> (Output, Value) {
    let arguments = [&["workspace"], arguments, &["--json"]].concat();
    let output = stage.person(&arguments);
    let reply = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output, reply)
}

/// Two agents with files, one of them with a proposal.
fn two_agents() -> Stage {
    let stage = Stage::new();
    stage.file(&format!("{SPACES}/ada/notes/a"), "12345");
    stage.file(&format!("{SPACES}/ben/b"), "1");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "ben"]);
    let directive = "---\nname: d\ndescription: x\n---\nDo it.\n";
    let proposed = mcp.call(
        "execute",
        &json!({
            "item_type": "directive", "action": "create", "item_id": "d", "content": directive
        }),
    );
    assert_eq!(proposed["reply_type"], "S", "{proposed}");
    drop(mcp);
    stage
}

#[test]
fn people_see_what_each_agent_keeps() {
    let stage = Stage::new();
    let (output, reply) = workspace(&stage, &["list"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        (&reply["code"], &reply["data"]["count"]),
        (&"WA-WORKSPACE-S-001".into(), &0.into())
    );
    let stage = two_agents();
    let (_, reply) = workspace(&stage, &["list"]);
    let rows = reply["data"]["workspaces"].as_array().expect("rows");
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (&rows[0]["agent"], &rows[0]["bytes"], &rows[0]["files"]),
        (&"ada".into(), &5.into(), &2.into())
    );
    assert_eq!((&rows[1]["agent"], &rows[1]["proposals"]), (&"ben".into(), &1.into()));
    assert_eq!((&rows[0]["max_bytes"], &rows[0]["max_files"]), (&json!(1 << 30), &json!(20_000)));
    let text = stage.person(&["workspace", "list"]);
    let text = String::from_utf8(text.stdout).expect("UTF-8");
    assert!(text.contains("ada  5 B of 1 GiB, 2 of 20000 files and folders"), "{text}");
    assert!(text.contains("1 proposal: see `mere review`"), "{text}");
    assert_eq!(stage.call_text("workspace", "{}").code(), "MCP-ARG-I-002", "no tool for agents");
}

#[test]
fn nothing_is_deleted_without_a_yes() {
    let stage = two_agents();
    let (output, reply) = workspace(&stage, &["clean", "--dry-run"]);
    assert_eq!((output.status.code(), &reply["data"]["files"]), (Some(0), &3.into()));
    assert_eq!((&reply["data"]["bytes"], &reply["data"]["dry_run"]), (&6.into(), &true.into()));
    assert_eq!(reply["hint"], "1 proposal stays: decide with `mere review`.");
    let output = stage.person(&["workspace", "clean"]);
    assert_eq!(output.status.code(), Some(1), "nobody could be asked");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains("nothing was deleted; use `--yes`"), "{said}");
    for file in ["ada/notes/a", "ben/b"] {
        assert!(stage.path(SPACES).join(file).exists(), "{file}");
    }
}

#[test]
fn a_yes_empties_one_workspace_or_all_and_keeps_proposals() {
    let stage = two_agents();
    let (output, reply) = workspace(&stage, &["clean", "--yes", "--agent", "nobody"]);
    assert_eq!((output.status.code(), &reply["code"]), (Some(1), &"WA-WORKSPACE-I-001".into()));
    assert_eq!(reply["hint"], "The agents with one are ada, ben.");
    let (_, reply) = workspace(&stage, &["clean", "--yes", "--agent", "ada"]);
    assert_eq!(
        (&reply["code"], &reply["data"]["files"]),
        (&"WA-WORKSPACE-S-002".into(), &2.into())
    );
    assert!(!stage.path(SPACES).join("ada").exists());
    assert!(stage.path(SPACES).join("ben/b").exists());
    let (_, reply) = workspace(&stage, &["clean", "--yes"]);
    assert_eq!(reply["data"]["files"], 1, "{reply}");
    assert!(!stage.path(SPACES).join("ben/b").exists());
    let review = stage.person(&["review", "--list", "--json"]);
    let review = serde_json::from_slice::<Value>(&review.stdout).expect("JSON");
    assert_eq!(review["data"]["proposals"].as_array().map(Vec::len), Some(1), "{review}");
    let (_, reply) = workspace(&stage, &["clean", "--yes"]);
    assert_eq!(reply["data"]["files"], 0);
}

#[test]
fn a_link_among_the_workspaces_is_neither_listed_nor_emptied() {
    let stage = Stage::new();
    stage.file("beside/kept", "x");
    stage.file(&format!("{SPACES}/ada/a"), "1");
    stage.link(stage.path("beside"), &format!("{SPACES}/ada/out"));
    stage.link(stage.path("beside"), &format!("{SPACES}/linked"));
    let (_, reply) = workspace(&stage, &["list"]);
    assert_eq!(reply["data"]["count"], 1, "{reply}");
    let (output, _) = workspace(&stage, &["clean", "--yes", "--agent", "linked"]);
    assert_eq!(output.status.code(), Some(1));
    workspace(&stage, &["clean", "--yes"]);
    assert!(!stage.path(SPACES).join("ada").exists());
    assert_eq!(std::fs::read_to_string(stage.path("beside/kept")).expect("kept"), "x");
}

#[test]
fn an_agent_writes_again_after_its_workspace_was_emptied() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "ada"]);
    let write = json!({ "path": "ROOT_WORKSPACE:/a", "content": "1" });
    assert_eq!(mcp.call("write", &write)["data"]["created"], true);
    workspace(&stage, &["clean", "--yes"]);
    assert_eq!(mcp.call("read", &json!({ "path": "ROOT_WORKSPACE:/a" }))["code"], "WA-PATH-I-001");
    assert_eq!(mcp.call("write", &write)["data"]["created"], true);
}
