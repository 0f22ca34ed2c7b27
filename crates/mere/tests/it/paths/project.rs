//! Where the project is found, in real repositories and in plain folders.

use std::path::Path;
use std::process::Command;

use crate::support::harness::Stage;

/// A stage without the `.git` that other tests have.
fn stage() -> Stage {
    let stage = Stage::new();
    std::fs::remove_dir(stage.path("project/.git")).expect("an empty folder");
    stage
}

/// The address of the folder the command runs in: where the project is, seen from there.
fn working(stage: &Stage, below: &str) -> String {
    let answer = stage.answer(stage.command(below).args(["call", "dir"]));
    answer.reply["data"]["working"].as_str().expect("inside the project").to_owned()
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@t", "-c", "protocol.file.allow=always"]);
    let output = command.args(arguments).current_dir(folder).output().expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_repository_a_worktree_and_a_submodule_are_projects() {
    let stage = stage();
    let repository = stage.folder("project/repository");
    git(&repository, &["init", "-q"]);
    stage.file("project/repository/src/a.rs", "");
    git(&repository, &["add", "."]);
    git(&repository, &["commit", "-qm", "first"]);
    assert_eq!(working(&stage, "project/repository/src"), "ROOT_PROJECT:/src/");

    git(&repository, &["worktree", "add", "-q", "../worktree"]);
    assert!(stage.path("project/worktree/.git").is_file());
    assert_eq!(working(&stage, "project/worktree/src"), "ROOT_PROJECT:/src/");

    let outer = stage.folder("project/outer");
    git(&outer, &["init", "-q"]);
    git(&outer, &["submodule", "--quiet", "add", "../repository", "inner"]);
    assert!(stage.path("project/outer/inner/.git").is_file());
    assert_eq!(working(&stage, "project/outer/inner/src"), "ROOT_PROJECT:/src/");
    assert_eq!(working(&stage, "project/outer"), "ROOT_PROJECT:/");
}

#[test]
fn markers_are_looked_for_one_after_the_other_each_to_the_top() {
    let stage = stage();
    stage.folder("project/a/b/c");
    let mut expected = "ROOT_PROJECT:/";
    // Each marker that comes earlier in the order wins from further up.
    for (marker, below, from_c) in [
        (".ai", "a/b/c", "ROOT_PROJECT:/"),
        ("build.gradle", "a/b", "ROOT_PROJECT:/c/"),
        ("pom.xml", "a/b/c", "ROOT_PROJECT:/"),
        ("go.mod", "a/b", "ROOT_PROJECT:/c/"),
        ("Cargo.toml", "a/b/c", "ROOT_PROJECT:/"),
        ("pyproject.toml", "a/b", "ROOT_PROJECT:/c/"),
        ("package.json", "a/b/c", "ROOT_PROJECT:/"),
        (".git", "a", "ROOT_PROJECT:/b/c/"),
    ] {
        let path = format!("project/{below}/{marker}");
        if marker == ".ai" {
            stage.folder(&path);
        } else {
            stage.file(&path, "");
        }
        assert_eq!(working(&stage, "project/a/b/c"), from_c, "{marker}");
        expected = from_c;
    }
    assert_eq!(expected, "ROOT_PROJECT:/b/c/");
}

#[test]
fn the_users_own_markers_come_last() {
    let stage = stage();
    stage.folder("project/a/b");
    stage.file("project/WORKSPACE", "");
    stage.file("home/.ai/config.yaml", "projectMarkers: [WORKSPACE]\n");
    assert_eq!(working(&stage, "project/a/b"), "ROOT_PROJECT:/a/b/");
    stage.file("project/a/go.mod", "");
    assert_eq!(working(&stage, "project/a/b"), "ROOT_PROJECT:/b/");
    stage.file("home/.ai/config.yaml", "projectMarkers: [\"a/b\"]\n");
    let answer = stage.answer(stage.command("project").args(["call", "dir"]));
    assert_eq!(answer.code(), "WA-CONFIG-E-001");
}

#[test]
fn the_user_space_makes_no_project_of_the_home_folder() {
    let stage = stage();
    stage.folder("home/.ai");
    stage.folder("home/plain/deep");
    assert_eq!(working(&stage, "home/plain/deep"), "ROOT_PROJECT:/");
    stage.folder("home/plain/.ai");
    assert_eq!(working(&stage, "home/plain/deep"), "ROOT_PROJECT:/deep/");
}

#[test]
fn a_folder_of_another_owner_ends_the_search() {
    let stage = stage();
    stage.folder("project/theirs/mine/deep");
    stage.folder("project/theirs/.git");
    let give = |below: &str| {
        let path = stage.path(below);
        let output = Command::new("chown").arg("65534").arg(path).output().expect("chown runs");
        output.status.success()
    };
    // Only root can give a folder away; anyone else owns all of this.
    let given = give("project/theirs");
    let expected = if given { "ROOT_PROJECT:/" } else { "ROOT_PROJECT:/mine/deep/" };
    assert_eq!(working(&stage, "project/theirs/mine/deep"), expected);
}

#[test]
fn the_owner_is_compared_with_the_user_and_not_with_the_working_directory() {
    let stage = stage();
    stage.folder("project/theirs/deep");
    stage.folder("project/theirs/.git");
    let give = |below: &str| {
        let path = stage.path(below);
        Command::new("chown").args(["-R", "65534"]).arg(path).status().expect("chown").success()
    };
    let given = give("project/theirs");
    // All of it belongs to somebody else: git would refuse it, and it is only found by name.
    let expected = if given { "ROOT_PROJECT:/" } else { "ROOT_PROJECT:/deep/" };
    assert_eq!(working(&stage, "project/theirs/deep"), expected);
    if given {
        let words = where_data(&stage, "project/theirs/deep", None)["data"].to_string();
        assert!(words.contains("a folder that somebody else owns"), "{words}");
        let mut command = stage.command("project/theirs/deep");
        let answer = stage.answer(command.args(["--project", "..", "call", "dir"]));
        assert_eq!(answer.reply["data"]["working"], "ROOT_PROJECT:/deep/");
        // After `sudo`, what is the person's own counts, as it does for git.
        let mut command = stage.command("project/theirs/deep");
        command.env("SUDO_UID", "65534");
        let answer = stage.answer(command.args(["call", "dir"]));
        assert_eq!(answer.reply["data"]["working"], "ROOT_PROJECT:/deep/");
    }
}

#[test]
fn a_marker_that_somebody_else_planted_is_passed_over() {
    let stage = stage();
    stage.folder("project/mine/deep");
    for marker in [".git", "package.json", ".ai"] {
        let planted = stage.path("project/mine").join(marker);
        if marker == "package.json" {
            stage.file("project/mine/package.json", "{}");
        } else {
            stage.folder(&format!("project/mine/{marker}"));
        }
        assert_eq!(working(&stage, "project/mine/deep"), "ROOT_PROJECT:/deep/", "{marker}");
        let given = Command::new("chown").arg("65534").arg(&planted).status().expect("chown");
        if given.success() {
            assert_eq!(working(&stage, "project/mine/deep"), "ROOT_PROJECT:/", "{marker}");
        }
        let _ = std::fs::remove_dir(&planted).or_else(|_| std::fs::remove_file(&planted));
    }
}

#[test]
fn a_marker_may_be_a_link() {
    let stage = stage();
    let cases = [
        (".git", "folder"),
        (".git", "file"),
        ("package.json", "file"),
        ("Cargo.toml", "file"),
        ("go.mod", "file"),
        ("pyproject.toml", "file"),
        ("pom.xml", "file"),
        ("build.gradle", "file"),
        (".ai", "folder"),
    ];
    stage.folder("beside/folder");
    stage.file("beside/file", "");
    stage.folder("project/a/b");
    for (marker, target) in cases {
        let link = format!("project/a/{marker}");
        stage.link(stage.path("beside").join(target), &link);
        assert_eq!(working(&stage, "project/a/b"), "ROOT_PROJECT:/b/", "{marker} to a {target}");
        std::fs::remove_file(stage.path(&link)).expect("a link");
        stage.link("/nowhere/at/all", &link);
        assert_eq!(working(&stage, "project/a/b"), "ROOT_PROJECT:/", "{marker} to nothing");
        std::fs::remove_file(stage.path(&link)).expect("a link");
    }
    // A link to what the marker is not, and to the user space, is no marker.
    stage.folder("home/.ai");
    for (marker, target) in [("package.json", "beside/folder"), (".ai", "home/.ai")] {
        let link = format!("project/a/{marker}");
        stage.link(stage.path(target), &link);
        assert_eq!(working(&stage, "project/a/b"), "ROOT_PROJECT:/", "{marker}");
        std::fs::remove_file(stage.path(&link)).expect("a link");
    }
}

#[test]
fn a_plain_folder_is_its_own_project() {
    let stage = stage();
    stage.folder("beside/plain");
    assert_eq!(working(&stage, "beside/plain"), "ROOT_PROJECT:/");
}

/// `mere where --json` from a folder, with a path if given.
fn where_data(stage: &Stage, below: &str, path: Option<&str>) -> serde_json::Value {
    let output = stage.command(below).args(["where", "--json"]).args(path).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn where_says_what_found_the_project_and_where_things_are() {
    let stage = Stage::new();
    stage.folder("project/src");
    let canonical = |below: &str| {
        let path = stage.path(below).canonicalize().expect("there");
        path.to_str().expect("UTF-8").to_owned()
    };
    let reply = where_data(&stage, "project/src", None);
    assert_eq!((&reply["reply_type"], &reply["code"]), (&"S".into(), &"WA-WHERE-S-001".into()));
    let data = &reply["data"];
    assert_eq!(data["project_dir"], canonical("project"));
    assert_eq!(data["found_by"], ".git");
    assert_eq!(data["working_dir"], canonical("project/src"));
    assert_eq!(data["agent_workspace"], canonical("project") + "/.ai/workspaces/default");
    assert_eq!(data["user_space"], stage.path("home/.ai").to_str().expect("UTF-8"));
    assert_eq!(data.get("path"), None);
    let plain = stage.person(&["where"]);
    assert!(String::from_utf8_lossy(&plain.stdout).contains("(found by .git)"));
    assert_eq!(where_data(&stage, "beside", None)["data"]["found_by"], "working directory");
}

#[test]
fn where_places_a_path_by_component_and_handle() {
    let stage = Stage::new();
    stage.file("project/src/a.rs", "");
    stage.file("project/.ai/workspaces/default/notes.md", "");
    stage.file("home/.ai/config.yaml", "");
    stage.folder("project-twin");
    stage.link("../beside", "project/out");
    let absolute = |below: &str| stage.path(below).to_str().expect("UTF-8").to_owned();
    let check = |path: &str, address: Option<&str>, boundary: &str| {
        let placed = where_data(&stage, "project/src", Some(path))["data"]["path"].clone();
        assert_eq!(placed["input"], path);
        assert_eq!(placed["address"].as_str(), address, "{path}");
        assert_eq!(placed["boundary"], boundary, "{path}");
    };
    check("a.rs", Some("ROOT_PROJECT:/src/a.rs"), "user_project");
    check(".", Some("ROOT_PROJECT:/src/"), "user_project");
    check("..", Some("ROOT_PROJECT:/"), "user_project");
    check("../src/../src/a.rs", Some("ROOT_PROJECT:/src/a.rs"), "user_project");
    check("new/file.txt", Some("ROOT_PROJECT:/src/new/file.txt"), "user_project");
    check(&absolute("project/src/a.rs"), Some("ROOT_PROJECT:/src/a.rs"), "user_project");
    let notes = "../.ai/workspaces/default/notes.md";
    check(notes, Some("ROOT_WORKSPACE:/notes.md"), "agent_workspace");
    check(&absolute("home/.ai/config.yaml"), Some("ROOT_USER:/config.yaml"), "outside_boundaries");
    check("../../beside", None, "outside_boundaries");
    check("../out", None, "outside_boundaries");
    check("new/../../x", None, "outside_boundaries");
    check(&absolute("project-twin"), None, "outside_boundaries");
    check("/etc/hosts", None, "system_restricted");
    check("/proc/self/environ", None, "system_restricted");
    check("/etcetera", None, "outside_boundaries");
    for windows in
        [r"C:\Windows\System32", r"\\?\C:\Windows", r"D:\Program Files (x86)\a", "c:/windows"]
    {
        check(windows, None, "system_restricted");
    }
    check("/mnt/c/Windows/System32", None, "system_restricted");
    check("/mnt/c/Users/me", None, "outside_boundaries");
    check(r"C:\Users\me", None, "outside_boundaries");
    for folder in ["/lib", "/lib64/x", "/run/x", "/System/x", "/Library/x", "/root/x", "/boot"] {
        check(folder, None, "system_restricted");
    }
}

#[test]
fn where_gives_no_address_that_agents_cannot_read() {
    let mut stage = Stage::new();
    stage.file("project/.env", "KEY=1");
    stage.file("project/.ssh/config", "");
    stage.file("project/.ai/workspaces/other/notes.md", "");
    stage.file("project/a/b.md", "");
    stage.file("project/a/\u{62}\u{ad}c.md", "");
    stage.file("project/a/bc.md", "");
    stage.file("project/zero\u{200b}width", "");
    stage.file("project/state/merestone/approvals.json", "");
    stage.variable("XDG_STATE_HOME", "project/state");
    stage.link("../beside", "project/out");
    let check = |path: &str, address: Option<&str>, note: &str| {
        let reply = where_data(&stage, "project", Some(path));
        let placed = &reply["data"]["path"];
        assert_eq!(placed["address"].as_str(), address, "{path} {reply}");
        let notes = reply["data"]["notes"].to_string();
        assert!(notes.contains(note), "{path} {notes}");
        placed["boundary"].as_str().expect("a boundary").to_owned()
    };
    for path in [".env", ".ssh/config", ".ssh/new", "ROOT_PROJECT:/.env"] {
        assert_eq!(check(path, None, "it is sensitive: `mere allow PATH`"), "user_project");
    }
    for path in [".ai/workspaces/other/notes.md", ".ai/workspaces", ".ai/workspaces/third/new"] {
        assert_eq!(check(path, None, "the workspace of another agent"), "user_project");
    }
    for path in ["state/merestone/approvals.json", "state/merestone/new", "a/bc.md"] {
        assert_eq!(check(path, None, "Agents cannot read the path"), "user_project");
    }
    assert_eq!(check("zero\u{200b}width", None, "no address: a name in it"), "user_project");
    check("a/b.md", Some("ROOT_PROJECT:/a/b.md"), "");
    check("a/new.md", Some("ROOT_PROJECT:/a/new.md"), "");
    check(".ai/workspaces/default/new", Some("ROOT_WORKSPACE:/new"), "");
    assert!(stage.person(&["allow", ".env"]).status.success());
    check(".env", Some("ROOT_PROJECT:/.env"), "");
}

#[test]
fn where_says_what_does_not_count_and_where_the_search_ended() {
    let stage = Stage::new();
    stage.file("project/.ai/config.yaml", "mods: [{id: a, name: a, path: /}]\n");
    let notes = where_data(&stage, "project", None)["data"]["notes"].to_string();
    assert!(notes.contains("mere trust project"), "{notes}");
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    let notes = where_data(&stage, "project", None)["data"]["notes"].to_string();
    assert!(!notes.contains("mere trust project"), "{notes}");
    stage.file("home/.ai/config.yaml", "mods: []\nsecret: x\n");
    let notes = where_data(&stage, "project", None)["data"]["notes"].to_string();
    assert!(notes.contains("ROOT_USER:/config.yaml is not valid at line 2, column 1"), "{notes}");
    // `/proc` is always a mount of its own.
    let output = stage.command("project").args(["-C", "/proc/self", "where"]).output();
    let words = String::from_utf8_lossy(&output.expect("runs").stdout).into_owned();
    assert!(words.contains("stopped at a mount point"), "{words}");
}

#[test]
fn the_home_folder_is_no_project_because_of_its_space() {
    let stage = Stage::new();
    stage.folder("home/.ai");
    stage.folder("home/plain");
    stage.folder("elsewhere");
    let mut command = stage.command("home/plain");
    command.env("USER_SPACE", stage.path("elsewhere")).args(["where", "--json"]);
    let output = command.output().expect("runs");
    let reply = serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON");
    assert_eq!(reply["data"]["found_by"], "working directory", "{reply}");
}
