//! The output of a tool, read as it arrives.
//!
//! Secrets that the tool was given are removed here, before anything is kept or passed on.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

use mere_core::secrets::{RedactedStream, SecretRedactor};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::cell_process::OutputPipes;
use super::program_session::ProgramSession;
use super::run_plan::{CapturedOutput, MAX_SHOWN_OUTPUT, RunLimits, RunObserver};

/// How long to wait for output at a time.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The output of a tool, as far as it is captured.
pub(super) struct OutputCapture<'a> {
    sources: OutputPipes,
    redactor: &'a SecretRedactor,
    streams: [RedactedStream; 2],
    captured: [CapturedOutput; 2],
    open: [bool; 2],
    limits: RunLimits,
    total: u64,
    /// Up to which byte the observer has been given each output.
    reported: [usize; 2],
    /// The session that takes standard output, if there is one.
    pub(super) session: Option<ProgramSession<'a>>,
}

impl<'a> OutputCapture<'a> {
    pub(super) fn new(
        sources: OutputPipes,
        limits: RunLimits,
        redactor: &'a SecretRedactor,
    ) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&sources.0, true)?;
        rustix::io::ioctl_fionbio(&sources.1, true)?;
        let kept = [CapturedOutput::default(), CapturedOutput::default()];
        Ok(Self {
            sources,
            redactor,
            streams: Default::default(),
            captured: kept,
            open: [true; 2],
            limits,
            total: 0,
            reported: [0; 2],
            session: None,
        })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.open == [false; 2]
    }

    pub(super) fn is_over_limit(&self) -> bool {
        self.total > self.limits.total_output
    }

    /// Waits for a moment and reads the output that has arrived.
    pub(super) fn wait_and_read(&mut self) -> io::Result<()> {
        let handles: [BorrowedFd<'_>; 2] = [self.sources.0.as_fd(), self.sources.1.as_fd()];
        let open = handles.iter().zip(self.open).filter(|(_, open)| *open);
        let mut polled = open
            .map(|(handle, _)| PollFd::from_borrowed_fd(*handle, PollFlags::IN))
            .collect::<Vec<_>>();
        let pause = Timespec { tv_sec: 0, tv_nsec: i64::from(POLL_INTERVAL.subsec_nanos()) };
        match poll(&mut polled, Some(&pause)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        self.drain(0)?;
        self.drain(1)
    }

    fn drain(&mut self, which: usize) -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        // A limited number of reads, so that endless output does not keep the other checks from
        // running.
        for _ in 0..64 {
            if !self.open[which] {
                break;
            }
            let read = match which {
                0 => self.sources.0.read(&mut buffer),
                _ => self.sources.1.read(&mut buffer),
            };
            match read {
                Ok(0) => self.end_stream(which),
                Ok(size) => self.capture(which, &buffer[..size]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Marks one output as ended, and captures what was held back of it.
    fn end_stream(&mut self, which: usize) {
        self.open[which] = false;
        let held_back = self.streams[which].finish(self.redactor);
        self.keep(which, &held_back);
    }

    fn capture(&mut self, which: usize, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        if let Some(session) = self.session.as_mut().filter(|_| which == 0) {
            return session.take(bytes);
        }
        let bytes = self.streams[which].push(self.redactor, bytes);
        self.keep(which, &bytes);
    }

    fn keep(&mut self, which: usize, bytes: &[u8]) {
        let kept = &mut self.captured[which];
        let room = self.limits.captured_output.saturating_sub(kept.bytes.len());
        kept.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        kept.truncated |= kept.bytes.len() > MAX_SHOWN_OUTPUT;
    }

    /// Gives the observer the output that it has not seen yet. An incomplete character waits for
    /// the rest of its bytes.
    pub(super) fn report_new_output(&mut self, observer: &RunObserver<'_>) {
        let ends = [0, 1].map(|which| {
            let kept = &self.captured[which].bytes;
            let kept = &kept[..kept.len().min(MAX_SHOWN_OUTPUT)];
            let unseen = &kept[self.reported[which]..];
            let whole = if self.open[which] { complete_characters(unseen) } else { unseen.len() };
            self.reported[which] + whole
        });
        let unseen = |which: usize| &self.captured[which].bytes[self.reported[which]..ends[which]];
        (observer.on_output)(unseen(0), unseen(1));
        self.reported = ends;
    }

    /// Marks both outputs as ended.
    pub(super) fn close(&mut self) {
        self.end_stream(0);
        self.end_stream(1);
    }

    pub(super) fn take_captured(&mut self) -> [CapturedOutput; 2] {
        std::mem::take(&mut self.captured)
    }
}

/// Returns how many bytes of a text are complete characters: the last one may be cut off.
fn complete_characters(text: &[u8]) -> usize {
    let last = text.iter().rev().take(4).position(|byte| *byte & 0xc0 != 0x80);
    let Some(start) = last.map(|back| text.len() - 1 - back) else { return text.len() };
    match std::str::from_utf8(&text[start..]) {
        Err(error) if error.error_len().is_none() => start,
        _ => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_is_told_whole() {
        for (text, whole) in [
            (&b""[..], 0),
            (b"ab", 2),
            ("a\u{fc}".as_bytes(), 3),
            (b"a\xc3", 1),
            (b"a\xf0\x9f\x98", 1),
            (b"a\xff", 2),
            (b"\x80\x80\x80\x80\x80", 5),
        ] {
            assert_eq!(complete_characters(text), whole, "{text:?}");
        }
    }
}
