//! A repository of several projects: `projects:` in the outer one's config.

use serde_json::{Value, json};

use crate::support::harness::{Answer, Stage};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("project/.ai/space.json", r#"{"format":1,"space_id":"s1","name":"Big Repo"}"#);
    stage.file("project/.ai/config.yaml", "projects: ['packages/*', 'apps/web']\n");
    stage.file("project/.gitignore", "*.log\n");
    stage.file("project/shared.md", "");
    for project in ["packages/a", "packages/b", "apps/web"] {
        stage.file(&format!("project/{project}/src/main.rs"), "fn main() {}\n");
    }
    stage.file("project/packages/a/noise.log", "");
    stage.file("project/apps/other/x.rs", "");
    stage
}

fn trust(stage: &Stage) {
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
}

fn call(stage: &Stage, below: &str, tool: &str, arguments: &Value) -> Answer {
    let mut command = stage.command(&format!("project/{below}"));
    stage.answer(command.args(["call", tool, &arguments.to_string()]))
}

fn found_by(stage: &Stage, below: &str) -> (String, String) {
    let mut command = stage.command(&format!("project/{below}"));
    let output = command.args(["where", "--json"]).output().expect("mere runs");
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let folder = reply["data"]["project_dir"].as_str().expect("a folder").to_owned();
    let canonical = stage.path("project").canonicalize().expect("a path");
    let below = folder.strip_prefix(canonical.to_str().expect("UTF-8")).expect("in the project");
    (below.to_owned(), reply["data"]["found_by"].as_str().expect("a marker").to_owned())
}

#[test]
fn a_matching_folder_is_the_project_once_a_person_trusts_it() {
    let stage = stage();
    assert_eq!(found_by(&stage, "packages/a/src"), (String::new(), ".git".to_owned()));
    let mut command = stage.command("project/packages/a");
    let output = command.arg("where").output().expect("mere runs");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(words.contains("`projects` in the project's config has no effect"), "{words}");

    trust(&stage);
    let inner = |path: &str| (path.to_owned(), "projects".to_owned());
    assert_eq!(found_by(&stage, "packages/a/src"), inner("/packages/a"));
    assert_eq!(found_by(&stage, "packages/b"), inner("/packages/b"));
    assert_eq!(found_by(&stage, "apps/web/src"), inner("/apps/web"));
    for outside in ["", "packages", "apps", "apps/other"] {
        assert_eq!(found_by(&stage, outside), (String::new(), ".git".to_owned()), "{outside}");
    }
    let mut named = stage.command("project/packages/a");
    let output = named.args(["where", "--json", "--project", "../.."]).output().expect("mere runs");
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(reply["data"]["found_by"], "--project", "what a person names stays");
}

#[test]
fn the_outer_project_stays_readable_by_its_spaces_name() {
    let stage = stage();
    trust(&stage);
    let list = call(&stage, "packages/a", "dir", &json!({ "command": "list" }));
    assert_eq!(list.paths(), ["ROOT_PROJECT:/src/", "ROOT_PROJECT:/noise.log"]);
    let shared = json!({ "path": "mod:Big-Repo:/shared.md" });
    assert_eq!(call(&stage, "packages/a", "read", &shared).code(), "WA-READ-S-001");
    let denied = json!({ "path": "mod:Big-Repo:/shared.md", "content": "" });
    assert_eq!(call(&stage, "packages/a", "write", &denied).code(), "EN-WRITE-D-001");
    // Ignore files of the repository around count inside.
    let glob = call(&stage, "packages/a", "glob", &json!({ "pattern": "*" }));
    assert_eq!(glob.reply["data"]["matches"], json!(["ROOT_PROJECT:/src/main.rs"]));
}

#[test]
fn agents_of_the_outer_project_keep_their_workspaces_to_themselves() {
    let stage = stage();
    trust(&stage);
    stage.file("project/.ai/workspaces/default/secret.md", "hush-hush\n");
    let path = json!({ "path": "mod:Big-Repo:/.ai/workspaces/default/secret.md" });
    assert_eq!(call(&stage, "packages/a", "read", &path).code(), "WA-PATH-I-001");
    let grep = json!({ "pattern": "hush", "path": "mod:Big-Repo:/" });
    assert_eq!(call(&stage, "packages/a", "grep", &grep).reply["data"]["count"], 0);
    let write = json!({ "path": "ROOT_WORKSPACE:/n.md", "content": "n" });
    assert_eq!(call(&stage, "packages/a", "write", &write).code(), "WA-WRITE-S-001");
    assert!(stage.path("project/packages/a/.ai/workspaces/default/n.md").is_file());
}

#[test]
fn agents_of_a_neighbour_keep_their_workspaces_to_themselves_too() {
    let stage = stage();
    trust(&stage);
    stage.file("project/packages/a/.ai/workspaces/alice/secret.md", "hush-hush\n");
    let outer = json!({ "path": "mod:Big-Repo:/packages/a/.ai/workspaces/alice/secret.md" });
    assert_eq!(call(&stage, "packages/b", "read", &outer).code(), "WA-PATH-I-001");
    let inner = json!({ "path": "packages/a/.ai/workspaces/alice/secret.md" });
    assert_eq!(call(&stage, "", "read", &inner).code(), "WA-PATH-I-001");
    let tree = call(&stage, "", "dir", &json!({ "command": "tree", "depth": 9 })).reply.to_string();
    assert!(!tree.contains("workspaces"), "{tree}");
    stage.file("home/.ai/workspaces/bob/mine.md", "hush-hush\n");
    let user = json!({ "path": "ROOT_USER:/workspaces/bob/mine.md" });
    assert_eq!(call(&stage, "", "read", &user).code(), "WA-PATH-I-001");
}

#[test]
fn what_the_outer_project_hides_is_hidden_inside_too() {
    let stage = stage();
    let config = "projects: ['packages/*']\nsensitive: ['*.token', 'packages/a/hidden.txt']\n";
    stage.file("project/.ai/config.yaml", config);
    for file in
        ["root.token", "packages/a/x.token", "packages/a/hidden.txt", "packages/b/hidden.txt"]
    {
        stage.file(&format!("project/{file}"), "hush-hush\n");
    }
    trust(&stage);
    let read = |below: &str, path: &str| {
        call(&stage, below, "read", &json!({ "path": path })).reply["reply_type"].clone()
    };
    assert_eq!(found_by(&stage, "packages/a").1, "projects");
    for (below, path) in [
        ("packages/a", "x.token"),
        ("packages/a", "hidden.txt"),
        ("packages/a", "mod:Big-Repo:/root.token"),
        ("packages/b", "mod:Big-Repo:/packages/a/hidden.txt"),
    ] {
        assert_eq!(read(below, path), "I", "{below} {path}");
    }
    assert_eq!(read("packages/b", "hidden.txt"), "S");
}

#[test]
fn trust_taken_back_reaches_a_running_server() {
    let stage = stage();
    trust(&stage);
    let mut command = stage.command("project/packages/a");
    command.arg("mcp");
    let mut mcp = crate::support::harness::Mcp::spawn(&stage, command);
    mcp.greet();
    let shared = json!({ "path": "mod:Big-Repo:/shared.md" });
    let mut code = || mcp.tool("read", &shared)["structuredContent"]["code"].clone();
    assert_eq!(code(), "WA-READ-S-001");
    assert!(stage.person(&["trust", "project", "--revoke"]).status.success());
    assert_eq!(code(), "WA-PATH-I-001");
}

#[test]
fn a_person_finds_the_outer_project_and_takes_trust_back_from_inside() {
    let stage = stage();
    trust(&stage);
    let run = |arguments: &[&str]| {
        let output = stage.command("project/packages/a").args(arguments).output();
        String::from_utf8(output.expect("mere runs").stdout).expect("UTF-8")
    };
    let words = run(&["where", "../../shared.md"]);
    assert!(words.contains("mod:Big-Repo:/shared.md (outside_boundaries)"), "{words}");
    assert!(words.contains("extra       mod:Big-Repo:/ is "), "{words}");
    assert!(
        run(&["where", "ROOT_PROJECT:/src/main.rs"])
            .contains(" ROOT_PROJECT:/src/main.rs (user_project)")
    );
    assert_eq!(run(&["read", "../../packages/b/src/main.rs"]), "fn main() {}\n");
    assert!(run(&["trust", "project", "--revoke"]).contains("Trust revoked."));
    assert_eq!(found_by(&stage, "packages/a").1, ".git");
}
