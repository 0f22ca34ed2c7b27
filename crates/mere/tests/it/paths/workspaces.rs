//! Workspaces of package managers: without git their root is the project, not the nearest member.

use serde_json::Value;

use crate::support::harness::Stage;

fn stage() -> Stage {
    let stage = Stage::new();
    std::fs::remove_dir(stage.path("project/.git")).expect("an empty folder");
    stage
}

fn where_data(stage: &Stage, below: &str) -> Value {
    let output = stage.command(below).args(["where", "--json"]).output().expect("runs");
    serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["data"].clone()
}

/// Checks what is the project and what the member, as seen from a folder.
fn check(stage: &Stage, from: &str, expected: (&str, &str, Option<&str>)) {
    let data = where_data(stage, from);
    let path = |below: &str| {
        let path = stage.path(below).canonicalize().expect("there");
        path.to_str().expect("UTF-8").to_owned()
    };
    let (project, found_by, member) = expected;
    assert_eq!(data["project_dir"], path(project), "{from}");
    assert_eq!(data["found_by"], found_by, "{from}");
    assert_eq!(data["member"].as_str(), member.map(path).as_deref(), "{from}");
}

#[test]
fn the_root_of_a_workspace_is_the_project_and_where_names_both() {
    let members = [
        ("npm", "package.json", "package.json", r#"{"workspaces": ["packages/*"]}"#),
        ("yarn", "package.json", "package.json", r#"{"workspaces": {"packages": ["packages/*"]}}"#),
        ("pnpm", "package.json", "pnpm-workspace.yaml", "packages: ['packages/*']\n"),
        ("cargo", "Cargo.toml", "Cargo.toml", "[workspace]\nmembers = [\"packages/*\"]\n"),
        ("go", "go.mod", "go.work", "go 1.22\nuse (\n\t./packages/a\n)\n"),
        (
            "uv",
            "pyproject.toml",
            "pyproject.toml",
            "[tool.uv.workspace]\nmembers = [\"packages/*\"]\n",
        ),
    ];
    for (kind, marker, root_file, text) in members {
        let stage = stage();
        stage.file(&format!("project/{root_file}"), text);
        stage.file(&format!("project/packages/a/{marker}"), "");
        stage.file(&format!("project/other/b/{marker}"), "");
        stage.folder("project/packages/a/src");
        let (root, member) = ("project", Some("project/packages/a"));
        check(&stage, "project/packages/a/src", (root, root_file, member));
        check(&stage, "project/packages/a", (root, root_file, member));
        let output = stage.command("project/packages/a/src").arg("where").output().expect("runs");
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        let member = words.lines().find(|line| line.starts_with("member ")).expect(kind);
        assert!(member.ends_with("/project/packages/a"), "{words}");
        // What the workspace does not name is a project of its own, except where Cargo claims it.
        match kind {
            "cargo" => check(&stage, "project/other/b", (root, root_file, Some("project/other/b"))),
            _ => check(&stage, "project/other/b", ("project/other/b", marker, None)),
        }
        // Agents see the whole workspace.
        let mut command = stage.command("project/packages/a/src");
        let answer = stage.answer(command.args(["call", "dir"]));
        assert_eq!(answer.reply["data"]["working"], "ROOT_PROJECT:/packages/a/src/");
    }
}

#[test]
fn git_and_a_name_win_over_a_workspace() {
    let stage = stage();
    stage.file("project/Cargo.toml", "[workspace]\n");
    stage.file("project/member/Cargo.toml", "");
    stage.folder("project/member/.git");
    check(&stage, "project/member", ("project/member", ".git", None));
    std::fs::remove_dir(stage.path("project/member/.git")).expect("an empty folder");
    check(&stage, "project/member", ("project", "Cargo.toml", Some("project/member")));
    let output = stage.command("project/member").args(["--project", ".", "where"]).output();
    let words = String::from_utf8_lossy(&output.expect("runs").stdout).into_owned();
    assert!(words.contains("/project/member (found by --project)"), "{words}");
}

#[test]
fn a_member_that_is_excluded_or_a_file_that_is_broken_widens_nothing() {
    let stage = stage();
    stage.file("project/member/Cargo.toml", "");
    for text in ["[workspace]\nexclude = [\"member\"]\n", "[workspace\n", "workspace = 1\n", ""] {
        stage.file("project/Cargo.toml", text);
        check(&stage, "project/member", ("project/member", "Cargo.toml", None));
    }
    stage.file("project/Cargo.toml", &format!("[workspace]\n{}", "#".repeat(2 << 20)));
    check(&stage, "project/member", ("project/member", "Cargo.toml", None));
    std::fs::remove_file(stage.path("project/Cargo.toml")).expect("a file");
    stage.folder("project/Cargo.toml");
    check(&stage, "project/member", ("project/member", "Cargo.toml", None));
}

#[test]
fn no_workspace_makes_a_project_of_the_home_folder() {
    let stage = stage();
    stage.file("home/package.json", r#"{"workspaces": ["work/*"]}"#);
    stage.file("home/work/a/package.json", "{}");
    check(&stage, "home/work/a", ("home/work/a", "package.json", None));
}

#[test]
fn a_workspace_of_somebody_else_claims_nothing() {
    let stage = stage();
    stage.file("project/theirs/Cargo.toml", "[workspace]\n");
    stage.file("project/theirs/member/Cargo.toml", "");
    let theirs = stage.path("project/theirs");
    let given = std::process::Command::new("chown").arg("65534").arg(&theirs).status();
    if given.expect("chown").success() {
        let own = ("project/theirs/member", "Cargo.toml", None);
        check(&stage, "project/theirs/member", own);
    }
}
