//! A connection to a registry: the server's API, or the files of a mirror.
//!
//! Both are read with the same paths. In a mirror, a JSON answer lies in a file with `.json` at the
//! end of its name. Nothing that comes from here is believed before it is checked.

use std::time::Duration;

use mere_core::address::RelPath;
use mere_core::registry::{
    ApiBody, ApiPath, ProblemDetails, RegistryQuery, format_body, parse_body,
};
use mere_core::request::Secret;

use super::RegistryError;
use mere_host::{
    HttpError, RegistryClient, RegistryFolder, RegistryMethod, RegistryRequest, RegistryUrl,
};

/// How long a small answer may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// The size of the largest answer to a change, in bytes.
const MAX_ANSWER_BYTES: u64 = 4 * 1024 * 1024;

/// A connection to a registry.
pub(crate) struct Connection {
    transport: Transport,
}

enum Transport {
    Server(RegistryClient),
    Folder(RegistryFolder),
}

impl Connection {
    /// Opens a connection. A server is not asked yet.
    pub(crate) fn open(
        url: &RegistryUrl,
        token: Option<Secret>,
        patience: Duration,
    ) -> Result<Self, RegistryError> {
        let transport = match url {
            RegistryUrl::Server(url) => {
                Transport::Server(RegistryClient::new(url, token, patience)?)
            }
            RegistryUrl::Folder(path) => {
                Transport::Folder(RegistryFolder::open(path).map_err(RegistryError::Folder)?)
            }
        };
        Ok(Self { transport })
    }

    /// Returns whether it is a mirror in a folder.
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self.transport, Transport::Folder(_))
    }

    /// Reads the bytes at a path. Returns `None` if there is nothing, or nothing that is shown.
    pub(crate) fn get_bytes(
        &self,
        path: &str,
        most: u64,
    ) -> Result<Option<Vec<u8>>, RegistryError> {
        match &self.transport {
            Transport::Server(_) => self.exchange(RegistryMethod::Get, path, most),
            Transport::Folder(folder) => {
                let path = path.trim_start_matches('/').parse::<RelPath>();
                let path = path.map_err(|_| RegistryError::Absent)?;
                folder.read(&path, most).map_err(|error| match error.kind() {
                    std::io::ErrorKind::FileTooLarge => HttpError::TooLarge.into(),
                    _ => RegistryError::Folder(error),
                })
            }
        }
    }

    /// Reads an answer. Returns `None` if there is nothing, or nothing that is shown.
    pub(crate) fn get_body<T: ApiBody>(&self, path: &ApiPath) -> Result<Option<T>, RegistryError> {
        let path = path.to_string();
        let path = if self.is_folder() { format!("{path}.json") } else { path };
        self.get_parsed(&path)
    }

    /// Reads the answer to a query. A mirror has no queries.
    pub(crate) fn query_body<T: ApiBody>(
        &self,
        path: &ApiPath,
        query: &RegistryQuery,
    ) -> Result<Option<T>, RegistryError> {
        self.get_parsed(&format!("{path}?{query}"))
    }

    /// Reads the answer at exactly this path.
    pub(crate) fn get_parsed<T: ApiBody>(&self, path: &str) -> Result<Option<T>, RegistryError> {
        let bytes = self.get_bytes(path, T::MAX_BYTES as u64)?;
        bytes.map(|bytes| parse_answer(&bytes)).transpose()
    }

    /// Uploads the bytes of a file.
    pub(crate) fn put_bytes(&self, path: &ApiPath, bytes: &[u8]) -> Result<(), RegistryError> {
        self.change(RegistryMethod::PutBytes(bytes), path).map(|_| ())
    }

    /// Uploads a body and reads the answer.
    pub(crate) fn put_body<T: ApiBody, A: ApiBody>(
        &self,
        path: &ApiPath,
        body: &T,
    ) -> Result<A, RegistryError> {
        let text = format_body(body).map_err(|_| RegistryError::Answer("it cannot be written"))?;
        parse_answer(&self.change(RegistryMethod::PutJson(&text), path)?)
    }

    /// Asks for a change and reads the answer.
    pub(crate) fn post<A: ApiBody>(&self, path: &ApiPath) -> Result<A, RegistryError> {
        parse_answer(&self.change(RegistryMethod::PostJson(b"{}"), path)?)
    }

    fn change(&self, method: RegistryMethod<'_>, path: &ApiPath) -> Result<Vec<u8>, RegistryError> {
        let body = self.exchange(method, &path.to_string(), MAX_ANSWER_BYTES)?;
        body.ok_or(RegistryError::Absent)
    }

    fn exchange(
        &self,
        method: RegistryMethod<'_>,
        path: &str,
        most: u64,
    ) -> Result<Option<Vec<u8>>, RegistryError> {
        let Transport::Server(client) = &self.transport else {
            return Err(RegistryError::ReadOnly);
        };
        let response = client.send(&RegistryRequest { method, path, max_response_bytes: most })?;
        match response.status {
            200..=299 => Ok(Some(response.body)),
            404 => Ok(None),
            status => Err(describe_refusal(status, &response.body)),
        }
    }
}

fn parse_answer<T: ApiBody>(bytes: &[u8]) -> Result<T, RegistryError> {
    parse_body(bytes).map_err(|_| RegistryError::Answer("it does not have the right form"))
}

/// Returns why a registry refused or failed, in its own words.
fn describe_refusal(status: u16, body: &[u8]) -> RegistryError {
    let problem = parse_body::<ProblemDetails>(body).ok();
    let code = problem.as_ref().map(|problem| problem.code);
    let detail = match (problem, status) {
        (Some(problem), _) => problem.detail.chars().take(400).collect(),
        (None, 401 | 403) => "the token does not permit this".to_owned(),
        (None, 429) => "there were too many requests; try again later".to_owned(),
        (None, status) => format!("it answered with status {status}"),
    };
    if status >= 500 {
        return RegistryError::Failed { detail };
    }
    RegistryError::Refused { detail, code }
}
