//! Accounts: the people and programs that own namespaces and tokens.

use mere_core::registry::Namespace;

use super::audit_events::{Actor, record_event};
use crate::clock;
use crate::database::{Connection, DatabaseError};
use crate::error::RegistryError;
use crate::registry::Registry;

/// An account.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Account {
    /// Its name.
    pub name: String,
    /// When it was created.
    pub created_at: String,
}

/// Checks that an account exists.
pub(super) fn require_account(
    connection: &mut Connection,
    name: &str,
) -> Result<(), RegistryError> {
    let row = connection.query_one("SELECT 1 FROM accounts WHERE name = $1", &[name.into()])?;
    let missing =
        || RegistryError::Missing(format!("account `{name}`; `mere registry user add` makes one"));
    row.map(|_| ()).ok_or_else(missing)
}

impl Registry {
    /// Creates an account. Its name obeys the rules for namespaces.
    pub fn add_account(&self, name: &str) -> Result<Account, RegistryError> {
        let name = name.parse::<Namespace>();
        let name = name.map_err(|error| {
            RegistryError::InvalidName(format!("an account is named as a namespace is: {error}"))
        })?;
        let account =
            Account { name: name.as_str().to_owned(), created_at: clock::format(clock::now()) };
        self.database.write(|connection| {
            let sql = "INSERT INTO accounts (name, created_at) VALUES ($1, $2) \
                       ON CONFLICT (name) DO NOTHING";
            let values = [(&account.name).into(), (&account.created_at).into()];
            if connection.execute(sql, &values)? == 0 {
                return Err(RegistryError::NameTaken);
            }
            record_event(connection, &Actor::Operator, "user.add", &account.name)?;
            Ok(())
        })?;
        Ok(account)
    }

    /// Lists the accounts.
    pub fn list_accounts(&self) -> Result<Vec<Account>, RegistryError> {
        self.database.read(|connection| {
            let rows =
                connection.query("SELECT name, created_at FROM accounts ORDER BY name", &[])?;
            let accounts =
                rows.iter().map(|row| Ok(Account { name: row.text(0)?, created_at: row.text(1)? }));
            Ok(accounts.collect::<Result<_, DatabaseError>>()?)
        })
    }
}
