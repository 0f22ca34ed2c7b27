//! Chains: which tools may run each other, and what their configs come to.

use serde_json::{Value, json};

use crate::support::workshop::{Who, Workshop, manifest};

const ANY: &str = "validation: {child_schemas: [{match: {}, schema: true}]}\n";

/// A tool between others.
fn link(id: &str, executor: &str, more: &str) -> String {
    format!(
        "tool_id: {id}\ntool_type: runtime\nexecutor_id: {executor}\nversion: 1.0.0\n\
         description: Runs others.\n{more}"
    )
}

/// The code, the link and the field of a refusal.
fn refused(reply: &Value) -> (&str, &str, &str) {
    let data = &reply["data"];
    (
        reply["code"].as_str().unwrap_or_default(),
        data["link"].as_str().unwrap_or_default(),
        data["field"].as_str().unwrap_or_default(),
    )
}

/// A tool and what runs it, and how they are refused.
type Case = (String, Vec<String>, (&'static str, &'static str, &'static str));

/// Each case is refused, and nothing is run.
fn check(cases: Vec<Case>) {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file("project/.ai/tools/t/s.py", "open('/work/ran', 'w')\n");
    for (leaf, others, expected) in cases {
        for other in &others {
            let id = other.lines().next().and_then(|line| line.strip_prefix("tool_id: "));
            workshop.manifest(id.expect("an id"), other, "");
        }
        workshop.manifest("s", &leaf, "");
        let reply = workshop.call("s", &json!({}));
        assert_eq!(refused(&reply), expected, "{leaf}\n{reply:#}");
    }
    assert!(!workshop.stage.path("project/.ai/workspaces/default/ran").exists());
}

const COMMAND: &str = "config: {command: [python3, '${entrypoint}']}\n";

fn leaf(executor: &str) -> String {
    manifest("s", executor, "s.py")
}

#[test]
fn each_link_that_does_not_fit_is_named_with_its_field() {
    check(vec![
        // A cycle.
        (
            leaf("x"),
            vec![link("x", "y", ANY), link("y", "x", ANY)],
            ("EX-RUN-I-001", "x", "executor_id"),
        ),
        // Nobody there.
        (leaf("nobody"), vec![], ("EX-RUN-I-001", "s", "executor_id")),
        // A primitive that runs no scripts.
        (leaf("mcp_client"), vec![], ("EX-RUN-I-001", "mcp_client", "validation.child_schemas")),
        // A runtime that lists nothing.
        (
            leaf("x"),
            vec![link("x", "subprocess", COMMAND)],
            ("EX-RUN-I-001", "x", "validation.child_schemas"),
        ),
        // One that runs others.
        (
            leaf("x"),
            vec![link(
                "x",
                "subprocess",
                &format!(
                    "{COMMAND}validation: {{child_schemas: [{{match: {{tool_type: api}}, schema: true}}]}}\n"
                ),
            )],
            ("EX-RUN-I-001", "x", "validation.child_schemas"),
        ),
        // One whose schema the script does not fit: the first that matches counts.
        (
            leaf("x"),
            vec![link(
                "x",
                "subprocess",
                &format!(
                    "{COMMAND}validation: {{child_schemas: [{{match: {{manifest.entrypoint: s.py}}, \
                     schema: {{required: [zz]}}}}, {{match: {{}}, schema: true}}]}}\n"
                ),
            )],
            ("EX-RUN-I-001", "x", "validation.child_schemas[0].schema"),
        ),
        // A runtime without a command.
        (
            leaf("x"),
            vec![link("x", "subprocess", ANY)],
            ("EX-RUN-I-001", "subprocess", "validation.child_schemas[0].schema"),
        ),
    ]);
}

#[test]
fn each_config_that_does_not_fit_is_named_with_its_field() {
    check(vec![
        // The wrong file for the runtime.
        (
            leaf("bash_runtime"),
            vec![],
            ("EX-RUN-I-001", "bash_runtime", "validation.child_schemas[0].schema"),
        ),
        // A script that brings a command of its own.
        (
            leaf("python_runtime") + "config: {command: [bash, -c, id]}\n",
            vec![],
            ("EX-RUN-I-001", "python_runtime", "validation.child_schemas[0].schema"),
        ),
        // A config that nobody understands.
        (
            leaf("python_runtime") + "config: {timeout: 5}\n",
            vec![],
            ("EX-RUN-I-002", "subprocess", "config_schema"),
        ),
        (
            leaf("x") + "config: [1]\n",
            vec![link("x", "subprocess", &format!("{COMMAND}{ANY}"))],
            ("EX-RUN-I-002", "s", "config"),
        ),
        (
            leaf("python_runtime") + "config: {args: ['${zz}']}\n",
            vec![],
            ("EX-RUN-I-002", "", "config.args[0]"),
        ),
        (
            leaf("python_runtime") + "config: {args: ['${un']}\n",
            vec![],
            ("EX-RUN-I-002", "", "config.args[0]"),
        ),
        (
            leaf("python_runtime") + "env_config: {A: {file: x}}\n",
            vec![],
            ("EX-RUN-I-002", "s", "env_config.A"),
        ),
        (
            leaf("python_runtime") + "env_config: {A: {secret: KEY}}\n",
            vec![],
            ("EN-RUN-D-003", "", ""),
        ),
        (
            leaf("python_runtime") + "env_config: {A: {env: HOME}}\n",
            vec![],
            ("EN-RUN-D-003", "", "env_config.A"),
        ),
        (
            manifest("s", "python_runtime", "missing.py"),
            vec![],
            ("EX-RUN-I-002", "s", "manifest.entrypoint"),
        ),
        (
            manifest("s", "python_runtime", "../s.py"),
            vec![],
            ("EX-RUN-I-001", "python_runtime", "validation.child_schemas[0].schema"),
        ),
    ]);
}

#[test]
fn a_chain_has_ten_links_and_no_more() {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file("project/.ai/tools/t/s.py", "print('deep')\n");
    let command = format!("config: {{command: [python3, '${{entrypoint}}']}}\n{ANY}");
    workshop.manifest("l8", &link("l8", "subprocess", &command), "");
    for number in (1..8).rev() {
        let (id, executor) = (format!("l{number}"), format!("l{}", number + 1));
        workshop.manifest(&id, &link(&id, &executor, ANY), "");
    }
    workshop.manifest("s", &manifest("s", "l1", "s.py"), "");
    let reply = workshop.call("s", &json!({}));
    assert_eq!(reply["data"]["stdout"], "deep\n", "{reply:#}");
    assert_eq!(reply["data"]["chain"].as_array().map(Vec::len), Some(10));
    workshop.manifest("l0", &link("l0", "l1", ANY), "");
    workshop.manifest("s", &manifest("s", "l0", "s.py"), "");
    assert_eq!(refused(&workshop.call("s", &json!({}))).0, "EX-RUN-I-001");
}

#[test]
fn configs_are_merged_and_the_environment_is_an_allow_list() {
    let mut workshop = Workshop::new(Who::Tester);
    workshop.stage.setting("LANG", "de_DE.UTF-8");
    workshop.stage.setting("SECRET_THING", "hush");
    workshop.stage.setting("OPEN_THING", "told");
    workshop
        .stage
        .file("home/.ai/config.yaml", "sign: {unattended: true}\nsandbox: {env: [OPEN_THING]}\n");
    let base = "config:\n  command: [python3, '${entrypoint}', base]\n  args: [a, b]\n  timeout_s: 5\n\
        env_config: {FROM: {value: base}, KEPT: {value: kept}}\n";
    workshop.manifest("x", &link("x", "subprocess", &format!("{base}{ANY}")), "");
    workshop.stage.file(
        "project/.ai/tools/t/s.py",
        "import json, os, sys\nprint(json.dumps([sys.argv[1:], dict(os.environ), sys.stdin.read()]))\n",
    );
    let more = "config: {args: ['${FROM}', '${SPOKEN}'], stdin: none}\n\
        env_config: {FROM: {value: leaf}, SPOKEN: {env: LANG}, OPENED: {env: OPEN_THING}}\n";
    workshop.manifest("s", &manifest("s", "x", "s.py"), more);
    let mut result = workshop.result("s", &json!({}));
    assert_eq!(result[0], json!(["base", "leaf", "de_DE.UTF-8"]));
    // Python sets it for itself.
    result[1].as_object_mut().expect("variables").shift_remove("LC_CTYPE");
    assert_eq!(
        result[1],
        json!({
            "FROM": "leaf", "KEPT": "kept", "SPOKEN": "de_DE.UTF-8", "OPENED": "told",
            "HOME": "/tool", "TMPDIR": "/work", "LANG": "C.UTF-8", "USER": "tool",
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
        })
    );
    assert_eq!(result[2], "");
    let output = workshop.person(&["chain", "s", "--json"]);
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(reply["data"]["config"]["timeout_s"], 5, "{reply:#}");
    assert_eq!(reply["data"]["config"]["args"], json!(["${FROM}", "${SPOKEN}"]));
    let drawn = String::from_utf8(workshop.person(&["chain", "s"]).stdout).expect("UTF-8");
    let lines = drawn.lines().take(3).map(|line| line.rsplit_once("  ").expect("a digest").0);
    assert_eq!(
        lines.collect::<Vec<_>>(),
        [
            "s 1.0.0  verified  project t",
            "└─ x 1.0.0  verified  project t",
            "   └─ subprocess 1.0.0  builtin"
        ]
    );
}

#[test]
fn a_chain_that_is_refused_is_still_drawn() {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file("project/.ai/tools/t/s.py", "print('ran')\n");
    let shown = |status: i32| {
        let output = workshop.command().args(["chain", "s", "--json"]).output().expect("mere runs");
        let reply = serde_json::from_slice::<Value>(&output.stdout).expect("a reply");
        assert_eq!(output.status.code(), Some(status), "{reply:#}");
        let links = reply["data"]["chain"].as_array().cloned().unwrap_or_default();
        let links = links.iter().map(|link| link["tool_id"].as_str().unwrap_or("?").to_owned());
        (links.collect::<Vec<_>>(), reply["data"]["refused"].as_str().map(str::to_owned))
    };
    // An executor that is not there.
    workshop.manifest("s", &leaf("x"), "");
    let (links, refused) = shown(0);
    assert_eq!(links, ["s"]);
    assert!(refused.expect("a reason").contains("`x`"));
    // One that accepts no such tool.
    workshop.manifest("x", &link("x", "subprocess", COMMAND), "");
    let (links, refused) = shown(0);
    assert_eq!(links, ["s", "x", "subprocess"]);
    assert!(refused.is_some());
    // One that was changed after it was signed.
    workshop.manifest("x", &link("x", "subprocess", &format!("{COMMAND}{ANY}")), "");
    assert_eq!(shown(0), (vec!["s".to_owned(), "x".to_owned(), "subprocess".to_owned()], None));
    let path = workshop.stage.path("project/.ai/tools/t/x.yaml");
    let text = std::fs::read_to_string(&path).expect("a manifest");
    std::fs::write(&path, text + "# more\n").expect("written");
    let (links, refused) = shown(0);
    assert_eq!(links, ["s"]);
    assert!(refused.expect("a reason").contains("Integrity verification failed"));
}

#[test]
fn a_tool_that_ships_with_the_program_can_be_shown() {
    let workshop = Workshop::new(Who::Tester);
    let drawn = workshop.command().args(["chain", "python_runtime"]).output().expect("mere runs");
    let drawn = String::from_utf8_lossy(&drawn.stdout).into_owned();
    assert!(drawn.contains("└─ subprocess 1.0.0  builtin"), "{drawn}");
    assert!(drawn.contains("not run by itself"), "{drawn}");
    let call = json!({ "item_type": "tool", "item_id": "python_runtime" }).to_string();
    let mut command = workshop.command();
    let reply = workshop.stage.answer(command.args(["call", "load", &call])).reply;
    let data = &reply["data"];
    assert_eq!(data["scope"], "builtin", "{reply:#}");
    assert_eq!((&data["address"], &data["trust"]["status"]), (&Value::Null, &json!("builtin")));
    assert!(data["content"].as_str().expect("a manifest").contains("tool_id: python_runtime"));
    let shown = workshop.person(&["show", "tool", "bash_runtime"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains("tool_id: bash_runtime"));
}
