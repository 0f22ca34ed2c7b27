//! The private sockets on which servers vouch for a search index to other processes of their user.
//!
//! A question is a digest of everything that both processes must agree on; the answer is the
//! generation of the index that is up to date, or a refusal. Nothing else is exchanged. The sockets
//! lie in a folder of the user's own cache that nobody else may open, and each side checks that the
//! other runs as the same user. Whatever is unexpected counts as a refusal (ADR 31).

#[cfg(all(target_os = "linux", not(mere_portable)))]
mod asking;
#[cfg(all(target_os = "linux", not(mere_portable)))]
mod listener;
#[cfg(all(target_os = "linux", not(mere_portable)))]
mod socket;
#[cfg(any(not(target_os = "linux"), mere_portable))]
mod unsupported;

#[cfg(all(target_os = "linux", not(mere_portable)))]
pub use asking::ask_for_vouch;
#[cfg(all(target_os = "linux", not(mere_portable)))]
pub use listener::{VouchListener, VouchQuestion};
#[cfg(any(not(target_os = "linux"), mere_portable))]
pub use unsupported::{VouchListener, VouchQuestion, ask_for_vouch};
