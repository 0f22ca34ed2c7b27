//! What the packages say about themselves agrees, and keeps the rules of the MCP registry.

use std::process::Command;

use serde_json::Value;

use super::built_packages::{Packages, run};
use crate::tidy::workspace;

fn read(path: &std::path::Path) -> Value {
    let text = std::fs::read_to_string(path).expect("readable");
    serde_json::from_str(&text).expect("JSON")
}

/// The rules of the published schema that apply to this entry, and those that the registry checks when
/// something is published: <https://github.com/modelcontextprotocol/registry>
#[test]
fn the_registry_entry_keeps_the_rules_of_the_registry() {
    let packages = Packages::get();
    let entry = read(&packages.folder.join("server.json"));
    let known = ["$schema", "name", "title", "description", "version", "packages"];
    let fields = entry.as_object().expect("an object");
    assert!(fields.keys().all(|key| known.contains(&key.as_str())), "{entry}");
    let schema = entry["$schema"].as_str().expect("a schema");
    assert!(schema.starts_with("https://static.modelcontextprotocol.io/schemas/"));
    let (space, name) = entry["name"].as_str().and_then(|n| n.split_once('/')).expect("a name");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    assert!(space.contains('.') && space.chars().all(is_plain) && name.chars().all(is_plain));
    let about = entry["description"].as_str().expect("a description");
    assert!((1..=100).contains(&about.chars().count()), "{about}");
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
    let listed = entry["packages"].as_array().expect("packages");
    assert_eq!(listed.len(), 2);
    for package in listed {
        assert_eq!(package["version"], env!("CARGO_PKG_VERSION"), "{package}");
        assert_eq!(package["transport"]["type"], "stdio", "{package}");
    }
}

#[test]
fn the_registry_entry_names_the_packages_that_were_made() {
    let packages = Packages::get();
    let entry = read(&packages.folder.join("server.json"));
    let npm = read(&workspace().join("packaging/npm/package.json"));
    assert_eq!(entry["packages"][0]["registryType"], "npm");
    assert_eq!(entry["packages"][0]["identifier"], npm["name"]);
    // The registry asks the package whose it is.
    assert_eq!(npm["mcpName"], entry["name"]);
    let bundle = &entry["packages"][1];
    assert_eq!(bundle["registryType"], "mcpb");
    let sum = run(Command::new("sha256sum").arg(packages.path(".mcpb")));
    assert_eq!(bundle["fileSha256"].as_str(), sum.split(' ').next());
    let url = bundle["identifier"].as_str().expect("a URL");
    let file = format!("/mere-{}.mcpb", env!("CARGO_PKG_VERSION"));
    assert!(url.starts_with("https://") && url.ends_with(&file) && url.contains("mcp"), "{url}");
}

#[test]
fn the_readme_says_which_glibc_the_binary_needs() {
    let needs = Packages::get().printed.lines().next().expect("a line");
    let (_, version) = needs.split_once("glibc ").expect("a version");
    let version = version.split(' ').next().expect("a version");
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("the README");
    assert!(readme.contains(&format!("glibc {version}")), "{needs}");
    let wheel = Packages::get().path(".whl");
    let tag = format!("manylinux_{}_", version.replace('.', "_"));
    assert!(wheel.to_str().is_some_and(|name| name.contains(&tag)), "{wheel:?}");
}
