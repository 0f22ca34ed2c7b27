//! A type's name exists once in its crate.
//!
//! Only types that other modules can see count. The exceptions are types that one platform defines
//! in one file and another platform in another.

use std::collections::BTreeMap;

use super::sources;

/// Types with one definition for each platform.
const BY_PLATFORM: [(&str, &str); 7] = [
    ("mere-host", "Cell"),
    ("mere-host", "FolderWatcher"),
    ("mere-host", "OpenFolder"),
    ("mere-host", "SshAgent"),
    ("mere-host", "Terminal"),
    ("mere-host", "VouchListener"),
    ("mere-host", "VouchQuestion"),
];

/// The name of the type that a line declares for other modules.
fn declared_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(limited) => limited.split_once(") ")?.1,
        None => rest.strip_prefix(' ')?,
    };
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let name = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    // A macro declares types under names that it is given.
    Some(&name[..end]).filter(|name| !name.is_empty())
}

#[test]
fn a_type_that_others_see_has_a_name_of_its_own() {
    let mut declared = BTreeMap::<(String, String), Vec<String>>::new();
    for (path, text) in sources() {
        let crate_name = path.split('/').nth(1).unwrap_or_default().to_owned();
        for name in text.lines().filter_map(declared_type) {
            let key = (crate_name.clone(), name.to_owned());
            declared.entry(key).or_default().push(path.clone());
        }
    }
    assert!(declared.len() > 500, "the declarations are found: {}", declared.len());
    declared.retain(|(crate_name, name), places| {
        places.len() > 1 && !BY_PLATFORM.contains(&(crate_name.as_str(), name.as_str()))
    });
    assert_eq!(declared, BTreeMap::new(), "two types of one name in one crate");
}

#[test]
fn a_declaration_is_recognised() {
    let check = |line, expected| assert_eq!(declared_type(line), expected, "{line}");
    check("pub struct Address(String);", Some("Address"));
    check("    pub(super) enum PathKind {", Some("PathKind"));
    check("pub(in crate::search) trait Reader<'a> {", Some("Reader"));
    check("struct Private;", None);
    check("pub fn address() {", None);
}
