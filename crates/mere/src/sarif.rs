//! Findings in SARIF 2.1.0, the form in which code hosts show them beside the files.

use serde_json::{Value, json};

/// The report of a reply of `mere verify`.
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
    let message = [what, text("fix")].join(". ");
    let path = text("address").split_once(":/").map_or("", |(_, path)| path);
    json!({
        "ruleId": text("status"),
        "level": "error",
        "message": { "text": message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": path, "uriBaseId": "%SRCROOT%" },
            "region": { "startLine": 1 },
        } }],
    })
}

fn rules(results: &[Value]) -> Vec<Value> {
    let mut ids = results.iter().filter_map(|one| one["ruleId"].as_str()).collect::<Vec<_>>();
    ids.sort_unstable();
    ids.dedup();
    ids.into_iter().map(|id| json!({ "id": id, "name": id })).collect()
}
