//! Vouching on systems without inotify, where nobody can vouch.

use std::io;
use std::time::Duration;

use crate::Database;

/// A socket that nobody can listen on.
pub struct VouchListener(std::convert::Infallible);

/// A question that nobody asks.
pub struct VouchQuestion(std::convert::Infallible);

impl VouchListener {
    pub fn open(_database: &Database) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn is_in_place(&self) -> bool {
        match self.0 {}
    }

    pub fn wait_for_question(&self, _patience: Duration) -> io::Result<Option<VouchQuestion>> {
        match self.0 {}
    }
}

impl VouchQuestion {
    pub fn subject(&self) -> &[u8; 32] {
        match self.0 {}
    }

    pub fn answer(self, _generation: Option<i64>) {
        match self.0 {}
    }
}

pub fn ask_for_vouch(_: &Database, _: &[u8; 32], _: Duration) -> Option<i64> {
    None
}
