//! The terminal of the person who runs this process, even if its input and output are redirected.
//!
//! A passphrase is read without echo, and afterwards the terminal is as it was, however the reading
//! ends: Ctrl-C is read as a key, so it cannot kill the process in between.

use mere_core::request::Secret;

#[cfg(unix)]
pub use unix::Terminal;
#[cfg(not(unix))]
pub use unsupported::Terminal;

/// The longest passphrase in bytes.
const MAX_PASSPHRASE_BYTES: usize = 1024;

/// Checks whether the process has a controlling terminal.
pub fn has_terminal() -> bool {
    Terminal::open().is_some()
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{self, Read, Write};

    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
    };
    use zeroize::Zeroizing;

    use super::{MAX_PASSPHRASE_BYTES, Secret};

    /// The controlling terminal.
    pub struct Terminal(File);

    /// The state of the typed line after a key.
    enum LineState {
        Unfinished,
        Finished,
        Cancelled,
    }

    impl Terminal {
        /// Opens the terminal, if there is one.
        pub fn open() -> Option<Self> {
            let options = std::fs::OpenOptions::new().read(true).write(true).clone();
            options.open("/dev/tty").ok().map(Self)
        }

        /// Asks for something that nobody else should see. Returns `None` if the person cancels.
        pub fn ask_hidden(&mut self, question: &str) -> io::Result<Option<Secret>> {
            let before = tcgetattr(&self.0)?;
            // Echo is turned off before the question appears, so that nothing typed in answer to it
            // is seen.
            let hidden = disable_echo(&self.0, before.clone());
            let prompted = hidden.and_then(|()| self.0.write_all(question.as_bytes()));
            let answer = prompted.and_then(|()| self.read_line());
            tcsetattr(&self.0, OptionalActions::Flush, &before)?;
            self.0.write_all(b"\n")?;
            answer
        }

        /// Prints a line for the person.
        pub fn print_line(&mut self, words: &str) -> io::Result<()> {
            self.0.write_all(words.as_bytes())?;
            self.0.write_all(b"\n")
        }

        fn read_line(&mut self) -> io::Result<Option<Secret>> {
            // Full capacity from the start, because a buffer that grows leaves copies of the secret
            // behind.
            let mut typed = Zeroizing::new(Vec::with_capacity(MAX_PASSPHRASE_BYTES));
            let mut byte = Zeroizing::new([0]);
            loop {
                match self.0.read(&mut *byte) {
                    Ok(0) => return Ok(None),
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                }
                match apply_key(&mut typed, byte[0])? {
                    LineState::Unfinished => {}
                    LineState::Finished => break,
                    LineState::Cancelled => return Ok(None),
                }
            }
            let text = std::str::from_utf8(&typed).map_err(|_| io::ErrorKind::InvalidData)?;
            Ok(Some(Secret::new(text.to_owned())))
        }
    }

    /// Turns off echo and line editing, and also signals, which would leave the terminal in this
    /// state.
    fn disable_echo(terminal: &File, mut modes: Termios) -> io::Result<()> {
        modes.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG);
        modes.local_modes.remove(LocalModes::ECHONL | LocalModes::IEXTEN);
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        Ok(tcsetattr(terminal, OptionalActions::Flush, &modes)?)
    }

    fn apply_key(typed: &mut Vec<u8>, byte: u8) -> io::Result<LineState> {
        match byte {
            // Ctrl-C, and Ctrl-D on an empty line.
            0x03 => return Ok(LineState::Cancelled),
            0x04 if typed.is_empty() => return Ok(LineState::Cancelled),
            b'\n' | b'\r' | 0x04 => return Ok(LineState::Finished),
            // Backspace removes a character, Ctrl-U the whole line.
            0x08 | 0x7f => while typed.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {},
            0x15 => typed.clear(),
            _ if typed.len() == MAX_PASSPHRASE_BYTES => {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            byte => typed.push(byte),
        }
        Ok(LineState::Unfinished)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_line_can_be_corrected() {
            let check = |keys: &str, expected: &str| {
                let mut typed = Vec::new();
                for byte in keys.bytes() {
                    assert!(matches!(apply_key(&mut typed, byte), Ok(LineState::Unfinished)));
                }
                assert_eq!(std::str::from_utf8(&typed), Ok(expected));
            };
            check("abc", "abc");
            check("ab\u{7f}c", "ac");
            check("aé\u{8}c", "ac");
            check("\u{7f}a", "a");
            check("abc\u{15}d", "d");
        }

        #[test]
        fn a_line_has_an_end() {
            let mut typed = vec![b'a'; MAX_PASSPHRASE_BYTES];
            assert!(apply_key(&mut typed, b'a').is_err());
            assert!(matches!(apply_key(&mut typed, b'\n'), Ok(LineState::Finished)));
            assert!(matches!(apply_key(&mut typed, 3), Ok(LineState::Cancelled)));
            assert!(matches!(apply_key(&mut Vec::new(), 4), Ok(LineState::Cancelled)));
        }
    }
}

#[cfg(not(unix))]
mod unsupported {
    use super::{MAX_PASSPHRASE_BYTES, Secret};

    /// No terminal exists on this system.
    pub enum Terminal {}

    impl Terminal {
        /// Returns `None`.
        pub fn open() -> Option<Self> {
            None
        }

        /// Never called, because no value exists.
        pub fn ask_hidden(&mut self, _: &str) -> std::io::Result<Option<Secret>> {
            let _ = MAX_PASSPHRASE_BYTES;
            match *self {}
        }

        /// Never called, because no value exists.
        pub fn print_line(&mut self, _: &str) -> std::io::Result<()> {
            match *self {}
        }
    }
}
