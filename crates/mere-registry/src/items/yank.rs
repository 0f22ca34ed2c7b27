//! Yanking: a version is hidden from search and from the newest version, and stays readable for
//! those who name it.

use mere_core::log::{LoggedEvent, RegistryEvent, YankEvent};
use mere_core::registry::{RegistryVersionName, TokenAction};
use mere_core::trust::ClaimedTime;

use super::item_rows::{self, version_key};
use super::item_table::ItemTable;
use super::read::read_logged_event;
use crate::accounts::{Access, record_event};
use crate::clock;
use crate::error::RegistryError;
use crate::registry::Registry;

impl Registry {
    /// Yanks a version, and returns the event in the log.
    pub(crate) fn yank(
        &self,
        access: &Access,
        name: &RegistryVersionName,
    ) -> Result<LoggedEvent, RegistryError> {
        let now = clock::now();
        self.database.write(|connection| {
            let namespace = access.permit_change(connection, TokenAction::Yank, &name.item)?;
            let ItemTable { versions, id, .. } = ItemTable::of(name.item.kind);
            let sql = format!(
                "SELECT yanked_at FROM {versions} WHERE namespace = $1 AND {id} = $2 AND version = $3"
            );
            let row = connection.query_one(&sql, &version_key(name))?;
            if row.ok_or(RegistryError::NotFound)?.optional_text(0)?.is_some() {
                return Err(RegistryError::AlreadyYanked);
            }
            let at = ClaimedTime::from_timestamp(now);
            let event = RegistryEvent::Yank(YankEvent { version: name.clone(), at });
            let index = self.append_to_log(connection, &namespace, event)?;
            let sql = format!(
                "UPDATE {versions} SET yanked_at = $1, yank_index = $2 \
                 WHERE namespace = $3 AND {id} = $4 AND version = $5"
            );
            let mut values = vec![clock::format(now).into(), index.into()];
            values.extend(version_key(name));
            connection.execute(&sql, &values)?;
            item_rows::update_latest(connection, &name.item)?;
            record_event(connection, &access.actor(), "yank", &name.to_string())?;
            read_logged_event(connection, index)
        })
    }
}
