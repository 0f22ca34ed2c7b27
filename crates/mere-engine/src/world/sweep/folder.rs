//! One task of a sweep: read a folder, or look into some of its files.

use std::io;
use std::sync::Arc;

use mere_core::segment::Segment;

use super::names::{Names, Paths, join};
use super::task::{Folder, Task, What};
use super::{Harvest, Opened, Plan, Want, Weight};
use crate::world::discretion::Sight;
use crate::world::ignored::{Has, Ignored, IsFolder};
use crate::world::list::LookError;
use crate::world::walk::is_denied;
use mere_host::{EntryKind, OpenFolder, is_symlink_error};

/// Names no walk enters: what lies there is nobody's reading.
const SKIPPED: [&str; 2] = [".git", "node_modules"];
/// How many files are looked into as one task.
const BATCH: usize = 24;

/// What comes of a task.
pub(super) struct Yield<'a, F> {
    pub(super) found: Vec<(String, F)>,
    pub(super) tasks: Vec<Task>,
    pub(super) unaddressable: u64,
    over: &'a dyn Fn() -> bool,
    hand_out: &'a dyn Fn(Vec<Task>),
}

impl<'a, F> Yield<'a, F> {
    pub(super) fn new(over: &'a dyn Fn() -> bool, hand_out: &'a dyn Fn(Vec<Task>)) -> Self {
        Self { found: Vec::new(), tasks: Vec::new(), unaddressable: 0, over, hand_out }
    }
}

/// Does a task, with a worker's tool, into what comes of it.
pub(super) fn run<H: Harvest>(
    plan: &Plan<'_>,
    harvest: &H,
    task: Task,
    (tool, out): (&mut H::Tool, &mut Yield<'_, H::Fruit>),
) -> Result<(), LookError> {
    let folder = &task.folder;
    let is_first = matches!(task.what, What::Names(None))
        && folder.depth > 0
        && folder.sight.is_shown()
        && plan.start.is_none_or(|start| start.admits(&task.key));
    let open = match OpenFolder::open(plan.target, &folder.path) {
        Ok(open) => open,
        // A folder that may not be entered is there, but nothing of it is known.
        Err(error) if is_denied(&error) && folder.depth > 0 => {
            if is_first {
                out.found.extend(harvest.folder(&folder.path).map(|fruit| (task.key, fruit)));
            }
            return Ok(());
        }
        Err(error) if is_gone(&error) => return Ok(()),
        // Deeper than the system can say in one path, and so deeper than an address.
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
            out.unaddressable += 1;
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    if plan.limits.hidden.contains(open.identity()?) {
        return Ok(());
    }
    let mut visit = Visit { plan, harvest, folder, open, tool, out };
    if is_first {
        visit.out.found.extend(harvest.folder(&folder.path).map(|fruit| (task.key, fruit)));
    }
    match task.what {
        What::Files(names) => visit.look_into(&names),
        What::Names(from) if folder.depth < plan.depth => visit.read(from.as_deref()),
        What::Names(_) => Ok(()),
    }
}

/// Swapped for a link or a file, or removed, since it was read.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || is_symlink_error(error)
        || error.kind() == io::ErrorKind::CrossesDevices
}

/// An open folder and everything around it.
struct Visit<'a, 'o, H: Harvest> {
    plan: &'a Plan<'a>,
    harvest: &'a H,
    folder: &'a Arc<Folder>,
    open: OpenFolder,
    tool: &'a mut H::Tool,
    out: &'a mut Yield<'o, H::Fruit>,
}

impl<H: Harvest> Visit<'_, '_, H> {
    fn read(&mut self, from: Option<&str>) -> Result<(), LookError> {
        let names = self.names(from)?;
        if (self.out.over)() {
            return Ok(());
        }
        let rules = self.rules(names.has);
        let mut paths = Paths::new(self.plan, &self.folder.path);
        for (name, kind) in &names.kept {
            self.visit((name, *kind), &rules, &mut paths);
        }
        if let Some((last, _)) = names.kept.last().filter(|_| names.more) {
            let key = self.key(last);
            self.push(key, What::Names(Some(last.clone())));
        }
        if paths.content.is_empty() { Ok(()) } else { self.share_out(paths.content) }
    }

    /// The folder's smallest names after `from`, in order; folders' names end with the separator.
    fn names(&mut self, from: Option<&str>) -> Result<Names, LookError> {
        let separator = self.plan.order.separator();
        let mut names = Names::default();
        let harvest = self.harvest;
        let (over, unaddressable) = (self.out.over, &mut self.out.unaddressable);
        let mut seen = 0_usize;
        let read = self.open.for_each_entry(|name, kind| {
            seen += 1;
            if seen.is_multiple_of(1024) && over() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if !matches!(kind, EntryKind::Folder | EntryKind::File) {
                return Ok(());
            }
            let Some(name) = name.filter(|name| Segment::check(name).is_ok()) else {
                let counts = kind == EntryKind::Folder || harvest.could_want("");
                *unaddressable += u64::from(from.is_none() && counts);
                return Ok(());
            };
            names.has.note(name);
            if kind == EntryKind::File && !harvest.could_want(name) {
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
            Err(error) if error.kind() == io::ErrorKind::Interrupted && over() => {}
            Err(error) if is_denied(&error) && self.folder.depth > 0 => {}
            Err(error) if is_gone(&error) => {}
            other => other?,
        }
        names.sort();
        Ok(names)
    }

    /// The rules that hold for this folder's entries.
    fn rules(&self, has: Has) -> Ignored {
        let rules = self.folder.rules.clone();
        match &self.plan.rules {
            Some(from) => {
                let path = join(&from.path, &self.folder.path);
                rules.with(&self.open, (from.base, &path), has)
            }
            None => rules,
        }
    }

    /// Takes one entry into account.
    fn visit(&mut self, (name, kind): (&str, EntryKind), rules: &Ignored, paths: &mut Paths) {
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
        let sight = self.plan.limits.eyes.child(self.folder.sight, paths.whole.with(plain), plain);
        if sight == Sight::Hidden {
            return;
        }
        let from = self.plan.rules.as_ref();
        if is_folder == IsFolder::Yes {
            let rules = from.map(|from| {
                let path = paths.rules.with(plain);
                let rules = rules.clone().entered(path, from);
                (!rules.leave_out(path, IsFolder::Yes)).then_some(rules)
            });
            let Some(rules) = rules.unwrap_or_else(|| Some(Ignored::default())) else { return };
            let path = paths.path.with(plain).to_owned();
            let folder = Folder { path, rules, sight, depth: self.folder.depth + 1 };
            let (key, folder) = (key.to_owned(), Arc::new(folder));
            self.out.tasks.push(Task { key, folder, what: What::Names(None) });
            return;
        }
        let ignored = from.is_some_and(|_| rules.leave_out(paths.rules.with(plain), IsFolder::No));
        if ignored || !sight.is_shown() {
            return;
        }
        match self.harvest.file(paths.path.with(plain)) {
            Want::Nothing => {}
            Want::Name(fruit) => self.out.found.push((key.to_owned(), fruit)),
            Want::Content => paths.content.push(plain.to_owned()),
        }
    }

    /// Looks into a few files, and leaves the others to whoever has time.
    fn share_out(&mut self, mut content: Vec<String>) -> Result<(), LookError> {
        let others = content.split_off(content.len().min(BATCH));
        for batch in others.chunks(BATCH) {
            let Some(first) = batch.first() else { continue };
            self.push(self.key(first), What::Files(batch.to_vec()));
        }
        (self.out.hand_out)(std::mem::take(&mut self.out.tasks));
        self.look_into(&content)
    }

    fn look_into(&mut self, names: &[String]) -> Result<(), LookError> {
        let mut total = Weight::default();
        for (index, name) in names.iter().enumerate() {
            if (self.out.over)() {
                return Ok(());
            }
            if total.overflows(self.plan.size) {
                // More than a page from these few: the rest may not be needed at all.
                self.push(self.key(name), What::Files(names[index..].to_vec()));
                return Ok(());
            }
            let path = join(&self.folder.path, name);
            let file = match self.open.open_file(name) {
                Ok(Some(file)) => file,
                Ok(None) => continue,
                Err(error) if is_gone(&error) || is_denied(&error) => continue,
                Err(error) => return Err(error.into()),
            };
            let key = self.key(name);
            let opened = Opened { path: &path, file, over: self.out.over };
            if let Some(fruit) = self.harvest.open(self.tool, opened) {
                total.add(self.harvest.weight(&key, &fruit));
                self.out.found.push((key, fruit));
            }
        }
        Ok(())
    }

    fn push(&mut self, key: String, what: What) {
        self.out.tasks.push(Task { key, folder: Arc::clone(self.folder), what });
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
