//! Adds stores and categories to `config.yaml`, and removes categories from it, for a person. Every
//! comment in the file is kept.
//!
//! The file is changed under the lock of its space. If the configuration is unusable afterwards,
//! the old file is restored.

use std::sync::Arc;

use mere_core::address::{Address, ModName};
use mere_core::category::Description;
use mere_core::digest::Sha256;
use mere_core::item::{Category, ItemType, Scope};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::NewStore;
use mere_core::text::yaml::amend;
use mere_core::text::yaml::amend::AmendError;
use serde_json::{Map, Value, json};

use super::reply::description_content;
use super::{Store, StoreCall, StoreError, template};
use crate::config;
use crate::memory::config_check::check_config;
use crate::space::ItemChangeError;
use crate::trust::project_key;
use mere_host::{Folder, FolderWriter, WritePrecondition, read_at_most};

/// Reads the configuration again, creates the categories that it names, and returns the addresses
/// of those that were missing.
pub(crate) type ReloadStores<'a> = &'a dyn Fn() -> Result<Vec<Address>, StoreError>;

/// Why the configuration was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigureError {
    #[error("a store called `{0}` already exists")]
    NameTaken(ModName),
    #[error("the store `{0}` is not in the configuration")]
    Unconfigured(ModName),
    #[error("the configuration already defines the category '{0}'")]
    AlreadyDefined(Category),
    #[error("the configuration does not define the category '{0}'")]
    NotDefined(Category),
    #[error("the configuration defines categories below '{0}'")]
    HasSubcategories(Category),
    #[error("{address} would be invalid after this change: {reason}")]
    Unusable { address: Address, reason: String },
    #[error("{address} cannot be changed: {error}")]
    Amend { address: Address, error: AmendError },
}

/// Adds a new store to the configuration, and creates its categories.
pub(super) fn init_store(
    call: &StoreCall<'_>,
    new: &NewStore,
    reload: ReloadStores<'_>,
) -> Result<Draft, StoreError> {
    let scope = if call.context.is_home() { Scope::User } else { new.scope };
    if call.stores.all().iter().any(|store| store.is_configured && store.name == new.name) {
        return Err(ConfigureError::NameTaken(new.name.clone()).into());
    }
    let path = new.path.clone().unwrap_or_else(|| default_path(call, scope, &new.name));
    let file = ConfigFile::new(call, scope);
    let store = template::store_value(new, scope, &path);
    let mut made =
        file.change(reload, |text| amend::add(text, &["stores", new.name.as_str()], &store))?;
    file.make_folder(&path)?;
    made.extend(reload()?);
    let data = Fields::default()
        .with("store", Content::mention(new.name.as_str()))
        .with("config", file.address)
        .with("made", made.into_iter().map(Data::from).collect::<Data>())
        .with("next", next_commands(call, new));
    let message = Prose::words("The store `")
        .content(Content::mention(new.name.as_str()))
        .and("` is configured and its categories exist.");
    let draft = Draft::success(codes::STORE_MADE, message).data(data);
    // The fallback store is no longer served once a store is configured, so say so if it holds
    // memories.
    let left = call.stores.all().iter().find(|store| !store.is_configured);
    let is_left = |store: &Store| store.folder(call.context).ok().flatten().is_some();
    let is_usual = path.trim_start_matches("./").trim_end_matches('/') == ItemType::Memory.folder();
    let is_left = |store: &&Store| !(is_usual && store.scope == scope) && is_left(store);
    let awaits_trust = check_config(call.context).into_iter().find_map(|file| file.note);
    if let Some(note) = awaits_trust.filter(|_| scope == Scope::Project) {
        return Ok(draft.hint(Prose::words("").content(Content::mention(note)).and(".")));
    }
    Ok(match left.filter(is_left) {
        Some(_) => draft.hint(
            "The store `memory` is no longer served; run `mere store init memory` to configure it \
             as well.",
        ),
        None => draft,
    })
}

/// Returns the commands to try first. They name the new store, unless it is the only one.
fn next_commands(call: &StoreCall<'_>, new: &NewStore) -> Data {
    let is_only = call.stores.all().iter().all(|store| !store.is_configured);
    let option = if is_only { String::new() } else { format!(" --store {}", new.name) };
    let commands = [
        "mere store list".to_owned(),
        format!("mere memory create first-note 'What I want to remember'{option}"),
        format!("mere memory list{option}"),
    ];
    commands.into_iter().map(|command| Data::from(Content::mention(command))).collect()
}

/// Returns the path of a store for which the person gave none: the usual folder of memories, unless
/// another store has it.
fn default_path(call: &StoreCall<'_>, scope: Scope, name: &ModName) -> String {
    let folder = ItemType::Memory.folder();
    let is_taken = call.stores.all().iter().any(|store| {
        let last = store.address.path().names().next_back();
        store.is_configured && store.scope == scope && last == Some(folder)
    });
    if is_taken { format!("./{name}") } else { format!("./{folder}") }
}

/// Adds a category of the served store to the configuration.
pub(super) fn define_category(
    call: &StoreCall<'_>,
    (path, description): (&Category, Option<&Description>),
    reload: ReloadStores<'_>,
) -> Result<Draft, StoreError> {
    let store = configured_store(call)?;
    if store.rules.hierarchy().find(path).is_some() {
        return Err(ConfigureError::AlreadyDefined(path.clone()).into());
    }
    let keys = category_keys(store, path);
    let mut value = Map::new();
    let description = description.cloned().unwrap_or_default();
    if !description.is_empty() {
        value.insert("description".to_owned(), json!(description.as_str()));
    }
    let file = ConfigFile::new(call, store.scope);
    let made = file.change(reload, |text| {
        amend::add(
            text,
            &keys.iter().map(String::as_str).collect::<Vec<_>>(),
            &Value::Object(value.clone()),
        )
    })?;
    let made = made.into_iter().map(Data::from).collect::<Data>();
    let data = category_fields(store, path, &description, file.address).with("made", made);
    let message = Prose::with_names(
        &format!("The category '{path}' is now in the configuration."),
        &[ParsedName::from(path)],
    );
    Ok(Draft::success(codes::CATEGORY_DEFINED, message).data(data))
}

/// Removes a category from the configuration. Its folder stays.
pub(super) fn undefine_category(
    call: &StoreCall<'_>,
    path: &Category,
    reload: ReloadStores<'_>,
) -> Result<Draft, StoreError> {
    let store = configured_store(call)?;
    let Some(named) = store.rules.hierarchy().find(path) else {
        return Err(ConfigureError::NotDefined(path.clone()).into());
    };
    if !named.subcategories.is_empty() {
        return Err(ConfigureError::HasSubcategories(path.clone()).into());
    }
    let keys = category_keys(store, path);
    let file = ConfigFile::new(call, store.scope);
    file.change(reload, |text| {
        amend::remove(text, &keys.iter().map(String::as_str).collect::<Vec<_>>())
    })?;
    let data = category_fields(store, path, &named.description, file.address);
    let message = Prose::with_names(
        &format!("The category '{path}' is no longer in the configuration."),
        &[ParsedName::from(path)],
    );
    Ok(Draft::success(codes::CATEGORY_UNDEFINED, message)
        .hint("Its folder and memories were kept; run `mere category delete` to remove them.")
        .data(data))
}

/// Returns the served store, which must be in a configuration.
fn configured_store<'a>(call: &'a StoreCall<'_>) -> Result<&'a Store, StoreError> {
    let store = call.served_store()?;
    if store.is_configured {
        return Ok(store);
    }
    Err(ConfigureError::Unconfigured(store.name.clone()).into())
}

/// Returns the YAML keys that lead to a category.
fn category_keys(store: &Store, path: &Category) -> Vec<String> {
    let mut keys = vec!["stores".to_owned(), store.name.to_string()];
    for (depth, level) in path.levels().enumerate() {
        keys.push(if depth == 0 { "categories" } else { "subcategories" }.to_owned());
        keys.push(level.to_owned());
    }
    keys
}

fn category_fields(
    store: &Store,
    path: &Category,
    description: &Description,
    config: Address,
) -> Fields {
    Fields::default()
        .with("store", store.name_data())
        .with("path", ParsedName::from(path))
        .with("description", description_content(description))
        .with("address", config)
}

/// The `config.yaml` of a scope, to be edited.
struct ConfigFile<'a> {
    call: &'a StoreCall<'a>,
    scope: Scope,
    address: Address,
}

impl<'a> ConfigFile<'a> {
    fn new(call: &'a StoreCall<'a>, scope: Scope) -> Self {
        let address = match scope {
            Scope::User => config::user_address(),
            _ => config::project_address(),
        };
        Self { call, scope, address }
    }

    /// Changes the text and reads the configuration again. If that fails, the change is undone.
    fn change(
        &self,
        reload: ReloadStores<'_>,
        amend: impl Fn(&str) -> Result<String, AmendError>,
    ) -> Result<Vec<Address>, StoreError> {
        let (old, new) = self.write(amend)?;
        let wrong = check_config(self.call.context).into_iter();
        let mut wrong = wrong.filter(|file| file.address == self.address);
        let made = match wrong.find_map(|file| file.problem) {
            Some(reason) => {
                Err(ConfigureError::Unusable { address: self.address.clone(), reason }.into())
            }
            None => reload(),
        };
        made.inspect_err(|_| {
            if let Err(error) = self.restore(old.as_deref(), &new) {
                tracing::error!(%error, "the config could not be restored");
            }
        })
    }

    /// Makes the folder of a store that lies outside the project and the user's space.
    fn make_folder(&self, path: &str) -> Result<(), StoreError> {
        let context = self.call.context;
        let failed = |cause| ItemChangeError::WriteFailed { address: self.address.clone(), cause };
        let space = match self.scope {
            Scope::User => context.environment.user_space(),
            _ => context.space().map(|space| space.map(Arc::new)),
        };
        let Some(space) = space.map_err(failed)? else { return Ok(()) };
        Ok(Folder::make_configured(path, &space, &context.environment).map_err(failed)?)
    }

    fn lock(&self) -> Result<FolderWriter, StoreError> {
        let context = self.call.context;
        let failed = |cause| ItemChangeError::WriteFailed { address: self.address.clone(), cause };
        let space = match self.scope {
            Scope::User => context.environment.make_user_space(),
            _ => FolderWriter::make_space(context.project().map_err(ItemChangeError::from)?),
        };
        let space = space.map_err(failed)?;
        if project_key::space_format(&space) > project_key::SPACE_FORMAT {
            return Err(ItemChangeError::NewerFormat.into());
        }
        let editing = FolderWriter::open(&space, self.call.is_cancelled).map_err(failed)?;
        Ok(editing.ok_or_else(|| ItemChangeError::TimedOut(self.address.clone()))?)
    }

    /// Writes the amended file. Returns its old text, if there was a file, and its new text.
    fn write(
        &self,
        amend: impl Fn(&str) -> Result<String, AmendError>,
    ) -> Result<(Option<String>, String), StoreError> {
        let editing = self.lock()?;
        let failed = |cause| {
            StoreError::from(ItemChangeError::WriteFailed { address: self.address.clone(), cause })
        };
        let path = config::FILE.parse().map_err(|_| ItemChangeError::InvalidPlace)?;
        let file = editing.open_file(&path).map_err(failed)?;
        let bytes = file.map(|file| read_at_most(file, config::MAX_YAML_BYTES as u64));
        let bytes = bytes.transpose().map_err(failed)?.flatten();
        let old =
            bytes.map(|bytes| String::from_utf8(bytes).map_err(|_| ItemChangeError::InvalidPlace));
        let old = old.transpose()?;
        let unamended = |error| ConfigureError::Amend { address: self.address.clone(), error };
        let new = amend(old.as_deref().unwrap_or_default()).map_err(unamended)?;
        let before = match &old {
            Some(old) => WritePrecondition::Digest(Sha256::digest(old.as_bytes())),
            None => WritePrecondition::Absent,
        };
        let stale = || ItemChangeError::Stale { address: self.address.clone(), current: None };
        if editing.put(&path, new.as_bytes(), before).map_err(failed)? {
            return Ok((old, new));
        }
        Err(stale().into())
    }

    /// Restores the old text, unless somebody else has written the file since.
    fn restore(&self, old: Option<&str>, new: &str) -> Result<(), StoreError> {
        let editing = self.lock()?;
        let failed = |cause| ItemChangeError::WriteFailed { address: self.address.clone(), cause };
        let path = config::FILE.parse().map_err(|_| ItemChangeError::InvalidPlace)?;
        let ours = Sha256::digest(new.as_bytes());
        match old {
            Some(old) => editing
                .put(&path, old.as_bytes(), WritePrecondition::Digest(ours))
                .map_err(failed)?,
            None => editing.remove_if_digest(&path, ours).map_err(failed)?,
        };
        Ok(())
    }
}
