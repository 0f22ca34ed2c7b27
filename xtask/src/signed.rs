//! A space of 10,000 signed items: verifying all of them, and the cost of a signature at `load`.
//!
//! The baseline for verifying is hashing the same files.

use std::path::Path;

use serde_json::json;

use crate::bench_folder;
use crate::items::{directive, measurement, time_command};
use crate::measurement::{Measurement, Unit, in_turns, millis};
use crate::peer::{Call, Peer};
use crate::random::Random;
use crate::text::{self, Language};

/// How many notes are signed, and how many directives.
const NOTES: usize = 5_000;
const DIRECTIVES: usize = 5_000;
/// How many notes are unsigned.
const UNSIGNED_NOTES: usize = 1_000;
/// How many items one folder holds.
const ITEMS_PER_FOLDER: usize = 100;

/// Fills an empty project, and signs everything in it but the unsigned notes.
pub(crate) fn fill(full: &Peer) {
    let mut random = Random::new(4);
    std::fs::create_dir(full.folder.join(".git")).expect("a folder");
    for number in 0..NOTES + DIRECTIVES {
        let topic = number / ITEMS_PER_FOLDER;
        if number < NOTES {
            write_item(
                &full.folder,
                &format!("knowledge/topic-{topic}"),
                number,
                &note(number, &mut random),
            );
        } else {
            write_item(
                &full.folder,
                &format!("directives/topic-{topic}"),
                number,
                &directive(number),
            );
        }
    }
    let home = bench_folder::home_for(&full.folder);
    std::fs::create_dir_all(home.join(".ai")).expect("a folder");
    let config = "sign: {unattended: true}\n";
    std::fs::write(home.join(".ai/config.yaml"), config).expect("a config");
    let program = full.program();
    time_command(&program, &full.folder, &["keys", "generate", "--no-passphrase"]);
    time_command(&program, &full.folder, &["sign", "--all", "--yes"]);
    for number in 0..UNSIGNED_NOTES {
        write_item(
            &full.folder,
            "knowledge/plain",
            900_000 + number,
            &note(900_000 + number, &mut random),
        );
    }
}

fn note(number: usize, random: &mut Random) -> String {
    let head = format!("---\nid: item-{number:06}\ntitle: Note {number}\ntags: [a, b]\n---\n");
    head + &text::generate(Language::Markdown, 600, random)
}

fn write_item(folder: &Path, below: &str, number: usize, text: &str) {
    let parent = folder.join(".ai").join(below);
    std::fs::create_dir_all(&parent).expect("a folder");
    std::fs::write(parent.join(format!("item-{number:06}.md")), text).expect("a file");
}

/// Measures verifying everything, and loading one item.
pub(crate) fn measure_all(full: &Peer) -> Vec<Measurement> {
    let program = full.program();
    let verify = ["verify", "--all", "--scope", "project"];
    let hash = "find .ai -name '*.md' -print0 | xargs -0 -n 500 -P 2 sha256sum >/dev/null";
    let everything = in_turns(&mut [true, false], 10, |ours| {
        if *ours {
            time_command(&program, &full.folder, &verify)
        } else {
            time_command(Path::new("/bin/sh"), &full.folder, &["-c", hash])
        }
    });
    let items = NOTES + DIRECTIVES + UNSIGNED_NOTES;
    let rate = |millis: &f64| items as f64 / millis * 1000.0;
    let rates = everything.iter().map(|samples| samples.iter().map(rate).collect()).collect();
    let mut client = full.connect();
    let mut number = 0;
    let loads = in_turns(&mut [true, false], 1_000, |signed| {
        number += 1;
        let (category, id) = if *signed {
            let id = number * 7 % NOTES;
            (format!("topic-{}", id / ITEMS_PER_FOLDER), id)
        } else {
            ("plain".to_owned(), 900_000 + number * 7 % UNSIGNED_NOTES)
        };
        let item_id = format!("{category}/item-{id:06}");
        let arguments = json!({ "item_type": "knowledge", "item_id": item_id });
        millis(client.call(&Call { tool: "load", arguments }).took)
    });
    vec![
        measurement("`mere verify --all`, 10,000 signed items", Unit::PerSecond, rates),
        measurement("`load` of a verified note over stdio; an unsigned one", Unit::Millis, loads),
    ]
}
