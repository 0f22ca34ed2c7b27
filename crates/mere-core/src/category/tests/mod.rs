//! The tables of the specification, cell by cell, against a model of a store.
//!
//! The messages are compared word for word, because people script against them.

mod policies;

use std::collections::BTreeSet;
use std::convert::Infallible;

use super::*;
use crate::item::{Category, ItemId, MemoryPath, MemoryText, NewMemory};

/// The state of a store as a set of paths. The path of a memory ends in `.md`.
#[derive(Default)]
struct Model(BTreeSet<String>);

impl Model {
    fn with(paths: &[&str]) -> Self {
        Self(paths.iter().map(|path| (*path).to_owned()).collect())
    }

    fn below(&self, category: &Category) -> impl Iterator<Item = &str> {
        let prefix = if category.is_empty() { String::new() } else { format!("{category}/") };
        self.0.iter().filter_map(move |path| path.strip_prefix(&prefix)).map(str::trim_end)
    }
}

fn is_memory(path: &str) -> bool {
    path.strip_suffix(".md").is_some()
}

impl StoreView for Model {
    type Error = Infallible;

    fn has_category(&self, category: &Category) -> Result<bool, Infallible> {
        Ok(self.0.contains(category.as_str()))
    }

    fn top_categories(&self) -> Result<Vec<Category>, Infallible> {
        Ok(self
            .0
            .iter()
            .filter_map(|path| path.parse().ok())
            .filter(|one: &Category| one.levels().count() == 1)
            .collect())
    }

    fn count_memories(&self, category: &Category) -> Result<u64, Infallible> {
        Ok(self.below(category).filter(|path| is_memory(path) && !path.contains('/')).count()
            as u64)
    }

    fn contents(&self, category: &Category) -> Result<CategoryContents, Infallible> {
        let (memories, categories): (Vec<_>, Vec<_>) =
            self.below(category).partition(|path| is_memory(path));
        Ok(CategoryContents {
            memories: memories.len() as u64,
            categories: categories.len() as u64,
            ..CategoryContents::default()
        })
    }
}

fn category(path: &str) -> Category {
    path.parse().expect(path)
}

fn defined(path: &str, subcategories: Vec<ConfiguredCategory>) -> ConfiguredCategory {
    ConfiguredCategory {
        category: category(path),
        description: Description::default(),
        policy: MemoryPolicy::default(),
        subcategories,
    }
}

/// Builds the hierarchy of the specification: `standards/{architecture,testing}`, `todo`,
/// `decisions/config`.
fn rules(mode: CategoryMode) -> CategoryRules {
    let standards =
        vec![defined("standards/architecture", vec![]), defined("standards/testing", vec![])];
    let tops = vec![
        defined("standards", standards),
        defined("todo", vec![]),
        defined("decisions", vec![defined("decisions/config", vec![])]),
    ];
    CategoryRules::new(
        CategoryOwner::Store,
        mode,
        Hierarchy { policy: MemoryPolicy::default(), top_categories: tops },
    )
}

fn store() -> Model {
    Model::with(&[
        "standards",
        "standards/architecture",
        "standards/testing",
        "todo",
        "decisions",
        "decisions/config",
        "legacy",
        "legacy/old",
        "legacy/old/x.md",
        "standards/free",
    ])
}

fn change_context() -> ChangeContext {
    ChangeContext { now: "2026-02-17T10:00:00Z".parse().expect("a time"), force: Force::No }
}

fn create(path: &str) -> StoreChange {
    StoreChange::CreateCategory { path: category(path), description: Description::default() }
}

fn delete(path: &str) -> StoreChange {
    StoreChange::DeleteCategory { path: category(path), deletable: DeletableContents::Memories }
}

fn describe(path: &str) -> StoreChange {
    StoreChange::DescribeCategory {
        path: category(path),
        description: "x".parse().expect("a description"),
    }
}

fn note(content: &str) -> MemoryText {
    let slug = "x".parse::<ItemId>().expect("a slug");
    let memory = NewMemory { content: content.to_owned(), ..NewMemory::default() };
    MemoryText::compose(&slug, &memory, change_context().now).expect("a note")
}

fn create_memory(path: &str) -> StoreChange {
    StoreChange::CreateMemory {
        path: path.parse::<MemoryPath>().expect(path),
        memory: note("text"),
    }
}

/// Returns the letter of the reply and its message; `S` for a permit.
fn decide(rules: &CategoryRules, change: StoreChange, store: &Model) -> String {
    match rules.permit(change, store, change_context()) {
        Ok(_) => "S".to_owned(),
        Err(Refusal::Denied(denial)) => format!("D {denial}"),
        Err(Refusal::Invalid(change)) => format!("I {change}"),
        Err(Refusal::Unreadable(never)) => match never {},
    }
}

fn check(row: &str, change: &StoreChange, expected: [&str; 3]) {
    for (mode, expected) in CategoryMode::ALL.into_iter().zip(expected) {
        assert_eq!(decide(&rules(mode), change.clone(), &store()), expected, "{row}, {mode}");
    }
}

const GUIDANCE: &str = "D Cannot create root category 'new-root': store is in 'subcategories' mode. \
    Allowed root categories: standards, todo, decisions, legacy. You may create subcategories under these.";

fn strict(verb: &str, path: &str) -> String {
    format!("D Cannot {verb} category '{path}': store is in 'strict' mode.")
}

#[test]
fn create_category_cell_by_cell() {
    for (row, path, subcategories) in [
        ("root, in config", "standards", "S"),
        ("root, not in config", "new-root", GUIDANCE),
        ("non-root", "standards/new", "S"),
        ("nested, no new root", "standards/a/b/c", "S"),
        ("nested, below one on disk", "legacy/a/b", "S"),
        ("nested, new root", "new-root/sub/deep", GUIDANCE),
        ("below a deep one in config", "decisions/config/d/e", "S"),
    ] {
        check(row, &create(path), ["S", subcategories, &strict("create", path)]);
    }
}

#[test]
fn delete_category_cell_by_cell() {
    for path in ["standards", "standards/architecture", "todo", "decisions", "decisions/config"] {
        let protected = format!(
            "D Cannot delete category '{path}': category is defined in store configuration and is \
             protected. Remove it from config.yaml to allow deletion."
        );
        check("config-defined", &delete(path), [&protected, &protected, &strict("delete", path)]);
    }
    for (row, path) in [
        ("non-config root", "legacy"),
        ("non-config sub", "legacy/old"),
        ("below config", "standards/free"),
    ] {
        check(row, &delete(path), ["S", "S", &strict("delete", path)]);
    }
    let missing = "I Cannot delete category 'nowhere': it does not exist.";
    check("missing", &delete("nowhere"), [missing, missing, &strict("delete", "nowhere")]);
    let full = StoreChange::DeleteCategory {
        path: category("legacy"),
        deletable: DeletableContents::Nothing,
    };
    let counts = "I Cannot delete category 'legacy': it is not empty (1 memory, 1 subcategory). Set \
        `recursive` to delete its contents as well.";
    check("not empty", &full, [counts, counts, &strict("delete", "legacy")]);
}

#[test]
fn set_category_description_cell_by_cell() {
    for path in ["standards", "standards/architecture", "decisions/config"] {
        let protected = format!(
            "D Cannot set description of category '{path}': category is defined in store \
             configuration and is protected. Change it in config.yaml."
        );
        check("config-defined", &describe(path), [&protected; 3]);
    }
    check("non-config", &describe("legacy/old"), ["S"; 3]);
    check(
        "missing",
        &describe("nowhere"),
        ["I Cannot describe category 'nowhere': it does not exist."; 3],
    );
}

#[test]
fn create_memory_cell_by_cell() {
    for path in ["standards/x", "legacy/old/y", "x"] {
        check("category exists", &create_memory(path), ["S"; 3]);
    }
    let missing =
        "I Cannot create memory at 'nonexistent/path': category 'nonexistent' does not exist. ";
    let make = format!("{missing}Create the category first using create_category.");
    let ask = format!("{missing}Ask a person to add it to config.yaml.");
    check("category missing", &create_memory("nonexistent/path"), [&make, &make, &ask]);
    let taken = "I Cannot create memory at 'standards': a category has that name. Add the memory's own \
        name: 'standards/name'.";
    check("named like a category", &create_memory("standards"), [taken; 3]);
}

#[test]
fn a_strict_store_without_categories_takes_none() {
    let rules =
        CategoryRules::new(CategoryOwner::Store, CategoryMode::Strict, Hierarchy::default());
    assert_eq!(decide(&rules, create_memory("x"), &store()), "S");
    assert_eq!(
        decide(&rules, create_memory("legacy/x"), &store()),
        "D Cannot create memory in category 'legacy': store is in 'strict' mode and its \
         configuration names no categories."
    );
    assert!(
        decide(&rules, create_memory("nowhere/x"), &store())
            .ends_with("Ask a person to add it to config.yaml.")
    );
    assert_eq!(decide(&rules, create("a"), &store()), strict("create", "a"));
}

#[test]
fn force_overrides_the_mode_and_never_protection() {
    let asking = ChangeContext { force: Force::Mode, ..change_context() };
    let permits = |change| rules(CategoryMode::Strict).permit(change, &store(), asking).is_ok();
    assert!(permits(create("new-root")) && permits(delete("legacy")));
    assert!(!permits(delete("standards")) && !permits(describe("standards")));
}

#[test]
fn an_environment_makes_a_mode_stricter_only() {
    assert_eq!(
        rules(CategoryMode::Strict).with_mode_at_least(CategoryMode::Free).mode(),
        CategoryMode::Strict
    );
    assert_eq!(
        rules(CategoryMode::Free).with_mode_at_least(CategoryMode::Subcategories).mode(),
        CategoryMode::Subcategories
    );
}

#[test]
fn items_have_the_same_rules() {
    let kind = crate::item::ItemType::Directive;
    let rules = |mode| {
        CategoryRules::new(
            CategoryOwner::Items(kind),
            mode,
            Hierarchy {
                policy: MemoryPolicy::default(),
                top_categories: vec![defined("api", vec![])],
            },
        )
    };
    let admits = |mode, path: &str| rules(mode).check_item_category(&category(path), &store());
    for (mode, expected) in [
        (CategoryMode::Free, [true; 4]),
        (CategoryMode::Subcategories, [true, true, true, false]),
        (CategoryMode::Strict, [true, false, true, false]),
    ] {
        let found =
            ["api", "api/new", "legacy", "new-root/x"].map(|path| admits(mode, path).is_ok());
        assert_eq!(found, expected, "{mode}");
    }
    let Err(Refusal::Denied(denial)) = admits(CategoryMode::Strict, "new") else {
        panic!("it was admitted")
    };
    assert_eq!(
        denial.to_string(),
        "Cannot create category 'new': `directives` is in 'strict' mode."
    );
}

#[test]
fn two_hierarchies_become_one_and_nothing_is_lost() {
    let described = |path: &str, words: &str, below| ConfiguredCategory {
        description: words.parse().expect(words),
        ..defined(path, below)
    };
    let ours = Hierarchy {
        top_categories: vec![
            described("b", "ours", vec![defined("b/x", Vec::new())]),
            defined("a", Vec::new()),
        ],
        ..Hierarchy::default()
    };
    let theirs = Hierarchy {
        top_categories: vec![
            defined("c", Vec::new()),
            described(
                "b",
                "theirs",
                vec![defined("b/y", Vec::new()), described("b/x", "x", Vec::new())],
            ),
        ],
        ..Hierarchy::default()
    };
    let summary = |hierarchy: &Hierarchy| {
        let all = hierarchy.all_categories().into_iter();
        all.map(|one| format!("{} {}", one.category, one.description)).collect::<Vec<_>>()
    };
    assert_eq!(summary(&ours.merge(&theirs)), ["b ours", "b/x x", "b/y ", "a ", "c "]);
    assert_eq!(summary(&ours.merge(&Hierarchy::default())), summary(&ours));
    assert_eq!(summary(&Hierarchy::default().merge(&theirs)), summary(&theirs));
}
