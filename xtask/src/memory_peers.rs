//! Other servers that keep notes for agents, beside `mere`: keeping one more, reading one, finding
//! some, and how many of a hundred that come at once are kept.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::dice::Dice;
use crate::items::row;
use crate::memory::{AT_ONCE, Layout, Stock, creation};
use crate::peer::{self, Call, Peer};
use crate::process;
use crate::talk::Talk;
use crate::text::{self, Language, RARE};
use crate::work::{Unit, Work, in_turns, millis};

/// How often each thing is done: some take half a second.
const ROUNDS: usize = 40;
const WARM: usize = 3;
/// How long it may take until notes that lie there are known, or notes that came lie there.
const PATIENCE: Duration = Duration::from_mins(15);
const STILL: Duration = Duration::from_mins(1);

/// How many notes basic-memory takes in reasonable time.
const SLOW: usize = 1_000;

/// Which server it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Mere,
    ServerMemory,
    BasicMemory,
}

/// A server with some notes.
struct Keeper {
    kind: Kind,
    folder: PathBuf,
    talk: Talk,
    notes: usize,
    made: usize,
}

/// A server that is installed.
pub(crate) struct Known {
    pub(crate) kind: Kind,
    pub(crate) title: String,
    command: Vec<String>,
}

/// The table's names and rows, what is to be said besides, and what is missing.
pub(crate) struct Comparison {
    pub(crate) names: Vec<String>,
    pub(crate) works: Vec<Work>,
    pub(crate) said: Vec<String>,
    pub(crate) missing: Vec<&'static str>,
}

/// Compares all that are installed, on these numbers of notes, in folders below one.
pub(crate) fn compare(mere: &Peer, sizes: &[usize], folder: &Path) -> Comparison {
    let (known, missing) = known();
    let mut names = vec![mere.title()];
    names.extend(known.iter().map(|one| one.title.clone()));
    let (mut works, mut said) = (Vec::new(), Vec::new());
    for size in sizes {
        let base = folder.join(size.to_string());
        std::fs::create_dir_all(base.join("home")).expect("a folder");
        let mut keepers = vec![Some(ours(mere, &base, *size))];
        keepers.extend(known.iter().map(|one| {
            let takes_it = one.kind != Kind::BasicMemory || *size <= SLOW;
            takes_it.then(|| theirs(one, &base, *size, &mut said))
        }));
        works.extend(rows(&mut keepers, *size));
        for (keeper, name) in keepers.iter_mut().zip(&names) {
            let Some(keeper) = keeper else { continue };
            let (answered, kept) = keeper.keep_many();
            said.push(format!(
                "{name}, {size} notes: of {AT_ONCE} that come at once {answered} are acknowledged \
                 and {kept} kept"
            ));
        }
    }
    Comparison { names, works, said, missing }
}

/// The others that are installed, and how to install those that are not.
pub(crate) fn known() -> (Vec<Known>, Vec<&'static str>) {
    let (mut known, mut missing) = (Vec::new(), Vec::new());
    let package = peer::installed_at().join("node_modules/@modelcontextprotocol/server-memory");
    if package.exists() {
        let script = package.join("dist/index.js").display().to_string();
        let title = format!("server-memory (npm) {}", peer::npm_version(&package));
        let command = vec!["node".to_owned(), script];
        known.push(Known { kind: Kind::ServerMemory, title, command });
    } else {
        missing.push(
            "server-memory (npm install --prefix target/peers @modelcontextprotocol/server-memory)",
        );
    }
    let program = peer::installed_at().join("venv/bin/basic-memory");
    if program.exists() {
        let said = Command::new(&program).arg("--version").output().map(|said| said.stdout);
        let said = String::from_utf8_lossy(&said.unwrap_or_default()).trim().to_owned();
        let version = said.rsplit(' ').next().unwrap_or("?").to_owned();
        let command = vec![program.display().to_string(), "mcp".to_owned()];
        let title = format!("basic-memory {version}");
        known.push(Known { kind: Kind::BasicMemory, title, command });
    } else {
        missing.push("basic-memory (see docs/benchmarks.md)");
    }
    (known, missing)
}

fn ours(mere: &Peer, base: &Path, size: usize) -> Keeper {
    let folder = base.join("mere");
    std::fs::create_dir(&folder).expect("a folder");
    Stock::new(&folder, Layout::Flat).fill(size);
    let mere = mere.at(&folder);
    Keeper { kind: Kind::Mere, folder, talk: mere.talk(), notes: size, made: 0 }
}

/// Another server with its notes.
fn theirs(one: &Known, base: &Path, size: usize, said: &mut Vec<String>) -> Keeper {
    let folder = base.join(if one.kind == Kind::ServerMemory { "graph" } else { "basic" });
    std::fs::create_dir(&folder).expect("a folder");
    let mut dice = Dice::new(5);
    let notes = (0..size).map(|_| text::write(Language::Markdown, 600, &mut dice));
    let mut talk = one.start(&folder, notes);
    if one.kind == Kind::BasicMemory {
        let took = wait_for_notes(&mut talk, size, PATIENCE).expect("the notes are known in time");
        let took = took.as_secs_f64();
        said.push(format!("{}: {size} notes are known after {took:.0} s", one.title));
    }
    Keeper { kind: one.kind, folder, talk, notes: size, made: 0 }
}

impl Known {
    /// Starts it in a folder with notes.
    pub(crate) fn start(&self, folder: &Path, notes: impl Iterator<Item = String>) -> Talk {
        let mut command = process::command(Path::new(&self.command[0]), folder);
        command.args(&self.command[1..]);
        if self.kind == Kind::ServerMemory {
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
            // Without a model that would have to be fetched.
            command.env("BASIC_MEMORY_HOME", folder);
            command.env("BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED", "false");
        }
        Talk::begin("a peer", command)
    }

    /// The call that finds notes by a word.
    pub(crate) fn search(&self, word: &str) -> Call {
        search(self.kind, word)
    }
}

fn search(kind: Kind, word: &str) -> Call {
    let tool = match kind {
        Kind::Mere => "search",
        Kind::ServerMemory => "search_nodes",
        Kind::BasicMemory => "search_notes",
    };
    Call { tool, arguments: json!({ "query": word }) }
}

/// Waits until basic-memory knows of every note in its folder: how long that took.
pub(crate) fn wait_for_notes(
    talk: &mut Talk,
    notes: usize,
    patience: Duration,
) -> Option<Duration> {
    let began = Instant::now();
    let known = format!("{notes} total items");
    while began.elapsed() < patience {
        let arguments = json!({ "dir_name": "/notes" });
        let answer = talk.call(&Call { tool: "list_directory", arguments }).message;
        let told = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
        if told.contains(&known) {
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

/// The rows of one number of notes.
fn rows(keepers: &mut [Option<Keeper>], size: usize) -> Vec<Work> {
    let note = text::write(Language::Markdown, 600, &mut Dice::new(6));
    let name = |what: &str| format!("{what}, {},000 notes", size / 1000);
    let mut timed = |what: &str, call: &dyn Fn(&mut Keeper) -> Call| {
        let measure = |keeper: &mut Option<Keeper>| {
            let keeper = keeper.as_mut()?;
            let call = call(keeper);
            Some(millis(keeper.talk.call(&call).took))
        };
        in_turns(keepers, WARM, |keeper| measure(keeper).unwrap_or(f64::NAN));
        let samples = in_turns(keepers, ROUNDS, |keeper| measure(keeper).unwrap_or(f64::NAN));
        let samples = samples.into_iter().map(|mut samples| {
            samples.retain(|sample| !sample.is_nan());
            samples
        });
        row(&name(what), Unit::Millis, samples.collect())
    };
    let mut works = vec![
        timed("keep one more note", &|keeper| keeper.creation(&note)),
        timed("read one note", &|keeper| keeper.reading()),
        timed("find notes by a rare word", &|keeper| search(keeper.kind, RARE)),
    ];
    let memory = keepers
        .iter()
        .map(|keeper| keeper.iter().map(|keeper| keeper.talk.peak_memory()).collect::<Vec<_>>());
    works.push(row(&name("peak memory after these"), Unit::Megabytes, memory.collect()));
    works
}

impl Keeper {
    /// The call that keeps one more note.
    fn creation(&mut self, note: &str) -> Call {
        self.made += 1;
        let number = 900_000 + self.made;
        match self.kind {
            Kind::Mere => creation(&format!("all/m{number}"), note),
            Kind::ServerMemory => {
                let arguments = json!({ "entities": [entity(number, note)] });
                Call { tool: "create_entities", arguments }
            }
            Kind::BasicMemory => {
                let title = format!("m{number}");
                let arguments = json!({ "title": title, "content": note, "directory": "notes" });
                Call { tool: "write_note", arguments }
            }
        }
    }

    /// The call that reads a note, each time another.
    fn reading(&mut self) -> Call {
        self.made += 1;
        let name = format!("m{:06}", self.made * 7919 % self.notes);
        match self.kind {
            Kind::Mere => {
                Call { tool: "get_memory", arguments: json!({ "path": format!("all/{name}") }) }
            }
            Kind::ServerMemory => {
                Call { tool: "open_nodes", arguments: json!({ "names": [name] }) }
            }
            Kind::BasicMemory => Call {
                tool: "read_note",
                arguments: json!({ "identifier": format!("notes/{name}") }),
            },
        }
    }

    /// Asks for a hundred notes at once: how many are acknowledged, and how many are then there.
    fn keep_many(&mut self) -> (usize, usize) {
        let before = self.count();
        let calls = (0..AT_ONCE).map(|number| self.creation(&format!("# At once {number}\n")));
        let calls = calls.collect::<Vec<_>>();
        let (_, answered) = self.talk.at_once(&calls);
        // Some acknowledge what they have not written yet.
        let asked = Instant::now();
        while self.count() < before + AT_ONCE && asked.elapsed() < STILL {
            std::thread::sleep(Duration::from_millis(100));
        }
        (answered, self.count() - before)
    }

    /// How many notes lie there.
    fn count(&self) -> usize {
        let folder = match self.kind {
            Kind::Mere => self.folder.join(".ai/memory/all"),
            Kind::BasicMemory => self.folder.join("notes"),
            Kind::ServerMemory => {
                let text = std::fs::read_to_string(self.folder.join("memory.jsonl"));
                return text.expect("its file").lines().count();
            }
        };
        let names = std::fs::read_dir(folder).expect("a folder");
        let names = names.map(|name| name.expect("a name").file_name());
        names.filter(|name| name.to_string_lossy().ends_with(".md")).count()
    }
}
