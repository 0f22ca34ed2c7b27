//! `cargo xtask retrieval`: how often search finds what was meant, on the set in `retrieval/`.
//!
//! The failures of the held-out half are counted and never printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::bench_folder::{BenchFolder, home_for};
use crate::mcp_client::McpClient;
use crate::peer::{self, Call};
use crate::question::{MODES, reply_data};
use crate::retrieval_item::RetrievalItem;

/// How many hits are looked at.
const DEPTH: usize = 10;
const TUNING: &str = "tuning";

/// The options of the command.
#[derive(Default)]
pub(crate) struct Options {
    model: Option<String>,
    shows_failures: bool,
}

impl Options {
    pub(crate) fn parse(mut arguments: &[&str]) -> Option<Self> {
        let mut options = Self::default();
        loop {
            match arguments {
                [] => return Some(options),
                ["--failures", rest @ ..] => {
                    options.shows_failures = true;
                    arguments = rest;
                }
                ["--model", name, rest @ ..] => {
                    options.model = Some((*name).to_owned());
                    arguments = rest;
                }
                _ => return None,
            }
        }
    }
}

/// A line of `queries.jsonl`.
struct Query {
    text: String,
    kind: String,
    half: String,
    expect: Vec<String>,
}

/// How well some queries went.
#[derive(Default)]
struct Tally {
    query_count: usize,
    first: usize,
    among_five: usize,
    among_ten: usize,
    /// The sum of the reciprocal ranks.
    reciprocal: f64,
}

/// Asks every query in every mode, and prints a table.
pub(crate) fn run(bench_folder: &BenchFolder, options: &Options) -> Result<(), String> {
    let project = bench_folder.create_folder("retrieval");
    std::fs::create_dir(project.join(".git")).map_err(|error| error.to_string())?;
    for line in read("items.jsonl")?.lines() {
        RetrievalItem::parse(line)?.write(&project)?;
    }
    if let Some(model) = &options.model {
        choose_model(model, &project)?;
    }
    let queries = read("queries.jsonl")?;
    let queries = queries.lines().map(Query::parse).collect::<Result<Vec<_>, _>>()?;
    let mut client = peer::mere(&project)?.connect();
    let (mut tallies, mut failures) = (BTreeMap::<_, Tally>::new(), Vec::new());
    for (order, mode) in MODES.iter().enumerate() {
        for query in &queries {
            let found = query.ask(&mut client, mode)?;
            let rank = found.iter().position(|one| query.expect.contains(one));
            let key = (order, query.kind.as_str(), query.half.as_str());
            tallies.entry(key).or_default().count(rank);
            tallies.entry((order, "all", &query.half)).or_default().count(rank);
            if rank != Some(0) && query.half == TUNING {
                failures.push(query.failure(mode, rank, found.first()));
            }
        }
    }
    print(&tallies);
    if options.shows_failures {
        println!("\n{}", failures.join("\n"));
    }
    Ok(())
}

/// Selects a model in the user's config, fetches it if it can be fetched, and embeds every item.
fn choose_model(model: &str, project: &Path) -> Result<(), String> {
    let folder = home_for(project).join(".ai");
    let config = format!("embeddings:\n  model: {}\n", json!(model));
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(folder.join("config.yaml"), config))
        .map_err(|error| error.to_string())?;
    if model == "minilm" {
        peer::run_mere(project, &["model", "fetch", "minilm"])?;
    }
    peer::run_mere(project, &["index"])
}

fn print(tallies: &BTreeMap<(usize, &str, &str), Tally>) {
    println!("| mode | kind | half | queries | recall@1 | recall@5 | recall@10 | MRR |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for ((mode, kind, half), tally) in tallies {
        let share = |count: usize| count as f64 / tally.query_count as f64;
        println!(
            "| {} | {kind} | {half} | {} | {:.3} | {:.3} | {:.3} | {:.3} |",
            MODES[*mode],
            tally.query_count,
            share(tally.first),
            share(tally.among_five),
            share(tally.among_ten),
            tally.reciprocal / tally.query_count as f64,
        );
    }
}

fn read(name: &str) -> Result<String, String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).with_file_name("retrieval");
    std::fs::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"))
}

impl Tally {
    /// Counts a query by the rank of its answer.
    fn count(&mut self, rank: Option<usize>) {
        self.query_count += 1;
        let Some(rank) = rank else { return };
        self.first += usize::from(rank == 0);
        self.among_five += usize::from(rank < 5);
        self.among_ten += usize::from(rank < 10);
        self.reciprocal += 1.0 / (rank + 1) as f64;
    }
}

impl Query {
    fn parse(line: &str) -> Result<Self, String> {
        let line = serde_json::from_str::<Value>(line).map_err(|error| error.to_string())?;
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let expect = line["expect"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let expect = expect.map(str::to_owned).collect();
        Ok(Self { text: text("query"), kind: text("kind"), half: text("half"), expect })
    }

    /// Returns what is found, as `type:id`, best first.
    fn ask(&self, client: &mut McpClient, mode: &str) -> Result<Vec<String>, String> {
        let arguments = json!({
            "query": self.text, "mode": mode, "rank": "unified", "limit": DEPTH, "detail": "full"
        });
        let answer = client.call(&Call { tool: "search", arguments }).message;
        let data = reply_data(&answer);
        if data["mode"] != mode {
            return Err(format!("asked by {mode}, answered by {}", data["mode"]));
        }
        let hits = data["results"].as_array().into_iter().flatten();
        let word = |hit: &Value, name: &str| hit[name].as_str().unwrap_or_default().to_owned();
        Ok(hits.map(|hit| format!("{}:{}", word(hit, "item_type"), word(hit, "id"))).collect())
    }

    fn failure(&self, mode: &str, rank: Option<usize>, first: Option<&String>) -> String {
        let place = rank.map_or("not found".to_owned(), |rank| format!("at {}", rank + 1));
        let first = first.map_or("nothing", String::as_str);
        let expected = self.expect.first().map_or("?", String::as_str);
        format!("{mode} {}: `{}`: {expected} {place}; first {first}", self.kind, self.text)
    }
}
