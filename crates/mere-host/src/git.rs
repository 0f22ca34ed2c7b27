//! What git says about the project: only for people's commands, never for an agent's call.
//!
//! Run as a program in the project's folder, in ways that start no hook, monitor, filter or transport
//! of the repository's own choosing. Where there is no git, or no repository, there is nothing to say.

use std::io::{self, Read};
use std::process::{Command, Stdio};

use mere_core::address::RelPath;

use super::Folder;

/// How many files are named at once.
const FILES_PER_COMMAND: usize = 200;
/// The most that git is listened to.
const MAX_OUTPUT_BYTES: u64 = 64 * 1024 * 1024;

/// What became of a hook.
pub enum HookInstallation {
    Installed,
    /// It was there.
    AlreadyInstalled,
    /// Another one is there.
    OtherHook,
    /// Hooks lie in a folder of the person's choosing.
    SharedFolder,
}

/// A project's repository.
pub struct GitRepository<'a> {
    folder: &'a Folder,
    /// Keys of filters that the repository, or anybody, set up: they are not run.
    filters: Vec<String>,
}

impl<'a> GitRepository<'a> {
    /// The repository around a folder; none if there is none, or no git.
    pub fn discover(folder: &'a Folder) -> Option<Self> {
        let git = Self { folder, filters: Vec::new() };
        git.run(&["rev-parse", "--is-inside-work-tree"]).ok()?;
        let keys = ["config", "--null", "--name-only", "--get-regexp", "^filter\\."];
        let keys = git.run(&keys).unwrap_or_default();
        let keys = keys.split(|byte| *byte == 0).filter_map(|key| str::from_utf8(key).ok());
        let filters = keys.filter(|key| !key.is_empty()).map(str::to_owned).collect();
        Some(Self { folder, filters })
    }

    /// Paths that differ between the last commit and what is staged, from the folder.
    pub fn staged_paths(&self) -> io::Result<Vec<RelPath>> {
        let changed = ["diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z"];
        Ok(parse_paths(&self.run(&[&changed[..], &["--relative"]].concat())?))
    }

    /// Paths in these folders whose files are not what is staged: changed since, gone, or not known
    /// to git. Bytes are compared, so no filter runs.
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

    /// Whether a regular file lies at a path.
    fn has_file(&self, path: &RelPath) -> bool {
        let metadata = self.folder.dir().symlink_metadata(path.as_str());
        metadata.is_ok_and(|metadata| metadata.is_file())
    }

    /// The ids that files would have, as they are.
    fn hash_files(&self, files: &[&RelPath]) -> io::Result<Vec<String>> {
        let mut said = Vec::new();
        for some in files.chunks(FILES_PER_COMMAND) {
            let mut arguments = vec!["hash-object", "--no-filters", "--"];
            arguments.extend(some.iter().map(|path| path.as_str()));
            let ids = String::from_utf8(self.run(&arguments)?).map_err(io::Error::other)?;
            said.extend(ids.lines().map(str::to_owned));
        }
        if said.len() == files.len() {
            Ok(said)
        } else {
            Err(io::Error::other("git left some out"))
        }
    }

    /// Stages files, as they are.
    pub fn stage_files(&self, files: &[RelPath]) -> io::Result<()> {
        for path in files {
            let write = ["hash-object", "-w", "--no-filters", "--", path.as_str()];
            let id = String::from_utf8(self.run(&write)?).map_err(io::Error::other)?;
            let entry = format!("100644,{},{}", id.trim_end(), self.prefix()? + path.as_str());
            self.run(&["update-index", "--add", "--cacheinfo", &entry])?;
        }
        Ok(())
    }

    /// Where the folder lies in the repository, with a slash behind.
    fn prefix(&self) -> io::Result<String> {
        let said = self.run(&["rev-parse", "--show-prefix"])?;
        Ok(String::from_utf8(said).map_err(io::Error::other)?.trim_end_matches('\n').to_owned())
    }

    /// A file as it was committed last.
    pub fn read_committed(&self, path: &RelPath) -> Option<Vec<u8>> {
        self.run(&["cat-file", "blob", &format!("HEAD:./{path}")]).ok()
    }

    /// Puts a pre-commit hook into the repository's own folder, if there is none. Where the person
    /// keeps hooks for several repositories, it would not be for this one alone.
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

    fn run(&self, arguments: &[&str]) -> io::Result<Vec<u8>> {
        self.run_with_settings(arguments, &["core.hooksPath=/dev/null"])
    }

    fn run_with_settings(&self, arguments: &[&str], settings: &[&str]) -> io::Result<Vec<u8>> {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.folder.path()).args(["-c", "core.fsmonitor=false"]);
        for setting in settings {
            command.args(["-c", setting]);
        }
        command.args(["-c", "protocol.allow=never"]).args(arguments);
        command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1");
        command.env("GIT_CONFIG_COUNT", self.filters.len().to_string());
        for (number, key) in self.filters.iter().enumerate() {
            let off = if key.ends_with(".required") { "false" } else { "" };
            command.env(format!("GIT_CONFIG_KEY_{number}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{number}"), off);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let mut bytes = Vec::new();
        if let Some(output) = child.stdout.take() {
            output.take(MAX_OUTPUT_BYTES).read_to_end(&mut bytes)?;
        }
        if child.wait()?.success() { Ok(bytes) } else { Err(io::Error::other("git says no")) }
    }
}

/// Paths that are separated by NUL. What cannot be an item's path is none.
fn parse_paths(bytes: &[u8]) -> Vec<RelPath> {
    let paths = bytes.split(|byte| *byte == 0).filter_map(|path| str::from_utf8(path).ok());
    paths.filter(|path| !path.is_empty()).filter_map(|path| path.parse().ok()).collect()
}

/// What is staged: each file's id, and its path. What is in conflict has several, and none is it.
fn parse_entries(bytes: &[u8]) -> Vec<(String, RelPath)> {
    let lines = bytes.split(|byte| *byte == 0).filter_map(|line| str::from_utf8(line).ok());
    let entry = |line: &str| {
        let (about, path) = line.split_once('\t')?;
        let id = about.split(' ').nth(1)?.to_owned();
        Some((id, path.parse().ok()?))
    };
    lines.filter_map(entry).collect()
}
