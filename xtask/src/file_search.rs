//! The comparison of `mere` with `fd` and `rg`: finding directories, files and lines in the large
//! corpus.
//!
//! Nothing is measured before both have found exactly the same.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::mcp_client::McpClient;
use crate::measurement::{Measurement, Unit, in_turns, millis};
use crate::peer::{Call, Peer};
use crate::process::Program;
use crate::text;

const ROUNDS: usize = 100;
/// Rounds that are not counted, until the server and the disk are warm.
const WARM: usize = 3;

/// The options that make a program look where `mere` does: at hidden files, but not at ignored
/// ones.
const FD: &[&str] = &["-H", "--no-require-git", "-E", ".git", "-E", "node_modules"];
const RG: &[&str] = &["--hidden", "--no-require-git", "-n", "-g", "!.git", "-g", "!node_modules"];

/// This many file handles must be enough.
pub(crate) const HANDLES: u32 = 256;

/// One search that both `mere` and a program can do.
struct FileSearch {
    name: String,
    /// The plural noun for what it finds.
    nouns: &'static str,
    call: Call,
    /// Parses what one page of `mere` found, in the format of the program.
    parse_page: fn(&Value) -> Vec<String>,
    program: &'static str,
    arguments: Vec<&'static str>,
}

/// Returns all searches.
fn searches() -> [FileSearch; 4] {
    [tree(), glob("*.rs"), grep(text::RARE), grep(r"fn [a-z]+_handler\(")]
}

fn tree() -> FileSearch {
    FileSearch {
        name: "tree".to_owned(),
        nouns: "directories",
        call: Call { tool: "dir", arguments: json!({ "command": "tree", "depth": 16 }) },
        parse_page: |data| parse_entries(data, "directories", |entry| project_path(&entry["path"])),
        program: "fd",
        arguments: [FD, &["-t", "d"]].concat(),
    }
}

fn glob(pattern: &'static str) -> FileSearch {
    FileSearch {
        name: format!("glob `{pattern}`"),
        nouns: "files",
        call: Call { tool: "glob", arguments: json!({ "pattern": pattern, "limit": 10_000 }) },
        parse_page: |data| parse_entries(data, "matches", project_path),
        program: "fd",
        arguments: [FD, &["-t", "f", "-g", pattern]].concat(),
    }
}

fn grep(pattern: &'static str) -> FileSearch {
    FileSearch {
        name: format!("grep `{pattern}`"),
        nouns: "lines",
        call: Call { tool: "grep", arguments: json!({ "pattern": pattern, "limit": 10_000 }) },
        parse_page: |data| parse_entries(data, "matches", rg_line),
        program: "rg",
        arguments: [RG, &[pattern]].concat(),
    }
}

fn parse_entries(
    data: &Value,
    field: &str,
    format_entry: impl Fn(&Value) -> String,
) -> Vec<String> {
    data[field].as_array().expect("what was found").iter().map(format_entry).collect()
}

/// Converts an address to a path.
fn project_path(address: &Value) -> String {
    let address = address.as_str().expect("an address");
    address.strip_prefix("ROOT_PROJECT:/").expect("in the project").to_owned()
}

/// Formats a line as `rg -n` prints it.
fn rg_line(found: &Value) -> String {
    let text = found["text"].as_str().expect("a line");
    format!("{}:{}:{text}", project_path(&found["path"]), found["line"])
}

impl FileSearch {
    /// Collects all pages. Returns how long the calls took, and what was found.
    fn collect_pages(&self, client: &mut McpClient) -> (Duration, Vec<String>) {
        let mut call = self.call.clone();
        let (mut took, mut found) = (Duration::ZERO, Vec::new());
        loop {
            let answer = client.call(&call);
            took += answer.took;
            let data = &answer.message["result"]["structuredContent"]["data"];
            found.extend((self.parse_page)(data));
            let Some(next) = data.get("next") else { return (took, found) };
            call.arguments["cursor"] = next.clone();
        }
    }

    fn run(&self, program: &Program, mere: &Peer) -> (Duration, String) {
        program.run(&mere.folder, &self.arguments)
    }

    /// Returns how many results `mere` finds, after checking that the program, if it is installed,
    /// and the server with few file handles (`limited_client`) find the same.
    fn check(
        &self,
        mere: &Peer,
        limited_client: &mut McpClient,
        program: Option<&Program>,
    ) -> Result<usize, String> {
        let found = self.collect_pages(&mut mere.connect()).1;
        if let Some(program) = program {
            let lines = self.run(program, mere).1;
            let lines = lines.lines().map(str::to_owned).collect::<Vec<_>>();
            self.compare(&found, (program.name, &lines))?;
        }
        let few = self.collect_pages(limited_client).1;
        self.compare(&found, ("mere with few file handles", &few))?;
        Ok(found.len())
    }

    fn compare(&self, ours: &[String], (name, theirs): (&str, &[String])) -> Result<(), String> {
        let [our, their] = [ours, theirs].map(|all| all.iter().collect::<BTreeSet<_>>());
        let alike = our == their && ours.len() == theirs.len();
        if alike && !ours.is_empty() {
            return Ok(());
        }
        let only = |one: &BTreeSet<&String>, other: &BTreeSet<&String>| {
            let only = one.difference(other).collect::<Vec<_>>();
            format!("{} entries, {only:#?}", only.len())
        };
        Err(format!(
            "{}: mere finds {}, {name} finds {}\nonly mere: {}\nonly {name}: {}",
            self.name,
            ours.len(),
            theirs.len(),
            only(&our, &their),
            only(&their, &our),
        ))
    }

    /// Measures `mere` and the program in turns.
    fn measure_search(&self, mere: &Peer, programs: &[Program], count: usize) -> Measurement {
        let mut client = mere.connect();
        let mut samples = vec![Vec::new(); programs.len() + 1];
        for round in 0..WARM + ROUNDS {
            let (took, found) = self.collect_pages(&mut client);
            assert!(found.len() == count, "{}: not the same as before", self.name);
            let mut times = vec![Some(took)];
            times.extend(
                programs.iter().map(|program| {
                    (program.name == self.program).then(|| self.run(program, mere).0)
                }),
            );
            for (samples, took) in samples.iter_mut().zip(times).filter(|_| round >= WARM) {
                samples.extend(took.map(millis));
            }
        }
        let name = format!("{}, {count} {}", self.name, self.nouns);
        Measurement { name, unit: Unit::Millis, samples }
    }
}

/// Measures every row, after all results have been compared.
pub(crate) fn measure_all(mere: &Peer, programs: &[Program]) -> Result<Vec<Measurement>, String> {
    let searches = searches();
    let mut limited_client = mere.connect_with_handles(HANDLES);
    let mut counts = Vec::new();
    for search in &searches {
        let program = programs.iter().find(|program| program.name == search.program);
        counts.push(search.check(mere, &mut limited_client, program)?);
    }
    drop(limited_client);
    let measurements = searches.iter().zip(counts);
    let measurements =
        measurements.map(|(search, count)| search.measure_search(mere, programs, count));
    let mut measurements = measurements.collect::<Vec<_>>();
    measurements.push(measure_memory(mere, programs.len(), &searches));
    Ok(measurements)
}

/// Measures the peak memory after all searches.
fn measure_memory(mere: &Peer, programs: usize, searches: &[FileSearch]) -> Measurement {
    let mut samples = in_turns(&mut [mere], 5, |mere| {
        let mut client = mere.connect();
        for search in searches {
            search.collect_pages(&mut client);
        }
        client.peak_memory()
    });
    samples.resize(programs + 1, Vec::new());
    let name = "peak memory after these four".into();
    Measurement { name, unit: Unit::Megabytes, samples }
}
