//! A settings file of another program, which a person lets this program change.
//!
//! It lies at a known path below the home folder, a folder that a variable names, or the project. No
//! symbolic link is followed, in its place or on the way to it: in a project, somebody else could
//! have laid one. A reader sees the whole old or the whole new file.

use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Dir;
use mere_core::address::RelPath;
use mere_core::request::PersonFile;

use super::project_file::stage_file;
use crate::{
    Environment, Folder, FolderWriter, NewContent, OpenFolder, TypedPath, is_symlink_error,
    none_if_missing, open_regular_file, read_at_most,
};

/// The largest file that is changed. It is as large as what the state folder gives back.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A settings file of another program.
pub struct ClientFile {
    base: Arc<Folder>,
    path: RelPath,
}

/// Why a settings file is not read. For people.
#[derive(Debug, thiserror::Error)]
pub enum ClientFileError {
    /// It is not a regular file, or a link leads to it.
    #[error("it is a symbolic link, or not a regular file, or lies behind a link")]
    NotRegular,
    /// It is larger than settings are.
    #[error("it is larger than 4 MiB")]
    TooLarge,
    /// It is not text.
    #[error("it is not UTF-8 text")]
    NotText,
    /// It was changed meanwhile.
    #[error("another program has changed it meanwhile")]
    Changed,
    /// The operating system says no.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl ClientFile {
    /// Names the file at a path below a folder.
    pub fn new(base: Arc<Folder>, path: RelPath) -> Self {
        Self { base, path }
    }

    /// Returns its path for people.
    pub fn display_path(&self) -> String {
        self.base.path().join(self.path.as_str()).display().to_string()
    }

    /// Reads it as text. Returns `None` if there is none.
    pub fn read(&self) -> Result<Option<String>, ClientFileError> {
        let text = self.read_bytes()?.map(String::from_utf8).transpose();
        text.map_err(|_| ClientFileError::NotText)
    }

    /// Reads it. Returns `None` if there is none.
    pub fn read_bytes(&self) -> Result<Option<Vec<u8>>, ClientFileError> {
        let Some((parents, name)) = self.path.split_last() else { return Ok(None) };
        let folder = match OpenFolder::open(self.base.dir(), parents.as_str()) {
            Err(error) if is_symlink_error(&error) => return Err(ClientFileError::NotRegular),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(ClientFileError::NotRegular);
            }
            opened => none_if_missing(opened)?,
        };
        let Some(folder) = folder.map(OpenFolder::into_dir) else { return Ok(None) };
        let Some(metadata) = none_if_missing(folder.symlink_metadata(name.as_str()))? else {
            return Ok(None);
        };
        if !metadata.is_file() {
            return Err(ClientFileError::NotRegular);
        }
        let file = none_if_missing(open_regular_file(&folder, name.as_str()))?.flatten();
        let file = file.ok_or(ClientFileError::Changed)?;
        read_at_most(file, MAX_BYTES)?.map(Some).ok_or(ClientFileError::TooLarge)
    }

    /// Counts the folders on the way to it that do not exist yet.
    pub fn missing_folders(&self) -> usize {
        let parents = self.path.split_last().map(|(parents, _)| parents).unwrap_or_default();
        let names = parents.names().collect::<Vec<_>>();
        let exists = |count: &usize| {
            OpenFolder::find(self.base.dir(), &names[..*count].join("/")).ok().flatten().is_some()
        };
        names.len() - (0..=names.len()).rev().find(exists).unwrap_or_default()
    }

    /// Replaces it durably, if it still is what was read.
    pub fn replace(&self, before: Option<&[u8]>, after: &[u8]) -> Result<(), ClientFileError> {
        let (parents, name) = self.path.split_last().ok_or(ClientFileError::NotRegular)?;
        let folder = FolderWriter::make_folders_below(self.base.dir(), &parents)?;
        // The name is always the same, so what a killed process left is not left for ever.
        let staged = format!(".{}.mere-new", name.as_str().trim_start_matches('.'));
        none_if_missing(folder.remove_file(&staged))?;
        let content = NewContent { bytes: after.to_vec(), is_executable: false };
        stage_file(&folder, (&staged, name.as_str()), &content)?;
        let placed = self.check_unchanged(before).and_then(|()| {
            folder.rename(&staged, &folder, name.as_str())?;
            Ok(sync_folder(&folder)?)
        });
        if placed.is_err() {
            none_if_missing(folder.remove_file(&staged))?;
        }
        placed
    }

    /// Removes it if it still is what was read, and as many of the folders around it as are empty,
    /// at most `folders`.
    pub fn remove(&self, before: &[u8], folders: usize) -> Result<(), ClientFileError> {
        self.check_unchanged(Some(before))?;
        let mut path = self.path.clone();
        for level in 0..=folders {
            let Some((parents, name)) = path.split_last() else { break };
            let Some(folder) = OpenFolder::find(self.base.dir(), parents.as_str())? else { break };
            let folder = folder.into_dir();
            match level {
                0 => folder.remove_file(name.as_str())?,
                _ if folder.remove_dir(name.as_str()).is_err() => break,
                _ => {}
            }
            sync_folder(&folder)?;
            path = parents;
        }
        Ok(())
    }

    fn check_unchanged(&self, before: Option<&[u8]>) -> Result<(), ClientFileError> {
        if self.read_bytes()?.as_deref() == before { Ok(()) } else { Err(ClientFileError::Changed) }
    }
}

fn sync_folder(folder: &Dir) -> io::Result<()> {
    OpenFolder::open(folder, "")?.into_dir().into_std_file().sync_all()
}

impl Environment {
    /// Opens the folder that a variable of another program names, if it is set.
    pub fn open_variable_folder(&self, variable: &str) -> io::Result<Option<Folder>> {
        let path = std::env::var_os(variable).filter(|path| !path.is_empty());
        path.map(|path| Folder::open(Path::new(&path))).transpose()
    }

    /// Opens a folder that a person named, and creates it if needed.
    pub fn make_person_folder(&self, folder: &PersonFile) -> io::Result<Folder> {
        let typed = TypedPath::from(folder.as_typed().to_owned());
        let path = typed.resolve_from(self.working_directory())?;
        std::fs::create_dir_all(&path)?;
        Folder::open(&path)
    }

    /// Opens the home folder.
    pub fn open_home(&self) -> io::Result<Folder> {
        Folder::open(self.home_path().ok_or(io::ErrorKind::NotFound)?)
    }
}
