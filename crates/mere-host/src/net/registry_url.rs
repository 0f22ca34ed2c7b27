//! Where a registry is: the URL of a server, or `file:` and the folder of a mirror.
//!
//! A folder is named by its absolute path, so that it means the same wherever a command is run. Only
//! people see it; no reply to an agent names it.

use std::fmt;
use std::path::{Path, PathBuf};

use super::url::{Url, UrlError};
use crate::Environment;

/// What the name of a folder begins with.
const FOLDER_SCHEME: &str = "file:";

/// Where a registry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryUrl {
    /// A server.
    Server(Url),
    /// A folder that mirrors a registry.
    Folder(RegistryPath),
}

/// The folder of a mirror. It is opaque: only this crate reads it.
#[derive(Clone, PartialEq, Eq)]
pub struct RegistryPath(PathBuf);

/// The reasons why a text does not say where a registry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryUrlError {
    /// It is not a URL that can be used.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// There is no such folder.
    #[error("there is no such folder")]
    NoFolder,
    /// The path is not absolute.
    #[error("a folder needs an absolute path here")]
    Relative,
}

impl RegistryUrl {
    /// Parses what a person typed. A folder is found from the working directory.
    pub fn from_person(text: &str, environment: &Environment) -> Result<Self, RegistryUrlError> {
        match text.strip_prefix(FOLDER_SCHEME) {
            None => Ok(Self::Server(text.parse()?)),
            Some(path) => {
                let path = path.strip_prefix("//").filter(|p| p.starts_with('/')).unwrap_or(path);
                let path = environment.working_directory().join(path);
                let path = std::fs::canonicalize(path).ok().filter(|path| path.is_dir());
                let path = path.ok_or(RegistryUrlError::NoFolder)?;
                Ok(Self::Folder(RegistryPath(path)))
            }
        }
    }

    /// Parses what a file of the user says.
    pub fn from_file(text: &str) -> Result<Self, RegistryUrlError> {
        match text.strip_prefix(FOLDER_SCHEME) {
            None => Ok(Self::Server(text.parse()?)),
            Some(path) if Path::new(path).is_absolute() => {
                Ok(Self::Folder(RegistryPath(PathBuf::from(path))))
            }
            Some(_) => Err(RegistryUrlError::Relative),
        }
    }
}

impl RegistryPath {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl fmt::Debug for RegistryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RegistryPath(…)")
    }
}

impl fmt::Display for RegistryUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(url) => f.write_str(url.to_string().trim_end_matches('/')),
            Self::Folder(path) => write!(f, "{FOLDER_SCHEME}{}", path.0.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_is_a_server_or_a_folder() {
        let check = |text: &str, expected: Result<&str, RegistryUrlError>| {
            let parsed = RegistryUrl::from_file(text).map(|url| url.to_string());
            assert_eq!(parsed, expected.map(str::to_owned), "{text}");
        };
        check("https://registry.example.org/", Ok("https://registry.example.org"));
        check("http://127.0.0.1:7420", Ok("http://127.0.0.1:7420"));
        check("file:/srv/mirror", Ok("file:/srv/mirror"));
        check("file:mirror", Err(RegistryUrlError::Relative));
        check("http://example.org", Err(RegistryUrlError::Url(UrlError::Unencrypted)));
        check("ftp://example.org", Err(RegistryUrlError::Url(UrlError::Malformed)));
    }
}
