//! Blobs in a bucket of an S3-compatible server.
//!
//! A blob is created only if its name is free, so that two servers never replace what the other has
//! stored.

use std::time::Duration;

use mere_core::digest::Sha256;
use ureq::Agent;

use super::BlobError;
use super::bucket_listing::{BucketListing, listing_query};
use super::listed_blob::ListedBlob;
use super::location::BucketLocation;
use super::request_signature::SignedRequest;
use crate::clock;
use crate::storage::{BucketCredentials, bucket_credentials};

/// How long one request may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest blob that is read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// How often a request is tried again that the server could not answer.
const ATTEMPTS: u32 = 3;

/// A bucket.
pub(crate) struct Bucket {
    location: BucketLocation,
    credentials: BucketCredentials,
    agent: Agent,
}

/// What a request is about: an object, or the bucket with a query.
struct BucketTarget {
    path: String,
    query: String,
}

/// An answer of the server.
struct BucketReply {
    status: u16,
    body: Vec<u8>,
}

impl Bucket {
    /// Prepares requests to the bucket, with the credentials of the environment.
    pub(super) fn open(location: BucketLocation) -> Result<Self, BlobError> {
        let missing = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set";
        let credentials =
            bucket_credentials().ok_or_else(|| BlobError::Failed(missing.to_owned()))?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .max_redirects(0)
            .build();
        Ok(Self { location, credentials, agent: config.into() })
    }

    /// Stores a blob. One that is there already stays as it is.
    pub(super) fn put(&self, digest: &Sha256, bytes: &[u8]) -> Result<(), BlobError> {
        // 412: the name is taken, and then by the same bytes. 409: somebody else stores them now.
        match self.try_often("PUT", &self.object(digest), bytes)?.status {
            200 | 201 | 204 | 412 => Ok(()),
            status => Err(BlobError::Failed(format!("the bucket answered {status}"))),
        }
    }

    /// Reads a blob, if it is there.
    pub(super) fn get(&self, digest: &Sha256) -> Result<Option<Vec<u8>>, BlobError> {
        let reply = self.try_often("GET", &self.object(digest), b"")?;
        match reply.status {
            200 => Ok(Some(reply.body)),
            404 => Ok(None),
            status => Err(BlobError::Failed(format!("the bucket answered {status}"))),
        }
    }

    /// Removes a blob, if it is there.
    pub(super) fn remove(&self, digest: &Sha256) -> Result<(), BlobError> {
        match self.try_often("DELETE", &self.object(digest), b"")?.status {
            200 | 204 | 404 => Ok(()),
            403 => {
                Err(BlobError::Failed("the bucket does not let its files be removed".to_owned()))
            }
            status => Err(BlobError::Failed(format!("the bucket answered {status}"))),
        }
    }

    /// Reads the blobs, a page at a time.
    pub(super) fn visit_pages<E: From<BlobError>>(
        &self,
        mut visit: impl FnMut(Vec<ListedBlob>) -> Result<(), E>,
    ) -> Result<(), E> {
        let BucketLocation { bucket, prefix, .. } = &self.location;
        let mut after = None::<String>;
        loop {
            let query = listing_query(prefix, after.as_deref());
            let target = BucketTarget { path: format!("/{bucket}"), query };
            let reply = self.try_often("GET", &target, b"")?;
            let page = match reply.status {
                200 => BucketListing::parse(&reply.body, prefix)?,
                403 => {
                    Err(BlobError::Failed("the bucket does not let itself be listed".to_owned()))?
                }
                status => Err(BlobError::Failed(format!("the bucket answered {status}")))?,
            };
            visit(page.blobs)?;
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    fn object(&self, digest: &Sha256) -> BucketTarget {
        let BucketLocation { bucket, prefix, .. } = &self.location;
        BucketTarget { path: format!("/{bucket}/{prefix}{digest}"), query: String::new() }
    }

    /// Sends a request again while the server is overloaded.
    fn try_often(
        &self,
        method: &str,
        target: &BucketTarget,
        body: &[u8],
    ) -> Result<BucketReply, BlobError> {
        let mut attempt = 1;
        loop {
            let reply = self.send(method, target, body);
            let is_final = match &reply {
                Ok(reply) => reply.status < 500 && reply.status != 409 && reply.status != 429,
                Err(_) => false,
            };
            if is_final || attempt == ATTEMPTS {
                return reply.map_err(|error| BlobError::Failed(error.to_string()));
            }
            std::thread::sleep(Duration::from_millis(100) * 2_u32.pow(attempt));
            attempt += 1;
        }
    }

    fn send(
        &self,
        method: &str,
        target: &BucketTarget,
        body: &[u8],
    ) -> Result<BucketReply, ureq::Error> {
        let BucketLocation { endpoint, region, .. } = &self.location;
        let BucketTarget { path, query } = target;
        let host = endpoint.split_once("://").map_or(endpoint.as_str(), |(_, host)| host);
        let (now, body_digest) = (clock::now(), Sha256::digest(body));
        let signed = SignedRequest { method, host, path, query, body: body_digest, region, now };
        let mark = if query.is_empty() { "" } else { "?" };
        let url = format!("{endpoint}{path}{mark}{query}");
        let mut request = http::Request::builder().method(method).uri(url);
        for (name, value) in signed.headers(&self.credentials) {
            request = request.header(name, value);
        }
        let mut response = if method == "PUT" {
            let request = request.header("if-none-match", "*");
            self.agent.run(request.body(body)?)?
        } else {
            self.agent.run(request.body(())?)?
        };
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec()?;
        Ok(BucketReply { status, body })
    }
}
