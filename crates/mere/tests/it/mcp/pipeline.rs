//! Many calls at once over one connection.

use serde_json::{Value, json};

use crate::support::harness::Mcp;

/// How many calls are unanswered at most: beyond what may wait, the server refuses.
const AT_ONCE: usize = 500;

impl Mcp<'_> {
    /// Sends all calls without waiting for answers, and returns the replies in the calls' order.
    pub(crate) fn pipeline(&mut self, calls: &[(&str, Value)]) -> Vec<Value> {
        let mut replies = Vec::with_capacity(calls.len());
        for (round, calls) in calls.chunks(AT_ONCE).enumerate() {
            let line = |(number, (tool, arguments)): (usize, &(&str, Value))| {
                let params = json!({ "name": tool, "arguments": arguments });
                let id = format!("{round}.{number}");
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
                    .to_string()
            };
            let lines = calls.iter().enumerate().map(line).collect::<Vec<_>>();
            let mut answers = self.exchange(&lines, &format!("{round}.{}", calls.len() - 1));
            answers.retain(|answer| !answer["id"].is_null());
            while answers.len() < calls.len() {
                answers.push(self.receive());
            }
            let mut page = vec![Value::Null; calls.len()];
            for answer in answers {
                let (_, number) =
                    answer["id"].as_str().and_then(|id| id.split_once('.')).expect("an id");
                let number = number.parse::<usize>().expect("a number");
                page[number] = answer["result"]["structuredContent"].clone();
                assert!(page[number].is_object(), "{answer}");
            }
            replies.append(&mut page);
        }
        replies
    }

    /// Calls a tool and returns the reply.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.tool(tool, arguments)["structuredContent"].clone()
    }
}
