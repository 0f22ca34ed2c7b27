//! A registry that runs, and people who publish to it and install from it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Output, Stdio};

use serde_json::Value;

use crate::support::harness::Stage;

/// A registry on a stage of its own. It is stopped when it is dropped.
pub(crate) struct TestRegistry {
    pub(crate) stage: Stage,
    server: Option<Child>,
    pub(crate) url: String,
    pub(crate) log_key: String,
    listen: String,
}

impl TestRegistry {
    /// Starts a registry with the namespace `acme`.
    pub(crate) fn start() -> Self {
        let stage = Stage::new();
        let mut registry = Self {
            stage,
            server: None,
            url: String::new(),
            log_key: String::new(),
            listen: "127.0.0.1:0".to_owned(),
        };
        registry.operate(&["user", "add", "ada"]);
        registry.operate(&["namespace", "create", "acme", "--owner", "ada"]);
        registry.serve();
        registry
    }

    /// Runs a command of the operator, and returns what it prints.
    pub(crate) fn operate(&self, words: &[&str]) -> String {
        let output = self.command(words).output().expect("mere runs");
        assert!(output.status.success(), "{words:?} {output:?}");
        String::from_utf8(output.stdout).expect("text").trim().to_owned()
    }

    fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = self.stage.command("beside");
        let database = format!("sqlite:{}", self.stage.path("data/registry.db").display());
        let blobs = format!("file:{}", self.stage.path("data/blobs").display());
        self.stage.folder("data");
        command.arg("registry").args(words).args(["--database", &database, "--blobs", &blobs]);
        command
    }

    /// Starts the server, at the same address as before.
    pub(crate) fn serve(&mut self) {
        self.serve_with(&[]);
    }

    /// The same with more options.
    pub(crate) fn serve_with(&mut self, options: &[&str]) {
        let mut command = self.command(&["serve", "--listen", &self.listen]);
        command.args(options);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().expect("the server starts");
        let mut lines = BufReader::new(server.stdout.take().expect("its output")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        self.url = line();
        line().trim_start_matches("log key ").clone_into(&mut self.log_key);
        self.listen = self.url.trim_start_matches("http://").to_owned();
        std::thread::spawn(move || lines.for_each(drop));
        self.server = Some(server);
    }

    /// Stops the server.
    pub(crate) fn stop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }

    /// Copies everything that the registry keeps.
    pub(crate) fn back_up(&mut self, name: &str) {
        self.stop();
        copy_folder(&self.stage.path("data"), &self.stage.path(name));
        self.serve();
    }

    /// Puts a copy in the place of what the registry keeps.
    pub(crate) fn restore(&mut self, name: &str) {
        self.stop();
        std::fs::remove_dir_all(self.stage.path("data")).expect("removed");
        copy_folder(&self.stage.path(name), &self.stage.path("data"));
        self.serve();
    }

    /// Lets the signatures of a person count in a namespace.
    pub(crate) fn add_key(&self, namespace: &str, person: &Person) {
        let key = self.stage.file("beside/key.pub", &person.print(&["keys", "export"]));
        self.operate(&["key", "add", namespace, key.to_str().expect("text")]);
    }

    /// Registers a person's key, and returns a token with which they may publish.
    pub(crate) fn admit(&self, person: &Person) -> String {
        self.add_key("acme", person);
        let scopes = ["--scope", "publish:acme/*", "--scope", "yank:acme/*"];
        self.operate(&[&["token", "create", "--user", "ada"], &scopes[..]].concat())
    }
}

impl Drop for TestRegistry {
    fn drop(&mut self) {
        self.stop();
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

/// A person with a home, a key and a project.
pub(crate) struct Person {
    pub(crate) stage: Stage,
}

impl Person {
    /// A person whose key signs without asking, in an empty space.
    pub(crate) fn new() -> Self {
        let person = Self::without_space();
        person.print(&["init", "--template", "blank"]);
        person
    }

    /// A person whose space has an example of each type.
    pub(crate) fn with_examples() -> Self {
        let person = Self::without_space();
        person.print(&["init"]);
        person
    }

    fn without_space() -> Self {
        let person = Self { stage: Stage::new() };
        person.make_key();
        person
    }

    /// Makes a key that signs without asking.
    pub(crate) fn make_key(&self) {
        self.configure("");
        self.print(&["keys", "generate", "--no-passphrase"]);
    }

    /// Writes the person's own config.
    pub(crate) fn configure(&self, more: &str) {
        self.stage.file("home/.ai/config.yaml", &format!("sign: {{unattended: true}}\n{more}"));
    }

    /// Runs a command in the project.
    pub(crate) fn run(&self, words: &[&str]) -> Output {
        let mut command = self.stage.command("project");
        command.args(words).stdin(Stdio::null()).output().expect("mere runs")
    }

    /// Runs a command that succeeds, and returns what it prints.
    pub(crate) fn print(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert!(output.status.success(), "{words:?} {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Runs a command, and returns its reply.
    pub(crate) fn reply(&self, words: &[&str]) -> Value {
        let output = self.run(&[words, &["--json"]].concat());
        let reply = serde_json::from_slice(&output.stdout);
        reply.unwrap_or_else(|_| panic!("{words:?} {output:?}"))
    }

    /// Runs a command, and returns the code of its reply.
    pub(crate) fn code(&self, words: &[&str]) -> String {
        self.reply(words)["code"].as_str().expect("a code").to_owned()
    }

    /// Logs in to a registry whose log key is known.
    pub(crate) fn log_in(&self, url: &str, log_key: &str, token: Option<&str>) {
        let file = self.stage.file("beside/token", token.unwrap_or("none"));
        let file = file.to_str().expect("text");
        let token = if token.is_some() { vec!["--token-file", file] } else { vec!["--no-token"] };
        self.print(&[&["login", url, "--log-key", log_key], &token[..]].concat());
    }

    /// Trusts what another person signs.
    pub(crate) fn trust(&self, other: &Person) {
        let key = other.print(&["keys", "export"]);
        self.print(&["trust", "add", key.trim(), "--name", "Ada"]);
    }

    /// Writes and signs a knowledge entry of a version.
    pub(crate) fn write_note(&self, id: &str, version: &str, body: &str) {
        let text = format!("---\nid: {id}\ntitle: The {id}\nversion: {version}\n---\n{body}\n");
        self.stage.file(&format!("project/.ai/knowledge/shared/{id}.md"), &text);
        self.print(&["sign", "note", &format!("shared/{id}")]);
    }

    /// Writes, signs and publishes a knowledge entry.
    pub(crate) fn publish_note(&self, id: &str, version: &str, body: &str) {
        self.write_note(id, version, body);
        self.print(&["publish", "note", &format!("shared/{id}"), "--namespace", "acme"]);
    }

    /// Returns the text of an installed note.
    pub(crate) fn installed_note(&self, id: &str) -> Option<String> {
        let path = self.stage.path(&format!("project/.ai/knowledge/shared/{id}.md"));
        std::fs::read_to_string(path).ok()
    }
}

/// A registry, somebody who publishes there, and somebody who trusts them.
pub(crate) struct Neighbours {
    pub(crate) registry: TestRegistry,
    pub(crate) author: Person,
    pub(crate) reader: Person,
}

impl Neighbours {
    pub(crate) fn new() -> Self {
        let (registry, author, reader) = (TestRegistry::start(), Person::new(), Person::new());
        let token = registry.admit(&author);
        author.log_in(&registry.url, &registry.log_key, Some(&token));
        reader.trust(&author);
        reader.log_in(&registry.url, &registry.log_key, None);
        Self { registry, author, reader }
    }
}

/// Checks that a reply has this code, and that the evidence it names is kept.
pub(crate) fn check_distrust(person: &Person, reply: &Value, code: &str) {
    assert_eq!(reply["code"], code, "{reply}");
    let name = reply["data"]["evidence"].as_str().unwrap_or_else(|| panic!("{reply}"));
    let folder = person.stage.path("home/.local/state/merestone/registries");
    let kept = std::fs::read_dir(folder).expect("the registries");
    let kept = kept.map(|one| one.expect("a registry").path().join(name));
    assert!(kept.into_iter().any(|file| file.is_file()), "{name}");
}
