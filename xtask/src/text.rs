//! Generated text that looks like a project's: Rust, TypeScript, Markdown and JSON, line by line.
//!
//! The same random numbers give the same text.

use std::fmt::Write;

use crate::random::Random;

/// A word that occurs in about one file of sixty.
pub(crate) const RARE: &str = "quorum_deadline";

const NOUNS: [&str; 24] = [
    "order", "session", "account", "window", "packet", "record", "ledger", "message", "folder",
    "token", "cursor", "report", "signal", "channel", "branch", "ticket", "vector", "header",
    "schema", "worker", "margin", "bucket", "region", "metric",
];
const VERBS: [&str; 16] = [
    "parse", "render", "resolve", "collect", "merge", "verify", "encode", "split", "load", "store",
    "update", "remove", "filter", "route", "count", "open",
];
const TYPES: [&str; 8] = ["String", "u64", "usize", "bool", "Path", "Value", "Entry", "Frame"];

/// The language of a file.
#[derive(Clone, Copy)]
pub(crate) enum Language {
    Rust,
    TypeScript,
    Markdown,
    Json,
}

impl Language {
    /// Returns the extension of a file's name.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Rust => "rs",
            Self::TypeScript => "ts",
            Self::Markdown => "md",
            Self::Json => "json",
        }
    }
}

/// Returns a noun, for a name.
pub(crate) fn noun(random: &mut Random) -> &'static str {
    random.pick(&NOUNS)
}

/// Generates a text of at least `size` bytes, and less than a block more.
pub(crate) fn generate(language: Language, size: usize, random: &mut Random) -> String {
    let mut text = String::with_capacity(size + 512);
    let rare = random.chance_permille(16);
    let handlers = matches!(language, Language::Rust) && random.chance_permille(60);
    if handlers {
        push_handlers(&mut text, random);
    }
    while text.len() < size {
        match language {
            Language::Rust => push_rust(&mut text, random),
            Language::TypeScript => push_typescript(&mut text, random),
            Language::Markdown => push_markdown(&mut text, random),
            Language::Json => push_json(&mut text, random),
        }
    }
    if rare {
        let _ = writeln!(text, "// see {RARE} of the {} {}", noun(random), noun(random));
    }
    text
}

/// Appends what the regular expression of the benchmark looks for.
fn push_handlers(text: &mut String, random: &mut Random) {
    for _ in 0..random.between(1, 3) {
        let (noun, kind) = (noun(random), random.pick(&TYPES));
        let _ =
            writeln!(text, "pub fn {noun}_handler({noun}: {kind}) {{\n    {noun}.settle()\n}}\n");
    }
}

fn push_rust(text: &mut String, random: &mut Random) {
    let (verb, noun, kind) = (random.pick(&VERBS), noun(random), random.pick(&TYPES));
    push_sentence(text, "/// ", random);
    let _ = writeln!(text, "pub fn {verb}_{noun}({noun}: &{kind}) -> Result<{kind}, Error> {{");
    for number in 0..random.between(2, 7) {
        let (verb, other) = (random.pick(&VERBS), self::noun(random));
        let _ = writeln!(text, "    let {other}_{number} = {noun}.{verb}({});", random.below(4096));
        if random.chance_permille(250) {
            let _ = writeln!(text, "    if {other}_{number} > {} {{", random.below(512));
            let _ = writeln!(text, "        return Err(Error::{kind}({other}_{number}));\n    }}");
        }
    }
    let _ = writeln!(text, "    Ok({noun}.{}())\n}}\n", random.pick(&VERBS));
}

fn push_typescript(text: &mut String, random: &mut Random) {
    let (verb, noun) = (random.pick(&VERBS), noun(random));
    let _ =
        writeln!(text, "export function {verb}_{noun}({noun}: unknown, handler: Done): void {{");
    for number in 0..random.between(2, 6) {
        let (verb, other) = (random.pick(&VERBS), self::noun(random));
        let _ = writeln!(text, "  const {other}{number} = {verb}({noun}, {});", random.below(4096));
    }
    let _ = writeln!(text, "  handler({noun});\n}}\n");
}

fn push_markdown(text: &mut String, random: &mut Random) {
    let _ = writeln!(text, "## {} the {}\n", random.pick(&VERBS), noun(random));
    for _ in 0..random.between(2, 6) {
        push_sentence(text, "", random);
    }
    text.push('\n');
}

fn push_json(text: &mut String, random: &mut Random) {
    if text.is_empty() {
        text.push_str("{\n");
    }
    for _ in 0..8 {
        let (noun, verb) = (noun(random), random.pick(&VERBS));
        let _ = writeln!(text, "  \"{noun}_{verb}\": {},", random.below(1_000_000));
    }
}

fn push_sentence(text: &mut String, before: &str, random: &mut Random) {
    text.push_str(before);
    for _ in 0..random.between(4, 9) {
        let _ = write!(text, "{} the {} ", random.pick(&VERBS), noun(random));
    }
    let _ = writeln!(text, "at {}.", random.below(1000));
}
