//! `mere connect`: what it writes into the settings of clients, and what it leaves alone.

use std::os::unix::fs::PermissionsExt;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::typist::Typist;

const MERE: &str = env!("CARGO_BIN_EXE_mere");

/// Each client with its settings of the user and of the project.
const SETTINGS: [(&str, &str, &str); 5] = [
    ("claude", "home/.claude.json", "project/.mcp.json"),
    ("codex", "home/.codex/config.toml", "project/.codex/config.toml"),
    ("gemini", "home/.gemini/settings.json", "project/.gemini/settings.json"),
    ("cursor", "home/.cursor/mcp.json", "project/.cursor/mcp.json"),
    ("vscode", "home/.config/Code/User/mcp.json", "project/.vscode/mcp.json"),
];

fn text(output: &Output) -> String {
    let both = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

/// Runs `mere connect` with these words, which must succeed.
fn connect(stage: &Stage, words: &[&str]) -> String {
    let output = stage.person(&[&["connect"], words].concat());
    assert!(output.status.success(), "{words:?}: {}", text(&output));
    text(&output)
}

/// Runs `mere connect` with these words, which must be refused with what to paste.
fn refuse(stage: &Stage, words: &[&str]) -> String {
    let output = stage.person(&[&["connect"], words].concat());
    assert_eq!(output.status.code(), Some(1), "{words:?}: {}", text(&output));
    let words = text(&output);
    assert!(words.contains("paste this") && words.contains("mere"), "{words}");
    words
}

fn read(stage: &Stage, below: &str) -> String {
    std::fs::read_to_string(stage.path(below)).unwrap_or_else(|error| panic!("{below}: {error}"))
}

#[test]
fn every_client_gets_its_own_format_and_a_second_time_changes_nothing() {
    let stage = Stage::new();
    connect(&stage, &["all"]);
    let json = |below| serde_json::from_str::<Value>(&read(&stage, below)).expect("JSON");
    let plain = json!({ "command": MERE, "args": ["mcp"] });
    let typed = json!({ "type": "stdio", "command": MERE, "args": ["mcp"] });
    assert_eq!(json("home/.claude.json"), json!({ "mcpServers": { "mere": &typed } }));
    assert_eq!(json("home/.gemini/settings.json"), json!({ "mcpServers": { "mere": &plain } }));
    assert_eq!(json("home/.cursor/mcp.json"), json!({ "mcpServers": { "mere": &plain } }));
    assert_eq!(json("home/.config/Code/User/mcp.json"), json!({ "servers": { "mere": &typed } }));
    let codex = format!("[mcp_servers.mere]\ncommand = \"{MERE}\"\nargs = [\"mcp\"]\n");
    assert_eq!(read(&stage, "home/.codex/config.toml"), codex);
    let before = SETTINGS.map(|(_, user, _)| read(&stage, user));
    assert_eq!(connect(&stage, &["all"]).matches("already").count(), 5);
    assert_eq!(SETTINGS.map(|(_, user, _)| read(&stage, user)), before);
    // All of it is gone with the folders that were made for it.
    connect(&stage, &["all", "--remove"]);
    for folder in [".claude.json", ".codex", ".gemini", ".cursor", ".config"] {
        assert!(!stage.path("home").join(folder).exists(), "{folder} is left");
    }
    assert!(connect(&stage, &["all", "--remove"]).contains("no entry to remove"));
}

#[test]
fn a_project_has_settings_of_its_own() {
    let stage = Stage::new();
    connect(&stage, &["all", "--scope", "project"]);
    for (client, user, project) in SETTINGS {
        assert!(!stage.path(user).exists() && stage.path(project).exists(), "{client}");
    }
    let cursor = serde_json::from_str::<Value>(&read(&stage, "project/.cursor/mcp.json"));
    let args = json!(["mcp", "--project", "${workspaceFolder}"]);
    assert_eq!(cursor.expect("JSON")["mcpServers"]["mere"]["args"], args);
    connect(&stage, &["all", "--scope", "project", "--remove"]);
    assert!(SETTINGS.iter().all(|(_, _, project)| !stage.path(project).exists()));
}

#[test]
fn what_else_is_in_the_settings_keeps_every_byte() {
    let stage = Stage::new();
    let jsonc = "{\n\t// mine\n\t\"servers\": { \"x\": { \"command\": \"x\" } },\n\t\"n\": 1.0, /* odd */\n}\n";
    let toml = "model = \"o\" # mine\n\n[mcp_servers.x] # another\ncommand = 'x'\n# the end";
    for (client, file, old) in [
        ("vscode", "home/.config/Code/User/mcp.json", jsonc),
        ("codex", "home/.codex/config.toml", toml),
    ] {
        let path = stage.file(file, old);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
        let said = connect(&stage, &[client]);
        assert!(said.contains("The old file is kept in"), "{said}");
        let new = read(&stage, file);
        for comment in ["mine", "/* odd */", "# another", "# the end"] {
            assert_eq!(new.contains(comment), old.contains(comment), "{comment}: {new}");
        }
        let mode = path.metadata().expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "others may not read it now");
        connect(&stage, &[client, "--remove"]);
        assert_eq!(read(&stage, file), old);
        // Changed since: only our entry goes.
        connect(&stage, &[client]);
        let later = read(&stage, file).replace("mine", "still mine");
        stage.file(file, &later);
        assert!(connect(&stage, &[client, "--remove"]).contains("only the entry"));
        assert_eq!(read(&stage, file).trim(), old.replace("mine", "still mine").trim());
    }
}

#[test]
fn a_print_and_an_alias() {
    let stage = Stage::new();
    let printed = connect(&stage, &["claude", "--print"]);
    assert!(printed.contains("mcpServers") && !stage.path("home/.claude.json").exists());
    let installed = stage.person(&["install", "--client", "claude"]);
    assert!(installed.status.success() && stage.path("home/.claude.json").exists());
    let reply = stage.person(&["connect", "claude", "--json"]);
    let reply = serde_json::from_slice::<Value>(&reply.stdout).expect("JSON");
    assert_eq!(reply["code"], "MCP-CONNECT-S-001");
    assert_eq!(reply["data"]["files"][0]["outcome"], "unchanged");
}

#[test]
fn a_hook_checks_signatures_when_a_session_begins() {
    let stage = Stage::new();
    let old =
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      { \"hooks\": [] }\n    ]\n  }\n}\n";
    stage.file("home/.claude/settings.json", old);
    connect(&stage, &["claude", "--hook"]);
    let new = serde_json::from_str::<Value>(&read(&stage, "home/.claude/settings.json"));
    let command = format!("{MERE} verify --if-space");
    let hooks = new.expect("JSON")["hooks"]["SessionStart"].clone();
    assert_eq!(hooks[1]["hooks"][0]["command"], command);
    connect(&stage, &["claude", "--remove"]);
    assert_eq!(read(&stage, "home/.claude/settings.json"), old);
    let codex = stage.person(&["connect", "codex", "--hook"]);
    assert_eq!(codex.status.code(), Some(1), "{}", text(&codex));
    assert!(!stage.path("home/.codex").exists(), "nothing was written");
}

#[test]
fn settings_that_cannot_be_understood_are_not_touched() {
    for (client, file, old) in [
        ("claude", "home/.claude.json", "{ \"mcpServers\": "),
        ("claude", "home/.claude.json", "{ \"mcpServers\": {}, \"mcpServers\": {} }"),
        ("claude", "home/.claude.json", "{ \"mcpServers\": [] }"),
        ("gemini", "home/.gemini/settings.json", "\u{0}"),
        ("codex", "home/.codex/config.toml", "mcp_servers = { x = { command = 'x' } }\n"),
        ("codex", "home/.codex/config.toml", "a = 1\na = 2\n"),
    ] {
        let stage = Stage::new();
        stage.file(file, old);
        let said = refuse(&stage, &[client]);
        assert!(said.contains("was not changed"), "{said}");
        assert_eq!(read(&stage, file), old);
    }
    let stage = Stage::new();
    stage.file("home/.claude.json", &format!("{{\"a\":\"{}\"}}", "x".repeat(5 << 20)));
    assert!(refuse(&stage, &["claude"]).contains("larger than"));
    stage.file("home/.claude.json", &"[".repeat(1 << 20));
    refuse(&stage, &["claude"]);
    std::fs::write(stage.path("home/.claude.json"), [0xff, 0xfe]).expect("written");
    assert!(refuse(&stage, &["claude"]).contains("UTF-8"));
}

#[test]
fn a_link_in_a_repository_leads_no_write_out_of_it() {
    let stage = Stage::new();
    let outside = stage.file("beside/theirs.json", "{}");
    stage.link(&outside, "project/.mcp.json");
    stage.link(stage.path("beside"), "project/.cursor");
    stage.link(&outside, "project/.vscode/.mcp.json.mere-new");
    for client in ["claude", "cursor"] {
        refuse(&stage, &[client, "--scope", "project"]);
        refuse(&stage, &[client, "--scope", "project", "--remove"]);
    }
    connect(&stage, &["vscode", "--scope", "project"]);
    assert_eq!(read(&stage, "beside/theirs.json"), "{}");
    assert_eq!(std::fs::read_dir(stage.path("beside")).expect("a folder").count(), 1);
    stage.folder("home/.gemini/settings.json");
    refuse(&stage, &["gemini"]);
}

#[test]
fn one_client_that_fails_does_not_keep_the_others_from_theirs() {
    let stage = Stage::new();
    stage.file("home/.gemini/settings.json", "{");
    let output = stage.person(&["connect", "all"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    assert!(said.contains("Cursor now has") && said.contains("not valid JSON"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_written_is_reported_and_left() {
    let stage = Stage::new();
    let path = stage.file("home/.gemini/settings.json", "{}\n");
    let folder = path.parent().expect("a folder").to_owned();
    let mut command = stage.unprivileged("project");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o555)).expect("a mode");
    let output = command.args(["connect", "gemini"]).output().expect("mere runs");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert_eq!(read(&stage, "home/.gemini/settings.json"), "{}\n");
}

#[test]
fn a_kill_during_the_write_leaves_the_old_file_or_the_new_one() {
    let stage = Stage::new();
    let old = format!("{{\n  \"pad\": \"{}\"\n}}\n", "x".repeat(1 << 20));
    let file = "home/.gemini/settings.json";
    stage.file(file, &old);
    connect(&stage, &["gemini"]);
    let new = read(&stage, file);
    connect(&stage, &["gemini", "--remove"]);
    for round in 0..24_u64 {
        let words: &[&str] = if round % 2 == 0 {
            &["connect", "gemini"]
        } else {
            &["connect", "gemini", "--remove"]
        };
        let mut child =
            stage.command("project").args(words).stdout(Stdio::null()).spawn().expect("mere runs");
        std::thread::sleep(Duration::from_millis(round * 7));
        child.kill().expect("killed");
        child.wait().expect("it ended");
        let now = read(&stage, file);
        assert!(now == old || now == new, "round {round}: a torn file of {} bytes", now.len());
    }
    connect(&stage, &["gemini"]);
    assert_eq!(read(&stage, file), new);
    connect(&stage, &["gemini", "--remove"]);
    assert_eq!(read(&stage, file), old);
    let left = std::fs::read_dir(stage.path("home/.gemini")).expect("a folder").count();
    assert_eq!(left, 1, "something was left behind");
}

#[test]
fn a_new_space_comes_with_an_offer_to_connect() {
    let stage = Stage::new();
    let mut typist = Typist::start(&stage, "init --color never");
    typist.answer("Connect a client?", "gemini");
    let (status, said) = typist.finish();
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("Gemini CLI now has"), "{said}");
    assert!(stage.path("home/.gemini/settings.json").exists());
}
