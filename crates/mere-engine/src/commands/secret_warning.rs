//! Says before an item is signed, and when it was, that something in it looks like a secret.
//!
//! Signing is no leak, but what is signed is what others get. The secret itself is not repeated.

use mere_core::reply::Content;
use mere_core::secrets;

use super::difference::read_text;
use crate::files::masking::mask_secrets;
use crate::items::{ItemReader, LoadedItem};

/// The most places that are named.
const MAX_PLACES: usize = 5;

/// Returns where the files of an item have something that looks like a secret.
pub(super) fn secret_warning(items: &ItemReader<'_>, loaded: &LoadedItem) -> Option<Content> {
    let mut places = Vec::new();
    for file in loaded.all_files() {
        let Some(text) = read_text(items, loaded, &file) else { continue };
        let name = mask_secrets(&file.path);
        let found = secrets::find(&text).into_iter();
        let lines = found.map(|range| text[..range.start].matches('\n').count() + 1);
        places.extend(lines.map(|line| format!("{name}:{line}")));
    }
    places.dedup();
    if places.is_empty() {
        return None;
    }
    let more = places.len().saturating_sub(MAX_PLACES);
    places.truncate(MAX_PLACES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let places = places.join(", ");
    Some(Content::mention(format!(
        "something that looks like a secret is in {places}{more}, where everybody who gets the \
         item can read it; `mere publish` refuses it"
    )))
}
