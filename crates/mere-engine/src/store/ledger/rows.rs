//! All rows of a store, sorted by the bytes of their paths.
//!
//! What lies in a category and below is therefore one range, and which of two rows comes first is
//! told by their numbers.

use std::ops::Range;

use mere_core::item::Category;

use super::row::IndexedRow;

/// The rows.
#[derive(Default)]
pub(super) struct SortedRows(Vec<IndexedRow>);

impl SortedRows {
    pub(super) fn all(&self) -> &[IndexedRow] {
        &self.0
    }

    /// Where the rows of a category and below are; all of them for none.
    pub(super) fn range(&self, category: &Category) -> Range<usize> {
        if category.is_empty() {
            return 0..self.0.len();
        }
        // `0` is what follows `/`.
        self.count_before(&format!("{category}/"))..self.count_before(&format!("{category}0"))
    }

    /// How many rows come before this path.
    pub(super) fn count_before(&self, path: &str) -> usize {
        self.0.partition_point(|slot| slot.path() < path)
    }

    /// What is known of these paths, which are sorted and lie in this range.
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

    /// Puts these rows, which are sorted, in the place of that range.
    pub(super) fn replace(&mut self, range: Range<usize>, slots: Vec<IndexedRow>) {
        self.0.splice(range, slots);
    }

    /// Sets or removes rows, by their paths, which are sorted.
    pub(super) fn update(&mut self, paths: &[String], slots: Vec<Option<IndexedRow>>) {
        let place = |path: &String| self.0.binary_search_by(|slot| slot.path().cmp(path));
        let places = paths.iter().map(place).collect::<Vec<_>>();
        let mut changes = places.into_iter().zip(slots).collect::<Vec<_>>();
        // Most come where one was; then nobody moves.
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
