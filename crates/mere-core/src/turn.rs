//! What an edge lends to the engine for one call, and what it gets back.
//!
//! A question is a return value: the engine has changed nothing yet, and the edge asks in its own
//! way and calls again with the answer.

use std::time::Instant;

use crate::gate::{Cleared, ClearedText};

/// The edge's side of one call, lent to the engine while the call runs.
pub trait Turn {
    /// Tells the caller how far the call has come.
    fn progress(&mut self, note: &Progress);

    /// Reports whether the caller has cancelled the call.
    fn is_cancelled(&self) -> bool;

    /// Returns the time by which the call must be over.
    fn deadline(&self) -> Option<Instant>;

    /// Shows a running tool's output to a person who wants to see it.
    fn show_output(&mut self, _stream: OutputStream, _text: &ClearedText) {}
}

/// The stream that a tool writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// A progress report.
#[derive(Clone, Debug)]
pub struct Progress {
    /// How much is done, in the unit of the call.
    pub done: u64,
    /// The total, if it is known.
    pub total: Option<u64>,
    /// The progress in words.
    pub message: ClearedText,
}

/// How a call ends.
#[derive(Debug)]
pub enum Outcome {
    /// The call ends with a reply.
    Done(Cleared),
    /// The call ends with a question to a person; the edge calls again with [`Resume`] and the
    /// answer.
    Ask(Question, Resume),
}

/// A yes-or-no question to a person.
#[derive(Clone, Debug)]
pub struct Question {
    /// The text of the question.
    pub text: ClearedText,
}

/// A person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, this once.
    Yes,
    /// No, or there is nobody to ask.
    No,
}

/// The state by which the engine recognizes its own question. An edge that hands this to a client
/// must seal it first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume(pub Vec<u8>);
