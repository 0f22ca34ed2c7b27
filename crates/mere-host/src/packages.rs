//! The packages that tools need, fetched by a person's own pip or npm, outside of any sandbox.
//!
//! A set of packages lies under the digest of what asks for it, whole or not at all. Of wheels nothing
//! runs while they are fetched, and npm is told to run no scripts.

use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::derived::{clear_away, unfinished};
use super::durable::make_private;
use super::fetcher::{Fetched, Fetcher, finish};
use super::{Folder, Program, Surroundings, WriteError, absent};

/// The folder below the user's data.
const FOLDER: &str = "packages";
/// Why no packages were fetched.
#[derive(Debug, thiserror::Error)]
pub enum PackagesError {
    #[error("there is no `{0}`")]
    NoFetcher(&'static str),
    /// With the last thing it said.
    #[error("`{0}` says no: {1}")]
    Failed(&'static str, String),
    /// With the line.
    #[error("line {0} of the requirements is more than a package and its version")]
    Requirement(usize),
    #[error("there is no place for packages")]
    Nowhere,
    #[error(transparent)]
    Unwritten(#[from] WriteError),
}

impl From<io::Error> for PackagesError {
    fn from(error: io::Error) -> Self {
        Self::Unwritten(error.into())
    }
}

/// What asks for packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    Requirements,
    PackageJson,
}

/// Where sets of packages lie.
pub struct Packages(PathBuf);

impl Packages {
    /// A set of packages; none if it was not fetched.
    pub fn find(&self, key: &str) -> io::Result<Option<Folder>> {
        absent(Folder::open(&self.0.join(key)))
    }

    /// Fetches a set of packages that is not there.
    pub fn fetch(
        &self,
        key: &str,
        (asking, text): (Asking, &[u8]),
        program: &Program,
    ) -> Result<(), PackagesError> {
        make_private(&self.0)?;
        let top = cap_std::fs::Dir::open_ambient_dir(&self.0, cap_std::ambient_authority())?;
        clear_away(&top);
        let folder = self.0.join(unfinished());
        let empty = self.0.join(unfinished());
        fs::create_dir(&folder)?;
        fs::create_dir(&empty)?;
        let filled = fill((&folder, &empty), (asking, text), program);
        let _ = fs::remove_dir_all(&empty);
        let fetched = filled.and_then(|()| {
            open_to_all(&folder)?;
            // Whoever was quicker has fetched the same.
            match fs::rename(&folder, self.0.join(key)) {
                Err(_) if self.0.join(key).is_dir() => {
                    let _ = fs::remove_dir_all(&folder);
                    Ok(())
                }
                renamed => Ok(renamed?),
            }
        });
        if fetched.is_err() {
            let _ = fs::remove_dir_all(&folder);
        }
        fetched
    }
}

impl Surroundings {
    /// Where sets of packages lie; none if there is no place for them.
    pub fn packages(&self) -> Option<Packages> {
        self.data_path().map(|data| Packages(data.join(FOLDER)))
    }

    /// A variable of the environment, where it is a text.
    #[expect(clippy::unused_self, reason = "what is read here is the environment of this process")]
    pub fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    /// The interpreter that a person configured.
    pub fn interpreter(&self, text: &str, project: &Folder) -> io::Result<Program> {
        let own = self.home_path().into_iter().chain([project.path()]);
        let private = self.private_paths().chain(own).map(Path::to_owned).collect::<Vec<_>>();
        Program::configured(&self.own_path(text)?, &private)
    }

    /// A folder that a person configured.
    pub fn own_folder(&self, text: &str) -> io::Result<Folder> {
        Folder::open(&self.own_path(text)?)
    }

    fn own_path(&self, text: &str) -> io::Result<PathBuf> {
        match text.strip_prefix("~/") {
            Some(below) => Ok(self.home_path().ok_or(io::ErrorKind::NotFound)?.join(below)),
            None => Ok(PathBuf::from(text)),
        }
    }
}

/// Fills a folder. Pip runs in another, which stays empty: what it puts into the first would be taken for
/// a part of itself.
fn fill(
    (folder, empty): (&Path, &Path),
    (asking, text): (Asking, &[u8]),
    program: &Program,
) -> Result<(), PackagesError> {
    match asking {
        Asking::Requirements => {
            let asked = check_requirements(text)?;
            let version = python_version(program)?;
            let pip = Fetcher::pip(empty).ok_or(PackagesError::NoFetcher("pip"))?;
            fs::write(empty.join("requirements.txt"), asked)?;
            let mut command = pip.command(empty);
            command.args(["install", "--no-input", "--disable-pip-version-check", "--no-compile"]);
            command.args(["--only-binary", ":all:", "--python-version", &version]);
            command.args(["--requirement", "requirements.txt", "--target"]).arg(folder);
            done("pip", &mut command)?;
            // Commands for this machine: their first lines name its folders.
            match fs::remove_dir_all(folder.join("bin")) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
                _ => Ok(()),
            }
        }
        Asking::PackageJson => {
            fs::write(folder.join("package.json"), text)?;
            let npm = Fetcher::npm(folder).ok_or(PackagesError::NoFetcher("npm"))?;
            let mut command = npm.command(folder);
            command.args(["install", "--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"]);
            done("npm", &mut command)?;
            Ok(fs::create_dir_all(folder.join("node_modules"))?)
        }
    }
}

/// Only names with versions: an option, a path or an address could let code run, or come from anywhere.
fn check_requirements(text: &[u8]) -> Result<&str, PackagesError> {
    let said = std::str::from_utf8(text).map_err(|_| PackagesError::Requirement(1))?;
    for (number, line) in said.lines().enumerate() {
        let line = line.split_once(" #").map_or(line, |(line, _)| line).trim();
        let is_comment = line.is_empty() || line.starts_with('#');
        // `--hash` pins a file, and is the one option that only narrows.
        let mut words = line.split_whitespace();
        let begins = words.next().is_none_or(|word| {
            word.starts_with(|first: char| first.is_ascii_alphanumeric())
                && !word.contains(['/', '\\', ':', '@'])
        });
        let goes_on = words.all(|word| {
            word == "\\"
                || word.starts_with("--hash=")
                || !word.starts_with('-') && !word.contains(['/', '\\', '@'])
        });
        let is_hash = line.starts_with("--hash=");
        if !(is_comment || is_hash || begins && goes_on) {
            return Err(PackagesError::Requirement(number + 1));
        }
    }
    Ok(said)
}

/// The version for which wheels are fetched: that of the interpreter which runs the tool.
fn python_version(program: &Program) -> Result<String, PackagesError> {
    let ask = "import sys; print('%d.%d' % sys.version_info[:2])";
    let mut command = Command::new(program.host());
    let said = command.args(["-I", "-c", ask]).stdin(Stdio::null()).output();
    let said = said.ok().filter(|said| said.status.success());
    let version = said.and_then(|said| String::from_utf8(said.stdout).ok());
    let version = version.map(|version| version.trim().to_owned());
    version.ok_or(PackagesError::NoFetcher("python3"))
}

/// What became of a fetcher.
fn done(name: &'static str, command: &mut Command) -> Result<(), PackagesError> {
    match finish(command)? {
        Fetched::Well => Ok(()),
        Fetched::Badly(why) => Err(PackagesError::Failed(name, why)),
    }
}

/// A tool that runs as nobody must be able to read them.
fn open_to_all(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    }
    Ok(())
}
