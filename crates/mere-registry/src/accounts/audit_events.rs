//! The record of who changed what.

use crate::clock;
use crate::database::{Connection, DatabaseError, Value};
use crate::error::RegistryError;
use crate::registry::Registry;

/// How many events are listed at once.
const MAX_LISTED: u64 = 10_000;

/// Who changes something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    /// Somebody without a token, who can change nothing.
    Anonymous,
    /// Somebody with access to the database.
    Operator,
    /// The owner of a token.
    Token {
        /// The account.
        account: String,
        /// The id of the token.
        id: String,
    },
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct AuditEvent {
    /// When it happened.
    pub at: String,
    /// Who did it: `operator`, or the account and the id of the token.
    pub actor: String,
    /// What was done, such as `publish`.
    pub action: String,
    /// What it was done to.
    pub subject: String,
}

/// Records a change in the transaction that makes it.
pub(crate) fn record_event(
    connection: &mut Connection,
    actor: &Actor,
    action: &'static str,
    subject: &str,
) -> Result<(), DatabaseError> {
    let actor = match actor {
        Actor::Anonymous => "anonymous".to_owned(),
        Actor::Operator => "operator".to_owned(),
        Actor::Token { account, id } => format!("{account} (token {id})"),
    };
    let sql = "INSERT INTO audit_log (at, actor, action, subject) VALUES ($1, $2, $3, $4)";
    let values: [Value; 4] =
        [clock::format(clock::now()).into(), actor.into(), action.into(), subject.into()];
    connection.execute(sql, &values)?;
    Ok(())
}

impl Registry {
    /// Lists the changes, the newest first.
    pub fn list_events(&self) -> Result<Vec<AuditEvent>, RegistryError> {
        let sql = "SELECT at, actor, action, subject FROM audit_log ORDER BY id DESC LIMIT $1";
        self.database.read(|connection| {
            let rows = connection.query(sql, &[MAX_LISTED.into()])?;
            let events = rows.iter().map(|row| {
                Ok(AuditEvent {
                    at: row.text(0)?,
                    actor: row.text(1)?,
                    action: row.text(2)?,
                    subject: row.text(3)?,
                })
            });
            events.collect()
        })
    }
}
