//! The two ways in which a long call and its caller speak to each other while it runs.

/// How a call learns that nobody waits for it any more, and how it reports its progress.
#[derive(Clone, Copy)]
pub(crate) struct CallSignals<'a> {
    /// Returns whether nobody waits for the answer any more.
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
    /// Reports how many steps are done, and how many there are.
    pub(crate) progress: &'a dyn Fn(u64, u64),
}
