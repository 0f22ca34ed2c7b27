//! An older version of a signed item: this machine remembers the newest that it has seen.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::typist::Typist;
use crate::support::workshop::{Who, Workshop, manifest};

/// A workshop with the tool `t/deploy`, signed as 1.0.0 (kept in `beside/old`) and then as 2.0.0.
pub(super) fn upgraded() -> Workshop {
    let shop = Workshop::new(Who::Tester);
    put(&shop, "1.0.0");
    copy(&shop.stage.path("project/.ai/tools/t"), &shop.stage.path("beside/old"));
    put(&shop, "2.0.0");
    shop
}

/// Writes and signs a version of the tool, which prints it.
pub(super) fn put(shop: &Workshop, version: &str) {
    let text = manifest("deploy", "bash_runtime", "deploy.sh").replace("1.0.0", version);
    shop.stage.file("project/.ai/tools/t/deploy.sh", &format!("echo '\"{version}\"'\n"));
    shop.manifest("deploy", &text, "");
}

/// Puts the old files back, signature and all.
pub(super) fn roll_back(shop: &Workshop) {
    copy(&shop.stage.path("beside/old"), &shop.stage.path("project/.ai/tools/t"));
}

pub(super) fn copy(from: &Path, to: &Path) {
    let (from, to) = (format!("{}/.", from.display()), to.display().to_string());
    std::fs::create_dir_all(&to).expect("a folder");
    assert!(Command::new("cp").args(["-r", &from, &to]).status().expect("cp").success());
}

pub(super) fn load(stage: &Stage, kind: &str, id: &str) -> Value {
    let call = json!({ "item_type": kind, "item_id": id });
    stage.call_text("load", &call.to_string()).reply
}

pub(super) fn is_older(reply: &Value) {
    assert_eq!(reply["code"], "EN-RUN-D-004", "{reply:#}");
    assert_eq!(reply["data"]["trust"]["newest_seen"], "2.0.0", "{reply:#}");
    assert!(
        reply["hint"].as_str().is_some_and(|hint| hint.contains("mere trust item tool t/deploy"))
    );
}

#[test]
fn an_older_signed_tool_does_not_run_until_a_person_accepts_it() {
    let shop = upgraded();
    assert_eq!(shop.result("deploy", &json!({})), "2.0.0");
    roll_back(&shop);
    is_older(&shop.call("deploy", &json!({})));
    is_older(&shop.run("deploy", &[]).0);
    let loaded = load(&shop.stage, "tool", "deploy");
    assert_eq!(loaded["reply_type"], "S", "{loaded:#}");
    assert_eq!(loaded["data"]["trust"]["status"], "verified");
    assert_eq!(loaded["data"]["trust"]["newest_seen"], "2.0.0");
    assert!(loaded["hint"].as_str().is_some_and(|hint| hint.contains("1.0.0 is older than 2.0.0")));
    shop.person(&["trust", "item", "tool", "t/deploy"]);
    assert_eq!(shop.result("deploy", &json!({})), "1.0.0");
    let loaded = load(&shop.stage, "tool", "deploy");
    assert_eq!(loaded["data"]["trust"]["newest_seen"], "2.0.0", "{loaded:#}");
    assert_eq!(loaded["hint"], Value::Null, "{loaded:#}");
}

#[test]
fn a_yes_is_for_one_statement_and_no_other() {
    let shop = upgraded();
    roll_back(&shop);
    shop.person(&["trust", "item", "tool", "t/deploy@1.0.0"]);
    assert_eq!(shop.result("deploy", &json!({})), "1.0.0");
    // Another person signs other content as the same version, somewhere that took the id along.
    let other = Workshop::new(Who::Tester);
    copy(&shop.stage.path("home/.config"), &other.stage.path("home/.config"));
    copy(&shop.stage.path("project/.ai"), &other.stage.path("project/.ai"));
    other.stage.file("project/.ai/tools/t/deploy.sh", "echo '\"other\"'\n");
    other.sign("deploy");
    copy(&other.stage.path("project/.ai/tools/t"), &shop.stage.path("project/.ai/tools/t"));
    is_older(&shop.call("deploy", &json!({})));
    let refused = shop.stage.person(&["trust", "item", "tool", "t/deploy@2.0.0"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
}

#[test]
fn an_older_version_from_a_folder_that_took_the_id_along_does_not_run() {
    let shop = upgraded();
    copy(&shop.stage.path("project/.ai"), &shop.stage.path("beside/clone/.ai"));
    shop.stage.folder("beside/clone/.git");
    copy(&shop.stage.path("beside/old"), &shop.stage.path("beside/clone/.ai/tools/t"));
    let call = json!({ "item_type": "tool", "item_id": "deploy", "parameters": {} });
    let mut command = shop.stage.command("beside/clone");
    let reply = shop.stage.answer(command.args(["call", "execute", &call.to_string()])).reply;
    is_older(&reply);
}

#[test]
fn an_executor_that_is_older_stops_the_chain_too() {
    let shop = Workshop::new(Who::Tester);
    let runtime = |version: &str| {
        shop.manifest(
            "base",
            &format!(
                "tool_id: base\ntool_type: runtime\nexecutor_id: subprocess\nversion: {version}\n\
                 description: Runs.\nconfig: {{command: [echo, '\"{version}\"']}}\n"
            ),
            "",
        );
    };
    runtime("1.0.0");
    copy(&shop.stage.path("project/.ai/tools/t"), &shop.stage.path("beside/old"));
    runtime("2.0.0");
    let text = "tool_id: leaf\ntool_type: script\nexecutor_id: base\nversion: 1.0.0\n\
        description: Leaf.\nparameters: []\n";
    shop.manifest("leaf", text, "");
    let before = shop.call("leaf", &json!({}));
    roll_back(&shop);
    let reply = shop.call("leaf", &json!({}));
    assert_eq!(reply["code"], "EN-RUN-D-004", "before {before:#}, now {reply:#}");
    assert_eq!(reply["data"]["link"], "base");
}

#[test]
fn a_lockfile_does_not_vouch_for_an_older_version() {
    let shop = Workshop::new(Who::Tester);
    put(&shop, "1.0.0");
    shop.person(&["lock", "t/deploy"]);
    copy(&shop.stage.path("project/.ai/tools/t"), &shop.stage.path("beside/old"));
    put(&shop, "2.0.0");
    roll_back(&shop);
    is_older(&shop.call("deploy", &json!({})));
    shop.person(&["trust", "item", "tool", "t/deploy"]);
    assert_eq!(shop.result("deploy", &json!({})), "1.0.0");
}

#[test]
fn a_switch_that_changes_no_version_stays_silent() {
    let shop = Workshop::new(Who::Tester);
    put(&shop, "1.0.0");
    copy(&shop.stage.path("project/.ai/tools/t"), &shop.stage.path("beside/old"));
    shop.stage.file("project/.ai/tools/t/deploy.sh", "echo '\"fixed\"'\n");
    shop.sign("deploy");
    assert_eq!(shop.result("deploy", &json!({})), "fixed");
    roll_back(&shop);
    assert_eq!(shop.result("deploy", &json!({})), "1.0.0");
    let loaded = load(&shop.stage, "tool", "deploy");
    assert_eq!(loaded["data"]["trust"]["newest_seen"], Value::Null, "{loaded:#}");
    assert_eq!(loaded["hint"], Value::Null, "{loaded:#}");
}

#[test]
fn whoever_signs_an_older_version_means_it() {
    let shop = upgraded();
    put(&shop, "1.5.0");
    assert_eq!(shop.result("deploy", &json!({})), "1.5.0");
    // A newer one than ever ends that for what is older.
    roll_back(&shop);
    is_older(&shop.call("deploy", &json!({})));
}

#[test]
fn a_note_is_loaded_with_the_version_that_was_seen() {
    let shop = Workshop::new(Who::Tester);
    let write = |version: &str| {
        let text = format!("---\nid: rule\ntitle: T\nversion: \"{version}\"\n---\n{version}\n");
        shop.stage.file("project/.ai/knowledge/k/rule.md", &text);
        shop.person(&["sign", "note", "k/rule"]);
    };
    write("1.0.0");
    copy(&shop.stage.path("project/.ai/knowledge/k"), &shop.stage.path("beside/old"));
    write("1.1.0");
    copy(&shop.stage.path("beside/old"), &shop.stage.path("project/.ai/knowledge/k"));
    let loaded = load(&shop.stage, "knowledge", "rule");
    assert_eq!(loaded["reply_type"], "S", "{loaded:#}");
    assert_eq!(loaded["data"]["trust"]["newest_seen"], "1.1.0");
    let call = json!({ "item_type": "knowledge", "item_id": "rule" });
    let run = shop.stage.call_text("execute", &call.to_string()).reply;
    assert_eq!(run["data"]["trust"]["newest_seen"], "1.1.0", "{run:#}");
    // `verify` names it, and it is no finding.
    let verified = crate::support::samples::person(&shop.stage, &["verify"]);
    assert_eq!(verified["reply_type"], "S", "{verified:#}");
    let row = &verified["data"]["items"][0];
    assert_eq!(row["trust"]["newest_seen"], "1.1.0", "{verified:#}");
    assert!(
        row["fix"].as_str().is_some_and(|fix| fix.contains("mere trust item knowledge k/rule"))
    );
}

#[test]
fn what_verify_or_load_has_seen_counts_like_what_was_signed_here() {
    for words in [&["verify"][..], &["show", "tool", "t/deploy"]] {
        let shop = upgraded();
        // Another machine of the same user: it has the keys and has seen nothing.
        std::fs::remove_dir_all(shop.stage.path("home/.local/state/merestone/seen")).expect("seen");
        shop.person(words);
        roll_back(&shop);
        is_older(&shop.call("deploy", &json!({})));
    }
}

#[test]
fn only_a_person_accepts_a_version() {
    let shop = upgraded();
    roll_back(&shop);
    shop.stage.file("home/.ai/config.yaml", "");
    let refused = shop.stage.person(&["trust", "item", "tool", "t/deploy"]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    is_older(&shop.call("deploy", &json!({})));
    let typist = Typist::start(&shop.stage, "trust item tool t/deploy");
    let (code, shown) = typist.finish();
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("is accepted"), "{shown}");
    assert_eq!(shop.result("deploy", &json!({})), "1.0.0");
}
