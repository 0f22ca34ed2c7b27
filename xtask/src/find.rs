//! Search in 1,000 to 100,000 notes: by words, by meaning and by both, over one warm server; making
//! the index, a note that changed, and memory.
//!
//! Everything that is found is looked at: what is wrong is told after the tables, and fails.

use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::find_peers;
use crate::ground::{Ground, home_beside};
use crate::items::{row, timed};
use crate::memory_peers;
use crate::name_missing;
use crate::notebook::{Form, Notebook};
use crate::peer::{self, Call, Peer};
use crate::process::{self, Program};
use crate::question::{Class, EACH, MODES, Question, data, differ, hits};
use crate::table;
use crate::talk::Talk;
use crate::work::{Unit, Work, in_turns, millis};

/// How many notes there are, and how many memories.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
pub(crate) const MOST: usize = SIZES[2];
const MEMORIES: usize = 10_000;
/// How often an index is made anew.
const BUILDS: usize = 3;
/// How often a command is run.
const COMMANDS: usize = 20;
/// For how many words of a class all hits are compared with `rg`.
const COMPARED: usize = 12;
/// How many wrong answers are told.
const TOLD: usize = 40;
/// The most hits of a page.
const PAGE: usize = 100;

/// The rows of all tables, and what is wrong.
#[derive(Default)]
pub(crate) struct Finding {
    /// By both and by words.
    pub(crate) modes: Vec<Work>,
    /// By meaning, and everything that is not a query.
    pub(crate) others: Vec<Work>,
    pub(crate) said: Vec<String>,
    pub(crate) wrong: Vec<String>,
}

/// Everything, with at most so many notes. Peers that are missing are named.
pub(crate) fn run(ground: &Ground, most: usize) -> Result<(), String> {
    let (programs, mut missing) = process::installed(&peer::installed_at());
    missing.retain(|hint| hint.starts_with("rg"));
    let rg = programs.iter().find(|program| program.name == "rg");
    let (known, others) = memory_peers::known();
    missing.extend(others);
    name_missing(&missing);
    let empty = peer::mere(&ground.folder("empty"))?;
    let mut finding = Finding::default();
    let mut beside = Vec::new();
    for size in SIZES.into_iter().filter(|size| *size <= most) {
        let mere = peer::mere(&ground.folder(&format!("notes-{size}")))?;
        let notebook = &Notebook::new(size);
        let field = Field { mere: &mere, notebook, form: Form::Knowledge };
        notebook.write(field.project(), field.form);
        finding.search(&field, rg);
        beside.extend(find_peers::works(&field, (rg, &known), &mut finding.said));
        finding.cold_start(&field, &empty);
        finding.change(&field);
    }
    if most >= MEMORIES {
        let mere = peer::mere(&ground.folder("memories"))?;
        let notebook = &Notebook::new(MEMORIES);
        let field = Field { mere: &mere, notebook, form: Form::Memory };
        notebook.write(field.project(), field.form);
        finding.search(&field, rg);
    }
    let mut names = vec![format!("{} by words", empty.title())];
    names.extend(rg.map(Program::title));
    names.extend(known.iter().map(|one| one.title.clone()));
    finding.print(&empty.title(), &table::render(&names, &beside, "mere ÷ best peer"))
}

/// A project with notes.
pub(crate) struct Field<'a> {
    pub(crate) mere: &'a Peer,
    pub(crate) notebook: &'a Notebook,
    pub(crate) form: Form,
}

impl Field<'_> {
    /// A row's name.
    pub(crate) fn named(&self, what: &str) -> String {
        let notes = if self.form == Form::Memory { "memories" } else { "notes" };
        format!("{what}, {},000 {notes}", self.notebook.size / 1000)
    }

    pub(crate) fn project(&self) -> &Path {
        &self.mere.folder
    }
}

impl Finding {
    /// Prints all tables, and fails if anything is wrong.
    fn print(&self, title: &str, beside: &str) -> Result<(), String> {
        let names = ["by both", "by words"].map(|how| format!("{title} {how}"));
        println!("{}", table::render(&names, &self.modes, "both ÷ words"));
        println!("{beside}");
        let names = [title.to_owned(), "no notes".to_owned()];
        println!("{}", table::render(&names, &self.others, "mere ÷ no notes"));
        println!("{}\n", self.said.join("\n"));
        if self.wrong.is_empty() {
            return Ok(());
        }
        let some = self.wrong.iter().take(TOLD).cloned().collect::<Vec<_>>();
        Err(format!("{} answers are wrong, such as\n{}", self.wrong.len(), some.join("\n")))
    }

    /// Everything about a project but its changes, in which nothing has been searched yet.
    pub(crate) fn search(&mut self, field: &Field<'_>, rg: Option<&Program>) {
        self.build(field);
        let mut talk = field.mere.talk();
        let first = Question::of(Class::Rare, field.notebook, 0);
        let took = millis(talk.call(&first.call("text")).took);
        self.other(field, "first search of a server, the index is there", Unit::Millis, vec![took]);
        if let Some(rg) = rg {
            self.compare(field, &mut talk, rg);
        }
        self.ask(field, &mut talk);
        let memory = vec![talk.peak_memory()];
        self.other(field, "peak memory after these queries", Unit::Megabytes, memory);
        drop(talk);
        self.command(field);
    }

    fn other(&mut self, field: &Field<'_>, what: &str, unit: Unit, samples: Vec<f64>) {
        self.others.push(row(&field.named(what), unit, vec![samples, Vec::new()]));
    }

    /// The first search of a server that finds no index.
    fn build(&mut self, field: &Field<'_>) {
        let (mut rates, mut memory) = (Vec::new(), Vec::new());
        for round in 0..BUILDS {
            forget(field.project());
            let mut talk = field.mere.talk();
            let question = Question::of(Class::Rare, field.notebook, round);
            let answer = talk.call(&question.call("hybrid"));
            rates.push(field.notebook.size as f64 / answer.took.as_secs_f64());
            memory.push(talk.peak_memory());
            self.judge(field, ("first search", &question), &answer.message);
        }
        self.other(field, "first search and index, notes", Unit::PerSecond, rates);
        self.other(field, "peak memory after the first search", Unit::Megabytes, memory);
    }

    fn judge(&mut self, field: &Field<'_>, (how, asked): (&str, &Question), answer: &Value) {
        if let Err(why) = asked.judge(field.project(), answer) {
            self.wrong.push(format!("{}: {why}", field.named(how)));
        }
    }

    /// All hits for some words must be the files that have them.
    fn compare(&mut self, field: &Field<'_>, talk: &mut Talk, rg: &Program) {
        for class in [Class::Rare, Class::Hundredth] {
            for number in 0..COMPARED {
                let question = Question::of(class, field.notebook, number * 17);
                let ours = drain(talk, &question);
                let arguments = ["-i", "-l", &question.text, field.form.folder()];
                let theirs = rg.run(field.project(), &arguments).1;
                let theirs = theirs.lines().map(str::to_owned).collect::<HashSet<_>>();
                let differs = differ(&question.text, &ours, &theirs);
                self.wrong.extend(differs.map(|why| format!("{}: {why}", field.named("text"))));
            }
        }
    }

    /// Every class in every mode, in turns.
    fn ask(&mut self, field: &Field<'_>, talk: &mut Talk) {
        let mut mixes = [const { Vec::new() }; MODES.len()];
        for class in Class::ALL {
            let mut samples = [const { Vec::new() }; MODES.len()];
            // What was asked first would pay for everyone.
            for number in 0..20 {
                talk.call(&Question::of(class, field.notebook, number).call(MODES[number % 3]));
            }
            for number in 0..EACH {
                let question = Question::of(class, field.notebook, number);
                for (mode, samples) in MODES.iter().zip(&mut samples) {
                    let answer = talk.call(&question.call(mode));
                    samples.push(millis(answer.took));
                    self.check(field, (mode, &question), &answer.message);
                }
            }
            for (mix, samples) in mixes.iter_mut().zip(&samples) {
                mix.resize(EACH, 0.0);
                mix.iter_mut().zip(samples).for_each(|(mix, sample)| *mix += sample);
            }
            self.modes_of(field, class.name(), samples);
        }
        self.modes_of(field, "one of each", mixes);
    }

    fn modes_of(&mut self, field: &Field<'_>, what: &str, samples: [Vec<f64>; MODES.len()]) {
        let [text, hybrid, vector] = samples;
        self.modes.push(row(&field.named(what), Unit::Millis, vec![hybrid, text]));
        self.other(field, &format!("by meaning alone, {what}"), Unit::Millis, vector);
    }

    /// By words the best hit has one, and all that have the word are counted.
    fn check(&mut self, field: &Field<'_>, (mode, asked): (&str, &Question), answer: &Value) {
        if mode != "vector" {
            self.judge(field, (mode, asked), answer);
        }
        let total = data(answer)["total"].as_u64();
        let count = asked.count(field.notebook);
        if mode == "text" && count.is_some() && total != count {
            let why = format!("`{}`: {count:?} have it, the total is {total:?}", asked.text);
            self.wrong.push(format!("{}: {why}", field.named(mode)));
        }
    }

    /// `mere call search` as a process, with the index there.
    fn command(&mut self, field: &Field<'_>) {
        for mode in ["text", "hybrid"] {
            let samples = (0..COMMANDS).map(|number| {
                let question = Question::of(Class::ALL[number % 3], field.notebook, number);
                let arguments = question.call(mode).arguments.to_string();
                timed(&field.mere.program(), field.project(), &["call", "search", &arguments])
            });
            let what = format!("`mere call search`, {mode}, as a process");
            let samples = samples.collect();
            self.other(field, &what, Unit::Millis, samples);
        }
    }

    /// From starting the process to the answer to `tools/list`, beside a project without notes.
    pub(crate) fn cold_start(&mut self, field: &Field<'_>, empty: &Peer) {
        let samples = in_turns(&mut [field.mere, empty], 40, |peer| {
            let began = Instant::now();
            peer.talk().request("tools/list", &json!({}));
            millis(began.elapsed())
        });
        let name = field.named("cold start to tools/list");
        self.others.push(row(&name, Unit::Millis, samples));
    }
}

/// Takes away what was remembered of every project, and lets what was written come to rest.
fn forget(project: &Path) {
    let _ = std::fs::remove_dir_all(home_beside(project).join(".cache"));
    let _ = std::fs::remove_file(project.join(".ai/.index.json"));
    let _ = std::process::Command::new("sync").arg("-f").arg(project).status();
    // What has just changed is not believed.
    std::thread::sleep(Duration::from_secs(3));
}

/// All hits by words, page by page.
fn drain(talk: &mut Talk, question: &Question) -> Vec<String> {
    let arguments = json!({ "query": question.text, "mode": "text", "limit": PAGE });
    let mut call = Call { tool: "search", arguments };
    let mut found = Vec::new();
    loop {
        let answer = talk.call(&call).message;
        found.extend(hits(&answer));
        let Some(next) = data(&answer).get("next") else { return found };
        call.arguments["cursor"] = next.clone();
    }
}
