//! `mere up` from nothing, what it publishes, and its end.

use std::net::TcpListener;

use serde_json::Value;

use super::fetch::fetch;
use super::started::Started;
use crate::registry_client::fixture::{Neighbours, TestRegistry};
use crate::support::harness::Stage;

/// The options for ports that nobody else has.
const PORTS: [&str; 6] = ["--registry-port", "0", "--mcp-port", "0", "--ui-port", "0"];
/// The file of the registries that the user logged in to.
const LOGINS: &str = "home/.config/merestone/registries.json";

fn fresh_stage() -> Stage {
    let stage = Stage::new();
    stage.folder("project/.git");
    stage
}

fn start(stage: &Stage) -> Started {
    Started::new(stage, &[&["up"], &PORTS[..]].concat())
}

/// Runs a command of the operator of the stage's own registry, and returns the data of its reply.
fn operate(stage: &Stage, words: &[&str]) -> Value {
    let output = stage.person(&[&["registry"], words, &["--json"]].concat());
    let reply = serde_json::from_slice::<Value>(&output.stdout);
    reply.unwrap_or_else(|_| panic!("{words:?} {output:?}"))["data"].clone()
}

/// Returns how many entries the log of the stage's own registry has.
fn log_size(stage: &Stage) -> u64 {
    operate(stage, &["audit"])["entries"].as_u64().expect("a number")
}

/// Starts `mere up` and stops it, and returns what it printed before the URLs.
fn come_and_go(stage: &Stage) -> Vec<String> {
    let mut up = start(stage);
    let lines = up.lines_before("Pages");
    up.wait_for("Ctrl-C");
    assert_eq!(up.interrupt(), Some(0));
    lines
}

#[test]
fn the_registry_of_a_newcomer_shows_the_signed_examples_and_nothing_else() {
    let stage = fresh_stage();
    let mut up = start(&stage);
    let url = up.wait_for("/n/examples");
    let page = fetch(&url, &[]);
    assert_eq!(page.status, 200);
    for name in ["hello_tool", "count_todos", "summarize-folder", "how-items-work"] {
        assert!(page.body.contains(name), "{name}: {}", page.body);
    }
    assert!(!page.body.contains("welcome"), "memories stay: {}", page.body);
    let base = url.strip_suffix("/n/examples").expect("a URL");
    let item = fetch(&format!("{base}/i/tool/examples/hello_tool"), &[]);
    assert!(item.body.contains("valid signature"), "{}", item.body);
    assert!(item.body.contains("mere pull tool examples/hello_tool"), "{}", item.body);
    // The login was for this alone.
    assert!(!stage.path(LOGINS).exists());
    let tokens = operate(&stage, &["token", "list"]);
    let tokens = tokens["tokens"].as_array().expect("tokens").clone();
    assert_eq!(tokens.len(), 1, "{tokens:?}");
    assert!(tokens[0]["revoked_at"].is_string(), "{tokens:?}");
    assert_eq!(tokens[0]["scopes"], "publish:examples/*");
    assert_eq!(up.interrupt(), Some(0));
}

#[test]
fn a_second_start_publishes_nothing_even_if_an_example_was_changed() {
    let stage = fresh_stage();
    let first = come_and_go(&stage);
    assert!(first[1].starts_with("Made a key for you, without a passphrase"), "{first:?}");
    assert!(
        first.iter().any(|line| line.starts_with("Published its 4 signed examples")),
        "{first:?}"
    );
    let size = log_size(&stage);
    assert_eq!(size, 5, "a key and four items");
    let script = "project/.ai/tools/examples/hello_tool.py";
    let text = std::fs::read_to_string(stage.path(script)).expect("the example");
    stage.file(script, &text.replace("Greets", "Welcomes"));
    assert_eq!(come_and_go(&stage), Vec::<String>::new());
    // Nor does a space in another project put a second copy beside the first.
    std::fs::remove_dir_all(stage.path("project/.ai")).expect("removed");
    let third = come_and_go(&stage);
    assert!(third.iter().any(|line| line.starts_with("Made a space")), "{third:?}");
    assert!(!third.iter().any(|line| line.starts_with("Published")), "{third:?}");
    assert_eq!(log_size(&stage), size);
}

#[test]
fn what_the_user_has_is_never_published() {
    // A space of the user's own, with the same examples and a signed note.
    let stage = fresh_stage();
    assert!(stage.person(&["init"]).status.success());
    assert_eq!(come_and_go(&stage), Vec::<String>::new());
    assert_eq!(log_size(&stage), 0);
    // Items that lay there before `mere up` made the space, one with the name of an example.
    let stage = fresh_stage();
    let note = "---\nid: how-items-work\ntitle: Ours\nversion: 1.0.0\n---\nOurs.\n";
    stage.file("project/.ai/knowledge/examples/how-items-work.md", note);
    stage.file("project/.ai/knowledge/ours/plan.md", &note.replace("how-items-work", "plan"));
    let mut up = start(&stage);
    let url = up.wait_for("/n/examples");
    let page = fetch(&url, &[]).body;
    assert!(page.contains("hello_tool"), "{page}");
    assert!(!page.contains("how-items-work") && !page.contains("plan"), "{page}");
    assert_eq!(up.interrupt(), Some(0));
    assert_eq!(log_size(&stage), 4, "a key and three items");
}

#[test]
fn a_registry_that_has_entries_gets_no_examples() {
    let stage = fresh_stage();
    assert!(stage.person(&["keys", "generate", "--no-passphrase"]).status.success());
    let key = String::from_utf8(stage.person(&["keys", "export"]).stdout).expect("text");
    let key = stage.file("beside/key.pub", &key);
    operate(&stage, &["user", "add", "ada"]);
    operate(&stage, &["namespace", "create", "acme", "--owner", "ada"]);
    operate(&stage, &["key", "add", "acme", key.to_str().expect("text")]);
    assert_eq!(log_size(&stage), 1);
    let lines = come_and_go(&stage);
    assert!(!lines.iter().any(|line| line.starts_with("Published")), "{lines:?}");
    assert_eq!(log_size(&stage), 1);
    assert_eq!(operate(&stage, &["token", "list"])["tokens"], serde_json::json!([]));
}

#[test]
fn the_user_stays_logged_in_where_they_were() {
    let Neighbours { registry, author, .. } = Neighbours::new();
    let logins = || std::fs::read_to_string(author.stage.path(LOGINS)).expect("the logins");
    let before = logins();
    std::fs::remove_dir_all(author.stage.path("project/.ai")).expect("removed");
    std::fs::remove_dir_all(author.stage.path("home/.ai")).expect("removed");
    let lines = come_and_go(&author.stage);
    assert!(lines.iter().any(|line| line.starts_with("Published its 4")), "{lines:?}");
    assert_eq!(logins(), before);
    author.configure("");
    author.publish_note("style", "1.0.0", "one");
    author.print(&["search", "--source", "registry", "style"]);
    let TestRegistry { url, .. } = &registry;
    assert_eq!(fetch(&format!("{url}/i/knowledge/acme/style"), &[]).status, 200);
}

#[test]
fn examples_that_cannot_be_signed_stay_in_their_space() {
    let stage = fresh_stage();
    let key = stage.path("beside/key");
    let made = std::process::Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "secret", "-f"])
        .arg(&key)
        .status();
    assert!(made.expect("ssh-keygen runs").success());
    let key = key.to_str().expect("text");
    assert!(stage.person(&["keys", "use", key]).status.success());
    let lines = come_and_go(&stage);
    assert!(lines.iter().any(|line| line.starts_with("Made a space")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.starts_with("Published")), "{lines:?}");
    assert_eq!(log_size(&stage), 0);
}

#[test]
fn a_newcomer_sees_examples_everywhere_and_ctrl_c_stops_it() {
    let stage = fresh_stage();
    let mut up = start(&stage);
    let pages = up.wait_for("token=");
    let registry = up.wait_for("http://");
    let agents = up.wait_for("/mcp");
    let cookie = fetch(&pages, &[]).header("set-cookie").to_owned();
    let cookie = cookie.split(';').next().expect("a cookie");
    let base = pages.split("?token").next().expect("a URL");
    assert!(fetch(base, &[("Cookie", cookie)]).body.contains("hello_tool"));
    assert!(fetch(&registry, &[]).body.contains("Merestone registry"));
    assert_eq!(
        fetch(&agents, &[("Accept", "text/event-stream")]).status / 100,
        4,
        "no session yet"
    );
    assert_eq!(up.interrupt(), Some(0));
}

#[test]
fn a_program_is_told_where_everything_answers() {
    let stage = fresh_stage();
    let mut up = Started::new(&stage, &[&["up", "--json"], &PORTS[..]].concat());
    let reply = up.read_json();
    assert_eq!(reply["code"], "MCP-SERVE-S-001", "{reply}");
    let data = &reply["data"];
    assert_eq!(data["space_made"], "project", "{reply}");
    assert!(data["key_made"].as_str().is_some_and(|key| key.starts_with("SHA256:")), "{reply}");
    let registry = data["registry"].as_str().expect("a URL");
    assert!(fetch(registry, &[]).body.contains("Merestone registry"));
    assert_eq!(up.interrupt(), Some(0));
    let mut ui = Started::new(&stage, &["ui", "--json", "--port", "0"]);
    let reply = ui.read_json();
    let pages = reply["data"]["pages"].as_str().expect("a URL");
    assert!(!fetch(pages, &[]).header("set-cookie").is_empty());
}

#[test]
fn a_port_that_is_taken_is_named_with_the_option_that_helps() {
    let stage = fresh_stage();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    for option in ["--registry-port", "--mcp-port", "--ui-port"] {
        let mut words = vec!["up"];
        for other in ["--registry-port", "--mcp-port", "--ui-port"] {
            words.extend([other, if other == option { port.as_str() } else { "0" }]);
        }
        let output = stage.command("project").args(&words).output().expect("mere runs");
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(4), "{text}");
        assert!(text.contains(&port) && text.contains(option), "{text}");
        // Whoever starts again with another port still begins from nothing.
        assert!(!stage.path("project/.ai").exists());
    }
}
