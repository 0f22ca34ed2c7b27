//! The files of a signed item: the complete set, each a regular file, under exactly its name.

use std::process::Command;

use serde_json::json;

use crate::matrix::attacks::{Expected, check, load, run_cases};
use crate::matrix::items::{Shape, Signed, TestItem, kinds, run, sign_all};
use crate::support::harness::Stage;

const WRONG: Expected = Expected::Broken("wrong-files");

/// A path beside the item's main file.
fn beside(item: &TestItem, name: &str) -> String {
    format!("{}/{name}", item.folder())
}

#[test]
fn no_file_may_come_or_go() {
    let signed = Signed::new();
    for item in kinds() {
        let extra: &[&str] = match item.shape {
            Shape::Folder(_) => &[
                "extra.txt",
                "lib/extra.sh",
                ".hidden",
                "lib/.hidden",
                "lib/.sig",
                ".sig.sig",
                "a.sig",
                ".SIG",
                ".sig ",
                "SKILL.md.sig",
                "manifest.yaml.sig",
                "LIB/run.sh",
                "lib/RUN.sh",
                "lib/run.sh.sig",
                ".sig.d/x",
                "node_modules/x/index.js",
                ".gitignore",
            ],
            Shape::FlatTool => &["jwt.sh", "jwt.py.sig", "jwt.sig", "jwt.yaml.sig.bak", "jwt.YAML"],
            _ => continue,
        };
        for name in extra {
            let stage = signed.copy();
            stage.file(&beside(&item, name), "EDIT\n");
            check(&stage, name, &item, &WRONG);
        }
        let stage = signed.copy();
        let side = stage.path(&item.side().expect("a side file"));
        std::fs::remove_file(&side).expect("removed");
        check(&stage, "a file is missing", &item, &WRONG);
        std::fs::create_dir(&side).expect("a folder");
        check(&stage, "a folder in its place", &item, &WRONG);
    }
}

#[test]
fn what_is_not_its_own_does_not_count() {
    let signed = Signed::new();
    for item in kinds() {
        let stage = signed.copy();
        for name in ["neighbour.txt", "jwt2.py", ".jwt.py", "deploy.md.txt", "facts.md.bak"] {
            if !item.is_folder() {
                stage.file(&beside(&item, name), "EDIT\n");
            }
        }
        if item.is_folder() {
            stage.folder(&beside(&item, "empty"));
        }
        check(&stage, "others' files", &item, &Expected::Verified);
    }
}

#[test]
fn a_link_is_no_file_of_it() {
    run_cases(
        &Signed::new(),
        &[
            ("the main file is a link", |stage, item| {
                link(stage, &item.main());
                Some((item.clone(), Expected::Absent))
            }),
            ("the main file is missing", |stage, item| {
                std::fs::remove_file(stage.path(&item.main())).expect("removed");
                Some((item.clone(), Expected::Absent))
            }),
            ("the sidecar is a link", |stage, item| {
                link(stage, &item.sidecar());
                Some((item.clone(), Expected::Broken("bad-signature")))
            }),
            ("the sidecar leads nowhere", |stage, item| {
                std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
                stage.link("nowhere", &item.sidecar());
                Some((item.clone(), Expected::Broken("bad-signature")))
            }),
            ("the sidecar is a folder", |stage, item| {
                std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
                stage.folder(&item.sidecar());
                Some((item.clone(), Expected::Broken("bad-signature")))
            }),
            ("a side file is a link", |stage, item| {
                link(stage, &item.side()?);
                Some((item.clone(), WRONG))
            }),
            ("a side file is a pipe", |stage, item| {
                let side = stage.path(&item.side()?);
                std::fs::remove_file(&side).expect("removed");
                run(Command::new("mkfifo").arg(side));
                Some((item.clone(), WRONG))
            }),
            ("a link more", |stage, item| {
                item.side()?;
                let name = if item.is_folder() { "more.txt" } else { "jwt.txt" };
                stage.link("/etc/hostname", &beside(item, name));
                Some((item.clone(), WRONG))
            }),
        ],
    );
}

/// Puts a link in the place of a file, to the same bytes elsewhere in the project.
fn link(stage: &Stage, below: &str) {
    let original = stage.path(&format!("project/{}", below.replace('/', "_")));
    std::fs::rename(stage.path(below), &original).expect("moved");
    stage.link(&original, below);
}

#[test]
fn twins_by_case_or_by_look_are_other_names() {
    let signed = Signed::new();
    let kinds = kinds();
    let twins = [
        (&kinds[0], "api/Deploy.md"),
        (&kinds[0], "api/DEPLOY.MD"),
        (&kinds[0], "API/deploy.md"),
        (&kinds[0], "api/\u{ff44}eploy.md"),
        (&kinds[0], "api/depl\u{43e}y.md"),
        (&kinds[0], "api/deploy\u{200b}.md"),
        (&kinds[0], "api/deploy .md"),
        (&kinds[3], "api/JWT.yaml"),
        (&kinds[3], "api/jwt.YAML2"),
        (&kinds[5], "api/fact\u{17f}.md"),
        (&kinds[5], "api/facts\u{301}.md"),
    ];
    for (item, twin) in twins {
        let stage = signed.copy();
        let path = format!("project/{}/{twin}", item.base);
        stage.file(&path, &item.text("EDIT"));
        let sidecar = std::fs::read_to_string(stage.path(&item.sidecar())).expect("a sidecar");
        stage.file(&format!("{path}.sig"), &sidecar);
        let id = twin.split('.').next().unwrap_or_default();
        let arguments = json!({ "item_type": item.kind, "item_id": id }).to_string();
        if id != item.reference() {
            let answer = stage.call_text("load", &arguments);
            assert_eq!(answer.reply["reply_type"], "I", "{twin}: {}", answer.reply);
            assert!(!answer.reply.to_string().contains("EDIT"), "{}", answer.reply);
        }
        if twin != "api/jwt.YAML2" {
            check(&stage, twin, item, &Expected::Verified);
        }
    }
}

#[test]
fn names_in_a_folder_are_bytes() {
    let skill = kinds()[1].clone();
    let [composed, decomposed, wide] = ["caf\u{e9}.txt", "cafe\u{301}.txt", "caf\u{ff45}.txt"];
    for (from, to) in [(composed, decomposed), (decomposed, composed), (composed, wide)] {
        let stage = Signed::of(std::slice::from_ref(&skill)).copy();
        stage.file(&beside(&skill, from), "SIDE\n");
        sign_all(&stage);
        check(&stage, "as signed", &skill, &Expected::Verified);
        let [old, new] = [from, to].map(|name| stage.path(&beside(&skill, name)));
        std::fs::rename(&old, &new).expect("renamed");
        check(&stage, "another spelling", &skill, &WRONG);
        std::fs::copy(&new, &old).expect("copied");
        check(&stage, "both spellings", &skill, &WRONG);
    }
}

#[test]
fn a_name_that_is_no_text_is_no_file_of_it() {
    use std::os::unix::ffi::OsStrExt;
    let stage = Signed::new().copy();
    let skill = kinds()[1].clone();
    let path = stage.path(&skill.folder()).join(std::ffi::OsStr::from_bytes(b"caf\xe9.txt"));
    std::fs::write(path, "EDIT").expect("written");
    check(&stage, "a name in another encoding", &skill, &WRONG);
    let answer = load(&stage, &skill);
    assert_eq!(answer.reply["data"]["trust"]["status"], "wrong-files");
}
