//! Changes on disk are seen: by the next command at once, by a running server within a second.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

fn note(id: &str, title: &str) -> String {
    format!("---\nid: {id}\ntitle: {title}\n---\nText of {title}.\n")
}

/// Whoever answers: a command of its own each time, or one server.
struct Reader<'a> {
    stage: &'a Stage,
    server: Option<Mcp<'a>>,
}

impl Reader<'_> {
    /// The title of an entry, or the code of the refusal.
    fn title(&mut self, id: &str) -> String {
        let arguments = json!({ "item_type": "knowledge", "item_id": id });
        let reply = match &mut self.server {
            Some(server) => server.tool("load", &arguments)["structuredContent"].clone(),
            None => self.stage.call_text("load", &arguments.to_string()).reply,
        };
        let title = reply["data"]["metadata"]["title"].as_str();
        title.unwrap_or(reply["code"].as_str().expect("a code")).to_owned()
    }
}

/// Runs a story once for commands and once for a server that has been asked before.
fn told_both_ways(story: impl Fn(&Stage, &mut Reader<'_>)) {
    for served in [false, true] {
        let stage = Stage::new();
        stage.file("project/.ai/knowledge/a/one.md", &note("one", "One"));
        stage.file("project/.ai/knowledge/b/two.md", &note("two", "Two"));
        let server = served.then(|| Mcp::greeted(&stage, &[]));
        let mut reader = Reader { stage: &stage, server };
        assert_eq!(reader.title("one"), "One");
        assert_eq!(reader.title("two"), "Two");
        story(&stage, &mut reader);
    }
}

#[test]
fn an_edit_in_place_and_an_editors_replacement() {
    told_both_ways(|stage, reader| {
        stage.file("project/.ai/knowledge/a/one.md", &note("one", "Edited"));
        assert_eq!(reader.title("one"), "Edited");
        let new = stage.file("project/.ai/knowledge/a/.one.md.swp", &note("one", "Replaced"));
        std::fs::rename(new, stage.path("project/.ai/knowledge/a/one.md")).expect("renamed");
        assert_eq!(reader.title("one"), "Replaced");
    });
}

#[test]
fn a_new_item_a_rename_and_a_delete() {
    told_both_ways(|stage, reader| {
        stage.file("project/.ai/knowledge/a/new.md", &note("new", "New"));
        assert_eq!(reader.title("new"), "New");
        stage.file("project/.ai/knowledge/c/d/deep.md", &note("deep", "Deep"));
        assert_eq!(reader.title("deep"), "Deep");
        let old = stage.path("project/.ai/knowledge/a/one.md");
        std::fs::rename(&old, stage.path("project/.ai/knowledge/a/uno.md")).expect("renamed");
        assert_eq!(reader.title("one"), "IT-ITEM-I-001");
        assert_eq!(reader.title("uno"), "IT-ITEM-I-004", "it says that it is `one`");
        std::fs::remove_file(stage.path("project/.ai/knowledge/b/two.md")).expect("removed");
        assert_eq!(reader.title("two"), "IT-ITEM-I-001");
        std::fs::remove_dir_all(stage.path("project/.ai/knowledge/c")).expect("removed");
        assert_eq!(reader.title("deep"), "IT-ITEM-I-001");
    });
}

#[test]
fn folders_that_come_go_and_change_what_they_are() {
    told_both_ways(|stage, reader| {
        let folder = |name: &str| stage.path(&format!("project/.ai/knowledge/{name}"));
        std::fs::rename(folder("a"), folder("z")).expect("renamed");
        assert_eq!(reader.title("z/one"), "One");
        assert_eq!(reader.title("one"), "One");
        std::fs::rename(folder("z"), stage.path("beside/z")).expect("moved out");
        assert_eq!(reader.title("one"), "IT-ITEM-I-001");
        std::os::unix::fs::symlink(stage.path("beside/z"), folder("a")).expect("a link");
        assert_eq!(reader.title("one"), "IT-ITEM-I-001", "links are not followed");
        std::fs::remove_file(folder("a")).expect("removed");
        std::fs::rename(stage.path("beside/z"), folder("a")).expect("moved back");
        assert_eq!(reader.title("one"), "One");
    });
}

#[test]
fn a_second_item_of_one_id_makes_it_ambiguous_at_once() {
    told_both_ways(|stage, reader| {
        stage.file("project/.ai/knowledge/b/one.md", &note("one", "Other"));
        assert_eq!(reader.title("one"), "IT-ITEM-I-002");
        std::fs::remove_file(stage.path("project/.ai/knowledge/b/one.md")).expect("removed");
        assert_eq!(reader.title("one"), "One");
    });
}

#[test]
fn a_space_that_appears_and_one_that_is_replaced() {
    let stage = Stage::new();
    let mut reader = Reader { stage: &stage, server: Some(Mcp::greeted(&stage, &[])) };
    assert_eq!(reader.title("one"), "IT-ITEM-I-001");
    stage.file("project/.ai/knowledge/one.md", &note("one", "One"));
    assert_eq!(reader.title("one"), "One");
    stage.file("beside/.ai/knowledge/one.md", &note("one", "Another"));
    std::fs::rename(stage.path("project/.ai"), stage.path("beside/old")).expect("moved");
    std::fs::rename(stage.path("beside/.ai"), stage.path("project/.ai")).expect("moved");
    assert_eq!(reader.title("one"), "Another");
    stage.file("home/.ai/knowledge/mine.md", &note("mine", "Mine"));
    assert_eq!(reader.title("mine"), "Mine");
}

#[test]
fn a_checkout_of_another_branch() {
    told_both_ways(|stage, reader| {
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            git.current_dir(stage.path("project")).env("HOME", stage.path("home"));
            git.args(["-c", "user.name=t", "-c", "user.email=t@t.invalid"]).args(arguments);
            let output = git.output().expect("git runs");
            assert!(output.status.success(), "{output:?}");
        };
        git(&["init", "-q", "-b", "main", "."]);
        git(&["add", ".ai/knowledge"]);
        git(&["commit", "-q", "-m", "one"]);
        git(&["checkout", "-q", "-b", "other"]);
        std::fs::remove_file(stage.path("project/.ai/knowledge/b/two.md")).expect("removed");
        stage.file("project/.ai/knowledge/a/one.md", &note("one", "On the branch"));
        stage.file("project/.ai/knowledge/e/three.md", &note("three", "Three"));
        git(&["add", "-A", ".ai/knowledge"]);
        git(&["commit", "-q", "-m", "two"]);
        git(&["checkout", "-q", "main"]);
        let titles = |reader: &mut Reader<'_>| ["one", "two", "three"].map(|id| reader.title(id));
        assert_eq!(titles(reader), ["One", "Two", "IT-ITEM-I-001"]);
        git(&["checkout", "-q", "other"]);
        assert_eq!(titles(reader), ["On the branch", "IT-ITEM-I-001", "Three"]);
    });
}

#[test]
fn a_folder_that_becomes_an_item_takes_what_is_below_it() {
    let stage = Stage::new();
    let manifest = |id: &str| {
        format!("tool_id: {id}\ntool_type: script\nexecutor_id: bash_runtime\nversion: 1.0.0\n")
    };
    stage.file("project/.ai/tools/kit/deep/hammer.yaml", &manifest("hammer"));
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut code = |id: &str| -> Value {
        let arguments = json!({ "item_type": "tool", "item_id": id });
        mcp.tool("load", &arguments)["structuredContent"]["code"].clone()
    };
    assert_eq!(code("hammer"), "IT-LOAD-S-001");
    stage.file("project/.ai/tools/kit/manifest.yaml", &manifest("kit"));
    assert_eq!(code("kit"), "IT-LOAD-S-001");
    assert_eq!(code("hammer"), "IT-ITEM-I-001", "it is part of `kit` now");
    assert_eq!(code("kit/deep/hammer"), "IT-ITEM-I-001");
    std::fs::remove_file(stage.path("project/.ai/tools/kit/manifest.yaml")).expect("removed");
    assert_eq!(code("kit"), "IT-ITEM-I-001");
    assert_eq!(code("hammer"), "IT-LOAD-S-001");
}

#[test]
fn a_folder_that_could_not_be_read_is_read_as_soon_as_it_can_be() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/a/one.md", &note("one", "One"));
    let mut command = stage.unprivileged("project");
    command.arg("mcp");
    let mut server = Mcp::spawn(&stage, command);
    server.greet();
    let mut reader = Reader { stage: &stage, server: Some(server) };
    assert_eq!(reader.title("one"), "One");
    // A folder with such a name is none of a space's.
    stage.file("project/.ai/knowledge/.new/two.md", &note("two", "Two"));
    let (hidden, new) = ("project/.ai/knowledge/.new", stage.path("project/.ai/knowledge/new"));
    let mode = Permissions::from_mode;
    std::fs::set_permissions(stage.path(hidden), mode(0o000)).expect("a mode");
    std::fs::rename(stage.path(hidden), &new).expect("renamed");
    for _ in 0..2 {
        assert_eq!(reader.title("two"), "IT-ITEM-E-001", "nobody knows what is in there");
    }
    std::fs::set_permissions(&new, mode(0o755)).expect("a mode");
    assert_eq!(reader.title("two"), "Two");
}
