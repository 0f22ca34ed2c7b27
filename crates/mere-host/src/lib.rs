//! The lawful place: the machine's own file system, environment and working directory.
//!
//! Nothing outside this module names a host path. What leaves it are handles ([`Folder`]), what a
//! person typed ([`Typed`]), and the landmarks the gate must keep from agents.

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

pub use boundary::Boundary;
pub use cores::cores;
pub use database::{Database, Held};
pub use derived::{Cache, is_unfinished, put_derived, read_at};
pub use durable::{Locked, WriteError};
pub use editing::{Before, Editing, IGNORED};
pub use editor::edit;
pub use folder::{Folder, Identity, absent, is_link};
pub use git::{Git, Hook};
pub use key_files::{KeyFile, KeyFileError, Links};
pub use link::{Step, read_link};
pub use log_file::LogFile;
pub use models::Models;
pub use open_folder::{EntryKind, OpenFolder, open_regular};
use open_folder::{exchange, rename_new};
pub use packages::{Asking, PackagesError};
pub use person_file::{read_file, write_file};
pub use pip::{Pip, PipError};
pub use project::find_project;
pub use sandbox::cell;
pub use sandbox::{
    Captured, Cells, Ended, Excess, Exit, Finished, Layer, Level, Limits, NOT_KEPT, PATH, Plan,
    Program, Refusal, Standing, Watcher, layers, run,
};
pub use site::{Below, Site};
pub use ssh_agent::{AgentError, SshAgent};
pub use stamps::{Stamp, Stamps, Watched, now};
pub use surroundings::{SPACE, Surroundings, WORKSPACES};
pub use terminal::{Terminal, has_terminal};
pub use typed::Typed;
pub use watch::{Change, Interest, News, Watch};
pub use workspace::{Missing, Occupant, Way, Workspace, digest_of, read_at_most};
