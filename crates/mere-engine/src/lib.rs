//! The world of one session, and the one door into it.
//!
//! This is the only crate that sees host paths, and no public signature contains one: what a person
//! typed comes in as [`TypedPath`], and what an agent may see goes out as a cleared reply.
//! Everything that touches the machine's ambient file system or environment is in `host`.

pub mod allow;
mod ask;
mod change;
mod config;
mod config_check;
mod context;
mod court;
mod dir;
pub mod enforce;
mod event;
mod glob;
mod grep;
mod help;
mod items;
mod keys;
mod models;
mod opening;
mod project_key;
mod read;
mod reading;
mod records;
mod search;
mod seen;
mod session;
mod snapshot;
mod space;
mod store;
mod tokens;
mod tool_error;
pub mod trust;
mod trust_store;
mod view;
mod web;
mod whereabouts;
mod wording;
pub mod world;

pub use event::Event;
pub use mere_host::{
    LogFile, Terminal, TypedPath, has_terminal, read_file, run_cell_stage, write_file,
};
pub use opening::{Mods, OpenError, Purpose, SessionOptions, SessionState};
pub use records::RecordError;
pub use session::Session;
pub use tokens::{Token, TokenError, Tokens};
pub use whereabouts::{Locations, PathReport, find_locations};
