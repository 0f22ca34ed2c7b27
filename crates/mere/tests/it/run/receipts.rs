//! Receipts of runs: what they say, and what is noticed about those that somebody changed.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::workshop::{EVERYBODY, Who, Workshop};

const RECEIPTS: &str = "home/.local/state/merestone/runs/receipts-000001.jsonl";
const INPUTS: &str = "home/.local/state/merestone/runs/inputs-000001.jsonl";
const HEAD: &str = "home/.local/state/merestone/machine/receipts-head";
const KEY: &str = "home/.local/state/merestone/machine/receipts_ed25519";

/// A workshop with a tool that prints its parameters.
fn workshop(who: Who) -> Workshop {
    let workshop = Workshop::new(who);
    workshop.tool("echo", "bash_runtime", "cat\n");
    workshop
}

/// Runs a tool as an agent, and returns the id of its receipt.
fn run(workshop: &Workshop, parameters: &Value) -> String {
    let reply = workshop.call("echo", parameters);
    assert_eq!(reply["data"]["success"], true, "{reply:#}");
    reply["data"]["receipt"].as_str().expect("a receipt").to_owned()
}

/// Runs a `mere runs` command for a person; the reply, and the exit status.
fn runs(workshop: &Workshop, arguments: &[&str]) -> (Value, i32) {
    let all = [&["runs"], arguments, &["--json"]].concat();
    let output = workshop.command().args(all).output().expect("mere runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let reply = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{error}: {text:?} {:?}", String::from_utf8_lossy(&output.stderr))
    });
    (reply, output.status.code().expect("an exit status"))
}

fn export(workshop: &Workshop) -> String {
    let output = workshop.person(&["runs", "export", "--jsonl"]);
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn exported(workshop: &Workshop) -> Vec<Value> {
    let text = export(workshop);
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What `verify` finds: each fault with the number of its receipt.
fn findings(workshop: &Workshop) -> Vec<(String, Value)> {
    let (reply, status) = runs(workshop, &["verify"]);
    let found = reply["data"]["findings"].as_array().expect("findings").clone();
    let expected = if found.is_empty() { 0 } else { 4 };
    assert_eq!(status, expected, "{reply:#}");
    let pair =
        |one: &Value| (one["fault"].as_str().expect("a fault").to_owned(), one["sequence"].clone());
    found.iter().map(pair).collect()
}

fn found(fault: &str, sequence: impl Into<Value>) -> Vec<(String, Value)> {
    vec![(fault.to_owned(), sequence.into())]
}

fn lines(path: &PathBuf) -> Vec<String> {
    std::fs::read_to_string(path).expect("a file").lines().map(str::to_owned).collect()
}

fn write_lines(path: &PathBuf, lines: &[String]) {
    let text = lines.iter().fold(String::new(), |all, line| all + line + "\n");
    std::fs::write(path, text).expect("written");
}

#[test]
fn a_run_leaves_a_receipt_that_is_listed_shown_and_verified() {
    for who in EVERYBODY {
        let workshop = workshop(who);
        assert_eq!(findings(&workshop), [], "before the first run");
        let id = run(&workshop, &json!({ "b": 1, "a": "x" }));
        let (list, _) = runs(&workshop, &[]);
        let rows = list["data"]["runs"].as_array().expect("rows");
        assert_eq!(rows.len(), 1, "{who:?} {list:#}");
        assert_eq!(
            (&rows[0]["id"], &rows[0]["tool"], &rows[0]["reader"], &rows[0]["result"]),
            (&json!(id), &json!("echo"), &json!("agent"), &json!("exit 0"))
        );
        let (shown, status) = runs(&workshop, &["show", &id]);
        let data = &shown["data"];
        assert_eq!((status, &data["authentic"]), (0, &json!(true)), "{shown:#}");
        assert_eq!(data["kept_inputs"], json!({ "a": "x", "b": 1 }));
        assert_eq!(data["chain"].as_array().map(Vec::len), Some(3));
        let digest = |text: &str| {
            let output = std::process::Command::new("sh")
                .args(["-c", &format!("printf '%s' '{text}' | sha256sum")])
                .output()
                .expect("sha256sum");
            String::from_utf8_lossy(&output.stdout)[..64].to_owned()
        };
        assert_eq!(data["inputs"], digest("{\"a\":\"x\",\"b\":1}"));
        // The tool was given the parameters as the agent spelled them.
        assert_eq!(data["outcome"]["stdout"], digest("{\"b\":1,\"a\":\"x\"}"), "{shown:#}");
        assert_eq!(data["outcome"]["stderr"], digest(""));
        assert_eq!(findings(&workshop), []);
        let (_, status) = runs(&workshop, &["show", &"0".repeat(32)]);
        assert_eq!(status, 1);
        for file in [RECEIPTS, INPUTS, HEAD, KEY] {
            let metadata = workshop.stage.path(file).metadata().expect("a file");
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{file}");
        }
        let text = String::from_utf8(workshop.person(&["runs"]).stdout).expect("UTF-8");
        assert!(text.contains(&id) && text.contains("exit 0"), "{text}");
        let text = String::from_utf8(workshop.person(&["runs", "show", &id]).stdout);
        assert!(text.expect("UTF-8").contains("This machine signed the receipt."));
    }
}

#[test]
fn receipts_are_listed_newest_first_in_pages_and_by_project() {
    let workshop = workshop(Who::Tester);
    let ids = (0..5).map(|number| run(&workshop, &json!({ "n": number }))).collect::<Vec<_>>();
    let page = |arguments: &[&str]| {
        let (list, _) = runs(&workshop, arguments);
        let rows = list["data"]["runs"].as_array().expect("rows").clone();
        let found = rows.iter().map(|row| row["id"].as_str().expect("an id").to_owned());
        (found.collect::<Vec<_>>(), list["data"]["next"].as_str().map(str::to_owned))
    };
    let (first, next) = page(&["--limit", "2"]);
    assert_eq!((first, next.as_ref()), (vec![ids[4].clone(), ids[3].clone()], Some(&ids[3])));
    let (second, next) = page(&["--limit", "3", "--before", &ids[3]]);
    assert_eq!(second, [ids[2].clone(), ids[1].clone(), ids[0].clone()]);
    assert_eq!(next, None);
    workshop.stage.folder("other/.git");
    let elsewhere = |arguments: &[&str]| {
        let mut command = workshop.stage.command("other");
        let output = command.args(arguments).arg("--json").output().expect("mere runs");
        let reply = serde_json::from_slice::<Value>(&output.stdout).expect("JSON");
        reply["data"]["runs"].as_array().map(Vec::len)
    };
    assert_eq!(elsewhere(&["runs"]), Some(0));
    assert_eq!(elsewhere(&["runs", "--all"]), Some(5));
}

#[test]
fn a_receipt_that_was_edited_is_found() {
    let workshop = workshop(Who::Tester);
    let ids = (0..4).map(|number| run(&workshop, &json!({ "n": number }))).collect::<Vec<_>>();
    let path = workshop.stage.path(RECEIPTS);
    let good = lines(&path);
    for (before, after, fault) in [
        ("\"agent\":\"default\"", "\"agent\":\"defaults\"", "edited"),
        ("\"exit_code\":0", "\"exit_code\":1", "edited"),
        ("\"sequence\":2", "\"sequence\": 2", "unreadable"),
        ("\"v\":1", "\"v\":2", "unreadable"),
        ("\"head\":null", "\"head\":null,\"more\":1", "unreadable"),
        ("SHA256:", "SHA256:A", "unreadable"),
    ] {
        let mut edited = good.clone();
        edited[1] = good[1].replacen(before, after, 1);
        assert_ne!(edited[1], good[1], "{before}");
        write_lines(&path, &edited);
        assert_eq!(findings(&workshop), found(fault, 2), "{after}");
    }
    write_lines(&path, &good);
    assert_eq!(findings(&workshop), []);
    // A finding outlives the runs that follow it, and the receipt is named.
    let mut edited = good.clone();
    edited[3] = good[3].replacen("\"agent\":\"default\"", "\"agent\":\"other\"", 1);
    write_lines(&path, &edited);
    run(&workshop, &json!({}));
    assert_eq!(findings(&workshop), found("edited", 4));
    let (reply, _) = runs(&workshop, &["verify"]);
    assert_eq!(reply["data"]["findings"][0]["receipt"], json!(ids[3]));
    let (shown, _) = runs(&workshop, &["show", &ids[3]]);
    assert_eq!(shown["data"]["authentic"], false);
    let (reply, status) = runs(&workshop, &["replay", &ids[3]]);
    assert_eq!((reply["code"].as_str(), status), (Some("EX-RUNS-E-002"), 4), "{reply:#}");
}

#[test]
fn receipts_that_were_dropped_or_reordered_are_found() {
    let workshop = workshop(Who::Tester);
    for number in 0..5 {
        run(&workshop, &json!({ "n": number }));
    }
    let path = workshop.stage.path(RECEIPTS);
    let good = lines(&path);
    let check = |order: &[usize], expected: Vec<(String, Value)>| {
        let chosen = order.iter().map(|number| good[number - 1].clone()).collect::<Vec<_>>();
        write_lines(&path, &chosen);
        assert_eq!(findings(&workshop), expected, "{order:?}");
    };
    check(&[1, 2, 4, 5], found("dropped", 3));
    check(&[2, 3, 4, 5], found("dropped", 1));
    check(&[1, 3, 2, 4, 5], found("reordered", 2));
    check(&[5, 1, 2, 3, 4], [1, 2, 3, 4].map(|at| ("reordered".to_owned(), json!(at))).to_vec());
    check(&[1, 2, 3, 3, 4, 5], found("reordered", 3));
    check(&[1, 2, 3], found("tail_dropped", 4));
    check(&[], found("tail_dropped", 1));
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(findings(&workshop), found("tail_dropped", 1));
    check(&[1, 2, 3, 4, 5], Vec::new());
}

#[test]
fn a_dropped_tail_stays_a_finding_after_the_next_run() {
    let workshop = workshop(Who::Tester);
    for number in 0..4 {
        run(&workshop, &json!({ "n": number }));
    }
    let path = workshop.stage.path(RECEIPTS);
    write_lines(&path, &lines(&path)[..2]);
    run(&workshop, &json!({}));
    assert_eq!(findings(&workshop), found("dropped", 3));
    // The same without the end of the line, which looks like what a killed process leaves.
    let text = std::fs::read_to_string(&path).expect("a file");
    std::fs::write(&path, text.trim_end()).expect("written");
    assert_eq!(findings(&workshop), found("tail_dropped", 3));
    run(&workshop, &json!({}));
    assert_eq!(findings(&workshop), found("dropped", 3));
    let (reply, _) = runs(&workshop, &["verify"]);
    assert_eq!(reply["data"]["findings"][0]["what"], "Receipts 3 to 5 are missing.");
}

#[test]
fn the_head_cannot_be_replaced_to_hide_a_dropped_tail() {
    let workshop = workshop(Who::Tester);
    run(&workshop, &json!({}));
    let (path, head) = (workshop.stage.path(RECEIPTS), workshop.stage.path(HEAD));
    run(&workshop, &json!({}));
    run(&workshop, &json!({}));
    let (good, good_head) = (lines(&path), std::fs::read(&head).expect("a head"));
    // It is removed, and the next run makes a new one.
    std::fs::remove_file(&head).expect("removed");
    assert_eq!(findings(&workshop), found("no_head", Value::Null));
    write_lines(&path, &good[..1]);
    run(&workshop, &json!({}));
    assert_eq!(findings(&workshop), found("without_head", 2));
    // It is edited to name an earlier receipt.
    write_lines(&path, &good[..1]);
    let text = String::from_utf8(good_head.clone()).expect("UTF-8");
    std::fs::write(&head, text.replace("\"sequence\":3", "\"sequence\":1")).expect("written");
    assert_eq!(findings(&workshop), found("damaged_head", Value::Null));
    run(&workshop, &json!({}));
    assert_eq!(findings(&workshop), found("without_head", 2));
    std::fs::write(&head, &good_head).expect("written");
    write_lines(&path, &good);
    assert_eq!(findings(&workshop), []);
}

#[test]
fn receipts_of_another_key_are_found() {
    let workshop = workshop(Who::Tester);
    run(&workshop, &json!({}));
    run(&workshop, &json!({}));
    let key = workshop.stage.path(KEY);
    std::fs::remove_file(&key).expect("removed");
    assert_eq!(findings(&workshop), found("no_key", Value::Null));
    // The next run makes another key.
    run(&workshop, &json!({}));
    let all = findings(&workshop);
    for expected in [("wrong_key", 1), ("wrong_key", 2)] {
        assert!(all.contains(&found(expected.0, expected.1)[0]), "{all:?}");
    }
    assert!(all.iter().any(|(fault, _)| fault == "without_head"), "{all:?}");
    // A key that others can read is not used, and so nothing is run.
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o644)).expect("a mode");
    let reply = workshop.call("echo", &json!({}));
    assert_eq!(reply["code"], "EX-RUN-E-005", "{reply:#}");
    assert_eq!(reply["data"]["ran"], false);
}

#[test]
fn two_processes_append_at_once() {
    let workshop = workshop(Who::Tester);
    run(&workshop, &json!({}));
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads
                .spawn(|| (0..12).for_each(|number| drop(run(&workshop, &json!({ "n": number })))));
        }
    });
    assert_eq!(findings(&workshop), []);
    assert_eq!(exported(&workshop).len(), 25);
}

#[test]
fn a_process_that_is_killed_leaves_no_finding_and_no_receipt_is_lost() {
    let workshop = workshop(Who::Tester);
    run(&workshop, &json!({}));
    let mut acknowledged = Vec::new();
    for round in 0..12_u64 {
        let mut mcp = Mcp::greeted(&workshop.stage, &[]);
        let call = json!({ "item_type": "tool", "item_id": "echo", "parameters": { "n": round } });
        for _ in 0..2 {
            let reply = mcp.tool("execute", &call)["structuredContent"].clone();
            acknowledged.push(reply["data"]["receipt"].as_str().expect("a receipt").to_owned());
        }
        let message = json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call",
                              "params": { "name": "execute", "arguments": call } });
        mcp.send(message.to_string().as_bytes());
        std::thread::sleep(std::time::Duration::from_millis(3 * round));
        let process = mcp.process().to_string();
        let killed = std::process::Command::new("kill").args(["-9", &process]).status();
        assert!(killed.expect("kill").success());
        drop(mcp);
        assert_eq!(findings(&workshop), [], "round {round}");
    }
    let all = exported(&workshop);
    let ids = all.iter().map(|line| line["receipt"]["id"].as_str().expect("an id"));
    let ids = ids.collect::<Vec<_>>();
    for id in acknowledged {
        assert!(ids.contains(&id.as_str()), "{id} was acknowledged and is lost");
    }
}

#[test]
fn what_a_killed_process_left_behind_the_head_is_no_finding() {
    let workshop = workshop(Who::Tester);
    run(&workshop, &json!({}));
    let (path, head) = (workshop.stage.path(RECEIPTS), workshop.stage.path(HEAD));
    let old_head = std::fs::read(&head).expect("a head");
    run(&workshop, &json!({}));
    std::fs::write(&head, old_head).expect("written");
    let text = std::fs::read_to_string(&path).expect("a file");
    std::fs::write(&path, format!("{text}{{\"half\":")).expect("written");
    assert_eq!(findings(&workshop), []);
    run(&workshop, &json!({}));
    assert_eq!(findings(&workshop), []);
    assert_eq!(exported(&workshop).len(), 3);
}

#[test]
fn every_refusal_is_recorded() {
    let workshop = workshop(Who::Tester);
    workshop.tool_with("asks", "bash_runtime", "true\n", "permissions: {project: read}\n");
    workshop.stage.file("project/.ai/tools/t/new.sh", "true\n");
    let manifest = crate::support::workshop::manifest("new", "bash_runtime", "new.sh");
    workshop.stage.file("project/.ai/tools/t/new.yaml", &manifest);
    let mut expected = Vec::new();
    for id in ["asks", "new", "absent"] {
        expected.push((id.to_owned(), workshop.call(id, &json!({}))["code"].clone()));
    }
    workshop.stage.file("project/.ai/tools/t/echo.sh", "echo changed\n");
    expected.push(("echo".to_owned(), workshop.call("echo", &json!({}))["code"].clone()));
    let codes = expected.iter().map(|(_, code)| code.as_str().expect("a code"));
    let kinds = codes.map(|code| code.split('-').nth(2).expect("a type")).collect::<String>();
    assert_eq!(kinds, "DDIE", "{expected:?}");
    let all = exported(&workshop);
    let recorded = all.iter().map(|line| {
        let receipt = &line["receipt"];
        assert_eq!(receipt["outcome"], Value::Null);
        (receipt["tool"].as_str().expect("a tool").to_owned(), receipt["refused"].clone())
    });
    assert_eq!(recorded.collect::<Vec<_>>(), expected);
    assert_eq!(findings(&workshop), []);
    // A dry run runs nothing, and leaves none.
    let call = json!({ "item_type": "tool", "item_id": "asks", "dry_run": true });
    workshop.stage.call_text("execute", &call.to_string());
    assert_eq!(exported(&workshop).len(), 4);
}

#[test]
fn an_export_holds_no_host_path_no_input_and_no_secret() {
    let workshop = workshop(Who::Tester);
    let token = crate::support::samples::token('x');
    let path = workshop.stage.path("project").display().to_string();
    let id = run(&workshop, &json!({ "text": token, "path": path }));
    workshop.call(&token.to_lowercase().replace('_', "-"), &json!({}));
    workshop.stage.file(
        "home/.ai/config.yaml",
        "sign: {unattended: true}\nruntimes: {bash_runtime: {interpreter: /nowhere/bash}}\n",
    );
    workshop.call("echo", &json!({ "text": token }));
    let text = export(&workshop);
    workshop.stage.check(&text);
    assert!(!text.contains(&token) && !text.contains("nowhere"), "{text}");
    assert!(text.contains(&id));
    // The person's own folder has the inputs.
    assert!(std::fs::read_to_string(workshop.stage.path(INPUTS)).expect("kept").contains(&token));
}

#[test]
fn what_cannot_be_recorded_is_not_run() {
    let workshop = workshop(Who::Tester);
    run(&workshop, &json!({}));
    let folder = workshop.stage.path("home/.local/state/merestone/runs");
    std::fs::rename(&folder, workshop.stage.path("beside/runs")).expect("moved");
    std::fs::write(&folder, "a file").expect("written");
    workshop.tool("leave", "bash_runtime", "touch /work/ran\n");
    let reply = workshop.call("leave", &json!({}));
    assert_eq!(reply["code"], "EX-RUN-E-005", "{reply:#}");
    assert!(!workshop.stage.path("project/.ai/workspaces/default/ran").exists());
    // The folder is there, and nothing can be appended: the tool has run, which is said.
    std::fs::remove_file(&folder).expect("removed");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).expect("a mode");
    std::fs::create_dir(folder.join("receipts-000001.jsonl")).expect("a folder in its place");
    let reply = workshop.call("leave", &json!({}));
    assert_eq!((&reply["code"], &reply["data"]["ran"]), (&json!("EX-RUN-E-005"), &json!(true)));
    assert!(workshop.stage.path("project/.ai/workspaces/default/ran").exists());
}

#[test]
fn a_run_is_repeated_and_compared() {
    let workshop = workshop(Who::Tester);
    workshop.tool("clock", "bash_runtime", "date +%s%N\n");
    let id = run(&workshop, &json!({ "n": 1 }));
    let (reply, status) = runs(&workshop, &["replay", &id]);
    assert_eq!((reply["code"].as_str(), status), (Some("EX-RUNS-S-005"), 0), "{reply:#}");
    assert_eq!(reply["data"]["same"], true);
    let own = reply["data"]["receipt"].as_str().expect("a receipt").to_owned();
    let (shown, _) = runs(&workshop, &["show", &own]);
    assert_eq!(shown["data"]["replays"], json!(id));
    assert_eq!(shown["data"]["kept_inputs"], json!({ "n": 1 }));
    let reply = workshop.call("clock", &json!({}));
    let clock = reply["data"]["receipt"].as_str().expect("a receipt").to_owned();
    let (reply, status) = runs(&workshop, &["replay", &clock]);
    let data = &reply["data"];
    assert_eq!((status, &data["same"]), (1, &json!(false)));
    assert_eq!(data["differences"], json!(["stdout"]));
    // Once the tool is another one, even if it is signed, nothing is run.
    workshop.tool("echo", "bash_runtime", "cat; touch /work/ran\n");
    let (reply, status) = runs(&workshop, &["replay", &id]);
    assert_eq!((reply["code"].as_str(), status), (Some("EX-RUNS-I-003"), 1), "{reply:#}");
    assert_eq!(reply["data"]["link"], "echo");
    assert!(!workshop.stage.path("project/.ai/workspaces/default/ran").exists());
    // A refusal cannot be repeated, nor can a run without its inputs, or with others.
    let (reply, _) = runs(&workshop, &[]);
    let refusal = reply["data"]["runs"][0]["id"].as_str().expect("an id").to_owned();
    let (reply, status) = runs(&workshop, &["replay", &refusal]);
    assert_eq!((reply["code"].as_str(), status), (Some("EX-RUNS-I-002"), 1), "{reply:#}");
    let inputs = workshop.stage.path(INPUTS);
    let text = std::fs::read_to_string(&inputs).expect("kept");
    std::fs::write(&inputs, text.replace("{\"n\":1}", "{\"n\":2}")).expect("written");
    let (reply, _) = runs(&workshop, &["replay", &id]);
    assert_eq!(reply["code"], "EX-RUNS-I-002", "{reply:#}");
    workshop.stage.folder("other/.git");
    let mut command = workshop.stage.command("other");
    let output = command.args(["runs", "replay", &clock, "--json"]).output().expect("mere runs");
    let reply = serde_json::from_slice::<Value>(&output.stdout).expect("JSON");
    assert_eq!(reply["code"], "EX-RUNS-I-002", "{reply:#}");
}

#[test]
fn every_receipt_goes_to_the_audit_file_too() {
    let workshop = workshop(Who::Tester);
    let config = "sign: {unattended: true}\naudit: {file: ~/audit.jsonl}\n";
    workshop.stage.file("home/.ai/config.yaml", config);
    run(&workshop, &json!({ "n": 1 }));
    workshop.call("absent", &json!({}));
    let sent = std::fs::read_to_string(workshop.stage.path("home/audit.jsonl")).expect("sent");
    assert_eq!(sent, export(&workshop));
    assert_eq!(sent.lines().count(), 2);
    // A sink that cannot be written loses no run; doctor names it.
    let config = "sign: {unattended: true}\naudit: {file: /nowhere/audit.jsonl}\n";
    workshop.stage.file("home/.ai/config.yaml", config);
    run(&workshop, &json!({ "n": 2 }));
    let output = workshop.command().arg("doctor").output().expect("mere runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("audit") && output.status.code() == Some(4), "{text}");
    // A pipe that nobody reads does not hold up a run.
    let pipe = workshop.stage.path("home/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let config = "sign: {unattended: true}\naudit: {file: ~/pipe}\n";
    workshop.stage.file("home/.ai/config.yaml", config);
    run(&workshop, &json!({ "n": 3 }));
    for (config, words) in [
        ("audit: {file: here}\n", "must begin with"),
        ("audit: {file: /a, syslog: true}\n", "not both"),
        ("audit: {files: /a}\n", "unknown field"),
    ] {
        workshop.stage.file("home/.ai/config.yaml", config);
        let output = workshop.command().args(["config", "check"]).output().expect("mere runs");
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(text.contains(words), "{config} {text}");
    }
}

#[test]
fn a_project_cannot_have_receipts_sent_anywhere() {
    let workshop = workshop(Who::Tester);
    let path = workshop.stage.path("beside/stolen");
    let text = std::fs::read_to_string(workshop.stage.path("project/.ai/config.yaml"));
    let text = text.unwrap_or_default();
    let more = format!("audit: {{file: {}}}\n", path.display());
    workshop.stage.file("project/.ai/config.yaml", &format!("{text}{more}"));
    workshop.call("echo", &json!({}));
    assert!(!path.exists());
}

#[test]
fn every_receipt_goes_to_the_system_log_too() {
    let workshop = workshop(Who::Tester);
    let config = "sign: {unattended: true}\naudit: {syslog: true}\n";
    workshop.stage.file("home/.ai/config.yaml", config);
    let socket = workshop.stage.path("beside/log");
    let listener = std::os::unix::net::UnixDatagram::bind(&socket).expect("a socket");
    listener.set_read_timeout(Some(std::time::Duration::from_secs(20))).expect("a timeout");
    // A mount namespace of its own, in which /dev is another folder with this socket.
    let script = "set -e; dev=$1; shift; mkdir -p $dev; mount -t tmpfs none $dev
        for one in null zero full random urandom tty; do touch $dev/$one; mount --bind /dev/$one $dev/$one; done
        touch $dev/log; mount --bind \"$LOG_SOCKET\" $dev/log; mount --rbind $dev /dev; exec \"$@\"";
    let call = json!({ "item_type": "tool", "item_id": "echo", "parameters": { "n": 1 } });
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", script, "sh"]);
    command.arg(workshop.stage.path("beside/dev")).arg(env!("CARGO_BIN_EXE_mere"));
    command.args(["call", "execute", &call.to_string()]).env("LOG_SOCKET", &socket);
    command.env("HOME", workshop.stage.path("home")).current_dir(workshop.stage.path("project"));
    let reply = workshop.stage.answer(&mut command).reply;
    let id = reply["data"]["receipt"].as_str().unwrap_or_else(|| panic!("{reply:#}"));
    let mut message = vec![0; 65536];
    let length = listener.recv(&mut message).expect("a message");
    let message = String::from_utf8_lossy(&message[..length]).into_owned();
    let (start, line) = message.split_once(": ").expect("a tag");
    assert!(start.starts_with("<13>mere["), "{message}");
    assert_eq!(format!("{line}\n"), export(&workshop));
    assert!(line.contains(id));
}

#[test]
fn agents_cannot_see_receipts_or_ask_for_them() {
    let mut stage = Stage::new();
    stage.variable("XDG_STATE_HOME", "project/state");
    assert!(stage.person(&["init"]).status.success());
    let call = json!({ "item_type": "tool", "item_id": "hello_tool" });
    let reply = stage.call_text("execute", &call.to_string()).reply;
    assert_eq!(reply["data"]["success"], true, "{reply:#}");
    assert!(stage.path("project/state/merestone/runs/receipts-000001.jsonl").exists());
    assert!(!stage.list("state").paths().iter().any(|path| path.contains("merestone")));
    let path = json!({ "path": "state/merestone/runs/receipts-000001.jsonl" });
    assert_eq!(stage.call_text("read", &path.to_string()).code(), "WA-PATH-I-001");
}
