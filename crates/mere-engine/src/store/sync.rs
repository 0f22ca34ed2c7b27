//! Making on disk what the configuration names, each category with its `.category.yaml`.

use std::io;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath};
use mere_core::category::Hierarchy;
use mere_core::item::Category;

use super::label::{self, LABEL};
use super::shelf::category_path;
use mere_host::{FolderWriter, WritePrecondition};

/// The categories of a hierarchy that were not there, made below a folder. Where a category is there
/// and its file says something else, it says what the configuration says.
pub(crate) fn materialise(
    folder: &Dir,
    hierarchy: &Hierarchy,
    over: &dyn Fn() -> bool,
) -> io::Result<Vec<Category>> {
    let mut made = Vec::new();
    if is_settled(folder, hierarchy)? {
        return Ok(made);
    }
    let editing = FolderWriter::open_store(folder, over)?.ok_or(io::ErrorKind::TimedOut)?;
    for named in hierarchy.all_categories() {
        let path = category_path(&named.category)?;
        let text = label::written(&named.description);
        match editing.open_folder(&path)? {
            None => {
                let file = RelPath::default().child(LABEL).ok_or(io::ErrorKind::InvalidInput)?;
                if editing.put_folder(&path, &[(file, text.into_bytes())])? {
                    made.push(named.category.clone());
                }
            }
            Some(there) if is_labelled(&there, &named.description)? => {}
            Some(there) => {
                let text = label::rewritten(&there, &named.description);
                editing.put_in(&there, LABEL, text.as_bytes(), WritePrecondition::Any)?;
            }
        }
    }
    Ok(made)
}

/// Whether there is nothing to do. Mostly there is not, and then nothing is locked.
fn is_settled(folder: &Dir, hierarchy: &Hierarchy) -> io::Result<bool> {
    for named in hierarchy.all_categories() {
        let path = category_path(&named.category)?;
        match FolderWriter::open_folder_below(folder, &path)? {
            Some(there) if is_labelled(&there, &named.description)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn is_labelled(folder: &Dir, description: &mere_core::category::Description) -> io::Result<bool> {
    Ok(label::is_there(folder)? && label::read(folder) == *description)
}

/// The address of a category.
pub(super) fn address_of(store: &Address, category: &Category) -> Option<Address> {
    let path = category_path(category).ok()?;
    Some(Address::directory(store.root().clone(), store.path().join_path(&path)))
}
