//! `mere call`: one agent-facing call from the keyboard.

use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mere_core::gate::{Gate, Seal};
use mere_core::request::{Caller, Request, TOOLS};
use mere_core::turn::{Answer, Progress, Question, Turn};
use mere_engine::{Session, SessionState};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::arguments::{CallArguments, PlaceArguments};
use crate::converse::converse;
use crate::render;

/// Runs the command.
pub(crate) fn run(place: PlaceArguments, call: &CallArguments) -> io::Result<ExitCode> {
    let Some(tool) = &call.tool else {
        return list();
    };
    let session = match Session::open(place.opening(&call.session, SessionState::Kept)) {
        Ok(session) => session,
        Err(error) => return Ok(render::failure(&error.to_string(), render::USAGE)),
    };
    let agent = session.agent().cloned().unwrap_or_default();
    let request = Request::from_text(Caller { agent, ..Caller::default() }, tool, &call.json);
    let reply =
        converse(request, |request| session.handle(request, &mut AtKeyboard::default()), ask);
    render::reply(&reply)?;
    session.finish();
    Ok(render::exit_code(reply.reply_type()))
}

fn list() -> io::Result<ExitCode> {
    let tools = TOOLS.iter().map(|tool| {
        json!({
            "name": tool.name, "title": tool.title, "description": tool.about,
            "inputSchema": tool.input_schema(), "outputSchema": tool.output_schema()
        })
    });
    let tools = tools.collect::<Value>();
    // Agents read this too: it passes the gate like everything they see.
    let cleared = Gate::new(Vec::new()).clear_message(tools, &Seal::new(Uuid::nil()));
    match cleared {
        Some(tools) => render::message(&tools).map(|()| ExitCode::SUCCESS),
        None => Ok(render::failure("the list named a host path", render::BROKEN)),
    }
}

/// Asks the person at the terminal; where there is none, nobody says yes.
pub(crate) fn ask(question: &Question) -> Answer {
    // Only a person at a terminal can be asked: what is piped in is the caller's own.
    let asked = render::at_terminal() && render::ask(question.text.as_str()).unwrap_or(false);
    if asked { Answer::Yes } else { Answer::No }
}

/// A person who waits; the process ends by the usual key. What takes longer than a moment tells how
/// far it is.
pub(crate) struct AtKeyboard {
    began: Instant,
    is_told: bool,
}

/// How long a person waits before they are told how far it is.
const PATIENCE: Duration = Duration::from_millis(300);

impl Default for AtKeyboard {
    fn default() -> Self {
        Self { began: Instant::now(), is_told: false }
    }
}

impl Turn for AtKeyboard {
    fn progress(&mut self, note: &Progress) {
        if self.began.elapsed() > PATIENCE {
            render::progress(note.done, note.total, note.message.as_str());
            self.is_told = true;
        }
    }

    fn is_cancelled(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }
}

impl Drop for AtKeyboard {
    fn drop(&mut self) {
        if self.is_told {
            render::end_progress();
        }
    }
}
