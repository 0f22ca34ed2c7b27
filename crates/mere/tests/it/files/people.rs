//! `mere read`, `glob`, `grep` and `tree`, as a person types them.

use std::process::Output;

use serde_json::Value;

use crate::support::harness::Stage;

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("project/src/main.rs", "fn main() {\n    run();\n}\n");
    stage.file("project/src/deep/lib.rs", "fn lib() {}\n");
    stage.file("project/docs/guide.md", "# Guide\n");
    stage.file("home/.ai/notes.md", "mine\n");
    stage
}

fn run(stage: &Stage, below: &str, arguments: &[&str]) -> Output {
    stage.command(below).args(arguments).output().expect("mere runs")
}

fn printed(stage: &Stage, below: &str, arguments: &[&str]) -> String {
    let output = run(stage, below, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?} {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn paths_are_read_and_printed_from_where_the_person_stands() {
    let stage = stage();
    let main = "fn main() {\n    run();\n}\n";
    assert_eq!(printed(&stage, "project", &["read", "src/main.rs"]), main);
    assert_eq!(printed(&stage, "project/src/deep", &["read", "../main.rs"]), main);
    let absolute = stage.path("project/src/main.rs");
    assert_eq!(printed(&stage, "project/docs", &["read", absolute.to_str().expect("UTF-8")]), main);
    assert_eq!(printed(&stage, "project", &["read", "ROOT_USER:/notes.md"]), "mine\n");
    let part = ["read", "src/main.rs", "--offset", "2", "--limit", "1"];
    assert_eq!(printed(&stage, "project", &part), "    run();\n");
    assert_eq!(
        printed(&stage, "project/src", &["glob", "*.rs"]),
        "deep/lib.rs\nmain.rs\n",
        "a pattern is read from the project root"
    );
    assert_eq!(
        printed(&stage, "project/docs", &["glob", "*.rs", "../src/deep"]),
        "../src/deep/lib.rs\n"
    );
    assert_eq!(
        printed(&stage, "project/src", &["grep", "^fn"]),
        "deep/lib.rs:1:fn lib() {}\nmain.rs:1:fn main() {\n"
    );
    assert_eq!(printed(&stage, "project", &["tree"]), "docs/\nsrc/\nsrc/deep/\n");
    assert_eq!(printed(&stage, "project", &["tree", "src", "--depth", "1"]), "src/deep/\n");
}

#[test]
fn outside_is_refused_with_the_rules() {
    let stage = stage();
    stage.file("beside/secret", "hush-hush\n");
    for path in ["../beside/secret", "/etc/passwd", "src/../../beside/secret"] {
        let output = run(&stage, "project", &["read", path]);
        assert_eq!(output.status.code(), Some(1), "{path}");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            words.contains("outside the project") && words.contains("ROOT_PROJECT:/"),
            "{words}"
        );
        assert!(output.stdout.is_empty());
    }
    stage.link("../beside/secret", "project/link");
    assert_eq!(run(&stage, "project", &["read", "link"]).status.code(), Some(1));
    let missing = run(&stage, "project", &["read", "missing"]);
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn a_name_without_an_address_is_not_said_to_be_outside() {
    let stage = stage();
    let name = "zero\u{200b}width.md";
    stage.file(&format!("project/{name}"), "x");
    for words in [&["read", name][..], &["tree", name], &["glob", "*", name], &["grep", "x", name]]
    {
        let output = run(&stage, "project", words);
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !said.contains("outside") && said.contains("cannot be part of an address"),
            "{said}"
        );
    }
    let output = run(&stage, "project", &["allow", name]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("has no address") && said.contains("Rename it"), "{said}");
}

#[test]
fn outside_is_refused_in_json_as_an_agent_would_be() {
    let stage = stage();
    for (words, tool) in [
        (&["read", "/etc/passwd"][..], "read"),
        (&["glob", "*", "/etc"], "glob"),
        (&["grep", "root", "/etc"], "grep"),
        (&["tree", "/etc"], "dir"),
    ] {
        let output = run(&stage, "project", &[words, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "{words:?} {output:?}");
        let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(reply["code"], "WA-PATH-I-001", "{words:?}");
        assert_eq!(reply["meta"]["tool"], tool, "{words:?}");
    }
}

#[test]
fn people_see_their_files_as_they_are() {
    let stage = stage();
    let root = stage.path("project").display().to_string();
    stage.file("project/log.txt", &format!("at {root}/x\n"));
    assert_eq!(printed(&stage, "project", &["read", "log.txt"]), format!("at {root}/x\n"));
    assert_eq!(printed(&stage, "project", &["grep", "at "]), format!("log.txt:1:at {root}/x\n"));
}

#[test]
fn json_is_one_reply_and_its_cursor_goes_on() {
    let stage = stage();
    let first = printed(&stage, "project", &["glob", "*.rs", "--limit", "1", "--json"]);
    let first: Value = serde_json::from_str(&first).expect("JSON");
    assert_eq!((&first["code"], &first["data"]["count"]), (&"WA-GLOB-S-001".into(), &1.into()));
    let next = first["data"]["next"].as_str().expect("more");
    let rest = ["glob", "*.rs", "--limit", "1", "--json", "--cursor", next];
    let rest: Value = serde_json::from_str(&printed(&stage, "project", &rest)).expect("JSON");
    assert_eq!(rest["data"]["matches"][0], "ROOT_PROJECT:/src/main.rs");
    let bad = run(&stage, "project", &["grep", "(", "--json"]);
    assert_eq!(bad.status.code(), Some(1));
    let bad: Value = serde_json::from_slice(&bad.stdout).expect("JSON");
    assert_eq!(bad["code"], "WA-GREP-I-001");
}

#[test]
fn limits_and_colours_are_what_was_asked_for() {
    let stage = stage();
    assert_eq!(printed(&stage, "project", &["glob", "*", "--limit", "2"]).lines().count(), 2);
    assert_eq!(printed(&stage, "project", &["grep", ".", "--limit", "3"]).lines().count(), 3);
    let coloured = printed(&stage, "project", &["grep", "lib", "--color", "always"]);
    assert_eq!(coloured, "\u{1b}[35msrc/deep/lib.rs\u{1b}[0m:\u{1b}[32m1\u{1b}[0m:fn lib() {}\n");
    let context = printed(&stage, "project", &["grep", "run", "--context", "1", "src/main.rs"]);
    assert_eq!(context, "src/main.rs-1-fn main() {\nsrc/main.rs:2:    run();\nsrc/main.rs-3-}\n");
    for arguments in [
        &["read"][..],
        &["glob"],
        &["grep", "x", "--context", "many"],
        &["tree", "--depth", "x"],
        &["glob", "*", "--cursor", "x"],
    ] {
        assert_eq!(run(&stage, "project", arguments).status.code(), Some(2), "{arguments:?}");
    }
    let deep = run(&stage, "project", &["tree", "--depth", "99"]);
    assert_eq!(deep.status.code(), Some(1));
}
