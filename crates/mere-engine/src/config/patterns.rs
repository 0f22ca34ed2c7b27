//! Patterns and markers of a config: texts that name files.
//!
//! They are checked here, so that a mistake is reported with its line, and matched against files
//! elsewhere.

use mere_core::address::{Segment, SegmentError};
use mere_core::text::pattern::Pattern;
use serde_saphyr::Spanned;

use super::{SpannedTexts, YamlError};

/// The most patterns that one key may have, because the compiled patterns take memory.
const MAX_PATTERNS: usize = 500;

/// Returns the patterns that add sensitive files, and those that remove some.
pub(super) fn parse_sensitive(
    texts: SpannedTexts,
) -> Result<(Vec<String>, Vec<String>), YamlError> {
    let (removed, added) =
        texts.into_iter().partition::<SpannedTexts, _>(|one| one.value.starts_with('!'));
    let removed = removed.into_iter().map(|mut one| {
        one.value.remove(0);
        one
    });
    Ok((parse(added)?, parse(removed.collect())?))
}

pub(super) fn parse(texts: SpannedTexts) -> Result<Vec<String>, YamlError> {
    if let Some(excess) = texts.get(MAX_PATTERNS) {
        let reason = format!("there are more than {MAX_PATTERNS} patterns");
        return Err(YamlError::at_location(excess.referenced, reason));
    }
    let patterns = texts.into_iter().map(|one| match one.value.parse::<Pattern>() {
        Ok(_) => Ok(one.value),
        Err(error) => Err(YamlError::at_location(one.referenced, error.to_string())),
    });
    patterns.collect()
}

/// Parses a marker. It must be a single name, because it is looked for in a folder and not along a
/// path.
pub(super) fn parse_marker(marker: &Spanned<String>) -> Result<String, YamlError> {
    let fault = |error: SegmentError| YamlError::at_location(marker.referenced, error.to_string());
    marker.value.parse::<Segment>().map(|name| name.to_string()).map_err(fault)
}
