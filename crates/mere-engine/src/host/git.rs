//! What git says about the project: only for people's commands, never for an agent's call.
//!
//! Run as a program in the project's folder, without hooks, monitors and filters of the repository's
//! own choosing. Where there is no git, or no repository, there is nothing to say.

use std::io::{self, Read};
use std::process::{Command, Stdio};

use mere_core::address::RelPath;

use super::Folder;

/// The most that git is listened to.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// What became of a hook.
pub(crate) enum Hook {
    Made,
    /// It was there.
    Ours,
    /// Another one is there.
    Taken,
    /// Hooks lie in a folder of the person's choosing.
    Elsewhere,
}

/// A project's repository.
pub(crate) struct Git<'a>(&'a Folder);

impl<'a> Git<'a> {
    /// The repository around a folder; none if there is none, or no git.
    pub(crate) fn of(project: &'a Folder) -> Option<Self> {
        let git = Self(project);
        git.run(&["rev-parse", "--is-inside-work-tree"]).ok().map(|_| git)
    }

    /// Paths that differ between the last commit and what is staged, from the folder.
    pub(crate) fn staged(&self) -> io::Result<Vec<RelPath>> {
        let changed = ["diff", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z"];
        Ok(paths(&self.run(&[&changed[..], &["--relative"]].concat())?))
    }

    /// Paths in these folders whose files are not what is staged: changed since, or not known to
    /// git.
    pub(crate) fn unstaged(&self, folders: &[String]) -> io::Result<Vec<RelPath>> {
        let changed = ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", "--relative"];
        let unknown = ["ls-files", "--others", "-z"];
        let mut found = Vec::new();
        for arguments in [&changed[..], &unknown] {
            let mut arguments = arguments.to_vec();
            arguments.push("--");
            arguments.extend(folders.iter().map(String::as_str));
            found.extend(paths(&self.run(&arguments)?));
        }
        Ok(found)
    }

    /// Stages files.
    pub(crate) fn add(&self, files: &[RelPath]) -> io::Result<()> {
        let mut arguments = vec!["add", "--"];
        arguments.extend(files.iter().map(RelPath::as_str));
        self.run(&arguments).map(|_| ())
    }

    /// A file as it was committed last.
    pub(crate) fn committed(&self, path: &RelPath) -> Option<Vec<u8>> {
        self.run(&["cat-file", "blob", &format!("HEAD:./{path}")]).ok()
    }

    /// Puts a pre-commit hook into the repository's own folder, if there is none. Where the person
    /// keeps hooks for several repositories, it would not be for this one alone.
    pub(crate) fn install_hook(&self, text: &str) -> io::Result<Hook> {
        let is_shared = self.output(&["config", "--get", "core.hooksPath"], &[]).is_ok();
        let folder = self.output(&["rev-parse", "--git-path", "hooks"], &[])?;
        let folder = String::from_utf8(folder).map_err(io::Error::other)?;
        if is_shared {
            return Ok(Hook::Elsewhere);
        }
        let folder = self.0.path().join(folder.trim_end_matches('\n'));
        std::fs::create_dir_all(&folder)?;
        let file = folder.join("pre-commit");
        match std::fs::read(&file) {
            Ok(there) if there == text.as_bytes() => return Ok(Hook::Ours),
            Ok(_) => return Ok(Hook::Taken),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o755);
        io::Write::write_all(&mut options.open(file)?, text.as_bytes())?;
        Ok(Hook::Made)
    }

    fn run(&self, arguments: &[&str]) -> io::Result<Vec<u8>> {
        self.output(arguments, &["core.hooksPath=/dev/null"])
    }

    fn output(&self, arguments: &[&str], settings: &[&str]) -> io::Result<Vec<u8>> {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.0.path()).args(["-c", "core.fsmonitor=false"]);
        for setting in settings {
            command.args(["-c", setting]);
        }
        command.args(arguments).env("GIT_OPTIONAL_LOCKS", "0");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let mut bytes = Vec::new();
        if let Some(output) = child.stdout.take() {
            output.take(MAX_BYTES).read_to_end(&mut bytes)?;
        }
        if child.wait()?.success() { Ok(bytes) } else { Err(io::Error::other("git says no")) }
    }
}

/// Paths that are separated by NUL. What cannot be an item's path is none.
fn paths(bytes: &[u8]) -> Vec<RelPath> {
    let paths = bytes.split(|byte| *byte == 0).filter_map(|path| str::from_utf8(path).ok());
    paths.filter(|path| !path.is_empty()).filter_map(|path| path.parse().ok()).collect()
}
