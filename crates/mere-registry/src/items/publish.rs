//! Publishing: everything that was signed is checked again, and then stored with its entry in the
//! log in one transaction.

use mere_core::digest::Sha256;
use mere_core::log::{PublishEvent, RegistryEvent};
use mere_core::registry::{RegistryVersionName, TokenAction, VersionInfo, VersionRecord};
use mere_core::trust::{ClaimedTime, Envelope};

use super::blobs::check_blobs;
use super::item_rows::{self, NewVersion};
use super::read::read_version_info;
use super::submission::{SignedStatement, Submission, check_signatures};
use crate::accounts::{Access, active_keys, record_event};
use crate::clock;
use crate::database::Connection;
use crate::error::RegistryError;
use crate::registry::Registry;

impl Registry {
    /// Publishes a version, and returns it with its entry in the log.
    pub(crate) fn publish(
        &self,
        access: &Access,
        name: &RegistryVersionName,
        envelope: Envelope,
    ) -> Result<VersionInfo, RegistryError> {
        let item = &name.item;
        let signed = self.database.read(|connection| {
            access.permit_change(connection, TokenAction::Publish, item)?;
            let keys = active_keys(connection, &item.namespace)?;
            let signed = SignedStatement::check(envelope, name, &keys)?;
            if item_rows::has_version(connection, name)? {
                return Err(RegistryError::VersionExists);
            }
            check_blobs(connection, access, item, &signed.statement.files)?;
            Ok(signed)
        })?;
        let (_, main) = signed.main_file()?;
        let missing = || RegistryError::MissingBlob(main.path.clone());
        let bytes = self.blobs.get(&main.sha256)?.ok_or_else(missing)?;
        let submission = signed.check_item(&bytes)?;
        self.database.write(|connection| self.store(connection, access, name, &submission))
    }

    /// Stores a version. The caller is in a transaction.
    fn store(
        &self,
        connection: &mut Connection,
        access: &Access,
        name: &RegistryVersionName,
        submission: &Submission,
    ) -> Result<VersionInfo, RegistryError> {
        let item = &name.item;
        // A key or the token may have been withdrawn meanwhile.
        let namespace = access.permit_change(connection, TokenAction::Publish, item)?;
        let keys = active_keys(connection, &item.namespace)?;
        let SignedStatement { statement, envelope } = &submission.signed;
        check_signatures(envelope, &keys)?;
        // A sweep may have removed a file that was not published yet.
        check_blobs(connection, access, item, &statement.files)?;
        if item_rows::has_version(connection, name)? {
            return Err(RegistryError::VersionExists);
        }
        let now = clock::now();
        let record = VersionRecord {
            version: name.clone(),
            statement: envelope.clone(),
            name: submission.name.clone(),
            description: submission.description.clone(),
            executor: statement.executor.clone(),
            published: ClaimedTime::from_timestamp(now),
        };
        let record = record.payload();
        let event = RegistryEvent::Publish(PublishEvent {
            version: name.clone(),
            statement: Sha256::digest(envelope.payload()),
            record: Sha256::digest(&record),
            at: ClaimedTime::from_timestamp(now),
        });
        let index = self.append_to_log(connection, &namespace, event)?;
        let record = String::from_utf8(record).unwrap_or_default();
        let version = NewVersion { name, submission, record: &record, index };
        item_rows::insert_version(connection, &version, &clock::format(now))?;
        item_rows::update_latest(connection, item)?;
        record_event(connection, &access.actor(), "publish", &name.to_string())?;
        read_version_info(connection, name)
    }
}
