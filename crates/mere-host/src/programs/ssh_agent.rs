//! The user's ssh-agent: which keys it holds, and signatures by them.
//!
//! Each request has its own connection, with a limit on the size and the duration of the response.
//! Nothing that the agent returns is trusted: a signature is verified with the key, and keys other
//! than Ed25519 are ignored.

use mere_core::trust::PublicKey;

#[cfg(unix)]
pub use unix::SshAgent;
#[cfg(not(unix))]
pub use unsupported::SshAgent;

/// Why the ssh-agent did not answer as asked. For people.
#[derive(Debug, thiserror::Error)]
pub enum SshAgentError {
    /// The agent's socket cannot be used.
    #[error("ssh-agent cannot be reached: {0}")]
    Unreachable(std::io::Error),
    /// The agent sent something that is not a response.
    #[error("ssh-agent gave an invalid response")]
    InvalidResponse,
    /// The agent refused to sign.
    #[error("ssh-agent did not sign: it refused, or the person did")]
    Refused,
    /// The agent's response is larger than it may be.
    #[error("ssh-agent does not accept a message of this size")]
    MessageTooLarge,
}

#[cfg(unix)]
mod unix {
    use std::io::{self, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::path::PathBuf;
    use std::time::{Duration, Instant};

    use super::{PublicKey, SshAgentError};

    /// The longest message in either direction, which is the agent's own limit.
    const MAX_BYTES: usize = 256 * 1024;
    /// How long listing the keys may take.
    const LIST_TIMEOUT: Duration = Duration::from_secs(2);
    /// How long a signature may take: `ssh-add -c` asks a person.
    const SIGN_TIMEOUT: Duration = Duration::from_mins(2);

    const REQUEST_IDENTITIES: u8 = 11;
    const IDENTITIES_ANSWER: u8 = 12;
    const SIGN_REQUEST: u8 = 13;
    const SIGN_RESPONSE: u8 = 14;

    /// The socket on which the agent listens.
    #[derive(Clone)]
    pub struct SshAgent(PathBuf);

    impl SshAgent {
        pub(crate) fn new(socket: PathBuf) -> Self {
            Self(socket)
        }

        /// Returns the Ed25519 keys that the agent holds.
        pub fn keys(&self) -> Result<Vec<PublicKey>, SshAgentError> {
            let answer = self.send_request(&[REQUEST_IDENTITIES], LIST_TIMEOUT)?;
            let rest =
                answer.strip_prefix(&[IDENTITIES_ANSWER]).ok_or(SshAgentError::InvalidResponse)?;
            let (count, mut rest) =
                rest.split_first_chunk::<4>().ok_or(SshAgentError::InvalidResponse)?;
            let mut keys = Vec::new();
            for _ in 0..u32::from_be_bytes(*count) {
                let (blob, after) = split_wire_string(rest)?;
                let (_comment, after) = split_wire_string(after)?;
                rest = after;
                keys.extend(PublicKey::from_wire(blob).ok());
            }
            Ok(keys)
        }

        /// Asks for a signature by one of its keys and verifies it.
        pub fn sign(&self, key: &PublicKey, message: &[u8]) -> Result<[u8; 64], SshAgentError> {
            let mut request = vec![SIGN_REQUEST];
            for part in [&key.to_wire()[..], message] {
                let length =
                    u32::try_from(part.len()).map_err(|_| SshAgentError::MessageTooLarge)?;
                request.extend(length.to_be_bytes());
                request.extend(part);
            }
            request.extend(0_u32.to_be_bytes());
            let answer = self.send_request(&request, SIGN_TIMEOUT)?;
            let rest = answer.strip_prefix(&[SIGN_RESPONSE]).ok_or(SshAgentError::Refused)?;
            let (_algorithm, rest) = split_wire_string(split_wire_string(rest)?.0)?;
            let signature = split_wire_string(rest)?
                .0
                .try_into()
                .map_err(|_| SshAgentError::InvalidResponse)?;
            if key.is_signature_valid(&signature, message) {
                Ok(signature)
            } else {
                Err(SshAgentError::InvalidResponse)
            }
        }

        fn send_request(
            &self,
            message: &[u8],
            patience: Duration,
        ) -> Result<Vec<u8>, SshAgentError> {
            if message.len() > MAX_BYTES {
                return Err(SshAgentError::MessageTooLarge);
            }
            let until = Instant::now() + patience;
            let mut stream = UnixStream::connect(&self.0).map_err(SshAgentError::Unreachable)?;
            let length =
                u32::try_from(message.len()).map_err(|_| SshAgentError::MessageTooLarge)?;
            let whole = [&length.to_be_bytes()[..], message].concat();
            let sent = stream.set_write_timeout(Some(patience));
            sent.and_then(|()| stream.write_all(&whole)).map_err(SshAgentError::Unreachable)?;
            let mut length = [0; 4];
            read_exact_until(&mut stream, &mut length, until)?;
            let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
            if length > MAX_BYTES {
                return Err(SshAgentError::InvalidResponse);
            }
            let mut answer = vec![0; length];
            read_exact_until(&mut stream, &mut answer, until)?;
            Ok(answer)
        }
    }

    /// Reads exactly as many bytes as fit, however slowly they come, until the deadline.
    fn read_exact_until(
        stream: &mut UnixStream,
        buffer: &mut [u8],
        until: Instant,
    ) -> Result<(), SshAgentError> {
        let mut filled = 0;
        while filled < buffer.len() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(SshAgentError::Unreachable(io::ErrorKind::TimedOut.into()));
            }
            let read = stream
                .set_read_timeout(Some(left))
                .and_then(|()| stream.read(&mut buffer[filled..]));
            match read {
                Ok(0) => return Err(SshAgentError::InvalidResponse),
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(SshAgentError::Unreachable(error)),
            }
        }
        Ok(())
    }

    /// Splits the first length-prefixed string off and returns it with the rest.
    fn split_wire_string(bytes: &[u8]) -> Result<(&[u8], &[u8]), SshAgentError> {
        let (length, rest) =
            bytes.split_first_chunk::<4>().ok_or(SshAgentError::InvalidResponse)?;
        let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
        rest.split_at_checked(length).ok_or(SshAgentError::InvalidResponse)
    }
}

#[cfg(not(unix))]
mod unsupported {
    use super::{PublicKey, SshAgentError};

    /// No ssh-agent is used on this system.
    #[derive(Clone)]
    pub(crate) enum SshAgent {}

    impl SshAgent {
        pub(crate) fn keys(&self) -> Result<Vec<PublicKey>, SshAgentError> {
            match *self {}
        }

        pub(crate) fn sign(&self, _: &PublicKey, _: &[u8]) -> Result<[u8; 64], SshAgentError> {
            match *self {}
        }
    }
}
