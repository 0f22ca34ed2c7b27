//! `cargo xtask bench [PART]`: times `mere` and whichever peers are installed, in one run, and prints
//! Markdown tables. Peers that are missing are named, with how to install them.

mod change;
mod corpus;
mod dice;
mod find;
mod find_peers;
mod forest;
mod ground;
mod items;
mod memory;
mod memory_peers;
mod note;
mod notebook;
mod peer;
mod process;
mod question;
mod retrieval;
mod retrieval_item;
mod runs;
mod search;
mod signed;
mod stdio;
mod table;
mod talk;
mod text;
mod vocabulary;
mod work;

use std::process::{Command, ExitCode};

use ground::Ground;
use memory::Layout;
use peer::Peer;
use process::Program;

fn main() -> ExitCode {
    let arguments = std::env::args().skip(1).collect::<Vec<_>>();
    if arguments == ["lookups"] {
        items::look_up();
        return ExitCode::SUCCESS;
    }
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bench"] => bench(None),
        ["bench", part] if PARTS.contains(&part) => bench(Some(part)),
        ["bench", "find", most] => match most.parse() {
            Ok(most) => find::run(&Ground::make(), most),
            Err(_) => return usage(),
        },
        ["retrieval", ref options @ ..] => match retrieval::Options::parse(options) {
            Some(options) => retrieval::run(&Ground::make(), &options),
            None => return usage(),
        },
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
    ExitCode::from(2)
}

/// What can be timed by itself.
const PARTS: [&str; 8] = ["search", "stdio", "items", "signed", "memory", "find", "run", "write"];

fn bench(only: Option<&str>) -> Result<(), String> {
    let ground = Ground::make();
    let wanted = |part: &str| only.is_none_or(|only| only == part);
    let corpus = ground.folder("corpus");
    corpus::fill(&corpus);
    if wanted("search") {
        let forest = peer::mere(&ground.folder("forest"))?;
        forest::plant(&forest.folder);
        settle(&forest);
        searches(&forest)?;
    }
    if wanted("stdio") {
        servers(peer::mere(&corpus)?);
    }
    if wanted("items") {
        shelves(&peer::mere(&ground.folder("items"))?, &peer::mere(&ground.folder("none"))?);
    }
    if wanted("signed") {
        let full = peer::mere(&ground.folder("signed"))?;
        signed::fill(&full);
        settle(&full);
        let names = [full.title(), "the least".to_owned()];
        println!("{}", table::render(&names, &signed::works(&full), "mere ÷ least"));
    }
    if wanted("memory") {
        memories(&ground)?;
    }
    if wanted("find") {
        find::run(&ground, find::MOST)?;
    }
    if wanted("run") {
        let mere = peer::mere(&ground.folder("runs"))?;
        runs::fill(&mere);
        let works = runs::works(&mere);
        let names = [mere.title(), "the bare script".to_owned()];
        println!("{}", table::render(&names, &works, "mere ÷ bare"));
        println!("{}\n", runs::overhead(&works).join("\n"));
    }
    // Last, because from then on the corpus has a workspace.
    if wanted("write") {
        notes(&peer::mere(&corpus)?);
    }
    Ok(())
}

/// What is still to be written to the disk would be written while others are timed.
pub(crate) fn settle(peer: &Peer) {
    let _ = Command::new("sync").arg("-f").arg(&peer.folder).status();
}

fn searches(mere: &Peer) -> Result<(), String> {
    let (programs, missing) = process::installed(&peer::installed_at());
    name_missing(&missing);
    let works = search::works(mere, &programs)?;
    let mut names = vec![mere.title()];
    names.extend(programs.iter().map(Program::title));
    println!("{}", table::render(&names, &works, "mere ÷ best peer"));
    println!("With {} file handles `mere` finds the same.\n", search::HANDLES);
    Ok(())
}

fn servers(mere: Peer) {
    let (others, missing) = peer::others(&mere.folder);
    name_missing(&missing);
    let mut peers = vec![mere];
    peers.extend(others);
    let names = peers.iter().map(Peer::title).collect::<Vec<_>>();
    println!("{}", table::render(&names, &stdio::works(&peers), "mere ÷ best peer"));
}

fn shelves(full: &Peer, empty: &Peer) {
    items::fill(&full.folder);
    settle(full);
    let names = [full.title(), "the least".to_owned()];
    println!("{}", table::render(&names, &items::works(full, empty), "mere ÷ least"));
}

fn memories(ground: &Ground) -> Result<(), String> {
    for (name, layout) in [("flat", Layout::Flat), ("spread", Layout::Spread)] {
        let mere = peer::mere(&ground.folder(name))?;
        let names = [mere.title(), "the bare sequence".to_owned()];
        let works = memory::works(&mere, layout);
        println!("{}", table::render(&names, &works, "mere ÷ bare"));
        println!("{}\n", memory::beyond(&works).join("\n"));
    }
    let folder = ground.folder("keepers");
    let found = memory_peers::compare(&peer::mere(&folder)?, &[1_000, 10_000], &folder);
    name_missing(&found.missing);
    println!("{}", table::render(&found.names, &found.works, "mere ÷ best peer"));
    println!("{}\n", found.said.join("\n"));
    Ok(())
}

fn notes(mere: &Peer) {
    let names = [mere.title(), "the bare sequence".to_owned()];
    println!("{}", table::render(&names, &[note::work(mere)], "mere ÷ bare"));
}

pub(crate) fn name_missing(missing: &[&str]) {
    for missing in missing {
        eprintln!("not measured: {missing}");
    }
}
