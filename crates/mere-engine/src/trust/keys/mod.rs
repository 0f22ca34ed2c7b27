//! The user's own keys: which there are, which one signs, and how they are unlocked.
//!
//! A key is stored in the user's config folder, used where it lies, or held by ssh-agent. No agent
//! can ask for any of this, and no root shows the folder. Nothing but signatures leaves a
//! [`SigningKey`].

pub(crate) mod fault;
pub(crate) mod own_keys;
pub(crate) mod pem;
pub(crate) mod signing;

pub(crate) use fault::KeyFault;
pub(crate) use own_keys::{FILE, OwnKey, generate_first, own_keys, restrict_permissions};
pub(crate) use signing::{SigningKey, unlock, unlock_by_fingerprint};
