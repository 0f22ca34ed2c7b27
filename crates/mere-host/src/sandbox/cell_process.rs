//! A cell as its supervisor holds it.
//!
//! It is started before its order is known, gets its user mapping, is moved into its control group
//! while it goes on, and is killed when it is dropped, whatever happens.

use std::fs;
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::fs::Uid;

use super::confine::CELL_USER;
use super::control_group::{ControlGroup, PendingGroup};
use super::protocol::{CellOrder, CellReport, SandboxLayer, receive, send};
use super::run_plan::{RunLimits, SandboxError};
use super::stages::OUTER_STAGE;

/// The machine's user that a tool runs as if this program runs as root: `nobody`.
pub(super) const NOBODY: u32 = 65_534;
/// How long a cell may take to be built.
const BUILD_TIMEOUT: Duration = Duration::from_secs(20);

/// A cell that waits for its order, in namespaces of its own.
pub(crate) struct Cell {
    // The fields are dropped in this order: the processes end before their group is removed.
    pub(super) process: CellProcess,
    pub(super) outputs: Option<OutputPipes>,
    /// The first process in the new namespaces, which starts the tool.
    pub(super) init: u32,
    pending_group: PendingGroup,
    /// Limits nothing until [`Cell::join_group`] has returned.
    pub(super) control_group: ControlGroup,
}

/// The processes of a cell.
pub(super) struct CellProcess {
    child: Child,
    pub(super) socket: UnixStream,
}

/// The standard output and standard error of a cell.
pub(super) type OutputPipes = (ChildStdout, ChildStderr);

impl Cell {
    /// Starts a cell, and starts to move it into a control group.
    pub(super) fn build() -> Result<Self, SandboxError> {
        let mut pending_group = PendingGroup::create(RunLimits::default());
        let (mut process, outputs) = CellProcess::start()?;
        let init = process.await_init()?;
        pending_group.add_process(init);
        let (outputs, control_group) = (Some(outputs), ControlGroup::default());
        Ok(Self { process, outputs, init, pending_group, control_group })
    }

    /// Waits until the cell is in its control group, if the machine lets us create one.
    pub(super) fn join_group(&mut self) {
        self.control_group = self.pending_group.wait();
    }

    /// Checks whether the cell's process is still running.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.process.child.try_wait(), Ok(None))
    }
}

impl CellProcess {
    fn start() -> Result<(Self, OutputPipes), SandboxError> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(BUILD_TIMEOUT))?;
        socket.set_write_timeout(Some(BUILD_TIMEOUT))?;
        let mut child = Command::new("/proc/self/exe")
            .arg(OUTER_STAGE)
            .env_clear()
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let outputs = child.stdout.take().zip(child.stderr.take());
        let mut control = Self { child, socket };
        let outputs = outputs.ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
        if rustix::process::geteuid().is_root() {
            // A program that opens `/dev/stdout` must own it.
            for pipe in [outputs.0.as_fd(), outputs.1.as_fd()] {
                rustix::fs::fchown(pipe, Some(Uid::from_raw(NOBODY)), None)
                    .map_err(io::Error::from)?;
            }
        }
        match control.receive()? {
            Some(CellReport::Layer(SandboxLayer::Namespaces, Ok(()))) => {}
            Some(CellReport::Layer(layer, Err(why))) => {
                return Err(SandboxError::Layer(layer, why));
            }
            _ => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
        control.receive()?;
        control
            .write_id_maps()
            .map_err(|error| SandboxError::Layer(SandboxLayer::Namespaces, error.to_string()))?;
        send(&control.socket, &())?;
        Ok((control, outputs))
    }

    /// Waits until the cell has reported the id of its first process.
    fn await_init(&mut self) -> io::Result<u32> {
        match self.receive()? {
            Some(CellReport::Init(process)) => Ok(process),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Sends the order and the bytes that belong to it.
    pub(super) fn send_order<'b>(
        &mut self,
        order: &CellOrder,
        bytes: impl Iterator<Item = &'b [u8]>,
    ) -> io::Result<()> {
        send(&self.socket, order)?;
        for part in bytes {
            self.socket.write_all(part)?;
        }
        Ok(())
    }

    pub(super) fn receive(&mut self) -> io::Result<Option<CellReport>> {
        receive(&self.socket)
    }

    /// Maps the users of the cell to users of the machine.
    fn write_id_maps(&self) -> io::Result<()> {
        let own = rustix::process::geteuid().as_raw();
        let group = rustix::process::getegid().as_raw();
        let write =
            |name: &str, text: String| fs::write(format!("/proc/{}/{name}", self.child.id()), text);
        write("setgroups", "deny".to_owned())?;
        if own == 0 {
            // The machine's root builds the cell; the tool runs as `nobody`.
            let both = format!("0 0 1\n{CELL_USER} {NOBODY} 1\n");
            write("uid_map", both.clone())?;
            return write("gid_map", both);
        }
        write("uid_map", format!("{CELL_USER} {own} 1\n"))?;
        write("gid_map", format!("{CELL_USER} {group} 1\n"))
    }

    /// Kills everything in the cell.
    pub(super) fn kill(&mut self) {
        // One byte says that the supervisor is there and cleans up itself.
        let _ = self.socket.write(&[0]);
        let _ = self.socket.shutdown(Shutdown::Both);
        let _ = self.child.kill();
    }
}

impl Drop for CellProcess {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}
