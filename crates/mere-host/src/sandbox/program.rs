//! Where a program that a chain names lies, on the machine and as a cell sees it.
//!
//! Only programs of the system, an interpreter that a person configured, and verified files of the
//! tool are accepted.

use std::io;
use std::path::{Path, PathBuf};

use crate::Folder;

/// Where programs are looked for, inside a cell and outside.
pub const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
/// The parts of the system that a cell shows.
pub(super) const SYSTEM_PATHS: [&str; 8] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/// A program that can be run in a cell.
#[derive(Debug)]
pub struct Program {
    /// Its path in a cell.
    pub path: String,
    /// The folder of its installation, if that is not part of the system.
    pub install_folder: Option<Folder>,
    /// Its path on the machine.
    host_path: PathBuf,
}

impl Program {
    /// Finds a program of the system by its name or its path. No other file of the machine is
    /// accepted as a program, and none that an agent wrote.
    pub fn find(name: &str) -> Option<Self> {
        let host = if name.starts_with('/') {
            Some(PathBuf::from(name))
                .filter(|path| is_system_path(path) && has_no_parent_steps(path))
        } else if name.contains('/') {
            None
        } else {
            Some(SEARCH_PATH.split(':').map(|place| Path::new(place).join(name)))
                .and_then(|mut found| found.find(|path| path.is_file()))
        };
        let host = host.filter(|path| path.is_file())?;
        Some(Self { path: host.to_str()?.to_owned(), install_folder: None, host_path: host })
    }

    /// Returns a verified file of the tool as a program, by its path in a cell.
    pub fn from_tool_file(path: &str) -> Self {
        Self { path: path.to_owned(), install_folder: None, host_path: PathBuf::from(path) }
    }

    /// Returns the interpreter that a person configured. An interpreter of the system is used where
    /// it is. For any other, the folder above its `bin` is shown in the cell, unless one of the
    /// `private` folders lies in it.
    pub(crate) fn from_config(text: &Path, private: &[PathBuf]) -> io::Result<Self> {
        let host = text.canonicalize()?;
        let wrong = || io::Error::from(io::ErrorKind::InvalidInput);
        if !host.is_file() {
            return Err(wrong());
        }
        // A venv holds only links and packages; its interpreter is elsewhere.
        let beside = text.parent().and_then(Path::parent);
        if beside.is_some_and(|folder| folder.join("pyvenv.cfg").is_file()) {
            return Err(io::Error::other("it is the interpreter of a virtual environment"));
        }
        if is_system_path(&host) {
            let path = host.to_str().ok_or_else(wrong)?.to_owned();
            return Ok(Self { path, install_folder: None, host_path: host });
        }
        // Only the folder above a `bin` belongs to one program; anything else would show too much.
        let bin = host.parent().filter(|folder| folder.ends_with("bin")).ok_or_else(wrong)?;
        let folder = bin.parent().filter(|folder| folder.parent().is_some()).ok_or_else(wrong)?;
        if private.iter().any(|own| own.starts_with(folder)) {
            return Err(io::Error::other("the folder above its `bin` also contains private files"));
        }
        let below = host.strip_prefix(folder).ok().and_then(Path::to_str).ok_or_else(wrong)?;
        let path = format!("/interpreter/{below}");
        let home = Some(Folder::open(folder)?);
        Ok(Self { path, install_folder: home, host_path: host })
    }

    /// Returns its path on the machine.
    pub(crate) fn host_path(&self) -> &Path {
        &self.host_path
    }

    /// Returns bytes that identify the program, for a digest. Another version of an interpreter is
    /// another file.
    pub fn identity_bytes(&self) -> Vec<u8> {
        let real = self.host_path.canonicalize().unwrap_or_else(|_| self.host_path.clone());
        real.as_os_str().as_encoded_bytes().to_vec()
    }
}

/// Checks that no component of a path is `..`.
fn has_no_parent_steps(path: &Path) -> bool {
    path.components().all(|part| !matches!(part, std::path::Component::ParentDir))
}

fn is_system_path(path: &Path) -> bool {
    SYSTEM_PATHS.iter().any(|place| path.starts_with(place))
}
