//! `mere doctor` names what is wrong, and the fix that it names works.

use serde_json::json;

use crate::support::harness::Stage;
use crate::support::typist::Typist;
use crate::support::workshop::{Who, Workshop};
use crate::trust::keys::{done, run};

const BROKEN: &str = "---\ntags: [a\n---\nText.\n";

fn printed(stage: &Stage, arguments: &[&str]) -> String {
    let output = stage.person(arguments);
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

#[test]
fn a_memory_that_is_not_valid_is_a_finding() {
    let stage = Stage::new();
    done(&stage, &["init", "--template", "blank"]);
    assert_eq!(run(&stage, &["doctor"]).0, 0);
    stage.file("project/.ai/memory/ok/broken.md", BROKEN);
    let (ended, reply) = run(&stage, &["doctor"]);
    assert_eq!(ended, 4, "{reply:#}");
    let shown = printed(&stage, &["doctor"]);
    assert!(shown.contains(".ai/memory/ok/broken.md") && shown.contains("line 2"), "{shown}");
}

#[test]
fn a_directive_in_an_xml_file_is_named_wherever_items_are_listed() {
    let stage = Stage::new();
    done(&stage, &["init", "--template", "blank"]);
    let text = "<directive name=\"plain\" version=\"1.0.0\"><metadata/></directive>\n";
    stage.file("project/.ai/directives/plain.xml", text);
    for arguments in [&["list"][..], &["list", "directive"], &["doctor"], &["index", "--check"]] {
        let shown = printed(&stage, arguments);
        assert!(shown.contains("directives/plain.xml"), "{arguments:?}: {shown}");
        assert!(shown.contains("`.md`"), "{arguments:?}: {shown}");
    }
    assert!(!printed(&stage, &["list", "tool"]).contains("plain.xml"));
    assert!(!printed(&stage, &["doctor"]).contains(".ai/ "));
}

#[test]
fn the_rename_that_is_named_in_a_strict_store_works() {
    let stage = Stage::new();
    done(&stage, &["init", "--template", "blank"]);
    stage.file(
        "project/.ai/config.yaml",
        "stores: {memory: {path: ./memory, categoryMode: strict}}\n",
    );
    stage.file("project/.ai/memory/Meeting Notes/a.md", "Text.\n");
    let shown = printed(&stage, &["doctor"]);
    let command = "store rename 'Meeting Notes' meeting-notes --force";
    assert!(shown.contains(&format!("`mere {command}`")), "{shown}");
    let (ended, shown) = Typist::start(&stage, command).finish();
    assert_eq!(ended, 0, "{shown}");
    assert!(stage.path("project/.ai/memory/meeting-notes/a.md").exists());
}

#[test]
fn locking_a_tool_replaces_the_older_lockfile_that_lies_elsewhere() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("x", "python_runtime", "print('ran')\n");
    let digest = "0".repeat(64);
    let older = json!({
        "lockfile_version": 1, "generated_at": "2026-01-24T00:00:00Z",
        "root": { "tool_id": "x", "version": "1.0.0", "integrity": digest },
        "resolved_chain": [{ "tool_id": "x", "version": "1.0.0", "integrity": digest,
            "executor": "python_runtime" }],
        "registry": { "url": "https://example.com", "fetched_at": "2026-01-24T00:00:00Z" }
    });
    let old = "project/.ai/lockfiles/x@1.0.0.lock.json";
    workshop.stage.file(old, &older.to_string());
    let output = workshop.person(&["lock", "x"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("takes the place of ROOT_PROJECT:/.ai/lockfiles/x@1.0.0"), "{shown}");
    assert!(!workshop.stage.path(old).exists());
    assert!(workshop.stage.path("project/.ai/lockfiles/t/x@1.0.0.lock.json").exists());
    // A lockfile that counts, and one of another version, stay.
    workshop.stage.file("project/.ai/lockfiles/x@0.9.0.lock.json", &older.to_string());
    workshop.person(&["lock", "x"]);
    assert!(workshop.stage.path("project/.ai/lockfiles/x@0.9.0.lock.json").exists());
}
