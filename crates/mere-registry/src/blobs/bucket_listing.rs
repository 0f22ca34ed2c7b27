//! The list of the objects in a bucket, as S3 answers it a page at a time.

use std::fmt::Write;

use roxmltree::{Document, Node};

use super::BlobError;
use super::listed_blob::{ListedBlob, parse_blob_name};

/// One page of a list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BucketListing {
    /// The blobs. Objects with other names are left out.
    pub(super) blobs: Vec<ListedBlob>,
    /// The key after which the next page begins, if there is one.
    pub(super) next: Option<String>,
}

impl BucketListing {
    /// Parses an answer about the keys that begin with this prefix.
    pub(super) fn parse(body: &[u8], prefix: &str) -> Result<Self, BlobError> {
        let malformed = || BlobError::Failed("the bucket answered a malformed list".to_owned());
        let text = str::from_utf8(body).map_err(|_| malformed())?;
        let document = Document::parse(text).map_err(|_| malformed())?;
        let root = document.root_element();
        let mut blobs = Vec::new();
        let mut last = None;
        for entry in root.children().filter(|node| is_named(node, "Contents")) {
            let key = child_text(entry, "Key").ok_or_else(malformed)?;
            last = Some(key.to_owned());
            let Some(digest) = key.strip_prefix(prefix).and_then(parse_blob_name) else { continue };
            let number = child_text(entry, "Size").and_then(|size| size.parse().ok());
            let time = child_text(entry, "LastModified").and_then(|time| time.parse().ok());
            let (size, stored) = number.zip(time).ok_or_else(malformed)?;
            blobs.push(ListedBlob { digest, size, stored });
        }
        let is_truncated = child_text(root, "IsTruncated") == Some("true");
        Ok(Self { blobs, next: last.filter(|_| is_truncated) })
    }
}

/// Returns the query that asks for the keys with this prefix that come after another.
pub(super) fn listing_query(prefix: &str, after: Option<&str>) -> String {
    let mut query = format!("list-type=2&prefix={}", encode(prefix));
    if let Some(after) = after {
        let _ = write!(query, "&start-after={}", encode(after));
    }
    query
}

/// Reports whether an element has this name. Some servers put it into a namespace of XML, and some
/// do not.
fn is_named(node: &Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

fn child_text<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.children().find(|child| is_named(child, name))?.text()
}

/// Encodes a value of a query as signatures require it.
fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_blobs_and_where_the_next_begins() {
        let digest = "ab".repeat(32);
        let entry = |key: &str| {
            format!(
                "<Contents><Key>{key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified>\
                 <Size>7</Size></Contents>"
            )
        };
        let body = format!(
            "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
             <IsTruncated>true</IsTruncated>{}{}</ListBucketResult>",
            entry(&format!("blobs/{digest}")),
            entry("blobs/other"),
        );
        let page = BucketListing::parse(body.as_bytes(), "blobs/").expect("a page");
        let stored = "2026-01-02T03:04:05Z".parse().expect("a time");
        let digest = digest.parse().expect("a digest");
        assert_eq!(page.blobs, [ListedBlob { digest, size: 7, stored }]);
        assert_eq!(page.next.as_deref(), Some("blobs/other"));
        assert!(BucketListing::parse(b"<html>", "").is_err());
        assert_eq!(
            listing_query("a/", Some("a/b c")),
            "list-type=2&prefix=a%2F&start-after=a%2Fb%20c"
        );
    }
}
