//! What both configurations come to: which stores there are, where each lies, and that none lies
//! where it must not.

use std::io;
use std::sync::Arc;

use mere_core::address::{Address, RelPath};
use mere_core::item::{ItemType, Scope};
use mere_core::name::ModName;
use mere_core::root::Root;
use serde_saphyr::Location;

use super::fault::StoreFault;
use super::stores::usual;
use super::{Home, Store, Stores};
use crate::config::{self, Config, ConfigError, Spot, StoreConfig, Vantage, YamlError};
use crate::context::Context;
use crate::opening::{Choice, Mods};
use crate::snapshot::WorldError;
use mere_host::{Folder, FolderLocation, SPACE_FOLDER, WORKSPACES_FOLDER};

/// The stores that the user's configuration and the project's come to. What awaits trust, and with
/// `--no-mods` what lies elsewhere, is absent.
pub(crate) fn settle_stores(
    context: &Context,
    (user, project): (&Config, &Config),
    choice: &Choice,
) -> Result<Stores, WorldError> {
    let default = default_store(user, project)?;
    let served = choice.store.clone().or(default);
    let floor = context.least_mode();
    let with_floor = |store: Store| Store { rules: store.rules.with_mode_at_least(floor), ..store };
    // What awaits trust is absent.
    let counts = |config: &Config| config.keeping.stores.iter().any(|store| !store.awaits_trust);
    if !counts(user) && !counts(project) {
        return Ok(Stores::new(vec![with_floor(usual(context))], served));
    }
    let spaces = (context.space()?, context.surroundings.user_space()?);
    let mut settling = Settling { context, configs: [user, project], settled: Vec::new() };
    for (scope, config, space) in
        [(Scope::Project, project, spaces.0.as_ref()), (Scope::User, user, spaces.1.as_deref())]
    {
        let Some(space) = space else { continue };
        for store in config.keeping.stores.iter().filter(|store| !store.awaits_trust) {
            settling.add(store, (scope, space), choice.mods)?;
        }
    }
    let stores = settling.settled.into_iter().map(|(store, _)| with_floor(store));
    Ok(Stores::new(stores.collect(), served))
}

/// `settings.defaultStore`: the project's, else the user's.
fn default_store(user: &Config, project: &Config) -> Result<Option<ModName>, ConfigError> {
    let said = [(Scope::Project, project), (Scope::User, user)];
    let said = said.into_iter().find_map(|(scope, config)| {
        let (name, at) = config.keeping.settings.default_store.as_ref()?;
        Some((scope, name.clone(), *at))
    });
    let Some((scope, name, at)) = said else { return Ok(None) };
    let stores = project.keeping.stores.iter().chain(&user.keeping.stores);
    let mut known = stores.map(|store| store.name.clone()).collect::<Vec<_>>();
    if known.is_empty() {
        known.push(ModName::default_store());
    }
    if known.contains(&name) {
        return Ok(Some(name));
    }
    Err(invalid(scope, at, &StoreFault::NoDefault { name, known }))
}

/// Stores on their way, one after the other.
struct Settling<'a> {
    context: &'a Context,
    configs: [&'a Config; 2],
    settled: Vec<(Store, FolderLocation)>,
}

impl Settling<'_> {
    fn add(
        &mut self,
        said: &StoreConfig,
        (scope, space): (Scope, &Folder),
        mods: Mods,
    ) -> Result<(), WorldError> {
        let name = || said.name.clone();
        if self.settled.iter().any(|(store, _)| store.name == said.name) {
            return Err(invalid(scope, said.named_at, &StoreFault::Twice(name())).into());
        }
        let refuse = |fault: &StoreFault| Err(invalid(scope, said.path_at, fault).into());
        let vantage =
            Vantage { surroundings: &self.context.surroundings, project: &self.context.project };
        let (spot, site) = match scope {
            Scope::Project => vantage.of_project(&said.path, space),
            Scope::User | Scope::Registry => vantage.of_user(&said.path, space),
        };
        if matches!(spot, Spot::Elsewhere) && mods == Mods::Off {
            return Ok(());
        }
        if matches!(spot, Spot::Elsewhere) && self.is_taken(&said.name) {
            return Err(invalid(scope, said.named_at, &StoreFault::Taken(name())).into());
        }
        if let Some(fault) = self.fault(said, &spot, &site)? {
            return refuse(&fault);
        }
        let (address, home) = match spot {
            Spot::Inside(root, path) => (Address::directory(root, path), Home::Inside),
            Spot::Elsewhere | Spot::Unsayable => {
                let home = site.folder().map(Arc::clone).map_or(Home::Missing, Home::Elsewhere);
                (Address::directory(Root::Mod(name()), RelPath::default()), home)
            }
        };
        let (description, rules) = (said.description.clone(), said.rules.clone());
        let is_configured = true;
        let store = Store { name: name(), scope, description, rules, address, home, is_configured };
        self.settled.push((store, site));
        Ok(())
    }

    /// Whether an extra folder has this name.
    fn is_taken(&self, name: &ModName) -> bool {
        let mods = self.configs.iter().flat_map(|config| &config.mods);
        let outer = self.context.outer.as_ref();
        mods.into_iter().any(|one| one.is_called(name))
            || outer.is_some_and(|outer| outer.name == *name)
    }

    /// Why a store cannot lie there.
    fn fault(
        &self,
        said: &StoreConfig,
        spot: &Spot,
        site: &FolderLocation,
    ) -> io::Result<Option<StoreFault>> {
        let (name, surroundings) = (said.name.clone(), &self.context.surroundings);
        let by_name = match spot {
            Spot::Inside(Root::User, path) => by_name(path.names(), Start::UserSpace),
            Spot::Inside(_, path) => by_name(path.names(), Start::Project),
            Spot::Elsewhere => by_name(site.names().iter().map(String::as_str), Start::Elsewhere),
            Spot::Unsayable => Some(StoreFault::Unsayable as fn(ModName) -> StoreFault),
        };
        if let Some(fault) = by_name {
            return Ok(Some(fault(name)));
        }
        if site.contains_folder(&self.context.project) || surroundings.has_user_space_below(site) {
            return Ok(Some(StoreFault::Around(name)));
        }
        if surroundings.overlaps_private_folders(site)? {
            return Ok(Some(StoreFault::Private(name)));
        }
        let overlap =
            |(_, other): &&(Store, FolderLocation)| other.contains(site) || site.contains(other);
        let other = self.settled.iter().find(overlap);
        Ok(other.map(|(store, _)| StoreFault::Overlap(name, store.name.clone())))
    }
}

/// What the names on the way to a store begin at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Project,
    UserSpace,
    Elsewhere,
}

/// What the names on the way to a store say against it. Case does not count: some file systems do not
/// tell it apart.
fn by_name<'a>(
    names: impl Iterator<Item = &'a str>,
    start: Start,
) -> Option<fn(ModName) -> StoreFault> {
    let names = names.collect::<Vec<_>>();
    let Some(first) = names.first() else {
        return Some(if start == Start::Project { StoreFault::Around } else { StoreFault::Space });
    };
    let is = |name: &str, own: &str| name.eq_ignore_ascii_case(own);
    let at = |own: &str| (0..names.len()).filter(|at| is(names[*at], own)).collect::<Vec<_>>();
    let spaces = at(SPACE_FOLDER);
    let may_be_space = match start {
        Start::Project => spaces.is_empty() || (spaces == [0] && *first == SPACE_FOLDER),
        Start::UserSpace => spaces.is_empty(),
        Start::Elsewhere => true,
    };
    if !may_be_space || !at(".git").is_empty() {
        return Some(StoreFault::Hidden);
    }
    let own = (start == Start::UserSpace).then_some(0);
    let mut in_spaces = own.into_iter().chain(spaces.iter().map(|at| at + 1));
    in_spaces.find_map(|at| match names.get(at) {
        None => Some(StoreFault::Space as fn(ModName) -> StoreFault),
        Some(name) if is_of_items(name) => Some(StoreFault::Items),
        Some(_) => None,
    })
}

/// Whether a folder of a space has another use.
fn is_of_items(name: &str) -> bool {
    let items = ItemType::ALL.into_iter().filter(|kind| *kind != ItemType::Memory);
    let mut used = items.map(ItemType::folder).chain([WORKSPACES_FOLDER]);
    used.any(|used| used.eq_ignore_ascii_case(name))
}

fn invalid(scope: Scope, at: Location, fault: &StoreFault) -> ConfigError {
    let address = match scope {
        Scope::Project => config::project_address(),
        Scope::User | Scope::Registry => config::user_address(),
    };
    ConfigError::Invalid { address, fault: YamlError::at_location(at, fault.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::keeping;
    use mere_host::{FolderWriter, TypedPath};

    /// What these two files come to in a project of its own, and which store is served.
    fn settle(project: &str, user: &str, store: Option<&str>) -> Result<Stores, WorldError> {
        let base = tempfile::tempdir().expect("a folder");
        let typed = TypedPath::from(base.path().as_os_str().to_owned());
        let context = Context::find(Some(&typed), Some(&typed)).expect("a project");
        FolderWriter::make_space(&context.project).expect("a space");
        let config = |text| Config { keeping: keeping(text), ..Config::default() };
        let store = store.map(|name| name.parse().expect(name));
        let choice = Choice { mods: Mods::Configured, store };
        settle_stores(&context, (&config(user), &config(project)), &choice)
    }

    fn served(project: &str, user: &str, store: Option<&str>) -> String {
        let stores = settle(project, user, store).expect("stores");
        stores.served().map_or_else(|none| none.to_string(), |store| store.name.to_string())
    }

    #[test]
    fn the_store_that_is_served_is_asked_for_or_set_or_the_first() {
        let two = "stores: {a: {path: x}, b: {path: y}}";
        let set = "settings: {defaultStore: b}\nstores: {a: {path: x}, b: {path: y}}";
        assert_eq!(served("{}", "{}", None), "memory");
        assert_eq!(served(two, "{}", None), "a");
        assert_eq!(served(set, "{}", None), "b");
        assert_eq!(served(set, "settings: {defaultStore: a}", None), "b");
        assert_eq!(served(two, "settings: {defaultStore: b}", None), "b");
        assert_eq!(served(set, "{}", Some("a")), "a");
        assert_eq!(served(set, "{}", Some("c")), "no store is called `c`");
    }

    #[test]
    fn a_store_is_what_the_config_says_where_it_says() {
        let stores = settle(
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
        assert!(matches!(b.home, Home::Inside) && stores.standing().is_empty());
    }
}
