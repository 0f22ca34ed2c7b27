//! A command of the user's own that prints a secret, such as one of a password manager.
//!
//! It is run by the user's shell with their environment, because that is where password managers
//! live. A person chose it; no item and no agent can.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::Environment;

/// How long the command may take; a person may have to unlock something.
const TIMEOUT: Duration = Duration::from_mins(1);
/// How often to look whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);
/// How much of its output is read.
const MAX_OUTPUT: u64 = 64 * 1024;

/// Why a command printed no secret.
#[derive(Debug, thiserror::Error)]
pub enum SecretCommandError {
    /// It could not be started or read.
    #[error("the command could not be run: {0}")]
    Io(#[from] io::Error),
    /// It ended with an error.
    #[error("the command failed with {0}")]
    Failed(String),
    /// It took too long.
    #[error("the command took longer than a minute")]
    Timeout,
    /// Its output is not text.
    #[error("the output of the command is not UTF-8 text, or too long")]
    NotText,
}

/// Runs a command and returns what it prints, without the line break at the end.
pub fn read_secret_from_command(
    environment: &Environment,
    command: &str,
) -> Result<String, SecretCommandError> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .current_dir(environment.working_directory())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.map(|output| output.take(MAX_OUTPUT + 1).read_to_end(&mut bytes));
        read.transpose().map(|_| bytes)
    });
    let status = wait(&mut child)?;
    let bytes = reader.join().map_err(|_| io::Error::other("a reader failed"))??;
    if !status.success() {
        return Err(SecretCommandError::Failed(status.to_string()));
    }
    let text = String::from_utf8(bytes).ok().filter(|text| text.len() as u64 <= MAX_OUTPUT);
    let mut text = text.ok_or(SecretCommandError::NotText)?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

fn wait(child: &mut Child) -> Result<std::process::ExitStatus, SecretCommandError> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if began.elapsed() > TIMEOUT {
            let _ = child.kill();
            let _ = child.wait();
            return Err(SecretCommandError::Timeout);
        }
        std::thread::sleep(PAUSE);
    }
}
