//! The notes that `mere` searches, searched by others: `rg` as a process on the same files, and the
//! servers that keep notes, with the same texts.

use std::path::Path;
use std::time::Duration;

use crate::find::Field;
use crate::items::row;
use crate::memory_peers::{Kind, Known, wait_for_notes};
use crate::notebook::Form;
use crate::process::Program;
use crate::question::{Class, Question};
use crate::talk::Talk;
use crate::work::{Unit, Work, in_turns, millis};

/// How often each is asked, and from how many notes on less often.
const ROUNDS: usize = 40;
const MANY: usize = 100_000;
const FEW_ROUNDS: usize = 10;
/// How many notes basic-memory takes in reasonable time, and how long that may be.
const SLOW: usize = 1_000;
const PATIENCE: Duration = Duration::from_mins(5);

/// Whoever is asked.
enum Finder<'a> {
    Mere(Talk),
    Program(&'a Program),
    Server(&'a Known, Talk),
    /// Does not take so many notes.
    Absent,
}

/// A row for each kind of word, `mere` first; what is to be said besides goes to `said`.
pub(crate) fn works(
    field: &Field<'_>,
    (rg, known): (Option<&Program>, &[Known]),
    said: &mut Vec<String>,
) -> Vec<Work> {
    let mut finders = vec![Finder::Mere(field.mere.talk())];
    finders.extend(rg.map(Finder::Program));
    finders.extend(known.iter().map(|one| serve(one, field, said)));
    let rounds = if field.notebook.size < MANY { ROUNDS } else { FEW_ROUNDS };
    let mut works = Vec::new();
    for class in [Class::Rare, Class::Hundredth] {
        let mut asked = 0;
        let all = finders.len();
        let mut measure = |finder: &mut Finder<'_>| {
            asked += 1;
            let question = Question::of(class, field.notebook, asked / all);
            finder.ask(field, &question).map_or(f64::NAN, millis)
        };
        in_turns(&mut finders, 2, &mut measure);
        let mut samples = in_turns(&mut finders, rounds, &mut measure);
        for samples in &mut samples {
            samples.retain(|sample| !sample.is_nan());
        }
        works.push(row(&field.named(class.name()), Unit::Millis, samples));
    }
    let memory = finders.iter().map(|finder| match finder {
        Finder::Mere(talk) | Finder::Server(_, talk) => vec![talk.peak_memory()],
        Finder::Program(_) | Finder::Absent => Vec::new(),
    });
    let memory = memory.collect();
    works.push(row(&field.named("peak memory after these"), Unit::Megabytes, memory));
    works
}

/// A server with the same notes, unless there are too many for it.
fn serve<'a>(one: &'a Known, field: &Field<'_>, said: &mut Vec<String>) -> Finder<'a> {
    let size = field.notebook.size;
    let is_slow = one.kind == Kind::BasicMemory;
    if is_slow && size > SLOW {
        return Finder::Absent;
    }
    let folder = beside(field.project(), if is_slow { "basic" } else { "graph" });
    let notes = (0..size).map(|number| field.notebook.text(number, Form::Memory));
    let mut talk = one.start(&folder, notes);
    if is_slow {
        match wait_for_notes(&mut talk, size, PATIENCE) {
            None => {
                said.push(format!("{}: left out, {size} notes take too long", one.title));
                return Finder::Absent;
            }
            Some(took) => {
                let took = took.as_secs_f64();
                said.push(format!("{}: {size} notes are known after {took:.0} s", one.title));
            }
        }
    }
    Finder::Server(one, talk)
}

/// A folder for a server, with its name after the project's.
fn beside(project: &Path, name: &str) -> std::path::PathBuf {
    let mut own = project.file_name().unwrap_or_default().to_owned();
    own.push(format!("-{name}"));
    let folder = project.with_file_name(own);
    std::fs::create_dir(&folder).expect("a folder");
    folder
}

impl Finder<'_> {
    /// How long the answer took, which must have the word.
    fn ask(&mut self, field: &Field<'_>, question: &Question) -> Option<Duration> {
        let (took, said) = match self {
            Self::Absent => return None,
            Self::Program(program) => {
                let arguments = ["-i", "-l", &question.text, Form::Knowledge.folder()];
                let (took, said) = program.run(field.project(), &arguments);
                let count = said.lines().count() as u64;
                assert!(Some(count) == question.count(field.notebook), "{count} files");
                return Some(took);
            }
            Self::Mere(talk) => {
                let answer = talk.call(&question.call("text"));
                (answer.took, answer.message)
            }
            Self::Server(known, talk) => {
                let answer = talk.call(&known.search(&question.text));
                (answer.took, answer.message)
            }
        };
        let said = said.to_string().to_lowercase();
        assert!(said.contains(&question.text), "no answer to {}", question.text);
        Some(took)
    }
}
