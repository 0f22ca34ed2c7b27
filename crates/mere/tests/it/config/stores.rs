//! `stores:`, `items:` and `settings:` of both config files: what is refused and with which words, where
//! a store may lie, and which one is served.

use std::process::Output;

use serde_json::Value;

use crate::support::harness::{Mcp, Stage};

pub(crate) const PROJECT: &str = "project/.ai/config.yaml";
pub(crate) const USER: &str = "home/.ai/config.yaml";

/// One of the two files as `mere config check` tells it, and how that ends.
pub(crate) fn checked(stage: &Stage, whose: &str) -> (i32, Value) {
    let output = stage.person(&["config", "check", "--json"]);
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let address = match whose {
        PROJECT => "ROOT_PROJECT:/.ai/config.yaml",
        _ => "ROOT_USER:/config.yaml",
    };
    let files = reply["data"]["files"].as_array().expect("files");
    let file = files.iter().find(|file| file["address"] == address).expect("the file");
    (output.status.code().expect("an exit status"), file.clone())
}

/// What is wrong with a file.
pub(crate) fn problem(stage: &Stage, whose: &str) -> String {
    let (status, file) = checked(stage, whose);
    assert_eq!((status, &file["state"]), (4, &"wrong".into()), "{file}");
    file["problem"].as_str().expect("a problem").to_owned()
}

/// Fails unless this text as the project's file, and as the user's, is refused with these words.
fn refuses(text: &str, words: &str) {
    for whose in [PROJECT, USER] {
        let stage = Stage::new();
        stage.file(whose, text);
        let problem_text = problem(&stage, whose);
        assert!(problem_text.contains(words), "{text}: {problem_text}");
        let answer = stage.list("");
        assert_eq!((answer.code(), answer.status), ("WA-CONFIG-E-001", 4), "{text}");
        let (_, place) = problem_text.split_once(" is not valid at ").expect("a place");
        let (place, _) = place.split_once(": ").expect("a reason");
        let message = answer.reply["message"].as_str().expect("words").to_owned();
        assert!(message.ends_with(&format!("is not valid at {place}.")), "{message}");
    }
}

pub(crate) fn text(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    out + &String::from_utf8_lossy(&output.stderr)
}

/// Whether a store can be served.
pub(crate) fn serves(stage: &Stage, name: &str) -> bool {
    stage.person(&["call", "--store", name, "dir"]).status.success()
}

/// The stores that can be served, in their order: whoever asks for another is told.
pub(crate) fn stores(stage: &Stage) -> String {
    let output = stage.person(&["call", "--store", "zz", "dir"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let printed = text(&output);
    let (_, known) = printed.split_once("no store is called `zz`; ").expect("those that are there");
    known.trim().to_owned()
}

pub(crate) fn visible(stage: &Stage, root: &str) -> bool {
    stage.list(root).status == 0
}

#[test]
fn each_mistake_has_its_line_and_what_to_do() {
    refuses(
        "stores:\n  a: {}\n",
        "line 2, column 3: a store needs a `path` to its folder, such as `path: ./memory`",
    );
    refuses("stores:\n  a:\n", "line 2, column 3: a store needs a `path`");
    refuses(
        "stores:\n  a: {path: ''}\n",
        "line 2, column 13: the path is empty: name the store's folder",
    );
    refuses("stores:\n  a: {path: [x]}\n", "line 2, column 13: a string is expected");
    refuses("stores:\n  a b: {path: x}\n", "line 2, column 3: a name starts with a letter");
    refuses(
        "stores:\n  1: {path: x}\n  '1': {path: y}\n",
        "line 3, column 3: the name is used twice: rename one of them",
    );
    refuses("stores:\n  a: {path: x}\n  a: {path: y}\n", "line 3, column 3: a key appears twice");
    refuses(
        "stores:\n  a:\n    path: x\n    mode: strict\n",
        "line 4, column 5: unknown field `mode`, expected one of path, description, categoryMode, \
         categories, policies",
    );
    refuses(
        "stores:\n  a:\n    path: x\n    categoryMode: loose\n",
        "line 4, column 19: a category mode is free, subcategories or strict",
    );
    refuses(
        "settings:\n  outputFormat: xml\n",
        "line 2, column 17: the output format must be yaml or json",
    );
    refuses(
        "settings:\n  defaultStore: b\nstores: {a: {path: x}}\n",
        "line 2, column 17: no store is called `b`: `defaultStore` must be one of `a`",
    );
    refuses("settings: {defaultStore: b}\n", "`defaultStore` must be one of `memory`");
    refuses("items:\n  memory: {}\n", "line 2, column 3: unknown field `memory`, expected one of");
    refuses(
        "items:\n  tools:\n    categories:\n      a:\n        policies: {}\n",
        "line 5, column 19: policies apply only to memories, but these categories hold items: \
         remove this key",
    );
}

#[test]
fn each_mistake_in_a_hierarchy_has_its_line_and_what_to_do() {
    let in_store = |text: &str, words: &str| {
        refuses(&format!("stores:\n  a:\n    path: x\n{text}"), words);
    };
    in_store(
        "    categories:\n      a/b: {}\n",
        "line 5, column 7: a key names one category: nest deeper categories under `subcategories`",
    );
    in_store(
        "    categories:\n      Big: {}\n",
        "line 5, column 7: an id has 1 to 64 lower-case letters",
    );
    in_store("    categories:\n      aux: {}\n", "line 5, column 7: the name is reserved");
    in_store("    categories: [a]\n", "line 4, column 17: a mapping is expected");
    let long = format!("    categories:\n      a: {{description: {}}}\n", "x".repeat(501));
    in_store(&long, "line 5, column 24: a description has at most 500 characters");
    for (policies, words) in [
        ("{defaultTtl: 30d}", "28: `defaultTtl` must be a whole number of days from 1 to 36500"),
        (
            "{maxContentLength: 0}",
            "34: `maxContentLength` must be a whole number of bytes, at least 1",
        ),
        ("{maxMemories: 1.5}", "29: `maxMemories` must be a whole number, at least 1"),
        ("{permissions: {delete: no}}", "38: a permission must be true or false"),
        ("{permissions: {read: true}}", "30: unknown field `read`, expected one of create"),
        ("{schema: tags}", "24: a schema must be a JSON Schema, written as a mapping"),
        ("{schema: {type: 3}}", "24: the schema is invalid at `/type`"),
        ("{ttl: 3}", "16: unknown field `ttl`, expected one of defaultTtl"),
    ] {
        let words = format!("line 4, column {words}");
        in_store(&format!("    policies: {policies}\n"), &words);
    }
}

#[test]
fn a_hierarchy_is_eight_levels_deep_and_no_more() {
    let nested = |levels: usize| {
        let begins = (0..levels).map(|level| format!("{{c{level}: {{subcategories: "));
        let begins = begins.collect::<String>();
        format!("stores: {{a: {{path: x, categories: {begins}{{}}{}}}}}\n", "}}".repeat(levels))
    };
    let stage = Stage::new();
    stage.file(PROJECT, &nested(8));
    assert_eq!(checked(&stage, PROJECT).0, 0);
    refuses(&nested(9), "a category has at most 8 levels");
    // So deep that the reader itself stops: refused with its place all the same.
    refuses(&nested(20), "line 1, column 3");
}

#[test]
fn stores_come_in_the_order_of_the_files_the_projects_first() {
    let stage = Stage::new();
    assert_eq!(stores(&stage), "available stores: `memory`");
    assert!(serves(&stage, "memory"));
    for nothing in ["stores: {}\n", "stores:\n", "settings: {defaultStore: memory}\n"] {
        stage.file(PROJECT, nothing);
        assert_eq!(stores(&stage), "available stores: `memory`", "{nothing}");
    }
    stage.file(PROJECT, "");
    stage.file(USER, "stores:\n  zoo: {path: z}\n  ant: {path: a}\n");
    assert_eq!(stores(&stage), "available stores: `zoo`, `ant`");
    stage.file(PROJECT, "stores:\n  work: {path: ./memory}\n  b: {path: ../notes}\n");
    assert_eq!(stores(&stage), "available stores: `work`, `b`, `zoo`, `ant`");
    assert!(serves(&stage, "ant") && serves(&stage, "b"));
}

#[test]
fn a_name_in_both_files_is_refused() {
    let stage = Stage::new();
    stage.file(PROJECT, "stores: {a: {path: x}, b: {path: y}}\n");
    stage.file(USER, "stores:\n  c: {path: x}\n  b: {path: y}\n");
    let problem_text = problem(&stage, USER);
    let words = "line 3, column 3: both config files define a store `b`: rename one of them";
    assert!(problem_text.contains(words), "{problem_text}");
    assert_eq!(stage.list("").code(), "WA-CONFIG-E-001");
    assert_eq!(checked(&stage, PROJECT).1["state"], "valid");
}

#[test]
fn a_store_has_a_folder_of_its_own() {
    let check = |path: &str, words: &str| {
        for whose in [PROJECT, USER] {
            let stage = Stage::new();
            stage.folder("beside/.ai");
            let base = stage.path("").to_str().expect("UTF-8").to_owned();
            let path = path.replace("BASE", base.trim_end_matches('/'));
            stage.file(whose, &format!("stores:\n  a: {{path: \"{path}\"}}\n"));
            let problem_text = problem(&stage, whose);
            assert!(
                problem_text.contains("line 2, column 13: ") && problem_text.contains(words),
                "{path}: {problem_text}"
            );
        }
    };
    let around = "the folder of the store `a` is or contains the project or a space: give the store a folder \
         of its own";
    for path in ["..", "../", "BASE/project", "BASE", "/", "~"] {
        check(path, around);
    }
    let space =
        "the path of the store `a` is a whole space: name a folder in it, such as `./memory`";
    for path in [".", "./", "x/..", "~/.ai", "BASE/project/.ai", "BASE/beside/.ai"] {
        check(path, space);
    }
    let items =
        "the folder of the store `a` is reserved for workspaces or items: choose another folder";
    for path in ["workspaces", "Workspaces/x", "directives", "./tools/x", "knowledge", "lockfiles"]
    {
        check(path, items);
    }
    check("BASE/project/.ai/tools", items);
    check("BASE/beside/.ai/workspaces/x", items);
    check("BASE/beside/.ai/workspaces/x/.ai/memory", items);
    let hidden = "the folder of the store `a` is inside `.git` or inside another folder's space";
    for path in [".git/x", "a/.GIT", "BASE/project/.git/x", "BASE/beside/.Git", "a/.ai/memory"] {
        check(path, hidden);
    }
    let private = "the folder of the store `a` is inside, or contains, the folder for keys, approvals or caches";
    for path in ["~/.config", "~/.config/merestone/keys", "~/.local/state/merestone", "~/.cache"] {
        check(path, private);
    }
    let inexpressible = "the path of the store `a` contains a name that an address cannot express";
    check("a\\u202e", inexpressible);
    check("BASE/project/a\\\\b", inexpressible);
}

#[test]
fn no_store_lies_in_another() {
    let check = |one: &str, other: &str| {
        let stage = Stage::new();
        stage.folder("beside/real/deep");
        stage.link("real", "beside/link");
        let base = stage.path("").to_str().expect("UTF-8").trim_end_matches('/').to_owned();
        let [one, other] = [one, other].map(|path| path.replace("BASE", &base));
        stage.file(USER, &format!("stores:\n  a: {{path: {one}}}\n  b: {{path: {other}}}\n"));
        let problem_text = problem(&stage, USER);
        let words = "line 3, column 13: the folders of the stores `b` and `a` overlap";
        assert!(problem_text.contains(words), "{one} {other}: {problem_text}");
    };
    check("memory", "./memory");
    check("memory", "memory/deep");
    check("memory/deep", "memory");
    check("memory", "~/.ai/memory/deep");
    check("~/notes", "~/notes/new/x");
    check("BASE/beside/real", "BASE/beside/link");
    check("BASE/beside/link/deep", "BASE/beside/real");
    check("BASE/project/.ai/memory", "BASE/project/.ai/memory/x");

    let stage = Stage::new();
    stage.file(PROJECT, "stores: {a: {path: ./memory}}\n");
    let path = stage.path("project/.ai/memory/b");
    stage.file(USER, &format!("stores: {{b: {{path: {}}}}}\n", path.display()));
    assert!(problem(&stage, USER).contains("the folders of the stores `b` and `a` overlap"));

    let stage = Stage::new();
    stage.file(PROJECT, "stores: {a: {path: ./memory}, b: {path: ./memory2}}\n");
    assert_eq!(checked(&stage, PROJECT).0, 0, "a common beginning is no folder");
}

#[test]
fn the_projects_default_counts_before_the_users() {
    let stage = Stage::new();
    stage.file(USER, "settings: {defaultStore: gone}\nstores: {a: {path: a}}\n");
    assert!(problem(&stage, USER).contains("no store is called `gone`"));
    stage.file(PROJECT, "settings: {defaultStore: a}\n");
    assert_eq!(checked(&stage, USER).0, 0);
}

#[test]
fn a_store_that_is_not_configured_is_not_served() {
    let stage = Stage::new();
    for command in [&["call", "--store", "x", "dir"][..], &["mcp", "--store", "x"]] {
        let output = stage.person(command);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert!(text(&output).contains("no store is called `x`; available stores: `memory`"));
    }
    assert_eq!(stage.person(&["call", "--store", "a/b", "dir"]).status.code(), Some(2));
    // With a configuration that cannot be used, every call says that.
    stage.file(PROJECT, "stores: 3\n");
    let mut call = stage.command("project");
    assert_eq!(
        stage.answer(call.args(["call", "--store", "x", "dir", r#"{"command":"list"}"#])).code(),
        "WA-CONFIG-E-001"
    );
}

#[test]
fn the_variable_of_the_mode_is_one_of_three_words() {
    let stage = Stage::new();
    let run = |mode: &str| {
        let mut command = stage.command("project");
        command.env("MERE_CATEGORY_MODE", mode).args(["call", "dir"]).output().expect("runs")
    };
    for mode in ["", "free", "subcategories", "strict"] {
        assert!(run(mode).status.success(), "{mode}");
    }
    for mode in ["Strict", "loose", "strict "] {
        let output = run(mode);
        assert_eq!(output.status.code(), Some(2), "{mode}");
        let words = "`MERE_CATEGORY_MODE` is not a valid mode: a category mode is free, subcategories or strict";
        assert!(text(&output).contains(words), "{}", text(&output));
    }
}

#[test]
fn the_text_beside_a_reply_has_the_format_that_is_set() {
    let stage = Stage::new();
    let text = |stage: &Stage| {
        let result = Mcp::greeted(stage, &[]).tool("dir", &serde_json::json!({ "command": "pwd" }));
        let text = result["content"][0]["text"].as_str().expect("a text").to_owned();
        (text, result["structuredContent"].clone())
    };
    let short = "WA-DIR-S-001 Home is ROOT_PROJECT:/.";
    assert!(text(&stage).0.starts_with(short), "{}", text(&stage).0);
    stage.file(USER, "settings: {outputFormat: json}\n");
    let (reply_text, reply) = text(&stage);
    let reply_text = serde_json::from_str::<Value>(&reply_text).expect("JSON");
    assert_eq!((&reply_text["data"], &reply_text["code"]), (&reply["data"], &reply["code"]));
    stage.file(PROJECT, "settings: {outputFormat: yaml}\n");
    let reply_text = text(&stage).0;
    assert!(reply_text.contains("\ndata:\n  home: \"ROOT_PROJECT:/\"\n"), "{reply_text}");
}

#[test]
fn a_changed_config_counts_from_the_next_call_on() {
    let stage = Stage::new();
    stage.folder("home/notes");
    let mut mcp = Mcp::greeted(&stage, &["--store", "memory"]);
    let list = serde_json::json!({ "command": "list", "path": "mod:notes:/" });
    assert_eq!(mcp.dir(&list)["reply_type"], "I");
    stage.file(USER, "stores: {notes: {path: ~/notes}}\n");
    assert_eq!(mcp.dir(&list)["reply_type"], "S");
}
