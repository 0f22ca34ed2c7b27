//! The user's own keys: which there are, which one signs, and how they are unlocked.
//!
//! A key is kept in the user's config folder, used where it lies, or held by ssh-agent. No agent can
//! ask for any of this, and no root shows the folder. Private halves leave a [`SigningKey`] as
//! signatures only.

mod command;
mod fault;
mod list;
mod pem;
mod ring;
mod signing;

pub(crate) use command::command;
pub(crate) use fault::KeyFault;
pub(crate) use ring::{FILE, OwnKey, close_modes, make_first, own_keys};
pub(crate) use signing::{SigningKey, unlock};
