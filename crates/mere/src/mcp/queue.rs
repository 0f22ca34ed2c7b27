//! The requests of a stdio client that are not answered yet.
//!
//! The SDK starts a task for every request it is given, so requests are handed over only while few
//! are unanswered. The next ones wait here, and beyond a limit they are refused. A client that
//! floods us or never reads therefore fills no memory, while its cancellations and its answers to
//! our questions always get through. A request counts until its answer is written or it is
//! cancelled.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::{ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use tokio::sync::Notify;

use super::message::{InvalidMessage, Message};

/// How many requests, and how many bytes of them, the SDK holds at once.
const MAX_RUNNING: usize = 64;
const MAX_RUNNING_BYTES: usize = 8 * 1024 * 1024;
/// How many requests, and how many bytes of them, may wait.
const MAX_WAITING: usize = 4_096;
const MAX_WAITING_BYTES: usize = 8 * 1024 * 1024;
/// How many subscriptions may be open. They are never answered, so they are counted separately.
const MAX_SUBSCRIPTIONS: usize = 16;

/// The unanswered requests of one client.
#[derive(Default)]
pub(super) struct RequestQueue {
    state: Mutex<QueueState>,
    room_freed: Notify,
}

#[derive(Default)]
struct QueueState {
    running: HashMap<RequestId, usize>,
    subscriptions: Vec<RequestId>,
    waiting: VecDeque<(RequestId, Message, usize)>,
}

impl RequestQueue {
    /// Takes a message that was read, and returns it if it can be handed over at once.
    pub(super) fn admit(
        &self,
        message: Message,
        bytes: usize,
    ) -> Result<Option<Message>, InvalidMessage> {
        let mut state = self.state();
        match &message {
            JsonRpcMessage::Request(request) => {
                let id = request.id.clone();
                let listens =
                    matches!(request.request, ClientRequest::SubscriptionsListenRequest(_));
                if listens {
                    state.add_subscription(id, message)
                } else {
                    state.add_request(id, message, bytes)
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = cancelled.params.request_id.clone()
                {
                    state.remove(&id);
                    self.room_freed.notify_one();
                }
                Ok(Some(message))
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => Ok(Some(message)),
        }
    }

    /// Returns the next waiting request as soon as there is room for it.
    pub(super) async fn next(&self) -> Message {
        loop {
            let freed = self.room_freed.notified();
            if let Some(message) = self.state().pop() {
                return message;
            }
            freed.await;
        }
    }

    /// Returns the next waiting request, or `None` if none waits any more.
    pub(super) async fn next_or_none(&self) -> Option<Message> {
        if self.state().waiting.is_empty() { None } else { Some(self.next().await) }
    }

    /// Marks a request as answered.
    pub(super) fn mark_answered(&self, id: &RequestId) {
        self.state().remove(id);
        self.room_freed.notify_one();
    }

    /// Forgets all requests that were handed over, because none of them will be answered.
    pub(super) fn clear(&self) {
        let mut state = self.state();
        state.running.clear();
        state.subscriptions.clear();
        self.room_freed.notify_one();
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    fn add_subscription(
        &mut self,
        id: RequestId,
        message: Message,
    ) -> Result<Option<Message>, InvalidMessage> {
        self.check_id(&id)?;
        if self.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            return Err(InvalidMessage::busy(id.into_json_value()));
        }
        self.subscriptions.push(id);
        Ok(Some(message))
    }

    fn add_request(
        &mut self,
        id: RequestId,
        message: Message,
        bytes: usize,
    ) -> Result<Option<Message>, InvalidMessage> {
        self.check_id(&id)?;
        if self.waiting.is_empty() && self.has_room() {
            self.running.insert(id, bytes);
            return Ok(Some(message));
        }
        let held = self.waiting.iter().map(|(_, _, bytes)| bytes).sum::<usize>();
        if self.waiting.len() >= MAX_WAITING || held + bytes > MAX_WAITING_BYTES {
            return Err(InvalidMessage::busy(id.into_json_value()));
        }
        self.waiting.push_back((id, message, bytes));
        Ok(None)
    }

    /// Checks that the id is not in use: two requests with one id could not be told apart.
    fn check_id(&self, id: &RequestId) -> Result<(), InvalidMessage> {
        let waits = self.waiting.iter().any(|(other, _, _)| other == id);
        if waits || self.running.contains_key(id) || self.subscriptions.contains(id) {
            return Err(InvalidMessage::duplicate_id(id.clone().into_json_value()));
        }
        Ok(())
    }

    fn pop(&mut self) -> Option<Message> {
        if !self.has_room() {
            return None;
        }
        let (id, message, bytes) = self.waiting.pop_front()?;
        self.running.insert(id, bytes);
        Some(message)
    }

    fn remove(&mut self, id: &RequestId) {
        self.running.remove(id);
        self.subscriptions.retain(|other| other != id);
        self.waiting.retain(|(other, _, _)| other != id);
    }

    fn has_room(&self) -> bool {
        let bytes = self.running.values().sum::<usize>();
        self.running.len() < MAX_RUNNING && bytes < MAX_RUNNING_BYTES
    }
}
