//! Deleting a category: all of it is counted, and an agent takes memories and categories only.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::store_fixture::{STORE, Surface, text};

/// A category with a bit of everything.
fn mixed() -> Stage {
    let stage = Stage::new();
    let file = |path: &str, text: &str| stage.file(&format!("{STORE}/old/{path}"), text);
    file("a.md", "A.\n");
    file("b/c.md", "C.\n");
    file("b/d/e.md", "E.\n");
    file("clean/f.md", "F.\n");
    file("picture.png", "png");
    file("Big Note.md", "Not a slug.\n");
    file("Meeting Notes/g.md", "G.\n");
    file("Meeting Notes/deep/h.md", "H.\n");
    file("b/\u{65e5}\u{672c}/i.md", "I.\n");
    file(".category.yaml", "description: Old\n");
    stage.link(stage.path("beside"), &format!("{STORE}/old/link"));
    stage
}

const LEFT: [&str; 5] = [
    "old/Big Note.md",
    "old/Meeting Notes/",
    "old/b/\u{65e5}\u{672c}/",
    "old/link",
    "old/picture.png",
];

fn ask(stage: &Stage, arguments: &Value) -> Value {
    stage.call_text("delete_category", &arguments.to_string()).reply
}

#[test]
fn everything_below_is_counted() {
    for surface in Surface::ALL {
        let stage = mixed();
        let reply = surface.ask(&stage, "delete_category", &json!({ "path": "old" }));
        let message = "Cannot delete category 'old': it is not empty (4 memories, 3 subcategories, \
                       6 other files, 3 other folders). Set `recursive` to delete its contents as \
                       well.";
        assert_eq!(reply["message"], message, "{surface:?}");
        let counts =
            json!({ "memories": 4, "subcategories": 3, "other_files": 6, "other_folders": 3 });
        assert_eq!(reply["data"], counts);
    }
}

#[test]
fn an_agent_leaves_what_is_neither_a_memory_nor_a_category_and_names_it() {
    for surface in [Surface::Call, Surface::Mcp] {
        let stage = mixed();
        let reply =
            surface.ask(&stage, "delete_category", &json!({ "path": "old", "recursive": true }));
        assert_eq!(reply["code"], "IT-CATEGORY-S-007", "{reply}");
        let data = &reply["data"];
        assert_eq!((&data["deleted"], &data["left"]), (&json!(false), &json!(LEFT)));
        assert_eq!(data["removed"], json!({ "memories": 4, "subcategories": 2 }));
        let there = |path: &str| stage.path(&format!("{STORE}/old/{path}")).exists();
        for kept in [
            "picture.png",
            "Big Note.md",
            "Meeting Notes/g.md",
            "Meeting Notes/deep/h.md",
            "b/\u{65e5}\u{672c}/i.md",
            "link",
        ] {
            assert!(there(kept), "{kept}");
        }
        for gone in ["a.md", "b/c.md", "b/d", "clean"] {
            assert!(!there(gone), "{gone}");
        }
        assert_eq!(text(&stage, &format!("{STORE}/old/.category.yaml")), "description: Old\n");
        // Again there is nothing left that it may delete.
        let again = ask(&stage, &json!({ "path": "old", "recursive": true }));
        assert_eq!((&again["reply_type"], &again["data"]["left"]), (&json!("D"), &json!(LEFT)));
    }
}

#[test]
fn the_same_holds_wherever_the_store_lies() {
    let stage = Stage::new();
    let beside = stage.folder("beside/notes");
    stage.file("beside/notes/c/a.md", "A.\n");
    stage.file("beside/notes/c/main.rs", "fn main() {}\n");
    stage.file("home/.ai/config.yaml", &format!("stores: {{n: {{path: {}}}}}\n", beside.display()));
    let reply = ask(&stage, &json!({ "path": "c", "recursive": true }));
    assert_eq!(
        (&reply["reply_type"], &reply["data"]["left"]),
        (&json!("S"), &json!(["c/main.rs"]))
    );
    assert!(!stage.path("beside/notes/c/a.md").exists());
    assert!(stage.path("beside/notes/c/main.rs").exists());
}

#[test]
fn a_person_is_told_all_that_would_go_and_then_all_goes() {
    let stage = mixed();
    let refused = stage.person(&["category", "delete", "old", "--recursive"]);
    assert!(!refused.status.success());
    assert!(stage.path(&format!("{STORE}/old/a.md")).exists());
    let done = stage.person(&["category", "delete", "old", "--recursive", "--yes"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(!stage.path(&format!("{STORE}/old")).exists());
    assert!(stage.path("beside").exists(), "what a link leads to stays");
}

#[test]
fn what_agents_may_not_see_is_not_named() {
    let stage = mixed();
    stage.file("project/.ai/config.yaml", "sensitive: ['secret*']\n");
    stage.file(&format!("{STORE}/old/b/secret.txt"), "x");
    let reply = ask(&stage, &json!({ "path": "old", "recursive": true }));
    assert_eq!(reply["code"], "EN-CATEGORY-D-007", "{reply}");
    assert_eq!(reply["data"]["left"], json!(LEFT));
    assert!(!reply.to_string().contains("secret"), "{reply}");
    assert!(stage.path(&format!("{STORE}/old/a.md")).exists(), "nothing was deleted");
}

#[test]
fn names_that_cannot_be_shown_are_escaped() {
    let stage = Stage::new();
    stage.file(&format!("{STORE}/old/a.md"), "A.\n");
    stage.file(&format!("{STORE}/old/x\u{202e}gnp.txt"), "x");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let reply = mcp.call("delete_category", &json!({ "path": "old", "recursive": true }));
    assert_eq!(reply["data"]["left"], json!(["old/x\\u{202e}gnp.txt"]), "{reply}");
}
