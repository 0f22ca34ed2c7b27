//! What is signed: the bytes, their form, and a signature that others can check.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::matrix::items::{Signed, Spot, decode, kinds, prepare, read, run, sign_all};
use crate::support::harness::Stage;
use crate::trust::keys::{done, text};

const ENVELOPES: [&str; 2] = ["statement", "placement"];

/// A payload, without the claim of when it was signed.
fn payload(letter: &Value, envelope: &str) -> Value {
    let mut said: Value =
        serde_json::from_str(&decode(&letter[envelope]["payload"])).expect("JSON");
    let created = said.as_object_mut().expect("an object").remove("created").expect("a time");
    let form = text(&created).bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    assert_eq!(form.collect::<Vec<_>>(), b"0000-00-00T00:00:00Z", "{created}");
    said
}

/// A payload but for what depends on `created`.
fn timeless(letter: &Value) -> [Value; 2] {
    let mut both = ENVELOPES.map(|envelope| payload(letter, envelope));
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
        for spot in kinds() {
            spot.write(&stage, "BODY");
        }
        std::fs::rename(stage.path("project"), stage.path("elsewhere")).expect("renamed");
        stage.folder("elsewhere/.git");
        let mut command = stage.command("elsewhere");
        run(command.args(["sign", "--all", "--yes"]));
        stage
    };
    for spot in kinds() {
        let (one, other) = (spot.letter(&here), spot.root("elsewhere").letter(&there));
        assert_eq!(timeless(&one), timeless(&other), "{}", spot.address());
        assert_ne!(
            one["statement"]["signatures"][0]["keyid"],
            other["statement"]["signatures"][0]["keyid"]
        );
        // Signed again by the same person.
        std::fs::remove_file(here.path(&spot.sidecar())).expect("removed");
        done(&here, &["sign", spot.kind, &spot.reference()]);
        assert_eq!(timeless(&one), timeless(&spot.letter(&here)), "{}", spot.address());
    }
}

#[test]
fn a_payload_says_what_it_must_and_nothing_else() {
    let stage = Signed::new().copy();
    for spot in kinds() {
        let letter = spot.letter(&stage);
        assert_eq!(keys(&letter), ["placement", "statement"]);
        let [statement, placement] = ENVELOPES.map(|envelope| payload(&letter, envelope));
        let load = crate::matrix::attacks::load(&stage, &spot).reply;
        let mut files = load["data"]["files"].as_array().expect("files").clone();
        files.sort_by(|one, other| text(&one["path"]).cmp(text(&other["path"])));
        let mut expected = json!({
            "v": 1, "type": spot.kind, "id": spot.id, "version": load["data"]["version"],
            "category": spot.category, "integrity": load["data"]["integrity"], "files": files,
        });
        if spot.kind == "tool" {
            expected["executor"] = json!("python_runtime");
        }
        assert_eq!(statement, expected);
        let digest = sha256(&decode(&letter["statement"]["payload"]));
        let base = spot.base.trim_start_matches(".ai/");
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
    let said = piped(Command::new("sha256sum"), text.as_bytes());
    said.split(' ').next().unwrap_or_default().to_owned()
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
    for spot in kinds() {
        for envelope in ENVELOPES {
            let signed = decode(&spot.letter(&stage)[envelope]["payload"]);
            let mut python = Command::new("python3");
            python.args(["-c", program]);
            assert_eq!(piped(python, signed.as_bytes()), signed, "{}", spot.address());
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
    let signed = decode(&skill.letter(&stage)["statement"]["payload"]);
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
    for spot in kinds() {
        let letter = spot.letter(&stage);
        for envelope in ENVELOPES {
            assert!(openssl_verifies(&stage, &letter[envelope], ""), "{}", spot.address());
            assert!(!openssl_verifies(&stage, &letter[envelope], " "), "the check is one");
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
        let said = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
        words.extend(said);
    }
    words.retain(|word| word.len() > 3);
    for spot in kinds() {
        let letter = read(&stage, &spot.sidecar());
        let parsed = spot.letter(&stage);
        let all = [letter, ENVELOPES.map(|envelope| decode(&parsed[envelope]["payload"])).concat()];
        for word in &words {
            assert!(!all.concat().contains(word.as_str()), "{word} in {}", spot.address());
        }
    }
}

#[test]
fn signing_changes_nothing_but_the_sidecar() {
    let stage = Stage::new();
    prepare(&stage);
    let before = kinds().map(|spot| {
        spot.write(&stage, "BODY");
        bytes(&stage, &spot)
    });
    sign_all(&stage);
    for (spot, before) in kinds().iter().zip(before) {
        assert_eq!(bytes(&stage, spot), before);
        let letter = read(&stage, &spot.sidecar());
        assert!(letter.ends_with('}'), "whatever is cut off, it is no sidecar any more");
    }
    let again = kinds().map(|spot| read(&stage, &spot.sidecar()));
    sign_all(&stage);
    assert_eq!(kinds().map(|spot| read(&stage, &spot.sidecar())), again, "verified stays");
}

fn bytes(stage: &Stage, spot: &Spot) -> (String, Option<String>) {
    (read(stage, &spot.main()), spot.side().map(|side| read(stage, &side)))
}
