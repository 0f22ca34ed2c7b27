//! Where a program is that a chain names, as a cell sees it.

use std::io;
use std::path::{Path, PathBuf};

use crate::host::Folder;

/// Where programs are looked for, in a cell as outside.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
/// What a cell shows of the system.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store"];

/// A program.
#[derive(Debug)]
pub(crate) struct Program {
    /// Its path in a cell.
    pub(crate) path: String,
    /// The folder it needs that is no part of the system.
    pub(crate) home: Option<Folder>,
    /// Its path on the machine.
    host: PathBuf,
}

impl Program {
    /// A program of the system by its name, or by its path in a cell; none if it is not there.
    pub(crate) fn find(name: &str) -> Option<Self> {
        let host = if name.starts_with('/') {
            PathBuf::from(name)
        } else if name.contains('/') {
            return None;
        } else {
            PATH.split(':').map(|place| Path::new(place).join(name)).find(|path| path.is_file())?
        };
        // What is not the system's is in the cell, or it is not: then it cannot be started.
        if is_of_system(&host) && !host.is_file() {
            return None;
        }
        let path = host.to_str()?.to_owned();
        Some(Self { path, home: None, host })
    }

    /// The interpreter that a person configured. One of the system's is used where it is; of any other,
    /// the folder above its `bin` is shown.
    pub(in crate::host) fn configured(text: &Path) -> io::Result<Self> {
        let host = text.canonicalize()?;
        let wrong = || io::Error::from(io::ErrorKind::InvalidInput);
        if !host.is_file() {
            return Err(wrong());
        }
        if is_of_system(&host) {
            let path = host.to_str().ok_or_else(wrong)?.to_owned();
            return Ok(Self { path, home: None, host });
        }
        let folder = host.parent().and_then(Path::parent).ok_or_else(wrong)?;
        let below = host.strip_prefix(folder).ok().and_then(Path::to_str).ok_or_else(wrong)?;
        let path = format!("/interpreter/{below}");
        let home = Some(Folder::open(folder)?);
        Ok(Self { path, home, host })
    }

    /// Its path on the machine.
    pub(in crate::host) fn host(&self) -> &Path {
        &self.host
    }

    /// What it is, for a digest: another version of an interpreter is another file.
    pub(crate) fn identity(&self) -> Vec<u8> {
        let real = self.host.canonicalize().unwrap_or_else(|_| self.host.clone());
        real.as_os_str().as_encoded_bytes().to_vec()
    }
}

fn is_of_system(path: &Path) -> bool {
    SYSTEM.iter().any(|place| path.starts_with(place))
}
