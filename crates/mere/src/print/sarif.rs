//! Findings in SARIF 2.1.0, the format in which code hosts show them beside the files.
//!
//! It is built from the reply of `mere verify` alone and reads no file.

use serde_json::{Value, json};

/// Builds the report for a reply of `mere verify`.
pub(crate) fn report(reply: &Value) -> Value {
    let items = reply["data"]["items"].as_array().into_iter().flatten();
    let mut results = items.filter(|item| item["finding"] == true).map(result).collect::<Vec<_>>();
    // A roster that does not count is a finding of its own.
    if reply["reply_type"] == "E" && reply["data"]["items"].is_null() {
        let at = json!({ "address": "ROOT_PROJECT:/.ai/signers.json", "status": "roster",
                         "fault": reply["message"], "fix": reply["hint"] });
        results.push(result(&at));
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "mere", "version": env!("CARGO_PKG_VERSION"), "rules": rules(&results),
            } },
            "results": results,
        }],
    })
}

fn result(item: &Value) -> Value {
    let text = |key: &str| item[key].as_str().unwrap_or_default();
    let what = match text("fault") {
        "" => text("status"),
        fault => fault,
    };
    let message = format!("{}. {}", what.trim_end_matches('.'), text("fix"));
    let main = text("address").split_once(":/").map_or("", |(_, path)| path);
    // If a particular file differs, the finding points at that file.
    let path = match item["files"][0].as_str() {
        Some(file) => {
            main.rsplit_once('/').map_or(file.to_owned(), |(at, _)| format!("{at}/{file}"))
        }
        None => main.to_owned(),
    };
    json!({
        "ruleId": text("status"),
        "level": "error",
        "message": { "text": message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": encode_uri(&path), "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": 1 },
        } }],
    })
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

fn rules(results: &[Value]) -> Vec<Value> {
    let mut ids = results.iter().filter_map(|one| one["ruleId"].as_str()).collect::<Vec<_>>();
    ids.sort_unstable();
    ids.dedup();
    let rule = |id: &str| json!({ "id": id, "name": id, "shortDescription": { "text": describe_status(id) } });
    ids.into_iter().map(rule).collect()
}
