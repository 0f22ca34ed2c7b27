//! Search where something is in its way: caches that cannot be used, indexes whose parts do not fit,
//! callers that leave, words of what is hidden.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};

use crate::paths::disks::cramped;
use crate::support::harness::{Mcp, Stage};
use crate::support::searches::full_search;

fn note(id: &str, body: &str) -> String {
    format!("---\nid: {id}\ntitle: On {id}\n---\n\n{body}\n")
}

fn keep(stage: &Stage, id: &str, body: &str) {
    stage.file(&format!("project/.ai/knowledge/{id}.md"), &note(id, body));
}

fn stage(count: usize) -> Stage {
    let stage = Stage::new();
    stage.folder("project/.git");
    for number in 0..count {
        keep(&stage, &format!("n{number}"), &format!("lantern w{number} [[n{}]]", number / 2));
    }
    stage
}

fn search(stage: &Stage, query: &str) -> Value {
    let arguments =
        full_search(json!({ "query": query, "mode": "text", "rank": "unified", "limit": 50 }));
    let mut command = stage.command("project");
    command.args(["call", "search", &arguments.to_string()]);
    stage.answer(&mut command).reply
}

fn total(reply: &Value) -> u64 {
    reply["data"]["total"].as_u64().unwrap_or_else(|| panic!("{reply}"))
}

fn ids(reply: &Value) -> Vec<&str> {
    let hits = reply["data"]["results"].as_array().expect("hits").iter();
    hits.map(|hit| hit["id"].as_str().expect("an id")).collect()
}

fn ask(server: &mut Mcp<'_>, query: &str) -> Value {
    let arguments = full_search(json!({ "query": query, "mode": "text", "rank": "unified" }));
    server.tool("search", &arguments)["structuredContent"].take()
}

/// The file of the index.
fn index(folder: &str, stage: &Stage) -> Option<PathBuf> {
    let files = std::fs::read_dir(stage.path(folder).join("merestone")).ok()?;
    let mut files = files.map(|entry| entry.expect("one").path());
    files.find(|path| {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        name.strip_prefix("search-").is_some_and(|rest| !rest.contains('-'))
    })
}

#[test]
fn a_cache_may_be_a_link() {
    let stage = stage(3);
    stage.folder("elsewhere");
    stage.folder("home");
    stage.link("../elsewhere", "home/.cache");
    let reply = search(&stage, "lantern");
    assert_eq!((total(&reply), &reply["hint"]), (3, &Value::Null), "{reply}");
    assert!(index("elsewhere", &stage).is_some(), "no index");
}

#[test]
fn an_index_that_cannot_be_kept_is_made_for_the_session() {
    // The cache is a file; the index is a folder; the index is a link to something else.
    let in_the_way: [fn(&Stage); 3] = [
        |stage| {
            stage.file("home/.cache", "in the way");
        },
        |stage| {
            search(stage, "lantern");
            let path = index("home/.cache", stage).expect("an index");
            std::fs::remove_file(&path).expect("removed");
            std::fs::create_dir(path).expect("a folder");
        },
        |stage| {
            search(stage, "lantern");
            let path = index("home/.cache", stage).expect("an index");
            std::fs::remove_file(&path).expect("removed");
            let victim = stage.file("home/victim", "");
            std::os::unix::fs::symlink(victim, path).expect("a link");
        },
    ];
    for (number, put) in in_the_way.into_iter().enumerate() {
        let stage = stage(300);
        put(&stage);
        let reply = search(&stage, "lantern");
        assert_eq!(total(&reply), 300, "{number}: {reply}");
        let hint = reply["hint"].as_str().unwrap_or_default();
        assert!(hint.contains("cannot be stored"), "{number}: {reply}");
        let mut server = Mcp::greeted(&stage, &[]);
        assert_eq!(total(&ask(&mut server, "lantern")), 300);
        keep(&stage, "n0", "harbour");
        assert_eq!(total(&ask(&mut server, "harbour")), 1);
        drop(server);
        if let Ok(victim) = std::fs::read(stage.path("home/victim")) {
            assert!(victim.is_empty(), "{number}: the link was followed");
        }
        let indexed = stage.person(&["index", "--json"]);
        let printed = String::from_utf8_lossy(&indexed.stdout).into_owned();
        assert!(printed.contains("cannot be stored"), "{number}: {printed}");
    }
}

#[test]
fn a_full_disk_ends_no_search() {
    let stage = stage(600);
    for command in cramped(&stage, "home/.cache") {
        let mut server = Mcp::spawn(&stage, command);
        server.greet();
        for _ in 0..2 {
            let reply = ask(&mut server, "lantern");
            assert_eq!(total(&reply), 600, "{reply}");
            assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("cannot be stored")));
        }
    }
}

#[test]
fn an_index_whose_parts_do_not_fit_is_made_again() {
    let stage = stage(40);
    let fresh = ["lantern", "w7", "w1*", "n3"].map(|query| ids(&search(&stage, query)).join(" "));
    for damage in [
        "DROP TABLE link",
        "DROP TABLE posting",
        "DROP TABLE counter",
        "DROP TABLE corpus",
        "DROP INDEX vector_by_model",
        "ALTER TABLE item ADD COLUMN odd",
        "ALTER TABLE segment DROP COLUMN words",
        "UPDATE segment SET items = x'0102'",
        "UPDATE segment SET items = items || items",
        "UPDATE segment SET items = 'text'",
        "DELETE FROM segment",
        "DELETE FROM item WHERE id % 2 = 0",
        "DELETE FROM counter WHERE name = 'next'",
        "UPDATE counter SET value = 'x'",
        "UPDATE counter SET value = 1 WHERE name = 'next'",
        "UPDATE corpus SET id = 99999",
        "INSERT INTO deleted_item SELECT id FROM item",
        "UPDATE posting SET items = x'ffff'",
        "UPDATE posting SET items = x'0500'",
    ] {
        let file = index("home/.cache", &stage).expect("an index");
        let connection = rusqlite::Connection::open(&file).expect("a database");
        connection.execute_batch(damage).expect(damage);
        drop(connection);
        // What has to be read again shows damage that a question alone would not.
        keep(&stage, "n39", &format!("lantern w39 [[n19]] {damage:.0}"));
        let rebuilt = ["lantern", "w7", "w1*", "n3"].map(|query| {
            let reply = search(&stage, query);
            assert_eq!(reply["code"], "IT-SEARCH-S-001", "{damage}: {reply}");
            ids(&reply).join(" ")
        });
        assert_eq!(rebuilt, fresh, "{damage}");
        let related = stage.call_text(
            "load",
            r#"{"item_type":"knowledge","item_id":"n3","include_relationships":true}"#,
        );
        assert_eq!(related.reply["reply_type"], "S", "{damage}: {}", related.reply);
    }
}

#[test]
fn a_rebuilt_index_is_whole_whatever_it_was() {
    let stage = stage(20);
    search(&stage, "lantern");
    for damage in ["DROP TABLE posting", "DELETE FROM posting", "UPDATE posting SET items = x'ff'"]
    {
        let file = index("home/.cache", &stage).expect("an index");
        let connection = rusqlite::Connection::open(&file).expect("a database");
        connection.execute_batch(damage).expect(damage);
        drop(connection);
        let rebuilt = stage.person(&["index", "--rebuild"]);
        assert!(rebuilt.status.success(), "{damage}: {rebuilt:?}");
        assert_eq!(total(&search(&stage, "lantern")), 20, "{damage}");
    }
}

#[test]
fn indexes_that_nobody_uses_go() {
    let stage = stage(1);
    let day = std::time::Duration::from_hours(24);
    let made = |name: &str, days: u32| {
        let path = stage.file(&format!("home/.cache/merestone/{name}"), "");
        let file = std::fs::File::options().append(true).open(&path).expect("a file");
        file.set_modified(std::time::SystemTime::now() - day * days).expect("its time");
        path
    };
    let (old, wal) = (made("search-0a", 70), made("search-0a-wal", 1));
    let (young, other) = (made("search-0b", 50), made("shelf-0c", 70));
    assert_eq!(total(&search(&stage, "lantern")), 1);
    assert!(!old.exists() && !wal.exists() && young.exists() && other.exists());
    // One that is used stays young.
    std::fs::remove_file(&young).expect("removed");
    let path = index("home/.cache", &stage).expect("an index");
    let file = std::fs::File::options().append(true).open(&path).expect("a file");
    file.set_modified(std::time::SystemTime::now() - day * 40).expect("its time");
    assert_eq!(total(&search(&stage, "lantern")), 1);
    let age = path.metadata().and_then(|own| own.modified()).expect("a time").elapsed();
    assert!(age.is_ok_and(|age| age < day), "not noted");
}

#[test]
fn a_beginning_stands_for_every_word_that_begins_so() {
    let stage = stage(1);
    let letter = |number: usize| char::from(b'a' + u8::try_from(number % 10).expect("a digit"));
    for number in 0..100 {
        let word = format!("ab{}{}qz", letter(number / 10), letter(number));
        keep(&stage, &format!("w{number}"), &format!("{word} meadow"));
    }
    keep(&stage, "porch", "a back porch");
    keep(&stage, "off", "the back office, no porch");
    assert_eq!(total(&search(&stage, "ab*")), 100);
    assert_eq!(total(&search(&stage, "meadow -ab*")), 0);
    assert_eq!(total(&search(&stage, "meadow -abaaq*")), 99);
    // What is excluded is excluded as one.
    assert_eq!(ids(&search(&stage, "porch -back-off*")), ["porch"]);
    let marked = search(&stage, "abcd*");
    assert_eq!(total(&marked), 1);
    assert!(marked["data"]["results"][0]["preview"].as_str().expect("one").contains("**abcdqz**"));
}

#[test]
fn what_has_exactly_this_title_is_first_beside_operators() {
    let stage = stage(1);
    stage.file(
        "project/.ai/knowledge/plain.md",
        "---\nid: plain\ntitle: Retry Budget\n---\n\nShort.\n",
    );
    let repeated = "retry budget ".repeat(40);
    stage.file(
        "project/.ai/knowledge/louder.md",
        &format!("---\nid: louder\ntitle: Retry budget retry budget\n---\n\n{repeated}\n"),
    );
    for query in ["retry budget", "retry budget type:knowledge", "Retry Budget -lantern"] {
        assert_eq!(ids(&search(&stage, query))[0], "plain", "{query}");
    }
}

#[test]
fn words_of_what_is_hidden_are_no_hint() {
    let stage = stage(1);
    keep(&stage, "hid", "watermelonx");
    keep(&stage, "probe", "watermelinz");
    stage.file("project/.claude/skills/greet/SKILL.md", &skill("greet", "kumquatillo"));
    let folders = "folders: {directives: [.claude/skills]}\n";
    stage.file("project/.ai/config.yaml", folders);
    let mut server = Mcp::greeted(&stage, &[]);
    assert_eq!(ids(&ask(&mut server, "watermelonx")), ["hid"]);
    assert_eq!(ids(&ask(&mut server, "kumquatillo")), ["greet"]);
    assert_eq!(total(&search(&stage, "kumquatillo")), 1);
    stage.file("project/.ai/config.yaml", "sensitive: ['hid.md']\n");
    assert_eq!(server.receive()["method"], "notifications/tools/list_changed");
    for query in ["watermelonx", "waterm* -watermelinz", "kumquatillo", "kumquat*", "kumquatilla"] {
        let near = u64::from(query == "watermelonx");
        for reply in [search(&stage, query), ask(&mut server, query)] {
            assert_eq!(total(&reply), near, "{query}: {reply}");
        }
    }
    // One slip from what is hidden, two from what is not: the second is meant.
    for reply in [search(&stage, "watermelony"), ask(&mut server, "watermelony")] {
        assert_eq!(ids(&reply), ["probe"], "{reply}");
    }
}

fn skill(id: &str, body: &str) -> String {
    format!("---\nname: {id}\ndescription: Says it.\n---\n\n{body}\n")
}

#[test]
fn an_index_whose_maker_is_cancelled_is_made_by_the_next() {
    let stage = stage(2500);
    let mut server = Mcp::greeted(&stage, &[]);
    for id in 100..106 {
        let arguments = json!({ "query": "lantern", "mode": "text" });
        let params = json!({ "name": "search", "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        server.send(call.to_string().as_bytes());
        std::thread::sleep(std::time::Duration::from_millis(30));
        let params = json!({ "requestId": id });
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
        server.send(cancel.to_string().as_bytes());
    }
    let began = Instant::now();
    assert_eq!(total(&ask(&mut server, "lantern")), 2500);
    assert!(began.elapsed().as_secs() < 60, "somebody waited for a caller that left");
}

#[test]
fn an_index_may_have_had_very_many_corpora() {
    let stage = stage(1);
    assert_eq!(total(&search(&stage, "lantern")), 1);
    let file = index("home/.cache", &stage).expect("an index");
    let connection = rusqlite::Connection::open(&file).expect("a database");
    for number in 0..1000 {
        let sql = "INSERT INTO corpus (name, trees) VALUES (?, '')";
        connection.execute(sql, [format!("store:{number}")]).expect("a corpus");
    }
    drop(connection);
    let memory = "---\ncreated_at: 2026-01-01T00:00:00Z\n---\n\nA lantern at night.\n";
    stage.file("project/.ai/memory/night.md", memory);
    assert_eq!(total(&search(&stage, "lantern")), 2);
    assert_eq!(total(&search(&stage, "lantern type:memory")), 1);
}

#[test]
fn a_server_whose_index_another_process_emptied_looks_again() {
    let stage = stage(400);
    let mut server = Mcp::greeted(&stage, &[]);
    assert_eq!(total(&ask(&mut server, "lantern")), 400);
    let file = index("home/.cache", &stage).expect("an index");
    // As `mere index --rebuild` does, and is killed.
    let connection = rusqlite::Connection::open(&file).expect("a database");
    let emptied = "BEGIN; INSERT INTO segment (items, words) VALUES (x'', x'');
        DELETE FROM segment WHERE id < (SELECT max(id) FROM segment);
        DELETE FROM posting; DELETE FROM item; DELETE FROM link; DELETE FROM deleted_item;
        DELETE FROM vector;
        UPDATE counter SET value = value + 1 WHERE name IN ('generation', 'epoch'); COMMIT";
    connection.execute_batch(emptied).expect("emptied");
    assert_eq!(total(&ask(&mut server, "lantern")), 400);
    let rebuilt = stage.person(&["index", "--rebuild"]);
    assert!(rebuilt.status.success(), "{rebuilt:?}");
    assert_eq!(total(&ask(&mut server, "lantern")), 400);
}

#[test]
fn a_process_that_does_not_end_its_change_ends_no_search() {
    let stage = stage(5);
    let mut server = Mcp::greeted(&stage, &[]);
    assert_eq!(total(&ask(&mut server, "lantern")), 5);
    let file = index("home/.cache", &stage).expect("an index");
    let connection = rusqlite::Connection::open(&file).expect("a database");
    connection.execute_batch("BEGIN IMMEDIATE").expect("begun");
    keep(&stage, "late", "lantern harbour");
    let reply = ask(&mut server, "lantern");
    assert_eq!(total(&reply), 5, "{reply}");
    assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("Another process")), "{reply}");
    connection.execute_batch("ROLLBACK").expect("ended");
    let reply = ask(&mut server, "lantern");
    assert_eq!((total(&reply), &reply["hint"]), (6, &Value::Null), "{reply}");
}

#[test]
fn a_note_that_is_in_both_spaces_comes_first_from_the_project() {
    let stage = stage(1);
    for number in 0..8 {
        let (id, body) = (format!("both{number}"), format!("orchard{number}"));
        keep(&stage, &id, &body);
        stage.file(&format!("home/.ai/knowledge/{id}.md"), &note(&id, &body));
        let found = search(&stage, &body);
        assert_eq!(found["data"]["results"][0]["scope"], "project", "{found}");
        assert_eq!(total(&found), 2);
    }
}

#[test]
fn a_word_that_nobody_has_keeps_no_other_from_being_found() {
    let stage = stage(300);
    for query in ["lantern", "lantern zzzqq", "lantern zzzqq*", "lantern \u{1f680}"] {
        assert_eq!(total(&search(&stage, query)), 300, "{query}");
    }
    let many = (0..100).map(|number| format!("x{number}")).collect::<Vec<_>>().join(" ");
    assert_eq!(total(&search(&stage, &format!("lantern {many} -lantern"))), 0);
    // What cannot be looked for is not everything; quoted words are meant as they are written.
    for query in ["\u{1f680}", "???", "\"lantenr\""] {
        assert_eq!(total(&search(&stage, query)), 0, "{query}");
    }
    assert_eq!(total(&search(&stage, "lantenr")), 300);
    assert_eq!(total(&search(&stage, "*")), 300);
}
