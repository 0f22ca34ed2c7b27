//! `mere export`: directives in the formats of other programs, and what is left alone.

use std::process::Output;

use super::files_below;
use crate::support::harness::Stage;
use crate::support::tools;

const SKILL: &str = "---\nname: code-review\ndescription: Reviews code.\nlicense: MIT\nmetadata:\n  version: 1.2.0\n---\n\n# Review\r\n\nDo it.  \n";

fn text(output: &Output) -> String {
    let both = [output.stdout.clone(), output.stderr.clone()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn run(stage: &Stage, words: &[&str]) -> (i32, String) {
    let output = stage.person(words);
    (output.status.code().expect("an exit status"), text(&output))
}

fn succeed(stage: &Stage, words: &[&str]) -> String {
    let (status, said) = run(stage, words);
    assert_eq!(status, 0, "{words:?}: {said}");
    said
}

/// A space with a skill, the example of `mere init` and a directive with an underscore.
fn space() -> Stage {
    let stage = Stage::new();
    succeed(&stage, &["init"]);
    stage.file("project/.ai/directives/quality/code-review/SKILL.md", SKILL);
    std::fs::write(stage.path("project/.ai/directives/quality/code-review/data.bin"), [0, 255, 7])
        .expect("a file");
    succeed(&stage, &["new", "directive", "release/ship_it"]);
    stage
}

#[test]
fn the_reference_validator_accepts_every_skill() {
    let stage = space();
    for (format, out, skills) in [
        ("agent-skills", "beside/skills", "beside/skills"),
        ("claude-plugin", "beside/plugin", "beside/plugin/skills"),
    ] {
        let path = stage.path(out);
        succeed(&stage, &["export", "--to", format, "--out", path.to_str().expect("UTF-8")]);
        let names = std::fs::read_dir(stage.path(skills)).expect("a folder");
        let names = names.map(|entry| entry.expect("an entry").path()).collect::<Vec<_>>();
        assert_eq!(names.len(), 3, "{names:?}");
        for skill in names {
            let mut python = tools::python(&stage);
            let checked = python.args(["-m", "skills_ref.cli", "validate"]).arg(&skill).output();
            let checked = checked.expect("the validator runs");
            assert!(checked.status.success(), "{}: {}", skill.display(), text(&checked));
        }
    }
    let plugin = std::fs::read(stage.path("beside/plugin/.claude-plugin/plugin.json"));
    serde_json::from_slice::<serde_json::Value>(&plugin.expect("a file")).expect("JSON");
}

#[test]
fn the_skills_program_installs_an_export() {
    let stage = space();
    let out = stage.path("beside/skills");
    let out = out.to_str().expect("UTF-8");
    succeed(&stage, &["export", "--to", "agent-skills", "--out", out]);
    let mut skills = tools::node(&stage);
    skills.arg(tools::folder().join("node_modules/skills/bin/cli.mjs"));
    skills.args(["add", out, "--agent", "claude-code", "--yes", "--copy"]);
    skills.env("DISABLE_TELEMETRY", "1").current_dir(stage.folder("installed"));
    let installed = skills.output().expect("the program runs");
    assert!(installed.status.success(), "{}", text(&installed));
    let copied = files_below(&stage.path("installed/.claude/skills"));
    assert_eq!(copied, files_below(&stage.path("beside/skills")), "{}", text(&installed));
}

#[test]
fn a_skill_keeps_every_byte() {
    let stage = space();
    succeed(&stage, &["export", "--to", "agent-skills"]);
    let exported = files_below(&stage.path("project/.agents/skills/code-review"));
    assert_eq!(exported["SKILL.md"], SKILL.as_bytes());
    assert_eq!(exported["data.bin"], [0, 255, 7]);
    assert_eq!(exported.len(), 2, "no signature is exported");
    let converted = files_below(&stage.path("project/.agents/skills/ship-it"));
    let converted = String::from_utf8_lossy(&converted["SKILL.md"]).into_owned();
    assert!(
        converted.contains("category: \"release\"") && converted.contains("<directive"),
        "{converted}"
    );
}

#[test]
fn a_check_says_whether_an_export_is_up_to_date() {
    let stage = space();
    for format in ["agent-skills", "agents-md", "cursor", "claude-plugin"] {
        let check = ["export", "--to", format, "--check"];
        assert_eq!(run(&stage, &check).0, 4, "{format} is not there yet");
        succeed(&stage, &["export", "--to", format]);
        let before = files_below(&stage.path("project"));
        succeed(&stage, &check);
        succeed(&stage, &["export", "--to", format]);
        assert_eq!(files_below(&stage.path("project")), before, "{format} a second time");
    }
}

#[test]
fn an_export_of_an_item_that_is_left_out_now_is_not_up_to_date() {
    let stage = space();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    succeed(&stage, &["sign", "--all", "--yes"]);
    for (format, file) in [
        ("agent-skills", ".agents/skills/ship-it/SKILL.md"),
        ("cursor", ".cursor/rules/ship-it.mdc"),
    ] {
        succeed(&stage, &["export", "--to", format]);
        let item = stage.path("project/.ai/directives/release/ship_it.md");
        let before = std::fs::read_to_string(&item).expect("a file");
        std::fs::write(&item, before.replace("ship_it", "ship_it too")).expect("changed");
        let (status, said) = run(&stage, &["export", "--to", format, "--check"]);
        assert_eq!(status, 4, "{said}");
        assert!(said.contains(file) && said.contains("delete it"), "{said}");
        std::fs::write(&item, before).expect("restored");
        succeed(&stage, &["export", "--to", format, "--check"]);
    }
}

#[test]
fn what_a_person_wrote_is_not_overwritten() {
    let stage = space();
    stage.file("project/.agents/skills/code-review/SKILL.md", "mine");
    stage.file("project/.cursor/rules/ship-it.mdc", "mine");
    stage.file("project/AGENTS.md", "# Rules\nBe kind.\n");
    stage.link(stage.path("beside"), "project/claude-plugin");
    for format in ["agent-skills", "agents-md", "cursor", "claude-plugin"] {
        run(&stage, &["export", "--to", format]);
    }
    let read = |below| std::fs::read_to_string(stage.path(below)).expect("a file");
    assert_eq!(read("project/.agents/skills/code-review/SKILL.md"), "mine");
    assert_eq!(read("project/.cursor/rules/ship-it.mdc"), "mine");
    let agents = read("project/AGENTS.md");
    assert!(agents.starts_with("# Rules\nBe kind.\n\n<!-- mere:begin"), "{agents}");
    assert!(agents.contains("`quality/code-review`: Reviews code."), "{agents}");
    assert_eq!(std::fs::read_dir(stage.path("beside")).expect("a folder").count(), 0);
}
