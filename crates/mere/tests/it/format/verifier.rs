//! `docs/verify.py`, a second implementation of the checks, judges every item as `mere` does.

use std::collections::BTreeMap;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::matrix::items::{
    OWN_SPACE, Shape, Signed, TestItem, decode, encode, kinds, prepare, read, sign_all,
};
use crate::support::harness::Stage;
use crate::tidy::workspace;

/// The status of each item, by its path from the stage's project.
type Verdicts = BTreeMap<String, String>;

fn export_key(stage: &Stage) {
    let exported = stage.person(&["keys", "export"]);
    std::fs::write(stage.path("beside/key.pub"), exported.stdout).expect("a key");
}

/// Runs the verifier in the project.
fn verifier(stage: &Stage, arguments: &[&str]) -> Output {
    let mut python = Command::new("python3");
    python.arg("-I").arg(workspace().join("docs/verify.py"));
    python.arg("--key").arg(stage.path("beside/key.pub")).args(arguments);
    python.current_dir(stage.path("project")).output().expect("Python runs")
}

/// Judges the whole project, the skills used in place included.
fn judge(stage: &Stage) -> Verdicts {
    let mut verdicts = Verdicts::new();
    let project = stage.path("project").canonicalize().expect("a project");
    let prefix = format!("{}/", project.display());
    for arguments in [&[".ai"][..], &["--base", ".claude/skills", ".claude/skills"]] {
        let output = verifier(stage, arguments);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.is_empty(), "{errors}");
        for line in text.lines() {
            let (status, rest) = line.split_once(' ').expect("a status and a path");
            let path = rest.split_once(": ").map_or(rest, |(path, _)| path);
            let path = path.strip_prefix(&prefix).expect("a path of the project");
            verdicts.insert(path.to_owned(), status.to_owned());
        }
        let all_verified = text.lines().all(|line| line.starts_with("verified "));
        assert_eq!(output.status.code(), Some(i32::from(!all_verified)), "{text}");
    }
    verdicts
}

/// The verdicts of `mere` itself; what is verified is only counted there.
fn judge_with_mere(stage: &Stage) -> Verdicts {
    let output = stage.person(&["verify", "--all", "--scope", "project", "--json"]);
    let reply: Value = serde_json::from_slice(&output.stdout).expect("a reply");
    let items = reply["data"]["items"].as_array().expect("items").iter();
    let verdict = |item: &Value| {
        let address = item["address"].as_str().expect("an address");
        let path = address.strip_prefix("ROOT_PROJECT:/").expect("in the project");
        (path.to_owned(), item["status"].as_str().expect("a status").to_owned())
    };
    items.map(verdict).collect()
}

/// Changes every item of a signed stage, and compares what the two programs say of it.
fn compare(signed: &Signed, case: &str, change: impl Fn(&Stage, &TestItem)) {
    let stage = signed.copy();
    for item in kinds() {
        change(&stage, &item);
    }
    let mut theirs = judge(&stage);
    let broken = judge_with_mere(&stage);
    assert!(!broken.is_empty(), "{case}: nothing was changed");
    theirs.retain(|_, status| status != "verified");
    assert_eq!(theirs, broken, "{case}");
}

/// A stage with one item of each kind, and the public key beside it.
fn signed_with_key() -> Signed {
    let signed = Signed::new();
    export_key(signed.stage());
    signed
}

/// Changes the sidecar of an item as JSON.
fn edit_sidecar(stage: &Stage, item: &TestItem, edit: impl Fn(&mut Value)) {
    let mut sidecar = item.read_sidecar(stage);
    edit(&mut sidecar);
    item.write_sidecar(stage, &sidecar);
}

/// Changes the text of a payload; its signature no longer fits.
fn edit_payload(sidecar: &mut Value, envelope: &str, (from, to): (&str, &str)) {
    let payload = decode(&sidecar[envelope]["payload"]);
    assert!(payload.contains(from), "{payload}");
    sidecar[envelope]["payload"] = encode(&payload.replacen(from, to, 1)).into();
}

#[test]
fn it_verifies_what_was_signed() {
    let stage = signed_with_key().copy();
    let expected = kinds().map(|item| {
        let path = item.main().strip_prefix("project/").expect("in the project").to_owned();
        (path, "verified".to_owned())
    });
    assert_eq!(judge(&stage), Verdicts::from(expected));
    assert_eq!(judge_with_mere(&stage), Verdicts::new());
    // One item at a time: by its main file, its folder or its signature.
    for item in kinds() {
        let base: &[&str] = if item.base.starts_with(".ai") { &[] } else { &["--base", item.base] };
        for path in [item.main(), item.sidecar()] {
            let path = path.strip_prefix("project/").expect("in the project");
            let output = verifier(&stage, &[base, &[path]].concat());
            assert!(output.status.success(), "{path}: {output:?}");
            let lines = String::from_utf8_lossy(&output.stdout).lines().count();
            assert_eq!(lines, 1, "{path}");
        }
    }
}

#[test]
fn it_refuses_what_was_edited() {
    let signed = signed_with_key();
    compare(&signed, "a byte more", |stage, item| {
        stage.file(&item.main(), &(read(stage, &item.main()) + "\n"));
    });
    compare(&signed, "another text of the same size", |stage, item| {
        let text = read(stage, &item.main());
        let text = text.replace("BODY", "BADY").replace("b0d7", "b0d8");
        stage.file(&item.main(), &text);
    });
    compare(&signed, "another file changed", |stage, item| {
        if let Some(side) = item.side() {
            stage.file(&side, "other\n");
        }
    });
    compare(&signed, "a file more", |stage, item| match item.shape {
        Shape::Folder(_) => drop(stage.file(&format!("{}/lib/more.sh", item.folder()), "x")),
        Shape::FlatTool => drop(stage.file(&format!("{}/{}.sh", item.folder(), item.id), "x")),
        Shape::Markdown | Shape::Lock => {}
    });
    compare(&signed, "a file less", |stage, item| {
        if let Some(side) = item.side() {
            std::fs::remove_file(stage.path(&side)).expect("removed");
        }
    });
}

#[test]
fn it_refuses_what_was_moved_renamed_or_copied() {
    let signed = signed_with_key();
    compare(&signed, "another category", |stage, item| {
        item.moved(stage, &item.category("other"));
    });
    compare(&signed, "another id", |stage, item| item.moved(stage, &item.id("other")));
    compare(&signed, "another version", |stage, item| {
        if item.shape == Shape::Lock {
            item.moved(stage, &item.version("1.0.1"));
        }
    });
    compare(&signed, "a copy beside it", |stage, item| item.copied(stage, &item.id("other")));
    compare(&signed, "another space", |stage, _| {
        let text = read(stage, "project/.ai/space.json").replace("6f2d", "6f2e");
        stage.file("project/.ai/space.json", &text);
    });
    compare(&signed, "another folder of the project", |stage, item| {
        if item.base == ".claude/skills" {
            item.moved(stage, &item.base(".ai/directives"));
            // What is left must be a folder.
            let other = item.id("other");
            other.write(stage, "BODY");
        }
    });
}

#[test]
fn it_says_that_a_signature_was_left_behind() {
    let stage = signed_with_key().copy();
    let note = &kinds()[5];
    note.moved_without_sidecar(&stage, &note.category("other"));
    let verdicts = judge(&stage);
    assert_eq!(verdicts[".ai/knowledge/other/facts.md"], "unsigned");
    assert_eq!(verdicts[".ai/knowledge/api/facts.md.sig"], "orphaned-signature");
}

#[test]
fn it_refuses_signatures_that_were_taken_apart() {
    let signed = signed_with_key();
    compare(&signed, "cut", |stage, item| {
        let text = read(stage, &item.sidecar());
        stage.file(&item.sidecar(), &text[..text.len() - 1]);
    });
    compare(&signed, "a key twice", |stage, item| {
        let text = read(stage, &item.sidecar());
        stage.file(&item.sidecar(), &text.replacen('{', "{\"statement\": 1,", 1));
    });
    compare(&signed, "deep", |stage, item| drop(stage.file(&item.sidecar(), &"[".repeat(9_000))));
    compare(&signed, "an unknown field", |stage, item| {
        edit_sidecar(stage, item, |sidecar| sidecar["more"] = json!(1));
    });
    compare(&signed, "a signature of the other envelope", |stage, item| {
        edit_sidecar(stage, item, |sidecar| {
            sidecar["statement"]["signatures"] = sidecar["placement"]["signatures"].clone();
        });
    });
    compare(&signed, "no key named", |stage, item| {
        edit_sidecar(stage, item, |sidecar| {
            sidecar["statement"]["signatures"][0]["keyid"] = json!("");
        });
    });
    for (envelope, from, to) in [
        ("statement", "\"v\":1", "\"v\":1.0"),
        ("statement", "\"v\":1", "\"v\":true"),
        ("statement", "\"v\":1", "\"v\": 1"),
        ("statement", "\"category\":\"", "\"category\":\"x"),
        ("placement", "\"scope\":\"project\"", "\"scope\":\"user\""),
        ("placement", "\"origin\":null", "\"origin\":NaN"),
        ("placement", "\"origin\":null", "\"origin\":\"\\ud800\""),
    ] {
        compare(&signed, to, |stage, item| {
            edit_sidecar(stage, item, |sidecar| edit_payload(sidecar, envelope, (from, to)));
        });
    }
}

#[test]
fn it_refuses_a_second_spelling_of_a_signature() {
    // The scalar of a signature plus the order of the group solves the same equation.
    const ADD_ORDER: &str = "import base64, sys\n\
        order = 2**252 + 27742317777372353535851937790883648493\n\
        data = base64.b64decode(sys.argv[1])\n\
        scalar = int.from_bytes(data[32:], 'little') + order\n\
        print(base64.b64encode(data[:32] + scalar.to_bytes(32, 'little')).decode(), end='')";
    let signed = signed_with_key();
    compare(&signed, "another scalar", |stage, item| {
        edit_sidecar(stage, item, |sidecar| {
            let mark = &mut sidecar["statement"]["signatures"][0]["sig"];
            let mut python = Command::new("python3");
            let output = python.args(["-c", ADD_ORDER, mark.as_str().expect("base64")]).output();
            let output = output.expect("Python runs");
            assert!(output.status.success(), "{output:?}");
            *mark = String::from_utf8(output.stdout).expect("UTF-8").into();
        });
    });
}

#[test]
fn it_needs_a_signature_by_a_key_that_was_named() {
    let signed = signed_with_key();
    compare(&signed, "no signature", |stage, item| {
        std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
    });
    let another = signed.by_another();
    compare(&signed, "by somebody else", |stage, item| {
        item.write_sidecar(stage, &item.read_sidecar(&another));
    });
    let stage = signed.copy();
    let output = verifier(&stage, &["--key", "/nowhere", ".ai"]);
    assert!(!output.status.success());
    assert_eq!(verifier(&stage, &["nowhere"]).status.code(), Some(2));
}

#[test]
fn it_verifies_a_space_of_a_user_as_one() {
    let stage = Stage::new();
    prepare(&stage);
    let note = kinds()[5].in_own_space();
    note.write(&stage, "BODY");
    sign_all(&stage);
    export_key(&stage);
    assert!(read(&stage, "home/.ai/space.json").contains(OWN_SPACE));
    let space = stage.path("home/.ai");
    let space = space.to_str().expect("UTF-8");
    assert!(verifier(&stage, &["--scope", "user", space]).status.success());
    let output = verifier(&stage, &[space]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("wrong-location"), "{output:?}");
}
