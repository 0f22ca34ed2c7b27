//! Function tools: a function of a script that is called with the parameters.

use serde_json::{Value, json};

use crate::support::workshop::{EVERYBODY, Who, Workshop, manifest};

const CALL: &str = "config: {call: main}\n";

/// What a tool printed, and whether it succeeded.
fn outcome(reply: &Value) -> (bool, &str, &str) {
    let data = &reply["data"];
    assert!(data["success"].is_boolean(), "{reply:#}");
    let text = |key: &str| data[key].as_str().unwrap_or_default();
    (data["success"] == true, text("stdout"), text("stderr"))
}

#[test]
fn a_function_is_called_with_the_parameters_and_its_result_printed() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        workshop.tool_with(
            "py",
            "python_runtime",
            "import os, sys\n\
             def main(name, times=2, **more):\n    \
             print('noise'); os.system('echo deeper'); sys.stdout.write('x')\n    \
             return {'text': name * times, 'more': more, 'cwd': os.getcwd(), 'argv': sys.argv}\n",
            "config: {call: main, args: ['--own', '${name}']}\n",
        );
        workshop.tool_with(
            "js",
            "node_runtime",
            "exports.main = async ({ name, times = 2, ...more }) => {\n  \
             console.log('noise'); process.stdout.write('x');\n  \
             return { text: name.repeat(times), more, cwd: process.cwd(), argv: process.argv.slice(1) };\n};\n",
            "config: {call: main, args: ['--own', '${name}']}\n",
        );
        for (id, file) in [("py", "/tool/py.py"), ("js", "/tool/js.js")] {
            let reply = workshop.call(id, &json!({ "name": "ü\u{2028}'\"$", "deep": [1, null] }));
            let (success, stdout, stderr) = outcome(&reply);
            assert!(success, "{who:?} {reply:#}");
            // The result alone is on standard output, whatever the function printed.
            assert_eq!(
                serde_json::from_str::<Value>(stdout).expect("JSON"),
                json!({
                    "text": "ü\u{2028}'\"$ü\u{2028}'\"$", "more": { "deep": [1, null] },
                    "cwd": "/work", "argv": [file, "--own", "ü\u{2028}'\"$"]
                })
            );
            assert!(stderr.contains("noise") && stderr.ends_with('x'), "{stderr}");
            assert!(id != "py" || stderr.contains("deeper"), "{stderr}");
        }
    }
}

#[test]
fn coroutines_and_promises_are_awaited_and_modules_of_both_kinds_are_loaded() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool_with(
        "py",
        "python_runtime",
        "from __future__ import annotations\nimport asyncio, dataclasses\n\
         @dataclasses.dataclass\nclass Found:\n    value: int\n\
         async def part(n):\n    await asyncio.sleep(0.01)\n    return Found(n)\n\
         async def main(n: int):\n    \
         both = await asyncio.gather(part(n), part(n + 1))\n    return [one.value for one in both]\n",
        CALL,
    );
    assert_eq!(workshop.result("py", &json!({ "n": 3 })), json!([3, 4]));
    for (id, ending, script) in [
        ("cjs", "cjs", "module.exports = { async main({ n }) { return [n] } };\n"),
        ("mjs", "mjs", "export async function main({ n }) {\n  await null;\n  return [n];\n}\n"),
    ] {
        workshop.stage.file(&format!("project/.ai/tools/t/{id}.{ending}"), script);
        workshop.manifest(id, &manifest(id, "node_runtime", &format!("{id}.{ending}")), CALL);
        assert_eq!(workshop.result(id, &json!({ "n": 3 })), json!([3]), "{id}");
    }
    // A folder tool finds its own modules, and nothing that lies in the workspace.
    workshop.stage.file("project/.ai/workspaces/default/part.py", "WORD = 'planted'\n");
    workshop.stage.file("project/.ai/workspaces/default/json.py", "raise SystemExit(9)\n");
    workshop.stage.file("project/.ai/workspaces/default/fs.js", "process.exit(9)\n");
    let folder = "project/.ai/tools/t/big";
    let text = manifest("big", "python_runtime", "src/main.py") + CALL;
    workshop.stage.file(&format!("{folder}/manifest.yaml"), &text);
    workshop.stage.file(&format!("{folder}/src/part.py"), "WORD = 'own'\n");
    workshop
        .stage
        .file(&format!("{folder}/src/main.py"), "import part\ndef main(): return part.WORD\n");
    workshop.sign("big");
    assert_eq!(workshop.result("big", &json!({})), json!("own"));
    assert_eq!(workshop.result("mjs", &json!({ "n": 1 })), json!([1]));
}

#[test]
fn what_goes_wrong_is_said_on_standard_error() {
    let workshop = Workshop::new(Who::Tester);
    let python = [
        ("def main(): raise ValueError('too bad')", "`main` failed: ValueError: too bad"),
        ("def main(): return {1, 2}", "`main` returned a set that is not JSON"),
        ("def main(): return float('nan')", "`main` returned a float that is not JSON"),
        ("def main():\n  x = []; x.append(x); return x", "`main` returned a list that is not JSON"),
        ("def main(): return '\\ud800'", "`main` returned a str that is not JSON"),
        ("def main(a): return 1", "`main` does not take these parameters: missing a required"),
        ("def other(): return 1", "The script defines no function `main`."),
        ("main = 3", "The script defines no function `main`."),
        ("raise OSError('early')\ndef main(): pass", "The script failed before `main` could be"),
        ("def main(:", "The script failed before `main` could be called."),
        ("import sys\ndef main(): sys.exit(0)", "`main` ended the program instead of returning"),
    ];
    let node = [
        ("exports.main = () => { throw new Error('too bad') }", "`main` failed: Error: too bad"),
        ("exports.main = async () => { throw 3 }", "`main` failed: the value 3"),
        ("exports.main = () => 1n", "`main` returned a value that is not JSON"),
        ("exports.main = () => { const a = {}; a.a = a; return a }", "that is not JSON"),
        ("exports.main = () => () => 1", "`main` returned a function, which is not JSON."),
        ("exports.other = () => 1", "The script exports no function `main`."),
        ("exports.main = 3", "The script exports no function `main`."),
        ("throw new Error('early')", "The script failed before `main` could be called."),
        ("exports.main = () => process.exit(0)", "`main` ended the program instead of"),
        ("exports.main = () => new Promise(() => {})", "`main` ended the program instead of"),
    ];
    let all = python.map(|case| ("python_runtime", case)).into_iter();
    for (runtime, (script, expected)) in all.chain(node.map(|case| ("node_runtime", case))) {
        let id = if runtime == "node_runtime" { "js" } else { "py" };
        workshop.tool_with(id, runtime, &format!("{script}\n"), CALL);
        let reply = workshop.call(id, &json!({}));
        let (success, stdout, stderr) = outcome(&reply);
        assert_eq!((success, stdout), (false, ""), "{script} {reply:#}");
        assert!(stderr.contains(expected), "{script}: {stderr}");
        assert_eq!(reply["data"]["exit_code"], 1, "{script} {reply:#}");
    }
    // The function's own exit status counts, and nothing is `null`.
    workshop.tool_with("py", "python_runtime", "import sys\ndef main(): sys.exit(7)\n", CALL);
    assert_eq!(workshop.call("py", &json!({}))["data"]["exit_code"], 7);
    workshop.tool_with("py", "python_runtime", "def main(): pass\n", CALL);
    assert_eq!(workshop.result("py", &json!({})), Value::Null);
    workshop.tool_with("js", "node_runtime", "exports.main = () => {}\n", CALL);
    assert_eq!(workshop.result("js", &json!({})), Value::Null);
}

#[test]
fn a_name_that_is_not_plain_is_never_called() {
    let workshop = Workshop::new(Who::Tester);
    let script = "open('/work/ran', 'w')\ndef main(): return 1\n";
    for name in [
        "os.system",
        "main()",
        "'); import os #",
        "\\\"); x",
        "main\\n",
        "${name}",
        "$${name}",
        "",
        "1main",
        "-c",
        "__import__('os')",
        "é",
    ] {
        let config = format!("config: {{call: \"{name}\"}}\n");
        workshop.tool_with("bad", "python_runtime", script, &config);
        let reply = workshop.call("bad", &json!({ "name": "main" }));
        assert_eq!(reply["code"], "EX-RUN-I-002", "{name} {reply:#}");
        assert_eq!(reply["data"]["field"], "config.call", "{name} {reply:#}");
    }
    for config in ["config: {call: [main]}\n", "config: {call: 3}\n", "config: {call: null}\n"] {
        workshop.tool_with("bad", "python_runtime", script, config);
        assert_eq!(workshop.call("bad", &json!({}))["data"]["field"], "config.call", "{config}");
    }
    // Names that every object has are no functions of the script.
    for (runtime, id, name, script) in [
        ("node_runtime", "js", "constructor", "exports.main = () => 1\n"),
        ("node_runtime", "js", "toString", "exports.main = () => 1\n"),
        ("python_runtime", "py", "__class__", "x = 1\n"),
        ("python_runtime", "py", "print", "x = 1\n"),
    ] {
        workshop.tool_with(id, runtime, script, &format!("config: {{call: {name}}}\n"));
        let reply = workshop.call(id, &json!({}));
        assert!(outcome(&reply).2.contains("no function"), "{name} {reply:#}");
    }
    assert!(!workshop.stage.path("project/.ai/workspaces/default/ran").exists());
}

#[test]
fn only_a_runtime_that_calls_functions_calls_one() {
    let workshop = Workshop::new(Who::Tester);
    let check = |id: &str, field: &str, code: &str| {
        let reply = workshop.call(id, &json!({}));
        assert_eq!((reply["code"].as_str(), &reply["data"]["field"]), (Some(code), &json!(field)));
    };
    workshop.tool_with("sh", "bash_runtime", "echo ran > /work/ran\n", CALL);
    check("sh", "config.call", "EX-RUN-I-002");
    let script = "open('/work/ran', 'w')\ndef main(): pass\n";
    workshop.tool_with("py", "python_runtime", script, "config: {call: main, stdin: none}\n");
    check("py", "config.call", "EX-RUN-I-002");
    // A tool cannot bring a command under another name where it may not bring one.
    let own = "config: {call: main, call_command: [bash, -c, 'echo > /work/ran']}\n";
    workshop.tool_with("py", "python_runtime", script, own);
    check("py", "config.call_command", "EX-RUN-I-002");
    let both = "config: {call: main, command: [id], call_command: [bash, -c, 'echo']}\n";
    workshop.tool_with("py", "python_runtime", script, both);
    check("py", "validation.child_schemas[0].schema", "EX-RUN-I-001");
    assert!(!workshop.stage.path("project/.ai/workspaces/default/ran").exists());
    // A runtime of one's own may call functions too.
    let runtime = "tool_id: caller\ntool_type: runtime\nexecutor_id: subprocess\nversion: 1.0.0\n\
        config: {command: [bash, '${entrypoint}'], call_command: [bash, -c, 'echo \"$1 $2\"', x, \
        '${entrypoint}', '${call}']}\nvalidation: {child_schemas: [{match: {}, schema: true}]}\n";
    workshop.manifest("caller", runtime, "");
    workshop.tool_with("own", "caller", "", "config: {call: some_name}\n");
    let reply = workshop.call("own", &json!({}));
    assert_eq!(reply["data"]["stdout"], "/tool/own.py some_name\n", "{reply:#}");
}

#[test]
fn a_large_result_is_cut_and_a_huge_one_stopped() {
    let workshop = Workshop::new(Who::Tester);
    let script = "def main(n): return 'x' * n\n";
    workshop.tool_with("py", "python_runtime", script, CALL);
    workshop.tool_with("js", "node_runtime", "exports.main = ({ n }) => 'x'.repeat(n)\n", CALL);
    for id in ["py", "js"] {
        let reply = workshop.call(id, &json!({ "n": 1_000_000 }));
        let data = &reply["data"];
        assert_eq!((&data["success"], &data["truncated"]), (&json!(true), &json!(true)), "{id}");
        let reply = workshop.call(id, &json!({ "n": 100_000_000 }));
        assert_eq!(reply["data"]["ended"], "output", "{id} {:#}", reply["data"]["stderr"]);
    }
}

#[test]
fn the_shim_is_part_of_the_runtime_that_a_lockfile_pins() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool_with("py", "python_runtime", "def main(): return 1\n", CALL);
    let (reply, status) = workshop.run("py", &["--dry-run"]);
    assert_eq!(status, 0, "{reply:#}");
    let argv = reply["data"]["argv"].as_array().expect("arguments");
    assert_eq!(argv[1..4], [json!("-I"), json!("-B"), json!("-c")]);
    assert_eq!(argv[5..], [json!("/tool/py.py"), json!("main")]);
    workshop.person(&["lock", "py"]);
    assert_eq!(workshop.result("py", &json!({})), json!(1));
    let output = workshop.person(&["chain", "py", "--json"]);
    let chain: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(chain["data"]["config"].get("call_command"), None, "{chain:#}");
}
