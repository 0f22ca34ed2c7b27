//! `mere call`: one agent-facing call, made from the keyboard.
//!
//! Its output is exactly what an agent gets, so the list of tools passes the gate as well.

use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use mere_core::gate::{Gate, Seal};
use mere_core::request::{Caller, PersonPresence, Request, TOOLS};
use mere_core::turn::{Answer, Progress, Question, Turn};
use mere_engine::{Session, SessionState};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::arguments::{CallArguments, LocationArguments};
use crate::commands::question_loop::call_until_done;
use crate::print::terminal;
use crate::print::waiting_line::WaitingLine;

/// Runs the command.
pub(crate) fn run(location: LocationArguments, call: &CallArguments) -> io::Result<ExitCode> {
    let Some(tool) = &call.tool else {
        return list();
    };
    let session =
        match Session::open(location.session_options(&call.session, SessionState::OneCall)) {
            Ok(session) => session,
            Err(error) => return Ok(terminal::print_failure(&error.to_string(), terminal::USAGE)),
        };
    let agent = session.agent().cloned().unwrap_or_default();
    let caller = Caller { agent, person: person_at_terminal(), ..Caller::default() };
    let request = Request::from_text(caller, tool, &call.json);
    let reply = call_until_done(
        request,
        |request| session.handle(request, &mut KeyboardTurn::new(request)),
        ask_at_terminal,
    );
    terminal::print_reply(&reply)?;
    session.finish();
    Ok(terminal::exit_code(reply.reply_type()))
}

fn list() -> io::Result<ExitCode> {
    let tools = TOOLS.iter().map(|tool| {
        json!({
            "name": tool.name, "title": tool.title, "description": tool.about,
            "inputSchema": tool.input_schema(), "outputSchema": tool.output_schema()
        })
    });
    let tools = tools.collect::<Value>();
    // Agents read this list too, so it passes the gate like everything else they see.
    let cleared = Gate::new(Vec::new()).clear_message(tools, &Seal::new(Uuid::nil()));
    match cleared {
        Some(tools) => terminal::print_message(&tools).map(|()| ExitCode::SUCCESS),
        None => {
            Ok(terminal::print_failure("the list of tools contains a host path", terminal::BROKEN))
        }
    }
}

/// Returns whether there is a person at the terminal who can be asked.
pub(crate) fn person_at_terminal() -> PersonPresence {
    if terminal::can_ask() { PersonPresence::Present } else { PersonPresence::Absent }
}

/// Asks the person at the terminal. Without a terminal the answer is no.
pub(crate) fn ask_at_terminal(question: &Question) -> Answer {
    // Only a person at a terminal can be asked, because whatever is piped in comes from the caller.
    let agrees =
        terminal::can_ask() && terminal::ask_yes_or_no(question.text.as_str()).unwrap_or(false);
    if agrees { Answer::Yes } else { Answer::No }
}

/// The turn of a caller at the command line. They end the process with Ctrl-C, so the call is never
/// cancelled; a call that an agent could make has the same deadline as over MCP. A call that takes
/// longer than [`PROGRESS_DELAY`] shows its progress, and one that reports none shows how long it has
/// been at work.
pub(crate) struct KeyboardTurn {
    started: Instant,
    time_limit: Option<Duration>,
    has_shown_progress: bool,
    waiting: Option<WaitingLine>,
}

/// How long a call runs before its progress is shown.
const PROGRESS_DELAY: Duration = Duration::from_millis(300);

impl KeyboardTurn {
    /// Starts the turn of a call.
    pub(crate) fn new(request: &Request) -> Self {
        let waiting = request.tool.and_then(WaitingLine::start);
        Self { waiting, ..Self::with_own_terminal(request) }
    }

    /// Starts the turn of a call that gives the terminal to another program.
    pub(crate) fn with_own_terminal(request: &Request) -> Self {
        let time_limit = request.verb.time_limit();
        Self { started: Instant::now(), time_limit, has_shown_progress: false, waiting: None }
    }
}

impl Turn for KeyboardTurn {
    fn progress(&mut self, note: &Progress) {
        if self.started.elapsed() > PROGRESS_DELAY {
            self.waiting = None;
            terminal::show_progress(note.done, note.total, note.message.as_str());
            self.has_shown_progress = true;
        }
    }

    fn is_cancelled(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        self.time_limit.map(|limit| self.started + limit)
    }
}

impl Drop for KeyboardTurn {
    fn drop(&mut self) {
        if self.has_shown_progress {
            terminal::clear_progress();
        }
    }
}
