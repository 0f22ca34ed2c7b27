//! The lawful place: the machine's own file system, environment and working directory.
//!
//! Nothing outside this module names a host path. What leaves it are handles ([`Folder`]), what a
//! person typed ([`Typed`]), and the landmarks the gate must keep from agents.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this module is the one lawful place for them"
)]

mod boundary;
mod cores;
mod database;
mod derived;
mod durable;
mod editing;
mod editor;
mod fetcher;
mod folder;
mod git;
mod key_files;
mod link;
mod lock;
mod log_file;
mod models;
mod open_folder;
mod packages;
mod person_file;
mod pip;
mod project;
mod sandbox;
mod site;
mod ssh_agent;
mod stamps;
mod surroundings;
mod terminal;
mod typed;
mod watch;
mod workspace;

pub(crate) use boundary::Boundary;
pub(crate) use cores::cores;
pub(crate) use database::{Database, Held};
pub(crate) use derived::{Cache, is_unfinished, put_derived, read_at};
pub(crate) use durable::{Locked, WriteError};
pub(crate) use editing::{Before, Editing, IGNORED};
pub(crate) use editor::edit;
pub(crate) use folder::{Folder, Identity, absent, is_link};
pub(crate) use git::{Git, Hook};
pub(crate) use key_files::{KeyFile, KeyFileError, Links};
pub(crate) use link::{Step, read_link};
pub use log_file::LogFile;
pub(crate) use models::Models;
pub(crate) use open_folder::{EntryKind, OpenFolder, open_regular};
use open_folder::{exchange, rename_new};
pub(crate) use packages::{Asking, PackagesError};
pub use person_file::{read_file, write_file};
pub(crate) use pip::{Pip, PipError};
pub(crate) use project::find_project;
pub use sandbox::cell;
pub(crate) use sandbox::{
    Captured, Cells, Ended, Excess, Exit, Finished, Layer, Level, Limits, NOT_KEPT, PATH, Plan,
    Program, Refusal, Standing, Watcher, layers, run,
};
pub(crate) use site::{Below, Site};
pub(crate) use ssh_agent::{AgentError, SshAgent};
pub(crate) use stamps::{Stamp, Stamps, Watched, now};
pub(crate) use surroundings::{SPACE, Surroundings, WORKSPACES};
pub use terminal::{Terminal, has_terminal};
pub use typed::Typed;
pub(crate) use watch::{Change, Interest, News, Watch};
pub(crate) use workspace::{Missing, Occupant, Way, Workspace, digest_of, read_at_most};
