//! Many calls at once, readers, editors and git, all in one store: nothing that was acknowledged is
//! lost, and nobody sees half a memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mere_core::digest::Sha256;
use serde_json::{Value, json};

use crate::memory::storm::{STORE, below};
use crate::signing::daily::git;
use crate::support::harness::{Mcp, Stage};

/// What a memory says in a version; of a length of its own, and its first line tells the others.
fn version(who: &str, number: usize) -> String {
    let line = format!("{who} {number}");
    let lines = number * 7919 % 2_000;
    format!("# {line}\n{}end of {line}\n", format!("a line of {line}\n").repeat(lines))
}

/// The first line of a text that is whole.
fn whole(content: &str) -> &str {
    let content = content.trim_start();
    let line = content.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a heading");
    let (who, number) = line.split_once(' ').expect("a number");
    assert_eq!(content, version(who, number.parse().expect("a number")), "{line} is torn");
    line
}

/// The content of a memory's file.
fn content(text: &str) -> &str {
    text.split_once("\n---\n").expect("frontmatter").1
}

fn create(path: &str, content: &str) -> (&'static str, Value) {
    ("create_memory", json!({ "path": path, "content": content }))
}

fn acknowledged(reply: &Value) -> String {
    assert_eq!(reply["reply_type"], "S", "{reply}");
    reply["data"]["sha256"].as_str().expect("a digest").to_owned()
}

fn category(mcp: &mut Mcp<'_>, path: &str) {
    let made = mcp.call("create_category", &json!({ "path": path }));
    assert_eq!(made["reply_type"], "S", "{made}");
}

fn file(stage: &Stage, path: &str) -> Option<String> {
    std::fs::read_to_string(stage.path(STORE).join(format!("{path}.md"))).ok()
}

/// The titles that the server lists, by path.
fn listed(mcp: &mut Mcp<'_>) -> BTreeMap<String, String> {
    let reply = mcp.call("list_memories", &json!({ "limit": 200 }));
    assert_eq!(reply["data"].get("next"), None, "one page");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let rows = reply["data"]["memories"].as_array().expect("memories").iter();
    rows.map(|row| (text(&row["path"]), text(&row["title"]))).collect()
}

/// The same, by the files.
fn collect_titles(folder: &Path, above: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a name")) {
        let name = entry.file_name().into_string().expect("UTF-8");
        if let Some(slug) = name.strip_suffix(".md") {
            let text = std::fs::read_to_string(entry.path()).expect("a file");
            let title = whole(content(&text)).to_owned();
            found.insert(format!("{above}{slug}"), title);
        } else if !name.starts_with('.') {
            collect_titles(&entry.path(), &format!("{above}{name}/"), found);
        }
    }
}

fn check_list(stage: &Stage, mcp: &mut Mcp<'_>) {
    let mut found = BTreeMap::new();
    collect_titles(&stage.path(STORE), "", &mut found);
    assert_eq!(listed(mcp), found, "the list follows");
}

#[test]
fn a_hundred_creates_in_one_breath_are_a_hundred_files() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &[]);
    category(&mut mcp, "notes");
    let calls = (0..100).map(|number| create(&format!("notes/n{number}"), &version("a", number)));
    let replies = mcp.pipeline(&calls.collect::<Vec<_>>());
    for (number, reply) in replies.iter().enumerate() {
        let text = file(&stage, &format!("notes/n{number}")).expect("a file");
        assert_eq!(acknowledged(reply), Sha256::digest(text.as_bytes()).to_string());
        assert_eq!(whole(content(&text)), format!("a {number}"));
    }
    assert_eq!(listed(&mut mcp).len(), 100);
}

#[test]
fn of_two_who_create_the_same_hundred_one_wins_each() {
    let stage = Stage::new();
    category(&mut Mcp::greeted(&stage, &[]), "notes");
    let race = |who: &'static str| {
        let mut mcp = Mcp::greeted(&stage, &[]);
        let calls =
            (0..100).map(|number| create(&format!("notes/n{number}"), &version(who, number)));
        mcp.pipeline(&calls.collect::<Vec<_>>())
    };
    let (ours, theirs) = std::thread::scope(|threads| {
        let (ours, theirs) = (threads.spawn(|| race("a")), threads.spawn(|| race("b")));
        (ours.join().expect("an end"), theirs.join().expect("an end"))
    });
    let (mut won, mut lost) = (0, 0);
    for number in 0..100 {
        let text = file(&stage, &format!("notes/n{number}")).expect("a file");
        for (who, reply) in [("a", &ours[number]), ("b", &theirs[number])] {
            if reply["reply_type"] == "S" {
                won += 1;
                assert_eq!(acknowledged(reply), Sha256::digest(text.as_bytes()).to_string());
                assert_eq!(whole(content(&text)), format!("{who} {number}"));
            } else {
                lost += 1;
                assert_eq!(reply["code"], "IT-MEMORY-I-003", "{reply}");
            }
        }
    }
    assert_eq!((won, lost), (100, 100));
}

#[test]
fn a_reader_sees_a_whole_memory_whoever_writes() {
    const MEMORIES: usize = 4;
    const UPDATES: usize = 150;
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for number in 0..MEMORIES {
        let (tool, arguments) = create(&format!("m{number}"), &version("first", number));
        acknowledged(&mcp.call(tool, &arguments));
    }
    let seen = std::thread::scope(|threads| {
        let writers = ["a", "b"].map(|who| {
            let stage = &stage;
            threads.spawn(move || {
                let mut mcp = Mcp::greeted(stage, &[]);
                let calls = (0..UPDATES).map(|number| {
                    let path = format!("m{}", number % MEMORIES);
                    ("update_memory", json!({ "path": path, "content": version(who, number) }))
                });
                for calls in calls.collect::<Vec<_>>().chunks(10) {
                    mcp.pipeline(calls).iter().for_each(|reply| drop(acknowledged(reply)));
                }
            })
        });
        let mut seen = BTreeSet::new();
        while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            for number in 0..MEMORIES {
                let path = format!("m{number}");
                let text = file(&stage, &path).expect("it is always there");
                seen.insert(whole(content(&text)).to_owned());
                let got = mcp.call("get_memory", &json!({ "path": path }));
                seen.insert(whole(got["data"]["content"].as_str().expect("a content")).to_owned());
            }
        }
        seen
    });
    assert!(seen.len() > 2 * MEMORIES, "{} versions were seen", seen.len());
}

/// Writes memories as editors do, until told to stop; returns how often.
fn edit(stage: &Stage, memories: usize, is_over: &AtomicBool) -> usize {
    let mut edits = 0;
    while !is_over.load(Ordering::Relaxed) {
        edits += 1;
        let path = stage.path(STORE).join(format!("both/m{}.md", below(memories)));
        let text = format!("---\ntags: [edited]\n---\n{}", version("editor", edits));
        if edits % 2 == 0 {
            std::fs::write(path, text).expect("written in place");
        } else {
            let beside = path.with_extension("md~");
            std::fs::write(&beside, text).expect("written beside");
            std::fs::rename(beside, path).expect("renamed");
        }
        std::thread::sleep(Duration::from_micros(below(5000) as u64));
    }
    edits
}

#[test]
fn an_editor_at_work_costs_only_what_it_overwrites() {
    const MEMORIES: usize = 5;
    const ROUNDS: usize = 200;
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for name in ["own", "both"] {
        category(&mut mcp, name);
        for number in 0..MEMORIES {
            let (tool, arguments) = create(&format!("{name}/m{number}"), &version("first", number));
            acknowledged(&mcp.call(tool, &arguments));
        }
    }
    let is_over = AtomicBool::new(false);
    let mut last = vec![[None, None]; MEMORIES];
    let (edits, changed) = std::thread::scope(|threads| {
        let editor = threads.spawn(|| edit(&stage, MEMORIES, &is_over));
        let mut changed = 0;
        for round in 0..ROUNDS {
            let number = round % MEMORIES;
            let calls = ["own", "both"].map(|name| {
                let path = format!("{name}/m{number}");
                ("update_memory", json!({ "path": path, "content": version("server", round) }))
            });
            let replies = mcp.pipeline(&calls);
            acknowledged(&replies[0]);
            last[number][0] = Some(format!("server {round}"));
            // While it is written in place it may be no memory.
            if replies[1]["reply_type"] == "S" {
                last[number][1] = Some(format!("server {round}"));
                changed += 1;
            }
            if round % 20 == 0 {
                let (tool, arguments) = create(&format!("own/n{round}"), &version("new", round));
                acknowledged(&mcp.call(tool, &arguments));
            }
        }
        is_over.store(true, Ordering::Relaxed);
        (editor.join().expect("an editor"), changed)
    });
    assert!(edits > 10 && changed > 0, "{edits} edits, {changed} changes");
    for (number, [own, both]) in last.iter().enumerate() {
        let now = |name: &str| {
            let text = file(&stage, &format!("{name}/m{number}")).expect("a file");
            Some(whole(content(&text)).to_owned())
        };
        assert_eq!(now("own"), *own);
        let there = now("both").expect("a line");
        let is_editors = there.starts_with("editor ");
        assert!(is_editors || Some(&there) == both.as_ref(), "{there} for {both:?}");
    }
    for round in (0..ROUNDS).step_by(20) {
        assert!(file(&stage, &format!("own/n{round}")).is_some(), "{round}");
    }
    check_list(&stage, &mut mcp);
}

/// A repository whose two branches have other memories: each has a category of its own.
fn repository() -> Stage {
    let stage = Stage::new();
    std::fs::remove_dir(stage.path("project/.git")).expect("an empty folder");
    git(&stage, &["init", "-q"]);
    let note = |text: &str| format!("---\ntags: [git]\n---\n{text}");
    for (branch, number) in [("main", 1), ("other", 2)] {
        git(&stage, &["checkout", "-q", "-b", branch]);
        for (path, text) in [
            (format!("{branch}/one.md"), note(&version(branch, number))),
            (format!("{branch}/.category.yaml"), String::new()),
            ("shared/one.md".to_owned(), note(&version(branch, number + 2))),
            ("shared/.category.yaml".to_owned(), String::new()),
            ("work/.category.yaml".to_owned(), String::new()),
        ] {
            stage.file(&format!("{STORE}/{path}"), &text);
        }
        if branch == "other" {
            std::fs::remove_dir_all(stage.path(&format!("{STORE}/main"))).expect("a folder");
        }
        git(&stage, &["add", "-A", ".ai"]);
        git(&stage, &["commit", "-q", "-m", branch]);
    }
    stage
}

#[test]
fn git_at_work_costs_only_what_it_replaces() {
    let stage = repository();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let is_over = AtomicBool::new(false);
    let (kept, switches) = std::thread::scope(|threads| {
        let switcher = threads.spawn(|| {
            let mut switches = 0;
            while !is_over.load(Ordering::Relaxed) || switches < 4 {
                for branch in ["main", "other"] {
                    git(&stage, &["checkout", "-q", branch]);
                    switches += 1;
                }
            }
            switches
        });
        let mut kept = BTreeMap::new();
        for number in 0..150 {
            let path = format!("{}/n{number}", ["work", "main", "other"][number % 3]);
            let (tool, arguments) = create(&path, &version("server", number));
            let reply = mcp.call(tool, &arguments);
            // A category of a branch goes with it.
            if number % 3 == 0 || reply["reply_type"] == "S" {
                kept.insert(path, acknowledged(&reply));
            }
        }
        is_over.store(true, Ordering::Relaxed);
        (kept, switcher.join().expect("git goes on"))
    });
    assert!(kept.len() > 50 && switches >= 4, "{} kept, {switches} switches", kept.len());
    for (path, sha256) in &kept {
        let text = file(&stage, path).unwrap_or_else(|| panic!("{path} is lost"));
        assert_eq!(*sha256, Sha256::digest(text.as_bytes()).to_string(), "{path}");
    }
    for branch in ["main", "other"] {
        git(&stage, &["checkout", "-q", branch]);
        check_list(&stage, &mut mcp);
    }
}

#[test]
fn what_git_puts_aside_is_gone_and_comes_back() {
    let stage = repository();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let line = |mcp: &mut Mcp<'_>| {
        check_list(&stage, mcp);
        let got = mcp.call("get_memory", &json!({ "path": "shared/one" }));
        whole(got["data"]["content"].as_str().expect("a content")).to_owned()
    };
    let before = line(&mut mcp);
    let update = |expected: Option<&str>, number: usize| {
        let mut call = json!({ "path": "shared/one", "content": version("server", number) });
        if let Some(sha256) = expected {
            call["expect_sha256"] = sha256.into();
        }
        call
    };
    let sha256 = acknowledged(&mcp.call("update_memory", &update(None, 1)));
    assert_eq!(line(&mut mcp), "server 1");
    git(&stage, &["stash", "-q"]);
    assert_eq!(line(&mut mcp), before);
    let refused = mcp.call("update_memory", &update(Some(&sha256), 2));
    assert_eq!(refused["reply_type"], "I", "{refused}");
    git(&stage, &["stash", "pop", "-q"]);
    assert_eq!(line(&mut mcp), "server 1");
    acknowledged(&mcp.call("update_memory", &update(Some(&sha256), 2)));
    assert_eq!(line(&mut mcp), "server 2");
}
