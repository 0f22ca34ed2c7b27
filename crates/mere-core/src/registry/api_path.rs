//! The paths of the registry's interface.
//!
//! Server and client both use [`ApiPath`], so that they cannot differ. A path has one spelling: all
//! its parts are lower-case names, numbers and digests, none of which is ever percent-encoded.

use std::fmt;
use std::str::FromStr;

use super::namespace::Namespace;
use super::published_name::{RegistryItemName, RegistryType, RegistryVersionName};
use crate::digest::Sha256;
use crate::log::{BundleId, TileId};

/// What the paths of the JSON interface begin with.
pub const API_PREFIX: &str = "/api/v1";
/// What the paths of the log begin with.
pub const LOG_PREFIX: &str = "/log";
/// The longest path in bytes: three names, a version and the words between them.
const MAX_PATH_BYTES: usize = 512;

/// A path of the interface, without its query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiPath {
    /// What the registry says about itself.
    Registry,
    /// Search.
    Search,
    /// The list of items.
    Items,
    /// A namespace and its keys.
    Namespace(Namespace),
    /// A file of an item, by its digest.
    Blob(Namespace, Sha256),
    /// An item with its versions.
    Item(RegistryItemName),
    /// A version of an item.
    Version(RegistryVersionName),
    /// Where a version is yanked.
    Yank(RegistryVersionName),
    /// The relationships of a knowledge entry; the name is always one of knowledge.
    Relationships(RegistryItemName),
    /// The checkpoint of the log.
    Checkpoint,
    /// A tile of the log.
    Tile(TileId),
    /// An entry bundle of the log.
    Bundle(BundleId),
}

/// A path that the interface does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no such path")]
pub struct ApiPathError;

impl fmt::Display for ApiPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registry => write!(f, "{API_PREFIX}/registry"),
            Self::Search => write!(f, "{API_PREFIX}/search"),
            Self::Items => write!(f, "{API_PREFIX}/items"),
            Self::Namespace(namespace) => write!(f, "{API_PREFIX}/namespaces/{namespace}"),
            Self::Blob(namespace, digest) => {
                write!(f, "{API_PREFIX}/namespaces/{namespace}/blobs/{digest}")
            }
            Self::Item(item) => write_item(f, item),
            Self::Version(version) => write_version(f, version),
            Self::Yank(version) => {
                write_version(f, version)?;
                f.write_str("/yank")
            }
            Self::Relationships(item) => {
                write_item(f, item)?;
                f.write_str("/relationships")
            }
            Self::Checkpoint => write!(f, "{LOG_PREFIX}/checkpoint"),
            Self::Tile(tile) => write!(f, "{LOG_PREFIX}/{tile}"),
            Self::Bundle(bundle) => write!(f, "{LOG_PREFIX}/{bundle}"),
        }
    }
}

fn write_item(f: &mut fmt::Formatter<'_>, item: &RegistryItemName) -> fmt::Result {
    write!(f, "{API_PREFIX}/items/{}/{}/{}", item.kind, item.namespace, item.id)
}

fn write_version(f: &mut fmt::Formatter<'_>, version: &RegistryVersionName) -> fmt::Result {
    write_item(f, &version.item)?;
    write!(f, "/versions/{}", version.version)
}

impl FromStr for ApiPath {
    type Err = ApiPathError;

    fn from_str(text: &str) -> Result<Self, ApiPathError> {
        if text.len() > MAX_PATH_BYTES {
            return Err(ApiPathError);
        }
        if let Some(path) = text.strip_prefix(LOG_PREFIX) {
            return parse_log_path(path.strip_prefix('/').ok_or(ApiPathError)?);
        }
        let path = text.strip_prefix(API_PREFIX).and_then(|path| path.strip_prefix('/'));
        let parts = path.ok_or(ApiPathError)?.split('/').collect::<Vec<_>>();
        match parts.as_slice() {
            ["registry"] => Ok(Self::Registry),
            ["search"] => Ok(Self::Search),
            ["items"] => Ok(Self::Items),
            ["namespaces", namespace] => parse(namespace).map(Self::Namespace),
            ["namespaces", namespace, "blobs", digest] => {
                Ok(Self::Blob(parse(namespace)?, parse(digest)?))
            }
            ["items", kind, namespace, id, rest @ ..] => {
                let item = RegistryItemName {
                    kind: parse(kind)?,
                    namespace: parse(namespace)?,
                    id: parse(id)?,
                };
                parse_below_item(item, rest)
            }
            _ => Err(ApiPathError),
        }
    }
}

fn parse<T: FromStr>(text: &str) -> Result<T, ApiPathError> {
    text.parse().map_err(|_| ApiPathError)
}

fn parse_below_item(item: RegistryItemName, rest: &[&str]) -> Result<ApiPath, ApiPathError> {
    match rest {
        [] => Ok(ApiPath::Item(item)),
        ["relationships"] if item.kind == RegistryType::Knowledge => {
            Ok(ApiPath::Relationships(item))
        }
        ["versions", version] => Ok(ApiPath::Version(item.with_version(parse(version)?))),
        ["versions", version, "yank"] => Ok(ApiPath::Yank(item.with_version(parse(version)?))),
        _ => Err(ApiPathError),
    }
}

fn parse_log_path(path: &str) -> Result<ApiPath, ApiPathError> {
    if path == "checkpoint" {
        return Ok(ApiPath::Checkpoint);
    }
    parse(path).map(ApiPath::Bundle).or_else(|_| parse(path).map(ApiPath::Tile))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_read_as_it_is_written() {
        let digest = "0123456789abcdef".repeat(4);
        for good in [
            "/api/v1/registry",
            "/api/v1/search",
            "/api/v1/items",
            "/api/v1/namespaces/acme-corp",
            &format!("/api/v1/namespaces/acme/blobs/{digest}"),
            "/api/v1/items/tool/acme/jwt_x",
            "/api/v1/items/directive/acme/jwt/versions/1.0.0-rc.1+build.5",
            "/api/v1/items/lockfile/acme/jwt/versions/1.0.0/yank",
            "/api/v1/items/knowledge/acme/jwt/relationships",
            "/log/checkpoint",
            "/log/tile/0/000.p/1",
            "/log/tile/2/x001/x234/067",
            "/log/tile/entries/x001/234.p/255",
        ] {
            assert_eq!(good.parse::<ApiPath>().map(|path| path.to_string()), Ok(good.to_owned()));
        }
    }

    #[test]
    fn any_other_path_is_refused() {
        for bad in [
            "",
            "/",
            "/api/v1",
            "/api/v1/",
            "/api/v1/registry/",
            "/api/v2/registry",
            "/api/v1/namespaces/Acme",
            "/api/v1/namespaces/ac%6de",
            "/api/v1/namespaces/acme/blobs/ABC",
            "/api/v1/items/memory/acme/x",
            "/api/v1/items/tools/acme/x",
            "/api/v1/items/tool/acme/../x",
            "/api/v1/items/tool/acme/x/relationships",
            "/api/v1/items/tool/acme/x/versions/1",
            "/api/v1/items/tool/acme/x/versions/1.0.0/unyank",
            "/api/v1/items/tool//x",
            "/log",
            "/log/",
            "/log/checkpoint/",
            "/log/tile/0/0",
            "/log/tile/64/000",
            "/log/tile/00/000",
            "/logs/checkpoint",
        ] {
            assert_eq!(bad.parse::<ApiPath>(), Err(ApiPathError), "{bad}");
        }
        let long = format!("/api/v1/items/tool/acme/x/versions/1.0.0+{}", "a".repeat(500));
        assert!(long.parse::<ApiPath>().is_err());
    }
}
