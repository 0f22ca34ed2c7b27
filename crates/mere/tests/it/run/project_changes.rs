//! A tool with `project: propose`: what it changes waits for a person, who sees the diff and applies
//! all of it or nothing.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use serde_json::{Value, json};

use super::project_view::furnish;
use crate::support::typist::Typist;
use crate::support::workshop::{EVERYBODY, Who, Workshop};

const FORMATTER: &str = "
import pathlib
for path in sorted(pathlib.Path('/project/src').rglob('*.py')):
    path.write_text(path.read_text().replace('=', ' = '))
";

/// A project with three files to format, and the formatter.
pub(super) fn formatter(who: Who) -> Workshop {
    let workshop = Workshop::new(who);
    for name in ["a", "b", "deep/c"] {
        workshop.stage.file(&format!("project/src/{name}.py"), &format!("{}=1\n", &name[..1]));
    }
    workshop.stage.file("project/src/ready.py", "ready\n");
    workshop.project_tool("format_code", ("python_runtime", "propose"), FORMATTER);
    workshop
}

/// Every file of the project but those of the space, with its bytes, mode and owner.
pub(super) fn project_files(workshop: &Workshop) -> BTreeMap<String, (Vec<u8>, u32, u32)> {
    fn walk(
        base: &std::path::Path,
        above: &str,
        found: &mut BTreeMap<String, (Vec<u8>, u32, u32)>,
    ) {
        for entry in std::fs::read_dir(base.join(above)).expect("a folder").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if above.is_empty() { name } else { format!("{above}/{name}") };
            let metadata = entry.path().symlink_metadata().expect("metadata");
            if path == ".ai" || metadata.is_symlink() {
                continue;
            }
            if metadata.is_dir() {
                walk(base, &path, found);
            } else {
                let bytes = std::fs::read(entry.path()).expect("bytes");
                found.insert(path, (bytes, metadata.permissions().mode(), metadata.uid()));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&workshop.stage.path("project"), "", &mut found);
    found
}

/// Runs a tool, and returns the id of its proposal and the reply.
pub(super) fn propose(workshop: &Workshop, id: &str) -> (String, Value) {
    let reply = workshop.call(id, &json!({}));
    let proposal = reply["data"]["proposal"]["id"].as_str();
    (proposal.unwrap_or_else(|| panic!("no proposal: {reply:#}")).to_owned(), reply)
}

/// A command of `mere review`, with its reply and exit status.
fn review(workshop: &Workshop, arguments: &[&str]) -> (Value, i32) {
    let output = workshop.command().arg("review").args(arguments).arg("--json").output();
    let output = output.expect("mere runs");
    let reply = serde_json::from_slice(&output.stdout).expect("a reply");
    (reply, output.status.code().expect("a status"))
}

/// The paths that a reply says are left out, with the reasons.
fn left_out(reply: &Value) -> BTreeMap<String, String> {
    let list = reply["data"]["left_out"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    list.map(|one| (text(&one["path"]), text(&one["reason"]))).collect()
}

#[test]
fn a_formatter_changes_three_files_when_a_person_accepts_and_none_when_they_reject() {
    for who in EVERYBODY {
        let workshop = formatter(who);
        let before = project_files(&workshop);
        let (rejected, reply) = propose(&workshop, "format_code");
        assert_eq!(reply["data"]["proposal"]["files"], 3, "{reply:#}");
        assert_eq!(reply["data"]["left_out"], json!([]), "{reply:#}");
        assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("mere review")));
        assert_eq!(project_files(&workshop), before, "{who:?}: nothing changes by itself");
        let (list, _) = review(&workshop, &["--list"]);
        assert_eq!(list["data"]["proposals"][0]["proposal"], json!(rejected), "{list:#}");
        let (shown, _) = review(&workshop, &["--show", &rejected]);
        let changes = shown["data"]["changes"].as_array().expect("changes").iter();
        let changes = changes.map(|one| (one["path"].clone(), one["diff"].clone()));
        let diff = |name: &str| json!(format!("-{name}=1\n+{name} = 1\n"));
        assert_eq!(
            changes.collect::<Vec<_>>(),
            [
                (json!("src/a.py"), diff("a")),
                (json!("src/b.py"), diff("b")),
                (json!("src/deep/c.py"), diff("d"))
            ],
            "{who:?} {shown:#}"
        );
        assert_eq!(review(&workshop, &["--reject", &rejected]).1, 0);
        assert_eq!(project_files(&workshop), before, "{who:?}: rejecting leaves every byte");
        assert_eq!(review(&workshop, &["--accept", &rejected]).1, 1, "it is gone");
        let (accepted, _) = propose(&workshop, "format_code");
        let (reply, status) = review(&workshop, &["--accept", &accepted]);
        assert_eq!((status, &reply["code"]), (0, &json!("IT-REVIEW-S-003")), "{reply:#}");
        let mut expected = before;
        for (path, text) in
            [("src/a.py", "a = 1\n"), ("src/b.py", "b = 1\n"), ("src/deep/c.py", "d = 1\n")]
        {
            expected.get_mut(path).expect("a file").0 = text.into();
        }
        assert_eq!(project_files(&workshop), expected, "{who:?}: modes and owners stay");
        assert_eq!(review(&workshop, &["--list"]).0["data"]["count"], 0);
        let state = workshop.stage.path("home/.local/state/merestone");
        for left in ["project-views", "project-proposals"] {
            let left = std::fs::read_dir(state.join(left)).expect("a folder").flatten();
            assert_eq!(left.filter(|one| one.file_name() != ".lock").count(), 0, "{who:?}");
        }
    }
}

#[test]
fn files_are_created_deleted_and_made_executable() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        for path in ["gone.txt", "folder/x", "folder/deep/y", "same.txt", "run.sh", "again/old"] {
            workshop.stage.file(&format!("project/{path}"), &format!("{path}\n"));
        }
        let script = "cd /project; rm -r gone.txt folder; mkdir -p new/deep; echo n > new/deep/f; \
             chmod +x run.sh; cat same.txt > tmp; mv tmp same.txt; rm -r again; mkdir again; \
             echo fresh > again/new; mkdir empty; printf '\\0\\377' > binary\n";
        workshop.project_tool("moves", ("bash_runtime", "propose"), script);
        let (id, _) = propose(&workshop, "moves");
        let (shown, _) = review(&workshop, &["--show", &id]);
        let changes = shown["data"]["changes"].as_array().expect("changes").iter();
        let paths = changes.map(|one| one["path"].as_str().expect("a path")).collect::<Vec<_>>();
        let expected = [
            "again/new (new)",
            "again/old (deleted)",
            "binary (new)",
            "folder/deep/y (deleted)",
            "folder/x (deleted)",
            "gone.txt (deleted)",
            "new/deep/f (new)",
            "run.sh",
        ];
        assert_eq!(paths, expected, "{who:?} {shown:#}");
        let text = shown.to_string();
        assert!(text.contains("It becomes executable.") && text.contains("2 bytes, sha256"));
        assert_eq!(review(&workshop, &["--accept", &id]).1, 0);
        let files = project_files(&workshop);
        let names = files.keys().filter(|name| !name.starts_with(".git")).collect::<Vec<_>>();
        assert_eq!(names, ["again/new", "binary", "new/deep/f", "run.sh", "same.txt"], "{who:?}");
        assert_eq!(files["run.sh"].1 & 0o111, 0o111, "{who:?}");
        assert_eq!(files["new/deep/f"].2, files["same.txt"].2, "{who:?}: one owner");
    }
}

#[test]
fn what_may_not_be_changed_is_left_out_and_named() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        furnish(&workshop);
        workshop.stage.file("project/plain", "plain\n");
        let script = "cd /project; echo x > fine.txt; mkdir -p .git/hooks .ai sub/.hg new/.ai; \
             echo x > .git/hooks/pre-commit; echo x > .ai/config.yaml; echo x > new/.ai/x; \
             echo x > sub/.hg/hgrc; echo x > HEAD; echo x > .env; echo x > deep/.env.local; \
             mkdir -p bare vendor/lib; echo x > bare/config; echo x > vendor/lib/.git; \
             echo x > configured/secret.txt; echo x > new/id_rsa; ln -s /etc/passwd link; \
             ln -sf /etc readme.md; rm inside; mkfifo pipe; rm plain; mkdir plain; \
             echo x > plain/file; rm -r src; echo x > src; printf x > $'bad\\nname'; \
             printf x > $'bad\\377'; printf x > $'zero\\u200bwidth'\n";
        workshop.project_tool("naughty", ("bash_runtime", "propose"), script);
        let before = project_files(&workshop);
        let (id, reply) = propose(&workshop, "naughty");
        let (link, hidden) = ("it is a symbolic link", "it is hidden from tools");
        let (repository, exchanged) =
            ("a version control program would obey it", "a file and a folder are exchanged");
        let name = "its name cannot be part of an address";
        let expected = [
            (".git", repository),
            ("sub/.hg", repository),
            ("HEAD", repository),
            ("vendor/lib/.git", repository),
            (".ai", "it lies in `.ai`"),
            ("new/.ai", "it lies in `.ai`"),
            (".env", hidden),
            ("deep/.env.local", hidden),
            ("bare", hidden),
            ("configured/secret.txt", hidden),
            ("new/id_rsa", hidden),
            ("link", link),
            ("readme.md", link),
            ("inside", link),
            ("pipe", "it is neither a file nor a folder"),
            ("plain", exchanged),
            ("src", exchanged),
        ];
        let found = left_out(&reply);
        for (path, reason) in expected {
            let path = format!("ROOT_PROJECT:/{path}");
            assert_eq!(
                found.get(&path).map(String::as_str),
                Some(reason),
                "{who:?} {path} {found:#?}"
            );
        }
        let odd = found.values().filter(|reason| reason.as_str() == name).count();
        assert_eq!(odd, 3, "{who:?} {found:#?}");
        assert_eq!(found.len(), expected.len() + 3, "{who:?} {found:#?}");
        assert_eq!(reply["data"]["proposal"]["files"], 1, "{who:?} {reply:#}");
        assert_eq!(review(&workshop, &["--accept", &id]).1, 0);
        let mut after = project_files(&workshop);
        assert_eq!(after.remove("fine.txt").expect("the only change").0, b"x\n");
        assert_eq!(after, before, "{who:?}");
    }
}

#[test]
fn a_file_that_was_edited_meanwhile_stops_the_whole_proposal() {
    for edited in ["src/a.py", "src/deep/c.py"] {
        let workshop = formatter(Who::Ordinary);
        let (id, _) = propose(&workshop, "format_code");
        workshop.stage.file(&format!("project/{edited}"), "mine\n");
        let before = project_files(&workshop);
        let (shown, _) = review(&workshop, &["--show", &id]);
        assert_eq!(shown["data"]["stale"], true, "{shown:#}");
        let (reply, status) = review(&workshop, &["--accept", &id]);
        assert_eq!((status, &reply["code"]), (1, &json!("IT-REVIEW-I-004")), "{reply:#}");
        assert_eq!(reply["data"]["files"], json!([format!("ROOT_PROJECT:/{edited}")]));
        assert_eq!(project_files(&workshop), before);
        // It can still be accepted once the file is again what the tool saw.
        let text = if edited == "src/a.py" { "a=1\n" } else { "d=1\n" };
        workshop.stage.file(&format!("project/{edited}"), text);
        assert_eq!(review(&workshop, &["--accept", &id]).1, 0);
    }
}

#[test]
fn a_file_that_changes_during_the_run_is_left_out() {
    for who in EVERYBODY {
        let workshop = formatter(who);
        let script = "cp /project/src/a.py /project/src/b.py /work/; touch /work/ready; \
             while [ ! -e /work/go ]; do sleep 0.02; done; \
             for f in a b; do sed s/=/:/ /work/$f.py > /project/src/$f.py; done\n";
        workshop.project_tool("slow", ("bash_runtime", "propose"), script);
        let work = workshop.stage.path("project/.ai/workspaces/default");
        let reply = std::thread::scope(|scope| {
            let run = scope.spawn(|| workshop.call("slow", &json!({})));
            while !work.join("ready").exists() {
                assert!(!run.is_finished(), "{who:?}: it ended before");
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            workshop.stage.file("project/src/a.py", "mine\n");
            std::fs::write(work.join("go"), "").expect("a file");
            run.join().expect("a reply")
        });
        let found = left_out(&reply);
        let reason = found.get("ROOT_PROJECT:/src/a.py").map(String::as_str);
        assert_eq!(reason, Some("somebody else changed it during the run"), "{reply:#}");
        assert_eq!(reply["data"]["proposal"]["files"], 1, "{who:?} {reply:#}");
    }
}

#[test]
fn a_yes_counts_for_what_was_shown() {
    let workshop = formatter(Who::Tester);
    let (id, _) = propose(&workshop, "format_code");
    let (reply, status) = review(&workshop, &["--accept", &id, "--digest", &"0".repeat(64)]);
    assert_eq!((status, &reply["code"]), (1, &json!("IT-REVIEW-I-003")), "{reply:#}");
    let (shown, _) = review(&workshop, &["--show", &id]);
    let digest = shown["data"]["digest"].as_str().expect("a digest").to_owned();
    // An agent's own proposal of the same name does not stand in for it.
    let fake = format!("project/.ai/workspaces/default/proposals/{id}/proposal.json");
    workshop.stage.file(&fake, "{\"v\": 1}");
    // Contents that were changed in the state folder are not applied.
    let content = format!("home/.local/state/merestone/project-proposals/{id}/0");
    let text = std::fs::read_to_string(workshop.stage.path(&content)).expect("a content");
    workshop.stage.file(&content, "other\n");
    assert_eq!(review(&workshop, &["--accept", &id]).0["code"], "IT-REVIEW-I-002");
    workshop.stage.file(&content, &text);
    assert_eq!(review(&workshop, &["--accept", &id, "--digest", &digest]).1, 0);
}

#[test]
fn a_proposal_belongs_to_its_project() {
    let workshop = formatter(Who::Tester);
    let (id, _) = propose(&workshop, "format_code");
    workshop.stage.folder("beside/.git");
    let mut command = workshop.stage.command("beside");
    let output = command.args(["review", "--accept", &id, "--json"]).output().expect("mere runs");
    let reply: Value = serde_json::from_slice(&output.stdout).expect("a reply");
    assert_eq!(reply["code"], "IT-REVIEW-I-001", "{reply:#}");
}

#[test]
fn a_tool_that_is_stopped_or_changes_too_much_proposes_nothing() {
    let workshop = Workshop::new(Who::Ordinary);
    let asked = "config: {timeout_s: 1}\npermissions: {project: propose}\n";
    workshop.tool_with("slow", "bash_runtime", "echo x > /project/x; sleep 60\n", asked);
    workshop.person(&["grant", "t/slow", "--project", "propose"]);
    let reply = workshop.call("slow", &json!({}));
    assert_eq!(reply["data"]["proposal"], Value::Null, "{reply:#}");
    assert!(reply["data"]["not_proposed"].as_str().is_some_and(|why| why.contains("stopped")));
    let many = "cd /project; for i in $(seq 2001); do echo $i > f$i; done\n";
    workshop.project_tool("many", ("bash_runtime", "propose"), many);
    let reply = workshop.call("many", &json!({}));
    assert_eq!(reply["data"]["proposal"], Value::Null, "{reply:#}");
    assert_eq!(reply["data"]["not_proposed"], "the tool changed more than 2000 files");
    let large = "head -c 34000000 /dev/zero > /project/large\n";
    workshop.project_tool("large", ("bash_runtime", "propose"), large);
    let reply = workshop.call("large", &json!({}));
    assert_eq!(reply["data"]["not_proposed"], "the changed files have more than 32 MiB");
    assert_eq!(review(&workshop, &["--list"]).0["data"]["count"], 0);
}

#[test]
fn apply_shows_the_diff_and_asks_and_is_refused_without_a_terminal() {
    let workshop = formatter(Who::Tester);
    let before = project_files(&workshop);
    let output = workshop.command().args(["run", "format_code", "--apply"]).output();
    let output = output.expect("mere runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("only at a terminal") && said.contains("Nothing was run"), "{said}");
    assert_eq!(review(&workshop, &["--list"]).0["data"]["count"], 0, "it did not run");
    let mut person = Typist::start(&workshop.stage, "run format_code --apply");
    person.answer("Accept this?", "r");
    let (_, printed) = person.finish();
    assert!(printed.contains("+a = 1") && printed.contains("was rejected"), "{printed}");
    assert_eq!(project_files(&workshop), before);
    let mut person = Typist::start(&workshop.stage, "run format_code --apply");
    person.answer("Accept this?", "a");
    let (_, printed) = person.finish();
    assert!(printed.contains("3 files of the project changed."), "{printed}");
    let files = project_files(&workshop);
    assert_eq!(files["src/a.py"].0, b"a = 1\n");
}
