//! The one place that decides what may become of categories and memories.
//!
//! It is told what is there by a [`Ground`], looked at under the lock that the change is made under,
//! and asks no clock: the time is given.

use jiff::Timestamp;

use super::{
    Change, Contents, Denial, Depth, Flaw, Hierarchy, Mode, Operation, Permit, Policy, Realm,
    Refusal,
};
use crate::item::{Category, MemoryPath, Note};

/// What is there now.
pub trait Ground {
    /// Why it cannot be found out.
    type Error;

    /// Whether a category is there.
    fn has(&self, category: &Category) -> Result<bool, Self::Error>;
    /// The top categories that are there.
    fn tops(&self) -> Result<Vec<Category>, Self::Error>;
    /// How many memories lie right in a category.
    fn memories(&self, category: &Category) -> Result<u64, Self::Error>;
    /// What is in a category, however deep.
    fn contents(&self, category: &Category) -> Result<Contents, Self::Error>;
}

/// Whether the mode counts. Protection always does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Force {
    /// It does.
    #[default]
    No,
    /// A person at a terminal overrides it.
    Mode,
}

/// What holds for the categories of a store, or of the items of one type.
#[derive(Clone, Debug)]
pub struct Rules {
    realm: Realm,
    mode: Mode,
    hierarchy: Hierarchy,
}

/// When a change is asked for, and how.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// The time.
    pub now: Timestamp,
    /// Whether the mode counts.
    pub force: Force,
}

impl Rules {
    /// These rules.
    pub fn new(realm: Realm, mode: Mode, hierarchy: Hierarchy) -> Self {
        Self { realm, mode, hierarchy }
    }

    /// The same rules in a mode at least this strict.
    #[must_use]
    pub fn at_least(self, mode: Mode) -> Self {
        Self { mode: self.mode.max(mode), ..self }
    }

    /// How strictly the hierarchy holds.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The categories that are configured.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// What is asked of the memories of a category.
    pub fn policy(&self, category: &Category) -> Policy {
        self.hierarchy.policy(category)
    }

    /// Allows a change, or says why not. Policy speaks before what is there does.
    pub fn permit<G: Ground>(
        &self,
        change: Change,
        ground: &G,
        asking: Asking,
    ) -> Result<Permit, Refusal<G::Error>> {
        match &change {
            Change::CreateCategory { path, .. } => self.check_create(path, ground, asking.force)?,
            Change::DeleteCategory { path, depth } => {
                self.check_delete(path, *depth, ground, asking.force)?;
            }
            Change::Describe { path, .. } => self.check_describe(path, ground)?,
            Change::CreateMemory { path, note } => {
                self.check_arrival(path, ground, asking.force)?;
                self.check_room(path, ground)?;
                self.check_note(path, note, asking.now)?;
            }
            Change::UpdateMemory { path, note, .. } => {
                self.check_operation(Operation::Update, path)?;
                self.check_note(path, note, asking.now)?;
            }
            Change::MoveMemory { from, to, note, .. } => {
                self.check_move(from, to, ground, asking.force)?;
                self.check_note(to, note, asking.now)?;
            }
            Change::RemoveMemory { path, .. } => self.check_operation(Operation::Delete, path)?,
            Change::PruneMemory { path, note, .. } => {
                if !note.memory().has_expired(asking.now) {
                    return Err(Flaw::Unexpired { path: path.clone() }.into());
                }
                self.check_operation(Operation::Delete, path)?;
            }
        }
        Ok(Permit::new(change))
    }

    /// Whether an item may be put into a category, which is made if it is not there.
    pub fn admit<G: Ground>(
        &self,
        category: &Category,
        ground: &G,
    ) -> Result<(), Refusal<G::Error>> {
        if category.is_none() || self.mode == Mode::Free {
            return Ok(());
        }
        self.check_any_category(category, "an item", Force::No)?;
        if self.hierarchy.find(category).is_some()
            || ground.has(category).map_err(Refusal::Unknown)?
        {
            return Ok(());
        }
        self.check_create(category, ground, Force::No)
    }

    fn check_create<G: Ground>(
        &self,
        path: &Category,
        ground: &G,
        force: Force,
    ) -> Result<(), Refusal<G::Error>> {
        match self.mode {
            _ if force == Force::Mode => Ok(()),
            Mode::Free => Ok(()),
            Mode::Strict => Err(Denial::Create { realm: self.realm, path: path.clone() }.into()),
            Mode::Subcategories => {
                let root = path.top();
                let is_there = || ground.has(&root).map_err(Refusal::Unknown);
                if self.hierarchy.find(&root).is_some() || is_there()? {
                    return Ok(());
                }
                let allowed = self.allowed_roots(ground)?;
                Err(Denial::Root { realm: self.realm, root, allowed }.into())
            }
        }
    }

    /// Those of the configuration in its order, then the others that are there, sorted.
    fn allowed_roots<G: Ground>(&self, ground: &G) -> Result<Vec<Category>, Refusal<G::Error>> {
        let named = self.hierarchy.tops.iter().map(|top| top.category.clone());
        let mut allowed = named.collect::<Vec<_>>();
        let mut others = ground.tops().map_err(Refusal::Unknown)?;
        others.retain(|top| !allowed.contains(top));
        others.sort();
        allowed.extend(others);
        Ok(allowed)
    }

    fn check_delete<G: Ground>(
        &self,
        path: &Category,
        depth: Depth,
        ground: &G,
        force: Force,
    ) -> Result<(), Refusal<G::Error>> {
        if self.mode == Mode::Strict && force == Force::No {
            return Err(Denial::Delete { realm: self.realm, path: path.clone() }.into());
        }
        if self.hierarchy.find(path).is_some() {
            return Err(Denial::Protected { path: path.clone() }.into());
        }
        check_there("delete", path, ground)?;
        let contents = ground.contents(path).map_err(Refusal::Unknown)?;
        if contents.memories > 0 && !self.policy(path).permits(Operation::Delete) {
            return Err(Denial::Kept { path: path.clone(), memories: contents.memories }.into());
        }
        match depth {
            Depth::Empty if !contents.is_empty() => {
                Err(Flaw::NotEmpty { path: path.clone(), contents }.into())
            }
            Depth::Memories if contents.others > 0 => {
                Err(Denial::Foreign { path: path.clone(), others: contents.others }.into())
            }
            Depth::Recursive if contents.hidden > 0 => {
                Err(Denial::Foreign { path: path.clone(), others: contents.hidden }.into())
            }
            _ => Ok(()),
        }
    }

    fn check_describe<G: Ground>(
        &self,
        path: &Category,
        ground: &G,
    ) -> Result<(), Refusal<G::Error>> {
        if self.hierarchy.find(path).is_some() {
            return Err(Denial::Described { path: path.clone() }.into());
        }
        check_there("describe", path, ground)
    }

    /// Whether a memory may come to lie at a path.
    fn check_arrival<G: Ground>(
        &self,
        path: &MemoryPath,
        ground: &G,
        force: Force,
    ) -> Result<(), Refusal<G::Error>> {
        let category = &path.category;
        if let Some(name) = path.as_category()
            && (self.hierarchy.find(&name).is_some()
                || ground.has(&name).map_err(Refusal::Unknown)?)
        {
            return Err(Flaw::Category { path: path.clone() }.into());
        }
        if !category.is_none() {
            if !ground.has(category).map_err(Refusal::Unknown)? {
                let is_named = self.hierarchy.find(category).is_some();
                let (path, category, mode) = (path.clone(), category.clone(), self.mode);
                return Err(Flaw::NoCategory { path, category, mode, is_named }.into());
            }
            self.check_any_category(category, "memory", force)?;
        }
        Ok(self.check_operation(Operation::Create, path)?)
    }

    /// In a strict hierarchy without categories nothing has one.
    fn check_any_category(
        &self,
        category: &Category,
        what: &'static str,
        force: Force,
    ) -> Result<(), Denial> {
        if self.mode == Mode::Strict && self.hierarchy.is_empty() && force == Force::No {
            let (realm, category) = (self.realm, category.clone());
            return Err(Denial::NoCategories { realm, what, category });
        }
        Ok(())
    }

    fn check_move<G: Ground>(
        &self,
        from: &MemoryPath,
        to: &MemoryPath,
        ground: &G,
        force: Force,
    ) -> Result<(), Refusal<G::Error>> {
        if from.category == to.category {
            self.check_operation(Operation::Update, from)?;
            // What changes is the name alone; the category is where it was.
            return match to.as_category() {
                Some(name) if self.hierarchy.find(&name).is_some() => {
                    Err(Flaw::Category { path: to.clone() }.into())
                }
                Some(name) if ground.has(&name).map_err(Refusal::Unknown)? => {
                    Err(Flaw::Category { path: to.clone() }.into())
                }
                _ => Ok(()),
            };
        }
        self.check_operation(Operation::Delete, from)?;
        self.check_arrival(to, ground, force)?;
        self.check_room(to, ground)
    }

    fn check_operation(&self, operation: Operation, path: &MemoryPath) -> Result<(), Denial> {
        if self.policy(&path.category).permits(operation) {
            return Ok(());
        }
        let (path, category) = (path.clone(), path.category.clone());
        Err(Denial::Operation { operation, path, category })
    }

    fn check_room<G: Ground>(
        &self,
        path: &MemoryPath,
        ground: &G,
    ) -> Result<(), Refusal<G::Error>> {
        let category = &path.category;
        let Some(most) = self.policy(category).max_memories else { return Ok(()) };
        let count = ground.memories(category).map_err(Refusal::Unknown)?;
        if count < most {
            return Ok(());
        }
        Err(Denial::Count { path: path.clone(), category: category.clone(), count, most }.into())
    }

    /// Whether what a memory says fits where it lies.
    fn check_note<E>(
        &self,
        path: &MemoryPath,
        note: &Note,
        now: Timestamp,
    ) -> Result<(), Refusal<E>> {
        let category = path.category.clone();
        let policy = self.policy(&category);
        let length = note.content().len() as u64;
        if let Some(most) = policy.max_content_length.filter(|most| length > *most) {
            return Err(Denial::Length { path: path.clone(), category, length, most }.into());
        }
        if let (Some(days), Some(latest)) = (policy.default_ttl, policy.latest_expiry(now))
            && note.memory().expires_at.is_none_or(|at| at > latest)
        {
            return Err(Denial::Expiry { path: path.clone(), category, days, latest }.into());
        }
        let Some(schema) = &policy.schema else { return Ok(()) };
        let problems = schema.problems(&note.memory().frontmatter.clone().into());
        if problems.is_empty() {
            return Ok(());
        }
        Err(Flaw::Schema { path: path.clone(), category, problems }.into())
    }
}

fn check_there<G: Ground>(
    what: &'static str,
    path: &Category,
    ground: &G,
) -> Result<(), Refusal<G::Error>> {
    if ground.has(path).map_err(Refusal::Unknown)? {
        return Ok(());
    }
    Err(Flaw::Missing { what, path: path.clone() }.into())
}
