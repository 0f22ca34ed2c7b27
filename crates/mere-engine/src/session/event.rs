//! Changes on disk that edges report to their clients.
//!
//! An event says that something changed, not what: the client asks again.

/// What a client may want to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The configuration was read again, so what is listed may have changed.
    pub config: bool,
    /// Items or memories may have changed.
    pub items: bool,
}

/// What a client was told last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenChanges {
    pub(super) config: u64,
    pub(super) items: u64,
}
