//! Items as one call works with them: finding, loading, running, creating and changing them.
//!
//! [`ItemSources`] holds everything a call can find items in. A [`LoadedItem`] was read and parsed;
//! a [`CheckedItem`] was also verified, and says who vouches for it.

mod apply_permit;
mod change;
mod checked_item;
mod commands;
mod error;
mod find;
mod item_files;
mod item_signer;
mod load;
mod loaded;
mod new_item;
mod proposal;
mod relations;
mod reply_fields;
mod run;
mod run_item;
mod sources;
mod suggestions;
mod vouched_files;

pub(crate) use change::{ItemCall, execute};
pub(crate) use checked_item::{BrokenItem, CheckedItem, TrustStatus, is_usable_by_caller};
pub(crate) use commands::{TeamRefusal, check_config, execute_person_command};
pub(crate) use error::{ItemChangeError, ItemError, ProposalError, WrongInputs};
pub(crate) use find::is_visible;
pub(crate) use load::{item_name, load};
pub(crate) use loaded::{LoadedItem, RawItem};
pub(crate) use reply_fields::{ItemMasker, mask_fault, mask_problems, mask_secrets, own_text};
pub(crate) use run::RunError;
pub(crate) use sources::{Catalogs, ItemSources};
