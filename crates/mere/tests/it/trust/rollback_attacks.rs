//! Attacks on what this machine remembers of versions.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::rollback::{copy, is_older, load, put, roll_back, upgraded};
use crate::support::foreign_owner::with_foreign;
use crate::support::workshop::{Who, Workshop, manifest};

const SEEN: &str = "home/.local/state/merestone/seen";

/// The files that remember versions, as paths below the stage.
fn seen_files(shop: &Workshop) -> Vec<String> {
    let files = std::fs::read_dir(shop.stage.path(SEEN)).expect("a folder");
    let names = files.map(|file| file.expect("an entry").file_name().into_string().expect("text"));
    names.filter(|name| !name.starts_with('.')).map(|name| format!("{SEEN}/{name}")).collect()
}

#[test]
fn a_record_that_cannot_be_read_stops_tools_and_never_a_load() {
    for damage in [
        "{",
        "[]",
        "{\"format\": 1, \"records\": [{}]}",
        "{\"records\": [{\"item\":
        \"tool:t/deploy\", \"base\": null, \"version\": \"x\", \"accepted\": []}]}",
        "",
    ] {
        let shop = upgraded();
        for file in seen_files(&shop) {
            shop.stage.file(&file, damage);
        }
        let reply = shop.call("deploy", &json!({}));
        assert_eq!(reply["code"], "IT-TRUST-E-007", "{damage:?} {reply:#}");
        let loaded = load(&shop.stage, "tool", "deploy");
        assert_eq!(loaded["reply_type"], "S", "{loaded:#}");
        assert!(loaded["hint"].as_str().is_some_and(|hint| hint.contains("mere doctor")));
        let doctor = shop.stage.person(&["doctor"]);
        let told = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(told.contains("is damaged") && told.contains("seen/"), "{told}");
        // Nothing overwrites it.
        put(&shop, "3.0.0");
        for file in seen_files(&shop) {
            assert_eq!(std::fs::read_to_string(shop.stage.path(&file)).expect("text"), damage);
        }
    }
}

#[test]
fn a_record_that_others_can_write_to_is_not_believed() {
    let shop = upgraded();
    let file = shop.stage.path(&seen_files(&shop)[0]);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o666)).expect("permissions");
    let reply = shop.call("deploy", &json!({}));
    assert_eq!(reply["code"], "IT-TRUST-E-007", "{reply:#}");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).expect("permissions");
    let folder = shop.stage.path(SEEN);
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o777)).expect("permissions");
    let reply = shop.call("deploy", &json!({}));
    assert_eq!(reply["code"], "IT-TRUST-E-007", "{reply:#}");
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).expect("permissions");
    assert_eq!(shop.result("deploy", &json!({})), "2.0.0");
}

#[test]
fn a_record_of_another_user_is_not_believed() {
    let shop = upgraded();
    let file = &seen_files(&shop)[0];
    let call = |tool: &str, arguments: Value| {
        with_foreign(&shop.stage, file, |mut command| {
            shop.stage.answer(command.args(["call", tool, &arguments.to_string()])).reply
        })
    };
    let item = json!({ "item_type": "tool", "item_id": "deploy", "parameters": {} });
    let reply = call("execute", item);
    assert_eq!(reply["code"], "IT-TRUST-E-007", "{reply:#}");
    let loaded = call("load", json!({ "item_type": "tool", "item_id": "deploy" }));
    assert_eq!(loaded["reply_type"], "S", "{loaded:#}");
}

#[test]
fn a_load_that_cannot_remember_succeeds() {
    let shop = Workshop::new(Who::Tester);
    // A file where the folder would be.
    shop.stage.file(SEEN, "");
    put(&shop, "1.0.0");
    let loaded = load(&shop.stage, "tool", "deploy");
    assert_eq!(loaded["reply_type"], "S", "{loaded:#}");
}

#[test]
fn a_deleted_record_is_like_a_new_machine() {
    let shop = upgraded();
    std::fs::remove_dir_all(shop.stage.path(SEEN)).expect("a folder");
    roll_back(&shop);
    assert_eq!(shop.result("deploy", &json!({})), "1.0.0");
}

#[test]
fn an_unknown_key_cannot_make_a_version_look_old() {
    let shop = upgraded();
    let stranger = Workshop::new(Who::Tester);
    copy(&shop.stage.path("project/.ai"), &stranger.stage.path("project/.ai"));
    put(&stranger, "99999999.0.0");
    copy(&shop.stage.path("project/.ai/tools/t"), &shop.stage.path("beside/good"));
    copy(&stranger.stage.path("project/.ai/tools/t"), &shop.stage.path("project/.ai/tools/t"));
    let loaded = load(&shop.stage, "tool", "deploy");
    assert_eq!(loaded["data"]["trust"]["status"], "unknown-key", "{loaded:#}");
    shop.stage.person(&["verify"]);
    assert_eq!(shop.call("deploy", &json!({}))["code"], "EN-RUN-D-001");
    copy(&shop.stage.path("beside/good"), &shop.stage.path("project/.ai/tools/t"));
    assert_eq!(shop.result("deploy", &json!({})), "2.0.0");
}

#[test]
fn an_unsigned_claim_of_a_version_is_not_seen() {
    let shop = Workshop::new(Who::Tester);
    put(&shop, "1.0.0");
    copy(&shop.stage.path("project/.ai/tools/t"), &shop.stage.path("beside/good"));
    let text = manifest("deploy", "bash_runtime", "deploy.sh").replace("1.0.0", "7.0.0");
    shop.stage.file("project/.ai/tools/t/deploy.yaml", &text);
    std::fs::remove_file(shop.stage.path("project/.ai/tools/t/deploy.yaml.sig"))
        .expect("a sidecar");
    load(&shop.stage, "tool", "deploy");
    shop.stage.person(&["verify"]);
    copy(&shop.stage.path("beside/good"), &shop.stage.path("project/.ai/tools/t"));
    assert_eq!(shop.result("deploy", &json!({})), "1.0.0");
}

#[test]
fn an_older_version_without_its_signature_or_elsewhere_does_not_run() {
    let shop = upgraded();
    roll_back(&shop);
    std::fs::remove_file(shop.stage.path("project/.ai/tools/t/deploy.yaml.sig"))
        .expect("a sidecar");
    let unsigned = shop.call("deploy", &json!({}));
    assert_eq!(unsigned["code"], "EN-RUN-D-001", "{unsigned:#}");
    let accepted = shop.stage.person(&["trust", "item", "tool", "t/deploy"]);
    assert_eq!(accepted.status.code(), Some(1), "{accepted:?}");
    // In another category it is at the wrong location.
    let shop = upgraded();
    copy(&shop.stage.path("beside/old"), &shop.stage.path("project/.ai/tools/u"));
    let moved = shop.call("u/deploy", &json!({}));
    assert_eq!(moved["code"], "IT-TRUST-E-001", "{moved:#}");
    let accepted = shop.stage.person(&["trust", "item", "tool", "u/deploy"]);
    assert_eq!(accepted.status.code(), Some(4), "{accepted:?}");
}

#[test]
fn a_version_of_any_length_does_no_harm() {
    let shop = Workshop::new(Who::Tester);
    let long = format!("1.0.0-{}", "a".repeat(4000));
    let text = manifest("deploy", "bash_runtime", "deploy.sh").replace("1.0.0", &long);
    shop.stage.file("project/.ai/tools/t/deploy.sh", "echo 1\n");
    shop.stage.file("project/.ai/tools/t/deploy.yaml", &text);
    let signed = shop.stage.person(&["sign", "tool", "t/deploy"]);
    shop.call("deploy", &json!({}));
    if shop.stage.path(SEEN).exists() {
        for file in seen_files(&shop) {
            let record = std::fs::read_to_string(shop.stage.path(&file)).expect("text");
            assert!(record.len() < 1000, "{signed:?} {record}");
        }
    }
    put(&shop, "1.0.0");
    assert_eq!(shop.result("deploy", &json!({})), "1.0.0");
}

#[test]
fn the_id_of_a_space_names_no_file_elsewhere() {
    let shop = Workshop::new(Who::Tester);
    let id = "../../../../../project/escape";
    let text = json!({ "format": 1, "space_id": id, "name": "x" }).to_string();
    shop.stage.file("project/.ai/space.json", &text);
    put(&shop, "1.0.0");
    assert_eq!(shop.result("deploy", &json!({})), "1.0.0");
    assert!(!shop.stage.path("project/escape").exists());
    assert_eq!(seen_files(&shop).len(), 1);
}

#[test]
fn two_processes_that_remember_at_once_lose_nothing() {
    let shop = Workshop::new(Who::Tester);
    for number in 0..8 {
        shop.tool(&format!("tool-{number}"), "bash_runtime", "echo 1\n");
    }
    std::fs::remove_dir_all(shop.stage.path(SEEN)).expect("a folder");
    let loads = (0..8).map(|number| {
        let call = json!({ "item_type": "tool", "item_id": format!("tool-{number}") });
        shop.command().args(["call", "load", &call.to_string()]).spawn().expect("mere runs")
    });
    for mut load in loads.collect::<Vec<_>>() {
        assert!(load.wait().expect("it ends").success());
    }
    let records = seen_files(&shop).into_iter().flat_map(|file| {
        let text = std::fs::read_to_string(shop.stage.path(&file)).expect("text");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        value["records"].as_array().expect("records").clone()
    });
    assert_eq!(records.count(), 8);
    is_older(&{
        put(&shop, "1.0.0");
        copy(&shop.stage.path("project/.ai/tools/t"), &shop.stage.path("beside/old"));
        put(&shop, "2.0.0");
        roll_back(&shop);
        shop.call("deploy", &json!({}))
    });
}
