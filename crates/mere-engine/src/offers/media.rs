//! Media types of files in skills.

use mere_core::media::media_type;

/// Extensions whose media type their bytes do not tell.
const TEXT_TYPES: [(&str, &str); 12] = [
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mjs", "text/javascript"),
    ("svg", "image/svg+xml"),
    ("toml", "application/toml"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
];

/// Returns the media type of a file, as far as its name and its first bytes tell.
pub(super) fn media_type_of(path: &str, head: &[u8]) -> &'static str {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let known = TEXT_TYPES.iter().find(|(name, _)| *name == extension);
    match known {
        Some((_, name)) => name,
        None if std::str::from_utf8(head).is_ok_and(|text| !text.contains('\0')) => "text/plain",
        None => media_type(head),
    }
}
