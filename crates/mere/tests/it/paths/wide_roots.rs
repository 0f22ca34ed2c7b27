//! A root that nobody named is not a project: `/`, folders of the system, the home folder and those
//! above it.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::container::Container;
use crate::support::harness::{Http, Mcp, Stage};
use crate::support::typist::Typist;
use crate::support::workshop::manifest;

const NOTE: &str = "---\nid: note\ntitle: Mine\n---\nA note about otters.\n";
const ADVICE: &str = "start it in a project or pass `--project`";

/// The calls of every file tool that names no root.
fn file_calls() -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({ "path": "etc/passwd" })),
        ("read", json!({ "path": "/etc/passwd" })),
        ("read", json!({ "path": "ROOT_PROJECT:/etc/passwd" })),
        ("read", json!({ "path": "passwd" })),
        ("dir", json!({ "command": "list" })),
        ("dir", json!({ "command": "tree" })),
        ("dir", json!({ "command": "list", "home": "ROOT_PROJECT" })),
        ("dir", json!({ "command": "cd", "path": "ROOT_PROJECT" })),
        ("dir", json!({ "command": "list", "path": "ROOT_WORKSPACE:/" })),
        ("glob", json!({ "pattern": "**/passwd" })),
        ("grep", json!({ "pattern": "root:" })),
        ("write", json!({ "path": "ROOT_WORKSPACE:/a", "content": "" })),
        ("write", json!({ "path": "a", "content": "" })),
        ("edit", json!({ "path": "ROOT_WORKSPACE:/a", "old": "x", "new": "y" })),
    ]
}

/// Checks that a folder gives no project: every file tool says so, and what to do.
fn assert_no_project(stage: &Stage, start: &dyn Fn() -> Command) {
    for (tool, arguments) in file_calls() {
        let answer = stage.answer(start().args(["call", tool, &arguments.to_string()]));
        assert_eq!(answer.code(), "WA-PROJECT-I-001", "{tool} {arguments}");
        assert_eq!(answer.status, 1);
        let hint = answer.reply["hint"].as_str().expect("a hint");
        assert!(hint.contains(ADVICE), "{hint}");
    }
    let answer = stage.answer(start().args(["call", "dir"]));
    assert_eq!(answer.reply["data"]["home"], "ROOT_USER:/");
    assert_eq!(answer.reply["data"]["working"], Value::Null);
}

fn where_data(mut command: Command) -> Value {
    let output = command.args(["where", "--json"]).output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["data"].clone()
}

/// `mere` in any folder of the machine.
fn command_in(stage: &Stage, folder: &str) -> Command {
    let mut command = stage.command("home");
    command.current_dir(folder);
    command
}

#[test]
fn a_wide_folder_that_nobody_named_is_no_project() {
    let stage = Stage::new();
    stage.file("home/.ai/knowledge/note.md", NOTE);
    let base = stage.path("").to_str().expect("UTF-8").to_owned();
    let home = stage.path("home").to_str().expect("UTF-8").to_owned();
    let folders = ["/", "/etc", "/usr", "/usr/bin", "/var", "/proc", &base, &home, "/tmp"];
    for folder in folders {
        assert_no_project(&stage, &|| command_in(&stage, folder));
        let data = where_data(command_in(&stage, folder));
        assert_eq!((&data["project_dir"], &data["found_by"]), (&Value::Null, &Value::Null));
        assert_eq!(data["agent_workspace"], Value::Null);
        let notes = data["notes"].to_string();
        assert!(notes.contains("Start it in a project or pass `--project`"), "{notes}");
        let output = command_in(&stage, folder).arg("doctor").output().expect("runs");
        let words = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(words.contains("there is no project"), "{words}");
        assert!(words.contains("Start it in a project or pass `--project`"), "{words}");
    }
}

#[test]
fn what_lies_in_a_wide_folder_is_an_ordinary_folder() {
    let stage = Stage::new();
    stage.file("home/plain/a.txt", "a\n");
    let found = |folder: &str| where_data(command_in(&stage, folder))["project_dir"].clone();
    let plain = stage.path("home/plain").canonicalize().expect("there");
    assert_eq!(found(plain.to_str().expect("UTF-8")), plain.to_str().expect("UTF-8"));
    assert_eq!(found("/usr/share"), "/usr/share");
    let answer =
        stage.answer(stage.command("home/plain").args(["call", "read", r#"{"path":"a.txt"}"#]));
    assert_eq!(answer.reply["data"]["content"], "a\n");
}

#[test]
fn the_users_own_items_and_memories_work_without_a_project() {
    let stage = Stage::new();
    stage.file("home/.ai/knowledge/note.md", NOTE);
    let call = |tool: &str, arguments: Value| {
        stage.answer(command_in(&stage, "/").args(["call", tool, &arguments.to_string()]))
    };
    let loaded = call("load", json!({ "item_type": "knowledge", "item_id": "note" }));
    assert_eq!(loaded.reply["reply_type"], "S", "{}", loaded.reply);
    let found = call("search", json!({ "query": "otters" }));
    assert_eq!(found.reply["data"]["total"], 1, "{}", found.reply);
    let memory = json!({ "path": "trips/sea", "content": "The sea was calm.\n" });
    assert_eq!(call("create_category", json!({ "path": "trips" })).reply["reply_type"], "S");
    let kept = call("create_memory", memory);
    assert_eq!(kept.reply["reply_type"], "S", "{}", kept.reply);
    assert!(stage.path("home/.ai/memory/trips/sea.md").exists());
    assert_eq!(call("list_memories", json!({})).reply["reply_type"], "S");
    // An address says which root is meant, and so does a home that was chosen.
    let read = call("read", json!({ "path": "ROOT_USER:/knowledge/note.md" }));
    assert_eq!(read.reply["reply_type"], "S", "{}", read.reply);
    let listed = call("dir", json!({ "command": "list", "home": "ROOT_USER" }));
    assert_eq!(listed.reply["data"]["target"], "ROOT_USER:/");
    // Whatever would be kept in a project says that there is none.
    let create = json!({
        "item_type": "knowledge", "item_id": "new", "action": "create",
        "content": "---\ntitle: New\n---\nText.\n"
    });
    assert_eq!(call("execute", create).code(), "WA-PROJECT-I-001");
    let output = command_in(&stage, "/").args(["init"]).output().expect("runs");
    assert!(!output.status.success() && !stage.path("home/.ai/space.json").exists());
    assert!(!stage.path("home/.config/merestone/keys.json").exists(), "not even a key is made");
}

#[test]
fn the_users_own_tools_run_without_a_project() {
    let stage = Stage::new();
    let person = |arguments: &[&str]| {
        let output = command_in(&stage, "/").args(arguments).output().expect("runs");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    person(&["init", "--user", "--template", "blank"]);
    stage.file("home/.ai/tools/t/hello.sh", "echo hello; pwd; echo x > kept; ls /\n");
    stage.file("home/.ai/tools/t/hello.yaml", &manifest("hello", "bash_runtime", "hello.sh"));
    person(&["sign", "tool", "t/hello"]);
    let call = json!({ "item_type": "tool", "item_id": "t/hello" }).to_string();
    let answer = stage.answer(command_in(&stage, "/").args(["call", "execute", &call]));
    let stdout = answer.reply["data"]["stdout"].as_str().unwrap_or_default();
    assert!(stdout.starts_with("hello\n/work\n"), "{}", answer.reply);
    // Its workspace is in the user's space, and no root shows it, in this session or another.
    assert!(stage.path("home/.ai/workspaces/default/kept").exists());
    for folder in ["/", stage.path("project").to_str().expect("UTF-8")] {
        for path in ["ROOT_USER:/workspaces/default/kept", "ROOT_USER:/workspaces/"] {
            let read = json!({ "path": path }).to_string();
            let answer = stage.answer(command_in(&stage, folder).args(["call", "read", &read]));
            assert_eq!(answer.reply["reply_type"], "I", "{folder} {path}");
        }
        let list = json!({ "command": "list", "path": "ROOT_USER:/" }).to_string();
        let listed = stage.answer(command_in(&stage, folder).args(["call", "dir", &list]));
        assert!(!listed.paths().iter().any(|path| path.contains("workspaces")), "{folder}");
    }
}

#[test]
fn a_server_starts_without_a_project_and_says_so() {
    let stage = Stage::new();
    stage.folder("home/.ai");
    let mut command = command_in(&stage, "/");
    command.arg("mcp");
    let mut mcp = Mcp::spawn(&stage, command);
    let greeting = mcp.greet();
    let instructions = greeting["instructions"].as_str().expect("instructions");
    assert!(instructions.contains(ADVICE), "{instructions}");
    assert!(instructions.contains("ROOT_USER:/"), "{instructions}");
    assert!(!instructions.contains(" ROOT_PROJECT:/ "), "{instructions}");
    for (tool, arguments) in file_calls() {
        assert_eq!(mcp.call(tool, &arguments)["code"], "WA-PROJECT-I-001", "{tool} {arguments}");
    }
    assert_eq!(mcp.dir(&json!({}))["data"]["home"], "ROOT_USER:/");
    assert_eq!(mcp.dir(&json!({ "command": "cd", "path": "ROOT_USER" }))["reply_type"], "S");
    assert_eq!(mcp.dir(&json!({ "command": "list" }))["data"]["target"], "ROOT_USER:/");

    let http = Http::start(&stage, &["--project", "/"]);
    let answer = http.call(&json!({ "command": "list" }), None);
    assert!(answer.body.contains("WA-PROJECT-I-001"), "{}", answer.body);
}

#[test]
fn naming_a_wide_folder_needs_a_yes_and_the_top_is_refused_always() {
    let mut stage = Stage::new();
    let home = stage.path("home").to_str().expect("UTF-8").to_owned();
    for folder in ["/", "/etc", &home, "/proc/self/root", "//", "/etc/.."] {
        assert_no_project(&stage, &|| {
            let mut command = stage.command("project");
            command.args(["--project", folder]);
            command
        });
        stage.setting("MERE_PROJECT", folder);
        assert_no_project(&stage, &|| stage.command("project"));
        let data = where_data(stage.command("project"));
        assert!(data["notes"].to_string().contains("`MERE_PROJECT` names"), "{data}");
        stage.setting("MERE_PROJECT", "");
    }
    stage.link("/", "top");
    stage.link("home", "to-home");
    for link in ["top", "to-home"] {
        let link = stage.path(link);
        assert_no_project(&stage, &|| {
            let mut command = stage.command("project");
            command.arg("--project").arg(&link);
            command
        });
    }
}

#[test]
fn wide_roots_in_the_users_own_config_counts() {
    let stage = Stage::new();
    let home = stage.path("home").to_str().expect("UTF-8").to_owned();
    stage.file("home/notes.txt", "mine\n");
    let read = |folder: &str, path: &str| {
        let arguments = json!({ "path": path }).to_string();
        stage.answer(command_in(&stage, folder).args(["call", "read", &arguments]))
    };
    for listed in ["~".to_owned(), "~/".to_owned(), home.clone(), format!("{home}/")] {
        stage.file("home/.ai/config.yaml", &format!("wide_roots: [\"{listed}\"]\n"));
        assert_eq!(read(&home, "notes.txt").reply["data"]["content"], "mine\n", "{listed}");
        assert_eq!(where_data(command_in(&stage, &home))["found_by"], "working directory");
        assert_eq!(read("/etc", "passwd").code(), "WA-PROJECT-I-001", "only what is listed");
        let base = stage.path("");
        assert_eq!(read(base.to_str().expect("UTF-8"), "x").code(), "WA-PROJECT-I-001");
    }
    stage.file("home/.ai/config.yaml", "wide_roots: [/etc]\n");
    assert_eq!(read("/etc", "passwd").reply["reply_type"], "S");
    assert_eq!(read(&home, "notes.txt").code(), "WA-PROJECT-I-001");
    // The top and what is no path are mistakes in the config.
    for listed in ["/", "//", "etc", "../x", ""] {
        stage.file("home/.ai/config.yaml", &format!("wide_roots: [\"{listed}\"]\n"));
        let answer = stage.answer(stage.command("project").args(["call", "dir"]));
        assert_eq!(answer.code(), "WA-CONFIG-E-001", "{listed}");
    }
    // By another name it is the top all the same.
    stage.file("home/.ai/config.yaml", "wide_roots: [/proc/self/root, /etc/..]\n");
    assert_eq!(read("/", "etc/passwd").code(), "WA-PROJECT-I-001");
}

#[test]
fn a_projects_own_config_lists_no_wide_roots() {
    let stage = Stage::new();
    stage.file("project/.ai/config.yaml", "wide_roots: [/etc]\n");
    let answer = stage.answer(stage.command("project").args(["call", "dir"]));
    assert_eq!(answer.code(), "WA-CONFIG-E-001");
    let data = where_data(command_in(&stage, "/etc"));
    assert_eq!(data["project_dir"], Value::Null);
}

#[test]
fn a_yes_at_a_terminal_is_recorded_and_can_be_taken_back() {
    let stage = Stage::new();
    stage.file("home/notes.txt", "mine\n");
    let read = || {
        let mut command = stage.command("home");
        stage.answer(command.args(["call", "read", r#"{"path":"notes.txt"}"#]))
    };
    assert_eq!(read().code(), "WA-PROJECT-I-001");
    // Neither a pipe nor a flag is a person.
    for arguments in [&["trust", "project"][..], &["trust", "project", "--yes"]] {
        let output = stage.command("home").args(arguments).output().expect("runs");
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("wide_roots"));
    }
    let mut typist = Typist::start(&stage, "-C ../home trust project");
    typist.answer("Is this folder meant as a project?", "n");
    typist.wait_for("Nothing was recorded.");
    assert_eq!(read().code(), "WA-PROJECT-I-001");
    let mut typist = Typist::start(&stage, "--project ../home trust project");
    typist.answer("Is this folder meant as a project?", "y");
    typist.wait_for("is a project now");
    typist.wait_for("nothing to trust");
    assert_eq!(read().reply["data"]["content"], "mine\n");
    let named = where_data({
        let mut command = stage.command("project");
        command.args(["--project", "../home"]);
        command
    });
    assert_eq!(named["found_by"], "--project");
    // The yes is for this folder and for none beside it.
    assert_eq!(where_data(stage.command(""))["project_dir"], Value::Null);
    let output = stage.command("home").args(["trust", "project", "--revoke"]).output();
    assert!(String::from_utf8_lossy(&output.expect("runs").stdout).contains("Trust revoked."));
    assert_eq!(read().code(), "WA-PROJECT-I-001");
}

#[test]
fn a_second_yes_leaves_the_first_and_taking_one_back_leaves_the_other() {
    let stage = Stage::new();
    let found = |folder: &str| where_data(stage.command(folder))["project_dir"].is_string();
    for folder in ["../home", ".."] {
        let mut typist = Typist::start(&stage, &format!("--project {folder} trust project"));
        typist.answer("Is this folder meant as a project?", "y");
        typist.wait_for("is a project now");
    }
    assert!(found("home") && found(""), "both were meant");
    // Whoever revokes what was never trusted is told so, whatever other folders are recorded.
    let revoke = |folder: &str| {
        let output = stage.command(folder).args(["trust", "project", "--revoke"]).output();
        String::from_utf8(output.expect("runs").stdout).expect("text")
    };
    assert_eq!(revoke("project"), "There was nothing to revoke.\n");
    assert!(found("home") && found(""));
    assert_eq!(revoke("home"), "Trust revoked.\n");
    assert!(!found("home") && found(""));
}

#[test]
fn a_server_stops_to_serve_a_wide_folder_that_is_taken_back() {
    let stage = Stage::new();
    stage.file("home/notes.txt", "mine\n");
    stage.file("home/.ai/config.yaml", "wide_roots: [\"~\"]\n");
    let mut command = stage.command("home");
    command.arg("mcp");
    let mut mcp = Mcp::spawn(&stage, command);
    mcp.greet();
    let read = json!({ "path": "notes.txt" });
    assert_eq!(mcp.call("read", &read)["data"]["content"], "mine\n");
    stage.file("home/.ai/config.yaml", "wide_roots: []\n");
    assert_eq!(mcp.call("read", &read)["code"], "WA-PROJECT-I-001");
    assert_eq!(mcp.call("grep", &json!({ "pattern": "mine" }))["code"], "WA-PROJECT-I-001");
    stage.file("home/.ai/config.yaml", "wide_roots: [\"~\"]\n");
    assert_eq!(mcp.call("read", &read)["data"]["content"], "mine\n");
}

#[test]
fn people_are_told_that_there_is_no_project_and_not_that_a_path_is_outside_of_it() {
    let stage = Stage::new();
    stage.folder("home/.ai");
    for arguments in [
        &["read", "etc/passwd"][..],
        &["tree"],
        &["glob", "**"],
        &["grep", "root"],
        &["review"],
        &["init"],
        &["new", "knowledge", "a"],
        &["verify", "--staged"],
    ] {
        let output = command_in(&stage, "/").args(arguments).output().expect("runs");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{arguments:?}");
        assert!(words.to_lowercase().contains("there is no project"), "{arguments:?}: {words}");
        assert!(words.contains("`--project`"), "{arguments:?}: {words}");
    }
}

#[test]
fn nobody_can_say_yes_to_the_top() {
    let stage = Stage::new();
    let mut typist = Typist::start(&stage, "--project / trust project");
    typist.wait_for("never a project");
    assert!(!stage.path("home/.local/state/merestone/wide-roots.json").exists());
    // Not even a record makes a project of it.
    stage.file(
        "home/.local/state/merestone/wide-roots.json",
        r#"{"format":1,"records":[{"folder":"/"},{"folder":"/etc"}]}"#,
    );
    assert_no_project(&stage, &|| command_in(&stage, "/"));
    assert_eq!(where_data(command_in(&stage, "/etc"))["project_dir"], "/etc");
}

#[test]
fn a_home_folder_with_a_marker_is_a_project() {
    let stage = Stage::new();
    stage.folder("home/.git");
    let data = where_data(stage.command("home"));
    assert_eq!(data["found_by"], ".git");
    stage.folder("home/deep/plain");
    let data = where_data(stage.command("home/deep/plain"));
    assert_eq!(data["project_dir"], where_data(stage.command("home"))["project_dir"]);
}

#[test]
fn in_a_container_the_root_and_its_home_are_no_projects() {
    let container =
        Container::new(&["root/.ai", "app/src", "root/work", "srv", "home/account/work"]);
    container.file("app/package.json", "{}");
    container.file("package.json", "{}");
    container.file(".git/HEAD", "");
    container.file("root/.ai/config.yaml", "");
    for (folder, project, found_by) in [
        ("/", None, None),
        ("/root", None, None),
        ("/etc", None, None),
        // The home folder of the account, though `HOME` says another.
        ("/home/account", None, None),
        ("/home", None, None),
        ("/home/account/work", Some("/home/account/work"), Some("working directory")),
        ("/root/work", Some("/root/work"), Some("working directory")),
        ("/app/src", Some("/app"), Some("package.json")),
        // A marker at the top makes no project of it.
        ("/srv", Some("/srv"), Some("working directory")),
    ] {
        let data = container.run(folder, &["where", "--json"])["data"].clone();
        assert_eq!(data["project_dir"].as_str(), project, "{folder}");
        assert_eq!(data["found_by"].as_str(), found_by, "{folder}");
    }
    let secret = json!({ "path": "etc/passwd" }).to_string();
    for project in [&[][..], &["--project", "/"], &["--project", "/root/.."]] {
        let arguments = [project, &["call", "read", &secret]].concat();
        assert_eq!(container.run("/", &arguments)["code"], "WA-PROJECT-I-001");
    }
    container.file("root/.ai/config.yaml", "wide_roots: [/root]\n");
    let data = container.run("/root", &["where", "--json"])["data"].clone();
    assert_eq!(data["project_dir"], "/root");
    assert_eq!(container.run("/", &["call", "read", &secret])["code"], "WA-PROJECT-I-001");
}

#[test]
fn a_mount_of_the_top_under_another_name_is_the_top() {
    let container = Container::new(&["root/.ai", "mnt/all", "mnt/system"]);
    let script = "mount --bind / /mnt/all; mount --bind /etc /mnt/system";
    for folder in ["/mnt/all", "/mnt/system"] {
        let data = container.run_after(script, folder, &["where", "--json"])["data"].clone();
        assert_eq!(data["project_dir"], Value::Null, "{folder}");
    }
}
