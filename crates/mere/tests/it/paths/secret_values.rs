//! Values under names that say secret are masked wherever a file is seen, and nothing else is.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

/// Settings in the notations of configuration files, with `SECRET` where the value stands.
const SETTINGS: [(&str, &str); 14] = [
    ("app.yaml", "db:\n  host: h\n  password: SECRET\n  port: 1\n"),
    ("quoted.yaml", "password: 'SECRET' # it\nuser: u\n"),
    ("app.toml", "[db]\npassword = \"SECRET\"\nhost = \"h\"\n"),
    ("app.ini", "[db]\npassword = SECRET\nhost = h\n"),
    ("app.properties", "spring.datasource.password=SECRET\nserver.port=1\n"),
    ("app.json", "{\"user\": \"u\", \"password\": \"SECRET\", \"port\": 1}\n"),
    ("nested.json", "{\"env\": \"{\\\"password\\\": \\\"SECRET\\\"}\"}\n"),
    ("run.sh", "export DB_PASSWORD=SECRET\nexec app\n"),
    ("Dockerfile", "FROM scratch\nENV DB_PASSWORD=SECRET\n"),
    ("deploy.yaml", "env:\n- name: DB_PASSWORD\n  value: SECRET\n- name: A\n  value: b\n"),
    ("web.config", "<add key=\"Password\" value=\"SECRET\"/>\n"),
    ("settings.xml", "<server><password>SECRET</password></server>\n"),
    ("remote.txt", "url = https://user:SECRET@example.com/a.git\n"),
    ("connect.cs", "var c = \"Server=db;User=me;Password=SECRET;Timeout=3\";\n"),
];

#[test]
fn assigned_values_are_masked_in_every_notation() {
    let stage = Stage::new();
    for (name, text) in SETTINGS {
        stage.file(&format!("project/{name}"), &text.replace("SECRET", "S3cure!x"));
    }
    for (name, text) in SETTINGS {
        let reply = call(&stage, "read", &json!({ "path": name }));
        assert_eq!(reply["data"]["content"], text.replace("SECRET", "[masked]"), "{name}");
        assert_eq!(reply["data"]["masked"], 1, "{name}");
    }
    for pattern in ["S3cure", "password|PASSWORD|Password|user", "^"] {
        let grep = call(&stage, "grep", &json!({ "pattern": pattern, "context": 1 }));
        assert!(!grep.to_string().contains("S3cure"), "{pattern}: {grep}");
    }
    let key = ["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"].concat();
    stage.file("project/notes.txt", &format!("aws_secret_access_key = {key}\n"));
    let reply = call(&stage, "read", &json!({ "path": "notes.txt" }));
    assert_eq!(reply["data"]["content"], "aws_secret_access_key = [masked]\n");
}

#[test]
fn placeholders_types_code_and_translations_are_shown() {
    let stage = Stage::new();
    let text = "password: ${DB_PASSWORD}\npassword: string\ntoken: null\n\"password\": \"\"\n\
                \"password\": \"Passwort\",\n\"password\": \"Contrase\\u00f1a\",\n\
                def login(user, password=None, token=token1):\n\
                fn login(password: &str, token: Token32) -> bool {\n\
                password = os.environ[\"DB_PASSWORD_1\"]\nlet token = tokens[1];\n\
                password: Option<String>,\npassword = \"test1234\"\npassword_hash = \"a1b2c3d4\"\n\
                url = \"https://user:password@example.com\"\n--token <token1>\n";
    stage.file("project/a.txt", text);
    let reply = call(&stage, "read", &json!({ "path": "a.txt" }));
    assert_eq!(reply["data"]["content"], text);
    assert_eq!(reply["data"].get("masked"), None);
}

#[test]
fn a_value_on_other_lines_than_its_name_is_masked_from_every_side() {
    let stage = Stage::new();
    let texts = [
        "a: 1\npassword: |\n  S3cure!x\n  S3cond!y\nb: 2\n",
        "a: 1\n  password: >-\n    S3cure!x\n    S3cond!y\n\n  b: 2\n",
        "a: 1\npassword:\n  S3cure!x\nb: 2\n",
        "{\n  \"password\":\n    \"S3cure!x\",\n  \"b\": 2\n}\n",
        "- name: DB_PASSWORD\n  value: S3cure!x\n",
        "const PASSWORD: &str =\n    \"S3cure!x\";\n",
    ];
    for (at, text) in texts.iter().enumerate() {
        let name = format!("{at}.yaml");
        stage.file(&format!("project/{name}"), text);
        let lines = text.lines().count();
        for offset in 1..=lines {
            for limit in 1..=lines {
                let part = json!({ "path": name, "offset": offset, "limit": limit });
                let reply = call(&stage, "read", &part);
                assert!(!reply.to_string().contains("S3c"), "{part} {text:?}: {reply}");
            }
        }
        for pattern in ["S3cure", "!x", "^ +[A-Z]", "value|password|PASSWORD", "b"] {
            for context in [0, 3] {
                let search = json!({ "pattern": pattern, "path": name, "context": context });
                let grep = call(&stage, "grep", &search);
                assert!(!grep.to_string().contains("S3c"), "{search} {text:?}: {grep}");
                let guessed = pattern == "S3cure" || pattern == "!x";
                assert!(!guessed || grep["data"]["count"] == 0, "{search} {text:?}: {grep}");
            }
        }
    }
}

#[test]
fn an_edit_beside_a_masked_value_keeps_it() {
    let stage = Stage::new();
    let file = "project/.ai/workspaces/default/app.yaml";
    stage.file(file, "user: u\npassword: S3cure!x\nport: 1\n");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let path = "ROOT_WORKSPACE:/app.yaml";
    let edit = json!({ "path": path, "old": "password: [masked]\nport: 1", "new": "password: [masked]\nport: 2" });
    assert_eq!(mcp.call("edit", &edit)["reply_type"], "S");
    let seen = mcp.call("read", &json!({ "path": path }));
    let new = seen["data"]["content"].as_str().expect("text").replace("user: u", "user: v");
    let write = json!({ "path": path, "content": new, "expect_sha256": seen["data"]["sha256"] });
    assert_eq!(mcp.call("write", &write)["reply_type"], "S");
    let kept = std::fs::read_to_string(stage.path(file)).expect("it");
    assert_eq!(kept, "user: v\npassword: S3cure!x\nport: 2\n");
}

#[test]
fn an_item_does_not_tell_in_its_metadata_what_its_text_masks() {
    let stage = Stage::new();
    let front =
        "---\nid: n\ntitle: N\npassword: hunter2\nquoted: {api_secret: \"a\\\"b1c2\"}\n---\n";
    stage.file("project/.ai/knowledge/n.md", &format!("{front}body\n"));
    let arguments = json!({ "item_type": "knowledge", "item_id": "n" });
    let reply = call(&stage, "load", &arguments);
    assert_eq!(reply["code"], "IT-LOAD-S-001", "{reply}");
    assert_eq!(reply["data"]["metadata"]["password"], "[masked]", "{reply}");
    assert_eq!(reply["data"]["metadata"]["quoted"]["api_secret"], "[masked]", "{reply}");
    assert!(!reply.to_string().contains("hunter2"), "{reply}");
}
