//! `mere allow`: a person shows sensitive files of a project to its agents.
//!
//! What is allowed is recorded per project in the user's state folder, and can be listed and taken
//! back. No agent-facing tool reaches this module.

use std::sync::Arc;

use mere_core::address::{Address, AgentName, Root};
use mere_host::{NoAddress, TypedPath};

use crate::session::snapshot::Snapshot;
use crate::trust::approvals::files::{FILE, allowed_addresses};
use crate::trust::approvals::records::{self, RecordError};
use crate::trust::project_key::ProjectKey;
use crate::world::{Context, OpenError, OperatorChoice};

/// Why nothing was allowed, listed or taken back.
#[derive(Debug, thiserror::Error)]
pub enum AllowError {
    /// There is no project.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A space cannot be reached.
    #[error("a space cannot be reached: {0}")]
    Space(std::io::Error),
    /// The folder's name is not Unicode.
    #[error("the project's folder has a name that is not Unicode: it cannot be recorded")]
    Name,
    /// What was typed does not name anything in this project.
    #[error(
        "`{0}` is neither an address in this project, such as ROOT_PROJECT:/.env, nor a path inside it"
    )]
    Address(String),
    /// There is nothing at the path that was typed.
    #[error(
        "there is no file or folder `{0}`, so nothing was allowed; create it first, or check its \
         name"
    )]
    Missing(String),
    /// What was typed is in the project, but cannot be part of an address.
    #[error(
        "`{0}` has no address: a name in it has invisible or control characters, or a backslash, or \
         it is too long. Rename it first"
    )]
    Unaddressable(String),
    /// The record could not be saved.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// What agents saw of a file before it was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisibleBefore {
    /// Nothing: it was hidden.
    Hidden,
    /// The file, with the secrets in it masked: it is not sensitive by its name.
    Masked,
    /// All of it: it was allowed already.
    Allowed,
}

/// The sensitive files that a person has allowed in a project.
pub struct AllowedFiles {
    context: Context,
    key: ProjectKey,
}

impl AllowedFiles {
    /// Finds the project.
    pub fn find(
        project: Option<&TypedPath>,
        directory: Option<&TypedPath>,
    ) -> Result<Self, AllowError> {
        let context = Context::find(project, directory)?;
        let space = context.space().map_err(AllowError::Space)?;
        let key = ProjectKey::for_project(context.require_project()?, space.as_ref())
            .ok_or(AllowError::Name)?;
        Ok(Self { context, key })
    }

    /// Returns what is allowed now.
    pub fn list(&self) -> Vec<Address> {
        allowed_addresses(&self.context.environment, &self.key)
    }

    /// Allows what a person typed: an address, or a path inside the project. Returns the address,
    /// and what agents saw of it before.
    pub fn add(&self, typed: &TypedPath) -> Result<(Address, VisibleBefore), AllowError> {
        let address = self.address_of(typed)?;
        let folder = match address.root() {
            Root::Project => Some(Arc::clone(self.context.require_project()?)),
            Root::User => self.context.environment.user_space().map_err(AllowError::Space)?,
            _ => None,
        };
        let metadata = folder.map(|folder| folder.dir().symlink_metadata(address.path().as_str()));
        let is_file = match metadata {
            // A grant for a name that nothing has would wait for whatever gets that name.
            Some(Err(_)) => return Err(AllowError::Missing(typed.display_text())),
            Some(Ok(metadata)) => metadata.is_file(),
            None => false,
        };
        let before = match self.list().contains(&address) {
            true => VisibleBefore::Allowed,
            false if is_file && self.is_shown(&address) => VisibleBefore::Masked,
            false => VisibleBefore::Hidden,
        };
        self.replace_record(&address, |records, mut record| {
            record["address"] = address.to_string().into();
            records.push(record);
        })?;
        Ok((address, before))
    }

    /// Returns whether agents see the file without an approval.
    fn is_shown(&self, address: &Address) -> bool {
        let snapshot = Snapshot::take(&self.context, &OperatorChoice::default());
        let world = snapshot.world(&self.context, &AgentName::default());
        world.is_ok_and(|world| world.may_show(address))
    }

    /// Takes an approval back. Returns its address, and whether there was one.
    pub fn revoke(&self, typed: &TypedPath) -> Result<(Address, bool), AllowError> {
        let address = self.address_of(typed)?;
        let is_same = |one: &Address| one.root() == address.root() && one.path() == address.path();
        let allowed = self.list().into_iter().filter(is_same).collect::<Vec<_>>();
        for address in &allowed {
            self.replace_record(address, |_, _| {})?;
        }
        let was = !allowed.is_empty();
        Ok((allowed.into_iter().next().unwrap_or(address), was))
    }

    /// Drops the record of an address, and lets `add` write a new one.
    fn replace_record(
        &self,
        address: &Address,
        add: impl FnOnce(&mut Vec<serde_json::Value>, serde_json::Value),
    ) -> Result<(), AllowError> {
        let text = address.to_string();
        records::update(self.context.environment.lock_state(), FILE, |records| {
            records.retain(|record| !(self.key.matches(record) && record["address"] == text));
            add(records, self.key.record());
        })?;
        Ok(())
    }

    fn address_of(&self, typed: &TypedPath) -> Result<Address, AllowError> {
        let agent = AgentName::default();
        let extra = Snapshot::take(&self.context, &OperatorChoice::default()).extra_folders();
        let environment = &self.context.environment;
        let project = self.context.project_folder();
        let located = environment.locate_typed_path(typed, project, &agent, &extra);
        match located.into_address() {
            Ok(address) if *address.root() != Root::Registry => Ok(address),
            Err(NoAddress::Unaddressable) => Err(AllowError::Unaddressable(typed.display_text())),
            _ => Err(AllowError::Address(typed.display_text())),
        }
    }
}
