//! `mere verify --min-version-file`, for machines that remember nothing.

use serde_json::{Value, json};

use super::rollback::{put, roll_back, upgraded};
use crate::support::workshop::Workshop;

/// Verifies with a file of minimum versions; the reply and the exit status.
fn verify(shop: &Workshop, minimums: &Value) -> (Value, i32) {
    let file = shop.stage.file("beside/minimum.json", &minimums.to_string());
    let file = file.display().to_string();
    let output = shop.stage.person(&["verify", "--min-version-file", &file, "--json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let reply = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    (reply, output.status.code().expect("an exit status"))
}

fn finding(reply: &Value) -> &Value {
    let items = reply["data"]["items"].as_array().expect("items");
    items.iter().find(|row| row["finding"] == true).unwrap_or_else(|| panic!("{reply:#}"))
}

#[test]
fn an_item_that_is_older_than_the_file_allows_is_a_finding() {
    let shop = upgraded();
    for minimum in ["2.0.0", "2.0.0-rc.1", "1.9.9", "2.0.0+build"] {
        let (reply, status) = verify(&shop, &json!({ "tool:t/deploy": minimum }));
        assert_eq!((status, &reply["reply_type"]), (0, &json!("S")), "{minimum} {reply:#}");
    }
    let (reply, status) = verify(&shop, &json!({ "tool:t/deploy": "2.0.1" }));
    assert_eq!((status, &finding(&reply)["status"]), (4, &json!("older")), "{reply:#}");
    // Nothing is remembered, as in CI.
    roll_back(&shop);
    std::fs::remove_dir_all(shop.stage.path("home/.local/state/merestone/seen")).expect("seen");
    let (reply, status) = verify(&shop, &json!({ "tool:t/deploy": "2.0.0" }));
    assert_eq!((status, &finding(&reply)["status"]), (4, &json!("older")), "{reply:#}");
    let fault = finding(&reply)["fault"].as_str().expect("a fault");
    assert!(fault.contains("is version 1.0.0, but at least 2.0.0 is required"), "{fault}");
}

#[test]
fn an_item_that_is_missing_or_that_nobody_vouches_for_is_a_finding() {
    let shop = upgraded();
    let (reply, status) = verify(&shop, &json!({ "tool:t/gone": "0.0.1" }));
    assert_eq!((status, &finding(&reply)["status"]), (4, &json!("missing")), "{reply:#}");
    // A bare name means the item without a category.
    let (reply, status) = verify(&shop, &json!({ "tool:deploy": "0.0.1" }));
    assert_eq!((status, &finding(&reply)["status"]), (4, &json!("missing")), "{reply:#}");
    let note = "---\nid: rule\ntitle: T\nversion: \"9.9.9\"\n---\nText.\n";
    shop.stage.file("project/.ai/knowledge/k/rule.md", note);
    let (reply, status) = verify(&shop, &json!({ "knowledge:k/rule": "1.0.0" }));
    assert_eq!((status, &finding(&reply)["status"]), (4, &json!("unsigned")), "{reply:#}");
    let sarif = shop.stage.path("beside/out.sarif").display().to_string();
    let file = shop.stage.path("beside/minimum.json").display().to_string();
    let words = ["verify", "--min-version-file", &file, "--sarif", &sarif];
    assert_eq!(shop.stage.person(&words).status.code(), Some(4));
    let written = std::fs::read_to_string(shop.stage.path("beside/out.sarif")).expect("SARIF");
    assert!(written.contains("nobody vouches for its version 9.9.9"), "{written}");
}

#[test]
fn a_file_that_does_not_state_versions_is_wrong_usage() {
    let shop = upgraded();
    for (text, reason) in [
        ("", "not valid JSON"),
        ("[]", "one JSON object"),
        ("{\"tool:a\": \"1\"}", "a version is SemVer"),
        ("{\"tool:../a\": \"1.0.0\"}", "an item is named by"),
        ("{\"tool:a\": \"1.0.0\", \"tool:a\": \"0.0.1\"}", "not valid JSON"),
    ] {
        let file = shop.stage.file("beside/minimum.json", text).display().to_string();
        let output = shop.stage.person(&["verify", "--min-version-file", &file]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text:?} {told}");
        assert!(told.contains("minimum versions") && told.contains(reason), "{text:?} {told}");
    }
    let output = shop.stage.person(&["verify", "--min-version-file", "/nowhere/at-all.json"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    put(&shop, "3.0.0");
    let (_, status) = verify(&shop, &json!({ "tool:t/deploy": "3.0.0" }));
    assert_eq!(status, 0);
}
