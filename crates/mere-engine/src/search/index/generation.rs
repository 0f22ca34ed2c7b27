//! The generation of the index, by which processes notice what others have changed.
//!
//! A process that has compared the disk with the index knows that the index is up to date only as
//! long as every later change is its own.

use rusqlite::Connection;

use super::SearchIndex;

impl SearchIndex {
    /// Accepts what other processes have changed so far. The caller compares the disk with it next.
    pub(crate) fn accept_generation(&mut self) {
        self.known_generation = self.generation;
    }

    /// Returns the current generation, unless another process has changed the index since
    /// [`Self::accept_generation`].
    pub(crate) fn known_generation(&self) -> rusqlite::Result<Option<i64>> {
        let generation = read_counter(&self.connection, "generation")?;
        Ok(Some(generation).filter(|generation| *generation == self.known_generation))
    }

    /// Records a change of its own, which made this generation, once it is committed.
    pub(super) fn note_own_change(&mut self, generation: i64) {
        if self.known_generation + 1 == generation {
            self.known_generation = generation;
        }
    }
}

pub(super) fn read_counter(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    let mut one = connection.prepare_cached("SELECT value FROM counter WHERE name = ?")?;
    one.query_row([name], |row| row.get(0))
}

pub(super) fn set_counter(change: &Connection, name: &str, value: i64) -> rusqlite::Result<()> {
    let mut one = change.prepare_cached("UPDATE counter SET value = ? WHERE name = ?")?;
    one.execute((value, name)).map(|_| ())
}

/// Increases the generation, by which other processes notice that the index has changed, and
/// returns the new one.
pub(super) fn bump_generation(change: &Connection) -> rusqlite::Result<i64> {
    let generation = read_counter(change, "generation")? + 1;
    set_counter(change, "generation", generation)?;
    Ok(generation)
}
