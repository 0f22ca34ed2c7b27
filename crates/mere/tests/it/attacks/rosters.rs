//! Rosters that were changed, taken back, forged or damaged.

use serde_json::json;

use super::case::{AttackCase, Expectation, Request, Tampering, case, execute, load, write};
use super::keys::made_by;
use super::runner::Runner;
use super::world::World;

const AREA: &str = "rosters";
const ROSTER: &str = "project/.ai/signers.json";
const SIDECAR: &str = "project/.ai/signers.json.sig";

/// What is done to the roster of the space, whose last serial has no Ben in it.
fn changes() -> Vec<(&'static str, Vec<Tampering>)> {
    let edit = |from, to| vec![Tampering::Edit(ROSTER.to_owned(), from, to)];
    let put = |text: &str| vec![write(ROSTER, text)];
    let from = |name: &str, to: &str| Tampering::Copy(format!("beside/{name}"), to.to_owned());
    vec![
        ("a roster with a later serial", edit("\"serial\": ", "\"serial\": 9")),
        ("a roster of another format", edit("\"v\": 1", "\"v\": 2")),
        ("a roster with another threshold", edit("\"threshold\": 1", "\"threshold\": 0")),
        ("a roster for another space", edit("\"space_id\": \"", "\"space_id\": \"0")),
        ("a roster that demands nothing", edit("\"directive\",", "")),
        ("a roster with another member", edit("\"name\": \"Ada\"", "\"name\": \"Eve\"")),
        ("a roster that is empty", put("")),
        ("a roster that is no JSON", put("{")),
        ("a roster that is an empty object", put("{}")),
        ("a roster of deep lists", put(&"[".repeat(10_000))),
        ("a roster that is not UTF-8", vec![Tampering::Write(ROSTER.to_owned(), vec![0xff; 8])]),
        ("a roster of two megabytes", put(&" ".repeat(2 << 20))),
        ("a roster without its signatures", vec![Tampering::Remove(SIDECAR.to_owned())]),
        ("a roster with empty signatures", vec![write(SIDECAR, "{}")]),
        ("a roster with garbage for signatures", vec![write(SIDECAR, "sig")]),
        (
            "a roster with the signature of an item",
            vec![Tampering::Copy(
                "project/.ai/knowledge/k/fact.md.sig".to_owned(),
                SIDECAR.to_owned(),
            )],
        ),
        (
            "a roster that is a link",
            vec![Tampering::Link(ROSTER.to_owned(), "{stage}/beside/old.json".to_owned())],
        ),
        ("a roster that is a pipe", vec![Tampering::Pipe(ROSTER.to_owned())]),
        ("a roster that is a folder", vec![Tampering::Folder(ROSTER.to_owned())]),
        (
            "the roster from before a removal",
            vec![from("old.json", ROSTER), from("old.json.sig", SIDECAR)],
        ),
        ("the new roster with the old signatures", vec![from("old.json.sig", SIDECAR)]),
        ("the old roster with the new signatures", vec![from("old.json", ROSTER)]),
        (
            "a roster that was deleted",
            vec![Tampering::Remove(ROSTER.to_owned()), Tampering::Remove(SIDECAR.to_owned())],
        ),
    ]
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    let mut all = Vec::new();
    for (name, changes) in changes() {
        let request = Request::Person("join --yes");
        let expects = Expectation::Code("IT-TEAM-E-001");
        all.push(case(AREA, format!("{name}, joined"), request, expects).after(changes));
    }
    // Whatever lies there: nobody counts who was removed.
    for (name, changes) in changes() {
        let name = format!("{name}, and a tool of a removed member");
        let request = execute("b/bens", &json!({}));
        let expects = Expectation::Code("EN-RUN-D-001");
        all.push(case(AREA, name, request, expects).after(changes).in_workspace());
    }
    let unknown = Expectation::Says("IT-LOAD-S-001", "/data/trust/status", json!("unknown-key"));
    all.push(case(AREA, "a note of a removed member", load("knowledge", "b/bens"), unknown));
    all
}

#[test]
fn no_roster_counts_that_the_admins_did_not_sign() {
    let world = World::signed();
    made_by(&world, "ben", "b");
    world.person("team init --name Ada");
    let key = world.stage.path("ben/.config/merestone/keys/id_ed25519.pub");
    world.person(&format!("team add Ben {}", key.display()));
    let copy = |from: &str, to: &str| {
        std::fs::copy(world.stage.path(from), world.stage.path(to)).expect("a copy");
    };
    copy(ROSTER, "beside/old.json");
    copy(SIDECAR, "beside/old.json.sig");
    world.person("team remove Ben");
    Runner::new(&world).run(&cases());
}
