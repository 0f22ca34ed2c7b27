//! The only file that writes to the terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use mere_core::reply::ReplyType;
use serde_json::Value;

/// Prints a line on standard output. A reader that has gone away is not an error.
pub(crate) fn line(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n"));
    let _ = out.flush();
}

/// Prints JSON on standard output, indented for reading.
pub(crate) fn json(value: &Value) {
    line(&format!("{value:#}"));
}

/// Says what went wrong to the person at the terminal, and how the process ends.
pub(crate) fn failure(what: &str, code: u8) -> ExitCode {
    let _ = writeln!(io::stderr(), "mere: {what}");
    ExitCode::from(code)
}

/// Asks a yes-or-no question; `None` when there is no terminal to ask at.
pub(crate) fn ask(question: &str) -> Option<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    let _ = write!(io::stderr(), "{question} [y/N] ");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).ok()?;
    Some(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

/// The exit status of a reply.
pub(crate) fn exit_code(reply: ReplyType) -> ExitCode {
    ExitCode::from(match reply {
        ReplyType::Success => 0,
        ReplyType::Invalid => 1,
        ReplyType::Denied => 3,
        ReplyType::Error => 4,
    })
}

/// Wrong usage: a flag or an environment variable of the operator's.
pub(crate) const USAGE: u8 = 2;
/// Something is broken.
pub(crate) const BROKEN: u8 = 4;
