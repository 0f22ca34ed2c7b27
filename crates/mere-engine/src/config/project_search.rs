//! What the user's config says about finding the project: own markers, and the wide folders that
//! are meant as projects.

use mere_host::{Environment, Folder};
use serde_saphyr::Spanned;

use super::{YamlError, read_user};

/// What the user's config says about finding the project.
#[derive(Default)]
pub(crate) struct ProjectSearchConfig {
    /// Names of files or folders that mark a project root.
    pub(crate) markers: Vec<String>,
    wide_roots: Vec<String>,
}

impl ProjectSearchConfig {
    /// Checks whether `wide_roots` lists this folder, in whatever spelling.
    pub(crate) fn is_wide_root(&self, folder: &Folder, environment: &Environment) -> bool {
        let listed = self.wide_roots.iter();
        let mut listed = listed.filter_map(|path| environment.configured_folder(path).ok());
        listed.any(|listed| listed.identity() == folder.identity())
    }
}

/// Reads it. A config that cannot be used says nothing; the calls that follow report what is wrong
/// with it.
pub(crate) fn project_search(environment: &Environment) -> ProjectSearchConfig {
    let space = environment.user_space().ok().flatten();
    let config = space.and_then(|space| read_user(space.dir()).ok()).unwrap_or_default();
    ProjectSearchConfig { markers: config.project_markers, wide_roots: config.wide_roots }
}

/// Checks one entry of `wide_roots`: an absolute path, or one that starts at the home folder.
pub(super) fn parse_wide_root(path: &Spanned<String>) -> Result<String, YamlError> {
    let refuse = |reason: &str| Err(YamlError::at_location(path.referenced, reason.into()));
    let text = &path.value;
    if !text.is_empty() && text.bytes().all(|byte| byte == b'/') {
        return refuse("`/` is never a project: list the folder that is meant");
    }
    if !text.starts_with('/') && text != "~" && !text.starts_with("~/") {
        return refuse("a wide root is an absolute path, or one that starts with `~`");
    }
    Ok(text.clone())
}
