//! Terminal input and output.
//!
//! Apart from the log and the MCP transport, this is the only file that writes to the standard
//! streams.

use std::error::Error;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::process::ExitCode;

use mere_core::gate::{Cleared, ClearedMessage};
use mere_core::reply::ReplyType;

use super::json_outcome;
use super::refusal_words::RefusalWords;
use super::reply::UnreadableReply;

/// The longest answer that is read, in bytes.
const MAX_ANSWER_BYTES: u64 = 64;
/// The longest line that is read, in bytes.
const MAX_LINE_BYTES: u64 = 1024;

/// Prints a line on standard output.
pub(crate) fn print_line(text: &str) -> io::Result<()> {
    json_outcome::note_output();
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

/// Prints text on standard output as it is.
pub(crate) fn print_text(text: &str) -> io::Result<()> {
    if !text.is_empty() {
        json_outcome::note_output();
    }
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints why there is no answer.
pub(crate) fn print_refusal(reply: &Cleared) -> io::Result<()> {
    let words = RefusalWords::of(reply)?;
    let _ = writeln!(io::stderr(), "mere: {}", words.message);
    for line in words.hint.iter().flat_map(|hint| hint.lines()) {
        let _ = writeln!(io::stderr(), "      {line}");
    }
    Ok(())
}

/// Prints text on standard error as it is.
pub(crate) fn print_error_text(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Prints one more detail of a refusal.
pub(crate) fn print_detail(words: &str) {
    let _ = writeln!(io::stderr(), "      - {words}");
}

/// Prints a note on standard error, beside the answer.
pub(crate) fn print_note(words: &str) {
    json_outcome::note_sentence(words);
    let _ = writeln!(io::stderr(), "mere: {words}");
}

/// The width of the progress bar, in characters.
const BAR: u64 = 30;

/// Shows the person at the terminal how far a command has come.
pub(crate) fn show_progress(done: u64, total: Option<u64>, what: &str) {
    let mut out = io::stderr();
    if !out.is_terminal() {
        return;
    }
    let Some(total) = total.filter(|total| *total > 0) else {
        let columns = width().unwrap_or(80).saturating_sub(1);
        let what = what.chars().filter(|c| !c.is_control()).take(columns).collect::<String>();
        let _ = write!(out, "\r{what}\u{1b}[K");
        let _ = out.flush();
        return;
    };
    let full = usize::try_from(done * BAR / total).unwrap_or_default();
    let bar = "#".repeat(full) + &"·".repeat(usize::try_from(BAR).unwrap_or_default() - full);
    let _ = write!(out, "\r{bar} {done} of {total} {what}\u{1b}[K");
    let _ = out.flush();
}

/// Clears the progress bar.
pub(crate) fn clear_progress() {
    let mut out = io::stderr();
    if out.is_terminal() {
        let _ = write!(out, "\r\u{1b}[K");
    }
}

/// Returns what a person types to start this program: its name if that finds it, or else its path.
pub(crate) fn own_command() -> String {
    quote_for_shell(&mere_engine::own_command().unwrap_or_else(|_| "mere".to_owned()))
}

/// Quotes a word as every shell understands it, if it needs quotes.
pub(crate) fn quote_for_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@:=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Checks whether standard error is a terminal.
pub(super) fn is_error_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Checks whether standard output is a terminal.
pub(crate) fn is_output_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns how many characters fit on a line of the terminal, if standard output is one.
pub(crate) fn width() -> Option<usize> {
    let size = terminal_size::terminal_size_of(io::stdout());
    size.map(|(width, _)| usize::from(width.0))
}

/// Checks whether standard output supports colours and the person wants them.
pub(crate) fn supports_colours() -> bool {
    anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Keeps what is wrong with a command line for whoever asked for JSON; it was printed already.
pub(crate) fn note_usage_error(text: &str) {
    let first = text.split("\n\n").next().unwrap_or_default();
    json_outcome::note_sentence(first.trim_start_matches("error: ").trim_end());
}

/// Prints what went wrong and returns the exit code of the process.
pub(crate) fn print_failure(what: &str, code: u8) -> ExitCode {
    json_outcome::note_sentence(what);
    let _ = writeln!(io::stderr(), "mere: {what}");
    ExitCode::from(code)
}

/// Asks a yes-or-no question. Anything but a yes means no, and so does the end of input. Whatever is
/// piped in comes from the caller and not from a person, so it is not read.
pub(crate) fn ask_yes_or_no(question: &str) -> io::Result<bool> {
    if !can_ask() {
        return Ok(false);
    }
    let mut out = io::stderr();
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut answer = Vec::new();
    io::stdin().lock().take(MAX_ANSWER_BYTES).read_until(b'\n', &mut answer)?;
    Ok(matches!(answer.trim_ascii().to_ascii_lowercase().as_slice(), b"y" | b"yes"))
}

/// Asks for one of the given letters until one is typed. The end of input counts as the last
/// letter, and so does a pipe.
pub(crate) fn ask_choice(question: &str, letters: &[char]) -> io::Result<char> {
    let last = letters.last().copied().unwrap_or_default();
    if !can_ask() {
        return Ok(last);
    }
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
        let first_letter =
            answer.trim_ascii().first().map(|byte| byte.to_ascii_lowercase() as char);
        if let Some(letter) = first_letter.filter(|first_letter| letters.contains(first_letter)) {
            return Ok(letter);
        }
        let letters = letters.iter().map(char::to_string).collect::<Vec<_>>().join(", ");
        writeln!(out, "Type one of {letters}.")?;
    }
}

/// Asks for a line. Returns `None` at the end of input.
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

/// Checks whether both standard input and standard output are a terminal, so that no program stands
/// between the command and the person.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && is_output_terminal()
}

/// Checks whether a person can be asked: standard input and standard error are a terminal.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Tells the person at the terminal that the program waits for another program. Prints nothing if
/// there is no terminal.
pub(crate) fn print_waiting(words: &str) {
    if io::stdin().is_terminal() {
        let _ = writeln!(io::stderr(), "{words}");
    }
}

/// Returns the exit code for an answer that could not be printed. A closed pipe is not reported,
/// because its reader knows.
pub(crate) fn report_print_error(error: &io::Error) -> ExitCode {
    match error.kind() {
        io::ErrorKind::BrokenPipe => ExitCode::from(BROKEN),
        _ if error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<UnreadableReply>) => {
            print_failure(&error.to_string(), BROKEN)
        }
        _ => print_failure(&format!("the output cannot be written: {error}"), BROKEN),
    }
}

/// Returns the exit status of a reply.
pub(crate) fn exit_code(reply: ReplyType) -> ExitCode {
    ExitCode::from(match reply {
        ReplyType::Success => 0,
        ReplyType::Invalid => 1,
        ReplyType::Denied => 3,
        ReplyType::Error => 4,
    })
}

/// Returns the exit status where an address cannot be listened on: it is malformed, or taken.
pub(crate) fn listen_status(error: &io::Error) -> u8 {
    if error.kind() == io::ErrorKind::InvalidInput { USAGE } else { BROKEN }
}

/// A person said no.
pub(crate) const REFUSED: u8 = 1;
/// What is said where `--force` cannot be meant by a person.
pub(crate) const FORCE_NEEDS_TERMINAL: &str =
    "`--force` works only at a terminal: standard input and standard output must both be one";
/// The request was invalid, for example because something was not found.
pub(crate) const INVALID: u8 = 1;
/// Wrong usage: an invalid flag or environment variable.
pub(crate) const USAGE: u8 = 2;
/// Something is broken.
pub(crate) const BROKEN: u8 = 4;
/// A tool ran and failed.
pub(crate) const TOOL_FAILED: u8 = 5;
