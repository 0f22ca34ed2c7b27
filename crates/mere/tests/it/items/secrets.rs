//! What an item must not give away, and what it must not lead to: secrets and host paths in it,
//! sensitive names, links, and folders taken in place.

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::samples::{Pair, directive, directive_with, note, person, skill, token, tool};

fn real(stage: &Stage, below: &str) -> String {
    stage.path(below).to_str().expect("UTF-8").to_owned()
}

/// What hides in a text, and how it is seen.
fn hiding(stage: &Stage, text: &str) -> (String, String) {
    let fill = |project: &str, home: &str, key: &str| {
        text.replace("PROJECT", project).replace("HOME", home).replace("KEY", key)
    };
    let whole = fill(&real(stage, "project"), &real(stage, "home"), &token('5'));
    (whole, fill("ROOT_PROJECT:", "<home>", "[masked]"))
}

#[test]
fn content_and_metadata_hide_what_a_file_would_hide() {
    let stage = Stage::new();
    let front = "---\nid: n\ntitle: at PROJECT/src\nowner: \"KEY\"\nHOME/x: [\"PROJECT/a\"]\n---\n\
                 root = PROJECT/src\nkey = KEY\nhome = HOME/x\n";
    let (text, seen) = hiding(&stage, front);
    stage.file("project/.ai/knowledge/n.md", &text);
    let mut pair = Pair::new(&stage);
    let reply = pair.load("knowledge", "n");
    let data = &reply["data"];
    assert_eq!(data["content"], seen);
    let expected = json!({
        "id": "n", "title": "at ROOT_PROJECT:/src", "owner": "[masked]",
        "<home>/x": ["ROOT_PROJECT:/a"]
    });
    assert_eq!(data["metadata"], expected);
    assert!(data["masked"].as_u64() >= Some(2) && data["redacted"].as_u64() >= Some(3), "{reply}");
    let digest = data["files"][0]["sha256"].as_str().expect("a digest");
    assert!(digest.starts_with("keyed:"), "{digest}");
    assert_eq!(data["integrity"], Value::Null, "{reply}");
    let run = pair.run("knowledge", "n", &json!({}));
    assert_eq!(run["data"]["title"], "at ROOT_PROJECT:/src");
    assert!(!run.to_string().contains(&token('5')), "{run}");
}

#[test]
fn every_kind_of_item_hides_its_secrets() {
    let stage = Stage::new();
    let key = token('7');
    let parts = format!(
        "<context>{key}</context><outputs>{key}</outputs><permissions>{key}</permissions>\
         <inputs><input name=\"a\">{key}<schema>{{\"default\":\"{key}\"}}</schema></input></inputs>"
    );
    let directive = directive_with("d", &parts).replace("Act.", &key).replace("First.", &key);
    stage.file("project/.ai/directives/d.md", &directive);
    stage.file("project/.ai/directives/s/SKILL.md", &(skill("s").replace("Skilled", &key) + &key));
    stage.file(
        "project/.ai/tools/t.yaml",
        &tool("t").replace("command: [echo]", &format!("command: [echo], {key}: '{key}'")),
    );
    stage.file("project/.ai/memory/m.md", &format!("---\nsource: {key}\n---\n# {key}\n"));
    let note = format!("---\nid: k\ntitle: {key}\nextends: [{key}]\ntags: [{key}]\n---\n{key}\n");
    stage.file("project/.ai/knowledge/k.md", &note);
    let mut pair = Pair::new(&stage);
    for (kind, id) in
        [("directive", "d"), ("directive", "s"), ("tool", "t"), ("memory", "m"), ("knowledge", "k")]
    {
        let reply = pair.load(kind, id);
        assert_eq!(reply["code"], "IT-LOAD-S-001", "{reply}");
        assert!(!reply.to_string().contains(&key), "{kind} {reply}");
        assert!(reply["data"]["masked"].as_u64() >= Some(1), "{reply}");
    }
    for (kind, id) in [("directive", "d"), ("directive", "s"), ("knowledge", "k")] {
        let reply = pair.run(kind, id, &json!({}));
        assert_eq!(reply["reply_type"], "S", "{reply}");
        assert!(!reply.to_string().contains(&key), "{kind} {reply}");
    }
}

#[test]
fn what_is_wrong_is_told_without_secrets() {
    let stage = Stage::new();
    let key = token('8');
    let inputs = format!(
        "<inputs><input name=\"a\" required=\"true\">{key}<schema>{{\"enum\": [\"{key}\"], \
         \"default\": \"{key}\"}}</schema></input></inputs>"
    );
    let fit = format!(
        "---\nid: fit\ntitle: T\nowner: x\nfrontmatter_schema: {{properties: {{owner: {{const: \
         {key}}}}}}}\n---\n"
    );
    for (path, text) in [
        ("directives/d.md", directive_with("d", &inputs)),
        ("directives/named.md", directive(&key)),
        ("directives/s/SKILL.md", skill(&key)),
        ("tools/t.yaml", tool(&key)),
        ("knowledge/k.md", note(&key, "")),
        ("knowledge/a/c.md", format!("---\nid: c\ntitle: T\ncategory: {key}\n---\n")),
        ("knowledge/fit.md", fit),
        ("lockfiles/l@1.0.0.lock.json", format!("{{\"{key}\": 1}}")),
    ] {
        stage.file(&format!("project/.ai/{path}"), &text);
    }
    let mut pair = Pair::new(&stage);
    for (kind, id, tool, code) in [
        ("directive", "d", "execute", "IT-RUN-I-002"),
        ("directive", "named", "load", "IT-ITEM-I-004"),
        ("directive", "s", "load", "IT-ITEM-I-004"),
        ("tool", "t", "load", "IT-ITEM-I-004"),
        ("knowledge", "k", "load", "IT-ITEM-I-004"),
        ("knowledge", "c", "load", "IT-ITEM-I-004"),
        ("knowledge", "fit", "execute", "IT-RUN-I-004"),
        ("lockfile", "l", "load", "IT-ITEM-I-004"),
    ] {
        let reply = pair.ask(tool, &json!({ "item_type": kind, "item_id": id }));
        assert_eq!(reply["code"], code, "{id} {reply}");
        assert!(!reply.to_string().contains(&key), "{id} {reply}");
        assert!(reply.to_string().contains("[masked]"), "{id} {reply}");
    }
}

#[test]
fn what_was_hidden_survives_an_update() {
    let stage = Stage::new();
    let front = "---\nid: n\ntitle: N\nowner: \"KEY\"\n---\nroot = PROJECT/src\nplain\n";
    let (text, seen) = hiding(&stage, front);
    let file = stage.file("project/.ai/knowledge/n.md", &text);
    let mut pair = Pair::new(&stage);
    let mut update = |content: &str| {
        stage.file("project/.ai/knowledge/n.md", &text);
        let arguments = json!({ "item_type": "knowledge", "action": "update", "item_id": "n", "content": content });
        let reply = pair.mcp.call("execute", &arguments);
        (
            reply["code"].as_str().expect("a code").to_owned(),
            std::fs::read_to_string(&file).expect("it"),
        )
    };
    let done = "IT-CHANGE-S-001".to_owned();
    assert_eq!(update(&seen), (done.clone(), text.clone()));
    let fancy = text.replace("plain", "fancy");
    assert_eq!(update(&seen.replace("plain", "fancy")), (done.clone(), fancy));
    let less = text.replace(&format!("owner: \"{}\"\n", token('5')), "");
    assert_eq!(update(&seen.replace("owner: \"[masked]\"\n", "")), (done, less));
    let refused = ("IT-CHANGE-I-005".to_owned(), text.clone());
    assert_eq!(update(&seen.replace("owner: \"[masked]\"", "owner: \"[masked] too\"")), refused);
    assert_eq!(update(&seen.replace("ROOT_PROJECT:/src", "ROOT_PROJECT:/lib")), refused);
}

#[test]
fn what_was_hidden_in_a_tools_other_files_survives_an_update() {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "agents: {write: {tool: direct}}\n");
    let script = format!("key = '{}'\nprint(1)\n", token('5'));
    stage.file("project/.ai/tools/t.yaml", &tool("t"));
    let file = stage.file("project/.ai/tools/t.py", &script);
    let mut pair = Pair::new(&stage);
    let seen = pair.mcp.call("read", &json!({ "path": ".ai/tools/t.py" }));
    let seen = seen["data"]["content"].as_str().expect("its text").to_owned();
    assert!(seen.contains("[masked]"), "{seen}");
    let files = json!([{ "path": "t.py", "content": seen.replace("print(1)", "print(2)") }]);
    let arguments = json!({
        "item_type": "tool", "action": "update", "item_id": "t", "content": tool("t"), "files": files
    });
    let reply = pair.mcp.call("execute", &arguments);
    assert_eq!(reply["code"], "IT-CHANGE-S-001", "{reply}");
    let after = std::fs::read_to_string(file).expect("the script");
    assert_eq!(after, script.replace("print(1)", "print(2)"));
    // What the agent may not see it does not write over.
    let hidden = stage.file("project/.ai/tools/t.key", "hush-hush\n");
    let mut arguments = arguments;
    arguments["files"] = json!([{ "path": "t.key", "content": "mine" }]);
    assert_eq!(pair.mcp.call("execute", &arguments)["code"], "IT-CHANGE-I-003");
    assert_eq!(std::fs::read_to_string(hidden).expect("the key"), "hush-hush\n");
}

#[test]
fn a_sensitive_name_is_not_there() {
    let stage = Stage::new();
    stage.file("project/.ai/tools/credentials.yaml", &tool("credentials"));
    stage.file("project/.ai/knowledge/a/plan.md", &note("plan", "hush-hush"));
    stage.file("project/.ai/config.yaml", "sensitive: ['.ai/knowledge/a/**']\n");
    let mut pair = Pair::new(&stage);
    for (kind, id, other) in [("tool", "credentials", "tool"), ("knowledge", "a/plan", "knowledge")]
    {
        for action in ["run", "update", "delete"] {
            let arguments =
                json!({ "item_type": kind, "item_id": id, "action": action, "content": "x" });
            let reply = pair.mcp.call("execute", &arguments);
            assert_eq!(reply["code"], "IT-ITEM-I-001", "{kind} {action} {reply}");
        }
        let hidden = pair.load(kind, id);
        let missing =
            pair.load(other, &id.replace("credentials", "missing").replace("plan", "missing"));
        let reply_text =
            hidden.to_string().replace("credentials", "missing").replace("plan", "missing");
        assert_eq!(reply_text, missing.to_string());
    }
    // Nor is it made: what was made could not be read again.
    let make = json!({
        "item_type": "tool", "item_id": "x/credentials", "action": "create",
        "content": tool("credentials")
    });
    assert_eq!(pair.mcp.call("execute", &make)["code"], "IT-CHANGE-I-004");
    assert!(stage.person(&["allow", ".ai/tools/credentials.yaml"]).status.success());
    assert_eq!(pair.load("tool", "credentials")["code"], "IT-LOAD-S-001");
}

#[test]
fn links_lead_to_no_item() {
    let stage = Stage::new();
    stage.file("beside/secret.md", &note("secret", "hush-hush"));
    stage.file("beside/deep/inner.md", &note("inner", "hush-hush"));
    stage.file("project/docs/open.md", &note("open", "hush-hush"));
    stage.file("project/.ai/knowledge/real.md", &note("real", "ours"));
    stage.link("../../../beside/secret.md", "project/.ai/knowledge/secret.md");
    stage.link("../../docs/open.md", "project/.ai/knowledge/open.md");
    stage.link("real.md", "project/.ai/knowledge/twin.md");
    stage.link(stage.path("beside/deep"), "project/.ai/knowledge/deep");
    stage.link("../../../beside", "project/.ai/tools/kit");
    stage.file("beside/manifest.yaml", &tool("kit"));
    let mut pair = Pair::new(&stage);
    for (kind, id) in [
        ("knowledge", "secret"),
        ("knowledge", "open"),
        ("knowledge", "twin"),
        ("knowledge", "inner"),
        ("knowledge", "deep/inner"),
        ("tool", "kit"),
    ] {
        let reply = pair.load(kind, id);
        assert_eq!(reply["code"], "IT-ITEM-I-001", "{id} {reply}");
    }
    let listed = person(&stage, &["list"]);
    assert_eq!(listed["data"]["count"], 1, "{listed}");
    // A whole type folder that is a link holds nothing either.
    std::fs::rename(stage.path("project/.ai/knowledge"), stage.path("beside/k")).expect("moved");
    stage.link("../../beside/k", "project/.ai/knowledge");
    assert_eq!(pair.load("knowledge", "real")["code"], "IT-ITEM-I-001");
}

#[test]
fn a_link_among_its_files_makes_a_tool_faulty() {
    for target in ["/etc/passwd", "manifest.yaml", "../../../../beside/s", "nowhere", "."] {
        let stage = Stage::new();
        stage.file("beside/s", "hush-hush");
        stage.file("project/.ai/tools/kit/manifest.yaml", &tool("kit"));
        stage.link(target, "project/.ai/tools/kit/data/link");
        let reply = Pair::new(&stage).load("tool", "kit");
        assert_eq!(reply["code"], "IT-ITEM-I-004", "{target} {reply}");
        let message = reply["message"].as_str().expect("a message");
        assert!(message.contains("a link or a special file"), "{message}");
    }
    let stage = Stage::new();
    stage.file("project/.ai/tools/flat.yaml", &tool("flat"));
    stage.link("/etc/passwd", "project/.ai/tools/flat.py");
    assert_eq!(Pair::new(&stage).load("tool", "flat")["code"], "IT-ITEM-I-004");
}

#[test]
fn skills_are_taken_where_clients_keep_them() {
    let stage = Stage::new();
    stage.file("project/.claude/skills/review/SKILL.md", &skill("review"));
    stage.file("project/.claude/skills/review/check.sh", "true\n");
    stage.file("project/.claude/skills/team/plan/SKILL.md", &skill("plan"));
    stage.file("project/.claude/skills/readme.md", "What this folder is for.\n");
    stage.file("project/.cursor/skills/review/SKILL.md", &skill("review"));
    let mut pair = Pair::new(&stage);
    assert_eq!(pair.load("directive", "review")["code"], "IT-ITEM-I-001");
    let why = person(&stage, &["why", "skill", "review"]);
    assert_eq!(why["data"]["winner"], Value::Null);
    assert_eq!(why["data"]["elsewhere"].as_array().map(Vec::len), Some(2), "{why}");
    stage.file("project/.ai/config.yaml", "folders: {directives: [.claude/skills]}\n");
    let reply = pair.load("directive", "review");
    let data = &reply["data"];
    assert_eq!(data["address"], "ROOT_PROJECT:/.claude/skills/review/SKILL.md", "{reply}");
    assert_eq!((&data["scope"], &data["category"]), (&"project".into(), &"".into()));
    assert_eq!(data["files"][1]["path"], "check.sh");
    assert_eq!(pair.load("directive", "team/plan")["data"]["category"], "team");
    assert_eq!(pair.run("directive", "review", &json!({}))["data"]["status"], "ready");
    let why = person(&stage, &["why", "skill", "review"]);
    assert_eq!(why["data"]["winner"], "ROOT_PROJECT:/.claude/skills/review/SKILL.md");
    assert_eq!(why["data"]["elsewhere"].as_array().map(Vec::len), Some(1), "{why}");
    let listed = person(&stage, &["list", "skills"]);
    let addresses = listed["data"]["items"].as_array().expect("items").iter();
    let addresses = addresses.map(|one| one["address"].as_str().expect("an address"));
    assert_eq!(
        addresses.collect::<Vec<_>>(),
        [
            "ROOT_PROJECT:/.claude/skills/review/SKILL.md",
            "ROOT_PROJECT:/.claude/skills/team/plan/SKILL.md"
        ]
    );
    // The same name in the space clashes with it.
    stage.file("project/.ai/directives/review.md", &directive("review"));
    assert_eq!(pair.load("directive", "review")["code"], "IT-ITEM-I-003");
}

#[test]
fn a_folder_that_is_no_path_in_the_project_is_a_config_error_or_awaits_trust() {
    // One that leads out awaits a person's trust, and its items have no address even then.
    for folder in ["/etc", "../beside", "~/skills"] {
        let stage = Stage::new();
        stage.file("beside/out/SKILL.md", &skill("out"));
        let text = format!("folders:\n  directives: [.agents/skills, '{folder}']\n");
        stage.file("project/.ai/config.yaml", &text);
        let reply = Pair::new(&stage).load("directive", "out");
        assert_eq!(reply["code"], "IT-ITEM-I-001", "{folder} {reply}");
    }
    for folder in [".claude/../..", "a/../b", ".", "", "a\\b", "a//b"] {
        let stage = Stage::new();
        let text = format!("sensitive: []\nfolders:\n  directives: [.agents/skills, '{folder}']\n");
        stage.file("project/.ai/config.yaml", &text);
        let reply = Pair::new(&stage).load("directive", "x");
        assert_eq!(reply["code"], "WA-CONFIG-E-001", "{folder} {reply}");
        assert_eq!(
            reply["message"], "ROOT_PROJECT:/.ai/config.yaml is not valid at line 3, column 32.",
            "{folder}"
        );
    }
    // A link that leads out is followed by nobody.
    let stage = Stage::new();
    stage.file("beside/out/SKILL.md", &skill("out"));
    stage.link("../beside", "project/skills");
    stage.file("project/.ai/config.yaml", "folders: {directives: [skills]}\n");
    assert_eq!(Pair::new(&stage).load("directive", "out")["code"], "IT-ITEM-I-001");
}
