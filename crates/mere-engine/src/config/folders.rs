//! `folders:`: folders whose items are used where they lie.
//!
//! Items have addresses, so such a folder must lie in the project. One that is written as a path out
//! of it widens, so from a project's file it counts for nothing until a person trusts it, and even
//! then only if it leads into the project after all.

use mere_core::address::RelPath;
use serde::Deserialize;

use super::{SpannedTexts, YamlError};
use mere_host::{Environment, Folder, FolderLocation, RelativeLocation, SPACE_FOLDER};

/// `folders:`, by type.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawFolders {
    directives: Option<SpannedTexts>,
}

/// The folders that a config names.
#[derive(Default)]
pub(super) struct NamedFolders {
    /// Those in the project, as paths from its root.
    pub(super) inside: Vec<RelPath>,
    /// Those that are written as paths out of the project.
    pub(super) outside: Vec<OutsideFolder>,
}

/// A folder that is written as a path out of the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OutsideFolder {
    /// The path as it is written: absolute, below the home folder, or from the project's root.
    pub(crate) path: String,
    /// The folder that it leads to, if there is one.
    pub(crate) target: Option<String>,
    /// The path of that folder from the project's root, if it lies in the project after all.
    pub(crate) inside: Option<RelPath>,
}

/// Parses folders.
pub(super) fn parse_folders(folders: Option<RawFolders>) -> Result<NamedFolders, YamlError> {
    let mut named = NamedFolders::default();
    for one in folders.and_then(|folders| folders.directives).unwrap_or_default() {
        let path = one.value.strip_suffix('/').unwrap_or(&one.value).parse::<RelPath>();
        match path {
            Ok(path) if may_be_used_in_place(&path) => named.inside.push(path),
            _ if leads_out(&one.value) => {
                named.outside.push(OutsideFolder { path: one.value, ..OutsideFolder::default() });
            }
            _ => {
                let reason = "a folder must be a path inside the project, such as `.claude/skills`";
                return Err(YamlError::at_location(one.referenced, reason.to_owned()));
            }
        }
    }
    Ok(named)
}

impl OutsideFolder {
    /// Finds out where it leads.
    pub(super) fn resolve(self, environment: &Environment, project: &Folder) -> Self {
        let opened = Folder::open_configured(&self.path, project, environment).ok();
        let target = opened.as_ref().and_then(Folder::canonical_text).map(str::to_owned);
        let location = FolderLocation::from_config(&self.path, project, environment);
        let inside = match location.relative_to(project) {
            Some(RelativeLocation::Addressable(path)) => {
                Some(path).filter(|path| opened.is_some() && may_be_used_in_place(path))
            }
            _ => None,
        };
        Self { target, inside, ..self }
    }
}

/// Says which folders are not used although they are trusted.
pub(crate) fn unused_folders_note(folders: &[OutsideFolder]) -> Option<String> {
    let unused = folders.iter().filter(|folder| folder.inside.is_none());
    let unused = unused.map(|folder| folder.path.as_str()).collect::<Vec<_>>();
    let (are, they, them) = match unused.len() {
        0 => return None,
        1 => ("is", "it is", "it"),
        _ => ("are", "they are", "them"),
    };
    Some(format!(
        "`folders` names {}, which {are} outside the project, where items have no address, so \
         {they} not used. Move {them} into the project",
        unused.join(", ")
    ))
}

/// Returns true if a path is absolute, below the home folder, or begins above the project.
fn leads_out(text: &str) -> bool {
    ["/", "~/", "../"].iter().any(|start| text.starts_with(start)) || matches!(text, "~" | "..")
}

/// Returns true if a folder may be used in place: it must not be a space or belong to git.
fn may_be_used_in_place(path: &RelPath) -> bool {
    let own =
        |name: &str| [SPACE_FOLDER, ".git", "~"].iter().any(|own| name.eq_ignore_ascii_case(own));
    !path.is_root() && !path.names().any(own)
}
