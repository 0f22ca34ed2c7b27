//! A session with another MCP server, in a cell or on the web, and the reply about how it ended.
//!
//! What a server answers is the output of a tool: secrets that it was given are removed, and an
//! agent sees it with recognisable secrets masked. A tool that its server describes otherwise than
//! when it was signed is an error, and was not called.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use mere_core::item::{ItemRef, PinnedTool};
use mere_core::mcp::{McpOutcome, McpSession, RemoteTool};
use mere_core::network::NetworkGrants;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::Reader;
use mere_core::secrets::SecretRedactor;
use mere_core::turn::OutputStream;

use super::execution::{end_hint, end_reason, end_sentence, visible_output, visible_text};
use super::lock::Locked;
use super::progress::ProgressLines;
use super::project_fields::SavedChanges;
use super::ready::{Ready, ReadySession};
use super::receipts::PendingReceipt;
use super::request::{REFUSED_HOST_HINT, refused_hosts};
use super::{RunCall, RunError, show};
use crate::files::error::FileError;
use crate::files::view::disarmed_data;
use crate::items::load::item_name;
use mere_host::{
    CapturedOutput, FinishedRun, FinishedSession, HttpError, RefusedHost, RequestObserver, RunEnd,
    SessionEnd, SessionLimits, speak_over_http,
};

/// Takes the tools of a server, if somebody wants them.
pub(super) type ToolSink<'a> = Option<&'a RefCell<Vec<RemoteTool>>>;

/// A session that has ended.
pub(super) struct SpokenSession {
    outcome: Option<McpOutcome>,
    /// Why it did not come to an end, in one word and in a sentence.
    failure: Option<(String, String)>,
    hint: Option<&'static str>,
    duration: Duration,
    refused_hosts: Vec<RefusedHost>,
}

/// What the reply about a session needs to know besides how it ended.
pub(super) struct SessionContext<'a> {
    locked: &'a Locked,
    redactor: &'a SecretRedactor,
    max_bytes: usize,
    /// The run of the server, if it ran here.
    process: Option<(&'a FinishedRun, Option<SavedChanges<'a>>)>,
}

impl<'a> SessionContext<'a> {
    /// Describes the session with a server that ran in a cell.
    pub(super) fn of_process(
        ready: &'a Ready,
        finished: &'a FinishedRun,
        changes: Option<SavedChanges<'a>>,
    ) -> Self {
        let max_bytes = ready.server_call.as_ref().map_or(0, |call| call.max_bytes);
        let (locked, redactor) = (ready.locked(), &ready.redactor);
        Self { locked, redactor, max_bytes, process: Some((finished, changes)) }
    }

    fn of_web(ready: &'a ReadySession) -> Self {
        let max_bytes = ready.server.server_call.max_bytes;
        Self { locked: ready.locked(), redactor: &ready.redactor, max_bytes, process: None }
    }
}

impl SpokenSession {
    /// Reads how the session with a server in a cell ended.
    pub(super) fn from_process(finished: &FinishedRun, session: McpSession) -> Self {
        let outcome = session.into_outcome().filter(|_| finished.end == RunEnd::SessionOver);
        let failure = match finished.end {
            RunEnd::SessionOver => None,
            // A server that ends by itself before it has answered has failed, whatever its status.
            RunEnd::Exit(_) => {
                let reason = "the server ended before it had answered";
                Some(("exit".to_owned(), reason.to_owned()))
            }
            RunEnd::SessionFault(fault) => Some(("protocol".to_owned(), fault.to_string())),
            end => {
                let why = format!("it {}", end_sentence(end).trim_end_matches('.'));
                Some((end_word(end), why))
            }
        };
        let hint = match finished.end {
            RunEnd::Exit(_) => Some("See `stderr` for what it printed."),
            end => end_hint(end),
        };
        let refused_hosts = finished.refused_hosts.clone();
        Self { outcome, failure, hint, duration: finished.duration, refused_hosts }
    }

    /// Reads how the session with a server on the web ended.
    fn from_web(finished: FinishedSession, session: McpSession) -> Self {
        let is_over = finished.end == SessionEnd::Over;
        let outcome = session.into_outcome().filter(|_| is_over);
        let (hint, mut refused) = (web_hint(&finished.end), Vec::new());
        let failure = web_failure(&finished.end).map(|(word, why)| (word.to_owned(), why));
        if let SessionEnd::Denied(host) = finished.end {
            refused.push(host);
        }
        Self { outcome, failure, hint, duration: finished.duration, refused_hosts: refused }
    }

    /// Refuses a session in which the server described the tool otherwise than it is pinned.
    pub(super) fn check_pins(&self, locked: &Locked) -> Result<(), RunError> {
        let Some(McpOutcome::Changed(changed)) = &self.outcome else { return Ok(()) };
        let chain = locked.linked().chain();
        let server = chain.server_index().and_then(|index| chain.pins().nth(index));
        let tool = chain.leaf().pin.reference();
        let server = server.map_or_else(|| tool.clone(), PinnedTool::reference);
        let (tool, server, changed) = (Box::new(tool), Box::new(server), changed.clone());
        Err(RunError::RemoteToolChanged { tool, server, changed })
    }

    /// Answers what came of the session.
    pub(super) fn reply(
        self,
        call: &RunCall<'_>,
        context: &SessionContext<'_>,
        (receipt, sink): (&mut PendingReceipt<'_>, ToolSink<'_>),
    ) -> Draft {
        let text = match &self.outcome {
            Some(McpOutcome::Tools(tools)) => list_text(tools),
            Some(McpOutcome::Answer(answer)) => answer.text.clone(),
            Some(McpOutcome::Changed(_)) | None => String::new(),
        };
        let text = context.redactor.redact_text(&text);
        receipt.note_answer(text.as_bytes());
        let body = visible_text(&call.items, text.as_bytes(), context.max_bytes);
        let stderr = context.process.as_ref().map(|(finished, _)| &finished.stderr);
        let is_cut = text.len() > context.max_bytes || stderr.is_some_and(|one| one.truncated);
        if call.items.reader == Reader::Person && sink.is_none() {
            let shown = Prose::words("").content(body.clone()).and("\n");
            (call.stream_tool_output)(OutputStream::Output, &shown);
        }
        let hint = match (self.refused_hosts.is_empty(), is_cut, self.failure.is_some()) {
            (false, ..) => Some(REFUSED_HOST_HINT),
            (_, _, true) => self.hint,
            (_, true, _) => Some("Its manifest can allow a longer body with `config.max_bytes`."),
            _ if self.is_success() => None,
            _ => Some("See `body` for what the server answered."),
        };
        let data = self.fields(call, context, body).with("truncated", is_cut);
        let data = data.with("receipt", Data::Words(receipt.id().to_string().into()));
        let message = self.message(context);
        if let (Some(McpOutcome::Tools(tools)), Some(sink)) = (self.outcome, sink) {
            *sink.borrow_mut() = tools;
        }
        let draft = Draft::success(codes::RUN_TOOL, message).data(data);
        hint.into_iter().fold(draft, Draft::hint)
    }

    /// Returns whether the server did what was wanted of it.
    fn is_success(&self) -> bool {
        match &self.outcome {
            Some(McpOutcome::Tools(_)) => true,
            Some(McpOutcome::Answer(answer)) => !answer.is_error,
            Some(McpOutcome::Changed(_)) | None => false,
        }
    }

    fn fields(&self, call: &RunCall<'_>, context: &SessionContext<'_>, body: Content) -> Fields {
        let nothing = CapturedOutput::default();
        let process = context.process.as_ref();
        let stderr = process.map_or(&nothing, |(finished, _)| &finished.stderr);
        let ended = self.failure.as_ref().map(|(word, _)| Data::Words(word.clone().into()));
        let millis = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX);
        let repositories = process.and_then(|(finished, _)| disarmed_data(&finished.repositories));
        let data = Fields::default()
            .with("success", self.is_success())
            .with("body", body)
            .with("stderr", visible_output(&call.items, stderr))
            .with("status", Data::Null)
            .with_some("ended", ended)
            .with("duration_ms", millis)
            .with("chain", show::link_list(context.locked.linked().listed()))
            .with_some("lockfile", context.locked.lockfile().cloned())
            .with_some("repositories", repositories)
            .with_some("refused_hosts", refused_hosts(&self.refused_hosts, context.redactor));
        match process.and_then(|(_, changes)| changes.as_ref()) {
            Some(changes) => changes.add_to(data),
            None => data,
        }
    }

    fn message(&self, context: &SessionContext<'_>) -> Prose {
        let message = Prose::words("The tool `");
        let message = match context.locked.linked().leaf() {
            Some(leaf) => message.name(item_name(&leaf.place)),
            None => message,
        };
        match &self.failure {
            Some((_, why)) => message.and(format!("` ran and failed: {why}.")),
            None if self.is_success() => message.and("` ran."),
            None => message.and("` ran and failed: the server answered with an error."),
        }
    }
}

/// Returns a word for what ended a run.
fn end_word(end: RunEnd) -> String {
    match end_reason(end) {
        Some(Data::Words(word)) => word.into_owned(),
        _ => "exit".to_owned(),
    }
}

fn web_failure(end: &SessionEnd) -> Option<(&'static str, String)> {
    Some(match end {
        SessionEnd::Over => return None,
        SessionEnd::Failed(HttpError::Timeout) => ("timeout", HttpError::Timeout.to_string()),
        SessionEnd::Failed(error) => ("unreachable", error.to_string()),
        SessionEnd::Status(status) => {
            ("status", format!("the server answered with status {status}"))
        }
        SessionEnd::Fault(fault) => ("protocol", fault.to_string()),
        SessionEnd::Denied(refused) => ("refused host", refused.denial.to_string()),
        SessionEnd::Cancelled => ("cancelled", "it was ended".to_owned()),
    })
}

fn web_hint(end: &SessionEnd) -> Option<&'static str> {
    match end {
        SessionEnd::Failed(HttpError::Timeout) => {
            Some("Its manifest can allow more time with `config.timeout_s`.")
        }
        SessionEnd::Status(401 | 403) => Some(
            "The server wants to know who asks: `config.headers` of its manifest can give it a secret.",
        ),
        SessionEnd::Status(301..=308) => {
            Some("Redirects are not followed: `config.url` has to be the URL of the server itself.")
        }
        _ => None,
    }
}

/// Lists tools in words: each name, and the beginning of its description.
fn list_text(tools: &[RemoteTool]) -> String {
    let line = |tool: &RemoteTool| {
        let words = tool.words().lines().next().unwrap_or_default().to_owned();
        format!("{}: {words}\n", tool.name())
    };
    tools.iter().map(line).collect()
}

/// Takes the last note of a session, as one line without the secrets that the server was given.
pub(super) fn session_note(
    session: &RefCell<McpSession>,
    redactor: &SecretRedactor,
) -> Option<Vec<u8>> {
    let note = session.borrow_mut().take_note()?;
    let line = note.replace(['\n', '\r'], " ");
    Some((redactor.redact_text(&line) + "\n").into_bytes())
}

/// Does everything except speaking to the server.
pub(super) fn dry_run_session(ready: &ReadySession) -> Result<Draft, RunError> {
    let endpoint = ready.server.endpoint.url.endpoint();
    let permitted = granted_hosts(ready).permit(endpoint.clone());
    permitted.map_err(|denial| {
        refused_server(ready, RefusedHost { endpoint: endpoint.clone(), denial })
    })?;
    Ok(show::dry_session_reply(ready))
}

fn granted_hosts(ready: &ReadySession) -> NetworkGrants {
    NetworkGrants::new(ready.granted().grant().hosts.clone())
}

fn refused_server(ready: &ReadySession, refused: RefusedHost) -> RunError {
    let tool: ItemRef = ready.locked().linked().chain().leaf().pin.reference();
    RunError::refused_host(tool, ready.granted().grant(), refused)
}

/// Speaks to a server on the web.
pub(super) fn run_web_session(
    call: &RunCall<'_>,
    ready: &ReadySession,
    (receipt, sink): (&mut PendingReceipt<'_>, ToolSink<'_>),
) -> Result<Draft, RunError> {
    let session = RefCell::new(McpSession::new(ready.server.server_call.request.clone()));
    let (began, lines) = (Instant::now(), ProgressLines::default());
    let on_progress = |_: usize| {
        if call.items.reader == Reader::Agent {
            let done = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            let note = session_note(&session, &ready.redactor).unwrap_or_default();
            (call.report_tool_note)(done, lines.note(&note, b""));
        }
    };
    let observer = RequestObserver { is_cancelled: call.is_cancelled, on_progress: &on_progress };
    let grants = granted_hosts(ready);
    let limits = SessionLimits { grants: &grants, timeout: ready.server.timeout };
    let finished = speak_over_http(&ready.server.endpoint, &session, limits, &observer)
        .map_err(|refused| refused_server(ready, refused))?;
    let end = web_failure(&finished.end).map_or("answered", |(word, _)| word);
    receipt.note_session(finished.duration, end);
    if finished.end == SessionEnd::Cancelled {
        return Err(FileError::Cancelled.into());
    }
    let spoken = SpokenSession::from_web(finished, session.into_inner());
    spoken.check_pins(ready.locked())?;
    Ok(spoken.reply(call, &SessionContext::of_web(ready), (receipt, sink)))
}
