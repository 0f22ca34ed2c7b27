//! The official Inspector, over stdio and HTTP, in every era: clean.

use serde_json::Value;

use crate::support::harness::{Http, Stage};
use crate::support::tools;

/// Runs the Inspector's command line on a target; its standard error must be empty.
fn inspect(stage: &Stage, era: &str, target: &[&str], method: &[&str]) -> Value {
    let mut command = tools::node(stage);
    command.arg(tools::package("inspector/clients/launcher/build/index.js"));
    command.args(["--cli", "--protocol-era", era]).args(target).args(method);
    command.args(["--format", "json"]).current_dir(stage.path("project"));
    let output = command.output().expect("the Inspector runs");
    let (text, noise) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && noise.is_empty(), "{era} {target:?}: {text} {noise}");
    stage.check(&text);
    serde_json::from_str(&text).expect("JSON")
}

fn check(stage: &Stage, target: &[&str]) {
    for era in ["legacy", "auto", "modern"] {
        let listed = inspect(stage, era, target, &["--method", "tools/list", "--strict"]);
        assert_eq!(listed["result"]["tools"][0]["name"], "search", "{listed}");
        assert_eq!(listed.get("schemaFindings"), None, "{listed}");
        let call = ["--method", "tools/call", "--tool-name", "dir", "--tool-args-json", "{}"];
        let called = inspect(stage, era, target, &call);
        assert_eq!(called["result"]["structuredContent"]["reply_type"], "S", "{called}");
    }
}

#[test]
fn over_stdio() {
    let stage = Stage::new();
    check(&stage, &[env!("CARGO_BIN_EXE_mere"), "mcp", "--log", "error"]);
}

#[test]
fn over_http() {
    let stage = Stage::new();
    let http = Http::start(&stage, &[]);
    check(&stage, &[&http.url()]);
}
