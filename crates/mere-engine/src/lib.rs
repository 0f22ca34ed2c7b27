//! The world of one session, and the one door into it.
//!
//! This is the only crate that sees host paths, and no public signature contains one: what a person
//! typed comes in as [`TypedPath`], and what an agent may see goes out as a cleared reply.
//! Everything that touches the machine's ambient file system or environment is in `host`.

mod config;
mod config_check;
mod context;
mod dir;
mod error;
mod event;
pub mod file_approval;
mod file_change;
mod glob;
mod grep;
mod help;
mod http_client;
mod items;
mod keys;
mod line_stream;
mod locations;
mod memory;
mod models;
mod options;
pub mod policy;
pub mod project_approval;
mod project_key;
mod question;
mod read;
mod records;
mod redaction;
mod search;
mod session;
mod signers;
mod snapshot;
mod space;
mod tokens;
mod tool_error;
mod trust_policy;
mod view;
pub mod world;

pub use event::Event;
pub use locations::{Locations, PathReport, find_locations};
pub use mere_host::{
    LogFile, Terminal, TypedPath, has_terminal, read_file, run_cell_stage, write_file,
};
pub use options::{Mods, OpenError, Purpose, SessionOptions, SessionState};
pub use records::RecordError;
pub use session::Session;
pub use tokens::{Token, TokenError, Tokens};
