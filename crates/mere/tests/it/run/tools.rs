//! Tools that run: their world, what they are given, and what is told of them.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::workshop::{EVERYBODY, Who, Workshop, manifest};

#[test]
fn the_example_of_a_new_space_runs_from_the_keyboard_and_over_mcp() {
    let stage = Stage::new();
    assert!(stage.person(&["init"]).status.success());
    let output = stage.person(&["run", "hello_tool", "--param", "name=Ada"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed, "{\"greeting\": \"Hello, Ada!\", \"workspace\": []}\n");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    let mut mcp = Mcp::greeted(&stage, &[]);
    let call = json!({ "item_type": "tool", "item_id": "hello_tool" });
    let reply = mcp.tool("execute", &call)["structuredContent"].clone();
    assert_eq!(reply["code"], "EX-RUN-S-001", "{reply:#}");
    let data = &reply["data"];
    assert_eq!((&data["success"], &data["exit_code"]), (&json!(true), &json!(0)));
    assert!(data["stdout"].as_str().is_some_and(|stdout| stdout.contains("Hello, world!")));
    let links = data["chain"].as_array().expect("links").iter();
    let links = links.map(|link| (link["tool_id"].clone(), link["scope"].clone()));
    assert_eq!(
        links.collect::<Vec<_>>(),
        [
            (json!("hello_tool"), json!("project")),
            (json!("python_runtime"), json!("builtin")),
            (json!("subprocess"), json!("builtin"))
        ]
    );
    let lockfile = "ROOT_PROJECT:/.ai/lockfiles/examples/hello_tool@1.0.0.lock.json";
    assert_eq!(data["lockfile"], lockfile);
}

#[test]
fn the_example_that_reads_the_project_asks_and_counts() {
    let stage = Stage::new();
    assert!(stage.person(&["init"]).status.success());
    stage.file("project/src/a.rs", "// TODO: one\nfn main() {} // TODO: two\n");
    stage.file("project/.env", "TODO=hidden\n");
    let call = json!({ "item_type": "tool", "item_id": "count_todos" });
    let mut mcp = Mcp::greeted(&stage, &[]);
    let reply = mcp.tool("execute", &call)["structuredContent"].clone();
    assert_eq!(reply["code"], "EN-RUN-D-003", "{reply:#}");
    assert!(stage.person(&["grant", "count_todos", "--project", "read"]).status.success());
    let reply = mcp.tool("execute", &call)["structuredContent"].clone();
    let counted = "{\"total\": 2, \"files\": {\"src/a.rs\": 2}}\n";
    assert_eq!(reply["data"]["stdout"], counted, "{reply:#}");
}

/// What a tool sees of itself, in each of the three languages.
const SCRIPTS: [(&str, &str, &str); 3] = [
    (
        "py",
        "python_runtime",
        "import json, os, sys\np = json.load(sys.stdin)\n\
         print(json.dumps({'p': p, 'cwd': os.getcwd(), 'uid': os.getuid(), 'argv': sys.argv}))\n",
    ),
    (
        "node",
        "node_runtime",
        "const fs = require('fs');\nconst p = JSON.parse(fs.readFileSync(0, 'utf8'));\n\
         console.log(JSON.stringify({p, cwd: process.cwd(), uid: process.getuid(), \
         argv: process.argv.slice(1)}));\n",
    ),
    (
        "bash",
        "bash_runtime",
        "read -r p || true\n\
         printf '{\"p\": %s, \"cwd\": \"%s\", \"uid\": %s, \"argv\": [\"%s\"]}' \"$p\" \"$PWD\" \"$UID\" \"$0\"\n",
    ),
];

#[test]
fn each_runtime_runs_its_scripts_for_everybody() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        for (id, runtime, script) in SCRIPTS {
            workshop.tool(id, runtime, script);
            let result = workshop.result(id, &json!({ "deep": [1, { "a": "ü" }] }));
            let ending = if id == "bash" {
                "sh"
            } else if id == "node" {
                "js"
            } else {
                "py"
            };
            assert_eq!(
                result,
                json!({
                    "p": { "deep": [1, { "a": "ü" }] }, "cwd": "/work", "uid": 1000,
                    "argv": [format!("/tool/{id}.{ending}")]
                }),
                "{who:?} {id}"
            );
        }
    }
}

#[test]
fn a_folder_tool_finds_its_own_modules() {
    let workshop = Workshop::new(Who::Tester);
    let folder = "project/.ai/tools/t/big";
    let text = manifest("big", "python_runtime", "src/main.py");
    workshop.stage.file(&format!("{folder}/manifest.yaml"), &text);
    workshop.stage.file(&format!("{folder}/src/part/__init__.py"), "WORD = 'found'\n");
    workshop.stage.file(&format!("{folder}/data.txt"), "data");
    workshop.stage.file(
        &format!("{folder}/src/main.py"),
        "import json, os, part\nhere = os.path.dirname(os.path.dirname(__file__))\n\
         print(json.dumps([part.WORD, open(here + '/data.txt').read(), sorted(os.listdir(here))]))\n",
    );
    workshop.sign("big");
    let result = workshop.result("big", &json!({}));
    assert_eq!(result, json!(["found", "data", ["data.txt", "manifest.yaml", "src"]]));
}

#[test]
fn parameters_are_checked_typed_and_filled_in() {
    let workshop = Workshop::new(Who::Tester);
    let text = manifest("p", "python_runtime", "p.py").replace(
        "input_schema: {type: object}\n",
        "input_schema: {type: object, required: [n], additionalProperties: false, properties: \
         {n: {type: integer}, word: {type: string, default: none}, flag: {type: boolean}}}\n",
    );
    let more = "config:\n  args: ['--n=${n}', '${word}', '${flag:-unset}', '$${n}']\n";
    workshop.stage.file(
        "project/.ai/tools/t/p.py",
        "import json, sys\nprint(json.dumps([json.load(sys.stdin), sys.argv[1:]]))\n",
    );
    workshop.manifest("p", &text, more);
    let (reply, status) = workshop.run("p", &["--param", "n=3", "-p", "word=12"]);
    assert_eq!(status, 0, "{reply:#}");
    let result: Value =
        serde_json::from_str(reply["data"]["stdout"].as_str().expect("said")).expect("JSON");
    assert_eq!(result, json!([{ "n": 3, "word": "12" }, ["--n=3", "12", "unset", "${n}"]]));
    for (given, code) in [
        (&["--param", "n=three"][..], "IT-RUN-I-002"),
        (&["--params", "{}"], "IT-RUN-I-002"),
        (&["--param", "n=1", "--param", "zz=1"], "IT-RUN-I-002"),
    ] {
        let (reply, status) = workshop.run("p", given);
        assert_eq!((reply["code"].as_str(), status), (Some(code), 1), "{reply:#}");
    }
    // What is put in is one argument, whatever it holds, and is not read again.
    let special_characters = "$(id) ; ${n} `x` \"' --flag\n*";
    let result = workshop.result("p", &json!({ "n": 1, "word": special_characters }));
    assert_eq!(result[1], json!(["--n=1", special_characters, "unset", "${n}"]));
}

#[test]
fn a_tool_that_fails_is_told_and_has_a_status_of_its_own() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("bad", "bash_runtime", "echo out; echo err >&2; exit 7\n");
    let (reply, status) = workshop.run("bad", &[]);
    assert_eq!((reply["reply_type"].as_str(), status), (Some("S"), 5));
    let data = &reply["data"];
    assert_eq!((&data["success"], &data["exit_code"]), (&json!(false), &json!(7)));
    assert_eq!((&data["stdout"], &data["stderr"]), (&json!("out\n"), &json!("err\n")));
    let output = workshop.command().args(["run", "bad"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out\n");
    let beside = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(beside.starts_with("err\nmere: The tool `t/bad` ran and failed"), "{beside}");
    workshop.tool("killed", "bash_runtime", "kill -9 $$\n");
    let (reply, status) = workshop.run("killed", &[]);
    assert_eq!((&reply["data"]["ended"], status), (&json!("signal 9"), 5), "{reply:#}");
}

#[test]
fn a_dry_run_does_everything_but_run() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("trace", "bash_runtime", "touch /work/ran\n");
    let (reply, status) = workshop.run("trace", &["--dry-run"]);
    assert_eq!((reply["code"].as_str(), status), (Some("EX-RUN-S-002"), 0), "{reply:#}");
    let argv = json!(["/usr/bin/bash", "--noprofile", "--norc", "/tool/trace.sh"]);
    assert_eq!(reply["data"]["argv"], argv);
    let call = json!({ "item_type": "tool", "item_id": "trace", "dry_run": true });
    let answer = workshop.stage.call_text("execute", &call.to_string());
    assert_eq!(answer.code(), "EX-RUN-S-002");
    assert!(!workshop.stage.path("project/.ai/workspaces/default/ran").exists());
    workshop.call("trace", &json!({}));
    assert!(workshop.stage.path("project/.ai/workspaces/default/ran").exists());
}

#[test]
fn what_a_tool_says_passes_the_gate() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool(
        "echo",
        "python_runtime",
        "import json, sys\nprint(json.load(sys.stdin)['text'])\n",
    );
    let project = workshop.stage.path("project").canonicalize().expect("a path");
    let text = format!("see {}/src/a.rs", project.display());
    // The answer is checked for host paths by the stage; the address stands in their place.
    let reply = workshop.call("echo", &json!({ "text": text }));
    assert_eq!(reply["data"]["stdout"], "see ROOT_PROJECT:/src/a.rs\n", "{reply:#}");
    let token = crate::support::samples::token('x');
    let reply = workshop.call("echo", &json!({ "text": token }));
    assert_eq!(reply["data"]["stdout"], "[masked]\n", "{reply:#}");
}

#[test]
fn a_tool_makes_no_repository_that_git_would_obey() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let script = "mkdir -p deep/.GIT .git; echo x > .git/config; echo y > deep/.GIT/config\n";
        workshop.tool("plant", "bash_runtime", script);
        assert_eq!(workshop.call("plant", &json!({}))["data"]["success"], true);
        let work = workshop.stage.path("project/.ai/workspaces/default");
        assert!(!work.join(".git").exists() && !work.join("deep/.GIT").exists(), "{who:?}");
        let kept = std::fs::read_to_string(work.join("git-of-a-tool-1/config")).expect("kept");
        assert_eq!(kept, "x\n");
    }
}

#[test]
fn nothing_that_an_agent_wrote_is_the_program() {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file("project/.ai/workspaces/default/evil.sh", "#!/bin/sh\necho evil\n");
    let text = manifest("chosen", "subprocess", "x").replace("manifest: {entrypoint: x}\n", "");
    workshop.manifest("chosen", &text, "config: {command: ['${program}']}\n");
    for program in
        ["/work/evil.sh", "/usr/../work/evil.sh", "evil.sh", "./evil.sh", "/proc/self/exe"]
    {
        let reply = workshop.call("chosen", &json!({ "program": program }));
        assert_eq!(reply["code"], "EX-RUN-I-003", "{program} {reply:#}");
    }
    let reply = workshop.call("chosen", &json!({ "program": "/usr/bin/true" }));
    assert_eq!(reply["data"]["success"], true, "{reply:#}");
    // A file of the tool's own is verified like the rest of it.
    workshop.stage.file("project/.ai/tools/t/own.sh", "#!/bin/sh\necho own > /dev/stdout\n");
    let text = manifest("own", "subprocess", "own.sh");
    workshop.manifest("own", &text, "config: {command: ['${entrypoint}'], timeout_s: '${t:-9}'}\n");
    let reply = workshop.call("own", &json!({ "t": 5 }));
    assert_eq!(reply["data"]["stdout"], "own\n", "{reply:#}");
}

#[test]
fn a_person_hears_a_tool_as_it_speaks() {
    use std::io::Read;
    let workshop = Workshop::new(Who::Tester);
    let script =
        "echo first; echo wrong >&2; sleep 3; printf 'l\\xc3'; sleep 1; printf '\\xbcst\\n'\n";
    workshop.tool("slow", "bash_runtime", script);
    let mut command = workshop.command();
    command.args(["run", "slow"]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let began = std::time::Instant::now();
    let mut child = command.spawn().expect("mere runs");
    let mut first = [0; 6];
    child.stdout.as_mut().expect("output").read_exact(&mut first).expect("it speaks");
    assert_eq!(&first, b"first\n");
    assert!(began.elapsed() < std::time::Duration::from_secs(3), "it waited for the end");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "l\u{fc}st\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "wrong\n");
}
