//! Scripts as people have them: without a manifest they are named everywhere, and `mere new tool`
//! writes one for them.

use serde_json::{Value, json};

use crate::support::workshop::{Who, Workshop};

/// A command of a person: its reply and its exit status.
fn told(workshop: &Workshop, arguments: &[&str]) -> (Value, i32) {
    let arguments = [arguments, &["--json"]].concat();
    let output = workshop.command().args(&arguments).output().expect("mere runs");
    let reply = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{arguments:?}: {error} {}", String::from_utf8_lossy(&output.stderr))
    });
    (reply, output.status.code().expect("an exit status"))
}

fn warnings(reply: &Value) -> String {
    let list = reply["data"]["validation_warnings"].as_array().cloned().unwrap_or_default();
    list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

const SCRIPT: &str = "\"\"\"Counts words.\"\"\"\n__version__ = \"2.1.0\"\n__tool_type__ = \"python\"\n\
    __executor_id__ = \"python_runtime\"\n__category__ = \"text\"\n\n\
    def main(words: list[str], least: int = 1) -> dict:\n    \
    print('noise')\n    return {'count': sum(1 for one in words if len(one) >= least)}\n";

#[test]
fn a_script_without_a_manifest_is_named_wherever_one_looks() {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file("project/.ai/tools/text/count.py", SCRIPT);
    workshop.stage.file("project/.ai/tools/text/__init__.py", "");
    workshop.stage.file("project/.ai/tools/My Script.sh", "echo\n");
    workshop.tool("owner", "python_runtime", "");
    workshop.stage.file("project/.ai/tools/t/owner.helper.py", "");
    workshop.stage.file("home/.ai/tools/mine.js", "");
    let address = "ROOT_PROJECT:/.ai/tools/text/count.py";
    let fix = "`mere new tool text/count` writes its manifest";
    let (list, _) = told(&workshop, &["list"]);
    let scripts = &list["data"]["scripts_without_manifest"];
    let named = scripts.as_array().expect("scripts").iter().map(|one| one["address"].clone());
    assert_eq!(
        named.collect::<Vec<_>>(),
        [
            json!("ROOT_PROJECT:/.ai/tools/My Script.sh"),
            json!(address),
            json!("ROOT_USER:/tools/mine.js")
        ]
    );
    assert_eq!(scripts[1]["fix"], fix);
    assert!(scripts[0]["fix"].as_str().expect("a fix").contains("rename it"), "{scripts:#}");
    assert_eq!(scripts[2]["fix"], "`mere new tool mine --user` writes its manifest");
    // It stays no item, and is left out where other things are listed.
    assert_eq!(list["data"]["count"], 1, "{list:#}");
    for arguments in [&["list", "notes"][..], &["list", "--category", "t"]] {
        let (list, _) = told(&workshop, arguments);
        assert_eq!(list["data"].get("scripts_without_manifest"), None, "{list:#}");
    }
    let text = workshop.person(&["list"]).stdout;
    let line = format!("not a tool: {address} has no manifest: {fix}\n");
    assert!(String::from_utf8_lossy(&text).contains(&line));
    let (doctor, _) = told(&workshop, &["doctor"]);
    let checks = doctor["data"]["checks"].as_array().expect("checks");
    let found = checks.iter().find(|check| check["address"] == address).expect("a finding");
    assert_eq!((&found["state"], &found["fix"]), (&json!("note"), &json!(fix)), "{found:#}");
    workshop.person(&["index"]);
    let (check, status) = told(&workshop, &["index", "--check"]);
    assert_eq!(status, 0, "{check:#}");
    let scripts = &check["data"]["spaces"][0]["scripts_without_manifest"];
    assert_eq!((&scripts[1]["address"], &scripts[1]["fix"]), (&json!(address), &json!(fix)));
    // An agent that looks for it is told what a person has to do.
    for (tool, call) in [
        ("load", json!({ "item_type": "tool", "item_id": "count" })),
        ("load", json!({ "item_type": "tool", "item_id": "text/count" })),
        ("execute", json!({ "item_type": "tool", "item_id": "count" })),
    ] {
        let reply = workshop.stage.call_text(tool, &call.to_string()).reply;
        assert_eq!(
            (&reply["code"], &reply["data"]["script"]),
            (&json!("IT-ITEM-I-001"), &json!(address)),
            "{reply:#}"
        );
        let message = reply["message"].as_str().expect("a message");
        assert!(message.contains(address) && message.contains("has no manifest"), "{message}");
        let hint = reply["hint"].as_str().expect("a hint");
        assert!(hint.contains("`mere new tool text/count`"), "{hint}");
    }
    let call = json!({ "item_type": "tool", "item_id": "other/count" });
    let reply = workshop.stage.call_text("load", &call.to_string()).reply;
    assert_eq!(reply["data"].get("script"), None, "{reply:#}");
}

#[test]
fn a_manifest_is_made_for_a_script_which_stays_as_it_is() {
    let workshop = Workshop::new(Who::Tester);
    let script = format!("# kiwi-mcp:validated:2026-01-24T00:00:00Z:abc\n{SCRIPT}");
    workshop.stage.file("project/.ai/tools/text/count.py", &script);
    let (made, status) = told(&workshop, &["new", "tool", "text/count"]);
    assert_eq!(status, 0, "{made:#}");
    let told_of = warnings(&made);
    assert!(told_of.contains("old in-file signature, read as unsigned"), "{told_of}");
    let path = workshop.stage.path("project/.ai/tools/text/count");
    let kept = std::fs::read_to_string(path.with_extension("py")).expect("the script");
    assert_eq!(kept, script);
    let manifest = std::fs::read_to_string(path.with_extension("yaml")).expect("a manifest");
    for line in [
        "tool_type: script\n",
        "executor_id: python_runtime\n",
        "version: \"2.1.0\"\n",
        "description: \"Counts words.\"\n",
        "  entrypoint: \"count.py\"\n",
        "config:\n  call: main\n",
    ] {
        assert!(manifest.contains(line), "{line} {manifest}");
    }
    workshop.person(&["sign", "tool", "text/count"]);
    let parameters = json!({ "words": ["a", "bcd", "ef"], "least": 2 });
    assert_eq!(workshop.result("count", &parameters), json!({ "count": 2 }));
    // What the reply said about its integrity was true.
    let call = json!({ "item_type": "tool", "item_id": "count" });
    let loaded = workshop.stage.call_text("load", &call.to_string()).reply;
    assert_eq!(loaded["data"]["integrity"], made["data"]["integrity"]);
    assert!(warnings(&loaded).contains("`count.py`: an old in-file signature"), "{loaded:#}");
    let (list, _) = told(&workshop, &["list"]);
    assert_eq!(list["data"].get("scripts_without_manifest"), None, "{list:#}");
    // A second time, the tool is there.
    assert_eq!(told(&workshop, &["new", "tool", "text/count"]).0["code"], "IT-ITEM-I-007");
}

#[test]
fn what_a_script_does_not_say_is_told() {
    let workshop = Workshop::new(Who::Tester);
    for (id, script, expected, manifest_has) in [
        ("a", "print(1)\n", "no parameters were found", "version: \"0.1.0\"\n"),
        (
            "b",
            "__executor_id__ = 'nobody'\n",
            "a tool that does not exist",
            "executor_id: python_runtime\n",
        ),
        ("c", "__category__ = 'x'\n", "`__category__` is not the category", "tool_id: c\n"),
        (
            "d",
            "def main(x: str): pass\nif __name__ == '__main__': main(1)\n",
            "`config: {call: main}` would call `main` instead",
            "  language: python\n",
        ),
        ("e", "x = 'never closed\ndef main(): pass\n", "only in part", "e.py"),
    ] {
        workshop.stage.file(&format!("project/.ai/tools/t/{id}.py"), script);
        let (made, status) = told(&workshop, &["new", "tool", &format!("t/{id}")]);
        assert_eq!(status, 0, "{id} {made:#}");
        assert!(warnings(&made).contains(expected), "{id} {made:#}");
        let path = workshop.stage.path(&format!("project/.ai/tools/t/{id}.yaml"));
        let manifest = std::fs::read_to_string(path).expect("a manifest");
        assert!(manifest.contains(manifest_has), "{id} {manifest}");
        assert!(!manifest.contains("input_schema:"), "nothing is called: {id} {manifest}");
    }
    // A person decides how the script is run.
    workshop.stage.file("project/.ai/tools/t/g.py", "def main(x: str): return x\nmain('a')\n");
    let (made, status) = told(&workshop, &["new", "tool", "t/g", "--function"]);
    assert_eq!(status, 0, "{made:#}");
    workshop.sign("g");
    assert_eq!(workshop.result("g", &json!({ "x": "y" })), json!("y"));
    for (files, arguments) in [
        (&["h.py", "h.js"][..], &["new", "tool", "t/h"][..]),
        (&["i.py"], &["new", "tool", "t/i", "--lang", "node"]),
        (&["j.sh"], &["new", "tool", "t/j", "--function"]),
        (&["k.py"], &["new", "tool", "t/k", "--function"]),
        (&[], &["new", "tool", "t/l", "--lang", "bash", "--function"]),
        (&[], &["new", "note", "t/m", "--lang", "bash"]),
    ] {
        for file in files {
            workshop.stage.file(&format!("project/.ai/tools/t/{file}"), "");
        }
        let (refused, status) = told(&workshop, arguments);
        assert_eq!((&refused["code"], status), (&json!("IT-CHANGE-I-007"), 1), "{refused:#}");
    }
    let (made, status) = told(&workshop, &["new", "tool", "t/h", "--lang", "node"]);
    assert_eq!(status, 0, "{made:#}");
}

#[test]
fn odd_scripts_do_no_harm() {
    let workshop = Workshop::new(Who::Tester);
    let tools = "project/.ai/tools/t";
    for name in ["a b.py", "$(id).sh", "..py", "x\ny.py", "-c.py", "UPPER.js", "a:b.py", "'.py"] {
        workshop.stage.file(&format!("{tools}/{name}"), "raise SystemExit\n");
    }
    workshop.stage.file(&format!("{tools}/huge.py"), &"x = [1]\n".repeat(300_000));
    std::fs::write(workshop.stage.path(&format!("{tools}/binary.py")), b"\xff\xfe\0x")
        .expect("a file");
    workshop.stage.link("/etc/passwd", &format!("{tools}/linked.py"));
    let (list, status) = told(&workshop, &["list"]);
    assert_eq!(status, 0, "{list:#}");
    for (id, expected) in [("huge", "larger than 1 MiB"), ("binary", "not UTF-8")] {
        let (made, status) = told(&workshop, &["new", "tool", &format!("t/{id}")]);
        assert_eq!(status, 0, "{made:#}");
        assert!(warnings(&made).contains(expected), "{made:#}");
    }
    // A link is no script: nothing of what it points to is read.
    let (made, _) = told(&workshop, &["new", "tool", "t/linked"]);
    assert!(!made.to_string().contains("root:"), "{made:#}");
    for (name, call) in [("name", "'); import os; os.system('touch /work/ran') #"), ("call", "a.b")]
    {
        let script = format!("__call__ = \"{call}\"\ndef main({name}=1): return 1\n");
        workshop.stage.file(&format!("{tools}/{name}.py"), &script);
        let (made, status) = told(&workshop, &["new", "tool", &format!("t/{name}")]);
        assert_eq!(status, 0, "{made:#}");
        assert!(warnings(&made).contains("`__call__` names no function"), "{made:#}");
    }
    // Manifests are not closed by what a description says.
    let script = "'''x\"\\ntool_type: primitive\\n---\\n'''\n";
    workshop.stage.file(&format!("{tools}/quoted.py"), script);
    let (made, status) = told(&workshop, &["new", "tool", "t/quoted"]);
    assert_eq!(status, 0, "{made:#}");
}

#[test]
fn a_new_tool_runs_in_each_language_and_style() {
    let workshop = Workshop::new(Who::Tester);
    for (id, arguments, expected) in [
        ("a", &[][..], "{\"greeting\": \"Hello, Ada!\"}\n"),
        ("b", &["--function"], "{\"greeting\": \"Hello, Ada!\"}\n"),
        ("c", &["--lang", "node"], "{\"greeting\":\"Hello, Ada!\"}\n"),
        ("d", &["--lang", "node", "--function"], "{\"greeting\":\"Hello, Ada!\"}\n"),
        ("e", &["--lang", "bash"], "Hello, Ada!\n"),
        ("f", &["--lang", "python", "--function"], "{\"greeting\": \"Hello, Ada!\"}\n"),
    ] {
        let name = format!("t/{id}");
        workshop.person(&[&["new", "tool", &name], arguments].concat());
        workshop.sign(id);
        let reply = workshop.call(id, &json!({ "name": "Ada" }));
        assert_eq!(reply["data"]["stdout"], expected, "{reply:#}");
    }
}

#[test]
fn a_script_in_a_folder_of_the_name_is_named_too() {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file("project/.ai/tools/kit/dirtool/main.py", "print(1)\n");
    for name in ["dirtool", "kit/dirtool"] {
        let call = json!({ "item_type": "tool", "item_id": name });
        let reply = workshop.stage.call_text("load", &call.to_string()).reply;
        assert_eq!(
            reply["data"]["script"], "ROOT_PROJECT:/.ai/tools/kit/dirtool/main.py",
            "{reply:#}"
        );
        let hint = reply["hint"].as_str().expect("a hint");
        assert!(hint.contains("`mere new tool kit/dirtool/main`"), "{hint}");
    }
    let call = json!({ "item_type": "tool", "item_id": "other/dirtool" });
    let reply = workshop.stage.call_text("load", &call.to_string()).reply;
    assert_eq!(reply["data"].get("script"), None, "{reply:#}");
}

#[test]
fn a_script_with_a_reserved_name_is_told_to_be_renamed() {
    let workshop = Workshop::new(Who::Tester);
    for (name, says) in [
        ("python_runtime.py", "a tool that ships with mere has this name"),
        ("manifest.py", "this name is reserved"),
        ("nul.sh", "this name is reserved"),
        ("Odd Name.py", "an id consists of"),
    ] {
        workshop.stage.file(&format!("project/.ai/tools/{name}"), "");
        let (list, _) = told(&workshop, &["list"]);
        let scripts = list["data"]["scripts_without_manifest"].as_array().expect("scripts");
        let address = format!("ROOT_PROJECT:/.ai/tools/{name}");
        let script = scripts.iter().find(|one| one["address"] == address.as_str());
        let fix = script.and_then(|script| script["fix"].as_str()).unwrap_or_default();
        assert!(fix.contains("rename it") && fix.contains(says), "{name}: {fix}");
    }
}

#[test]
fn two_scripts_of_one_name_are_a_choice_and_not_a_wrong_option() {
    let workshop = Workshop::new(Who::Tester);
    workshop.stage.file("project/.ai/tools/twin.py", "");
    workshop.stage.file("project/.ai/tools/twin.js", "");
    let (reply, _) = told(&workshop, &["new", "tool", "twin"]);
    assert_eq!(reply["message"], "Several scripts of that name lie there.", "{reply:#}");
    assert!(reply["hint"].as_str().is_some_and(|hint| hint.contains("--lang python")));
}
