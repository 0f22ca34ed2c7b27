//! By which model meanings are found: the endpoint that a person configures, its failures, and what
//! becomes of vectors when the model changes.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::harness::{Answer, Mcp, Stage};
use crate::support::model_server::{Manner, ModelServer};
use crate::support::samples::note;
use crate::support::searches::full_search;

/// A project with three notes, of which one is about cars.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/garage.md", &note("garage", "automobile mending"));
    stage.file("project/.ai/knowledge/bread.md", &note("bread", "flour water salt"));
    stage.file("project/.ai/knowledge/tide.md", &note("tide", "moon sea shore"));
    stage
}

fn configure(stage: &Stage, text: &str) {
    stage.file("home/.ai/config.yaml", text);
}

fn endpoint(stage: &Stage, server: &ModelServer, more: &str) {
    let url = server.url();
    configure(
        stage,
        &format!("embeddings: {{model: endpoint, url: '{url}', name: words{more}}}\n"),
    );
}

fn search(stage: &Stage, query: &str, mode: &str) -> Answer {
    let arguments = full_search(json!({ "query": query, "mode": mode })).to_string();
    let answer = stage.call_text("search", &arguments);
    assert_eq!(answer.status, 0, "{}", answer.reply);
    answer
}

fn ids(reply: &Value) -> Vec<&str> {
    let hits = reply["data"]["knowledge"].as_array().expect("a list").iter();
    hits.map(|hit| hit["id"].as_str().expect("an id")).collect()
}

fn hint(reply: &Value) -> &str {
    reply["hint"].as_str().unwrap_or_default()
}

/// What `mere model list` says.
fn models(stage: &Stage) -> Value {
    let output = stage.person(&["model", "list", "--json"]);
    serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["data"].clone()
}

/// The model in use, and how many items have vectors of each.
fn counts(stage: &Stage) -> (String, Vec<u64>) {
    let data = models(stage);
    let rows = data["models"].as_array().expect("models").iter();
    let used = rows
        .clone()
        .find(|row| row["in_use"] == true)
        .map_or("none", |row| row["name"].as_str().expect("a name"));
    (used.to_owned(), rows.map(|row| row["items"].as_u64().expect("a number")).collect())
}

#[test]
fn an_endpoint_says_what_items_mean() {
    let (stage, server) = (stage(), ModelServer::start());
    endpoint(&stage, &server, "");
    for manner in [Manner::Right, Manner::Shuffled] {
        server.behave(manner);
        let answer = search(&stage, "fixing a car", "vector");
        assert_eq!(ids(&answer.reply), ["garage"], "{}", answer.reply);
        assert_eq!(answer.reply["data"]["mode"], "vector");
        assert_eq!(hint(&answer.reply), "");
        let _ = stage.person(&["index", "--rebuild"]);
    }
    let seen = server.seen();
    assert_eq!(seen[0].texts(), ["fixing a car "]);
    assert_eq!(seen[0].body["model"], "words");
    assert_eq!(seen[0].body.get("dimensions"), None);
    assert!(!seen[0].head.to_ascii_lowercase().contains("authorization"));
    assert!(seen[1].texts().iter().any(|text| text.contains("automobile mending")));
    assert_eq!(seen[1].texts().len(), 3);
}

#[test]
fn nothing_secret_is_sent() {
    let (stage, server) = (stage(), ModelServer::start());
    endpoint(&stage, &server, "");
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let home = stage.path("project").to_str().expect("UTF-8").to_owned();
    let body = format!("push with {secret} from {home}/src");
    stage.file("project/.ai/knowledge/push.md", &note("push", &body));
    stage.file("project/.ai/knowledge/.env.md", &note(".env", "hidden"));
    search(&stage, &format!("push {secret} {home}/src"), "hybrid");
    let texts = server.seen().iter().map(|seen| seen.body.to_string()).collect::<String>();
    assert!(texts.contains("push with"), "{texts}");
    assert!(!texts.contains(secret), "{texts}");
    stage.check(&texts);
}

#[test]
fn the_key_is_sent_and_said_nowhere() {
    let (mut stage, server) = (stage(), ModelServer::start());
    endpoint(&stage, &server, ", keyEnv: MY_KEY, dimensions: 256");
    let answer = search(&stage, "fixing a car", "hybrid");
    assert_eq!(answer.reply["data"]["mode"], "text");
    assert!(hint(&answer.reply).starts_with("The environment variable `MY_KEY`"));
    assert!(server.seen().is_empty());
    let key = "sk-very-secret-4711";
    stage.setting("MY_KEY", key);
    for manner in [Manner::Right, Manner::Status(401), Manner::Silent] {
        server.behave(manner);
        let mut command = stage.command("project");
        command.args(["call", "--log", "trace", "search", "{\"query\":\"fixing a car\"}"]);
        let output = command.output().expect("mere runs");
        let printed = [output.stdout, output.stderr].concat();
        assert!(!String::from_utf8_lossy(&printed).contains(key), "{manner:?}");
        let seen = server.seen();
        let bearer = format!("authorization: Bearer {key}\r\n");
        let sent = seen.iter().all(|seen| seen.head.contains(&bearer));
        assert!(sent && !seen.is_empty(), "{manner:?}: {}", seen[0].head);
        assert_eq!(seen[0].body["dimensions"], 256);
    }
    for kept in walk(&stage.path("home")) {
        let bytes = std::fs::read(&kept).expect("a file");
        assert!(!bytes.windows(key.len()).any(|part| part == key.as_bytes()), "{}", kept.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn whatever_an_endpoint_does_words_still_find() {
    let (stage, server) = (stage(), ModelServer::start());
    endpoint(&stage, &server, "");
    for (manner, why) in [
        (Manner::Status(500), "answered with status 500"),
        (Manner::Status(401), "rejected the key"),
        (Manner::Status(404), "answered with status 404"),
        (Manner::Slow, "took too long"),
        (Manner::Garbage, "did not return usable vectors"),
        (Manner::Uneven, "did not return usable vectors"),
        (Manner::Short, "did not return usable vectors"),
        (Manner::Infinite, "did not return usable vectors"),
        (Manner::Huge, "did not return usable vectors"),
        (Manner::Redirect, "answered with status 307"),
        (Manner::Silent, ""),
    ] {
        server.behave(manner);
        let began = Instant::now();
        let answer = search(&stage, "flour", "hybrid");
        assert!(began.elapsed() < Duration::from_secs(7), "{manner:?}");
        assert_eq!(ids(&answer.reply), ["bread"], "{manner:?}");
        assert_eq!(answer.reply["data"]["mode"], "text", "{manner:?}");
        let hint = hint(&answer.reply);
        assert!(hint.contains(why) && hint.contains("keywords only"), "{manner:?}: {hint}");
        assert!(!answer.reply.to_string().contains("127.0.0.1"), "{manner:?}: {}", answer.reply);
        let seen = server.seen();
        assert_eq!(seen.len(), 1, "{manner:?}: a failure is not followed by more");
        assert!(seen[0].head.starts_with("POST /v1/embeddings "), "{manner:?}");
    }
    configure(&stage, "embeddings: {model: endpoint, url: 'http://127.0.0.1:1/', name: a}\n");
    let answer = search(&stage, "flour", "vector");
    assert_eq!(ids(&answer.reply), ["bread"]);
    assert!(hint(&answer.reply).contains("cannot be reached"), "{}", answer.reply);
}

#[test]
fn vectors_of_two_models_are_never_compared() {
    let (stage, server) = (stage(), ModelServer::start());
    configure(&stage, "");
    // What was written a moment ago is read once more, and loses its vector then.
    std::thread::sleep(Duration::from_millis(2100));
    let _ = stage.person(&["index"]);
    assert_eq!(counts(&stage), ("static".to_owned(), vec![3, 0, 0]));
    // The endpoint knows the question and no item: nothing is like it, though every item has a
    // vector of that size.
    endpoint(&stage, &server, "");
    server.behave(Manner::QuestionsOnly);
    let answer = search(&stage, "automobile mending", "vector");
    assert_eq!(ids(&answer.reply), Vec::<&str>::new(), "{}", answer.reply);
    assert_eq!(
        hint(&answer.reply),
        "3 items have no vector yet and could only be found by keywords."
    );
    assert_eq!(counts(&stage), ("endpoint".to_owned(), vec![3, 0, 0]));
    server.behave(Manner::Right);
    assert_eq!(ids(&search(&stage, "fixing a car", "vector").reply), ["garage"]);
    assert_eq!(counts(&stage), ("endpoint".to_owned(), vec![0, 0, 3]));
    // Another name there is another model.
    let url = server.url();
    configure(&stage, &format!("embeddings: {{model: endpoint, url: '{url}', name: other}}\n"));
    assert_eq!(counts(&stage), ("endpoint".to_owned(), vec![0, 0, 0]));
    assert_eq!(models(&stage)["waiting"], 3);
    // And back, without anybody's help.
    server.behave(Manner::Status(500));
    configure(&stage, "embeddings: {model: static}\n");
    let answer = search(&stage, "bread with flour and water", "vector");
    assert_eq!(ids(&answer.reply).first(), Some(&"bread"), "{}", answer.reply);
    assert_eq!(hint(&answer.reply), "");
    assert_eq!(counts(&stage), ("static".to_owned(), vec![3, 0, 0]));
}

#[test]
fn a_changed_item_gets_another_vector() {
    let (stage, server) = (stage(), ModelServer::start());
    endpoint(&stage, &server, "");
    assert_eq!(ids(&search(&stage, "fixing a car", "vector").reply), ["garage"]);
    server.seen();
    stage.file("project/.ai/knowledge/garage.md", &note("garage", "nothing of that"));
    stage.file("project/.ai/knowledge/tide.md", &note("tide", "vehicle repairing"));
    std::fs::remove_file(stage.path("project/.ai/knowledge/bread.md")).expect("a file");
    assert_eq!(ids(&search(&stage, "fixing a car", "vector").reply), ["tide"]);
    let sent = server.seen().iter().map(|seen| seen.texts().len()).sum::<usize>();
    assert_eq!(sent, 3, "the question and the two that changed");
}

#[test]
fn a_server_embeds_behind_its_calls() {
    let (stage, server) = (stage(), ModelServer::start());
    endpoint(&stage, &server, "");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut ask = |query: &str| {
        let call = full_search(json!({ "query": query, "mode": "vector" }));
        mcp.tool("search", &call)["structuredContent"].clone()
    };
    let first = ask("fixing a car");
    assert!(hint(&first).starts_with("3 items have no vector yet"), "{first}");
    let began = Instant::now();
    let last = loop {
        let reply = ask("fixing a car");
        if hint(&reply).is_empty() {
            break reply;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{reply}");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(ids(&last), ["garage"]);
    // After a failure it is left alone, whoever asks.
    server.behave(Manner::Status(500));
    server.seen();
    for _ in 0..3 {
        assert_eq!(ask("flour")["data"]["mode"], "text");
    }
    assert_eq!(server.seen().len(), 1);
    // A config that changes is a new beginning.
    server.behave(Manner::Right);
    endpoint(&stage, &server, " ");
    assert_eq!(ids(&ask("fixing a car")), ["garage"]);
}

#[test]
fn a_text_that_an_endpoint_refuses_keeps_no_other_from_its_vector() {
    let (stage, server) = (stage(), ModelServer::start());
    endpoint(&stage, &server, "");
    let _ = stage.person(&["index"]);
    stage.file("project/.ai/knowledge/more.md", &note("more", "more"));
    server.behave(Manner::Status(400));
    let output = stage.person(&["index", "--json"]);
    let reply = serde_json::from_slice::<Value>(&output.stdout).expect("JSON");
    assert_eq!(reply["data"]["search"], json!({ "items": 4, "waiting": 1 }), "{reply}");
    server.behave(Manner::Right);
    let _ = stage.person(&["index"]);
    assert_eq!(counts(&stage), ("endpoint".to_owned(), vec![0, 0, 4]));
}

#[test]
fn without_a_model_words_find() {
    let stage = stage();
    configure(&stage, "embeddings: {model: none}\n");
    let answer = search(&stage, "flour", "hybrid");
    assert_eq!(ids(&answer.reply), ["bread"]);
    assert_eq!(answer.reply["data"]["mode"], "text");
    let expected = "No embedding model is configured: items were found by keywords only.";
    assert_eq!(hint(&answer.reply), expected);
    assert_eq!(counts(&stage), ("none".to_owned(), vec![0, 0, 0]));
    let index = stage.person(&["index"]);
    assert_eq!(index.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&index.stderr), "");
}

#[test]
fn a_project_sends_nothing_anywhere() {
    let (stage, server) = (stage(), ModelServer::start());
    let url = server.url();
    let text = format!("embeddings: {{model: endpoint, url: '{url}', name: words}}\n");
    stage.file("project/.ai/config.yaml", &text);
    assert_eq!(ids(&search(&stage, "flour", "hybrid").reply).first(), Some(&"bread"));
    assert!(!stage.person(&["index"]).stdout.is_empty());
    let _ = stage.person(&["trust", "project", "--yes"]);
    assert_eq!(ids(&search(&stage, "flour", "hybrid").reply).first(), Some(&"bread"));
    assert_eq!(counts(&stage).0, "static");
    assert!(server.seen().is_empty());
}

#[test]
fn a_config_says_which_type_comes_first() {
    let stage = Stage::new();
    configure(&stage, "search: {typePriority: [memory]}\n");
    let tagged = "---\nid: b\ntitle: B\ntags: [same]\n---\nwords\n";
    stage.file("project/.ai/knowledge/b.md", tagged);
    let memory = json!({ "path": "a", "content": "words", "tags": ["same"] }).to_string();
    assert_eq!(stage.call_text("create_memory", &memory).status, 0);
    let kinds = || {
        let call = full_search(json!({ "query": "tag:same", "rank": "unified" })).to_string();
        let reply = stage.call_text("search", &call).reply;
        let hits = reply["data"]["results"].as_array().expect("hits").iter();
        hits.map(|hit| hit["item_type"].as_str().expect("a type").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(), ["memory", "knowledge"]);
    stage.file("project/.ai/config.yaml", "search: {typePriority: [knowledge]}\n");
    assert_eq!(kinds(), ["knowledge", "memory"]);
}
