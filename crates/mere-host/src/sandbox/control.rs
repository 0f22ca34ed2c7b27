//! A cell as its keeper holds it: started, mapped, and ended whatever happens.

use std::fs;
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::fs::Uid;

use super::cell::OUTER;
use super::confine::USER;
use super::group::Group;
use super::plan::{Limits, Refusal};
use super::wire::{Layer, Order, Report, receive, send};

/// Who a tool is on the machine, where this program runs as root: nobody.
pub(super) const NOBODY: u32 = 65_534;
/// How long a cell may take to be built.
const PATIENCE: Duration = Duration::from_secs(20);

/// A cell that waits for its order, in namespaces of its own and in its control group.
pub(crate) struct Cell {
    // In this order: what runs is ended before its group goes.
    pub(super) control: Control,
    pub(super) outputs: Option<Outputs>,
    pub(super) group: Group,
}

/// The processes of a cell.
pub(super) struct Control {
    child: Child,
    pub(super) socket: UnixStream,
}

/// What a cell says.
pub(super) type Outputs = (ChildStdout, ChildStderr);

impl Cell {
    /// Starts a cell, and puts it where its totals are kept.
    pub(super) fn build() -> Result<Self, Refusal> {
        let group = Group::make(Limits::default());
        let (control, outputs) = Control::start(&group)?;
        Ok(Self { control, outputs: Some(outputs), group })
    }

    /// Whether it is still there.
    pub(super) fn is_waiting(&mut self) -> bool {
        matches!(self.control.child.try_wait(), Ok(None))
    }
}

impl Control {
    fn start(group: &Group) -> Result<(Self, Outputs), Refusal> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_read_timeout(Some(PATIENCE))?;
        socket.set_write_timeout(Some(PATIENCE))?;
        let mut child = Command::new("/proc/self/exe")
            .arg(OUTER)
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
            // Who opens `/dev/stdout` must own it.
            for pipe in [outputs.0.as_fd(), outputs.1.as_fd()] {
                rustix::fs::fchown(pipe, Some(Uid::from_raw(NOBODY)), None)
                    .map_err(io::Error::from)?;
            }
        }
        match control.receive()? {
            Some(Report::Layer(Layer::Namespaces, Ok(()))) => {}
            Some(Report::Layer(layer, Err(why))) => return Err(Refusal::Layer(layer, why)),
            _ => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
        control.receive()?;
        group.add(control.child.id())?;
        control.map().map_err(|error| Refusal::Layer(Layer::Namespaces, error.to_string()))?;
        send(&control.socket, &())?;
        Ok((control, outputs))
    }

    /// Gives the order, and the bytes that belong to it.
    pub(super) fn order<'b>(
        &mut self,
        order: &Order,
        bytes: impl Iterator<Item = &'b [u8]>,
    ) -> io::Result<()> {
        send(&self.socket, order)?;
        for part in bytes {
            self.socket.write_all(part)?;
        }
        Ok(())
    }

    pub(super) fn receive(&mut self) -> io::Result<Option<Report>> {
        receive(&self.socket)
    }

    /// Says who the users of the cell are on the machine.
    fn map(&self) -> io::Result<()> {
        let own = rustix::process::geteuid().as_raw();
        let group = rustix::process::getegid().as_raw();
        let write =
            |name: &str, text: String| fs::write(format!("/proc/{}/{name}", self.child.id()), text);
        write("setgroups", "deny".to_owned())?;
        if own == 0 {
            // The root of the machine builds the cell; the tool is nobody.
            let both = format!("0 0 1\n{USER} {NOBODY} 1\n");
            write("uid_map", both.clone())?;
            return write("gid_map", both);
        }
        write("uid_map", format!("{USER} {own} 1\n"))?;
        write("gid_map", format!("{USER} {group} 1\n"))
    }

    /// Ends everything in it.
    pub(super) fn end(&mut self) {
        let _ = self.socket.shutdown(Shutdown::Both);
        let _ = self.child.kill();
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.end();
        let _ = self.child.wait();
    }
}
