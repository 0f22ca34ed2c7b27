//! The project of a run as its supervisor looks after it: what is sent to the cell, the copy if the
//! cell needs one, and what the tool changed in the end.

use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cap_std::fs::Dir;
use mere_core::item::ProjectAccess;

use super::copy::copy_project;
use super::difference_walk::read_difference;
use super::mount::{LOWER, SCRATCH};
use super::seen_files::SeenFiles;
use super::{ProjectDifference, ProjectView};
use crate::sandbox::protocol::{Access, BindMount, ProjectLayer, ProjectOrder};
use crate::sandbox::run_plan::SandboxError;

/// The project of one run.
pub(in crate::sandbox) struct ProjectRun<'a> {
    view: &'a ProjectView<'a>,
    layer: ProjectLayer,
    /// The hidden paths.
    pub(in crate::sandbox) hidden: Vec<u8>,
    seen: SeenFiles,
}

impl<'a> ProjectRun<'a> {
    /// Takes note of what the tool will see.
    pub(in crate::sandbox) fn begin(view: &'a ProjectView<'a>) -> Result<Self, SandboxError> {
        let mut project = Self {
            view,
            layer: ProjectLayer::Overlay,
            hidden: view.survey.hidden_text(),
            seen: SeenFiles::default(),
        };
        if view.access == ProjectAccess::Propose {
            // The tool runs as `nobody` then, who may not write to files of others. In a copy they
            // are its own.
            if rustix::process::geteuid().is_root() {
                project.provide_copy()?;
            } else {
                project.seen = SeenFiles::stamp(view);
            }
        }
        Ok(project)
    }

    /// Copies the project, because there is no overlay.
    pub(in crate::sandbox) fn provide_copy(&mut self) -> Result<(), SandboxError> {
        self.layer = ProjectLayer::Copy;
        self.seen = copy_project(self.view)?;
        Ok(())
    }

    /// Returns what the cell has to mount.
    pub(in crate::sandbox) fn order(&self) -> io::Result<ProjectOrder> {
        let access = match self.view.access {
            ProjectAccess::Read => Access::Read,
            ProjectAccess::Propose => Access::Write,
        };
        let bind = |path: &Path, handle: &Dir, target: &str| {
            let handle = rustix::fs::fstat(handle)?;
            let (source, target) = (path.as_os_str().as_bytes().to_vec(), target.to_owned());
            let identity = Some((handle.st_dev, handle.st_ino));
            Ok::<_, io::Error>(BindMount { source, identity, target, access })
        };
        Ok(ProjectOrder {
            project: bind(self.view.folder.path(), self.view.folder.dir(), LOWER)?,
            scratch: bind(self.view.scratch.path(), self.view.scratch.dir(), SCRATCH)?,
            hidden: self.hidden.len() as u64,
            access,
            layer: self.layer,
        })
    }

    /// Returns what the tool changed, if it may propose changes. Everything in the cell has ended.
    pub(in crate::sandbox) fn finish(&self) -> io::Result<Option<ProjectDifference>> {
        match self.view.access {
            ProjectAccess::Read => Ok(None),
            ProjectAccess::Propose => read_difference(self.view, &self.seen, self.layer).map(Some),
        }
    }
}
