//! The folders that belong to the operating system.
//!
//! They are known by name: those of Unix by the first name of a path, those of Windows by the drive
//! and the first name, also where Linux shows the drives of Windows. A path that Windows would
//! understand is recognised on every system, because people paste such paths everywhere.

use std::path::{Component, Path};

/// The first names of the system's folders. Those that start with `lib` are too.
const UNIX_NAMES: [&str; 13] = [
    "etc", "proc", "sys", "dev", "boot", "usr", "bin", "sbin", "var", "run", "root", "System",
    "Library",
];
/// Those of them that hold the same on every machine of a kind, but for what is installed. Those
/// that start with `lib` do too.
const SHARED_NAMES: [&str; 8] = ["etc", "proc", "sys", "dev", "boot", "usr", "bin", "sbin"];
/// The system's folders on a drive of Windows. Those that start with `Program Files` are too.
const WINDOWS_NAMES: [&str; 2] = ["windows", "programdata"];
/// What the other folders of a drive's programs begin with.
const WINDOWS_PROGRAMS: &str = "program files";
/// Where Linux shows the drives of Windows, one folder for each letter.
const WINDOWS_DRIVES: &str = "mnt";

/// Checks whether the path is a folder of the system or lies in one.
pub(super) fn is_in_system_folder(path: &Path) -> bool {
    depth_of_system_folder(path).is_some()
}

/// Checks whether the path is or lies in a folder that every machine has, such as `/usr/bin`.
pub(super) fn is_in_shared_folder(path: &Path) -> bool {
    let first = names(path).next();
    first.is_some_and(|first| SHARED_NAMES.contains(&first) || first.starts_with("lib"))
}

/// Checks whether the path itself is a folder of the system, not something in it.
pub(super) fn is_system_folder(path: &Path) -> bool {
    depth_of_system_folder(path) == Some(names(path).count())
}

/// Checks whether a text is an absolute path of Windows, such as `C:\Users` or `\\?\C:\`.
pub(super) fn is_windows_path(text: &str) -> bool {
    windows_names(text).is_some()
}

/// Checks whether a text names something in a system folder of Windows, such as
/// `C:\Windows\System32` or `\\?\C:\Program Files`.
pub(super) fn is_in_windows_system_folder(text: &str) -> bool {
    windows_names(text).and_then(|mut names| names.next()).is_some_and(is_windows_name)
}

/// Returns the names after the drive of a path of Windows; `None` if it is no such path.
fn windows_names(text: &str) -> Option<impl Iterator<Item = &str>> {
    let text = text.strip_prefix(r"\\?\").or(text.strip_prefix(r"\\.\")).unwrap_or(text);
    let (drive, inner) = text.split_at_checked(2)?;
    let has_drive = matches!(drive.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic());
    let is_absolute = has_drive && inner.starts_with(['\\', '/']);
    let names = inner.split(['\\', '/']).filter(|name| !name.is_empty() && *name != ".");
    is_absolute.then_some(names)
}

/// Returns how many names of the path lead to the system folder that it is or lies in.
fn depth_of_system_folder(path: &Path) -> Option<usize> {
    if cfg!(windows) {
        return path.to_str().filter(|text| is_in_windows_system_folder(text)).map(|_| 1);
    }
    let mut names = names(path);
    let first = names.next()?;
    if UNIX_NAMES.contains(&first) || first.starts_with("lib") {
        return Some(1);
    }
    let is_drive = |name: &str| matches!(name.as_bytes(), [letter] if letter.is_ascii_lowercase());
    let is_windows = first == WINDOWS_DRIVES
        && names.next().is_some_and(is_drive)
        && names.next().is_some_and(is_windows_name);
    is_windows.then_some(3)
}

/// Checks a name on a drive of Windows, where upper and lower case are the same.
fn is_windows_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WINDOWS_NAMES.contains(&name.as_str()) || name.starts_with(WINDOWS_PROGRAMS)
}

/// Returns the names of a path. One that is not Unicode is no system folder's.
fn names(path: &Path) -> impl Iterator<Item = &str> {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_str().unwrap_or_default()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_system_folder_is_known_by_whole_names() {
        for path in ["/etc", "/usr", "/lib64", "/lib.usr-is-merged", "/root", "/mnt/c/Windows"] {
            assert!(is_system_folder(Path::new(path)), "{path}");
        }
        for path in ["/etc/x", "/root/project", "/mnt/c/Program Files (x86)/x"] {
            assert!(!is_system_folder(Path::new(path)), "{path}");
            assert!(is_in_system_folder(Path::new(path)), "{path}");
        }
        for path in ["/", "/etcetera", "/home/etc", "/mnt/c", "/mnt/c/Users", "/mnt/disk/Windows"] {
            assert!(!is_in_system_folder(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn paths_of_windows_are_known_in_every_spelling() {
        for text in [
            r"C:\Windows",
            r"c:\windows\System32",
            r"\\?\C:\Windows\System32",
            "D:/WINDOWS/x",
            r"C:\Program Files\x",
            r"C:\Program Files (x86)",
            r"C:\\Windows",
            r"C:\ProgramData\x",
        ] {
            assert!(is_in_windows_system_folder(text), "{text}");
        }
        for text in [r"C:\Users\me", "C:", r"C:\", r"Windows\x", "/Windows", r"C:\WindowsOld"] {
            assert!(!is_in_windows_system_folder(text), "{text}");
        }
        for (text, expected) in [(r"C:\Users", true), ("c:/x", true), ("C:x", false), ("/x", false)]
        {
            assert_eq!(is_windows_path(text), expected, "{text}");
        }
    }
}
