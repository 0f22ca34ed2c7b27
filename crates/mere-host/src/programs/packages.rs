//! The packages that tools need, fetched by a person's own pip or npm, outside of any sandbox.
//!
//! A set of packages lies under the digest of its manifest, whole or not at all. While they are
//! fetched, none of their code runs: pip gets wheels only, and npm is told to run no scripts.

use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::fetcher::{FetchOutcome, Fetcher, run_to_end};
use crate::write::derived_files::{remove_abandoned_files, temporary_name};
use crate::write::locked_folder::create_private_folder;
use crate::{Environment, Folder, Program, WriteError, none_if_missing};

/// The folder below the user's data.
const PACKAGES_FOLDER: &str = "packages";
/// Why no packages were fetched.
#[derive(Debug, thiserror::Error)]
pub enum PackagesError {
    /// The program that fetches packages is not installed.
    #[error("`{0}` was not found")]
    NoFetcher(&'static str),
    /// With the fetcher's name and the last line of its error output.
    #[error("`{0}` failed: {1}")]
    Failed(&'static str, String),
    /// With the number of the line.
    #[error("line {0} of the requirements contains more than a package and its version")]
    Requirement(usize),
    /// With what is wrong with it.
    #[error("`package-lock.json` {0}")]
    Lockfile(&'static str),
    /// The machine has no folder for packages.
    #[error("there is no folder for packages: the home folder is unknown")]
    NoFolder,
    /// The packages could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<io::Error> for PackagesError {
    fn from(error: io::Error) -> Self {
        Self::Write(error.into())
    }
}

/// The kind of file that lists the packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackageManifest {
    /// A `requirements.txt`, which pip reads.
    Requirements,
    /// A `package.json`, which npm reads.
    PackageJson,
}

/// What a tool asks for: the file that lists its packages, and the one that pins them.
#[derive(Clone, Copy, Debug)]
pub struct PackageRequest<'a> {
    /// The kind of the file.
    pub manifest: PackageManifest,
    /// Its content.
    pub text: &'a [u8],
    /// The content of `package-lock.json`, if the tool has one.
    pub lockfile: Option<&'a [u8]>,
}

/// The folder in which sets of packages lie.
pub struct PackageSets(PathBuf);

impl PackageSets {
    /// Opens a set of packages. Returns `None` if it was not fetched.
    pub fn find(&self, key: &str) -> io::Result<Option<Folder>> {
        none_if_missing(Folder::open(&self.0.join(key)))
    }

    /// Fetches a set of packages that does not exist yet.
    pub fn fetch(
        &self,
        key: &str,
        request: PackageRequest<'_>,
        program: &Program,
    ) -> Result<(), PackagesError> {
        create_private_folder(&self.0)?;
        let top = cap_std::fs::Dir::open_ambient_dir(&self.0, cap_std::ambient_authority())?;
        remove_abandoned_files(&top);
        let folder = self.0.join(temporary_name());
        let empty = self.0.join(temporary_name());
        fs::create_dir(&folder)?;
        fs::create_dir(&empty)?;
        let folders = InstallFolders { folder: &folder, empty: &empty };
        let filled = install_packages(folders, request, program);
        let _ = fs::remove_dir_all(&empty);
        let fetched = filled.and_then(|()| {
            make_world_readable(&folder)?;
            // If another process was faster, it has fetched the same set.
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

impl Environment {
    /// Returns the sets of packages, or `None` if the environment gives them no place.
    pub fn package_sets(&self) -> Option<PackageSets> {
        self.data_path().map(|data| PackageSets(data.join(PACKAGES_FOLDER)))
    }

    /// Returns a variable of the environment if it is Unicode.
    pub fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    /// Returns the interpreter that a person configured.
    pub fn configured_interpreter(
        &self,
        text: &str,
        project: Option<&Folder>,
    ) -> io::Result<Program> {
        let own = self.home_path().into_iter().chain(project.map(Folder::path));
        let private = self.private_paths().chain(own).map(Path::to_owned).collect::<Vec<_>>();
        Program::from_config(&self.expand_home(text)?, &private)
    }

    /// Opens a folder that a person configured.
    pub fn configured_folder(&self, text: &str) -> io::Result<Folder> {
        Folder::open(&self.expand_home(text)?)
    }

    fn expand_home(&self, text: &str) -> io::Result<PathBuf> {
        match text.strip_prefix("~/").or_else(|| (text == "~").then_some("")) {
            Some(below) => Ok(self.home_path().ok_or(io::ErrorKind::NotFound)?.join(below)),
            None => Ok(PathBuf::from(text)),
        }
    }
}

/// The folder that packages are installed into, and an empty one. Pip runs in the empty one, because
/// Python would import what pip puts into its own working directory.
#[derive(Clone, Copy)]
struct InstallFolders<'a> {
    folder: &'a Path,
    empty: &'a Path,
}

fn install_packages(
    folders: InstallFolders<'_>,
    request: PackageRequest<'_>,
    program: &Program,
) -> Result<(), PackagesError> {
    let InstallFolders { folder, empty } = folders;
    let text = request.text;
    match request.manifest {
        PackageManifest::Requirements => {
            let requirements = check_requirements(text)?;
            let version = python_version(program)?;
            let pip = Fetcher::find_pip(empty).ok_or(PackagesError::NoFetcher("pip"))?;
            fs::write(empty.join("requirements.txt"), requirements)?;
            let mut command = pip.command(empty);
            command.args(["install", "--no-input", "--disable-pip-version-check", "--no-compile"]);
            command.args(["--only-binary", ":all:", "--python-version", &version]);
            command.args(["--requirement", "requirements.txt", "--target"]).arg(folder);
            run_fetcher("pip", &mut command)?;
            // These scripts work on this machine only, because their first lines name its folders.
            match fs::remove_dir_all(folder.join("bin")) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
                _ => Ok(()),
            }
        }
        PackageManifest::PackageJson => {
            fs::write(folder.join("package.json"), text)?;
            let npm = Fetcher::find_npm(folder).ok_or(PackagesError::NoFetcher("npm"))?;
            let mut command = npm.command(folder);
            if let Some(lockfile) = request.lockfile {
                fs::write(folder.join("package-lock.json"), check_npm_lockfile(lockfile)?)?;
                // Exactly the pinned packages, from the user's own registry whatever host is named.
                command.args(["ci", "--replace-registry-host=always"]);
            } else {
                command.arg("install");
            }
            command.args(["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund"]);
            run_fetcher("npm", &mut command)?;
            Ok(fs::create_dir_all(folder.join("node_modules"))?)
        }
    }
}

/// Accepts only packages that come from a registry and are pinned by a hash: a link or a repository
/// could bring in anything.
fn check_npm_lockfile(text: &[u8]) -> Result<&[u8], PackagesError> {
    let lockfile = mere_core::text::json::parse(text)
        .map_err(|_| PackagesError::Lockfile("is not valid JSON"))?;
    let Some(packages) = lockfile["packages"].as_object() else {
        return Err(PackagesError::Lockfile("has no `packages`; npm 7 or newer writes them"));
    };
    for (_, package) in packages.iter().filter(|(path, _)| !path.is_empty()) {
        let is_web = package["resolved"].as_str().is_some_and(|url| url.starts_with("https://"));
        let is_bundled = package["inBundle"] == true;
        if !(is_bundled || is_web && package["integrity"].is_string()) {
            return Err(PackagesError::Lockfile(
                "has a package without an `https:` address and an `integrity` hash",
            ));
        }
    }
    Ok(text)
}

/// Accepts only package names with versions: an option, a path or a URL could run code or fetch
/// from anywhere.
fn check_requirements(text: &[u8]) -> Result<&str, PackagesError> {
    let requirements = std::str::from_utf8(text).map_err(|_| PackagesError::Requirement(1))?;
    for (number, line) in requirements.lines().enumerate() {
        let line = line.split_once(" #").map_or(line, |(line, _)| line).trim();
        let is_comment = line.is_empty() || line.starts_with('#');
        // `--hash` pins a file and is the only option that can only narrow the choice.
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
    Ok(requirements)
}

/// Returns the Python version for which wheels are fetched: that of the interpreter that runs the
/// tool.
fn python_version(program: &Program) -> Result<String, PackagesError> {
    let ask = "import sys; print('%d.%d' % sys.version_info[:2])";
    let mut command = Command::new(program.host_path());
    let output = command.args(["-I", "-c", ask]).stdin(Stdio::null()).output();
    let output = output.ok().filter(|output| output.status.success());
    let version = output.and_then(|output| String::from_utf8(output.stdout).ok());
    let version = version.map(|version| version.trim().to_owned());
    version.ok_or(PackagesError::NoFetcher("python3"))
}

/// Runs a fetcher and turns its failure into an error with its name.
fn run_fetcher(name: &'static str, command: &mut Command) -> Result<(), PackagesError> {
    match run_to_end(command)? {
        FetchOutcome::Succeeded => Ok(()),
        FetchOutcome::Failed(why) => Err(PackagesError::Failed(name, why)),
    }
}

/// Lets everybody read the packages, because a tool may run as `nobody`.
fn make_world_readable(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    }
    Ok(())
}
