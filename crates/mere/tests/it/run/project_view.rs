//! The project at `/project`: what a tool sees of it, what is hidden from it, and that it cannot
//! write there.

use serde_json::{Map, Value, json};

use crate::support::workshop::{EVERYBODY, Who, Workshop};

const TRIES: &str = include_str!("attacks/tries.py");
const PROJECT: &str = include_str!("attacks/project.py");

/// Files that a tool may see, with their texts.
pub(super) const SHOWN: [(&str, &str); 5] = [
    ("readme.md", "# Read me\n"),
    ("src/main.rs", "fn main() {}\n"),
    ("deep/er/notes.txt", "notes\n"),
    (".env.example", "KEY=\n"),
    ("allowed/tls.key", "a person allowed it\n"),
];

/// Files and folders that are hidden from tools.
pub(super) const HIDDEN: [&str; 17] = [
    ".env",
    "deep/.env.local",
    "deep/er/server.pem",
    ".ssh/config",
    ".ssh",
    "id_rsa",
    ".git/config",
    ".git",
    "vendor/lib/.git",
    "module/.git",
    "bare/config",
    "bare",
    ".ai/workspaces/other/theirs.txt",
    ".ai",
    "configured/secret.txt",
    "out",
    "to_hidden",
];

/// A project with much that is hidden.
pub(super) fn furnish(workshop: &Workshop) {
    let stage = &workshop.stage;
    for (path, text) in SHOWN {
        stage.file(&format!("project/{path}"), text);
    }
    for path in [
        ".env",
        "deep/.env.local",
        "deep/er/server.pem",
        ".ssh/config",
        "id_rsa",
        ".git/config",
        "vendor/lib/.git/config",
        "module/.git",
        "bare/HEAD",
        "bare/config",
        "bare/objects/x",
        "bare/refs/x",
        ".ai/workspaces/other/theirs.txt",
        "configured/secret.txt",
    ] {
        stage.file(&format!("project/{path}"), "SECRET of the person");
    }
    stage.file("beside/outside.txt", "SECRET beside");
    stage.link(stage.path("beside/outside.txt"), "project/out");
    stage.link(".env", "project/to_hidden");
    stage.link("src/main.rs", "project/inside");
    let odd = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xffodd");
    std::fs::write(stage.path("project").join(odd), "SECRET by its name").expect("a file");
    let config = "sensitive: ['configured/*']\n";
    stage.file("project/.ai/config.yaml", config);
    workshop.person(&["allow", "allowed/tls.key"]);
}

fn given(access: &str) -> Value {
    let shown = SHOWN.iter().map(|(path, text)| ((*path).to_owned(), json!(text)));
    json!({ "access": access, "shown": shown.collect::<Map<_, _>>(), "hidden": HIDDEN })
}

#[test]
fn a_hostile_tool_finds_nothing_that_is_hidden_and_writes_nothing() {
    for who in EVERYBODY {
        for access in ["read", "propose"] {
            let workshop = Workshop::new(who);
            furnish(&workshop);
            workshop.project_tool(
                "looks",
                ("python_runtime", access),
                &format!("{TRIES}{PROJECT}"),
            );
            let reply = workshop.call("looks", &given(access));
            assert_eq!(reply["data"]["success"], true, "{who:?} {access} {reply:#}");
            let stdout = reply["data"]["stdout"].as_str().expect("output");
            let result: Value = serde_json::from_str(stdout).expect("JSON");
            assert_eq!(result["wrong"], json!([]), "{who:?} {access}");
            assert!(result["tries"].as_u64().is_some_and(|tries| tries > 400), "{result}");
            assert!(!reply.to_string().contains("SECRET"), "{reply:#}");
            // Whatever it did, the project is as it was.
            for (path, text) in SHOWN {
                let found =
                    std::fs::read_to_string(workshop.stage.path(&format!("project/{path}")));
                assert_eq!(found.expect("a file"), text, "{who:?} {access} {path}");
            }
        }
    }
}

#[test]
fn without_a_grant_there_is_no_project() {
    let workshop = Workshop::new(Who::Tester);
    furnish(&workshop);
    workshop.tool("plain", "bash_runtime", "ls /project 2>&1\n");
    let reply = workshop.call("plain", &json!({}));
    let stdout = reply["data"]["stdout"].as_str().expect("output");
    assert!(stdout.contains("No such file"), "{reply:#}");
    // Asking is not enough, and a grant to read is not one to propose.
    let asked = "permissions: {project: propose}\n";
    workshop.tool_with("asks", "bash_runtime", "ls /project\n", asked);
    workshop.person(&["grant", "t/asks", "--project", "read"]);
    let reply = workshop.call("asks", &json!({}));
    assert_eq!(reply["code"], "EN-RUN-D-003", "{reply:#}");
    assert_eq!(reply["data"]["missing"]["project"], "propose", "{reply:#}");
    // Who asks to read cannot write.
    let asked = "permissions: {project: read}\n";
    workshop.tool_with("less", "bash_runtime", "touch /project/x; ls /project/src\n", asked);
    workshop.person(&["grant", "t/less", "--project", "read"]);
    let reply = workshop.call("less", &json!({}));
    assert_eq!(reply["data"]["stdout"], "main.rs\n", "{reply:#}");
    assert!(reply["data"]["stderr"].as_str().is_some_and(|said| said.contains("Read-only")));
    assert!(reply["data"].get("proposal").is_none(), "{reply:#}");
}

#[test]
fn what_the_tool_reads_is_masked_when_it_is_said() {
    let workshop = Workshop::new(Who::Tester);
    let token = crate::support::samples::token('k');
    workshop.stage.file("project/settings.py", &format!("TOKEN = '{token}'\n"));
    workshop.project_tool("says", ("bash_runtime", "read"), "cat /project/settings.py\n");
    let reply = workshop.call("says", &json!({}));
    assert!(!reply.to_string().contains(&token), "{reply:#}");
    assert!(reply["data"]["stdout"].as_str().is_some_and(|said| said.contains("[masked]")));
}

#[test]
fn a_person_shows_a_sensitive_file_and_takes_that_back() {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file("project/.env", "KEY=1\n");
    workshop.project_tool("reads", ("bash_runtime", "read"), "cat /project/.env 2>&1; true\n");
    let said = || workshop.call("reads", &json!({}))["data"]["stdout"].clone();
    assert!(said().as_str().is_some_and(|said| said.contains("No such file")));
    workshop.person(&["allow", ".env"]);
    assert_eq!(said(), "KEY=1\n");
    workshop.person(&["allow", "--revoke", ".env"]);
    assert!(said().as_str().is_some_and(|said| said.contains("No such file")));
}
