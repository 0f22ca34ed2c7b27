//! A person's session: makes calls through the one door, and prints the replies for a person.
//!
//! All commands of people that make calls use this one type; each command adds its own methods to
//! it in its own file.

use std::io;
use std::process::ExitCode;

use mere_core::address::Address;
use mere_core::gate::Cleared;
use mere_core::reply::reword_for_person;
use mere_core::request::{Caller, Reader, Request, Verb};
use mere_core::turn::Turn;
use mere_engine::{NoAddress, Session, SessionState, TypedPath};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::arguments::{AnswerArguments, ColourArgument, LocationArguments, SessionArguments};
use crate::commands::call;
use crate::commands::call::KeyboardTurn;
use crate::commands::passphrase::PassphraseCache;
use crate::commands::question_loop::call_until_done;
use crate::print::refusal::RefusalDetails;
use crate::print::reply::{ReplyView, is_answer};
use crate::print::{Printer, terminal};

/// A person's session.
pub(crate) struct PersonSession {
    session: Session,
    passphrases: PassphraseCache,
}

/// The way in which a reply is printed for a person.
pub(crate) type PrintMethod<T> = fn(&Printer, &ReplyView<T>) -> String;

/// Opens a person's session, passes it to `perform`, and ends it.
pub(crate) fn with_session(
    location: LocationArguments,
    arguments: &SessionArguments,
    perform: impl FnOnce(&PersonSession) -> io::Result<ExitCode>,
) -> io::Result<ExitCode> {
    let session = match Session::open(location.session_options(arguments, SessionState::Kept)) {
        Ok(session) => session,
        Err(error) => return Ok(terminal::print_failure(&error.to_string(), terminal::USAGE)),
    };
    let session = PersonSession { session, passphrases: PassphraseCache::default() };
    let ended = perform(&session);
    session.session.finish();
    ended
}

/// Like [`with_session`], for a command that has no arguments about its session.
pub(crate) fn with_default_session(
    location: LocationArguments,
    perform: impl FnOnce(&PersonSession) -> io::Result<ExitCode>,
) -> io::Result<ExitCode> {
    with_session(location, &SessionArguments::default(), perform)
}

impl PersonSession {
    /// Makes a call, and prints the reply. Returns the exit code of the process.
    pub(crate) fn call_and_print<T: DeserializeOwned>(
        &self,
        tool: &'static str,
        verb: impl Into<Verb>,
        answer: &AnswerArguments,
        show: PrintMethod<T>,
    ) -> io::Result<ExitCode> {
        self.print_reply(&self.call(tool, verb), answer, show)
    }

    /// Makes a call. If a key is locked, the person unlocks it once for the whole command.
    pub(crate) fn call(&self, tool: &'static str, verb: impl Into<Verb>) -> Cleared {
        self.call_with_turn(tool, verb, KeyboardTurn::new)
    }

    /// Makes a call with the caller's own kind of turn.
    pub(crate) fn call_with_turn<T: Turn>(
        &self,
        tool: &'static str,
        verb: impl Into<Verb>,
        turn: impl Fn(&Request) -> T,
    ) -> Cleared {
        let agent = self.session.agent().cloned().unwrap_or_default();
        self.send(&Request::from_person(agent, tool, verb.into()), turn)
    }

    /// Calls a tool with the arguments that an agent would give it.
    pub(crate) fn call_tool(&self, tool: &str, arguments: &Map<String, Value>) -> Cleared {
        let agent = self.session.agent().cloned().unwrap_or_default();
        let person = call::person_at_terminal();
        let caller = Caller { agent, reader: Reader::Person, person, ..Caller::default() };
        self.send(&Request::new(caller, tool, arguments), KeyboardTurn::new)
    }

    /// Sends a request through the door, and asks the person whatever has to be asked.
    fn send<T: Turn>(&self, request: &Request, turn: impl Fn(&Request) -> T) -> Cleared {
        let handler = |request: &Request| self.session.handle(request, &mut turn(request));
        self.passphrases.call_with_passphrase(|passphrase| {
            let request = request.clone().with_key_passphrase(passphrase);
            call_until_done(request, handler, call::ask_at_terminal)
        })
    }

    /// Prints a reply and returns the exit code of the process.
    pub(crate) fn print_reply<T: DeserializeOwned>(
        &self,
        reply: &Cleared,
        answer: &AnswerArguments,
        show: PrintMethod<T>,
    ) -> io::Result<ExitCode> {
        let printer = self.printer(answer.color);
        if answer.json {
            terminal::print_reply(reply)?;
        } else if is_answer(reply) {
            let view = ReplyView::read(reply)?;
            terminal::print_text(&show(&printer, &view))?;
            match view.hint {
                // Findings are followed by the refusal that explains them.
                _ if !view.is_success() => terminal::print_refusal(reply)?,
                Some(hint) => terminal::print_note(&reword_for_person(&hint)),
                None => {}
            }
        } else {
            let details = ReplyView::<RefusalDetails>::read(reply)?.data;
            terminal::print_text(&printer.candidate_list(&details))?;
            terminal::print_refusal(reply)?;
            details.lines().for_each(|line| terminal::print_detail(&line));
            if let Some(path) = printer.refused_path(&details) {
                terminal::print_error_text(&format!("      {path}\n"));
            }
        }
        Ok(terminal::exit_code(reply.reply_type()))
    }

    /// Returns a printer that shows paths from where the person is.
    pub(crate) fn printer(&self, colour: ColourArgument) -> Printer {
        Printer::new(colour, self.session.working_address())
    }

    /// Checks whether there is a project.
    pub(crate) fn has_project(&self) -> bool {
        self.session.has_project()
    }

    /// Returns the address of a path that the person typed, or why it has none.
    pub(crate) fn address_of(&self, typed: &TypedPath) -> Result<Address, NoAddress> {
        self.session.address_of(typed)
    }

    /// Returns the address of the directory the command ran in, if it is visible.
    pub(crate) fn working_address(&self) -> Option<Address> {
        self.session.working_address()
    }
}

/// Says that nothing was done, and which option answers when nobody can be asked.
pub(crate) fn report_refusal(words: &str, answers: &str) -> ExitCode {
    let nobody = format!("{words}; {answers} if nobody can be asked");
    terminal::print_note(if terminal::can_ask() { words } else { &nobody });
    ExitCode::from(terminal::REFUSED)
}
