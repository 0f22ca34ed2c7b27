//! `mere up` from nothing, and its end.

use std::net::TcpListener;

use super::fetch::fetch;
use super::started::Started;
use crate::support::harness::Stage;

fn fresh_stage() -> Stage {
    let stage = Stage::new();
    stage.folder("project/.git");
    stage
}

#[test]
fn a_newcomer_sees_examples_everywhere_and_ctrl_c_stops_it() {
    let stage = fresh_stage();
    let ports = ["--registry-port", "0", "--mcp-port", "0", "--ui-port", "0"];
    let mut up = Started::new(&stage, &[&["up"], &ports[..]].concat());
    assert_eq!(up.wait_for("Made"), "Made", "a space");
    assert!(up.wait_for("SHA256:").len() > 40);
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
    let ports = ["--registry-port", "0", "--mcp-port", "0", "--ui-port", "0"];
    let mut up = Started::new(&stage, &[&["up", "--json"], &ports[..]].concat());
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
    }
}
