//! Prompts, resources and their subscriptions, as a client sees them.

use serde_json::{Value, json};

use super::offered::{SKILL, space, succeed};
use crate::support::harness::{Mcp, Stage};

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list").iter();
    list.map(|one| one["name"].as_str().expect("a name")).collect()
}

#[test]
fn directives_and_skills_are_prompts_with_arguments() {
    let stage = space();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let listed = mcp.request("prompts/list", &json!({}))["result"]["prompts"].clone();
    assert_eq!(names(&listed), ["examples/summarize-folder", "ops/deploy", "ops/release"]);
    let arguments = &listed[2]["arguments"];
    assert_eq!(
        arguments[0],
        json!({
            "name": "channel", "description": "Where it goes.", "required": true
        })
    );
    assert_eq!(
        (&arguments[1]["name"], &arguments[1]["required"]),
        (&json!("count"), &json!(false))
    );
    let mut get = |arguments: Value| {
        mcp.request("prompts/get", &json!({ "name": "release", "arguments": arguments }))
    };
    // The arguments of a prompt are texts; the schema says what they mean.
    let got = get(json!({ "channel": "beta", "count": "3" }));
    let text = got["result"]["messages"][0]["content"]["text"].as_str().expect("a text");
    assert!(text.contains(r#"{"channel":"beta","count":3}"#), "{text}");
    assert!(text.contains("Tag it."), "{text}");
    for wrong in
        [json!({}), json!({ "channel": "nightly" }), json!({ "channel": "beta", "x": "1" })]
    {
        let refused = get(wrong);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(refused["error"]["data"]["data"]["input_schema"].is_object(), "{refused}");
    }
    let skill = mcp.request("prompts/get", &json!({ "name": "ops/deploy" }));
    let text = skill["result"]["messages"][0]["content"]["text"].as_str().expect("a text");
    assert!(text.contains("then tell the team"), "{text}");
    assert!(text.contains("skill://ops/deploy/references/a%20b%25.md"), "{text}");
    let missing = mcp.request("prompts/get", &json!({ "name": "relase" }));
    assert!(missing["error"]["data"]["hint"].to_string().contains("ops/release"), "{missing}");
}

#[test]
fn a_prompt_opens_no_run_and_says_how_one_is_opened() {
    let stage = space();
    let narrow = "<directive name=\"narrow\" version=\"1.0.0\"><metadata><description>d</description>\
        </metadata><permissions><read resource=\"filesystem\" path=\"src/**\"/></permissions><process>\
        <step name=\"a\"><description>d</description><action>a</action></step></process></directive>\n";
    stage.file("project/.ai/directives/narrow.md", narrow);
    succeed(&stage, &["sign", "directive", "narrow", "--yes"]);
    let mut mcp = Mcp::greeted(&stage, &["--toolsets", "items,memory,files"]);
    let got = mcp.request("prompts/get", &json!({ "name": "narrow" })).to_string();
    assert!(got.contains("call `execute`"), "{got}");
    let wrote = mcp.tool("write", &json!({ "path": "ROOT_WORKSPACE:/x.md", "content": "x" }));
    assert_eq!(wrote["structuredContent"]["reply_type"], "S", "{wrote}");
}

#[test]
fn completion_knows_values_of_inputs_and_names_of_items() {
    let stage = space();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut complete = |reference: Value, name: &str, typed: &str| {
        let argument = json!({ "name": name, "value": typed });
        let params = json!({ "ref": reference, "argument": argument });
        mcp.request("completion/complete", &params)["result"]["completion"]["values"].clone()
    };
    let prompt = json!({ "type": "ref/prompt", "name": "ops/release" });
    assert_eq!(complete(prompt.clone(), "channel", "st"), json!(["stable", "staging"]));
    assert_eq!(complete(prompt, "nope", ""), json!([]));
    let resource = |uri: &str| json!({ "type": "ref/resource", "uri": uri });
    assert_eq!(complete(resource("mere://knowledge/{+id}"), "id", "api/"), json!(["api/jwt"]));
    assert_eq!(complete(resource("mere://memory/{+path}"), "path", "wel"), json!(["welcome"]));
    assert_eq!(complete(resource("mere://file/{+address}"), "address", "x"), json!([]));
}

#[test]
fn notes_memories_files_and_skills_are_resources() {
    let stage = space();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let listed = mcp.request("resources/list", &json!({}))["result"]["resources"].clone();
    let uris = listed.as_array().expect("resources").iter().map(|one| one["uri"].clone());
    assert_eq!(
        uris.collect::<Vec<_>>(),
        [
            "skill://ops/deploy/SKILL.md",
            "mere://knowledge/api/jwt",
            "mere://knowledge/examples/how-items-work",
            "mere://memory/welcome"
        ]
    );
    let mut read = |uri: &str| mcp.request("resources/read", &json!({ "uri": uri }));
    for uri in ["skill://ops/deploy/SKILL.md", "mere://knowledge/api/jwt", "mere://memory/welcome"]
    {
        let contents = read(uri)["result"]["contents"][0].clone();
        assert_eq!(
            (&contents["uri"], &contents["mimeType"]),
            (&json!(uri), &json!("text/markdown"))
        );
        assert!(contents["text"].as_str().is_some_and(|text| text.contains('#')), "{contents}");
    }
    assert_eq!(read("skill://ops/deploy/SKILL.md")["result"]["contents"][0]["text"], SKILL);
    let picture = read("skill://ops/deploy/picture.bin")["result"]["contents"][0].clone();
    assert_eq!(picture["blob"], "iVBORw0KGgoA/w==", "{picture}");
    let odd = read("skill://ops/deploy/references/a%20b%25.md");
    assert_eq!(odd["result"]["contents"][0]["text"], "# Ärger\n", "{odd}");
    // A client may escape what it puts into a template.
    let file = read("mere://file/ROOT_PROJECT%3A%2Fsrc%2Fmain.rs");
    assert_eq!(file["result"]["contents"][0]["uri"], "mere://file/ROOT_PROJECT:/src/main.rs");
    assert_eq!(file["result"]["contents"][0]["text"], "fn main() {}\n", "{file}");
    let templates = mcp.request("resources/templates/list", &json!({}))["result"].clone();
    assert_eq!(templates["resourceTemplates"].as_array().map(Vec::len), Some(4), "{templates}");
}

#[test]
fn lists_come_in_pages_and_a_cursor_belongs_to_its_list() {
    let stage = space();
    for number in 0..120 {
        let id = format!("n{number:03}");
        let note = format!("---\nid: {id}\ntitle: Note\nversion: \"1.0.0\"\n---\nx\n");
        stage.file(&format!("project/.ai/knowledge/many/{id}.md"), &note);
    }
    let mut mcp = Mcp::greeted(&stage, &[]);
    let (mut found, mut pages, mut cursor) = (Vec::new(), 0, Value::Null);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let page = mcp.request("resources/list", &params)["result"].clone();
        found.extend(page["resources"].as_array().expect("resources").clone());
        pages += 1;
        match page.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert_eq!((found.len(), pages), (124, 3));
    found.dedup();
    assert_eq!(found.len(), 124);
    for (method, cursor) in [("prompts/list", &cursor), ("resources/list", &json!("x"))] {
        let refused = mcp.request(method, &json!({ "cursor": cursor }));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}

#[test]
fn a_subscriber_is_told_about_an_edit_and_no_longer_once_it_has_left() {
    let stage = space();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let uri = json!({ "uri": "mere://knowledge/api/jwt" });
    assert_eq!(mcp.request("resources/subscribe", &uri)["result"], json!({}));
    stage.file("project/.ai/knowledge/api/jwt.md", "---\nid: jwt\ntitle: Keys\n---\nNew.\n");
    let updated = receive_notification(&mut mcp, "notifications/resources/updated");
    assert_eq!(updated["params"], uri, "{updated}");
    assert_eq!(mcp.request("resources/unsubscribe", &uri)["result"], json!({}));
    let file = json!({ "uri": "mere://file/ROOT_PROJECT:/src/main.rs" });
    mcp.request("resources/subscribe", &file);
    stage.file("project/.ai/knowledge/api/jwt.md", "---\nid: jwt\ntitle: Keys\n---\nNewer.\n");
    std::fs::remove_file(stage.path("project/src/main.rs")).expect("a file");
    let updated = receive_notification(&mut mcp, "notifications/resources/updated");
    assert_eq!(updated["params"], file, "{updated}");
    for uri in ["mere://file/ROOT_PROJECT%3A/x", "file:///etc/passwd", ""] {
        let refused = mcp.request("resources/subscribe", &json!({ "uri": uri }));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}

#[test]
fn new_items_and_memories_change_the_lists() {
    let stage = space();
    let mut mcp = Mcp::greeted(&stage, &[]);
    mcp.request("prompts/list", &json!({}));
    mcp.request("resources/list", &json!({}));
    stage.file("project/.ai/knowledge/api/new.md", "---\nid: new\ntitle: New\n---\nx\n");
    receive_notification(&mut mcp, "notifications/prompts/list_changed");
    receive_notification(&mut mcp, "notifications/resources/list_changed");
    mcp.tool("create_memory", &json!({ "path": "note", "content": "x" }));
    receive_notification(&mut mcp, "notifications/resources/list_changed");
}

/// Receives until a notification of this method arrives.
fn receive_notification(mcp: &mut Mcp<'_>, method: &str) -> Value {
    loop {
        let message = mcp.receive();
        if message["method"] == method {
            return message;
        }
    }
}

#[test]
fn an_unknown_method_gets_a_sentence() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for method in ["roots/list", "skills/install", "prompts/delete", "x"] {
        let refused = mcp.request(method, &json!({}))["error"].clone();
        assert_eq!(refused["code"], -32601, "{refused}");
        let said = refused["message"].as_str().expect("a message");
        assert!(said.starts_with("This server has no such method."), "{said}");
    }
}

#[test]
fn a_client_that_watches_too_much_is_refused() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let mut subscribe = |number: usize| {
        let uri = format!("mere://file/ROOT_PROJECT:/{number}");
        mcp.request("resources/subscribe", &json!({ "uri": uri }))
    };
    for number in 0..128 {
        assert_eq!(subscribe(number)["result"], json!({}), "{number}");
    }
    assert_eq!(subscribe(5)["result"], json!({}), "once more");
    assert_eq!(subscribe(128)["error"]["code"], -32602);
}

#[test]
fn the_workspace_of_another_agent_is_no_resource() {
    let stage = space();
    stage.file("project/.ai/workspaces/one/note.md", "mine\n");
    let note = json!({ "uri": "mere://file/ROOT_WORKSPACE:/note.md" });
    let mut one = Mcp::greeted(&stage, &["--agent", "one"]);
    let read = one.request("resources/read", &note);
    assert_eq!(read["result"]["contents"][0]["text"], "mine\n", "{read}");
    let mut other = Mcp::greeted(&stage, &["--agent", "other"]);
    let refused = other.request("resources/read", &note);
    assert_eq!(refused["error"]["code"], -32002, "{refused}");
}
