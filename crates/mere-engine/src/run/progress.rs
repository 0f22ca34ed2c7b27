//! What an agent is told about a tool that is still running: the last line that it printed.
//!
//! Output arrives in pieces that begin and end anywhere. Only whole lines are told, and each is
//! judged together with what the tool printed before it, so that no half of a path or of a secret
//! is taken for something else.

use std::cell::RefCell;

use mere_core::reply::{Content, Prose};

use crate::files::redaction::MaskedText;

/// The longest note about a tool's output, in characters.
const MAX_NOTE_CHARACTERS: usize = 200;
/// The longest line that is told, and how much of what precedes a line is judged with it.
const MAX_KEPT_BYTES: usize = 64 * 1024;

/// The lines that a running tool has printed so far to its two outputs.
#[derive(Default)]
pub(super) struct ProgressLines {
    streams: [RefCell<LineBuffer>; 2],
}

/// One output of a tool.
#[derive(Default)]
struct LineBuffer {
    /// The last lines.
    lines: Vec<u8>,
    /// The beginning of a line whose end has not arrived.
    unfinished: Vec<u8>,
    /// Whether the unfinished line is too long to be told.
    is_overlong: bool,
}

impl ProgressLines {
    /// Takes what has arrived on standard output and standard error, and returns the last line
    /// that has ended, or a note that the tool is running.
    pub(super) fn note(&self, output: &[u8], errors: &[u8]) -> Prose {
        let [stdout, stderr] = &self.streams;
        let told = stdout.borrow_mut().take(output);
        let told = stderr.borrow_mut().take(errors).or(told);
        match told {
            None => Prose::words("running"),
            Some(line) => Prose::words("").content(line),
        }
    }
}

impl LineBuffer {
    /// Takes new bytes, and returns the last line that they end, unless it is empty.
    fn take(&mut self, mut bytes: &[u8]) -> Option<Content> {
        let mut told = None;
        // A carriage return alone ends the lines of a progress bar.
        while let Some(end) = memchr::memchr2(b'\n', b'\r', bytes) {
            let (line, rest) = bytes.split_at(end + 1);
            self.keep(line);
            bytes = rest;
            told = self.end_line().or(told);
        }
        self.keep(bytes);
        told
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.is_overlong |= self.unfinished.len() + bytes.len() > MAX_KEPT_BYTES;
        if !self.is_overlong {
            self.unfinished.extend_from_slice(bytes);
        }
    }

    /// Ends the unfinished line, and returns it as an agent may see it.
    fn end_line(&mut self) -> Option<Content> {
        let line = std::mem::take(&mut self.unfinished);
        if std::mem::take(&mut self.is_overlong) {
            return None;
        }
        let before = String::from_utf8_lossy(&self.lines).into_owned();
        self.lines.extend_from_slice(&line);
        let excess = self.lines.len().saturating_sub(MAX_KEPT_BYTES);
        self.lines.drain(..excess);
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if text.trim().is_empty() {
            return None;
        }
        let masked = MaskedText::mask_part(&before, text);
        Some(Content::mention(masked.text).shorten(MAX_NOTE_CHARACTERS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(pieces: &[&str]) -> Vec<String> {
        let lines = ProgressLines::default();
        pieces.iter().map(|piece| lines.note(piece.as_bytes(), b"").render_for_person()).collect()
    }

    #[test]
    fn only_whole_lines_are_told() {
        assert_eq!(told(&["/home/a", "da/x\n", "next"]), ["running", "/home/ada/x", "running"]);
        assert_eq!(told(&["10%\r20%\r3"]), ["20%"]);
        assert_eq!(told(&["a\nb\n\n"]), ["b"]);
    }

    #[test]
    fn a_secret_that_arrives_in_pieces_is_masked() {
        assert_eq!(told(&["password: hun", "ter2x9\n"])[1], "password: [masked]");
        assert_eq!(told(&["password:\n", "  hunter2x9\n"])[1].trim(), "[masked]");
    }
}
