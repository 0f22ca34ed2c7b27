//! Every sentence that says something went wrong, with its code and what to do about it.
//!
//! This is the one place that turns errors into replies. Sentences carry addresses, never paths,
//! and never repeat what a caller said; causes with host paths go to the log.

mod directive_run;
mod file_change;
pub(crate) mod grants;
mod item;
mod item_change;
mod keys;
mod lockfile;
mod model;
mod offer;
mod project;
mod publish;
mod receipts;
mod registry;
mod remote_tool;
mod run;
mod secrets;
mod signers;
mod store;
mod team;
pub(crate) mod tool_error;
mod trust;

use std::fmt::Display;

use mere_core::address::Address;
use mere_core::reply::{CodeId, Draft, Prose, codes};
use mere_core::request::{ArgumentError, CallError, ParameterKind, TOOLS};
use mere_core::text::pattern::PatternError;

pub(crate) use item::item_error_reply;
pub(crate) use keys::key_error_reply;
pub(crate) use model::model_error_reply;
pub(crate) use receipts::{receipt_error_reply, unknown_receipt_reply};
pub(crate) use registry::registry_error_reply;
pub(crate) use secrets::secret_error_reply;
pub(crate) use signers::signer_error_reply;

use crate::config::ConfigError;
use crate::error::tool_error::ToolError;
use crate::files::error::FileError;
use crate::run::RunError;
use crate::search::SearchError;
use crate::trust::approvals::rule_floor::FloorError;
use crate::world::{NoProject, ResolveError, WorldError};
use mere_host::{LOCK_SECONDS, LockHeld};
pub(crate) use trust::{describe_failure, describe_roster_trouble, failure_hint, trust_fields};

/// The forms a path may take: the hint for every path that cannot be resolved.
const PATH_FORMS: &str = "Give a path from the home root such as `src/a.rs`, or an address: \
    `ROOT_PROJECT:/…`, `ROOT_USER:/…`, `ROOT_WORKSPACE:/…`, `ROOT_REGISTRY:/…` or \
    `mod:<name>:/…`. `dir` with `list` shows what is there. Files that are hidden from you are \
    answered in this way too.";

/// Answers for malformed, outside and missing paths alike, so they cannot be told apart.
fn not_visible_reply() -> Draft {
    Draft::invalid(codes::PATH_NOT_VISIBLE, "No such path in the visible world.").hint(PATH_FORMS)
}

/// Answers an argument that takes a root and got anything else, whatever that is.
fn not_a_root_reply(argument: &str) -> Draft {
    let message = match argument {
        "path" => "`cd` takes a root, and nothing below one.".to_owned(),
        _ => format!("`{argument}` takes a root, and nothing below one."),
    };
    Draft::invalid(codes::PATH_NOT_VISIBLE, Prose::words(message)).hint(
        "Roots are `ROOT_PROJECT`, `ROOT_USER`, `ROOT_WORKSPACE`, `ROOT_REGISTRY` and `mod:<name>`; \
         `dir` with `pwd` shows those that are there. Other calls take a `path` below a root.",
    )
}

/// Answers a call that needs a project where there is none. In such a session it is also the answer
/// for every path that is not visible, because a project is what is missing.
pub(crate) fn no_project_reply() -> Draft {
    Draft::invalid(codes::NO_PROJECT, "There is no project here.").hint(
        "Ask a person to start it in a project or pass `--project`. What you can read here: \
         `ROOT_USER:/…` and `mod:<name>:/…`, and the items of the user's space.",
    )
}

/// Answers every call once the folder of the project is deleted.
fn project_deleted_reply() -> Draft {
    tracing::error!("the folder of the project was deleted");
    Draft::fault(codes::PROJECT_DELETED, "The folder of the project was deleted.")
        .hint("Ask a person to restore it and start the server again.")
}

/// Answers a change that another process kept from being made.
pub(crate) fn lock_held_reply(what: Prose) -> Draft {
    let words = format!(": another process has held its lock for {LOCK_SECONDS} seconds.");
    tracing::error!("a lock was held for too long");
    Draft::fault(codes::CALL_LOCKED, what.and(words)).hint(
        "Nothing was changed. Try again; if it stays so, ask a person to find that process with \
         `lslocks` or `fuser`, and to end it.",
    )
}

/// Answers a call that could not be understood.
pub(crate) fn call_error_reply(error: &CallError) -> Draft {
    match error {
        CallError::Path { .. } => not_visible_reply(),
        CallError::Root { argument } => not_a_root_reply(argument),
        CallError::Cursor { .. } => wrong_cursor_reply(),
        CallError::Tool => Draft::invalid(codes::ARGUMENT_TOOL, "There is no tool with that name.")
            .hint(Prose::words(format!(
                "The tools are {}.",
                quote_names(TOOLS.iter().map(|tool| tool.name))
            ))),
        CallError::Json { .. } => Draft::invalid(
            codes::ARGUMENT_JSON,
            "The arguments are not a single JSON object with unique keys.",
        )
        .hint("Pass an object such as {\"command\":\"list\"}."),
        CallError::Argument { tool, error } => argument_error_reply(tool, error),
    }
}

fn argument_error_reply(tool: &str, error: &ArgumentError) -> Draft {
    match error {
        ArgumentError::Unknown { known } => {
            let known = quote_names(known);
            let message = format!("`{tool}` does not accept one of the given arguments.");
            Draft::invalid(codes::ARGUMENT_WRONG, Prose::words(message))
                .hint(Prose::words(format!("It accepts {known}.")))
        }
        ArgumentError::Missing { name, takes } => {
            let message = format!("The argument `{name}` of `{tool}` is missing.");
            Draft::invalid(codes::ARGUMENT_WRONG, Prose::words(message))
                .hint(Prose::words(format!("`{name}` accepts {takes}.")))
        }
        ArgumentError::Malformed { name, takes } => {
            let message = format!("The value of `{name}` is not valid for `{tool}`.");
            Draft::invalid(codes::ARGUMENT_WRONG, Prose::words(message))
                .hint(Prose::words(format!("`{name}` accepts {takes}.")))
        }
        ArgumentError::ExactlyOneOf { names } => {
            let names = quote_names(*names);
            let message = format!("`{tool}` needs exactly one of {names}.");
            Draft::invalid(codes::ARGUMENT_WRONG, Prose::words(message))
        }
        ArgumentError::AtLeastOneOf { names } => {
            let names = quote_names(*names);
            let message = format!("`{tool}` needs at least one of {names}.");
            Draft::invalid(codes::ARGUMENT_WRONG, Prose::words(message))
        }
        ArgumentError::Pattern { name, error } => {
            let message = format!("The argument `{name}` of `{tool}` is not a glob pattern.");
            Draft::invalid(codes::GLOB_PATTERN, Prose::words(message)).hint(match error {
                PatternError::Path => {
                    "A pattern is relative, such as `*.rs` or `src/**/*.rs`; it must not contain `..`; pass the directory to search as `path`."
                }
                PatternError::Glob => {
                    "Close every bracket and brace, and keep the pattern under 1 KiB."
                }
                PatternError::Negated => {
                    "No pattern excludes: search a directory with `path`, or list what to exclude in `.aiignore`. To find a name that begins with `!`, put a backslash before it."
                }
                PatternError::Unknown => {
                    "`{1..3}` and `[[:alpha:]]` are not understood: write `{1,2,3}` and `[A-Za-z]`."
                }
                PatternError::Escape => {
                    "A backslash takes the meaning from one of `*?[]{}!,` and stands outside of brackets; directories are separated by slashes."
                }
            })
        }
        ArgumentError::Wrong { name, kind } => {
            let message = format!("The value of `{name}` is not valid for `{tool}`.");
            Draft::invalid(codes::ARGUMENT_WRONG, Prose::words(message))
                .hint(Prose::words(format!("`{name}` accepts {}.", describe_accepted(*kind))))
        }
    }
}

/// Lists names, each between backticks.
fn quote_names<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let names = names.into_iter().map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

fn describe_accepted(kind: ParameterKind) -> String {
    match kind {
        ParameterKind::Text => "a string".to_owned(),
        ParameterKind::Integer { minimum, maximum, .. } => {
            format!("a whole number from {minimum} to {maximum}")
        }
        ParameterKind::Choice(words) | ParameterKind::ChoiceWithDefault(words) => {
            format!("one of {}", quote_names(words))
        }
        ParameterKind::Object => "a JSON object".to_owned(),
        ParameterKind::Files => {
            "a list of files, each with `path` (relative, no `..`) and `content`".to_owned()
        }
        ParameterKind::Flag => "true or false".to_owned(),
        ParameterKind::Texts => "a list of strings".to_owned(),
        ParameterKind::Choices(words) => format!("a list of some of {}", quote_names(words)),
        ParameterKind::Time => "a time with its zone, such as `2026-01-24T09:30:00Z`".to_owned(),
        ParameterKind::TimeOrNull => {
            "a time with its zone, such as `2026-01-24T09:30:00Z`, or null".to_owned()
        }
        ParameterKind::Digest => {
            "a `sha256` as it was shown: 64 hexadecimal digits, or `keyed:` and 64 more".to_owned()
        }
    }
}

/// Answers a search that failed.
fn search_error_reply(error: &SearchError) -> Draft {
    match error {
        SearchError::Cancelled => file_error_reply(&FileError::Cancelled),
        SearchError::WrongCursor => wrong_cursor_reply(),
        SearchError::Database(_) | SearchError::Io(_) => {
            tracing::error!(%error, "the search index cannot be used");
            Draft::fault(codes::SEARCH_BROKEN, "The search index cannot be read or built.")
                .hint("Try again; `mere index` rebuilds it. The log says what failed.")
        }
    }
}

/// Answers a call that failed.
pub(crate) fn tool_error_reply(error: &ToolError) -> Draft {
    match error {
        ToolError::File(error) => file_error_reply(error),
        ToolError::Item(error) => item::item_error_reply(error),
        ToolError::Store(error) => store::store_error_reply(error),
        ToolError::Search(error) => search_error_reply(error),
        ToolError::Run(error) => run::run_error_reply(error),
        ToolError::Offer(error) => offer::offer_error_reply(error),
        ToolError::Registry(error) => registry::registry_error_reply(error),
        ToolError::NotARoot => not_a_root_reply("path"),
        ToolError::UnknownRun => directive_run::unknown_run_reply(),
    }
}

/// Returns the code of the reply to a run that did not take place.
pub(crate) fn run_error_code(error: &RunError) -> CodeId {
    run::run_error_reply(error).code()
}

/// Answers a call about files that failed.
pub(crate) fn file_error_reply(error: &FileError) -> Draft {
    match error {
        FileError::World(WorldError::Config(error)) => config_error_reply(error),
        FileError::World(WorldError::Io(cause)) => io_error_reply(cause),
        FileError::World(WorldError::RuleFloor(error)) => rule_floor_reply(error),
        FileError::Path(ResolveError::NotVisible) => not_visible_reply(),
        FileError::NoProject(_) => no_project_reply(),
        FileError::ProjectDeleted => project_deleted_reply(),
        FileError::Path(ResolveError::Io(cause)) => io_error_reply(cause),
        FileError::NotADirectory(address) => {
            let message = Prose::words("").address(address.clone()).and(" is a file.");
            Draft::invalid(codes::DIR_NOT_A_DIRECTORY, message)
                .hint("A directory is needed here; `read` and `grep` take a file.")
        }
        FileError::NotAFile(address) => {
            let message = Prose::words("").address(address.clone()).and(" is a directory.");
            Draft::invalid(codes::READ_NOT_A_FILE, message)
                .hint("`dir` with `list` shows what is in it.")
        }
        FileError::WrongCursor => wrong_cursor_reply(),
        FileError::InvalidExpression => Draft::invalid(
            codes::GREP_PATTERN,
            "The argument `pattern` of `grep` is not a valid regular expression.",
        )
        .hint(
            "The syntax is Rust's: no look-around, no backreferences, and no line break in the pattern. Escape \
             a literal ( [ { . * + ? with a backslash.",
        ),
        FileError::Unreadable { address, cause } => unreadable_reply(address, cause),
        FileError::Change(error) => file_change::change_error_reply(error),
        FileError::Cancelled => Draft::fault(codes::CALL_CANCELLED, "The call was cancelled.")
            .hint("Nothing was changed. Call again if you still want it."),
        FileError::TimedOut(address) => {
            let message =
                Prose::words("Reading ").address(address.clone()).and(" took too long.");
            Draft::fault(codes::CALL_TIMED_OUT, message)
                .hint("Try a smaller directory; the log shows what is slow.")
        }
    }
}

fn unreadable_reply(address: &Address, cause: &std::io::Error) -> Draft {
    tracing::error!(%cause, %address, "something could not be read");
    let code = if address.is_directory() { codes::DIR_UNREADABLE } else { codes::READ_UNREADABLE };
    let message = Prose::words("").address(address.clone()).and(" cannot be read.");
    Draft::fault(code, message).hint("Ask a person to check its permissions; the log says why.")
}

fn io_error_reply(cause: &std::io::Error) -> Draft {
    if LockHeld::is_cause_of(cause) {
        return lock_held_reply(Prose::words("Nothing was written"));
    }
    if NoProject::is_cause_of(cause) {
        return no_project_reply();
    }
    tracing::error!(%cause, "the machine failed while a path was resolved");
    Draft::fault(codes::PATH_BROKEN, "The system failed while the path was being resolved.")
        .hint("Report the trace id: the log says why.")
}

fn wrong_cursor_reply() -> Draft {
    Draft::invalid(codes::PAGE_CURSOR, "The cursor was not issued by this call.")
        .hint("Pass `next` from the previous page with otherwise unchanged arguments, or leave the cursor out.")
}

/// Answers a call while a config file cannot be used.
fn config_error_reply(error: &ConfigError) -> Draft {
    tracing::error!(%error, "the configuration cannot be used");
    match error {
        ConfigError::Invalid { address, fault } => {
            let place = format!(" is not valid at line {}, column {}.", fault.line, fault.column);
            let message = Prose::words("").address(address.clone()).and(place);
            Draft::fault(codes::CONFIG_INVALID, message).hint(
                "Ask a person to correct the file; `mere config check` says what is wrong with it.",
            )
        }
        ConfigError::Clash { address, name } => {
            let message = Prose::words("").address(address.clone()).and(format!(
                " uses `{name}`, which is already the name or id of another extra folder."
            ));
            Draft::fault(codes::CONFIG_INVALID, message)
                .hint("Ask a person to rename one of them: names and ids share one namespace.")
        }
        ConfigError::Unreadable { address, .. } => {
            let message = Prose::words("").address(address.clone()).and(" cannot be read.");
            Draft::fault(codes::CONFIG_UNREADABLE, message)
                .hint("It must be a regular file, not a link, with at most 1 MiB of UTF-8 text.")
        }
    }
}

/// Answers a call while nobody knows which rules of the project must hold.
fn rule_floor_reply(error: &FloorError) -> Draft {
    tracing::error!(%error, "the rules that the project had cannot be read");
    let message = "What this machine recorded about the rules of the project cannot be read.";
    Draft::fault(codes::CONFIG_FLOOR, message)
        .hint("Ask a person to run `mere config check`, which names the file.")
}

/// Answers when a question could not be asked, which counts as a no.
pub(crate) fn unasked_reply() -> Draft {
    not_visible_reply()
}

/// Answers a call that panicked.
pub(crate) fn panic_reply() -> Draft {
    Draft::fault(codes::CALL_PANIC, "The call failed because of an internal error.")
        .hint("This is a bug in the server. Report the trace id to a person.")
}
