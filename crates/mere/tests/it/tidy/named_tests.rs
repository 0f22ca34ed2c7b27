//! The tests that documents name exist.

use super::{rust_files, workspace};

/// A document that says which test holds which statement.
const DOCUMENT: &str = "docs/design-notes.md";
/// Names of tests are sentences; names of calls and fields have fewer words.
const LEAST_UNDERSCORES: usize = 4;

#[test]
fn every_test_that_a_document_names_exists() {
    let document = std::fs::read_to_string(workspace().join(DOCUMENT)).expect("the document");
    let mut sources = String::new();
    let mut files = Vec::new();
    rust_files(&workspace().join("crates"), &mut files);
    for file in files {
        sources += &std::fs::read_to_string(&file).expect("readable");
        // A test that must not compile is a file.
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        sources.extend(["\nfn ", name, "(\n"]);
    }
    let is_test_name = |text: &&str| {
        text.matches('_').count() >= LEAST_UNDERSCORES
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let named = document.split('`').skip(1).step_by(2).filter(is_test_name).collect::<Vec<_>>();
    assert!(named.len() > 40, "{DOCUMENT} names tests: {}", named.len());
    let missing = named.iter().filter(|name| !sources.contains(&format!("fn {name}(")));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new(), "named by {DOCUMENT}");
}
