//! `mere call`: one agent-facing call from the keyboard.

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use mere_core::request::{Caller, Request, TOOLS};
use mere_core::turn::{Answer, Progress, Question, Turn};
use mere_engine::{Memory, Session};
use serde_json::json;

use crate::arguments::{CallArguments, PlaceArguments};
use crate::converse::converse;
use crate::render;

/// Runs the command.
pub(crate) fn run(place: PlaceArguments, call: &CallArguments) -> io::Result<ExitCode> {
    let Some(tool) = &call.tool else {
        return list();
    };
    let session = match Session::open(place.opening(&call.session, Memory::Session)) {
        Ok(session) => session,
        Err(error) => return Ok(render::failure(&error.to_string(), render::USAGE)),
    };
    let agent = session.agent().cloned().unwrap_or_default();
    let request = Request::from_text(Caller { agent, ..Caller::default() }, tool, &call.json);
    let reply = converse(request, |request| session.handle(request, &mut AtKeyboard), ask);
    render::json(reply.value())?;
    Ok(render::exit_code(reply.reply()))
}

fn list() -> io::Result<ExitCode> {
    let tools = TOOLS.iter().map(|tool| {
        json!({
            "name": tool.name, "title": tool.title, "description": tool.about,
            "inputSchema": tool.input_schema(), "outputSchema": tool.output_schema()
        })
    });
    render::json(&tools.collect())?;
    Ok(ExitCode::SUCCESS)
}

fn ask(question: &Question) -> Answer {
    match render::ask(question.text.as_str()) {
        Ok(Some(true)) => Answer::Yes,
        Ok(Some(false) | None) | Err(_) => Answer::No,
    }
}

/// A person who waits; the process ends by the usual key.
struct AtKeyboard;

impl Turn for AtKeyboard {
    fn progress(&mut self, _note: &Progress) {}

    fn cancelled(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }
}
