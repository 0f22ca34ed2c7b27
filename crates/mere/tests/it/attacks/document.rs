//! `docs/security.md` lists every case and every other test of an attack. The lists are generated:
//! `MERE_BLESS=1` writes them, otherwise they must be there.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::all_cases;

/// The tests elsewhere that are attacks, by area; a folder stands for all files in it.
const ELSEWHERE: [(&str, &[&str]); 21] = [
    (
        "paths",
        &[
            "paths/attacks.rs",
            "paths/traversal.rs",
            "paths/landmarks.rs",
            "paths/limits.rs",
            "paths/names.rs",
            "paths/secret_values.rs",
            "paths/masked_digests.rs",
            "paths/sensitive.rs",
            "paths/visibility.rs",
            "paths/wide_roots.rs",
            "paths/workspaces.rs",
        ],
    ),
    ("links", &["files/workspaces.rs", "paths/file_systems.rs", "memory/races.rs", "run/races.rs"]),
    ("locations", &["matrix", "signing/moves.rs", "run/tamper.rs"]),
    ("signatures", &["signing/holes.rs", "signing/agents.rs", "signing/statements.rs"]),
    ("keys", &["trust/keys.rs", "trust/signers.rs", "trust/exposed.rs"]),
    ("rosters", &["trust/team_attacks.rs"]),
    ("lockfiles", &["run/lock.rs", "run/displaced_lock.rs", "run/displaced_elsewhere.rs"]),
    ("index", &["items/index.rs", "search/trouble.rs", "search/odd_machines.rs"]),
    (
        "parsers",
        &["items/hostile.rs", "items/holes.rs", "items/forged_proposals.rs", "graph/bounds.rs"],
    ),
    ("JSON-RPC", &["mcp/stdio.rs", "mcp/pipeline.rs"]),
    ("HTTP", &["mcp/http_attacks.rs"]),
    ("network", &["run/network_requests.rs", "run/network_names.rs", "run/network_proxy.rs"]),
    ("other MCP servers", &["run/mcp_attacks.rs", "run/mcp_http.rs"]),
    (
        "sandbox",
        &["run/escape.rs", "run/escape_hoards.rs", "run/escape_limits.rs", "run/layers.rs"],
    ),
    ("environment", &["run/environment.rs"]),
    (
        "policies",
        &["category", "memory/policies.rs", "memory/holes.rs", "run/directive_run_attacks.rs"],
    ),
    ("grants", &["run/grants.rs", "run/secrets.rs"]),
    (
        "project of a tool",
        &["run/project_view.rs", "run/project_changes.rs", "run/project_crash.rs"],
    ),
    ("repositories", &["run/repositories.rs"]),
    ("receipts", &["run/receipts.rs"]),
    ("config", &["config"]),
];

const CASES: [&str; 2] = ["<!-- cases: generated -->\n", "<!-- end of cases -->"];
const TESTS: [&str; 2] = ["<!-- tests: generated -->\n", "<!-- end of tests -->"];

fn document() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md")
}

#[test]
fn the_document_lists_every_case() {
    let path = document();
    let text = std::fs::read_to_string(&path).expect("docs/security.md");
    let expected = replaced(&replaced(&text, CASES, &table_of_cases()), TESTS, &table_of_tests());
    if std::env::var_os("MERE_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &expected).expect("docs/security.md");
        return;
    }
    let command = "MERE_BLESS=1 cargo test -p mere --test it -- attacks::document";
    assert!(text == expected, "docs/security.md is not what the suite is: run `{command}`");
}

/// A text with another part between two marks.
fn replaced(text: &str, [begin, end]: [&str; 2], part: &str) -> String {
    let (before, rest) = text.split_once(begin).expect("the mark where a list begins");
    let (_, after) = rest.split_once(end).expect("the mark where a list ends");
    format!("{before}{begin}{part}{end}{after}")
}

fn table_of_cases() -> String {
    let cases = all_cases();
    let mut text = format!("{} cases:\n\n| area | case | request | expects |\n", cases.len());
    text.push_str("| --- | --- | --- | --- |\n");
    for case in &cases {
        let request = shown(&case.request.describe());
        let tampered = if case.tampering.is_empty() { "" } else { ", after tampering" };
        let expects = case.expects.describe().replace('|', "\\|");
        let _ =
            writeln!(text, "| {} | {} | `{request}`{tampered} | {expects} |", case.area, case.name);
    }
    text
}

/// A request in one line of a table: shortened, without what Markdown or a terminal acts on.
fn shown(request: &str) -> String {
    const LENGTH: usize = 90;
    let mut text = String::new();
    for c in request.chars().take(LENGTH) {
        match c {
            '`' => text.push('\''),
            '|' => text.push_str("\\|"),
            '\n' => text.push_str("\\n"),
            c if c.is_ascii_graphic() || c == ' ' => text.push(c),
            c => text.extend(c.escape_unicode()),
        }
    }
    let is_cut = request.chars().nth(LENGTH).is_some();
    let text = text.trim();
    if text.is_empty() {
        "(nothing)".to_owned()
    } else if is_cut {
        format!("{text}…")
    } else {
        text.to_owned()
    }
}

fn table_of_tests() -> String {
    let mut text = "| area | tests |\n| --- | --- |\n".to_owned();
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    for (area, places) in ELSEWHERE {
        let mut files = Vec::new();
        for place in places {
            collect(&top.join(place), &mut files);
        }
        for file in files {
            let source = std::fs::read_to_string(&file).expect("a source file");
            let names = tests_of(&source);
            let below = file.strip_prefix(&top).expect("a test").display();
            if !names.is_empty() {
                let _ = writeln!(text, "| {area} | `{below}`: {} |", names.join(", "));
            }
        }
    }
    text
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) {
    if place.is_file() {
        files.push(place.to_owned());
        return;
    }
    let entries = std::fs::read_dir(place).expect("a folder of tests").flatten();
    let mut found = entries.map(|entry| entry.path()).collect::<Vec<_>>();
    found.sort_unstable();
    for path in &found {
        collect(path, files);
    }
}

/// The names of the tests in a source, as sentences.
fn tests_of(source: &str) -> Vec<String> {
    let mut lines = source.lines();
    let mut names = Vec::new();
    while lines.any(|line| line.trim() == "#[test]") {
        let named = lines.by_ref().find_map(|line| line.trim().strip_prefix("fn "));
        let name = named.and_then(|rest| rest.split('(').next()).unwrap_or_default();
        names.push(name.replace('_', " "));
    }
    names
}
