//! A control group for one run.
//!
//! Where the machine lets us create one, the kernel itself enforces the limits on processes and
//! memory; elsewhere, processes and memory are counted from outside.
//!
//! Moving a process into a group takes the kernel 10 ms or more, so a thread does it while the cell
//! is built. The tool is started after that.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::run_plan::RunLimits;

/// The prefix of a group's name, before the id of the process that created it.
const GROUP_PREFIX: &str = "mere-";

/// The groups of one run: one in the unified hierarchy (cgroup v2), or one in each older hierarchy
/// (v1).
#[derive(Debug, Default)]
pub(super) struct ControlGroup {
    folders: Vec<PathBuf>,
    pub(super) has_task_limit: bool,
    pub(super) has_memory_limit: bool,
    /// The file that counts out-of-memory kills.
    memory_events: Option<PathBuf>,
}

impl ControlGroup {
    /// Creates the groups of a run, as far as the machine lets us.
    fn create(limits: RunLimits) -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let name = &format!("{GROUP_PREFIX}{}-{number}", std::process::id());
        let mut group = Self::default();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let unified = own.lines().find_map(|line| line.strip_prefix("0::"));
        if let (Some(own), Some(mount)) = (unified, unified_mount(&mounts))
            && group.create_unified(&mount, own, (name, limits)).is_some()
        {
            return group;
        }
        for (controller, setting, value) in
            [("pids", "pids.max", limits.tasks), ("memory", "memory.limit_in_bytes", limits.memory)]
        {
            let made = legacy_group(&mounts, &own, controller).and_then(|parent| {
                let folder = create_group(&parent, name)?;
                fs::write(folder.join(setting), value.to_string()).ok().map(|()| folder)
            });
            let Some(folder) = made else { continue };
            if controller == "memory" {
                group.has_memory_limit = true;
                group.memory_events = Some(folder.join("memory.oom_control"));
            } else {
                group.has_task_limit = true;
            }
            group.folders.push(folder);
        }
        group
    }

    /// Creates the group in the nearest group above our own that we may write to and that controls
    /// both processes and memory for its children.
    fn create_unified(
        &mut self,
        mount: &Path,
        own: &str,
        (name, limits): (&str, RunLimits),
    ) -> Option<()> {
        let own = mount.join(own.trim_start_matches('/'));
        let folder = own.ancestors().take_while(|at| at.starts_with(mount)).find_map(|parent| {
            let kept = fs::read_to_string(parent.join("cgroup.subtree_control")).ok()?;
            let keeps = |one: &str| kept.split_whitespace().any(|word| word == one);
            if keeps("pids") && keeps("memory") { create_group(parent, name) } else { None }
        })?;
        self.folders.push(folder.clone());
        fs::write(folder.join("pids.max"), limits.tasks.to_string()).ok()?;
        fs::write(folder.join("memory.max"), limits.memory.to_string()).ok()?;
        let _ = fs::write(folder.join("memory.swap.max"), "0");
        (self.has_task_limit, self.has_memory_limit) = (true, true);
        self.memory_events = Some(folder.join("memory.events"));
        Some(())
    }

    /// Adds a process and everything that it will start. A group that does not take it, for example
    /// because somebody has removed the group, limits nothing.
    fn add_process(&mut self, process: u32) {
        let add = |folder: &PathBuf| fs::write(folder.join("cgroup.procs"), process.to_string());
        if let Err(error) = self.folders.iter().try_for_each(add) {
            tracing::warn!(%error, "a control group is lost; its run is watched instead");
            (self.has_task_limit, self.has_memory_limit) = (false, false);
        }
    }

    /// Checks whether a process was killed because memory ran out.
    pub(super) fn has_run_out_of_memory(&self) -> bool {
        let text = self.memory_events.as_ref().and_then(|path| fs::read_to_string(path).ok());
        let text = text.unwrap_or_default();
        let killed = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        killed.unwrap_or(text.trim()).trim().parse::<u64>().is_ok_and(|count| count > 0)
    }
}

/// A control group that is being created, and that a process is being moved into.
pub(super) struct PendingGroup {
    process: Option<Sender<u32>>,
    thread: Option<JoinHandle<ControlGroup>>,
}

impl PendingGroup {
    /// Starts to create the groups of a run.
    pub(super) fn create(limits: RunLimits) -> Self {
        let (process, to_add) = channel();
        let thread = thread::spawn(move || {
            let mut group = ControlGroup::create(limits);
            if let Ok(process) = to_add.recv() {
                group.add_process(process);
            }
            group
        });
        Self { process: Some(process), thread: Some(thread) }
    }

    /// Starts to move a process into the groups.
    pub(super) fn add_process(&mut self, process: u32) {
        if let Some(sender) = self.process.take() {
            let _ = sender.send(process);
        }
    }

    /// Waits until the process is in its groups. If it is in none, the result limits nothing.
    pub(super) fn wait(&mut self) -> ControlGroup {
        // The thread ends if there is no process to wait for.
        self.process = None;
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for PendingGroup {
    fn drop(&mut self) {
        drop(self.wait());
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        for folder in &self.folders {
            // A process that was just killed may still be counted in the group.
            for _ in 0..50 {
                if fs::remove_dir(folder).is_ok() || !folder.exists() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

fn create_group(parent: &Path, name: &str) -> Option<PathBuf> {
    remove_abandoned_groups(parent);
    let folder = parent.join(name);
    fs::create_dir(&folder).ok().map(|()| folder)
}

/// Removes the groups that killed processes left behind. Only empty groups can be removed.
fn remove_abandoned_groups(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker =
            name.to_str().and_then(|name| name.strip_prefix(GROUP_PREFIX)?.split('-').next());
        let is_gone = |maker: &str| !Path::new("/proc").join(maker).exists();
        if maker.is_some_and(is_gone) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Returns where the unified hierarchy is mounted.
fn unified_mount(mounts: &str) -> Option<PathBuf> {
    let line = mounts.lines().find(|line| line.contains(" - cgroup2 "))?;
    line.split(' ').nth(4).map(PathBuf::from)
}

/// Returns our own group in the older hierarchy of a controller.
fn legacy_group(mounts: &str, own: &str, controller: &str) -> Option<PathBuf> {
    let line = mounts.lines().find(|line| {
        let kind = line.split_once(" - cgroup ").map(|(_, kind)| kind);
        let options = kind.and_then(|kind| kind.rsplit(' ').next());
        options.is_some_and(|options| options.split(',').any(|one| one == controller))
    })?;
    let words = line.split(' ').collect::<Vec<_>>();
    let (root, point) = (words.get(3)?, words.get(4)?);
    let own = own.lines().find_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        controllers.split(',').any(|one| one == controller).then_some(path)
    })?;
    let below = own.strip_prefix(*root).unwrap_or(own).trim_start_matches('/');
    Some(Path::new(point).join(below))
}

#[cfg(test)]
mod tests {
    use super::ControlGroup;

    #[test]
    fn a_group_that_was_removed_limits_nothing() {
        let folders = vec!["/proc/self/no-such-group".into()];
        let mut group = ControlGroup {
            folders,
            has_task_limit: true,
            has_memory_limit: true,
            memory_events: None,
        };
        group.add_process(std::process::id());
        assert!(!group.has_task_limit && !group.has_memory_limit);
    }
}
