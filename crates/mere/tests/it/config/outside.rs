//! Stores that lie elsewhere: they are extra folders, and a project's wait for a person's trust.

use serde_json::{Value, json};

use crate::config::stores::{PROJECT, USER, checked, problem, serves, stores, text, visible};
use crate::support::harness::Stage;

#[test]
fn a_users_store_elsewhere_is_an_extra_folder() {
    let stage = Stage::new();
    stage.file("home/notes/a.md", "");
    stage.file(USER, "stores: {notes: {path: ~/notes}, inner: {path: memory}}\n");
    assert_eq!(stage.list("mod:notes:/").paths(), ["mod:notes:/a.md"]);
    assert!(!visible(&stage, "mod:inner:/"));
    assert_eq!(stores(&stage), "available stores: `notes`, `inner`");
    let where_ = text(&stage.person(&["where"]));
    assert!(where_.contains("mod:notes:/ is "), "{where_}");
    let off = |arguments: &[&str]| stage.person(&[&["call", "--no-mods"], arguments].concat());
    assert!(!off(&["dir", r#"{"command":"list","path":"mod:notes:/"}"#]).status.success());
    let printed = text(&off(&["--store", "notes", "dir"]));
    assert!(printed.contains("no store is called `notes`; available stores: `inner`"), "{printed}");
    assert!(off(&["--store", "inner", "dir"]).status.success());
}

#[test]
fn a_store_elsewhere_shares_its_namespace_with_extra_folders() {
    for mods in ["{id: m, name: notes, path: .}", "{id: notes, name: m, path: .}"] {
        let stage = Stage::new();
        stage.folder("home/notes");
        stage.file(USER, &format!("mods: [{mods}]\nstores:\n  notes: {{path: ~/notes}}\n"));
        let problem_text = problem(&stage, USER);
        let words = "line 3, column 3: the store `notes` lies outside the project and would be \
                     mounted as `mod:notes`, but an extra folder or the surrounding project \
                     already has that name: rename one of them";
        assert!(problem_text.contains(words), "{problem_text}");
        stage.file(USER, &format!("mods: [{mods}]\nstores:\n  notes: {{path: notes}}\n"));
        assert_eq!(checked(&stage, USER).0, 0, "inside it is no root");
    }
}

#[test]
fn a_store_elsewhere_that_is_not_there_is_told_and_no_root() {
    let stage = Stage::new();
    stage.file("home/file", "");
    stage.file(USER, "stores: {a: {path: ~/none}, b: {path: ~/file}}\n");
    let (status, file) = checked(&stage, USER);
    assert_eq!((status, &file["state"]), (0, &"valid".into()));
    let words = |name| format!("store `{name}` has no folder: create it, or correct `path`");
    assert_eq!(file["warnings"], json!([words("a"), words("b")]));
    assert!(!visible(&stage, "mod:a:/") && !visible(&stage, "mod:b:/"));
    assert!(serves(&stage, "a"), "it is configured all the same");
}

const OUTSIDE: &str = "stores:\n  notes: {path: ../../beside/notes}\n  inner: {path: ./memory}\n";

fn outside() -> Stage {
    let stage = Stage::new();
    stage.file("beside/notes/a.md", "");
    stage.file(PROJECT, OUTSIDE);
    stage
}

#[test]
fn a_projects_store_outside_is_absent_until_a_person_trusts_it() {
    let stage = outside();
    assert!(!visible(&stage, "mod:notes:/"));
    assert_eq!(stores(&stage), "available stores: `inner`");
    let (status, file) = checked(&stage, PROJECT);
    let note = "`stores` outside the project do not take effect until you run `mere \
                trust project`";
    assert_eq!((status, &file["note"]), (0, &note.into()));
    let printed = text(&stage.person(&["where"]));
    assert!(printed.contains("`stores` outside the project in the project's config"), "{printed}");

    let shown = text(&stage.person(&["trust", "project", "--yes"]));
    let beside = stage.path("beside/notes").canonicalize().expect("there");
    let line = format!(
        "mod:notes, where agents store memories (free): ../../beside/notes leads to {}",
        beside.display()
    );
    assert!(shown.contains(&line) && !shown.contains("inner"), "{shown}");
    assert_eq!(stage.list("mod:notes:/").paths(), ["mod:notes:/a.md"]);
    assert_eq!(stores(&stage), "available stores: `notes`, `inner`");
    assert_eq!(checked(&stage, PROJECT).1["note"], Value::Null);

    assert!(stage.person(&["trust", "project", "--revoke"]).status.success());
    assert!(!visible(&stage, "mod:notes:/"));
}

#[test]
fn trust_is_for_exactly_what_the_config_says_of_the_store() {
    let stage = outside();
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    for changed in [
        OUTSIDE.replace("notes:", "others:"),
        OUTSIDE.replace("beside/notes", "beside"),
        OUTSIDE.replace("notes}", "notes, policies: {maxMemories: 1}}"),
        OUTSIDE.replace("notes}", "notes, categoryMode: strict}"),
    ] {
        stage.file(PROJECT, &changed);
        assert!(!visible(&stage, "mod:notes:/") && !visible(&stage, "mod:others:/"), "{changed}");
    }
    // What lies inside widens nothing.
    stage.file(PROJECT, &OUTSIDE.replace("./memory", "./memory, categoryMode: strict"));
    assert!(visible(&stage, "mod:notes:/"));
    // The same words, another folder.
    std::fs::rename(stage.path("beside/notes"), stage.path("beside/old")).expect("moved");
    stage.link("/", "beside/notes");
    assert!(!visible(&stage, "mod:notes:/"));
}

#[test]
fn an_absolute_path_into_the_project_is_inside_it_and_a_link_out_of_it_is_not() {
    let stage = Stage::new();
    stage.link(stage.path("project"), "beside/link");
    stage.link(stage.path("beside"), "project/out");
    let path = |below: &str| stage.path(below).to_str().expect("UTF-8").to_owned();
    for below in ["project/.ai/memory", "project/new/deep", "beside/link/notes"] {
        stage.file(PROJECT, &format!("stores: {{a: {{path: {}}}}}\n", path(below)));
        let (status, file) = checked(&stage, PROJECT);
        assert_eq!((status, &file["note"]), (0, &Value::Null), "{below}");
        assert_eq!(stores(&stage), "available stores: `a`");
    }
    stage.file(PROJECT, &format!("stores: {{a: {{path: {}}}}}\n", path("project/out/notes")));
    assert!(checked(&stage, PROJECT).1["note"].is_string());
    assert!(!serves(&stage, "a"));
    // As it is written it stays inside: it will not be followed.
    stage.file(PROJECT, "stores: {a: {path: ../out/notes, categoryMode: strict}}\n");
    assert_eq!(checked(&stage, PROJECT).1["note"], Value::Null);
}

#[test]
fn what_could_not_count_does_no_harm_and_cannot_be_trusted() {
    for (path, words) in [
        ("/", "is or contains the project"),
        ("../../home/.config", "is inside, or contains, the folder for keys"),
        ("../../beside/.git", "is inside `.git`"),
    ] {
        let stage = Stage::new();
        stage.file(PROJECT, &format!("stores: {{a: {{path: {path}}}}}\n"));
        assert_eq!(stage.list("").status, 0, "{path}");
        assert!(problem(&stage, PROJECT).contains(words), "{path}");
        let refused = stage.person(&["trust", "project", "--yes"]);
        assert_eq!(refused.status.code(), Some(4), "{path}");
        assert!(text(&refused).contains(words), "{}", text(&refused));
    }
    let stage = outside();
    stage.file(USER, "stores: {notes: {path: memory}}\n");
    assert_eq!((stage.list("").status, checked(&stage, USER).0), (0, 0));
    let refused = stage.person(&["trust", "project", "--yes"]);
    assert!(text(&refused).contains("both config files define a store `notes`"));
}

#[test]
fn a_default_that_awaits_trust_is_no_mistake() {
    let stage = outside();
    stage.file(PROJECT, &format!("settings: {{defaultStore: notes}}\n{OUTSIDE}"));
    assert_eq!((stage.list("").status, checked(&stage, PROJECT).0), (0, 0));
}
