//! What git knows about the project: only for people's commands, never for an agent's call.
//!
//! Git is run as a program in the project's folder, in ways that start no hook, monitor, filter or
//! transport that the repository configures. Without git or a repository there is simply nothing to
//! report.

use std::io::{self, Read};
use std::process::{Command, Stdio};

use mere_core::address::RelPath;

use crate::Folder;

/// How many files are named in one command.
const FILES_PER_COMMAND: usize = 200;
/// How much of git's output is read at most.
const MAX_OUTPUT_BYTES: u64 = 64 * 1024 * 1024;

/// The result of installing a hook.
pub enum HookInstallation {
    /// The hook was written.
    Installed,
    /// The same hook was already there.
    AlreadyInstalled,
    /// Another hook is there.
    OtherHook,
    /// The person has configured a folder for hooks, which other repositories may share.
    SharedFolder,
}

/// A project's repository.
pub struct GitRepository<'a> {
    folder: &'a Folder,
    /// The configuration keys of filters, whoever set them up. These filters are turned off.
    filters: Vec<String>,
}

impl<'a> GitRepository<'a> {
    /// Finds the repository around a folder. Returns `None` if there is none, or no git.
    pub fn discover(folder: &'a Folder) -> Option<Self> {
        let git = Self { folder, filters: Vec::new() };
        git.run(&["rev-parse", "--is-inside-work-tree"]).ok()?;
        let keys = ["config", "--null", "--name-only", "--get-regexp", "^filter\\."];
        let keys = git.run(&keys).unwrap_or_default();
        let keys = keys.split(|byte| *byte == 0).filter_map(|key| str::from_utf8(key).ok());
        let filters = keys.filter(|key| !key.is_empty()).map(str::to_owned).collect();
        Some(Self { folder, filters })
    }

    /// Returns the paths, relative to the folder, that differ between the last commit and the
    /// index.
    pub fn staged_paths(&self) -> io::Result<Vec<RelPath>> {
        let changed = ["diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z"];
        Ok(parse_paths(&self.run(&[&changed[..], &["--relative"]].concat())?))
    }

    /// Returns the paths in these folders whose files differ from the index: changed, deleted or
    /// untracked. The bytes are compared as they are, so no filter runs.
    pub fn unstaged_paths(&self, folders: &[String]) -> io::Result<Vec<RelPath>> {
        let folders = folders.iter().map(String::as_str);
        let listed = |arguments: &[&'a str]| {
            let mut arguments = arguments.to_vec();
            arguments.push("--");
            self.run(&[&arguments[..], &folders.clone().collect::<Vec<_>>()].concat())
        };
        let staged = parse_entries(&listed(&["ls-files", "--stage", "-z"])?);
        let (there, gone) =
            staged.into_iter().partition::<Vec<_>, _>(|(_, path)| self.has_file(path));
        let hashes = self.hash_files(&there.iter().map(|(_, path)| path).collect::<Vec<_>>())?;
        let changed = there.into_iter().zip(hashes).filter(|((id, _), now)| id != now);
        let mut found = changed.map(|((_, path), _)| path).collect::<Vec<_>>();
        found.extend(gone.into_iter().map(|(_, path)| path));
        found.extend(parse_paths(&listed(&["ls-files", "--others", "-z"])?));
        Ok(found)
    }

    /// Checks whether a regular file lies at a path.
    fn has_file(&self, path: &RelPath) -> bool {
        let metadata = self.folder.dir().symlink_metadata(path.as_str());
        metadata.is_ok_and(|metadata| metadata.is_file())
    }

    /// Returns the object ids that the files would have with their current bytes.
    fn hash_files(&self, files: &[&RelPath]) -> io::Result<Vec<String>> {
        let mut hashes = Vec::new();
        for some in files.chunks(FILES_PER_COMMAND) {
            let mut arguments = vec!["hash-object", "--no-filters", "--"];
            arguments.extend(some.iter().map(|path| path.as_str()));
            let ids = String::from_utf8(self.run(&arguments)?).map_err(io::Error::other)?;
            hashes.extend(ids.lines().map(str::to_owned));
        }
        if hashes.len() == files.len() {
            Ok(hashes)
        } else {
            Err(io::Error::other("git did not return an id for every file"))
        }
    }

    /// Stages files with their current bytes.
    pub fn stage_files(&self, files: &[RelPath]) -> io::Result<()> {
        for path in files {
            let write = ["hash-object", "-w", "--no-filters", "--", path.as_str()];
            let id = String::from_utf8(self.run(&write)?).map_err(io::Error::other)?;
            let entry = format!("100644,{},{}", id.trim_end(), self.prefix()? + path.as_str());
            self.run(&["update-index", "--add", "--cacheinfo", &entry])?;
        }
        Ok(())
    }

    /// Removes files that are gone from the next commit. Files that git does not know are left out.
    pub fn stage_removal(&self, files: &[RelPath]) -> io::Result<()> {
        for path in files {
            self.run(&["update-index", "--force-remove", "--", path.as_str()])?;
        }
        Ok(())
    }

    /// Returns the folder's path in the repository, with a trailing slash.
    fn prefix(&self) -> io::Result<String> {
        let output = self.run(&["rev-parse", "--show-prefix"])?;
        Ok(String::from_utf8(output).map_err(io::Error::other)?.trim_end_matches('\n').to_owned())
    }

    /// Reads a file as of the last commit.
    pub fn read_committed(&self, path: &RelPath) -> Option<Vec<u8>> {
        self.run(&["cat-file", "blob", &format!("HEAD:./{path}")]).ok()
    }

    /// Installs a pre-commit hook in the repository's own folder, if there is none. If the person
    /// has configured a folder for hooks, nothing is installed, because the hook might apply to
    /// other repositories too.
    pub fn install_hook(&self, text: &str) -> io::Result<HookInstallation> {
        let is_shared = self.run_with_settings(&["config", "--get", "core.hooksPath"], &[]).is_ok();
        let folder = self.run_with_settings(&["rev-parse", "--git-path", "hooks"], &[])?;
        let folder = String::from_utf8(folder).map_err(io::Error::other)?;
        if is_shared {
            return Ok(HookInstallation::SharedFolder);
        }
        let folder = self.folder.path().join(folder.trim_end_matches('\n'));
        std::fs::create_dir_all(&folder)?;
        let file = folder.join("pre-commit");
        match std::fs::read(&file) {
            Ok(there) if there == text.as_bytes() => return Ok(HookInstallation::AlreadyInstalled),
            Ok(_) => return Ok(HookInstallation::OtherHook),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o755);
        io::Write::write_all(&mut options.open(file)?, text.as_bytes())?;
        Ok(HookInstallation::Installed)
    }

    pub(super) fn run(&self, arguments: &[&str]) -> io::Result<Vec<u8>> {
        self.run_with_settings(arguments, &["core.hooksPath=/dev/null"])
    }

    fn run_with_settings(&self, arguments: &[&str], settings: &[&str]) -> io::Result<Vec<u8>> {
        read_output(self.command(arguments, settings).stdin(Stdio::null()))
    }

    /// Runs git with a short input, which fits into a pipe that nobody reads yet.
    pub(super) fn run_with_input(&self, arguments: &[&str], input: &str) -> io::Result<Vec<u8>> {
        let (from, mut to) = io::pipe()?;
        let mut command = self.command(arguments, &["core.hooksPath=/dev/null"]);
        command.stdin(from);
        let writer = std::thread::spawn({
            let input = input.to_owned();
            move || io::Write::write_all(&mut to, input.as_bytes())
        });
        let output = read_output(&mut command);
        // Git may end before it has read everything; what it printed is what counts.
        drop(command);
        let _ = writer.join();
        output
    }

    fn command(&self, arguments: &[&str], settings: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.folder.path()).args(["-c", "core.fsmonitor=false"]);
        for setting in settings {
            command.args(["-c", setting]);
        }
        command.args(["-c", "protocol.allow=never"]).args(arguments);
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1");
        // Stronger than what the repository configures.
        command.env("GIT_ALLOW_PROTOCOL", "");
        command.env("GIT_CONFIG_COUNT", self.filters.len().to_string());
        for (number, key) in self.filters.iter().enumerate() {
            let off = if key.ends_with(".required") { "false" } else { "" };
            command.env(format!("GIT_CONFIG_KEY_{number}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{number}"), off);
        }
        command
    }
}

/// Runs a command and returns what it prints.
fn read_output(command: &mut Command) -> io::Result<Vec<u8>> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut bytes = Vec::new();
    if let Some(output) = child.stdout.take() {
        output.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes)?;
    }
    if child.wait()?.success() { Ok(bytes) } else { Err(io::Error::other("git failed")) }
}

/// Parses paths that are separated by NUL. A path that no item can have is skipped.
fn parse_paths(bytes: &[u8]) -> Vec<RelPath> {
    let paths = bytes.split(|byte| *byte == 0).filter_map(|path| str::from_utf8(path).ok());
    paths.filter(|path| !path.is_empty()).filter_map(|path| path.parse().ok()).collect()
}

/// Parses the index entries into object ids and paths. A file in conflict has several entries with
/// different ids, so it is always reported as changed.
fn parse_entries(bytes: &[u8]) -> Vec<(String, RelPath)> {
    let lines = bytes.split(|byte| *byte == 0).filter_map(|line| str::from_utf8(line).ok());
    let entry = |line: &str| {
        let (about, path) = line.split_once('\t')?;
        let id = about.split(' ').nth(1)?.to_owned();
        Some((id, path.parse().ok()?))
    };
    lines.filter_map(entry).collect()
}
