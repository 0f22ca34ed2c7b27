//! A private namespace and its readers: with a token it is like any other, and without one it is not
//! there.

use super::fixture::{Neighbours, Person};

/// A registry with the private namespace `hidden`, where the author published a note.
fn hidden_note() -> Neighbours {
    let neighbours = Neighbours::new();
    let Neighbours { registry, author, .. } = &neighbours;
    registry.operate(&["namespace", "create", "hidden", "--owner", "ada", "--private"]);
    registry.add_key("hidden", author);
    let scopes = ["--scope", "publish:hidden/*", "--scope", "read:hidden/*"];
    let token = registry.operate(&[&["token", "create", "--user", "ada"], &scopes[..]].concat());
    author.log_in(&registry.url, &registry.log_key, Some(&token));
    author.write_note("secret", "1.0.0", "one");
    author.print(&["publish", "note", "shared/secret", "--namespace", "hidden"]);
    neighbours
}

fn log_in_as_reader(neighbours: &Neighbours, reader: &Person, scope: &str) {
    let Neighbours { registry, .. } = neighbours;
    let token = registry.operate(&["token", "create", "--user", "ada", "--scope", scope]);
    reader.log_in(&registry.url, &registry.log_key, Some(&token));
}

#[test]
fn a_reader_with_a_token_finds_and_pulls_and_others_see_nothing() {
    let neighbours = hidden_note();
    let reader = &neighbours.reader;
    let ask = |words: &[&str]| {
        let mut reply = reader.reply(words);
        // Nothing else may differ between what is hidden and what is not there.
        reply["trace"] = serde_json::Value::Null;
        reply.to_string().replace("hidden", "NS").replace("nobody", "NS")
    };
    for words in [["pull", "note", "NS/secret"], ["pull", "note", "NS/secret@1.0.0"]] {
        let named = |namespace: &str| words.map(|word| word.replace("NS", namespace));
        let [hidden, absent] = ["hidden", "nobody"].map(|namespace| {
            let words = named(namespace);
            ask(&words.iter().map(String::as_str).collect::<Vec<_>>())
        });
        assert_eq!(hidden, absent);
        assert!(hidden.contains("RG-NET-I-002"), "{hidden}");
    }
    let found = reader.reply(&["search", "--source", "registry", "secret"]);
    assert!(!found.to_string().contains("hidden"), "{found}");
    assert_eq!(reader.installed_note("secret"), None);
    log_in_as_reader(&neighbours, reader, "read:hidden/*");
    let found = reader.reply(&["search", "--source", "registry", "secret"]);
    assert_eq!(found["data"]["knowledge"][0]["ref"], "hidden/secret", "{found}");
    reader.print(&["pull", "note", "hidden/secret"]);
    assert!(reader.installed_note("secret").is_some());
    let verified = reader.reply(&["verify", "--all"]);
    assert_eq!(
        (&verified["data"]["findings"], &verified["data"]["log_proofs"]),
        (&0.into(), &1.into())
    );
}

#[test]
fn a_token_for_one_item_pulls_that_item() {
    let neighbours = hidden_note();
    let Neighbours { author, reader, .. } = &neighbours;
    author.write_note("other", "1.0.0", "two");
    author.print(&["publish", "note", "shared/other", "--namespace", "hidden"]);
    log_in_as_reader(&neighbours, reader, "read:hidden/secret");
    reader.print(&["pull", "note", "hidden/secret"]);
    assert_eq!(reader.code(&["pull", "note", "hidden/other"]), "RG-NET-I-002");
}

#[test]
fn readers_are_told_when_the_keys_of_a_private_namespace_change() {
    let neighbours = hidden_note();
    let Neighbours { registry, author, reader } = &neighbours;
    log_in_as_reader(&neighbours, reader, "read:hidden/*");
    let pulled = reader.reply(&["pull", "note", "hidden/secret"]);
    assert_eq!(pulled["data"]["warnings"], serde_json::json!([]), "{pulled}");
    let intruder = Person::new();
    registry.add_key("hidden", &intruder);
    author.write_note("secret", "1.1.0", "two");
    author.print(&["publish", "note", "shared/secret", "--namespace", "hidden"]);
    // That an agent was told does not count.
    reader.configure("agents: {may_install: true}\n");
    let install = serde_json::json!({
        "item_type": "knowledge", "item_id": "hidden/secret", "source": "registry",
        "destination": "user",
    });
    let told = reader.stage.call_text("load", &install.to_string()).reply;
    assert_eq!(told["data"]["warnings"].as_array().map(Vec::len), Some(1), "{told}");
    let pulled = reader.reply(&["pull", "note", "hidden/secret"]);
    let warnings = pulled["data"]["warnings"].as_array().expect("warnings");
    let fingerprint = intruder.print(&["keys", "list"]);
    let fingerprint = fingerprint.split_whitespace().find(|word| word.starts_with("SHA256:"));
    let fingerprint = fingerprint.expect("a fingerprint");
    assert_eq!(warnings.len(), 1, "{pulled}");
    assert!(warnings[0].as_str().is_some_and(|text| text.contains(fingerprint)), "{pulled}");
    // It is told once.
    author.write_note("secret", "1.2.0", "three");
    author.print(&["publish", "note", "shared/secret", "--namespace", "hidden"]);
    let pulled = reader.reply(&["pull", "note", "hidden/secret"]);
    assert_eq!(pulled["data"]["warnings"], serde_json::json!([]), "{pulled}");
}
