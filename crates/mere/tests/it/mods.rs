//! Extra folders: the user's count, a project's only after a person said so.

use serde_json::json;

use crate::harness::Stage;

const DOCS: &str = "mods:\n  - {id: d1, name: docs, path: ../../beside}\n";

fn stage(config: &str) -> Stage {
    let stage = Stage::new();
    stage.file("beside/guide.md", "");
    stage.file("project/.ai/config.yaml", config);
    stage
}

fn visible(stage: &Stage, root: &str) -> bool {
    stage.list(root).status == 0
}

#[test]
fn the_users_extra_folders_answer_to_name_and_id_and_print_the_name() {
    let stage = Stage::new();
    stage.file("home/notes/a.md", "");
    stage.file("home/.ai/config.yaml", "mods:\n  - id: n1\n    name: notes\n    path: ~/notes\n");
    for root in ["mod:notes:/", "mod:n1:/"] {
        let answer = stage.list(root);
        assert_eq!(answer.paths(), ["mod:notes:/a.md"], "{root}");
        assert_eq!(answer.reply["data"]["target"], "mod:notes:/");
    }
    let cd = stage.call(&json!({ "command": "cd", "path": "mod:n1" }));
    assert_eq!(cd.reply["data"]["root"], "mod:notes");
    let mut off = stage.command("project");
    off.args(["--no-mods", "call", "dir", r#"{"command":"list","path":"mod:notes:/"}"#]);
    assert_eq!(stage.answer(&mut off).code(), "WA-PATH-I-001");
}

#[test]
fn a_repository_cannot_widen_the_world_by_itself() {
    for path in ["~", "\"~\"", "/", "..", "../..", "../../beside", "/etc"] {
        let stage = stage(&format!("mods:\n  - {{id: a, name: evil, path: {path}}}\n"));
        let without = Stage::new();
        for root in ["mod:evil:/", "mod:a:/", "mod:evil:/etc"] {
            assert_eq!(stage.list(root).timeless(), without.list(root).timeless(), "{path}");
        }
        assert_eq!(stage.list("").status, 0, "{path}");
    }
}

#[test]
fn trust_counts_for_exactly_these_keys_in_exactly_this_folder() {
    let stage = stage(DOCS);
    assert!(!visible(&stage, "mod:docs:/"));
    let shown = stage.person(&["trust", "project"]);
    let words = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.status.success() && words.contains("../../beside"), "{words}");
    assert_eq!(stage.list("mod:docs:/").paths(), ["mod:docs:/guide.md"]);
    let again = stage.person(&["trust", "project"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("already"));

    stage.file("project/.ai/config.yaml", &DOCS.replace("docs", "docs2"));
    assert!(!visible(&stage, "mod:docs2:/") && !visible(&stage, "mod:docs:/"), "a changed key");
    stage.file("project/.ai/config.yaml", DOCS);
    assert!(visible(&stage, "mod:docs:/"), "the trusted keys again");

    stage.file("project/.ai/space.json", r#"{"format":1,"space_id":"other","name":"x"}"#);
    assert!(!visible(&stage, "mod:docs:/"), "another space id");
    std::fs::remove_file(stage.path("project/.ai/space.json")).expect("removed");

    stage.folder("copy/.git");
    stage.file("copy/.ai/config.yaml", DOCS);
    let mut copy = stage.command("copy");
    copy.args(["call", "dir", r#"{"command":"list","path":"mod:docs:/"}"#]);
    assert_eq!(stage.answer(&mut copy).code(), "WA-PATH-I-001", "a copy elsewhere");

    assert!(stage.person(&["trust", "project", "--revoke"]).status.success());
    assert!(!visible(&stage, "mod:docs:/"), "revoked");
}

#[test]
fn a_damaged_record_trusts_nothing_and_is_not_overwritten() {
    let stage = stage(DOCS);
    assert!(stage.person(&["trust", "project"]).status.success());
    let record = "home/.local/state/merestone/trusted-projects.json";
    stage.file(record, "{\"projects\": [");
    assert!(!visible(&stage, "mod:docs:/"));
    let again = stage.person(&["trust", "project"]);
    assert_eq!(again.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&again.stderr).contains("damaged"));
    let kept = std::fs::read_to_string(stage.path(record)).expect("still there");
    assert_eq!(kept, "{\"projects\": [");
}

#[test]
fn trusting_many_projects_at_once_loses_none() {
    let stage = Stage::new();
    let names = (0..12).map(|n| format!("many/p{n}")).collect::<Vec<_>>();
    for name in &names {
        stage.folder(&format!("{name}/.git"));
        stage.file(&format!("{name}/.ai/config.yaml"), "mods: [{id: a, name: a, path: .}]\n");
    }
    let children = names.iter().map(|name| {
        let mut command = stage.command(name);
        command.args(["trust", "project"]).stdout(std::process::Stdio::null());
        command.spawn().expect("mere runs")
    });
    for mut child in children.collect::<Vec<_>>() {
        assert!(child.wait().expect("it ends").success());
    }
    for name in &names {
        let mut command = stage.command(name);
        command.args(["call", "dir", r#"{"command":"list","path":"mod:a:/"}"#]);
        assert_eq!(stage.answer(&mut command).status, 0, "{name}");
    }
}

#[test]
fn a_clash_of_names_is_a_config_error() {
    for mods in [
        "[{id: a, name: x, path: .}, {id: b, name: x, path: .}]",
        "[{id: a, name: x, path: .}, {id: x, name: y, path: .}]",
    ] {
        let stage = Stage::new();
        stage.file("home/.ai/config.yaml", &format!("mods: {mods}\n"));
        let answer = stage.list("");
        assert_eq!((answer.code(), answer.status), ("WA-CONFIG-E-001", 4));
        let words = "ROOT_USER:/config.yaml uses the name or id `x` for two extra folders.";
        assert_eq!(answer.reply["message"], words);
    }
}

#[test]
fn a_broken_config_is_an_error_with_its_place_and_none_of_its_words() {
    let check = |text: &str, place: &str| {
        let stage = Stage::new();
        stage.file("home/.ai/config.yaml", text);
        let answer = stage.list("");
        assert_eq!((answer.code(), answer.status), ("WA-CONFIG-E-001", 4), "{text}");
        let message = answer.reply["message"].as_str().expect("words").to_owned();
        assert_eq!(message, format!("ROOT_USER:/config.yaml is not valid at {place}."), "{text}");
    };
    check("mods: []\nsecret_key: x\n", "line 2, column 1");
    check("mods:\n  - {id: a, name: x, path: ~}\n", "line 2, column 28");
    check("mods:\n  - {id: \"a b\", name: x, path: .}\n", "line 2, column 11");
    check("mods: []\nmods: []\n", "line 2, column 1");
    check("mods: &a []\n", "line 1, column 10");
    check("mods: [\n", "line 1, column 7");
}

#[test]
fn an_empty_config_is_a_config() {
    for text in ["", "# nothing\n", "mods:\n", "mods: []\n", "{}\n"] {
        let stage = Stage::new();
        stage.file("home/.ai/config.yaml", text);
        stage.file("project/.ai/config.yaml", text);
        assert_eq!(stage.list("").status, 0, "{text:?}");
    }
}

#[test]
fn an_extra_folder_that_is_missing_or_private_does_not_stand() {
    let mut stage = Stage::new();
    stage.file("private/keys/key", "");
    stage.variable("MERE_CONFIG_DIR", "private");
    let path = |below: &str| stage.path(below).to_str().expect("UTF-8").to_owned();
    let mods = [("a", path("nowhere")), ("b", path("private")), ("c", path("private/keys"))];
    let mods = mods.map(|(name, path)| format!("  - {{id: {name}, name: {name}, path: {path}}}\n"));
    stage.file("home/.ai/config.yaml", &format!("mods:\n{}", mods.concat()));
    for root in ["mod:a:/", "mod:b:/", "mod:c:/"] {
        assert_eq!(stage.list(root).code(), "WA-PATH-I-001", "{root}");
    }
}
