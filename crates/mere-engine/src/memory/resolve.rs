//! Derives the stores of a session from the two config files.
//!
//! The result says which stores there are, where each lies and which one is served. A store in a
//! forbidden place, or two that overlap, make the configuration invalid.

use std::io;
use std::sync::Arc;

use mere_core::address::{Address, ModName, RelPath, Root};
use mere_core::category::CategoryMode;
use mere_core::item::{ItemType, Scope};
use serde_saphyr::Location;

use super::config_error::StoreConfigError;
use super::stores::{ServedStore, fallback_store};
use super::{FolderAccess, Store, Stores, UnavailableReason, UnavailableStore};
use crate::config::{
    self, Config, ConfigError, PathResolver, StoreConfig, StoreFloor, StoreLocation, YamlError,
};
use crate::world::{Context, Mods, OperatorChoice, WorldError};
use mere_host::{Folder, FolderLocation, SPACE_FOLDER, WORKSPACES_FOLDER};

/// Resolves the stores of the user's configuration and the project's. A store that awaits trust, or
/// that `--no-mods` switches off, is among them but cannot be served. The fallback store exists only
/// if neither configuration names a store.
pub(crate) fn resolve_stores(
    context: &Context,
    (user, project): (&Config, &Config),
    choice: &OperatorChoice,
) -> Result<Stores, WorldError> {
    let default = default_store(user, project)?;
    let served = choice.store.clone().or(default);
    let served = served.map_or(ServedStore::First, ServedStore::Named);
    // The user's own default is their choice, and so is `--store`.
    let is_users_choice = choice.store.is_some()
        || (project.storage.settings.default_store.is_none()
            && user.storage.settings.default_store.is_some());
    let floor = project.storage.served_floor.as_ref();
    let minimum_mode = context.least_mode();
    let with_minimum_mode =
        |store: Store| Store { rules: store.rules.with_mode_at_least(minimum_mode), ..store };
    if user.storage.stores.is_empty() && project.storage.stores.is_empty() {
        let fallback = fallback_store(context);
        let replaced = floor.filter(|floor| !is_users_choice && !is_same_store(floor, &fallback));
        let mode = floor.map_or(CategoryMode::Free, |floor| floor.mode);
        let fallback = Store { rules: fallback.rules.with_mode_at_least(mode), ..fallback };
        let served = replaced.map_or(served, withhold);
        return Ok(Stores::new(vec![with_minimum_mode(fallback)], served));
    }
    let spaces = (context.space()?, context.environment.user_space()?);
    let mut resolver = StoreResolver { context, configs: [user, project], resolved: Vec::new() };
    for (scope, config, space) in
        [(Scope::Project, project, spaces.0.as_ref()), (Scope::User, user, spaces.1.as_deref())]
    {
        let Some(space) = space else { continue };
        for store in &config.storage.stores {
            resolver.add(store, (scope, space), choice.mods)?;
        }
    }
    let stores = resolver.resolved.into_iter().map(|(store, _)| with_minimum_mode(store));
    let stores = Stores::new(stores.collect(), served);
    let replaced = floor.filter(|floor| {
        let is_looser =
            |store: &Store| !is_same_store(floor, store) && store.rules.mode() < floor.mode;
        !is_users_choice && stores.served_store().is_ok_and(is_looser)
    });
    Ok(match replaced {
        Some(floor) => stores.with_served(withhold(floor)),
        None => stores,
    })
}

/// Checks whether a store is the project's store that was served before. It is recognised by its
/// name and by its location.
fn is_same_store(floor: &StoreFloor, store: &Store) -> bool {
    store.scope == Scope::Project
        && floor.is_same(&store.name, &config::identify_address(&store.address))
}

/// Serves no store in the place of one that was stricter.
fn withhold(floor: &StoreFloor) -> ServedStore {
    let (name, reason) = (floor.name.clone(), UnavailableReason::Replaced(floor.mode));
    ServedStore::Withheld(UnavailableStore { name, reason })
}

/// Returns `settings.defaultStore` of the project or, if that is not set, the user's.
fn default_store(user: &Config, project: &Config) -> Result<Option<ModName>, ConfigError> {
    let default = [(Scope::Project, project), (Scope::User, user)];
    let default = default.into_iter().find_map(|(scope, config)| {
        let (name, at) = config.storage.settings.default_store.as_ref()?;
        Some((scope, name.clone(), *at))
    });
    let Some((scope, name, at)) = default else { return Ok(None) };
    let stores = project.storage.stores.iter().chain(&user.storage.stores);
    let mut known = stores.map(|store| store.name.clone()).collect::<Vec<_>>();
    if known.is_empty() {
        known.push(ModName::default_store());
    }
    if known.contains(&name) {
        return Ok(Some(name));
    }
    Err(invalid_config(scope, at, &StoreConfigError::UnknownDefault { name, known }))
}

/// Resolves stores one after the other, each checked against those before it.
struct StoreResolver<'a> {
    context: &'a Context,
    configs: [&'a Config; 2],
    /// The stores, each with its location if that was resolved.
    resolved: Vec<(Store, Option<FolderLocation>)>,
}

impl StoreResolver<'_> {
    fn add(
        &mut self,
        config: &StoreConfig,
        (scope, space): (Scope, &Folder),
        mods: Mods,
    ) -> Result<(), WorldError> {
        let name = || config.name.clone();
        if config.awaits_trust {
            // Nothing is checked before it can count.
            self.resolved.push((mounted_store(config, scope, FolderAccess::AwaitsTrust), None));
            return Ok(());
        }
        let refuse_name = |fault: &StoreConfigError| {
            Err(invalid_config(scope, config.name_location, fault).into())
        };
        let is_same = |store: &Store| {
            store.name == config.name && !matches!(store.folder_access, FolderAccess::AwaitsTrust)
        };
        if self.resolved.iter().any(|(store, _)| is_same(store)) {
            return refuse_name(&StoreConfigError::Duplicate(name()));
        }
        let refuse = |fault: &StoreConfigError| {
            Err(invalid_config(scope, config.path_location, fault).into())
        };
        let project = self.context.project_folder();
        let resolver = PathResolver { environment: &self.context.environment, project };
        let (store_location, folder_location) = match scope {
            Scope::Project => resolver.resolve_project_path(&config.path, space),
            Scope::User | Scope::Registry => resolver.resolve_user_path(&config.path, space),
        };
        if matches!(store_location, StoreLocation::Outside) && mods == Mods::Off {
            self.resolved.push((mounted_store(config, scope, FolderAccess::SwitchedOff), None));
            return Ok(());
        }
        if matches!(store_location, StoreLocation::Outside) && self.is_name_taken(&config.name) {
            return refuse_name(&StoreConfigError::NameTaken(name()));
        }
        if let Some(fault) = self.find_location_error(config, &store_location, &folder_location)? {
            return refuse(&fault);
        }
        let (address, home) = match store_location {
            StoreLocation::Inside(root, path) => {
                (Address::directory(root, path), FolderAccess::Inside)
            }
            StoreLocation::Outside | StoreLocation::Unaddressable => {
                let home = folder_location
                    .folder()
                    .map(Arc::clone)
                    .map_or(FolderAccess::Missing, FolderAccess::Outside);
                (Address::directory(Root::Mod(name()), RelPath::default()), home)
            }
        };
        let store = Store { address, ..mounted_store(config, scope, home) };
        self.resolved.push((store, Some(folder_location)));
        Ok(())
    }

    /// Returns true if an extra folder or the surrounding project has this name already.
    fn is_name_taken(&self, name: &ModName) -> bool {
        let mods = self.configs.iter().flat_map(|config| &config.mods);
        let outer = self.context.outer.as_ref();
        mods.into_iter().any(|one| one.has_name_or_id(name))
            || outer.is_some_and(|outer| outer.name == *name)
    }

    /// Returns the reason why a store may not lie at a location, if there is one.
    fn find_location_error(
        &self,
        config: &StoreConfig,
        store_location: &StoreLocation,
        folder_location: &FolderLocation,
    ) -> io::Result<Option<StoreConfigError>> {
        let (name, environment) = (config.name.clone(), &self.context.environment);
        let by_name = match store_location {
            StoreLocation::Inside(Root::User, path) => {
                find_name_error(path.names(), PathStart::UserSpace)
            }
            StoreLocation::Inside(_, path) => find_name_error(path.names(), PathStart::Project),
            StoreLocation::Outside => find_name_error(
                folder_location.names().iter().map(String::as_str),
                PathStart::Outside,
            ),
            StoreLocation::Unaddressable => {
                Some(StoreConfigError::Unaddressable as fn(ModName) -> StoreConfigError)
            }
        };
        if let Some(fault) = by_name {
            return Ok(Some(fault(name)));
        }
        let project = self.context.project();
        if project.is_ok_and(|project| folder_location.contains_folder(project))
            || environment.has_user_space_below(folder_location)
        {
            return Ok(Some(StoreConfigError::ContainsRoot(name)));
        }
        if environment.overlaps_private_folders(folder_location)? {
            return Ok(Some(StoreConfigError::TouchesPrivateFolder(name)));
        }
        let overlap = |(_, other): &&(Store, Option<FolderLocation>)| {
            other.as_ref().is_some_and(|other| {
                other.contains(folder_location) || folder_location.contains(other)
            })
        };
        let other = self.resolved.iter().find(overlap);
        Ok(other.map(|(store, _)| StoreConfigError::Overlap(name, store.name.clone())))
    }
}

/// Returns a store with the address that it has, or would have, as an extra folder.
fn mounted_store(config: &StoreConfig, scope: Scope, folder_access: FolderAccess) -> Store {
    Store {
        name: config.name.clone(),
        scope,
        description: config.description.clone(),
        rules: config.rules.clone(),
        address: Address::directory(Root::Mod(config.name.clone()), RelPath::default()),
        folder_access,
        is_configured: true,
    }
}

/// The folder that the names of a store's path start from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathStart {
    Project,
    UserSpace,
    Outside,
}

/// Checks the names on the path of a store. Upper and lower case are treated alike, because some
/// file systems do not distinguish them.
fn find_name_error<'a>(
    names: impl Iterator<Item = &'a str>,
    start: PathStart,
) -> Option<fn(ModName) -> StoreConfigError> {
    let names = names.collect::<Vec<_>>();
    let Some(first) = names.first() else {
        return Some(if start == PathStart::Project {
            StoreConfigError::ContainsRoot
        } else {
            StoreConfigError::WholeSpace
        });
    };
    let is = |name: &str, own: &str| name.eq_ignore_ascii_case(own);
    let at = |own: &str| (0..names.len()).filter(|at| is(names[*at], own)).collect::<Vec<_>>();
    let spaces = at(SPACE_FOLDER);
    let may_be_space = match start {
        PathStart::Project => spaces.is_empty() || (spaces == [0] && *first == SPACE_FOLDER),
        PathStart::UserSpace => spaces.is_empty(),
        PathStart::Outside => true,
    };
    if !may_be_space || !at(".git").is_empty() {
        return Some(StoreConfigError::InGitOrForeignSpace);
    }
    let own = (start == PathStart::UserSpace).then_some(0);
    let mut in_spaces = own.into_iter().chain(spaces.iter().map(|at| at + 1));
    in_spaces.find_map(|at| match names.get(at) {
        None => Some(StoreConfigError::WholeSpace as fn(ModName) -> StoreConfigError),
        Some(name) if is_reserved_name(name) => Some(StoreConfigError::InReservedFolder),
        Some(_) => None,
    })
}

/// Returns true if a space uses a folder of this name for something other than memories.
fn is_reserved_name(name: &str) -> bool {
    let items = ItemType::ALL.into_iter().filter(|kind| *kind != ItemType::Memory);
    let mut used = items.map(ItemType::folder).chain([WORKSPACES_FOLDER]);
    used.any(|used| used.eq_ignore_ascii_case(name))
}

fn invalid_config(scope: Scope, at: Location, fault: &StoreConfigError) -> ConfigError {
    let address = match scope {
        Scope::Project => config::project_address(),
        Scope::User | Scope::Registry => config::user_address(),
    };
    ConfigError::Invalid { address, fault: YamlError::at_location(at, fault.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse_storage;
    use mere_host::{FolderWriter, TypedPath};

    /// Resolves the stores of two config texts in a new project.
    fn resolve(project: &str, user: &str, store: Option<&str>) -> Result<Stores, WorldError> {
        let base = tempfile::tempdir().expect("a folder");
        let typed = TypedPath::from(base.path().as_os_str().to_owned());
        let context = Context::find(Some(&typed), Some(&typed)).expect("a project");
        FolderWriter::make_space(context.project().expect("a project")).expect("a space");
        let config = |text| Config { storage: parse_storage(text), ..Config::default() };
        let store = store.map(|name| name.parse().expect(name));
        let choice = OperatorChoice { mods: Mods::Configured, store };
        resolve_stores(&context, (&config(user), &config(project)), &choice)
    }

    fn served_name(project: &str, user: &str, store: Option<&str>) -> String {
        let stores = resolve(project, user, store).expect("stores");
        stores.served_store().map_or_else(|none| none.to_string(), |store| store.name.to_string())
    }

    #[test]
    fn the_store_that_is_served_is_asked_for_or_set_or_the_first() {
        let two = "stores: {a: {path: x}, b: {path: y}}";
        let set = "settings: {defaultStore: b}\nstores: {a: {path: x}, b: {path: y}}";
        assert_eq!(served_name("{}", "{}", None), "memory");
        assert_eq!(served_name(two, "{}", None), "a");
        assert_eq!(served_name(set, "{}", None), "b");
        assert_eq!(served_name(set, "settings: {defaultStore: a}", None), "b");
        assert_eq!(served_name(two, "settings: {defaultStore: b}", None), "b");
        assert_eq!(served_name(set, "{}", Some("a")), "a");
        assert_eq!(served_name(set, "{}", Some("c")), "no store is called `c`");
    }

    #[test]
    fn a_store_is_what_the_config_says_where_it_says() {
        let stores = resolve(
            "stores: {a: {path: ../notes/, description: Mine, categoryMode: strict}, b: {path: m}}",
            "{}",
            None,
        );
        let stores = stores.expect("stores");
        let [a, b] = stores.all() else { panic!("two stores") };
        assert_eq!(a.address.to_string(), "ROOT_PROJECT:/notes/");
        assert_eq!(
            (a.scope, &*a.description, a.rules.mode().name()),
            (Scope::Project, "Mine", "strict")
        );
        assert_eq!(b.address.to_string(), "ROOT_PROJECT:/.ai/m/");
        assert!(
            matches!(b.folder_access, FolderAccess::Inside) && stores.mounted_roots().is_empty()
        );
    }
}
