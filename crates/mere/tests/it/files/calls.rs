//! `mere call` as a person or a script uses it.

use insta::assert_snapshot;
use serde_json::json;

use crate::support::harness::{Http, Mcp, Stage};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("project/src/main.rs", "fn main() {}");
    stage.file("project/README.md", "# hello");
    stage
}

#[test]
fn list_answers_with_addresses_only() {
    let answer = stage().call(&json!({ "command": "list" }));
    assert_eq!(answer.status, 0);
    assert_snapshot!(format!("{:#}", answer.timeless()), @r#"
    {
      "reply_type": "S",
      "code": "WA-DIR-S-003",
      "message": "3 entries in ROOT_PROJECT:/.",
      "data": {
        "target": "ROOT_PROJECT:/",
        "entries": [
          {
            "name": ".git",
            "path": "ROOT_PROJECT:/.git/",
            "type": "dir"
          },
          {
            "name": "src",
            "path": "ROOT_PROJECT:/src/",
            "type": "dir"
          },
          {
            "name": "README.md",
            "path": "ROOT_PROJECT:/README.md",
            "type": "file"
          }
        ],
        "count": 3
      },
      "meta": {
        "layer": "WA",
        "tool": "dir"
      }
    }
    "#);
}

#[test]
fn pwd_is_the_default_and_knows_where_the_command_ran() {
    let stage = stage();
    let mut command = stage.command("project/src");
    let answer = stage.answer(command.args(["call", "dir"]));
    assert_snapshot!(format!("{:#}", answer.timeless()), @r#"
    {
      "reply_type": "S",
      "code": "WA-DIR-S-001",
      "message": "Home is ROOT_PROJECT:/.",
      "data": {
        "home": "ROOT_PROJECT:/",
        "root": "ROOT_PROJECT",
        "working": "ROOT_PROJECT:/src/",
        "roots": [
          "ROOT_PROJECT:/",
          "ROOT_USER:/",
          "ROOT_WORKSPACE:/",
          "ROOT_REGISTRY:/"
        ]
      },
      "meta": {
        "layer": "WA",
        "tool": "dir"
      }
    }
    "#);
    let mut outside = stage.command("beside");
    let project = stage.path("project");
    let answer = stage.answer(outside.arg("--project").arg(project).args(["call", "dir"]));
    assert_eq!(answer.reply["data"]["working"], json!(null));
}

#[test]
fn cd_takes_a_root_only() {
    let stage = stage();
    for root in ["ROOT_USER", "ROOT_USER:/"] {
        let answer = stage.call(&json!({ "command": "cd", "path": root }));
        assert_eq!(answer.reply["data"]["home"], "ROOT_USER:/");
        assert_eq!(answer.status, 0);
    }
    for wrong in ["src", "ROOT_PROJECT:/src", "", "mod:none", "ROOT_NOPE", "..", "/"] {
        let answer = stage.call(&json!({ "command": "cd", "path": wrong }));
        assert_eq!((answer.code(), answer.status), ("WA-PATH-I-001", 1), "{wrong}");
    }
}

#[test]
fn cd_says_whether_the_next_call_will_know() {
    let stage = stage();
    let cd = json!({ "command": "cd", "path": "ROOT_USER" });
    let once = stage.call(&cd).reply;
    let lost = "ROOT_USER:/ can be home, but nothing is remembered between calls.";
    let pass = "Pass `home`: `ROOT_USER:/` with each call whose paths start there.";
    assert_eq!((&once["message"], &once["hint"]), (&json!(lost), &json!(pass)));
    let http = Http::start(&stage, &[]);
    let reply = http.call(&cd, None).reply();
    assert_eq!((&reply["message"], &reply["hint"]), (&json!(lost), &json!(pass)));
    assert_eq!(reply["data"]["home"], "ROOT_USER:/");
    http.stop();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let reply = mcp.dir(&cd);
    assert_eq!(
        (&reply["message"], &reply["hint"]),
        (&json!("Home is now ROOT_USER:/."), &json!(null))
    );
    assert_eq!(mcp.dir(&json!({}))["data"]["home"], "ROOT_USER:/", "there it is remembered");
}

#[test]
fn pwd_cd_and_help_follow_the_config_while_a_server_runs() {
    let stage = stage();
    stage.folder("handbook");
    let config = "mods: [{id: h1, name: handbook, path: ~/../handbook}]\n";
    let mut mcp = Mcp::greeted(&stage, &[]);
    let roots = |mcp: &mut Mcp<'_>, tool: &str| {
        let reply = mcp.call(tool, &json!({}));
        reply["data"]["roots"].as_array().expect("roots").len()
    };
    assert_eq!((roots(&mut mcp, "dir"), roots(&mut mcp, "help")), (4, 4));
    stage.file("home/.ai/config.yaml", config);
    assert_eq!(roots(&mut mcp, "dir"), 5, "the first call after the change knows it");
    stage.file("home/.ai/config.yaml", "mods: []\n");
    assert_eq!(roots(&mut mcp, "help"), 4);
    let cd = json!({ "command": "cd", "path": "mod:handbook" });
    assert_eq!(mcp.dir(&cd)["code"], "WA-PATH-I-001");
    stage.file("home/.ai/config.yaml", config);
    assert_eq!(mcp.dir(&cd)["data"]["home"], "mod:handbook:/");
    stage.file("home/.ai/config.yaml", "mods: []\n");
    let gone = mcp.dir(&json!({ "command": "pwd" }));
    assert_eq!(gone["code"], "WA-PATH-I-001", "a home that is no root any more: {gone}");
    stage.file("home/.ai/config.yaml", "mods: [\n");
    assert_eq!(mcp.dir(&json!({ "command": "pwd" }))["reply_type"], "E");
}

#[test]
fn pwd_does_not_tell_a_working_directory_that_the_config_hides_since() {
    let stage = stage();
    stage.folder("project/inner");
    let mut command = stage.command("project/inner");
    command.arg("mcp");
    let mut mcp = Mcp::spawn(&stage, command);
    mcp.greet();
    let mut working = || mcp.dir(&json!({ "command": "pwd" }))["data"]["working"].clone();
    assert_eq!(working(), "ROOT_PROJECT:/inner/");
    stage.file("project/.ai/config.yaml", "sensitive: [inner]\n");
    assert_eq!(working(), json!(null));
    stage.file("project/.ai/config.yaml", "sensitive: []\n");
    assert_eq!(working(), "ROOT_PROJECT:/inner/");
}

#[test]
fn pwd_and_help_list_all_roots() {
    let stage = stage();
    stage.folder("handbook");
    let config = "mods: [{id: h1, name: handbook, path: ~/../handbook}]\n";
    stage.file("home/.ai/config.yaml", config);
    let roots = json!([
        "ROOT_PROJECT:/",
        "ROOT_USER:/",
        "ROOT_WORKSPACE:/",
        "ROOT_REGISTRY:/",
        "mod:handbook:/"
    ]);
    let mut mcp = Mcp::greeted(&stage, &[]);
    assert_eq!(mcp.dir(&json!({ "command": "pwd" }))["data"]["roots"], roots);
    assert_eq!(mcp.dir(&json!({ "command": "cd", "path": "mod:h1" }))["data"]["roots"], roots);
    assert_eq!(mcp.call("help", &json!({}))["data"]["roots"], roots);
    assert_eq!(mcp.call("help", &json!({ "topic": "addresses" }))["data"]["roots"], roots);
    assert!(mcp.call("help", &json!({ "topic": "items" }))["data"]["roots"].is_null());
    stage.file("home/.ai/config.yaml", "mods: [\n");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let broken = mcp.call("help", &json!({}));
    assert_eq!(
        (&broken["reply_type"], broken["data"]["roots"].as_array().map(Vec::len)),
        (&json!("S"), Some(4))
    );
}

#[test]
fn home_is_a_root_for_one_call() {
    let stage = stage();
    stage.file("home/.ai/knowledge/note.md", "");
    let answer = stage.call(&json!({ "command": "list", "home": "ROOT_USER" }));
    assert_eq!(answer.paths(), ["ROOT_USER:/knowledge/"]);
    let answer =
        stage.call(&json!({ "command": "list", "home": "ROOT_USER:/", "path": "knowledge" }));
    assert_eq!(answer.paths(), ["ROOT_USER:/knowledge/note.md"]);
    let answer = stage.call(&json!({ "command": "list", "home": "/home" }));
    assert_eq!(answer.code(), "WA-PATH-I-001");
}

#[test]
fn tree_is_flat_in_walking_order_and_skips_what_nobody_reads() {
    let stage = stage();
    for folder in ["a/b/c/d", "a-b", "node_modules/x", "Z"] {
        stage.folder(&format!("project/{folder}"));
    }
    stage.link("a", "project/loop");
    let answer = stage.call(&json!({ "command": "tree" }));
    let expected =
        ["Z/", "a/", "a/b/", "a/b/c/", "a-b/", "src/"].map(|path| format!("ROOT_PROJECT:/{path}"));
    assert_eq!(answer.paths(), expected);
    let depths = answer.reply["data"]["directories"].as_array().expect("a list");
    assert_eq!(depths[3]["depth"], 3);
    let shallow = stage.call(&json!({ "command": "tree", "path": "a/", "depth": 1 }));
    assert_eq!(shallow.paths(), ["ROOT_PROJECT:/a/b/"]);
    assert_eq!(shallow.reply["data"]["target"], "ROOT_PROJECT:/a/");
}

#[test]
fn a_file_is_not_a_directory() {
    let stage = stage();
    let answer = stage.list("README.md");
    assert_eq!((answer.code(), answer.status), ("WA-DIR-I-001", 1));
    assert_eq!(answer.reply["message"], "ROOT_PROJECT:/README.md is a file.");
    assert_eq!(stage.list("README.md/").code(), "WA-PATH-I-001");
}

#[test]
fn wrong_arguments_say_what_is_taken_and_repeat_nothing() {
    let stage = stage();
    let check = |tool: &str, arguments: &str, code: &str, hint: &str| {
        let answer = stage.call_text(tool, arguments);
        assert_eq!((answer.code(), answer.status), (code, 1), "{arguments}");
        assert_eq!(answer.reply["hint"], hint, "{arguments}");
        assert!(!answer.reply.to_string().contains("evil"), "{arguments}");
    };
    let depth = "`depth` accepts a whole number from 1 to 16.";
    check("dir", r#"{"depth":0}"#, "MCP-ARG-I-001", depth);
    check("dir", r#"{"depth":"evil"}"#, "MCP-ARG-I-001", depth);
    let command = "`command` accepts one of `pwd`, `cd`, `list`, `tree`.";
    check("dir", r#"{"command":"evil"}"#, "MCP-ARG-I-001", command);
    check("dir", r#"{"path":5}"#, "MCP-ARG-I-001", "`path` accepts a string.");
    let known = "It accepts `command`, `path`, `depth`, `cursor`, `home`.";
    check("dir", r#"{"evil":1}"#, "MCP-ARG-I-001", known);
    let tools = "The tools are `search`, `load`, `execute`, `create_memory`, `get_memory`, \
                 `update_memory`, `move_memory`, `remove_memory`, `list_memories`, \
                 `create_category`, `delete_category`, `set_category_description`, `list_stores`, \
                 `help`, `dir`, `read`, `glob`, `grep`, `write`, `edit`, `patch_section`, `delete`, `move`, `mkdir`.";
    check("evil", "{}", "MCP-ARG-I-002", tools);
    let root = "`path` accepts a root such as `ROOT_USER` or `mod:<name>`.";
    check("dir", r#"{"command":"cd"}"#, "MCP-ARG-I-001", root);
    let object = "Pass an object such as {\"command\":\"list\"}.";
    for text in ["evil", "[]", "\"evil\"", "", r#"{"depth":1,"depth":2}"#] {
        check("dir", text, "MCP-ARG-I-003", object);
    }
}

#[test]
fn a_session_that_cannot_open_is_wrong_usage() {
    let stage = stage();
    let nowhere = stage.person(&["--project", "nowhere", "call", "dir"]);
    assert_eq!(nowhere.status.code(), Some(2));
    let words = String::from_utf8_lossy(&nowhere.stderr).into_owned();
    let expected = "mere: `--project nowhere` does not name a directory that can be opened: ";
    assert!(words.starts_with(expected), "{words}");
    for flag in ["--project", "-C"] {
        for wrong in ["", "nowhere", "README.md"] {
            assert_eq!(
                stage.person(&[flag, wrong, "call", "dir"]).status.code(),
                Some(2),
                "{flag}"
            );
        }
    }
    for arguments in
        [&["call"][..], &["call", "dir", "{}", "more"], &["call", "dir", "--agent", "../x"]]
    {
        assert_eq!(stage.person(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn the_tools_are_listed_with_their_schemas() {
    let stage = stage();
    let output = stage.person(&["call", "--list"]);
    stage.check(&String::from_utf8_lossy(&output.stdout));
    let tools: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let dir = tools.as_array().expect("tools").iter().find(|tool| tool["name"] == "dir");
    let dir = dir.expect("dir is there");
    assert_eq!(dir["inputSchema"]["properties"]["depth"]["maximum"], 16);
    assert_eq!(dir["outputSchema"]["required"][0], "reply_type");
}

#[test]
fn a_reply_that_cannot_be_written_is_not_a_success() {
    let stage = stage();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let mut command = stage.command("project");
    let output = command.args(["call", "dir"]).stdout(full).output().expect("mere runs");
    assert_eq!(output.status.code(), Some(4));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.starts_with("mere: the output cannot be written: "), "{words}");
}
