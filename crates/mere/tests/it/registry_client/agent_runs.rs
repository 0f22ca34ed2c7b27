//! What an agent may do with a registry while it follows a directive with permissions.

use serde_json::{Value, json};

use super::fixture::{Neighbours, Person};
use crate::support::harness::Mcp;
use crate::support::samples::directive_with;

/// Signs a directive that permits this.
fn sign_directive(person: &Person, id: &str, permissions: &str) {
    let parts = format!("<permissions>{permissions}</permissions>");
    let file = format!("project/.ai/directives/{id}.md");
    person.stage.file(&file, &directive_with(id, &parts));
    person.print(&["sign", "directive", id]);
}

fn ask(mcp: &mut Mcp<'_>, tool: &str, arguments: &Value) -> Value {
    mcp.tool(tool, arguments)["structuredContent"].clone()
}

fn follow(mcp: &mut Mcp<'_>, id: &str) {
    let run = json!({ "item_type": "directive", "item_id": id });
    let reply = ask(mcp, "execute", &run);
    assert_eq!(reply["reply_type"], "S", "{reply:#}");
}

/// A search, a list, a preview, an installation and a publication.
fn calls() -> [(&'static str, Value); 5] {
    let load = json!({ "item_type": "knowledge", "item_id": "acme/style", "source": "registry" });
    let mut install = load.clone();
    install["destination"] = json!("project");
    let publish = json!({
        "item_type": "knowledge", "item_id": "own", "action": "publish", "confirm": true,
    });
    [
        ("search", json!({ "query": "style", "source": "registry" })),
        ("dir", json!({ "command": "list", "path": "ROOT_REGISTRY:/acme/" })),
        ("load", load),
        ("load", install),
        ("execute", publish),
    ]
}

#[test]
fn a_run_reaches_the_registry_only_as_its_permissions_say() {
    let Neighbours { registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "Write short sentences.");
    reader.configure("agents: {may_install: true, may_publish: true}\n");
    let token = registry.admit(&reader);
    reader.log_in(&registry.url, &registry.log_key, Some(&token));
    let file = reader.stage.path("beside/token");
    let file = file.to_str().expect("text");
    reader.print(&["login", &registry.url, "--token-file", file, "--namespace", "acme"]);
    reader.write_note("own", "1.0.0", "mine");
    let files = "<write resource=\"filesystem\" path=\".ai/**\"/>";
    sign_directive(&reader, "offline", files);
    sign_directive(&reader, "reading", &format!("{files}<read resource=\"registry\"/>"));
    sign_directive(&reader, "sharing", &format!("{files}<write resource=\"registry\"/>"));
    sign_directive(&reader, "misspelt", &format!("{files}<execute resource=\"registry\"/>"));
    let nobody = Person::new();
    let mut lonely = Mcp::greeted(&nobody.stage, &[]);
    let without = calls().map(|(tool, arguments)| ask(&mut lonely, tool, &arguments));
    let mut mcp = Mcp::greeted(&reader.stage, &[]);
    for directive in ["offline", "misspelt"] {
        follow(&mut mcp, directive);
        let bound = calls().map(|(tool, arguments)| ask(&mut mcp, tool, &arguments));
        // What may not be read is answered as if there were no registry.
        for at in 0..3 {
            assert_eq!(bound[at]["code"], without[at]["code"], "{:#}", bound[at]);
            assert_eq!(bound[at]["message"], without[at]["message"], "{:#}", bound[at]);
            assert!(!bound[at].to_string().contains("acme/style"), "{:#}", bound[at]);
        }
        for (reply, missing) in [(&bound[3], "registry read"), (&bound[4], "registry write")] {
            assert_eq!(reply["code"], "EN-RUN-D-006", "{reply:#}");
            assert_eq!(reply["data"]["missing"], missing, "{reply:#}");
        }
        assert_eq!(reader.installed_note("style"), None);
    }
    follow(&mut mcp, "reading");
    let reading = calls().map(|(tool, arguments)| ask(&mut mcp, tool, &arguments));
    assert_eq!(reading[0]["data"]["knowledge"][0]["ref"], "acme/style", "{:#}", reading[0]);
    for reply in &reading[..4] {
        assert_eq!(reply["reply_type"], "S", "{reply:#}");
    }
    assert_eq!(reading[4]["data"]["missing"], "registry write", "{:#}", reading[4]);
    follow(&mut mcp, "sharing");
    let shared = ask(&mut mcp, calls()[4].0, &calls()[4].1);
    assert_eq!(shared["code"], "RG-PUBLISH-S-001", "{shared:#}");
}

#[test]
fn an_installation_is_also_a_write_of_the_run() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "one");
    author.publish_note("style", "1.1.0", "two");
    reader.configure("agents: {may_install: true}\n");
    reader.print(&["pull", "note", "acme/style@1.0.0"]);
    sign_directive(&reader, "looking", "<read resource=\"registry\"/>");
    let mut mcp = Mcp::greeted(&reader.stage, &[]);
    follow(&mut mcp, "looking");
    let (tool, install) = calls()[3].clone();
    let denied = ask(&mut mcp, tool, &install);
    assert_eq!(denied["code"], "EN-RUN-D-006", "{denied:#}");
    assert_eq!(denied["data"]["missing"], "filesystem write .ai/knowledge/shared/style.md");
    assert!(reader.installed_note("style").is_some_and(|text| text.contains("one")));
}
