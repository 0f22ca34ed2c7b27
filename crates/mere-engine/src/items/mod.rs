//! Items as a call meets them: found by precedence, read, run, made and changed.
//!
//! [`Stock`] is what a call can find items in, [`Loaded`] an item that was read and understood.
//! Nothing here is signed yet: every reply says so in `trust`.

mod belongings;
mod change;
mod error;
mod find;
mod keep;
mod load;
mod loaded;
mod near;
mod place;
mod proposal;
mod prospect;
mod run;
mod stock;
mod tell;

pub(crate) use change::{Desk, execute};
pub(crate) use error::{ItemError, Unmade, Unplaced, WrongInputs};
pub(crate) use keep::{check_config, keep};
pub(crate) use load::load;
pub(crate) use loaded::Loaded;
pub(crate) use stock::{Catalogs, Stock};
