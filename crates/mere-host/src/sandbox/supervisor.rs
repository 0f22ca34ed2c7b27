//! The supervisor of a cell.
//!
//! It sends the order and the tool's files, reads the output, and kills the cell when it exceeds a
//! limit or is cancelled. When a run returns, all its processes have ended.

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use super::cell_pool::CellPool;
use super::cell_process::{Cell, CellProcess};
use super::control_group::ControlGroup;
use super::network::{is_proxy_variable, proxy_environment, receive_handle, with_proxy};
use super::output_capture::OutputCapture;
use super::process_tree::can_list_children;
use super::program_session::ProgramSession;
use super::project::ProjectRun;
use super::protocol::{
    Access, BindMount, CellInput, CellNetwork, CellOrder, CellReport, Exit, ProcessLimits, send,
};
use super::run_plan::{
    ExceededLimit, FinishedRun, RunEnd, RunInput, RunLimits, RunObserver, RunPlan, SandboxError,
    SandboxLevel,
};
use super::usage::{MAX_DEPTH, UsageMonitor, WatchedLimits};
use super::workspace_owner::give_to_nobody;
use crate::write::run_marker::process_start;
use crate::{Folder, SweepReport};

/// How often the observer is given new output.
const REPORT_INTERVAL: Duration = Duration::from_millis(200);
/// How long a killed cell may take to disappear.
const KILL_GRACE: Duration = Duration::from_secs(10);
/// How long to wait before looking again whether a killed cell has disappeared.
const END_PAUSE: Duration = Duration::from_millis(1);
/// How many files each process may have open.
const MAX_OPEN_FILES: u64 = 512;

/// Runs a tool in a cell of its own and waits until all its processes have ended.
pub fn run_tool(
    cells: &CellPool,
    plan: &RunPlan<'_>,
    observer: &RunObserver<'_>,
) -> Result<FinishedRun, SandboxError> {
    run_in_cell(cells.take()?, plan, observer)
}

fn run_in_cell(
    mut cell: Cell,
    plan: &RunPlan<'_>,
    observer: &RunObserver<'_>,
) -> Result<FinishedRun, SandboxError> {
    if rustix::process::geteuid().is_root() {
        give_to_nobody(plan.workspace.dir(), MAX_DEPTH)?;
    }
    let mut project = plan.project.as_ref().map(ProjectRun::begin).transpose()?;
    let layers = plan.project.as_ref().map(|project| project.scratch.layers()).transpose()?;
    let layers = layers.into_iter().flatten().collect();
    let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
    let outputs = cell.outputs.take().ok_or_else(gone)?;
    let order = build_order(plan, project.as_ref())?;
    // The process is known before it is told what to run.
    let init = cell.init;
    plan.marker.record_process(init)?;
    let files = plan.files.iter().map(|(_, bytes)| bytes.as_slice());
    let hidden = project.as_ref().map(|project| project.hidden.as_slice());
    let bytes = files.chain([plan.input.bytes()]).chain(hidden);
    let ordered = cell.process.send_order(&order, bytes);
    plan.marker.sync()?;
    // A cell that lacks a layer stops reading the order and reports the layer, so that report
    // matters more than the failed write.
    let built = await_layers(&mut cell.process, plan.level, project.as_mut());
    let BuiltCell { listener, input } = match (ordered, built) {
        (Err(error), Err(SandboxError::Io(_))) => return Err(error.into()),
        (_, built) => built?,
    };
    cell.join_group();
    let watched = watched_limits(&cell.control_group)?;
    let mut usage = UsageMonitor::new(plan.limits, watched, (plan.workspace.dir(), layers))?;
    send(&cell.process.socket, &())?;
    await_start(&mut cell.process, plan.level)?;
    let mut outputs = OutputCapture::new(outputs, plan.limits, plan.redactor)?;
    outputs.session = begin_session(plan, input)?;
    let mut supervision = Supervision { process: &mut cell.process, outputs, init, exit: None };
    let mut supervise = || supervision.supervise(plan.timeout, observer, &mut usage);
    let mut finished = match listener {
        None => supervise()?,
        Some(listener) => with_proxy(listener, &plan.network, supervise)?,
    };
    let is_killed = matches!(finished.end, RunEnd::Exit(Exit::Signal(9) | Exit::Code(137)));
    if is_killed && cell.control_group.has_run_out_of_memory() {
        finished.end = RunEnd::Exceeded(ExceededLimit::Memory);
    }
    // Nothing of the tool may be alive that could make another repository.
    drop(cell);
    await_end(init)?;
    finished.repositories = usage.finish();
    finished.changes = project.map(|project| project.finish()).transpose()?.flatten();
    if finished.repositories.is_clean() {
        plan.marker.remove();
    }
    Ok(finished)
}

/// Returns what has to be watched because no control group limits it.
fn watched_limits(group: &ControlGroup) -> Result<WatchedLimits, SandboxError> {
    let watched = WatchedLimits { tasks: !group.has_task_limit, memory: !group.has_memory_limit };
    if (watched.tasks || watched.memory) && !can_list_children() {
        let why = "no control group can be created, and processes cannot be counted";
        return Err(SandboxError::Limits(why.to_owned()));
    }
    Ok(watched)
}

/// Begins the session with a program that was started with a pipe as its standard input.
fn begin_session<'a>(
    plan: &RunPlan<'a>,
    input: Option<OwnedFd>,
) -> io::Result<Option<ProgramSession<'a>>> {
    match (&plan.input, input) {
        (RunInput::Session(session), Some(input)) => {
            ProgramSession::begin(session, input).map(Some)
        }
        _ => Ok(None),
    }
}

/// Waits until the first process of a cell has ended, and with it all the others.
fn await_end(init: u32) -> io::Result<()> {
    let end_by = Instant::now() + KILL_GRACE;
    while process_start(init).is_some() {
        if Instant::now() >= end_by {
            return Err(io::Error::other("a tool that was killed is still running"));
        }
        std::thread::sleep(END_PAUSE);
    }
    Ok(())
}

pub(super) fn process_limits(limits: RunLimits, timeout: Duration) -> ProcessLimits {
    let processor = timeout.as_secs().saturating_mul(2).saturating_add(2);
    ProcessLimits {
        processor,
        file: limits.largest_file,
        tasks: limits.tasks,
        open: MAX_OPEN_FILES,
    }
}

fn build_order(plan: &RunPlan<'_>, project: Option<&ProjectRun<'_>>) -> io::Result<CellOrder> {
    let work = build_bind_mount(plan.workspace, "/work", Access::Write)?;
    let shown = plan
        .read_only_folders
        .iter()
        .map(|(target, folder)| build_bind_mount(folder, target, Access::Read));
    let mut binds = shown.collect::<io::Result<Vec<_>>>()?;
    binds.push(work);
    let files = plan.files.iter().map(|(path, bytes)| (path.to_string(), bytes.len() as u64));
    let mut environment = plan.environment.clone();
    let network = if plan.network.is_empty() { CellNetwork::None } else { CellNetwork::Proxy };
    if network == CellNetwork::Proxy {
        environment.retain(|(name, _)| !is_proxy_variable(name));
        environment.extend(proxy_environment());
    }
    Ok(CellOrder {
        argv: plan.argv.clone(),
        environment,
        files: files.collect(),
        input: match &plan.input {
            RunInput::Bytes(bytes) => CellInput::Bytes(bytes.len() as u64),
            RunInput::Session(_) => CellInput::Pipe,
        },
        binds,
        project: project.map(ProjectRun::order).transpose()?,
        bounds: process_limits(plan.limits, plan.timeout),
        network,
        level: plan.level,
    })
}

fn build_bind_mount(folder: &Folder, target: &str, access: Access) -> io::Result<BindMount> {
    let handle = rustix::fs::fstat(folder.dir().as_fd())?;
    let source = folder.path().as_os_str().as_bytes().to_vec();
    let identity = Some((handle.st_dev, handle.st_ino));
    Ok(BindMount { source, identity, target: target.to_owned(), access })
}

/// What a cell hands to its supervisor while it is built.
#[derive(Default)]
struct BuiltCell {
    /// The listener of the tool's proxy, if it has one.
    listener: Option<TcpListener>,
    /// The pipe to its standard input, if there is a session with it.
    input: Option<OwnedFd>,
}

/// Waits until all layers but the last are built. If the cell has no overlay for the project,
/// provides a copy.
fn await_layers(
    control: &mut CellProcess,
    level: SandboxLevel,
    mut project: Option<&mut ProjectRun<'_>>,
) -> Result<BuiltCell, SandboxError> {
    let mut built = BuiltCell::default();
    loop {
        match control.receive()? {
            Some(CellReport::NoOverlay(why)) => {
                tracing::debug!(%why, "the project is copied, because there is no overlay");
                project.as_mut().map_or(Ok(()), |project| project.provide_copy())?;
                send(&control.socket, &())?;
            }
            Some(CellReport::Listener) => {
                built.listener = Some(receive_handle(&control.socket)?.into());
            }
            Some(CellReport::Input) => built.input = Some(receive_handle(&control.socket)?),
            Some(CellReport::Built) => return Ok(built),
            report => check_report(report, level)?,
        }
    }
}

/// Waits until the tool runs.
fn await_start(control: &mut CellProcess, level: SandboxLevel) -> Result<(), SandboxError> {
    loop {
        match control.receive()? {
            Some(CellReport::Started) => return Ok(()),
            report => check_report(report, level)?,
        }
    }
}

/// Fails if a report says that the cell will not start the tool.
fn check_report(report: Option<CellReport>, level: SandboxLevel) -> Result<(), SandboxError> {
    match report {
        Some(CellReport::Layer(layer, Err(why))) if !level.accepts_missing(layer) => {
            Err(SandboxError::Layer(layer, why))
        }
        Some(CellReport::Unstarted(why)) => Err(SandboxError::NotStarted(why)),
        Some(_) => Ok(()),
        None => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
    }
}

/// A cell in which a tool runs.
struct Supervision<'a> {
    process: &'a mut CellProcess,
    outputs: OutputCapture<'a>,
    init: u32,
    exit: Option<Exit>,
}

impl Supervision<'_> {
    /// Reads output and checks the limits until all processes have ended.
    fn supervise(
        &mut self,
        timeout: Duration,
        observer: &RunObserver<'_>,
        usage: &mut UsageMonitor,
    ) -> Result<FinishedRun, SandboxError> {
        self.process.socket.set_nonblocking(true)?;
        let began = Instant::now();
        let mut last_report = Instant::now();
        let mut ended = None;
        let mut end_by = None;
        while !self.outputs.is_closed() {
            self.outputs.wait_and_read()?;
            if let Some(session) = &mut self.outputs.session {
                session.write_pending();
            }
            self.receive_reports();
            if last_report.elapsed() >= REPORT_INTERVAL {
                last_report = Instant::now();
                self.outputs.report_new_output(observer);
            }
            if ended.is_none() {
                let is_late = began.elapsed() >= timeout;
                ended =
                    if is_late { Some(RunEnd::Timeout) } else { self.end_reason(observer, usage) };
                if ended.is_some() {
                    self.process.kill();
                    end_by = Some(Instant::now() + KILL_GRACE);
                }
            }
            if end_by.is_some_and(|end_by| Instant::now() >= end_by) {
                return Err(io::Error::other("a tool that was killed is still running").into());
            }
        }
        self.receive_reports();
        self.outputs.close();
        self.outputs.report_new_output(observer);
        let duration = began.elapsed();
        // A cell that ends without a report was killed, like the tool in it.
        let exit = RunEnd::Exit(self.exit.unwrap_or(Exit::Signal(9)));
        let over = usage.check_final().map(RunEnd::Exceeded);
        let ended = ended.or(over).unwrap_or(exit);
        let [stdout, stderr] = self.outputs.take_captured();
        let repositories = SweepReport::default();
        let (refused_hosts, changes) = (Vec::new(), None);
        Ok(FinishedRun {
            end: ended,
            stdout,
            stderr,
            duration,
            repositories,
            changes,
            refused_hosts,
        })
    }

    fn end_reason(&self, observer: &RunObserver<'_>, usage: &mut UsageMonitor) -> Option<RunEnd> {
        if (observer.is_cancelled)() {
            return Some(RunEnd::Cancelled);
        }
        let session = self.outputs.session.as_ref().and_then(ProgramSession::end);
        if session.is_some() {
            return session;
        }
        let flood = self.outputs.is_over_limit().then_some(ExceededLimit::Output);
        flood.or_else(|| usage.check(self.init)).map(RunEnd::Exceeded)
    }

    fn receive_reports(&mut self) {
        while let Ok(Some(report)) = self.process.receive() {
            if let CellReport::Ended(exit) = report {
                self.exit = Some(exit);
            }
        }
    }
}
