//! Which paths there are, and which methods each has.
//!
//! `docs/openapi.json` describes the same paths; a test compares the two.

use http::Method;
use mere_core::registry::ApiPath;

use super::problem::Problem;

/// A path that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// A path of the interface that clients use.
    Api(ApiPath),
    /// Whether the process lives.
    Health,
    /// Whether it can answer requests.
    Ready,
    /// What it counts.
    Metrics,
    /// The description of the interface.
    OpenApi,
    /// The public Agent Skills.
    Skills,
}

/// What is done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Read,
    PutBlob,
    Publish,
    Yank,
}

impl Route {
    /// Finds the route of a path.
    pub(super) fn parse(path: &str) -> Option<Self> {
        match path {
            "/healthz" => Some(Self::Health),
            "/readyz" => Some(Self::Ready),
            "/metrics" => Some(Self::Metrics),
            "/openapi.json" => Some(Self::OpenApi),
            "/.well-known/agent-skills/index.json" => Some(Self::Skills),
            _ => path.parse().ok().map(Self::Api),
        }
    }

    /// Returns what a method does here.
    pub(super) fn operation(&self, method: &Method) -> Result<Operation, Problem> {
        let is_read = method == Method::GET || method == Method::HEAD;
        match self {
            Self::Api(ApiPath::Yank(_)) if method == Method::POST => Ok(Operation::Yank),
            Self::Api(ApiPath::Yank(_)) => Err(Problem::method("POST")),
            _ if is_read => Ok(Operation::Read),
            Self::Api(ApiPath::Blob(..)) if method == Method::PUT => Ok(Operation::PutBlob),
            Self::Api(ApiPath::Version(_)) if method == Method::PUT => Ok(Operation::Publish),
            Self::Api(ApiPath::Blob(..) | ApiPath::Version(_)) => {
                Err(Problem::method("GET, HEAD, PUT"))
            }
            _ => Err(Problem::method("GET, HEAD")),
        }
    }

    /// Returns its name in the metrics.
    pub(super) fn name(&self, method: &Method) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Ready => "ready",
            Self::Metrics => "metrics",
            Self::OpenApi => "openapi",
            Self::Skills => "skills",
            Self::Api(path) => match path {
                ApiPath::Registry => "registry",
                ApiPath::Search => "search",
                ApiPath::Items => "items",
                ApiPath::Namespace(_) => "namespace",
                ApiPath::Blob(..) if method == Method::PUT => "put_blob",
                ApiPath::Blob(..) => "blob",
                ApiPath::Item(_) => "item",
                ApiPath::Version(_) if method == Method::PUT => "publish",
                ApiPath::Version(_) => "version",
                ApiPath::Yank(_) => "yank",
                ApiPath::Relationships(_) => "relationships",
                ApiPath::Checkpoint => "checkpoint",
                ApiPath::Tile(_) => "tile",
                ApiPath::Bundle(_) => "bundle",
            },
        }
    }
}
