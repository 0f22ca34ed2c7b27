//! Extra folders: the user's count, a project's only after a person said so.

use serde_json::json;

use crate::support::harness::Stage;

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
    off.args(["call", "--no-mods", "dir", r#"{"command":"list","path":"mod:notes:/"}"#]);
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
    let shown = stage.person(&["trust", "project", "--yes"]);
    let words = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.status.success() && words.contains("../../beside"), "{words}");
    assert_eq!(stage.list("mod:docs:/").paths(), ["mod:docs:/guide.md"]);
    let again = stage.person(&["trust", "project", "--yes"]);
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
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    let record = "home/.local/state/merestone/trusted-projects.json";
    stage.file(record, "{\"records\": [");
    assert!(!visible(&stage, "mod:docs:/"));
    let again = stage.person(&["trust", "project", "--yes"]);
    assert_eq!(again.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&again.stderr).contains("damaged"));
    let kept = std::fs::read_to_string(stage.path(record)).expect("still there");
    assert_eq!(kept, "{\"records\": [");
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
        command.args(["trust", "project", "--yes"]).stdout(std::process::Stdio::null());
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
        let words = "ROOT_USER:/config.yaml uses `x`, which is already the name or id of another extra \
                     folder.";
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
    check("mods:\n  - {id: \"a b\", name: x, path: .}\n", "line 2, column 10");
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

#[test]
fn what_could_not_count_cannot_be_trusted() {
    let refuses = |config: &str, words: &str| {
        let stage = stage(config);
        stage.file("home/.ai/config.yaml", "mods: [{id: u1, name: docs, path: .}]\n");
        let output = stage.person(&["trust", "project", "--yes"]);
        assert_eq!(output.status.code(), Some(4), "{config}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(stderr.contains(words), "{stderr}");
        assert!(!stage.path("home/.local/state/merestone").exists(), "nothing was recorded");
    };
    refuses(DOCS, "uses the name or id `docs`, which another extra folder already has");
    refuses(
        "mods: [{id: a, name: b, path: ~}]\n",
        "ROOT_PROJECT:/.ai/config.yaml is not valid at line 1",
    );
    refuses("mods: nonsense\n", "is not valid at line 1");
}

#[test]
fn nothing_to_trust_and_nothing_to_take_back_are_said() {
    for config in ["", "mods: []\n", "mods:\n"] {
        let stage = stage(config);
        let output = stage.person(&["trust", "project", "--yes"]);
        assert!(String::from_utf8_lossy(&output.stdout).contains("nothing to trust"), "{config:?}");
        let back = stage.person(&["trust", "project", "--revoke"]);
        assert_eq!(String::from_utf8_lossy(&back.stdout), "There was nothing to revoke.\n");
    }
    let stage = stage(DOCS);
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    stage.file("project/.ai/config.yaml", "mods: [broken\n");
    let back = stage.person(&["trust", "project", "--revoke"]);
    assert_eq!(String::from_utf8_lossy(&back.stdout), "Trust revoked.\n");
}

#[test]
fn trust_shows_where_a_folder_leads_and_escapes_what_does_not_show() {
    let stage = stage("mods: [{id: d1, name: docs, path: \"../../beside/\\u202E.\"}]\n");
    let printed =
        String::from_utf8_lossy(&stage.person(&["trust", "project", "--yes"]).stdout).into_owned();
    assert!(
        printed.contains("mod:docs (id d1): ../../beside/\\u{202e}. leads to nothing"),
        "{printed}"
    );
    let stage = crate::paths::mods::stage(DOCS);
    let printed =
        String::from_utf8_lossy(&stage.person(&["trust", "project", "--yes"]).stdout).into_owned();
    let beside = stage.path("beside").canonicalize().expect("there");
    assert!(printed.contains(&format!("../../beside leads to {}", beside.display())), "{printed}");
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    let answer = |text: &str| {
        let stage = stage(DOCS);
        let mere = env!("CARGO_BIN_EXE_mere");
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &format!("{mere} trust project"), "/dev/null"]);
        command.env_clear().env("HOME", stage.path("home")).env("SHELL", "/bin/sh");
        command.env("PATH", "/usr/bin:/bin").current_dir(stage.path("project"));
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().expect("script runs");
        let mut input = child.stdin.take().expect("its input");
        std::io::Write::write_all(&mut input, text.as_bytes()).expect("typed");
        let printed = child.wait_with_output().expect("it ends").stdout;
        let printed = String::from_utf8_lossy(&printed).into_owned();
        assert!(printed.contains("Trust exactly this? [y/N]"), "{printed}");
        visible(&stage, "mod:docs:/")
    };
    assert!(answer("y\n"));
    assert!(!answer("n\n"));
    assert!(!answer("\n"));
}

#[test]
fn a_trusted_folder_that_leads_elsewhere_must_be_trusted_again() {
    let stage = stage("mods: [{id: d1, name: docs, path: ../docs}]\n");
    stage.file("project/docs/a.md", "");
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    assert_eq!(stage.list("mod:docs:/").paths(), ["mod:docs:/a.md"]);
    std::fs::rename(stage.path("project/docs"), stage.path("project/old")).expect("moved");
    stage.link("/", "project/docs");
    assert!(!visible(&stage, "mod:docs:/"));
    assert!(!visible(&stage, "mod:docs:/etc"));
}

#[test]
fn values_that_yaml_reads_alike_are_not_the_same_key() {
    for (trusted, swapped) in [("16", "0x10"), ("16", "0o20"), ("1.0", "1.00"), ("1e1", "10.0")] {
        let config = |path: &str| format!("mods: [{{id: d1, name: docs, path: {path}}}]\n");
        let stage = stage(&config(trusted));
        stage.folder(&format!("project/.ai/{trusted}"));
        stage.link("/", &format!("project/.ai/{swapped}"));
        assert!(stage.person(&["trust", "project", "--yes"]).status.success(), "{trusted}");
        assert!(visible(&stage, "mod:docs:/"), "{trusted}");
        stage.file("project/.ai/config.yaml", &config(swapped));
        assert!(!visible(&stage, "mod:docs:/"), "{swapped}");
    }
}

#[test]
fn taking_back_covers_whatever_the_space_calls_itself() {
    let stage = stage(DOCS);
    let call_it = |id: &str| {
        stage.file("project/.ai/space.json", &format!("{{\"format\":1,\"space_id\":\"{id}\"}}"));
    };
    call_it("a");
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    call_it("b");
    assert!(stage.person(&["trust", "project", "--revoke"]).status.success());
    call_it("a");
    assert!(!visible(&stage, "mod:docs:/"));
}

#[test]
fn keys_of_the_contract_that_widen_count_for_nothing_in_a_project() {
    let stage = stage(
        "mods: [{id: a, name: a, path: /}]\nvisible: [\"*\"]\nstores: {x: {path: /}}\nagents: {}\n\
         registry: {url: x}\nprojects: [\"*\"]\nfolders: {}\nsandbox: none\ngrants: []\n",
    );
    assert_eq!(stage.list("").status, 0);
    assert!(!visible(&stage, "mod:a:/"));
}

#[test]
fn a_home_folder_under_version_control_has_one_config() {
    let stage = Stage::new();
    stage.folder("home/.git");
    stage.file("home/notes/a.md", "");
    stage.file("home/.ai/config.yaml", "mods: [{id: n, name: notes, path: ~/notes}]\n");
    let mut command = stage.command("home");
    command.args(["call", "dir", r#"{"command":"list","path":"mod:notes:/"}"#]);
    assert_eq!(stage.answer(&mut command).paths(), ["mod:notes:/a.md"]);
}

#[test]
fn nobody_to_ask_is_a_no() {
    let stage = stage(DOCS);
    let mut command = stage.command("project");
    command.args(["trust", "project"]).stdin(std::process::Stdio::null());
    assert_eq!(command.output().expect("runs").status.code(), Some(1));
    assert!(!visible(&stage, "mod:docs:/"));
}
