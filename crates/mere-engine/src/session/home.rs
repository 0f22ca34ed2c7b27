//! The home root of a session, which paths without a root start at.

use std::sync::PoisonError;

use mere_core::address::Root;

use super::Session;

impl Session {
    /// Returns the home root: the one that was chosen with `cd`, or else the project, or else the
    /// user's space.
    pub fn home(&self) -> Root {
        let usual = if self.has_project() { Root::Project } else { Root::User };
        self.chosen_home().unwrap_or(usual)
    }

    /// Returns the root that paths without one start at. Unless another was chosen, it is the
    /// project, even if there is none: a file of the user's space is never taken for one of a
    /// project.
    pub fn path_home(&self) -> Root {
        self.chosen_home().unwrap_or(Root::Project)
    }

    fn chosen_home(&self) -> Option<Root> {
        let (_, home) = self.state.as_ref()?;
        home.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Checks whether there is a project.
    pub fn has_project(&self) -> bool {
        self.context.project().is_ok()
    }
}
