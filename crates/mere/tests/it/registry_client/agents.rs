//! What agents may do with a registry: look, and nothing else unless the user's config says so.

use serde_json::json;

use super::fixture::Neighbours;

#[test]
fn an_agent_looks_and_does_not_install_or_publish() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    author.publish_note("style", "1.0.0", "Write short sentences.");
    let call = |tool: &str, arguments: serde_json::Value| {
        reader.stage.call_text(tool, &arguments.to_string())
    };
    let found = call("search", json!({ "query": "style" }));
    assert_eq!(found.reply["data"]["knowledge"][0]["ref"], "acme/style", "{}", found.reply);
    let load = json!({ "item_type": "knowledge", "item_id": "acme/style", "source": "registry" });
    let shown = call("load", load.clone());
    assert_eq!(shown.code(), "IT-LOAD-S-001", "{}", shown.reply);
    let content = shown.reply["data"]["content"].as_str().expect("content");
    assert!(content.contains("short sentences"), "{content}");
    // An agent is told what it can call, and what a person can run.
    for (item, hint) in [
        ("style", "Write it as NAMESPACE/ID; `search` with `source: registry` finds it."),
        ("acme/nope", "`search` with `source: registry` finds items."),
    ] {
        let load = json!({ "item_type": "knowledge", "item_id": item, "source": "registry" });
        let refused = call("load", load);
        assert!(
            refused.reply["hint"].as_str().is_some_and(|told| told.starts_with(hint)),
            "{item}"
        );
    }
    let told = reader.run(&["pull", "note", "acme/nope"]).stderr;
    assert!(String::from_utf8_lossy(&told).contains("`mere search --source registry` finds"));
    let mut install = load;
    install["destination"] = json!("project");
    let denied = call("load", install.clone());
    assert_eq!(denied.code(), "EN-ITEM-D-001");
    let hint = denied.reply["hint"].as_str().expect("a hint");
    assert!(hint.starts_with("Ask a person to run `mere pull knowledge acme/style`"), "{hint}");
    assert_eq!(reader.installed_note("style"), None);
    reader.configure("agents: {may_install: true}\n");
    let installed = call("load", install);
    assert_eq!(installed.code(), "RG-PULL-S-001", "{}", installed.reply);
    assert_eq!(reader.reply(&["verify", "--all"])["data"]["findings"], 0);
}

#[test]
fn an_agent_publishes_only_where_the_user_lets_it() {
    let Neighbours { registry: _registry, author, .. } = Neighbours::new();
    author.publish_note("first", "1.0.0", "one");
    author.write_note("second", "1.0.0", "two");
    let publish = |more: serde_json::Value| {
        let mut call =
            json!({ "item_type": "knowledge", "action": "publish", "item_id": "second" });
        call.as_object_mut().expect("keys").extend(more.as_object().expect("keys").clone());
        author.stage.call_text("execute", &call.to_string())
    };
    assert_eq!(publish(json!({})).code(), "RG-PUBLISH-I-004");
    assert_eq!(publish(json!({ "confirm": true })).code(), "EN-PUBLISH-D-001");
    author.configure("agents: {may_publish: true}\n");
    assert_eq!(publish(json!({ "dry_run": true })).code(), "RG-PUBLISH-S-002");
    let published = publish(json!({ "confirm": true }));
    assert_eq!(published.code(), "RG-PUBLISH-S-001", "{}", published.reply);
}

#[test]
fn an_agent_lists_the_registry_as_folders() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    let list = |path: &str| {
        let call = json!({ "command": "list", "path": path }).to_string();
        reader.stage.call_text("dir", &call)
    };
    author.publish_note("style", "1.0.0", "one");
    assert_eq!(list("ROOT_REGISTRY:/").paths(), ["ROOT_REGISTRY:/acme/"]);
    assert_eq!(list("ROOT_REGISTRY:/acme/").paths(), ["ROOT_REGISTRY:/acme/knowledge/"]);
    let shared = list("ROOT_REGISTRY:/acme/knowledge/shared/").paths();
    assert_eq!(shared, ["ROOT_REGISTRY:/acme/knowledge/shared/style"]);
    assert_eq!(list("ROOT_REGISTRY:/nobody/").code(), "WA-PATH-I-001");
}

#[test]
fn an_agent_is_not_shown_the_words_of_an_unknown_author() {
    let Neighbours { registry, author, .. } = Neighbours::new();
    author.publish_note("style", "1.0.0", "Write short sentences.");
    let stranger = super::fixture::Person::new();
    stranger.log_in(&registry.url, &registry.log_key, None);
    let load = json!({ "item_type": "knowledge", "item_id": "acme/style", "source": "registry" });
    let refused = stranger.stage.call_text("load", &load.to_string());
    assert_eq!(refused.code(), "EN-PULL-D-001", "{}", refused.reply);
    assert!(!refused.reply.to_string().contains("short sentences"));
}
