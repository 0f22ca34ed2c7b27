//! What each route answers. Everything here may block, and runs beside the connections.

use bytes::Bytes;
use http::StatusCode;
use mere_core::digest::Sha256;
use mere_core::registry::{
    ApiBody, ApiPath, ProblemCode, PublishRequest, RegistryInfo, RegistryQuery,
    RegistryVersionName, RelationshipDirection, parse_body,
};

use super::answer::Answer;
use super::metrics::Metrics;
use super::problem::Problem;
use super::route::{Operation, Route};
use crate::accounts::Access;
use crate::error::RegistryError;
use crate::items::StoredBlob;
use crate::pages::{PageAnswer, PageRequest, PageRoute};
use crate::registry::Registry;
use crate::transparency::{read_bundle, read_tile};
use crate::witnesses::WitnessSet;

/// The description of the interface.
const OPENAPI: &str = include_str!("../../../../docs/openapi.json");
/// The name and version of the program.
const SOFTWARE: &str = concat!("mere/", env!("CARGO_PKG_VERSION"));

/// A request that was admitted.
pub(super) struct Call {
    /// Where it goes.
    pub(super) route: Route,
    /// What it does there.
    pub(super) operation: Operation,
    /// The part of the URL after `?`.
    pub(super) query: String,
    /// The whole body.
    pub(super) body: Bytes,
    /// What its sender may do.
    pub(super) access: Access,
}

/// What calls are answered from.
pub(super) struct Backend {
    pub(super) registry: Registry,
    pub(super) metrics: Metrics,
    pub(super) witnesses: WitnessSet,
}

impl Backend {
    /// Answers a call.
    pub(super) fn answer(&self, call: &Call) -> Result<Answer, Problem> {
        let Call { route, operation, query, access, .. } = call;
        let has_query = matches!(
            route,
            Route::Api(ApiPath::Search | ApiPath::Items | ApiPath::Relationships(_))
                | Route::Page(_)
        );
        if !query.is_empty() && !has_query {
            return Err(Problem::new(ProblemCode::InvalidRequest, "this path takes no query"));
        }
        match (route, operation) {
            (Route::Api(ApiPath::Blob(namespace, digest)), Operation::PutBlob) => {
                if Sha256::digest(&call.body) != *digest {
                    return Err(RegistryError::WrongDigest.into());
                }
                let stored = self.registry.put_blob(access, namespace, &call.body)?;
                let status = match stored {
                    StoredBlob::New => StatusCode::CREATED,
                    StoredBlob::Known => StatusCode::OK,
                };
                Ok(Answer::json(&serde_json::json!({})).with_status(status))
            }
            (Route::Api(ApiPath::Version(name)), Operation::Publish) => self.publish(call, name),
            (Route::Api(ApiPath::Yank(name)), _) => {
                let event = self.registry.yank(access, name)?;
                self.witnesses.cosign_newest(&self.registry);
                Ok(Answer::json(&event))
            }
            (Route::Api(path), _) => self.read(path, call),
            (Route::Health, _) => Ok(Answer::new("text/plain", "ok\n")),
            (Route::Ready, _) => self.ready(),
            (Route::Metrics, _) => {
                let text = self.metrics.render(self.registry.log_size()?);
                Ok(Answer::new("text/plain; version=0.0.4", text))
            }
            (Route::OpenApi, _) => Ok(Answer::new("application/json", OPENAPI)),
            (Route::Skills, _) => Ok(Answer::json(&self.registry.skills_index()?)),
            (Route::Page(page), _) => self.page(page, call),
        }
    }

    fn page(&self, page: &PageRoute, call: &Call) -> Result<Answer, Problem> {
        let (registry, access, query) = (&self.registry, &call.access, call.query.as_str());
        Ok(match (PageRequest { registry, access, query }).answer(page)? {
            PageAnswer::Page(text) => Answer::page(text),
            PageAnswer::Picture(text) => Answer::picture(text),
            PageAnswer::Asset(asset) => Answer::new(asset.media_type(), asset.content()),
        })
    }

    fn publish(&self, call: &Call, name: &RegistryVersionName) -> Result<Answer, Problem> {
        // Without a token nothing of the body is looked at.
        if call.access.account().is_none() {
            return Err(RegistryError::TokenRequired.into());
        }
        let request = parse_body::<PublishRequest>(&call.body).map_err(|_| {
            Problem::new(
                ProblemCode::InvalidStatement,
                "the body is not a statement in an envelope",
            )
        })?;
        let info = self.registry.publish(&call.access, name, request.statement)?;
        self.witnesses.cosign_newest(&self.registry);
        Ok(Answer::json(&info).with_status(StatusCode::CREATED))
    }

    fn read(&self, path: &ApiPath, call: &Call) -> Result<Answer, Problem> {
        let (registry, access) = (&self.registry, &call.access);
        Ok(match path {
            ApiPath::Registry => self.registry_info()?,
            ApiPath::Search => Answer::json(&registry.search(access, &parse_query(call)?)?),
            ApiPath::Items => {
                let query = parse_query(call)?;
                if !query.text.is_empty() {
                    return Err(wrong_query());
                }
                Answer::json(&registry.list_items(access, &query)?)
            }
            ApiPath::Namespace(name) => Answer::json(&registry.read_namespace(access, name)?),
            ApiPath::Blob(namespace, digest) => {
                let bytes = registry.get_blob(access, namespace, digest)?;
                Answer::new("application/octet-stream", bytes).unchanging()
            }
            ApiPath::Item(item) => Answer::json(&registry.read_item(access, item)?),
            ApiPath::Version(name) | ApiPath::Yank(name) => {
                Answer::json(&registry.read_version(access, name)?)
            }
            ApiPath::Relationships(item) => {
                let direction = RelationshipDirection::parse_query(&call.query);
                let direction = direction.map_err(|_| wrong_query())?;
                Answer::json(&registry.read_relationships(access, item, direction)?)
            }
            ApiPath::Checkpoint => {
                Answer::new("text/plain; charset=utf-8", self.witnesses.checkpoint(registry)?)
            }
            ApiPath::Tile(id) => {
                let tile = registry.database.read(|connection| read_tile(connection, *id))?;
                Answer::new("application/octet-stream", tile.ok_or(RegistryError::NotFound)?)
                    .unchanging()
            }
            ApiPath::Bundle(id) => {
                let bundle = registry.database.read(|connection| read_bundle(connection, *id))?;
                Answer::new("application/octet-stream", bundle.ok_or(RegistryError::NotFound)?)
                    .unchanging()
            }
        })
    }

    fn registry_info(&self) -> Result<Answer, Problem> {
        let key = self.registry.log_key().clone();
        let info = RegistryInfo::new(self.registry.id(), key, SOFTWARE.to_owned());
        let info = info.ok_or(RegistryError::Log("its key has another name"))?;
        Ok(Answer::json(&info))
    }

    fn ready(&self) -> Result<Answer, Problem> {
        match self.registry.log_size() {
            Ok(_) => Ok(Answer::new("text/plain", "ready\n")),
            Err(error) => {
                tracing::error!(%error, "the registry is not ready");
                Err(Problem::new(ProblemCode::Unavailable, "the database cannot be reached"))
            }
        }
    }
}

fn parse_query(call: &Call) -> Result<RegistryQuery, Problem> {
    call.query.parse().map_err(|_| wrong_query())
}

fn wrong_query() -> Problem {
    Problem::new(ProblemCode::InvalidRequest, "the query is malformed, or has an unknown key")
}

/// Returns the largest body of an operation.
pub(super) fn max_body_bytes(operation: Operation) -> usize {
    match operation {
        Operation::Read | Operation::Yank => 1024,
        Operation::PutBlob => 16 * 1024 * 1024,
        Operation::Publish => PublishRequest::MAX_BYTES,
    }
}
