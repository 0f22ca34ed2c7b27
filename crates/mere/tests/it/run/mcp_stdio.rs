//! Tools of another MCP server that runs in the sandbox: the protocol's own example server.

use serde_json::json;

use crate::support::tools;
use crate::support::workshop::{EVERYBODY, Who, Workshop};

/// The program of the example server in a cell.
const PROGRAM: &str =
    "/packages/node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/// A workshop with the example server, imported.
fn imported(who: Who) -> Workshop {
    let workshop = Workshop::new(who);
    let folder = tools::folder();
    let node = folder.join("node_modules/node/bin/node");
    let config = format!(
        "sign: {{unattended: true}}\nruntimes:\n  everything: {{interpreter: {}, packages: {}}}\n",
        node.display(),
        folder.display()
    );
    workshop.stage.file("home/.ai/config.yaml", &config);
    let arguments = ["import-mcp", "dev/everything", "--yes", "--", "node", PROGRAM, "stdio"];
    workshop.person(&arguments);
    workshop
}

#[test]
fn a_tool_of_another_server_is_a_tool_of_ours() {
    for who in EVERYBODY {
        let workshop = imported(who);
        let reply = workshop.call("dev/everything/get-sum", &json!({ "a": 2, "b": 3 }));
        assert_eq!(reply["code"], "EX-RUN-S-001", "{reply:#}");
        assert_eq!(reply["data"]["success"], true, "{reply:#}");
        assert_eq!(reply["data"]["body"], "The sum of 2 and 3 is 5.", "{reply:#}");
        assert_eq!(reply["data"]["chain"].as_array().map(Vec::len), Some(4), "{reply:#}");
        // Its schema is checked here, before the server hears of it.
        let reply = workshop.call("dev/everything/get-sum", &json!({ "a": "x" }));
        assert_eq!(reply["code"], "IT-RUN-I-002", "{reply:#}");
        // What is no text is named.
        let reply = workshop.call("dev/everything/get-tiny-image", &json!({}));
        let body = reply["data"]["body"].as_str().expect("a body");
        assert!(body.contains("[image image/png, "), "{body}");
    }
}

#[test]
fn an_imported_server_sees_what_every_tool_sees() {
    let workshop = imported(Who::Tester);
    let reply = workshop.call("dev/everything/get-env", &json!({}));
    let body = reply["data"]["body"].as_str().expect("a body");
    assert!(body.contains("\"HOME\": \"/tool\""), "{body}");
    assert!(!body.contains("MERE"), "{body}");
    // It has no network.
    let parameters = json!({ "name": "x", "data": "http://127.0.0.1:9/" });
    let reply = workshop.call("dev/everything/gzip-file-as-resource", &parameters);
    assert_eq!(reply["data"]["success"], false, "{reply:#}");
}

#[test]
fn importing_again_changes_nothing() {
    let workshop = imported(Who::Tester);
    let output = workshop.person(&["import-mcp", "dev/everything"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("echo, unchanged\n") && !text.contains(", new"), "{text}");
    workshop.person(&["verify", "--all"]);
    workshop.person(&["lock", "dev/everything/echo"]);
    let (reply, code) = workshop.run("dev/everything/echo", &["--locked", "--param", "message=hi"]);
    assert_eq!((reply["data"]["body"].as_str(), code), (Some("Echo: hi"), 0), "{reply:#}");
}

#[test]
fn nothing_is_written_unless_somebody_says_so() {
    let workshop = Workshop::new(Who::Tester);
    let script = "project/.ai/tools/t/s.py";
    workshop.stage.file(script, "import sys\nsys.exit(3)\n");
    let arguments = ["import-mcp", "dev/broken", "--", "python3", "-c", "import sys; sys.exit(3)"];
    let output = workshop.command().args(arguments).output().expect("mere runs");
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("the server ended before it had answered"), "{text}");
    // Another command under the same name is not taken for the same server.
    let arguments = ["import-mcp", "dev/broken", "--", "python3", "-c", "print(1)"];
    let output = workshop.command().args(arguments).output().expect("mere runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("already exists"), "{text}");
}
