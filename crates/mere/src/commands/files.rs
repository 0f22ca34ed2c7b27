//! `mere ls`, `read`, `glob`, `grep` and `tree`: an agent's calls, made and read by a person.
//!
//! What a person types is first turned into an address. From there it is the same call through the
//! same door, page after page; only the printing differs.

use std::io;
use std::process::ExitCode;

use mere_core::address::Address;
use mere_core::gate::Cleared;
use mere_core::reply::ReplyType;
use mere_core::request::{CallError, Verb};
use mere_engine::{NoAddress, TypedPath};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::arguments::{
    GlobArguments, GrepArguments, LocationArguments, LsArguments, PageArguments, ReadArguments,
    TreeArguments,
};
use crate::commands::person_session::{PersonSession, with_session};
use crate::print::files::{NextPage, ResultPage};
use crate::print::reply::ReplyView;
use crate::print::{Printer, terminal};

/// The largest number of results that one page of a tool holds.
const MAX_PAGE: u64 = 10_000;
/// The largest number of lines that one page of `read` may ask for.
const MAX_LINES: u64 = 1_000_000;
const OUTSIDE_PROJECT: &str = "the path is outside the project. Use a path relative to this \
    folder, or an address such as ROOT_PROJECT:/src/main.rs; `mere where PATH` shows where a path \
    is";
const NO_PROJECT: &str = "there is no project: start it in a project or pass `--project`; \
    `mere where` says why";
const UNADDRESSABLE: &str = "a name in the path cannot be part of an address: it has invisible or \
    control characters or a backslash, or it is too long. Rename it to show it to agents";

/// A call whose results come in pages.
struct PagedCall<'a> {
    tool: &'static str,
    arguments: Value,
    /// The most results to print, or `None` for all of them.
    limit: Option<u64>,
    page: &'a PageArguments,
}

/// Runs `mere read`.
pub(crate) fn read(location: LocationArguments, typed: &ReadArguments) -> io::Result<ExitCode> {
    let (tool, page, limit) = ("read", &typed.page, typed.limit);
    with_session(location, &page.session, |session| {
        let path = match session.address_of(&typed.path) {
            Ok(path) => path,
            Err(reason) => return session.refuse_path(tool, page, reason),
        };
        let arguments = json!({
            "path": path.to_string(), "offset": typed.offset, "limit": limit.unwrap_or(MAX_LINES)
        });
        let call = PagedCall { tool, arguments, limit, page };
        session.print_pages(&call, Printer::file_text)
    })
}

/// Runs `mere glob`.
pub(crate) fn glob(location: LocationArguments, typed: &GlobArguments) -> io::Result<ExitCode> {
    let (tool, page, limit) = ("glob", &typed.page, typed.limit);
    with_session(location, &page.session, |session| {
        let mut arguments = json!({ "pattern": typed.pattern, "limit": page_limit(limit) });
        if let Some(folder) = &typed.path {
            let path = match session.address_of(folder) {
                Ok(path) => path,
                Err(reason) => return session.refuse_path(tool, page, reason),
            };
            arguments["path"] = path.to_string().into();
        }
        let call = PagedCall { tool, arguments, limit, page };
        session.print_pages(&call, Printer::paths)
    })
}

/// Runs `mere grep`.
pub(crate) fn grep(location: LocationArguments, typed: &GrepArguments) -> io::Result<ExitCode> {
    let (tool, page, limit) = ("grep", &typed.page, typed.limit);
    with_session(location, &page.session, |session| {
        let path = match session.address_or_working_directory(typed.path.as_ref()) {
            Ok(path) => path,
            Err(reason) => return session.refuse_path(tool, page, reason),
        };
        let arguments = json!({
            "pattern": typed.pattern, "path": path.to_string(), "ignore_case": typed.ignore_case,
            "context": typed.context, "glob": typed.glob, "limit": page_limit(limit)
        });
        session.print_pages(&PagedCall { tool, arguments, limit, page }, Printer::matches)
    })
}

/// Runs `mere ls`.
pub(crate) fn list_folder(
    location: LocationArguments,
    typed: &LsArguments,
) -> io::Result<ExitCode> {
    let (tool, page) = ("dir", &typed.page);
    with_session(location, &page.session, |session| {
        let path = match session.address_or_working_directory(typed.path.as_ref()) {
            Ok(path) => path,
            Err(reason) => return session.refuse_path(tool, page, reason),
        };
        let arguments = json!({ "command": "list", "path": path.to_string() });
        let call = PagedCall { tool, arguments, limit: None, page };
        session.print_pages(&call, Printer::entries)
    })
}

/// Runs `mere tree`.
pub(crate) fn tree(location: LocationArguments, typed: &TreeArguments) -> io::Result<ExitCode> {
    let (tool, page) = ("dir", &typed.page);
    with_session(location, &page.session, |session| {
        let path = match session.address_or_working_directory(typed.path.as_ref()) {
            Ok(path) => path,
            Err(reason) => return session.refuse_path(tool, page, reason),
        };
        let arguments =
            json!({ "command": "tree", "path": path.to_string(), "depth": typed.depth });
        let call = PagedCall { tool, arguments, limit: None, page };
        session.print_pages(&call, Printer::directories)
    })
}

impl PersonSession {
    /// Refuses a path without an address, in words or as the reply that an agent would get.
    fn refuse_path(
        &self,
        tool: &'static str,
        page: &PageArguments,
        reason: NoAddress,
    ) -> io::Result<ExitCode> {
        if !page.json {
            let words = match reason {
                _ if !self.has_project() => NO_PROJECT,
                NoAddress::Outside => OUTSIDE_PROJECT,
                NoAddress::Unaddressable => UNADDRESSABLE,
            };
            return Ok(terminal::print_failure(words, terminal::INVALID));
        }
        let reply = self.call(tool, Verb::InvalidCall(CallError::Path { tool }));
        terminal::print_reply(&reply).map(|()| terminal::exit_code(reply.reply_type()))
    }

    /// Returns the address of the typed path, or that of the working directory if none was typed.
    fn address_or_working_directory(
        &self,
        typed: Option<&TypedPath>,
    ) -> Result<Address, NoAddress> {
        if let Some(typed) = typed {
            return self.address_of(typed);
        }
        let here = self.working_address();
        here.or_else(|| "ROOT_PROJECT:/".parse().ok()).ok_or(NoAddress::Outside)
    }

    /// Calls the tool page after page, up to the limit, and prints each page with `show`. With
    /// `--json` it prints one page only, whose `next` is for `--cursor`.
    fn print_pages<T: ResultPage + DeserializeOwned>(
        &self,
        call: &PagedCall<'_>,
        show: fn(&mut Printer, &T) -> String,
    ) -> io::Result<ExitCode> {
        let mut printer = self.printer(call.page.color);
        let mut arguments = call.first_arguments();
        let mut left = call.limit;
        loop {
            let reply = self.call_tool(call.tool, &arguments);
            if call.page.json || reply.reply_type() != ReplyType::Success {
                return print_unformatted(&reply, call.page);
            }
            let view = ReplyView::<T>::read(&reply)?;
            terminal::print_text(&show(&mut printer, &view.data))?;
            print_notes(&view);
            left = left.map(|left| left.saturating_sub(view.data.count()));
            let (key, value) = match view.data.next().filter(|_| left != Some(0)) {
                None => return Ok(ExitCode::SUCCESS),
                Some(NextPage::Line(line)) => ("offset", line.into()),
                Some(NextPage::Cursor(cursor)) => ("cursor", cursor.into()),
            };
            arguments.insert(key.to_owned(), value);
            if let Some(left) = left {
                arguments.insert("limit".to_owned(), page_limit(Some(left)).into());
            }
        }
    }
}

impl PagedCall<'_> {
    /// Returns the arguments for the first page.
    fn first_arguments(&self) -> Map<String, Value> {
        let mut arguments = self.arguments.as_object().cloned().unwrap_or_default();
        if let Some(cursor) = &self.page.cursor {
            arguments.insert("cursor".to_owned(), cursor.as_str().into());
        }
        arguments
    }
}

/// Prints a reply as JSON if that was asked for, and as a refusal otherwise.
fn print_unformatted(reply: &Cleared, page: &PageArguments) -> io::Result<ExitCode> {
    let code = terminal::exit_code(reply.reply_type());
    if page.json {
        return terminal::print_reply(reply).map(|()| code);
    }
    terminal::print_refusal(reply).map(|()| code)
}

/// Prints what a page does not show: that it is empty, or that secrets are masked.
fn print_notes<T: ResultPage>(view: &ReplyView<T>) {
    if view.data.is_empty_text() {
        terminal::print_note(&view.message);
    }
    if let Some(count) = view.data.masked() {
        terminal::print_note(&format!("secrets are masked: {count}; see `mere allow`"));
    }
}

fn page_limit(limit: Option<u64>) -> u64 {
    limit.map_or(MAX_PAGE, |limit| limit.clamp(1, MAX_PAGE))
}
