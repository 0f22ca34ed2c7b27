//! A space of 100,000 items: scanning it, checking it again, and finding one item by its id.
//!
//! The lookups run in a separate process of this program.

use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use mere_core::item::{ItemRef, ItemType};
use mere_engine::{Session, SessionOptions, TypedPath};
use serde_json::json;

use crate::measurement::{Measurement, Unit, in_turns, millis};
use crate::peer::{Call, Peer};
use crate::process;
use crate::random::Random;
use crate::text::{self, Language};

/// How many notes and directives there are.
const NOTES: usize = 90_000;
const DIRECTIVES: usize = 10_000;
/// How many items one folder holds.
const ITEMS_PER_FOLDER: usize = 150;
/// How often an id is looked up.
const LOOKUPS: usize = 20_000;

/// Fills an empty project.
pub(crate) fn fill(folder: &Path) {
    std::fs::create_dir(folder.join(".git")).expect("a folder");
    let mut random = Random::new(3);
    for number in 0..NOTES + DIRECTIVES {
        let group = number / ITEMS_PER_FOLDER;
        let (a, b) = (group / 25, group % 25);
        let (below, text) = if number < NOTES {
            let head =
                format!("---\nid: {}\ntitle: Note {number}\ntags: [a, b]\n---\n", id(number));
            let body = text::generate(Language::Markdown, 600, &mut random);
            (format!("knowledge/area-{a}/topic-{b}"), head + &body)
        } else {
            (format!("directives/area-{a}/topic-{b}"), directive(number))
        };
        let parent = folder.join(".ai").join(below);
        std::fs::create_dir_all(&parent).expect("a folder");
        std::fs::write(parent.join(id(number) + ".md"), text).expect("a file");
    }
}

fn id(number: usize) -> String {
    format!("item-{number:06}")
}

pub(crate) fn directive(number: usize) -> String {
    format!(
        "<directive name=\"{}\" version=\"1.0.0\">\n<metadata><description>Does {number}.\
         </description></metadata>\n<process><step name=\"one\"><action>Do it.</action></step>\
         </process>\n</directive>\n",
        id(number)
    )
}

/// Measures the filled space, and the same server in a space without items.
pub(crate) fn measure_all(full: &Peer, empty: &Peer) -> Vec<Measurement> {
    let program = full.program();
    let mere = |arguments: &[&str]| time_command(&program, &full.folder, arguments);
    let shell = |script: &str| time_command(Path::new("/bin/sh"), &full.folder, &["-c", script]);
    // Files that were only just written are not trusted for a while; after that everyone finds them
    // in the page cache.
    let rest = || std::thread::sleep(std::time::Duration::from_secs(3));
    rest();
    mere(&["index", "--rebuild"]);
    let hash = "find .ai -name '*.md' -print0 | xargs -0 -n 500 -P 2 sha256sum >/dev/null";
    let folders = "find .ai -type d -newermt @0 >/dev/null";
    let mut number = 0;
    let mut show = || {
        number += 7919;
        mere(&["show", "knowledge", &id(number % NOTES)])
    };
    let scan = in_turns(&mut [true, false], 7, |ours| {
        if *ours { mere(&["index", "--rebuild"]) } else { shell(hash) }
    });
    rest();
    mere(&["index"]);
    let mut both = [true, false];
    let look =
        in_turns(&mut both, 30, |ours| if *ours { mere(&["index"]) } else { shell(folders) });
    let shown = in_turns(&mut [true, false], 100, |ours| {
        if *ours { show() } else { shell("cat .ai/knowledge/area-0/topic-0/item-000000.md") }
    });
    let start = |peer: &Peer| {
        let began = Instant::now();
        let mut client = peer.connect();
        client.request("tools/list", &json!({}));
        millis(began.elapsed())
    };
    let cold = in_turns(&mut [full, empty], 50, |peer| start(peer));
    let rate = |millis: &f64| (NOTES + DIRECTIVES) as f64 / millis * 1000.0;
    let rates = scan.iter().map(|samples| samples.iter().map(rate).collect()).collect();
    vec![
        measurement("first scan and index, files", Unit::PerSecond, rates),
        measurement("`mere index`, nothing changed", Unit::Millis, look),
        measurement("`mere show` by a bare id, as a process", Unit::Millis, shown),
        measurement("cold start to tools/list, 100,000 items and none", Unit::Millis, cold),
        measurement(
            "find a bare id, warm, in the process",
            Unit::Millis,
            vec![measure_lookups(full), Vec::new()],
        ),
        measurement("`load` by a bare id over stdio, warm", Unit::Millis, measure_loads(full)),
        measurement(
            "peak memory of a server after 1,000 loads",
            Unit::Megabytes,
            measure_memory(full),
        ),
    ]
}

pub(crate) fn measurement(name: &str, unit: Unit, samples: Vec<Vec<f64>>) -> Measurement {
    Measurement { name: name.into(), unit, samples }
}

/// Runs a program to its end and returns how long that took.
pub(crate) fn time_command(program: &Path, folder: &Path, arguments: &[&str]) -> f64 {
    let mut command = process::command(program, folder);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
    let began = Instant::now();
    let ended = command.status().expect("the program runs");
    let took = began.elapsed();
    assert!(ended.success(), "{arguments:?}: {ended}");
    millis(took)
}

/// Measures loads over one server, each with another id.
fn measure_loads(full: &Peer) -> Vec<Vec<f64>> {
    let mut client = full.connect();
    let samples = (0..1_000).map(|number| {
        let arguments = json!({ "item_type": "knowledge", "item_id": id(number * 83 % NOTES) });
        millis(client.call(&Call { tool: "load", arguments }).took)
    });
    vec![samples.collect(), Vec::new()]
}

fn measure_memory(full: &Peer) -> Vec<Vec<f64>> {
    let mut client = full.connect();
    for number in 0..1_000 {
        let arguments = json!({ "item_type": "knowledge", "item_id": id(number * 83 % NOTES) });
        client.call(&Call { tool: "load", arguments });
    }
    vec![vec![client.peak_memory()], Vec::new()]
}

/// Measures lookups in a separate process, which sees the empty home.
fn measure_lookups(full: &Peer) -> Vec<f64> {
    let own = std::env::current_exe().expect("this program");
    let mut command = process::command(&own, &full.folder);
    let output = command.arg("lookups").output().expect("this program runs");
    assert!(output.status.success(), "{output:?}");
    let output = String::from_utf8(output.stdout).expect("UTF-8");
    output.lines().map(|line| line.parse().expect("a number")).collect()
}

/// Prints how long each lookup took. [`measure_lookups`] runs this in a separate process.
pub(crate) fn print_lookup_times() {
    let project = Some(TypedPath::from(std::ffi::OsString::from(".")));
    let opening = SessionOptions { project, ..SessionOptions::default() };
    let session = Session::open(opening).expect("a session");
    session.watch_for_changes();
    let mut number = 0;
    for round in 0..LOOKUPS {
        number = (number + 7919) % NOTES;
        let item = id(number).parse::<ItemRef>().expect("an id");
        let began = Instant::now();
        let found = session.locate(ItemType::Knowledge, &item);
        let took = began.elapsed();
        assert!(found.is_some(), "{item}");
        if round >= 100 {
            println!("{}", millis(took));
        }
    }
}
