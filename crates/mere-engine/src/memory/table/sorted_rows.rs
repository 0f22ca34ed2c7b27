//! All rows of a store, sorted by the bytes of their paths.
//!
//! The rows of a category and everything below it therefore form one range, and the indexes of two
//! rows tell which comes first.

use std::ops::Range;

use mere_core::item::Category;

use super::row::IndexedRow;

/// The sorted rows.
#[derive(Default)]
pub(super) struct SortedRows(Vec<IndexedRow>);

impl SortedRows {
    pub(super) fn all(&self) -> &[IndexedRow] {
        &self.0
    }

    /// Returns the range of the rows in a category and below. The empty category has all rows.
    pub(super) fn range(&self, category: &Category) -> Range<usize> {
        if category.is_empty() {
            return 0..self.0.len();
        }
        // `0` is the character that follows `/`.
        self.count_before(&format!("{category}/"))..self.count_before(&format!("{category}0"))
    }

    /// Returns how many rows come before this path.
    pub(super) fn count_before(&self, path: &str) -> usize {
        self.0.partition_point(|slot| slot.path() < path)
    }

    /// Returns the row for each of these paths, which are sorted and lie in this range.
    pub(super) fn find_all(
        &self,
        range: Range<usize>,
        paths: &[String],
    ) -> Vec<Option<&IndexedRow>> {
        let mut slots = self.0[range].iter().peekable();
        let known = paths.iter().map(|path| {
            while slots.next_if(|slot| slot.path() < path.as_str()).is_some() {}
            slots.next_if(|slot| slot.path() == path)
        });
        known.collect()
    }

    /// Replaces the rows of a range by these, which are sorted.
    pub(super) fn replace(&mut self, range: Range<usize>, slots: Vec<IndexedRow>) {
        self.0.splice(range, slots);
    }

    /// Sets or removes the rows at these paths, which are sorted. `None` removes a row.
    pub(super) fn update(&mut self, paths: &[String], slots: Vec<Option<IndexedRow>>) {
        let place = |path: &String| self.0.binary_search_by(|slot| slot.path().cmp(path));
        let places = paths.iter().map(place).collect::<Vec<_>>();
        let mut changes = places.into_iter().zip(slots).collect::<Vec<_>>();
        // Most changes replace an existing row, and then no other row has to move.
        for (place, slot) in &mut changes {
            if let Ok(at) = place
                && let Some(slot) = slot.take()
            {
                self.0[*at] = slot;
                *place = Err(*at);
            }
        }
        changes.retain(|(place, slot)| place.is_ok() || slot.is_some());
        if changes.is_empty() {
            return;
        }
        let mut old = std::mem::take(&mut self.0).into_iter();
        self.0.reserve_exact(old.len() + changes.len());
        let total = old.len();
        for (place, slot) in changes {
            let at = place.unwrap_or_else(|at| at);
            let passed = total - old.len();
            self.0.extend(old.by_ref().take(at - passed));
            if place.is_ok() {
                old.next();
            }
            self.0.extend(slot);
        }
        self.0.extend(old);
    }
}
