//! Creates the configured categories on disk, each with its `.category.yaml`.
//!
//! It never removes a category; one that is not configured is left alone.

use std::io;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath};
use mere_core::category::Hierarchy;
use mere_core::item::Category;

use super::category_file::{self, CATEGORY_FILE};
use super::locked_store::category_path;
use mere_host::{FolderWriter, WritePrecondition};

/// Creates the missing categories of a hierarchy below a folder, and returns them. If an existing
/// category has another description in its file, the configured one is written there.
pub(crate) fn create_categories(
    folder: &Dir,
    hierarchy: &Hierarchy,
    is_cancelled: &dyn Fn() -> bool,
) -> io::Result<Vec<Category>> {
    let mut made = Vec::new();
    if is_in_sync(folder, hierarchy)? {
        return Ok(made);
    }
    let editing = FolderWriter::open_store(folder, is_cancelled)?.ok_or(io::ErrorKind::TimedOut)?;
    for named in hierarchy.all_categories() {
        let path = category_path(&named.category)?;
        let text = category_file::render(&named.description);
        match editing.open_folder(&path)? {
            None => {
                let file =
                    RelPath::default().child(CATEGORY_FILE).ok_or(io::ErrorKind::InvalidInput)?;
                if editing.put_folder(&path, &[(file, text.into_bytes())])? {
                    made.push(named.category.clone());
                }
            }
            Some(there) if has_description(&there, &named.description)? => {}
            Some(there) => {
                let text = category_file::render_update(&there, &named.description);
                editing.put_in(&there, CATEGORY_FILE, text.as_bytes(), WritePrecondition::Any)?;
            }
        }
    }
    Ok(made)
}

/// Returns true if there is nothing to do. That is the usual case, and it needs no lock.
fn is_in_sync(folder: &Dir, hierarchy: &Hierarchy) -> io::Result<bool> {
    for named in hierarchy.all_categories() {
        let path = category_path(&named.category)?;
        match FolderWriter::open_folder_below(folder, &path)? {
            Some(there) if has_description(&there, &named.description)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn has_description(
    folder: &Dir,
    description: &mere_core::category::Description,
) -> io::Result<bool> {
    Ok(category_file::exists(folder)? && category_file::read_description(folder) == *description)
}

/// Returns the address of a category.
pub(super) fn category_address(store: &Address, category: &Category) -> Option<Address> {
    let path = category_path(category).ok()?;
    Some(Address::directory(store.root().clone(), store.path().join_path(&path)))
}
