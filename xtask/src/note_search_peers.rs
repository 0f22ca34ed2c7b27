//! The notes that `mere` searches, searched by others: `rg` as a process on the same files, and
//! servers that keep notes, with the same texts.

use std::path::Path;
use std::time::Duration;

use crate::items::measurement;
use crate::mcp_client::McpClient;
use crate::measurement::{Measurement, Unit, in_turns, millis};
use crate::memory_peers::{InstalledServer, ServerKind, wait_for_notes};
use crate::note_search::NoteProject;
use crate::notebook::NoteForm;
use crate::process::Program;
use crate::question::{Question, QuestionClass, reply_data};

/// How often each is asked, and from how many notes on it is asked less often.
const ROUNDS: usize = 40;
const MANY_NOTES: usize = 100_000;
const FEW_ROUNDS: usize = 10;
/// How many notes basic-memory indexes in reasonable time, and how long that may take.
const MAX_SLOW_NOTES: usize = 1_000;
const INDEX_TIMEOUT: Duration = Duration::from_mins(5);

/// A program or server that is asked.
enum Searcher<'a> {
    Mere(McpClient),
    Program(&'a Program),
    Server(&'a InstalledServer, McpClient),
    /// A server that cannot take this many notes.
    Absent,
}

/// Measures one row for each class of words, `mere` first, and adds remarks to `remarks`.
pub(crate) fn measure_all(
    field: &NoteProject<'_>,
    (rg, known): (Option<&Program>, &[InstalledServer]),
    remarks: &mut Vec<String>,
) -> Vec<Measurement> {
    let mut finders = vec![Searcher::Mere(field.mere.connect())];
    finders.extend(rg.map(Searcher::Program));
    finders.extend(known.iter().map(|one| start_server(one, field, remarks)));
    let rounds = if field.notebook.size < MANY_NOTES { ROUNDS } else { FEW_ROUNDS };
    let mut measurements = Vec::new();
    for class in [QuestionClass::Rare, QuestionClass::Hundredth] {
        let mut question_count = 0;
        let all = finders.len();
        let mut measure = |finder: &mut Searcher<'_>| {
            question_count += 1;
            let question = Question::new(class, field.notebook, question_count / all);
            finder.ask(field, &question).map_or(f64::NAN, millis)
        };
        in_turns(&mut finders, 2, &mut measure);
        let mut samples = in_turns(&mut finders, rounds, &mut measure);
        for samples in &mut samples {
            samples.retain(|sample| !sample.is_nan());
        }
        measurements.push(measurement(&field.row_name(class.name()), Unit::Millis, samples));
    }
    let memory = finders.iter().map(|finder| match finder {
        Searcher::Mere(client) | Searcher::Server(_, client) => vec![client.peak_memory()],
        Searcher::Program(_) | Searcher::Absent => Vec::new(),
    });
    let memory = memory.collect();
    measurements.push(measurement(
        &field.row_name("peak memory after these"),
        Unit::Megabytes,
        memory,
    ));
    measurements
}

/// Starts a server with the same notes, unless there are too many for it.
fn start_server<'a>(
    one: &'a InstalledServer,
    field: &NoteProject<'_>,
    remarks: &mut Vec<String>,
) -> Searcher<'a> {
    let size = field.notebook.size;
    let is_slow = one.kind == ServerKind::BasicMemory;
    if is_slow && size > MAX_SLOW_NOTES {
        return Searcher::Absent;
    }
    let folder = folder_beside(field.project(), if is_slow { "basic" } else { "graph" });
    let notes = (0..size).map(|number| field.notebook.text(number, NoteForm::Memory));
    let mut client = one.start(&folder, notes);
    if is_slow {
        match wait_for_notes(&mut client, size, INDEX_TIMEOUT) {
            None => {
                remarks.push(format!("{}: left out, {size} notes take too long", one.title));
                return Searcher::Absent;
            }
            Some(took) => {
                let took = took.as_secs_f64();
                remarks.push(format!("{}: {size} notes are known after {took:.0} s", one.title));
            }
        }
    }
    Searcher::Server(one, client)
}

/// Creates a folder for a server, named after the project.
fn folder_beside(project: &Path, name: &str) -> std::path::PathBuf {
    let mut own = project.file_name().unwrap_or_default().to_owned();
    own.push(format!("-{name}"));
    let folder = project.with_file_name(own);
    std::fs::create_dir(&folder).expect("a folder");
    folder
}

impl Searcher<'_> {
    /// Returns how long the answer took, after checking that it contains the word.
    fn ask(&mut self, field: &NoteProject<'_>, question: &Question) -> Option<Duration> {
        let (took, output) = match self {
            Self::Absent => return None,
            Self::Program(program) => {
                let arguments = ["-i", "-l", &question.text, NoteForm::Knowledge.folder()];
                let (took, output) = program.run(field.project(), &arguments);
                let count = output.lines().count() as u64;
                assert!(Some(count) == question.expected_count(field.notebook), "{count} files");
                return Some(took);
            }
            Self::Mere(client) => {
                let answer = client.call(&question.call("text"));
                let total = reply_data(&answer.message)["total"].as_u64();
                assert!(total == question.expected_count(field.notebook), "{}", answer.message);
                return Some(answer.took);
            }
            Self::Server(known, client) => {
                let answer = client.call(&known.search_call(&question.text));
                (answer.took, answer.message)
            }
        };
        let output = output.to_string().to_lowercase();
        assert!(output.contains(&question.text), "no answer to {}", question.text);
        Some(took)
    }
}
