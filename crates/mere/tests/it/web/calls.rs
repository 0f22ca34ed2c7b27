//! What a person can watch of agents' calls: on the page while the agent works, and by command.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ui_pages::OpenPages;
use crate::support::harness::{Mcp, Stage};

fn calls(stage: &Stage) -> Value {
    let output = stage.person(&["calls", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    serde_json::from_str::<Value>(&text).expect("JSON")["data"].clone()
}

/// A stage whose person has looked at the feed once.
fn watched_stage() -> Stage {
    let stage = Stage::new();
    assert_eq!(calls(&stage), json!({ "calls": [], "clients": [] }));
    stage
}

#[test]
fn nothing_is_written_before_a_person_watches_and_then_what_was_called_is_shown() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &[]);
    mcp.dir(&json!({ "command": "list" }));
    // Longer than the server waits before it writes.
    std::thread::sleep(Duration::from_millis(1_200));
    let folder = stage.path("home/.local/state/merestone/calls");
    assert!(!folder.exists());
    assert_eq!(calls(&stage)["calls"], json!([]));
    mcp.dir(&json!({ "command": "list" }));
    mcp.finish();
    assert_eq!(calls(&stage)["calls"].as_array().expect("a list").len(), 2);
}

#[test]
fn a_page_shows_the_calls_of_an_agent_while_it_works() {
    let pages = OpenPages::new();
    assert!(pages.page("/calls").contains("No agent has called anything"));
    let mut mcp = Mcp::greeted(&pages.person.stage, &[]);
    mcp.request("tools/list", &json!({}));
    mcp.tool("search", &json!({ "query": "greet" }));
    mcp.tool("load", &json!({ "item_type": "tool", "item_id": "no_such_tool" }));
    // The server is still running; it writes the feed twice a second.
    let began = Instant::now();
    let page = loop {
        let page = pages.page("/calls");
        if page.contains("load") || began.elapsed() > Duration::from_secs(30) {
            break page;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    for shown in
        ["Test-Client", "<code>search</code>", "<code>load</code>", "IT-ITEM-I-001", " tools"]
    {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    mcp.finish();
}

#[test]
fn the_feed_says_who_was_shown_what_and_how_calls_ended() {
    let stage = watched_stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let listed = mcp.request("tools/list", &json!({}))["result"]["tools"].clone();
    let listed = listed.as_array().expect("a list").len();
    mcp.dir(&json!({ "command": "list" }));
    mcp.dir(&json!({ "command": "list", "path": "no/such/folder" }));
    mcp.request("prompts/get", &json!({ "name": "none" }));
    mcp.finish();
    let data = calls(&stage);
    let made = data["calls"].as_array().expect("a list");
    assert_eq!(made.len(), 3, "{data}");
    assert_eq!((&made[0]["tool"], &made[0]["succeeded"]), (&json!("prompts/get"), &json!(false)));
    assert_eq!((&made[1]["tool"], &made[1]["succeeded"]), (&json!("dir"), &json!(false)));
    assert_eq!((&made[2]["agent"], &made[2]["succeeded"]), (&json!("Test-Client"), &json!(true)));
    let client = &data["clients"][0];
    assert_eq!((&client["calls"], &client["refused"]), (&json!(3), &json!(2)));
    assert_eq!(client["lists"][0]["of"], "tools");
    assert_eq!(client["lists"][0]["count"], listed);
    assert!(client["lists"][0]["tokens"].as_u64().expect("a number") > 1_000, "{client}");
}

#[test]
fn the_feed_has_no_content_and_is_private() {
    let stage = watched_stage();
    stage.file("project/notes.txt", "the colour of the day is mauve\n");
    let mut mcp = Mcp::greeted(&stage, &[]);
    mcp.tool("read", &json!({ "path": "notes.txt" }));
    mcp.tool("grep", &json!({ "pattern": "mauve" }));
    mcp.finish();
    assert_eq!(calls(&stage)["calls"].as_array().expect("a list").len(), 2);
    let folder = stage.path("home/.local/state/merestone/calls");
    let file = folder.join("calls-000001.jsonl");
    let text = fs::read_to_string(&file).expect("the feed");
    assert!(!text.contains("mauve"), "{text}");
    stage.check(&text);
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&file).expect("a file"));
    assert_eq!(mode & 0o777, 0o600);
    // A feed that cannot be read is left aside, line by line.
    fs::write(&file, format!("not a line\n{text}{{\"at\":1}}\n")).expect("written");
    assert_eq!(calls(&stage)["calls"].as_array().expect("a list").len(), 2);
}

#[test]
fn the_feed_of_one_project_does_not_show_another_and_people_are_not_in_it() {
    let stage = watched_stage();
    stage.folder("other/.git");
    let mut command = stage.command("other");
    command.arg("mcp");
    let mut mcp = Mcp::spawn(&stage, command);
    mcp.greet();
    mcp.dir(&json!({ "command": "list" }));
    mcp.finish();
    stage.call(&json!({ "command": "list" }));
    stage.person(&["list"]);
    assert_eq!(calls(&stage), json!({ "calls": [], "clients": [] }));
}

#[test]
fn a_feed_that_cannot_be_written_keeps_no_agent_from_working() {
    let stage = Stage::new();
    stage.file("home/.local/state/merestone/calls", "a file in its place");
    let mut mcp = Mcp::greeted(&stage, &[]);
    assert_eq!(mcp.dir(&json!({ "command": "list" }))["reply_type"], "S");
    let (code, _) = mcp.finish();
    assert_eq!(code, 0);
}
