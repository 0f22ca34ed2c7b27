//! Namespaces: who owns them, and whether everybody may see them.
//!
//! Two names that people could mistake for each other cannot both exist.

use mere_core::registry::{Namespace, NewNamespace};

use super::account_list::require_account;
use super::audit_events::{Actor, record_event};
use crate::clock;
use crate::database::{Connection, DatabaseError, Row};
use crate::error::RegistryError;
use crate::registry::Registry;

/// Who may see a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// Everybody.
    Public,
    /// Those whose token permits it. To others it does not exist.
    Private,
}

/// A namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceRow {
    /// Its name.
    pub name: Namespace,
    /// The account that owns it.
    pub owner: String,
    /// Who may see it.
    pub privacy: Privacy,
    /// When it was created.
    pub created_at: String,
}

const COLUMNS: &str = "SELECT name, owner, private, created_at FROM namespaces";

fn read_row(row: &Row) -> Result<NamespaceRow, DatabaseError> {
    Ok(NamespaceRow {
        name: row.text(0)?.parse().map_err(|_| DatabaseError::Shape)?,
        owner: row.text(1)?,
        privacy: if row.number(2)? == 0 { Privacy::Public } else { Privacy::Private },
        created_at: row.text(3)?,
    })
}

/// Finds a namespace by any of its spellings, whoever may see it.
pub(crate) fn find_namespace(
    connection: &mut Connection,
    name: &Namespace,
) -> Result<Option<NamespaceRow>, DatabaseError> {
    let sql = format!("{COLUMNS} WHERE name_key = $1");
    connection.query_one(&sql, &[name.key().as_str().into()])?.as_ref().map(read_row).transpose()
}

impl Registry {
    /// Creates a namespace.
    pub fn create_namespace(
        &self,
        name: &NewNamespace,
        owner: &str,
        privacy: Privacy,
    ) -> Result<(), RegistryError> {
        let name = name.as_namespace();
        self.database.write(|connection| {
            require_account(connection, owner)?;
            let sql = "INSERT INTO namespaces (name, name_key, skeleton, owner, private, \
                       created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
            let private = u64::from(privacy == Privacy::Private);
            let values = [
                name.as_str().into(),
                name.key().as_str().into(),
                name.skeleton().as_str().into(),
                owner.into(),
                private.into(),
                clock::format(clock::now()).into(),
            ];
            if connection.execute(sql, &values)? == 0 {
                return Err(RegistryError::NameTaken);
            }
            record_event(connection, &Actor::Operator, "namespace.create", name.as_str())?;
            Ok(())
        })
    }

    /// Lists the namespaces.
    pub fn list_namespaces(&self) -> Result<Vec<NamespaceRow>, RegistryError> {
        self.database.read(|connection| {
            let rows = connection.query(&format!("{COLUMNS} ORDER BY name"), &[])?;
            Ok(rows.iter().map(read_row).collect::<Result<_, _>>()?)
        })
    }
}
