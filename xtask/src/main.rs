//! `cargo xtask bench [PART]`: measures `mere` and the installed peers in one run, and prints
//! Markdown tables. Missing peers are printed with how to install them. `cargo xtask retrieval`
//! measures how well search finds, `cargo xtask registry` what a registry of many items costs, and
//! `cargo xtask secrets` how often ordinary files look secret.

mod bench_folder;
mod file_search;
mod items;
mod large_corpus;
mod mcp_client;
mod measurement;
mod memory;
mod memory_peers;
mod note_changes;
mod note_search;
mod note_search_peers;
mod note_writes;
mod notebook;
mod peer;
mod process;
mod question;
mod random;
mod registry;
mod retrieval;
mod retrieval_item;
mod secret_alarms;
mod signed;
mod small_corpus;
mod stdio;
mod table;
mod text;
mod tool_runs;
mod vocabulary;

use std::process::{Command, ExitCode};

use bench_folder::BenchFolder;
use memory::Layout;
use peer::Peer;
use process::Program;

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1).collect::<Vec<_>>();
    if arguments == ["lookups"] {
        items::print_lookup_times();
        return ExitCode::SUCCESS;
    }
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bench"] => bench(None),
        ["bench", part] if PARTS.contains(&part) => bench(Some(part)),
        ["bench", "find", most] => match most.parse() {
            Ok(most) => note_search::run(&BenchFolder::create(), most),
            Err(_) => return usage(),
        },
        ["retrieval", ref options @ ..] => match retrieval::Options::parse(options) {
            Some(options) => retrieval::run(&BenchFolder::create(), &options),
            None => return usage(),
        },
        ["registry", ref options @ ..] => match registry::Options::parse(options) {
            Some(options) => registry::run(&options),
            None => return usage(),
        },
        ["secrets", "--list", ref folders @ ..] if !folders.is_empty() => {
            secret_alarms::run(folders, secret_alarms::Listing::EachSecret)
        }
        ["secrets", ref folders @ ..] if !folders.is_empty() => {
            secret_alarms::run(folders, secret_alarms::Listing::FiguresOnly)
        }
        _ => return usage(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: cargo xtask bench [{}]", PARTS.join("|"));
    eprintln!("       cargo xtask bench find MOST_NOTES");
    eprintln!("       cargo xtask retrieval [--model NAME] [--failures]");
    eprintln!("       cargo xtask registry [--long] [sqlite|postgres] [ITEMS...]");
    eprintln!("       cargo xtask secrets [--list] FOLDER...");
    ExitCode::from(2)
}

/// The parts that can be measured separately.
const PARTS: [&str; 8] = ["search", "stdio", "items", "signed", "memory", "find", "run", "write"];

fn bench(only: Option<&str>) -> Result<(), String> {
    let bench_folder = BenchFolder::create();
    let wanted = |part: &str| only.is_none_or(|only| only == part);
    let corpus = bench_folder.create_folder("corpus");
    small_corpus::fill(&corpus);
    if wanted("search") {
        let forest = peer::mere(&bench_folder.create_folder("forest"))?;
        large_corpus::fill(&forest.folder);
        sync_disk(&forest);
        bench_file_search(&forest)?;
    }
    if wanted("stdio") {
        bench_servers(peer::mere(&corpus)?);
    }
    if wanted("items") {
        bench_items(
            &peer::mere(&bench_folder.create_folder("items"))?,
            &peer::mere(&bench_folder.create_folder("none"))?,
        );
    }
    if wanted("signed") {
        let full = peer::mere(&bench_folder.create_folder("signed"))?;
        signed::fill(&full);
        sync_disk(&full);
        let names = [full.title(), "the least".to_owned()];
        println!("{}", table::render(&names, &signed::measure_all(&full), "mere ÷ least"));
    }
    if wanted("memory") {
        bench_memories(&bench_folder)?;
    }
    if wanted("find") {
        note_search::run(&bench_folder, note_search::MAX_NOTES)?;
    }
    if wanted("run") {
        let mere = peer::mere(&bench_folder.create_folder("runs"))?;
        tool_runs::fill(&mere);
        let measurements = tool_runs::measure_all(&mere);
        let names = [mere.title(), "the bare script".to_owned()];
        println!("{}", table::render(&names, &measurements, "mere ÷ bare"));
        println!("{}\n", tool_runs::overhead_lines(&measurements).join("\n"));
    }
    // This is last, because it gives the corpus a workspace.
    if wanted("write") {
        bench_note_writes(&peer::mere(&corpus)?);
    }
    Ok(())
}

/// Syncs the disk, so that pending writes do not disturb what is measured next.
pub(crate) fn sync_disk(peer: &Peer) {
    let _ = Command::new("sync").arg("-f").arg(&peer.folder).status();
}

fn bench_file_search(mere: &Peer) -> Result<(), String> {
    let (programs, missing) = process::find_installed(&peer::install_folder());
    print_missing(&missing);
    let measurements = file_search::measure_all(mere, &programs)?;
    let mut names = vec![mere.title()];
    names.extend(programs.iter().map(Program::title));
    println!("{}", table::render(&names, &measurements, "mere ÷ best peer"));
    println!("With {} file handles `mere` finds the same.\n", file_search::HANDLES);
    Ok(())
}

fn bench_servers(mere: Peer) {
    let (others, missing) = peer::find_installed(&mere.folder);
    print_missing(&missing);
    let mut peers = vec![mere];
    peers.extend(others);
    let names = peers.iter().map(Peer::title).collect::<Vec<_>>();
    println!("{}", table::render(&names, &stdio::measure_all(&peers), "mere ÷ best peer"));
}

fn bench_items(full: &Peer, empty: &Peer) {
    items::fill(&full.folder);
    sync_disk(full);
    let names = [full.title(), "the least".to_owned()];
    println!("{}", table::render(&names, &items::measure_all(full, empty), "mere ÷ least"));
}

fn bench_memories(bench_folder: &BenchFolder) -> Result<(), String> {
    for (name, layout) in [("flat", Layout::Flat), ("spread", Layout::Spread)] {
        let mere = peer::mere(&bench_folder.create_folder(name))?;
        let names = [mere.title(), "the bare sequence".to_owned()];
        let measurements = memory::measure_all(&mere, layout);
        println!("{}", table::render(&names, &measurements, "mere ÷ bare"));
        println!("{}\n", memory::overhead_lines(&measurements).join("\n"));
    }
    let folder = bench_folder.create_folder("keepers");
    let found = memory_peers::compare(&peer::mere(&folder)?, &[1_000, 10_000], &folder);
    print_missing(&found.missing);
    println!("{}", table::render(&found.names, &found.measurements, "mere ÷ best peer"));
    println!("{}\n", found.remarks.join("\n"));
    Ok(())
}

fn bench_note_writes(mere: &Peer) {
    let names = [mere.title(), "the bare sequence".to_owned()];
    println!("{}", table::render(&names, &[note_writes::measure_writes(mere)], "mere ÷ bare"));
}

pub(crate) fn print_missing(missing: &[&str]) {
    for missing in missing {
        eprintln!("not measured: {missing}");
    }
}
