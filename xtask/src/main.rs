//! `cargo xtask bench`: times `mere` and whichever peers are installed, in one run, and prints a
//! Markdown table. Peers that are missing are named, with how to install them.

mod corpus;
mod peer;
mod table;
mod work;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("bench"), None) => {
            bench();
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("usage: cargo xtask bench");
            ExitCode::from(2)
        }
    }
}

fn bench() {
    let corpus = corpus::make();
    let (peers, missing) = peer::installed(corpus.path());
    for missing in missing {
        eprintln!("not measured: {missing}");
    }
    let works = [
        work::cold_start(&peers),
        work::list(&peers, "list 483 entries, warm", corpus::WIDE),
        work::pipelined(&peers, "1,000 pipelined lists of 10 entries, per call", corpus::NARROW),
        work::memory(&peers),
    ];
    print!("{}", table::render(&peers, &works));
}
