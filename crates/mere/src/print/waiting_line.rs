//! A line on the terminal of a person who waits: what is at work, and for how long.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::terminal;

/// How long nothing is shown, and how often the line changes after that.
const INTERVAL: Duration = Duration::from_secs(1);

/// The line. It is taken away when this is dropped.
pub(crate) struct WaitingLine {
    /// The end of this channel is the end of the line.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl WaitingLine {
    /// Starts to wait for a command. Without a terminal there is no line.
    pub(crate) fn start(command: &str) -> Option<Self> {
        if !terminal::is_error_terminal() {
            return None;
        }
        let (stop, stopped) = channel::<()>();
        let command = command.to_owned();
        let show = move || {
            let mut seconds = 0;
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                seconds += INTERVAL.as_secs();
                terminal::show_progress(0, None, &format!("{command}: at work for {seconds} s"));
            }
            if seconds > 0 {
                terminal::clear_progress();
            }
        };
        // Without the line the command works all the same.
        let thread = std::thread::Builder::new().name("waiting".to_owned()).spawn(show).ok()?;
        Some(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for WaitingLine {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
