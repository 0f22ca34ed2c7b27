//! A folder in the older format, as its first users have it: signature comments in the files,
//! numeric ids, scripts that carry their own metadata, and lockfiles of another shape.
//!
//! Nothing that an author wrote gets lost, and whatever is refused names its fix.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::searches::full_search;
use crate::trust::keys::{done, run, text};

const SIGNED: &str = "<!-- kiwi-mcp:validated:2026-01-24T10:00:00Z:3f2a9c -->\n";

const SCRIPT: &str = r#"# kiwi-mcp:validated:2026-01-24T10:00:00Z:3f2a9c
"""Counts the words of a text."""
__version__ = "2.1.0"
__tool_type__ = "python"
__executor_id__ = "python_runtime"
__category__ = "words"


def main(text: str, limit: int = 10):
    return {"words": min(len(text.split()), limit)}
"#;

const OLD_LOCKFILE: &str = r#"{
  "version": "1",
  "tool_id": "counter",
  "chain": [{"tool_id": "counter", "integrity": "0000"}],
  "metadata": {"tool_id": "counter", "version": "2.1.0", "parent_path": "lockfiles"}
}
"#;

/// The ways in which authors write a process, each with the word `MARK` where text could get lost.
const PROCESSES: [&str; 10] = [
    "<step name=\"a\">MARK</step>",
    "<step name=\"a\"><description>MARK</description><action>MARK</action></step>",
    "<step name=\"a\"><tool_call name=\"MARK\"><param name=\"q\">MARK</param></tool_call></step>",
    "<step name=\"a\"><instruction>MARK <command>MARK</command> MARK</instruction></step>",
    "<step name=\"a\"><template><![CDATA[<MARK> & more]]></template></step>",
    "<phase name=\"MARK\"><step name=\"a\">MARK</step>MARK<step name=\"b\">MARK</step></phase>",
    "<phase name=\"p\"><wave number=\"MARK\"><step name=\"a\">MARK</step></wave></phase>",
    "MARK <step name=\"a\" model=\"MARK\"><action>MARK</action> MARK</step> MARK",
    "<note level=\"MARK\">MARK</note><step name=\"a\"><action kind=\"MARK\">MARK</action></step>",
    "<step name=\"a\"><action>MARK</action><action>MARK</action><verify>MARK</verify></step>",
];

/// What stands around the process, in four ways.
const FRAMES: [&str; 4] = [
    "<directive name=\"NAME\" version=\"1.0.0\">\n<metadata><description>MARK</description>\
     </metadata>\n<process>PROCESS</process>\n</directive>\n",
    "# Title\n\n```xml\n<directive name=\"NAME\" version=\"1.0.0\">\n<metadata>\
     <model_class>MARK</model_class></metadata>\n<inputs><input name=\"topic\" default=\"MARK\">MARK\
     </input> MARK</inputs>\n<process>PROCESS</process>\n</directive>\n```\n",
    "<directive name=\"NAME\" version=\"1.0.0\">\n<metadata><permissions><read \
     resource=\"filesystem\" path=\"MARK\"/></permissions></metadata>\n\
     <context><why note=\"MARK\">MARK</why></context>\n<process>PROCESS</process>\n\
     <outputs><success>MARK</success> MARK</outputs>\n</directive>\n",
    "<directive name=\"NAME\" version=\"1.0.0\">\n<metadata/>\n<inputs><schema>input_schema:\n\
     \x20 type: object\n  properties:\n    topic: {type: string, description: MARK}\n</schema>\
     </inputs>\n<process>PROCESS</process>\n</directive>\n",
];

/// Forty directives of many shapes, each with the words that must come back when it is run.
fn directives() -> Vec<(String, String, Vec<String>)> {
    let mut all = Vec::new();
    for (frame_number, frame) in FRAMES.iter().enumerate() {
        for (process_number, process) in PROCESSES.iter().enumerate() {
            let name = format!("shape-{frame_number}-{process_number}");
            let text = frame.replace("NAME", &name).replace("PROCESS", process);
            let (mut marked, mut marks) = (String::new(), Vec::new());
            for (number, piece) in text.split("MARK").enumerate() {
                if number > 0 {
                    let mark = format!("word{frame_number}x{process_number}x{number}end");
                    marked.push_str(&mark);
                    marks.push(mark);
                }
                marked.push_str(piece);
            }
            let comment = if process_number % 2 == 0 { SIGNED } else { "" };
            all.push((name, format!("{comment}{marked}"), marks));
        }
    }
    all
}

fn older_folder() -> Stage {
    let stage = Stage::new();
    for (name, text, _) in directives() {
        stage.file(&format!("project/.ai/directives/shapes/{name}.md"), &text);
    }
    let note = "---\nzettel_id: 20260124\ntitle: Numbers\nrequires: [20260125]\n\
        suggests: ['20260125']\n---\nA numbered note.\n";
    stage.file("project/.ai/knowledge/20260124.md", &format!("{SIGNED}{note}"));
    let other = "---\nzettel_id: 20260125\ntitle: More numbers\n---\nAnother one.\n";
    stage.file("project/.ai/knowledge/20260125.md", other);
    stage.file("project/.ai/tools/words/counter.py", SCRIPT);
    stage.file("project/.ai/lockfiles/words/counter@2.1.0.lock.json", OLD_LOCKFILE);
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    stage
}

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

#[test]
fn every_directive_runs_and_nothing_its_author_wrote_is_lost() {
    let stage = older_folder();
    done(&stage, &["init"]);
    let all = directives();
    assert_eq!(all.len(), 40);
    for (name, _, marks) in &all {
        let arguments = json!({
            "item_type": "directive", "item_id": format!("shapes/{name}"),
            "parameters": if name.starts_with("shape-1") || name.starts_with("shape-3") {
                json!({ "topic": "tides" })
            } else {
                json!({})
            },
        });
        let reply = call(&stage, "execute", &arguments);
        assert_eq!(reply["reply_type"], "S", "{name}: {reply}");
        let told = reply["data"].to_string();
        for mark in marks {
            assert!(told.contains(mark), "{name} lost {mark}: {}", reply["data"]);
        }
        if name.starts_with("shape-3") {
            assert_eq!(reply["data"]["inputs"][0]["name"], "topic", "{name}: {reply}");
        }
        let warnings = reply["data"]["validation_warnings"].to_string();
        let is_commented = name.ends_with(['0', '2', '4', '6', '8']);
        assert_eq!(warnings.contains("an old in-file signature, read as unsigned"), is_commented);
        assert_eq!(reply["data"]["trust"]["status"], "unsigned");
    }
}

#[test]
fn it_is_listed_signed_searched_and_run_and_each_refusal_names_its_fix() {
    let stage = older_folder();
    let (status, begun) = run(&stage, &["init"]);
    assert_eq!(status, 0, "{begun}");
    let (_, listed) = run(&stage, &["list"]);
    assert!(listed.to_string().contains("counter.py"), "the script is named: {listed}");
    assert!(listed.to_string().contains("mere new tool words/counter"), "with its fix: {listed}");
    let script = json!({ "item_type": "tool", "item_id": "words/counter" });
    for verb in ["load", "execute"] {
        let reply = call(&stage, verb, &script);
        assert_eq!(reply["reply_type"], "I", "{reply}");
        assert!(reply.to_string().contains("mere new tool words/counter"), "{verb}: {reply}");
    }
    done(&stage, &["new", "tool", "words/counter"]);
    let bytes = std::fs::read_to_string(stage.path("project/.ai/tools/words/counter.py"));
    assert_eq!(bytes.expect("the script"), SCRIPT, "not a byte of it changes");
    let loaded = call(&stage, "load", &script);
    let metadata = &loaded["data"]["metadata"];
    assert_eq!(metadata["version"], "2.1.0", "{loaded}");
    assert_eq!(metadata["tool_type"], "script");
    assert_eq!(metadata["config"]["call"], "main");

    let lockfile = json!({ "item_type": "lockfile", "item_id": "words/counter" });
    let old = call(&stage, "load", &lockfile);
    assert_eq!(old["reply_type"], "I", "{old}");
    assert!(format!("{} {}", old["message"], old["hint"]).contains("mere lock"), "{old}");
    let counted = json!({ "item_type": "tool", "item_id": "words/counter", "parameters": {} });
    done(&stage, &["sign", "tool", "words/counter"]);
    let unlocked = call(&stage, "execute", &counted);
    assert_eq!(unlocked["reply_type"], "I", "{unlocked}");
    assert!(unlocked["hint"].as_str().is_some_and(|hint| hint.contains("mere lock words/counter")));

    done(&stage, &["lock", "words/counter"]);
    done(&stage, &["sign", "--all", "--yes"]);
    let arguments = json!({
        "item_type": "tool", "item_id": "words/counter",
        "parameters": { "text": "one two three" },
    });
    let ran = call(&stage, "execute", &arguments);
    assert_eq!(ran["data"]["success"], true, "{ran}");
    let printed: Value = serde_json::from_str(text(&ran["data"]["stdout"])).expect("JSON");
    assert_eq!(printed, json!({ "words": 3 }));

    let note = json!({
        "item_type": "knowledge", "item_id": "20260124", "include_relationships": true,
    });
    let given = call(&stage, "execute", &note);
    assert_eq!(given["data"]["trust"]["status"], "verified", "{given}");
    let outgoing = &given["data"]["relationships"]["outgoing"];
    assert_eq!(outgoing["requires"][0]["id"], "20260125", "{given}");
    assert_eq!(outgoing["suggests"][0]["id"], "20260125");
    let found = call(&stage, "search", &full_search(json!({ "query": "numbered note" })));
    assert_eq!(found["data"]["knowledge"][0]["id"], "20260124", "{found}");
    let (status, verified) = run(&stage, &["verify", "--all"]);
    assert_eq!(status, 0, "{verified}");
}
