//! The messages between the supervisor and the two stages of a cell, over one socket.
//!
//! A message is its length followed by its JSON. The order is followed by the bytes whose sizes it
//! gives. Only this program speaks here: the tool never gets hold of the socket.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::run_plan::SandboxLevel;

/// The longest message in bytes.
const MAX_MESSAGE: u32 = 8 * 1024 * 1024;

/// What the second stage has to do.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CellOrder {
    /// The program with its arguments; empty for a trial, which ends before anything is run.
    pub(super) argv: Vec<String>,
    pub(super) environment: Vec<(String, String)>,
    /// The files of the tool: each path below `/tool` and its size in bytes.
    pub(super) files: Vec<(String, u64)>,
    /// What the program reads from standard input.
    pub(super) input: CellInput,
    /// The folders of the machine that are shown.
    pub(super) binds: Vec<BindMount>,
    /// The project, if it is shown.
    pub(super) project: Option<ProjectOrder>,
    pub(super) bounds: ProcessLimits,
    /// What the tool may connect to.
    pub(super) network: CellNetwork,
    /// The layers that are required.
    pub(super) level: SandboxLevel,
}

/// What the program of a cell reads from standard input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CellInput {
    /// This many bytes.
    Bytes(u64),
    /// A pipe, which its supervisor writes to.
    Pipe,
}

/// A folder of the machine that is shown in a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct BindMount {
    /// Its path on the machine.
    pub(super) source: Vec<u8>,
    /// The device and inode that it must have.
    pub(super) identity: Option<(u64, u64)>,
    /// Its path in the cell.
    pub(super) target: String,
    pub(super) access: Access,
}

/// How the project is shown in a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProjectOrder {
    /// The project itself.
    pub(super) project: BindMount,
    /// The folder that takes what is written.
    pub(super) scratch: BindMount,
    /// The size of the list of hidden paths in bytes.
    pub(super) hidden: u64,
    pub(super) access: Access,
    pub(super) layer: ProjectLayer,
}

/// What takes the writes of a tool in the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ProjectLayer {
    /// A layer above the project.
    Overlay,
    /// A copy of the project.
    Copy,
}

/// What a cell may do in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Access {
    Read,
    Write,
}

/// What the tool of a cell may connect to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CellNetwork {
    /// Nothing.
    None,
    /// The proxy that its supervisor runs.
    Proxy,
}

/// The resource limits of each process of a cell.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct ProcessLimits {
    /// Seconds of processor time.
    pub(super) processor: u64,
    /// The largest file, in bytes.
    pub(super) file: u64,
    /// Processes and threads, all together.
    pub(super) tasks: u64,
    /// Open files.
    pub(super) open: u64,
}

/// A message from a cell to its supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum CellReport {
    /// The first stage has left the namespaces of the machine, and waits for its user mapping.
    Unshared,
    /// The process id of the second stage.
    Init(u32),
    /// Whether a layer could be built.
    Layer(SandboxLayer, Result<(), String>),
    /// The kernel has no overlay for the project; the cell waits for a copy.
    NoOverlay(String),
    /// The listener for the proxy is attached to the next byte.
    Listener,
    /// The end of the pipe that leads to the program's standard input is attached to the next byte.
    Input,
    /// All layers but the last are built; the second stage waits until its control group limits it.
    Built,
    /// The program could not be started.
    Unstarted(String),
    /// The program runs.
    Started,
    /// The program has ended.
    Ended(Exit),
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exit {
    /// The process exited with this code.
    Code(i32),
    /// The process was killed by this signal.
    Signal(i32),
}

/// One of the layers of isolation between a tool and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SandboxLayer {
    /// User, mount, process, network, IPC and host-name namespaces.
    Namespaces,
    /// A root file system of its own.
    Root,
    /// Limits on each process.
    Limits,
    /// No user of the machine, no capabilities, no new privileges.
    Privileges,
    /// Landlock, which limits the files that can be reached.
    Landlock,
    /// Seccomp, which limits the system calls.
    Seccomp,
}

impl SandboxLayer {
    /// All layers, in the order in which they are built.
    pub const ALL: [Self; 6] = [
        Self::Namespaces,
        Self::Root,
        Self::Limits,
        Self::Privileges,
        Self::Landlock,
        Self::Seccomp,
    ];

    /// Checks whether the user may accept that the kernel lacks this layer.
    pub fn is_optional(self) -> bool {
        matches!(self, Self::Landlock | Self::Seccomp)
    }

    /// Returns its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::Root => "private root",
            Self::Limits => "limits",
            Self::Privileges => "no privileges",
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
        }
    }
}

/// Sends one message.
pub(super) fn send(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    let size = u32::try_from(text.len()).ok().filter(|size| *size <= MAX_MESSAGE);
    let size = size.ok_or(io::ErrorKind::InvalidInput)?;
    let mut bytes = size.to_be_bytes().to_vec();
    bytes.extend(text);
    to.write_all(&bytes)
}

/// Receives one message. Returns `None` if the other side is gone.
pub(super) fn receive<T: DeserializeOwned>(mut from: impl Read) -> io::Result<Option<T>> {
    let mut size = [0; 4];
    match from.read_exact(&mut size) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let size = u32::from_be_bytes(size);
    if size > MAX_MESSAGE {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut text = vec![0; size as usize];
    from.read_exact(&mut text)?;
    Ok(Some(serde_json::from_slice(&text)?))
}
