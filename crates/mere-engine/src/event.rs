//! What changed on disk, told to the edges.

/// Something a client may want to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The configuration was read again: what is listed may be another.
    Config,
}
