//! The shape of the tree, checked.
//!
//! Crate edges, module docs, sizes, the code table and the places that may touch the machine are
//! checked here; names, parameters, rooms and layers in modules of their own. Sources are laid out
//! by rustfmt, so indentation shows where an item ends.

mod layers;
mod named_tests;
mod parameters;
mod rooms;
mod type_names;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mere_core::reply::codes;

/// Which of our crates each crate may use.
const EDGES: [(&str, &[&str]); 7] = [
    ("mere-core", &[]),
    ("mere-host", &["mere-core"]),
    ("mere-engine", &["mere-core", "mere-host"]),
    ("mere-http", &[]),
    ("mere-pages", &["mere-core"]),
    ("mere-registry", &["mere-core", "mere-http", "mere-pages"]),
    ("mere", &["mere-core", "mere-engine", "mere-http", "mere-pages", "mere-registry"]),
];

/// The crate that touches the machine, and the only one that may.
const HOST: &str = "mere-host";

/// The module of the registry server that touches the machine: the server does not link the host.
const REGISTRY_STORAGE: &str = "crates/mere-registry/src/storage/";

/// What only [`HOST`] and [`REGISTRY_STORAGE`] may name.
const AMBIENT: [&str; 9] = [
    "std::fs",
    "std::path",
    "std::env",
    "std::{",
    "tokio::fs",
    "ambient_authority",
    "std::os::",
    "process::Command",
    "PathBuf",
];

const BANNED_NAMES: [&str; 8] =
    ["manager", "handler", "service", "helper", "helpers", "util", "utils", "common"];

const MAX_FILE_LINES: usize = 400;
const MAX_FUNCTION_LINES: usize = 60;

pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Every source file by its path in the workspace, its inline tests cut off.
fn sources() -> BTreeMap<String, String> {
    let root = workspace();
    let mut files = Vec::new();
    for (name, _) in EDGES {
        rust_files(&root.join("crates").join(name).join("src"), &mut files);
    }
    let sources = files.into_iter().map(|path| {
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let text = text.split("\n#[cfg(test)]\n").next().unwrap_or_default().to_owned();
        let below = path.strip_prefix(&root).expect("in the workspace");
        (below.to_str().expect("UTF-8").to_owned(), text)
    });
    sources.collect()
}

#[test]
fn crates_use_only_what_they_may() {
    for (name, allowed) in EDGES {
        let manifest = workspace().join("crates").join(name).join("Cargo.toml");
        let text = std::fs::read_to_string(manifest).expect("a manifest");
        let used = text.lines().filter_map(|line| line.split(['.', ' ', '=']).next());
        for used in used.filter(|used| used.starts_with("mere")) {
            // A crate's own tests may build it with more features.
            assert!(used == name || allowed.contains(&used), "{name} may not use {used}");
        }
        assert!(text.contains("[lints]\nworkspace = true"), "{name} has the workspace's lints");
        let clippy = workspace().join("crates").join(name).join("clippy.toml");
        let clippy = std::fs::read_to_string(clippy).expect("its own clippy.toml");
        let is_closed = clippy.contains("std::path::PathBuf");
        assert_eq!(is_closed, name != HOST, "{name} closes the ambient file system");
    }
}

#[test]
fn every_file_says_what_it_is() {
    for (path, text) in sources() {
        assert!(text.starts_with("//!"), "{path} has no module doc");
    }
}

#[test]
fn files_and_functions_stay_small() {
    for (path, text) in sources() {
        let lines = text.lines().collect::<Vec<_>>();
        assert!(lines.len() <= MAX_FILE_LINES, "{path} has {} lines", lines.len());
        for (start, line) in lines.iter().enumerate() {
            let code = line.trim_start();
            let indent = line.len() - code.len();
            let is_function = code.starts_with("fn ") || code.contains(" fn ");
            if !is_function || code.starts_with("//") || code.ends_with([';', '}']) {
                continue;
            }
            let end = format!("{}}}", " ".repeat(indent));
            let length = lines[start..].iter().position(|line| *line == end).unwrap_or(0) + 1;
            assert!(length <= MAX_FUNCTION_LINES, "{path}: {code} has {length} lines");
        }
    }
}

#[test]
fn nothing_is_named_after_nothing() {
    for (path, text) in sources() {
        for part in path.trim_end_matches(".rs").split('/') {
            assert!(!BANNED_NAMES.contains(&part), "{path} is named after nothing");
        }
        for line in text.lines().map(str::trim_start) {
            let name = ["struct ", "enum ", "trait "].iter().find_map(|kind| line.split_once(kind));
            let name = name.map(|(_, rest)| rest.to_ascii_lowercase());
            let name =
                name.filter(|_| line.starts_with("pub") || line.starts_with(['s', 'e', 't']));
            for banned in BANNED_NAMES {
                let ends = |name: &String| {
                    name.split(|c: char| !c.is_alphanumeric())
                        .next()
                        .unwrap_or("")
                        .ends_with(banned)
                };
                assert!(!name.as_ref().is_some_and(ends), "{path}: {line}");
            }
        }
    }
}

/// Whether a line names one of [`AMBIENT`]; `cap_std::fs` is not `std::fs`.
fn names_the_machine(line: &str) -> bool {
    AMBIENT.iter().any(|name| line.match_indices(name).any(|(at, _)| !line[..at].ends_with('_')))
}

#[test]
fn only_the_lawful_places_touch_the_machine() {
    let host = format!("crates/{HOST}/");
    let product = |path: &str| {
        let is_lawful = path.starts_with(&host) || path.starts_with(REGISTRY_STORAGE);
        !is_lawful && !path.contains("/tests/")
    };
    for (path, text) in sources().into_iter().filter(|(path, _)| product(path)) {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let touching = code.filter(|line| names_the_machine(line)).collect::<Vec<_>>();
        assert_eq!(touching, Vec::<&str>::new(), "{path} touches the machine");
    }
}

#[test]
fn one_place_shares_work_between_threads() {
    let place = format!("crates/{HOST}/src/environment/threads.rs");
    let product = sources().into_iter().filter(|(path, _)| !path.contains("/tests/"));
    let sharing = product.filter(|(_, text)| text.contains("thread::scope"));
    let sharing = sharing.map(|(path, _)| path).collect::<Vec<_>>();
    assert_eq!(sharing, [place], "elsewhere a panic could be forgotten: use `share_work`");
}

#[test]
fn lints_are_not_switched_off_in_passing() {
    for (path, text) in sources() {
        let allows =
            text.lines().filter(|line| line.contains("#[allow") || line.contains("#![allow"));
        assert_eq!(
            allows.collect::<Vec<_>>(),
            Vec::<&str>::new(),
            "{path}: use expect, with a reason"
        );
    }
}

#[test]
fn the_code_table_is_its_document() {
    let document =
        std::fs::read_to_string(workspace().join("docs/replies.md")).expect("the document");
    let rows = document.lines().filter(|line| line.starts_with("| `"));
    let rows = rows.filter(|line| line.matches('-').count() >= 3).collect::<Vec<_>>();
    let table = codes::all().map(|entry| format!("| `{}` | {} |", entry.id, entry.meaning));
    assert_eq!(rows, table.collect::<Vec<_>>());
}

/// The fields of the types that are read from JSON, by the names they have there.
fn fields_read(text: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let (mut is_read, mut name, mut is_flat) = (false, None, false);
    for line in text.lines() {
        let code = line.trim_start();
        if code.starts_with("#[derive(") {
            is_read = code.contains("Deserialize");
        } else if line == "}" {
            is_read = false;
        } else if code.starts_with("#[serde(") {
            is_flat |= code.contains("flatten");
            name = code.split_once("rename = \"").and_then(|(_, rest)| rest.split('"').next());
        } else if is_read && !code.starts_with("//") {
            let typed = code.match_indices(": ").filter(|_| !is_flat);
            let own = typed.filter_map(|(at, _)| {
                code[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()
            });
            fields.extend(own.map(|own| name.unwrap_or(own).to_owned()));
            (name, is_flat) = (None, false);
        }
    }
    fields
}

#[test]
fn every_field_that_is_printed_is_one_that_the_engine_writes() {
    let sources = sources();
    let below = |folders: &[&str]| {
        let files = sources.iter();
        let files = files.filter(|(path, _)| folders.iter().any(|at| path.starts_with(at)));
        files.map(|(_, text)| text.as_str()).collect::<Vec<_>>()
    };
    let written = below(&["crates/mere-engine/src", "crates/mere-core/src/gate"]).concat();
    let written = written.split_whitespace().collect::<String>();
    let printed = below(&["crates/mere/src/print/"]);
    let fields = printed.iter().flat_map(|text| fields_read(text)).collect::<Vec<_>>();
    assert!(fields.len() > 150, "{fields:?}");
    for field in fields {
        let forms = ["with(\"F\",", "with_some(\"F\",", ",\"F\")", "(\"F\".into(),"];
        let is_written = forms.iter().any(|form| written.contains(&form.replace('F', &field)));
        assert!(is_written, "`{field}` is printed, and nothing writes it");
    }
}

/// "Ask a person to" is dropped for a person, so everything after it must read as an instruction.
#[test]
fn what_a_person_is_asked_to_do_reads_as_an_instruction_to_them() {
    let mut files = Vec::new();
    rust_files(&workspace().join("crates/mere-engine/src"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        let text = text.replace("\\\n", "").split_whitespace().collect::<Vec<_>>().join(" ");
        for request in text.split("Ask a person to ").skip(1) {
            let request = request.split('"').next().unwrap_or_default();
            let sentence = request.split(". ").next().unwrap_or_default();
            for wrong in [" or to ", ", to ", " and to ", " they "] {
                assert!(!sentence.contains(wrong), "{}: {sentence}", file.display());
            }
        }
    }
}
