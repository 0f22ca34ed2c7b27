//! A stage with a space, a key and signed tools, for whoever runs `mere`: root, or an ordinary user.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::harness::Stage;

/// Who runs `mere`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    /// Whoever runs the tests.
    Tester,
    /// A user without privileges.
    Ordinary,
}

/// Both of them.
pub(crate) const EVERYBODY: [Who; 2] = [Who::Tester, Who::Ordinary];

/// A place to make and run tools in.
pub(crate) struct Workshop {
    pub(crate) stage: Stage,
    who: Who,
}

impl Workshop {
    /// A project with an empty space, and a user whose key signs unattended.
    pub(crate) fn new(who: Who) -> Self {
        let stage = Stage::new();
        stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
        let workshop = Self { stage, who };
        workshop.person(&["init", "--template", "blank"]);
        workshop
    }

    /// `mere` in the project, as whoever runs it.
    pub(crate) fn command(&self) -> Command {
        match self.who {
            Who::Tester => self.stage.command("project"),
            Who::Ordinary => self.stage.unprivileged("project"),
        }
    }

    /// A command for people that must succeed.
    pub(crate) fn person(&self, arguments: &[&str]) -> Output {
        let output = self.command().args(arguments).output().expect("mere runs");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        output
    }

    /// A signed tool of the category `t`, of one script.
    pub(crate) fn tool(&self, id: &str, runtime: &str, script: &str) {
        self.tool_with(id, runtime, script, "");
    }

    /// The same with more lines in its manifest.
    pub(crate) fn tool_with(&self, id: &str, runtime: &str, script: &str, more: &str) {
        let ending = match runtime {
            "node_runtime" => "js",
            "bash_runtime" => "sh",
            _ => "py",
        };
        self.stage.file(&format!("project/.ai/tools/t/{id}.{ending}"), script);
        self.manifest(id, &manifest(id, runtime, &format!("{id}.{ending}")), more);
    }

    /// A signed tool that was granted access to the project.
    pub(crate) fn project_tool(&self, id: &str, (runtime, access): (&str, &str), script: &str) {
        let asked = format!("permissions: {{project: {access}}}\n");
        self.tool_with(id, runtime, script, &asked);
        self.person(&["grant", &format!("t/{id}"), "--project", access]);
    }

    /// Writes the manifest of a flat tool, and signs it.
    pub(crate) fn manifest(&self, id: &str, text: &str, more: &str) {
        self.stage.file(&format!("project/.ai/tools/t/{id}.yaml"), &format!("{text}{more}"));
        self.sign(id);
    }

    pub(crate) fn sign(&self, id: &str) {
        self.person(&["sign", "tool", &format!("t/{id}")]);
    }

    /// Runs a tool for a person; the reply, and the exit status.
    pub(crate) fn run(&self, id: &str, arguments: &[&str]) -> (Value, i32) {
        let all = [&["run", id, "--json"], arguments].concat();
        let output = self.command().args(all).output().expect("mere runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let reply = serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{error}: {text:?} {:?}", String::from_utf8_lossy(&output.stderr))
        });
        (reply, output.status.code().expect("an exit status"))
    }

    /// Runs a tool as an agent would; what comes back is checked for host paths.
    pub(crate) fn call(&self, id: &str, parameters: &Value) -> Value {
        let call = json!({ "item_type": "tool", "item_id": id, "parameters": parameters });
        let mut command = self.command();
        command.args(["call", "execute", &call.to_string()]);
        self.stage.answer(&mut command).reply
    }

    /// What a tool prints as JSON when it succeeds.
    pub(crate) fn result(&self, id: &str, parameters: &Value) -> Value {
        let reply = self.call(id, parameters);
        assert_eq!(reply["data"]["success"], true, "{reply:#}");
        let stdout = reply["data"]["stdout"].as_str().unwrap_or_default();
        serde_json::from_str(stdout).unwrap_or_else(|error| panic!("{error}: {stdout:?}"))
    }
}

/// The manifest of a script that takes anything.
pub(crate) fn manifest(id: &str, runtime: &str, entrypoint: &str) -> String {
    format!(
        "tool_id: {id}\ntool_type: script\nexecutor_id: {runtime}\nversion: 1.0.0\n\
         description: Does {id}.\nmanifest: {{entrypoint: {entrypoint}}}\n\
         input_schema: {{type: object}}\n"
    )
}
