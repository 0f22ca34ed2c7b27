//! Which paths there are, and which methods each has.
//!
//! `docs/openapi.json` describes the same paths; a test compares the two.

use http::Method;
use mere_core::registry::ApiPath;

use super::problem::Problem;
use crate::pages::PageRoute;

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
    /// A page for people.
    Page(PageRoute),
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
            _ => {
                let page = || PageRoute::parse(path).map(Self::Page);
                path.parse().ok().map(Self::Api).or_else(page)
            }
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
            Self::Page(_) => "page",
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    /// The names of all operations, as the metrics have them.
    const NAMES: [&str; 19] = [
        "blob",
        "bundle",
        "checkpoint",
        "health",
        "item",
        "items",
        "metrics",
        "namespace",
        "openapi",
        "publish",
        "put_blob",
        "ready",
        "registry",
        "relationships",
        "search",
        "skills",
        "tile",
        "version",
        "yank",
    ];

    fn example(template: &str) -> String {
        let digest = "0".repeat(64);
        let values = [
            ("{namespace}", "ada"),
            ("{type}", "tool"),
            ("{id}", "greet"),
            ("{version}", "1.0.0"),
            ("{sha256}", digest.as_str()),
            ("{level}", "1"),
            ("{tile}", "x001/002.p/7"),
        ];
        values.iter().fold(template.to_owned(), |path, (name, value)| path.replace(name, value))
    }

    #[test]
    fn the_description_has_the_routes_that_are_served_and_no_others() {
        let text = include_str!("../../../../docs/openapi.json");
        let document = serde_json::from_str::<Value>(text).expect("JSON");
        let mut described = BTreeSet::new();
        for (template, operations) in document["paths"].as_object().expect("paths") {
            let path = example(template);
            let route = Route::parse(&path).unwrap_or_else(|| panic!("{path} is not served"));
            let operations = operations.as_object().expect("operations");
            for (method, operation) in operations {
                let method = method.to_uppercase().parse::<Method>().expect("a method");
                assert!(route.operation(&method).is_ok(), "{method} {path}");
                assert_eq!(operation["operationId"], route.name(&method), "{method} {path}");
                described.insert(route.name(&method).to_owned());
            }
            for method in [Method::GET, Method::PUT, Method::POST, Method::DELETE, Method::PATCH] {
                let is_described = operations.contains_key(&method.as_str().to_lowercase());
                assert_eq!(route.operation(&method).is_ok(), is_described, "{method} {path}");
            }
        }
        assert_eq!(described.iter().map(String::as_str).collect::<Vec<_>>(), NAMES);
    }

    #[test]
    fn nothing_else_is_a_route() {
        for path in [
            "",
            "/api/v1",
            "/api/v1/",
            "/api/v1/items/",
            "/api/v1/items/memory/ada/x",
            "/api/v1/items/tool/ada/../x",
            "/api/v1/items/tool/ada/%2e%2e",
            "/api/v1/items/tool/ada/x/relationships",
            "/api/v1//items",
            "/healthz/",
            "/log/tile/0/1",
            "/log/tile/64/000",
        ] {
            assert_eq!(Route::parse(path), None, "{path}");
        }
    }
}
