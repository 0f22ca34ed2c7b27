//! Sensitive files are not there until a person says so, and secrets elsewhere are masked.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage, modern_meta, timeless};

/// A token of a known form, put together here so that it stands nowhere whole.
fn token() -> String {
    ["gh", "p_", "0123456789abcdefghijABCDEFGHIJ012345"].concat()
}

fn stage() -> Stage {
    let stage = Stage::new();
    for name in [".env", "config/.env.local", "tls.key", ".ssh/config", "deep/credentials.json"] {
        stage.file(&format!("project/{name}"), "hush-hush\n");
    }
    stage.file("project/.env.example", "KEY=\n");
    stage.file("project/app.toml", &format!("a = 1\ntoken = \"{}\"\nb = 2\n", token()));
    stage
}

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

fn read(stage: &Stage, path: &str) -> Value {
    call(stage, "read", &json!({ "path": path }))
}

/// Whether any tool tells that the file is there.
fn is_told(stage: &Stage, path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let list = stage.list(folder);
    let glob = call(stage, "glob", &json!({ "pattern": format!("**/{name}") }));
    let grep = call(stage, "grep", &json!({ "pattern": "hush-hush" }));
    let shown = read(stage, path)["reply_type"] == "S";
    let listed = list.reply["data"].to_string().contains(&format!("/{name}\""));
    let globbed = glob["data"]["matches"].to_string().contains(&format!("/{path}\""));
    let grepped = grep["data"]["matches"].to_string().contains(&format!("/{path}\""));
    assert!(
        [listed, globbed, grepped].iter().all(|is_shown| *is_shown == shown),
        "{path}: {glob} {grep}"
    );
    shown
}

#[test]
fn until_confirmed_the_answer_is_that_of_a_missing_file() {
    let stage = stage();
    let missing = timeless(&read(&stage, "no-such-file"));
    for path in [".env", "config/.env.local", "tls.key", ".ssh/config", "deep/credentials.json"] {
        assert_eq!(timeless(&read(&stage, path)), missing, "{path}");
        assert!(!is_told(&stage, path), "{path}");
        let grep = call(&stage, "grep", &json!({ "pattern": "hush", "path": path }));
        assert_eq!(grep["code"], "WA-PATH-I-001", "{path}");
    }
    assert_eq!(stage.list(".ssh").code(), "WA-PATH-I-001");
    let tree = stage.call(&json!({ "command": "tree" }));
    assert_eq!(tree.paths(), ["ROOT_PROJECT:/config/", "ROOT_PROJECT:/deep/"]);
    assert_eq!(read(&stage, ".env.example")["data"]["content"], "KEY=\n");
}

/// One file of each kind that secret scanners know by its path.
const CREDENTIAL_FILES: [&str; 30] = [
    ".kube/config",
    ".docker/config.json",
    ".config/gcloud/access_tokens.db",
    ".config/gcloud/configurations/config_default",
    ".azure/accessTokens.json",
    ".aws/credentials",
    ".git-credentials",
    ".config/gh/hosts.yml",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials.toml",
    ".m2/settings.xml",
    ".pgpass",
    ".my.cnf",
    ".bash_history",
    ".local/share/fish/fish_history",
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".config/github-copilot/apps.json",
    ".local/share/opencode/auth.json",
    "release.keystore",
    "vault.kdbx",
    "office.ovpn",
    "deploy_rsa",
    "infra/terraform.tfstate",
    "firefox/logins.json",
    "rootfs/etc/shadow",
];

#[test]
fn credential_files_of_other_programs_are_missing_under_every_spelling_and_link() {
    let stage = Stage::new();
    for (at, path) in CREDENTIAL_FILES.iter().enumerate() {
        stage.file(&format!("project/{path}"), "hush-hush\n");
        let link = stage.path(&format!("project/link-{at}"));
        std::os::unix::fs::symlink(path, link).expect("a link");
    }
    std::os::unix::fs::symlink(".docker", stage.path("project/containers")).expect("a link");
    let missing = timeless(&read(&stage, "no-such-file"));
    for (at, path) in CREDENTIAL_FILES.iter().enumerate() {
        for path in [path.to_string(), format!("link-{at}")] {
            assert_eq!(timeless(&read(&stage, &path)), missing, "{path}");
            assert!(!is_told(&stage, &path), "{path}");
        }
    }
    assert_eq!(timeless(&read(&stage, "containers/config.json")), missing);
    for path in ["auth.json", "docker/config.json", "kube/config", "locales/en/auth.json"] {
        stage.file(&format!("project/{path}"), "hush-hush\n");
        assert!(is_told(&stage, path), "{path}: an ordinary name");
    }
    assert!(stage.person(&["allow", ".docker/config.json"]).status.success());
    assert!(is_told(&stage, ".docker/config.json") && !is_told(&stage, ".kube/config"));
}

#[test]
fn what_a_person_allows_is_shown_in_this_project_until_it_is_taken_back() {
    let stage = stage();
    let printed = stage.person(&["allow", ".env"]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    assert_eq!(printed, "ROOT_PROJECT:/.env is shown from now on to the agents of this project.\n");
    assert!(is_told(&stage, ".env") && !is_told(&stage, "config/.env.local"));
    assert!(stage.person(&["allow", "ROOT_PROJECT:/.ssh/"]).status.success());
    assert!(is_told(&stage, ".ssh/config"));
    let list = stage.person(&["allow", "--list"]);
    assert_eq!(list.stdout, b"ROOT_PROJECT:/.env\nROOT_PROJECT:/.ssh/\n");

    let copy = stage.folder("copy/.git");
    stage.file("copy/.env", "hush-hush\n");
    let mut command = stage.command("copy");
    let answer = stage.answer(command.args(["call", "read", r#"{"path":".env"}"#]));
    assert_eq!(answer.code(), "WA-PATH-I-001", "another project, {}", copy.display());

    let json = stage.person(&["allow", "--json", "--revoke", ".env"]);
    let json: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json["code"], "WA-ALLOW-S-001");
    assert_eq!(json["data"]["allowed"], json!(["ROOT_PROJECT:/.ssh/"]));
    assert!(!is_told(&stage, ".env"));
}

#[test]
fn allow_takes_no_path_outside_and_no_nonsense() {
    let stage = stage();
    for (arguments, status) in [
        (&["allow", "/etc/hosts"][..], 1),
        (&["allow", "../beside"], 1),
        (&["allow", "ROOT_REGISTRY:/x"], 1),
        (&["allow"], 2),
        (&["allow", "a", "--list"], 2),
        (&["allow", ".env", "--revoke", ".env"], 2),
    ] {
        let output = stage.person(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
    assert!(stage.person(&["allow", "--list"]).stdout.is_empty());
}

#[test]
fn config_names_more_and_shows_some_and_a_repository_can_only_name_more() {
    let stage = stage();
    stage.file("project/secret/plan.md", "hush-hush\n");
    stage.file("home/.ai/config.yaml", "sensitive: ['secret/**']\nvisible: ['config/.env.*']\n");
    assert!(!is_told(&stage, "secret/plan.md"));
    assert!(is_told(&stage, "config/.env.local"));
    assert!(!is_told(&stage, ".env"));

    stage.file("project/notes.md", "hush-hush\n");
    let config = "sensitive: ['notes.md', '!.env']\nvisible: ['*.key']\n";
    stage.file("project/.ai/config.yaml", config);
    assert!(!is_told(&stage, "notes.md"), "a repository may hide");
    assert!(!is_told(&stage, ".env") && !is_told(&stage, "tls.key"), "but not show");
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    assert!(is_told(&stage, ".env") && is_told(&stage, "tls.key"), "after a person's trust");

    stage.file("project/.ai/config.yaml", "sensitive: ['../x']\n");
    assert_eq!(stage.list("").code(), "WA-CONFIG-E-001", "what hides must not fail open");
}

#[test]
fn secrets_in_other_files_are_masked_and_counted() {
    let stage = stage();
    let reply = read(&stage, "app.toml");
    assert_eq!(reply["data"]["content"], "a = 1\ntoken = \"[masked]\"\nb = 2\n");
    assert_eq!(reply["data"]["masked"], 1);
    let grep = call(&stage, "grep", &json!({ "pattern": "token", "context": 1 }));
    assert_eq!(grep["data"]["matches"][0]["text"], "token = \"[masked]\"");
    assert_eq!(grep["data"]["masked"], 1);
    assert!(stage.person(&["allow", "app.toml"]).status.success());
    assert!(read(&stage, "app.toml")["data"]["content"].to_string().contains(&token()));
    let grep = call(&stage, "grep", &json!({ "pattern": "token" }));
    assert!(grep["data"]["matches"].to_string().contains(&token()));
}

#[test]
fn a_private_key_is_masked_from_every_side() {
    let stage = stage();
    let body = (0..8).map(|line| format!("{line}{}\n", "MIIEvQIBADANBgkqhkiG9w0BAQ".repeat(2)));
    let body = body.collect::<String>();
    let (begin, end) = (["-----BEGIN ", "PRIVATE KEY-----"], ["-----END ", "PRIVATE KEY-----"]);
    let text = format!("top\n{}\n{body}{}\nrest\n", begin.concat(), end.concat());
    stage.file("project/notes.txt", &text);
    for (offset, limit) in [(1, 100), (3, 2), (5, 1), (1, 4), (9, 100)] {
        let reply =
            call(&stage, "read", &json!({ "path": "notes.txt", "offset": offset, "limit": limit }));
        assert!(!reply.to_string().contains("MIIE"), "{offset} {limit}: {reply}");
    }
    for pattern in ["MIIE", "^3", "BEGIN|END"] {
        let grep = call(&stage, "grep", &json!({ "pattern": pattern, "context": 2 }));
        assert!(!grep.to_string().contains("MIIE"), "{pattern}: {grep}");
    }
}

/// Greets as a client that can ask its person.
fn asking(stage: &Stage) -> Mcp<'_> {
    let mut mcp = Mcp::start(stage, &["--agent", "coder"]);
    mcp.request(
        "initialize",
        &json!({
            "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "t", "version": "1" }
        }),
    );
    mcp.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    mcp
}

#[test]
fn a_client_with_a_person_is_asked_by_a_request() {
    let stage = stage();
    let mut mcp = asking(&stage);
    let missing = mcp.tool("read", &json!({ "path": "missing" }))["structuredContent"].clone();
    for (answer, shown) in [
        (json!({ "action": "accept", "content": { "confirm": true } }), true),
        (json!({ "action": "accept", "content": { "confirm": false } }), false),
        (json!({ "action": "decline" }), false),
        (json!({ "action": "cancel" }), false),
    ] {
        let ask = json!({ "name": "read", "arguments": { "path": ".env" } });
        let call = json!({ "jsonrpc": "2.0", "id": "ask", "method": "tools/call", "params": ask });
        mcp.send(call.to_string().as_bytes());
        let question = mcp.receive();
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let words = question["params"]["message"].as_str().expect("a question");
        assert!(words.contains("`coder`") && words.contains("ROOT_PROJECT:/.env"), "{words}");
        let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer });
        mcp.send(reply.to_string().as_bytes());
        let reply = mcp.receive()["result"]["structuredContent"].clone();
        if shown {
            assert_eq!(reply["data"]["content"], "hush-hush\n");
        } else {
            assert_eq!(timeless(&reply), timeless(&missing), "{answer}");
        }
    }
    let again = mcp.tool("glob", &json!({ "pattern": ".env" }));
    assert_eq!(again["structuredContent"]["data"]["count"], 0, "a yes holds for one call");
}

#[test]
fn a_stateless_client_is_asked_by_a_result_and_comes_back() {
    let stage = stage();
    let mut mcp = Mcp::start(&stage, &[]);
    let mut meta = modern_meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": {} });
    let mut call = json!({ "_meta": meta, "name": "read", "arguments": { "path": ".env" } });
    let question = mcp.request("tools/call", &call)["result"].clone();
    assert_eq!(question["resultType"], "input_required", "{question}");
    let accept = json!({ "action": "accept", "content": { "confirm": true } });
    call["inputResponses"] = json!({ "answer": accept });
    call["requestState"] = question["requestState"].clone();
    let shown = mcp.request("tools/call", &call)["result"]["structuredContent"].clone();
    assert_eq!(shown["data"]["content"], "hush-hush\n");
    let replayed = mcp.request("tools/call", &call);
    assert_eq!(replayed["error"]["code"], -32602, "a yes counts once: {replayed}");
    assert!(!replayed.to_string().contains("hush-hush"));
    // The yes was for this file: the state opens no other.
    call["arguments"]["path"] = "tls.key".into();
    assert!(mcp.request("tools/call", &call)["error"].is_object());
    call["arguments"]["path"] = "no-such-file".into();
    call.as_object_mut().expect("an object").remove("requestState");
    call.as_object_mut().expect("an object").remove("inputResponses");
    let missing = mcp.request("tools/call", &call)["result"].clone();
    assert_eq!(missing["structuredContent"]["code"], "WA-PATH-I-001", "nobody is asked");
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    let stage = stage();
    let mere = stage.command("project").get_program().to_owned();
    let mere = mere.to_str().expect("UTF-8");
    for (answer, shown) in [("y", true), ("n", false)] {
        for arguments in ["read .env", "call read '{\"path\":\".env\"}'"] {
            let line = format!("{mere} {arguments}");
            let mut script = Command::new("script");
            script.args(["-qec", &line, "/dev/null"]).env("HOME", stage.path("home"));
            script.current_dir(stage.path("project")).stdin(std::process::Stdio::piped());
            let mut child = script.stdout(std::process::Stdio::piped()).spawn().expect("script");
            let input = child.stdin.as_mut().expect("its input");
            std::io::Write::write_all(input, format!("{answer}\n").as_bytes()).expect("typed");
            let output = child.wait_with_output().expect("an end");
            let words = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(words.contains("Show it this once? [y/N]"), "{words}");
            assert_eq!(words.contains("hush-hush"), shown, "{words}");
        }
    }
    // Without a terminal nobody is asked, whatever is piped in.
    let mut command = stage.command("project");
    command.args(["read", ".env"]).stdin(std::process::Stdio::null());
    let output = command.output().expect("mere runs");
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.starts_with("mere: there is no such file or folder"), "{words}");
}

#[test]
fn what_is_masked_cannot_be_guessed_at_by_searching() {
    let stage = stage();
    let root = stage.path("project").display().to_string();
    stage.file("project/log.txt", &format!("at {root}/x\n"));
    let count = |pattern: &str| {
        call(&stage, "grep", &json!({ "pattern": pattern }))["data"]["count"].clone()
    };
    let half = &token()[..10];
    for hidden in [half, "gh[a-z]_0", &root, "0123456789abc"] {
        assert_eq!(count(hidden), 0, "{hidden}");
    }
    for shown in ["token = ", "^at .*x$"] {
        assert_eq!(count(shown), 1, "{shown}");
    }
    assert!(stage.person(&["allow", "app.toml"]).status.success());
    assert_eq!(count(half), 1, "a confirmed file is searched as it is");
}

#[test]
fn a_key_in_quotes_or_in_a_diff_is_a_key() {
    let stage = stage();
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let (begin, end) = (["-----BEGIN ", "PRIVATE KEY-----"], ["-----END ", "PRIVATE KEY-----"]);
    for (name, before, after) in
        [("a.js", "\"", "\\n\" +"), ("b.patch", "-", ""), ("c.rs", "// ", "")]
    {
        let rows = [begin.concat(), line.to_owned(), line.to_owned(), end.concat()];
        let text = rows.map(|row| format!("{before}{row}{after}\n")).concat();
        stage.file(&format!("project/{name}"), &text);
        let grep = call(&stage, "grep", &json!({ "pattern": ".", "path": name, "context": 1 }));
        assert!(!grep.to_string().contains("MIIE"), "{grep}");
        assert!(!read(&stage, name).to_string().contains("MIIE"), "{name}");
    }
    let wide = format!("{}\n{line}\n", begin.concat());
    let wide = wide.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    std::fs::write(stage.path("project/wide.txt"), [b"\xff\xfe".to_vec(), wide].concat())
        .expect("written");
    let grep = call(&stage, "grep", &json!({ "pattern": "M", "path": "wide.txt" }));
    assert_eq!(grep["data"]["count"], 0, "what `read` takes for binary has no lines");
}

#[test]
fn what_is_cut_off_shows_no_half_secret() {
    let stage = stage();
    let long = format!("{} {} end\n", "x".repeat(1980), token());
    stage.file("project/long.txt", &long);
    let grep = call(&stage, "grep", &json!({ "pattern": "^x", "path": "long.txt" }));
    assert!(!grep.to_string().contains(&token()[..8]), "{grep}");
    let key = ["-----BEGIN ", "PGP PRIVATE KEY BLOCK-----"].concat();
    let body = "lQOYBGV4YW1wbGVrZXlib2R5bGluZXdpdGhlbm91Z2hjaGFyYWN0ZXJzMTIzNDU2\n".repeat(2000);
    stage.file("project/pgp.txt", &format!("{key}\n\n{body}"));
    let part = call(&stage, "read", &json!({ "path": "pgp.txt", "offset": 1500, "limit": 2 }));
    assert!(!part.to_string().contains("lQOY"), "{part}");
}

#[test]
fn a_link_does_not_carry_a_confirmation_to_another_file() {
    let stage = stage();
    stage.link("../app.toml", "project/shared/c");
    stage.file("project/shared/own.toml", &token());
    assert!(stage.person(&["allow", "shared/"]).status.success());
    assert!(read(&stage, "shared/own.toml").to_string().contains(&token()));
    let linked = read(&stage, "shared/c");
    assert_eq!(linked["data"]["masked"], 1, "{linked}");
}

#[test]
fn a_person_is_asked_one_thing_at_a_time() {
    let stage = stage();
    let mut mcp = asking(&stage);
    for id in ["first", "second"] {
        let ask = json!({ "name": "read", "arguments": { "path": ".env" } });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": ask });
        mcp.send(call.to_string().as_bytes());
    }
    let (one, other) = (mcp.receive(), mcp.receive());
    let (question, refused) = if one["method"].is_string() { (one, other) } else { (other, one) };
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(refused["result"]["structuredContent"]["code"], "WA-PATH-I-001");
    let yes = json!({ "action": "accept", "content": { "confirm": true } });
    let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes });
    mcp.send(reply.to_string().as_bytes());
    assert_eq!(mcp.receive()["result"]["structuredContent"]["data"]["content"], "hush-hush\n");
}

#[test]
fn what_was_allowed_as_a_folder_is_taken_back_however_it_is_said() {
    let stage = stage();
    assert!(stage.person(&["allow", ".ssh/"]).status.success());
    assert!(stage.person(&["allow", "--revoke", "ROOT_PROJECT:/.ssh"]).status.success());
    assert!(stage.person(&["allow", "--list"]).stdout.is_empty());
    assert_eq!(stage.person(&["allow", "--revoke", ".env"]).status.code(), Some(1));
}
