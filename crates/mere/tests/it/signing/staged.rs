//! `--staged`: what is committed is what was signed.

use serde_json::Value;

use crate::matrix::attacks::edit;
use crate::matrix::items::{Signed, TestItem, kinds, read};
use crate::signing::daily::{git, status, with_editor};
use crate::support::harness::Stage;
use crate::trust::keys::text;

/// A repository whose first commit has every item, signed.
fn repository() -> Stage {
    let stage = Signed::new().copy();
    std::fs::remove_dir(stage.path("project/.git")).expect("an empty folder");
    stage.file("project/.gitattributes", ".ai/** -text\n");
    stage.file("project/.gitignore", ".index.json\n");
    git(&stage, &["init", "-q"]);
    git(&stage, &["add", "-A"]);
    git(&stage, &["commit", "-qm", "first"]);
    stage
}

fn mere(stage: &Stage, arguments: &[&str]) -> (i32, Value) {
    with_editor(stage, arguments, "true")
}

/// What `mere verify --staged` ends with, and the status of each finding.
fn verify(stage: &Stage) -> (i32, Vec<String>) {
    let (ended, reply) = mere(stage, &["verify", "--staged"]);
    let items = reply["data"]["items"].as_array().expect("items");
    (ended, items.iter().map(|item| text(&item["status"]).to_owned()).collect())
}

fn staged(stage: &Stage) -> Vec<String> {
    let output = git(stage, &["diff", "--cached", "--name-only"]);
    let names = String::from_utf8(output.stdout).expect("UTF-8");
    names.lines().map(str::to_owned).collect()
}

fn below(path: &str) -> &str {
    path.strip_prefix("project/").expect("in the project")
}

#[test]
fn a_commit_is_signed_and_its_signature_is_staged() {
    for item in kinds().iter().filter(|item| item.kind != "lockfile") {
        let stage = repository();
        assert_eq!(verify(&stage), (0, vec![]), "nothing is staged");
        edit(&stage, &item.main(), "BODY", "EDIT");
        git(&stage, &["add", "-A"]);
        assert_eq!(verify(&stage), (4, vec!["changed".to_owned()]), "changed and unsigned");
        let (ended, reply) = mere(&stage, &["sign", "--staged"]);
        assert_eq!((ended, text(&reply["code"])), (0, "IT-SIGN-S-002"), "{reply}");
        let mut expected = [below(&item.main()).to_owned(), below(&item.sidecar()).to_owned()];
        expected.sort();
        assert_eq!(staged(&stage), expected);
        assert_eq!(verify(&stage), (0, vec![]));
        assert_eq!(status(&stage, item), "verified");
        git(&stage, &["commit", "-qm", "second"]);
        git(&stage, &["clone", "-q", ".", "../clone"]);
        assert_eq!(status(&stage, &item.root("clone")), "verified");
    }
}

#[test]
fn what_is_staged_must_be_what_lies_there() {
    for item in [&kinds()[0], &kinds()[3], &kinds()[4]] {
        let stage = repository();
        edit(&stage, &item.main(), "BODY", "EDIT");
        git(&stage, &["add", "-A"]);
        let sidecar = read(&stage, &item.sidecar());
        let late = item.side().unwrap_or_else(|| item.main());
        let more = read(&stage, &late) + "# not staged\n";
        stage.file(&late, &more);
        let (ended, reply) = mere(&stage, &["sign", "--staged"]);
        assert_eq!((ended, text(&reply["code"])), (1, "IT-SIGN-I-001"), "{reply}");
        assert_eq!(reply["data"]["left"][0]["address"], item.address().as_str(), "{reply}");
        assert!(text(&reply["data"]["left"][0]["why"]).contains("staged"), "{reply}");
        assert_eq!(read(&stage, &item.sidecar()), sidecar);
        assert_ne!(verify(&stage).0, 0);
    }
}

#[test]
fn a_signature_that_is_not_staged_is_found() {
    let signed_later = |item: &TestItem| {
        let stage = repository();
        edit(&stage, &item.main(), "BODY", "EDIT");
        git(&stage, &["add", "-A"]);
        mere(&stage, &["sign", item.kind, &item.reference()]);
        stage
    };
    for item in kinds().iter().filter(|item| item.kind != "lockfile") {
        let stage = signed_later(item);
        assert_eq!(status(&stage, item), "verified");
        assert_eq!(verify(&stage), (4, vec!["unstaged".to_owned()]), "{}", item.address());
        git(&stage, &["add", "-A"]);
        assert_eq!(verify(&stage), (0, vec![]));
    }
}

#[test]
fn the_index_is_looked_at_and_not_only_what_lies_there() {
    let item = kinds()[0].clone();
    // Staged as changed, then put back: what lies there is verified, what is staged is not.
    let stage = repository();
    let before = read(&stage, &item.main());
    edit(&stage, &item.main(), "BODY", "EDIT");
    git(&stage, &["add", "-A"]);
    stage.file(&item.main(), &before);
    assert_eq!(verify(&stage), (4, vec!["unstaged".to_owned()]));
    // The signature is staged to go, and lies there still.
    let stage = repository();
    git(&stage, &["rm", "-q", "--cached", below(&item.sidecar())]);
    assert_eq!(verify(&stage), (4, vec!["unstaged".to_owned()]));
    // A file of a folder that is not staged.
    let stage = repository();
    let kit = kinds()[4].clone();
    stage.file(&format!("{}/lib/more.sh", kit.folder()), "SIDE\n");
    mere(&stage, &["sign", kit.kind, &kit.reference()]);
    git(&stage, &["add", below(&kit.sidecar())]);
    assert_eq!(verify(&stage), (4, vec!["unstaged".to_owned()]));
    git(&stage, &["add", "-A"]);
    assert_eq!(verify(&stage), (0, vec![]));
    // The same where git does not look: an ignored file is part of the item all the same.
    let stage = repository();
    stage.file(&format!("{}/lib/.index.json", kit.folder()), "SIDE\n");
    mere(&stage, &["sign", kit.kind, &kit.reference()]);
    git(&stage, &["add", "-A"]);
    assert_eq!(verify(&stage), (4, vec!["unstaged".to_owned()]));
}

#[test]
fn nobodys_draft_is_committed() {
    let stage = repository();
    let item = kinds()[0].clone();
    mere(&stage, &["draft", item.kind, &item.reference()]);
    edit(&stage, &item.main(), "BODY", "EDIT");
    git(&stage, &["add", "-A"]);
    assert_eq!(status(&stage, &item), "draft");
    assert_eq!(verify(&stage), (4, vec!["changed".to_owned()]));
    let (ended, _) = mere(&stage, &["sign", "--staged"]);
    assert_eq!((ended, verify(&stage)), (0, (0, vec![])));
}

#[test]
fn an_item_that_must_be_signed_is_not_committed_unsigned() {
    let stage = repository();
    let new = kinds()[0].id("fresh");
    new.write(&stage, "BODY");
    git(&stage, &["add", "-A"]);
    assert_eq!(verify(&stage).0, 0, "nothing asks for it");
    let config = "folders: {directives: [.claude/skills]}\nrequire_signed: [directive]\n";
    stage.file("project/.ai/config.yaml", config);
    assert_eq!(verify(&stage), (4, vec!["unsigned".to_owned()]));
    mere(&stage, &["sign", "--staged"]);
    assert_eq!(verify(&stage), (0, vec![]));
    assert!(staged(&stage).contains(&below(&new.sidecar()).to_owned()));
}

#[test]
fn without_a_repository_there_is_nothing_staged() {
    let stage = Signed::new().copy();
    for command in ["sign", "verify"] {
        let (ended, reply) = mere(&stage, &[command, "--staged"]);
        assert_eq!((ended, text(&reply["code"])), (1, "IT-SIGN-I-003"), "{reply}");
    }
}

#[test]
fn what_a_repository_would_have_git_run_is_not_run() {
    let stage = repository();
    let item = kinds()[0].clone();
    edit(&stage, &item.main(), "BODY", "EDIT");
    git(&stage, &["add", "-A"]);
    // As an unpacked archive could bring it: a filter for every item, a monitor, a transport.
    let ran = stage.path("ran");
    let command = format!("sh -c 'touch {}; cat'", ran.display());
    stage.file("project/.git/info/attributes", ".ai/** filter=x\n");
    for (key, value) in [
        ("filter.x.clean", command.as_str()),
        ("core.fsmonitor", &command),
        ("diff.external", &command),
        ("log.showSignature", "true"),
        ("gpg.program", &command),
        ("remote.origin.url", "."),
        ("remote.origin.promisor", "true"),
        ("remote.origin.uploadpack", &command),
    ] {
        git(&stage, &["config", key, value]);
    }
    let _ = std::fs::remove_file(&ran);
    stage.file(&item.main(), &read(&stage, &item.main()));
    mere(&stage, &["verify", "--staged"]);
    let (ended, reply) = mere(&stage, &["sign", "--staged"]);
    assert_eq!(ended, 0, "{reply}");
    mere(&stage, &["sign", "--dry-run"]);
    mere(&stage, &["doctor"]);
    // The history is looked through for what was signed last, and for who signed.
    stage.file(&item.sidecar(), "{}");
    mere(&stage, &["sign", "--dry-run"]);
    mere(&stage, &["log", item.kind, &item.reference()]);
    assert!(!ran.exists(), "git ran what the repository said");
}

#[test]
fn what_is_staged_and_gone_is_a_finding() {
    let stage = repository();
    let text = "<directive name=\"evil\" version=\"1.0.0\"><metadata/><process/></directive>\n";
    stage.file("project/.ai/directives/evil.md", text);
    git(&stage, &["add", "-A"]);
    std::fs::remove_file(stage.path("project/.ai/directives/evil.md")).expect("it was there");
    assert_eq!(verify(&stage), (4, vec!["unstaged".to_owned()]));
}

#[test]
fn a_commit_that_leaves_a_signature_behind_is_a_finding() {
    for item in kinds() {
        let stage = repository();
        // Deleted without its signature.
        std::fs::remove_file(stage.path(&item.main())).expect("removed");
        git(&stage, &["add", "-A"]);
        let (ended, found) = verify(&stage);
        assert_eq!(ended, 4, "{}", item.address());
        assert!(found.contains(&"orphaned-signature".to_owned()), "{found:?}");
        // Moved without it.
        let stage = repository();
        let to = item.category("ops");
        item.moved_without_sidecar(&stage, &to);
        git(&stage, &["add", "-A"]);
        let (ended, mut found) = verify(&stage);
        found.sort();
        assert_eq!(
            (ended, found),
            (4, ["orphaned-signature", "wrong-location"].map(Into::into).to_vec())
        );
        // One that was left in an earlier commit is not part of this one.
        git(&stage, &["commit", "-qm", "second"]);
        stage.file("project/other.txt", "x");
        git(&stage, &["add", "-A"]);
        assert_eq!(verify(&stage), (0, vec![]));
    }
}
