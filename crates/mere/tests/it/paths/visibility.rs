//! What a root shows and what no root shows.

use serde_json::json;

use crate::support::harness::Stage;

#[test]
fn private_folders_are_visible_under_no_root() {
    let mut stage = Stage::new();
    for (name, folder) in [
        ("XDG_CONFIG_HOME", "project/dotfiles/config"),
        ("XDG_STATE_HOME", "project/dotfiles/state"),
        ("XDG_DATA_HOME", "project/dotfiles/data"),
        ("XDG_CACHE_HOME", "project/dotfiles/cache"),
    ] {
        stage.file(&format!("{folder}/merestone/keys/private"), "key");
        stage.file(&format!("{folder}/other/fine"), "");
        stage.variable(name, folder);
    }
    stage.link("dotfiles/config/merestone", "project/link");
    stage.link("dotfiles/config/merestone/keys", "project/deep-link");
    let tree = stage.call(&json!({ "command": "tree" }));
    assert!(!tree.reply.to_string().contains("merestone"), "{}", tree.reply);
    assert_eq!(tree.paths().len(), 9, "{}", tree.reply);
    let list = stage.list("dotfiles/config");
    assert_eq!(list.paths(), ["ROOT_PROJECT:/dotfiles/config/other/"]);
    assert!(!stage.list("").reply.to_string().contains("link"));
    for path in ["dotfiles/config/merestone", "dotfiles/state/merestone/keys", "link", "deep-link"]
    {
        assert_eq!(stage.list(path).code(), "WA-PATH-I-001", "{path}");
    }
}

#[test]
fn a_project_inside_a_private_folder_is_refused() {
    let mut stage = Stage::new();
    stage.folder("private/keys");
    stage.variable("MERE_CONFIG_DIR", "private");
    for project in ["../private", "../private/keys"] {
        let output = stage.person(&["--project", project, "call", "dir"]);
        assert_eq!(output.status.code(), Some(2), "{project}");
    }
}

#[test]
fn a_workspace_is_its_agents_alone() {
    let stage = Stage::new();
    stage.file("project/.ai/workspaces/default/mine.txt", "");
    stage.file("project/.ai/workspaces/other/theirs.txt", "");
    stage.file("project/.ai/knowledge/n.md", "");
    assert_eq!(stage.list("ROOT_WORKSPACE:/").paths(), ["ROOT_WORKSPACE:/mine.txt"]);
    assert_eq!(stage.list(".ai").paths(), ["ROOT_PROJECT:/.ai/knowledge/"]);
    for path in [".ai/workspaces", ".ai/workspaces/default", "ROOT_PROJECT:/.ai/workspaces/other"] {
        assert_eq!(stage.list(path).code(), "WA-PATH-I-001", "{path}");
    }
    let mut command = stage.command("project");
    command.args(["call", "--agent", "other", "dir"]);
    let answer = stage.answer(command.arg(r#"{"command":"list","path":"ROOT_WORKSPACE:/"}"#));
    assert_eq!(answer.paths(), ["ROOT_WORKSPACE:/theirs.txt"]);
}

#[test]
fn roots_without_a_folder_are_empty() {
    let stage = Stage::new();
    for root in ["ROOT_USER:/", "ROOT_WORKSPACE:/", "ROOT_REGISTRY:/"] {
        let answer = stage.list(root);
        assert_eq!((answer.status, answer.paths().len()), (0, 0), "{root}");
    }
}

#[test]
fn sensitive_files_are_answered_as_missing() {
    let stage = Stage::new();
    stage.file("project/.env", "TOKEN=1");
    stage.file("project/.env.example", "TOKEN=");
    stage.file("project/.ssh/config", "");
    stage.file("project/tls/server.pem", "");
    stage.link("../.env", "project/tls/notes");
    let answer = stage.list("");
    let expected = [".git/", "tls/", ".env.example"].map(|name| format!("ROOT_PROJECT:/{name}"));
    assert_eq!(answer.paths(), expected);
    assert_eq!(stage.list("tls").paths(), Vec::<String>::new());
    let missing = stage.list("missing").timeless();
    for path in [".env", ".ssh", ".ssh/config", "tls/server.pem", "tls/notes"] {
        assert_eq!(stage.list(path).timeless(), missing, "{path}");
    }
}

#[test]
fn the_project_is_found_upwards_by_git_folder_or_file() {
    let stage = Stage::new();
    stage.folder("project/deep/down");
    stage.file("project/worktree/.git", "gitdir: elsewhere");
    stage.folder("project/worktree/src");
    let working = |below: &str| {
        let answer = stage.answer(stage.command(below).args(["call", "dir"]));
        answer.reply["data"]["working"].clone()
    };
    assert_eq!(working("project/deep/down"), "ROOT_PROJECT:/deep/down/");
    assert_eq!(working("project/worktree/src"), "ROOT_PROJECT:/src/");
    assert_eq!(working("beside"), "ROOT_PROJECT:/");
    let mut named = stage.command("beside");
    named.env("MERE_PROJECT", stage.path("project")).args(["call", "dir"]);
    named.arg(r#"{"command":"list"}"#);
    assert!(stage.answer(&mut named).paths().contains(&"ROOT_PROJECT:/deep/".to_owned()));
    let mut elsewhere = stage.command("beside");
    elsewhere.arg("-C").arg(stage.path("project/deep")).args(["call", "dir"]);
    assert_eq!(stage.answer(&mut elsewhere).reply["data"]["working"], "ROOT_PROJECT:/deep/");
}
