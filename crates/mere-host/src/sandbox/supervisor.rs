//! The supervisor of a cell.
//!
//! It sends the order and the tool's files, reads the output, and kills the cell when it exceeds a
//! limit or is cancelled. When a run returns, all its processes have ended.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::cell_pool::CellPool;
use super::cell_process::{Cell, CellProcess, OutputPipes};
use super::process_tree::can_list_children;
use super::protocol::{
    Access, BindMount, CellOrder, CellReport, Exit, ProcessLimits, SandboxLayer,
};
use super::run_plan::{
    CapturedOutput, ExceededLimit, FinishedRun, LayerReport, MAX_SHOWN_OUTPUT, NOT_ENFORCED,
    RunEnd, RunLimits, RunObserver, RunPlan, SandboxError, SandboxLevel,
};
use super::usage::{MAX_DEPTH, UsageMonitor, WatchedLimits};
use super::workspace_owner::give_to_nobody;
use crate::write::run_marker::process_start;
use crate::{Folder, SweepReport};

/// How long to wait for output at a time.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
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
    let cell = cells.take()?;
    let finished = run_in_cell(cell, plan, observer);
    cells.replenish();
    finished
}

fn run_in_cell(
    mut cell: Cell,
    plan: &RunPlan<'_>,
    observer: &RunObserver<'_>,
) -> Result<FinishedRun, SandboxError> {
    let watched = WatchedLimits {
        tasks: !cell.control_group.has_task_limit,
        memory: !cell.control_group.has_memory_limit,
    };
    if (watched.tasks || watched.memory) && !can_list_children() {
        let why = "no control group can be created, and processes cannot be counted";
        return Err(SandboxError::Limits(why.to_owned()));
    }
    if rustix::process::geteuid().is_root() {
        give_to_nobody(plan.workspace.dir(), MAX_DEPTH)?;
    }
    let mut usage = UsageMonitor::new(plan.limits, watched, plan.workspace.dir())?;
    let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
    let outputs = cell.outputs.take().ok_or_else(gone)?;
    let order = build_order(plan)?;
    // The process is known before it is told what to run.
    let init = await_init(&mut cell.process)?;
    plan.marker.record_process(init)?;
    let files = plan.files.iter().map(|(_, bytes)| bytes.as_slice());
    let ordered = cell.process.send_order(&order, files.chain([plan.input.as_slice()]));
    // A cell that lacks a layer stops reading the order and reports the layer, so that report
    // matters more than the failed write.
    match (ordered, await_start(&mut cell.process, plan.level)) {
        (Err(error), Err(SandboxError::Io(_))) => return Err(error.into()),
        (_, started) => started?,
    }
    let outputs = OutputCapture::new(outputs, plan.limits)?;
    let mut supervision = Supervision { process: &mut cell.process, outputs, init, exit: None };
    let mut finished = supervision.supervise(plan.timeout, observer, &mut usage)?;
    let is_killed = matches!(finished.end, RunEnd::Exit(Exit::Signal(9) | Exit::Code(137)));
    if is_killed && cell.control_group.has_run_out_of_memory() {
        finished.end = RunEnd::Exceeded(ExceededLimit::Memory);
    }
    // Nothing of the tool may be alive that could make another repository.
    drop(cell);
    await_end(init)?;
    finished.repositories = usage.finish();
    if finished.repositories.is_clean() {
        plan.marker.remove();
    }
    Ok(finished)
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

/// Reports which layers work here, tried out with a cell that runs nothing.
pub fn probe_layers() -> Result<LayerReport, SandboxError> {
    let limits = RunLimits::default();
    let watched = if can_list_children() { "watching" } else { NOT_ENFORCED };
    let kept = |by_group| if by_group { "control group" } else { watched };
    let (mut processes, mut memory) = (watched, watched);
    let mut layers = Vec::new();
    match Cell::build() {
        Err(SandboxError::Layer(layer, why)) => layers.push((layer, Err(why))),
        Err(error) => return Err(error),
        Ok(Cell { process: mut control, control_group: group, .. }) => {
            (processes, memory) = (kept(group.has_task_limit), kept(group.has_memory_limit));
            layers.push((SandboxLayer::Namespaces, Ok(())));
            let order = CellOrder {
                argv: Vec::new(),
                environment: Vec::new(),
                files: Vec::new(),
                input: 0,
                binds: Vec::new(),
                bounds: process_limits(limits, Duration::from_secs(1)),
                level: SandboxLevel::Namespaces,
            };
            control.send_order(&order, std::iter::empty())?;
            while let Some(report) = control.receive()? {
                if let CellReport::Layer(layer, built) = report {
                    layers.push((layer, built));
                }
            }
        }
    }
    Ok(LayerReport { layers, processes_limited_by: processes, memory_limited_by: memory })
}

fn process_limits(limits: RunLimits, timeout: Duration) -> ProcessLimits {
    let processor = timeout.as_secs().saturating_mul(2).saturating_add(2);
    ProcessLimits {
        processor,
        file: limits.largest_file,
        tasks: limits.tasks,
        open: MAX_OPEN_FILES,
    }
}

fn build_order(plan: &RunPlan<'_>) -> io::Result<CellOrder> {
    let work = build_bind_mount(plan.workspace, "/work", Access::Write)?;
    let shown = plan
        .read_only_folders
        .iter()
        .map(|(target, folder)| build_bind_mount(folder, target, Access::Read));
    let mut binds = shown.collect::<io::Result<Vec<_>>>()?;
    binds.push(work);
    let files = plan.files.iter().map(|(path, bytes)| (path.to_string(), bytes.len() as u64));
    Ok(CellOrder {
        argv: plan.argv.clone(),
        environment: plan.environment.clone(),
        files: files.collect(),
        input: plan.input.len() as u64,
        binds,
        bounds: process_limits(plan.limits, plan.timeout),
        level: plan.level,
    })
}

fn build_bind_mount(folder: &Folder, target: &str, access: Access) -> io::Result<BindMount> {
    let handle = rustix::fs::fstat(folder.dir().as_fd())?;
    let source = folder.path().as_os_str().as_bytes().to_vec();
    let identity = Some((handle.st_dev, handle.st_ino));
    Ok(BindMount { source, identity, target: target.to_owned(), access })
}

/// Waits until the cell has reported the id of its first process.
fn await_init(control: &mut CellProcess) -> io::Result<u32> {
    match control.receive()? {
        Some(CellReport::Init(process)) => Ok(process),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Waits until the tool runs.
fn await_start(control: &mut CellProcess, level: SandboxLevel) -> Result<(), SandboxError> {
    loop {
        match control.receive()? {
            Some(CellReport::Layer(layer, Err(why))) => {
                if !level.accepts_missing(layer) {
                    return Err(SandboxError::Layer(layer, why));
                }
            }
            Some(CellReport::Unstarted(why)) => return Err(SandboxError::NotStarted(why)),
            Some(CellReport::Started) => return Ok(()),
            Some(_) => {}
            None => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }
}

/// A cell in which a tool runs.
struct Supervision<'a> {
    process: &'a mut CellProcess,
    outputs: OutputCapture,
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
        Ok(FinishedRun { end: ended, stdout, stderr, duration, repositories })
    }

    fn end_reason(&self, observer: &RunObserver<'_>, usage: &mut UsageMonitor) -> Option<RunEnd> {
        if (observer.is_cancelled)() {
            return Some(RunEnd::Cancelled);
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

/// The output of a tool, as far as it is captured.
struct OutputCapture {
    sources: OutputPipes,
    captured: [CapturedOutput; 2],
    open: [bool; 2],
    limits: RunLimits,
    total: u64,
    /// Up to which byte the observer has been given each output.
    reported: [usize; 2],
}

impl OutputCapture {
    fn new(sources: OutputPipes, limits: RunLimits) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&sources.0, true)?;
        rustix::io::ioctl_fionbio(&sources.1, true)?;
        let kept = [CapturedOutput::default(), CapturedOutput::default()];
        Ok(Self { sources, captured: kept, open: [true; 2], limits, total: 0, reported: [0; 2] })
    }

    fn is_closed(&self) -> bool {
        self.open == [false; 2]
    }

    fn is_over_limit(&self) -> bool {
        self.total > self.limits.total_output
    }

    /// Waits for a moment and reads the output that has arrived.
    fn wait_and_read(&mut self) -> io::Result<()> {
        let handles: [BorrowedFd<'_>; 2] = [self.sources.0.as_fd(), self.sources.1.as_fd()];
        let open = handles.iter().zip(self.open).filter(|(_, open)| *open);
        let mut polled = open
            .map(|(handle, _)| PollFd::from_borrowed_fd(*handle, PollFlags::IN))
            .collect::<Vec<_>>();
        let pause = Timespec { tv_sec: 0, tv_nsec: i64::from(POLL_INTERVAL.subsec_nanos()) };
        match poll(&mut polled, Some(&pause)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        self.drain(0)?;
        self.drain(1)
    }

    fn drain(&mut self, which: usize) -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        // A limited number of reads, so that endless output does not keep the other checks from
        // running.
        for _ in 0..64 {
            if !self.open[which] {
                break;
            }
            let read = match which {
                0 => self.sources.0.read(&mut buffer),
                _ => self.sources.1.read(&mut buffer),
            };
            match read {
                Ok(0) => self.open[which] = false,
                Ok(size) => self.capture(which, &buffer[..size]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn capture(&mut self, which: usize, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let kept = &mut self.captured[which];
        let room = self.limits.captured_output.saturating_sub(kept.bytes.len());
        kept.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        kept.truncated |= kept.bytes.len() > MAX_SHOWN_OUTPUT;
    }

    /// Gives the observer the output that it has not seen yet. An incomplete character waits for
    /// the rest of its bytes.
    fn report_new_output(&mut self, observer: &RunObserver<'_>) {
        let ends = [0, 1].map(|which| {
            let kept = &self.captured[which].bytes;
            let kept = &kept[..kept.len().min(MAX_SHOWN_OUTPUT)];
            let unseen = &kept[self.reported[which]..];
            let whole = if self.open[which] { complete_characters(unseen) } else { unseen.len() };
            self.reported[which] + whole
        });
        let unseen = |which: usize| &self.captured[which].bytes[self.reported[which]..ends[which]];
        (observer.on_output)(unseen(0), unseen(1));
        self.reported = ends;
    }

    /// Marks both outputs as ended.
    fn close(&mut self) {
        self.open = [false; 2];
    }

    fn take_captured(&mut self) -> [CapturedOutput; 2] {
        std::mem::take(&mut self.captured)
    }
}

/// Returns how many bytes of a text are complete characters: the last one may be cut off.
fn complete_characters(text: &[u8]) -> usize {
    let last = text.iter().rev().take(4).position(|byte| *byte & 0xc0 != 0x80);
    let Some(start) = last.map(|back| text.len() - 1 - back) else { return text.len() };
    match std::str::from_utf8(&text[start..]) {
        Err(error) if error.error_len().is_none() => start,
        _ => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_told_whole() {
        for (text, whole) in [
            (&b""[..], 0),
            (b"ab", 2),
            ("a\u{fc}".as_bytes(), 3),
            (b"a\xc3", 1),
            (b"a\xf0\x9f\x98", 1),
            (b"a\xff", 2),
            (b"\x80\x80\x80\x80\x80", 5),
        ] {
            assert_eq!(complete_characters(text), whole, "{text:?}");
        }
    }
}
