//! A tool as another server describes it, and the id that it has here.

use serde_json::Value;

use super::PinnedPart;
use crate::item::{IdError, ItemId};

/// The longest name of a tool, in characters.
const MAX_NAME: usize = 128;

/// A tool as a server describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteTool {
    name: String,
    description: Value,
}

/// The reason why what a server says is not a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteToolFault {
    /// It has no usable name.
    #[error("a tool needs a name of 1 to 128 letters, digits, `_`, `-`, `.` or `/`")]
    Name,
    /// A part of it has another type than the protocol says.
    #[error("`{0}` of a tool has the wrong type")]
    Part(PinnedPart),
}

impl RemoteTool {
    /// Reads a tool from a list of tools.
    pub fn parse(description: &Value) -> Result<Self, RemoteToolFault> {
        let name = description["name"].as_str().filter(|name| is_name(name));
        let name = name.ok_or(RemoteToolFault::Name)?.to_owned();
        let tool = Self { name, description: description.clone() };
        for part in PinnedPart::ALL {
            let is_right = match (part, tool.part(part)) {
                (PinnedPart::InputSchema, None) => false,
                (_, None) => true,
                (PinnedPart::Title | PinnedPart::Description, Some(value)) => value.is_string(),
                (_, Some(value)) => value.is_object(),
            };
            if !is_right {
                return Err(RemoteToolFault::Part(part));
            }
        }
        Ok(tool)
    }

    /// Returns its name on its server.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a part of its description, if the server gives it.
    pub fn part(&self, part: PinnedPart) -> Option<&Value> {
        self.description.get(part.remote_key()).filter(|value| !value.is_null())
    }

    /// Returns its description in words, or its title.
    pub fn words(&self) -> &str {
        let text = |part| self.part(part).and_then(Value::as_str).filter(|text| !text.is_empty());
        text(PinnedPart::Description).or(text(PinnedPart::Title)).unwrap_or_default()
    }

    /// Returns the id that the tool has here: its name in lower case, with `_` in place of every
    /// character that an id does not have, also of a first one that no id begins with.
    pub fn item_id(&self) -> Result<ItemId, IdError> {
        let is_kept = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
        let id = self.name.to_ascii_lowercase();
        let id = id.chars().map(|c| if is_kept(c) { c } else { '_' }).collect::<String>();
        id.trim_start_matches(['_', '-']).parse()
    }
}

fn is_name(text: &str) -> bool {
    let is_character = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    (1..=MAX_NAME).contains(&text.len()) && text.bytes().all(is_character)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn id(name: &str) -> Option<String> {
        let tool = RemoteTool::parse(&json!({ "name": name, "inputSchema": {} })).ok()?;
        tool.item_id().ok().map(|id| id.to_string())
    }

    #[test]
    fn a_name_becomes_an_id() {
        for (name, expected) in [
            ("echo", Some("echo")),
            ("get-sum", Some("get-sum")),
            ("getTinyImage", Some("gettinyimage")),
            ("fs/read.file", Some("fs_read_file")),
            ("_private", Some("private")),
            ("con", None),
            ("___", None),
            ("a b", None),
            ("${x}", None),
            ("../x", Some("x")),
            ("\u{e9}", None),
            ("", None),
        ] {
            assert_eq!(id(name).as_deref(), expected, "{name}");
        }
        assert_eq!(id(&"x".repeat(65)), None);
    }

    #[test]
    fn what_has_another_type_is_no_tool() {
        for wrong in [
            json!({ "name": 1, "inputSchema": {} }),
            json!({ "name": "a" }),
            json!({ "name": "a", "inputSchema": [] }),
            json!({ "name": "a", "inputSchema": {}, "description": {} }),
            json!({ "name": "a", "inputSchema": {}, "annotations": "x" }),
            json!("a"),
        ] {
            assert!(RemoteTool::parse(&wrong).is_err(), "{wrong}");
        }
    }
}
