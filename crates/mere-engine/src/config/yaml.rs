//! Reads the file of a config.
//!
//! Only a regular file of limited size is read, and no link is followed.

use std::io::{self, Read};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, Metadata, OpenOptions};
pub(super) use mere_core::text::yaml::parse;
pub(crate) use mere_core::text::yaml::{MAX_YAML_BYTES, YamlError};

/// Reads a regular file of a folder. Returns `None` if there is none. Links and special files are
/// refused.
///
/// The file's type and size are checked before it is opened, and again on the open file.
pub(crate) fn read(folder: &Dir, name: &str) -> io::Result<Option<String>> {
    match folder.symlink_metadata(name) {
        Ok(metadata) => check_file(&metadata)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut opening = OpenOptions::new();
    opening.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(name, &opening)?;
    check_file(&file.metadata()?)?;
    let mut text = String::new();
    file.take(MAX_YAML_BYTES as u64).read_to_string(&mut text)?;
    Ok(Some(text))
}

fn check_file(metadata: &Metadata) -> io::Result<()> {
    let fits = metadata.is_file() && metadata.len() <= MAX_YAML_BYTES as u64;
    if fits { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
}
