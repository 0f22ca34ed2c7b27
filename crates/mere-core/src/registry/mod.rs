//! What a registry and its clients agree on: names, tokens, records, paths and bodies.
//!
//! Server and client share every type here, so that they cannot differ. Nothing is trusted because
//! a registry says it: what counts is the author's signature and the [log](crate::log).

mod api_path;
mod api_token;
mod body;
mod name_key;
mod namespace;
mod problem;
mod published_name;
mod query;
mod registry_id;
mod token_scope;
mod version_record;

pub use api_path::{API_PREFIX, ApiPath, ApiPathError, LOG_PREFIX};
pub use api_token::{ApiToken, ApiTokenError};
pub use body::{
    ApiBody, BodyError, NamespaceInfo, NamespaceKey, PublishRequest, PublishedRelationship,
    RegistryInfo, RegistryItemInfo, RegistryItemPage, RegistryItemRow, RelationshipList,
    VersionInfo, VersionSummary, format_body, parse_body,
};
pub use name_key::{NameKey, NameSkeleton};
pub use namespace::{Namespace, NamespaceError, NewNamespace};
pub use problem::{PROBLEM_MEDIA_TYPE, ProblemCode, ProblemDetails};
pub use published_name::{
    PublishedNameError, PublishedReference, QualifiedId, RegistryItemName, RegistryType,
    RegistryTypeError, RegistryVersionName,
};
pub use query::{
    DEFAULT_PAGE_ITEMS, MAX_PAGE_ITEMS, RegistryQuery, RegistryQueryError, RelationshipDirection,
};
pub use registry_id::{RegistryId, RegistryIdError};
pub use token_scope::{TokenAction, TokenScope, TokenScopeError};
pub use version_record::{MAX_RECORD_BYTES, VersionRecord};
