//! A command that serves until it is told to stop.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::support::harness::Stage;

/// A running command. It is killed when it is dropped.
pub(super) struct Started {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Started {
    /// Starts a command in the project.
    pub(super) fn new(stage: &Stage, words: &[&str]) -> Self {
        let mut command = stage.command("project");
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("mere starts");
        let output = BufReader::new(process.stdout.take().expect("its output"));
        Self { process, output }
    }

    /// Reads lines up to the first that contains a text, and returns the word of it that does.
    pub(super) fn wait_for(&mut self, text: &str) -> String {
        let mut line = String::new();
        while self.output.read_line(&mut line).expect("text") > 0 {
            if let Some(word) = line.split_whitespace().find(|word| word.contains(text)) {
                return word.to_owned();
            }
            line.clear();
        }
        panic!("it ended without `{text}`");
    }

    /// Reads lines up to the first that contains a text, and returns those before it that say
    /// something.
    pub(super) fn lines_before(&mut self, text: &str) -> Vec<String> {
        let (mut lines, mut line) = (Vec::new(), String::new());
        while self.output.read_line(&mut line).expect("text") > 0 {
            if line.contains(text) {
                return lines;
            }
            lines.extend(Some(line.trim().to_owned()).filter(|line| !line.is_empty()));
            line.clear();
        }
        panic!("it ended without `{text}`");
    }

    /// Reads one JSON object that is printed over several lines.
    pub(super) fn read_json(&mut self) -> Value {
        let mut text = String::new();
        while self.output.read_line(&mut text).expect("text") > 0 {
            if let Ok(value) = serde_json::from_str(&text) {
                return value;
            }
        }
        panic!("it ended without a reply: {text}");
    }

    /// Sends what Ctrl-C sends, and returns the exit code.
    pub(super) fn interrupt(mut self) -> Option<i32> {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().expect("kill runs");
        assert!(sent.success());
        self.process.wait().expect("it ends").code()
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
