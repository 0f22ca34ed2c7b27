//! A space of 10,000 signed items: verifying all of them, and what a signature costs at `load`.

use std::path::Path;

use serde_json::json;

use crate::dice::Dice;
use crate::ground;
use crate::items::{directive, row, timed};
use crate::peer::{Call, Peer};
use crate::text::{self, Language};
use crate::work::{Unit, Work, in_turns, millis};

/// How many notes are signed, and how many directives.
const NOTES: usize = 5_000;
const DIRECTIVES: usize = 5_000;
/// How many notes nobody signed.
const PLAIN: usize = 1_000;
/// How many lie in one folder.
const SHELF: usize = 100;

/// Fills an empty project, and signs all of it but the plain notes.
pub(crate) fn fill(full: &Peer) {
    let mut dice = Dice::new(4);
    std::fs::create_dir(full.folder.join(".git")).expect("a folder");
    for number in 0..NOTES + DIRECTIVES {
        let shelf = number / SHELF;
        if number < NOTES {
            put(
                &full.folder,
                &format!("knowledge/topic-{shelf}"),
                number,
                &note(number, &mut dice),
            );
        } else {
            put(&full.folder, &format!("directives/topic-{shelf}"), number, &directive(number));
        }
    }
    let home = ground::home_beside(&full.folder);
    std::fs::create_dir_all(home.join(".ai")).expect("a folder");
    let config = "sign: {unattended: true}\n";
    std::fs::write(home.join(".ai/config.yaml"), config).expect("a config");
    let program = full.program();
    timed(&program, &full.folder, &["keys", "generate", "--no-passphrase"]);
    timed(&program, &full.folder, &["sign", "--all", "--yes"]);
    for number in 0..PLAIN {
        put(&full.folder, "knowledge/plain", 900_000 + number, &note(900_000 + number, &mut dice));
    }
}

fn note(number: usize, dice: &mut Dice) -> String {
    let head = format!("---\nid: item-{number:06}\ntitle: Note {number}\ntags: [a, b]\n---\n");
    head + &text::write(Language::Markdown, 600, dice)
}

fn put(folder: &Path, below: &str, number: usize, text: &str) {
    let shelf = folder.join(".ai").join(below);
    std::fs::create_dir_all(&shelf).expect("a folder");
    std::fs::write(shelf.join(format!("item-{number:06}.md")), text).expect("a file");
}

/// Verifying everything, and loading one.
pub(crate) fn works(full: &Peer) -> Vec<Work> {
    let program = full.program();
    let verify = ["verify", "--all", "--scope", "project"];
    let hash = "find .ai -name '*.md' -print0 | xargs -0 -n 500 -P 2 sha256sum >/dev/null";
    let everything = in_turns(&mut [true, false], 10, |ours| {
        if *ours {
            timed(&program, &full.folder, &verify)
        } else {
            timed(Path::new("/bin/sh"), &full.folder, &["-c", hash])
        }
    });
    let items = NOTES + DIRECTIVES + PLAIN;
    let rate = |millis: &f64| items as f64 / millis * 1000.0;
    let rates = everything.iter().map(|samples| samples.iter().map(rate).collect()).collect();
    let mut talk = full.talk();
    let mut number = 0;
    let loads = in_turns(&mut [true, false], 1_000, |signed| {
        number += 1;
        let (category, id) = if *signed {
            let id = number * 7 % NOTES;
            (format!("topic-{}", id / SHELF), id)
        } else {
            ("plain".to_owned(), 900_000 + number * 7 % PLAIN)
        };
        let item_id = format!("{category}/item-{id:06}");
        let arguments = json!({ "item_type": "knowledge", "item_id": item_id });
        millis(talk.call(&Call { tool: "load", arguments }).took)
    });
    vec![
        row("`mere verify --all`, 10,000 signed items", Unit::PerSecond, rates),
        row("`load` of a verified note over stdio; an unsigned one", Unit::Millis, loads),
    ]
}
