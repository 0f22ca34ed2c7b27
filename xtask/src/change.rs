//! A note that changes, and how long it is until a search knows: kept by `mere` itself, or written by
//! somebody else.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::find::{Field, Finding};
use crate::items::row;
use crate::memory::creation;
use crate::notebook::{Form, RARE, fresh, rare};
use crate::peer::Call;
use crate::question::hits;
use crate::talk::Talk;
use crate::work::{Unit, millis};

const ROUNDS: usize = 60;
/// How long a change may stay unknown before it is lost.
const PATIENCE: Duration = Duration::from_secs(5);

/// How a file is written.
#[derive(Clone, Copy)]
enum Hand {
    /// As editors do: another file takes its place.
    Renamed,
    /// As scripts do.
    InPlace,
}

impl Finding {
    /// Changes on a server that has answered before.
    pub(crate) fn change(&mut self, field: &Field<'_>) {
        let folder = field.project().join(".ai/memory/all");
        std::fs::create_dir_all(folder).expect("a folder");
        let mut talk = field.mere.talk();
        seek(&mut talk, &rare(0));
        let mut later = 0;
        let mut samples = Vec::new();
        for round in 0..ROUNDS {
            let word = fresh(round);
            let content = format!("# Kept\n\nWhat was said about {word} today.\n");
            talk.call(&creation(&format!("all/kept-{round}"), &content));
            let path = format!(".ai/memory/all/kept-{round}.md");
            samples.extend(self.until_known(&mut talk, (&word, &path), &mut later));
        }
        self.changed(field, "a memory by create_memory", samples);
        for (hand, name) in [
            (Hand::Renamed, "a file renamed into place"),
            (Hand::InPlace, "a file written in place"),
        ] {
            let samples = self.rewrites(field, &mut talk, (hand, &mut later));
            self.changed(field, name, samples);
        }
        self.said.push(field.named(&format!("{later} changes not known at the first search")));
        let memory = vec![vec![talk.peak_memory()], Vec::new()];
        let name = field.named("peak memory after these changes");
        self.others.push(row(&name, Unit::Megabytes, memory));
    }

    fn changed(&mut self, field: &Field<'_>, what: &str, samples: Vec<f64>) {
        let name = field.named(&format!("until found: {what}"));
        self.others.push(row(&name, Unit::Millis, vec![samples, Vec::new()]));
    }

    /// Writes notes anew that had a rare word: the new word is found, and the old one not any more.
    fn rewrites(
        &mut self,
        field: &Field<'_>,
        talk: &mut Talk,
        (hand, later): (Hand, &mut usize),
    ) -> Vec<f64> {
        let mut samples = Vec::new();
        for round in 0..ROUNDS {
            let old = round + if matches!(hand, Hand::InPlace) { RARE / 2 } else { 0 };
            let word = fresh(ROUNDS + old);
            let number = field.notebook.holder(old);
            let path = field.notebook.path(number, Form::Knowledge);
            let id = field.notebook.id(number);
            let text = format!("---\nid: {id}\ntitle: Anew\n---\n\nNow it says {word} instead.\n");
            hand.write(&field.project().join(&path), &text);
            samples.extend(self.until_known(talk, (&word, &path), later));
            if seek(talk, &rare(old)).contains(&path) {
                self.wrong.push(format!("{path} is still found by its old word {}", rare(old)));
            }
            if round % 3 == 0 {
                std::fs::remove_file(field.project().join(&path)).expect("a file");
                if seek(talk, &word).contains(&path) {
                    self.wrong.push(format!("{path} is found, and is not there"));
                }
            }
        }
        samples
    }

    /// From now until a search for the word finds the file.
    fn until_known(
        &mut self,
        talk: &mut Talk,
        (word, path): (&str, &str),
        later: &mut usize,
    ) -> Option<f64> {
        let began = Instant::now();
        let mut searches = 0;
        while began.elapsed() < PATIENCE {
            let found = talk.call(&call(word));
            let took = began.elapsed();
            if hits(&found.message).next().as_deref() == Some(path) {
                *later += usize::from(searches > 0);
                return Some(millis(took));
            }
            searches += 1;
        }
        self.wrong.push(format!("{path} is not found by its new word {word}"));
        None
    }
}

impl Hand {
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

fn call(word: &str) -> Call {
    Call { tool: "search", arguments: json!({ "query": word, "mode": "text" }) }
}

fn seek(talk: &mut Talk, word: &str) -> Vec<String> {
    hits(&talk.call(&call(word)).message).collect()
}
