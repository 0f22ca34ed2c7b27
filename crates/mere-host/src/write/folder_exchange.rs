//! Replaces a folder by another as a whole.

use std::io;

use cap_std::fs::Dir;
use mere_core::address::RelPath;

use super::derived_files::temporary_name;
use super::folder_writer::write_new_file;
use super::workspace::open_or_create_folder;
use crate::{FolderWriter, OpenFolder, exchange};

impl FolderWriter {
    /// Puts a whole folder in the place of another if `is_right` accepts that one. The two are
    /// exchanged, so that at any time one of them is there as a whole. If what came out is not
    /// accepted, it is put back and the result is `false`.
    pub fn replace_folder_if(
        &self,
        path: &RelPath,
        files: &[(RelPath, Vec<u8>)],
        is_right: impl FnOnce(&Dir) -> io::Result<bool>,
    ) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        let Some(parent) = self.open_folder(&parents)? else { return Ok(false) };
        let (staging, staged, name) = (self.staging()?, temporary_name(), name.as_str());
        let folder = open_or_create_folder(staging, &staged)?;
        for (file, bytes) in files {
            write_new_file(&folder, file, bytes)?;
        }
        let is_exchanged = exchange((staging, &staged), (&parent, name))?;
        let aside = if is_exchanged {
            staged
        } else {
            let aside = temporary_name();
            parent.rename(name, staging, &aside)?;
            staging.rename(&staged, &parent, name)?;
            aside
        };
        let right = OpenFolder::open(staging, &aside).and_then(|old| is_right(&old.into_dir()));
        if !matches!(right, Ok(true)) {
            let own = temporary_name();
            parent.rename(name, staging, &own)?;
            staging.rename(&aside, &parent, name)?;
            let _ = staging.remove_dir_all(&own);
            return right;
        }
        OpenFolder::open(&parent, "")?.sync()?;
        if let Err(error) = staging.remove_dir_all(&aside) {
            tracing::warn!(%error, "a replaced folder could not be deleted from staging");
        }
        Ok(true)
    }
}
