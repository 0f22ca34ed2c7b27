//! How proposals look to a person: as a table, and one of them with the changes it would make.
//!
//! A proposal is accepted by the digest of what was shown.

use mere_core::item::ItemType;
use serde::Deserialize;

use super::Printer;
use super::items::{BAD, FAINT, STRONG, item_name, push_line};
use super::reply::{ReplyView, nullable};
use super::run::LeftOutPath;
use super::signing::{FileChange, SignableItem};

/// The data of a reply to `mere review`.
#[derive(Deserialize)]
pub(crate) struct ProposalList {
    pub(crate) proposals: Vec<ProposalRow>,
    /// The items that are signed by keys that do not count.
    #[serde(default)]
    items: Vec<SignableItem>,
}

/// A proposal in a list.
#[derive(Deserialize)]
pub(crate) struct ProposalRow {
    #[serde(rename = "proposal")]
    pub(crate) name: String,
    action: String,
    item_type: String,
    id: String,
    category: String,
}

/// The data of a reply that shows a proposal.
#[derive(Deserialize)]
pub(crate) struct ShownProposal {
    agent: String,
    action: String,
    item_type: String,
    id: String,
    category: String,
    #[serde(deserialize_with = "nullable")]
    address: Option<String>,
    changes: Vec<FileChange>,
    base: String,
    pub(crate) digest: String,
    stale: bool,
    fault: Option<String>,
    /// The tool that proposes to change the project.
    tool: Option<String>,
    #[serde(default)]
    left_out: Vec<LeftOutPath>,
}

impl Printer {
    /// Formats the proposals that wait for a decision.
    pub(crate) fn proposals(&self, reply: &ReplyView<ProposalList>) -> String {
        let rows = reply.data.proposals.iter().map(|one| {
            let name = item_name(&one.category, &one.id);
            [one.name.clone(), one.action.clone(), one.item_type.clone(), name]
        });
        let rows = rows.collect::<Vec<_>>();
        let mut out = if rows.is_empty() {
            "There are no proposals.\n".to_owned()
        } else {
            self.table(["PROPOSAL", "ACTION", "TYPE", "ID"], rows)
        };
        for item in &reply.data.items {
            out += "\n";
            out += &self.difference(item);
        }
        out
    }

    /// Formats one proposal with the changes it would make.
    pub(crate) fn proposal(&self, reply: &ReplyView<ShownProposal>) -> String {
        let data = &reply.data;
        let kind = data.item_type.parse::<ItemType>();
        let noun = kind.map_or(data.item_type.as_str(), |kind| kind.noun());
        let name = item_name(&data.category, &data.id);
        let head = match &data.tool {
            Some(tool) => format!("{tool}, run for {}, proposes to change {name}", data.agent),
            None => format!("{} proposes to {} the {noun} {name}", data.agent, data.action),
        };
        let mut out = format!("{}\n", self.paint(&self.escape_controls(&head), STRONG));
        let address = data.address.as_deref().unwrap_or_default();
        push_line(&mut out, format_args!("{}", self.escape_controls(address)));
        out += &self.changes(&data.changes);
        let left_out = self.left_out(&data.left_out);
        if !left_out.is_empty() {
            push_line(&mut out, format_args!("\n{}", left_out.trim_end()));
        }
        let base = format!("compared with {}", data.base);
        push_line(&mut out, format_args!("{}", self.paint(&base, FAINT)));
        let digest = format!("digest {}", data.digest);
        push_line(&mut out, format_args!("\n{}", self.paint(&digest, FAINT)));
        if data.stale {
            let why = match &data.tool {
                Some(_) => "Files have changed since the tool saw them, so it cannot be accepted.",
                None => "The item has changed since this was proposed, so it cannot be accepted.",
            };
            push_line(&mut out, format_args!("\n{}", self.paint(why, BAD)));
        }
        if let Some(fault) = &data.fault {
            let why = self.paint("It cannot be placed:", BAD);
            push_line(&mut out, format_args!("\n{why} {}", self.escape_controls(fault)));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use serde_json::json;

    #[test]
    fn a_proposal_that_cannot_be_accepted_says_why() {
        let reply = success(json!({
            "proposal": "a/p", "agent": "a", "action": "update", "item_type": "tool", "id": "x",
            "category": "", "address": "ROOT_PROJECT:/x", "base": "nothing", "digest": "00",
            "changes": [{ "path": "x.md", "diff": "+a\n" }], "stale": true, "fault": "f",
        }));
        let expected = "a proposes to update the tool x
ROOT_PROJECT:/x

x.md
+a
compared with nothing

digest 00

The item has changed since this was proposed, so it cannot be accepted.

It cannot be placed: f
";
        assert_eq!(pipe_printer().proposal(&reply), expected);
    }
}
