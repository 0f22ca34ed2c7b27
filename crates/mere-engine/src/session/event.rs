//! Changes on disk that edges report to their clients.
//!
//! An event says that something changed, not what: the client asks again.

/// Something a client may want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The configuration was read again, so what is listed may have changed.
    Config,
}
