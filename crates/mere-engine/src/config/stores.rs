//! `stores:` and `items:` of a config: where memories lie, and which rules categories follow.
//!
//! Paths are kept as they are written; where they lead is resolved later.

use std::collections::BTreeMap;

use mere_core::address::ModName;
use mere_core::category::{CategoryMode, CategoryOwner, CategoryRules};
use mere_core::item::ItemType;
use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::{Location, Spanned};

use super::YamlError;
use super::categories::{self, CategoryUse, RawCategories};
use super::ordered_map::OrderedMap;
use super::policies::{self, RawPolicy};
use super::settings::{self, RawSettings, Settings};
use super::store_location::{PathResolver, StoreLocation};
use mere_host::Folder;

/// A store as one config describes it.
#[derive(Clone, Debug)]
pub(crate) struct StoreConfig {
    pub(crate) name: ModName,
    /// The positions of its name and its path in the file, for error messages.
    pub(crate) name_location: Location,
    pub(crate) path_location: Location,
    /// The path as written: relative to the config's folder, absolute, or starting with `~`.
    pub(crate) path: String,
    pub(crate) description: String,
    pub(crate) rules: CategoryRules,
    /// True if it lies outside the project whose config names it, and nobody has trusted that yet.
    pub(crate) awaits_trust: bool,
    /// A text that identifies its location: an address if it lies inside the project, else the path
    /// as written. Empty in the user's own config.
    pub(crate) location: String,
}

/// What one config says about stores and categories.
#[derive(Clone, Debug, Default)]
pub(crate) struct StorageConfig {
    /// The stores, in the order of the file.
    pub(crate) stores: Vec<StoreConfig>,
    /// The category rules for items, by type.
    pub(crate) items: Vec<(ItemType, CategoryRules)>,
    pub(crate) settings: Settings,
    /// The store of the project that was served before, if a project's config may serve no less
    /// strict one in its place.
    pub(crate) served_floor: Option<StoreFloor>,
}

/// A store of a project as this machine has seen it, and how strict it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoreFloor {
    pub(crate) name: ModName,
    pub(crate) location: String,
    pub(crate) mode: CategoryMode,
}

impl StoreFloor {
    /// Checks whether a store of this name or at this location is the one that was seen. Upper and
    /// lower case of a location are treated alike, because some file systems do not distinguish
    /// them.
    pub(crate) fn is_same(&self, name: &ModName, location: &str) -> bool {
        self.name == *name || self.location.eq_ignore_ascii_case(location)
    }
}

impl StorageConfig {
    /// Determines where the stores of a project's config lie, and which of them await trust.
    pub(super) fn locate_project_stores(&mut self, resolver: &PathResolver<'_>, space: &Folder) {
        for store in &mut self.stores {
            let location = resolver.resolve_project_path(&store.path, space).0;
            store.awaits_trust = matches!(location, StoreLocation::Outside);
            store.location = location.identifying_text(&store.path);
        }
    }

    /// Returns the store that this config alone would serve: its default, or else its first. `None`
    /// if it names no store, or if its default is a store of another config.
    pub(crate) fn own_default(&self) -> Option<&StoreConfig> {
        match &self.settings.default_store {
            Some((name, _)) => self.stores.iter().find(|store| store.name == *name),
            None => self.stores.first(),
        }
    }
}

/// A store that a project's config puts outside the project. A person is shown these values, and
/// approves them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutsideStore {
    pub(crate) name: ModName,
    pub(crate) path: String,
    pub(crate) mode: CategoryMode,
    /// Everything that the config says about it.
    pub(crate) config_value: Value,
}

/// `stores:` with every value unparsed.
pub(super) type StoreValues = BTreeMap<String, Value>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStore {
    path: Option<Spanned<String>>,
    description: Option<Spanned<String>>,
    #[serde(rename = "categoryMode")]
    mode: Option<Spanned<String>>,
    categories: Option<RawCategories>,
    policies: Option<RawPolicy>,
}

/// `stores:` in the order of the file.
pub(super) type RawStores = OrderedMap<Option<RawStore>>;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawItems {
    directives: Option<RawItemType>,
    tools: Option<RawItemType>,
    knowledge: Option<RawItemType>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawItemType {
    #[serde(rename = "categoryMode")]
    mode: Option<Spanned<String>>,
    categories: Option<RawCategories>,
}

pub(super) fn parse(
    stores: Option<RawStores>,
    items: Option<RawItems>,
    settings: Option<RawSettings>,
) -> Result<StorageConfig, YamlError> {
    let stores = stores.map(OrderedMap::into_unique_entries).transpose()?.unwrap_or_default();
    let stores = stores.into_iter().map(|(name, raw)| parse_store(&name, raw));
    let items = items.unwrap_or_default();
    let items = [
        (ItemType::Directive, items.directives),
        (ItemType::Tool, items.tools),
        (ItemType::Knowledge, items.knowledge),
    ];
    let items = items.into_iter().filter_map(|(kind, raw)| Some(parse_item_type(kind, raw?)));
    Ok(StorageConfig {
        stores: stores.collect::<Result<_, _>>()?,
        items: items.collect::<Result<_, _>>()?,
        settings: settings::parse(settings)?,
        served_floor: None,
    })
}

fn parse_store(name: &Spanned<String>, raw: Option<RawStore>) -> Result<StoreConfig, YamlError> {
    let fault = |reason: String| YamlError::at_location(name.referenced, reason);
    let parsed = name.value.parse::<ModName>().map_err(|error| fault(error.to_string()))?;
    let Some((path, raw)) = raw.and_then(|mut raw| Some((raw.path.take()?, raw))) else {
        let reason = "a store needs a `path` to its folder, such as `path: ./memory`";
        return Err(fault(reason.to_owned()));
    };
    if path.value.is_empty() {
        let reason = "the path is empty: name the store's folder, such as `./memory`";
        return Err(YamlError::at_location(path.referenced, reason.to_owned()));
    }
    let mut hierarchy = categories::parse(raw.categories, CategoryUse::Memories)?;
    hierarchy.policy = policies::parse(raw.policies)?;
    let mode = categories::parse_mode(raw.mode)?;
    Ok(StoreConfig {
        name: parsed,
        name_location: name.referenced,
        path_location: path.referenced,
        path: path.value,
        description: categories::parse_description(raw.description)?.to_string(),
        rules: CategoryRules::new(CategoryOwner::Store, mode, hierarchy),
        awaits_trust: false,
        location: String::new(),
    })
}

fn parse_item_type(
    kind: ItemType,
    raw: RawItemType,
) -> Result<(ItemType, CategoryRules), YamlError> {
    let hierarchy = categories::parse(raw.categories, CategoryUse::Items)?;
    let mode = categories::parse_mode(raw.mode)?;
    Ok((kind, CategoryRules::new(CategoryOwner::Items(kind), mode, hierarchy)))
}

/// Returns the stores that await trust, each with everything that the config says about it.
pub(super) fn outside_stores(storage: &StorageConfig, values: &StoreValues) -> Vec<OutsideStore> {
    let outside = storage.stores.iter().filter(|store| store.awaits_trust);
    let outside = outside.map(|store| OutsideStore {
        name: store.name.clone(),
        path: store.path.clone(),
        mode: store.rules.mode(),
        config_value: values.get(store.name.as_str()).cloned().unwrap_or_default(),
    });
    outside.collect()
}

/// Parses the stores and categories of a config text.
#[cfg(test)]
pub(crate) fn parse_storage(text: &str) -> StorageConfig {
    #[derive(Deserialize)]
    struct RawStorage {
        stores: Option<RawStores>,
        items: Option<RawItems>,
        settings: Option<RawSettings>,
    }
    let raw = super::yaml::parse::<RawStorage>(text).expect(text);
    parse(raw.stores, raw.items, raw.settings).expect(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_named_is_defined_in_the_order_of_the_file() {
        let storage = parse_storage(
            "stores:\n  z: {path: x, categories: {}}\n  a:\n    path: y\n    description: Mine\n    \
             categoryMode: subcategories\n    policies: {defaultTtl: 7}\n    categories:\n      \
             todo: {}\n      b:\n        description: ''\n        subcategories:\n          \
             deep:\n          d2: {policies: {defaultTtl: 30}}\n      a:\n",
        );
        let [first, store] = &storage.stores[..] else { panic!("two stores") };
        assert_eq!((first.name.as_str(), first.rules.mode()), ("z", CategoryMode::Free));
        assert!(first.rules.hierarchy().is_empty());
        assert_eq!((&*store.path, &*store.description), ("y", "Mine"));
        assert_eq!(store.rules.mode(), CategoryMode::Subcategories);
        let all = store.rules.hierarchy().all_categories().into_iter();
        let all = all.map(|one| one.category.as_str().to_owned()).collect::<Vec<_>>();
        assert_eq!(all, ["todo", "b", "b/deep", "b/d2", "a"]);
        let days = |path: &str| store.rules.policy_for(&path.parse().expect(path)).default_ttl;
        assert_eq!([days(""), days("b/deep"), days("b/d2")], [Some(7), Some(7), Some(30)]);
    }

    #[test]
    fn items_have_rules_by_type() {
        let storage = parse_storage("items: {tools: {categoryMode: strict}, directives: {}}");
        let modes = storage.items.iter().map(|(kind, rules)| (*kind, rules.mode()));
        let expected =
            [(ItemType::Directive, CategoryMode::Free), (ItemType::Tool, CategoryMode::Strict)];
        assert_eq!(modes.collect::<Vec<_>>(), expected);
    }
}
