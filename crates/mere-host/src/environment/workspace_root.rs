//! Finds the root of the package manager's workspace that a project belongs to.

use std::path::{Path, PathBuf};

use mere_core::text::workspace::{MAX_WORKSPACE_BYTES, Membership, WorkspaceKind};

/// Returns the folder among those `above` whose workspace has the `marked` folder as a member, and
/// the name of the file that says so. The nearest one counts.
pub(super) fn find_workspace_root<'a>(
    marked: &Path,
    marker: &str,
    above: &[&'a Path],
) -> Option<(&'a Path, &'static str)> {
    let kinds = WorkspaceKind::ALL.into_iter().filter(|kind| kind.member_file() == marker);
    let mut roots = kinds.filter_map(|kind| {
        let root = above.iter().find_map(|folder| match membership(kind, folder, marked) {
            Membership::Member => Some(Some(*folder)),
            Membership::Excluded => Some(None),
            Membership::Unknown => None,
        });
        root.flatten().map(|root| (root, kind.root_file()))
    });
    let first = roots.next()?;
    // A folder can belong to workspaces of two kinds; the nearer one is meant.
    Some(roots.fold(first, |nearest, one| if one.0.starts_with(nearest.0) { one } else { nearest }))
}

fn membership(kind: WorkspaceKind, root: &Path, member: &Path) -> Membership {
    let text = read_bounded(&root.join(kind.root_file()));
    let names = member.strip_prefix(root).ok().and_then(|below| {
        let names = below.iter().map(|name| name.to_str()).collect::<Option<Vec<_>>>()?;
        Some(names.join("/"))
    });
    match (text, names) {
        (Some(text), Some(path)) => kind.membership(&text, &path),
        _ => Membership::Unknown,
    }
}

/// Reads a regular file that is not too large.
fn read_bounded(path: &PathBuf) -> Option<String> {
    let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let is_small = metadata.len() <= MAX_WORKSPACE_BYTES as u64;
    is_small.then(|| std::fs::read_to_string(path).ok()).flatten()
}
