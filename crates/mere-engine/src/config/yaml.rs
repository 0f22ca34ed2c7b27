//! Bounded, data-only YAML: one document, no anchors, no aliases, no tags of one's own, no
//! duplicate keys.

use std::io::{self, Read};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, Metadata, OpenOptions};
use serde::de::DeserializeOwned;
use serde_saphyr::{DuplicateKeyPolicy, Location, budget, options};

/// The largest config file.
const MAX_BYTES: u64 = 1024 * 1024;

/// A text that is not the YAML that was expected.
#[derive(Clone, Debug)]
pub(crate) struct YamlError {
    pub(crate) line: u64,
    pub(crate) column: u64,
    /// For people and the log. It may repeat the file's words.
    pub(crate) reason: String,
}

impl YamlError {
    /// A fault at a place of the file.
    pub(super) fn at(place: Location, reason: String) -> Self {
        Self { line: place.line(), column: place.column(), reason }
    }
}

/// Reads a regular file of a folder; `None` if there is none. Links and special files are refused.
///
/// What it is, is looked at before it is opened, and again on the open file.
pub(crate) fn read(folder: &Dir, name: &str) -> io::Result<Option<String>> {
    match folder.symlink_metadata(name) {
        Ok(metadata) => check(&metadata)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut opening = OpenOptions::new();
    opening.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(name, &opening)?;
    check(&file.metadata()?)?;
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(Some(text))
}

fn check(metadata: &Metadata) -> io::Result<()> {
    let fits = metadata.is_file() && metadata.len() <= MAX_BYTES;
    if fits { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// The library's words without the place, which is said apart, and without its inner names.
fn reason(words: &str) -> String {
    let words = words.split(" at line ").next().unwrap_or_default();
    if words.starts_with("budget breached") {
        return "anchors and aliases are not allowed, and depth and size are bounded".to_owned();
    }
    words.to_owned()
}

/// Parses one document. An empty one is whatever `T` makes of null.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    let strict = options! {
        budget: budget! {
            max_depth: 32,
            max_nodes: 20_000,
            max_events: 60_000,
            max_aliases: 0,
            max_anchors: 0,
            max_documents: 1,
            flow_nesting_limit: 32,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, strict).map_err(|error| {
        let place = error.location();
        YamlError {
            line: place.map_or(1, |place| place.line()),
            column: place.map_or(1, |place| place.column()),
            reason: reason(&error.without_snippet().to_string()),
        }
    })
}
