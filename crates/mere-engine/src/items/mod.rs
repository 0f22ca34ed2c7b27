//! Items as one call works with them: finding, loading, running, creating and changing them.
//!
//! [`ItemSources`] holds everything a call can find items in. A [`LoadedItem`] was read and parsed;
//! a [`CheckedItem`] was also verified, and says who vouches for it; a [`UsableItem`] is one that its
//! reader may use.

pub(crate) mod apply_permit;
mod authority;
pub(crate) mod builtin_tool;
pub(crate) mod change;
mod change_report;
mod checked_item;
pub(crate) mod copy;
mod current_file;
pub(crate) mod directive_fields;
pub(crate) mod displaced_signature;
pub(crate) mod error;
pub(crate) mod find;
pub(crate) mod item_fidelity;
pub(crate) mod item_files;
mod item_reader;
pub(crate) mod item_signer;
pub(crate) mod item_to_sign;
pub(crate) mod load;
pub(crate) mod loaded;
pub(crate) mod new_item;
pub(crate) mod proposal;
pub(crate) mod relocation;
pub(crate) mod reply_fields;
pub(crate) mod signature_state;
pub(crate) mod signed_texts;
mod sources;
pub(crate) mod suggestions;
pub(crate) mod tool_check;
pub(crate) mod tool_lockfiles;
pub(crate) mod validation;
pub(crate) mod version_check;
pub(crate) mod vouched_files;

pub(crate) use change::{ItemCall, change_item};
pub(crate) use checked_item::{
    BrokenItem, CheckedItem, UntrustedItem, UsableItem, item_advice, open_for_use, read_and_verify,
    signature_requirement, trust_advice, trust_status_fields,
};
pub(crate) use error::{ItemError, WrongInputs};
pub(crate) use find::is_visible;
pub(crate) use item_reader::ItemReader;
pub(crate) use load::{command_words, item_name};
pub(crate) use loaded::{LoadedItem, RawItem};
pub(crate) use sources::{Catalogs, ItemSources};
