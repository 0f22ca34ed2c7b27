//! Reads through the one door, with the requests that the command line makes.
//!
//! Nobody can be asked from a page, and nothing here makes a request that changes something.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mere_core::reply::reword_for_person;
use mere_core::request::{Request, Verb};
use mere_core::turn::{Outcome, Progress, Turn};
use mere_engine::Session;
use mere_pages::{Html, Tag, element, sentence};
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::print::reply::{ReplyView, is_answer};

/// How long reading for a page may take.
const MAX_TIME: Duration = Duration::from_secs(20);

/// Reads for pages.
#[derive(Clone)]
pub(super) struct UiReader {
    session: Arc<Session>,
}

/// Why something cannot be shown.
pub(super) struct Unreadable {
    message: String,
    hint: Option<String>,
}

/// A turn in which nobody is asked.
struct PageTurn {
    deadline: Instant,
}

impl Turn for PageTurn {
    fn progress(&mut self, _note: &Progress) {}

    fn is_cancelled(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.deadline)
    }
}

impl UiReader {
    /// Makes a reader.
    pub(super) fn new(session: Arc<Session>) -> Self {
        Self { session }
    }

    /// Makes a call, and returns the data of its reply.
    pub(super) fn read<T: DeserializeOwned>(
        &self,
        tool: &'static str,
        verb: impl Into<Verb>,
    ) -> Result<T, Unreadable> {
        let agent = self.session.agent().cloned().unwrap_or_default();
        let request = Request::from_person(agent, tool, verb.into());
        let mut turn = PageTurn { deadline: Instant::now() + MAX_TIME };
        let reply = match self.session.handle(&request, &mut turn) {
            Outcome::Done(reply) => reply,
            Outcome::Ask(question, _) => {
                let message = question.text.as_str().to_owned();
                let hint = Some("Use the command line: pages do not ask.".to_owned());
                return Err(Unreadable { message, hint });
            }
        };
        let broken =
            |error: &dyn std::error::Error| Unreadable { message: error.to_string(), hint: None };
        if is_answer(&reply) {
            return Ok(ReplyView::<T>::read(&reply).map_err(|error| broken(&error))?.data);
        }
        let view = ReplyView::<IgnoredAny>::read(&reply).map_err(|error| broken(&error))?;
        let hint = view.hint.map(|hint| reword_for_person(&hint));
        Err(Unreadable { message: view.message, hint })
    }

    /// Tells whether a tool is offered to agents.
    pub(super) fn has_tool(&self, tool: &mere_core::request::Tool) -> bool {
        self.session.has_tool(tool)
    }
}

impl From<Unreadable> for Html {
    fn from(unreadable: Unreadable) -> Self {
        let hint = unreadable.hint.map(|hint| element(Tag::P).with(sentence(&hint)));
        let panel = element(Tag::Div).class("panel problem");
        panel.with(element(Tag::P).with(unreadable.message)).with(hint).into()
    }
}
