//! `mere run`, `chain`, `lock` and `prepare`.

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use mere_core::gate::ClearedText;
use mere_core::reply::ReplyType;
use mere_core::request::{PersonCommand, Verb};
use mere_core::turn::{OutputStream, Progress, Turn};

use crate::arguments::{
    ChainArguments, LockArguments, PlaceArguments, PrepareArguments, RunArguments, SessionArguments,
};
use crate::items::{Desk, at_desk};
use crate::paper::Paper;
use crate::render;

/// Runs a tool: what it says goes where it says it, as it says it, and its failure is a status of its own.
pub(crate) fn run(place: PlaceArguments, asked: &RunArguments) -> io::Result<ExitCode> {
    let session =
        if asked.is_dry() { SessionArguments::default() } else { SessionArguments::to_run() };
    at_desk(place, &session, |desk| run_at(desk, asked))
}

fn run_at(desk: &Desk, asked: &RunArguments) -> io::Result<ExitCode> {
    let tool = Verb::Person(PersonCommand::Run(asked.asked()));
    let is_quiet = asked.is_dry() || asked.answer.json;
    let reply = if is_quiet {
        desk.call("run", tool)
    } else {
        desk.call_for("run", tool, || Listener(Paper::new(asked.answer.color, None)))
    };
    if asked.is_dry() || reply.reply_type() != ReplyType::Success {
        return desk.print(&reply, &asked.answer, Paper::dry_run);
    }
    let value = reply.to_value();
    let has_failed = value["data"]["success"] != true;
    let code = if has_failed { ExitCode::from(render::TOOL_FAILED) } else { ExitCode::SUCCESS };
    if asked.answer.json {
        return render::reply(&reply).map(|()| code);
    }
    if value["data"]["truncated"] == true {
        render::note("it said more than is kept; the rest is left out");
    }
    if has_failed {
        render::note(value["message"].as_str().unwrap_or_default());
    }
    Ok(code)
}

/// A person who hears a tool as it speaks.
struct Listener(Paper);

impl Turn for Listener {
    fn progress(&mut self, _note: &Progress) {}

    fn is_cancelled(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn show_output(&mut self, stream: OutputStream, text: &ClearedText) {
        let text = self.0.said(text.as_str());
        match stream {
            // A reader that went away is told when the answer is printed.
            OutputStream::Output => drop(render::text(&text)),
            OutputStream::Error => render::beside(&text),
        }
    }
}

/// Draws a chain.
pub(crate) fn chain(place: PlaceArguments, asked: ChainArguments) -> io::Result<ExitCode> {
    at_desk(place, &SessionArguments::default(), |desk| {
        desk.keep("chain", PersonCommand::Chain { item: asked.item }, &asked.answer, Paper::chain)
    })
}

/// Pins chains, or compares them.
pub(crate) fn lock(place: PlaceArguments, asked: &LockArguments) -> io::Result<ExitCode> {
    at_desk(place, &SessionArguments::default(), |desk| {
        desk.keep("lock", PersonCommand::Lock(asked.asked()), &asked.answer, Paper::lockfiles)
    })
}

/// Fetches packages.
pub(crate) fn prepare(place: PlaceArguments, asked: PrepareArguments) -> io::Result<ExitCode> {
    at_desk(place, &SessionArguments::default(), |desk| {
        desk.keep(
            "prepare",
            PersonCommand::Prepare { item: asked.item },
            &asked.answer,
            Paper::outcome,
        )
    })
}
