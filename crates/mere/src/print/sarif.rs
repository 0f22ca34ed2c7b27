//! Findings in SARIF 2.1.0, the format in which code hosts show them beside the files.
//!
//! It is built from the reply of `mere verify` alone and reads no file.

use mere_core::gate::Cleared;
use mere_core::reply::ReplyType;
use serde_json::{Value, json};

use super::reply::{ReplySentences, ReplyView, UnreadableReply, is_answer};
use super::signing::{Verification, VerifiedItem};

/// Builds the report for a reply of `mere verify`.
pub(crate) fn report(reply: &Cleared) -> Result<Value, UnreadableReply> {
    let findings = if is_answer(reply) {
        let items = ReplyView::<Verification>::read(reply)?.data.items;
        items.iter().filter(|item| item.finding).map(Finding::from_item).collect::<Vec<_>>()
    } else if reply.reply_type() == ReplyType::Error {
        // A roster that does not count is a finding of its own.
        let refusal = ReplySentences::read(reply)?;
        let message = sentences(&refusal.message, refusal.hint.as_deref());
        vec![Finding { rule: "roster".to_owned(), message, path: ".ai/signers.json".to_owned() }]
    } else {
        Vec::new()
    };
    Ok(json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "mere", "version": env!("CARGO_PKG_VERSION"), "rules": rules(&findings),
            } },
            "results": findings.iter().map(Finding::to_json).collect::<Vec<_>>(),
        }],
    }))
}

/// Something that is wrong, and the file in which a code host shows it.
struct Finding {
    rule: String,
    message: String,
    path: String,
}

impl Finding {
    fn from_item(item: &VerifiedItem) -> Self {
        let what = item.fault.as_deref().filter(|fault| !fault.is_empty()).unwrap_or(&item.status);
        let message = sentences(what, item.fix.as_deref());
        let address = item.address.as_deref().unwrap_or_default();
        let main = address.split_once(":/").map_or("", |(_, path)| path);
        // If a particular file differs, the finding points at that file.
        let path = match (item.files.first(), main.rsplit_once('/')) {
            (Some(file), Some((folder, _))) => format!("{folder}/{file}"),
            (Some(file), None) => file.clone(),
            (None, _) => main.to_owned(),
        };
        Self { rule: item.status.clone(), message, path }
    }

    fn to_json(&self) -> Value {
        json!({
            "ruleId": self.rule,
            "level": "error",
            "message": { "text": self.message },
            "locations": [{ "physicalLocation": {
                "artifactLocation": { "uri": encode_uri(&self.path), "uriBaseId": "%SRCROOT%" },
                "region": { "startLine": 1 },
            } }],
        })
    }
}

/// Says what is wrong, and what to do.
fn sentences(what: &str, fix: Option<&str>) -> String {
    format!("{}. {}", what.trim_end_matches('.'), fix.unwrap_or_default())
}

/// Percent-encodes a path for a URI.
fn encode_uri(path: &str) -> String {
    let bytes = path.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'@' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    });
    bytes.collect()
}

/// Describes a finding in one sentence.
fn describe_status(status: &str) -> &'static str {
    match status {
        "unsigned" => "The item must be signed but is not.",
        "unknown-key" => "The item is signed by a key that is not trusted.",
        "bad-signature" => "The item has no valid signature by its key.",
        "revoked-key" => "The item is signed by a key that was revoked.",
        "wrong-location" => "The item is not in the location it was signed for.",
        "wrong-version" => "The item was signed as another version.",
        "changed" => "The item is not what was signed.",
        "wrong-files" => "The item has files that were not signed, or lacks some that were.",
        "roster" => "The team's roster is not valid.",
        _ => "The item cannot be used as it is.",
    }
}

fn rules(findings: &[Finding]) -> Vec<Value> {
    let mut ids = findings.iter().map(|finding| finding.rule.as_str()).collect::<Vec<_>>();
    ids.sort_unstable();
    ids.dedup();
    let rule = |id: &str| json!({ "id": id, "name": id, "shortDescription": { "text": describe_status(id) } });
    ids.into_iter().map(rule).collect()
}
