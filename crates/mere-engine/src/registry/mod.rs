//! The client of registries: logging in, publishing, installing, and what is believed of an answer.
//!
//! A registry is believed nothing by itself. The author's signature says who made an item, and the
//! log says that everybody is shown the same: an [`OpenRegistry`] has its pinned log key, a
//! [`LogReader`](log_reader::LogReader) a checkpoint that is trusted, and a
//! [`FetchedItem`](install::FetchedItem) was checked against both before it is installed (ADR 25).

mod author_lock;
mod chain_fetch;
mod connection;
mod entry_scan;
mod error;
mod fetch;
mod folder;
mod install;
mod install_journal;
mod installed;
mod listing;
mod log_reader;
mod login;
mod logins;
mod memory;
mod mirror;
mod namespace_keys;
mod open_registry;
mod preview;
mod proof;
mod publish;
mod publish_check;
mod publish_examples;
mod pull;
mod reply;
mod search;
mod tile_reader;
mod yank;

pub(crate) use error::{AuthorKey, DistrustedAnswer, LogFault, RegistryError};
pub(crate) use folder::list_folder;
pub(crate) use install_journal::recover_installs;
pub(crate) use installed::{installed_reply, list_outdated, update};
pub(crate) use login::{log_in, log_out};
pub(crate) use mirror::{MirrorRequest, mirror};
pub(crate) use open_registry::{OpenRegistry, RegistryChoice};
pub(crate) use preview::preview;
pub(crate) use proof::{ProofChecker, ProofState};
pub(crate) use publish::{PublishCall, publish};
pub(crate) use publish_check::PublishFinding;
pub(crate) use publish_examples::{ExampleItem, publish_examples};
pub(crate) use pull::{PulledItems, pull};
pub(crate) use reply::pulled_reply;
pub(crate) use search::{answer_without_registry, search_registry};
pub(crate) use yank::yank;
