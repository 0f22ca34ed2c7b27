//! `--json` prints one reply for every command and every outcome, and no pipe says yes.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::support::harness::Stage;

/// A stage with a space that is signed.
fn signed_stage() -> Stage {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    assert!(stage.person(&["init"]).status.success());
    stage
}

/// Each command without subcommands, as the help names them.
pub(super) fn leaves(stage: &Stage) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut open = vec![Vec::<String>::new()];
    while let Some(words) = open.pop() {
        let arguments = words.iter().map(String::as_str).chain(["--help"]).collect::<Vec<_>>();
        let help = String::from_utf8(stage.person(&arguments).stdout).expect("UTF-8");
        let below = subcommands(&help);
        if below.is_empty() {
            found.push(words);
        } else {
            open.extend(below.into_iter().map(|name| [words.clone(), vec![name]].concat()));
        }
    }
    assert!(found.len() > 100, "{}", found.len());
    found
}

/// The commands that a help text lists below its headings.
fn subcommands(help: &str) -> Vec<String> {
    let is_command = help.contains("<COMMAND>");
    let listed = help.split("\nOptions:").next().unwrap_or_default();
    let names = listed.lines().filter_map(|line| {
        let name =
            line.strip_prefix("  ").filter(|name| !name.starts_with([' ', '-', '<', '[']))?;
        name.split_whitespace().next().map(str::to_owned)
    });
    let names = names.filter(|name| name != "help" && name != "mere");
    if is_command { names.collect() } else { Vec::new() }
}

fn one_reply(output: &Output, words: &[&str]) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let reply: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{words:?}: {error}: {text:?} {output:?}"));
    for field in ["reply_type", "code", "message", "data", "trace", "meta"] {
        assert!(reply.get(field).is_some(), "{words:?}: {reply}");
    }
    reply
}

#[test]
fn a_command_line_that_is_wrong_is_a_reply_too() {
    let stage = signed_stage();
    for leaf in leaves(&stage) {
        let words = leaf.iter().map(String::as_str).chain(["--json", "--no-such-option"]);
        let words = words.collect::<Vec<_>>();
        let output = stage.person(&words);
        let reply = one_reply(&output, &words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {reply}");
        assert_eq!(reply["code"], "MCP-COMMAND-I-001", "{words:?}: {reply}");
        assert!(reply["message"].as_str().is_some_and(|text| text.contains('-')), "{reply}");
    }
}

#[test]
fn every_outcome_of_a_command_that_prints_json_is_one_reply() {
    let stage = signed_stage();
    let nowhere = stage.path("nowhere");
    let nowhere = nowhere.to_str().expect("UTF-8");
    for (words, status, code) in [
        (&["list", "skil", "--json"][..], 2, "MCP-COMMAND-I-001"),
        (&["verify", "skil", "--json"], 1, "IT-ITEM-I-001"),
        (&["sign", "nope", "--json"], 1, "IT-ITEM-I-001"),
        (&["sign", "memory", "welcome", "--json"], 1, ""),
        (&["delete", "tool", "hello_tool", "--json"], 1, "MCP-COMMAND-I-001"),
        (&["list", "--json", "--project", nowhere], 2, "MCP-COMMAND-I-001"),
        (&["run", "hello_tool", "name=Ada", "--json"], 2, "MCP-COMMAND-I-001"),
        (&["uninstall", "--json"], 1, "MCP-COMMAND-I-001"),
        (&["memory", "remove", "welcome", "--json"], 1, ""),
        (&["space", "renew", "--json"], 1, ""),
        (&["verify", "--min-version-file", nowhere, "--json"], 2, "MCP-COMMAND-I-001"),
    ] {
        let output = stage.person(words);
        let reply = one_reply(&output, words);
        assert_eq!(output.status.code(), Some(status), "{words:?}: {reply}");
        assert!(code.is_empty() || reply["code"] == code, "{words:?}: {reply}");
    }
    assert!(stage.path("project/.ai/tools/examples/hello_tool.yaml").exists());
}

#[test]
fn a_question_that_nobody_can_answer_has_one_exit_status() {
    let stage = Stage::new();
    assert!(stage.person(&["init"]).status.success());
    stage.file("project/.ai/knowledge/new.md", "---\nid: new\ntitle: New\n---\nText.\n");
    stage.file("project/.ai/directives/new/SKILL.md", "---\nname: new\ndescription: A.\n---\nB.\n");
    stage.file("project/.claude/skills/old/SKILL.md", "---\nname: old\ndescription: A.\n---\nB.\n");
    // An option answers it.
    for words in [
        &["adopt"][..],
        &["memory", "remove", "welcome"],
        &["delete", "note", "new"],
        &["space", "renew"],
        &["grant", "count_todos"],
        &["uninstall"],
    ] {
        let output = stage.person(words);
        assert_eq!(output.status.code(), Some(1), "{words:?} {output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("--"), "{words:?} {said}");
    }
    // Only a person signs.
    for words in
        [&["sign"][..], &["sign", "--yes"], &["sign", "skill", "new"], &["lock", "hello_tool"]]
    {
        let output = stage.person(words);
        assert_eq!(output.status.code(), Some(3), "{words:?} {output:?}");
    }
}

#[test]
fn no_yes_is_taken_from_a_pipe() {
    let stage = signed_stage();
    assert!(stage.person(&["run", "hello_tool"]).status.success());
    stage.file("project/.ai/knowledge/new.md", "---\nid: new\ntitle: New\n---\nText.\n");
    let before = stage.path("project/.ai/space.json");
    let before = std::fs::read_to_string(before).expect("a space");
    let folder = stage.path("beside");
    let wide = format!("mods: [{{id: docs, name: docs, path: '{}'}}]\n", folder.display());
    stage.file("project/.ai/config.yaml", &wide);
    for words in [
        &["delete", "tool", "hello_tool"][..],
        &["memory", "remove", "welcome"],
        &["space", "renew"],
        &["trust", "project"],
        &["uninstall"],
        &["grant", "count_todos"],
        &["adopt"],
        &["sign"],
    ] {
        let mut command = stage.command("project");
        command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("mere runs");
        let mut input = child.stdin.take().expect("its input");
        // Whoever does not read it closes the pipe.
        let _ = input.write_all("y\nyes\n".repeat(50).as_bytes());
        drop(input);
        let output = child.wait_with_output().expect("it ends");
        assert!(matches!(output.status.code(), Some(0..=4)), "{words:?}");
    }
    for kept in [
        "project/.ai/tools/examples/hello_tool.yaml",
        "project/.ai/memory/welcome.md",
        "home/.local/state/merestone",
    ] {
        assert!(stage.path(kept).exists(), "{kept}");
    }
    let after = std::fs::read_to_string(stage.path("project/.ai/space.json"));
    assert_eq!(after.expect("a space"), before, "the space has the id that it had");
    assert!(!stage.path("project/.ai/knowledge/new.md.sig").exists());
    let trusted = stage.person(&["trust", "project", "--json"]);
    assert_eq!(one_reply(&trusted, &[])["data"]["trusted"], false);
    let grants = stage.person(&["grants", "--json"]);
    assert!(!String::from_utf8_lossy(&grants.stdout).contains("count_todos"), "{grants:?}");
}

#[test]
fn without_a_space_nothing_is_said_to_be_signed() {
    let stage = Stage::new();
    let output = stage.person(&["verify"]);
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("There is no space here, so nothing was verified."), "{words}");
    // A hook that runs in every folder says nothing there.
    let output = stage.person(&["verify", "--if-space"]);
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), vec![], vec![]));
    let stage = signed_stage();
    let output = stage.person(&["verify", "--if-space"]);
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && words.contains("verified"), "{words}");
}
