//! A copy of what a tool may see of the project, where the kernel has no overlay for it.
//!
//! Only what was surveyed is copied, by handles and never through a link, and no more than stated
//! bounds. If this program runs as root, the copy belongs to `nobody`, and what `nobody` may not
//! read is not copied.

use std::io;
use std::os::fd::AsFd;

use cap_std::fs::{Dir, File, Metadata, MetadataExt, OpenOptions, Permissions, PermissionsExt};
use rustix::fs::{AtFlags, Gid, Uid, chownat};

use super::seen_files::{SeenFile, SeenFiles};
use super::view_scratch::COPY;
use super::{MAX_COPIED_BYTES, MAX_COPIED_FILES, ProjectView};
use crate::sandbox::cell_process::NOBODY;
use crate::sandbox::run_plan::SandboxError;
use crate::{FileStamp, LinkTarget, OpenFolder, none_if_missing};

/// The bits that let anybody read a file, or list and enter a folder.
const ANYBODY_READS: u32 = 0o004;
const ANYBODY_ENTERS: u32 = 0o005;
/// The bits that let the owner of the copy change a file or folder.
const OWNER_WRITES: u32 = 0o600;
const OWNER_ENTERS: u32 = 0o700;

/// Copies what may be seen of the project, and returns the files as they were copied.
pub(in crate::sandbox) fn copy_project(view: &ProjectView<'_>) -> Result<SeenFiles, SandboxError> {
    let is_root = rustix::process::geteuid().is_root();
    let mut copy = ProjectCopy {
        source: view.folder.dir(),
        target: view.scratch.part(COPY)?,
        owner: is_root.then_some(NOBODY),
        skipped: Vec::new(),
        bytes: 0,
        seen: SeenFiles::default(),
    };
    if view.survey.files.len() as u64 > MAX_COPIED_FILES {
        return Err(SandboxError::ProjectTooLarge);
    }
    copy.give_away(&copy.target)?;
    // Each folder comes before those that lie in it.
    for folder in &view.survey.folders {
        copy.copy_folder(folder)?;
    }
    for file in &view.survey.files {
        copy.copy_file(file)?;
    }
    for link in view.survey.links() {
        copy.copy_link(link)?;
    }
    Ok(copy.seen)
}

struct ProjectCopy<'a> {
    source: &'a Dir,
    target: Dir,
    /// The user that the copy belongs to, if it is another one.
    owner: Option<u32>,
    /// The folders that are left out, with a slash at the end.
    skipped: Vec<String>,
    bytes: u64,
    seen: SeenFiles,
}

impl ProjectCopy<'_> {
    fn copy_folder(&mut self, path: &str) -> io::Result<()> {
        let opened = none_if_missing(OpenFolder::open(self.source, path));
        let source = opened.ok().flatten().map(OpenFolder::into_dir);
        let metadata = source.as_ref().map(Dir::dir_metadata).transpose()?;
        let Some(metadata) = metadata.filter(|_| !self.is_skipped(path)) else {
            self.skip(path);
            return Ok(());
        };
        if self.owner.is_some_and(|owner| !may(&metadata, owner, ANYBODY_ENTERS)) {
            self.skip(path);
            return Ok(());
        }
        self.target.create_dir(path)?;
        self.give_away(OpenFolder::open(&self.target, path)?.into_dir())?;
        let mode = Permissions::from_mode(metadata.mode() & 0o777 | OWNER_ENTERS);
        self.target.set_permissions(path, mode)
    }

    fn copy_file(&mut self, path: &str) -> Result<(), SandboxError> {
        let Some(source) = self.open_source(path)? else { return Ok(()) };
        let metadata = source.metadata()?;
        if self.owner.is_some_and(|owner| !may(&metadata, owner, ANYBODY_READS)) {
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(metadata.len());
        if self.bytes > MAX_COPIED_BYTES {
            return Err(SandboxError::ProjectTooLarge);
        }
        let mut options = OpenOptions::new();
        let mut target = self.target.open_with(path, options.write(true).create_new(true))?;
        let mut source = io::Read::take(source, metadata.len());
        io::copy(&mut source, &mut target)?;
        self.give_away(&target)?;
        let writable = if self.owner.is_some() { OWNER_WRITES } else { 0 };
        target.set_permissions(Permissions::from_mode(metadata.mode() & 0o777 | writable))?;
        let seen = SeenFile {
            stamp: FileStamp::from_metadata(&metadata),
            copy: Some(FileStamp::from_metadata(&target.metadata()?)),
        };
        self.seen.insert(path.to_owned(), seen);
        Ok(())
    }

    /// Opens a file of the project. A file that is gone, or that nobody here may read, is left out.
    fn open_source(&self, path: &str) -> io::Result<Option<File>> {
        if self.is_skipped(path) {
            return Ok(None);
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Ok(folder) = OpenFolder::open(self.source, folder) else { return Ok(None) };
        match folder.open_file(name) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
            opened => none_if_missing(opened).map(Option::flatten),
        }
    }

    /// Copies a link that leads to something visible.
    fn copy_link(&self, path: &str) -> io::Result<()> {
        if self.is_skipped(path) {
            return Ok(());
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Ok(folder) = OpenFolder::open(self.source, folder) else { return Ok(()) };
        let folder = folder.into_dir();
        let Ok(name) = name.parse() else { return Ok(()) };
        // A link that leads out by now is not copied.
        if !matches!(crate::read_link(&folder, &name), Ok(LinkTarget::Steps(_))) {
            return Ok(());
        }
        let target = folder.read_link_contents(name.as_str())?;
        rustix::fs::symlinkat(target, self.target.as_fd(), path)?;
        Ok(())
    }

    fn give_away(&self, made: impl AsFd) -> io::Result<()> {
        let Some(owner) = self.owner else { return Ok(()) };
        let (user, group) = (Some(Uid::from_raw(owner)), Some(Gid::from_raw(owner)));
        // This also works on a handle that was opened with `O_PATH`, unlike `fchown`.
        Ok(chownat(made, "", user, group, AtFlags::EMPTY_PATH)?)
    }

    fn skip(&mut self, path: &str) {
        self.skipped.push(format!("{path}/"));
    }

    fn is_skipped(&self, path: &str) -> bool {
        self.skipped.iter().any(|folder| path.starts_with(folder))
    }
}

/// Checks whether a user who is not root, nor in any group, has an access that everybody may have.
fn may(metadata: &Metadata, user: u32, everybody: u32) -> bool {
    let needed = if metadata.uid() == user { everybody << 6 } else { everybody };
    metadata.mode() & needed == needed
}
