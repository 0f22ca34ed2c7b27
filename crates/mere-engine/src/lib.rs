//! The world of one session, and the one door into it.
//!
//! This is the only crate that sees host paths, and no public signature contains one: what a person
//! typed comes in as [`TypedPath`], and what an agent may see goes out as a cleared reply.
//! Everything that touches the machine's ambient file system or environment is in mere-host.

mod commands;
mod config;
mod error;
mod files;
mod items;
mod memory;
mod offers;
pub mod policy;
mod registry;
pub mod run;
mod search;
mod session;
mod space;
mod trust;
pub mod world;

pub use commands::adopt::{
    AdoptError, AdoptSurvey, Adoptable, AdoptableKind, AdoptionPlan, ArchiveError, SharedName,
    SurveyedPlace, UndoReport,
};
pub use commands::connect::{
    AgentClient, ClientConnections, ClientSetting, ConnectError, SettingsOutcome, SettingsPlan,
    SettingsReport, SettingsTarget,
};
pub use commands::git::{MergeReport, merge_versions};
pub use commands::torture::{TortureReport, torture};
pub use mere_host::{
    CellPool, EnvironmentError, LogFile, MergeVersions, NoAddress, OwnFolder, Terminal, TypedPath,
    has_terminal, new_sortable_id, own_arguments, own_command, read_file, run_cell_stage,
    write_file,
};
pub use session::Session;
pub use session::event::{Changes, SeenChanges};
pub use session::file_approval::{AllowError, AllowedFiles, VisibleBefore};
pub use session::index_voucher::IndexVoucher;
pub use session::locations::{Locations, PathReport, find_locations};
pub use session::options::{SessionOptions, SessionState};
pub use session::own_folders::OwnFolders;
pub use session::project_approval::{ProjectApproval, TrustError, WideRootApproval};
pub use session::resource_stamp::ResourceStamp;
pub use trust::approvals::project::WideningRequest;
pub use trust::approvals::records::RecordError;
pub use trust::tokens::{Token, TokenError, Tokens};
pub use world::{Mods, OpenError};

/// Reads bytes as every part of an index that somebody could have changed, for the fuzz target.
#[cfg(fuzzing)]
pub fn read_index_bytes(bytes: &[u8]) {
    search::read_posting_bytes(bytes);
    if let Ok(text) = str::from_utf8(bytes) {
        space::read_index_text(text);
    }
}
