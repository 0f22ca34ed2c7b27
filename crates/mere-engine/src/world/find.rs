//! The directories below a directory, and the files whose paths match a pattern.

use cap_std::fs::Dir;
use mere_core::address::RelPath;
use mere_core::pattern::Pattern;
use mere_core::root::Root;
use mere_core::turn::Turn;

use super::ignored::RulesFrom;
use super::list::LookError;
use super::sweep::{Gathered, Harvest, Opened, Order, Plan, Position, Want, Weight, sweep};
use super::{VisibilityRef, World};
use mere_host::SPACE_FOLDER;

/// How far a walk goes, and where its page begins.
pub(crate) struct Bounds<'a> {
    /// How many directories deep.
    pub(crate) depth: usize,
    /// How much a page holds.
    pub(crate) size: usize,
    pub(crate) start: Option<&'a Position>,
}

impl World {
    /// The page of directories below `target` within `bounds`, folder by folder.
    pub(crate) fn tree(
        &self,
        target: &VisibilityRef,
        bounds: &Bounds<'_>,
        turn: &dyn Turn,
    ) -> Result<Gathered<RelPath>, LookError> {
        self.walk_below(target, bounds, Order::Walking, &Directories, turn)
    }

    /// The page of files below `target` whose paths match, by the bytes of their paths.
    pub(crate) fn glob(
        &self,
        target: &VisibilityRef,
        pattern: &Pattern,
        bounds: &Bounds<'_>,
        turn: &dyn Turn,
    ) -> Result<Gathered<()>, LookError> {
        self.walk_below(target, bounds, Order::Bytes, &Names(pattern), turn)
    }

    /// Sweeps what lies below `target`; nothing lies below a root without a folder.
    pub(super) fn walk_below<H: Harvest>(
        &self,
        target: &VisibilityRef,
        bounds: &Bounds<'_>,
        order: Order,
        harvest: &H,
        turn: &dyn Turn,
    ) -> Result<Gathered<H::Fruit>, LookError> {
        let Some(opened) = target.opened() else {
            return Ok(Gathered { found: Vec::new(), unaddressable: 0, rest: None });
        };
        let (root, path) = (target.address().root(), target.address().path());
        let rules = (*root != Root::Workspace).then(|| self.rules_from(target, opened.root));
        let plan = Plan {
            target: opened.dir,
            path,
            limits: self.limits(root),
            rules,
            order,
            depth: bounds.depth,
            size: bounds.size,
            start: bounds.start,
        };
        sweep(&plan, harvest, turn)
    }

    /// Where the ignore rules for `target` begin.
    fn rules_from<'a>(&'a self, target: &VisibilityRef, base: &'a Dir) -> RulesFrom<'a> {
        let path = target.address().path();
        if let Some((base, below)) = self.around(target.address().root()) {
            let space = format!("{below}/{SPACE_FOLDER}");
            return RulesFrom { base, path: below.join_path(path).to_string(), space };
        }
        RulesFrom { base, path: path.to_string(), space: SPACE_FOLDER.to_owned() }
    }
}

struct Directories;

impl Harvest for Directories {
    type Fruit = RelPath;
    type Tool = ();

    fn tool(&self) {}

    fn folder(&self, path: &str) -> Option<RelPath> {
        path.parse().ok()
    }

    fn could_want(&self, _name: &str) -> bool {
        false
    }

    fn file(&self, _path: &str) -> Want<RelPath> {
        Want::Nothing
    }

    fn open(&self, (): &mut (), _file: Opened<'_>) -> Option<RelPath> {
        None
    }

    fn weight(&self, key: &str, _path: &RelPath) -> Weight {
        Weight { count: 1, bytes: key.len() }
    }
}

struct Names<'a>(&'a Pattern);

/// The key says it all: in byte order it is the path.
impl Harvest for Names<'_> {
    type Fruit = ();
    type Tool = ();

    fn tool(&self) {}

    fn folder(&self, _path: &str) -> Option<()> {
        None
    }

    fn could_want(&self, name: &str) -> bool {
        self.0.may_match_name(name)
    }

    fn file(&self, path: &str) -> Want<()> {
        if self.0.matches(path) { Want::Name(()) } else { Want::Nothing }
    }

    fn open(&self, (): &mut (), _file: Opened<'_>) -> Option<()> {
        None
    }

    fn weight(&self, key: &str, (): &()) -> Weight {
        Weight { count: 1, bytes: key.len() }
    }
}
