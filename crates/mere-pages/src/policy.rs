//! The headers by which a browser guards a page even if a mistake were made in it.

use http::HeaderMap;
use http::header::{
    CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};

/// Nothing is loaded from elsewhere, nothing inside the page is a script or a style, and no other
/// page may frame it.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
                           connect-src 'self'; form-action 'self'; base-uri 'none'; \
                           frame-ancestors 'none'";
/// A picture of ours has its own styles, and nothing else.
const PICTURE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// Adds the headers of a page.
pub fn insert_page_headers(headers: &mut HeaderMap) {
    insert(headers, PAGE_POLICY);
}

/// Adds the headers of an SVG picture, which a browser could also open by itself.
pub fn insert_picture_headers(headers: &mut HeaderMap) {
    insert(headers, PICTURE_POLICY);
}

fn insert(headers: &mut HeaderMap, policy: &'static str) {
    let all = [
        (CONTENT_SECURITY_POLICY, policy),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in all {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
