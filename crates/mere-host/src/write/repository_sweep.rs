//! Disarms the repositories in a workspace, which version control programs would obey.
//!
//! They are kept, under names that mean nothing. The sweep works through handles, follows no link,
//! goes to any depth with one open handle, and makes a folder that its owner may not enter or change
//! one that it may. What cannot be disarmed is reported.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::sync::{Mutex, PoisonError};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use mere_core::address::{EntryForm, RepositoryName};
use uuid::Uuid;

use crate::{FolderIdentity, is_symlink_error, rename_no_replace};

/// How many numbered names are tried before a random one.
const NUMBERED_NAMES: u32 = 16;
/// How often a sweep starts again because somebody moves folders meanwhile.
const MAX_SWEEPS: usize = 8;

/// The repositories that a sweep has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// Those that were disarmed.
    pub disarmed: Vec<DisarmedRepository>,
    /// The paths of those that could not be disarmed, and of folders that could not be examined.
    pub left: Vec<String>,
}

/// A repository that is none any more. The paths start at the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisarmedRepository {
    /// Its path when it was found.
    pub from: String,
    /// Its new path, or `None` if it was a file that could only be removed.
    pub to: Option<String>,
}

impl SweepReport {
    /// Disarms everything in a workspace.
    pub(crate) fn sweep(workspace: &Dir) -> Self {
        let mut report = Self::default();
        for _ in 0..MAX_SWEEPS {
            let mut sweep = Sweep { path: String::new(), report: Self::default() };
            let swept = sweep.run(workspace);
            report.disarmed.append(&mut sweep.report.disarmed);
            report.left = sweep.report.left;
            match swept {
                Ok(()) => return report,
                Err(error) => tracing::warn!(%error, "a workspace could not be swept"),
            }
        }
        report.left.push(String::new());
        report
    }

    /// Disarms everything in a workspace that this process has not found clean yet. After that,
    /// every run is followed by a sweep.
    pub(super) fn sweep_once(workspace: &Dir) -> io::Result<()> {
        static CLEAN: Mutex<Option<HashSet<FolderIdentity>>> = Mutex::new(None);
        let lock = || CLEAN.lock().unwrap_or_else(PoisonError::into_inner);
        let identity = identify(workspace)?;
        let is_known = lock().get_or_insert_default().contains(&identity);
        if !is_known && Self::sweep(workspace).is_clean() {
            lock().get_or_insert_default().insert(identity);
        }
        Ok(())
    }

    /// Checks that nothing is left that a program would obey.
    pub fn is_clean(&self) -> bool {
        self.left.is_empty()
    }

    /// Adds what a later sweep of the same workspace found.
    pub(crate) fn add_later(&mut self, later: Self) {
        self.disarmed.extend(later.disarmed);
        self.left = later.left;
    }
}

/// A sweep on its way through a workspace.
struct Sweep {
    /// The path of the folder that it is in, with a slash at its end.
    path: String,
    report: SweepReport,
}

/// A folder on the way down.
struct Level {
    identity: FolderIdentity,
    /// Its folders that have not been entered yet.
    waiting: Vec<OsString>,
    /// The length of the path of the folder above it.
    above: usize,
}

impl Sweep {
    fn run(&mut self, workspace: &Dir) -> io::Result<()> {
        let mut folder = workspace.try_clone()?;
        let mut levels = vec![self.sweep_folder(&folder, 0)?];
        while let Some(level) = levels.last_mut() {
            let above = self.path.len();
            if let Some(name) = level.waiting.pop() {
                let Some(entered) = self.enter(&folder, &name) else { continue };
                match self.sweep_folder(&entered, above) {
                    Ok(level) => {
                        levels.push(level);
                        folder = entered;
                    }
                    Err(error) => self.leave_armed(above, &error),
                }
                continue;
            }
            self.path.truncate(level.above);
            levels.pop();
            if let Some(level) = levels.last() {
                folder = open_parent(&folder)?;
                if identify(&folder)? != level.identity {
                    return Err(io::Error::other("a folder was moved meanwhile"));
                }
            }
        }
        Ok(())
    }

    /// Opens a folder and appends its name to the path. Returns `None` if it is gone, or cannot be
    /// opened.
    fn enter(&mut self, folder: &Dir, name: &OsString) -> Option<Dir> {
        let above = self.path.len();
        self.path.push_str(&name.to_string_lossy());
        self.path.push('/');
        match folder.open_dir_nofollow(name) {
            Ok(entered) => return Some(entered),
            Err(error) if is_gone(&error) => self.path.truncate(above),
            Err(error) => self.leave_armed(above, &error),
        }
        None
    }

    /// Notes that the folder that the path leads to could not be examined, and goes back.
    fn leave_armed(&mut self, above: usize, error: &io::Error) {
        if !is_gone(error) {
            tracing::warn!(%error, "a folder of a workspace cannot be examined");
            self.report.left.push(self.path.trim_end_matches('/').to_owned());
        }
        self.path.truncate(above);
    }

    /// Disarms what lies in a folder, and returns it with the folders to enter next.
    fn sweep_folder(&mut self, folder: &Dir, above: usize) -> io::Result<Level> {
        let identity = identify(folder)?;
        let entries = with_access(folder, || folder.entries()?.collect::<io::Result<Vec<_>>>())?;
        let mut waiting = Vec::new();
        for entry in entries {
            let name = entry.file_name();
            let form = match entry.file_type() {
                Ok(kind) if kind.is_dir() => EntryForm::Folder,
                Ok(_) => EntryForm::Leaf,
                Err(error) if is_gone(&error) => continue,
                Err(error) => return Err(error),
            };
            let meaning =
                name.to_str().and_then(|text| Some((text, RepositoryName::recognize(text, form)?)));
            let name = match meaning {
                Some((text, meaning)) => self.disarm(folder, (text, meaning), form),
                None => Some(name),
            };
            waiting.extend(name.filter(|_| form == EntryForm::Folder));
        }
        Ok(Level { identity, waiting, above })
    }

    /// Disarms an entry and returns the name that it has now.
    fn disarm(
        &mut self,
        folder: &Dir,
        (name, meaning): (&str, RepositoryName),
        form: EntryForm,
    ) -> Option<OsString> {
        let from = format!("{}{name}", self.path);
        let new = with_access(folder, || rename_harmless(folder, name, meaning));
        let to = match (new, form) {
            (Ok(new), _) => Some(new),
            (Err(error), _) if is_gone(&error) => return None,
            // A full disk may have no room for a longer name. A file is removed instead.
            (Err(_), EntryForm::Leaf) if folder.remove_file(name).is_ok() => None,
            (Err(error), _) => {
                tracing::warn!(%error, "a repository in a workspace could not be disarmed");
                self.report.left.push(from);
                return Some(name.into());
            }
        };
        tracing::warn!("a repository in a workspace was disarmed");
        let path = to.as_ref().map(|to| format!("{}{to}", self.path));
        self.report.disarmed.push(DisarmedRepository { from, to: path });
        to.map(Into::into)
    }
}

/// Gives an entry a name that nothing has and that means nothing, and returns it.
fn rename_harmless(folder: &Dir, name: &str, meaning: RepositoryName) -> io::Result<String> {
    let word = meaning.harmless_word();
    for number in 1..=NUMBERED_NAMES {
        let new = format!("{word}-of-a-tool-{number}");
        if rename_no_replace((folder, name), (folder, &new))? {
            return Ok(new);
        }
    }
    let new = format!("{word}-of-a-tool-{}", Uuid::new_v4().simple());
    let is_renamed = rename_no_replace((folder, name), (folder, &new))?;
    if is_renamed { Ok(new) } else { Err(io::ErrorKind::AlreadyExists.into()) }
}

/// Does something in a folder, if need be after the owner has been given all rights to it.
fn with_access<T>(folder: &Dir, attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match attempt() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            grant_owner_access(folder)?;
            attempt()
        }
        result => result,
    }
}

/// Lets the owner of a folder read, change and enter it. The handle itself is used, so that no
/// link in the folder's place is followed.
#[cfg(unix)]
fn grant_owner_access(folder: &Dir) -> io::Result<()> {
    use rustix::fs::{Mode, fstat};
    let mode = Mode::from_raw_mode(fstat(folder)?.st_mode) | Mode::RWXU;
    #[cfg(target_os = "linux")]
    {
        // `fchmod` refuses a handle that was opened with `O_PATH`.
        let number = std::os::fd::AsRawFd::as_raw_fd(folder);
        Ok(rustix::fs::chmod(format!("/proc/self/fd/{number}"), mode)?)
    }
    #[cfg(not(target_os = "linux"))]
    Ok(rustix::fs::fchmod(folder, mode)?)
}

#[cfg(not(unix))]
fn grant_owner_access(_: &Dir) -> io::Result<()> {
    Err(io::ErrorKind::PermissionDenied.into())
}

/// Opens the folder that a folder lies in. The caller checks that it is the expected one.
#[cfg(unix)]
fn open_parent(folder: &Dir) -> io::Result<Dir> {
    use rustix::fs::{Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    #[cfg(target_os = "linux")]
    let flags = flags | OFlags::PATH;
    let parent = with_access(folder, || Ok(openat(folder, "..", flags, Mode::empty())?))?;
    Ok(Dir::from_std_file(parent.into()))
}

#[cfg(not(unix))]
fn open_parent(_: &Dir) -> io::Result<Dir> {
    Err(io::ErrorKind::Unsupported.into())
}

fn identify(folder: &Dir) -> io::Result<FolderIdentity> {
    Ok(FolderIdentity::from_metadata(&folder.dir_metadata()?))
}

/// Checks whether an entry does not exist any more, or was replaced by something else.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || is_symlink_error(error)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use cap_std::ambient_authority;

    use super::*;

    fn sweep(folder: &Path) -> SweepReport {
        SweepReport::sweep(&Dir::open_ambient_dir(folder, ambient_authority()).expect("opened"))
    }

    #[test]
    fn repositories_of_every_form_are_renamed() {
        let base = tempfile::tempdir().expect("a folder");
        let at = |below: &str| base.path().join(below);
        for folder in [".git/hooks", "a/b/.GIT", "bare/objects", "a/.hg", "HEAD", "taken"] {
            fs::create_dir_all(at(folder)).expect("a folder");
        }
        for file in [".git/HEAD", "bare/HEAD", "a/b/.GIT/HEAD", "HEAD/x", "taken/.git"] {
            fs::write(at(file), "x").expect("a file");
        }
        fs::write(at("taken/git-of-a-tool-1"), "mine").expect("a file");
        std::os::unix::fs::symlink("refs/heads/x", at("a/HEAD")).expect("a link");
        let report = sweep(base.path());
        assert!(report.is_clean(), "{report:?}");
        assert_eq!(report.disarmed.len(), 8, "{report:?}");
        for there in [
            "git-of-a-tool-1/HEAD-of-a-tool-1",
            "a/b/git-of-a-tool-1/HEAD-of-a-tool-1",
            "bare/HEAD-of-a-tool-1",
            "a/hg-of-a-tool-1",
            "HEAD/x",
            "taken/git-of-a-tool-2",
        ] {
            assert!(at(there).exists(), "{there}");
        }
        assert!(at("a/HEAD-of-a-tool-1").symlink_metadata().is_ok());
        assert_eq!(fs::read(at("taken/git-of-a-tool-1")).expect("kept"), b"mine");
        assert_eq!(sweep(base.path()), SweepReport::default());
    }

    #[test]
    fn neither_depth_nor_permissions_nor_odd_names_hide_a_repository() {
        let base = tempfile::tempdir().expect("a folder");
        let mut here = Dir::open_ambient_dir(base.path(), ambient_authority()).expect("opened");
        let odd = <OsString as std::os::unix::ffi::OsStringExt>::from_vec(vec![0xff, b'x']);
        for _ in 0..300 {
            here.create_dir(&odd).expect("a folder");
            here.create_dir("y").expect("a folder");
            here = here.open_dir(&odd).expect("opened");
        }
        here.create_dir(".git").expect("a folder");
        let closed = base.path().join("closed");
        fs::create_dir_all(closed.join("inner/.git")).expect("folders");
        for (folder, mode) in [(closed.join("inner"), 0o000), (closed.clone(), 0o500)] {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode)).expect("a mode");
        }
        let report = sweep(base.path());
        assert!(report.is_clean(), "{:?}", report.left);
        assert_eq!(report.disarmed.len(), 2);
        assert!(here.symlink_metadata("git-of-a-tool-1").is_ok());
        // The tests may run as root, whom no mode keeps out; what counts is where it ended.
        assert!(closed.join("inner/git-of-a-tool-1").exists());
    }

    #[test]
    fn links_are_not_followed() {
        let base = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("a folder");
        fs::create_dir(outside.path().join(".git")).expect("a folder");
        std::os::unix::fs::symlink(outside.path(), base.path().join("link")).expect("a link");
        std::os::unix::fs::symlink(outside.path(), base.path().join(".git")).expect("a link");
        assert_eq!(sweep(base.path()).disarmed.len(), 1);
        assert!(outside.path().join(".git").exists());
    }
}
