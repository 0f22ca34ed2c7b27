//! Where the path of a store leads: into the project, into the user's space, or elsewhere.
//!
//! A relative path that stays in is taken as it is written, and no link on its way will be followed.
//! For every other path it counts where it ends.

use mere_core::address::RelPath;
use mere_core::root::Root;

use mere_host::{Below, Folder, SPACE, Site, Surroundings};

/// What a path leads to.
pub(crate) enum Spot {
    /// A place in the project or in the user's space.
    Inside(Root, RelPath),
    /// A place that has no address of these.
    Elsewhere,
    /// A place in one of them that no address can name.
    Unsayable,
}

/// The folders that a path is looked at from.
pub(crate) struct Vantage<'a> {
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) project: &'a Folder,
}

impl Vantage<'_> {
    /// Where a path of a project's config leads.
    pub(crate) fn of_project(&self, text: &str, space: &Folder) -> (Spot, Site) {
        if let Some(path) = normal(&[SPACE], text) {
            let site = Site::below(self.project, &path);
            return (Spot::Inside(Root::Project, path), site);
        }
        let site = Site::configured(text, space, self.surroundings);
        (spot(&[(Root::Project, self.project)], &site), site)
    }

    /// Where a path of the user's config leads.
    pub(crate) fn of_user(&self, text: &str, space: &Folder) -> (Spot, Site) {
        if let Some(path) = normal(&[], text) {
            let site = Site::below(space, &path);
            return (Spot::Inside(Root::User, path), site);
        }
        let site = Site::configured(text, space, self.surroundings);
        (spot(&[(Root::User, space), (Root::Project, self.project)], &site), site)
    }
}

fn spot(roots: &[(Root, &Folder)], site: &Site) -> Spot {
    let found = roots.iter().find_map(|(root, folder)| Some((root, site.within(folder)?)));
    match found {
        Some((root, Below::At(path))) => Spot::Inside(root.clone(), path),
        Some((_, Below::Unsayable)) => Spot::Unsayable,
        None => Spot::Elsewhere,
    }
}

/// A relative path without its `.` and `..`, from the root of a tree in which `base` is where it
/// starts; `None` for any other, and for one that leaves the tree or that no address can name.
fn normal(base: &[&str], text: &str) -> Option<RelPath> {
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
            let path = normal(base, text);
            assert_eq!(path.as_ref().map(RelPath::as_str), expected, "{text}");
        };
        check(&[SPACE], "./memory", Some(".ai/memory"));
        check(&[SPACE], "memory//deep/.", Some(".ai/memory/deep"));
        check(&[SPACE], "../notes/", Some("notes"));
        check(&[SPACE], "a/../../b", Some("b"));
        check(&[SPACE], "..", Some(""));
        check(&[SPACE], ".", Some(".ai"));
        check(&[], "memory", Some("memory"));
        for out in ["../..", "../../x", "a/../../../b/c", "/x", "~", "~/x", "a\\b", "a\u{202e}"] {
            check(&[SPACE], out, None);
        }
        check(&[], "..", None);
    }
}
