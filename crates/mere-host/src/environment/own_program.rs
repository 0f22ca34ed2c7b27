//! How this program was started, and the command by which another program starts it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The name by which people start this program.
const PROGRAM: &str = "mere";

/// Returns the command by which another program starts this one: its name if that is what a search
/// in `PATH` finds, or else its absolute path.
pub fn own_command() -> io::Result<String> {
    let own = std::env::current_exe()?.canonicalize()?;
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join(PROGRAM));
    let found = found.filter(|path| path.is_absolute()).find(|path| is_program(path));
    if found.is_some_and(|found| found.canonicalize().is_ok_and(|found| found == own)) {
        return Ok(PROGRAM.to_owned());
    }
    path_text(own)
}

/// Returns the words that this process was started with, without the name of the program.
pub fn own_arguments() -> impl Iterator<Item = OsString> {
    std::env::args_os().skip(1)
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file())
}

fn path_text(path: PathBuf) -> io::Result<String> {
    let unreadable = || io::Error::new(io::ErrorKind::InvalidData, "its path is not Unicode");
    path.into_os_string().into_string().map_err(|_| unreadable())
}
