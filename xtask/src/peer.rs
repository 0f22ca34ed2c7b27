//! The MCP servers over stdio that are measured: `mere` and the installed peers.
//!
//! Peers are looked for in `target/peers` only.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::bench_folder::home_for;
use crate::mcp_client::McpClient;
use crate::process;

/// A server that can be started.
pub(crate) struct Peer {
    name: &'static str,
    version: String,
    pub(crate) folder: PathBuf,
    command: Vec<String>,
    dialect: ToolDialect,
}

/// How the tools of one kind of server are called.
#[derive(Clone, Copy)]
struct ToolDialect {
    list: fn(&Path, &str) -> Call,
    read: fn(&Path, &str) -> Call,
    /// The JSON pointer to the text of a file in an answer.
    content: &'static str,
}

/// A call of a tool.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

const MERE_DIALECT: ToolDialect = ToolDialect {
    list: |_, below| Call { tool: "dir", arguments: json!({ "command": "list", "path": below }) },
    // The limit is so high that every file is returned whole.
    read: |_, below| Call { tool: "read", arguments: json!({ "path": below, "limit": 1_000_000 }) },
    content: "/result/structuredContent/data/content",
};

const FILESYSTEM_DIALECT: ToolDialect = ToolDialect {
    list: |folder, below| Call {
        tool: "list_directory",
        arguments: json!({ "path": folder.join(below) }),
    },
    read: |folder, below| Call {
        tool: "read_text_file",
        arguments: json!({ "path": folder.join(below) }),
    },
    content: "/result/content/0/text",
};

/// Returns the folder where peers are installed.
pub(crate) fn install_folder() -> PathBuf {
    workspace().join("target/peers")
}

fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// Returns `mere` in a folder, or how to build it.
pub(crate) fn mere(folder: &Path) -> Result<Peer, String> {
    let program = workspace().join("target/release/mere");
    if !program.exists() {
        return Err("mere is not built (cargo build --release)".to_owned());
    }
    Ok(Peer {
        name: "mere",
        version: process::version(&program),
        folder: folder.to_owned(),
        command: [text(&program), "mcp", "--toolsets", "files"].map(str::to_owned).to_vec(),
        dialect: MERE_DIALECT,
    })
}

/// Runs a `mere` command in a folder, with access to the user's own programs.
pub(crate) fn run_mere(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let program = workspace().join("target/release/mere");
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env("HOME", home_for(folder));
    let done = command.output().map_err(|error| error.to_string())?;
    let stderr = String::from_utf8_lossy(&done.stderr).into_owned();
    if done.status.success() { Ok(()) } else { Err(format!("mere {arguments:?}: {stderr}")) }
}

/// Returns the other servers that are installed, and how to install those that are not.
pub(crate) fn find_installed(folder: &Path) -> (Vec<Peer>, Vec<&'static str>) {
    let mut missing = Vec::new();
    let mut others = Vec::new();
    let program = install_folder().join("bin/rust-mcp-filesystem");
    if program.exists() {
        let command = [text(&program), text(folder)].map(str::to_owned).to_vec();
        others.push(filesystem_peer(
            "rust-mcp-filesystem",
            process::version(&program),
            folder,
            command,
        ));
    } else {
        missing.push(
            "rust-mcp-filesystem (cargo install rust-mcp-filesystem --version 0.4.5 --locked \
             --root target/peers)",
        );
    }
    let package = install_folder().join("node_modules/@modelcontextprotocol/server-filesystem");
    if package.exists() {
        let script = package.join("dist/index.js");
        let command = ["node", text(&script), text(folder)].map(str::to_owned).to_vec();
        others.push(filesystem_peer(
            "server-filesystem (npm)",
            npm_version(&package),
            folder,
            command,
        ));
    } else {
        missing.push(
            "server-filesystem (npm install --prefix target/peers \
             @modelcontextprotocol/server-filesystem)",
        );
    }
    (others, missing)
}

fn filesystem_peer(
    name: &'static str,
    version: String,
    folder: &Path,
    command: Vec<String>,
) -> Peer {
    Peer { name, version, folder: folder.to_owned(), command, dialect: FILESYSTEM_DIALECT }
}

pub(crate) fn npm_version(package: &Path) -> String {
    let text = std::fs::read_to_string(package.join("package.json")).unwrap_or_default();
    let value = serde_json::from_str::<Value>(&text).unwrap_or_default();
    value["version"].as_str().unwrap_or("?").to_owned()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

impl Peer {
    /// Returns its name and version.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Returns the same server in another folder.
    pub(crate) fn in_folder(&self, folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            version: self.version.clone(),
            command: self.command.clone(),
            ..*self
        }
    }

    /// Returns the path of the program.
    pub(crate) fn program(&self) -> PathBuf {
        PathBuf::from(&self.command[0])
    }

    /// Starts the server and completes the handshake.
    pub(crate) fn connect(&self) -> McpClient {
        McpClient::start(self.name, self.command())
    }

    /// Starts the server with at most `handles` file handles.
    pub(crate) fn connect_with_handles(&self, handles: u32) -> McpClient {
        let mut shell = process::command(Path::new("/bin/sh"), &self.folder);
        shell.arg("-c").arg(format!("ulimit -n {handles} && exec \"$@\"")).arg("sh");
        shell.args(&self.command);
        McpClient::start(self.name, shell)
    }

    fn command(&self) -> Command {
        let mut command = process::command(Path::new(&self.command[0]), &self.folder);
        command.args(&self.command[1..]);
        command
    }

    /// Returns the call that lists a folder of the corpus.
    pub(crate) fn list_call(&self, below: &str) -> Call {
        (self.dialect.list)(&self.folder, below)
    }

    /// Returns the call that reads a file of the corpus.
    pub(crate) fn read_call(&self, below: &str) -> Call {
        (self.dialect.read)(&self.folder, below)
    }

    /// Checks that an answer holds the file's text and nothing else, and panics otherwise.
    pub(crate) fn check_read(&self, below: &str, answer: &Value) {
        let file = std::fs::read_to_string(self.folder.join(below)).expect("the file");
        let content = answer.pointer(self.dialect.content).and_then(Value::as_str);
        assert!(content == Some(&file), "{} does not give the text of {below}", self.name);
    }
}
