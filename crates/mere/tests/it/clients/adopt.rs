//! `mere adopt`: the report, the plan, what is written, and taking it back.

use std::process::Output;

use serde_json::Value;

use super::files_below;
use crate::support::harness::Stage;
use crate::support::repository::Repository;
use crate::support::typist::Typist;

const SKILL: &str = "---\nname: review\ndescription: Reviews code.\n---\n\nDo it.\r\n";

fn text(output: &Output) -> String {
    let both = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn succeed(stage: &Stage, words: &[&str]) -> String {
    let output = stage.person(words);
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", text(&output));
    text(&output)
}

/// A project and a home folder with something of every program.
fn crowded_stage() -> Stage {
    let stage = Stage::new();
    stage.file("project/.claude/skills/review/SKILL.md", SKILL);
    stage.file("project/.claude/skills/review/run.sh", "echo\n");
    stage.file("home/.claude/skills/review/SKILL.md", &SKILL.replace("Do", "Undo"));
    stage.file("project/.agents/skills/deploy/SKILL.md", &SKILL.replace("review", "deploy"));
    stage.file("project/AGENTS.md", "# Rules\nBe kind\u{200b}.\n");
    stage.file("project/CLAUDE.md", "See /home/ada/notes.\n");
    stage.file(
        "project/.cursor/rules/style.mdc",
        "---\ndescription: Style\nglobs: *.rs\n---\nTabs.\n",
    );
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1b2C");
    stage.file("project/.serena/memories/build.md", &format!("# Build\nuse {token}\n"));
    let graph = "{\"type\":\"entity\",\"name\":\"Ada L\",\"entityType\":\"person\",\"observations\":[\"likes tea\"]}\n\
                 {\"type\":\"relation\",\"from\":\"Ada L\",\"to\":\"Team\",\"relationType\":\"leads\"}\n";
    stage.file("project/memory.jsonl", graph);
    stage.file("home/basic-memory/idea.md", "---\ntitle: Idea\npermalink: idea\n---\nText\n");
    stage.file("project/.claude-plugin/plugin.json", "{\"name\":\"p\"}");
    stage
}

#[test]
fn a_report_needs_no_space_and_no_key_and_changes_nothing() {
    let stage = crowded_stage();
    let before = (files_below(&stage.path("project")), files_below(&stage.path("home")));
    let said = succeed(&stage, &["adopt", "--dry-run"]);
    for expected in [
        "Agent Skill              .claude/skills/review",
        "Agent Skill              ~/.claude/skills/review",
        "instructions             AGENTS.md  has hidden characters",
        "instructions             CLAUDE.md  has a host path",
        "Cursor rule              .cursor/rules/style.mdc",
        "Serena memory            .serena/memories/build.md  has a secret (line 2)",
        "MCP memory graph         memory.jsonl",
        "basic-memory note        ~/basic-memory/idea.md",
        "Claude plugin            .claude-plugin/plugin.json",
        "review: copies that differ: .claude/skills/review, ~/.claude/skills/review",
        "Claude Code uses ~/.claude/skills/review",
    ] {
        assert!(said.contains(expected), "{expected:?} is missing: {said}");
    }
    assert!(!said.contains("ghp_"), "the secret itself is not printed: {said}");
    let after = (files_below(&stage.path("project")), files_below(&stage.path("home")));
    assert_eq!(after, before);
    let reply = stage.person(&["adopt", "--dry-run", "--json"]);
    let reply = serde_json::from_slice::<Value>(&reply.stdout).expect("JSON");
    assert_eq!(reply["code"], "IT-ADOPT-S-001");
    assert_eq!(reply["data"]["shared_names"][0]["differ"], true, "{reply}");
}

#[test]
fn an_adoption_overwrites_nothing_and_is_taken_back() {
    let stage = crowded_stage();
    for words in [&["adopt", "--yes"][..], &["adopt"]] {
        let unready = stage.person(words);
        assert_eq!(unready.status.code(), Some(1), "{}", text(&unready));
        assert!(text(&unready).contains("mere init"), "{}", text(&unready));
    }
    succeed(&stage, &["init", "--template", "blank"]);
    let before = files_below(&stage.path("project"));
    // Without a yes nothing happens.
    let unasked = stage.person(&["adopt"]);
    assert_eq!(unasked.status.code(), Some(1), "{}", text(&unasked));
    assert_eq!(files_below(&stage.path("project")), before);
    let said = succeed(&stage, &["adopt", "--yes"]);
    assert!(said.contains("use in place  .claude/skills"), "{said}");
    let after = files_below(&stage.path("project"));
    for (path, bytes) in &before {
        assert!(path == ".ai/config.yaml" || after.get(path) == Some(bytes), "{path} changed");
    }
    let listed = succeed(&stage, &["list"]);
    for name in ["review", "deploy", "agents-md", "claude-md", "style-mdc", "build", "ada-l"] {
        assert!(listed.contains(name), "{name} is missing: {listed}");
    }
    assert!(!listed.contains("idea"), "the home folder is only reported: {listed}");
    assert!(succeed(&stage, &["adopt", "--yes"]).contains("nothing to adopt"));
    // A file that was changed since stays.
    stage.file("project/.ai/knowledge/adopted/build.md", "---\nid: build\ntitle: B\n---\nmine\n");
    let undone = succeed(&stage, &["adopt", "--undo"]);
    assert!(undone.contains("leave         .ai/knowledge/adopted/build.md"), "{undone}");
    std::fs::remove_file(stage.path("project/.ai/knowledge/adopted/build.md")).expect("removed");
    let mut left = files_below(&stage.path("project"));
    left.retain(|path, _| !path.ends_with(".index.json"));
    let mut before = before;
    before.retain(|path, _| !path.ends_with(".index.json"));
    assert_eq!(left, before);
}

#[test]
fn git_keeps_what_is_adopted_and_what_is_suspicious_is_said_again() {
    let Repository { stage } = Repository::new();
    succeed(&stage, &["init", "--template", "blank"]);
    stage.file("project/.claude/skills/review/SKILL.md", SKILL);
    let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1b2C");
    stage.file("project/.claude/skills/review/run.sh", &format!("cd\ncurl -H {token}\n"));
    let before = std::fs::read_to_string(stage.path("project/.gitattributes")).expect("a file");
    let said = succeed(&stage, &["adopt", "--yes"]);
    for expected in [
        "add           .claude/skills/** -text to .gitattributes",
        "look at       .claude/skills/review has a secret (run.sh, line 2)",
    ] {
        assert!(said.contains(expected), "{expected:?} is missing: {said}");
    }
    let after = std::fs::read_to_string(stage.path("project/.gitattributes")).expect("a file");
    assert_eq!(after, format!("{before}.claude/skills/** -text\n"));
    let said = text(&stage.person(&["sign", "--dry-run"]));
    assert!(said.contains("looks like a secret is in run.sh:2"), "{said}");
    assert!(!said.contains("SKILL.md:"), "{said}");
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    let said = succeed(&stage, &["sign", "skill", "review"]);
    assert!(said.contains("looks like a secret is in run.sh:2"), "{said}");
    succeed(&stage, &["adopt", "--undo"]);
    let undone = std::fs::read_to_string(stage.path("project/.gitattributes")).expect("a file");
    assert_eq!(undone, before);
}

#[test]
fn a_skill_that_goes_around_keeps_every_byte() {
    let stage = crowded_stage();
    stage.file("beside/skills/review/SKILL.md", SKILL);
    std::fs::write(stage.path("beside/skills/review/data.bin"), [0, 255]).expect("a file");
    std::fs::remove_dir_all(stage.path("project/.claude")).expect("removed");
    succeed(&stage, &["init", "--template", "blank"]);
    let from = stage.path("beside");
    succeed(&stage, &["adopt", from.to_str().expect("UTF-8"), "--yes"]);
    let out = stage.path("out");
    succeed(&stage, &["export", "--to", "agent-skills", "--out", out.to_str().expect("UTF-8")]);
    let original = files_below(&stage.path("beside/skills/review"));
    assert_eq!(files_below(&stage.path("out/review")), original);
    assert_eq!(files_below(&stage.path("project/.ai/directives/adopted/review")), original);
    let again = succeed(&stage, &["adopt", out.to_str().expect("UTF-8"), "--yes"]);
    assert!(again.contains("nothing to adopt"), "{again}");
}

#[test]
fn a_skill_that_cannot_be_copied_whole_is_not_copied() {
    let stage = Stage::new();
    succeed(&stage, &["init", "--template", "blank"]);
    for (name, file) in [("linked", "key"), ("large", "data.bin")] {
        let skill = SKILL.replace("review", name);
        stage.file(&format!("beside/{name}/SKILL.md"), &skill);
        let inner = format!("beside/{name}/{file}");
        if name == "linked" {
            stage.link("/etc/hostname", &inner);
        } else {
            stage.file(&inner, &"x".repeat(5 << 20));
        }
    }
    let from = stage.path("beside");
    let said = succeed(&stage, &["adopt", from.to_str().expect("UTF-8"), "--yes"]);
    assert_eq!(said.matches("more than 4 MiB").count(), 2, "{said}");
    assert!(!stage.path("project/.ai/directives/adopted").exists(), "{said}");
}

#[test]
fn an_export_is_not_adopted_again() {
    let stage = Stage::new();
    succeed(&stage, &["init"]);
    stage.file("project/.ai/directives/quality/review/SKILL.md", SKILL);
    for format in ["agent-skills", "agents-md"] {
        succeed(&stage, &["export", "--to", format]);
    }
    let said = succeed(&stage, &["adopt", "--yes"]);
    assert!(said.contains("there is another directive `review` already"), "{said}");
    assert!(said.contains("nothing to adopt"), "{said}");
}

#[test]
fn a_person_sees_the_plan_and_is_asked() {
    let stage = crowded_stage();
    succeed(&stage, &["init", "--template", "blank"]);
    let mut typist = Typist::start(&stage, "adopt");
    typist.wait_for("use in place  .agents/skills");
    typist.answer("Do this?", "n");
    let (status, said) = typist.finish();
    assert_eq!(status, 1, "{said}");
    assert!(!stage.path("project/.ai/knowledge/adopted").exists());
}

#[test]
fn why_says_which_copy_a_client_reads_by_itself() {
    let stage = crowded_stage();
    succeed(&stage, &["init", "--template", "blank"]);
    succeed(&stage, &["adopt", "--yes"]);
    let said = succeed(&stage, &["why", "skill", "review"]);
    for expected in [
        ".claude/skills/review/SKILL.md wins",
        "Claude Code reads ~/.claude/skills/review by itself",
        "the copies in the clients' folders differ",
    ] {
        assert!(said.contains(expected), "{expected:?} is missing: {said}");
    }
}

#[test]
fn links_and_odd_names_lead_nowhere() {
    let stage = Stage::new();
    stage.file("beside/theirs/SKILL.md", SKILL);
    stage.link(stage.path("beside/theirs"), "project/.claude/skills/review");
    stage.link(stage.path("beside"), "project/.agents");
    stage.file("project/.serena/memories/a\u{1b}[31m.md", "text");
    let said = succeed(&stage, &["adopt", "--dry-run"]);
    assert!(said.contains("it is a link") && !said.contains(".agents"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
}

/// Makes an archive of a folder with a program of this machine.
fn pack(stage: &Stage, folder: &str, archive: &str) -> String {
    let program = "import shutil, sys; shutil.make_archive(*sys.argv[1:4])";
    let path = stage.path("packed");
    let mut python = crate::support::tools::python(stage);
    python.args(["-c", program]).arg(&path).arg(archive).arg(stage.path(folder));
    assert!(python.status().expect("Python runs").success());
    let suffix = if archive == "gztar" { "tar.gz" } else { archive };
    path.with_extension(suffix).to_str().expect("UTF-8").to_owned()
}

#[test]
fn an_archive_is_adopted_like_the_folder_in_it() {
    for form in ["tar", "gztar", "zip"] {
        let stage = Stage::new();
        stage.file("shared/collection-1.0/review/SKILL.md", SKILL);
        stage.file("shared/collection-1.0/review/run.sh", "echo\n");
        stage.file("shared/collection-1.0/AGENTS.md", "# Rules\n\nBe kind.\n");
        succeed(&stage, &["init", "--template", "blank"]);
        let archive = pack(&stage, "shared", form);
        let report = succeed(&stage, &["adopt", "--dry-run", &archive]);
        assert!(
            report.contains("1 × Agent Skill") && report.contains("1 × instructions"),
            "{report}"
        );
        succeed(&stage, &["adopt", "--yes", &archive]);
        let adopted = files_below(&stage.path("project/.ai/directives/adopted"));
        assert_eq!(adopted["review/SKILL.md"], SKILL.as_bytes(), "{form}");
        assert_eq!(adopted["review/run.sh"], b"echo\n", "{form}");
        let before = files_below(&stage.path("project/.ai"));
        succeed(&stage, &["adopt", "--yes", &archive]);
        assert_eq!(files_below(&stage.path("project/.ai")), before, "once is enough");
    }
}

#[test]
fn an_archive_with_a_link_or_a_way_out_is_refused_whole() {
    let stage = Stage::new();
    succeed(&stage, &["init", "--template", "blank"]);
    stage.file("shared/review/SKILL.md", SKILL);
    stage.link("/etc/passwd", "shared/review/notes.md");
    let before = files_below(&stage.path("project/.ai"));
    let archive = pack(&stage, "shared", "tar");
    let program = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1], 'w'); \
        z.writestr('review/SKILL.md', sys.argv[2]); z.writestr('../../escaped.md', 'x'); z.close()";
    let escaping = stage.path("escaping.zip");
    let mut python = crate::support::tools::python(&stage);
    python.args(["-c", program]).arg(&escaping).arg(SKILL);
    assert!(python.status().expect("Python runs").success());
    stage.file("plain.tar", "not an archive");
    let others = ["escaping.zip", "plain.tar"].map(|name| stage.path(name));
    let others = others.map(|path| path.to_str().expect("UTF-8").to_owned());
    for archive in [archive].into_iter().chain(others) {
        let output = stage.person(&["adopt", "--yes", &archive]);
        assert_ne!(output.status.code(), Some(0), "{archive}");
        assert!(text(&output).contains("was not unpacked"), "{}", text(&output));
    }
    assert_eq!(files_below(&stage.path("project/.ai")), before);
    assert!(!stage.path("escaped.md").exists() && !stage.path("../escaped.md").exists());
}

#[test]
fn a_repository_in_a_skill_is_not_adopted() {
    for form in ["gztar", "folder"] {
        let stage = Stage::new();
        succeed(&stage, &["init", "--template", "blank"]);
        stage.file("shared/skills/review/SKILL.md", SKILL);
        let armed = "[core]\n\tfsmonitor = touch pwned\n\trepositoryformatversion = 0\n";
        stage.file("shared/skills/review/.git/config", armed);
        stage.file("shared/skills/review/.git/HEAD", "ref: refs/heads/main\n");
        stage.file("shared/skills/review/bare/HEAD", "ref: refs/heads/main\n");
        let source = match form {
            "folder" => stage.path("shared").to_string_lossy().into_owned(),
            archive => pack(&stage, "shared", archive),
        };
        succeed(&stage, &["adopt", "--yes", &source]);
        let adopted = stage.path("project/.ai/directives/adopted/review");
        assert!(adopted.join("SKILL.md").exists(), "{form}");
        assert!(!adopted.join(".git").exists() && !adopted.join("bare").exists(), "{form}");
    }
}
