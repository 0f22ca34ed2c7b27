//! The edge cases of the design, and what was decided where it is open, one by one.

use serde_json::{Value, json};

use crate::category::tables::{
    ASK, CREATE, Cell, Row, check, deleted, made, no_category, no_create, no_root, protected,
};
use crate::support::harness::{Mcp, Stage};
use crate::support::store_fixture::{
    CONFIG, MODES, STORE, Surface, USER_CONFIG, configured, cortex, difference, disk, outcome, text,
};
use crate::support::typist::Typist;

fn note(category: &str) -> Value {
    json!({ "path": format!("{category}/one"), "content": "One.\n" })
}

/// A store in a mode, with nothing else said.
fn bare(mode: &str, rest: &str) -> String {
    format!("stores:\n  cortex:\n    path: ./memory\n    categoryMode: {mode}\n{rest}")
}

const DEEP: &str = "    categories: {a: {subcategories: {b: {subcategories: {c: {}}}}}}\n";

#[test]
fn edge_case_1_strict_without_categories_takes_no_categorised_memory() {
    for more in ["", "    categories: {}\n", "    categories:\n"] {
        for surface in Surface::ALL {
            let stage = configured(&bare("strict", more));
            stage.folder(&format!("{STORE}/legacy"));
            let before = disk(&stage);
            let reply = surface.ask(&stage, "create_memory", &note("legacy"));
            let message = "Cannot create memory in category 'legacy': store is in 'strict' mode \
                           and its configuration names no categories.";
            assert_eq!(outcome(&reply), ["D", "EN-MEMORY-D-005", message], "{more}");
            let reply = surface.ask(&stage, "create_memory", &note("none"));
            let message = format!(
                "Cannot create memory at 'none/one': category 'none' does not exist. {ASK}"
            );
            assert_eq!(outcome(&reply), ["I", "IT-MEMORY-I-004", &message], "{more}");
            assert_eq!(disk(&stage), before);
            let alone = json!({ "path": "one", "content": "One.\n" });
            surface.done(&stage, "create_memory", &alone);
            let to = json!({ "from": "one", "to": "legacy/one" });
            assert_eq!(surface.ask(&stage, "move_memory", &to)["code"], "EN-MEMORY-D-005");
        }
    }
}

#[test]
fn edge_case_2_below_the_config_a_category_comes_before_its_memories() {
    for mode in MODES {
        for surface in Surface::ALL {
            let stage = configured(&bare(mode, DEEP));
            let before = disk(&stage);
            let reply = surface.ask(&stage, "create_memory", &note("a/b/c/d/e"));
            let remedy = if mode == "strict" { ASK } else { CREATE };
            let message = format!(
                "Cannot create memory at 'a/b/c/d/e/one': category 'a/b/c/d/e' does not exist. {remedy}"
            );
            assert_eq!(outcome(&reply), ["I", "IT-MEMORY-I-004", &message], "{mode} {surface:?}");
            let reply = surface.ask(&stage, "create_category", &json!({ "path": "a/b/c/d/e" }));
            if mode == "strict" {
                assert_eq!(reply["code"], "EN-CATEGORY-D-002");
                assert_eq!(disk(&stage), before);
                continue;
            }
            assert_eq!(reply["code"], "IT-CATEGORY-S-001", "{reply}");
            surface.done(&stage, "create_memory", &note("a/b/c/d/e"));
            let new = ["a/b/c/d", "a/b/c/d/.category.yaml", "a/b/c/d/e"];
            let new = [&new[..], &["a/b/c/d/e/.category.yaml", "a/b/c/d/e/one.md"]].concat();
            let new = new.into_iter().map(|path| format!("{STORE}/{path}")).collect::<Vec<_>>();
            assert_eq!(difference(&before, &disk(&stage)), (new, Vec::new()));
        }
    }
}

#[test]
fn edge_cases_3_to_5_no_new_root_and_no_harm_to_what_is_configured() {
    let path = "new-root/sub/deep";
    check(&Row {
        case: "a new root in a nested path",
        there: |_| {},
        tool: "create_category",
        arguments: json!({ "path": path }),
        cells: [
            made(path).makes(&["new-root", "new-root/sub", path]),
            no_root("new-root", "standards, todo, decisions"),
            no_create(path),
        ],
    });
    for mode in ["free", "subcategories"] {
        let stage = configured(&bare(mode, DEEP));
        let before = disk(&stage);
        for path in ["a", "a/b", "a/b/c"] {
            let arguments = json!({ "path": path, "recursive": true });
            let reply = Surface::Call.ask(&stage, "delete_category", &arguments);
            let expected = format!("{:?}", protected(path));
            assert!(expected.contains(reply["message"].as_str().expect("words")), "{reply}");
            let arguments = json!({ "path": path, "description": "Another" });
            let reply = Surface::Call.ask(&stage, "set_category_description", &arguments);
            assert_eq!(reply["code"], "EN-CATEGORY-D-005", "{reply}");
        }
        assert_eq!(disk(&stage), before);
    }
}

#[test]
fn edge_case_6_a_category_of_no_config_stays_usable() {
    let there = |stage: &Stage| {
        stage.file(&format!("{STORE}/legacy/old/note.md"), "An old note.\n");
    };
    for mode in MODES {
        for surface in Surface::ALL {
            let stage = configured(&cortex(mode));
            there(&stage);
            surface.done(&stage, "create_memory", &note("legacy/old"));
            let described = json!({ "path": "legacy/old", "description": "From before" });
            surface.done(&stage, "set_category_description", &described);
            let listed = surface.done(&stage, "list_memories", &json!({ "category": "legacy" }));
            let below = json!([
                { "path": "legacy/old", "description": "From before", "memory_count": 2 }
            ]);
            assert_eq!((&listed["count"], &listed["subcategories"]), (&json!(2), &below));
            let gone = json!({ "path": "legacy", "recursive": true });
            let reply = surface.ask(&stage, "delete_category", &gone);
            let code = if mode == "strict" { "EN-CATEGORY-D-003" } else { "IT-CATEGORY-S-003" };
            assert_eq!(reply["code"], code, "{mode} {surface:?}");
            assert_eq!(stage.path(&format!("{STORE}/legacy")).exists(), mode == "strict");
        }
    }
}

#[test]
fn making_a_category_twice_changes_nothing() {
    for mode in ["free", "subcategories"] {
        for surface in Surface::ALL {
            let stage = configured(&cortex(mode));
            let first = json!({ "path": "todo/a", "description": "First" });
            assert_eq!(surface.done(&stage, "create_category", &first)["created"], true);
            let before = disk(&stage);
            for (description, hint) in [
                (json!(null), None),
                (json!("First"), None),
                (json!("Second"), Some("Its description is unchanged; us")),
                (json!(""), Some("Its description is unchanged; us")),
            ] {
                let again = json!({ "path": "todo/a", "description": description });
                let reply = surface.ask(&stage, "create_category", &again);
                let data = json!({
                    "store": "cortex", "path": "todo/a", "description": "First", "created": false
                });
                assert_eq!((&reply["code"], &reply["data"]), (&json!("IT-CATEGORY-S-002"), &data));
                let reply_hint = reply["hint"].as_str();
                assert_eq!(reply_hint.map(|reply_hint| &reply_hint[..32]), hint, "{reply}");
            }
            assert_eq!(disk(&stage), before);
        }
    }
}

#[test]
fn roots_on_disk_count_and_are_told_after_those_of_the_config() {
    let there = |stage: &Stage| {
        for folder in ["zoo", "alpha/deep", "Upper", ".hidden", "with space", "con"] {
            stage.folder(&format!("{STORE}/{folder}"));
        }
        stage.file(&format!("{STORE}/memory.md"), "A memory.\n");
        stage.file(&format!("{STORE}/plain"), "");
        stage.link(stage.folder("beside/linked"), &format!("{STORE}/linked"));
    };
    let row = |path: &'static str, free: Cell, subcategories: Cell| {
        let strict = no_create(path);
        let (tool, arguments) = ("create_category", json!({ "path": path }));
        let cells = [free, subcategories, strict];
        check(&Row { case: "roots on disk", there, tool, arguments, cells });
    };
    let below = made("zoo/new").makes(&["zoo/new"]);
    row("zoo/new", below.clone(), below);
    let allowed = "standards, todo, decisions, alpha, zoo";
    row("new", made("new").makes(&["new"]), no_root("new", allowed));
}

#[test]
fn where_there_is_no_root_a_person_is_asked_for_one() {
    for surface in Surface::ALL {
        let stage = configured(&bare("subcategories", ""));
        let reply = surface.ask(&stage, "create_category", &json!({ "path": "a/b" }));
        let message = "Cannot create root category 'a': store is in 'subcategories' mode. No root \
                       category is defined: ask a person to add one to config.yaml.";
        assert_eq!(outcome(&reply), ["D", "EN-CATEGORY-D-001", message]);
        assert!(!stage.path(STORE).exists(), "what is refused leaves no trace");
    }
}

#[test]
fn what_is_in_a_category_goes_only_if_that_is_said() {
    let there = |stage: &Stage| {
        stage.file(&format!("{STORE}/legacy/a.md"), "A.\n");
        stage.file(&format!("{STORE}/legacy/deep/er/b.md"), "B.\n");
        stage.file(&format!("{STORE}/legacy/deep/picture.png"), "");
        stage.file(&format!("{STORE}/legacy/.category.yaml"), "description: \"Old\"\n");
    };
    for mode in ["free", "subcategories"] {
        for surface in Surface::ALL {
            let stage = configured(&cortex(mode));
            there(&stage);
            let before = disk(&stage);
            for arguments in
                [json!({ "path": "legacy" }), json!({ "path": "legacy", "recursive": false })]
            {
                let reply = surface.ask(&stage, "delete_category", &arguments);
                let message = "Cannot delete category 'legacy': it is not empty (2 memories, \
                               2 subcategories, 1 other file). Set `recursive` to delete its \
                               contents as well.";
                assert_eq!(outcome(&reply), ["I", "IT-CATEGORY-I-002", message]);
                let counts = json!({ "memories": 2, "subcategories": 2, "other_files": 1 });
                assert_eq!(reply["data"], counts);
            }
            assert_eq!(disk(&stage), before);
            let all = json!({ "path": "legacy", "recursive": true });
            let reply = surface.ask(&stage, "delete_category", &all);
            if surface == Surface::Person {
                let message = outcome(&reply)[2];
                assert!(format!("{:?}", deleted("legacy")).contains(message), "{reply}");
            } else {
                // An agent leaves what is no memory; then there is only that, and it is told.
                assert_eq!(reply["code"], "IT-CATEGORY-S-007", "{reply}");
                assert_eq!(reply["data"]["left"], json!(["legacy/deep/picture.png"]));
                let picture = stage.path(&format!("{STORE}/legacy/deep/picture.png"));
                std::fs::remove_file(picture).expect("removed");
                surface.done(&stage, "delete_category", &all);
            }
            assert!(!stage.path(&format!("{STORE}/legacy")).exists());
            let reply = surface.ask(&stage, "delete_category", &all);
            let message = "Cannot delete category 'legacy': it does not exist.";
            assert_eq!(outcome(&reply), ["I", "IT-CATEGORY-I-001", message]);
        }
    }
}

#[test]
fn a_description_is_short_can_be_cleared_and_needs_its_category() {
    let label = |stage: &Stage| text(stage, &format!("{STORE}/todo/a/.category.yaml"));
    for surface in Surface::ALL {
        let stage = configured(&cortex("free"));
        surface.done(&stage, "create_category", &json!({ "path": "todo/a" }));
        let describe = |path: &str, description: &str| {
            let arguments = json!({ "path": path, "description": description });
            surface.ask(&stage, "set_category_description", &arguments)
        };
        let long = "é".repeat(500);
        let reply = describe("todo/a", &long);
        let data = json!({ "store": "cortex", "path": "todo/a", "description": long });
        assert_eq!(reply["data"], data, "{surface:?}");
        assert_eq!(label(&stage), format!("description: {long}\n"));
        if surface != Surface::Person {
            let reply = describe("todo/a", &"é".repeat(501));
            let message = "The value of `description` is not valid for `set_category_description`.";
            assert_eq!(outcome(&reply), ["I", "MCP-ARG-I-001", message]);
            assert_eq!(label(&stage), format!("description: {long}\n"));
        }
        assert_eq!(describe("todo/a", "")["data"]["description"], "");
        assert_eq!(label(&stage), "description: \"\"\n");
        let reply = describe("todo/none", "x");
        let message = "Cannot describe category 'todo/none': it does not exist.";
        assert_eq!(outcome(&reply), ["I", "IT-CATEGORY-I-001", message]);
        assert!(!stage.path(&format!("{STORE}/todo/none")).exists());
    }
}

#[test]
fn force_overrides_the_mode_and_never_the_protection() {
    let run = |stage: &Stage, words: &str| {
        let (code, printed) = Typist::start(stage, words).finish();
        (code, printed)
    };
    for mode in ["subcategories", "strict"] {
        let stage = configured(&cortex(mode));
        let (code, printed) = run(&stage, "category create new/sub --force");
        assert_eq!(code, 0, "{mode}: {printed}");
        assert_eq!(text(&stage, &format!("{STORE}/new/.category.yaml")), "description: \"\"\n");
        let (code, printed) = run(&stage, "category delete new --recursive --yes --force");
        assert_eq!(code, 0, "{mode}: {printed}");
        assert!(!stage.path(&format!("{STORE}/new")).exists());
        let before = disk(&stage);
        for path in ["standards", "decisions/config"] {
            let words = format!("category delete {path} --recursive --yes --force");
            let (code, printed) = run(&stage, &words);
            assert_eq!(code, 3, "{mode}: {printed}");
            assert!(
                printed.contains("is defined in store configuration and is protected"),
                "{printed}"
            );
        }
        assert_eq!(disk(&stage), before);
    }
}

#[test]
fn the_config_makes_its_categories_by_each_of_its_ways() {
    type Way = fn(&Stage);
    let ways: [(&str, Way); 4] = [
        ("init", |stage| assert!(stage.person(&["init"]).status.success())),
        ("sync", |stage| assert!(stage.person(&["store", "sync"]).status.success())),
        ("server", |stage| drop(Mcp::greeted(stage, &[]))),
        ("other", |stage| {
            let words = ["store", "init", "other", "--template", "blank"];
            assert!(stage.person(&words).status.success());
        }),
    ];
    for mode in MODES {
        for (way, make) in ways {
            let stage = Stage::new();
            stage.file(CONFIG, &cortex(mode));
            make(&stage);
            for (path, description) in [
                ("standards", "Architecture decisions and coding standards"),
                ("standards/architecture", "System architecture patterns"),
                ("decisions/config", ""),
            ] {
                let label = text(&stage, &format!("{STORE}/{path}/.category.yaml"));
                assert_eq!(label, format!("description: \"{description}\"\n"), "{mode} {way}");
            }
        }
    }
    for mode in ["free", "subcategories"] {
        let stage = Stage::new();
        stage.file(CONFIG, &cortex(mode));
        let arguments = json!({ "path": "standards/testing", "description": "Mine" });
        let data = Surface::Call.done(&stage, "create_category", &arguments);
        assert_eq!(data["description"], "Testing conventions", "the config describes it");
        for (path, description) in [
            ("standards", "Architecture decisions and coding standards"),
            ("standards/testing", "Testing conventions"),
        ] {
            let label = text(&stage, &format!("{STORE}/{path}/.category.yaml"));
            assert_eq!(label, format!("description: \"{description}\"\n"));
        }
        assert!(!stage.path(&format!("{STORE}/todo")).exists());
    }
    let missing = no_category("todo/one", "todo", CREATE);
    let stage = Stage::new();
    stage.file(CONFIG, &cortex("free"));
    let reply = Surface::Call.ask(&stage, "create_memory", &note("todo"));
    assert!(format!("{missing:?}").contains(outcome(&reply)[2]), "named is not yet there: {reply}");
}

#[test]
fn list_stores_tells_the_hierarchy_of_the_config() {
    let stage = Stage::new();
    stage.file(CONFIG, &cortex("strict"));
    stage.file(USER_CONFIG, "stores:\n  mine: {path: ./notes}\n  away: {path: ~/away}\n");
    stage.folder("home/away");
    stage.folder(&format!("{STORE}/legacy"));
    let child = |path: &str, description: &str| json!({ "path": path, "description": description, "subcategories": [] });
    let expected = json!({ "stores": [
        {
            "name": "cortex", "path": "ROOT_PROJECT:/.ai/memory/",
            "description": "Project memory store", "categoryMode": "strict",
            "categories": [
                {
                    "path": "standards",
                    "description": "Architecture decisions and coding standards",
                    "subcategories": [
                        child("standards/architecture", "System architecture patterns"),
                        child("standards/testing", "Testing conventions"),
                    ],
                },
                child("todo", "Outstanding work items"),
                {
                    "path": "decisions",
                    "description": "Development decisions with rationale",
                    "subcategories": [child("decisions/config", "")],
                },
            ],
            "current": true
        },
        {
            "name": "mine", "path": "ROOT_USER:/notes/", "description": "", "categoryMode": "free",
            "categories": []
        },
        {
            "name": "away", "path": "mod:away:/", "description": "", "categoryMode": "free",
            "categories": []
        },
    ] });
    for surface in Surface::ALL {
        let data = surface.done(&stage, "list_stores", &json!({}));
        // The order of the keys is that of the design, too.
        assert_eq!(data.to_string(), expected.to_string(), "{surface:?}");
    }
}

#[test]
fn a_category_that_only_the_config_has_needs_one_thing() {
    // A server that starts makes it again, so only the other two are asked.
    for surface in [Surface::Call, Surface::Person] {
        for (mode, remedy) in [
            ("free", "Create the category first using create_category."),
            ("subcategories", "Create the category first using create_category."),
            ("strict", "Ask a person to run mere store sync."),
        ] {
            let stage = configured(&cortex(mode));
            std::fs::remove_dir_all(stage.path(&format!("{STORE}/todo"))).expect("removed");
            let memory = json!({ "path": "todo/a", "content": "x" });
            let reply = surface.ask(&stage, "create_memory", &memory);
            let message = format!(
                "Cannot create memory at 'todo/a': category 'todo' does not exist. {remedy}"
            );
            assert_eq!(outcome(&reply), ["I", "IT-MEMORY-I-004", message.as_str()]);
            assert_eq!(reply["hint"], json!(null), "one thing, not two");
            match mode {
                "strict" => assert!(stage.person(&["store", "sync"]).status.success()),
                _ => drop(surface.done(&stage, "create_category", &json!({ "path": "todo" }))),
            }
            surface.done(&stage, "create_memory", &memory);
        }
    }
}
