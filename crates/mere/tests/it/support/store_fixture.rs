//! A store to test with, and the three ways in which it is spoken to: by an agent at the keyboard,
//! by a person, and over MCP. Whatever is said goes through the real binary.

use std::collections::BTreeMap;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage, timeless};

pub(crate) const CONFIG: &str = "project/.ai/config.yaml";
pub(crate) const USER_CONFIG: &str = "home/.ai/config.yaml";
/// The folder of the store.
pub(crate) const STORE: &str = "project/.ai/memory";
pub(crate) const MODES: [&str; 3] = ["free", "subcategories", "strict"];

/// The store of the design, in a mode.
pub(crate) fn cortex(mode: &str) -> String {
    format!(
        "stores:
  cortex:
    path: ./memory
    description: Project memory store
    categoryMode: {mode}
    categories:
      standards:
        description: Architecture decisions and coding standards
        subcategories:
          architecture: {{ description: System architecture patterns }}
          testing: {{ description: Testing conventions }}
      todo: {{ description: Outstanding work items }}
      decisions:
        description: Development decisions with rationale
        subcategories:
          config: {{}}
"
    )
}

/// A stage with this configuration, and its categories on disk.
pub(crate) fn configured(config: &str) -> Stage {
    let stage = Stage::new();
    stage.file(CONFIG, config);
    let synced = Surface::Person.ask(&stage, "sync", &json!({}));
    assert_eq!(synced["code"], "IT-STORE-S-003", "{synced}");
    stage
}

/// How a store is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    /// `mere call`.
    Call,
    /// The command for people, with `--json`.
    Person,
    /// A server of its own.
    Mcp,
}

impl Surface {
    pub(crate) const ALL: [Self; 3] = [Self::Call, Self::Person, Self::Mcp];

    /// Makes one call. How the process ends, or what MCP calls an error, fits the reply.
    pub(crate) fn ask(self, stage: &Stage, tool: &str, arguments: &Value) -> Value {
        let (reply, status) = match self {
            Self::Call => {
                let answer = stage.call_text(tool, &arguments.to_string());
                (answer.reply, answer.status)
            }
            Self::Person => {
                let words = words(tool, arguments);
                let output = stage.command("project").args(&words).output().expect("mere runs");
                let reply = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
                    panic!("{words:?}: {error} {}", String::from_utf8_lossy(&output.stderr))
                });
                (reply, output.status.code().expect("an exit status"))
            }
            Self::Mcp => {
                let result = Mcp::greeted(stage, &[]).tool(tool, arguments);
                let reply = result["structuredContent"].clone();
                assert_eq!(result["isError"], json!(reply["reply_type"] != "S"), "{result}");
                let status = status_of(&reply);
                (reply, status)
            }
        };
        assert_eq!(status, status_of(&reply), "{self:?} {tool} {arguments}: {reply}");
        reply
    }

    /// The same for a call that must succeed: what it tells.
    pub(crate) fn done(self, stage: &Stage, tool: &str, arguments: &Value) -> Value {
        let reply = self.ask(stage, tool, arguments);
        assert_eq!(reply["reply_type"], "S", "{self:?} {tool} {arguments}: {reply}");
        reply["data"].clone()
    }
}

/// How a process ends with a reply.
fn status_of(reply: &Value) -> i32 {
    match reply["reply_type"].as_str() {
        Some("S") => 0,
        Some("I") => 1,
        Some("D") => 3,
        Some("E") => 4,
        _ => panic!("no reply type: {reply}"),
    }
}

/// A reply without what differs from call to call and from surface to surface.
pub(crate) fn plain(reply: &Value) -> Value {
    let mut reply = timeless(reply);
    let fields = reply.as_object_mut().expect("an object");
    fields.shift_remove("meta").expect("every reply has its tool");
    reply
}

/// The type, the code and the message of a reply.
pub(crate) fn outcome(reply: &Value) -> [&str; 3] {
    ["reply_type", "code", "message"].map(|key| reply[key].as_str().expect("a text"))
}

/// What a person types for a call.
pub(crate) fn words(tool: &str, arguments: &Value) -> Vec<String> {
    let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
    let mut words: Vec<String> = match tool {
        "create_category" => vec!["category".into(), "create".into(), text("path")],
        "delete_category" => vec!["category".into(), "delete".into(), text("path"), "--yes".into()],
        "set_category_description" => {
            vec!["category".into(), "describe".into(), text("path"), text("description")]
        }
        "create_memory" => vec!["memory".into(), "create".into(), text("path"), text("content")],
        "update_memory" => vec!["memory".into(), "update".into(), text("path")],
        "get_memory" => vec!["memory".into(), "get".into(), text("path")],
        "move_memory" => vec!["memory".into(), "move".into(), text("from"), text("to")],
        "remove_memory" => vec!["memory".into(), "remove".into(), text("path"), "--yes".into()],
        "list_memories" => vec!["memory".into(), "list".into()],
        "list_stores" => vec!["store".into(), "list".into()],
        "sync" => vec!["store".into(), "sync".into()],
        other => panic!("people have no {other}"),
    };
    let flag = |name: &str, word: &str| (arguments[name] == true).then(|| word.to_owned());
    words.extend(flag("recursive", "--recursive"));
    words.extend(flag("include_expired", "--include-expired"));
    let one = |name: &str| arguments[name].as_str().map(str::to_owned);
    words.extend(one("category"));
    words.extend(one("content").filter(|_| tool == "update_memory"));
    for name in ["description", "expires_at", "source", "expect_sha256", "sort"] {
        let option = format!("--{}", name.replace('_', "-"));
        let value = one(name).filter(|_| tool != "set_category_description");
        words.extend(value.map(|value| format!("{option}={value}")));
    }
    words.extend(arguments["limit"].as_u64().map(|limit| format!("--limit={limit}")));
    let all = |name: &str| arguments[name].as_array().cloned().unwrap_or_default();
    let texts = |name: &str, word: &str| {
        let texts = all(name).into_iter();
        texts.map(|text| format!("{word}={}", text.as_str().expect("a text"))).collect::<Vec<_>>()
    };
    words.extend(texts("tags", "--tag"));
    words.extend(texts("citations", "--citation"));
    let is_update = tool == "update_memory";
    let clears = |name: &str, empty: Value| is_update && arguments.get(name) == Some(&empty);
    words.extend(clears("tags", json!([])).then(|| "--no-tags".to_owned()));
    words.extend(clears("citations", json!([])).then(|| "--no-citations".to_owned()));
    words.extend(clears("expires_at", Value::Null).then(|| "--never-expires".to_owned()));
    words.push("--json".to_owned());
    words
}

/// Everything on a stage: what each path is, and what is in it. What is derived, and the folder for
/// half-written files, is nobody's; nothing may lie in the latter.
pub(crate) fn disk(stage: &Stage) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    look(&stage.path(""), "", &mut found);
    found.retain(|path, what| {
        let is_staging = path.ends_with("/.new-files");
        assert!(!path.contains("/.new-files/"), "{path} was left behind");
        let is_derived = path.contains("/.cache") || path.ends_with(".index.json");
        !(is_derived || is_record_of_rules(path) || is_staging && what == "folder")
    });
    found
}

/// Whether a path belongs to the record of the rules that were seen, which any call may write.
fn is_record_of_rules(path: &str) -> bool {
    let state = "home/.local/state/merestone";
    let files = [format!("{state}/.lock"), format!("{state}/project-rules.json")];
    files.iter().any(|file| file == path) || state.starts_with(path)
}

fn look(folder: &Path, above: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let below = if above.is_empty() { name } else { format!("{above}/{name}") };
        let kind = std::fs::symlink_metadata(&path).expect("it is there").file_type();
        let what = if kind.is_symlink() {
            format!("link to {}", std::fs::read_link(&path).expect("a link").display())
        } else if kind.is_dir() {
            look(&path, &below, found);
            "folder".to_owned()
        } else if kind.is_fifo() {
            "pipe".to_owned()
        } else if kind.is_socket() {
            "socket".to_owned()
        } else {
            let bytes = std::fs::read(&path).expect("a file");
            format!("file {}", String::from_utf8_lossy(&bytes))
        };
        found.insert(below, what);
    }
}

/// What is there now and was not before, with what is in it, and what is gone or another.
pub(crate) fn difference(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> (Vec<String>, Vec<String>) {
    let new = after.keys().filter(|path| !before.contains_key(*path)).cloned();
    let gone = before.iter().filter(|(path, what)| after.get(*path) != Some(what));
    (new.collect(), gone.map(|(path, _)| path.clone()).collect())
}

/// The text of a file.
pub(crate) fn text(stage: &Stage, below: &str) -> String {
    std::fs::read_to_string(stage.path(below)).unwrap_or_else(|error| panic!("{below}: {error}"))
}

/// The time, in whole seconds, and some more.
pub(crate) fn in_seconds(more: i64) -> jiff::Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seconds = since.expect("after 1970").as_secs();
    let seconds = i64::try_from(seconds).expect("a time") + more;
    jiff::Timestamp::from_second(seconds).expect("a time")
}
