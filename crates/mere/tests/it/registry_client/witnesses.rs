//! A client that asks for witnesses, with real ones: it believes what enough of them have signed, and
//! nothing else, also the first time.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use super::fixture::{Neighbours, Person, TestRegistry, check_distrust};

/// A witness that runs until it is dropped.
struct Witness {
    child: Child,
    url: String,
    key: String,
}

impl Witness {
    fn start(registry: &TestRegistry, name: &str) -> Self {
        let key_file = registry.stage.path(&format!("data/{name}.key"));
        let mut command = registry.stage.command("beside");
        command.args(["witness", "serve", "--listen", "127.0.0.1:0", "--log", "error"]);
        command.arg("--key-file").arg(key_file).args(["--origin", &log_key(registry)]);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the witness starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        let (url, key) = (line(), line().trim_start_matches("key ").to_owned());
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url, key }
    }

    /// What the registry is told of it.
    fn option(&self) -> String {
        format!("{}={}", self.url, self.key)
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the key of the log, as the registry says it.
fn log_key(registry: &TestRegistry) -> String {
    let mut curl = std::process::Command::new("curl");
    curl.args(["-s", &format!("{}/api/v1/registry", registry.url)]);
    let output = curl.output().expect("curl");
    let info = serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON");
    info["log_key"].as_str().expect("a key").to_owned()
}

fn ask_for(person: &Person, threshold: usize, witnesses: &[&Witness]) {
    let keys = witnesses.iter().map(|witness| format!("\"{}\"", witness.key));
    let keys = keys.collect::<Vec<_>>().join(", ");
    person.configure(&format!(
        "registry: {{witnesses: {{threshold: {threshold}, keys: [{keys}]}}}}\n"
    ));
}

#[test]
fn what_enough_witnesses_signed_is_believed_and_nothing_else() {
    let Neighbours { mut registry, author, reader } = Neighbours::new();
    let [one, two] = ["one", "two"].map(|name| Witness::start(&registry, name));
    registry.stop();
    registry.serve_with(&["--witness", &one.option()]);
    author.publish_note("style", "1.0.0", "one");
    ask_for(&reader, 1, &[&one, &two]);
    reader.print(&["pull", "note", "acme/style"]);
    assert!(reader.installed_note("style").is_some_and(|text| text.contains("one")));
    // The other one has not seen this log.
    author.publish_note("style", "1.1.0", "two");
    ask_for(&reader, 2, &[&one, &two]);
    let refused = reader.reply(&["pull", "note", "acme/style"]);
    check_distrust(&reader, &refused, "RG-LOG-E-005");
    assert!(reader.installed_note("style").is_some_and(|text| text.contains("one")));
    // With both it is believed.
    registry.stop();
    registry.serve_with(&["--witness", &one.option(), "--witness", &two.option()]);
    author.publish_note("style", "1.2.0", "three");
    reader.print(&["pull", "note", "acme/style"]);
    assert!(reader.installed_note("style").is_some_and(|text| text.contains("three")));
}

#[test]
fn a_registry_that_no_witness_saw_is_refused_at_first_contact() {
    let Neighbours { mut registry, author, .. } = Neighbours::new();
    let witness = Witness::start(&registry, "one");
    author.publish_note("style", "1.0.0", "one");
    let reader = Person::new();
    reader.trust(&author);
    ask_for(&reader, 1, &[&witness]);
    let (url, log_key) = (registry.url.clone(), registry.log_key.clone());
    let login = ["login", &url, "--log-key", &log_key, "--no-token"];
    let refused = reader.reply(&login);
    assert_eq!(refused["code"], "RG-LOG-E-005", "{refused}");
    assert_eq!(reader.code(&["pull", "note", "acme/style"]), "RG-LOGIN-I-003");
    registry.stop();
    registry.serve_with(&["--witness", &witness.option()]);
    author.publish_note("style", "1.1.0", "two");
    reader.print(&login);
    reader.print(&["pull", "note", "acme/style"]);
    assert!(reader.installed_note("style").is_some_and(|text| text.contains("two")));
}
