//! After any change the table equals the disk, and no file is read without need.
//!
//! The changes are random, come from other threads, or are cases that need care, such as moved
//! folders.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::random_changes::{Random, change_randomly};
use super::{TestStore, table_contents};
use mere_host::{FolderChange, FolderWatcher, Interest, WatchReport};

#[test]
fn the_table_is_always_what_a_fresh_reading_finds() {
    for seed in 0..4 {
        let (store, mut random) = (TestStore::new(), Random(seed));
        let (mut watched, mut unwatched) = (store.watched_table(), store.unwatched_table());
        let mut done = Vec::new();
        for _ in 0..200 {
            for _ in 0..=random.number_below(4) {
                done.push(change_randomly(&store.top, &mut random));
            }
            let recent = format!("seed {seed}: {:#?}", &done[done.len().saturating_sub(20)..]);
            let fresh = table_contents(&store.unwatched_table());
            for (table, which) in [(&mut watched, "watched"), (&mut unwatched, "unwatched")] {
                table.refresh().expect("a refreshed ledger");
                assert_eq!(table_contents(table), fresh, "{which}, {recent}");
            }
        }
        assert!(watched.watch.is_active() || cfg!(not(target_os = "linux")) || cfg!(mere_portable));
    }
}

#[test]
fn what_happens_while_the_table_looks_is_not_lost() {
    let store = TestStore::new();
    let mut table = store.watched_table();
    for seed in 0..4 {
        let stop = AtomicBool::new(false);
        std::thread::scope(|threads| {
            for hand in 0..2 {
                let (top, stop) = (&store.top, &stop);
                threads.spawn(move || {
                    let mut random = Random(seed * 2 + hand);
                    while !stop.load(Ordering::Relaxed) {
                        change_randomly(top, &mut random);
                    }
                });
            }
            for _ in 0..50 {
                table.refresh().expect("a refreshed ledger");
            }
            stop.store(true, Ordering::Relaxed);
        });
        store.check_matches_disk(&mut table, &format!("seed {seed}"));
    }
}

#[test]
fn what_comes_into_a_new_folder_at_once_is_not_lost() {
    let store = TestStore::new();
    let mut table = store.watched_table();
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for number in 0..150 {
                for file in 0..10 {
                    store.write(&format!("c{number}/d/m{file}"), "x");
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        while !done.load(Ordering::Relaxed) {
            table.refresh().expect("a refreshed ledger");
        }
    });
    store.check_matches_disk(&mut table, "all");
    assert_eq!(table.rows.all().len(), 1500);
}

/// Why a watcher would not be active on a system that has them.
#[cfg(all(target_os = "linux", not(mere_portable)))]
const NO_WATCH: &str = "no folder can be watched: raise `sysctl fs.inotify.max_user_instances`";

#[cfg(all(target_os = "linux", not(mere_portable)))]
#[test]
fn only_what_the_news_name_is_read_again() {
    let store = TestStore::new();
    for path in ["a/x", "a/y", "b/x", "z"] {
        store.write(path, "old");
    }
    let mut table = store.watched_table();
    assert!(table.watch.is_active(), "{NO_WATCH}");
    let before = table.rows.all().to_vec();
    store.write("a/y", "# New");
    table.refresh().expect("a refreshed ledger");
    for (before, after) in before.iter().zip(table.rows.all()) {
        assert_eq!(Arc::ptr_eq(&before.row, &after.row), before.path() != "a/y");
    }
    assert_eq!(table.rows.all()[1].row.title, "New");
}

#[test]
fn a_tree_that_is_moved_is_followed() {
    let store = TestStore::new();
    store.top.create_dir_all("outside/b/c/d/e/f/g/h/i").expect("nine levels");
    store.top.write("outside/b/c/d/e/f/g/h/x.md", "deep").expect("a memory");
    store.top.write("outside/b/c/d/e/f/g/h/i/x.md", "too deep").expect("no memory");
    store.top.write("outside/b/x.md", "x").expect("a memory");
    store.write("a/x", "x");
    let mut table = store.watched_table();
    for (from, to, path) in [
        ("outside/b", "store/a/b", Some("a/b/c/d/e/f/g/h/x")),
        ("store/a/b", "store/b", Some("b/c/d/e/f/g/h/x")),
        ("store/a", "store/b/a", Some("b/a/x")),
        ("store/b", "store/.b", None),
        ("store/.b", "store/c", Some("c/c/d/e/f/g/h/x")),
        ("store/c", "outside/c", None),
        ("outside/c", "store/b", Some("b/a/x")),
        ("store/b", "store/a", Some("a/a/x")),
    ] {
        store.top.rename(from, &store.top, to).expect("moved");
        store.check_matches_disk(&mut table, to);
        let Some(path) = path else { continue };
        // The folder is still watched under its old name, but changes in it must be found under the
        // new one.
        for text in ["# One", "# Two"] {
            store.write(path, text);
            store.check_matches_disk(&mut table, path);
            let row = table.rows.all().iter().find(|slot| slot.path() == path);
            assert_eq!(row.map(|slot| slot.row.title.as_str()), Some(&text[2..]), "{path}");
        }
    }
}

#[test]
fn after_too_much_news_everything_is_looked_at() {
    let store = TestStore::new();
    let mut watch = FolderWatcher::new(Interest::Contents);
    watch.add(&store.store(), "");
    let mut table = store.watched_table();
    // Each file causes three events, which is more than the system's queue holds.
    for number in 0..6000 {
        store.write(&format!("m{number}"), "x");
    }
    assert_eq!(watch.take_changes(), WatchReport::Unknown);
    store.check_matches_disk(&mut table, "many");
    assert_eq!(table.rows.all().len(), 6000);
    store.write("m0", "# Later");
    store.check_matches_disk(&mut table, "one more");
}

#[cfg(all(target_os = "linux", not(mere_portable)))]
#[test]
fn names_are_quiet_while_contents_change() {
    let store = TestStore::new();
    store.write("a", "x");
    let (mut names, mut contents) =
        (FolderWatcher::new(Interest::Names), FolderWatcher::new(Interest::Contents));
    names.add(&store.store(), "");
    contents.add(&store.store(), "");
    assert!(names.is_active(), "{NO_WATCH}");
    store.write("a", "y");
    assert!(names.is_unchanged() && !contents.is_unchanged() && contents.is_unchanged());
    store.write("a", "z");
    let change =
        FolderChange { folder: String::new(), name: Some("a.md".to_owned()), is_folder: false };
    assert_eq!(contents.take_changes(), WatchReport::Changed([change].into()));
    assert_eq!(contents.take_changes(), WatchReport::Unchanged);
}

#[test]
fn files_that_look_as_they_did_are_not_read_again() {
    let store = TestStore::new();
    store.write("a", "x");
    store.write("b", "x");
    let mut table = store.unwatched_table();
    // Before that, a file may change again and keep its stamp.
    std::thread::sleep(Duration::from_millis(2100));
    table.refresh().expect("a refreshed ledger");
    let before = table.rows.all().to_vec();
    store.write("b", "y");
    table.refresh().expect("a refreshed ledger");
    let same =
        before.iter().zip(table.rows.all()).map(|(one, two)| Arc::ptr_eq(&one.row, &two.row));
    assert_eq!(same.collect::<Vec<_>>(), [true, false]);
}
