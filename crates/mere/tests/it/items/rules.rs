//! The categories of directives, tools and knowledge: the same modes, for whoever makes an item, and
//! never looser than the user says.

use serde_json::{Value, json};

use crate::items::proposals::create;
use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{directive, note, person, skill, tool};
use crate::support::store_fixture::{CONFIG, MODES, USER_CONFIG, difference, disk, outcome, text};

/// What the user says besides: agents write items at once.
const DIRECT: &str = "agents: {write: {directive: direct, tool: direct, knowledge: direct}}\n";

/// A type: its name, its folder, the ending of its files, and an item of it.
type Kind = (&'static str, &'static str, &'static str, fn(&str) -> String);

const KINDS: [Kind; 3] = [
    ("directive", "directives", ".md", directive),
    ("tool", "tools", ".yaml", tool),
    ("knowledge", "knowledge", ".md", |id| note(id, "Text.")),
];

/// The rules of a type, with the categories `b` and `a/deep`.
fn rules(folder: &str, mode: &str) -> String {
    format!(
        "items:\n  {folder}:\n    categoryMode: {mode}\n    categories: {{b: {{}}, a: {{description: \
         All of it, subcategories: {{deep: {{}}}}}}}}\n"
    )
}

/// A stage where this holds for the project, with its categories on disk and one of no config.
fn stage((_, folder, ..): Kind, mode: &str) -> Stage {
    let stage = Stage::new();
    stage.file(CONFIG, &rules(folder, mode));
    stage.file(USER_CONFIG, DIRECT);
    assert!(stage.person(&["store", "sync"]).status.success());
    stage.folder(&format!("project/.ai/{folder}/legacy"));
    stage
}

fn root(folder: &str, name: &str) -> (String, String) {
    let message = format!(
        "Cannot create root category '{name}': `{folder}` is in 'subcategories' mode. Allowed root \
         categories: b, a, legacy. You may create subcategories under these."
    );
    ("EN-CATEGORY-D-001".to_owned(), message)
}

fn strict(folder: &str, category: &str) -> (String, String) {
    let message = format!("Cannot create category '{category}': `{folder}` is in 'strict' mode.");
    ("EN-CATEGORY-D-002".to_owned(), message)
}

/// Why an item may not have a category in a mode, if it may not.
fn refusal(folder: &str, mode: &str, category: &str) -> Option<(String, String)> {
    let (top, _) = category.split_once('/').unwrap_or((category, ""));
    match (mode, category) {
        ("free", _) | (_, "" | "a" | "b" | "a/deep" | "legacy") => None,
        ("subcategories", _) if ["a", "b", "legacy"].contains(&top) => None,
        ("subcategories", _) => Some(root(folder, top)),
        _ => Some(strict(folder, category)),
    }
}

const CATEGORIES: [&str; 10] = [
    "",
    "a",
    "b",
    "a/deep",
    "legacy",
    "a/new",
    "a/deep/new/er",
    "legacy/new",
    "new",
    "new/sub/deep",
];

fn within(category: &str, id: &str) -> String {
    if category.is_empty() { id.to_owned() } else { format!("{category}/{id}") }
}

#[test]
fn an_agent_makes_items_where_the_mode_allows_their_category() {
    for kind in KINDS {
        for mode in MODES {
            let stage = stage(kind, mode);
            let (name, folder, ending, sample) = kind;
            let mut mcp = Mcp::greeted(&stage, &[]);
            for (at, category) in CATEGORIES.into_iter().enumerate() {
                let id = format!("i{at}");
                let before = disk(&stage);
                let arguments = create(name, &within(category, &id), &sample(&id));
                let reply = mcp.call("execute", &arguments);
                let case = format!("{name} {mode} {category}");
                if let Some((code, message)) = refusal(folder, mode, category) {
                    assert_eq!(outcome(&reply), ["D", &code, &message], "{case}");
                    assert_eq!(disk(&stage), before, "{case}");
                } else {
                    let path = within(category, &id);
                    let message = format!("ROOT_PROJECT:/.ai/{folder}/{path}{ending} was created.");
                    assert_eq!(outcome(&reply), ["S", "IT-CHANGE-S-001", &message], "{case}");
                }
            }
        }
    }
}

#[test]
fn people_keep_to_the_mode_as_well() {
    for kind in KINDS {
        for mode in MODES {
            let stage = stage(kind, mode);
            let (name, folder, ..) = kind;
            for (at, category) in CATEGORIES.into_iter().enumerate() {
                let refusal = refusal(folder, mode, category);
                let case = format!("{name} {mode} {category}");
                let fits = |reply: &Value, code: &str| match &refusal {
                    Some((code, message)) => {
                        assert_eq!(outcome(reply), ["D", code, message], "{case}");
                    }
                    None => assert_eq!(reply["code"], code, "{case}: {reply}"),
                };
                let before = disk(&stage);
                let id = format!("n{at}");
                fits(&person(&stage, &["new", name, &within(category, &id)]), "IT-CHANGE-S-001");
                if refusal.is_some() {
                    assert_eq!(disk(&stage), before, "{case}");
                }
            }
            assert_eq!(person(&stage, &["new", name, "b/mover"])["reply_type"], "S");
            for (category, code) in [("a/deep", "S"), ("legacy", "S"), ("new", "D"), ("", "S")] {
                let before = disk(&stage);
                let moved = person(&stage, &["move", name, "mover", category]);
                let code = if mode == "free" { "S" } else { code };
                assert_eq!(moved["reply_type"], code, "{name} {mode} {category}: {moved}");
                if code == "D" {
                    let expected = refusal(folder, mode, category).expect("a refusal");
                    assert_eq!(outcome(&moved)[2], expected.1);
                    assert_eq!(disk(&stage), before);
                }
            }
            let renamed = person(&stage, &["rename", name, "mover", "moved"]);
            assert_eq!(renamed["reply_type"], "S", "{name} {mode}: {renamed}");
        }
    }
}

#[test]
fn without_categories_strict_items_have_none() {
    for (name, folder, _, sample) in KINDS {
        let stage = Stage::new();
        stage.file(CONFIG, &format!("items: {{{folder}: {{categoryMode: strict}}}}\n"));
        stage.file(USER_CONFIG, DIRECT);
        stage.folder(&format!("project/.ai/{folder}/legacy"));
        let before = disk(&stage);
        let mut mcp = Mcp::greeted(&stage, &[]);
        for category in ["legacy", "new"] {
            let reply = mcp.call("execute", &create(name, &format!("{category}/x"), &sample("x")));
            let message = format!(
                "Cannot create an item in category '{category}': `{folder}` is in 'strict' mode \
                 and its configuration names no categories."
            );
            assert_eq!(outcome(&reply), ["D", "EN-MEMORY-D-005", &message]);
            let hint = "Use an existing category, or ask a person to change config.yaml; a looser \
                        mode counts after `mere trust project`.";
            assert_eq!(reply["hint"], hint);
        }
        assert_eq!(disk(&stage), before);
        let reply = mcp.call("execute", &create(name, "x", &sample("x")));
        assert_eq!(reply["code"], "IT-CHANGE-S-001", "{reply}");
    }
}

#[test]
fn a_proposal_is_placed_by_the_rules_that_hold_then() {
    for (name, folder, ending, sample) in KINDS {
        let stage = Stage::new();
        let config = "agents: {write: {directive: propose, tool: propose, knowledge: propose}}\n";
        stage.file(USER_CONFIG, config);
        let mut mcp = Mcp::greeted(&stage, &[]);
        let proposed = mcp.call("execute", &create(name, "new/x", &sample("x")));
        assert_eq!(proposed["code"], "IT-CHANGE-S-002", "{proposed}");
        drop(mcp);
        let list = person(&stage, &["review", "--list"]);
        let proposal =
            list["data"]["proposals"][0]["proposal"].as_str().expect("a name").to_owned();
        let accept = ["review", "--accept", &proposal];
        for (mode, expected) in [
            ("subcategories", {
                let (code, message) = root(folder, "new");
                (code, message.replace("b, a, legacy", "b, a"))
            }),
            ("strict", strict(folder, "new")),
        ] {
            stage.file(CONFIG, &rules(folder, mode));
            assert!(stage.person(&["store", "sync"]).status.success());
            let before = disk(&stage);
            let reply = person(&stage, &accept);
            assert_eq!(outcome(&reply), ["D", &expected.0, &expected.1], "{name}");
            assert_eq!(disk(&stage), before, "the proposal waits");
            // And no other is taken any more.
            let mut mcp = Mcp::greeted(&stage, &[]);
            let reply = mcp.call("execute", &create(name, "new/y", &sample("y")));
            assert_eq!(outcome(&reply)[2], expected.1);
            assert_eq!(disk(&stage), before);
        }
        stage.file(CONFIG, &rules(folder, "free"));
        // A less strict mode than before waits for a person.
        assert!(stage.person(&["trust", "project", "--yes"]).status.success());
        assert_eq!(person(&stage, &accept)["code"], "IT-REVIEW-S-003");
        assert_eq!(text(&stage, &format!("project/.ai/{folder}/new/x{ending}")), sample("x"));
    }
}

#[test]
fn a_project_loosens_nothing_that_its_user_has_tightened() {
    for (user, user_mode) in MODES.into_iter().enumerate() {
        for (project, project_mode) in MODES.into_iter().enumerate() {
            for (floor, variable) in MODES.into_iter().enumerate() {
                let mut stage = Stage::new();
                stage.setting("MERE_CATEGORY_MODE", variable);
                let said_by = |mode: &str, own: &str| {
                    format!(
                        "items: {{knowledge: {{categoryMode: {mode}, categories: {{{own}: }}}}}}\n"
                    )
                };
                stage.file(USER_CONFIG, &said_by(user_mode, "mine"));
                stage.file(CONFIG, &said_by(project_mode, "ours"));
                let case = format!("{user_mode} {project_mode} {variable}");
                let expected = match user.max(project).max(floor) {
                    0 => "IT-CHANGE-S-001",
                    1 => "EN-CATEGORY-D-001",
                    _ => "EN-CATEGORY-D-002",
                };
                let made = person(&stage, &["new", "note", "new/x"]);
                assert_eq!(made["code"], expected, "{case}: {made}");
                // The categories of both may be used.
                for category in ["mine", "ours"] {
                    let made = person(&stage, &["new", "note", &format!("{category}/x")]);
                    assert_eq!(made["code"], "IT-CHANGE-S-001", "{case} {category}: {made}");
                }
                // In the user's own space the project has no say.
                let own = match user.max(floor) {
                    0 => "IT-CHANGE-S-001",
                    1 => "EN-CATEGORY-D-001",
                    _ => "EN-CATEGORY-D-002",
                };
                let made = person(&stage, &["new", "note", "ours/x", "--user"]);
                assert_eq!(made["code"], own, "{case}: {made}");
            }
        }
    }
}

#[test]
fn an_item_that_is_copied_arrives_by_the_rules() {
    let stage = stage(KINDS[2], "strict");
    stage.file("home/.ai/knowledge/new/x.md", &note("x", "Text."));
    stage.file("home/.ai/knowledge/a/y.md", &note("y", "Text."));
    let before = disk(&stage);
    let reply = person(&stage, &["copy", "note", "new/x", "--to", "project"]);
    let (code, message) = strict("knowledge", "new");
    assert_eq!(outcome(&reply), ["D", &code, &message]);
    assert_eq!(disk(&stage), before);
    let reply = person(&stage, &["copy", "note", "a/y", "--to", "project"]);
    assert_eq!(reply["reply_type"], "S", "{reply}");
    // Agents, where they may install.
    stage.file(USER_CONFIG, "agents: {may_install: true}\n");
    let load = json!({ "item_type": "knowledge", "item_id": "new/x", "destination": "project" });
    let reply = Mcp::greeted(&stage, &[]).call("load", &load);
    assert_eq!(outcome(&reply), ["D", &code, &message]);
}

#[test]
fn what_the_config_makes_is_in_nobodys_way() {
    for kind in KINDS {
        let stage = stage(kind, "strict");
        let (name, folder, ..) = kind;
        let label =
            |path: &str| text(&stage, &format!("project/.ai/{folder}/{path}/.category.yaml"));
        assert_eq!(label("a"), "description: \"All of it\"\n");
        assert_eq!(
            (label("a/deep"), label("b")),
            ("description: \"\"\n".to_owned(), "description: \"\"\n".to_owned())
        );
        assert_eq!(person(&stage, &["list"])["data"]["items"], json!([]), "{name}");
        assert_eq!(person(&stage, &["new", name, "a/deep/x"])["reply_type"], "S");
        assert_eq!(person(&stage, &["list"])["data"]["count"], 1, "{name}");
        for words in [
            &["verify", "--all"][..],
            &["index"],
            &["index", "--check"],
            &["doctor"],
            &["config", "check"],
        ] {
            let output = stage.person(words);
            assert_eq!(output.status.code(), Some(0), "{words:?} {output:?}");
        }
        let before = disk(&stage);
        assert!(stage.person(&["store", "sync"]).status.success());
        assert_eq!(difference(&before, &disk(&stage)), (Vec::new(), Vec::new()));
    }
}

#[test]
fn an_item_that_is_a_folder_is_no_category() {
    let stage = stage(KINDS[0], "subcategories");
    stage.file("project/.ai/directives/kit/SKILL.md", &skill("kit"));
    let before = disk(&stage);
    let mut mcp = Mcp::greeted(&stage, &[]);
    let reply = mcp.call("execute", &create("directive", "new/x", &directive("x")));
    let (code, message) = root("directives", "new");
    assert_eq!(outcome(&reply), ["D", &code, &message]);
    let reply = mcp.call("execute", &create("directive", "kit/x", &directive("x")));
    assert_eq!(reply["code"], "IT-CHANGE-I-004", "{reply}");
    assert_eq!(disk(&stage), before);
}
