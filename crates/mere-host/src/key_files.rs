//! Files that hold keys: those kept in the user's config folder, and those a person points at.
//!
//! Only regular files of a bounded size are read. In our own folder no link is followed. Whether
//! others may open a file is asked of the open handle, so what was looked at is what was read.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, OpenOptions};
use mere_core::request::{KeyName, PersonFile};
use zeroize::Zeroizing;

use super::derived::{clear_away, unfinished};
use super::{Locked, OpenFolder, Surroundings, Typed, WriteError, absent, is_link, open_regular};

/// The folder of kept keys, in the config folder.
const FOLDER: &str = "keys";
/// The largest file that is read.
const MAX_BYTES: u64 = 64 * 1024;
/// What nobody but the owner may have.
const OTHERS: u32 = 0o077;

/// A file that was read. What it holds is wiped when it is dropped.
pub struct KeyFile {
    pub bytes: Zeroizing<Vec<u8>>,
    /// Where it lies, for people.
    pub shown: String,
    mode: Option<u32>,
}

/// Why a file was not read or not written. For people.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    #[error("{0} is not there")]
    Missing(String),
    #[error("{0} is a link")]
    Link(String),
    #[error("{file} may be opened by others: its mode is {mode:o}")]
    OpenMode { file: String, mode: u32 },
    #[error("{file} cannot be read: {cause}")]
    Unreadable { file: String, cause: String },
    #[error("{0} is there already")]
    Taken(String),
    #[error("{file} cannot be written: {cause}")]
    Unwritten { file: String, cause: String },
}

/// Whether a file that a person points at may be a link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Links {
    Follow,
    Refuse,
}

impl KeyFile {
    /// A private key at an absolute path that a person pointed at before.
    pub fn in_place(path: &str) -> Result<Self, KeyFileError> {
        open(Path::new(path), Links::Follow)?.private()
    }

    /// The file, if it is its owner's alone.
    pub fn private(self) -> Result<Self, KeyFileError> {
        match self.mode {
            Some(mode) if mode & OTHERS != 0 => {
                Err(KeyFileError::OpenMode { file: self.shown, mode: mode & 0o7777 })
            }
            _ => Ok(self),
        }
    }
}

impl Surroundings {
    /// The private key kept under a name.
    pub fn kept_key(&self, name: &KeyName) -> Result<KeyFile, KeyFileError> {
        let shown = self.kept_key_shown(name);
        let folder = self.config_path().ok_or_else(|| KeyFileError::Missing(shown.clone()))?;
        let opened = Dir::open_ambient_dir(folder, ambient_authority())
            .and_then(|dir| OpenFolder::below(&dir, FOLDER))
            .and_then(|keys| open_regular(&keys.into_dir(), name.as_str()));
        match opened {
            Ok(Some(file)) => read(&file.into_std(), shown)?.private(),
            Ok(None) => Err(unreadable(&shown, "it is no regular file")),
            Err(error) => Err(reading(shown, &error)),
        }
    }

    /// Closes a kept key's file to everybody but its owner.
    pub fn close_kept_key(&self, name: &KeyName) -> std::io::Result<()> {
        #[cfg(unix)]
        {
            let folder = self.config_path().ok_or(std::io::ErrorKind::NotFound)?;
            let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
            let keys = OpenFolder::below(&dir, FOLDER)?.into_dir();
            if let Some(file) = open_regular(&keys, name.as_str())? {
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
                file.into_std().set_permissions(mode)?;
            }
        }
        Ok(())
    }

    /// Where a kept key lies, for people.
    pub fn kept_key_shown(&self, name: &KeyName) -> String {
        let folder = self.config_path().unwrap_or(Path::new("")).join(FOLDER);
        folder.join(name.as_str()).display().to_string()
    }

    /// A file that a person points at now.
    pub fn person_file(&self, file: &PersonFile, links: Links) -> Result<KeyFile, KeyFileError> {
        let path = self.person_path(file)?;
        open(&path, links)
    }

    /// The absolute path of what a person points at, to be kept in a record; `None` if it is not
    /// Unicode.
    pub fn person_path_text(&self, file: &PersonFile) -> Option<String> {
        self.person_path(file).ok()?.to_str().map(str::to_owned)
    }

    /// Refuses a file that is there.
    pub fn check_new(&self, file: &PersonFile) -> Result<(), KeyFileError> {
        let path = self.person_path(file)?;
        let is_there = path.symlink_metadata().is_ok();
        if is_there { Err(KeyFileError::Taken(path.display().to_string())) } else { Ok(()) }
    }

    /// Writes a file that nobody has yet.
    pub fn write_new(&self, file: &PersonFile, text: &str) -> Result<String, KeyFileError> {
        let path = self.person_path(file)?;
        let shown = path.display().to_string();
        let failed = |error: &io::Error| match error.kind() {
            io::ErrorKind::AlreadyExists => KeyFileError::Taken(shown.clone()),
            _ => KeyFileError::Unwritten { file: shown.clone(), cause: error.to_string() },
        };
        let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
        let mut file = file.map_err(|error| failed(&error))?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(|error| failed(&error)).map(|()| shown)
    }

    fn person_path(&self, file: &PersonFile) -> Result<PathBuf, KeyFileError> {
        let typed = Typed::from(file.as_typed().to_owned());
        let path = typed.below(self.working());
        path.map_err(|error| reading(typed.shown(), &error))
    }
}

impl Locked {
    /// Keeps both halves of a key under a name; says no if the name is taken.
    pub fn keep_key(
        &self,
        name: &KeyName,
        private: &[u8],
        public: &str,
    ) -> Result<bool, WriteError> {
        self.try_keep_key(name, private, public).map_err(WriteError::from)
    }

    fn try_keep_key(&self, name: &KeyName, private: &[u8], public: &str) -> io::Result<bool> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match self.dir().create_dir_with(FOLDER, &builder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let folder = OpenFolder::below(self.dir(), FOLDER)?;
        let keys = OpenFolder::below(self.dir(), FOLDER)?.into_dir();
        clear_away(&keys);
        let public_name = format!("{}.pub", name.as_str());
        for name in [name.as_str(), &public_name] {
            if absent(keys.symlink_metadata(name))?.is_some() {
                return Ok(false);
            }
        }
        put(&keys, &public_name, public.as_bytes())?;
        put(&keys, name.as_str(), private)?;
        folder.sync()?;
        Ok(true)
    }
}

/// Puts a whole file there, for its owner alone.
fn put(folder: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let unfinished = unfinished();
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

fn open(path: &Path, links: Links) -> Result<KeyFile, KeyFileError> {
    let shown = path.display().to_string();
    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        // A pipe must not hold us up, nor a terminal become ours.
        let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        flags.set(OFlags::NOFOLLOW, links == Links::Refuse);
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    }
    match options.open(path) {
        Ok(file) => read(&file, shown),
        Err(error) => Err(reading(shown, &error)),
    }
}

fn read(file: &std::fs::File, shown: String) -> Result<KeyFile, KeyFileError> {
    let metadata = file.metadata().map_err(|error| reading(shown.clone(), &error))?;
    if !metadata.is_file() {
        return Err(unreadable(&shown, "it is no regular file"));
    }
    #[cfg(unix)]
    let mode = Some(std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()));
    #[cfg(not(unix))]
    let mode = None;
    // Room from the start: a buffer that grows leaves copies behind.
    let room = usize::try_from(MAX_BYTES + 1).unwrap_or_default();
    let mut bytes = Zeroizing::new(Vec::with_capacity(room));
    let got = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    got.map_err(|error| reading(shown.clone(), &error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unreadable(&shown, "it is larger than 64 KiB"));
    }
    Ok(KeyFile { bytes, shown, mode })
}

fn reading(shown: String, error: &io::Error) -> KeyFileError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => KeyFileError::Missing(shown),
        _ if is_link(error) => KeyFileError::Link(shown),
        _ => unreadable(&shown, &error.to_string()),
    }
}

fn unreadable(shown: &str, cause: &str) -> KeyFileError {
    KeyFileError::Unreadable { file: shown.to_owned(), cause: cause.to_owned() }
}
