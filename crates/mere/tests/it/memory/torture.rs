//! `mere torture`, for as long as the test command has time.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::harness::Stage;

#[test]
fn servers_that_are_killed_lose_nothing_and_tear_nothing() {
    let is_long = std::env::var_os("MERE_LONG").is_some();
    let (seconds, least_kills) = if is_long { ("600", 1_000) } else { ("20", 20) };
    let stage = Stage::new();
    let temporary = stage.path("temporary");
    stage.folder("temporary");
    let mut command = stage.command("project");
    command.env("TMPDIR", &temporary).args(["torture", "--json", "--seconds", seconds]);
    let output = command.output().expect("runs");
    let reply = serde_json::from_slice::<Value>(&output.stdout).expect("JSON");
    assert_eq!(reply["code"], "WA-TORTURE-S-001", "{reply:#}");
    assert_eq!(output.status.code(), Some(0));
    let data = &reply["data"];
    assert!(data["kills"].as_u64() >= Some(least_kills), "{data}");
    for count in ["writes", "moves", "reads"] {
        assert!(data[count].as_u64() > Some(0), "{count}: {data}");
    }
    let left = std::fs::read_dir(temporary).expect("listed").map(|entry| entry.expect("it").path());
    assert_eq!(left.collect::<BTreeSet<_>>(), BTreeSet::new(), "the scratch folder is removed");
}

#[test]
fn the_time_of_a_torture_is_a_whole_number_above_zero() {
    let stage = Stage::new();
    for wrong in ["0", "-1", "x", "1.5"] {
        let output = stage.person(&["torture", "--seconds", wrong]);
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}
