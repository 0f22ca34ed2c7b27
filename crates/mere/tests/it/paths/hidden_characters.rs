//! Characters that nobody sees: an agent is told that a text has some, and a person is shown them.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::samples::directive;

const HIDDEN: &str = "pay\u{202e}load\u{2066} zero\u{200b}width \u{e0049}\u{e0067}\u{e006e}";
const COUNTS: &str =
    "hidden characters: 2 bidirectional controls, 1 zero-width character, 3 tag characters";

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

fn stage(text: &str) -> Stage {
    let stage = Stage::new();
    let note = format!("---\nid: odd\ntitle: Odd\n---\nFind me: {text}\n");
    stage.file("project/.ai/knowledge/odd.md", &note);
    stage.file("project/.ai/memory/odd.md", &format!("# Odd\n\nFind me: {text}\n"));
    let steps = directive("walk").replace("Act.", &format!("Act. {text}"));
    stage.file("project/.ai/directives/walk.md", &steps);
    stage.file("project/plain.txt", &format!("Find me: {text}\n"));
    stage
}

const CALLS: [(&str, &str); 8] = [
    ("read", r#"{"path":"plain.txt"}"#),
    ("grep", r#"{"pattern":"Find","path":"plain.txt"}"#),
    ("load", r#"{"item_type":"knowledge","item_id":"odd"}"#),
    ("get_memory", r#"{"path":"odd"}"#),
    ("search", r#"{"query":"find","item_types":["knowledge"]}"#),
    ("search", r#"{"query":"find","item_types":["knowledge"],"limit":10,"detail":"full"}"#),
    ("execute", r#"{"item_type":"knowledge","item_id":"odd"}"#),
    ("execute", r#"{"item_type":"directive","item_id":"walk"}"#),
];

#[test]
fn an_agent_is_told_of_hidden_characters() {
    let stage = stage(HIDDEN);
    for (tool, arguments) in CALLS {
        let reply = call(&stage, tool, &serde_json::from_str(arguments).expect("JSON"));
        assert_eq!(reply["reply_type"], "S", "{tool}: {reply}");
        let warning = reply["data"]["warnings"][0].as_str().unwrap_or_else(|| panic!("{reply}"));
        assert!(warning.starts_with("hidden characters: "), "{tool}: {warning}");
        if tool == "read" {
            assert!(warning.starts_with(COUNTS), "{warning}");
        }
    }
}

#[test]
fn what_writing_needs_is_no_warning() {
    let stage = stage("👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} می\u{200c}خواهم ශ්\u{200d}රී “x” — 日本語");
    for (tool, arguments) in CALLS {
        let reply = call(&stage, tool, &serde_json::from_str(arguments).expect("JSON"));
        assert_eq!(reply["data"].get("warnings"), None, "{tool}: {reply}");
    }
}

#[test]
fn a_person_is_shown_escapes_also_through_a_pipe() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    stage.person(&["init", "--template", "blank"]);
    let text = "Red \u{1b}[31mtext\u{1b}]0;title\u{7} and\u{202e}back\u{200b}\n";
    let note = format!("---\nid: odd\ntitle: Odd\n---\n{text}");
    stage.file("project/.ai/knowledge/odd.md", &note);
    let signing = stage.person(&["sign", "knowledge", "odd", "--dry-run"]);
    stage.person(&["sign", "knowledge", "odd"]);
    let update = json!({
        "item_type": "knowledge", "action": "update", "item_id": "odd",
        "content": note.replace("Red", "Red again")
    });
    let proposed = call(&stage, "execute", &update);
    assert_eq!(proposed["code"], "IT-CHANGE-S-002", "{proposed}");
    let list = stage.person(&["review", "--list", "--json"]).stdout;
    let list = serde_json::from_slice::<Value>(&list).expect("JSON");
    let name = list["data"]["proposals"][0]["proposal"].as_str().expect("a name");
    let review = stage.person(&["review", "--show", name]);
    for (name, output) in [("sign", signing), ("review", review)] {
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(shown.contains("Red"), "{name}: {shown:?} {output:?}");
        let is_raw =
            |c: char| c.is_control() && c != '\n' && c != '\t' || "\u{202e}\u{200b}".contains(c);
        assert!(!shown.contains(is_raw), "{name}: {shown:?}");
    }
}
