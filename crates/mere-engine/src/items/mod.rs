//! Items as a call meets them: found by precedence, read, run, made and changed.
//!
//! [`Stock`] is what a call can find items in, [`Loaded`] an item that was read and understood.
//! [`Opened`] is one that may be used, with who vouches for it.

mod belongings;
mod chain;
mod change;
mod error;
mod find;
mod keep;
mod load;
mod loaded;
mod near;
mod opened;
mod place;
mod proposal;
mod prospect;
mod relations;
mod run;
mod sealer;
mod stock;
mod tell;
mod vouching;

pub(crate) use chain::RunError;
pub(crate) use change::{Desk, execute};
pub(crate) use error::{ItemError, Unmade, Unplaced, WrongInputs};
pub(crate) use find::is_shown;
pub(crate) use keep::{TeamFault, check_config, keep};
pub(crate) use load::{load, name as item_name};
pub(crate) use loaded::{Loaded, Raw};
pub(crate) use opened::{Broken, Opened, Standing, is_believed};
pub(crate) use stock::{Catalogs, Stock};
pub(crate) use tell::{Teller, masked, masked_fault, masked_problems, word};
