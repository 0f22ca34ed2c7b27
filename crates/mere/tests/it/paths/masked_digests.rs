//! The digest of a file in which something is masked or rewritten does not let anybody guess what
//! that is: it has a key that no agent sees.

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use mere_core::digest::Sha256;
use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{note, person, skill, tool};
use crate::support::workshop::{Who, Workshop};

/// A text whose password is weak enough to be guessed.
const TEXT: &str = "# Settings\n\nuser: u\npassword: hunter2\nport: 1\n";
const KEY_FILE: &str = "home/.local/state/merestone/digest-key";
const WORKSPACE: &str = "project/.ai/workspaces/default";

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

/// Every spelling of a digest that an attacker would compare guesses with.
fn spellings(bytes: &[u8]) -> Vec<String> {
    let digest = Sha256::digest(bytes);
    let raw = digest.as_bytes();
    let engines = [BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD];
    let mut all = engines.iter().map(|engine| engine.encode(raw)).collect::<Vec<_>>();
    all.push(BASE64_STANDARD.encode(digest.to_string()));
    // Not even the beginning is told.
    all.push(digest.to_string()[..16].to_owned());
    all.push(digest.to_string()[..16].to_uppercase());
    all
}

/// Checks that a reply does not contain the digest of these bytes in any spelling.
#[track_caller]
fn check_no_oracle(reply: &Value, bytes: &[u8]) {
    let text = reply.to_string();
    for spelling in spellings(bytes) {
        assert!(!text.contains(&spelling), "{spelling}: {reply}");
    }
}

#[track_caller]
fn keyed(digest: &Value) -> String {
    let digest = digest.as_str().unwrap_or_default();
    let digits = digest.strip_prefix("keyed:").unwrap_or_default();
    assert!(digits.parse::<Sha256>().is_ok(), "{digest:?} is not a keyed digest");
    digest.to_owned()
}

#[track_caller]
fn code(reply: &Value) -> &str {
    reply["code"].as_str().expect("a code")
}

#[test]
fn a_weak_password_cannot_be_guessed_from_any_read() {
    let stage = Stage::new();
    stage.file("project/app.yaml", TEXT);
    let far = format!("{TEXT}{}\0\n", "line\n".repeat(4000));
    stage.file("project/far.yaml", &far);
    let long = format!("{}{TEXT}", "line of text\n".repeat(200_000));
    stage.file("project/long.yaml", &long);
    let mut shown = Vec::new();
    for (arguments, bytes) in [
        (json!({ "path": "app.yaml" }), TEXT),
        (json!({ "path": "app.yaml", "offset": 5 }), TEXT),
        (json!({ "path": "app.yaml", "limit": 1 }), TEXT),
        (json!({ "path": "app.yaml", "offset": 99 }), TEXT),
        // These lines are binary, while others of the same file are text.
        (json!({ "path": "far.yaml", "offset": 4001 }), far.as_str()),
        (json!({ "path": "far.yaml", "limit": 9 }), far.as_str()),
        // Something is masked far behind what is shown.
        (json!({ "path": "long.yaml", "limit": 1 }), long.as_str()),
        (json!({ "path": "long.yaml", "offset": 200_001 }), long.as_str()),
    ] {
        let reply = call(&stage, "read", &arguments);
        check_no_oracle(&reply, bytes.as_bytes());
        shown.push(keyed(&reply["data"]["sha256"]));
    }
    for same in [&shown[..4], &shown[4..6], &shown[6..]] {
        assert!(same.iter().all(|one| *one == same[0]), "one file has two digests: {same:?}");
    }
    shown.dedup();
    assert_eq!(shown.len(), 3, "{shown:?}");
}

#[test]
fn a_file_that_is_shown_as_it_is_has_a_plain_digest() {
    let stage = Stage::new();
    stage.file("project/plain.txt", "plain\n");
    let reply = call(&stage, "read", &json!({ "path": "plain.txt" }));
    assert_eq!(reply["data"]["sha256"], Sha256::digest(b"plain\n").to_string());
    assert!(!stage.path(KEY_FILE).exists(), "a key is made only if it is needed");
    stage.file("project/app.yaml", TEXT);
    let read = || call(&stage, "read", &json!({ "path": "app.yaml" }))["data"].clone();
    keyed(&read()["sha256"]);
    assert!(stage.person(&["allow", "app.yaml"]).status.success());
    let data = read();
    assert_eq!(data["content"], TEXT, "a person has confirmed it");
    assert_eq!(data["sha256"], Sha256::digest(TEXT.as_bytes()).to_string());
}

#[test]
fn a_file_that_names_a_real_folder_has_a_keyed_digest() {
    let stage = Stage::new();
    let text = format!("root = {}/src\n", stage.path("project").to_str().expect("UTF-8"));
    stage.file("project/a.txt", &text);
    let reply = call(&stage, "read", &json!({ "path": "a.txt" }));
    assert_eq!(reply["data"]["content"], "root = ROOT_PROJECT:/src\n");
    check_no_oracle(&reply, text.as_bytes());
    keyed(&reply["data"]["sha256"]);
}

#[test]
fn items_and_memories_do_not_tell_the_digest_of_what_they_mask() {
    let stage = Stage::new();
    let masked = note("n", "password: hunter2\n");
    stage.file("project/.ai/knowledge/n.md", &masked);
    stage.file("project/.ai/knowledge/plain.md", &note("plain", "body\n"));
    stage.file("project/.ai/memory/m.md", "# M\n\npassword: hunter2\n");
    // A file beside the main one, and one that is hidden by its name.
    stage.file("project/.ai/directives/s/SKILL.md", &skill("s"));
    stage.file("project/.ai/directives/s/setup.sh", "export DB_PASSWORD=hunter2\n");
    stage.file("project/.ai/directives/h/SKILL.md", &skill("h"));
    stage.file("project/.ai/directives/h/.env", "DB_PASSWORD=hunter2\n");
    for (kind, id, main, integrity) in [
        ("knowledge", "n", true, true),
        ("directive", "s", false, true),
        ("directive", "h", false, true),
        ("knowledge", "plain", false, false),
    ] {
        let name = json!({ "item_type": kind, "item_id": id });
        let loaded = call(&stage, "load", &name);
        let run = call(&stage, "execute", &name);
        assert_eq!((code(&loaded), &run["reply_type"]), ("IT-LOAD-S-001", &json!("S")), "{run}");
        let digest = loaded["data"]["files"][0]["sha256"].as_str().expect("a digest");
        assert_eq!(digest.starts_with("keyed:"), main, "{loaded}");
        for reply in [loaded, run] {
            assert_eq!(reply["data"]["integrity"].is_null(), integrity, "{reply}");
            check_no_oracle(&reply, masked.as_bytes());
            check_no_oracle(&reply, b"export DB_PASSWORD=hunter2\n");
            check_no_oracle(&reply, b"DB_PASSWORD=hunter2\n");
        }
    }
    let skill = call(&stage, "load", &json!({ "item_type": "directive", "item_id": "s" }));
    assert_eq!(skill["data"]["files"][1]["path"], "setup.sh");
    keyed(&skill["data"]["files"][1]["sha256"]);
    for (tool, arguments) in [
        ("get_memory", json!({ "path": "m" })),
        ("load", json!({ "item_type": "memory", "item_id": "m" })),
        ("move_memory", json!({ "from": "m", "to": "m2" })),
    ] {
        let reply = call(&stage, tool, &arguments);
        assert_eq!(reply["reply_type"], "S", "{reply}");
        check_no_oracle(&reply, b"# M\n\npassword: hunter2\n");
    }
}

#[test]
fn a_keyed_digest_works_wherever_a_digest_is_expected() {
    let stage = Stage::new();
    let file = format!("{WORKSPACE}/app.yaml");
    let path = "ROOT_WORKSPACE:/app.yaml";
    stage.file(&file, TEXT);
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let disk = || std::fs::read_to_string(stage.path(&file)).expect("it");
    let mut digest = keyed(&mcp.call("read", &json!({ "path": path }))["data"]["sha256"]);
    let seen = TEXT.replace("hunter2", "[masked]").replace("port: 1", "port: 2");
    let patched = seen.replace("user: u", "user: v");
    let section = patched.strip_prefix("# Settings\n").expect("a heading");
    let written = patched.replace("port: 2", "port: 3");
    for (tool, arguments) in [
        ("edit", json!({ "path": path, "old": "port: 1", "new": "port: 2" })),
        ("patch_section", json!({ "path": path, "heading": "Settings", "content": section })),
        ("write", json!({ "path": path, "content": written })),
    ] {
        let mut arguments = arguments;
        arguments["expect_sha256"] = digest.as_str().into();
        let reply = mcp.call(tool, &arguments);
        assert_eq!(reply["reply_type"], "S", "{tool}: {reply}");
        check_no_oracle(&reply, disk().as_bytes());
        assert!(disk().contains("hunter2"), "{tool} lost what was masked: {}", disk());
        let stale = mcp.call(tool, &arguments);
        assert_eq!(code(&stale), "WA-WRITE-I-001", "{tool}: {stale}");
        assert_eq!(stale["data"]["sha256"], reply["data"]["sha256"], "{stale}");
        digest = keyed(&reply["data"]["sha256"]);
    }
    assert_eq!(disk(), TEXT.replace("user: u", "user: v").replace("port: 1", "port: 3"));
    let moved = json!({ "from": path, "to": "ROOT_WORKSPACE:/b.yaml", "expect_sha256": digest });
    assert_eq!(mcp.call("move", &moved)["reply_type"], "S");
    let delete = json!({ "path": "ROOT_WORKSPACE:/b.yaml", "expect_sha256": digest });
    assert_eq!(mcp.call("delete", &delete)["reply_type"], "S");
    assert!(!stage.path(&format!("{WORKSPACE}/b.yaml")).exists());
}

#[test]
fn items_and_memories_are_changed_with_a_keyed_digest() {
    let stage = Stage::new();
    let text = note("n", "password: hunter2\nold\n");
    let file = stage.file("project/.ai/knowledge/n.md", &text);
    stage.file("project/.ai/memory/m.md", "# M\n\npassword: hunter2\nold\n");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let loaded = mcp.call("load", &json!({ "item_type": "knowledge", "item_id": "n" }));
    let digest = keyed(&loaded["data"]["files"][0]["sha256"]);
    let content = loaded["data"]["content"].as_str().expect("text").replace("old", "new");
    let mut update = json!({ "item_type": "knowledge", "action": "update", "item_id": "n",
        "content": content, "expect_sha256": Sha256::digest(text.as_bytes()).to_string() });
    let guessed = mcp.call("execute", &update);
    assert_eq!((code(&guessed), &guessed["data"]["sha256"]), ("IT-ITEM-I-008", &json!(digest)));
    update["expect_sha256"] = digest.into();
    let updated = mcp.call("execute", &update);
    assert_eq!(code(&updated), "IT-CHANGE-S-001", "{updated}");
    assert_eq!(updated["data"]["integrity"], Value::Null, "{updated}");
    assert_eq!(std::fs::read_to_string(file).expect("it"), text.replace("old", "new"));
    let memory = mcp.call("get_memory", &json!({ "path": "m" }));
    let digest = keyed(&memory["data"]["sha256"]);
    let content = memory["data"]["content"].as_str().expect("text").replace("old", "new");
    let mut update = json!({ "path": "m", "content": content, "expect_sha256": "0".repeat(64) });
    let refused = mcp.call("update_memory", &update);
    assert_eq!((code(&refused), &refused["data"]["sha256"]), ("IT-ITEM-I-008", &json!(digest)));
    update["expect_sha256"] = digest.into();
    let updated = mcp.call("update_memory", &update);
    assert_eq!(updated["reply_type"], "S", "{updated}");
    keyed(&updated["data"]["sha256"]);
    let kept = std::fs::read_to_string(stage.path("project/.ai/memory/m.md")).expect("it");
    assert!(kept.contains("hunter2") && kept.contains("new"), "{kept}");
}

#[test]
fn a_guess_of_the_plain_digest_is_answered_like_any_other() {
    let stage = Stage::new();
    let path = "ROOT_WORKSPACE:/app.yaml";
    stage.file(&format!("{WORKSPACE}/app.yaml"), TEXT);
    let right = Sha256::digest(TEXT.as_bytes()).to_string();
    let keyed_guess = format!("keyed:{right}");
    let ask = |tool: &str, guess: &str| {
        let mut reply = call(
            &stage,
            tool,
            &match tool {
                "edit" => {
                    json!({ "path": path, "old": "port", "new": "p", "expect_sha256": guess })
                }
                "write" => json!({ "path": path, "content": "x", "expect_sha256": guess }),
                "patch_section" => json!({ "path": path, "heading": "Settings", "content": "x\n",
                "expect_sha256": guess }),
                "move" => {
                    json!({ "from": path, "to": "ROOT_WORKSPACE:/b", "expect_sha256": guess })
                }
                _ => json!({ "path": path, "expect_sha256": guess }),
            },
        );
        check_no_oracle(&reply, TEXT.as_bytes());
        assert_eq!(code(&reply), "WA-WRITE-I-001", "{tool}: {reply}");
        keyed(&reply["data"]["sha256"]);
        reply["trace"] = Value::Null;
        reply
    };
    for tool in ["edit", "write", "patch_section", "move", "delete"] {
        let wrong = ask(tool, &"0".repeat(64));
        assert_eq!(ask(tool, &right), wrong, "{tool} answers a right guess in another way");
        assert_eq!(ask(tool, &keyed_guess), wrong, "{tool}");
    }
    let file = std::fs::read_to_string(stage.path(&format!("{WORKSPACE}/app.yaml"))).expect("it");
    assert_eq!(file, TEXT);
}

#[test]
fn two_machines_give_different_digests_and_one_gives_the_same() {
    let read = |stage: &Stage| {
        stage.file("project/app.yaml", TEXT);
        keyed(&call(stage, "read", &json!({ "path": "app.yaml" }))["data"]["sha256"])
    };
    let (one, other) = (Stage::new(), Stage::new());
    let digest = read(&one);
    assert_ne!(digest, read(&other));
    assert_eq!(digest, read(&one), "the key is kept");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(one.path(KEY_FILE)).expect("a key").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "others may read the key");
    }
    let key = std::fs::read_to_string(one.path(KEY_FILE)).expect("a key");
    std::fs::write(other.path(KEY_FILE), key).expect("the same key");
    assert_eq!(digest, read(&other), "nothing but the key makes the difference");
}

#[test]
fn a_damaged_key_withholds_digests_and_is_never_overwritten() {
    for damage in ["", "0", "not a key\n", &"0".repeat(64), &format!("{}\n", "G".repeat(64))] {
        let stage = Stage::new();
        stage.file(&format!("{WORKSPACE}/app.yaml"), TEXT);
        stage.file(&format!("{WORKSPACE}/plain.txt"), "plain\n");
        stage.file("project/.ai/memory/m.md", "# M\n\npassword: hunter2\n");
        stage.file("project/.ai/knowledge/n.md", &note("n", "password: hunter2\n"));
        stage.file(KEY_FILE, damage);
        let path = "ROOT_WORKSPACE:/app.yaml";
        let read = call(&stage, "read", &json!({ "path": path }));
        assert_eq!((code(&read), &read["data"]["sha256"]), ("WA-READ-S-001", &Value::Null));
        let loaded = call(&stage, "load", &json!({ "item_type": "knowledge", "item_id": "n" }));
        assert_eq!(loaded["data"]["files"][0]["sha256"], Value::Null, "{loaded}");
        let memory = call(&stage, "get_memory", &json!({ "path": "m" }));
        assert_eq!((code(&memory), &memory["data"]["sha256"]), ("IT-MEMORY-S-002", &Value::Null));
        let plain = Sha256::digest(TEXT.as_bytes()).to_string();
        for guess in [plain, "0".repeat(64), format!("keyed:{}", "0".repeat(64))] {
            for (tool, arguments) in [
                ("edit", json!({ "path": path, "old": "u", "new": "v", "expect_sha256": guess })),
                ("delete", json!({ "path": path, "expect_sha256": guess })),
                ("update_memory", json!({ "path": "m", "content": "x", "expect_sha256": guess })),
            ] {
                let reply = call(&stage, tool, &arguments);
                assert_eq!(code(&reply), "WA-DIGEST-E-001", "{tool}: {reply}");
            }
        }
        // What needs no key works as ever.
        let edit = json!({ "path": path, "old": "port: 1", "new": "port: 2" });
        let edited = call(&stage, "edit", &edit);
        assert_eq!((&edited["reply_type"], &edited["data"]["sha256"]), (&json!("S"), &Value::Null));
        let read = call(&stage, "read", &json!({ "path": "ROOT_WORKSPACE:/plain.txt" }));
        assert_eq!(read["data"]["sha256"], Sha256::digest(b"plain\n").to_string());
        let doctor = person(&stage, &["doctor"]).to_string();
        assert!(doctor.contains("digest-key") && doctor.contains("it is damaged"), "{doctor}");
        assert_eq!(std::fs::read_to_string(stage.path(KEY_FILE)).expect("it"), damage);
        std::fs::remove_file(stage.path(KEY_FILE)).expect("it");
        keyed(&call(&stage, "read", &json!({ "path": path }))["data"]["sha256"]);
    }
}

#[test]
fn a_proposal_does_not_tell_the_digest_of_what_it_would_change() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "agents: {write: {knowledge: propose}}\n");
    let text = note("n", "password: hunter2\nold\n");
    let file = stage.file("project/.ai/knowledge/n.md", &text);
    let content = text.replace("hunter2", "[masked]").replace("old", "new");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let reply = mcp.call(
        "execute",
        &json!({ "item_type": "knowledge", "action": "update",
        "item_id": "n", "content": content }),
    );
    assert_eq!(code(&reply), "IT-CHANGE-S-002", "{reply}");
    let folder = reply["data"]["proposal"].as_str().expect("an address");
    let about = mcp.call("read", &json!({ "path": format!("{folder}proposal.json") }));
    let about = about["data"]["content"].as_str().expect("text");
    let before = serde_json::from_str::<Value>(about).expect("JSON")["before"].clone();
    keyed(&before);
    let name = folder.trim_end_matches('/').rsplit('/').next().expect("a name");
    let shown = person(&stage, &["review", "--show", name]);
    assert_eq!(shown["data"]["stale"], false, "{shown}");
    // A proposal is bound to the item as it was.
    std::fs::write(&file, text.replace("old", "other")).expect("a change");
    assert_eq!(person(&stage, &["review", "--show", name])["data"]["stale"], true);
    let refused = person(&stage, &["review", "--accept", name]);
    assert_eq!(code(&refused), "IT-ITEM-I-008", "{refused}");
    std::fs::write(&file, &text).expect("as it was");
    let accepted = person(&stage, &["review", "--accept", name]);
    assert_eq!(accepted["reply_type"], "S", "{accepted}");
    assert_eq!(std::fs::read_to_string(&file).expect("it"), text.replace("old", "new"));
}

#[test]
fn the_chain_of_a_tool_does_not_tell_the_digest_of_what_it_masks() {
    let shop = Workshop::new(Who::Tester);
    let script = "export DB_PASSWORD=hunter2\necho '{}'\n";
    shop.tool("masked", "bash_runtime", script);
    shop.tool("plain", "bash_runtime", "echo '{}'\n");
    let dry = |id: &str| {
        let run = json!({ "item_type": "tool", "item_id": format!("t/{id}"), "dry_run": true });
        call(&shop.stage, "execute", &run)
    };
    let plain = dry("plain");
    assert!(plain["data"]["chain"][0]["integrity"].is_string(), "{plain}");
    let masked = dry("masked");
    assert_eq!(masked["data"]["chain"][0]["integrity"], Value::Null, "{masked}");
    assert!(masked["data"]["chain"][1]["integrity"].is_string(), "{masked}");
    let integrity = person(&shop.stage, &["lock", "t/masked"]);
    assert_eq!(integrity["reply_type"], "S", "{integrity}");
    // Another script, signed anew, is not what was pinned; the difference is told without digests.
    shop.tool("masked", "bash_runtime", &script.replace("{}", "{\"a\": 1}"));
    let drifted = dry("masked");
    assert_eq!(code(&drifted), "EX-RUN-E-001", "{drifted}");
    assert_eq!(drifted["data"]["found"], "[withheld]", "{drifted}");
    assert_eq!(drifted["data"]["expected"], "[withheld]", "{drifted}");
}

#[test]
fn the_index_of_a_space_is_not_shown_to_agents() {
    let stage = Stage::new();
    let text = note("n", "password: hunter2\n");
    stage.file("project/.ai/knowledge/n.md", &text);
    stage.file("home/.ai/knowledge/u.md", &note("u", "password: hunter2\n"));
    stage.file("project/.ai/tools/x.yaml", &tool("x"));
    for scope in [&["index"][..], &["index", "--user"]] {
        stage.person(scope);
    }
    let index = std::fs::read_to_string(stage.path("project/.ai/.index.json")).expect("an index");
    assert!(index.contains(&Sha256::digest(text.as_bytes()).to_string()), "{index}");
    for path in ["ROOT_PROJECT:/.ai/.index.json", "ROOT_USER:/.index.json"] {
        let read = call(&stage, "read", &json!({ "path": path }));
        assert_eq!(read["reply_type"], "I", "{read}");
        check_no_oracle(&read, text.as_bytes());
    }
    for (tool, arguments) in [
        ("dir", json!({ "command": "list", "path": "ROOT_PROJECT:/.ai" })),
        ("grep", json!({ "pattern": "sha256", "path": "ROOT_PROJECT:/" })),
        ("glob", json!({ "pattern": "**/.index.json", "path": "ROOT_PROJECT:/" })),
    ] {
        let reply = call(&stage, tool, &arguments);
        assert_eq!(reply["reply_type"], "S", "{reply}");
        assert!(!reply["data"].to_string().contains("index.json"), "{reply}");
        check_no_oracle(&reply, text.as_bytes());
    }
}
