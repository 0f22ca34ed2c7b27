//! The questions that a client keeps the state of, each of which can be answered once.
//!
//! A sealed state proves that we asked, and names its question by a random number. An answer takes
//! the question away, so that a yes cannot be replayed. What is remembered is bounded: who asks too
//! much loses its oldest questions, and must ask them again.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mere_core::address::AgentName;
use mere_core::turn::Resume;
use rmcp::model::{RequestStateCodec, SealOptions};
use uuid::Uuid;

/// How long a question stays open.
const MAX_AGE: Duration = Duration::from_mins(15);
/// How many questions of one agent stay open.
const MAX_PER_AGENT: usize = 64;
/// How many questions of all agents stay open.
const MAX_OPEN: usize = 1024;
/// The length of the number that names a question.
const ID_BYTES: usize = 16;

/// The open questions of a server, and the key that seals their states.
pub(super) struct OpenStates {
    codec: RequestStateCodec,
    /// The oldest first.
    questions: Mutex<VecDeque<OpenState>>,
}

struct OpenState {
    id: [u8; ID_BYTES],
    agent: AgentName,
    asked_at: Instant,
}

/// A state that we sealed for this call.
pub(super) struct OpenedState {
    id: [u8; ID_BYTES],
    resume: Resume,
}

/// The error for a state that was not sealed for this call, is too old, or was answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnknownState;

impl OpenStates {
    pub(super) fn new() -> Self {
        let secret = [Uuid::new_v4().into_bytes(), Uuid::new_v4().into_bytes()].concat();
        let codec = RequestStateCodec::new_unchecked(secret);
        Self { codec, questions: Mutex::default() }
    }

    /// Returns what seals and opens states, for the fixtures, whose states hold no question.
    #[cfg(feature = "conformance-fixtures")]
    pub(super) fn codec(&self) -> &RequestStateCodec {
        &self.codec
    }

    /// Seals the state of a new question, which can be opened only for the call that it is bound
    /// to.
    pub(super) fn seal(&self, resume: &Resume, agent: &AgentName, bound: &[u8]) -> String {
        let id = Uuid::new_v4().into_bytes();
        self.remember(OpenState { id, agent: agent.clone(), asked_at: Instant::now() });
        let options = SealOptions::new().associated_data(bound).ttl(MAX_AGE);
        self.codec.seal_with(&[&id[..], &resume.0].concat(), &options)
    }

    /// Opens a state that came back. Its question stays open until it is answered.
    pub(super) fn open(&self, state: &str, bound: &[u8]) -> Result<OpenedState, UnknownState> {
        let opened = self.codec.open_with(state, bound).map_err(|_| UnknownState)?;
        let (id, resume) = opened.split_first_chunk().ok_or(UnknownState)?;
        let is_open = self.lock().iter().any(|question| question.id == *id);
        let opened = OpenedState { id: *id, resume: Resume(resume.to_vec()) };
        if is_open { Ok(opened) } else { Err(UnknownState) }
    }

    /// Takes a question away because it is answered. Of two answers, only the first counts.
    pub(super) fn answer(&self, state: OpenedState) -> Result<Resume, UnknownState> {
        let mut questions = self.lock();
        let at = questions.iter().position(|question| question.id == state.id);
        questions.remove(at.ok_or(UnknownState)?);
        Ok(state.resume)
    }

    fn remember(&self, question: OpenState) {
        let mut questions = self.lock();
        questions.retain(|one| one.asked_at.elapsed() < MAX_AGE);
        let own = questions.iter().filter(|one| one.agent == question.agent);
        if own.count() >= MAX_PER_AGENT {
            let oldest = questions.iter().position(|one| one.agent == question.agent);
            oldest.and_then(|at| questions.remove(at));
        }
        if questions.len() >= MAX_OPEN {
            questions.pop_front();
        }
        questions.push_back(question);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<OpenState>> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resume() -> Resume {
        Resume(b"ROOT_PROJECT:/.env".to_vec())
    }

    #[test]
    fn a_question_is_answered_once_and_only_for_its_call() {
        let (states, agent) = (OpenStates::new(), AgentName::default());
        let state = states.seal(&resume(), &agent, b"call");
        assert!(states.open(&state, b"other call").is_err());
        assert!(OpenStates::new().open(&state, b"call").is_err(), "another process");
        let first = states.open(&state, b"call").expect("it is open");
        let second = states.open(&state, b"call").expect("nobody answered");
        assert_eq!(states.answer(first), Ok(resume()));
        assert_eq!(states.answer(second), Err(UnknownState), "two answers at the same time");
        assert!(states.open(&state, b"call").is_err());
        let other = states.seal(&resume(), &agent, b"call");
        assert_ne!(other, state);
        assert!(states.open(&other, b"call").is_ok());
    }

    #[test]
    fn who_asks_too_much_loses_its_own_oldest_questions() {
        let states = OpenStates::new();
        let (calm, busy) = (AgentName::default(), "busy".parse().expect("a name"));
        let kept = states.seal(&resume(), &calm, b"call");
        let all = (0..=MAX_PER_AGENT).map(|_| states.seal(&resume(), &busy, b"call"));
        let all = all.collect::<Vec<_>>();
        assert!(states.open(&kept, b"call").is_ok());
        assert!(states.open(&all[0], b"call").is_err());
        assert!(all[1..].iter().all(|state| states.open(state, b"call").is_ok()));
        for number in 0..2 * MAX_OPEN {
            let agent = format!("agent-{number}").parse().expect("a name");
            states.seal(&resume(), &agent, b"call");
        }
        assert_eq!(states.lock().len(), MAX_OPEN);
        assert!(states.open(&kept, b"call").is_err());
    }
}
