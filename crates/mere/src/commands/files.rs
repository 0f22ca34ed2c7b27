//! `mere read`, `glob`, `grep` and `tree`: an agent's calls, made and read by a person.
//!
//! What a person types is first turned into an address. From there it is the same call through the
//! same door, page after page; only the printing differs.

use std::io;
use std::process::ExitCode;

use mere_core::address::Address;
use mere_core::gate::Cleared;
use mere_core::reply::ReplyType;
use mere_core::request::{Caller, Reader, Request};
use mere_engine::{Session, SessionState, TypedPath};
use serde_json::{Map, Value, json};

use crate::arguments::{
    GlobArguments, GrepArguments, LocationArguments, PageArguments, ReadArguments, TreeArguments,
};
use crate::commands::call;
use crate::commands::call::KeyboardTurn;
use crate::commands::question_loop::call_until_done;
use crate::print::Printer;
use crate::print::terminal;

/// The largest number of results that one page of a tool holds.
const MAX_PAGE: u64 = 10_000;
/// The largest number of lines that one page of `read` may ask for.
const MAX_LINES: u64 = 1_000_000;
const OUTSIDE_PROJECT: &str = "the path is outside the project. Use a path relative to this \
    folder, or an address such as ROOT_PROJECT:/src/main.rs; `mere where PATH` shows where a path \
    is";

/// Runs `mere read`.
pub(crate) fn read(place: LocationArguments, asked: &ReadArguments) -> io::Result<ExitCode> {
    let Ok(desk) = FileSession::open(place, &asked.page) else {
        return Ok(ExitCode::from(terminal::USAGE));
    };
    let Some(path) = desk.address(&asked.path) else { return desk.refuse_outside("read") };
    let arguments = json!({
        "path": path.to_string(), "offset": asked.offset,
        "limit": asked.limit.unwrap_or(MAX_LINES)
    });
    desk.print_pages("read", &arguments, asked.limit, |paper, data| paper.file_text(data))
}

/// Runs `mere glob`.
pub(crate) fn glob(place: LocationArguments, asked: &GlobArguments) -> io::Result<ExitCode> {
    let Ok(desk) = FileSession::open(place, &asked.page) else {
        return Ok(ExitCode::from(terminal::USAGE));
    };
    let mut arguments = json!({ "pattern": asked.pattern, "limit": page_limit(asked.limit) });
    if let Some(typed) = &asked.path {
        let Some(path) = desk.address(typed) else { return desk.refuse_outside("glob") };
        arguments["path"] = path.to_string().into();
    }
    desk.print_pages("glob", &arguments, asked.limit, |paper, data| paper.paths(data))
}

/// Runs `mere grep`.
pub(crate) fn grep(place: LocationArguments, asked: &GrepArguments) -> io::Result<ExitCode> {
    let Ok(desk) = FileSession::open(place, &asked.page) else {
        return Ok(ExitCode::from(terminal::USAGE));
    };
    let Some(path) = desk.address_or_working_directory(asked.path.as_ref()) else {
        return desk.refuse_outside("grep");
    };
    let arguments = json!({
        "pattern": asked.pattern, "path": path.to_string(), "ignore_case": asked.ignore_case,
        "context": asked.context, "glob": asked.glob, "limit": page_limit(asked.limit)
    });
    desk.print_pages("grep", &arguments, asked.limit, Printer::matches)
}

/// Runs `mere tree`.
pub(crate) fn tree(place: LocationArguments, asked: &TreeArguments) -> io::Result<ExitCode> {
    let Ok(desk) = FileSession::open(place, &asked.page) else {
        return Ok(ExitCode::from(terminal::USAGE));
    };
    let Some(path) = desk.address_or_working_directory(asked.path.as_ref()) else {
        return desk.refuse_outside("dir");
    };
    let arguments = json!({ "command": "tree", "path": path.to_string(), "depth": asked.depth });
    desk.print_pages("dir", &arguments, None, |paper, data| paper.directories(data))
}

/// Returns how many results a page has.
fn count_results(data: &Value) -> u64 {
    let lines = || data["last"].as_u64()?.checked_sub(data["first"].as_u64()?);
    data["count"].as_u64().or_else(|| lines().map(|last| last + 1)).unwrap_or_default()
}

/// Returns the argument that requests the next page, if there is one.
fn next_page(data: &Value) -> Option<(&'static str, Value)> {
    if data["truncated"] == true {
        return data["last"].as_u64().map(|last| ("offset", (last + 1).into()));
    }
    data.get("next").map(|next| ("cursor", next.clone()))
}

fn page_limit(limit: Option<u64>) -> u64 {
    limit.map_or(MAX_PAGE, |limit| limit.clamp(1, MAX_PAGE))
}

/// A session for one file command of a person, with the options for printing its answer.
struct FileSession<'a> {
    session: Session,
    page: &'a PageArguments,
}

impl<'a> FileSession<'a> {
    /// Opens the session, or tells the person why it could not be opened.
    fn open(place: LocationArguments, form: &'a PageArguments) -> Result<Self, ()> {
        match Session::open(place.session_options(&form.session, SessionState::Kept)) {
            Ok(session) => Ok(Self { session, page: form }),
            Err(error) => {
                terminal::print_failure(&error.to_string(), terminal::USAGE);
                Err(())
            }
        }
    }

    /// Refuses a path outside the project, in words or as the reply that an agent would get.
    fn refuse_outside(&self, tool: &str) -> io::Result<ExitCode> {
        if !self.page.json {
            return Ok(terminal::print_failure(OUTSIDE_PROJECT, terminal::INVALID));
        }
        let nowhere = json!({ "path": "/", "pattern": "*" });
        let mut arguments = nowhere.as_object().cloned().unwrap_or_default();
        if matches!(tool, "read" | "dir") {
            arguments.remove("pattern");
        }
        if tool == "dir" {
            arguments.insert("command".to_owned(), "tree".into());
        }
        let reply = self.call(tool, &arguments);
        terminal::print_reply(&reply).map(|()| terminal::exit_code(reply.reply_type()))
    }

    fn address(&self, typed: &TypedPath) -> Option<Address> {
        self.session.address_of(typed)
    }

    /// Returns the address of the typed path, or that of the working directory if none was typed.
    fn address_or_working_directory(&self, typed: Option<&TypedPath>) -> Option<Address> {
        if let Some(typed) = typed {
            return self.address(typed);
        }
        let here = self.session.working_address().cloned();
        here.or_else(|| "ROOT_PROJECT:/".parse().ok())
    }

    /// Calls the tool page after page, up to `limit` results, and prints each page with `show`.
    /// With `--json` it prints one page only, whose `next` is for `--cursor`.
    fn print_pages(
        &self,
        tool: &str,
        arguments: &Value,
        limit: Option<u64>,
        show: impl Fn(&mut Printer, &Value) -> String,
    ) -> io::Result<ExitCode> {
        let mut paper = Printer::new(self.page.color, self.session.working_address().cloned());
        let mut arguments = arguments.as_object().cloned().unwrap_or_default();
        if let Some(cursor) = &self.page.cursor {
            arguments.insert("cursor".to_owned(), cursor.as_str().into());
        }
        let mut left = limit;
        loop {
            let reply = self.call(tool, &arguments);
            let code = terminal::exit_code(reply.reply_type());
            if self.page.json {
                return terminal::print_reply(&reply).map(|()| code);
            }
            if reply.reply_type() != ReplyType::Success {
                terminal::print_refusal(&reply);
                return Ok(code);
            }
            let reply = reply.to_value();
            let data = &reply["data"];
            terminal::print_text(&show(&mut paper, data))?;
            if data["content"] == "" {
                terminal::print_note(reply["message"].as_str().unwrap_or_default());
            }
            if data["masked"].is_u64() {
                terminal::print_note(&format!(
                    "secrets are masked: {}; see `mere allow`",
                    data["masked"]
                ));
            }
            left = left.map(|left| left.saturating_sub(count_results(data)));
            let Some((key, value)) = next_page(data).filter(|_| left != Some(0)) else {
                return Ok(code);
            };
            arguments.insert(key.to_owned(), value);
            if let Some(left) = left {
                arguments.insert("limit".to_owned(), page_limit(Some(left)).into());
            }
        }
    }

    fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Cleared {
        let agent = self.session.agent().cloned().unwrap_or_default();
        let caller = Caller { agent, reader: Reader::Person, ..Caller::default() };
        let request = Request::new(caller, tool, arguments);
        call_until_done(
            request,
            |request| self.session.handle(request, &mut KeyboardTurn::default()),
            call::ask_at_terminal,
        )
    }
}
