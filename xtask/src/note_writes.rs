//! The cost of writing a note, compared with the least work that survives a power cut: a temporary
//! file, its fsync, a rename, and the fsync of the folder.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::mcp_client::McpClient;
use crate::measurement::{Measurement, Unit, millis};
use crate::peer::{Call, Peer};
use crate::random::Random;
use crate::text::{self, Language};

const ROUNDS: usize = 600;
/// Rounds that are not counted. The first one creates the folders.
const WARM: usize = 10;
/// Where the notes are: in the workspace of the agent that is named after the client.
const NOTES: &str = ".ai/workspaces/bench/bench";

/// Writes one note after another, in turns with the bare sequence; they alternate in going first.
pub(crate) fn measure_writes(mere: &Peer) -> Measurement {
    let mut note = text::generate(Language::Markdown, 2048, &mut Random::new(2));
    note.truncate(2048);
    let bare_folder = mere.folder.join("bare");
    std::fs::create_dir(&bare_folder).expect("a folder");
    let mut client = mere.connect();
    let mut samples = vec![Vec::new(), Vec::new()];
    for number in 0..WARM + ROUNDS {
        let mut by_mere = || write_through_mere(&mut client, number, &note);
        let by_hand = || write_bare(&bare_folder, number, &note).expect("a file");
        let (ours, least) = if number % 2 == 0 {
            let ours = by_mere();
            (ours, by_hand())
        } else {
            let least = by_hand();
            (by_mere(), least)
        };
        if number >= WARM {
            samples[0].push(millis(ours));
            samples[1].push(millis(least));
        }
        check(&mere.folder.join(NOTES), number, &note);
        check(&bare_folder, number, &note);
    }
    Measurement { name: "write a note of 2 KB".into(), unit: Unit::Millis, samples }
}

fn write_through_mere(client: &mut McpClient, number: usize, note: &str) -> Duration {
    let path = format!("ROOT_WORKSPACE:/bench/{number}.md");
    let mut arguments = json!({ "path": path, "content": note });
    if number == 0 {
        arguments["create_dirs"] = true.into();
    }
    client.call(&Call { tool: "write", arguments }).took
}

fn write_bare(folder: &Path, number: usize, note: &str) -> io::Result<Duration> {
    let unfinished = folder.join(format!(".new-{number}"));
    let finished = folder.join(format!("{number}.md"));
    let began = Instant::now();
    let mut file = File::create_new(&unfinished)?;
    file.write_all(note.as_bytes())?;
    file.sync_all()?;
    drop(file);
    std::fs::rename(&unfinished, &finished)?;
    File::open(folder)?.sync_all()?;
    Ok(began.elapsed())
}

fn check(folder: &Path, number: usize, note: &str) {
    let written = std::fs::read_to_string(folder.join(format!("{number}.md"))).expect("a note");
    assert!(written == note, "the note is another");
}
