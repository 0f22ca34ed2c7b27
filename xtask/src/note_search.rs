//! Search in 1,000 to 100,000 notes by words, by meaning and by both, over one warm server; also
//! building the index, changed notes, and memory use.
//!
//! Every hit is checked. Wrong answers are printed after the tables, and fail the run.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench_folder::{BenchFolder, home_for};
use crate::items::{measurement, time_command};
use crate::mcp_client::McpClient;
use crate::measurement::{Measurement, Unit, in_turns, millis};
use crate::notebook::{NoteForm, Notebook};
use crate::peer::{self, Call, Peer};
use crate::process::{self, Program};
use crate::question::{
    MODES, QUESTIONS_PER_CLASS, Question, QuestionClass, describe_difference, hits, reply_data,
};
use crate::{memory_peers, note_search_peers, print_missing, table};

/// How many notes there are, and how many memories.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
pub(crate) const MAX_NOTES: usize = SIZES[2];
const MEMORIES: usize = 10_000;
/// How often an index is rebuilt.
const BUILDS: usize = 3;
/// How often a command is run.
const COMMANDS: usize = 20;
/// For how many words of a class all hits are compared with those of `rg`.
const COMPARED: usize = 12;
/// How many wrong answers are printed.
const MAX_FAILURES_SHOWN: usize = 40;
/// The most hits on a page.
const PAGE: usize = 100;
/// How long a server gets to itself after it has made an index.
const SETTLING: Duration = Duration::from_secs(10);

/// The rows of all tables, and the wrong answers.
#[derive(Default)]
pub(crate) struct SearchReport {
    /// The rows for searches by both and by words.
    pub(crate) modes: Vec<Measurement>,
    /// The rows for searches by meaning, and for everything that is not a query.
    pub(crate) others: Vec<Measurement>,
    pub(crate) remarks: Vec<String>,
    pub(crate) failures: Vec<String>,
}

/// Runs everything with at most `most` notes. Missing peers are printed.
pub(crate) fn run(bench_folder: &BenchFolder, most: usize) -> Result<(), String> {
    let (programs, mut missing) = process::find_installed(&peer::install_folder());
    missing.retain(|hint| hint.starts_with("rg"));
    let rg = programs.iter().find(|program| program.name == "rg");
    let (known, others) = memory_peers::find_installed();
    missing.extend(others);
    print_missing(&missing);
    let empty = peer::mere(&bench_folder.create_folder("empty"))?;
    let mut finding = SearchReport::default();
    let mut beside = Vec::new();
    for size in SIZES.into_iter().filter(|size| *size <= most) {
        let mere = peer::mere(&bench_folder.create_folder(&format!("notes-{size}")))?;
        let notebook = &Notebook::new(size);
        let field = NoteProject { mere: &mere, notebook, form: NoteForm::Knowledge };
        notebook.write(field.project(), field.form);
        finding.measure_search(&field, rg);
        beside.extend(note_search_peers::measure_all(&field, (rg, &known), &mut finding.remarks));
        finding.measure_cold_start(&field, &empty);
        finding.measure_changes(&field);
    }
    if most >= MEMORIES {
        let mere = peer::mere(&bench_folder.create_folder("memories"))?;
        let notebook = &Notebook::new(MEMORIES);
        let field = NoteProject { mere: &mere, notebook, form: NoteForm::Memory };
        notebook.write(field.project(), field.form);
        finding.measure_search(&field, rg);
    }
    let mut names = vec![format!("{} by words", empty.title())];
    names.extend(rg.map(Program::title));
    names.extend(known.iter().map(|one| one.title.clone()));
    finding.print(&empty.title(), &table::render(&names, &beside, "mere ÷ best peer"))
}

/// A project with notes.
pub(crate) struct NoteProject<'a> {
    pub(crate) mere: &'a Peer,
    pub(crate) notebook: &'a Notebook,
    pub(crate) form: NoteForm,
}

impl NoteProject<'_> {
    /// Returns the name of a row.
    pub(crate) fn row_name(&self, what: &str) -> String {
        let notes = if self.form == NoteForm::Memory { "memories" } else { "notes" };
        format!("{what}, {},000 {notes}", self.notebook.size / 1000)
    }

    pub(crate) fn project(&self) -> &Path {
        &self.mere.folder
    }
}

impl SearchReport {
    /// Prints all tables, and fails if any answer is wrong.
    fn print(&self, title: &str, beside: &str) -> Result<(), String> {
        let names = ["by both", "by words"].map(|how| format!("{title} {how}"));
        println!("{}", table::render(&names, &self.modes, "both ÷ words"));
        println!("{beside}");
        let names = [title.to_owned(), "no notes".to_owned()];
        println!("{}", table::render(&names, &self.others, "mere ÷ no notes"));
        println!("{}\n", self.remarks.join("\n"));
        if self.failures.is_empty() {
            return Ok(());
        }
        let some = self.failures.iter().take(MAX_FAILURES_SHOWN).cloned().collect::<Vec<_>>();
        Err(format!("{} answers are wrong, such as\n{}", self.failures.len(), some.join("\n")))
    }

    /// Measures everything about a project except its changes. Nothing may have been searched in it
    /// yet.
    pub(crate) fn measure_search(&mut self, field: &NoteProject<'_>, rg: Option<&Program>) {
        self.measure_build(field);
        let mut client = self.measure_first_search(field, "the index is there");
        if let Some(rg) = rg {
            self.compare_with_rg(field, &mut client, rg);
        }
        // A server merges what it has just indexed while it is idle.
        std::thread::sleep(SETTLING);
        self.measure_queries(field, &mut client);
        let memory = vec![client.peak_memory()];
        self.add_row(field, "peak memory after these queries", Unit::Megabytes, memory);
        // The server vouches for the index.
        self.measure_command(field, "while a server watches");
        self.measure_first_search(field, "beside one that watches");
        drop(client);
        self.measure_command(field, "alone");
    }

    fn add_row(&mut self, field: &NoteProject<'_>, what: &str, unit: Unit, samples: Vec<f64>) {
        self.others.push(measurement(&field.row_name(what), unit, vec![samples, Vec::new()]));
    }

    /// Measures the first search of a server that finds an index, and returns the client.
    fn measure_first_search(&mut self, field: &NoteProject<'_>, beside: &str) -> McpClient {
        let mut client = field.mere.connect();
        let first = Question::new(QuestionClass::Rare, field.notebook, 0);
        let took = millis(client.call(&first.call("text")).took);
        let what = format!("first search of a server, {beside}");
        self.add_row(field, &what, Unit::Millis, vec![took]);
        client
    }

    /// Measures the first search of a server that finds no index.
    fn measure_build(&mut self, field: &NoteProject<'_>) {
        let (mut rates, mut memory) = (Vec::new(), Vec::new());
        for round in 0..BUILDS {
            clear_caches(field.project());
            let mut client = field.mere.connect();
            let question = Question::new(QuestionClass::Rare, field.notebook, round);
            let answer = client.call(&question.call("hybrid"));
            rates.push(field.notebook.size as f64 / answer.took.as_secs_f64());
            memory.push(client.peak_memory());
            self.check_best_hit(field, ("first search", &question), &answer.message);
        }
        self.add_row(field, "first search and index, notes", Unit::PerSecond, rates);
        self.add_row(field, "peak memory after the first search", Unit::Megabytes, memory);
    }

    fn check_best_hit(
        &mut self,
        field: &NoteProject<'_>,
        (how, question): (&str, &Question),
        answer: &Value,
    ) {
        if let Err(why) = question.check_best_hit(field.project(), answer) {
            self.failures.push(format!("{}: {why}", field.row_name(how)));
        }
    }

    /// Compares all hits for some words with the files that contain them.
    fn compare_with_rg(&mut self, field: &NoteProject<'_>, client: &mut McpClient, rg: &Program) {
        for class in [QuestionClass::Rare, QuestionClass::Hundredth] {
            for number in 0..COMPARED {
                let question = Question::new(class, field.notebook, number * 17);
                let ours = collect_hits(client, &question);
                let arguments = ["-i", "-l", &question.text, field.form.folder()];
                let theirs = rg.run(field.project(), &arguments).1;
                let theirs = theirs.lines().map(str::to_owned).collect::<HashSet<_>>();
                let differs = describe_difference(&question.text, &ours, &theirs);
                self.failures
                    .extend(differs.map(|why| format!("{}: {why}", field.row_name("text"))));
            }
        }
    }

    /// Measures every class in every mode, in turns.
    fn measure_queries(&mut self, field: &NoteProject<'_>, client: &mut McpClient) {
        let mut mixes = [const { Vec::new() }; MODES.len()];
        for class in QuestionClass::ALL {
            let mut samples = [const { Vec::new() }; MODES.len()];
            // Otherwise the first query would pay for warming up the others.
            for number in 0..20 {
                client.call(&Question::new(class, field.notebook, number).call(MODES[number % 3]));
            }
            for number in 0..QUESTIONS_PER_CLASS {
                let question = Question::new(class, field.notebook, number);
                for (mode, samples) in MODES.iter().zip(&mut samples) {
                    let answer = client.call(&question.call(mode));
                    samples.push(millis(answer.took));
                    self.check_answer(field, (mode, &question), &answer.message);
                }
            }
            for (mix, samples) in mixes.iter_mut().zip(&samples) {
                mix.resize(QUESTIONS_PER_CLASS, 0.0);
                mix.iter_mut().zip(samples).for_each(|(mix, sample)| *mix += sample);
            }
            self.add_mode_rows(field, class.name(), samples);
        }
        self.add_mode_rows(field, "one of each", mixes);
    }

    fn add_mode_rows(
        &mut self,
        field: &NoteProject<'_>,
        what: &str,
        samples: [Vec<f64>; MODES.len()],
    ) {
        let [text, hybrid, vector] = samples;
        self.modes.push(measurement(&field.row_name(what), Unit::Millis, vec![hybrid, text]));
        self.add_row(field, &format!("by meaning alone, {what}"), Unit::Millis, vector);
    }

    /// Checks an answer: by words, the best hit must contain a word of the question, and the total
    /// must count every note that has the word.
    fn check_answer(
        &mut self,
        field: &NoteProject<'_>,
        (mode, question): (&str, &Question),
        answer: &Value,
    ) {
        if mode != "vector" {
            self.check_best_hit(field, (mode, question), answer);
        }
        let total = reply_data(answer)["total"].as_u64();
        let count = question.expected_count(field.notebook);
        if mode == "text" && count.is_some() && total != count {
            let why = format!("`{}`: {count:?} have it, the total is {total:?}", question.text);
            self.failures.push(format!("{}: {why}", field.row_name(mode)));
        }
    }

    /// Measures `mere call search` as a process, with an existing index.
    fn measure_command(&mut self, field: &NoteProject<'_>, beside: &str) {
        for mode in ["text", "hybrid"] {
            let samples = (0..COMMANDS).map(|number| {
                let question =
                    Question::new(QuestionClass::ALL[number % 3], field.notebook, number);
                let arguments = question.call(mode).arguments.to_string();
                time_command(
                    &field.mere.program(),
                    field.project(),
                    &["call", "search", &arguments],
                )
            });
            let what = format!("`mere call search`, {mode}, as a process, {beside}");
            let samples = samples.collect();
            self.add_row(field, &what, Unit::Millis, samples);
        }
    }

    /// Measures the time from starting the process to the answer to `tools/list`, beside a project
    /// without notes.
    pub(crate) fn measure_cold_start(&mut self, field: &NoteProject<'_>, empty: &Peer) {
        let samples = in_turns(&mut [field.mere, empty], 40, |peer| {
            let began = Instant::now();
            peer.connect().request("tools/list", &json!({}));
            millis(began.elapsed())
        });
        let name = field.row_name("cold start to tools/list");
        self.others.push(measurement(&name, Unit::Millis, samples));
    }
}

/// Removes the caches of every project and the index, and waits until everything is on disk.
fn clear_caches(project: &Path) {
    let _ = std::fs::remove_dir_all(home_for(project).join(".cache"));
    let _ = std::fs::remove_file(project.join(".ai/.index.json"));
    let _ = std::process::Command::new("sync").arg("-f").arg(project).status();
    // `mere` does not trust timestamps of files that have only just changed.
    std::thread::sleep(Duration::from_secs(3));
}

/// Collects all hits by words, page by page.
fn collect_hits(client: &mut McpClient, question: &Question) -> Vec<String> {
    let arguments = json!({ "query": question.text, "mode": "text", "limit": PAGE });
    let mut call = Call { tool: "search", arguments };
    let mut found = Vec::new();
    loop {
        let answer = client.call(&call).message;
        found.extend(hits(&answer));
        let Some(next) = reply_data(&answer).get("next") else { return found };
        call.arguments["cursor"] = next.clone();
    }
}
