//! A directive's permissions hold for its run: what they list goes through, and nothing else.

use serde_json::{Value, json};

use crate::support::harness::{Http, Mcp, modern_meta};
use crate::support::samples::{directive_with, note};
use crate::support::workshop::{Who, Workshop, manifest};

/// What the directive `research` permits.
const PERMISSIONS: &str = "<permissions>\
    <execute resource=\"tool\" action=\"web_search\"/>\
    <read resource=\"filesystem\" path=\"src/**\"/>\
    <write resource=\"filesystem\" path=\"src/**\"/>\
    <write resource=\"memory\" path=\"api\"/>\
    </permissions>";

/// A project with two tools, files in and beside `src`, and three directives.
pub(super) fn workshop() -> Workshop {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("web_search", "bash_runtime", "echo found\n");
    workshop.tool("other", "bash_runtime", "echo other\n");
    let stage = &workshop.stage;
    stage.file("project/src/a.rs", "fn needle() {}\n");
    stage.file("project/docs/b.md", "needle\n");
    stage.file("project/.ai/knowledge/n.md", &note("n", "needle"));
    sign_directive(&workshop, "research", PERMISSIONS);
    sign_directive(&workshop, "free", "");
    sign_directive(&workshop, "nothing", "<permissions></permissions>");
    workshop
}

/// Writes a directive with these parts, and signs it.
pub(super) fn sign_directive(workshop: &Workshop, id: &str, parts: &str) {
    let file = format!("project/.ai/directives/{id}.md");
    workshop.stage.file(&file, &directive_with(id, parts));
    workshop.person(&["sign", "directive", id]);
}

/// The reply to a tool call over stdio.
pub(super) fn ask(mcp: &mut Mcp<'_>, tool: &str, arguments: &Value) -> Value {
    mcp.tool(tool, arguments)["structuredContent"].clone()
}

/// The arguments that run an item.
pub(super) fn run(kind: &str, id: &str) -> Value {
    json!({ "item_type": kind, "item_id": id })
}

/// Runs a directive over stdio, and returns the handle of its run.
pub(super) fn follow(mcp: &mut Mcp<'_>, id: &str) -> String {
    let reply = ask(mcp, "execute", &run("directive", id));
    assert_eq!(reply["reply_type"], "S", "{reply:#}");
    let handle = reply["data"]["run"].as_str().expect("a run").to_owned();
    assert_eq!(handle.len(), 32, "{reply:#}");
    handle
}

fn check_missing(reply: &Value, missing: &str) {
    assert_eq!(reply["code"], "EN-RUN-D-006", "{missing}: {reply:#}");
    assert_eq!(reply["data"]["missing"], missing, "{reply:#}");
    assert!(reply["message"].as_str().is_some_and(|text| text.contains(missing)), "{reply:#}");
}

#[test]
fn exactly_what_a_directive_lists_goes_through() {
    let workshop = workshop();
    let mut mcp = Mcp::greeted(&workshop.stage, &[]);
    follow(&mut mcp, "research");
    let mut ask = |tool: &str, arguments: Value| ask(&mut mcp, tool, &arguments);
    let ran = ask("execute", run("tool", "web_search"));
    assert_eq!(ran["data"]["stdout"], "found\n", "{ran:#}");
    check_missing(&ask("execute", run("tool", "other")), "tool other");
    check_missing(&ask("execute", run("tool", "absent")), "tool absent");
    // Writes, which agents make in their workspace.
    let write = |path: &str| json!({ "path": path, "content": "x\n", "create_dirs": true });
    let written = ask("write", write("ROOT_WORKSPACE:/src/new.rs"));
    assert_eq!(written["reply_type"], "S", "{written:#}");
    let project = ask("write", write("ROOT_PROJECT:/src/new.rs"));
    assert_eq!(project["code"], "EN-WRITE-D-001", "{project:#}");
    check_missing(&ask("write", write("ROOT_PROJECT:/docs/b.md")), "filesystem write docs/b.md");
    let outside = "filesystem write ROOT_WORKSPACE:/notes.md";
    check_missing(&ask("write", write("ROOT_WORKSPACE:/notes.md")), outside);
    check_missing(&ask("delete", json!({ "path": "ROOT_WORKSPACE:/notes.md" })), outside);
    check_missing(&ask("mkdir", json!({ "path": "ROOT_WORKSPACE:/notes.md" })), outside);
    let moved = json!({ "from": "ROOT_WORKSPACE:/src/new.rs", "to": "ROOT_WORKSPACE:/notes.md" });
    check_missing(&ask("move", moved), outside);
    let made = json!({
        "item_type": "knowledge", "action": "create", "item_id": "m", "content": note("m", "x"),
    });
    check_missing(&ask("execute", made), "filesystem write .ai/knowledge/m.md");
    // Reads.
    assert_eq!(ask("read", json!({ "path": "src/a.rs" }))["reply_type"], "S");
    let listed = ask("dir", json!({ "command": "list" }));
    assert_eq!(listed["data"]["entries"].as_array().map(Vec::len), Some(1), "{listed:#}");
    for path in ["docs/b.md", "docs/", ".ai/knowledge/n.md", "ROOT_USER:/config.yaml"] {
        let hidden = ask("read", json!({ "path": path }));
        let absent = ask("read", json!({ "path": "absent" }));
        assert_eq!(hidden["code"], absent["code"], "{path}: {hidden:#}");
        assert_eq!(hidden["message"], absent["message"], "{path}");
    }
    let found = ask("grep", json!({ "pattern": "needle" }));
    assert!(found.to_string().contains("src/a.rs"), "{found:#}");
    assert!(!found.to_string().contains("docs"), "{found:#}");
    // Memories.
    let memory = |path: &str| json!({ "path": path, "content": "x" });
    assert_eq!(ask("create_category", json!({ "path": "api" }))["reply_type"], "S");
    assert_eq!(ask("create_memory", memory("api/one"))["reply_type"], "S");
    assert_eq!(ask("get_memory", json!({ "path": "api/one" }))["reply_type"], "S");
    check_missing(&ask("create_memory", memory("two")), "memory write two");
    check_missing(&ask("create_category", json!({ "path": "web" })), "memory write web");
    let moved = json!({ "from": "api/one", "to": "two" });
    check_missing(&ask("move_memory", moved), "memory write two");
    // What always answers.
    assert_eq!(ask("help", json!({}))["reply_type"], "S");
    assert_eq!(ask("dir", json!({}))["reply_type"], "S");
    assert_eq!(ask("load", run("directive", "research"))["reply_type"], "S");
    assert_eq!(ask("load", run("tool", "web_search"))["reply_type"], "S");
    assert_eq!(ask("load", run("tool", "other"))["reply_type"], "I");
}

#[test]
fn every_file_that_a_change_writes_must_be_listed() {
    let workshop = workshop();
    let permissions = "<permissions><read resource=\"filesystem\" path=\"**\"/>\
        <write resource=\"filesystem\" path=\".ai/tools/t/other.yaml\"/></permissions>";
    sign_directive(&workshop, "narrow", permissions);
    let mut mcp = Mcp::greeted(&workshop.stage, &[]);
    let script = json!([{ "path": "other.sh", "content": "echo changed\n" }]);
    let update = |files: &Value| {
        json!({
            "item_type": "tool", "action": "update", "item_id": "t/other",
            "content": manifest("other", "bash_runtime", "other.sh"), "files": files,
        })
    };
    follow(&mut mcp, "narrow");
    let refused = ask(&mut mcp, "execute", &update(&script));
    check_missing(&refused, "filesystem write .ai/tools/t/other.sh");
    // The manifest alone may be changed, and with another directive the script, too.
    assert_eq!(ask(&mut mcp, "execute", &update(&json!([])))["reply_type"], "S");
    follow(&mut mcp, "free");
    assert_eq!(ask(&mut mcp, "execute", &update(&script))["reply_type"], "S");
}

#[test]
fn closing_a_run_or_running_the_next_directive_ends_it() {
    let workshop = workshop();
    let mut mcp = Mcp::greeted(&workshop.stage, &[]);
    let docs = json!({ "path": "docs/b.md" });
    assert_eq!(ask(&mut mcp, "read", &docs)["reply_type"], "S");
    let first = follow(&mut mcp, "nothing");
    assert_eq!(ask(&mut mcp, "read", &docs)["reply_type"], "I");
    assert_eq!(ask(&mut mcp, "execute", &run("tool", "web_search"))["reply_type"], "D");
    let second = follow(&mut mcp, "free");
    assert_ne!(first, second);
    assert_eq!(ask(&mut mcp, "read", &docs)["reply_type"], "S", "it narrows nothing");
    let unknown = ask(&mut mcp, "read", &json!({ "path": "docs/b.md", "run": first }));
    assert_eq!(unknown["code"], "IT-RUN-I-005", "{unknown:#}");
    let third = follow(&mut mcp, "research");
    let close = json!({ "action": "close", "run": third });
    let closed = ask(&mut mcp, "execute", &close);
    assert_eq!(closed["code"], "IT-RUN-S-003", "{closed:#}");
    assert_eq!(ask(&mut mcp, "read", &docs)["reply_type"], "S");
    assert_eq!(ask(&mut mcp, "execute", &close)["code"], "IT-RUN-I-005");
    let named = json!({ "action": "close", "run": third, "item_id": "research" });
    assert_eq!(ask(&mut mcp, "execute", &named)["code"], "MCP-ARG-I-001");
}

#[test]
fn a_refused_tool_leaves_a_receipt() {
    let workshop = workshop();
    let mut mcp = Mcp::greeted(&workshop.stage, &[]);
    follow(&mut mcp, "research");
    check_missing(&ask(&mut mcp, "execute", &run("tool", "t/other")), "tool t/other");
    drop(mcp);
    let output = workshop.person(&["runs", "--json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("EN-RUN-D-006") && text.contains("t/other"), "{text}");
}

/// The reply to a call over HTTP in the stateless revision.
pub(super) fn post(http: &Http<'_>, token: &str, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "_meta": modern_meta(), "name": tool, "arguments": arguments });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let bearer = format!("Bearer {token}");
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
        ("Authorization", &bearer),
    ];
    http.post(&headers, &message.to_string()).reply()
}

pub(super) fn token(workshop: &Workshop, agent: &str) -> String {
    let output = workshop.person(&["mcp", "token", "create", "--agent", agent]);
    String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
}

#[test]
fn over_http_a_run_binds_the_calls_that_name_it() {
    let workshop = workshop();
    let (one, two) = (token(&workshop, "one"), token(&workshop, "two"));
    let http = Http::start(&workshop.stage, &[]);
    let ask = |token: &str, tool: &str, arguments: Value| post(&http, token, tool, &arguments);
    let opened = ask(&one, "execute", run("directive", "research"));
    let handle = opened["data"]["run"].as_str().expect("a run").to_owned();
    let with_run = |mut arguments: Value| {
        arguments["run"] = json!(handle);
        arguments
    };
    // Without the handle nothing is run or written, and with it only what is listed.
    let tool = || run("tool", "web_search");
    assert_eq!(ask(&one, "execute", tool())["code"], "EN-RUN-D-007");
    let write = json!({ "path": "ROOT_WORKSPACE:/src/x", "content": "x", "create_dirs": true });
    assert_eq!(ask(&one, "write", write.clone())["code"], "EN-RUN-D-007");
    assert_eq!(ask(&one, "execute", with_run(tool()))["data"]["stdout"], "found\n");
    assert_eq!(ask(&one, "write", with_run(write))["reply_type"], "S");
    check_missing(&ask(&one, "execute", with_run(run("tool", "other"))), "tool other");
    let read = || json!({ "path": "docs/b.md" });
    assert_eq!(ask(&one, "read", read())["reply_type"], "S");
    assert_eq!(ask(&one, "read", with_run(read()))["code"], "WA-PATH-I-001");
    // Another agent is not bound, and cannot tell the handle from one that never was.
    assert_eq!(ask(&two, "execute", tool())["data"]["stdout"], "found\n");
    let foreign = ask(&two, "read", with_run(read()));
    let unknown = ask(&two, "read", json!({ "path": "docs/b.md", "run": "0" }));
    assert_eq!(foreign["code"], "IT-RUN-I-005", "{foreign:#}");
    assert_eq!(foreign["message"], unknown["message"]);
    let close = json!({ "action": "close", "run": handle });
    assert_eq!(ask(&two, "execute", close.clone())["code"], "IT-RUN-I-005");
    assert_eq!(ask(&one, "execute", json!({ "action": "close" }))["code"], "IT-RUN-I-005");
    assert_eq!(ask(&one, "execute", close)["reply_type"], "S");
    assert_eq!(ask(&one, "execute", with_run(tool()))["code"], "IT-RUN-I-005");
    assert_eq!(ask(&one, "execute", tool())["data"]["stdout"], "found\n");
}

#[test]
fn the_user_can_let_calls_without_a_handle_through() {
    let workshop = workshop();
    let config = "sign: {unattended: true}\nruns: {require_handle: false}\n";
    workshop.stage.file("home/.ai/config.yaml", config);
    let token = token(&workshop, "one");
    let http = Http::start(&workshop.stage, &[]);
    let opened = post(&http, &token, "execute", &run("directive", "nothing"));
    assert_eq!(opened["reply_type"], "S", "{opened:#}");
    let ran = post(&http, &token, "execute", &run("tool", "web_search"));
    assert_eq!(ran["data"]["stdout"], "found\n", "{ran:#}");
}

#[test]
fn a_process_of_one_call_forgets_its_run() {
    let workshop = workshop();
    let stage = &workshop.stage;
    let opened = stage.call_text("execute", &run("directive", "nothing").to_string());
    assert!(opened.reply["data"]["run"].is_string(), "{:#}", opened.reply);
    let read = stage.call_text("read", &json!({ "path": "docs/b.md" }).to_string());
    assert_eq!(read.reply["reply_type"], "S", "{:#}", read.reply);
}
