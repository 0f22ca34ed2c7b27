//! What a receipt says about one run: who asked for which tool, and how it ended.
//!
//! Inputs and outputs appear as digests, grants by their names, the project as an opaque key.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::address::{Address, AgentName};
use crate::digest::Sha256;
use crate::item::{Category, ItemId, PinnedTool, Scope, Version};
use crate::request::Reader;
use crate::trust::signed_data::{self, ClosedObject, SignedDataError};

use super::ReceiptId;

/// What is recorded about one run, or one refusal to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRecord {
    /// When it began, by the machine's clock.
    pub began: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// An opaque key of the project's folder, which only this machine can compute.
    pub project: Option<String>,
    /// The agent in whose workspace it ran.
    pub agent: AgentName,
    /// Who asked for it.
    pub reader: Reader,
    /// The tool as it was asked for.
    pub tool: String,
    /// The links of its chain, from the tool down; empty if it was refused before they were known.
    pub chain: Vec<ReceiptLink>,
    /// The lockfile that pinned the chain.
    pub lockfile: Option<Address>,
    /// What a person had allowed and was in use, by name.
    pub approvals: Vec<String>,
    /// The digest of the inputs, as canonical JSON.
    pub inputs: Option<Sha256>,
    /// How the tool ended, if it ran.
    pub outcome: Option<RunOutcome>,
    /// The code of the reply that refused it, or that withheld its result.
    pub refused: Option<String>,
    /// The receipt of the run that this one repeats.
    pub replays: Option<ReceiptId>,
}

/// One link of the chain that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptLink {
    /// Its id.
    pub id: ItemId,
    /// Its version.
    pub version: Version,
    /// Its scope; `None` for a tool that ships in the binary.
    pub scope: Option<Scope>,
    /// Its category.
    pub category: Category,
    /// Its canonical hash.
    pub integrity: Sha256,
}

/// How a tool ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutcome {
    /// The exit status, if it exited by itself.
    pub exit_code: Option<i64>,
    /// What ended it otherwise, such as `timeout`.
    pub end: Option<String>,
    /// How long it ran.
    pub duration_ms: u64,
    /// The digest of its standard output, as far as that was kept.
    pub stdout: Sha256,
    /// The digest of its standard error, as far as that was kept.
    pub stderr: Sha256,
    /// Tells whether there was more output than is kept.
    pub truncated: bool,
}

impl RunRecord {
    /// The fields that a receipt has because of its run.
    pub(super) const FIELDS: [&str; 13] = [
        "began",
        "ended",
        "project",
        "agent",
        "reader",
        "tool",
        "chain",
        "lockfile",
        "approvals",
        "inputs",
        "outcome",
        "refused",
        "replays",
    ];

    pub(super) fn to_json(&self) -> Value {
        json!({
            "began": self.began.to_string(),
            "ended": self.ended.to_string(),
            "project": self.project,
            "agent": self.agent.as_str(),
            "reader": reader_name(self.reader),
            "tool": self.tool,
            "chain": self.chain.iter().map(ReceiptLink::to_json).collect::<Vec<_>>(),
            "lockfile": self.lockfile.as_ref().map(ToString::to_string),
            "approvals": self.approvals,
            "inputs": self.inputs.map(|digest| digest.to_string()),
            "outcome": self.outcome.as_ref().map(RunOutcome::to_json),
            "refused": self.refused,
            "replays": self.replays.map(|id| id.to_string()),
        })
    }

    pub(super) fn parse(fields: &ClosedObject<'_>) -> Result<Self, SignedDataError> {
        let reader = match fields.text("reader")? {
            "agent" => Reader::Agent,
            "person" => Reader::Person,
            _ => return Err(SignedDataError("a field has an invalid value")),
        };
        let chain = fields.list("chain")?.iter().map(ReceiptLink::parse);
        let outcome = Some(fields.get("outcome")?).filter(|value| !value.is_null());
        Ok(Self {
            began: fields.parse("began")?,
            ended: fields.parse("ended")?,
            project: fields.parse_or_null("project")?,
            agent: fields.parse("agent")?,
            reader,
            tool: fields.parse("tool")?,
            chain: chain.collect::<Result<_, _>>()?,
            lockfile: fields.parse_or_null("lockfile")?,
            approvals: signed_data::parse_list(fields.get("approvals")?)?,
            inputs: fields.parse_or_null("inputs")?,
            outcome: outcome.map(RunOutcome::parse).transpose()?,
            refused: fields.parse_or_null("refused")?,
            replays: fields.parse_or_null("replays")?,
        })
    }
}

fn reader_name(reader: Reader) -> &'static str {
    match reader {
        Reader::Agent => "agent",
        Reader::Person => "person",
    }
}

/// The name that stands for the scope of a tool that ships in the binary.
const BUILTIN: &str = "builtin";

impl ReceiptLink {
    fn to_json(&self) -> Value {
        json!({
            "tool_id": self.id.to_string(),
            "version": self.version.to_string(),
            "scope": self.scope.map_or(BUILTIN, Scope::name),
            "category": self.category.to_string(),
            "integrity": self.integrity.to_string(),
        })
    }

    fn parse(value: &Value) -> Result<Self, SignedDataError> {
        let known = ["tool_id", "version", "scope", "category", "integrity"];
        let fields = ClosedObject::new(value, &known)?;
        Ok(Self {
            id: fields.parse("tool_id")?,
            version: fields.parse("version")?,
            scope: match fields.text("scope")? {
                BUILTIN => None,
                _ => Some(fields.parse("scope")?),
            },
            category: fields.parse("category")?,
            integrity: fields.parse("integrity")?,
        })
    }
}

impl From<&PinnedTool> for ReceiptLink {
    fn from(pin: &PinnedTool) -> Self {
        Self {
            id: pin.id.clone(),
            version: pin.version.clone(),
            scope: pin.scope,
            category: pin.category.clone(),
            integrity: pin.integrity,
        }
    }
}

impl RunOutcome {
    fn to_json(&self) -> Value {
        json!({
            "exit_code": self.exit_code,
            "end": self.end,
            "duration_ms": self.duration_ms,
            "stdout": self.stdout.to_string(),
            "stderr": self.stderr.to_string(),
            "truncated": self.truncated,
        })
    }

    fn parse(value: &Value) -> Result<Self, SignedDataError> {
        let known = ["exit_code", "end", "duration_ms", "stdout", "stderr", "truncated"];
        let fields = ClosedObject::new(value, &known)?;
        let wrong = SignedDataError("a field has an invalid value");
        let exit_code = Some(fields.get("exit_code")?).filter(|code| !code.is_null());
        Ok(Self {
            exit_code: exit_code.map(|code| code.as_i64().ok_or(wrong)).transpose()?,
            end: fields.parse_or_null("end")?,
            duration_ms: fields.number("duration_ms")?,
            stdout: fields.parse("stdout")?,
            stderr: fields.parse("stderr")?,
            truncated: fields.get("truncated")?.as_bool().ok_or(wrong)?,
        })
    }

    /// Checks whether another run ended in the same way and printed the same. How long it took does
    /// not matter.
    pub fn has_same_result(&self, other: &Self) -> bool {
        Self { duration_ms: other.duration_ms, ..self.clone() } == *other
    }
}
