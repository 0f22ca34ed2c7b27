//! `mere git setup`: lets git merge what is signed.
//!
//! The attributes are committed with the project; what they name is told to each clone, because git
//! lets no repository choose what it runs.

use mere_core::address::{Address, RelPath, Root};
use mere_core::reply::{Data, Draft, Fields, Prose, codes};

use super::attributes::{byte_lines, merge_lines, missing_lines, write_missing_lines};
use crate::commands::CommandCall;
use crate::error::tool_error::ToolError;
use crate::space::ItemChangeError;
use mere_host::GitRepository;

/// The parts of the setup that are missing in a clone.
pub(in crate::commands) struct MissingSetup {
    /// Lines that `.gitattributes` does not have.
    pub(in crate::commands) lines: Vec<String>,
    /// Whether git was not told what merges them.
    pub(in crate::commands) driver: bool,
}

/// Sets up the clone in which the project lies.
pub(super) fn set_up(call: &CommandCall<'_>) -> Result<Draft, ToolError> {
    let InstalledDriver { attributes, driver } = install_merge_driver(call)?;
    let made = attributes.iter().cloned().map(Data::from).collect::<Data>();
    let data = Fields::default().with("made", made).with("driver_installed", driver);
    let words = match (attributes.is_some(), driver) {
        (false, false) => "Git already merges signatures, lockfiles and memories with `mere`.",
        _ => "Git merges signatures, lockfiles and memories with `mere` from now on.",
    };
    let draft = Draft::success(codes::GIT_SETUP, Prose::words(words)).data(data);
    Ok(match attributes {
        Some(_) => draft.hint(
            "Commit .gitattributes. Everybody else runs `mere git setup` once in each clone: git \
             lets no repository choose what it runs.",
        ),
        None => draft,
    })
}

/// What was set up, and was not before.
pub(in crate::commands) struct InstalledDriver {
    /// The file that says which files are merged so.
    pub(in crate::commands) attributes: Option<Address>,
    /// Whether git was told what merges them.
    pub(in crate::commands) driver: bool,
}

/// Adds what is missing.
pub(in crate::commands) fn install_merge_driver(
    call: &CommandCall<'_>,
) -> Result<InstalledDriver, ToolError> {
    let git = GitRepository::discover(call.change.context.project()?)
        .ok_or(ItemChangeError::NoGitRepository)?;
    let file = RelPath::default().child(".gitattributes").ok_or(ItemChangeError::InvalidPlace)?;
    let address = Address::file(Root::Project, file);
    let lines = [byte_lines(call.change), merge_lines(call)].concat();
    let added = write_missing_lines(call.change, &lines);
    let added =
        added.map_err(|cause| ItemChangeError::WriteFailed { address: address.clone(), cause })?;
    let driver = git.install_merge_driver().map_err(ItemChangeError::GitFailed)?;
    Ok(InstalledDriver { attributes: added.then_some(address), driver })
}

/// Returns what is missing, or `None` if nothing is or there is no repository.
pub(in crate::commands) fn find_missing_setup(call: &CommandCall<'_>) -> Option<MissingSetup> {
    let git = GitRepository::discover(call.change.context.project_folder()?)?;
    let lines = missing_lines(call.change, &merge_lines(call)).unwrap_or_default();
    let missing = MissingSetup { driver: !git.has_merge_driver(), lines };
    (missing.driver || !missing.lines.is_empty()).then_some(missing)
}
