//! How receipts look to a person.
//!
//! What an agent or a tool chose is escaped, so that it cannot control the terminal.

use serde::Deserialize;
use serde_json::Value;

use super::Printer;
use super::items::{FAINT, push_line};
use super::reply::{ReplyView, nullable};

/// The data of a reply to `mere runs`. There are more receipts if `next` is there.
#[derive(Deserialize)]
pub(crate) struct RunList {
    runs: Vec<RunRow>,
    next: Option<String>,
}

#[derive(Deserialize)]
struct RunRow {
    id: String,
    began: String,
    tool: String,
    agent: String,
    reader: String,
    result: String,
}

/// The data of a reply to `mere runs show`.
#[derive(Deserialize)]
pub(crate) struct ShownReceipt {
    id: String,
    sequence: u64,
    began: String,
    tool: String,
    agent: String,
    reader: String,
    result: String,
    chain: Vec<RunLink>,
    #[serde(deserialize_with = "nullable")]
    lockfile: Option<String>,
    approvals: Vec<String>,
    #[serde(deserialize_with = "nullable")]
    inputs: Option<String>,
    #[serde(deserialize_with = "nullable")]
    kept_inputs: Option<Value>,
    #[serde(deserialize_with = "nullable")]
    outcome: Option<RunOutputs>,
    #[serde(deserialize_with = "nullable")]
    replays: Option<String>,
    key: String,
}

#[derive(Deserialize)]
struct RunLink {
    tool_id: String,
    version: String,
    integrity: String,
}

#[derive(Deserialize)]
struct RunOutputs {
    duration_ms: u64,
    stdout: String,
    stderr: String,
}

/// The data of a reply to `mere runs verify`.
#[derive(Deserialize)]
pub(crate) struct CheckedReceipts {
    findings: Vec<ChainFinding>,
    left_out: Option<u64>,
}

/// Something that is wrong. The receipt is named if it can be read.
#[derive(Deserialize)]
struct ChainFinding {
    #[serde(deserialize_with = "nullable")]
    receipt: Option<String>,
    what: String,
}

/// The data of a reply to `mere runs export`. There are more lines if `next` is there.
#[derive(Deserialize)]
pub(crate) struct ExportPage {
    pub(crate) lines: Vec<String>,
    pub(crate) next: Option<ExportPosition>,
}

#[derive(Deserialize)]
pub(crate) struct ExportPosition {
    pub(crate) file: u32,
    pub(crate) line: u64,
}

/// The data of a reply to `mere runs replay`.
#[derive(Deserialize)]
pub(crate) struct ReplayedRun {
    pub(crate) same: bool,
    /// What differs: `end`, `stdout` or `stderr`.
    differences: Vec<String>,
    receipt: String,
}

impl Printer {
    /// Formats the list of receipts.
    pub(crate) fn runs(&self, reply: &ReplyView<RunList>) -> String {
        let RunList { runs, next } = &reply.data;
        let rows = runs.iter().map(|run| {
            let who = if run.reader == "person" { "you" } else { &run.agent };
            let began = run.began.get(..19).unwrap_or(&run.began).replace('T', " ");
            let cells = [&began, &run.tool, who, &run.result, &run.id];
            cells.map(|cell| self.escape_controls(cell))
        });
        let mut out = self.table(["BEGAN (UTC)", "TOOL", "FOR", "RESULT", "ID"], rows.collect());
        if let Some(next) = next {
            push_line(&mut out, format_args!("There are more: `--before {next}` lists them."));
        }
        if runs.is_empty() { self.sentence(reply) } else { out }
    }

    /// Formats one receipt.
    pub(crate) fn receipt(&self, reply: &ReplyView<ShownReceipt>) -> String {
        let data = &reply.data;
        let mut out = String::new();
        let mut line = |name: &str, value: &str| {
            let value = self.escape_controls(value);
            push_line(
                &mut out,
                format_args!("{} {value}", self.paint(&format!("{name:<10}"), FAINT)),
            );
        };
        line("receipt", &format!("{} (number {})", data.id, data.sequence));
        line("began", &data.began);
        line("tool", &data.tool);
        let asked = if data.reader == "person" { "you" } else { "an agent" };
        line("asked by", &format!("{asked}, in the workspace of `{}`", data.agent));
        line("result", &data.result);
        for link in &data.chain {
            line("link", &format!("{} {} {}", link.tool_id, link.version, link.integrity));
        }
        data.lockfile.iter().for_each(|lockfile| line("lockfile", lockfile));
        data.approvals.iter().for_each(|approval| line("approval", approval));
        data.inputs.iter().for_each(|inputs| line("inputs", inputs));
        data.kept_inputs.iter().for_each(|inputs| line("", &inputs.to_string()));
        if let Some(RunOutputs { duration_ms, stdout, stderr }) = &data.outcome {
            line("stdout", stdout);
            line("stderr", stderr);
            line("took", &format!("{duration_ms} ms"));
        }
        data.replays.iter().for_each(|id| line("repeats", id));
        line("key", &data.key);
        out + &self.sentence(reply)
    }

    /// Formats what is wrong with the chain of receipts.
    pub(crate) fn checked_receipts(&self, reply: &ReplyView<CheckedReceipts>) -> String {
        let mut out = String::new();
        for ChainFinding { receipt, what } in &reply.data.findings {
            let what = self.escape_controls(what);
            let id = receipt.iter().map(|id| format!("  {}", self.paint(id, FAINT)));
            push_line(&mut out, format_args!("✗ {what}{}", id.collect::<String>()));
        }
        if let Some(count) = reply.data.left_out {
            push_line(&mut out, format_args!("and {count} more"));
        }
        self.with_sentence(out, reply)
    }

    /// Formats how a repeated run compares with the first one.
    pub(crate) fn replayed_run(&self, reply: &ReplyView<ReplayedRun>) -> String {
        let data = &reply.data;
        let mut out = self.sentence(reply);
        for difference in &data.differences {
            let what = match difference.as_str() {
                "end" => "It ended differently.",
                "stdout" => "Its standard output differs.",
                _ => "Its standard error differs.",
            };
            push_line(&mut out, format_args!("  {what}"));
        }
        push_line(&mut out, format_args!("  receipt {}", self.escape_controls(&data.receipt)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use serde_json::json;

    #[test]
    fn runs_are_listed_and_an_id_that_controls_the_terminal_is_escaped() {
        let row = json!({ "id": "1", "began": "2026-01-24T09:30:00.5Z", "tool": "t\u{1b}[2J",
                          "agent": "ada", "reader": "agent", "result": "exit 0" });
        let shown = pipe_printer().runs(&success(json!({ "runs": [row], "next": "1" })));
        assert!(shown.contains("2026-01-24 09:30:00") && shown.contains("ada"), "{shown}");
        assert!(shown.ends_with("There are more: `--before 1` lists them.\n"), "{shown}");
        assert_eq!(pipe_printer().runs(&success(json!({ "runs": [] }))), "Done.\n");
    }

    #[test]
    fn findings_are_named_with_their_receipts() {
        let data = json!({ "findings": [{ "receipt": "7", "what": "a" },
                                        { "receipt": null, "what": "b" }], "left_out": 3 });
        let expected = "✗ a  7\n✗ b\nand 3 more\nDone.\n";
        assert_eq!(pipe_printer().checked_receipts(&success(data)), expected);
    }

    #[test]
    fn a_repeated_run_says_what_differs() {
        let data = json!({ "same": false, "differences": ["stdout"], "receipt": "7" });
        let expected = "Done.\n  Its standard output differs.\n  receipt 7\n";
        assert_eq!(pipe_printer().replayed_run(&success(data)), expected);
    }
}
