//! The tables of the design, cell by cell: each scenario in each mode, by each way in. A cell says
//! what is answered, word for word, and what becomes of the disk.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::store_fixture::{
    MODES, STORE, Surface, configured, cortex, difference, disk, outcome, text,
};

/// What a call comes to in one mode.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    outcome: [String; 3],
    /// Categories that are made, and files.
    new: Vec<String>,
    /// What goes, or is another afterwards.
    gone: Vec<String>,
}

impl Cell {
    pub(crate) fn new(kind: &str, code: &str, message: &str) -> Self {
        let outcome = [kind, code, message].map(str::to_owned);
        Self { outcome, new: Vec::new(), gone: Vec::new() }
    }

    /// These categories are made, each with its file.
    pub(crate) fn makes(self, categories: &[&str]) -> Self {
        let new = categories.iter().flat_map(|category| {
            [format!("{STORE}/{category}"), format!("{STORE}/{category}/.category.yaml")]
        });
        Self { new: new.collect(), ..self }
    }

    /// This file is made.
    pub(crate) fn adds(self, file: &str) -> Self {
        Self { new: vec![format!("{STORE}/{file}")], ..self }
    }

    /// These paths go, or are something else.
    pub(crate) fn touches(self, paths: &[&str]) -> Self {
        let gone = paths.iter().map(|path| format!("{STORE}/{path}"));
        Self { gone: gone.collect(), ..self }
    }
}

/// A line of a table: what is there, what is asked, and what it comes to in each mode.
pub(crate) struct Row {
    pub(crate) case: &'static str,
    pub(crate) there: fn(&Stage),
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
    pub(crate) cells: [Cell; 3],
}

/// Checks each cell of a row by each way in.
pub(crate) fn check(row: &Row) {
    for (mode, cell) in MODES.into_iter().zip(&row.cells) {
        for surface in Surface::ALL {
            let stage = configured(&cortex(mode));
            (row.there)(&stage);
            let case = format!("{}, {mode}, {surface:?}", row.case);
            let before = disk(&stage);
            let reply = surface.ask(&stage, row.tool, &row.arguments);
            assert_eq!(outcome(&reply), cell.outcome.each_ref().map(String::as_str), "{case}");
            let (new, gone) = difference(&before, &disk(&stage));
            assert_eq!((&new, &gone), (&cell.new, &cell.gone), "{case}");
            if surface == Surface::Mcp {
                check_registered(&stage, mode, &case);
            }
        }
    }
}

/// In `strict` two tools are not there, and all others are in every mode.
fn check_registered(stage: &Stage, mode: &str, case: &str) {
    let tools = Mcp::greeted(stage, &[]).request("tools/list", &json!({}));
    let tools = tools["result"]["tools"].as_array().expect("tools");
    let is_listed = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    for name in ["create_category", "delete_category"] {
        assert_eq!(is_listed(name), mode != "strict", "{case}: {name}");
    }
    for name in ["set_category_description", "create_memory", "list_stores", "list_memories"] {
        assert!(is_listed(name), "{case}: {name}");
    }
}

fn nothing(_: &Stage) {}

/// A category that no configuration names, and one in a category that it does name.
fn legacy(stage: &Stage) {
    stage.folder(&format!("{STORE}/legacy"));
    stage.file(&format!("{STORE}/standards/extra/.category.yaml"), "description: \"More\"\n");
}

pub(crate) fn made(category: &str) -> Cell {
    Cell::new("S", "IT-CATEGORY-S-001", &format!("The category '{category}' was created."))
}

fn there(category: &str) -> Cell {
    Cell::new("S", "IT-CATEGORY-S-002", &format!("The category '{category}' already exists."))
}

pub(crate) fn no_create(category: &str) -> Cell {
    let message = format!("Cannot create category '{category}': store is in 'strict' mode.");
    Cell::new("D", "EN-CATEGORY-D-002", &message)
}

pub(crate) fn no_root(root: &str, allowed: &str) -> Cell {
    let message = format!(
        "Cannot create root category '{root}': store is in 'subcategories' mode. Allowed root \
         categories: {allowed}. You may create subcategories under these."
    );
    Cell::new("D", "EN-CATEGORY-D-001", &message)
}

const ROOTS: &str = "standards, todo, decisions";

#[test]
fn create_category() {
    let row = |case, path: &str, cells| {
        check(&Row {
            case,
            there: nothing,
            tool: "create_category",
            arguments: json!({ "path": path }),
            cells,
        });
    };
    let strict = no_create;
    row("a root of the config", "todo", [there("todo"), there("todo"), strict("todo")]);
    let [config, deep] = ["decisions/config", "standards/deep/er"];
    row("a category of the config", config, [there(config), there(config), strict(config)]);
    row(
        "a root that is not in the config",
        "new-root",
        [made("new-root").makes(&["new-root"]), no_root("new-root", ROOTS), strict("new-root")],
    );
    let below = made("todo/late").makes(&["todo/late"]);
    row("no root", "todo/late", [below.clone(), below, strict("todo/late")]);
    let nested = made(deep).makes(&["standards/deep", deep]);
    row("a nested path without a new root", deep, [nested.clone(), nested, strict(deep)]);
    let path = "new-root/sub/deep";
    let free = made(path).makes(&["new-root", "new-root/sub", path]);
    let cells = [free, no_root("new-root", ROOTS), strict(path)];
    row("a nested path with a new root", path, cells);
}

pub(crate) fn deleted(category: &str) -> Cell {
    Cell::new("S", "IT-CATEGORY-S-003", &format!("The category '{category}' was deleted."))
}

fn no_delete(category: &str) -> Cell {
    let message = format!("Cannot delete category '{category}': store is in 'strict' mode.");
    Cell::new("D", "EN-CATEGORY-D-003", &message)
}

pub(crate) fn protected(category: &str) -> Cell {
    let message = format!(
        "Cannot delete category '{category}': category is defined in store configuration and is \
         protected. Remove it from config.yaml to allow deletion."
    );
    Cell::new("D", "EN-CATEGORY-D-004", &message)
}

#[test]
fn delete_category() {
    let row = |case, path: &str, is_recursive: bool, cells| {
        check(&Row {
            case,
            there: legacy,
            tool: "delete_category",
            arguments: json!({ "path": path, "recursive": is_recursive }),
            cells,
        });
    };
    for path in ["standards", "standards/architecture", "todo", "decisions", "decisions/config"] {
        for is_recursive in [false, true] {
            let cells = [protected(path), protected(path), no_delete(path)];
            row("a category of the config", path, is_recursive, cells);
        }
    }
    let root = deleted("legacy").touches(&["legacy"]);
    row("a root of no config", "legacy", false, [root.clone(), root, no_delete("legacy")]);
    let extra = "standards/extra";
    let below = deleted(extra).touches(&[extra, "standards/extra/.category.yaml"]);
    row("a subcategory of no config", extra, false, [below.clone(), below, no_delete(extra)]);
}

fn fixed(category: &str) -> Cell {
    let message = format!(
        "Cannot set description of category '{category}': category is defined in store \
         configuration and is protected. Change it in config.yaml."
    );
    Cell::new("D", "EN-CATEGORY-D-005", &message)
}

fn described(category: &str) -> Cell {
    let message = format!("The description of the category '{category}' was changed.");
    Cell::new("S", "IT-CATEGORY-S-004", &message)
}

#[test]
fn set_category_description() {
    let row = |case, path: &str, cell: &Cell| {
        check(&Row {
            case,
            there: legacy,
            tool: "set_category_description",
            arguments: json!({ "path": path, "description": "Another" }),
            cells: [cell.clone(), cell.clone(), cell.clone()],
        });
    };
    for path in ["standards", "standards/testing", "todo", "decisions", "decisions/config"] {
        row("a category of the config", path, &fixed(path));
    }
    row("a root of no config", "legacy", &described("legacy").adds("legacy/.category.yaml"));
    let extra = described("standards/extra").touches(&["standards/extra/.category.yaml"]);
    row("a subcategory of no config", "standards/extra", &extra);
}

fn kept(path: &str) -> Cell {
    let cell = Cell::new("S", "IT-MEMORY-S-001", &format!("The memory '{path}' was created."));
    cell.adds(&format!("{path}.md"))
}

pub(crate) fn no_category(path: &str, category: &str, remedy: &str) -> Cell {
    let message =
        format!("Cannot create memory at '{path}': category '{category}' does not exist. {remedy}");
    Cell::new("I", "IT-MEMORY-I-004", &message)
}

pub(crate) const CREATE: &str = "Create the category first using create_category.";
pub(crate) const ASK: &str = "Ask a person to add it to config.yaml.";

#[test]
fn create_memory() {
    let row = |case, path: &str, cells| {
        check(&Row {
            case,
            there: legacy,
            tool: "create_memory",
            arguments: json!({ "path": path, "content": "# One\n" }),
            cells,
        });
    };
    for path in
        ["todo/one", "decisions/config/one", "legacy/one", "standards/extra/one", "no-category"]
    {
        row("the category is there", path, [kept(path), kept(path), kept(path)]);
    }
    for (path, category) in [
        ("nonexistent/path", "nonexistent"),
        ("todo/missing/one", "todo/missing"),
        ("nonexistent/sub/one", "nonexistent/sub"),
    ] {
        let missing = |remedy| no_category(path, category, remedy);
        let cells = [missing(CREATE), missing(CREATE), missing(ASK)];
        row("the category is missing", path, cells);
    }
}

#[test]
fn a_new_category_says_what_it_is_for_in_its_own_file() {
    for surface in Surface::ALL {
        let stage = configured(&cortex("free"));
        let arguments = json!({ "path": "a/b", "description": "Yes: \"so\"\nand # so" });
        let data = surface.done(&stage, "create_category", &arguments);
        let expected = json!({
            "store": "cortex", "path": "a/b", "description": "Yes: \"so\"\nand # so", "created": true
        });
        assert_eq!(data, expected, "{surface:?}");
        let label = |path: &str| text(&stage, &format!("{STORE}/{path}/.category.yaml"));
        assert_eq!(label("a"), "description: \"\"\n", "{surface:?}");
        assert_eq!(label("a/b"), "description: \"Yes: \\\"so\\\"\\nand # so\"\n", "{surface:?}");
        let gone = surface.done(&stage, "delete_category", &json!({ "path": "a/b" }));
        let expected =
            json!({ "store": "cortex", "path": "a/b", "description": "", "deleted": true });
        assert_eq!(gone, expected, "{surface:?}");
    }
}
