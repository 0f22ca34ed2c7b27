//! What is signed: the bytes, their form, and a signature that others can check.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::matrix::items::{Signed, TestItem, decode, kinds, prepare, read, run, sign_all};
use crate::support::harness::Stage;
use crate::trust::keys::{done, text};

const ENVELOPES: [&str; 2] = ["statement", "placement"];

/// A payload, without the claim of when it was signed.
fn payload(sidecar: &Value, envelope: &str) -> Value {
    let mut fields: Value =
        serde_json::from_str(&decode(&sidecar[envelope]["payload"])).expect("JSON");
    let created = fields.as_object_mut().expect("an object").remove("created").expect("a time");
    let form = text(&created).bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    assert_eq!(form.collect::<Vec<_>>(), b"0000-00-00T00:00:00Z", "{created}");
    fields
}

/// A payload but for what depends on `created`.
fn timeless(sidecar: &Value) -> [Value; 2] {
    let mut both = ENVELOPES.map(|envelope| payload(sidecar, envelope));
    both[1].as_object_mut().expect("an object").remove("statement");
    both
}

#[test]
fn the_same_item_is_the_same_statement_wherever_and_by_whomever_it_is_signed() {
    let here = Signed::new().copy();
    let there = {
        let mut stage = Stage::new();
        stage.folder("another-home");
        stage.variable("HOME", "another-home");
        prepare(&stage);
        stage.file("another-home/.ai/config.yaml", "sign: {unattended: true}\n");
        std::fs::remove_dir_all(stage.path("project/.git")).expect("removed");
        for item in kinds() {
            item.write(&stage, "BODY");
        }
        std::fs::rename(stage.path("project"), stage.path("elsewhere")).expect("renamed");
        stage.folder("elsewhere/.git");
        let mut command = stage.command("elsewhere");
        run(command.args(["sign", "--all", "--yes"]));
        stage
    };
    for item in kinds() {
        let (one, other) = (item.read_sidecar(&here), item.root("elsewhere").read_sidecar(&there));
        assert_eq!(timeless(&one), timeless(&other), "{}", item.address());
        assert_ne!(
            one["statement"]["signatures"][0]["keyid"],
            other["statement"]["signatures"][0]["keyid"]
        );
        // Signed again by the same person.
        std::fs::remove_file(here.path(&item.sidecar())).expect("removed");
        done(&here, &["sign", item.kind, &item.reference()]);
        assert_eq!(timeless(&one), timeless(&item.read_sidecar(&here)), "{}", item.address());
    }
}

#[test]
fn a_payload_says_what_it_must_and_nothing_else() {
    let stage = Signed::new().copy();
    for item in kinds() {
        let sidecar = item.read_sidecar(&stage);
        assert_eq!(keys(&sidecar), ["placement", "statement"]);
        let [statement, placement] = ENVELOPES.map(|envelope| payload(&sidecar, envelope));
        let load = crate::matrix::attacks::load(&stage, &item).reply;
        let mut files = load["data"]["files"].as_array().expect("files").clone();
        files.sort_by(|one, other| text(&one["path"]).cmp(text(&other["path"])));
        let mut expected = json!({
            "v": 1, "type": item.kind, "id": item.id, "version": load["data"]["version"],
            "category": item.category, "integrity": load["data"]["integrity"], "files": files,
        });
        if item.kind == "tool" {
            expected["executor"] = json!("subprocess");
        }
        assert_eq!(statement, expected);
        let digest = sha256(&decode(&sidecar["statement"]["payload"]));
        let base = item.base.trim_start_matches(".ai/");
        let expected = json!({
            "v": 1, "statement": format!("sha256:{digest}"), "scope": "project",
            "space_id": crate::matrix::items::SPACE, "base": base, "origin": null,
        });
        assert_eq!(placement, expected);
    }
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys =
        value.as_object().expect("an object").keys().map(String::as_str).collect::<Vec<_>>();
    keys.sort_unstable();
    keys
}

/// By another program.
fn sha256(text: &str) -> String {
    let printed = piped(Command::new("sha256sum"), text.as_bytes());
    printed.split(' ').next().unwrap_or_default().to_owned()
}

fn piped(mut command: Command, input: &[u8]) -> String {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("its input").write_all(input).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{command:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_payload_is_what_python_writes_as_canonical_json() {
    let stage = Signed::new().copy();
    let program = "import json, sys\n\
                   value = json.loads(sys.stdin.read())\n\
                   sys.stdout.write(json.dumps(value, sort_keys=True, separators=(',', ':')))";
    for item in kinds() {
        for envelope in ENVELOPES {
            let signed = decode(&item.read_sidecar(&stage)[envelope]["payload"]);
            let mut python = Command::new("python3");
            python.args(["-c", program]);
            assert_eq!(piped(python, signed.as_bytes()), signed, "{}", item.address());
        }
    }
}

#[test]
fn names_that_are_not_ascii_are_escaped() {
    let stage = Stage::new();
    prepare(&stage);
    let skill = kinds()[1].clone();
    skill.write(&stage, "BODY");
    stage.file(&format!("{}/caf\u{e9}-\u{1f600}.txt", skill.folder()), "x\n");
    sign_all(&stage);
    let signed = decode(&skill.read_sidecar(&stage)["statement"]["payload"]);
    assert!(signed.contains(r#""caf\u00e9-\ud83d\ude00.txt""#), "{signed}");
    assert!(signed.is_ascii());
}

#[test]
fn openssl_verifies_what_was_signed() {
    let stage = Signed::new().copy();
    let exported = done(&stage, &["keys", "export"]);
    let line = text(&exported["public"]);
    // An Ed25519 key for OpenSSL: the last 32 bytes of OpenSSH's, after a head that says so.
    let program = "import base64, sys\n\
                   blob = base64.b64decode(sys.stdin.read().split()[1])[-32:]\n\
                   head = bytes.fromhex('302a300506032b6570032100')\n\
                   sys.stdout.write(base64.b64encode(head + blob).decode())";
    let mut python = Command::new("python3");
    python.args(["-c", program]);
    let key = piped(python, line.as_bytes());
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{key}\n-----END PUBLIC KEY-----\n");
    stage.file("beside/key.pem", &pem);
    for item in kinds() {
        let sidecar = item.read_sidecar(&stage);
        for envelope in ENVELOPES {
            assert!(openssl_verifies(&stage, &sidecar[envelope], ""), "{}", item.address());
            assert!(!openssl_verifies(&stage, &sidecar[envelope], " "), "the check is one");
        }
    }
}

/// Whether OpenSSL takes an envelope's signature, over DSSE's encoding of its payload and more.
fn openssl_verifies(stage: &Stage, envelope: &Value, more: &str) -> bool {
    let (kind, payload) = (text(&envelope["payloadType"]), decode(&envelope["payload"]));
    let message = format!("DSSEv1 {} {kind} {} {payload}{more}", kind.len(), payload.len());
    stage.file("beside/message", &message);
    let mut unpack = Command::new("base64");
    unpack.args(["-d"]).stdout(std::fs::File::create(stage.path("beside/sig")).expect("a file"));
    let mut child = unpack.stdin(Stdio::piped()).spawn().expect("base64 runs");
    let signature = text(&envelope["signatures"][0]["sig"]);
    child.stdin.take().expect("its input").write_all(signature.as_bytes()).expect("it reads");
    assert!(child.wait().expect("it ends").success());
    let mut openssl = Command::new("openssl");
    openssl.args(["pkeyutl", "-verify", "-pubin", "-rawin", "-inkey", "key.pem"]);
    openssl.args(["-in", "message", "-sigfile", "sig"]).current_dir(stage.path("beside"));
    openssl.output().expect("openssl runs").status.success()
}

#[test]
fn nothing_that_is_signed_says_where_or_by_whom_on_which_machine() {
    let stage = Signed::new().copy();
    let mut words = vec![
        stage.path("").to_str().expect("UTF-8").trim_end_matches('/').to_owned(),
        std::env::temp_dir().to_str().expect("UTF-8").to_owned(),
        "home".to_owned(),
    ];
    words
        .extend(["USER", "LOGNAME", "HOSTNAME"].iter().filter_map(|name| std::env::var(name).ok()));
    for program in ["whoami", "hostname", "id"] {
        let output = Command::new(program).output();
        let names = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        words.extend(names);
    }
    words.retain(|word| word.len() > 3);
    for item in kinds() {
        let sidecar = read(&stage, &item.sidecar());
        let parsed = item.read_sidecar(&stage);
        let all =
            [sidecar, ENVELOPES.map(|envelope| decode(&parsed[envelope]["payload"])).concat()];
        for word in &words {
            assert!(!all.concat().contains(word.as_str()), "{word} in {}", item.address());
        }
    }
}

#[test]
fn signing_changes_nothing_but_the_sidecar() {
    let stage = Stage::new();
    prepare(&stage);
    let before = kinds().map(|item| {
        item.write(&stage, "BODY");
        bytes(&stage, &item)
    });
    sign_all(&stage);
    for (item, before) in kinds().iter().zip(before) {
        assert_eq!(bytes(&stage, item), before);
        let sidecar = read(&stage, &item.sidecar());
        assert!(sidecar.ends_with('}'), "whatever is cut off, it is no sidecar any more");
    }
    let again = kinds().map(|item| read(&stage, &item.sidecar()));
    sign_all(&stage);
    assert_eq!(kinds().map(|item| read(&stage, &item.sidecar())), again, "verified stays");
}

fn bytes(stage: &Stage, item: &TestItem) -> (String, Option<String>) {
    (read(stage, &item.main()), item.side().map(|side| read(stage, &side)))
}
