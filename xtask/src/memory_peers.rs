//! Other servers that keep notes for agents, beside `mere`: creating a note, reading one, finding
//! some, and how many of a hundred concurrent notes are kept.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::items::measurement;
use crate::mcp_client::McpClient;
use crate::measurement::{Measurement, Unit, in_turns, millis};
use crate::memory::{AT_ONCE, GrowingStore, Layout, create_call};
use crate::peer::{self, Call, Peer};
use crate::process;
use crate::random::Random;
use crate::text::{self, Language, RARE};

/// How often each operation is done. Some take half a second.
const ROUNDS: usize = 40;
const WARM: usize = 3;
/// How long it may take until existing notes are indexed, or until new notes are written.
const INDEX_TIMEOUT: Duration = Duration::from_mins(15);
const WRITE_TIMEOUT: Duration = Duration::from_mins(1);

/// How many notes basic-memory indexes in reasonable time.
const MAX_SLOW_NOTES: usize = 1_000;

/// Which server it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerKind {
    Mere,
    ServerMemory,
    BasicMemory,
}

/// A running server with some notes.
struct NoteServer {
    kind: ServerKind,
    folder: PathBuf,
    client: McpClient,
    notes: usize,
    made: usize,
}

/// A server that is installed.
pub(crate) struct InstalledServer {
    pub(crate) kind: ServerKind,
    pub(crate) title: String,
    command: Vec<String>,
}

/// The names and rows of the table, additional remarks, and what is missing.
pub(crate) struct Comparison {
    pub(crate) names: Vec<String>,
    pub(crate) measurements: Vec<Measurement>,
    pub(crate) remarks: Vec<String>,
    pub(crate) missing: Vec<&'static str>,
}

/// Compares all installed servers on these numbers of notes, in folders below `folder`.
pub(crate) fn compare(mere: &Peer, sizes: &[usize], folder: &Path) -> Comparison {
    let (known, missing) = find_installed();
    let mut names = vec![mere.title()];
    names.extend(known.iter().map(|one| one.title.clone()));
    let (mut measurements, mut remarks) = (Vec::new(), Vec::new());
    for size in sizes {
        let base = folder.join(size.to_string());
        std::fs::create_dir_all(base.join("home")).expect("a folder");
        let mut servers = vec![Some(start_mere(mere, &base, *size))];
        servers.extend(known.iter().map(|one| {
            let takes_it = one.kind != ServerKind::BasicMemory || *size <= MAX_SLOW_NOTES;
            takes_it.then(|| start_peer(one, &base, *size, &mut remarks))
        }));
        measurements.extend(measure_size(&mut servers, *size));
        for (server, name) in servers.iter_mut().zip(&names) {
            let Some(server) = server else { continue };
            let (answered, kept) = server.create_many();
            remarks.push(format!(
                "{name}, {size} notes: of {AT_ONCE} that come at once {answered} are acknowledged \
                 and {kept} kept"
            ));
        }
    }
    Comparison { names, measurements, remarks, missing }
}

/// Returns the other servers that are installed, and how to install those that are not.
pub(crate) fn find_installed() -> (Vec<InstalledServer>, Vec<&'static str>) {
    let (mut known, mut missing) = (Vec::new(), Vec::new());
    let package = peer::install_folder().join("node_modules/@modelcontextprotocol/server-memory");
    if package.exists() {
        let script = package.join("dist/index.js").display().to_string();
        let title = format!("server-memory (npm) {}", peer::npm_version(&package));
        let command = vec!["node".to_owned(), script];
        known.push(InstalledServer { kind: ServerKind::ServerMemory, title, command });
    } else {
        missing.push(
            "server-memory (npm install --prefix target/peers @modelcontextprotocol/server-memory)",
        );
    }
    let program = peer::install_folder().join("venv/bin/basic-memory");
    if program.exists() {
        let output = Command::new(&program).arg("--version").output().map(|output| output.stdout);
        let output = String::from_utf8_lossy(&output.unwrap_or_default()).trim().to_owned();
        let version = output.rsplit(' ').next().unwrap_or("?").to_owned();
        let command = vec![program.display().to_string(), "mcp".to_owned()];
        let title = format!("basic-memory {version}");
        known.push(InstalledServer { kind: ServerKind::BasicMemory, title, command });
    } else {
        missing.push("basic-memory (see docs/benchmarks.md)");
    }
    (known, missing)
}

fn start_mere(mere: &Peer, base: &Path, size: usize) -> NoteServer {
    let folder = base.join("mere");
    std::fs::create_dir(&folder).expect("a folder");
    GrowingStore::new(&folder, Layout::Flat).fill(size);
    let mere = mere.in_folder(&folder);
    NoteServer { kind: ServerKind::Mere, folder, client: mere.connect(), notes: size, made: 0 }
}

/// Starts another server with its notes.
fn start_peer(
    one: &InstalledServer,
    base: &Path,
    size: usize,
    remarks: &mut Vec<String>,
) -> NoteServer {
    let folder = base.join(if one.kind == ServerKind::ServerMemory { "graph" } else { "basic" });
    std::fs::create_dir(&folder).expect("a folder");
    let mut random = Random::new(5);
    let notes = (0..size).map(|_| text::generate(Language::Markdown, 600, &mut random));
    let mut client = one.start(&folder, notes);
    if one.kind == ServerKind::BasicMemory {
        let took =
            wait_for_notes(&mut client, size, INDEX_TIMEOUT).expect("the notes are known in time");
        let took = took.as_secs_f64();
        remarks.push(format!("{}: {size} notes are known after {took:.0} s", one.title));
    }
    NoteServer { kind: one.kind, folder, client, notes: size, made: 0 }
}

impl InstalledServer {
    /// Starts the server in a folder with notes.
    pub(crate) fn start(&self, folder: &Path, notes: impl Iterator<Item = String>) -> McpClient {
        let mut command = process::command(Path::new(&self.command[0]), folder);
        command.args(&self.command[1..]);
        if self.kind == ServerKind::ServerMemory {
            let lines = notes.enumerate().map(|(number, note)| {
                let mut line = json!({ "type": "entity" });
                line.as_object_mut().expect("an object").extend(entity(number, &note));
                format!("{line}\n")
            });
            let file = folder.join("memory.jsonl");
            std::fs::write(&file, lines.collect::<String>().trim_end()).expect("a file");
            command.env("MEMORY_FILE_PATH", file);
        } else {
            std::fs::create_dir(folder.join("notes")).expect("a folder");
            for (number, note) in notes.enumerate() {
                let note = format!("---\ntitle: m{number:06}\ntype: note\n---\n\n{note}");
                let file = folder.join(format!("notes/m{number:06}.md"));
                std::fs::write(file, note).expect("a file");
            }
            // Otherwise a model would have to be fetched.
            command.env("BASIC_MEMORY_HOME", folder);
            command.env("BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED", "false");
        }
        McpClient::start("a peer", command)
    }

    /// Returns the call that finds notes by a word.
    pub(crate) fn search_call(&self, word: &str) -> Call {
        search_call(self.kind, word)
    }
}

fn search_call(kind: ServerKind, word: &str) -> Call {
    let tool = match kind {
        ServerKind::Mere => "search",
        ServerKind::ServerMemory => "search_nodes",
        ServerKind::BasicMemory => "search_notes",
    };
    Call { tool, arguments: json!({ "query": word }) }
}

/// Waits until basic-memory has indexed every note in its folder, and returns how long that took.
pub(crate) fn wait_for_notes(
    client: &mut McpClient,
    notes: usize,
    patience: Duration,
) -> Option<Duration> {
    let began = Instant::now();
    let known = format!("{notes} total items");
    while began.elapsed() < patience {
        let arguments = json!({ "dir_name": "/notes" });
        let answer = client.call(&Call { tool: "list_directory", arguments }).message;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        if text.contains(&known) {
            return Some(began.elapsed());
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    None
}

fn entity(number: usize, text: &str) -> serde_json::Map<String, Value> {
    let entity = json!({
        "name": format!("m{number:06}"), "entityType": "note", "observations": [text]
    });
    entity.as_object().cloned().unwrap_or_default()
}

/// Measures the rows for one number of notes.
fn measure_size(servers: &mut [Option<NoteServer>], size: usize) -> Vec<Measurement> {
    let note = text::generate(Language::Markdown, 600, &mut Random::new(6));
    let name = |what: &str| format!("{what}, {},000 notes", size / 1000);
    let mut timed = |what: &str, call: &dyn Fn(&mut NoteServer) -> Call| {
        let measure = |server: &mut Option<NoteServer>| {
            let server = server.as_mut()?;
            let call = call(server);
            Some(millis(server.client.call(&call).took))
        };
        in_turns(servers, WARM, |server| measure(server).unwrap_or(f64::NAN));
        let samples = in_turns(servers, ROUNDS, |server| measure(server).unwrap_or(f64::NAN));
        let samples = samples.into_iter().map(|mut samples| {
            samples.retain(|sample| !sample.is_nan());
            samples
        });
        measurement(&name(what), Unit::Millis, samples.collect())
    };
    let mut measurements = vec![
        timed("keep one more note", &|server| server.create_call(&note)),
        timed("read one note", &|server| server.read_call()),
        timed("find notes by a rare word", &|server| search_call(server.kind, RARE)),
    ];
    let memory = servers
        .iter()
        .map(|server| server.iter().map(|server| server.client.peak_memory()).collect::<Vec<_>>());
    measurements.push(measurement(
        &name("peak memory after these"),
        Unit::Megabytes,
        memory.collect(),
    ));
    measurements
}

impl NoteServer {
    /// Returns the call that creates one more note.
    fn create_call(&mut self, note: &str) -> Call {
        self.made += 1;
        let number = 900_000 + self.made;
        match self.kind {
            ServerKind::Mere => create_call(&format!("all/m{number}"), note),
            ServerKind::ServerMemory => {
                let arguments = json!({ "entities": [entity(number, note)] });
                Call { tool: "create_entities", arguments }
            }
            ServerKind::BasicMemory => {
                let title = format!("m{number}");
                let arguments = json!({ "title": title, "content": note, "directory": "notes" });
                Call { tool: "write_note", arguments }
            }
        }
    }

    /// Returns the call that reads a note, each time another.
    fn read_call(&mut self) -> Call {
        self.made += 1;
        let name = format!("m{:06}", self.made * 7919 % self.notes);
        match self.kind {
            ServerKind::Mere => {
                Call { tool: "get_memory", arguments: json!({ "path": format!("all/{name}") }) }
            }
            ServerKind::ServerMemory => {
                Call { tool: "open_nodes", arguments: json!({ "names": [name] }) }
            }
            ServerKind::BasicMemory => Call {
                tool: "read_note",
                arguments: json!({ "identifier": format!("notes/{name}") }),
            },
        }
    }

    /// Creates a hundred notes at once. Returns how many were acknowledged, and how many exist
    /// afterwards.
    fn create_many(&mut self) -> (usize, usize) {
        let before = self.count();
        let calls = (0..AT_ONCE).map(|number| self.create_call(&format!("# At once {number}\n")));
        let calls = calls.collect::<Vec<_>>();
        let (_, answered) = self.client.call_all(&calls);
        // Some servers acknowledge notes that they have not written yet.
        let waited_since = Instant::now();
        while self.count() < before + AT_ONCE && waited_since.elapsed() < WRITE_TIMEOUT {
            std::thread::sleep(Duration::from_millis(100));
        }
        (answered, self.count() - before)
    }

    /// Returns how many notes are on disk.
    fn count(&self) -> usize {
        let folder = match self.kind {
            ServerKind::Mere => self.folder.join(".ai/memory/all"),
            ServerKind::BasicMemory => self.folder.join("notes"),
            ServerKind::ServerMemory => {
                let text = std::fs::read_to_string(self.folder.join("memory.jsonl"));
                return text.expect("its file").lines().count();
            }
        };
        let names = std::fs::read_dir(folder).expect("a folder");
        let names = names.map(|name| name.expect("a name").file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".md")).count()
    }
}
