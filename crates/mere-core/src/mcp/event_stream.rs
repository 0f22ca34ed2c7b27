//! Server-sent events: the messages in a response that goes on.
//!
//! Only the data of events counts. A stream is read as it arrives, and an event that is too long is
//! an error before it is complete.

use super::MAX_MESSAGE_BYTES;

/// An event is longer than a message may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event is too long")]
pub struct EventTooLong;

/// A stream of events, of which a part has arrived.
#[derive(Debug, Default)]
pub struct EventStream {
    /// The beginning of a line whose end has not arrived.
    line: Vec<u8>,
    /// The data of the event whose end has not arrived.
    data: Vec<u8>,
    /// Whether the last line ended with a carriage return, after which a line feed means nothing.
    ended_with_return: bool,
}

impl EventStream {
    /// Takes what has arrived, and returns the data of the events that it completes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, EventTooLong> {
        let mut events = Vec::new();
        for byte in bytes {
            let follows_return = std::mem::replace(&mut self.ended_with_return, *byte == b'\r');
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                byte => self.line.push(*byte),
            }
            if self.line.len() + self.data.len() > MAX_MESSAGE_BYTES {
                return Err(EventTooLong);
            }
        }
        Ok(events)
    }

    /// Ends a line, and returns the data of the event if the line is empty.
    fn end_line(&mut self) -> Option<Vec<u8>> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return Some(std::mem::take(&mut self.data)).filter(|data| !data.is_empty());
        }
        if let Some(value) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_wherever_the_parts_end() {
        let text = b"event: message\ndata: {\"a\":\ndata: 1}\n\n: note\r\ndata:b\r\n\r\nid: 1\n\n";
        for size in [1, 2, 3, 7, text.len()] {
            let mut stream = EventStream::default();
            let found = text.chunks(size).flat_map(|part| stream.push(part).expect("short events"));
            let found = found.collect::<Vec<_>>();
            assert_eq!(found, [b"{\"a\":\n1}".to_vec(), b"b".to_vec()], "{size}");
        }
    }

    #[test]
    fn an_endless_event_is_an_error() {
        let mut stream = EventStream::default();
        let part = vec![b'x'; 64 * 1024];
        assert!((0..1024).any(|_| stream.push(&part).is_err()));
        let mut stream = EventStream::default();
        assert!((0..1024 * 1024).any(|_| stream.push(b"data: 0123456789\n").is_err()));
    }
}
