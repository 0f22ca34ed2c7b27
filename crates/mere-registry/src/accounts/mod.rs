//! Who may do what: accounts, namespaces, the keys of authors, tokens, and the record of changes.

mod access;
mod account_list;
mod audit_events;
mod namespaces;
mod signing_keys;
mod tokens;

pub(crate) use access::Access;
pub use account_list::Account;
pub use audit_events::AuditEvent;
pub(crate) use audit_events::{Actor, record_event};
pub use namespaces::{NamespaceRow, Privacy};
pub use signing_keys::SigningKey;
pub(crate) use signing_keys::{active_keys, all_keys, key_change_indices};
pub use tokens::{CreatedToken, TokenInfo, TokenRequest};
