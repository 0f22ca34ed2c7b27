//! What a server finds that is told of changes by the system: no less than one that looks for
//! itself.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::samples::note;

/// Searches by words, and returns the data of the reply.
fn search(server: &mut Mcp<'_>, word: &str) -> Value {
    let arguments = json!({ "query": word, "mode": "text", "limit": 50, "rank": "unified" });
    let reply = server.tool("search", &arguments)["structuredContent"].clone();
    assert_eq!(reply["reply_type"], "S", "{reply}");
    reply["data"].clone()
}

fn count(data: &Value) -> usize {
    data["results"].as_array().unwrap_or_else(|| panic!("{data}")).len()
}

#[test]
fn a_folder_that_may_not_be_read_makes_the_searches_of_a_server_incomplete() {
    let stage = Stage::new();
    for id in ["open/n0", "open/n1", "closed/n2"] {
        let name = id.rsplit('/').next().expect("a name");
        stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(name, "lantern"));
    }
    let mut command = stage.unprivileged("project");
    command.arg("mcp");
    let closed = stage.path("project/.ai/knowledge/closed");
    std::fs::set_permissions(&closed, Permissions::from_mode(0o000)).expect("closed");
    let mut server = Mcp::spawn(&stage, command);
    server.greet();
    for _ in 0..2 {
        let data = search(&mut server, "lantern");
        assert_eq!((&data["total"], &data["incomplete"]), (&json!(2), &json!(true)), "{data}");
    }
    std::fs::set_permissions(&closed, Permissions::from_mode(0o700)).expect("open again");
    let data = search(&mut server, "lantern");
    assert_eq!((count(&data), &data["incomplete"]), (3, &Value::Null), "{data}");
}

#[test]
fn a_folder_that_is_a_store_and_holds_directives_is_searched_as_both() {
    let stage = Stage::new();
    let stores = "stores: {notes: {path: ../notes, categoryMode: free}}";
    let config = format!("{stores}\nfolders: {{directives: [notes]}}\n");
    stage.file("project/.ai/config.yaml", &config);
    let write = |word: &str| {
        let skill = format!("---\nname: lamp\ndescription: About {word}.\n---\n{word}\n");
        stage.file("project/notes/lamp/SKILL.md", &skill);
        stage.file("project/notes/light.md", &format!("{word}\n"));
    };
    write("lantern");
    let mut server = Mcp::greeted(&stage, &["--store", "notes"]);
    for round in 0..4 {
        let word = format!("quartz{round}");
        assert_eq!(count(&search(&mut server, &word)), 0, "nothing says so yet");
        write(&word);
        let data = search(&mut server, &word);
        let types = data["results"].as_array().expect("hits").iter().map(|hit| &hit["item_type"]);
        let mut types = types.map(|name| name.as_str().expect("a type")).collect::<Vec<_>>();
        types.sort_unstable();
        types.dedup();
        assert_eq!(types, ["directive", "memory"], "{data}");
    }
}
