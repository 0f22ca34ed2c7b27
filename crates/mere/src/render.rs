//! The only file that writes to the terminal.

use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::process::ExitCode;

use mere_core::gate::{Cleared, ClearedMessage};
use mere_core::reply::{ReplyType, codes, reword_for_person};

/// The longest answer that is read.
const MAX_ANSWER_BYTES: u64 = 64;
/// The longest line that is read.
const MAX_LINE_BYTES: u64 = 1024;

/// Prints a line on standard output.
pub(crate) fn print_line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

/// Prints a reply on standard output, indented for reading.
pub(crate) fn print_reply(reply: &Cleared) -> io::Result<()> {
    print_line(&format!("{:#}", reply.to_value()))
}

/// Prints a cleared message on standard output, indented for reading.
pub(crate) fn print_message(message: &ClearedMessage) -> io::Result<()> {
    print_line(&format!("{:#}", message.value()))
}

/// Prints text as it is on standard output.
pub(crate) fn print_text(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// What an agent is told of a path that leads nowhere, in a person's words.
const NOT_VISIBLE: &str = "mere: there is no such file or folder that agents may see
      Paths are read from where you are; `mere where PATH` says where one lies. Sensitive files
      such as .env are hidden: `mere allow PATH` shows one. Links that lead out are not followed.";

/// Tells the person why there is no answer.
pub(crate) fn print_refusal(reply: &Cleared) {
    if reply.code() == codes::PATH_NOT_VISIBLE.id() {
        let _ = writeln!(io::stderr(), "{NOT_VISIBLE}");
        return;
    }
    let reply = reply.to_value();
    let _ = writeln!(io::stderr(), "mere: {}", reply["message"].as_str().unwrap_or_default());
    if let Some(hint) = reply["hint"].as_str() {
        let _ = writeln!(io::stderr(), "      {}", reword_for_person(hint));
    }
}

/// Prints text as it is on standard error.
pub(crate) fn print_error_text(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Tells one more thing about a refusal.
pub(crate) fn print_detail(words: &str) {
    let _ = writeln!(io::stderr(), "      - {words}");
}

/// Tells the person something beside the answer.
pub(crate) fn print_note(words: &str) {
    let _ = writeln!(io::stderr(), "mere: {words}");
}

/// The width of a progress bar.
const BAR: u64 = 30;

/// Tells the person at the terminal how far a command is.
pub(crate) fn show_progress(done: u64, total: Option<u64>, what: &str) {
    let mut out = io::stderr();
    if !out.is_terminal() {
        return;
    }
    let Some(total) = total.filter(|total| *total > 0) else {
        let room = width().unwrap_or(80).saturating_sub(1);
        let what = what.chars().filter(|c| !c.is_control()).take(room).collect::<String>();
        let _ = write!(out, "\r{what}\u{1b}[K");
        let _ = out.flush();
        return;
    };
    let full = usize::try_from(done * BAR / total).unwrap_or_default();
    let bar = "#".repeat(full) + &"·".repeat(usize::try_from(BAR).unwrap_or_default() - full);
    let _ = write!(out, "\r{bar} {done} of {total} {what}\u{1b}[K");
    let _ = out.flush();
}

/// Takes the progress bar away.
pub(crate) fn clear_progress() {
    let mut out = io::stderr();
    if out.is_terminal() {
        let _ = write!(out, "\r\u{1b}[K");
    }
}

/// Whether a person looks at standard output.
pub(crate) fn is_output_terminal() -> bool {
    io::stdout().is_terminal()
}

/// How many letters a line of the terminal holds, where a person looks at one.
pub(crate) fn width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map(|(width, _)| usize::from(width.0))
}

/// Whether standard output takes colours, and the person wants them.
pub(crate) fn supports_colours() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Says what went wrong to the person at the terminal, and how the process ends.
pub(crate) fn print_failure(what: &str, code: u8) -> ExitCode {
    let _ = writeln!(io::stderr(), "mere: {what}");
    ExitCode::from(code)
}

/// Asks a yes-or-no question. No answer is no.
pub(crate) fn ask_yes_or_no(question: &str) -> io::Result<bool> {
    let mut out = io::stderr();
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut answer = Vec::new();
    io::stdin().lock().take(MAX_ANSWER_BYTES).read_until(b'\n', &mut answer)?;
    if !io::stdin().is_terminal() {
        writeln!(out)?;
    }
    Ok(matches!(answer.trim_ascii().to_ascii_lowercase().as_slice(), b"y" | b"yes"))
}

/// Asks for one of some letters, again until one is given; nothing more to read is the last of them.
pub(crate) fn ask_choice(question: &str, letters: &[char]) -> io::Result<char> {
    let last = letters.last().copied().unwrap_or_default();
    loop {
        let mut out = io::stderr();
        write!(out, "{question} ")?;
        out.flush()?;
        let mut answer = Vec::new();
        let read = io::stdin().lock().take(MAX_ANSWER_BYTES).read_until(b'\n', &mut answer)?;
        if read == 0 {
            writeln!(out)?;
            return Ok(last);
        }
        let said = answer.trim_ascii().first().map(|byte| byte.to_ascii_lowercase() as char);
        if let Some(letter) = said.filter(|said| letters.contains(said)) {
            return Ok(letter);
        }
    }
}

/// Asks for a line; `None` when there is nothing more to read.
pub(crate) fn ask_line(question: &str) -> io::Result<Option<String>> {
    let mut out = io::stderr();
    write!(out, "{question} ")?;
    out.flush()?;
    let mut answer = Vec::new();
    let read = io::stdin().lock().take(MAX_LINE_BYTES).read_until(b'\n', &mut answer)?;
    if read == 0 {
        writeln!(out)?;
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(answer.trim_ascii()).into_owned()))
}

/// Whether a person types and reads what is printed, so that no program stands between.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && is_output_terminal()
}

/// Whether a person sits there.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Tells the person at the terminal that the program waits for another program; says nothing when
/// there is no person.
pub(crate) fn print_waiting(words: &str) {
    if io::stdin().is_terminal() {
        let _ = writeln!(io::stderr(), "{words}");
    }
}

/// How the process ends when its output could not be written. A reader that went away knows.
pub(crate) fn report_write_error(error: &io::Error) -> ExitCode {
    match error.kind() {
        io::ErrorKind::BrokenPipe => ExitCode::from(BROKEN),
        _ => print_failure(&format!("the output cannot be written: {error}"), BROKEN),
    }
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

/// A person said no.
pub(crate) const REFUSED: u8 = 1;
/// What was asked for is not there.
pub(crate) const INVALID: u8 = 1;
/// Wrong usage: a flag or an environment variable of the operator's.
pub(crate) const USAGE: u8 = 2;
/// Something is broken.
pub(crate) const BROKEN: u8 = 4;
/// A tool ran and failed.
pub(crate) const TOOL_FAILED: u8 = 5;
