//! How the calls of agents look to a person.
//!
//! What an agent chose is escaped, so that it cannot control the terminal.

use serde::Deserialize;

use super::Printer;
use super::items::push_line;
use super::reply::ReplyView;

/// The data of a reply to `mere calls`, the newest call first.
#[derive(Deserialize)]
pub(crate) struct CallList {
    pub(crate) calls: Vec<CallRow>,
    pub(crate) clients: Vec<CallingAgent>,
}

/// One call.
#[derive(Deserialize)]
pub(crate) struct CallRow {
    pub(crate) at: String,
    pub(crate) agent: String,
    pub(crate) tool: String,
    pub(crate) code: String,
    pub(crate) succeeded: bool,
    pub(crate) message: String,
    micros: u64,
}

/// An agent that has called something or was sent a list.
#[derive(Deserialize)]
pub(crate) struct CallingAgent {
    pub(crate) agent: String,
    pub(crate) calls: u64,
    pub(crate) refused: u64,
    pub(crate) last: String,
    lists: Vec<ShownList>,
}

#[derive(Deserialize)]
struct ShownList {
    of: String,
    count: u64,
    tokens: u64,
}

impl CallRow {
    /// Returns how long it took, in milliseconds.
    pub(crate) fn milliseconds(&self) -> String {
        format!("{}.{}", self.micros / 1_000, self.micros % 1_000 / 100)
    }
}

impl CallingAgent {
    /// Returns what it was shown, such as `17 tools, 3 prompts`.
    pub(crate) fn shown(&self) -> String {
        let lists = self.lists.iter().map(|list| format!("{} {}", list.count, list.of));
        lists.collect::<Vec<_>>().join(", ")
    }

    /// Returns about how many tokens that costs.
    pub(crate) fn tokens(&self) -> u64 {
        self.lists.iter().map(|list| list.tokens).sum()
    }
}

impl Printer {
    /// Formats the newest calls, and the agents that made them.
    pub(crate) fn calls(&self, reply: &ReplyView<CallList>) -> String {
        let CallList { calls, clients } = &reply.data;
        if clients.is_empty() {
            return self.sentence(reply);
        }
        let agents = clients.iter().map(|client| {
            let tokens = client.tokens().to_string();
            let calls = client.calls.to_string();
            let cells =
                [&client.agent, &client.shown(), &tokens, &calls, &client.refused.to_string()];
            cells.map(|cell| self.escape_controls(cell))
        });
        let columns = ["AGENT", "WAS SHOWN", "TOKENS", "CALLS", "REFUSED"];
        let mut out = self.table(columns, agents.collect());
        if calls.is_empty() {
            return out;
        }
        push_line(&mut out, format_args!(""));
        let rows = calls.iter().map(|call| {
            let at = call.at.get(..19).unwrap_or(&call.at).replace('T', " ");
            let cells = [&at, &call.agent, &call.tool, &call.code, &call.message];
            cells.map(|cell| self.escape_controls(cell))
        });
        out + &self.table(["WHEN (UTC)", "AGENT", "TOOL", "RESULT", "ANSWER"], rows.collect())
    }
}
