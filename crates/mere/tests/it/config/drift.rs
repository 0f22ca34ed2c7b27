//! `mere config check` where disk and configuration differ.

use crate::config::stores::{PROJECT, USER, checked, text};
use crate::support::harness::Stage;

/// The warnings about a file.
fn warnings(stage: &Stage, whose: &str) -> Vec<String> {
    let (status, file) = checked(stage, whose);
    assert_eq!(status, 0, "{file}");
    let warnings = file["warnings"].as_array().cloned().unwrap_or_default();
    warnings.iter().map(|one| one.as_str().expect("words").to_owned()).collect()
}

#[test]
fn a_check_warns_where_disk_and_config_differ() {
    let stage = Stage::new();
    let config = |mode: &str| {
        stage.file(
            PROJECT,
            &format!(
                "stores:\n  a:\n    path: ./memory\n    categoryMode: {mode}\n    categories:\n      \
                 todo: {{}}\n      standards: {{subcategories: {{testing: }}}}\n"
            ),
        );
    };
    config("free");
    let missing = |path: &str| {
        format!(
            "store `a`: category `{path}` is in the config but not on disk: run `mere store sync`"
        )
    };
    let all = [missing("todo"), missing("standards"), missing("standards/testing")];
    assert_eq!(warnings(&stage, PROJECT), all);
    for folder in ["todo", "standards/testing", "old/deep", "ancient", ".git", "Not-A-Category"] {
        stage.folder(&format!("project/.ai/memory/{folder}"));
    }
    stage.file("project/.ai/memory/loose.md", "");
    let stray =
        "store `a`: the folder `Not-A-Category` is not a category, because its name is not \
                 a valid category: run `mere store rename Not-A-Category not-a-category`"
            .to_owned();
    assert_eq!(warnings(&stage, PROJECT), [stray.as_str()]);
    let unnamed =
        |path: &str| format!("store `a`: category `{path}` is on disk but not in the config");
    for mode in ["subcategories", "strict"] {
        config(mode);
        // Such a category is made only if a person insists, so the command does.
        let stray = stray.replace("not-a-category`", "not-a-category --force`");
        let all = [unnamed("ancient"), unnamed("old"), stray];
        assert_eq!(warnings(&stage, PROJECT), all, "{mode}");
    }
    let printed = text(&stage.person(&["config", "check"]));
    assert!(printed.contains("  note: store `a`: category `old` is on disk"), "{printed}");
    let printed = text(&stage.person(&["doctor"]));
    assert!(printed.contains("category `old` is on disk but not in the config"), "{printed}");
}

#[test]
fn a_check_warns_of_items_too_and_not_without_end() {
    let stage = Stage::new();
    stage
        .file(USER, "items: {directives: {categoryMode: subcategories, categories: {mine: {}}}}\n");
    stage.file(
        PROJECT,
        "items: {directives: {categories: {release: {}}}, tools: {categories: {a: }}}\n",
    );
    stage.folder("project/.ai/directives/mine");
    stage.folder("project/.ai/directives/old");
    stage.file("project/.ai/directives/skill/SKILL.md", "");
    let missing = |kind: &str, path: &str| {
        format!(
            "`{kind}`: category `{path}` is in the config but not on disk: run `mere store sync`"
        )
    };
    let old = "`directives`: category `old` is on disk but not in the config".to_owned();
    let expected = [missing("directives", "release"), old, missing("tools", "a")];
    assert_eq!(warnings(&stage, PROJECT), expected);
    assert_eq!(warnings(&stage, USER), [missing("directives", "mine")]);

    let many = (0..80).map(|n| format!("c{n}: {{}}")).collect::<Vec<_>>().join(", ");
    stage.file(PROJECT, &format!("stores: {{a: {{path: ./memory, categories: {{{many}}}}}}}\n"));
    let warnings = warnings(&stage, PROJECT);
    assert_eq!(warnings.len(), 51);
    assert_eq!(warnings.last().map(String::as_str), Some("and 32 more differences"));
}

#[test]
fn the_variable_makes_every_hierarchy_stricter_and_none_looser() {
    let stage = Stage::new();
    for folder in ["memory/todo", "knowledge/api"] {
        stage.folder(&format!("project/.ai/{folder}"));
    }
    let warning_count = |mode: &str| {
        let mut command = stage.command("project");
        command.env("MERE_CATEGORY_MODE", mode).args(["config", "check"]);
        text(&command.output().expect("mere runs")).matches("is on disk but not in the").count()
    };
    assert_eq!(["", "free", "subcategories", "strict"].map(warning_count), [0, 0, 2, 2]);
    let strict = "stores: {a: {path: ./memory, categoryMode: strict}}\n\
                  items: {knowledge: {categoryMode: strict}}\n";
    stage.file(PROJECT, strict);
    assert_eq!(["", "free", "subcategories", "strict"].map(warning_count), [2, 2, 2, 2]);
}
