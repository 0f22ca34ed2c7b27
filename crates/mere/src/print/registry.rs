//! What the operator of a registry is told.
//!
//! These replies are for whoever has the database; no agent sees them.

use std::io;
use std::process::ExitCode;

use mere_core::reply::codes;
use mere_registry::{
    Account, AuditEvent, AuditReport, CreatedToken, NamespaceRow, Privacy, RegistryError,
    SigningKey, SweepMode, SweepReport, TokenInfo,
};
use serde_json::{Value, json};

use super::operator_reply::operator_reply;
use super::terminal;
use crate::arguments::AnswerArguments;

/// What a command answers.
pub(crate) struct OperatorAnswer {
    lines: Vec<String>,
    reply: Value,
    status: u8,
}

const TOOL: &str = "registry";

impl OperatorAnswer {
    /// Describes a change that was made.
    pub(crate) fn changed(words: String, data: &Value) -> Self {
        let reply = operator_reply(codes::SERVER_CHANGED, TOOL, &words, data);
        Self { lines: vec![words], reply, status: 0 }
    }

    fn listed(lines: Vec<String>, data: &Value) -> Self {
        let words = match lines.len() {
            0 => "There are none.".to_owned(),
            1 => "There is one.".to_owned(),
            count => format!("There are {count}."),
        };
        let reply = operator_reply(codes::SERVER_LISTED, TOOL, &words, data);
        let lines = if lines.is_empty() { vec![words] } else { lines };
        Self { lines, reply, status: 0 }
    }
}

/// Prints what a command answers, or why it is refused.
pub(crate) fn print(
    answer: &AnswerArguments,
    result: Result<OperatorAnswer, RegistryError>,
) -> io::Result<ExitCode> {
    let OperatorAnswer { lines, reply, status } = match result {
        Ok(answer) => answer,
        Err(error) => {
            let words = error.to_string();
            let status = if error.is_failure() { terminal::BROKEN } else { terminal::INVALID };
            if !answer.json {
                return Ok(terminal::print_failure(&words, status));
            }
            let data = json!({ "code": error.code().name() });
            let reply = if error.is_failure() {
                operator_reply(codes::SERVER_FAILED, TOOL, &words, &data)
            } else {
                operator_reply(codes::SERVER_REFUSED, TOOL, &words, &data)
            };
            OperatorAnswer { lines: Vec::new(), reply, status }
        }
    };
    if answer.json {
        terminal::print_line(&format!("{reply:#}"))?;
    } else {
        for line in lines {
            terminal::print_line(&line)?;
        }
    }
    Ok(ExitCode::from(status))
}

/// Lists accounts.
pub(crate) fn accounts(all: &[Account]) -> OperatorAnswer {
    let lines = all.iter().map(|one| format!("{}  {}", one.name, one.created_at)).collect();
    OperatorAnswer::listed(lines, &json!({ "accounts": all }))
}

/// Lists namespaces.
pub(crate) fn namespaces(all: &[NamespaceRow]) -> OperatorAnswer {
    let word = |one: &NamespaceRow| match one.privacy {
        Privacy::Public => "public",
        Privacy::Private => "private",
    };
    let lines =
        all.iter().map(|one| format!("{}  {}  owned by {}", one.name, word(one), one.owner));
    let lines = lines.collect();
    let data = all.iter().map(|one| {
        let private = one.privacy == Privacy::Private;
        json!({
            "name": one.name.as_str(), "owner": one.owner, "private": private,
            "created_at": one.created_at
        })
    });
    OperatorAnswer::listed(lines, &json!({ "namespaces": data.collect::<Vec<_>>() }))
}

/// Lists keys.
pub(crate) fn keys(all: &[SigningKey]) -> OperatorAnswer {
    let lines = all.iter();
    let lines = lines
        .map(|one| format!("{}  {}  {}", one.namespace, one.key.fingerprint(), one.added_at))
        .collect();
    let data = all.iter().map(|one| {
        json!({
            "namespace": one.namespace, "fingerprint": one.key.fingerprint().to_string(),
            "public_key": one.key.to_string(), "added_at": one.added_at
        })
    });
    OperatorAnswer::listed(lines, &json!({ "keys": data.collect::<Vec<_>>() }))
}

/// Shows a new token, this once.
pub(crate) fn created_token(created: &CreatedToken) -> OperatorAnswer {
    let token = created.token.expose();
    let data = json!({ "id": created.id, "token": token });
    let words = "The token is shown this once.";
    let reply = operator_reply(codes::SERVER_TOKEN, TOOL, words, &data);
    OperatorAnswer { lines: vec![token.to_owned()], reply, status: 0 }
}

/// Lists tokens.
pub(crate) fn tokens(all: &[TokenInfo]) -> OperatorAnswer {
    let lines = all.iter().map(|one| {
        let state = match (&one.revoked_at, &one.expires_at) {
            (Some(at), _) => format!("  revoked {at}"),
            (None, Some(at)) => format!("  until {at}"),
            (None, None) => String::new(),
        };
        format!("{}  {}  {}{state}", one.id, one.account, one.scopes)
    });
    let lines = lines.collect();
    OperatorAnswer::listed(lines, &json!({ "tokens": all }))
}

/// Lists who changed what.
pub(crate) fn events(all: &[AuditEvent]) -> OperatorAnswer {
    let lines =
        all.iter().map(|one| format!("{}  {}  {}  {}", one.at, one.actor, one.action, one.subject));
    let lines = lines.collect();
    OperatorAnswer::listed(lines, &json!({ "events": all }))
}

/// Shows what a sweep found.
pub(crate) fn sweep_report(report: &SweepReport, mode: SweepMode) -> OperatorAnswer {
    let SweepReport { files, bytes } = report;
    let subject = match files {
        1 => "1 file that was".to_owned(),
        files => format!("{files} files that were"),
    };
    let data = json!({ "files": files, "bytes": bytes });
    let end = format!("sent and never published, of {bytes} bytes.");
    match mode {
        SweepMode::Count => {
            let words = format!("There would be removed {subject} {end}");
            let reply = operator_reply(codes::SERVER_LISTED, TOOL, &words, &data);
            OperatorAnswer { lines: vec![words], reply, status: 0 }
        }
        SweepMode::Remove => OperatorAnswer::changed(format!("Removed {subject} {end}"), &data),
    }
}

/// Shows what an audit found.
pub(crate) fn audit_report(report: &AuditReport) -> OperatorAnswer {
    let AuditReport { entries, versions, blobs, findings } = report;
    let counted = |count: u64, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    };
    let counts = format!(
        "{}, {} and {} were checked",
        counted(*entries, "entry", "entries"),
        counted(*versions, "version", "versions"),
        counted(*blobs, "file", "files")
    );
    let data = json!({
        "entries": entries, "versions": versions, "blobs": blobs, "findings": findings
    });
    if findings.is_empty() {
        let words = format!("{counts}: all of them are as the log says.");
        let reply = operator_reply(codes::SERVER_AUDITED, TOOL, &words, &data);
        return OperatorAnswer { lines: vec![words], reply, status: 0 };
    }
    let words =
        format!("{counts}, with {}.", counted(findings.len() as u64, "finding", "findings"));
    let reply = operator_reply(codes::SERVER_FINDINGS, TOOL, &words, &data);
    let lines = findings.iter().cloned().chain([words]).collect();
    OperatorAnswer { lines, reply, status: terminal::BROKEN }
}
