//! Installing, updating and withdrawing: what is written, and what is refused.

use std::time::Duration;

use serde_json::Value;

use super::fixture::{Neighbours, Person};
use crate::support::harness::Stage;
use crate::support::repository::Repository;
use crate::support::typist::Typist;

#[test]
fn an_unknown_author_is_trusted_only_after_a_yes_at_a_terminal() {
    let Neighbours { registry, author, .. } = Neighbours::new();
    author.publish_note("style", "1.0.0", "one");
    let reader = Person::new();
    reader.log_in(&registry.url, &registry.log_key, None);
    let refused = reader.reply(&["pull", "note", "acme/style"]);
    assert_eq!(refused["code"], "EN-PULL-D-001", "{refused}");
    let key = author.print(&["keys", "export"]);
    assert_eq!(refused["data"]["key"], key.trim(), "{refused}");
    let fingerprint = refused["data"]["fingerprint"].as_str().expect("a fingerprint").to_owned();
    for (answer, is_installed) in [("n", false), ("y", true)] {
        let mut typist = Typist::start(&reader.stage, "pull note acme/style");
        typist.wait_for(&fingerprint);
        typist.answer("Trust everything that this key signs, in all your projects?", answer);
        let (_, said) = typist.finish();
        assert_eq!(said.contains(" is trusted for everything."), is_installed, "{said}");
        assert_eq!(reader.installed_note("style").is_some(), is_installed, "{answer}");
    }
}

#[test]
fn nobody_without_a_key_is_asked_to_trust_an_author() {
    let Neighbours { registry, author, .. } = Neighbours::new();
    author.publish_note("style", "1.0.0", "one");
    let reader = Person { stage: Stage::new() };
    reader.log_in(&registry.url, &registry.log_key, None);
    let mut typist = Typist::start(&reader.stage, "pull note acme/style");
    typist.wait_for("You have no key");
    typist.wait_for("mere keys generate");
    assert_eq!(typist.finish().0, 1);
    assert_eq!(reader.code(&["pull", "note", "acme/style"]), "IT-KEY-I-001");
    assert_eq!(reader.reply(&["trust", "list"])["data"]["keys"], serde_json::json!([]));
}

#[test]
fn the_first_tool_that_is_installed_in_a_project_is_pinned() {
    let Neighbours { registry, author, .. } = Neighbours::new();
    publish_chain(&author, "1.0.0", &[("greeter.sh", "echo one\n")]);
    let reader = Person { stage: Repository::new().stage };
    reader.make_key();
    reader.trust(&author);
    reader.log_in(&registry.url, &registry.log_key, None);
    let pulled = reader.reply(&["pull", "tool", "acme/greeter"]);
    assert_eq!((&pulled["code"], &pulled["hint"]), (&"RG-PULL-S-001".into(), &Value::Null));
    assert_eq!(reader.reply(&["lock", "--check"])["data"]["checked"], 1);
    reader.print(&["run", "greeter", "--locked"]);
    // What was signed stays as it is in git.
    let attributes = std::fs::read_to_string(reader.stage.path("project/.gitattributes"));
    assert_eq!(attributes.expect("attributes"), ".ai/** -text\n");
}

#[test]
fn a_newer_version_is_told_and_installed() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "one");
    reader.print(&["pull", "note", "acme/style"]);
    assert_eq!(reader.code(&["pull", "note", "acme/style"]), "RG-PULL-S-002");
    author.publish_note("style", "1.1.0", "two");
    let outdated = reader.reply(&["outdated"]);
    assert_eq!(outdated["data"]["items"][0]["latest"], "1.1.0", "{outdated}");
    let updated = reader.reply(&["update"]);
    assert_eq!(updated["code"], "RG-UPDATE-S-002", "{updated}");
    assert!(reader.installed_note("style").is_some_and(|text| text.contains("two")));
    assert_eq!(reader.reply(&["verify", "--all"])["data"]["findings"], 0);
    // An older version is installed only by its number.
    let older = reader.reply(&["pull", "note", "acme/style@1.0.0"]);
    assert_eq!(older["code"], "RG-PULL-S-001", "{older}");
    assert!(reader.installed_note("style").is_some_and(|text| text.contains("one")));
}

/// Writes, signs and publishes two tools: one that runs scripts, and a script that it runs.
pub(super) fn publish_chain(author: &Person, version: &str, files: &[(&str, &str)]) {
    let tools = "project/.ai/tools/shared";
    let base = "tool_id: runner\ntool_type: runtime\nexecutor_id: subprocess\nversion: 1.0.0\n\
        description: Runs scripts.\nconfig: {command: [/bin/sh, '${entrypoint}']}\n\
        validation: {child_schemas: [{match: {}, schema: true}]}\n";
    let leaf = format!(
        "tool_id: greeter\ntool_type: script\nexecutor_id: runner\nversion: {version}\n\
         description: Greets.\nmanifest: {{entrypoint: greeter.sh}}\n"
    );
    author.stage.file(&format!("{tools}/runner.yaml"), base);
    author.stage.file(&format!("{tools}/greeter.yaml"), &leaf);
    for old in ["greeter.sh", "greeter.txt"] {
        let _ = std::fs::remove_file(author.stage.path(&format!("{tools}/{old}")));
    }
    for (name, text) in files {
        author.stage.file(&format!("{tools}/{name}"), text);
    }
    author.print(&["sign", "--all"]);
    author.run(&["publish", "tool", "runner", "--namespace", "acme"]);
    author.print(&["publish", "tool", "greeter", "--namespace", "acme"]);
}

#[test]
fn a_tool_comes_with_the_tools_that_it_runs_on() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    let script = ("greeter.sh", "echo hello from one\n");
    publish_chain(&author, "1.0.0", &[script, ("greeter.txt", "more\n")]);
    let pulled = reader.reply(&["pull", "tool", "acme/greeter"]);
    assert_eq!(pulled["code"], "RG-PULL-S-001", "{pulled}");
    let addresses = pulled["data"]["items"].as_array().expect("items").iter();
    let addresses = addresses.map(|item| item["address"].as_str().expect("an address"));
    let expected = [
        "ROOT_PROJECT:/.ai/tools/shared/runner.yaml",
        "ROOT_PROJECT:/.ai/tools/shared/greeter.yaml",
    ];
    assert_eq!(addresses.collect::<Vec<_>>(), expected);
    assert!(reader.print(&["run", "greeter", "--locked"]).contains("hello from one"));
    // A file that the next version does not have is removed with it.
    publish_chain(&author, "1.1.0", &[("greeter.sh", "echo hello from two\n")]);
    reader.print(&["update", "tool", "greeter"]);
    assert!(!reader.stage.path("project/.ai/tools/shared/greeter.txt").exists());
    assert!(reader.print(&["run", "greeter", "--locked"]).contains("hello from two"));
    assert_eq!(reader.reply(&["verify", "--all"])["data"]["findings"], 0);
}

#[test]
fn a_skill_is_replaced_as_a_whole() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    let folder = "project/.ai/directives/shared/tidy-up";
    let publish = |version: &str, file: &str| {
        let _ = std::fs::remove_dir_all(author.stage.path(folder));
        let text = format!(
            "---\nname: tidy-up\ndescription: Tidies up.\nmetadata:\n  version: {version}\n---\nDo it.\n"
        );
        author.stage.file(&format!("{folder}/SKILL.md"), &text);
        author.stage.file(&format!("{folder}/{file}"), "echo\n");
        author.print(&["sign", "skill", "shared/tidy-up"]);
        author.print(&["publish", "skill", "shared/tidy-up", "--namespace", "acme"]);
    };
    publish("1.0.0", "scripts/one.sh");
    reader.print(&["pull", "skill", "acme/tidy-up"]);
    publish("1.1.0", "scripts/two.sh");
    reader.print(&["update"]);
    assert!(reader.stage.path(&format!("{folder}/scripts/two.sh")).exists());
    assert!(!reader.stage.path(&format!("{folder}/scripts/one.sh")).exists());
    assert_eq!(reader.reply(&["verify", "--all"])["data"]["findings"], 0);
}

#[test]
fn a_yanked_version_is_passed_over_unless_asked_for_by_number() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "one");
    author.publish_note("style", "1.1.0", "two");
    assert_eq!(author.code(&["yank", "note", "acme/style"]), "RG-YANK-I-001");
    author.print(&["yank", "note", "acme/style@1.1.0"]);
    reader.print(&["pull", "note", "acme/style"]);
    assert!(reader.installed_note("style").is_some_and(|text| text.contains("one")));
    let exact = reader.reply(&["pull", "note", "acme/style@1.1.0"]);
    assert_eq!(exact["code"], "RG-PULL-S-001", "{exact}");
    let warning = exact["data"]["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("yanked"), "{warning}");
    for also in [None, Some("acme/style@1.0.0")] {
        if let Some(item) = also {
            author.print(&["yank", "note", item]);
        }
        let outdated = reader.reply(&["outdated"]);
        let message = "No item has a newer version. 1 item was withdrawn.";
        assert_eq!(outdated["message"], message, "{outdated}");
        assert_eq!(outdated["data"]["items"][0]["state"], "withdrawn", "{outdated}");
        assert!(outdated["hint"].as_str().is_some_and(|hint| hint.contains("mere pull")));
    }
    assert_eq!(reader.code(&["pull", "note", "acme/style", "--to", "user"]), "RG-PULL-I-002");
}

#[test]
fn an_item_that_did_not_come_from_there_is_not_replaced() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "one");
    reader.write_note("style", "1.0.0", "mine");
    let taken = reader.reply(&["pull", "note", "acme/style"]);
    assert_eq!(taken["code"], "RG-PULL-I-001", "{taken}");
    assert!(reader.installed_note("style").is_some_and(|text| text.contains("mine")));
    // One that was changed since it was installed is not replaced either.
    reader.print(&["pull", "note", "acme/style", "--to", "user"]);
    let path = reader.stage.path("home/.ai/knowledge/shared/style.md");
    let text = std::fs::read_to_string(&path).expect("the note");
    std::fs::write(&path, text + "more\n").expect("written");
    author.publish_note("style", "1.1.0", "two");
    let changed = reader.reply(&["pull", "note", "acme/style", "--to", "user"]);
    assert_eq!(changed["code"], "RG-PULL-I-004", "{changed}");
}

#[test]
fn what_is_private_does_not_leave_the_machine() {
    let Neighbours { registry: _registry, author, .. } = Neighbours::new();
    let publish = |body: &str| {
        author.write_note("leaky", "1.0.0", body);
        author.reply(&["publish", "note", "shared/leaky", "--namespace", "acme"])
    };
    let folder = author.stage.path("project");
    let named = publish(&format!("It lies in {}/src.", folder.display()));
    assert_eq!(named["code"], "RG-PUBLISH-I-002", "{named}");
    assert_eq!(named["data"]["findings"][0]["path"], "leaky.md", "{named}");
    let secret = publish("token: ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert_eq!(secret["code"], "RG-PUBLISH-I-002", "{secret}");
    // A person is told where it is, and never what.
    let refused = author.run(&["publish", "note", "shared/leaky", "--namespace", "acme"]);
    let said = String::from_utf8(refused.stderr).expect("text");
    let place = ": something that looks like a secret";
    assert!(said.contains("      - leaky.md:6") && said.contains(place), "{said}");
    assert!(!said.contains("ghp_"), "{said}");
    let other = publish("Look at /home/somebody/notes.");
    assert_eq!(other["code"], "RG-PUBLISH-S-001", "{other}");
    assert_eq!(other["data"]["warnings"].as_array().map(Vec::len), Some(1), "{other}");
    // What one's own key did not sign is not published.
    author.stage.file("project/.ai/knowledge/shared/bare.md", "---\nid: bare\ntitle: B\n---\nx\n");
    let unsigned = author.code(&["publish", "note", "shared/bare", "--namespace", "acme"]);
    assert_eq!(unsigned, "RG-PUBLISH-I-001");
}

#[test]
fn a_mirror_serves_as_a_registry_by_itself() {
    let Neighbours { mut registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "one");
    author.publish_note("tone", "1.0.0", "two");
    let mirror = reader.stage.path("beside/mirror");
    let mirror = mirror.to_str().expect("text");
    reader.print(&["mirror", mirror]);
    registry.stop();
    let url = format!("file:{mirror}");
    // The pinned log key counts for a mirror, too.
    reader.print(&["pull", "note", "acme/style", "--registry", &url]);
    reader.log_in(&url, &registry.log_key, None);
    let found = reader.reply(&["search", "--source", "registry", "tone"]);
    assert_eq!(found["data"]["knowledge"][0]["ref"], "acme/tone", "{found}");
    let refused = reader.code(&["yank", "note", "acme/style@1.0.0", "--registry", &url]);
    assert_eq!(refused, "RG-NET-I-003");
    // A byte that changed in the mirror is refused as on a server.
    let blobs = std::fs::read_dir(reader.stage.path("beside/mirror/api/v1/namespaces/acme/blobs"));
    for blob in blobs.expect("blobs").map(|blob| blob.expect("a blob").path()) {
        let text = std::fs::read_to_string(&blob).expect("text").replace("two", "TWO");
        std::fs::write(&blob, text).expect("written");
    }
    assert_eq!(reader.code(&["pull", "note", "acme/tone"]), "RG-LOG-E-008");
}

#[test]
fn without_network_what_is_installed_keeps_working() {
    let Neighbours { mut registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "one");
    reader.print(&["pull", "note", "acme/style"]);
    registry.stop();
    assert!(reader.print(&["show", "note", "style"]).contains("one"));
    let found = reader.reply(&["search", "style"]);
    assert_eq!(found["data"]["unavailable"], serde_json::json!(["registry"]), "{found}");
    assert_eq!(found["data"]["knowledge"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(reader.code(&["pull", "note", "acme/style"]), "RG-NET-E-001");
    assert_eq!(reader.reply(&["verify", "--all"])["data"]["log_proofs"], 1);
}

#[test]
fn a_pull_that_is_killed_leaves_the_old_or_the_new_item() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "version one");
    author.publish_note("style", "1.1.0", "version two");
    let pull = |version: &str| format!("acme/style@{version}");
    reader.print(&["pull", "note", &pull("1.0.0")]);
    let mut outcomes = Vec::new();
    for round in 0..20_u64 {
        let version = if round % 2 == 0 { "1.1.0" } else { "1.0.0" };
        let mut command = reader.stage.command("project");
        command.args(["pull", "note", &pull(version)]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().expect("mere runs");
        std::thread::sleep(Duration::from_millis(20 + round * 23));
        let _ = child.kill();
        let _ = child.wait();
        let verified = reader.reply(&["verify", "--all"]);
        assert_eq!(verified["data"]["findings"], 0, "round {round}: {verified}");
        let shown = reader.reply(&["show", "note", "style"]);
        let version = shown["data"]["version"].clone();
        assert!([Value::from("1.0.0"), Value::from("1.1.0")].contains(&version), "{shown}");
        outcomes.push(version);
    }
    assert_eq!(outcomes.len(), 20);
}
