//! Where the path of a store leads: into the project, into the user's space, or outside both.
//!
//! A relative path that stays inside is taken as it is written, and no link on it will be followed.
//! For every other path, the place where it ends after links are resolved decides.

use mere_core::address::{Address, RelPath, Root};
use mere_core::digest::Sha256;

use mere_host::{Environment, Folder, FolderLocation, RelativeLocation, SPACE_FOLDER};

/// The place that a store's path leads to.
pub(crate) enum StoreLocation {
    /// A place in the project or in the user's space.
    Inside(Root, RelPath),
    /// A place outside both, for which they have no address.
    Outside,
    /// A place inside one of them that no address can name.
    Unaddressable,
}

impl StoreLocation {
    /// Returns a text by which the location of a store of this path is recognised later.
    pub(super) fn identifying_text(&self, path: &str) -> String {
        match self {
            Self::Inside(root, path) => {
                identify_address(&Address::directory(root.clone(), path.clone()))
            }
            Self::Outside | Self::Unaddressable => shorten(path.to_owned()),
        }
    }
}

/// Returns the text by which the location of a store at an address is recognised.
pub(crate) fn identify_address(address: &Address) -> String {
    shorten(address.to_string())
}

/// Replaces a long text by its digest, because it is kept in a record of limited size.
fn shorten(text: String) -> String {
    const MAX_BYTES: usize = 200;
    if text.len() <= MAX_BYTES {
        text
    } else {
        format!("sha256:{}", Sha256::digest(text.as_bytes()))
    }
}

/// Resolves the paths of stores in config files.
pub(crate) struct PathResolver<'a> {
    pub(crate) environment: &'a Environment,
    /// The project, if there is one.
    pub(crate) project: Option<&'a Folder>,
}

impl PathResolver<'_> {
    /// Resolves a path of a project's config.
    pub(crate) fn resolve_project_path(
        &self,
        text: &str,
        space: &Folder,
    ) -> (StoreLocation, FolderLocation) {
        let inside = self.project.zip(normalize(&[SPACE_FOLDER], text));
        if let Some((project, path)) = inside {
            let location = FolderLocation::from_relative(project, &path);
            return (StoreLocation::Inside(Root::Project, path), location);
        }
        let location = FolderLocation::from_config(text, space, self.environment);
        let roots = self.project.map(|project| (Root::Project, project));
        (locate(roots.as_slice(), &location), location)
    }

    /// Resolves a path of the user's config.
    pub(crate) fn resolve_user_path(
        &self,
        text: &str,
        space: &Folder,
    ) -> (StoreLocation, FolderLocation) {
        if let Some(path) = normalize(&[], text) {
            let location = FolderLocation::from_relative(space, &path);
            return (StoreLocation::Inside(Root::User, path), location);
        }
        let location = FolderLocation::from_config(text, space, self.environment);
        let project = self.project.map(|project| (Root::Project, project));
        let roots = [(Root::User, space)].into_iter().chain(project).collect::<Vec<_>>();
        (locate(&roots, &location), location)
    }
}

fn locate(roots: &[(Root, &Folder)], location: &FolderLocation) -> StoreLocation {
    let found = roots.iter().find_map(|(root, folder)| Some((root, location.relative_to(folder)?)));
    match found {
        Some((root, RelativeLocation::Addressable(path))) => {
            StoreLocation::Inside(root.clone(), path)
        }
        Some((_, RelativeLocation::Unaddressable)) => StoreLocation::Unaddressable,
        None => StoreLocation::Outside,
    }
}

/// Removes `.` and `..` from a relative path that starts at `base`, and returns it from the root of
/// the tree. Returns `None` if the path is not relative, leaves the tree, or cannot be named by an
/// address.
fn normalize(base: &[&str], text: &str) -> Option<RelPath> {
    if text.starts_with('/') || text == "~" || text.starts_with("~/") {
        return None;
    }
    let mut names = base.to_vec();
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    names.into_iter().try_fold(RelPath::default(), |path, name| path.child(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_is_made_normal_and_never_leaves() {
        let check = |base: &[&str], text: &str, expected: Option<&str>| {
            let path = normalize(base, text);
            assert_eq!(path.as_ref().map(RelPath::as_str), expected, "{text}");
        };
        check(&[SPACE_FOLDER], "./memory", Some(".ai/memory"));
        check(&[SPACE_FOLDER], "memory//deep/.", Some(".ai/memory/deep"));
        check(&[SPACE_FOLDER], "../notes/", Some("notes"));
        check(&[SPACE_FOLDER], "a/../../b", Some("b"));
        check(&[SPACE_FOLDER], "..", Some(""));
        check(&[SPACE_FOLDER], ".", Some(".ai"));
        check(&[], "memory", Some("memory"));
        for out in ["../..", "../../x", "a/../../../b/c", "/x", "~", "~/x", "a\\b", "a\u{202e}"] {
            check(&[SPACE_FOLDER], out, None);
        }
        check(&[], "..", None);
    }
}
