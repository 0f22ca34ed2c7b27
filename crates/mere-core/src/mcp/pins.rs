//! What a signed manifest pins of a tool of another server: one digest for each part of what the
//! server says about it.
//!
//! A server that changes one of them after a person has read and signed it is refused, because an
//! agent or a person would otherwise use a tool that nobody has looked at.

use std::fmt;

use serde_json::Value;

use super::RemoteTool;
use crate::digest::Sha256;
use crate::text::canonical;

/// A part of what a server says about a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PinnedPart {
    /// The title.
    Title,
    /// The description.
    Description,
    /// The schema of its arguments.
    InputSchema,
    /// The schema of its result.
    OutputSchema,
    /// What the server says about its effects.
    Annotations,
}

impl PinnedPart {
    /// All parts.
    pub const ALL: [Self; 5] =
        [Self::Title, Self::Description, Self::InputSchema, Self::OutputSchema, Self::Annotations];

    /// Returns its key in a manifest.
    pub fn key(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Description => "description",
            Self::InputSchema => "input_schema",
            Self::OutputSchema => "output_schema",
            Self::Annotations => "annotations",
        }
    }

    /// Returns its key in what a server says.
    pub(super) fn remote_key(self) -> &'static str {
        match self {
            Self::InputSchema => "inputSchema",
            Self::OutputSchema => "outputSchema",
            other => other.key(),
        }
    }
}

impl fmt::Display for PinnedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// The digests of all parts. A part that is missing has the digest of `null`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPins([Sha256; 5]);

impl ToolPins {
    /// Computes the digests of what a server says about a tool.
    pub fn of_tool(tool: &RemoteTool) -> Self {
        Self(PinnedPart::ALL.map(|part| {
            let value = tool.part(part).unwrap_or(&Value::Null);
            Sha256::digest(canonical::to_text(value).as_bytes())
        }))
    }

    /// Parses the digests in a manifest. There must be all of them, and nothing else.
    pub fn parse(value: &Value) -> Option<Self> {
        let map = value.as_object().filter(|map| map.len() == PinnedPart::ALL.len())?;
        let digest = |part: PinnedPart| map.get(part.key())?.as_str()?.parse::<Sha256>().ok();
        let [title, description, input, output, annotations] = PinnedPart::ALL.map(digest);
        Some(Self([title?, description?, input?, output?, annotations?]))
    }

    /// Returns the digests as a manifest has them.
    pub fn to_json(&self) -> Value {
        let digests = PinnedPart::ALL.iter().zip(&self.0);
        let entries = digests.map(|(part, one)| (part.key().to_owned(), one.to_string().into()));
        Value::Object(entries.collect())
    }

    /// Returns the parts in which another set of digests differs.
    pub fn changed_parts(&self, now: &Self) -> Vec<PinnedPart> {
        let parts = PinnedPart::ALL.into_iter().zip(self.0.iter().zip(&now.0));
        parts.filter(|(_, (pinned, now))| pinned != now).map(|(part, _)| part).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(changes: &Value) -> RemoteTool {
        let mut tool =
            json!({ "name": "echo", "title": "Echo", "inputSchema": {"type": "object"} });
        for (key, value) in changes.as_object().expect("an object") {
            tool[key] = value.clone();
        }
        RemoteTool::parse(&tool).expect("a tool")
    }

    #[test]
    fn each_part_that_changes_is_named() {
        let pinned = ToolPins::of_tool(&tool(&json!({})));
        assert_eq!(ToolPins::parse(&pinned.to_json()), Some(pinned.clone()));
        for (change, expected) in [
            (json!({}), vec![]),
            (json!({"_meta": {"a": 1}}), vec![]),
            (json!({"inputSchema": {"type": "object"}, "title": "Echo"}), vec![]),
            (json!({"title": "Echo "}), vec![PinnedPart::Title]),
            (json!({"description": ""}), vec![PinnedPart::Description]),
            (json!({"outputSchema": {}}), vec![PinnedPart::OutputSchema]),
            (
                json!({"inputSchema": {"type": "object", "x": 1}, "annotations": {}}),
                vec![PinnedPart::InputSchema, PinnedPart::Annotations],
            ),
        ] {
            let now = ToolPins::of_tool(&tool(&change));
            assert_eq!(pinned.changed_parts(&now), expected, "{change}");
        }
    }

    #[test]
    fn pins_are_whole_or_none() {
        let whole = ToolPins::of_tool(&tool(&json!({}))).to_json();
        let mut more = whole.clone();
        more["other"] = whole["title"].clone();
        let mut other = whole.clone();
        other["title"] = json!("abc");
        for wrong in [json!(null), json!({}), more, other] {
            assert_eq!(ToolPins::parse(&wrong), None, "{wrong}");
        }
    }
}
