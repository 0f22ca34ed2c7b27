//! How long it takes until a search finds a changed note: one that `mere` itself keeps, or one that
//! another program writes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::items::measurement;
use crate::mcp_client::McpClient;
use crate::measurement::{Unit, millis};
use crate::memory::create_call;
use crate::note_search::{NoteProject, SearchReport};
use crate::notebook::{NoteForm, RARE, new_word, rare_word};
use crate::peer::Call;
use crate::question::hits;

const ROUNDS: usize = 60;
/// How long a change may stay unknown before it counts as lost.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(5);

/// How a file is written.
#[derive(Clone, Copy)]
enum WriteStyle {
    /// As editors do: a new file is renamed into its place.
    Renamed,
    /// As scripts do: the file is overwritten.
    InPlace,
}

impl SearchReport {
    /// Measures changes on a server that has answered before.
    pub(crate) fn measure_changes(&mut self, field: &NoteProject<'_>) {
        let folder = field.project().join(".ai/memory/all");
        std::fs::create_dir_all(folder).expect("a folder");
        let mut client = field.mere.connect();
        search_hits(&mut client, &rare_word(0));
        let mut later = 0;
        let mut samples = Vec::new();
        for round in 0..ROUNDS {
            let word = new_word(round);
            let content = format!("# Kept\n\nWhat was said about {word} today.\n");
            client.call(&create_call(&format!("all/kept-{round}"), &content));
            let path = format!(".ai/memory/all/kept-{round}.md");
            samples.extend(self.measure_until_found(&mut client, (&word, &path), &mut later));
        }
        self.add_change_row(field, "a memory by create_memory", samples);
        for (hand, name) in [
            (WriteStyle::Renamed, "a file renamed into place"),
            (WriteStyle::InPlace, "a file written in place"),
        ] {
            let samples = self.measure_rewrites(field, &mut client, (hand, &mut later));
            self.add_change_row(field, name, samples);
        }
        self.remarks
            .push(field.row_name(&format!("{later} changes not known at the first search")));
        let memory = vec![vec![client.peak_memory()], Vec::new()];
        let name = field.row_name("peak memory after these changes");
        self.others.push(measurement(&name, Unit::Megabytes, memory));
    }

    fn add_change_row(&mut self, field: &NoteProject<'_>, what: &str, samples: Vec<f64>) {
        let name = field.row_name(&format!("until found: {what}"));
        self.others.push(measurement(&name, Unit::Millis, vec![samples, Vec::new()]));
    }

    /// Rewrites notes that had a rare word. The new word must be found, and the old one no longer.
    fn measure_rewrites(
        &mut self,
        field: &NoteProject<'_>,
        client: &mut McpClient,
        (hand, later): (WriteStyle, &mut usize),
    ) -> Vec<f64> {
        let mut samples = Vec::new();
        for round in 0..ROUNDS {
            let old = round + if matches!(hand, WriteStyle::InPlace) { RARE / 2 } else { 0 };
            let word = new_word(ROUNDS + old);
            let number = field.notebook.first_note_with(old);
            let path = field.notebook.path(number, NoteForm::Knowledge);
            let id = field.notebook.id(number);
            let text = format!("---\nid: {id}\ntitle: Anew\n---\n\nNow it says {word} instead.\n");
            hand.write(&field.project().join(&path), &text);
            samples.extend(self.measure_until_found(client, (&word, &path), later));
            if search_hits(client, &rare_word(old)).contains(&path) {
                self.failures
                    .push(format!("{path} is still found by its old word {}", rare_word(old)));
            }
            if round % 3 == 0 {
                std::fs::remove_file(field.project().join(&path)).expect("a file");
                if search_hits(client, &word).contains(&path) {
                    self.failures.push(format!("{path} is found, and is not there"));
                }
            }
        }
        samples
    }

    /// Measures the time from now until a search for the word finds the file.
    fn measure_until_found(
        &mut self,
        client: &mut McpClient,
        (word, path): (&str, &str),
        later: &mut usize,
    ) -> Option<f64> {
        let began = Instant::now();
        let mut searches = 0;
        while began.elapsed() < SEARCH_TIMEOUT {
            let found = client.call(&search_call(word));
            let took = began.elapsed();
            if hits(&found.message).next().as_deref() == Some(path) {
                *later += usize::from(searches > 0);
                return Some(millis(took));
            }
            searches += 1;
        }
        self.failures.push(format!("{path} is not found by its new word {word}"));
        None
    }
}

impl WriteStyle {
    fn write(self, file: &Path, text: &str) {
        let target = match self {
            Self::Renamed => file.with_extension("new"),
            Self::InPlace => PathBuf::from(file),
        };
        std::fs::write(&target, text).expect("a file");
        if target != file {
            std::fs::rename(target, file).expect("a file");
        }
    }
}

fn search_call(word: &str) -> Call {
    Call { tool: "search", arguments: json!({ "query": word, "mode": "text" }) }
}

fn search_hits(client: &mut McpClient, word: &str) -> Vec<String> {
    hits(&client.call(&search_call(word)).message).collect()
}
