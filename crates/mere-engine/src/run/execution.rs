//! Running a tool in its sandbox cell, and the reply about how it ended.
//!
//! The cell itself is built in mere-host. An agent sees the output only with recognisable secrets
//! masked.

use std::cell::RefCell;
use std::time::Instant;

use mere_core::item::ItemRef;
use mere_core::mcp::{McpSession, RemoteTool};
use mere_core::network::NetworkGrants;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{LockfilePolicy, Reader, UnsignedPolicy};
use mere_core::trust::{Receipt, ReceiptId};
use mere_core::turn::OutputStream;
use serde_json::{Map, Value};

use super::links::Linked;
use super::lock::Locked;
use super::progress::ProgressLines;
use super::project_fields::{PROPOSAL_HINT, SavedChanges, save_changes};
use super::project_view::GrantedProject;
use super::ready::{Ready, ReadyTool};
use super::receipts::PendingReceipt;
use super::replay::RecordedRun;
use super::request::{REFUSED_HOST_HINT, dry_run_request, refused_hosts, run_request};
use super::server_session::{
    SessionContext, SpokenSession, dry_run_session, run_web_session, session_note,
};
use super::{RunCall, RunError, show};
use crate::files::error::FileError;
use crate::files::redaction::MaskedText;
use crate::files::view::disarmed_data;
use crate::items::ItemReader;
pub(crate) use crate::items::change::ExecutionMode;
use crate::items::load::item_name;
use mere_host::{
    self, CapturedOutput, ExceededLimit, Exit, FinishedRun, Folder, MAX_SHOWN_OUTPUT, NOT_ENFORCED,
    RunEnd, RunInput, RunLimits, RunMarker, RunObserver, RunPlan, SandboxError, Workspace,
};

const REPOSITORY_HINT: &str = "What looked like a repository in the workspace was renamed, as `repositories` says: git and \
     its like would run what it configures.";

/// A request to run a tool.
pub(crate) struct RunRequest<'a> {
    pub(crate) item: &'a ItemRef,
    /// The parameters, and those that a person typed as text.
    pub(crate) parameters: (&'a Map<String, Value>, &'a [(String, String)]),
    pub(crate) locking: LockfilePolicy,
    pub(crate) unsigned: UnsignedPolicy,
    pub(crate) mode: ExecutionMode,
    /// The run that this one repeats.
    pub(crate) replay: Option<&'a RecordedRun>,
    /// Takes the tools of a server that is run.
    pub(crate) remote_tools: Option<&'a RefCell<Vec<RemoteTool>>>,
}

/// Runs a tool. In a dry run, does everything except that.
pub(crate) fn run_tool(call: &RunCall<'_>, request: &RunRequest<'_>) -> Result<Draft, RunError> {
    match request.mode {
        ExecutionMode::Real => Ok(run_recorded(call, request)?.0),
        ExecutionMode::DryRun => {
            call.items.view.run.permit_tool(request.item).map_err(RunError::OutsideRun)?;
            let linked = Linked::follow(&call.items, request.item, request.unsigned)?;
            let locked = Locked::check(call, linked, request.locking)?;
            match Ready::assemble(call, locked, request.parameters)? {
                ReadyTool::Request(ready) => dry_run_request(&ready),
                ReadyTool::Session(ready) => dry_run_session(&ready),
                ReadyTool::Process(ready) => {
                    check_layers(call).map_err(RunError::Sandbox)?;
                    Ok(show::dry_run_reply(&ready))
                }
            }
        }
    }
}

/// Runs a tool, and returns the receipt with the reply. A refusal leaves a receipt too.
pub(super) fn run_recorded(
    call: &RunCall<'_>,
    request: &RunRequest<'_>,
) -> Result<(Draft, Receipt), RunError> {
    call.cells.prepare();
    let mut receipt = PendingReceipt::begin(call, request)?;
    let ended = run_linked(call, request, &mut receipt);
    let recorded = receipt.finish(ended);
    // Only now, because building a cell takes processor time from what a caller waits for.
    call.cells.replenish();
    recorded
}

fn run_linked(
    call: &RunCall<'_>,
    request: &RunRequest<'_>,
    receipt: &mut PendingReceipt<'_>,
) -> Result<Draft, RunError> {
    call.items.view.run.permit_tool(request.item).map_err(RunError::OutsideRun)?;
    let linked = Linked::follow(&call.items, request.item, request.unsigned)?;
    receipt.note_chain(linked.chain());
    if let Some(recorded) = request.replay {
        recorded.check_chain(linked.chain()).map_err(RunError::Replay)?;
    }
    let locked = Locked::check(call, linked, request.locking)?;
    let ready = Ready::assemble(call, locked, request.parameters)?;
    receipt.note_ready(&ready);
    let ready = match ready {
        ReadyTool::Process(ready) => ready,
        ReadyTool::Request(ready) => return run_request(call, &ready, receipt),
        ReadyTool::Session(ready) => {
            return run_web_session(call, &ready, (receipt, request.remote_tools));
        }
    };
    let project = GrantedProject::prepare(call, ready.granted())?;
    let Some(work) = open_workspace(call)? else { return Err(FileError::Cancelled.into()) };
    let session = ready.server_call.as_ref().map(|one| McpSession::new(one.request.clone()));
    let session = session.map(RefCell::new);
    let place = (&work, project.as_ref(), session.as_ref());
    let finished = run_in_cell(call, &ready, place).map_err(RunError::Sandbox)?;
    receipt.note_outcome(&finished);
    if !finished.repositories.is_clean() {
        return Err(RunError::ArmedWorkspace(finished.repositories));
    }
    if finished.end == RunEnd::Cancelled {
        return Err(FileError::Cancelled.into());
    }
    if let Some(session) = session {
        let spoken = SpokenSession::from_process(&finished, session.into_inner());
        // A server that is not what was imported proposes nothing either.
        spoken.check_pins(ready.locked())?;
        let changes = save_changes(call, &ready, &finished)?;
        let context = SessionContext::of_process(&ready, &finished, changes);
        return Ok(spoken.reply(call, &context, (receipt, request.remote_tools)));
    }
    let changes = save_changes(call, &ready, &finished)?;
    let outcome = RunOutcome { finished: &finished, changes };
    Ok(run_reply(&call.items, &ready, &outcome, receipt.id()))
}

/// Checks that this machine has a sandbox in which the tool could run.
fn check_layers(call: &RunCall<'_>) -> Result<(), SandboxError> {
    let probe = mere_host::probe_layers()?;
    let level = call.run_config.sandbox_level;
    for (layer, built) in probe.layers {
        match built {
            Err(reason) if !level.accepts_missing(layer) => {
                return Err(SandboxError::Layer(layer, reason));
            }
            _ => {}
        }
    }
    if [probe.processes_limited_by, probe.memory_limited_by].contains(&NOT_ENFORCED) {
        return Err(SandboxError::Limits("nothing limits memory and processes".to_owned()));
    }
    Ok(())
}

/// The workspace that a tool runs in, marked.
struct RunWorkspace {
    folder: Folder,
    marker: RunMarker,
}

/// Opens the agent's workspace and creates it if it is missing.
fn open_workspace(call: &RunCall<'_>) -> Result<Option<RunWorkspace>, RunError> {
    let agent = call.items.view.agent;
    let base = call.context.workspaces_base().map_err(SandboxError::Io)?;
    let made = Workspace::open(&base, agent, call.is_cancelled).map_err(SandboxError::Io)?;
    let Some(made) = made else { return Ok(None) };
    let marker = made.begin_run().map_err(SandboxError::Io)?;
    let folder = Workspace::folder_of(&base, agent).map_err(SandboxError::Io)?;
    Ok(folder.map(|folder| RunWorkspace { folder, marker }))
}

/// What a run has besides what is ready: its workspace, the project, and the session with it.
type RunSurroundings<'a> =
    (&'a RunWorkspace, Option<&'a GrantedProject<'a>>, Option<&'a RefCell<McpSession>>);

fn run_in_cell(
    call: &RunCall<'_>,
    ready: &Ready,
    (work, project, session): RunSurroundings<'_>,
) -> Result<FinishedRun, SandboxError> {
    let mut shown = Vec::new();
    if let Some(packages) = &ready.packages {
        shown.push(("/packages", packages));
    }
    let modules = ready.packages.as_ref().map(|packages| packages.subfolder("node_modules"));
    let modules = modules.transpose()?.flatten();
    shown.extend(modules.as_ref().map(|modules| ("/node_modules", modules)));
    shown.extend(ready.program.install_folder.as_ref().map(|home| ("/interpreter", home)));
    let plan = RunPlan {
        argv: ready.subprocess.argv.clone(),
        environment: ready.environment.clone(),
        input: match session {
            Some(session) => RunInput::Session(session),
            None => RunInput::Bytes(ready.input.clone()),
        },
        redactor: &ready.redactor,
        files: &ready.files,
        workspace: &work.folder,
        marker: &work.marker,
        read_only_folders: shown,
        project: project.map(GrantedProject::view),
        timeout: ready.subprocess.timeout,
        limits: RunLimits::in_workspace(&work.folder, call.items.view.workspace_limits),
        network: NetworkGrants::new(ready.granted().grant().hosts.clone()),
        level: call.run_config.sandbox_level,
    };
    let began = Instant::now();
    let lines = ProgressLines::default();
    let on_output = |output: &[u8], errors: &[u8]| match call.items.reader {
        Reader::Agent => {
            let done = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            let note = session.and_then(|one| session_note(one, &ready.redactor));
            let output = note.as_deref().unwrap_or(output);
            (call.report_tool_note)(done, lines.note(output, errors));
        }
        Reader::Person => {
            for (stream, bytes) in [(OutputStream::Output, output), (OutputStream::Error, errors)] {
                let text = String::from_utf8_lossy(bytes);
                if !text.is_empty() {
                    (call.stream_tool_output)(
                        stream,
                        &Prose::words("").content(Content::body(text)),
                    );
                }
            }
        }
    };
    mere_host::run_tool(
        call.cells,
        &plan,
        &RunObserver { is_cancelled: call.is_cancelled, on_output: &on_output },
    )
}

/// Returns the output that a reader may see. For an agent, recognisable secrets are masked. What
/// was captured beyond the limit is judged with it.
pub(super) fn visible_output(items: &ItemReader<'_>, captured: &CapturedOutput) -> Content {
    visible_text(items, &captured.bytes, MAX_SHOWN_OUTPUT)
}

/// Returns at most `most` bytes of what a tool brought back, as a reader may see them.
pub(super) fn visible_text(items: &ItemReader<'_>, bytes: &[u8], most: usize) -> Content {
    let (shown, beyond) = bytes.split_at(bytes.len().min(most));
    let mut text = String::from_utf8_lossy(shown).into_owned();
    let end = text.len();
    text.push_str(&String::from_utf8_lossy(beyond));
    let masked = match items.reader {
        Reader::Agent => MaskedText::mask_whole(text),
        Reader::Person => MaskedText::unmasked(text),
    };
    masked.into_body_until(end)
}

/// How a tool ended, and what became of its changes to the project.
struct RunOutcome<'a> {
    finished: &'a FinishedRun,
    changes: Option<SavedChanges<'a>>,
}

fn run_reply(
    items: &ItemReader<'_>,
    ready: &Ready,
    outcome: &RunOutcome<'_>,
    receipt: ReceiptId,
) -> Draft {
    let finished = outcome.finished;
    let code = match finished.end {
        RunEnd::Exit(Exit::Code(code)) => Some(i64::from(code)),
        _ => None,
    };
    let success = code == Some(0);
    let text = |captured: &CapturedOutput| visible_output(items, captured);
    let millis = u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX);
    let data = Fields::default()
        .with("success", success)
        .with("stdout", text(&finished.stdout))
        .with("stderr", text(&finished.stderr))
        .with("exit_code", code.map_or(Data::Null, |code| Data::ForeignNumber(code.into())))
        .with_some("ended", end_reason(finished.end))
        .with("duration_ms", millis)
        .with("truncated", finished.stdout.truncated || finished.stderr.truncated)
        .with("chain", show::link_list(ready.locked().linked().listed()))
        .with_some("lockfile", ready.locked().lockfile().cloned())
        .with_some("repositories", disarmed_data(&finished.repositories))
        .with_some("refused_hosts", refused_hosts(&finished.refused_hosts, &ready.redactor))
        .with("receipt", Data::Words(receipt.to_string().into()));
    let data = match &outcome.changes {
        Some(changes) => changes.add_to(data),
        None => data,
    };
    let place = ready.locked().linked().leaf().map(|leaf| item_name(&leaf.place));
    let message = Prose::words("The tool `");
    let message = match place {
        Some(place) => message.name(place),
        None => message,
    };
    let draft = Draft::success(codes::RUN_TOOL, message.and("` ").and(end_sentence(finished.end)));
    let repositories = &finished.repositories.disarmed;
    match end_hint(finished.end) {
        Some(_) if !finished.refused_hosts.is_empty() => draft.hint(REFUSED_HOST_HINT).data(data),
        Some(hint) => draft.hint(hint).data(data),
        None if outcome.changes.as_ref().is_some_and(SavedChanges::has_proposal) => {
            draft.hint(PROPOSAL_HINT).data(data)
        }
        None if !repositories.is_empty() => draft.hint(REPOSITORY_HINT).data(data),
        None if !finished.refused_hosts.is_empty() => draft.hint(REFUSED_HOST_HINT).data(data),
        None => draft.data(data),
    }
}

/// Returns what ended the tool, or `None` if it exited by itself.
pub(super) fn end_reason(ended: RunEnd) -> Option<Data> {
    let words = match ended {
        RunEnd::Exit(Exit::Code(_)) | RunEnd::SessionOver => return None,
        RunEnd::Exit(Exit::Signal(signal)) => format!("signal {signal}"),
        RunEnd::Timeout => "timeout".to_owned(),
        RunEnd::Cancelled => "cancelled".to_owned(),
        RunEnd::Exceeded(excess) => excess.name().to_owned(),
        RunEnd::SessionFault(_) => "protocol".to_owned(),
    };
    Some(Data::Words(words.into()))
}

pub(super) fn end_sentence(ended: RunEnd) -> String {
    match ended {
        RunEnd::Exit(Exit::Code(0)) | RunEnd::SessionOver => "ran.".to_owned(),
        RunEnd::Exit(Exit::Code(code)) => format!("ran and failed: it exited with status {code}."),
        RunEnd::Exit(Exit::Signal(signal)) => format!("was killed by signal {signal}."),
        RunEnd::Timeout => "exceeded its time limit and was stopped.".to_owned(),
        RunEnd::Cancelled => "was ended.".to_owned(),
        RunEnd::SessionFault(fault) => format!("ran and failed: {fault}."),
        RunEnd::Exceeded(ExceededLimit::Memory) => {
            "exceeded its memory limit and was stopped.".to_owned()
        }
        RunEnd::Exceeded(ExceededLimit::Tasks) => {
            "exceeded its limit of processes and was stopped.".to_owned()
        }
        RunEnd::Exceeded(ExceededLimit::Workspace) => {
            "was stopped: its workspace grew beyond its limit.".to_owned()
        }
        RunEnd::Exceeded(ExceededLimit::Output) => {
            "exceeded its output limit and was stopped.".to_owned()
        }
        RunEnd::Exceeded(ExceededLimit::Repositories) => {
            "was stopped: it kept making repositories in its workspace.".to_owned()
        }
    }
}

pub(super) fn end_hint(ended: RunEnd) -> Option<&'static str> {
    match ended {
        RunEnd::Exit(Exit::Code(0)) | RunEnd::Cancelled | RunEnd::SessionOver => None,
        RunEnd::Exit(_) | RunEnd::SessionFault(_) => Some("See `stderr` for what it printed."),
        RunEnd::Timeout => Some("Its manifest can allow more time with `config.timeout_s`."),
        RunEnd::Exceeded(ExceededLimit::Repositories) => Some(REPOSITORY_HINT),
        RunEnd::Exceeded(_) => Some("docs/running.md describes the limits of a run."),
    }
}
