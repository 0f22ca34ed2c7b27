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
pub(crate) fn noun(dice: &mut Random) -> &'static str {
    dice.pick(&NOUNS)
}

/// Generates a text of at least `size` bytes, and less than a block more.
pub(crate) fn generate(language: Language, size: usize, dice: &mut Random) -> String {
    let mut text = String::with_capacity(size + 512);
    let rare = dice.chance_permille(16);
    let handlers = matches!(language, Language::Rust) && dice.chance_permille(60);
    if handlers {
        push_handlers(&mut text, dice);
    }
    while text.len() < size {
        match language {
            Language::Rust => push_rust(&mut text, dice),
            Language::TypeScript => push_typescript(&mut text, dice),
            Language::Markdown => push_markdown(&mut text, dice),
            Language::Json => push_json(&mut text, dice),
        }
    }
    if rare {
        let _ = writeln!(text, "// see {RARE} of the {} {}", noun(dice), noun(dice));
    }
    text
}

/// Appends what the regular expression of the benchmark looks for.
fn push_handlers(text: &mut String, dice: &mut Random) {
    for _ in 0..dice.between(1, 3) {
        let (noun, kind) = (noun(dice), dice.pick(&TYPES));
        let _ =
            writeln!(text, "pub fn {noun}_handler({noun}: {kind}) {{\n    {noun}.settle()\n}}\n");
    }
}

fn push_rust(text: &mut String, dice: &mut Random) {
    let (verb, noun, kind) = (dice.pick(&VERBS), noun(dice), dice.pick(&TYPES));
    push_sentence(text, "/// ", dice);
    let _ = writeln!(text, "pub fn {verb}_{noun}({noun}: &{kind}) -> Result<{kind}, Error> {{");
    for number in 0..dice.between(2, 7) {
        let (verb, other) = (dice.pick(&VERBS), self::noun(dice));
        let _ = writeln!(text, "    let {other}_{number} = {noun}.{verb}({});", dice.below(4096));
        if dice.chance_permille(250) {
            let _ = writeln!(text, "    if {other}_{number} > {} {{", dice.below(512));
            let _ = writeln!(text, "        return Err(Error::{kind}({other}_{number}));\n    }}");
        }
    }
    let _ = writeln!(text, "    Ok({noun}.{}())\n}}\n", dice.pick(&VERBS));
}

fn push_typescript(text: &mut String, dice: &mut Random) {
    let (verb, noun) = (dice.pick(&VERBS), noun(dice));
    let _ =
        writeln!(text, "export function {verb}_{noun}({noun}: unknown, handler: Done): void {{");
    for number in 0..dice.between(2, 6) {
        let (verb, other) = (dice.pick(&VERBS), self::noun(dice));
        let _ = writeln!(text, "  const {other}{number} = {verb}({noun}, {});", dice.below(4096));
    }
    let _ = writeln!(text, "  handler({noun});\n}}\n");
}

fn push_markdown(text: &mut String, dice: &mut Random) {
    let _ = writeln!(text, "## {} the {}\n", dice.pick(&VERBS), noun(dice));
    for _ in 0..dice.between(2, 6) {
        push_sentence(text, "", dice);
    }
    text.push('\n');
}

fn push_json(text: &mut String, dice: &mut Random) {
    if text.is_empty() {
        text.push_str("{\n");
    }
    for _ in 0..8 {
        let (noun, verb) = (noun(dice), dice.pick(&VERBS));
        let _ = writeln!(text, "  \"{noun}_{verb}\": {},", dice.below(1_000_000));
    }
}

fn push_sentence(text: &mut String, before: &str, dice: &mut Random) {
    text.push_str(before);
    for _ in 0..dice.between(4, 9) {
        let _ = write!(text, "{} the {} ", dice.pick(&VERBS), noun(dice));
    }
    let _ = writeln!(text, "at {}.", dice.below(1000));
}
