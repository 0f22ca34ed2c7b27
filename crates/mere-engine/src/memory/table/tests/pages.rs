//! Pages join without gaps, keep their order, and count what lies below.
//!
//! This holds even if memories are added between two pages.

use mere_core::item::{Category, MemoryPath};
use mere_core::request::{ExpiredMemories, MemorySort};

use super::TestStore;
use super::random_changes::Random;
use crate::memory::table::MemoryQuery;
use crate::world::join_path;

fn query<'a>(category: &'a Category, sort: MemorySort, after: Option<&'a str>) -> MemoryQuery<'a> {
    let now = "2026-06-01T00:00:00Z".parse().expect("a time");
    MemoryQuery {
        category,
        sort,
        limit: 7,
        expired: ExpiredMemories::Hidden,
        now,
        after,
        is_visible: &|_| true,
        is_stray_visible: &|_| true,
    }
}

#[test]
fn pages_join_without_gap_or_double() {
    let (store, mut random) = (TestStore::new(), Random(1));
    for number in 0..120 {
        let category = random.pick(&["", "a/", "a-b/", "a/b/", "a0/"]);
        let text =
            format!("---\nupdated_at: 2026-01-0{}T00:00:00Z\n---\n", 1 + random.number_below(4));
        store.write(&format!("{category}m{number}"), &text);
    }
    let mut table = store.unwatched_table();
    for category in ["", "a", "a/b"] {
        for sort in [MemorySort::Path, MemorySort::Recent] {
            let category = category.parse::<Category>().expect("a category");
            let everything = MemoryQuery { limit: 1000, ..query(&category, sort, None) };
            let all = table.page(&everything).expect("all");
            let (mut joined, mut after) = (Vec::new(), None);
            loop {
                let page = table.page(&query(&category, sort, after.as_deref())).expect("a page");
                let new = u64::from(after.is_some());
                assert_eq!(page.count, all.rows.len() as u64 + new);
                joined.extend(page.rows.iter().map(|row| row.path.clone()));
                after = page.next;
                if after.is_none() {
                    break;
                }
                // This memory is first in both orders. What is inserted before the position must
                // not move what comes after it.
                let text = "---\nupdated_at: 2026-01-05T00:00:00Z\n---\n";
                store.write(&join_path(category.as_str(), "0"), text);
                table.refresh().expect("a refreshed ledger");
            }
            store.top.remove_file(format!("store/{category}/0.md")).expect("removed");
            table.refresh().expect("a refreshed ledger");
            let all = all.rows.iter().map(|row| row.path.clone()).collect::<Vec<_>>();
            assert_eq!(joined, all, "{category} {sort:?}");
        }
    }
    let none = Category::default();
    assert!(table.page(&query(&none, MemorySort::Recent, Some("a/b"))).is_none());
}

#[test]
fn a_page_tells_what_lies_below() {
    let store = TestStore::new();
    for path in ["x", "a/x", "a/b/x", "a/b/y", "a-b/x", "a0"] {
        store.write(path, "x");
    }
    store.write("a/b/gone", "---\nexpires_at: 2026-06-01T00:00:00Z\n---\n");
    store.write("a/b/later", "---\nexpires_at: 2026-06-01T00:00:00.000000001Z\n---\n");
    store.top.create_dir_all("store/empty/c").expect("empty categories");
    store.top.write("store/Bad.md", "").expect("a stray");
    store.top.write("store/a/b.markdown", "").expect("a stray");
    store.top.write("store/a/large.md", vec![b'x'; (1 << 20) + 1]).expect("a large file");
    let table = store.unwatched_table();
    let check = |category: &str, expired, expected: (u64, &[&str], &[(&str, u64)])| {
        let category = category.parse::<Category>().expect("a category");
        let page = table.page(&MemoryQuery {
            expired,
            limit: 10,
            ..query(&category, MemorySort::Path, None)
        });
        let page = page.expect("a page");
        let rows = page.rows.iter().map(|row| row.path.as_str()).collect::<Vec<_>>();
        let below = page.subcategories.iter().map(|(one, count)| (one.as_str(), *count));
        assert_eq!((page.count, &rows[..], &below.collect::<Vec<_>>()[..]), expected);
        assert_eq!(page.next, None);
    };
    let all = ["a-b/x", "a/b/later", "a/b/x", "a/b/y", "a/large", "a/x", "a0", "x"];
    check("", ExpiredMemories::Hidden, (8, &all, &[("a", 5), ("a-b", 1), ("empty", 0)]));
    let below = ["a/b/gone", "a/b/later", "a/b/x", "a/b/y", "a/large", "a/x"];
    check("a", ExpiredMemories::Included, (6, &below, &[("a/b", 4)]));
    check("a/b/gone", ExpiredMemories::Included, (0, &[], &[]));
    check("empty", ExpiredMemories::Hidden, (0, &[], &[("empty/c", 0)]));
    let paths = |found: Vec<MemoryPath>| found.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        paths(table.find_slug(&"x".parse().expect("a slug"))),
        ["a-b/x", "a/b/x", "a/x", "x"]
    );
    let now = query(&Category::default(), MemorySort::Path, None).now;
    assert_eq!(paths(table.expired_paths(now)), ["a/b/gone"]);
    assert_eq!(table.faulty_rows().map(|row| row.path.as_str()).collect::<Vec<_>>(), ["a/large"]);
    let strays = table.strays().keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(strays, ["Bad.md", "a/b.markdown"]);
}
