//! The lockfile that an author publishes with a tool: what is pulled must be what it pins.

use serde_json::{Value, json};

use super::fixture::{Neighbours, Person, check_distrust};
use super::installs::publish_chain;
use super::lying_server::{LyingServer, SentAnswer};

const SCRIPT: (&str, &str) = ("greeter.sh", "echo hello\n");
const TOOLS: &str = "project/.ai/tools/shared";

/// Publishes a tool, what it runs on, and its lockfile.
fn publish_locked(author: &Person) {
    publish_chain(author, "1.0.0", &[SCRIPT]);
    author.print(&["lock", "greeter"]);
    author.print(&["publish", "lockfile", "shared/greeter@1.0.0", "--namespace", "acme"]);
}

/// Publishes another version of what the tool runs on.
fn publish_other_runner(author: &Person) {
    let path = author.stage.path(&format!("{TOOLS}/runner.yaml"));
    let text = std::fs::read_to_string(&path).expect("the tool");
    let text = text.replace("1.0.0", "1.1.0").replace("Runs scripts.", "Runs them otherwise.");
    std::fs::write(&path, text).expect("written");
    author.print(&["sign", "tool", "runner"]);
    author.print(&["publish", "tool", "runner", "--namespace", "acme"]);
}

fn installed(reader: &Person) -> bool {
    reader.stage.path(&format!("{TOOLS}/greeter.yaml")).exists()
}

#[test]
fn what_a_lockfile_pins_is_pulled_and_not_the_newest() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    publish_locked(&author);
    publish_other_runner(&author);
    let pulled = reader.reply(&["pull", "tool", "acme/greeter"]);
    assert_eq!(pulled["code"], "RG-PULL-S-001", "{pulled}");
    let runner = &pulled["data"]["items"][0];
    assert_eq!((&runner["version"], &pulled["data"]["warnings"]), (&json!("1.0.0"), &json!([])));
    assert!(reader.print(&["run", "greeter", "--locked"]).contains("hello"));
    assert_eq!(reader.reply(&["verify", "--all"])["data"]["findings"], 0);
}

#[test]
fn a_tool_of_ones_own_that_the_author_did_not_pin_is_not_run_on() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    publish_locked(&author);
    let own = std::fs::read_to_string(author.stage.path(&format!("{TOOLS}/runner.yaml")));
    let own = own.expect("a tool").replace("/bin/sh", "/bin/bash");
    reader.stage.file(&format!("{TOOLS}/runner.yaml"), &own);
    reader.print(&["sign", "tool", "runner"]);
    let refused = reader.reply(&["pull", "tool", "acme/greeter"]);
    assert_eq!(refused["code"], "RG-PULL-I-006", "{refused}");
    assert_eq!(refused["data"]["tool_id"], "runner", "{refused}");
    assert_eq!(refused["data"]["field"], "integrity", "{refused}");
    // The digest of a file that may hold secrets is nobody's business.
    assert_eq!(refused["data"]["found"], "[withheld]", "{refused}");
    assert!(!installed(&reader));
    // The same tool that came from there before is the pinned one.
    std::fs::remove_file(reader.stage.path(&format!("{TOOLS}/runner.yaml"))).expect("removed");
    let sidecar = reader.stage.path(&format!("{TOOLS}/runner.yaml.sig"));
    std::fs::remove_file(sidecar).expect("removed");
    reader.print(&["pull", "tool", "acme/runner@1.0.0"]);
    reader.print(&["pull", "tool", "acme/greeter"]);
    assert!(installed(&reader));
}

#[test]
fn a_lockfile_for_another_tool_than_the_published_one_is_refused() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    // The lockfile pins a greeter that was never published.
    publish_chain(&author, "1.0.0", &[SCRIPT]);
    author.stage.file(&format!("{TOOLS}/greeter.sh"), "echo something else\n");
    author.print(&["sign", "tool", "greeter"]);
    author.print(&["lock", "greeter"]);
    author.print(&["publish", "lockfile", "shared/greeter@1.0.0", "--namespace", "acme"]);
    let refused = reader.reply(&["pull", "tool", "acme/greeter"]);
    assert_eq!(refused["code"], "RG-PULL-I-006", "{refused}");
    assert_eq!(refused["data"]["link"], 0, "{refused}");
    assert!(!installed(&reader));
    // Withdrawn, it pins nothing.
    author.print(&["yank", "lockfile", "acme/greeter@1.0.0"]);
    reader.print(&["pull", "tool", "acme/greeter"]);
    assert!(installed(&reader));
}

#[test]
fn a_registry_that_hides_a_lockfile_is_noticed() {
    let neighbours = Neighbours::new();
    publish_locked(&neighbours.author);
    let server = LyingServer::start(&neighbours.registry.url, |path, answer| {
        if path.contains("/items/lockfile/") {
            return SentAnswer::Bytes(404, Vec::new());
        }
        SentAnswer::Bytes(answer.status, answer.body)
    });
    let victim = Person::new();
    victim.trust(&neighbours.author);
    victim.log_in(&server.url, &neighbours.registry.log_key, None);
    let reply = victim.reply(&["pull", "tool", "acme/greeter"]);
    check_distrust(&victim, &reply, "RG-LOG-E-010");
    assert!(!installed(&victim));
}

fn install_as_agent(reader: &Person, version: &str) -> Value {
    let load = json!({
        "item_type": "tool", "item_id": "acme/greeter", "source": "registry",
        "destination": "project", "version": version,
    });
    reader.stage.call_text("load", &load.to_string()).reply
}

#[test]
fn an_agent_that_installs_a_tool_pins_it_and_replaces_no_pin() {
    let Neighbours { registry: _registry, author, reader } = Neighbours::new();
    publish_chain(&author, "1.0.0", &[SCRIPT]);
    reader.configure("agents: {may_install: true}\n");
    let done = install_as_agent(&reader, "1.0.0");
    assert_eq!(done["code"], "RG-PULL-S-001", "{done}");
    assert!(reader.print(&["run", "greeter", "--locked"]).contains("hello"));
    let lockfile = reader.stage.path("project/.ai/lockfiles/shared/greeter@1.0.0.lock.json");
    let text = std::fs::read_to_string(&lockfile).expect("a lockfile");
    assert_eq!(reader.code(&["lock", "--check"]), "EX-LOCK-S-002");
    // A pin that is there is a person's word, whatever an agent installs.
    for file in ["greeter.yaml", "greeter.yaml.sig", "greeter.sh"] {
        std::fs::remove_file(reader.stage.path(&format!("{TOOLS}/{file}"))).expect("removed");
    }
    std::fs::write(&lockfile, text.replace("\"subprocess\"", "\"subprocesses\"")).expect("written");
    let changed = std::fs::read_to_string(&lockfile).expect("a lockfile");
    let again = install_as_agent(&reader, "1.0.0");
    assert_eq!(again["code"], "RG-PULL-S-001", "{again}");
    assert!(again["hint"].to_string().contains("not pinned"), "{again}");
    assert_eq!(std::fs::read_to_string(&lockfile).expect("a lockfile"), changed);
}
