//! What a tool says of those it runs, and what the ones that ship say.

use mere_core::chain::{Chain, ChainFault, ChainTool, PairFault};
use mere_core::schema::Problem;
use serde_json::{Value, json};

use crate::chain::{script, shipped, tool};

/// Why `parent` does not run a tool with this manifest.
fn pair(parent: &ChainTool, child: ChainTool) -> Option<PairFault> {
    let (parent_id, child_id) = (parent.pin.id.clone(), child.pin.id.clone());
    let subprocess = shipped("subprocess");
    let mut members = vec![child, parent.clone()];
    members.extend((subprocess != *parent).then_some(subprocess));
    match Chain::new(members) {
        Ok(_) => None,
        Err(ChainFault::Pair { parent, child, fault }) => {
            assert_eq!((parent, child), (parent_id, child_id));
            Some(fault)
        }
        Err(other) => panic!("{other}"),
    }
}

/// A runtime of somebody's own that says this.
fn runtime(validation: Option<Value>) -> ChainTool {
    let mut runtime = tool("own", "runtime", "subprocess", "config: {command: [own]}\n");
    if let Some(validation) = validation {
        runtime.manifest.insert("validation".to_owned(), validation);
    }
    runtime
}

fn says(list: &Value) -> ChainTool {
    runtime(Some(json!({"child_schemas": list})))
}

fn child() -> ChainTool {
    let rest = "manifest: {entrypoint: a.rb, level: 2, flags: [x], none: null}\n";
    tool("leaf", "script", "own", rest)
}

#[test]
fn whoever_lists_nothing_runs_nothing() {
    for validation in [None, Some(json!({})), Some(json!({"child_schemas": []}))] {
        assert_eq!(pair(&runtime(validation), child()), Some(PairFault::NoChildSchemas));
    }
}

#[test]
fn a_list_with_a_fault_says_no() {
    let good = json!({"match": {}, "schema": true});
    let list = "validation.child_schemas";
    let both = "a mapping of `match` and `schema`, and nothing else";
    let dots = "a mapping whose keys are names joined by dots";
    for (validation, field, expected) in [
        (json!([]), "validation", "a mapping"),
        (json!(null), "validation", "a mapping"),
        (json!({"child_schemas": {}}), list, "a list of at most 64 entries"),
        (json!({"child_schemas": null}), list, "a list of at most 64 entries"),
        (json!({"child_schemas": vec![good.clone(); 65]}), list, "a list of at most 64 entries"),
        (json!({"child_schemas": [good, 1]}), "validation.child_schemas[1]", "a mapping"),
        (json!({"child_schemas": [{}]}), "validation.child_schemas[0]", both),
        (json!({"child_schemas": [{"match": {}}]}), "validation.child_schemas[0]", both),
        (json!({"child_schemas": [{"schema": true}]}), "validation.child_schemas[0]", both),
        (
            json!({"child_schemas": [good, {"match": {}, "schema": true, "odd": 1}]}),
            "validation.child_schemas[1]",
            both,
        ),
        (
            json!({"child_schemas": [{"match": [], "schema": true}]}),
            "validation.child_schemas[0].match",
            "a mapping",
        ),
        (
            json!({"child_schemas": [{"match": {"a..b": 1}, "schema": true}]}),
            "validation.child_schemas[0].match",
            dots,
        ),
        (
            json!({"child_schemas": [{"match": {"": 1}, "schema": true}]}),
            "validation.child_schemas[0].match",
            dots,
        ),
    ] {
        let fault = PairFault::Malformed { field: field.to_owned(), expected };
        assert_eq!(pair(&runtime(Some(validation.clone())), child()), Some(fault), "{validation}");
    }
    let list = json!([good, {"match": {"tool_type": "never"}, "schema": {"type": "nothing"}}]);
    let fault = pair(&says(&list), child());
    let Some(PairFault::InvalidSchema { field, .. }) = fault else { panic!("{fault:?}") };
    assert_eq!(field, "validation.child_schemas[1].schema");
}

#[test]
fn an_entry_fits_if_all_of_its_match_does() {
    for (wanted, fits) in [
        (json!({}), true),
        (json!({"tool_type": "script"}), true),
        (json!({"tool_type": "script", "manifest.entrypoint": "a.rb"}), true),
        (json!({"manifest.level": 2}), true),
        (json!({"manifest.flags": ["x"]}), true),
        (json!({"manifest.none": null}), true),
        (json!({"tool_type": "runtime"}), false),
        (json!({"tool_type": "script", "manifest.entrypoint": "b.rb"}), false),
        (json!({"manifest.level": "2"}), false),
        (json!({"manifest.flags": ["x", "y"]}), false),
        (json!({"manifest.absent": null}), false),
        (json!({"manifest.entrypoint.deeper": 1}), false),
        (json!({"manifest.flags.0": "x"}), false),
    ] {
        let list = json!([{"match": wanted, "schema": true}]);
        let expected = (!fits).then_some(PairFault::NoMatch);
        assert_eq!(pair(&says(&list), child()), expected, "{wanted}");
    }
}

#[test]
fn the_first_that_fits_decides() {
    let never = json!({"match": {"tool_type": "api"}, "schema": true});
    let no = json!({"match": {"tool_type": "script"}, "schema": {"required": ["license"]}});
    let yes = json!({"match": {}, "schema": {"required": ["manifest"]}});
    assert_eq!(pair(&says(&json!([never, yes, no])), child()), None);
    let what = "`license` is missing".to_owned();
    let refused = PairFault::SchemaMismatch {
        field: "validation.child_schemas[1].schema".to_owned(),
        problems: vec![Problem { pointer: String::new(), message: what }],
    };
    assert_eq!(pair(&says(&json!([never, no, yes])), child()), Some(refused));
}

/// Where a manifest is refused; empty if it is not.
fn refusals(runtime: &str, child: ChainTool) -> Vec<String> {
    match pair(&shipped(runtime), child) {
        None => vec![],
        Some(PairFault::SchemaMismatch { problems, .. }) => {
            problems.into_iter().map(|problem| problem.pointer).collect()
        }
        Some(other) => panic!("{other}"),
    }
}

#[test]
fn a_runtime_runs_scripts_of_its_language() {
    for (runtime, good, bad) in [
        ("python_runtime", vec!["a.py", "src/main.py", "my tool.py"], vec!["a.sh", "a.pyc", "py"]),
        ("node_runtime", vec!["a.js", "a.mjs", "lib/a.cjs"], vec!["a.ts", "a.py", "a.json"]),
        ("bash_runtime", vec!["a.sh", "bin/a.bash"], vec!["a.py", "a.zsh"]),
    ] {
        for entrypoint in &good {
            let child = script("leaf", runtime, entrypoint);
            assert_eq!(refusals(runtime, child), Vec::<String>::new(), "{entrypoint}");
        }
        let ending = good[0].trim_start_matches('a');
        let hostile = ["", "/a", "../a", "x/../a", "./a", "x//a", "-a", "x\\\\a", "x/", "x/.a"];
        let hostile = hostile.map(|start| format!("{start}{ending}"));
        for entrypoint in bad.into_iter().chain(hostile.iter().map(String::as_str)) {
            let child = script("leaf", runtime, entrypoint);
            assert_eq!(refusals(runtime, child), ["/manifest/entrypoint"], "{entrypoint}");
        }
        for (rest, expected) in [
            ("", ""),
            ("manifest: {}", "/manifest"),
            ("manifest: {entrypoint: 1}", "/manifest/entrypoint"),
        ] {
            let child = tool("leaf", "script", runtime, rest);
            assert_eq!(refusals(runtime, child), [expected], "{runtime} {rest}");
        }
        let named = format!("manifest: {{entrypoint: \"a{ending}\"}}\n");
        let own = format!("{named}config: {{command: [sh]}}\n");
        let own = tool("leaf", "script", runtime, &own);
        assert_eq!(refusals(runtime, own), ["/config/command"]);
        let args = format!("{named}config: {{args: [x], timeout_s: 5}}\n");
        assert!(refusals(runtime, tool("leaf", "script", runtime, &args)).is_empty());
        for kind in ["api", "mcp_server", "mcp_tool", "runtime"] {
            let child = tool("leaf", kind, runtime, &named);
            assert_eq!(pair(&shipped(runtime), child), Some(PairFault::NoMatch), "{kind}");
        }
    }
}

#[test]
fn the_primitive_runs_what_has_a_command() {
    let own = |kind, rest| tool("own", kind, "subprocess", rest);
    for kind in ["runtime", "script"] {
        let good = own(kind, "config: {command: [ruby, \"${entrypoint}\"]}\n");
        assert!(refusals("subprocess", good).is_empty());
        for (rest, expected) in [
            ("", ""),
            ("config: {args: [x]}", "/config"),
            ("config: {command: []}", "/config/command"),
            ("config: {command: ruby}", "/config/command"),
        ] {
            assert_eq!(refusals("subprocess", own(kind, rest)), [expected], "{kind} {rest}");
        }
    }
    let outside = "config: {command: [x]}\nmanifest: {entrypoint: ../x}\n";
    assert_eq!(refusals("subprocess", own("script", outside)), ["/manifest/entrypoint"]);
    for kind in ["api", "mcp_server", "mcp_tool"] {
        let child = own(kind, "config: {command: [x]}\n");
        assert_eq!(pair(&shipped("subprocess"), child), Some(PairFault::NoMatch), "{kind}");
    }
}
