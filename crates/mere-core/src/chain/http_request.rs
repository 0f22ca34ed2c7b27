//! The request that a chain sends in the end.
//!
//! Whatever parameters were put into it, it stays one request: a value in the URL is one part of
//! it, a header is one line, and the lines by which a message is delimited are not for tools.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use super::PrimitiveFault;
use super::primitive::parse_timeout;
use crate::network::HttpUrl;

/// How many headers a request may have.
const MAX_HEADERS: usize = 64;
/// How many bytes the headers may have together.
const MAX_HEADER_BYTES: usize = 32 * 1024;
/// How many parameters the query may have.
const MAX_QUERY_PARAMETERS: usize = 256;
/// How many bytes the body may have.
const MAX_BODY_BYTES: usize = 8 * 1024 * 1024;
/// The headers that say where a message goes and where it ends, and those of proxies.
const RESERVED_HEADERS: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// A request to send. Its `Debug` prints no values, because they may contain secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: HttpMethod,
    /// The URL, with its query.
    pub url: HttpUrl,
    /// The headers: names in lower case, values in visible ASCII characters and blanks.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<Vec<u8>>,
    /// How long everything may take, with redirects and further attempts.
    pub timeout: Duration,
    /// How many bytes of a response are read.
    pub max_bytes: usize,
    /// What to do if an attempt fails.
    pub retry: RetryPolicy,
}

/// The method of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpMethod {
    /// Reads.
    Get,
    /// Reads without a body.
    Head,
    /// Asks what can be done.
    Options,
    /// Does something, each time anew.
    Post,
    /// Replaces.
    Put,
    /// Changes a part.
    Patch,
    /// Deletes.
    Delete,
}

/// What to do if an attempt fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often the request is sent, at most.
    pub attempts: u32,
    /// How long to wait before the second attempt; before each further one twice as long.
    pub backoff: Duration,
}

impl HttpMethod {
    /// All methods.
    const ALL: [Self; 7] =
        [Self::Get, Self::Head, Self::Options, Self::Post, Self::Put, Self::Patch, Self::Delete];

    /// Returns the method as it is sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Options => "OPTIONS",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Reports whether sending a request twice does no more than sending it once.
    pub fn is_idempotent(self) -> bool {
        !matches!(self, Self::Post | Self::Patch)
    }
}

impl HttpRequest {
    /// Reads the request from a configuration that every tool of the chain has accepted.
    pub(super) fn from_config(config: &Value) -> Result<Self, PrimitiveFault> {
        let method = config["method"].as_str();
        let method =
            method.and_then(|text| HttpMethod::ALL.into_iter().find(|m| m.as_str() == text));
        let method = method.ok_or(invalid("config.method", "a method such as GET or POST"))?;
        let url = config["url"].as_str().ok_or(invalid("config.url", "a string"))?;
        let url = url.parse::<HttpUrl>().map_err(PrimitiveFault::Url)?;
        let query = query_parameters(&config["query"])?;
        let query = query.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let url = url.with_query(query).map_err(PrimitiveFault::Url)?;
        let mut headers = parse_headers(&config["headers"])?;
        let (body, media_type) = parse_body(&config["body"])?.unzip();
        if body.is_some() && matches!(method, HttpMethod::Get | HttpMethod::Head) {
            return Err(invalid("config.body", "left out, as a GET or HEAD request has none"));
        }
        if let Some(media_type) = media_type
            && !headers.iter().any(|(name, _)| name == "content-type")
        {
            headers.push(("content-type".to_owned(), media_type.to_owned()));
        }
        let timeout = parse_timeout(&config["timeout_s"])?;
        let max_bytes = config["max_bytes"].as_u64().and_then(|size| usize::try_from(size).ok());
        let max_bytes = max_bytes.ok_or(invalid("config.max_bytes", "a number of bytes"))?;
        let retry = parse_retry(&config["retry"])?;
        Ok(Self { method, url, headers, body, timeout, max_bytes, retry })
    }
}

pub(super) fn invalid(field: &'static str, expected: &'static str) -> PrimitiveFault {
    PrimitiveFault::InvalidField { field, expected }
}

/// Returns a text for a string, a number or a boolean. What is null is left out before.
fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn mapping<'a>(
    value: &'a Value,
    field: &'static str,
) -> Result<Option<&'a Map<String, Value>>, PrimitiveFault> {
    match value {
        Value::Null => Ok(None),
        value => value.as_object().map(Some).ok_or(invalid(field, "a mapping")),
    }
}

/// Returns the parameters of the query. A list gives one parameter for each element.
fn query_parameters(value: &Value) -> Result<Vec<(String, String)>, PrimitiveFault> {
    let wrong = invalid("config.query", "a mapping of names to texts, numbers or lists of them");
    let mut parameters = Vec::new();
    for (name, value) in mapping(value, "config.query")?.into_iter().flatten() {
        let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for value in values.iter().filter(|value| !value.is_null()) {
            let text = scalar_text(value).ok_or_else(|| wrong.clone())?;
            parameters.push((name.clone(), text));
        }
    }
    if parameters.len() > MAX_QUERY_PARAMETERS {
        return Err(invalid("config.query", "a mapping of at most 256 parameters"));
    }
    Ok(parameters)
}

pub(super) fn parse_headers(value: &Value) -> Result<Vec<(String, String)>, PrimitiveFault> {
    let mut headers = Vec::<(String, String)>::new();
    for (name, value) in mapping(value, "config.headers")?.into_iter().flatten() {
        let name = name.to_ascii_lowercase();
        let is_reserved = RESERVED_HEADERS.contains(&name.as_str()) || name.starts_with("proxy-");
        if !is_token(&name) || is_reserved || headers.iter().any(|(known, _)| *known == name) {
            let expected = "a mapping of header names, each once, without those that delimit a \
                            message or name its host";
            return Err(invalid("config.headers", expected));
        }
        let expected = "a mapping to texts of visible ASCII characters and blanks between them";
        if value.is_null() {
            continue;
        }
        let text = scalar_text(value).ok_or(invalid("config.headers", expected))?;
        if !is_header_value(&text) {
            return Err(invalid("config.headers", expected));
        }
        headers.push((name, text));
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
    if headers.len() > MAX_HEADERS || bytes > MAX_HEADER_BYTES {
        return Err(invalid("config.headers", "a mapping of at most 64 headers with 32 KiB"));
    }
    Ok(headers)
}

fn is_token(text: &str) -> bool {
    let is_character =
        |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_character)
}

fn is_header_value(text: &str) -> bool {
    text.trim_matches([' ', '\t']) == text
        && text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ' || byte == b'\t')
}

/// Returns the bytes of the body, and the type that they have unless a header says otherwise.
fn parse_body(value: &Value) -> Result<Option<(Vec<u8>, &'static str)>, PrimitiveFault> {
    let body = match value {
        Value::Null => return Ok(None),
        Value::String(text) => (text.clone().into_bytes(), "text/plain; charset=utf-8"),
        value => (value.to_string().into_bytes(), "application/json"),
    };
    if body.0.len() > MAX_BODY_BYTES {
        return Err(invalid("config.body", "at most 8 MiB"));
    }
    Ok(Some(body))
}

fn parse_retry(value: &Value) -> Result<RetryPolicy, PrimitiveFault> {
    let number = |key: &str| value[key].as_u64();
    let attempts = number("attempts").and_then(|count| u32::try_from(count).ok());
    let attempts = attempts.filter(|count| *count > 0);
    match (attempts, number("backoff_ms")) {
        (Some(attempts), Some(millis)) => {
            Ok(RetryPolicy { attempts, backoff: Duration::from_millis(millis) })
        }
        _ => Err(invalid("config.retry", "a mapping of `attempts` and `backoff_ms`")),
    }
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("endpoint", self.url.endpoint())
            .field("headers", &self.headers.len())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(changes: &Value) -> Result<HttpRequest, PrimitiveFault> {
        let mut config = json!({
            "method": "POST", "url": "https://a.example/x", "headers": {}, "query": {},
            "timeout_s": 30, "max_bytes": 10, "retry": {"attempts": 1, "backoff_ms": 5},
        });
        for (key, value) in changes.as_object().expect("an object") {
            config[key] = value.clone();
        }
        HttpRequest::from_config(&config)
    }

    #[test]
    fn a_request_is_built_from_its_parts() {
        let request = read(&json!({
            "query": {"q": "a b&c", "n": 1, "list": ["x", true], "none": null},
            "headers": {"Accept": "text/plain", "X-N": 3, "X-None": null},
            "body": {"text": "hi"},
        }));
        let request = request.expect("a request");
        let url = "https://a.example/x?q=a%20b%26c&n=1&list=x&list=true";
        assert_eq!(request.url.to_string(), url);
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let json = header("content-type", "application/json");
        assert_eq!(request.headers, [header("accept", "text/plain"), header("x-n", "3"), json]);
        assert_eq!(request.body.as_deref(), Some(&br#"{"text":"hi"}"#[..]));
        let typed = read(&json!({"body": "<a/>", "headers": {"Content-Type": "text/xml"}}));
        assert_eq!(typed.expect("a request").headers, [header("content-type", "text/xml")]);
    }

    #[test]
    fn nothing_that_is_put_in_makes_another_request() {
        let long = "x".repeat(MAX_HEADER_BYTES);
        for (changes, field) in [
            (json!({"headers": {"X": "a\r\nHost: b"}}), "config.headers"),
            (json!({"headers": {"X": "a\nb"}}), "config.headers"),
            (json!({"headers": {"X": "a\0"}}), "config.headers"),
            (json!({"headers": {"X": " a"}}), "config.headers"),
            (json!({"headers": {"X": "\u{e9}"}}), "config.headers"),
            (json!({"headers": {"X": long}}), "config.headers"),
            (json!({"headers": {"X: y\r\nZ": "a"}}), "config.headers"),
            (json!({"headers": {"": "a"}}), "config.headers"),
            (json!({"headers": {"Host": "b.example"}}), "config.headers"),
            (json!({"headers": {"content-LENGTH": 3}}), "config.headers"),
            (json!({"headers": {"Transfer-Encoding": "chunked"}}), "config.headers"),
            (json!({"headers": {"Connection": "upgrade"}}), "config.headers"),
            (json!({"headers": {"Proxy-Authorization": "x"}}), "config.headers"),
            (json!({"headers": {"A": "1", "a": "2"}}), "config.headers"),
            (json!({"headers": {"A": ["1"]}}), "config.headers"),
            (json!({"headers": "A: 1"}), "config.headers"),
            (json!({"query": {"q": {"a": 1}}}), "config.query"),
            (json!({"query": "q=1"}), "config.query"),
            (json!({"method": "get"}), "config.method"),
            (json!({"method": "CONNECT"}), "config.method"),
            (json!({"method": "GET", "body": "x"}), "config.body"),
            (json!({"retry": {"attempts": 0, "backoff_ms": 1}}), "config.retry"),
            (json!({"max_bytes": -1}), "config.max_bytes"),
            (json!({"url": 1}), "config.url"),
        ] {
            match read(&changes) {
                Err(PrimitiveFault::InvalidField { field: found, .. }) => assert_eq!(found, field),
                other => panic!("{changes}: {other:?}"),
            }
        }
        assert!(matches!(read(&json!({"url": "file:///x"})), Err(PrimitiveFault::Url(_))));
    }
}
