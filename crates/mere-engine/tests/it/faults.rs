//! Calls that fail inside the engine: the door still answers.
//!
//! A panic, a cancelled call or a missed deadline ends with a reply, and the session stays usable.

use std::cell::Cell;
use std::time::{Duration, Instant};

use mere_core::turn::{Progress, Turn};
use serde_json::Value;

use crate::scene::{PatientTurn, TestProject, call};

struct PanickingTurn;

impl Turn for PanickingTurn {
    fn progress(&mut self, _note: &Progress) {}

    fn is_cancelled(&self) -> bool {
        panic!("a bug at /home/someone/secret.rs")
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }
}

struct CancelledTurn;

impl Turn for CancelledTurn {
    fn progress(&mut self, _note: &Progress) {}

    fn is_cancelled(&self) -> bool {
        true
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }
}

/// A caller whose deadline passes after a number of checks.
struct LateTurn {
    checks_left: Cell<u32>,
}

impl Turn for LateTurn {
    fn progress(&mut self, _note: &Progress) {}

    fn is_cancelled(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        let left = self.checks_left.get().checked_sub(1);
        self.checks_left.set(left.unwrap_or(0));
        if left.is_some() { None } else { Instant::now().checked_sub(Duration::from_secs(1)) }
    }
}

fn scene() -> TestProject {
    let scene = TestProject::new();
    for name in ["a", "b", "c"] {
        std::fs::create_dir(scene.base().join("project").join(name)).expect("a folder");
    }
    scene
}

#[test]
fn a_panic_becomes_an_error_reply_and_the_session_lives_on() {
    let scene = scene();
    let session = scene.session();
    let reply = call(&session, r#"{"command":"tree"}"#, &mut PanickingTurn);
    assert_eq!(reply.to_value()["code"], "MCP-CALL-E-001");
    assert!(!reply.to_value().to_string().contains("secret"));
    assert_eq!(reply.to_value()["trace"]["trace_id"].as_str().map(str::len), Some(32));
    let reply = call(&session, r#"{"command":"tree"}"#, &mut PatientTurn);
    assert_eq!(reply.to_value()["data"]["count"], 3);
}

#[test]
fn a_cancelled_call_stops() {
    let scene = scene();
    let reply = call(&scene.session(), r#"{"command":"tree"}"#, &mut CancelledTurn);
    assert_eq!(reply.to_value()["code"], "MCP-CALL-E-002");
}

#[test]
fn a_late_walk_gives_what_it_has_and_a_cursor() {
    let scene = scene();
    let session = scene.session();
    let all = ["ROOT_PROJECT:/a/", "ROOT_PROJECT:/b/", "ROOT_PROJECT:/c/"];
    let paths = |reply: &Value| {
        let found = reply["data"]["directories"].as_array().cloned().unwrap_or_default();
        found.into_iter().map(|one| one["path"].as_str().expect("a path").to_owned())
    };
    let mut parted = 0;
    // Wherever the time runs out, nothing is lost and nothing is returned twice.
    for looks in 1..30 {
        let mut late = LateTurn { checks_left: Cell::new(looks) };
        let first = call(&session, r#"{"command":"tree"}"#, &mut late);
        if first.to_value()["code"] == "MCP-CALL-E-003" {
            continue;
        }
        let mut found = paths(&first.to_value()).collect::<Vec<_>>();
        if let Some(next) = first.to_value()["data"]["next"].as_str() {
            parted += 1;
            let arguments = format!(r#"{{"command":"tree","cursor":"{next}"}}"#);
            found.extend(paths(&call(&session, &arguments, &mut PatientTurn).to_value()));
        }
        assert_eq!(found, all, "{looks}");
    }
    assert!(parted > 0, "no walk was ever parted");
}

#[test]
fn a_listing_that_takes_too_long_says_so() {
    let scene = scene();
    let mut late = LateTurn { checks_left: Cell::new(0) };
    let reply = call(&scene.session(), r#"{"command":"list"}"#, &mut late);
    assert_eq!(reply.to_value()["code"], "MCP-CALL-E-003");
    assert_eq!(reply.to_value()["message"], "Reading ROOT_PROJECT:/ took too long.");
}
