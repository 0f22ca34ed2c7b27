//! The keeper of a cell: feeds it, listens to it, and ends it when it must end.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{AtFlags, Gid, Uid, chownat};

use super::cells::Cells;
use super::control::{Cell, Control, NOBODY, Outputs};
use super::family::can_count;
use super::plan::{
    Captured, Ended, Excess, Finished, Level, Limits, NOT_KEPT, Plan, Refusal, Standing, Watcher,
};
use super::totals::{MAX_DEPTH, Watch};
use super::wire::{Access, Bind, Bounds, Exit, Layer, Order, Report};
use crate::Folder;

/// How long to sleep while nothing happens.
const TICK: Duration = Duration::from_millis(20);
/// How often the watcher hears what was said.
const HEARING: Duration = Duration::from_millis(200);
/// How long a cell may take to be gone when it was ended.
const GRACE: Duration = Duration::from_secs(10);
/// How many files each process may have open.
const OPEN: u64 = 512;

/// Runs a tool in a cell of its own, and waits until all of it has ended.
pub fn run(cells: &Cells, plan: &Plan<'_>, watcher: &Watcher<'_>) -> Result<Finished, Refusal> {
    let cell = cells.take()?;
    let finished = run_in(cell, plan, watcher);
    cells.ran();
    finished
}

fn run_in(mut cell: Cell, plan: &Plan<'_>, watcher: &Watcher<'_>) -> Result<Finished, Refusal> {
    let counts = (!cell.group.has_tasks, !cell.group.has_memory);
    if counts != (false, false) && !can_count() {
        let why = "no control group can be made, and processes cannot be counted";
        return Err(Refusal::Totals(why.to_owned()));
    }
    if rustix::process::geteuid().is_root() {
        hand_over(plan.work.dir(), MAX_DEPTH)?;
    }
    let mut watch = Watch::new(plan.limits, counts, plan.work.dir())?;
    let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
    let outputs = cell.outputs.take().ok_or_else(gone)?;
    let order = order(plan)?;
    let files = plan.files.iter().map(|(_, bytes)| bytes.as_slice());
    let ordered = cell.control.order(&order, files.chain([plan.input.as_slice()]));
    // A cell that lacks a layer does not read all of it, and says why.
    let init = await_start(&mut cell.control, plan.level);
    let init = match (ordered, init) {
        (Err(error), Err(Refusal::Io(_))) => return Err(error.into()),
        (_, init) => init?,
    };
    let outputs = Streams::new(outputs, plan.limits)?;
    let mut attendance = Attendance { control: &mut cell.control, outputs, init, exit: None };
    attendance.attend(plan.timeout, watcher, &mut watch).map(|mut finished| {
        let is_killed = matches!(finished.ended, Ended::Exit(Exit::Signal(9) | Exit::Code(137)));
        if is_killed && cell.group.lacked_memory() {
            finished.ended = Ended::Exceeded(Excess::Memory);
        }
        finished
    })
}

/// What becomes of each layer here, tried out with a cell that runs nothing.
pub fn layers() -> Result<Standing, Refusal> {
    let limits = Limits::default();
    let watched = if can_count() { "watching" } else { NOT_KEPT };
    let kept = |by_group| if by_group { "control group" } else { watched };
    let (mut processes, mut memory) = (watched, watched);
    let mut layers = Vec::new();
    match Cell::build() {
        Err(Refusal::Layer(layer, why)) => layers.push((layer, Err(why))),
        Err(error) => return Err(error),
        Ok(Cell { mut control, group, .. }) => {
            (processes, memory) = (kept(group.has_tasks), kept(group.has_memory));
            layers.push((Layer::Namespaces, Ok(())));
            let order = Order {
                argv: Vec::new(),
                environment: Vec::new(),
                files: Vec::new(),
                input: 0,
                binds: Vec::new(),
                bounds: bounds(limits, Duration::from_secs(1)),
                may_lack: true,
            };
            control.order(&order, std::iter::empty())?;
            while let Some(report) = control.receive()? {
                if let Report::Layer(layer, built) = report {
                    layers.push((layer, built));
                }
            }
        }
    }
    Ok(Standing { layers, processes, memory })
}

fn bounds(limits: Limits, timeout: Duration) -> Bounds {
    let processor = timeout.as_secs().saturating_mul(2).saturating_add(2);
    Bounds { processor, file: limits.file, tasks: limits.tasks, open: OPEN }
}

fn order(plan: &Plan<'_>) -> io::Result<Order> {
    let work = bind(plan.work, "/work", Access::Write)?;
    let shown = plan.shown.iter().map(|(target, folder)| bind(folder, target, Access::Read));
    let mut binds = shown.collect::<io::Result<Vec<_>>>()?;
    binds.push(work);
    let files = plan.files.iter().map(|(path, bytes)| (path.to_string(), bytes.len() as u64));
    Ok(Order {
        argv: plan.argv.clone(),
        environment: plan.environment.clone(),
        files: files.collect(),
        input: plan.input.len() as u64,
        binds,
        bounds: bounds(plan.limits, plan.timeout),
        may_lack: plan.level == Level::Namespaces,
    })
}

fn bind(folder: &Folder, target: &str, access: Access) -> io::Result<Bind> {
    let handle = rustix::fs::fstat(folder.dir().as_fd())?;
    let source = folder.path().as_os_str().as_bytes().to_vec();
    let identity = Some((handle.st_dev, handle.st_ino));
    Ok(Bind { source, identity, target: target.to_owned(), access })
}

/// Gives what lies in a workspace to the user that tools are, where that is not the one who runs this.
/// By handles: whoever exchanges a folder for a link meanwhile gains nothing. What lies deeper stays
/// whose it is.
fn hand_over(folder: &Dir, depth: usize) -> io::Result<()> {
    let (user, group) = (Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY)));
    // A folder that was opened to look at, and not to read, is changed by this call only.
    chownat(folder.as_fd(), "", user, group, AtFlags::EMPTY_PATH)?;
    for entry in folder.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.metadata().is_ok_and(|found| cap_fs_ext::MetadataExt::nlink(&found) == 1) {
            let _ = chownat(folder.as_fd(), &name, user, group, AtFlags::SYMLINK_NOFOLLOW);
        }
        if depth > 0
            && entry.file_type()?.is_dir()
            && let Ok(below) = folder.open_dir_nofollow(&name)
        {
            hand_over(&below, depth - 1)?;
        }
    }
    Ok(())
}

/// Waits until the tool runs. Which process is the first of the cell is told meanwhile.
fn await_start(control: &mut Control, level: Level) -> Result<Option<u32>, Refusal> {
    let mut init = None;
    loop {
        match control.receive()? {
            Some(Report::Init(process)) => init = Some(process),
            Some(Report::Layer(layer, Err(why))) => {
                if !(layer.may_lack() && level == Level::Namespaces) {
                    return Err(Refusal::Layer(layer, why));
                }
            }
            Some(Report::Unstarted(why)) => return Err(Refusal::Unstarted(why)),
            Some(Report::Started) => return Ok(init),
            Some(Report::Layer(_, Ok(())) | Report::Unshared | Report::Ended(_)) => {}
            None => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }
}

/// A cell in which a tool runs.
struct Attendance<'a> {
    control: &'a mut Control,
    outputs: Streams,
    init: Option<u32>,
    exit: Option<Exit>,
}

impl Attendance<'_> {
    /// Listens until all of it has ended.
    fn attend(
        &mut self,
        timeout: Duration,
        watcher: &Watcher<'_>,
        watch: &mut Watch,
    ) -> Result<Finished, Refusal> {
        self.control.socket.set_nonblocking(true)?;
        let began = Instant::now();
        let mut heard = Instant::now();
        let mut ended = None;
        let mut end_by = None;
        while !self.outputs.are_over() {
            self.outputs.wait()?;
            self.hear();
            if heard.elapsed() >= HEARING {
                heard = Instant::now();
                self.outputs.tell(watcher);
            }
            if ended.is_none() {
                ended = self.must_end(began.elapsed() >= timeout, watcher, watch);
                if ended.is_some() {
                    self.control.end();
                    end_by = Some(Instant::now() + GRACE);
                }
            }
            if end_by.is_some_and(|end_by| Instant::now() >= end_by) {
                return Err(io::Error::other("a tool that was ended is still there").into());
            }
        }
        self.hear();
        self.outputs.finish();
        self.outputs.tell(watcher);
        let duration = began.elapsed();
        // A cell that ends without a word was killed, like what ran in it.
        let exit = Ended::Exit(self.exit.unwrap_or(Exit::Signal(9)));
        let over = watch.last().map(Ended::Exceeded);
        let ended = ended.or(over).unwrap_or(exit);
        let [stdout, stderr] = self.outputs.take();
        Ok(Finished { ended, stdout, stderr, duration })
    }

    fn must_end(&self, late: bool, watcher: &Watcher<'_>, watch: &mut Watch) -> Option<Ended> {
        if late {
            return Some(Ended::Timeout);
        }
        if (watcher.over)() {
            return Some(Ended::Cancelled);
        }
        let flood = self.outputs.is_flood().then_some(Excess::Output);
        flood.or_else(|| watch.look(self.init)).map(Ended::Exceeded)
    }

    fn hear(&mut self) {
        while let Ok(Some(report)) = self.control.receive() {
            match report {
                Report::Ended(exit) => self.exit = Some(exit),
                Report::Init(process) => self.init = Some(process),
                _ => {}
            }
        }
    }
}

/// What a tool says, as far as it is kept.
struct Streams {
    sources: Outputs,
    kept: [Captured; 2],
    open: [bool; 2],
    limits: Limits,
    total: u64,
    /// From where on the watcher has not heard it.
    told: [usize; 2],
}

impl Streams {
    fn new(sources: Outputs, limits: Limits) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&sources.0, true)?;
        rustix::io::ioctl_fionbio(&sources.1, true)?;
        let kept = [Captured::default(), Captured::default()];
        Ok(Self { sources, kept, open: [true; 2], limits, total: 0, told: [0; 2] })
    }

    fn are_over(&self) -> bool {
        self.open == [false; 2]
    }

    fn is_flood(&self) -> bool {
        self.total > self.limits.output
    }

    /// Waits for a moment, and takes what was said.
    fn wait(&mut self) -> io::Result<()> {
        let handles: [BorrowedFd<'_>; 2] = [self.sources.0.as_fd(), self.sources.1.as_fd()];
        let open = handles.iter().zip(self.open).filter(|(_, open)| *open);
        let mut polled = open
            .map(|(handle, _)| PollFd::from_borrowed_fd(*handle, PollFlags::IN))
            .collect::<Vec<_>>();
        let pause = Timespec { tv_sec: 0, tv_nsec: i64::from(TICK.subsec_nanos()) };
        match poll(&mut polled, Some(&pause)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        self.drain(0)?;
        self.drain(1)
    }

    fn drain(&mut self, which: usize) -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        // So much at a time: what never ends is looked at in between.
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
                Ok(size) => self.keep(which, &buffer[..size]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn keep(&mut self, which: usize, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let kept = &mut self.kept[which];
        let room = self.limits.kept.saturating_sub(kept.bytes.len());
        kept.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        kept.truncated |= bytes.len() > room;
    }

    /// Tells the watcher what it has not heard yet; a letter that is not whole waits for the rest of it.
    fn tell(&mut self, watcher: &Watcher<'_>) {
        let ends = [0, 1].map(|which| {
            let kept = &self.kept[which].bytes;
            let news = &kept[self.told[which]..];
            let whole = if self.open[which] { whole_letters(news) } else { news.len() };
            self.told[which] + whole
        });
        let news = |which: usize| &self.kept[which].bytes[self.told[which]..ends[which]];
        (watcher.heard)(news(0), news(1));
        self.told = ends;
    }

    /// Nothing more comes.
    fn finish(&mut self) {
        self.open = [false; 2];
    }

    fn take(&mut self) -> [Captured; 2] {
        std::mem::take(&mut self.kept)
    }
}

/// How many bytes of a text are whole letters: the last of them may be cut.
fn whole_letters(text: &[u8]) -> usize {
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
            assert_eq!(whole_letters(text), whole, "{text:?}");
        }
    }
}
