//! Tokens: made once, shown once, stored as a digest.

use jiff::Timestamp;
use mere_core::registry::{ApiToken, TokenScope};

use super::access::Access;
use super::account_list::require_account;
use super::audit_events::{Actor, record_event};
use crate::clock;
use crate::database::{DatabaseError, Row, Value};
use crate::error::RegistryError;
use crate::hexadecimal;
use crate::registry::Registry;

/// The most scopes of one token.
const MAX_SCOPES: usize = 64;

/// A token that an operator asks for.
#[derive(Clone, Debug)]
pub struct TokenRequest {
    /// The account that it acts for.
    pub account: String,
    /// What it permits.
    pub scopes: Vec<TokenScope>,
    /// When it ends, if ever.
    pub expires: Option<Timestamp>,
}

/// A token that was just made.
#[derive(Clone, Debug)]
pub struct CreatedToken {
    /// Its id.
    pub id: String,
    /// The token, which is shown this once.
    pub token: ApiToken,
}

/// What is known about a token.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct TokenInfo {
    /// Its id.
    pub id: String,
    /// The account that it acts for.
    pub account: String,
    /// What it permits, with spaces between the scopes.
    pub scopes: String,
    /// When it was created.
    pub created_at: String,
    /// When it ends, if ever.
    pub expires_at: Option<String>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<String>,
}

const COLUMNS: &str = "SELECT id, account, scopes, created_at, expires_at, revoked_at FROM tokens";

fn read_row(row: &Row) -> Result<TokenInfo, DatabaseError> {
    Ok(TokenInfo {
        id: row.text(0)?,
        account: row.text(1)?,
        scopes: row.text(2)?,
        created_at: row.text(3)?,
        expires_at: row.optional_text(4)?,
        revoked_at: row.optional_text(5)?,
    })
}

impl Registry {
    /// Makes a token.
    pub fn create_token(&self, request: &TokenRequest) -> Result<CreatedToken, RegistryError> {
        if request.scopes.is_empty() || request.scopes.len() > MAX_SCOPES {
            return Err(RegistryError::Malformed("a token has between 1 and 64 scopes"));
        }
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)?;
        let mut id = [0; 6];
        getrandom::fill(&mut id)?;
        let id = hexadecimal::encode(&id);
        let created = CreatedToken { id, token: ApiToken::from_bytes(&bytes) };
        let scopes = request.scopes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        self.database.write(|connection| {
            require_account(connection, &request.account)?;
            let sql = "INSERT INTO tokens (id, hash, account, scopes, created_at, expires_at) \
                       VALUES ($1, $2, $3, $4, $5, $6)";
            let values = [
                (&created.id).into(),
                created.token.digest().to_string().into(),
                (&request.account).into(),
                scopes.into(),
                clock::format(clock::now()).into(),
                request.expires.map(clock::format).into(),
            ];
            connection.execute(sql, &values)?;
            record_event(connection, &Actor::Operator, "token.create", &created.id)?;
            Ok::<_, RegistryError>(())
        })?;
        Ok(created)
    }

    /// Revokes a token. Running servers refuse it from now on.
    pub fn revoke_token(&self, id: &str) -> Result<(), RegistryError> {
        self.database.write(|connection| {
            let sql = "UPDATE tokens SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL";
            let values = [clock::format(clock::now()).into(), Value::from(id)];
            if connection.execute(sql, &values)? == 0 {
                let words = format!("valid token `{id}`; `mere registry token list` lists them");
                return Err(RegistryError::Missing(words));
            }
            record_event(connection, &Actor::Operator, "token.revoke", id)?;
            Ok(())
        })
    }

    /// Lists the tokens by their ids.
    pub fn list_tokens(&self) -> Result<Vec<TokenInfo>, RegistryError> {
        self.database.read(|connection| {
            let rows = connection.query(&format!("{COLUMNS} ORDER BY created_at, id"), &[])?;
            Ok(rows.iter().map(read_row).collect::<Result<_, _>>()?)
        })
    }

    /// Returns the access of the token that a request shows.
    pub(crate) fn authenticate(&self, shown: &str) -> Result<Access, RegistryError> {
        let token = shown.parse::<ApiToken>().map_err(|_| RegistryError::TokenInvalid)?;
        let digest = Value::from(token.digest().to_string());
        let sql = format!("{COLUMNS} WHERE hash = $1");
        let row = self.database.read(|connection| connection.query_one(&sql, &[digest]))?;
        let row: Row = row.ok_or(RegistryError::TokenInvalid)?;
        let info = read_row(&row)?;
        let now = clock::format(clock::now());
        // Times are written in one form, whose order is that of time.
        let has_ended = info.expires_at.is_some_and(|end| end <= now);
        if has_ended || info.revoked_at.is_some() {
            return Err(RegistryError::TokenInvalid);
        }
        let scopes = info.scopes.split(' ').map(str::parse).collect::<Result<Vec<_>, _>>();
        let scopes = scopes.map_err(|_| DatabaseError::Shape)?;
        Ok(Access::with_token(info.account, info.id, scopes))
    }
}
