//! The floor of a project's rules: the strictest that this machine has seen of each.
//!
//! A project's own config requires signatures (`require_signed`) and restricts who makes categories
//! (`categoryMode`). What it demands is recorded here as soon as it is seen. If the config demands
//! less later, by an edit, a pull or a switch of branches, the floor still holds until a person
//! accepts the change with `mere trust project`. What the user and a team's roster demand does not
//! depend on it.
//!
//! The record lives in the user's state folder, which no root shows. It is found by the project's
//! canonical folder alone: a commit could change the space id as well, and a floor must not fall by
//! that.

use std::collections::{BTreeMap, BTreeSet};

use mere_core::address::ModName;
use mere_core::category::{CategoryMode, CategoryOwner, CategoryRules, Hierarchy};
use mere_core::item::ItemType;
use serde_json::{Value, json};

use crate::config::{Config, StoreConfig, StoreFloor};
use crate::trust::approvals::records::{self, RecordError};
use crate::trust::project_key::ProjectKey;
use mere_host::Environment;

/// The file in the state folder that holds the records.
pub(crate) const FILE: &str = "project-rules.json";
/// The most stores of one project that are remembered, because the file has a limited size. Those
/// that were seen first stay.
const MAX_STORES: usize = 64;

/// The strictest rules that were seen of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RuleFloor {
    /// The types whose items must be signed.
    required_types: BTreeSet<ItemType>,
    /// The modes of the categories of items, `free` left out.
    items: BTreeMap<ItemType, CategoryMode>,
    /// The stores whose mode is not `free`, the oldest first.
    stores: Vec<StoreFloor>,
    /// The store that the config served, if its mode is not `free`.
    served: Option<StoreFloor>,
}

/// The record of a project's rules cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the file `{FILE}` in the state folder of this program cannot be used: {0}")]
pub(crate) struct FloorError(String);

/// Makes a project's config at least as strict as what this machine has seen of it, and records
/// what it demands now.
pub(crate) fn hold_seen_rules(
    environment: &Environment,
    key: Option<&ProjectKey>,
    config: &mut Config,
) -> Result<(), FloorError> {
    let Some(key) = key else { return Ok(()) };
    let floor = RuleFloor::read(environment, key)?;
    if let Err(error) = floor.record_seen(environment, key, config) {
        tracing::warn!(%error, "the rules of the project could not be recorded");
    }
    for (_, line) in floor.describe_loosening(config) {
        tracing::warn!("{line}: this has no effect without `mere trust project`");
    }
    floor.hold(config);
    Ok(())
}

/// Says that what the project demands could not be recorded, so that nothing holds it later.
pub(crate) const UNRECORDED: &str = "what this project demands could not be recorded on this \
     machine, so that it holds only until the config is edited: the state folder of this program \
     must be writable (`XDG_STATE_HOME` names another place for it)";

impl RuleFloor {
    /// Reports whether everything that a config demands is recorded.
    pub(crate) fn covers(&self, config: &Config) -> bool {
        self.raise(&Self::from_config(config)) == *self
    }

    /// Reads what was seen of a project. A record that cannot be read is an error, because without
    /// it nobody knows what must hold.
    pub(crate) fn read(environment: &Environment, key: &ProjectKey) -> Result<Self, FloorError> {
        let bytes = environment.read_state(FILE).map_err(|error| FloorError(error.to_string()))?;
        let Some(bytes) = bytes else { return Ok(Self::default()) };
        Self::find(&records::parse_strict(&bytes).ok_or_else(damaged)?, key)
    }

    /// Combines the records of a project. There is one, unless somebody edited the file.
    fn find(records: &[Value], key: &ProjectKey) -> Result<Self, FloorError> {
        let mut floor = Self::default();
        for record in records.iter().filter(|record| record["folder"] == key.folder()) {
            floor = floor.raise(&Self::parse(record).ok_or_else(damaged)?);
        }
        Ok(floor)
    }

    /// Returns the rules that a project's config states.
    pub(crate) fn from_config(config: &Config) -> Self {
        let is_rule = |mode: &CategoryMode| *mode > CategoryMode::Free;
        let items = config.storage.items.iter().map(|(kind, rules)| (*kind, rules.mode()));
        let stores = config.storage.stores.iter().map(store_floor);
        Self {
            required_types: config.signing.required_types.iter().copied().collect(),
            items: items.filter(|(_, mode)| is_rule(mode)).collect(),
            stores: stores.filter(|store| is_rule(&store.mode)).collect(),
            served: config
                .storage
                .own_default()
                .map(store_floor)
                .filter(|store| is_rule(&store.mode)),
        }
    }

    /// Returns the stricter of two floors, rule by rule.
    #[must_use]
    pub(crate) fn raise(&self, other: &Self) -> Self {
        let mut raised = self.clone();
        raised.required_types.extend(&other.required_types);
        for (kind, mode) in &other.items {
            let held = raised.items.entry(*kind).or_default();
            *held = (*held).max(*mode);
        }
        for store in &other.stores {
            let is_same =
                |held: &StoreFloor| held.name == store.name && held.location == store.location;
            match raised.stores.iter().position(is_same) {
                Some(at) => raised.stores[at].mode = raised.stores[at].mode.max(store.mode),
                None if raised.stores.len() < MAX_STORES => raised.stores.push(store.clone()),
                None => {}
            }
        }
        let held = raised.served.as_ref().map_or(CategoryMode::Free, |held| held.mode);
        if let Some(served) = other.served.as_ref().filter(|served| served.mode >= held) {
            raised.served = Some(served.clone());
        }
        raised
    }

    /// Makes a project's config at least as strict as the floor.
    pub(crate) fn hold(&self, config: &mut Config) {
        let required = &mut config.signing.required_types;
        let missing = self.required_types.iter().filter(|kind| !required.contains(kind)).copied();
        let missing = missing.collect::<Vec<_>>();
        required.extend(missing);
        let storage = &mut config.storage;
        for (kind, mode) in &self.items {
            if let Some((_, rules)) = storage.items.iter_mut().find(|(own, _)| own == kind) {
                *rules = rules.clone().with_mode_at_least(*mode);
            } else {
                let owner = CategoryOwner::Items(*kind);
                let rules = CategoryRules::new(owner, *mode, Hierarchy::default());
                storage.items.push((*kind, rules));
            }
        }
        for store in &mut storage.stores {
            let mode = self.mode_of(store);
            store.rules = store.rules.clone().with_mode_at_least(mode);
        }
        storage.served_floor.clone_from(&self.served);
    }

    /// Returns the mode that a store must have at least. A store is recognised by its name and by
    /// its location, so neither renaming nor moving it helps.
    fn mode_of(&self, store: &StoreConfig) -> CategoryMode {
        let known = self.stores.iter().chain(&self.served);
        let known = known.filter(|held| is_same_store(held, store));
        known.map(|held| held.mode).max().unwrap_or_default()
    }

    /// Describes what a config demands less than this floor, one line for each rule.
    pub(crate) fn describe_loosening(&self, config: &Config) -> Vec<(LoosenedKey, String)> {
        let now = Self::from_config(config);
        let mut lines = Vec::new();
        for kind in self.required_types.difference(&now.required_types) {
            let line = format!("require_signed: no longer names `{}`", kind.name());
            lines.push((LoosenedKey::RequireSigned, line));
        }
        let mut push = |line: String| lines.push((LoosenedKey::CategoryMode, line));
        for (kind, held) in &self.items {
            let mode = now.items.get(kind).copied().unwrap_or_default();
            if mode < *held {
                push(format!("items.{}: {mode} instead of {held}", kind.folder()));
            }
        }
        for store in &config.storage.stores {
            let (mode, held) = (store.rules.mode(), self.mode_of(store));
            if mode < held {
                push(format!("store `{}`: {mode} instead of {held}", store.name));
            }
        }
        let mode = now.served.as_ref().map_or(CategoryMode::Free, |served| served.mode);
        if let Some(held) = self.served.as_ref().filter(|held| mode < held.mode)
            && !config.storage.own_default().is_some_and(|store| is_same_store(held, store))
        {
            push(format!(
                "stores: the store `{}` ({}) is no longer the one that is served",
                held.name, held.mode
            ));
        }
        lines
    }

    /// Records what a config demands beyond this floor. Another process may have recorded more
    /// meanwhile, which stays.
    pub(crate) fn record_seen(
        &self,
        environment: &Environment,
        key: &ProjectKey,
        config: &Config,
    ) -> Result<(), RecordError> {
        if self.covers(config) {
            return Ok(());
        }
        let seen = Self::from_config(config);
        records::try_update(environment.lock_state(), FILE, |folder, records| {
            let held = Self::find(records, key);
            let held = held.map_err(|_| RecordError::Damaged(folder.display_path(FILE)))?;
            replace(records, key, &held.raise(&seen));
            Ok(())
        })
    }

    /// Makes exactly these rules the floor, because a person accepts them.
    pub(crate) fn replace_recorded(
        &self,
        environment: &Environment,
        key: &ProjectKey,
    ) -> Result<(), RecordError> {
        records::update(environment.lock_state(), FILE, |records| replace(records, key, self))
    }

    fn record(&self, key: &ProjectKey) -> Value {
        let store = |store: &StoreFloor| {
            json!({
                "name": store.name.as_str(),
                "location": store.location,
                "mode": store.mode.name(),
            })
        };
        let types = self.required_types.iter().map(|kind| kind.name()).collect::<Vec<_>>();
        let items = self.items.iter().map(|(kind, mode)| (kind.name(), mode.name()));
        let mut record = key.record();
        record["require_signed"] = json!(types);
        record["items"] = json!(items.collect::<BTreeMap<_, _>>());
        record["stores"] = self.stores.iter().map(store).collect();
        record["served"] = self.served.as_ref().map_or(Value::Null, store);
        record
    }

    /// Parses a record; `None` if it is damaged.
    fn parse(record: &Value) -> Option<Self> {
        let types = record["require_signed"].as_array()?.iter();
        let items = record["items"].as_object()?.iter();
        let items = items.map(|(kind, mode)| Some((kind.parse().ok()?, parse_mode(mode)?)));
        let stores = record["stores"].as_array()?.iter().map(parse_store);
        let served = match &record["served"] {
            Value::Null => None,
            served => Some(parse_store(served)?),
        };
        Some(Self {
            required_types: types.map(|kind| kind.as_str()?.parse().ok()).collect::<Option<_>>()?,
            items: items.collect::<Option<_>>()?,
            stores: stores.collect::<Option<_>>()?,
            served,
        })
    }
}

/// The key of a project's config that demands less than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LoosenedKey {
    /// `require_signed`.
    RequireSigned,
    /// The mode of a store or of the categories of items, or which store is served.
    CategoryMode,
}

impl LoosenedKey {
    /// Returns the key in the words of the notes about keys that await trust.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::RequireSigned => "`require_signed` (which demands less than before)",
            Self::CategoryMode => "`categoryMode` (which is less strict than before)",
        }
    }
}

fn replace(records: &mut Vec<Value>, key: &ProjectKey, floor: &RuleFloor) {
    records.retain(|record| record["folder"] != key.folder());
    if *floor != RuleFloor::default() {
        records.push(floor.record(key));
    }
}

fn is_same_store(held: &StoreFloor, store: &StoreConfig) -> bool {
    held.is_same(&store.name, &store.location)
}

fn store_floor(store: &StoreConfig) -> StoreFloor {
    StoreFloor {
        name: store.name.clone(),
        location: store.location.clone(),
        mode: store.rules.mode(),
    }
}

fn parse_store(value: &Value) -> Option<StoreFloor> {
    Some(StoreFloor {
        name: value["name"].as_str()?.parse::<ModName>().ok()?,
        location: value["location"].as_str()?.to_owned(),
        mode: parse_mode(&value["mode"])?,
    })
}

fn parse_mode(value: &Value) -> Option<CategoryMode> {
    value.as_str()?.parse().ok()
}

fn damaged() -> FloorError {
    FloorError("it is damaged".to_owned())
}
