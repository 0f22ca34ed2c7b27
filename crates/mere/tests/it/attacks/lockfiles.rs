//! Lockfiles that were changed, and chains that are not what they pin.

use serde_json::json;

use super::case::{AttackCase, Expectation, Tampering, case, execute, write};
use super::runner::Runner;
use super::world::World;

const AREA: &str = "lockfiles";
const LOCK: &str = "project/.ai/lockfiles/k/hello@1.0.0.lock.json";
const SIDECAR: &str = "project/.ai/lockfiles/k/hello@1.0.0.lock.json.sig";
const CHANGED: Expectation = Expectation::Code("IT-TRUST-E-002");
const BAD: Expectation = Expectation::Code("IT-TRUST-E-004");
const UNUSABLE: Expectation = Expectation::Code("EX-RUN-E-001");

fn edit(from: &'static str, to: &'static str) -> Tampering {
    Tampering::Edit(LOCK.to_owned(), from, to)
}

/// What is done, and how running the tool is refused.
#[expect(clippy::too_many_lines, reason = "a table")]
fn changes() -> Vec<(&'static str, Vec<Tampering>, Expectation)> {
    let unsigned = || Tampering::Remove(SIDECAR.to_owned());
    let alone = |text: &str| vec![write(LOCK, text), unsigned()];
    let tool = "project/.ai/tools/k/hello";
    vec![
        (
            "a pinned executor changed",
            vec![edit("\"executor\": \"bash_runtime\"", "\"executor\": \"node_runtime\"")],
            CHANGED,
        ),
        (
            "a pinned scope changed",
            vec![edit("\"scope\": \"builtin\"", "\"scope\": \"project\"")],
            CHANGED,
        ),
        (
            "a pinned version changed",
            vec![edit("\"version\": \"1.0.0\"", "\"version\": \"1.0.1\"")],
            CHANGED,
        ),
        ("a space more in a lockfile", vec![edit("{\n", "{ \n")], CHANGED),
        ("a lockfile without a signature", vec![unsigned()], Expectation::Code("EN-RUN-D-001")),
        ("a lockfile with an empty signature", vec![write(SIDECAR, "{}")], BAD),
        (
            "a lockfile with the signature of its tool",
            vec![Tampering::Copy(format!("{tool}.yaml.sig"), SIDECAR.to_owned())],
            Expectation::Code("IT-TRUST-E-001"),
        ),
        (
            "a lockfile signed for another place",
            vec![Tampering::Payload(
                SIDECAR.to_owned(),
                "placement",
                ("\"scope\":\"project\"", "\"scope\":\"user\""),
            )],
            BAD,
        ),
        ("an unsigned lockfile that is no JSON", alone("{"), UNUSABLE),
        ("an unsigned lockfile that is empty", alone(""), UNUSABLE),
        ("an unsigned lockfile of deep lists", alone(&"[".repeat(10_000)), UNUSABLE),
        (
            "an unsigned lockfile of a later format",
            vec![edit("\"lockfile_version\": 1", "\"lockfile_version\": 2"), unsigned()],
            UNUSABLE,
        ),
        (
            "an unsigned lockfile with a key twice",
            vec![
                edit(
                    "\"lockfile_version\": 1",
                    "\"lockfile_version\": 1,\n  \"lockfile_version\": 1",
                ),
                unsigned(),
            ],
            UNUSABLE,
        ),
        (
            "a lockfile that is a link",
            vec![Tampering::Link(LOCK.to_owned(), "{stage}/beside/canary.txt".to_owned())],
            UNUSABLE,
        ),
        ("a lockfile that is a pipe", vec![Tampering::Pipe(LOCK.to_owned())], UNUSABLE),
        ("a lockfile that is a folder", vec![Tampering::Folder(LOCK.to_owned())], UNUSABLE),
        (
            "a script changed under its lockfile",
            vec![Tampering::Edit(format!("{tool}.sh"), "hello", "goodbye")],
            CHANGED,
        ),
        (
            "a manifest changed under its lockfile",
            vec![Tampering::Edit(format!("{tool}.yaml"), "Does hello", "Does more")],
            CHANGED,
        ),
        (
            "a tool that lost its signature under its lockfile",
            vec![Tampering::Remove(format!("{tool}.yaml.sig"))],
            Expectation::Code("EN-RUN-D-001"),
        ),
        (
            "a chain whose lockfile was moved",
            vec![
                Tampering::Rename(LOCK.to_owned(), LOCK.replace("/k/", "/m/")),
                Tampering::Rename(SIDECAR.to_owned(), SIDECAR.replace("/k/", "/m/")),
            ],
            Expectation::Code("IT-TRUST-E-001"),
        ),
        (
            "a lockfile named for another version",
            vec![
                Tampering::Rename(LOCK.to_owned(), LOCK.replace("1.0.0", "2.0.0")),
                Tampering::Rename(SIDECAR.to_owned(), SIDECAR.replace("1.0.0", "2.0.0")),
            ],
            Expectation::Code("IT-TRUST-E-006"),
        ),
        (
            "a tool of the project with the name of a built-in runtime",
            vec![write(
                "project/.ai/tools/bash_runtime.yaml",
                "tool_id: bash_runtime\ntool_type: runtime\nexecutor_id: subprocess\n\
                 version: 9.0.0\nconfig: {command: [id]}\n",
            )],
            Expectation::Says("EX-RUN-S-001", "/data/stdout", json!("hello\n")),
        ),
    ]
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    let changes = changes().into_iter();
    let request = || execute("k/hello", &json!({}));
    let cases = changes.map(|(name, changes, expects)| {
        case(AREA, name, request(), expects).after(changes).in_workspace()
    });
    cases.collect()
}

#[test]
fn no_chain_runs_that_is_not_what_was_pinned() {
    Runner::new(&World::signed()).run(&cases());
}
