//! Items as one call works with them: finding, loading, running, creating and changing them.
//!
//! [`ItemSources`] holds everything a call can find items in. A [`LoadedItem`] was read and parsed;
//! a [`CheckedItem`] was also verified, and says who vouches for it.

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
pub(crate) use change::{ItemCall, execute};
pub(crate) use error::{ItemChangeError, ItemError, ProposalError, WrongInputs};
pub(crate) use find::is_visible;
pub(crate) use keep::{TeamRefusal, check_config, execute_person_command};
pub(crate) use load::{item_name, load};
pub(crate) use loaded::{LoadedItem, RawItem};
pub(crate) use opened::{BrokenItem, CheckedItem, TrustStatus, is_usable_by_caller};
pub(crate) use stock::{Catalogs, ItemSources};
pub(crate) use tell::{ItemMasker, mask_fault, mask_problems, mask_secrets, own_text};
