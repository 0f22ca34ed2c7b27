//! What is cut at a limit or told in pieces is judged whole first: no half of a path or of a secret
//! is shown, and none can be searched for.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::samples::token;
use crate::support::searches::full_search;
use crate::support::workshop::{Who, Workshop};

const MEBIBYTE: usize = 1024 * 1024;

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

/// The name of the stage's own folder, which is nowhere but in its path.
fn canary(stage: &Stage) -> String {
    let path = stage.path("");
    path.file_name().expect("a name").to_str().expect("UTF-8").to_owned()
}

/// Fails if a text shows any part of a token but its beginning, which everybody knows.
fn check_token(text: &str, token: &str) {
    for end in 8..token.len() {
        assert!(!text.contains(&token[..end]), "{end} bytes of a token");
    }
}

#[test]
fn a_line_that_is_cut_by_read_shows_no_part_of_a_path_or_a_secret() {
    let stage = Stage::new();
    stage.folder("My Project/.git");
    let (path, token) = (stage.path("My Project").display().to_string(), token('Z'));
    let header = format!("Authorization: Bearer {token}");
    for secret in [path.as_str(), token.as_str(), header.as_str()] {
        // The limit lies at different places in the thing, also at the gaps that it has.
        for shift in (1..secret.len()).step_by(3).chain([secret.len() - 1]) {
            let filling = "=".repeat(MEBIBYTE - shift - 1);
            stage.file("My Project/long.txt", &format!("{filling} {secret} after"));
            let mut command = stage.command("My Project");
            let reply =
                stage.answer(command.args(["call", "read", "{\"path\":\"long.txt\"}"])).reply;
            let content = reply["data"]["content"].as_str().expect("a text");
            assert!(content.len() > MEBIBYTE - 5000 && reply["data"]["truncated"] == true);
            let rest = content.trim_start_matches('=');
            assert!(!rest.contains(&canary(&stage)) && !rest.contains("/tmp"), "{shift}: {rest}");
            check_token(rest, &token);
        }
    }
}

#[test]
fn a_line_that_is_cut_by_grep_shows_no_part_of_a_path_or_a_secret() {
    let stage = Stage::new();
    let (path, token) = (stage.path("project").display().to_string(), token('Y'));
    // Masked secrets are shorter than they were, so much more of the line would fit.
    let secrets = format!("{token} ").repeat(200);
    for size in 6000..6100 {
        let line = &format!("hit {secrets}")[..size];
        stage.file("project/a.txt", &format!("{line}{path}/x and {token}\n"));
        if size % 10 == 0 {
            let reply = call(&stage, "grep", &json!({ "pattern": "hit" }));
            let text = reply["data"]["matches"][0]["text"].as_str().expect("a text").to_owned();
            check_token(&text, &token);
            assert!(!text.contains(&canary(&stage)) && !text.contains("/tmp"), "{size}: {text}");
        }
    }
}

#[test]
fn a_secret_far_behind_the_shown_part_of_a_line_cannot_be_searched_for() {
    let stage = Stage::new();
    let token = token('X');
    stage.file("project/a.txt", &format!("start {}{token} end\n", "- ".repeat(20_000)));
    let count = |pattern: &str| {
        call(&stage, "grep", &json!({ "pattern": pattern }))["data"]["count"].clone()
    };
    assert_eq!(count("start.* end$"), 1);
    assert_eq!(count(&token[..12]), 0, "a guess was confirmed");
    assert_eq!(count(&canary(&stage)), 0);
}

#[test]
fn a_title_is_not_cut_within_a_path_or_a_secret() {
    let stage = Stage::new();
    let token = token('U');
    stage.folder("project/.ai/memory");
    for secret in [stage.path("project").display().to_string(), token.clone()] {
        for words in 85..99 {
            let heading = format!("{}{secret}/x", "h ".repeat(words));
            stage.file("project/.ai/memory/note.md", &format!("# {heading}\n\ntext\n"));
            for (tool, arguments) in [
                ("list_memories", json!({})),
                ("get_memory", json!({ "path": "note" })),
                ("search", full_search(json!({ "query": "text", "item_types": ["memory"] }))),
            ] {
                let reply = call(&stage, tool, &arguments).to_string();
                assert!(reply.contains("note"), "{reply}");
                assert!(!reply.contains(&canary(&stage)) && !reply.contains("/tmp"), "{reply}");
                check_token(&reply, &token);
            }
        }
    }
}

/// Prints what it gets in pieces, a moment apart.
const PRINTER: &str = "import json, os, sys, time\n\
    a = json.load(sys.stdin)\n\
    sys.stdout.write('=' * a.get('filling', 0))\n\
    for piece in a['pieces']:\n\
    \x20   sys.stdout.write(piece); sys.stdout.flush(); time.sleep(a.get('pause', 0))\n";

#[test]
fn output_that_is_cut_shows_no_part_of_a_path_or_a_secret() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("printer", "python_runtime", PRINTER);
    let path = workshop.stage.path("project").display().to_string();
    let token = token('W');
    for secret in [path.as_str(), token.as_str()] {
        let pieces = [format!("{secret} and more")];
        let parameters = json!({ "filling": 256 * 1024 - 9, "pieces": pieces });
        let reply = workshop.call("t/printer", &parameters);
        let stdout = reply["data"]["stdout"].as_str().unwrap_or_else(|| panic!("{reply}"));
        let rest = stdout.trim_start_matches('=');
        assert!(["", "ROOT_PROJECT:/", "[masked]"].contains(&rest), "{rest}");
        assert_eq!(reply["data"]["truncated"], true);
    }
}

#[test]
fn the_progress_of_a_tool_tells_no_path_and_no_secret_in_pieces() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("printer", "python_runtime", PRINTER);
    let stage = &workshop.stage;
    let (path, token) = (stage.path("project").display().to_string(), token('V'));
    let (path_half, rest) = path.split_at(path.len() - 4);
    let (token_half, token_rest) = token.split_at(20);
    let pieces = [
        &format!("at {path_half}"),
        &format!("{rest}/x\n"),
        token_half,
        &format!("{token_rest}\n"),
        "done\n",
    ];
    let parameters = json!({ "pieces": pieces, "pause": 1.2 });
    let mut mcp = Mcp::spawn(stage, {
        let mut command = workshop.command();
        command.args(["mcp", "--agent", "default"]);
        command
    });
    mcp.greet();
    let arguments =
        json!({ "item_type": "tool", "item_id": "t/printer", "parameters": parameters });
    let call = json!({
        "jsonrpc": "2.0", "id": "last", "method": "tools/call",
        "params": {
            "name": "execute", "arguments": arguments, "_meta": { "progressToken": "mine" }
        }
    });
    let messages = mcp.exchange(&[call.to_string()], "last");
    let notes = messages.iter().filter_map(|message| message["params"]["message"].as_str());
    let notes = notes.collect::<Vec<_>>();
    assert!(notes.contains(&"at ROOT_PROJECT:/x"), "{notes:?}");
    for message in &messages {
        let text = message.to_string();
        assert!(!text.contains(&canary(stage)) && !text.contains(token_rest), "{text}");
        check_token(&text, &token);
    }
}
