//! The programs that agents run in: what `mere` writes for them and reads of theirs.

mod adopt;
mod connect;
mod export;
mod real_clients;

use std::collections::BTreeMap;
use std::path::Path;

/// Every file below a folder, by its path.
fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let below = path.strip_prefix(folder).expect("below").to_str().expect("UTF-8");
                found.insert(below.to_owned(), std::fs::read(&path).expect("a file"));
            }
        }
    }
    found
}
