//! What an edge lends to the engine for one call, and what it gets back.
//!
//! A question is a return value: the engine has changed nothing yet, the edge asks in its own way
//! and calls again with the answer.

use std::time::Instant;

use crate::gate::{Cleared, ClearedText};

/// Lent by the edge for the length of one call.
pub trait Turn {
    /// Tells the caller how far the call is.
    fn progress(&mut self, note: &Progress);

    /// Whether the caller has given up.
    fn is_cancelled(&self) -> bool;

    /// When the call must be over.
    fn deadline(&self) -> Option<Instant>;

    /// Passes on what a tool says while it runs, to a person who wants to hear it.
    fn show_output(&mut self, _stream: OutputStream, _text: &ClearedText) {}
}

/// Where a tool says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

/// A note on the way.
#[derive(Clone, Debug)]
pub struct Progress {
    /// What is done, in the unit of the call.
    pub done: u64,
    /// The whole, where it is known.
    pub total: Option<u64>,
    /// In words.
    pub message: ClearedText,
}

/// How a call ends.
#[derive(Debug)]
pub enum Outcome {
    /// With a reply.
    Done(Cleared),
    /// With a question to a person; the edge calls again with [`Resume`] and the answer.
    Ask(Question, Resume),
}

/// A yes-or-no question to a person.
#[derive(Clone, Debug)]
pub struct Question {
    /// What is asked.
    pub text: ClearedText,
}

/// A person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Yes, this once.
    Yes,
    /// No, or nobody there to ask.
    No,
}

/// What the engine needs to know its own question again. An edge that hands it to a client seals
/// it first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resume(pub Vec<u8>);
