//! The way of a request: host, origin, method and token are checked; then the page is read beside
//! the connections.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, LOCATION, SET_COOKIE};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use mere_http::{Body, ClientKey, Connection};
use mere_pages::{Html, Tag, element, insert_page_headers, insert_picture_headers};

use super::access::{UiAccess, UiAdmission, UiRefusal};
use super::reader::{UiReader, Unreadable};
use super::route::UiRoute;
use super::{calls, clients, graph, item_page, items, memories, review, runs, search, site};

/// The front end of one server.
pub(super) struct UiFrontend {
    pub(super) access: UiAccess,
    pub(super) reader: UiReader,
}

/// A page, or why there is none.
type PageResult = Result<String, Unreadable>;

impl UiFrontend {
    /// Answers one request.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
    ) -> Response<Body> {
        let client = ClientKey::Address(connection.address().ip());
        let Ok(answering) = connection.begin_answer(client) else {
            return page_response(StatusCode::SERVICE_UNAVAILABLE, problem("too many requests"));
        };
        let response = match self.try_answer(&request).await {
            Ok(response) => response,
            Err(UiRefusal { status, words }) => page_response(status, problem(words)),
        };
        response.map(|body| answering.until_sent(body))
    }

    async fn try_answer(&self, request: &Request<Incoming>) -> Result<Response<Body>, UiRefusal> {
        self.access.check(request)?;
        let missing = UiRefusal { status: StatusCode::NOT_FOUND, words: "there is no such page" };
        let route = UiRoute::parse(request.uri().path()).ok_or(missing);
        // Assets are the same for everybody, and the page of a refusal needs them.
        if let Ok(UiRoute::Asset(asset)) = route {
            let body = Bytes::from_static(asset.content().as_bytes());
            return Ok(respond(StatusCode::OK, asset.media_type(), body));
        }
        if self.access.admit(request)? == UiAdmission::Cookie {
            return Ok(self.redirect(request.uri().path()));
        }
        let route = route?;
        let reader = self.reader.clone();
        let query = request.uri().query().unwrap_or_default().to_owned();
        let is_picture = matches!(route, UiRoute::GraphPicture);
        let read = tokio::task::spawn_blocking(move || read_page(&reader, &route, &query)).await;
        let failed = UiRefusal {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            words: "the page cannot be read; the log says why",
        };
        Ok(match read.map_err(|_| failed)? {
            Ok(picture) if is_picture => {
                let mut response = respond(StatusCode::OK, "image/svg+xml", picture.into());
                insert_picture_headers(response.headers_mut());
                response
            }
            Ok(page) => page_response(StatusCode::OK, page),
            Err(unreadable) => {
                let content = Html::from(element(Tag::H1).with("This cannot be shown"));
                let page = site::render("Problem", site::ITEMS, content.with(unreadable));
                page_response(StatusCode::OK, page)
            }
        })
    }

    /// Leads to the same page without the token in the URL, and makes the browser keep the token.
    fn redirect(&self, path: &str) -> Response<Body> {
        let mut response = page_response(StatusCode::SEE_OTHER, String::new());
        let headers = response.headers_mut();
        let target = HeaderValue::from_str(path).ok().filter(|_| !path.starts_with("//"));
        headers.insert(LOCATION, target.unwrap_or_else(|| HeaderValue::from_static("/")));
        if let Ok(cookie) = HeaderValue::from_str(&self.access.cookie()) {
            headers.insert(SET_COOKIE, cookie);
        }
        response
    }
}

fn read_page(reader: &UiReader, route: &UiRoute, query: &str) -> PageResult {
    match route {
        UiRoute::Items => items::render(reader),
        UiRoute::Item(kind, scope, item) => item_page::render(reader, *kind, *scope, item),
        UiRoute::Review => review::render(reader),
        UiRoute::Memories => memories::render(reader),
        UiRoute::Calls => calls::render(reader),
        UiRoute::Graph => graph::render(reader),
        UiRoute::GraphPicture => graph::draw(reader),
        UiRoute::Runs => runs::render(reader),
        UiRoute::Clients => Ok(clients::render(reader)),
        UiRoute::Search => search::render(reader, &search_words(query)),
        UiRoute::Asset(asset) => Ok(asset.content().to_owned()),
    }
}

/// Returns the words of a search. The query of the registry's search is parsed in the same way.
fn search_words(query: &str) -> String {
    let parsed = query.parse::<mere_core::registry::RegistryQuery>();
    parsed.map(|parsed| parsed.text).unwrap_or_default()
}

fn problem(words: &str) -> String {
    let content = Html::from(element(Tag::H1).with("This page cannot be shown"));
    site::render("No page", site::ITEMS, content.with(element(Tag::P).class("lead").with(words)))
}

fn page_response(status: StatusCode, page: String) -> Response<Body> {
    let mut response = respond(status, "text/html; charset=utf-8", page.into());
    insert_page_headers(response.headers_mut());
    response
}

fn respond(status: StatusCode, media_type: &'static str, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Full::new(body).boxed());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
