//! A session with a program in a cell, over its standard input and output: one message is one line.
//!
//! Nothing here waits for the program: what it does not read yet is kept, up to a limit.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;

use mere_core::mcp::{MAX_MESSAGE_BYTES, McpFault, McpSession};
use serde_json::Value;

use super::run_plan::RunEnd;

/// How many bytes may wait for the program to read them.
const MAX_PENDING: usize = 16 * 1024 * 1024;

/// A session with the program of a cell.
pub(super) struct ProgramSession<'a> {
    session: &'a RefCell<McpSession>,
    input: File,
    /// What the program has not read yet.
    pending: Vec<u8>,
    /// The beginning of a line whose end has not arrived.
    line: Vec<u8>,
    fault: Option<McpFault>,
}

impl<'a> ProgramSession<'a> {
    /// Greets the program.
    pub(super) fn begin(session: &'a RefCell<McpSession>, input: OwnedFd) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&input, true)?;
        let greeting = session.borrow().greeting();
        let (input, pending) = (File::from(input), Vec::new());
        let mut begun = Self { session, input, pending, line: Vec::new(), fault: None };
        begun.send(&greeting);
        begun.write_pending();
        Ok(begun)
    }

    /// Takes what the program wrote to standard output.
    pub(super) fn take(&mut self, mut bytes: &[u8]) {
        while self.end().is_none()
            && let Some(end) = bytes.iter().position(|byte| *byte == b'\n')
        {
            self.line.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            self.end_line();
        }
        self.line.extend_from_slice(bytes);
        if self.line.len() > MAX_MESSAGE_BYTES {
            self.fault.get_or_insert(McpFault::MessageTooLong);
            self.line.clear();
        }
        self.write_pending();
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if line.trim_ascii().is_empty() {
            return;
        }
        let answered = self.session.borrow_mut().receive(&line);
        match answered {
            Ok(messages) => messages.iter().for_each(|message| self.send(message)),
            Err(fault) => self.fault = Some(fault),
        }
    }

    fn send(&mut self, message: &Value) {
        self.pending.extend(message.to_string().into_bytes());
        self.pending.push(b'\n');
        if self.pending.len() > MAX_PENDING {
            self.fault.get_or_insert(McpFault::TooMuch);
        }
    }

    /// Writes as much as the program takes. One that has closed its input ends by itself, or takes
    /// too long.
    pub(super) fn write_pending(&mut self) {
        while !self.pending.is_empty() {
            match self.input.write(&self.pending) {
                Ok(size) => drop(self.pending.drain(..size)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.pending.clear(),
            }
        }
    }

    /// Returns how the session ended, if it has.
    pub(super) fn end(&self) -> Option<RunEnd> {
        let is_over = self.session.borrow().is_over();
        let fault = self.fault.map(RunEnd::SessionFault);
        fault.or_else(|| is_over.then_some(RunEnd::SessionOver))
    }
}
