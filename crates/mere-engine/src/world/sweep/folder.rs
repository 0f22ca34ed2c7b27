//! One task of a sweep: reading a folder, or examining some of its files.
//!
//! A folder is opened by its path from the target's handle, and everything found in it passes the
//! visibility and ignore rules before it is collected.

use std::io;
use std::sync::Arc;

use mere_core::address::{RelPath, Segment};

use super::names::{EntryPaths, FolderNames, join_path};
use super::task::{SweepFolder, Task, TaskKind};
use super::{Collector, FileInterest, OpenedFile, SKIPPED, SweepPlan, Weight};
use crate::world::Omitted;
use crate::world::ignore::{IgnoreFilesPresent, IgnoreStack, IsFolder};
use crate::world::list::TraversalError;
use crate::world::sensitivity::Visibility;
use crate::world::twins::{TwinFinder, Twins};
use crate::world::walk::{is_denied, walk};
use mere_host::{EntryKind, OpenFolder, is_symlink_error};

/// How many files are examined in one task.
const BATCH: usize = 24;

/// The results of a task.
pub(super) struct TaskOutput<'a, F> {
    pub(super) found: Vec<(String, F)>,
    pub(super) tasks: Vec<Task>,
    pub(super) omitted: Omitted,
    is_over: &'a dyn Fn() -> bool,
    share_tasks: &'a dyn Fn(Vec<Task>),
}

impl<'a, F> TaskOutput<'a, F> {
    pub(super) fn new(is_over: &'a dyn Fn() -> bool, share_tasks: &'a dyn Fn(Vec<Task>)) -> Self {
        Self {
            found: Vec::new(),
            tasks: Vec::new(),
            omitted: Omitted::default(),
            is_over,
            share_tasks,
        }
    }
}

/// What is swept, and what is collected on the way.
pub(super) struct Sweep<'a, H> {
    pub(super) plan: &'a SweepPlan<'a>,
    pub(super) collector: &'a H,
}

/// Performs a task with a worker's scratch data, and adds its results to `out`.
pub(super) fn run<H: Collector>(
    sweep: &Sweep<'_, H>,
    task: Task,
    tool: &mut H::Scratch,
    out: &mut TaskOutput<'_, H::Output>,
) -> Result<(), TraversalError> {
    let Sweep { plan, collector } = *sweep;
    let folder = &task.folder;
    let is_first = matches!(task.kind, TaskKind::Names(None))
        && folder.depth > 0
        && folder.visibility.is_shown()
        && plan.start.is_none_or(|start| start.admits(&task.key));
    let open = match OpenFolder::open(plan.target, &folder.path) {
        Ok(open) => open,
        // A folder that may not be entered exists, but nothing in it is known.
        Err(error) if is_denied(&error) && folder.depth > 0 => {
            if is_first {
                out.found.extend(
                    collector.collect_folder(&folder.path).map(|output| (task.key, output)),
                );
            }
            return Ok(());
        }
        Err(error) if is_gone(&error) => return Ok(()),
        // The path is longer than the system accepts, and so it has no address either.
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
            out.omitted.unaddressable += 1;
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    if plan.limits.hidden.contains(open.identity()?) {
        return Ok(());
    }
    let mut visit = FolderVisit { plan, collector, folder, open, tool, out };
    if is_first {
        visit
            .out
            .found
            .extend(collector.collect_folder(&folder.path).map(|output| (task.key, output)));
    }
    match task.kind {
        TaskKind::Files(names) => visit.collect_files(&names),
        TaskKind::Names(from) if folder.depth < plan.depth => visit.read(from.as_deref()),
        TaskKind::Names(_) => Ok(()),
    }
}

/// Checks whether the folder was removed, or replaced by a link or a file, since it was read.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || is_symlink_error(error)
        || error.kind() == io::ErrorKind::CrossesDevices
}

/// An open folder, with everything that is needed to process it.
struct FolderVisit<'a, 'o, H: Collector> {
    plan: &'a SweepPlan<'a>,
    collector: &'a H,
    folder: &'a Arc<SweepFolder>,
    open: OpenFolder,
    tool: &'a mut H::Scratch,
    out: &'a mut TaskOutput<'o, H::Output>,
}

impl<H: Collector> FolderVisit<'_, '_, H> {
    fn read(&mut self, from: Option<&str>) -> Result<(), TraversalError> {
        let (mut names, twins) = self.names(from)?;
        if (self.out.is_over)() {
            return Ok(());
        }
        let last = names.last();
        self.out.omitted.lookalikes += names.remove_twins(&twins, self.plan.order.separator());
        let rules = self.entry_rules(names.ignore_files);
        let mut paths = EntryPaths::new(self.plan, &self.folder.path);
        for (name, kind) in &names.kept {
            self.visit_entry((name, *kind), &rules, &mut paths);
        }
        self.count_links(&names.take_links(), &mut paths);
        if let Some(last) = last {
            self.push_task(self.key(&last), TaskKind::Names(Some(last)));
        }
        if paths.content_files.is_empty() { Ok(()) } else { self.share_files(paths.content_files) }
    }

    /// Returns the folder's smallest names after `from`, in order, and those of all its names that
    /// look alike. The names of folders end with the separator.
    fn names(&mut self, from: Option<&str>) -> Result<(FolderNames, Twins), TraversalError> {
        let separator = self.plan.order.separator();
        let mut names = FolderNames::default();
        let collector = self.collector;
        let (is_cancelled, omitted) = (self.out.is_over, &mut self.out.omitted);
        let (mut seen, mut twins) = (0_usize, TwinFinder::default());
        let read = self.open.for_each_entry(|name, kind| {
            seen += 1;
            if seen.is_multiple_of(1024) && is_cancelled() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if let Some(name) = name {
                twins.note(name);
                if kind == EntryKind::Link && H::COUNTS_LINKS && from.is_none() {
                    names.add_link(name);
                }
            }
            if !matches!(kind, EntryKind::Folder | EntryKind::File) {
                return Ok(());
            }
            let Some(name) = name.filter(|name| Segment::check(name).is_ok()) else {
                let counts = kind == EntryKind::Folder || collector.may_want_name("");
                omitted.unaddressable += u64::from(from.is_none() && counts);
                return Ok(());
            };
            names.ignore_files.note(name);
            if kind == EntryKind::File && !collector.may_want_name(name) {
                return Ok(());
            }
            let mut name = name.to_owned();
            if kind == EntryKind::Folder {
                name.push(separator);
            }
            if from.is_none_or(|from| name.as_str() > from) {
                names.add(name, kind);
            }
            Ok(())
        });
        match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted && is_cancelled() => {}
            Err(error) if is_denied(&error) && self.folder.depth > 0 => {}
            Err(error) if is_gone(&error) => {}
            other => other?,
        }
        names.sort();
        let reopen = || OpenFolder::open(self.plan.target, &self.folder.path);
        let twins = match twins.finish(reopen) {
            Err(error) if is_gone(&error) => Twins::default(),
            found => found?,
        };
        Ok((names, twins))
    }

    /// Counts the links that lead nowhere in the visible world.
    fn count_links(&mut self, links: &[Segment], paths: &mut EntryPaths) {
        for name in links {
            let path = paths.whole.with(name.as_str());
            let visibility = self.plan.limits.visibility.child_visibility(
                self.folder.visibility,
                path,
                name.as_str(),
            );
            if !visibility.is_shown() || (self.out.is_over)() {
                continue;
            }
            let Ok(path) = path.parse::<RelPath>() else { continue };
            self.out.omitted.note_link(&walk(self.plan.root, &path, self.plan.limits));
        }
    }

    /// Returns the ignore rules for this folder's entries.
    fn entry_rules(&self, has: IgnoreFilesPresent) -> IgnoreStack {
        let rules = self.folder.ignore_rules.clone();
        match &self.plan.ignore_base {
            Some(from) => {
                let path = join_path(&from.path, &self.folder.path);
                rules.with_files_in(&self.open, (from.base, &path), has)
            }
            None => rules,
        }
    }

    /// Processes one entry: collects it, or adds it to the tasks or to the files to examine.
    fn visit_entry(
        &mut self,
        (name, kind): (&str, EntryKind),
        rules: &IgnoreStack,
        paths: &mut EntryPaths,
    ) {
        let is_folder = if kind == EntryKind::Folder { IsFolder::Yes } else { IsFolder::No };
        let plain = name.strip_suffix(self.plan.order.separator()).unwrap_or(name);
        let key = paths.key.with(name);
        let admitted = match (self.plan.start, is_folder) {
            (None, _) => true,
            (Some(start), IsFolder::Yes) => start.admits_below(key),
            (Some(start), IsFolder::No) => start.admits(key),
        };
        if !admitted || SKIPPED.contains(&plain) {
            return;
        }
        let visibility = self.plan.limits.visibility.child_visibility(
            self.folder.visibility,
            paths.whole.with(plain),
            plain,
        );
        if visibility == Visibility::Hidden {
            return;
        }
        let from = self.plan.ignore_base.as_ref();
        if is_folder == IsFolder::Yes {
            let rules = from.map(|from| {
                let path = paths.ignore_path.with(plain);
                let rules = rules.clone().for_folder(path, from);
                (!rules.is_ignored(path, IsFolder::Yes)).then_some(rules)
            });
            let Some(rules) = rules.unwrap_or_else(|| Some(IgnoreStack::default())) else { return };
            let path = paths.path.with(plain).to_owned();
            let folder =
                SweepFolder { path, ignore_rules: rules, visibility, depth: self.folder.depth + 1 };
            let (key, folder) = (key.to_owned(), Arc::new(folder));
            self.out.tasks.push(Task { key, folder, kind: TaskKind::Names(None) });
            return;
        }
        let ignored =
            from.is_some_and(|_| rules.is_ignored(paths.ignore_path.with(plain), IsFolder::No));
        if ignored || !visibility.is_shown() {
            return;
        }
        match self.collector.match_file(paths.path.with(plain)) {
            FileInterest::Nothing => {}
            FileInterest::Name(output) => self.out.found.push((key.to_owned(), output)),
            FileInterest::Content => paths.content_files.push(plain.to_owned()),
        }
    }

    /// Examines the first files, and leaves the others to idle workers.
    fn share_files(&mut self, mut content: Vec<String>) -> Result<(), TraversalError> {
        let others = content.split_off(content.len().min(BATCH));
        for batch in others.chunks(BATCH) {
            let Some(first) = batch.first() else { continue };
            self.push_task(self.key(first), TaskKind::Files(batch.to_vec()));
        }
        (self.out.share_tasks)(std::mem::take(&mut self.out.tasks));
        self.collect_files(&content)
    }

    fn collect_files(&mut self, names: &[String]) -> Result<(), TraversalError> {
        let mut total = Weight::default();
        for (index, name) in names.iter().enumerate() {
            if (self.out.is_over)() {
                return Ok(());
            }
            if total.overflows(self.plan.size) {
                // These few files fill more than a page, so the rest may not be needed at all.
                self.push_task(self.key(name), TaskKind::Files(names[index..].to_vec()));
                return Ok(());
            }
            let path = join_path(&self.folder.path, name);
            let file = match self.open.open_file(name) {
                Ok(Some(file)) => file,
                Ok(None) => continue,
                Err(error) if is_gone(&error) || is_denied(&error) => continue,
                Err(error) => return Err(error.into()),
            };
            let key = self.key(name);
            let opened = OpenedFile { path: &path, file, is_over: self.out.is_over };
            if let Some(output) = self.collector.collect_file(self.tool, opened) {
                total.add(self.collector.weight(&key, &output));
                self.out.found.push((key, output));
            }
        }
        Ok(())
    }

    fn push_task(&mut self, key: String, kind: TaskKind) {
        self.out.tasks.push(Task { key, folder: Arc::clone(self.folder), kind });
    }

    fn key(&self, name: &str) -> String {
        let mut key = self.plan.order.key(&self.folder.path);
        if !key.is_empty() {
            key.push(self.plan.order.separator());
        }
        key.push_str(name);
        key
    }
}
