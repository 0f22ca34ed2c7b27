//! Files that editors, systems and interpreters leave behind beside an item.
//!
//! They are not signed, so an item with such a file is refused as with any other: an interpreter
//! could load some of them. They are only called what they are, so that nobody signs them.

/// Names that are left behind as they stand.
const NAMES: [&str; 5] = [".DS_Store", "Thumbs.db", "desktop.ini", ".directory", "4913"];
/// The ends of the names of backups and swap files.
const ENDINGS: [&str; 8] = ["~", ".bak", ".orig", ".rej", ".swp", ".swo", ".tmp", ".pyc"];
/// Folders that hold nothing else.
const FOLDERS: [&str; 3] = ["__pycache__", "__MACOSX", ".idea"];

/// Checks whether a file, given by its path below the item's folder, is a leftover by its name.
pub fn is_leftover(path: &str) -> bool {
    let mut parents = path.split('/').rev();
    let name = parents.next().unwrap_or_default();
    NAMES.contains(&name)
        || ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
        || name.starts_with(".#")
        || name.len() > 2 && name.starts_with('#') && name.ends_with('#')
        || parents.any(|folder| FOLDERS.contains(&folder))
}

#[cfg(test)]
mod tests {
    use super::is_leftover;

    #[test]
    fn leftovers_are_known_by_their_names() {
        for path in [
            ".DS_Store",
            "sub/.DS_Store",
            "tool.py~",
            ".tool.py.swp",
            "tool.yaml.bak",
            "SKILL.md.orig",
            "__pycache__/tool.cpython-311.pyc",
            "lib/__pycache__/x",
            "#tool.py#",
            ".#tool.py",
        ] {
            assert!(is_leftover(path), "{path}");
        }
        for path in ["tool.py", "bak", ".bak", "~", "##", "data.json", "pycache/x", "a#b", ""] {
            assert!(!is_leftover(path), "{path}");
        }
    }
}
