//! The one place that decides which changes to categories and memories are allowed.
//!
//! It learns the state of the store from a [`StoreView`], which is read under the same lock as the
//! change is made under. It asks no clock: the time is passed in.

use jiff::Timestamp;

use super::{
    CategoryContents, CategoryMode, CategoryOwner, Configured, DeletableContents, Denial,
    Hierarchy, InvalidChange, MemoryOperation, MemoryPolicy, Permit, Refusal, StoreChange,
};
use crate::item::{Category, MemoryPath, MemoryText};

/// The current state of a store, or of the items of one type.
pub trait StoreView {
    /// The reason why the state could not be read.
    type Error;

    /// Reports whether a category exists.
    fn has_category(&self, category: &Category) -> Result<bool, Self::Error>;
    /// Returns the existing top categories.
    fn top_categories(&self) -> Result<Vec<Category>, Self::Error>;
    /// Counts the memories directly in a category.
    fn count_memories(&self, category: &Category) -> Result<u64, Self::Error>;
    /// Counts what is in a category, at any depth.
    fn contents(&self, category: &Category) -> Result<CategoryContents, Self::Error>;
}

/// The override of the category mode. Protection is never overridden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Force {
    /// The mode is enforced.
    #[default]
    No,
    /// A person at a terminal overrides it.
    Mode,
}

/// The rules for the categories of a store, or of the items of one type.
#[derive(Clone, Debug)]
pub struct CategoryRules {
    owner: CategoryOwner,
    mode: CategoryMode,
    hierarchy: Hierarchy,
}

/// The time of a change, and whether it is forced.
#[derive(Clone, Copy, Debug)]
pub struct ChangeContext {
    /// The current time.
    pub now: Timestamp,
    /// Whether the mode is enforced.
    pub force: Force,
}

impl CategoryRules {
    /// Creates the rules from a mode and the configured hierarchy.
    pub fn new(owner: CategoryOwner, mode: CategoryMode, hierarchy: Hierarchy) -> Self {
        Self { owner, mode, hierarchy }
    }

    /// Returns the same rules with a mode that is at least this strict.
    #[must_use]
    pub fn with_mode_at_least(self, mode: CategoryMode) -> Self {
        Self { mode: self.mode.max(mode), ..self }
    }

    /// Returns the category mode.
    pub fn mode(&self) -> CategoryMode {
        self.mode
    }

    /// Returns the configured categories.
    pub fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// Returns the policy for the memories of a category.
    pub fn policy_for(&self, category: &Category) -> MemoryPolicy {
        self.hierarchy.policy_for(category)
    }

    /// Permits a change, or says why not. Policy is checked before the state of the store.
    pub fn permit<V: StoreView>(
        &self,
        change: StoreChange,
        store: &V,
        context: ChangeContext,
    ) -> Result<Permit, Refusal<V::Error>> {
        match &change {
            StoreChange::CreateCategory { path, .. } => {
                self.check_create_category(path, store, context.force)?;
            }
            StoreChange::DeleteCategory { path, deletable } => {
                self.check_delete_category(path, *deletable, store, context.force)?;
            }
            StoreChange::DescribeCategory { path, .. } => {
                self.check_describe_category(path, store)?;
            }
            StoreChange::AdoptFolder { path, .. } => {
                if self.hierarchy.find(path).is_none() {
                    self.check_create_category(path, store, context.force)?;
                }
            }
            StoreChange::CreateMemory { path, memory }
            | StoreChange::AdoptFile { path, memory, .. } => {
                self.check_destination(path, store, context.force)?;
                self.check_capacity(path, store)?;
                self.check_memory(path, memory, context.now)?;
            }
            StoreChange::UpdateMemory { path, memory, .. } => {
                self.check_operation(MemoryOperation::Update, path)?;
                self.check_memory(path, memory, context.now)?;
            }
            StoreChange::MoveMemory { from, to, memory, .. } => {
                self.check_move(from, to, store, context.force)?;
                self.check_memory(to, memory, context.now)?;
            }
            StoreChange::RemoveMemory { path, .. } => {
                self.check_operation(MemoryOperation::Delete, path)?;
            }
            StoreChange::PruneMemory { path, memory, .. } => {
                if !memory.memory().has_expired(context.now) {
                    return Err(InvalidChange::NotExpired { path: path.clone() }.into());
                }
                self.check_operation(MemoryOperation::Delete, path)?;
            }
        }
        Ok(Permit::new(change))
    }

    /// Checks whether an item may be put into a category. The category is created if it does not
    /// exist.
    pub fn check_item_category<V: StoreView>(
        &self,
        category: &Category,
        store: &V,
    ) -> Result<(), Refusal<V::Error>> {
        if category.is_empty() || self.mode == CategoryMode::Free {
            return Ok(());
        }
        self.check_categories_configured(category, "an item", Force::No)?;
        if self.hierarchy.find(category).is_some()
            || store.has_category(category).map_err(Refusal::Unreadable)?
        {
            return Ok(());
        }
        self.check_create_category(category, store, Force::No)
    }

    fn check_create_category<V: StoreView>(
        &self,
        path: &Category,
        store: &V,
        force: Force,
    ) -> Result<(), Refusal<V::Error>> {
        match self.mode {
            _ if force == Force::Mode => Ok(()),
            CategoryMode::Free => Ok(()),
            CategoryMode::Strict => {
                let (path, known) = (path.clone(), self.configured_categories());
                Err(Denial::CreateInStrictMode { owner: self.owner, path, known }.into())
            }
            CategoryMode::Subcategories => {
                let root = path.top();
                let is_there = || store.has_category(&root).map_err(Refusal::Unreadable);
                if self.hierarchy.find(&root).is_some() || is_there()? {
                    return Ok(());
                }
                let allowed = self.allowed_roots(store)?;
                Err(Denial::NewTopCategory { owner: self.owner, root, allowed }.into())
            }
        }
    }

    /// Returns every configured category.
    fn configured_categories(&self) -> Vec<Category> {
        self.hierarchy.all_categories().into_iter().map(|one| one.category.clone()).collect()
    }

    /// Returns the configured top categories in their order, then the other existing ones, sorted.
    fn allowed_roots<V: StoreView>(&self, store: &V) -> Result<Vec<Category>, Refusal<V::Error>> {
        let named = self.hierarchy.top_categories.iter().map(|top| top.category.clone());
        let mut allowed = named.collect::<Vec<_>>();
        let mut others = store.top_categories().map_err(Refusal::Unreadable)?;
        others.retain(|top| !allowed.contains(top));
        others.sort();
        allowed.extend(others);
        Ok(allowed)
    }

    fn check_delete_category<V: StoreView>(
        &self,
        path: &Category,
        deletable: DeletableContents,
        store: &V,
        force: Force,
    ) -> Result<(), Refusal<V::Error>> {
        if self.mode == CategoryMode::Strict && force == Force::No {
            return Err(Denial::DeleteInStrictMode { owner: self.owner, path: path.clone() }.into());
        }
        if self.hierarchy.find(path).is_some() {
            return Err(Denial::Protected { path: path.clone() }.into());
        }
        check_category_exists("delete", path, store)?;
        let contents = store.contents(path).map_err(Refusal::Unreadable)?;
        if contents.memories > 0 && !self.policy_for(path).permits(MemoryOperation::Delete) {
            return Err(Denial::UndeletableMemories {
                path: path.clone(),
                memories: contents.memories,
            }
            .into());
        }
        match deletable {
            DeletableContents::Nothing if !contents.is_empty() => {
                Err(InvalidChange::NotEmpty { path: path.clone(), contents }.into())
            }
            // What may not be seen cannot be named either, so nothing is deleted.
            DeletableContents::Memories if contents.hidden > 0 => {
                Err(Denial::ForeignFiles { path: path.clone(), others: contents.hidden }.into())
            }
            DeletableContents::Memories
                if contents.others() > 0 && contents.memories + contents.categories == 0 =>
            {
                Err(Denial::ForeignFiles { path: path.clone(), others: contents.others() }.into())
            }
            _ => Ok(()),
        }
    }

    fn check_describe_category<V: StoreView>(
        &self,
        path: &Category,
        store: &V,
    ) -> Result<(), Refusal<V::Error>> {
        if self.hierarchy.find(path).is_some() {
            return Err(Denial::ProtectedDescription { path: path.clone() }.into());
        }
        check_category_exists("describe", path, store)
    }

    /// Checks whether a memory may be put at a path.
    fn check_destination<V: StoreView>(
        &self,
        path: &MemoryPath,
        store: &V,
        force: Force,
    ) -> Result<(), Refusal<V::Error>> {
        let category = &path.category;
        self.check_name_is_no_category(path, store)?;
        if !category.is_empty() {
            if !store.has_category(category).map_err(Refusal::Unreadable)? {
                let configured = self.hierarchy.configured(category);
                let (path, category, mode) = (path.clone(), category.clone(), self.mode);
                let known = match mode {
                    CategoryMode::Strict => self.configured_categories(),
                    CategoryMode::Free | CategoryMode::Subcategories => {
                        self.allowed_roots(store)?
                    }
                };
                return Err(InvalidChange::MemoryCategoryMissing {
                    path,
                    category,
                    mode,
                    configured,
                    known,
                }
                .into());
            }
            self.check_categories_configured(category, "memory", force)?;
        }
        Ok(self.check_operation(MemoryOperation::Create, path)?)
    }

    /// Rejects the name of a memory that is the path of a category.
    fn check_name_is_no_category<V: StoreView>(
        &self,
        path: &MemoryPath,
        store: &V,
    ) -> Result<(), Refusal<V::Error>> {
        let Some(name) = path.as_category() else { return Ok(()) };
        if self.hierarchy.find(&name).is_none()
            && !store.has_category(&name).map_err(Refusal::Unreadable)?
        {
            return Ok(());
        }
        Err(InvalidChange::NameIsCategory { path: path.clone() }.into())
    }

    /// Denies every category if the mode is strict and none is configured.
    fn check_categories_configured(
        &self,
        category: &Category,
        what: &'static str,
        force: Force,
    ) -> Result<(), Denial> {
        if self.mode == CategoryMode::Strict && self.hierarchy.is_empty() && force == Force::No {
            let (owner, category) = (self.owner, category.clone());
            return Err(Denial::NoCategories { owner, what, category });
        }
        Ok(())
    }

    fn check_move<V: StoreView>(
        &self,
        from: &MemoryPath,
        to: &MemoryPath,
        store: &V,
        force: Force,
    ) -> Result<(), Refusal<V::Error>> {
        if from.category == to.category {
            self.check_operation(MemoryOperation::Update, from)?;
            // Only the name changes; the memory stays in its category.
            return self.check_name_is_no_category(to, store);
        }
        self.check_operation(MemoryOperation::Delete, from)?;
        self.check_destination(to, store, force)?;
        self.check_capacity(to, store)
    }

    fn check_operation(&self, operation: MemoryOperation, path: &MemoryPath) -> Result<(), Denial> {
        if self.policy_for(&path.category).permits(operation) {
            return Ok(());
        }
        let (path, category) = (path.clone(), path.category.clone());
        Err(Denial::OperationDenied { operation, path, category })
    }

    fn check_capacity<V: StoreView>(
        &self,
        path: &MemoryPath,
        store: &V,
    ) -> Result<(), Refusal<V::Error>> {
        let category = &path.category;
        let Some(most) = self.policy_for(category).max_memories else { return Ok(()) };
        let count = store.count_memories(category).map_err(Refusal::Unreadable)?;
        if count < most {
            return Ok(());
        }
        Err(Denial::CategoryFull { path: path.clone(), category: category.clone(), count, most }
            .into())
    }

    /// Checks the text of a memory against the policy of its category.
    fn check_memory<E>(
        &self,
        path: &MemoryPath,
        memory: &MemoryText,
        now: Timestamp,
    ) -> Result<(), Refusal<E>> {
        let category = path.category.clone();
        let policy = self.policy_for(&category);
        let length = memory.content().len() as u64;
        if let Some(most) = policy.max_content_length.filter(|most| length > *most) {
            return Err(
                Denial::ContentTooLong { path: path.clone(), category, length, most }.into()
            );
        }
        if let (Some(days), Some(latest)) = (policy.default_ttl, policy.latest_expiry(now))
            && memory.memory().expires_at.is_none_or(|at| at > latest)
        {
            return Err(Denial::ExpiryTooLate { path: path.clone(), category, days, latest }.into());
        }
        let Some(schema) = &policy.schema else { return Ok(()) };
        let problems = schema.problems(&memory.memory().frontmatter.clone().into());
        if problems.is_empty() {
            return Ok(());
        }
        Err(InvalidChange::SchemaMismatch { path: path.clone(), category, problems }.into())
    }
}

fn check_category_exists<V: StoreView>(
    what: &'static str,
    path: &Category,
    store: &V,
) -> Result<(), Refusal<V::Error>> {
    if store.has_category(path).map_err(Refusal::Unreadable)? {
        return Ok(());
    }
    // A configured category is protected, so that nobody gets here with one.
    let (path, configured) = (path.clone(), Configured::No);
    Err(InvalidChange::CategoryMissing { what, path, configured }.into())
}
