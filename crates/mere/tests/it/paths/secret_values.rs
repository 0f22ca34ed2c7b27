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
fn credentials_in_a_yarnrc_are_masked_and_the_rest_of_it_is_shown() {
    let stage = Stage::new();
    let token = ["NpmToken.3f9a0c7e-51b8", "-4d24-a63f-9a0c7e51b8d2"].concat();
    let text = "nodeLinker: node-modules\nnpmRegistryServer: \"https://npm.example.com\"\n\
                npmAuthToken: \"TOKEN\"\nnpmScopes:\n  acme:\n    npmAuthToken: TOKEN\n    \
                npmAuthIdent: \"IDENT\"\n    npmAlwaysAuth: true\n  other:\n    \
                npmAuthToken: \"${NPM_TOKEN}\"\nyarnPath: .yarn/releases/yarn-4.1.0.cjs\n";
    let written = text.replace("TOKEN\"\nnpmS", &format!("{token}\"\nnpmS"));
    let written = written.replace(": TOKEN\n", &format!(": {token}\n"));
    stage.file("project/.yarnrc.yml", &written.replace("IDENT", "me:hunter2"));
    let reply = call(&stage, "read", &json!({ "path": ".yarnrc.yml" }));
    let masked = text.replace("\"TOKEN\"", "\"[masked]\"").replace(": TOKEN", ": [masked]");
    assert_eq!(reply["data"]["content"], masked.replace("IDENT", "[masked]"), "{reply}");
    assert_eq!(reply["data"]["masked"], 3);
}

#[test]
fn a_pip_conf_is_hidden_wherever_it_lies() {
    let stage = Stage::new();
    let text = "[global]\nindex-url = https://me:plainword@pypi.example.com/simple\n";
    for path in ["pip.conf", ".config/pip/pip.conf", "etc/pip.conf", "pip/pip.ini"] {
        stage.file(&format!("project/{path}"), text);
        let reply = call(&stage, "read", &json!({ "path": path }));
        assert_eq!(reply["code"], "WA-PATH-I-001", "{path}: {reply}");
    }
    let grep = call(&stage, "grep", &json!({ "pattern": "plainword" }));
    assert_eq!(grep["data"]["count"], 0, "{grep}");
    let allowed = stage.person(&["allow", "ROOT_PROJECT:/pip.conf"]);
    assert!(allowed.status.success(), "{allowed:?}");
    let reply = call(&stage, "read", &json!({ "path": "pip.conf" }));
    assert_eq!(reply["reply_type"], "S", "{reply}");
}

#[test]
fn a_password_in_the_middle_of_a_name_and_a_weak_one_are_masked() {
    let stage = Stage::new();
    let text = "DB_PASSWORD_PROD=hunter2x9\nexport DB_PASSWORD_ACME=\"hunter2x9\"\n\
                dbPasswordStaging: hunter2x9\nclient_secret_live = 'hunter2x9'\n\
                password: admin123\nADMIN_PASSWORD=Admin@123\n\
                url: https://me:root1234@example.com/\n";
    stage.file("project/settings.txt", text);
    let reply = call(&stage, "read", &json!({ "path": "settings.txt" }));
    let masked = ["hunter2x9", "admin123", "Admin@123", "root1234"]
        .iter()
        .fold(text.to_owned(), |text, secret| text.replace(secret, "[masked]"));
    assert_eq!(reply["data"]["content"], masked, "{reply}");
    assert_eq!(reply["data"]["masked"], 7);
    let shown = "PASSWORD_HASH=hunter2x9\nMIN_PASSWORD_LENGTH=123456\npassword_field = \"pw1x\"\n\
                 PASSWORD_RESET_URL=/reset/v2x\npassword: admin_password_1\npassword: admin\n";
    stage.file("project/shown.txt", shown);
    let reply = call(&stage, "read", &json!({ "path": "shown.txt" }));
    assert_eq!((&reply["data"]["content"], reply["data"].get("masked")), (&json!(shown), None));
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
