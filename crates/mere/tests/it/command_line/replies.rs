//! `--json` prints one reply, whatever becomes of the command.

use serde_json::Value;

use crate::support::harness::Stage;

/// The one reply of a command, and its exit status.
fn reply(stage: &Stage, arguments: &[&str]) -> (Value, i32) {
    let output = stage.person(arguments);
    let text = String::from_utf8_lossy(&output.stdout);
    let reply = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
    (reply, output.status.code().expect("an exit status"))
}

#[test]
fn tokens_are_created_listed_and_revoked_as_replies() {
    let stage = Stage::new();
    let (made, code) = reply(&stage, &["mcp", "token", "create", "--agent", "ci", "--json"]);
    assert_eq!((made["code"].as_str(), code), (Some("MCP-TOKEN-S-001"), 0), "{made}");
    let token = made["data"]["token"].as_str().expect("a token").to_owned();
    let (listed, _) = reply(&stage, &["mcp", "token", "list", "--json"]);
    let id = listed["data"]["tokens"][0]["id"].as_str().expect("an id").to_owned();
    assert_eq!(listed["data"]["tokens"][0]["agent"], "ci");
    assert!(!listed.to_string().contains(&token), "a token is shown once");
    let (revoked, code) = reply(&stage, &["mcp", "token", "--json", "revoke", &id]);
    assert_eq!((&revoked["data"]["revoked"], code), (&Value::from(id.clone()), 0), "{revoked}");
    let (missing, code) = reply(&stage, &["mcp", "token", "revoke", &id, "--json"]);
    assert_eq!((missing["code"].as_str(), code), (Some("MCP-TOKEN-I-001"), 1), "{missing}");
}

#[test]
fn trust_in_a_project_is_one_reply() {
    let stage = Stage::new();
    stage.folder("project/.git");
    let (nothing, code) = reply(&stage, &["trust", "project", "--json"]);
    assert_eq!((nothing["code"].as_str(), code), (Some("WA-TRUST-S-001"), 0), "{nothing}");
    assert_eq!(nothing["data"]["trusted"], false);
    stage.folder("elsewhere");
    let folder = stage.path("elsewhere");
    stage.file(
        "project/.ai/config.yaml",
        &format!("mods: [{{id: docs, name: docs, path: '{}'}}]\n", folder.display()),
    );
    let (asked, code) = reply(&stage, &["trust", "project", "--json"]);
    assert_eq!((asked["code"].as_str(), code), (Some("WA-TRUST-I-001"), 1), "{asked}");
    assert!(asked["data"]["widens"].as_array().is_some_and(|lines| !lines.is_empty()), "{asked}");
    let (trusted, code) = reply(&stage, &["trust", "project", "--json", "--yes"]);
    assert_eq!((&trusted["data"]["trusted"], code), (&Value::from(true), 0), "{trusted}");
    let (revoked, code) = reply(&stage, &["trust", "project", "--json", "--revoke"]);
    assert_eq!((&revoked["data"]["revoked"], code), (&Value::from(true), 0), "{revoked}");
}
