//! Files that hold keys: those saved in the user's config folder, and those a person points at.
//!
//! Only regular files of a bounded size are read. In our own folder no symbolic link is followed.
//! Permissions are read from the open handle, so the file that was checked is the file that was
//! read.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, OpenOptions};
use mere_core::request::{KeyName, PersonFile};
use zeroize::Zeroizing;

use super::derived_files::{remove_abandoned_files, temporary_name};
use super::locked_folder::open_own_folder;
use crate::{
    Environment, LockedFolder, OpenFolder, StateFolder, TypedPath, WriteError, is_symlink_error,
    none_if_missing, open_regular_file,
};

/// The folder of saved keys in the config folder.
const KEYS_FOLDER: &str = "keys";
/// The largest file that is read.
const MAX_BYTES: u64 = 64 * 1024;
/// The permission bits of everybody but the owner.
const OTHERS_MODE_BITS: u32 = 0o077;

/// A key file that was read. Its bytes are wiped when it is dropped.
pub struct KeyFile {
    /// The content, which is erased from memory when it is dropped.
    pub bytes: Zeroizing<Vec<u8>>,
    /// The file's path for people.
    pub display_path: String,
    mode: Option<u32>,
}

/// Why a file was not read or not written. For people.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// There is no such file.
    #[error("{0} does not exist")]
    Missing(String),
    /// The file is a symbolic link.
    #[error("{0} is a symbolic link")]
    Link(String),
    /// Others may open the file.
    #[error("{file} can be opened by other users: its mode is {mode:o}")]
    ModeTooOpen {
        /// The file, as the person knows it.
        file: String,
        /// Its permission bits.
        mode: u32,
    },
    /// The file cannot be read.
    #[error("{file} cannot be read: {cause}")]
    Unreadable {
        /// The file, as the person knows it.
        file: String,
        /// What the system says.
        cause: String,
    },
    /// The file exists already.
    #[error("{0} already exists")]
    AlreadyExists(String),
    /// The file cannot be written.
    #[error("{file} cannot be written: {cause}")]
    Unwritable {
        /// The file, as the person knows it.
        file: String,
        /// What the system says.
        cause: String,
    },
}

/// Whether a file that a person points at may be a symbolic link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LinkPolicy {
    /// A symbolic link is followed.
    Follow,
    /// A symbolic link is refused.
    Refuse,
}

impl KeyFile {
    /// Reads a private key at an absolute path that a person pointed at before.
    pub fn read_private(path: &str) -> Result<Self, KeyFileError> {
        open_key_file(Path::new(path), LinkPolicy::Follow)?.require_private()
    }

    /// Returns the file if only its owner may access it.
    pub fn require_private(self) -> Result<Self, KeyFileError> {
        match self.mode {
            Some(mode) if mode & OTHERS_MODE_BITS != 0 => {
                Err(KeyFileError::ModeTooOpen { file: self.display_path, mode: mode & 0o7777 })
            }
            _ => Ok(self),
        }
    }
}

impl Environment {
    /// Reads the private key saved under a name.
    pub fn read_saved_key(&self, name: &KeyName) -> Result<KeyFile, KeyFileError> {
        let shown = self.display_saved_key(name);
        let folder = self.config_path().ok_or_else(|| KeyFileError::Missing(shown.clone()))?;
        let opened = Dir::open_ambient_dir(folder, ambient_authority())
            .and_then(|dir| OpenFolder::open(&dir, KEYS_FOLDER))
            .and_then(|keys| open_regular_file(&keys.into_dir(), name.as_str()));
        match opened {
            Ok(Some(file)) => read_key_file(&file.into_std(), shown)?.require_private(),
            Ok(None) => Err(unreadable_error(&shown, "it is not a regular file")),
            Err(error) => Err(read_error(shown, &error)),
        }
    }

    /// Restricts a saved key's file to its owner.
    pub fn restrict_saved_key(&self, name: &KeyName) -> std::io::Result<()> {
        #[cfg(unix)]
        {
            let folder = self.config_path().ok_or(std::io::ErrorKind::NotFound)?;
            let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
            let keys = OpenFolder::open(&dir, KEYS_FOLDER)?.into_dir();
            if let Some(file) = open_regular_file(&keys, name.as_str())? {
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
                file.into_std().set_permissions(mode)?;
            }
        }
        Ok(())
    }

    /// Returns the path of a saved key for people.
    pub fn display_saved_key(&self, name: &KeyName) -> String {
        let folder = self.config_path().unwrap_or(Path::new("")).join(KEYS_FOLDER);
        folder.join(name.as_str()).display().to_string()
    }

    /// Reads a file that a person points at now.
    pub fn read_person_key_file(
        &self,
        file: &PersonFile,
        links: LinkPolicy,
    ) -> Result<KeyFile, KeyFileError> {
        let path = self.resolve_person_path(file)?;
        open_key_file(&path, links)
    }

    /// Returns the absolute path of what a person points at, for a record. Returns `None` if it is
    /// not Unicode.
    pub fn person_path_text(&self, file: &PersonFile) -> Option<String> {
        self.resolve_person_path(file).ok()?.to_str().map(str::to_owned)
    }

    /// Fails if the file exists.
    pub fn check_file_is_new(&self, file: &PersonFile) -> Result<(), KeyFileError> {
        let path = self.resolve_person_path(file)?;
        let is_there = path.symlink_metadata().is_ok();
        if is_there { Err(KeyFileError::AlreadyExists(path.display().to_string())) } else { Ok(()) }
    }

    /// Writes a file that does not exist yet and returns its path for people.
    pub fn write_new_person_file(
        &self,
        file: &PersonFile,
        text: &str,
    ) -> Result<String, KeyFileError> {
        let path = self.resolve_person_path(file)?;
        let shown = path.display().to_string();
        let failed = |error: &io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => KeyFileError::AlreadyExists(shown.clone()),
            _ => KeyFileError::Unwritable { file: shown.clone(), cause: error.to_string() },
        };
        let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
        let mut file = file.map_err(|error| failed(&error))?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(|error| failed(&error)).map(|()| shown)
    }

    fn resolve_person_path(&self, file: &PersonFile) -> Result<PathBuf, KeyFileError> {
        let typed = TypedPath::from(file.as_typed().to_owned());
        let path = typed.resolve_from(self.working_directory());
        path.map_err(|error| read_error(typed.display_text(), &error))
    }
}

impl StateFolder {
    /// Reads a private key that lies in it. Returns `None` if there is no such file.
    pub fn read_key(&self, name: &str) -> Result<Option<KeyFile>, KeyFileError> {
        let shown = self.display_path(name);
        let opened = none_if_missing(open_own_folder(self.path())).and_then(|dir| {
            let file = dir.map(|dir| none_if_missing(open_regular_file(&dir, name)));
            Ok(file.transpose()?.flatten())
        });
        match opened {
            Ok(None) => Ok(None),
            Ok(Some(Some(file))) => {
                read_key_file(&file.into_std(), shown)?.require_private().map(Some)
            }
            Ok(Some(None)) => Err(unreadable_error(&shown, "it is not a regular file")),
            Err(error) => Err(read_error(shown, &error)),
        }
    }
}

impl LockedFolder {
    /// Saves both halves of a key under a name. Returns `false` if the name is taken.
    pub fn save_key(
        &self,
        name: &KeyName,
        private: &[u8],
        public: &str,
    ) -> Result<bool, WriteError> {
        self.try_save_key(name, private, public).map_err(WriteError::from)
    }

    fn try_save_key(&self, name: &KeyName, private: &[u8], public: &str) -> io::Result<bool> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match self.dir().create_dir_with(KEYS_FOLDER, &builder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let folder = OpenFolder::open(self.dir(), KEYS_FOLDER)?;
        let keys = OpenFolder::open(self.dir(), KEYS_FOLDER)?.into_dir();
        remove_abandoned_files(&keys);
        let public_name = format!("{}.pub", name.as_str());
        for name in [name.as_str(), &public_name] {
            if none_if_missing(keys.symlink_metadata(name))?.is_some() {
                return Ok(false);
            }
        }
        write_private_file(&keys, &public_name, public.as_bytes())?;
        write_private_file(&keys, name.as_str(), private)?;
        folder.sync()?;
        Ok(true)
    }
}

/// Writes a whole file, accessible to its owner alone.
fn write_private_file(folder: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let unfinished = temporary_name();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = folder.open_with(&unfinished, &options)?;
    let put = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .and_then(|()| folder.rename(&unfinished, folder, name));
    if put.is_err() {
        let _ = folder.remove_file(&unfinished);
    }
    put
}

fn open_key_file(path: &Path, links: LinkPolicy) -> Result<KeyFile, KeyFileError> {
    let shown = path.display().to_string();
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        // Opening a pipe must not block, and a terminal must not become our controlling terminal.
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        flags.set(OFlags::NOFOLLOW, links == LinkPolicy::Refuse);
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    match options.open(path) {
        Ok(file) => read_key_file(&file, shown),
        Err(error) => Err(read_error(shown, &error)),
    }
}

fn read_key_file(file: &std::fs::File, shown: String) -> Result<KeyFile, KeyFileError> {
    let metadata = file.metadata().map_err(|error| read_error(shown.clone(), &error))?;
    if !metadata.is_file() {
        return Err(unreadable_error(&shown, "it is not a regular file"));
    }
    #[cfg(unix)]
    let mode = Some(std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()));
    #[cfg(not(unix))]
    let mode = None;
    // Full capacity from the start, because a buffer that grows leaves copies of the secret behind.
    let room = usize::try_from(MAX_BYTES + 1).unwrap_or_default();
    let mut bytes = Zeroizing::new(Vec::with_capacity(room));
    let got = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    got.map_err(|error| read_error(shown.clone(), &error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unreadable_error(&shown, "it is larger than 64 KiB"));
    }
    Ok(KeyFile { bytes, display_path: shown, mode })
}

fn read_error(shown: String, error: &io::Error) -> KeyFileError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => KeyFileError::Missing(shown),
        _ if is_symlink_error(error) => KeyFileError::Link(shown),
        _ => unreadable_error(&shown, &error.to_string()),
    }
}

fn unreadable_error(shown: &str, cause: &str) -> KeyFileError {
    KeyFileError::Unreadable { file: shown.to_owned(), cause: cause.to_owned() }
}
