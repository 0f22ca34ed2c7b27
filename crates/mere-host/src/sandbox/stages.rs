//! The two stages of a cell: this program again, started by the supervisor.
//!
//! The first stage leaves the namespaces of the machine. The second is the first process of the new
//! ones: it builds the root, as far as it can before it has an order, gives up all privileges, starts
//! the tool and reaps orphans. When it ends, the kernel ends everything that the tool started; and
//! it ends when the supervisor does.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::SigSet;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::pipe::PipeFlags;
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, WaitStatus, set_dumpable_behavior,
    set_parent_process_death_signal, setsid, wait,
};

use super::confine::{self, LandlockRules};
use super::network::{PROXY_PORT, open_listener, send_handle};
use super::prepared_layers::PreparedLayers;
use super::private_root::{self, ProcVisibility};
use super::project::mount::{PROJECT, mount_project};
use super::protocol::{
    CellInput, CellNetwork, CellOrder, CellReport, Exit, SandboxLayer, receive, send,
};
use super::syscalls::{compile_filters, install_filters};
use crate::SweepReport;

/// The argument that starts the first stage.
pub(super) const OUTER_STAGE: &str = "__cell";
/// The argument that starts the second stage.
const INNER_STAGE: &str = "__cell-init";

/// Runs a stage of a cell if this program was started as one; otherwise returns `None`.
pub fn run_cell_stage() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let stage = match arguments.next()?.to_str()? {
        OUTER_STAGE => run_outer_stage,
        INNER_STAGE => run_inner_stage,
        _ => return None,
    };
    // A person who types this argument gets nothing, because no supervisor is at the other end.
    let ended = close_inherited_files()
        .and_then(|()| io::stdin().as_fd().try_clone_to_owned())
        .and_then(|socket| stage(&UnixStream::from(socket)));
    Some(if ended.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Closes the files that were inherited from whoever started this program: the tool would inherit
/// them too.
fn close_inherited_files() -> io::Result<()> {
    let open = std::fs::read_dir("/proc/self/fd")?;
    let open = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    for number in open.filter(|number| *number > 2).collect::<Vec<_>>() {
        // The handle of the directory listing itself is closed already.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}

/// Runs the first stage.
fn run_outer_stage(supervisor: &UnixStream) -> io::Result<()> {
    // Detaches from the terminal.
    let _ = setsid();
    let left = unshare_namespaces();
    let is_left = left.is_ok();
    send(
        supervisor,
        &CellReport::Layer(SandboxLayer::Namespaces, left.map_err(|error| error.to_string())),
    )?;
    if !is_left {
        return Ok(());
    }
    send(supervisor, &CellReport::Unshared)?;
    let Some(()) = receive(supervisor)? else { return Ok(()) };
    confine::make_capabilities_inheritable()?;
    let mut next = Command::new("/proc/self/exe");
    let mut next =
        next.arg(INNER_STAGE).env_clear().stdin(OwnedFd::from(supervisor.try_clone()?)).spawn()?;
    send(supervisor, &CellReport::Init(next.id()))?;
    next.wait().map(|_| ())
}

/// Leaves the namespaces of the machine, and its supplementary groups where that is possible.
fn unshare_namespaces() -> io::Result<()> {
    let _ = rustix::thread::set_thread_groups(&[]);
    let all = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    Ok(unshare(all)?)
}

/// Runs the second stage.
fn run_inner_stage(supervisor: &UnixStream) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let prepared = PreparedLayers::build();
    let Some(order) = receive::<CellOrder>(supervisor)? else { return Ok(()) };
    if order.network == CellNetwork::Proxy {
        match open_listener() {
            Ok(listener) => {
                send(supervisor, &CellReport::Listener)?;
                send_handle(supervisor, &listener)?;
            }
            Err(error) => return send(supervisor, &CellReport::Unstarted(error.to_string())),
        }
    }
    let PreparedLayers { root, rules, filters } = prepared;
    let Some(input) = build_layers(&order, supervisor, (root, rules))? else { return Ok(()) };
    send(supervisor, &CellReport::Built)?;
    let Some(()) = receive(supervisor)? else { return Ok(()) };
    let watched = supervisor.try_clone()?;
    // Whoever holds this ends the process.
    let ending = Arc::new(Mutex::new(()));
    let own_ending = Arc::clone(&ending);
    thread::spawn(move || {
        let _ = SigSet::all().thread_block();
        let supervisor = await_supervisor(&watched);
        let _ending = own_ending.lock();
        if supervisor == SupervisorState::Gone {
            clean_up();
        }
        std::process::exit(1);
    });
    let filter = || match order.network {
        CellNetwork::None => install_filters(&filters?),
        CellNetwork::Proxy => install_filters(&compile_filters(order.network)?),
    };
    if !build_layer(supervisor, &order, SandboxLayer::Seccomp, filter)? {
        return Ok(());
    }
    let Some((program, arguments)) = order.argv.split_first() else { return Ok(()) };
    let mut tool = Command::new(program);
    let environment = order.environment.iter().map(|(name, value)| (name, value));
    tool.args(arguments).env_clear().envs(environment).stdin(input);
    match tool.spawn() {
        Err(error) => send(supervisor, &CellReport::Unstarted(error.to_string())),
        Ok(tool) => {
            // The tool may send signals, and the runtime of this program handles some of them, so
            // all are blocked from now on. Had they been blocked earlier, the tool would have
            // inherited that.
            SigSet::all().thread_block()?;
            let exit =
                send(supervisor, &CellReport::Started).and_then(|()| reap_until_exit(tool.id()));
            // The other thread may be cleaning up, and then it has reaped the tool: this thread
            // must not end the process meanwhile.
            let _ending = ending.lock();
            exit.and_then(|exit| send(supervisor, &CellReport::Ended(exit)))
                .inspect_err(|_| clean_up())
        }
    }
}

/// What became of the supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SupervisorState {
    /// It ends the run, and cleans up after it.
    Stopping,
    /// It is gone, so that nobody else cleans up.
    Gone,
}

/// Waits until the supervisor ends the run, by one byte, or is gone.
fn await_supervisor(mut supervisor: &UnixStream) -> SupervisorState {
    loop {
        match supervisor.read(&mut [0]) {
            Ok(1..) => return SupervisorState::Stopping,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return SupervisorState::Gone,
        }
    }
}

/// Ends everything that the tool started, and disarms the repositories that it has made. The marker
/// of the run stays, so a later process makes sure.
fn clean_up() {
    // Every process of this namespace but this one, which adopts what they leave.
    let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(-1), nix::sys::signal::SIGKILL);
    while !matches!(wait(WaitOptions::empty()), Err(rustix::io::Errno::CHILD)) {}
    if let Ok(workspace) = Dir::open_ambient_dir("/work", ambient_authority()) {
        SweepReport::sweep(&workspace);
    }
}

/// Builds all layers but the last, seccomp, which is built when nothing else is left to do. Returns
/// `None` if a layer is missing.
fn build_layers(
    order: &CellOrder,
    supervisor: &UnixStream,
    (root, rules): (io::Result<()>, io::Result<LandlockRules>),
) -> io::Result<Option<Stdio>> {
    let processes = if rules.is_ok() { ProcVisibility::Shown } else { ProcVisibility::Hidden };
    let mut input = Stdio::null();
    let enter = || {
        root?;
        rustix::system::sethostname(b"sandbox")?;
        private_root::show_folders(&order.binds, processes, order.network)?;
        private_root::write_tool_files(&order.files, supervisor)?;
        input = match order.input {
            CellInput::Bytes(size) => read_input(size, supervisor)?,
            CellInput::Pipe => open_input_pipe(supervisor)?,
        };
        if let Some(project) = &order.project {
            mount_project(project, supervisor)?;
        }
        private_root::detach_old_root()?;
        if std::path::Path::new("/work").is_dir() {
            std::env::set_current_dir("/work")?;
        }
        Ok(())
    };
    let places = || {
        let project = order.project.iter().map(|project| (PROJECT.into(), project.access));
        private_root::ordered_paths(&order.binds).chain(project)
    };
    let restrict_paths = || {
        let rules = rules?.allow_all(places())?;
        match order.network {
            CellNetwork::None => rules.enforce(),
            CellNetwork::Proxy => rules.allow_port(PROXY_PORT)?.enforce(),
        }
    };
    let drop_privileges = || {
        confine::drop_privileges()?;
        // Changing the user has cleared the death signal.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The tool runs as the same user and must not look into this process, whose executable has
        // a host path.
        Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
    };
    let is_whole = build_layer(supervisor, order, SandboxLayer::Root, enter)?
        && build_layer(supervisor, order, SandboxLayer::Limits, || {
            confine::set_process_limits(order.bounds)
        })?
        && build_layer(supervisor, order, SandboxLayer::Privileges, drop_privileges)?
        && build_layer(supervisor, order, SandboxLayer::Landlock, restrict_paths)?;
    Ok(is_whole.then_some(input))
}

/// Builds one layer, reports the result, and returns whether to go on.
fn build_layer(
    supervisor: &UnixStream,
    order: &CellOrder,
    layer: SandboxLayer,
    build: impl FnOnce() -> io::Result<()>,
) -> io::Result<bool> {
    let built = build().map_err(|error| error.to_string());
    let go_on = built.is_ok() || order.level.accepts_missing(layer);
    send(supervisor, &CellReport::Layer(layer, built))?;
    Ok(go_on)
}

/// Reads the tool's input into a sealed anonymous file. The tool cannot write to it: what it wrote
/// there would be memory that is not accounted for.
fn read_input(size: u64, supervisor: &UnixStream) -> io::Result<Stdio> {
    if size == 0 {
        return Ok(Stdio::null());
    }
    let mut file =
        File::from(memfd_create("input", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?);
    io::copy(&mut supervisor.take(size), &mut file)?;
    file.flush()?;
    file.seek(SeekFrom::Start(0))?;
    let all = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    fcntl_add_seals(&file, all)?;
    Ok(file.into())
}

/// Opens a pipe for the tool's input, and hands its other end to the supervisor.
fn open_input_pipe(supervisor: &UnixStream) -> io::Result<Stdio> {
    let (input, output) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    send(supervisor, &CellReport::Input)?;
    send_handle(supervisor, &output)?;
    Ok(input.into())
}

/// Waits for the tool and meanwhile reaps its orphaned processes.
fn reap_until_exit(tool: u32) -> io::Result<Exit> {
    let tool = i32::try_from(tool).ok().and_then(Pid::from_raw);
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if Some(ended) == tool => {
                return Ok(exit_from_status(status));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn exit_from_status(status: WaitStatus) -> Exit {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Code(-1),
    }
}
