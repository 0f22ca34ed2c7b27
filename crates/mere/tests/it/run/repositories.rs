//! Nothing in a workspace is a repository to a person's git, whoever made it and however it ended.
//!
//! Each case ends with a real `git status` in every folder of the workspace and in the project, by
//! the person who owns it. A command that an armed repository configures would leave a canary.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::harness::{Mcp, Stage};
use crate::support::workshop::{EVERYBODY, Who, Workshop};

const WORK: &str = "project/.ai/workspaces/default";

/// A repository's config whose command leaves a canary.
fn config(stage: &Stage, worktree: &str) -> String {
    let canary = stage.path("canary");
    format!(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = {worktree}\n\
         \tfsmonitor = \"touch {}; :\"\n",
        canary.display()
    )
}

/// The person's git in a folder, as whoever owns the stage.
fn git(stage: &Stage, folder: &Path, arguments: &[&str]) -> String {
    let owner = std::fs::metadata(stage.path("home")).expect("a home");
    let owner = std::os::unix::fs::MetadataExt::uid(&owner).to_string();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &owner, "--regid", &owner, "--clear-groups", "git"]);
    if std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").expect("us")) != 0 {
        command = Command::new("git");
    }
    command.args(["-c", "safe.directory=*"]).args(arguments).current_dir(folder);
    command.env("HOME", stage.path("home")).env("GIT_CONFIG_COUNT", "1");
    command.env("GIT_CONFIG_KEY_0", "safe.directory").env("GIT_CONFIG_VALUE_0", "*");
    let output = command.stdin(Stdio::null()).output().expect("git runs");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Every folder of the workspace.
fn folders(top: &Path) -> Vec<PathBuf> {
    let mut all = vec![top.to_owned()];
    let mut at = 0;
    while let Some(folder) = all.get(at).cloned() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                all.push(entry.path());
            }
        }
        at += 1;
    }
    all
}

/// Fails if the person's git takes anything in the workspace for a repository, or runs its command.
fn assert_harmless(stage: &Stage, what: &str) {
    let project = stage.path("project/.git").canonicalize().expect("a path");
    for folder in folders(&stage.path(WORK)) {
        let taken = git(stage, &folder, &["rev-parse", "--absolute-git-dir"]);
        assert_eq!(Path::new(&taken), project, "{what}: {}", folder.display());
        git(stage, &folder, &["status"]);
    }
    let status = git(stage, &stage.path("project"), &["status", "--short"]);
    assert!(!status.contains("workspaces"), "{what}: {status}");
    git(stage, &stage.path("project"), &["status", "--short", "--ignored"]);
    assert!(!stage.path("canary").exists(), "{what}: a command was run");
}

/// Checks that the same files would have been a repository elsewhere.
fn assert_armed(stage: &Stage, folder: &Path) {
    git(stage, folder, &["status"]);
    let canary = stage.path("canary");
    assert!(canary.exists(), "the attack does not work: {}", folder.display());
    std::fs::remove_file(canary).expect("removed");
}

/// A workshop whose project is a real repository.
fn workshop(who: Who) -> Workshop {
    let workshop = Workshop::new(who);
    git(&workshop.stage, &workshop.stage.path("project"), &["init", "-q"]);
    workshop
}

/// The lines of a script that makes a repository in `$1` whose git folder is `$2`.
fn planting(stage: &Stage) -> String {
    format!(
        "plant() {{ mkdir -p \"$2/objects\" \"$2/refs\"; cat > \"$2/config\" <<'END'\n{}END\n\
         echo 'ref: refs/heads/x' > \"$2/HEAD\"; }}\n",
        config(stage, "..")
    )
}

#[test]
fn an_agent_makes_no_repository_by_writing_moving_or_making_folders() {
    let workshop = workshop(Who::Tester);
    let stage = &workshop.stage;
    let mut mcp = Mcp::greeted(stage, &["--agent", "default"]);
    let text = config(stage, ".");
    for folder in ["objects", "refs", "deep/objects", "deep/refs", "head/x", "HEAD.d"] {
        let made = mcp.call("mkdir", &json!({ "path": format!("ROOT_WORKSPACE:/{folder}") }));
        assert_eq!(made["reply_type"], "S", "{made}");
    }
    for (path, code) in [
        ("config", "S"),
        ("deep/config", "S"),
        ("head/x/y", "S"),
        ("HEAD", "EN-WRITE-D-002"),
        ("head", "EN-WRITE-D-002"),
        ("deep/HEAD", "EN-WRITE-D-002"),
        ("deep/Head.", "EN-WRITE-D-002"),
        (".git", "EN-WRITE-D-002"),
        ("x/.git", "EN-WRITE-D-002"),
        (".git/config", "EN-WRITE-D-002"),
        (".hg/hgrc", "EN-WRITE-D-002"),
        (".jj/repo/config.toml", "EN-WRITE-D-002"),
        ("_darcs/prefs/defaults", "EN-WRITE-D-002"),
        (".repo/repo/main.py", "EN-WRITE-D-002"),
        ("ref", "S"),
    ] {
        let path = format!("ROOT_WORKSPACE:/{path}");
        let content = if path.ends_with("config") { text.as_str() } else { "ref: refs/heads/x\n" };
        let arguments = json!({ "path": path, "content": content, "create_dirs": true });
        let reply = mcp.call("write", &arguments);
        let expected = if code == "S" { "S" } else { "D" };
        assert_eq!(reply["reply_type"], expected, "{path} {reply}");
        if expected == "D" {
            assert_eq!(reply["code"], code, "{path}");
        }
    }
    for (from, to) in [("ref", "HEAD"), ("ref", "deep/head"), ("deep", ".git"), ("refs", ".hg")] {
        let [from, to] = [from, to].map(|path| format!("ROOT_WORKSPACE:/{path}"));
        let reply = mcp.call("move", &json!({ "from": from, "to": to }));
        assert_eq!(reply["code"], "EN-WRITE-D-002", "{from} {to} {reply}");
        assert!(reply["message"].as_str().is_some_and(|text| text.contains('`')), "{reply}");
    }
    // A folder may be called so: it means nothing.
    let moved = mcp.call(
        "move",
        &json!({ "from": "ROOT_WORKSPACE:/HEAD.d", "to": "ROOT_WORKSPACE:/deep/HEAD" }),
    );
    assert_eq!(moved["reply_type"], "S", "{moved}");
    drop(mcp);
    assert_harmless(stage, "an agent");
}

#[test]
fn a_repository_of_any_form_that_a_tool_leaves_is_none_to_git() {
    let forms = [
        ("bare", "plant . ."),
        ("not bare", "plant . .git"),
        ("nested", "mkdir -p a/b; plant a/b a/b/.git"),
        ("nested bare", "plant a/b a/b"),
        ("renamed", "plant . git-of-a-tool-1; plant . .git"),
        ("a file that leads to it", "plant store store; echo 'gitdir: store' > .git"),
        ("a link that leads to it", "plant store store; ln -s store .git"),
        (
            "a common folder",
            "plant . common/; rm common/HEAD; mkdir x; echo ../common > x/commondir; \
             echo 'ref: refs/heads/x' > x/HEAD",
        ),
        ("HEAD as a link", "plant . .; rm HEAD; ln -s refs/heads/x HEAD"),
        ("a parent without rights", "plant a a/.git; chmod 0500 a; chmod 0500 ."),
        ("folders without rights", "plant a a/.git; chmod 0000 a/.git; chmod 0100 a; chmod 0 ."),
        ("read-only files", "plant a a; chmod 0400 a/*; chmod 0500 a"),
        ("a name that is none", "d=$'\\xff\\xfe'; mkdir $d; plant $d $d/.git"),
        ("many", "for i in $(seq 300); do mkdir -p d/$i/.git; done; plant d/300 d/300/.git"),
    ];
    for who in EVERYBODY {
        for (what, lines) in forms {
            let workshop = workshop(who);
            let script = format!("{}{lines}\nexit 0\n", planting(&workshop.stage));
            workshop.tool("plant", "bash_runtime", &script);
            let reply = workshop.call("plant", &json!({}));
            assert_eq!(reply["code"], "EX-RUN-S-001", "{who:?} {what} {reply:#}");
            assert_harmless(&workshop.stage, &format!("{who:?} {what}"));
            let named = reply["data"]["repositories"].as_array().map_or(0, Vec::len);
            assert!(named > 0, "{who:?} {what}: the reply names none: {reply:#}");
        }
    }
}

#[test]
fn the_attacks_work_where_nobody_disarms_them() {
    let stage = Stage::new();
    let lines = [
        ("bare", "plant . ."),
        ("plain", "plant . .git"),
        ("file", "plant store/x store/x; echo 'gitdir: store/x' > .git"),
    ];
    for (what, lines) in lines {
        let folder = stage.folder(&format!("beside/{what}/w"));
        let script = format!("{}{lines}\n", planting(&stage));
        let status = Command::new("bash").args(["-c", &script]).current_dir(&folder).status();
        assert!(status.expect("bash").success());
        assert_armed(&stage, &folder);
    }
}

/// A run that has planted a repository and goes on: the process of `mere`.
fn planted_run(workshop: &Workshop, lines: &str) -> std::process::Child {
    let script = format!("{}{lines}\ntouch planted\nsleep 60\n", planting(&workshop.stage));
    workshop.tool("stay", "bash_runtime", &script);
    let mut command = workshop.command();
    command.args(["run", "stay"]).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().expect("mere runs");
    await_true("it does not run", || workshop.stage.path(WORK).join("planted").exists());
    child
}

fn await_true(what: &str, is_true: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The markers of runs beside the workspaces.
fn markers(stage: &Stage) -> usize {
    let all = std::fs::read_dir(stage.path("project/.ai/workspaces")).expect("workspaces");
    all.flatten().filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b".run-")).count()
}

#[test]
fn a_run_that_goes_on_keeps_no_repository_and_its_end_says_so() {
    for who in EVERYBODY {
        let workshop = workshop(who);
        let mut child = planted_run(&workshop, "plant . .; plant a a/.git; chmod 500 a");
        let work = workshop.stage.path(WORK);
        await_true("nobody disarms it", || {
            !work.join("HEAD").exists() && !work.join("a/.git").exists()
        });
        assert_harmless(&workshop.stage, "a running tool");
        assert_eq!(markers(&workshop.stage), 1);
        child.kill().expect("killed");
        child.wait().expect("ended");
    }
}

#[test]
fn a_tool_that_makes_one_again_and_again_is_stopped() {
    let workshop = workshop(Who::Ordinary);
    let script = "while true; do mkdir -p .git; touch HEAD; done\n";
    workshop.tool("again", "bash_runtime", script);
    let reply = workshop.call("again", &json!({}));
    assert_eq!(reply["data"]["ended"], "repositories", "{reply:#}");
    assert_eq!(reply["data"]["success"], false);
    assert_harmless(&workshop.stage, "again and again");
    assert_eq!(markers(&workshop.stage), 0);
}

#[test]
fn what_a_killed_run_made_is_disarmed_by_the_cell_that_outlives_it() {
    for who in EVERYBODY {
        let workshop = workshop(who);
        // It is made after the last look of `mere`, which is stopped before.
        let lines = "trap '' HUP\ntouch planted; while [ ! -e go ]; do :; done\n\
                     plant . .; plant a a/.git; chmod 500 a; touch done";
        let mut child = planted_run(&workshop, lines);
        let work = workshop.stage.path(WORK);
        signal(child.id(), "-STOP");
        std::fs::write(work.join("go"), "").expect("a file");
        await_true("it plants nothing", || work.join("done").exists());
        assert!(work.join("HEAD").exists() && work.join("a/.git/HEAD").exists());
        signal(child.id(), "-KILL");
        child.wait().expect("ended");
        await_true("the cell leaves it", || {
            !work.join("HEAD").exists() && !work.join("a/.git").exists()
        });
        assert_harmless(&workshop.stage, "a killed run");
        assert_eq!(markers(&workshop.stage), 1, "a later process makes sure");
        await_true("the marker stays", || {
            workshop.person(&["list"]);
            markers(&workshop.stage) == 0
        });
    }
}

fn signal(process: u32, signal: &str) {
    let status = Command::new("kill").args([signal, &process.to_string()]).status();
    assert!(status.expect("kill").success());
}

/// The processes of a cell, by the process of `mere`: its children and theirs.
fn cell_processes(process: u32) -> Vec<u32> {
    let mut all = vec![process];
    let mut at = 0;
    while let Some(one) = all.get(at) {
        let children = std::fs::read_to_string(format!("/proc/{one}/task/{one}/children"));
        let children = children.unwrap_or_default();
        all.extend(children.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
        at += 1;
    }
    all
}

#[test]
fn what_is_left_when_all_of_mere_is_killed_is_disarmed_by_the_next_process() {
    for (who, next) in [(Who::Tester, "list"), (Who::Ordinary, "call"), (Who::Ordinary, "doctor")] {
        let workshop = workshop(who);
        let lines = "touch planted; while [ ! -e go ]; do :; done\nplant . .; plant a a/.git; \
                     chmod 500 a; touch done";
        let mut child = planted_run(&workshop, lines);
        let work = workshop.stage.path(WORK);
        let processes = cell_processes(child.id());
        // `mere`, and both stages of the cell; the tool goes with them.
        signal(processes[0], "-STOP");
        std::fs::write(work.join("go"), "").expect("a file");
        await_true("it plants nothing", || work.join("done").exists());
        for (processes, how) in [(&processes[1..], "-STOP"), (&processes[..], "-KILL")] {
            // The tool itself goes with the first process of its cell.
            let numbers = processes.iter().map(u32::to_string);
            Command::new("kill")
                .arg(how)
                .args(numbers)
                .stderr(Stdio::null())
                .status()
                .expect("kill");
        }
        child.wait().expect("ended");
        assert!(work.join("HEAD").exists(), "it was left armed for the next process");
        assert_eq!(markers(&workshop.stage), 1);
        await_true("nobody disarms it", || {
            match next {
                "call" => drop(workshop.stage.call(&json!({ "command": "list" }))),
                command => drop(workshop.command().arg(command).output()),
            }
            markers(&workshop.stage) == 0
        });
        assert_harmless(&workshop.stage, next);
    }
}

#[test]
fn a_running_tool_is_not_taken_for_a_killed_one() {
    let workshop = workshop(Who::Ordinary);
    let mut child = planted_run(&workshop, "true");
    for _ in 0..3 {
        workshop.person(&["list"]);
        assert_eq!(markers(&workshop.stage), 1);
    }
    signal(child.id(), "-KILL");
    child.wait().expect("ended");
    await_true("the marker stays", || {
        workshop.person(&["list"]);
        markers(&workshop.stage) == 0
    });
}

#[test]
fn a_repository_from_before_is_disarmed_when_the_workspace_is_opened() {
    for opened in ["write", "workspace", "doctor"] {
        let workshop = workshop(Who::Tester);
        let stage = &workshop.stage;
        let work = stage.folder(WORK);
        let script = format!("{}plant . .; plant a a/.git\n", planting(stage));
        let planted = Command::new("bash").args(["-c", &script]).current_dir(&work).status();
        assert!(planted.expect("bash").success());
        assert_armed(stage, &work);
        match opened {
            "write" => {
                let arguments = json!({ "path": "ROOT_WORKSPACE:/x", "content": "x" });
                let reply = stage.call_text("write", &arguments.to_string());
                assert_eq!(reply.reply["reply_type"], "S", "{}", reply.reply);
            }
            "workspace" => {
                let output = workshop.person(&["workspace", "list"]);
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                let line = "ROOT_WORKSPACE:/a/.git looked like a repository, and is now \
                            ROOT_WORKSPACE:/a/git-of-a-tool-1";
                assert!(text.contains(line), "{text}");
            }
            command => {
                let output = workshop.command().arg(command).output().expect("mere runs");
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(text.contains("`HEAD` of default looked like a repository"), "{text}");
            }
        }
        assert_harmless(stage, opened);
    }
}

#[test]
fn git_in_the_project_does_not_look_into_workspaces() {
    let workshop = workshop(Who::Tester);
    let stage = &workshop.stage;
    stage.call_text("write", r#"{"path": "ROOT_WORKSPACE:/x", "content": "x"}"#);
    // A person may put a repository there, and the project's git must not obey it either.
    let script = format!("{}plant . .git\n", planting(stage));
    let work = stage.path(WORK);
    let planted = Command::new("bash").args(["-c", &script]).current_dir(&work).status();
    assert!(planted.expect("bash").success());
    let project = stage.path("project");
    for arguments in [
        &["status"][..],
        &["status", "--ignored", "--short"],
        &["add", "-A"],
        &["status", "--short"],
        &["diff", "HEAD"],
        &["clean", "-nd"],
    ] {
        let text = git(stage, &project, arguments);
        assert!(!text.contains("default"), "{arguments:?} {text}");
    }
    assert!(!stage.path("canary").exists(), "a command was run");
}
