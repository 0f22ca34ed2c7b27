//! The protocol's own tools and the clients, installed by the test command.

use std::path::PathBuf;
use std::process::Command;

use crate::support::harness::Stage;

/// Where `./test` installs them.
pub(crate) fn folder() -> PathBuf {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mcp-tools");
    let folder = folder.canonicalize().expect("run ./test: it installs the protocol's tools");
    assert!(folder.join("pinned").exists(), "run ./test: it installs the protocol's tools");
    folder
}

/// A file of `tests/mcp`.
pub(crate) fn script(name: &str) -> PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp").join(name)
}

/// The pinned Node, with a home of its own.
pub(crate) fn node(stage: &Stage) -> Command {
    let mut command = Command::new(folder().join("node_modules/node/bin/node"));
    command.env("HOME", stage.path("home")).env("MCP_TOOLS", folder());
    command
}

/// The Python of the tools' environment.
pub(crate) fn python(stage: &Stage) -> Command {
    let mut command = Command::new(folder().join("venv/bin/python"));
    command.env("HOME", stage.path("home"));
    command
}

/// An installed package's file.
pub(crate) fn package(below: &str) -> PathBuf {
    folder().join("node_modules/@modelcontextprotocol").join(below)
}
