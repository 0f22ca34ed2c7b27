//! Where a session is: its home root, which paths without a root start at, and the directory the
//! command ran in.

use std::sync::PoisonError;

use mere_core::address::{Address, AgentName, Root, Spoken};

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

    /// Returns the directory the command ran in, if it is visible.
    pub fn working_address(&self) -> Option<Address> {
        self.working_address.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Finds the address of the working directory again, in the world of the current snapshot.
    pub(super) fn update_working_address(&self) {
        let found = self.find_working_address();
        *self.working_address.write().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// Finds the address of the directory the command ran in, if it is visible.
    fn find_working_address(&self) -> Option<Address> {
        let working = self.context.environment.open_working_directory()?;
        let path = self.context.project_folder()?.locate(&working)?;
        let spoken = Spoken::Relative { path, directory: true };
        let world = self.world(&AgentName::default())?;
        world.resolve(&spoken, &Root::Project).ok().map(|seen| seen.address().clone())
    }
}
