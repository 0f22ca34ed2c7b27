//! Blobs in a bucket of an S3-compatible server.
//!
//! A blob is created only if its name is free, so that two servers never replace what the other has
//! stored.

use std::time::Duration;

use mere_core::digest::Sha256;
use ureq::Agent;

use super::BlobError;
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
        match self.try_often("PUT", digest, bytes)?.status {
            200 | 201 | 204 | 412 => Ok(()),
            status => Err(BlobError::Failed(format!("the bucket answered {status}"))),
        }
    }

    /// Reads a blob, if it is there.
    pub(super) fn get(&self, digest: &Sha256) -> Result<Option<Vec<u8>>, BlobError> {
        let reply = self.try_often("GET", digest, b"")?;
        match reply.status {
            200 => Ok(Some(reply.body)),
            404 => Ok(None),
            status => Err(BlobError::Failed(format!("the bucket answered {status}"))),
        }
    }

    /// Removes a blob, if it is there.
    pub(super) fn remove(&self, digest: &Sha256) -> Result<(), BlobError> {
        match self.try_often("DELETE", digest, b"")?.status {
            200 | 204 | 404 => Ok(()),
            403 => {
                Err(BlobError::Failed("the bucket does not let its files be removed".to_owned()))
            }
            status => Err(BlobError::Failed(format!("the bucket answered {status}"))),
        }
    }

    /// Sends a request again while the server is overloaded.
    fn try_often(
        &self,
        method: &str,
        digest: &Sha256,
        body: &[u8],
    ) -> Result<BucketReply, BlobError> {
        let mut attempt = 1;
        loop {
            let reply = self.send(method, digest, body);
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

    fn send(&self, method: &str, digest: &Sha256, body: &[u8]) -> Result<BucketReply, ureq::Error> {
        let BucketLocation { bucket, prefix, endpoint, region } = &self.location;
        let path = format!("/{bucket}/{prefix}{digest}");
        let host = endpoint.split_once("://").map_or(endpoint.as_str(), |(_, host)| host);
        let now = clock::now();
        let (path, body_digest) = (path.as_str(), Sha256::digest(body));
        let signed = SignedRequest { method, host, path, body: body_digest, region, now };
        let mut request = http::Request::builder().method(method).uri(format!("{endpoint}{path}"));
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
