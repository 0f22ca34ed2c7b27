//! The clients that can be connected, and where each keeps its settings.

use std::fmt;

use mere_core::item::Scope;
use mere_core::text::toml_edit::TomlValue;
use serde_json::{Value, json};

use super::entry::SettingsEntry;

/// The name of the server in a client's settings.
const SERVER: &str = "mere";
/// What a client replaces by the folder of the project.
pub(super) const WORKSPACE_VARIABLE: &str = "${workspaceFolder}";

/// A program that agents run in, and that can start an MCP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentClient {
    /// Claude Code.
    Claude,
    /// Codex, the CLI.
    Codex,
    /// Google's Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
}

/// Where a settings file lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct SettingsPath {
    /// The variable that names another folder than the usual one, and the path in that folder.
    pub(super) variable: Option<(&'static str, &'static str)>,
    /// The path below the home folder, or below the project.
    pub(super) path: &'static str,
}

impl AgentClient {
    /// Every client.
    pub const ALL: [Self; 5] =
        [Self::Claude, Self::Codex, Self::Gemini, Self::Cursor, Self::VsCode];

    /// Returns the path of the settings that name MCP servers.
    pub(super) fn server_settings(self, scope: Scope) -> SettingsPath {
        let plain = |path| SettingsPath { variable: None, path };
        let elsewhere =
            |variable, inside, path| SettingsPath { variable: Some((variable, inside)), path };
        match (self, scope) {
            (Self::Claude, Scope::Project) => plain(".mcp.json"),
            (Self::Claude, _) => elsewhere("CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json"),
            (Self::Codex, Scope::Project) => plain(".codex/config.toml"),
            (Self::Codex, _) => elsewhere("CODEX_HOME", "config.toml", ".codex/config.toml"),
            (Self::Gemini, _) => plain(".gemini/settings.json"),
            (Self::Cursor, _) => plain(".cursor/mcp.json"),
            (Self::VsCode, Scope::Project) => plain(".vscode/mcp.json"),
            (Self::VsCode, _) => {
                elsewhere("XDG_CONFIG_HOME", "Code/User/mcp.json", ".config/Code/User/mcp.json")
            }
        }
    }

    /// Returns the arguments that the client starts this program with.
    pub(super) fn server_arguments(self, scope: Scope) -> Vec<String> {
        // These two do not start a server in the folder of the project.
        let names_project = matches!(self, Self::Cursor | Self::VsCode) && scope == Scope::Project;
        let project = names_project.then_some(["--project", WORKSPACE_VARIABLE]);
        let arguments = ["mcp"].into_iter().chain(project.into_iter().flatten());
        arguments.map(str::to_owned).collect()
    }

    /// Returns the entry that makes the client start a command as an MCP server.
    pub(super) fn server_entry(self, command: &str, scope: Scope) -> SettingsEntry {
        let args = self.server_arguments(scope);
        let member = |group: &'static str, value: Value| SettingsEntry::JsonMember {
            path: vec![group, SERVER],
            value,
        };
        let plain = json!({ "command": command, "args": &args });
        let typed = json!({ "type": "stdio", "command": command, "args": &args });
        match self {
            Self::Claude => member("mcpServers", typed),
            Self::Gemini | Self::Cursor => member("mcpServers", plain),
            Self::VsCode => member("servers", typed),
            Self::Codex => SettingsEntry::TomlTable {
                group: "mcp_servers",
                name: SERVER,
                keys: vec![
                    ("command", TomlValue::Text(command.to_owned())),
                    ("args", TomlValue::Texts(args)),
                ],
            },
        }
    }

    /// Returns the path of the settings that name hooks, and the entry that checks signatures when
    /// a session begins. Only Claude Code has such a hook.
    pub(super) fn session_hook(self, command: &str) -> Option<(SettingsPath, SettingsEntry)> {
        if self != Self::Claude {
            return None;
        }
        let settings = SettingsPath {
            variable: Some(("CLAUDE_CONFIG_DIR", "settings.json")),
            path: ".claude/settings.json",
        };
        let command = format!("{} verify --if-space", quote_for_shell(command));
        let value = json!({ "hooks": [{ "type": "command", "command": command }] });
        Some((settings, SettingsEntry::JsonElement { path: vec!["hooks", "SessionStart"], value }))
    }
}

impl fmt::Display for AgentClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
        })
    }
}

fn quote_for_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-');
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_spaces_is_one_word_of_the_hook() {
        assert_eq!(quote_for_shell("/usr/bin/mere"), "/usr/bin/mere");
        assert_eq!(quote_for_shell("/a b/it's"), r"'/a b/it'\''s'");
    }
}
