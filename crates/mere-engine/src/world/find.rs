//! The directories below a directory, and the files whose paths match a pattern.
//!
//! Both are sweeps: they follow no links, and leave out what ignore files leave out.

use cap_std::fs::Dir;
use mere_core::address::{RelPath, Root};
use mere_core::text::pattern::Pattern;
use mere_core::turn::Turn;

use super::ignore::IgnoreBase;
use super::list::TraversalError;
use super::sweep::{
    Collector, FileInterest, OpenedFile, PathOrder, Position, SweepPage, SweepPlan, Weight, sweep,
};
use super::{Omitted, VisibilityRef, World};
use mere_host::SPACE_FOLDER;

/// How far a sweep goes, and where its page begins.
pub(crate) struct SweepBounds<'a> {
    /// The maximum depth, in directories.
    pub(crate) depth: usize,
    /// How many results a page holds.
    pub(crate) size: usize,
    pub(crate) start: Option<&'a Position>,
}

impl World {
    /// Returns the page of directories below `target` within `bounds`, folder by folder.
    pub(crate) fn tree(
        &self,
        target: &VisibilityRef,
        bounds: &SweepBounds<'_>,
        turn: &dyn Turn,
    ) -> Result<SweepPage<RelPath>, TraversalError> {
        self.sweep_below(target, bounds, &DirectoryCollector, turn)
    }

    /// Returns the page of files below `target` whose paths match, ordered by the bytes of their
    /// paths.
    pub(crate) fn glob(
        &self,
        target: &VisibilityRef,
        pattern: &Pattern,
        bounds: &SweepBounds<'_>,
        turn: &dyn Turn,
    ) -> Result<SweepPage<()>, TraversalError> {
        self.sweep_below(target, bounds, &FileNameCollector(pattern), turn)
    }

    /// Sweeps what lies below `target`. Nothing lies below a root without a folder.
    pub(super) fn sweep_below<H: Collector>(
        &self,
        target: &VisibilityRef,
        bounds: &SweepBounds<'_>,
        collector: &H,
        turn: &dyn Turn,
    ) -> Result<SweepPage<H::Output>, TraversalError> {
        let Some(opened) = target.opened() else {
            return Ok(SweepPage {
                entries: Vec::new(),
                omitted: Omitted::default(),
                resume_at: None,
            });
        };
        let (root, path) = (target.address().root(), target.address().path());
        let rules = (*root != Root::Workspace).then(|| self.ignore_base(target, opened.root));
        let plan = SweepPlan {
            target: opened.dir,
            root: opened.root,
            path,
            limits: self.limits(root),
            ignore_base: rules,
            order: H::ORDER,
            depth: bounds.depth,
            size: bounds.size,
            start: bounds.start,
        };
        sweep(&plan, collector, turn)
    }

    /// Returns where the ignore rules for `target` begin.
    fn ignore_base<'a>(&'a self, target: &VisibilityRef, base: &'a Dir) -> IgnoreBase<'a> {
        let path = target.address().path();
        if let Some((base, below)) = self.enclosing_repository(target.address().root()) {
            let space = format!("{below}/{SPACE_FOLDER}");
            return IgnoreBase { base, path: below.join_path(path).to_string(), space };
        }
        IgnoreBase { base, path: path.to_string(), space: SPACE_FOLDER.to_owned() }
    }
}

struct DirectoryCollector;

impl Collector for DirectoryCollector {
    type Output = RelPath;
    type Scratch = ();
    const ORDER: PathOrder = PathOrder::FolderByFolder;
    const COUNTS_LINKS: bool = true;

    fn make_scratch(&self) {}

    fn collect_folder(&self, path: &str) -> Option<RelPath> {
        path.parse().ok()
    }

    fn may_want_name(&self, _name: &str) -> bool {
        false
    }

    fn match_file(&self, _path: &str) -> FileInterest<RelPath> {
        FileInterest::Nothing
    }

    fn collect_file(&self, (): &mut (), _file: OpenedFile<'_>) -> Option<RelPath> {
        None
    }

    fn weight(&self, key: &str, _path: &RelPath) -> Weight {
        Weight { count: 1, bytes: key.len() }
    }
}

struct FileNameCollector<'a>(&'a Pattern);

/// The key is enough, because in byte order it is the path.
impl Collector for FileNameCollector<'_> {
    type Output = ();
    type Scratch = ();
    const ORDER: PathOrder = PathOrder::Bytes;

    fn make_scratch(&self) {}

    fn collect_folder(&self, _path: &str) -> Option<()> {
        None
    }

    fn may_want_name(&self, name: &str) -> bool {
        self.0.may_match_name(name)
    }

    fn match_file(&self, path: &str) -> FileInterest<()> {
        if self.0.matches(path) { FileInterest::Name(()) } else { FileInterest::Nothing }
    }

    fn collect_file(&self, (): &mut (), _file: OpenedFile<'_>) -> Option<()> {
        None
    }

    fn weight(&self, key: &str, (): &()) -> Weight {
        Weight { count: 1, bytes: key.len() }
    }
}
