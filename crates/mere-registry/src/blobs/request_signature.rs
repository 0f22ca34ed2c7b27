//! Signatures of requests to S3: AWS Signature Version 4, for single requests.

use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use mere_core::digest::Sha256 as Digest;
use sha2::Sha256;

use crate::hexadecimal;
use crate::storage::BucketCredentials;

/// A request that is signed.
pub(super) struct SignedRequest<'a> {
    /// The method.
    pub(super) method: &'a str,
    /// The host, with a port that is not the usual one.
    pub(super) host: &'a str,
    /// The path, which needs no encoding.
    pub(super) path: &'a str,
    /// The query, encoded and in the order of its keys; empty if there is none.
    pub(super) query: &'a str,
    /// The digest of the body.
    pub(super) body: Digest,
    /// The region of the bucket.
    pub(super) region: &'a str,
    /// The time.
    pub(super) now: Timestamp,
}

impl SignedRequest<'_> {
    /// Returns the headers that make the request count.
    pub(super) fn headers(&self, credentials: &BucketCredentials) -> Vec<(&'static str, String)> {
        let time = self.now.strftime("%Y%m%dT%H%M%SZ").to_string();
        let body = self.body.to_string();
        let mut headers = vec![
            ("host", self.host.to_owned()),
            ("x-amz-content-sha256", body.clone()),
            ("x-amz-date", time.clone()),
        ];
        headers.extend(credentials.session.clone().map(|token| ("x-amz-security-token", token)));
        let names = headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let lines = headers.iter().map(|(name, value)| format!("{name}:{value}\n"));
        let lines = lines.collect::<String>();
        let Self { method, path, query, .. } = self;
        let canonical = format!("{method}\n{path}\n{query}\n{lines}\n{names}\n{body}");
        let scope = format!("{}/{}/s3/aws4_request", &time[..8], self.region);
        let canonical = Digest::digest(canonical.as_bytes());
        let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{canonical}");
        let key = format!("AWS4{}", credentials.secret.as_str());
        let parts = [&time[..8], self.region, "s3", "aws4_request"];
        let key = parts.iter().fold(key.into_bytes(), |key, part| mac(&key, part.as_bytes()));
        let signature = mac(&key, text.as_bytes());
        let signature = hexadecimal::encode(&signature);
        let key_id = &credentials.key_id;
        headers.remove(0);
        headers.push((
            "authorization",
            format!(
                "AWS4-HMAC-SHA256 Credential={key_id}/{scope}, SignedHeaders={names}, Signature={signature}"
            ),
        ));
        headers
    }
}

fn mac(key: &[u8], text: &[u8]) -> Vec<u8> {
    // A key of any length is accepted.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_as_botocore_does() {
        // The request of the example "GET Object" of the S3 API reference, without its `range`.
        let credentials = BucketCredentials {
            key_id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned().into(),
            session: None,
        };
        let request = SignedRequest {
            method: "GET",
            host: "examplebucket.s3.amazonaws.com",
            path: "/test.txt",
            query: "",
            body: Digest::digest(b""),
            region: "us-east-1",
            now: "2013-05-24T00:00:00Z".parse().expect("a time"),
        };
        let headers = request.headers(&credentials);
        let (_, signature) = headers.last().expect("the signature");
        assert!(
            signature.ends_with("df548e2ce037944d03f3e68682813b093763996d597cf890ca3d9037fd231eb4"),
            "{signature}"
        );
    }
}
