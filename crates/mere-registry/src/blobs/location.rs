//! Where the blobs are: `file:PATH`, or `s3://BUCKET/PREFIX?endpoint=URL&region=NAME`.

use std::str::FromStr;

/// The location of the blobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlobLocation {
    /// A folder.
    Folder(String),
    /// A bucket of an S3-compatible server.
    Bucket(BucketLocation),
}

/// The location of a bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BucketLocation {
    /// The name of the bucket.
    pub bucket: String,
    /// What the names of all blobs begin with; empty, or ends in `/`.
    pub prefix: String,
    /// The URL of the server, without a path.
    pub endpoint: String,
    /// The region that requests are signed for.
    pub region: String,
}

/// A text that does not say where blobs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("blobs are in `file:PATH` or `s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME`")]
pub struct BlobLocationError;

impl FromStr for BlobLocation {
    type Err = BlobLocationError;

    fn from_str(text: &str) -> Result<Self, BlobLocationError> {
        if let Some(path) = text.strip_prefix("file:").filter(|path| !path.is_empty()) {
            return Ok(Self::Folder(path.to_owned()));
        }
        let rest = text.strip_prefix("s3://").ok_or(BlobLocationError)?;
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '/');
        if bucket.is_empty() || !place.chars().all(is_plain) {
            return Err(BlobLocationError);
        }
        let prefix = prefix.trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        let (endpoint, region) = parse_options(options)?;
        let region = region.unwrap_or_else(|| "us-east-1".to_owned());
        let endpoint = endpoint.unwrap_or_else(|| format!("https://s3.{region}.amazonaws.com"));
        Ok(Self::Bucket(BucketLocation { bucket: bucket.to_owned(), prefix, endpoint, region }))
    }
}

/// Returns the endpoint and the region.
fn parse_options(text: &str) -> Result<(Option<String>, Option<String>), BlobLocationError> {
    let (mut endpoint, mut region) = (None, None);
    for option in text.split('&').filter(|option| !option.is_empty()) {
        match option.split_once('=').ok_or(BlobLocationError)? {
            ("endpoint", url) if url.starts_with("http://") || url.starts_with("https://") => {
                endpoint = Some(url.trim_end_matches('/').to_owned());
            }
            ("region", name) if !name.is_empty() => region = Some(name.to_owned()),
            _ => return Err(BlobLocationError),
        }
    }
    Ok((endpoint, region))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_folders_and_buckets_and_nothing_else() {
        let bucket = |prefix: &str, endpoint: &str, region: &str| {
            Ok(BlobLocation::Bucket(BucketLocation {
                bucket: "b".to_owned(),
                prefix: prefix.to_owned(),
                endpoint: endpoint.to_owned(),
                region: region.to_owned(),
            }))
        };
        for (text, expected) in [
            ("file:/x", Ok(BlobLocation::Folder("/x".to_owned()))),
            ("s3://b", bucket("", "https://s3.us-east-1.amazonaws.com", "us-east-1")),
            ("s3://b/p/q/?region=eu-1", bucket("p/q/", "https://s3.eu-1.amazonaws.com", "eu-1")),
            ("s3://b/?endpoint=http://h:1/", bucket("", "http://h:1", "us-east-1")),
            ("file:", Err(BlobLocationError)),
            ("s3://", Err(BlobLocationError)),
            ("s3://b c", Err(BlobLocationError)),
            ("s3://b?endpoint=ftp://h", Err(BlobLocationError)),
            ("s3://b?other=1", Err(BlobLocationError)),
            ("/x", Err(BlobLocationError)),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
    }
}
