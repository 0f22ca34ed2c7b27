//! The guide of ten commands, and what follows when the server's disk is touched.

use super::fixture::{Neighbours, Person, TestRegistry, check_distrust};

#[test]
fn ten_commands_share_a_directive_a_tool_and_a_note() {
    let (registry, ada) = (TestRegistry::start(), Person::with_examples());
    let token = registry.admit(&ada);
    ada.log_in(&registry.url, &registry.log_key, Some(&token));
    let shown = ada.reply(&["publish", "tool", "hello_tool", "--namespace", "acme", "--dry-run"]);
    assert_eq!(shown["code"], "RG-PUBLISH-S-002", "{shown}");
    assert_eq!(shown["data"]["files"].as_array().map(Vec::len), Some(2), "{shown}");
    ada.print(&["publish", "tool", "hello_tool", "--namespace", "acme"]);
    // The namespace is remembered from then on.
    ada.print(&["publish", "lockfile", "examples/hello_tool@1.0.0"]);
    ada.print(&["publish", "directive", "summarize-folder"]);
    ada.print(&["publish", "knowledge", "how-items-work"]);
    let bea = Person::new();
    bea.trust(&ada);
    bea.log_in(&registry.url, &registry.log_key, None);
    let found = bea.print(&["search", "--source", "registry", "greet"]);
    assert!(found.contains("mere pull tool acme/hello_tool"), "{found}");
    bea.print(&["pull", "tool", "acme/hello_tool"]);
    bea.print(&["pull", "directive", "acme/summarize-folder"]);
    bea.print(&["pull", "knowledge", "acme/how-items-work", "--to", "user"]);
    let printed = bea.print(&["run", "hello_tool", "--param", "name=Bea"]);
    assert!(printed.contains("Hello, Bea!"), "{printed}");
    // The lockfile was made for this space, and pins what was installed.
    assert_eq!(bea.code(&["lock", "--check"]), "EX-LOCK-S-002");
    let verified = bea.reply(&["verify", "--all"]);
    assert_eq!(verified["data"]["findings"], 0, "{verified}");
    assert_eq!(verified["data"]["log_proofs"], 3, "{verified}");
    let shown = bea.reply(&["show", "tool", "hello_tool"]);
    assert_eq!(shown["data"]["trust"]["origin"], "acme/hello_tool@1.0.0", "{shown}");
}

#[test]
fn a_byte_that_changed_on_the_servers_disk_is_refused() {
    let Neighbours { registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "Write short sentences.");
    let blobs = walk(&registry.stage.path("data/blobs"));
    let mut changed = 0;
    for file in blobs {
        let text = std::fs::read(&file).expect("a blob");
        if let Some(at) = text.windows(5).position(|word| word == b"short") {
            let mut text = text.clone();
            text[at] = b'S';
            let _ = std::fs::remove_file(&file);
            std::fs::write(&file, text).expect("written");
            changed += 1;
        }
    }
    assert_eq!(changed, 1, "the blob lies there as it is");
    let reply = reader.reply(&["pull", "note", "acme/style"]);
    // This server notices it first, and serves nothing. One that does not is caught in `lying`.
    assert_eq!(reply["code"], "RG-NET-E-005", "{reply}");
    assert_eq!(reader.installed_note("style"), None);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| {
            let path = entry.path();
            if path.is_dir() { walk(&path) } else { vec![path] }
        })
        .collect()
}

#[test]
fn the_database_of_yesterday_is_refused() {
    let Neighbours { mut registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "one");
    registry.back_up("yesterday");
    author.publish_note("style", "1.1.0", "two");
    reader.print(&["pull", "note", "acme/style"]);
    registry.restore("yesterday");
    let reply = reader.reply(&["pull", "note", "acme/style"]);
    check_distrust(&reader, &reply, "RG-LOG-E-002");
    assert!(reader.installed_note("style").is_some_and(|text| text.contains("two")));
    // Another history of the same length is a fork.
    author.stage.file("project/.ai/knowledge/shared/style.md", "");
    std::fs::remove_dir_all(author.stage.path("home/.local/state/merestone/registries"))
        .expect("what the author saw");
    author.publish_note("other", "1.0.0", "three");
    let reply = reader.reply(&["pull", "note", "acme/style"]);
    check_distrust(&reader, &reply, "RG-LOG-E-003");
}
