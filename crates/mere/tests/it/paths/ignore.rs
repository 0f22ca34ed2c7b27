//! What walks leave out: git's rules, measured against git itself, and our own beside them.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use serde_json::json;

use crate::support::harness::Mcp;
use crate::support::repository::Repository;

/// The addresses of every page of a `glob`, without their root.
fn glob(mcp: &mut Mcp<'_>, path: &str, pattern: &str) -> BTreeSet<String> {
    let mut arguments = json!({ "pattern": pattern, "path": path, "limit": 10_000 });
    let mut found = BTreeSet::new();
    loop {
        let reply = mcp.call("glob", &arguments);
        for address in reply["data"]["matches"].as_array().expect("matches") {
            let address = address.as_str().expect("an address");
            let (_, below) = address.split_once(":/").expect("a root");
            assert!(found.insert(below.to_owned()), "{below} comes twice");
        }
        match reply["data"].get("next") {
            Some(next) => arguments["cursor"] = next.clone(),
            None => return found,
        }
    }
}

/// A generated tree with its ignore files.
#[derive(Clone, Debug)]
struct Tree {
    files: Vec<String>,
    /// Ignore files: of the folder that far up from a file.
    rules: Vec<(Index, usize, String)>,
    exclude: String,
}

impl Tree {
    /// Writes it into a repository; what is in the way of something else stays.
    fn plant(&self, repository: &Repository) {
        repository.clear();
        let project = repository.stage.path("project");
        let mut folders = BTreeSet::from([project.clone()]);
        for file in &self.files {
            let path = project.join(file);
            let folder = path.parent().expect("a folder");
            if std::fs::create_dir_all(folder).is_ok() && !path.exists() {
                std::fs::write(&path, "").expect("a file");
            }
            let above = folder.ancestors().take_while(|folder| folder.starts_with(&project));
            folders.extend(above.filter(|folder| folder.is_dir()).map(Path::to_owned));
        }
        let folders = folders.into_iter().collect::<Vec<_>>();
        for (at, up, text) in &self.rules {
            let folder =
                at.get(&folders).ancestors().nth(*up).filter(|folder| folder.starts_with(&project));
            std::fs::write(folder.unwrap_or(&project).join(".gitignore"), text).expect("rules");
        }
        std::fs::write(project.join(".git/info/exclude"), &self.exclude).expect("rules");
    }
}

/// Names that rules are likely to hit.
const NAMES: [&str; 17] = [
    "a", "b", "foo", "c", "ab", "a.b", ".a", "..a", "a b", "a ", "b-c", "ä", "日", "[a]", "a]",
    "#a", "!a",
];

fn name() -> impl Strategy<Value = String> {
    prop_oneof![select(&NAMES[..3]), select(&NAMES[..])].prop_map(str::to_owned)
}

fn part() -> impl Strategy<Value = String> {
    let wild = select(
        &[
            "*", "?", "**", "[ab]", "[a-c]", "[!a]", "[^b]", "a*", "*b", "*.b", ".*", "?b", "a?",
            "[ab]*", "\\[a\\]", "a\\ b", "f\\oo", "*o*",
        ][..],
    );
    prop_oneof![3 => name(), 3 => wild.prop_map(str::to_owned)]
}

/// A line of rules. What `ODD_LINES` holds does not come up here.
fn line() -> impl Strategy<Value = String> {
    let parts =
        prop_oneof![prop::collection::vec(part(), 1..2), prop::collection::vec(part(), 2..4)];
    let parts = parts.prop_map(|parts| parts.join("/"));
    let start = select(&["", "", "", "", "/", "/", "!", "!", "!/", "\\#", "\\!"][..]);
    let end = select(&["", "", "", "", "", "/", "/", " ", "\\ ", "  ", "/ "][..]);
    let pattern =
        (start, parts, end).prop_map(|(start, parts, end)| format!("{start}{parts}{end}"));
    let other = select(&["", "# a", "#a", " ", "/", "**/", "\\"][..]).prop_map(str::to_owned);
    prop_oneof![9 => pattern, 1 => other]
}

fn rules() -> impl Strategy<Value = String> {
    let ends = select(&["\n", "\n", "\n", "\r\n"][..]);
    let lines = prop::collection::vec((line(), ends), 1..6);
    lines.prop_map(|lines| lines.iter().flat_map(|(line, end)| [line.as_str(), end]).collect())
}

fn tree() -> impl Strategy<Value = Tree> {
    let file = prop::collection::vec(name(), 1..5).prop_map(|names| names.join("/"));
    let files = prop::collection::vec(file, 1..16);
    let rules_of = prop::collection::vec((any::<Index>(), 0_usize..3, rules()), 1..4);
    (files, rules_of, prop_oneof![Just(String::new()), rules()])
        .prop_map(|(files, rules, exclude)| Tree { files, rules, exclude })
}

#[test]
fn walks_leave_out_what_git_leaves_out() {
    let long = std::env::var_os("MERE_LONG").is_some();
    let config = Config {
        cases: if long { 2000 } else { 150 },
        failure_persistence: None,
        max_shrink_iters: 3000,
        ..Config::default()
    };
    // The same cases on every run; new ones where there is time to look at what they find.
    let mut runner = if long {
        TestRunner::new(config)
    } else {
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
    };
    let repository = Repository::new();
    let mcp = std::cell::RefCell::new(Mcp::greeted(&repository.stage, &[]));
    let ran = runner.run(&tree(), |tree| {
        tree.plant(&repository);
        let (git, mere) = (repository.by_git(), glob(&mut mcp.borrow_mut(), "", "**"));
        if git == mere {
            return Ok(());
        }
        let only =
            |one: &BTreeSet<String>, other| one.difference(other).cloned().collect::<Vec<_>>();
        let (git, mere) = (only(&git, &mere), only(&mere, &git));
        Err(TestCaseError::fail(format!("git alone shows {git:?}, mere alone {mere:?}")))
    });
    if let Err(error) = ran {
        panic!("{error}");
    }
}

/// One line each that libraries are known to read in another way than git does, and what stands
/// beside it.
const ODD_LINES: [(&str, &[&str]); 14] = [
    ("a\\ ", &["a ", "a"]),
    ("a\\  ", &["a ", "a"]),
    ("a\t", &["a", "b"]),
    ("*\n!", &["a", "b"]),
    ("a\\/", &["a/b", "b/a"]),
    ("[a", &["[a", "a"]),
    ("[b-a]", &["a", "b"]),
    ("[a\\]b]", &["a", "b", "]"]),
    ("[[:alpha:]]", &["c", ":", "a]"]),
    ("{a,b}", &["a", "b", "{a,b}"]),
    ("{a", &["{a", "a"]),
    ("{{x}}/a", &["{{x}}/a", "{{x}}/b"]),
    ("***/a", &["a", "b/a", "c/d/a"]),
    ("**//", &["a", "b/a"]),
];

#[test]
fn every_line_means_what_it_means_to_git() {
    let repository = Repository::new();
    for (number, (line, files)) in ODD_LINES.iter().enumerate() {
        repository.stage.file(&format!("project/{number}/.gitignore"), &format!("{line}\n"));
        for file in *files {
            repository.stage.file(&format!("project/{number}/{file}"), "");
        }
    }
    let git = repository.by_git();
    let mere = glob(&mut Mcp::greeted(&repository.stage, &[]), "", "**");
    let mut wrong = Vec::new();
    for (number, (line, files)) in ODD_LINES.iter().enumerate() {
        for file in *files {
            let path = format!("{number}/{file}");
            if git.contains(&path) != mere.contains(&path) {
                let git = if git.contains(&path) { "shows" } else { "ignores" };
                wrong.push(format!("{line:?}: git {git} {file:?}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Fails unless git and walks both leave exactly these files.
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let repository = Repository::with(files);
    let rules = |path: &String| !path.ends_with(".gitignore");
    let mere = glob(&mut Mcp::greeted(&repository.stage, &[]), "", "**");
    assert_eq!(mere, repository.by_git());
    let mere = mere.iter().filter(|path| rules(path)).collect::<Vec<_>>();
    assert_eq!(mere, expected);
}

#[test]
fn later_lines_and_deeper_files_win() {
    check(
        &[
            (".gitignore", "*.log\n!keep.log\n*.tmp\n"),
            ("a/.gitignore", "!*.log\n"),
            ("a/b/.gitignore", "*.log\n!*.tmp\n"),
            ("a/b/c/.gitignore", "!d.log\n"),
            ("d.log", ""),
            ("keep.log", ""),
            ("d.tmp", ""),
            ("a/d.log", ""),
            ("a/b/d.log", ""),
            ("a/b/d.tmp", ""),
            ("a/b/c/d.log", ""),
            ("a/b/c/e.log", ""),
        ],
        &["a/b/c/d.log", "a/b/d.tmp", "a/d.log", "keep.log"],
    );
}

#[test]
fn an_anchored_rule_means_one_place() {
    check(
        &[
            (".gitignore", "/top\nsub/file\n/wild*/x\ndeep/**/end\n"),
            ("a/top", ""),
            ("top", ""),
            ("sub/file", ""),
            ("a/sub/file", ""),
            ("wild1/x", ""),
            ("a/wild1/x", ""),
            ("deep/end", ""),
            ("deep/1/2/end", ""),
            ("a/deep/end", ""),
            ("a/.gitignore", "/only\n"),
            ("a/only", ""),
            ("a/b/only", ""),
            ("only", ""),
        ],
        &["a/b/only", "a/deep/end", "a/sub/file", "a/top", "a/wild1/x", "only"],
    );
}

#[test]
fn nothing_below_an_ignored_folder_comes_back() {
    check(
        &[
            (".gitignore", "out/\n!out/keep\nlog/*\n!log/keep\n"),
            ("out/.gitignore", "!*\n"),
            ("out/keep", ""),
            ("log/keep", ""),
            ("log/other", ""),
            ("a/out/keep", ""),
            ("b/out", "a file: the rule means folders"),
        ],
        &["b/out", "log/keep"],
    );
}

#[test]
fn the_repositorys_own_excludes_count_and_files_in_the_tree_beat_them() {
    check(
        &[
            (".git/info/exclude", "*.log\n/local\n"),
            (".gitignore", "!keep.log\n"),
            ("a/keep.log", ""),
            ("a/other.log", ""),
            ("local", ""),
            ("a/local", ""),
        ],
        &["a/keep.log", "a/local"],
    );
}

#[test]
fn an_aiignore_hides_what_git_tracks_and_brings_back_what_git_hides() {
    let repository = Repository::with(&[
        (".gitignore", "build/\n*.log\n"),
        (".aiignore", "internal.md\n/private/\n!build/\n!keep.log\n"),
        ("internal.md", ""),
        ("private/a", ""),
        ("sub/private/a", ""),
        ("build/out", ""),
        ("keep.log", ""),
        ("other.log", ""),
        ("sub/.aiignore", "!internal.md\n"),
        ("sub/internal.md", ""),
    ]);
    repository.git(&["add", "internal.md", "private/a"]);
    let shown = glob(&mut Mcp::greeted(&repository.stage, &[]), "", "**/[a-z]*");
    let expected = ["build/out", "keep.log", "sub/internal.md", "sub/private/a"];
    assert_eq!(shown.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn the_space_is_searched_and_a_workspace_knows_no_rules() {
    let repository = Repository::with(&[
        (".gitignore", ".ai/\n*.md\n"),
        (".ai/knowledge/n.md", "needle"),
        ("n.md", "needle"),
        (".ai/workspaces/default/.gitignore", "*\n"),
        (".ai/workspaces/default/.aiignore", "*\n"),
        (".ai/workspaces/default/build/n.md", "needle"),
        (".ai/workspaces/default/node_modules/x", "needle"),
        (".ai/workspaces/other/n.md", "needle"),
    ]);
    let mut mcp = Mcp::greeted(&repository.stage, &["--agent", "default"]);
    let shown = glob(&mut mcp, "", "*.md");
    assert_eq!(shown.iter().collect::<Vec<_>>(), [".ai/knowledge/n.md"]);
    let tree = mcp.dir(&json!({ "command": "tree" }));
    assert_eq!(tree["data"]["count"], 2, "{tree}");
    let shown = glob(&mut mcp, "ROOT_WORKSPACE:/", "**");
    let expected = [".aiignore", ".gitignore", "build/n.md"];
    assert_eq!(shown.iter().collect::<Vec<_>>(), expected);
    let found = mcp.call("grep", &json!({ "pattern": "needle" }));
    assert_eq!(found["data"]["matches"][0]["path"], "ROOT_PROJECT:/.ai/knowledge/n.md");
    assert_eq!(found["data"]["count"], 1);
    let found = mcp.call("grep", &json!({ "pattern": "needle", "home": "ROOT_WORKSPACE" }));
    assert_eq!(found["data"]["matches"][0]["path"], "ROOT_WORKSPACE:/build/n.md");
    assert_eq!(found["data"]["count"], 1);
}

/// A tree in which every file holds the needle, with rules at the top and below.
fn ruled() -> Repository {
    Repository::with(&[
        (".gitignore", "out/\n/a/x*\n!node_modules\n"),
        (".aiignore", "!node_modules/\n!.git/\nhidden\n"),
        ("a/.gitignore", "*.log\n"),
        ("a/b/c/needle", "needle"),
        ("a/b/c/d.log", "needle"),
        ("a/b/out/needle", "needle"),
        ("a/x1/needle", "needle"),
        ("a/y/hidden/needle", "needle"),
        ("a/y/needle", "needle"),
        ("node_modules/needle", "needle"),
        ("a/y/node_modules/needle", "needle"),
        (".git/needle", "needle"),
    ])
}

#[test]
fn grep_and_tree_go_where_glob_goes() {
    let repository = ruled();
    let mut mcp = Mcp::greeted(&repository.stage, &[]);
    for (path, folders) in [("", &["a", "a/b", "a/b/c", "a/y"][..]), ("a/b", &["a/b/c"])] {
        let found = glob(&mut mcp, path, "**/needle");
        let expected = folders.iter().map(|folder| format!("{folder}/needle"));
        let expected = expected.filter(|path| repository.stage.path("project").join(path).exists());
        assert_eq!(found, expected.collect(), "{path}");
        let reply = mcp.call("grep", &json!({ "pattern": "needle", "path": path }));
        let lines = reply["data"]["matches"].as_array().expect("matches").iter();
        let lines = lines.filter_map(|line| line["path"].as_str()?.split_once(":/"));
        assert_eq!(found, lines.map(|(_, path)| path.to_owned()).collect(), "{path}");
        let reply = mcp.dir(&json!({ "command": "tree", "path": path, "depth": 16 }));
        let shown = reply["data"]["directories"].as_array().expect("directories").iter();
        let shown = shown.filter_map(|folder| folder["path"].as_str()?.split_once(":/"));
        let shown = shown.map(|(_, path)| path.trim_end_matches('/')).collect::<Vec<_>>();
        assert_eq!(shown, folders, "{path}");
    }
}
