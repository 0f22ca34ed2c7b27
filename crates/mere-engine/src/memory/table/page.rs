//! One page of a list of memories.
//!
//! A position names the memory after which the next page begins, by its sort key and not by a
//! number. Nothing is therefore left out or listed twice when memories are added or removed between
//! pages.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use jiff::Timestamp;
use mere_core::address::RelPath;
use mere_core::item::Category;
use mere_core::request::{ExpiredMemories, MemorySort};

use super::row::{IndexedRow, MemoryRow, to_nanoseconds};
use super::{MemoryTable, StoreStray, is_below};

/// Stands between the time and the path in a position. Neither can contain it.
const SEPARATOR: char = '\u{1f}';

/// What a list call asks for.
pub(crate) struct MemoryQuery<'a> {
    /// The category whose memories are listed, with everything below. The empty category is the
    /// whole store.
    pub(crate) category: &'a Category,
    pub(crate) sort: MemorySort,
    /// The most rows on the page.
    pub(crate) limit: usize,
    pub(crate) expired: ExpiredMemories,
    pub(crate) now: Timestamp,
    /// The position at which the previous page ended.
    pub(crate) after: Option<&'a str>,
    /// Tells whether the memory at a path may be seen. It is called only for memories that would be
    /// on the page.
    pub(crate) is_visible: &'a dyn Fn(&str) -> bool,
    /// Tells whether a file or a folder that is not a memory may be seen.
    pub(crate) is_stray_visible: &'a dyn Fn(&str) -> bool,
}

/// One page of rows.
#[derive(Debug, Default)]
pub(crate) struct MemoryPage {
    /// How many memories all pages have together.
    pub(crate) count: u64,
    pub(crate) rows: Vec<Arc<MemoryRow>>,
    /// The categories directly below, each with the number of memories in it and below.
    pub(crate) subcategories: Vec<(Category, u64)>,
    /// The position of the next page, if there is one.
    pub(crate) next: Option<String>,
    /// How many files in the category and below are not memories.
    pub(crate) other_files: u64,
    /// How many folders in the category and below are not categories.
    pub(crate) other_folders: u64,
    /// The categories below that may not be read.
    pub(crate) unreadable: Vec<Category>,
}

impl MemoryTable {
    /// Returns a page, or `None` if the position does not belong to this order.
    pub(crate) fn page(&self, wanted: &MemoryQuery<'_>) -> Option<MemoryPage> {
        let shown = ExpiryFilter { expired: wanted.expired, now: to_nanoseconds(wanted.now) };
        let (rows, next) = match wanted.sort {
            MemorySort::Path => self.page_by_path(wanted, shown),
            MemorySort::Recent => self.page_by_time(wanted, shown)?,
        };
        let count = |category: &Category| {
            let slots = &self.rows.all()[self.rows.range(category)];
            slots.iter().filter(|slot| shown.includes(slot)).count() as u64
        };
        let subcategories = self.children(wanted.category);
        let subcategories = subcategories.map(|child| (child.clone(), count(child)));
        Some(MemoryPage {
            count: count(wanted.category),
            rows: rows.iter().map(|slot| Arc::clone(&slot.row)).collect(),
            subcategories: subcategories.collect(),
            next,
            other_files: self.count_strays(wanted, |stray| !stray.is_folder),
            other_folders: self.count_strays(wanted, |stray| stray.is_folder),
            unreadable: self
                .unreadable
                .iter()
                .filter(|one| wanted.category.contains(one))
                .cloned()
                .collect(),
        })
    }

    /// Counts what is neither a memory nor a category and may be seen, in a category and below. A
    /// path that no address can name hides nothing.
    fn count_strays(
        &self,
        wanted: &MemoryQuery<'_>,
        is_counted: impl Fn(&StoreStray) -> bool,
    ) -> u64 {
        let strays = self.strays.iter().filter(|(path, stray)| {
            is_counted(stray)
                && is_below(wanted.category, path)
                && (path.parse::<RelPath>().is_err() || (wanted.is_stray_visible)(path))
        });
        strays.map(|(_, stray)| stray.count).sum()
    }

    fn page_by_path(
        &self,
        wanted: &MemoryQuery<'_>,
        shown: ExpiryFilter,
    ) -> (Vec<&IndexedRow>, Option<String>) {
        let mut range = self.rows.range(wanted.category);
        if let Some(after) = wanted.after {
            // The shortest string that sorts after `after` is `after` with a zero byte appended.
            let begin = self.rows.count_before(&format!("{after}\0"));
            range.start = begin.clamp(range.start, range.end);
        }
        let slots = self.rows.all()[range].iter().filter(|slot| shown.includes(slot));
        let mut slots = slots.filter(|slot| (wanted.is_visible)(slot.path()));
        let rows = slots.by_ref().take(wanted.limit).collect::<Vec<_>>();
        let last = rows.last().filter(|_| slots.next().is_some());
        let next = last.map(|slot| slot.path().to_owned());
        (rows, next)
    }

    /// Keeps only the best rows in a heap and sorts those. Rows are ordered by path, so of two rows
    /// with the same time the one with the smaller index comes first.
    fn page_by_time(
        &self,
        wanted: &MemoryQuery<'_>,
        shown: ExpiryFilter,
    ) -> Option<(Vec<&IndexedRow>, Option<String>)> {
        let after = match wanted.after {
            Some(after) => {
                let (time, path) = after.split_once(SEPARATOR)?;
                Some((
                    Reverse(time.parse::<i64>().ok()?),
                    self.rows.count_before(&format!("{path}\0")),
                ))
            }
            None => None,
        };
        let slots = self.rows.all();
        let range = self.rows.range(wanted.category);
        let (mut best, mut count) =
            (BinaryHeap::with_capacity(wanted.limit.min(range.len())), 0_usize);
        for at in range.filter(|at| shown.includes(&slots[*at])) {
            let key = (Reverse(slots[at].updated_nanoseconds), at);
            if after.is_some_and(|after| key < after) {
                continue;
            }
            count += 1;
            let is_better =
                best.len() < wanted.limit || best.peek().is_some_and(|worst| key < *worst);
            if !is_better {
                continue;
            }
            if !(wanted.is_visible)(slots[at].path()) {
                count -= 1;
                continue;
            }
            if best.len() == wanted.limit {
                best.pop();
            }
            best.push(key);
        }
        let rows = best.into_sorted_vec().into_iter().map(|(_, at)| &slots[at]).collect::<Vec<_>>();
        let last = rows.last().filter(|_| count > rows.len());
        let next =
            last.map(|slot| format!("{}{SEPARATOR}{}", slot.updated_nanoseconds, slot.path()));
        Some((rows, next))
    }

    /// Returns the categories directly below a category.
    fn children(&self, category: &Category) -> impl Iterator<Item = &Category> {
        let above = category.as_str();
        self.categories.iter().filter(move |one| {
            let rest = one.as_str().strip_prefix(above);
            let rest =
                rest.and_then(
                    |rest| if above.is_empty() { Some(rest) } else { rest.strip_prefix('/') },
                );
            rest.is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
        })
    }
}

/// Selects the rows that a page may show, by their expiry.
#[derive(Clone, Copy)]
struct ExpiryFilter {
    expired: ExpiredMemories,
    now: i64,
}

impl ExpiryFilter {
    fn includes(self, slot: &IndexedRow) -> bool {
        self.expired == ExpiredMemories::Included || !slot.has_expired(self.now)
    }
}
