//! What the sender of a request may do.
//!
//! What somebody may not read does not exist for them: the answer is the same as for a name that
//! nobody has.

use std::fmt::Write;

use mere_core::registry::{Namespace, QualifiedId, RegistryItemName, TokenAction, TokenScope};

use super::audit_events::Actor;
use super::namespaces::{NamespaceRow, Privacy, find_namespace};
use crate::database::{Connection, Value};
use crate::error::RegistryError;

/// The access of one request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    token: Option<TokenAccess>,
}

#[derive(Clone, Debug)]
struct TokenAccess {
    account: String,
    id: String,
    scopes: Vec<TokenScope>,
}

impl Access {
    /// Returns the access of a token.
    pub(super) fn with_token(account: String, id: String, scopes: Vec<TokenScope>) -> Self {
        Self { token: Some(TokenAccess { account, id, scopes }) }
    }

    /// Returns the account, if there is a token.
    pub(crate) fn account(&self) -> Option<&str> {
        self.token.as_ref().map(|token| token.account.as_str())
    }

    /// Returns the id of the token, if there is one.
    pub(crate) fn token_id(&self) -> Option<&str> {
        self.token.as_ref().map(|token| token.id.as_str())
    }

    /// Returns who acts. Without a token nothing can be changed, so nobody is recorded as the
    /// operator by mistake.
    pub(crate) fn actor(&self) -> Actor {
        let token = self.token.as_ref();
        token.map_or(Actor::Anonymous, |token| Actor::Token {
            account: token.account.clone(),
            id: token.id.clone(),
        })
    }

    fn scopes(&self) -> &[TokenScope] {
        self.token.as_ref().map_or(&[], |token| &token.scopes)
    }

    /// Permits an item to be read, and returns its namespace.
    pub(crate) fn permit_read(
        &self,
        connection: &mut Connection,
        item: &RegistryItemName,
    ) -> Result<NamespaceRow, RegistryError> {
        let name = item.qualified_id();
        let permits = |scope: &TokenScope| scope.permits(TokenAction::Read, &name);
        self.permit_visible(connection, &item.namespace, permits)
    }

    /// Permits a namespace to be known, and what belongs to it as a whole to be read.
    pub(crate) fn permit_namespace(
        &self,
        connection: &mut Connection,
        namespace: &Namespace,
    ) -> Result<NamespaceRow, RegistryError> {
        let permits = |scope: &TokenScope| scope.permits_some(TokenAction::Read, namespace);
        self.permit_visible(connection, namespace, permits)
    }

    fn permit_visible(
        &self,
        connection: &mut Connection,
        namespace: &Namespace,
        permits: impl Fn(&TokenScope) -> bool,
    ) -> Result<NamespaceRow, RegistryError> {
        let found = find_namespace(connection, namespace)?;
        let is_visible = |row: &NamespaceRow| {
            row.privacy == Privacy::Public || self.scopes().iter().any(&permits)
        };
        found.filter(is_visible).ok_or(RegistryError::NotFound)
    }

    /// Permits an item to be changed, and returns its namespace.
    pub(crate) fn permit_change(
        &self,
        connection: &mut Connection,
        action: TokenAction,
        item: &RegistryItemName,
    ) -> Result<NamespaceRow, RegistryError> {
        let name: QualifiedId = item.qualified_id();
        let permits = |scope: &TokenScope| scope.permits(action, &name);
        self.permit_with(connection, &item.namespace, permits)
    }

    /// Permits files to be sent to a namespace, for an item that is about to be published.
    pub(crate) fn permit_upload(
        &self,
        connection: &mut Connection,
        namespace: &Namespace,
    ) -> Result<NamespaceRow, RegistryError> {
        let permits = |scope: &TokenScope| scope.permits_some(TokenAction::Publish, namespace);
        self.permit_with(connection, namespace, permits)
    }

    fn permit_with(
        &self,
        connection: &mut Connection,
        namespace: &Namespace,
        permits: impl Fn(&TokenScope) -> bool,
    ) -> Result<NamespaceRow, RegistryError> {
        if self.token.is_none() {
            return Err(RegistryError::TokenRequired);
        }
        if !self.scopes().iter().any(permits) {
            // Whoever cannot see the namespace does not learn that it exists.
            return match self.permit_namespace(connection, namespace) {
                Ok(_) => Err(RegistryError::NotPermitted),
                Err(error) => Err(error),
            };
        }
        let row = find_namespace(connection, namespace)?.ok_or(RegistryError::NotFound)?;
        // Things are changed under the name that they have, not under one that means the same.
        if row.name == *namespace { Ok(row) } else { Err(RegistryError::NameTaken) }
    }

    /// Returns the condition on the columns `namespace` and `item_id` of `table` and on the
    /// namespaces `n` by which only what may be read is listed, with its values. The first value
    /// has the number `first`.
    pub(crate) fn readable_condition(&self, table: &str, first: usize) -> (String, Vec<Value>) {
        let mut condition = "n.private = 0".to_owned();
        let mut values = Vec::new();
        for scope in self.scopes().iter().filter(|scope| scope.action == TokenAction::Read) {
            let place = first + values.len();
            values.push(Value::from(scope.namespace.key().as_str()));
            match &scope.id {
                None => {
                    let _ = write!(condition, " OR n.name_key = ${place}");
                }
                Some(id) => {
                    let id_place = place + 1;
                    let _ = write!(
                        condition,
                        " OR n.name_key = ${place} AND REPLACE({table}.item_id, '_', '-') = ${id_place}"
                    );
                    values.push(id.as_str().replace('_', "-").into());
                }
            }
        }
        (format!("({condition})"), values)
    }
}
