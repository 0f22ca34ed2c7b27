//! What agents cannot do: sign, make drafts, change trust, read keys, or have it done unseen.

use serde_json::{Value, json};

use crate::items::proposals::stage_files;
use crate::matrix::attacks::{Expected, check, load};
use crate::matrix::items::{Signed, TestItem, kinds, read};
use crate::signing::daily::{attended, status};
use crate::support::harness::{Mcp, Stage};
use crate::trust::keys::{done, run, text};

const DIRECT: &str = "agents: {write: {directive: direct, tool: direct, knowledge: direct}}\n";

#[test]
fn no_tool_signs_or_decides_for_a_person() {
    let stage = Signed::new().copy();
    let before = stage_files(&stage);
    let mut mcp = Mcp::greeted(&stage, &[]);
    let listed = mcp.request("tools/list", &json!({}))["result"]["tools"].clone();
    let names = listed.as_array().expect("tools").iter().map(|tool| text(&tool["name"]).to_owned());
    let names = names.collect::<Vec<_>>();
    let guesses = [
        "sign",
        "draft",
        "edit_item",
        "verify",
        "trust",
        "trust_add",
        "trust.add",
        "trust/add",
        "join",
        "team",
        "team_add",
        "approve",
        "allow",
        "accept",
        "review",
        "keys",
        "keys_export",
        "keys_generate",
        "key",
        "unlock",
        "config",
        "init",
        "rename",
        "copy",
        "workspace",
        "doctor",
        "index",
        "mere",
        "mere sign",
        "Sign",
        "SIGN",
        "__sign",
        "keep",
        "seal",
    ];
    let item = json!({ "item_type": "directive", "item_id": "api/deploy", "yes": true });
    for guess in guesses {
        assert!(!names.iter().any(|name| name == guess), "{guess} is a tool");
        let params = json!({ "name": guess, "arguments": item });
        let answer = mcp.request("tools/call", &params);
        assert_eq!(answer["result"]["structuredContent"]["code"], "MCP-ARG-I-002", "{answer}");
        let output = stage.command("project").args(["call", guess, &item.to_string()]).output();
        let output = output.expect("mere runs");
        assert_ne!(output.status.code(), Some(0), "{guess}");
    }
    for action in ["sign", "draft", "seal", "accept", "trust", "move", "rename", "copy", "publish"]
    {
        let mut call = item.clone();
        call["action"] = action.into();
        let reply = mcp.call("execute", &call);
        assert_ne!(reply["reply_type"], "S", "{action}: {reply}");
    }
    for (key, value) in [("sign", json!(true)), ("who", json!("person")), ("unlock", json!("x"))] {
        for tool in ["load", "execute"] {
            let mut call = json!({ "item_type": "knowledge", "item_id": "api/facts" });
            call[key] = value.clone();
            let answer = mcp.request("tools/call", &json!({ "name": tool, "arguments": call }));
            let reply = &answer["result"]["structuredContent"];
            assert_ne!(reply["reply_type"], "S", "{tool} {key}: {answer}");
        }
    }
    assert_eq!(stage_files(&stage), before);
}

/// Ways to say where the user's own files lie.
fn spellings(stage: &Stage, below: &str) -> Vec<String> {
    let host = stage.path(&format!("home/{below}"));
    let host = host.to_str().expect("UTF-8");
    vec![
        host.to_owned(),
        format!("file://{host}"),
        format!("~/{below}"),
        format!("$HOME/{below}"),
        format!("../home/{below}"),
        format!("ROOT_PROJECT:/../home/{below}"),
        format!("ROOT_USER:/../{below}"),
        format!("ROOT_USER:/{below}"),
        format!("ROOT_WORKSPACE:/../../../../home/{below}"),
        format!("ROOT_PROJECT:/link/{below}"),
        format!("link/{below}"),
    ]
}

#[test]
fn keys_trust_and_state_are_out_of_reach() {
    let stage = Signed::new().copy();
    done(&stage, &["draft", "directive", "api/deploy"]);
    done(&stage, &["trust", "revoke", "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]);
    stage.link(stage.path("home"), "project/link");
    stage.file("home/.ai/config.yaml", &format!("sign: {{unattended: true}}\n{DIRECT}"));
    let secrets = ["keys/id_ed25519", "keys.json", "trust.json"];
    let secrets = secrets.map(|name| format!(".config/merestone/{name}"));
    let drafts = ".local/state/merestone/drafts.json".to_owned();
    let private = read(&stage, "home/.config/merestone/keys/id_ed25519");
    let private = private.lines().nth(2).expect("a line").to_owned();
    let before = stage_files(&stage);
    let mut mcp = Mcp::greeted(&stage, &[]);
    for below in secrets.iter().chain([&drafts]) {
        for path in spellings(&stage, below) {
            let folder = path.rsplit_once('/').expect("a folder").0;
            let calls = [
                ("read", json!({ "path": path })),
                ("dir", json!({ "command": "list", "path": folder })),
                ("grep", json!({ "pattern": "OPENSSH|SHA256", "path": folder })),
                ("glob", json!({ "pattern": "**/*", "path": folder })),
                ("write", json!({ "path": path, "content": "x" })),
                ("edit", json!({ "path": path, "old_text": "{", "new_text": "x" })),
                ("write", json!({ "path": format!("{folder}/new"), "content": "x" })),
            ];
            for (tool, arguments) in calls {
                // A path of this machine in the question may come back in no answer.
                let params = json!({ "name": tool, "arguments": arguments });
                let reply = mcp.request("tools/call", &params);
                assert!(!reply.to_string().contains(&private), "{tool} {path}: {reply}");
                let outcome = &reply["result"]["structuredContent"];
                assert_ne!(outcome["reply_type"], "S", "{tool} {path}: {reply}");
            }
        }
    }
    drop(mcp);
    assert_eq!(stage_files(&stage), before);
}

#[test]
fn keys_are_out_of_reach_even_where_the_home_folder_is_the_project() {
    let stage = Signed::new().copy();
    let private = read(&stage, "home/.config/merestone/keys/id_ed25519");
    let private = private.lines().nth(2).expect("a line").to_owned();
    stage.folder("home/.git");
    let paths = [".config/merestone/keys/id_ed25519", ".config/merestone/trust.json"];
    let calls = paths.iter().flat_map(|path| {
        [
            ("read", json!({ "path": path })),
            ("write", json!({ "path": path, "content": "x" })),
            ("dir", json!({ "command": "list", "path": ".config/merestone" })),
            ("grep", json!({ "pattern": "OPENSSH", "path": "." })),
            ("glob", json!({ "pattern": "**/id_ed25519*" })),
        ]
    });
    for (tool, arguments) in calls {
        let answer =
            stage.answer(stage.command("home").args(["call", tool, &arguments.to_string()]));
        let reply_text = answer.reply.to_string();
        assert!(
            !reply_text.contains(&private) && !reply_text.contains("id_ed25519.pub"),
            "{tool}: {reply_text}"
        );
        if matches!(tool, "read" | "write") {
            assert_ne!(answer.reply["reply_type"], "S", "{tool}: {reply_text}");
        }
    }
}

#[test]
fn a_signature_cannot_be_written_by_an_agent() {
    let stage = Signed::new().copy();
    stage.file("home/.ai/config.yaml", DIRECT);
    let before = stage_files(&stage);
    let mut mcp = Mcp::greeted(&stage, &[]);
    for item in kinds() {
        let sidecar = read(&stage, &item.sidecar());
        let path = item.address().replace(&item.main_name(), "");
        let name = item.sidecar().rsplit_once('/').expect("a name").1.to_owned();
        for path in [format!("{path}{name}"), format!("{path}x.md.sig")] {
            let reply = mcp.call("write", &json!({ "path": path, "content": sidecar }));
            assert_eq!(reply["reply_type"], "D", "{reply}");
        }
    }
    let sidecar = read(&stage, &kinds()[0].sidecar());
    for (kind, id, main, names) in [
        (
            "tool",
            "fresh",
            kinds()[3].id("fresh").text("BODY"),
            &["fresh.yaml.sig", "fresh.sig"][..],
        ),
        ("tool", "fresh", kinds()[4].id("fresh").text("BODY"), &[".sig", "lib/.sig", "a/b.sig"]),
        ("directive", "fresh", kinds()[1].id("fresh").text("BODY"), &[".sig", "SKILL.md.sig"]),
        ("directive", "fresh", kinds()[0].id("fresh").text("BODY"), &["fresh.md.sig"]),
        ("knowledge", "fresh", kinds()[5].id("fresh").text("BODY"), &["fresh.md.sig", ".sig"]),
    ] {
        for name in names {
            let call = json!({
                "item_type": kind, "action": "create", "item_id": id, "content": main,
                "files": [
                    { "path": name, "content": sidecar }, { "path": "run.sh", "content": "" },
                ],
            });
            let reply = mcp.call("execute", &call);
            assert_eq!(reply["reply_type"], "I", "{kind} {name}: {reply}");
        }
    }
    drop(mcp);
    assert_eq!(stage_files(&stage), before);
}

#[test]
fn an_agents_change_to_what_is_signed_is_only_proposed() {
    let signed = Signed::new();
    for item in kinds().iter().filter(|item| item.kind != "lockfile") {
        for broken in [false, true] {
            let stage = signed.copy();
            stage.file("home/.ai/config.yaml", DIRECT);
            if broken {
                stage.file(&item.sidecar(), "{");
            }
            let before = stage_files(&stage);
            for (action, content) in [("update", Some(item.text("EDIT"))), ("delete", None)] {
                let mut call = json!({
                    "item_type": item.kind, "action": action, "item_id": item.reference(),
                });
                if let Some(content) = content {
                    call["content"] = content.into();
                }
                let answer = stage.call_text("execute", &call.to_string());
                assert_eq!(answer.code(), "IT-CHANGE-S-002", "{}", answer.reply);
            }
            assert_eq!(stage_files(&stage), before, "{}", item.address());
        }
    }
}

/// Loads with a destination, as an agent does.
fn install(stage: &Stage, item: &TestItem) -> Value {
    let call = json!({
        "item_type": item.kind, "item_id": item.reference(), "destination": "user",
    });
    stage.call_text("load", &call.to_string()).reply
}

#[test]
fn agents_install_only_where_the_user_lets_them_and_the_users_key_signs() {
    let items = kinds().into_iter().filter(|item| item.kind != "lockfile");
    for item in items {
        let stage = attended();
        let copied = item.in_own_space();
        let before = stage_files(&stage);
        assert_eq!(install(&stage, &item)["code"], "EN-ITEM-D-001");
        let project = read(&stage, "project/.ai/config.yaml");
        stage.file("project/.ai/config.yaml", &format!("{project}agents: {{may_install: true}}\n"));
        assert_ne!(install(&stage, &item)["reply_type"], "S", "a project cannot say so");
        stage.file("project/.ai/config.yaml", &project);
        assert_eq!(stage_files(&stage), before);
        stage.file("home/.ai/config.yaml", "agents: {may_install: true}\n");
        let reply = install(&stage, &item);
        assert_eq!(reply["code"], "IT-LOAD-S-002", "{reply}");
        assert_eq!(reply["data"]["copied_to"], copied.address().as_str());
        assert_eq!(status(&stage, &copied), "verified");
        let [one, other] = [&item, &copied].map(|item| item.read_sidecar(&stage));
        assert_eq!(one["statement"], other["statement"]);
        assert_eq!(install(&stage, &item)["code"], "IT-ITEM-I-007", "nothing is written over");
    }
}

#[test]
fn agents_install_nothing_that_is_broken_or_that_a_locked_key_would_sign() {
    let item = kinds()[0].clone();
    let copied = item.in_own_space();
    let stage = attended();
    stage.file("home/.ai/config.yaml", "agents: {may_install: true}\n");
    stage.file(&item.main(), &item.text("EDIT"));
    assert_eq!(install(&stage, &item)["code"], "IT-TRUST-E-002");
    stage.file(&item.main(), &item.text("BODY"));
    let key = stage.path("beside/locked");
    let mut ssh_keygen = std::process::Command::new("ssh-keygen");
    ssh_keygen.args(["-q", "-t", "ed25519", "-N", "a passphrase", "-f"]).arg(&key);
    assert!(ssh_keygen.status().expect("ssh-keygen runs").success());
    done(&stage, &["keys", "use", key.to_str().expect("UTF-8")]);
    assert_eq!(status(&stage, &item), "verified", "the old key is still one's own");
    let before = stage_files(&stage);
    let reply = install(&stage, &item);
    assert_eq!(reply["code"], "IT-KEY-I-002", "{reply}");
    assert_eq!(stage_files(&stage), before);
    assert!(!copied.is_there(&stage));
}

#[test]
fn a_proposal_carries_no_signature() {
    let signed = Signed::new();
    let (skill, sidecar) = (kinds()[1].id("fresh"), read(&signed.copy(), &kinds()[1].sidecar()));
    for (name, files) in [
        (".sig", json!([".sig", "SKILL.md"])),
        ("lib/.sig", json!(["lib/.sig", "SKILL.md"])),
        ("x.sig", json!(["x.sig", "SKILL.md"])),
    ] {
        let stage = signed.copy();
        let about = json!({
            "v": 1, "action": "create", "item_type": "directive", "id": "fresh", "category": "api",
            "scope": "project", "base": null, "form": "folder", "before": null, "files": files
        });
        let folder = "project/.ai/workspaces/a/proposals/p";
        stage.file(&format!("{folder}/proposal.json"), &about.to_string());
        stage.file(&format!("{folder}/item/SKILL.md"), &skill.text("BODY"));
        stage.file(&format!("{folder}/item/{name}"), &sidecar);
        let before = stage_files(&stage);
        let (ended, reply) = run(&stage, &["review", "--accept", "a/p"]);
        assert_eq!((ended, text(&reply["reply_type"])), (1, "I"), "{name}: {reply}");
        assert_eq!(stage_files(&stage), before, "{name}");
    }
}

#[test]
fn what_was_not_shown_is_not_signed_by_accepting() {
    let signed = Signed::new();
    for at in [1, 2, 3, 4] {
        let item = kinds()[at].clone();
        let side = item.side().expect("one");
        for more in [false, true] {
            let stage = signed.copy();
            if more {
                let name = if item.is_folder() { "lib/more.sh" } else { "jwt.sh" };
                stage.file(&format!("{}/{name}", item.folder()), "EDIT\n");
            } else {
                stage.file(&side, "EDIT\n");
            }
            // A harmless change is proposed, and shown; what else was changed is not.
            let call = json!({
                "item_type": item.kind, "action": "update", "item_id": item.reference(),
                "content": item.text("BODY too"),
            });
            assert_eq!(stage.call_text("execute", &call.to_string()).code(), "IT-CHANGE-S-002");
            let listed = done(&stage, &["review", "--list"]);
            let name = text(&listed["proposals"][0]["proposal"]).to_owned();
            let shown = run(&stage, &["review", "--show", &name]).1.to_string();
            assert!(!shown.contains("EDIT"), "{shown}");
            let (ended, reply) = run(&stage, &["review", "--accept", &name]);
            assert_ne!(ended, 0, "{reply}");
            assert_ne!(status(&stage, &item), "verified", "{reply}");
            let loaded = load(&stage, &item).reply;
            assert_eq!(loaded["reply_type"], "E", "{loaded}");
        }
    }
    // Of what was never signed, the rest waits for `mere sign`, which shows it.
    let stage = signed.copy();
    let kit = kinds()[4].clone();
    std::fs::remove_file(stage.path(&kit.sidecar())).expect("removed");
    let call = json!({
        "item_type": kit.kind, "action": "update", "item_id": kit.reference(),
        "content": kit.text("BODY too"),
    });
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    stage.call_text("execute", &call.to_string());
    let listed = done(&stage, &["review", "--list"]);
    done(&stage, &["review", "--accept", text(&listed["proposals"][0]["proposal"])]);
    check(&stage, "accepted", &kit, &Expected::Warned("unsigned"));
}
