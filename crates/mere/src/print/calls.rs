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
    /// Returns what it was shown, such as `17 tools, 1 prompt`.
    pub(crate) fn shown(&self) -> String {
        let lists = self.lists.iter().map(|list| match list.count {
            1 => format!("1 {}", list.of.trim_end_matches('s')),
            count => format!("{count} {}", list.of),
        });
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
        // Two tables of different columns follow each other, so both have a head for a program, too.
        let mut out = self.headed_table(columns, agents.collect());
        if calls.is_empty() {
            return out;
        }
        push_line(&mut out, format_args!(""));
        let rows = calls.iter().map(|call| {
            let at = call.at.get(..19).unwrap_or(&call.at).replace('T', " ");
            let cells = [&at, &call.agent, &call.tool, &call.code, &call.message];
            cells.map(|cell| self.escape_controls(cell))
        });
        out + &self
            .headed_table(["WHEN (UTC)", "AGENT", "TOOL", "RESULT", "ANSWER"], rows.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use super::*;
    use serde_json::json;

    #[test]
    fn what_an_agent_was_shown_is_counted_below_a_head() {
        let lists = [("tools", 17), ("prompts", 1)];
        let lists = lists.map(|(of, count)| json!({ "of": of, "count": count, "tokens": 5 }));
        let call = json!({
            "at": "2026-11-18T14:02:11.5Z", "agent": "ada", "tool": "dir", "code": "WA-DIR-S-001",
            "succeeded": true, "message": "Home.", "micros": 1
        });
        let client =
            json!({ "agent": "ada", "calls": 1, "refused": 0, "last": "", "lists": lists });
        let reply = success::<CallList>(json!({ "calls": [call], "clients": [client] }));
        let expected = "AGENT  WAS SHOWN           TOKENS  CALLS  REFUSED\n\
            ada    17 tools, 1 prompt  10      1      0\n\n\
            WHEN (UTC)           AGENT  TOOL  RESULT        ANSWER\n\
            2026-11-18 14:02:11  ada    dir   WA-DIR-S-001  Home.\n";
        assert_eq!(pipe_printer().calls(&reply), expected);
    }
}
