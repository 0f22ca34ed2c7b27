//! Durable writing: staged, synced and renamed into place, under locks between processes.
//!
//! Every file that Merestone writes is written here. What has been acknowledged is on the disk.

pub(crate) mod audit_sink;
pub(crate) mod client_file;
pub(crate) mod database;
pub(crate) mod derived_files;
mod folder_exchange;
pub(crate) mod folder_lock;
pub(crate) mod folder_removal;
pub(crate) mod folder_writer;
pub(crate) mod key_files;
pub(crate) mod line_log;
pub(crate) mod locked_folder;
pub(crate) mod log_file;
pub(crate) mod model_folder;
pub(crate) mod person_file;
pub(crate) mod project_change;
pub(crate) mod project_file;
pub(crate) mod project_journal;
pub(crate) mod proposal_store;
pub(crate) mod registry_folder;
pub(crate) mod repository_sweep;
pub(crate) mod run_marker;
pub(crate) mod state_folder;
pub(crate) mod unpacked_folder;
pub(crate) mod workspace;
pub(crate) mod workspace_list;
pub(crate) mod workspace_size;
pub(crate) mod write_target;
