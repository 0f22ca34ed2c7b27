//! MCP servers over stdio that are measured, and one conversation with one of them.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A server that can be started.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) version: String,
    command: Vec<String>,
    folder: PathBuf,
    /// The tool that lists a folder, and its arguments for one.
    list: (&'static str, fn(&Path, &str) -> Value),
}

/// The peers that are installed, `mere` first, and what is missing.
pub(crate) fn installed(folder: &Path) -> (Vec<Peer>, Vec<String>) {
    let folder = folder.canonicalize().expect("the corpus");
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let peers = workspace.join("target/peers");
    let whole = |folder: &Path, below: &str| json!({ "path": folder.join(below) });
    let all = [
        Peer {
            name: "mere",
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: vec![text(&workspace.join("target/release/mere")), "mcp".to_owned()],
            folder: folder.clone(),
            list: ("dir", |_, below| json!({ "command": "list", "path": below })),
        },
        Peer {
            name: "rust-mcp-filesystem",
            version: "0.4.5".to_owned(),
            command: vec![text(&peers.join("bin/rust-mcp-filesystem")), text(&folder)],
            folder: folder.clone(),
            list: ("list_directory", whole),
        },
        Peer {
            name: "server-filesystem (npm)",
            version: npm_version(&peers),
            command: vec![
                "node".to_owned(),
                text(
                    &peers
                        .join("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"),
                ),
                text(&folder),
            ],
            folder,
            list: ("list_directory", whole),
        },
    ];
    let mut missing = Vec::new();
    let hints = [
        "cargo build --release",
        "cargo install rust-mcp-filesystem --version 0.4.5 --locked --root target/peers",
        "npm install --prefix target/peers @modelcontextprotocol/server-filesystem",
    ];
    let found = all.into_iter().zip(hints).filter_map(|(peer, hint)| {
        let program = peer.command.iter().find(|part| part.contains('/')).expect("a program");
        if Path::new(program).exists() {
            return Some(peer);
        }
        missing.push(format!("{} ({hint})", peer.name));
        None
    });
    (found.collect(), missing)
}

fn npm_version(peers: &Path) -> String {
    let file = peers.join("node_modules/@modelcontextprotocol/server-filesystem/package.json");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let value = serde_json::from_str::<Value>(&text).unwrap_or_default();
    value["version"].as_str().unwrap_or("?").to_owned()
}

/// A started server that has shaken hands.
pub(crate) struct Talk<'a> {
    peer: &'a Peer,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Peer {
    /// Starts the server and shakes hands.
    pub(crate) fn talk(&self) -> Talk<'_> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).current_dir(&self.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take().expect("its input");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let mut talk = Talk { peer: self, child, input, output, last: 0 };
        talk.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "bench", "version": "1" }
            }),
        );
        talk.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        talk
    }
}

impl Talk<'_> {
    /// Sends a request and waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        self.ask(method, params);
        self.answer()
    }

    /// A listing of a folder of the corpus.
    pub(crate) fn list(&mut self, below: &str) -> Value {
        self.ask_list(below);
        self.answer()
    }

    /// Sends a request for a listing.
    pub(crate) fn ask_list(&mut self, below: &str) {
        let (tool, arguments) = self.peer.list;
        let arguments = arguments(&self.peer.folder, below);
        self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }));
    }

    /// Reads the answer to any request.
    pub(crate) fn answer(&mut self) -> Value {
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("UTF-8");
            assert!(read > 0, "{} went away", self.peer.name);
            let message: Value = serde_json::from_str(&line).expect("JSON");
            // Some servers ask the client things of their own.
            if message.get("id").is_some() && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{}: {message}", self.peer.name);
                return message;
            }
        }
    }

    /// The most memory it has held, in KiB.
    pub(crate) fn peak_memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
        line.trim().trim_end_matches(" kB").parse().expect("a number")
    }

    fn ask(&mut self, method: &str, params: &Value) {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).expect("the server reads");
    }
}

impl Drop for Talk<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
