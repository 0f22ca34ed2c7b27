//! Tools that nobody vouches for: run by nobody, but for a person at a terminal who says so.

use serde_json::json;

use crate::support::typist::Typist;
use crate::support::workshop::{Who, Workshop, manifest};

#[test]
fn an_unsigned_tool_is_run_only_by_a_person_who_says_so_at_a_terminal() {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file("project/.ai/config.yaml", "");
    workshop.stage.file("project/.ai/tools/t/new.sh", "echo ran\n");
    let text = manifest("new", "bash_runtime", "new.sh");
    workshop.stage.file("project/.ai/tools/t/new.yaml", &text);
    // Nothing has to be signed here to be read, and yet nothing unsigned runs.
    let reply = workshop.call("new", &json!({}));
    assert_eq!(reply["code"], "EN-RUN-D-001", "{reply:#}");
    assert_eq!(reply["data"]["trust"]["status"], "unsigned");
    for arguments in [&["run", "new"][..], &["run", "new", "--allow-unsigned"]] {
        // No terminal: `setsid` takes it away, where there is one.
        let mut command = std::process::Command::new("setsid");
        command.arg("-w").arg(env!("CARGO_BIN_EXE_mere")).args(arguments);
        command.env("HOME", workshop.stage.path("home"));
        let output = command.current_dir(workshop.stage.path("project")).output().expect("runs");
        assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let (status, shown) = Typist::start(&workshop.stage, "run new").finish();
    assert_eq!(status, 3, "{shown}");
    let (status, shown) = Typist::start(&workshop.stage, "run new --allow-unsigned").finish();
    assert_eq!(status, 0, "{shown}");
    assert!(shown.contains("ran"), "{shown}");
}

#[test]
fn a_draft_and_a_strangers_tool_are_not_run() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("draft", "bash_runtime", "echo ran\n");
    workshop.person(&["draft", "tool", "t/draft"]);
    workshop.stage.file("project/.ai/tools/t/draft.sh", "echo changed\n");
    let reply = workshop.call("draft", &json!({}));
    assert_eq!(reply["code"], "EN-RUN-D-001", "{reply:#}");
    assert_eq!(reply["data"]["trust"]["status"], "draft");
    workshop.sign("draft");
    // Another key: what the old one signed is a stranger's now.
    std::fs::remove_dir_all(workshop.stage.path("home/.config")).expect("the keys");
    workshop.person(&["keys", "generate", "--no-passphrase"]);
    let reply = workshop.call("draft", &json!({}));
    assert_eq!(reply["code"], "EN-RUN-D-001", "{reply:#}");
    assert_eq!(reply["data"]["trust"]["status"], "unknown-key");
}
