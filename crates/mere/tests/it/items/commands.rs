//! What people do with items: make, copy, move, rename and delete them, and lose nothing.

use serde_json::{Value, json};

use crate::support::harness::Stage;

/// A person at work in the project.
struct Person<'a>(&'a Stage);

impl Person<'_> {
    /// Runs a command with `--json`: its exit status and its reply.
    fn run(&self, arguments: &[&str]) -> (i32, Value) {
        let arguments = [arguments, &["--json"]].concat();
        let output = self.0.person(&arguments);
        let reply = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!("{arguments:?}: {error} {}", String::from_utf8_lossy(&output.stderr))
        });
        (output.status.code().expect("an exit status"), reply)
    }

    /// The same for a command that must succeed: what it says.
    fn done(&self, arguments: &[&str]) -> Value {
        let (status, reply) = self.run(arguments);
        assert_eq!((status, &reply["reply_type"]), (0, &json!("S")), "{arguments:?}: {reply}");
        reply["data"].clone()
    }

    /// The code of a command that is refused.
    fn refused(&self, arguments: &[&str]) -> String {
        let (status, reply) = self.run(arguments);
        assert_eq!(status, 1, "{arguments:?}: {reply}");
        reply["code"].as_str().expect("a code").to_owned()
    }

    fn text(&self, below: &str) -> String {
        std::fs::read_to_string(self.0.path(below)).unwrap_or_else(|_| panic!("no {below}"))
    }

    fn is_there(&self, below: &str) -> bool {
        self.0.path(below).exists()
    }

    /// Every item, as `type scope category/id`.
    fn listed(&self) -> Vec<String> {
        let items = self.done(&["list"])["items"].clone();
        let items = items.as_array().expect("items").iter().map(|item| {
            assert_eq!(item.get("fault"), None, "{item}");
            let texts = ["item_type", "scope", "category", "id"].map(|key| item[key].as_str());
            let [kind, scope, category, id] = texts.map(|text| text.expect("a text"));
            format!("{kind} {scope} {category}/{id}")
        });
        items.collect()
    }
}

#[test]
fn an_empty_folder_becomes_a_space_with_an_example_of_each_type() {
    let stage = Stage::new();
    let person = Person(&stage);
    let made = person.done(&["init"]);
    assert_eq!(made["space"], "ROOT_PROJECT:/.ai/");
    assert_eq!(made["next"].as_array().map(Vec::len), Some(3), "three things to try");
    let expected = [
        "directive project examples/summarize-folder",
        "tool project examples/count_todos",
        "tool project examples/hello_tool",
        "knowledge project examples/how-items-work",
        "memory project /welcome",
        "lockfile project examples/hello_tool",
    ];
    assert_eq!(person.listed(), expected);
    let space: Value = serde_json::from_str(&person.text("project/.ai/space.json")).expect("JSON");
    assert_eq!((&space["format"], &space["name"]), (&json!(1), &json!("project")));
    assert_eq!(space["space_id"], made["space_id"]);
    assert!(person.text("project/.ai/.gitignore").contains("workspaces/\n.index.json\n"));
    assert_eq!(person.text("project/.gitattributes"), ".ai/** -text\n");
    for line in made["next"].as_array().expect("lines") {
        let line = line.as_str().expect("a line").strip_prefix("mere ").expect("a command");
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg(format!("\"$MERE\" {line}"));
        command.env("MERE", env!("CARGO_BIN_EXE_mere"));
        command.env("HOME", stage.path("home")).current_dir(stage.path("project"));
        assert!(command.output().expect("sh runs").status.success(), "{line}");
    }
}

#[test]
fn init_can_be_repeated_and_keeps_what_is_there() {
    let stage = Stage::new();
    let person = Person(&stage);
    stage.file("project/.gitattributes", "*.png binary");
    stage.file("project/.ai/.gitignore", "secret\n");
    let first = person.done(&["init"]);
    assert_eq!(person.text("project/.gitattributes"), "*.png binary\n.ai/** -text\n");
    let ignored = "secret\nworkspaces/\n.index.json\n.new-*\n";
    assert_eq!(person.text("project/.ai/.gitignore"), ignored);
    person.done(&["delete", "note", "how-items-work", "--yes"]);
    stage.file("project/.ai/config.yaml", "sensitive: [a]\n");
    let again = person.done(&["init"]);
    assert_eq!((&again["space_id"], &again["made"]), (&first["space_id"], &json!([])));
    assert!(!person.is_there("project/.ai/knowledge/examples/how-items-work.md"));
    assert_eq!(person.text("project/.ai/config.yaml"), "sensitive: [a]\n");
    let user = person.done(&["init", "--user", "--template", "blank"]);
    assert_eq!(user["space"], "ROOT_USER:/");
    assert!(person.is_there("home/.ai/space.json") && !person.is_there("home/.ai/knowledge"));
}

#[test]
fn a_new_item_of_each_type_is_valid_and_nothing_is_written_over() {
    let stage = Stage::new();
    let person = Person(&stage);
    for (kind, item, path) in [
        ("directive", "a/b/d", "directives/a/b/d.md"),
        ("skill", "team/s", "directives/team/s/SKILL.md"),
        ("tool", "t", "tools/t.yaml"),
        ("note", "x/k", "knowledge/x/k.md"),
        ("memory", "m", "memory/m.md"),
    ] {
        let made = person.done(&["new", kind, item]);
        assert_eq!(made["address"], format!("ROOT_PROJECT:/.ai/{path}"));
        let taken = if kind == "memory" { "IT-MEMORY-I-003" } else { "IT-ITEM-I-007" };
        assert_eq!(person.refused(&["new", kind, item]), taken);
        let shown = person.done(&["show", kind, item]);
        assert_eq!(shown["content"], person.text(&format!("project/.ai/{path}")));
    }
    assert_eq!(person.listed().len(), 5);
    assert_eq!(person.refused(&["new", "lockfile", "t@1.0.0"]), "IT-CHANGE-I-001");
    assert_eq!(person.refused(&["new", "skill", "a/b/d"]), "IT-ITEM-I-007", "the other form");
    person.done(&["new", "note", "mine", "--user"]);
    assert!(person.is_there("home/.ai/knowledge/mine.md"));
    for bad in ["Upper", "a/../b", "con", "a/b/c/d/e/f/g/h/i/j", "-x", "a b", "../x"] {
        let output = stage.person(&["new", "note", "--", bad]);
        assert_eq!(output.status.code(), Some(2), "{bad}");
    }
}

#[test]
fn a_copy_keeps_category_bytes_and_files() {
    let stage = Stage::new();
    let person = Person(&stage);
    person.done(&["new", "tool", "api/jwt"]);
    stage.file("project/.ai/tools/kit/manifest.yaml", &manifest("kit"));
    stage.file("project/.ai/tools/kit/lib/deep/run.sh", "echo deep\n");
    for item in ["api/jwt", "kit"] {
        let copied = person.done(&["copy", "tool", item, "--to", "user"]);
        assert!(copied["copied_to"].as_str().expect("an address").starts_with("ROOT_USER:/tools/"));
        assert_eq!(person.refused(&["copy", "tool", item, "--to", "user"]), "IT-ITEM-I-007");
        let here = person.done(&["show", "tool", item, "--scope", "project"]);
        let there = person.done(&["show", "tool", item, "--scope", "user"]);
        assert_eq!((&here["integrity"], &here["files"]), (&there["integrity"], &there["files"]));
    }
    assert_eq!(person.text("home/.ai/tools/kit/lib/deep/run.sh"), "echo deep\n");
    let why = person.done(&["why", "tool", "jwt"]);
    assert_eq!(why["winner"], "ROOT_PROJECT:/.ai/tools/api/jwt.yaml");
    assert_eq!(why["candidates"].as_array().map(Vec::len), Some(2));
    assert_eq!(person.refused(&["copy", "tool", "none", "--to", "project"]), "IT-ITEM-I-001");
}

fn manifest(id: &str) -> String {
    format!("tool_id: {id}\ntool_type: script\nexecutor_id: bash_runtime\nversion: 1.0.0\n")
}

#[test]
fn a_moved_or_renamed_item_says_so_itself_and_its_files_go_along() {
    let stage = Stage::new();
    let person = Person(&stage);
    let text = manifest("jwt") + "category: api\nmanifest:\n  entrypoint: jwt.py # jwt.pyc\n";
    stage.file("project/.ai/tools/api/jwt.yaml", &text);
    stage.file("project/.ai/tools/api/jwt.py", "print()\n");
    person.done(&["move", "tool", "jwt", "security/web"]);
    let moved = person.text("project/.ai/tools/security/web/jwt.yaml");
    assert_eq!(moved, text.replace("category: api", "category: security/web"));
    assert!(person.is_there("project/.ai/tools/security/web/jwt.py"));
    assert!(!person.is_there("project/.ai/tools/api/jwt.yaml"));
    assert!(!person.is_there("project/.ai/tools/api/jwt.py"));
    person.done(&["rename", "tool", "security/web/jwt", "token"]);
    let renamed = person.text("project/.ai/tools/security/web/token.yaml");
    assert!(renamed.starts_with("tool_id: token\n"), "{renamed}");
    assert!(renamed.contains("entrypoint: token.py # jwt.pyc\n"), "{renamed}");
    assert!(person.is_there("project/.ai/tools/security/web/token.py"));
    person.done(&["show", "tool", "token"]);
    stage.file("project/.ai/tools/other/token.yaml", &manifest("token"));
    let taken = ["move", "tool", "other/token", "security/web"];
    assert_eq!(person.refused(&taken), "IT-ITEM-I-007");
    assert_eq!(person.text("project/.ai/tools/security/web/token.yaml"), renamed);
    person.done(&["move", "tool", "other/token", ""]);
    assert!(person.is_there("project/.ai/tools/token.yaml"));
}

#[test]
fn links_to_a_renamed_entry_are_changed_and_proposed_for_a_note_that_another_signed() {
    let stage = Stage::new();
    let person = Person(&stage);
    let note = |id: &str, more: &str| format!("---\nid: {id}\ntitle: T\n{more}---\n[[old]] {id}\n");
    stage.file("project/.ai/knowledge/old.md", "---\nid: old\ntitle: Old\n---\n");
    stage.file("project/.ai/knowledge/a/mine.md", &note("mine", "extends: [old]\r\n"));
    stage.file("project/.ai/knowledge/a/signed.md", &note("signed", ""));
    stage.file("project/.ai/knowledge/a/signed.md.sig", "{}");
    stage.file("project/.ai/knowledge/a/other.md", "---\nid: other\ntitle: O\n---\nold\n");
    let done = person.done(&["rename", "note", "old", "new"]);
    assert_eq!(done["relinked"], json!(["ROOT_PROJECT:/.ai/knowledge/a/mine.md"]));
    assert_eq!(done["proposed"], json!(["ROOT_PROJECT:/.ai/knowledge/a/signed.md"]));
    assert_eq!(person.done(&["review", "--list"])["count"], 1);
    let changed = note("mine", "extends: [new]\r\n").replace("[[old]]", "[[new]]");
    assert_eq!(person.text("project/.ai/knowledge/a/mine.md"), changed);
    assert_eq!(person.text("project/.ai/knowledge/a/signed.md"), note("signed", ""));
    assert!(person.text("project/.ai/knowledge/a/other.md").ends_with("old\n"));
}

#[test]
fn nothing_is_deleted_without_a_yes() {
    let stage = Stage::new();
    let person = Person(&stage);
    stage.file("project/.ai/tools/kit/manifest.yaml", &manifest("kit"));
    stage.file("project/.ai/tools/kit/lib/run.sh", "");
    for item in [("tool", "flat"), ("note", "n"), ("memory", "m")] {
        person.done(&["new", item.0, item.1]);
    }
    let before = person.listed();
    let output = stage.person(&["delete", "tool", "kit"]);
    assert_eq!(output.status.code(), Some(1), "nobody can be asked");
    assert_eq!(person.listed(), before);
    for (kind, id) in [("tool", "kit"), ("tool", "flat"), ("note", "n"), ("memory", "m")] {
        person.done(&["delete", kind, id, "--yes"]);
    }
    assert_eq!(person.listed(), Vec::<String>::new());
    assert!(!person.is_there("project/.ai/tools/kit"));
    assert!(!person.is_there("project/.ai/tools/flat.py"), "a tool's files go with it");
}

#[test]
fn a_space_of_a_newer_version_is_read_only() {
    let stage = Stage::new();
    let person = Person(&stage);
    person.done(&["init"]);
    let text = person.text("project/.ai/space.json").replace("\"format\": 1", "\"format\": 2");
    stage.file("project/.ai/space.json", &text);
    assert_eq!(person.listed().len(), 6);
    assert_eq!(person.refused(&["new", "note", "x"]), "IT-CHANGE-I-006");
    assert_eq!(person.refused(&["delete", "note", "how-items-work", "--yes"]), "IT-CHANGE-I-006");
}
