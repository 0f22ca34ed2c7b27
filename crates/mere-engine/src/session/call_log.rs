//! What is written about each call: a line in the log, and one in the feed that a person can watch.

use std::time::{Duration, Instant};

use mere_core::address::AgentName;
use mere_core::gate::{Cleared, ClearedText, ReplyMetadata};
use mere_core::reply::{ReplyType, codes};
use mere_host::now_nanoseconds;

use super::Session;
use crate::commands::calls::feed::{FeedCall, FeedEvent, FeedLine, FeedList, project_mark};

/// The longest part of a message that the feed has, in characters.
const MAX_MESSAGE: usize = 200;

/// What the feed says about a call besides its reply.
pub(super) struct AnsweredCall {
    /// The tool, or the method of the protocol.
    pub(super) tool: &'static str,
    /// The sentence that the agent got.
    pub(super) message: Option<ClearedText>,
    pub(super) took: Duration,
}

impl Session {
    /// Adds a call to the feed.
    pub(super) fn feed_call(&self, reply: &Cleared, stamp: &ReplyMetadata, call: &AnsweredCall) {
        let message = call.message.as_ref().map_or("", |message| message.as_str());
        let call = FeedCall {
            tool: call.tool.to_owned(),
            code: reply.code().to_string(),
            succeeded: reply.reply_type() == ReplyType::Success,
            message: message.chars().take(MAX_MESSAGE).collect(),
            micros: whole_micros(call.took),
        };
        self.add_to_feed(&stamp.agent, FeedEvent::Call(call));
    }

    /// Adds to the feed that a client was sent a list, such as that of the `tools`.
    pub fn note_list(&self, agent: &AgentName, of: &str, (count, bytes): (usize, usize)) {
        if self.feed.is_kept() {
            let list = FeedList { of: of.to_owned(), count, bytes };
            self.add_to_feed(agent, FeedEvent::List(list));
        }
    }

    fn add_to_feed(&self, agent: &AgentName, event: FeedEvent) {
        let (at, agent) = (now_nanoseconds() / 1_000_000, agent.as_str().to_owned());
        self.feed.note(FeedLine { at, project: project_mark(&self.context), agent, event });
    }
}

/// Writes one log line for a call.
pub(super) fn log_call(cleared: &Cleared, began: Instant) {
    let micros = whole_micros(began.elapsed());
    let code = cleared.code();
    if code == codes::GATE_WITHHELD.id() {
        tracing::error!(%code, micros, "a reply named a host path and was withheld");
    } else {
        tracing::info!(%code, micros, "answered");
    }
}

fn whole_micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
