//! The category rules for items, by scope and type.
//!
//! In a project the user's own config applies as well: the stricter mode of the two counts, and a
//! category is protected if either config names it.

use std::io;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath, Root};
use mere_core::category::{
    CategoryContents, CategoryMode, CategoryOwner, CategoryRules, Hierarchy, StoreView,
};
use mere_core::item::{Category, ItemType, Scope, ScopedPath};

use super::StoreError;
use super::store_view::StoreOnDisk;
use super::stores::lock_timeout;
use super::sync::{category_address, create_categories};
use crate::config::StorageConfig;
use crate::policy::{self, CategoryPermit};
use crate::world::Context;
use mere_host::{FolderWriter, SPACE_FOLDER};

/// The category rules for items from both config files.
#[derive(Default)]
pub(crate) struct ItemRules {
    user: Vec<(ItemType, CategoryRules)>,
    project: Vec<(ItemType, CategoryRules)>,
    minimum_mode: CategoryMode,
}

impl ItemRules {
    /// Combines both configs. `minimum_mode` is the least strict mode that any rule may have.
    pub(crate) fn new(
        user: &StorageConfig,
        project: &StorageConfig,
        minimum_mode: CategoryMode,
    ) -> Self {
        Self { user: user.items.clone(), project: project.items.clone(), minimum_mode }
    }

    /// Returns the rules for the items of a type in a scope.
    pub(crate) fn rules_for(&self, scope: Scope, kind: ItemType) -> CategoryRules {
        let rules_of_kind = |rules: &[(ItemType, CategoryRules)]| {
            let found = rules.iter().find(|(one, _)| *one == kind);
            found.map_or_else(|| free_rules(kind), |(_, rules)| rules.clone())
        };
        let user = rules_of_kind(&self.user).with_mode_at_least(self.minimum_mode);
        match scope {
            Scope::User | Scope::Registry => user,
            Scope::Project => {
                let project = rules_of_kind(&self.project);
                let hierarchy = project.hierarchy().merge(user.hierarchy());
                CategoryRules::new(
                    CategoryOwner::Items(kind),
                    project.mode().max(user.mode()),
                    hierarchy,
                )
            }
        }
    }

    /// Allows an item to be put at a place. `folder` is the folder of its type, if it exists.
    pub(crate) fn permit_category(
        &self,
        place: ScopedPath,
        folder: Option<&Dir>,
    ) -> Result<CategoryPermit, StoreError> {
        let kind = place.kind;
        let rules = self.rules_for(place.scope, kind);
        let view = ItemsOnDisk { disk: StoreOnDisk(folder), folder, kind };
        let permit = policy::permit_category(&rules, place, &view);
        permit.map_err(|refusal| StoreError::from_item_refusal(kind, refusal))
    }

    /// Creates the configured categories, and returns the addresses of those that were missing.
    pub(crate) fn create_categories(&self, context: &Context) -> Result<Vec<Address>, StoreError> {
        let mut all = Vec::new();
        for (scope, rules) in [(Scope::Project, &self.project), (Scope::User, &self.user)] {
            for (kind, rules) in rules {
                let made = create_type_categories(context, (scope, *kind), rules.hierarchy());
                let failed = |cause| StoreError::CategoriesNotCreated { kind: *kind, cause };
                all.extend(made.map_err(failed)?);
            }
        }
        Ok(all)
    }

    /// Returns the categories that the config of this scope itself names for a type.
    pub(crate) fn configured_hierarchy(&self, scope: Scope, kind: ItemType) -> Hierarchy {
        let rules = match scope {
            Scope::User | Scope::Registry => &self.user,
            Scope::Project => &self.project,
        };
        let found = rules.iter().find(|(one, _)| *one == kind);
        found.map(|(_, rules)| rules.hierarchy().clone()).unwrap_or_default()
    }
}

/// The folder of an item type, as it is on disk.
struct ItemsOnDisk<'a> {
    disk: StoreOnDisk<'a>,
    folder: Option<&'a Dir>,
    kind: ItemType,
}

impl StoreView for ItemsOnDisk<'_> {
    type Error = io::Error;

    fn has_category(&self, category: &Category) -> io::Result<bool> {
        self.disk.has_category(category)
    }

    /// Leaves out folders that are items, because they are not categories.
    fn top_categories(&self) -> io::Result<Vec<Category>> {
        let mut top_level = self.disk.top_categories()?;
        if let (Some(folder), Some(main)) = (self.folder, self.kind.folder_main_file()) {
            let is_item = |top: &Category| folder.symlink_metadata(format!("{top}/{main}")).is_ok();
            top_level.retain(|top| !is_item(top));
        }
        Ok(top_level)
    }

    fn count_memories(&self, category: &Category) -> io::Result<u64> {
        self.disk.count_memories(category)
    }

    fn contents(&self, category: &Category) -> io::Result<CategoryContents> {
        self.disk.contents(category)
    }
}

/// Creates the categories of a hierarchy in the folder of a type.
fn create_type_categories(
    context: &Context,
    (scope, kind): (Scope, ItemType),
    hierarchy: &Hierarchy,
) -> io::Result<Vec<Address>> {
    if hierarchy.is_empty() {
        return Ok(Vec::new());
    }
    let top = RelPath::default().child(kind.folder()).ok_or(io::ErrorKind::InvalidInput)?;
    let (space, address) = if scope == Scope::Project {
        let below = RelPath::default().child(SPACE_FOLDER).ok_or(io::ErrorKind::InvalidInput)?;
        let address = Address::directory(Root::Project, below.join_path(&top));
        (FolderWriter::make_space(context.project()?)?, address)
    } else {
        (context.environment.make_user_space()?, Address::directory(Root::User, top.clone()))
    };
    let made = create_categories(
        &FolderWriter::make_folders_below(&space, &top)?,
        hierarchy,
        &lock_timeout(),
    )?;
    Ok(made.iter().filter_map(|category| category_address(&address, category)).collect())
}

fn free_rules(kind: ItemType) -> CategoryRules {
    CategoryRules::new(CategoryOwner::Items(kind), CategoryMode::Free, Hierarchy::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse_storage;

    fn rules(user: &str, project: &str, minimum_mode: CategoryMode) -> ItemRules {
        ItemRules::new(&parse_storage(user), &parse_storage(project), minimum_mode)
    }

    #[test]
    fn a_project_never_loosens_what_the_user_tightened() {
        let config_with_mode = |mode: &str| format!("items: {{tools: {{categoryMode: {mode}}}}}");
        for (user, project, expected) in [
            ("free", "free", CategoryMode::Free),
            ("strict", "free", CategoryMode::Strict),
            ("free", "strict", CategoryMode::Strict),
            ("subcategories", "strict", CategoryMode::Strict),
            ("strict", "subcategories", CategoryMode::Strict),
            ("subcategories", "free", CategoryMode::Subcategories),
        ] {
            let both =
                rules(&config_with_mode(user), &config_with_mode(project), CategoryMode::Free);
            let mode = both.rules_for(Scope::Project, ItemType::Tool).mode();
            assert_eq!(mode, expected, "{user} {project}");
            assert_eq!(both.rules_for(Scope::User, ItemType::Tool).mode().name(), user);
            assert_eq!(
                both.rules_for(Scope::Project, ItemType::Directive).mode(),
                CategoryMode::Free
            );
        }
        let only_user = rules(&config_with_mode("strict"), "items: {}", CategoryMode::Free);
        assert_eq!(
            only_user.rules_for(Scope::Project, ItemType::Tool).mode(),
            CategoryMode::Strict
        );
    }

    #[test]
    fn the_floor_holds_for_all() {
        let strict_rules =
            rules("items: {tools: {categoryMode: strict}}", "{}", CategoryMode::Subcategories);
        for scope in [Scope::Project, Scope::User] {
            let mode = |kind| strict_rules.rules_for(scope, kind).mode();
            let kinds = [ItemType::Directive, ItemType::Tool, ItemType::Knowledge];
            let expected =
                [CategoryMode::Subcategories, CategoryMode::Strict, CategoryMode::Subcategories];
            assert_eq!(kinds.map(mode), expected);
        }
    }

    #[test]
    fn in_a_project_the_categories_of_both_are_protected() {
        let both = rules(
            "items: {tools: {categories: {x: {subcategories: {mine: }}, own: }}}",
            "items: {tools: {categories: {release: , x: {subcategories: {theirs: }}}}}",
            CategoryMode::Free,
        );
        let named = |hierarchy: &Hierarchy| {
            let all = hierarchy.all_categories().into_iter();
            all.map(|one| one.category.to_string()).collect::<Vec<_>>()
        };
        let project = both.rules_for(Scope::Project, ItemType::Tool);
        let expected = ["release", "x", "x/theirs", "x/mine", "own"];
        assert_eq!(named(project.hierarchy()), expected);
        let user = both.rules_for(Scope::User, ItemType::Tool);
        assert_eq!(named(user.hierarchy()), ["x", "x/mine", "own"]);
        assert_eq!(
            named(&both.configured_hierarchy(Scope::Project, ItemType::Tool)),
            ["release", "x", "x/theirs"]
        );
    }
}
