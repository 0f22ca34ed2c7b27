//! Names that lead elsewhere: a resolver that changes its answer, and names with several addresses.
//!
//! The resolver and the servers are real; they have a network namespace to themselves, in which a
//! public address is theirs.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::workshop::{Who, Workshop};

const MERE: &str = env!("CARGO_BIN_EXE_mere");
const HOSTS: [&str; 8] = [
    "public.example",
    "private.example",
    "mixed.example",
    "mapped.example",
    "unspecified.example",
    "metadata.example",
    "rebind-a.example",
    "rebind-b.example",
];

/// Runs the tool for each URL in the small internet of `names.py`, with every host granted as a
/// public one. Returns the replies, and whether the private server was reached.
fn ask(urls: &[&str]) -> (Vec<Value>, bool) {
    let workshop = Workshop::new(Who::Tester);
    let manifest = format!(
        "tool_id: a\ntool_type: api\nexecutor_id: http_client\nversion: 1.0.0\n\
         description: Asks.\ninput_schema: {{type: object}}\nconfig: {{url: '${{url}}'}}\n\
         permissions: {{net: {}}}\n",
        json!(HOSTS)
    );
    workshop.manifest("a", &manifest, "");
    let options = HOSTS.iter().flat_map(|host| ["--net", host]);
    workshop.person(&["grant", "a"].into_iter().chain(options).collect::<Vec<_>>());
    let script = workshop.stage.file("names/names.py", include_str!("attacks/names.py"));
    let folder = workshop.stage.path("names");
    let mut command = Command::new("unshare");
    command
        .args(["-rnm", "python3"])
        .arg(script)
        .arg(&folder)
        .arg(MERE)
        .arg(json!(urls).to_string());
    command.env_clear().env("HOME", workshop.stage.path("home"));
    command.env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin");
    let output = command.current_dir(workshop.stage.path("project")).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    workshop.stage.check(&text);
    let replies = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{error}: {text} {}", String::from_utf8_lossy(&output.stderr))
    });
    (replies, folder.join("reached").exists())
}

#[test]
fn a_name_that_leads_to_a_private_address_is_refused() {
    let (replies, is_reached) = ask(&[
        "http://public.example/",
        "http://private.example/",
        "http://mixed.example/",
        "http://mapped.example/",
        "http://unspecified.example/",
        "http://metadata.example/latest/meta-data/",
        "http://public.example/private",
        "http://public.example/literal",
        "http://public.example/six",
    ]);
    assert_eq!(replies[0]["data"]["body"], "93.184.216.34", "{:#}", replies[0]);
    for reply in &replies[1..6] {
        assert_eq!(reply["code"], "EN-RUN-D-005", "{reply:#}");
        assert!(!reply.to_string().contains("127.0.0.1"), "no address of the network is told");
    }
    for reply in &replies[6..] {
        assert_eq!(reply["data"]["ended"], "refused host", "{reply:#}");
    }
    assert!(!is_reached, "the private server was never reached");
}

#[test]
fn a_resolver_that_changes_its_answer_changes_nothing() {
    let (replies, is_reached) = ask(&[
        "http://rebind-a.example/",
        "http://rebind-a.example/",
        "http://rebind-b.example/again",
    ]);
    // What was checked is what was connected to.
    assert_eq!(replies[0]["data"]["body"], "93.184.216.34", "{:#}", replies[0]);
    assert_eq!(replies[1]["code"], "EN-RUN-D-005", "{:#}", replies[1]);
    // Each hop of a redirect is resolved and checked anew.
    assert_eq!(replies[2]["data"]["ended"], "refused host", "{:#}", replies[2]);
    assert_eq!(replies[2]["data"]["refused_hosts"], json!(["rebind-b.example:80"]));
    assert!(!is_reached, "the private server was never reached");
}
