//! `mere calls`: what agents called lately in this project, and what each was shown.

pub(crate) mod feed;

use std::collections::BTreeMap;

use jiff::Timestamp;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};

use crate::world::Context;
use feed::{FeedCall, FeedEvent, FeedLine};

/// How many bytes of a list are about one token.
const BYTES_PER_TOKEN: usize = 4;

/// What the feed says about one agent.
#[derive(Default)]
struct FeedClient<'a> {
    calls: usize,
    refused: usize,
    last: i64,
    /// The newest list of each kind: how many entries, and how many bytes.
    lists: BTreeMap<&'a str, (usize, usize)>,
}

/// Lists the newest calls, and the agents that made them.
pub(crate) fn list_calls(context: &Context, limit: usize) -> Draft {
    match feed::watch(context) {
        Ok(lines) => calls_reply(&lines, limit),
        Err(error) => {
            let message = Prose::words("The feed of calls cannot be read: ");
            let message = message.content(Content::mention(error.to_string())).and(".");
            Draft::fault(codes::CALLS_BROKEN, message)
                .hint("It lies in the folder `calls` of your state folder; you may remove that.")
        }
    }
}

fn calls_reply(lines: &[FeedLine], limit: usize) -> Draft {
    let calls = lines.iter().filter_map(|line| match &line.event {
        FeedEvent::Call(call) => Some((line, call)),
        FeedEvent::List(_) => None,
    });
    let rows = calls.take(limit).map(|(line, call)| Data::from(call_row(line, call)));
    let rows = rows.collect::<Vec<_>>();
    let message = match rows.len() {
        1 => "1 call.".to_owned(),
        count => format!("{count} calls."),
    };
    let is_empty = rows.is_empty();
    let clients = collect_clients(lines).into_iter().map(|(name, client)| client.row(name).into());
    let data = Fields::default()
        .with("calls", Data::List(rows))
        .with("clients", Data::List(clients.collect()));
    let draft = Draft::success(codes::CALLS, Prose::words(message)).data(data);
    if !is_empty {
        return draft;
    }
    draft.hint(
        "No agent has called anything in this project since you first watched; `mere connect` \
         connects one.",
    )
}

fn call_row(line: &FeedLine, call: &FeedCall) -> Fields {
    Fields::default()
        .with("at", time_words(line.at))
        .with("agent", Content::mention(line.agent.as_str()))
        .with("tool", Content::mention(call.tool.as_str()))
        .with("code", Content::mention(call.code.as_str()))
        .with("succeeded", call.succeeded)
        .with("message", Content::mention(call.message.as_str()))
        .with("micros", call.micros)
}

/// Collects what the lines, the newest first, say about each agent.
fn collect_clients(lines: &[FeedLine]) -> BTreeMap<&str, FeedClient<'_>> {
    let mut clients = BTreeMap::<&str, FeedClient<'_>>::new();
    for line in lines {
        let client = clients.entry(&line.agent).or_default();
        client.last = client.last.max(line.at);
        match &line.event {
            FeedEvent::Call(call) => {
                client.calls += 1;
                client.refused += usize::from(!call.succeeded);
            }
            FeedEvent::List(list) => {
                client.lists.entry(&list.of).or_insert((list.count, list.bytes));
            }
        }
    }
    clients
}

impl FeedClient<'_> {
    fn row(&self, name: &str) -> Fields {
        let lists = self.lists.iter().map(|(of, (count, bytes))| {
            Data::from(
                Fields::default()
                    .with("of", Content::mention(*of))
                    .with("count", *count as u64)
                    .with("tokens", bytes.div_ceil(BYTES_PER_TOKEN) as u64),
            )
        });
        Fields::default()
            .with("agent", Content::mention(name))
            .with("calls", self.calls as u64)
            .with("refused", self.refused as u64)
            .with("last", time_words(self.last))
            .with("lists", Data::List(lists.collect()))
    }
}

fn time_words(milliseconds: i64) -> Data {
    let time = Timestamp::from_millisecond(milliseconds).unwrap_or_default();
    Data::Words(time.to_string().into())
}
