//! Keys that do not count, and files of keys and trust that were damaged or replaced.

use serde_json::json;

use super::case::{AttackCase, Expectation, Request, Tampering, case, execute, load, tool, write};
use super::runner::Runner;
use super::world::World;
use crate::support::samples::note;
use crate::support::workshop::manifest;

const AREA: &str = "keys";
const KEYS: &str = "home/.config/merestone/keys.json";
const KEY: &str = "home/.config/merestone/keys/id_ed25519";
const TRUST: &str = "home/.config/merestone/trust.json";
const SIDECAR: &str = "project/.ai/knowledge/e/eves.md.sig";

/// What somebody signed whose key does not count.
fn strangers() -> Vec<AttackCase> {
    let unknown = |code| Expectation::Says(code, "/data/trust/status", json!("unknown-key"));
    let claim =
        Tampering::Copy("project/.ai/knowledge/k/fact.md.sig".to_owned(), SIDECAR.to_owned());
    vec![
        case(
            AREA,
            "a note signed by a stranger",
            load("knowledge", "e/eves"),
            unknown("IT-LOAD-S-001"),
        ),
        case(
            AREA,
            "a tool signed by a stranger, loaded",
            load("tool", "e/eves"),
            unknown("EN-ITEM-D-003"),
        ),
        case(
            AREA,
            "a tool signed by a stranger, run",
            execute("e/eves", &json!({})),
            Expectation::Code("EN-RUN-D-001"),
        )
        .in_workspace(),
        case(
            AREA,
            "a note signed by a revoked key",
            load("knowledge", "r/mallorys"),
            Expectation::Code("IT-TRUST-E-005"),
        ),
        case(
            AREA,
            "a tool signed by a revoked key",
            execute("r/mallorys", &json!({})),
            Expectation::Code("IT-TRUST-E-005"),
        )
        .in_workspace(),
        case(
            AREA,
            "a stranger's note with the signature of a known key",
            load("knowledge", "e/eves"),
            Expectation::Code("IT-TRUST-E-001"),
        )
        .after([claim]),
        case(
            AREA,
            "a stranger's signature without its key",
            load("knowledge", "e/eves"),
            Expectation::Code("IT-TRUST-E-004"),
        )
        .after([Tampering::Edit(
            SIDECAR.to_owned(),
            "\"keyid\": \"SHA256:",
            "\"keyid\": \"SHA256:AAAA",
        )]),
    ]
}

/// Damage to the user's own files: nothing counts then, and nothing is written over.
fn damage() -> Vec<(&'static str, Vec<Tampering>, Request, Expectation)> {
    const BROKEN: Expectation = Expectation::Code("IT-KEY-E-004");
    const NO_TRUST: Expectation = Expectation::Code("IT-SIGNER-E-001");
    let list = || Request::Person("keys list");
    let trusted = || Request::Person("trust list");
    let sign = || Request::Person("sign knowledge k/other");
    let deep = "[".repeat(10_000);
    vec![
        ("a list of keys that is no JSON", vec![write(KEYS, "{")], list(), BROKEN),
        ("a list of keys that is empty", vec![write(KEYS, "")], list(), BROKEN),
        ("a list of keys of deep lists", vec![write(KEYS, deep.clone())], list(), BROKEN),
        (
            "a list of keys that is a folder",
            vec![Tampering::Folder(KEYS.to_owned())],
            list(),
            BROKEN,
        ),
        ("a list of keys that is a pipe", vec![Tampering::Pipe(KEYS.to_owned())], list(), BROKEN),
        (
            "a trust store that is a pipe",
            vec![Tampering::Pipe(TRUST.to_owned())],
            trusted(),
            NO_TRUST,
        ),
        ("signing with a damaged list of keys", vec![write(KEYS, "{")], sign(), BROKEN),
        (
            "a key that others can read",
            vec![Tampering::Mode(KEY.to_owned(), 0o644)],
            sign(),
            Expectation::Code("IT-KEY-E-001"),
        ),
        (
            "a key that others can write",
            vec![Tampering::Mode(KEY.to_owned(), 0o622)],
            sign(),
            Expectation::Code("IT-KEY-E-001"),
        ),
        (
            "a key that is gone",
            vec![Tampering::Remove(KEY.to_owned())],
            sign(),
            Expectation::Code("IT-KEY-I-009"),
        ),
        (
            "a key that is garbage",
            vec![write(KEY, "key"), Tampering::Mode(KEY.to_owned(), 0o600)],
            sign(),
            Expectation::Code("IT-KEY-I-006"),
        ),
        (
            "a key that is a pipe",
            vec![Tampering::Pipe(KEY.to_owned())],
            sign(),
            Expectation::Code("IT-KEY-E-002"),
        ),
        (
            "a key of somebody else in its place",
            vec![
                Tampering::Copy("eve/.config/merestone/keys/id_ed25519".to_owned(), KEY.to_owned()),
                Tampering::Mode(KEY.to_owned(), 0o600),
            ],
            sign(),
            Expectation::Code("IT-KEY-E-002"),
        ),
        ("a trust store that is no JSON", vec![write(TRUST, "{")], trusted(), NO_TRUST),
        ("a trust store that is empty", vec![write(TRUST, "")], trusted(), NO_TRUST),
        ("a trust store of deep lists", vec![write(TRUST, deep)], trusted(), NO_TRUST),
        (
            "a trust store that others can write",
            vec![Tampering::Mode(TRUST.to_owned(), 0o666)],
            trusted(),
            NO_TRUST,
        ),
        (
            "a tool under a trust store that others can write",
            vec![Tampering::Mode(TRUST.to_owned(), 0o666)],
            execute("e/eves", &json!({})),
            Expectation::Code("EN-RUN-D-001"),
        ),
        (
            "a trust store that is a folder",
            vec![Tampering::Folder(TRUST.to_owned())],
            trusted(),
            NO_TRUST,
        ),
    ]
}

/// Agents that reach for keys.
fn agents() -> Vec<(&'static str, Request, Expectation)> {
    const NOWHERE: Expectation = Expectation::Code("WA-PATH-I-001");
    let read = |path: &str| tool("read", json!({ "path": path }));
    vec![
        (
            "a key read by its host path",
            read("{stage}/home/.config/merestone/keys/id_ed25519"),
            NOWHERE,
        ),
        (
            "a key read from the user's space",
            read("ROOT_USER:/.config/merestone/keys/id_ed25519"),
            NOWHERE,
        ),
        ("the trust store read", read("ROOT_USER:/../.config/merestone/trust.json"), NOWHERE),
        (
            "a signature written by an agent",
            tool("write", json!({"path": ".ai/knowledge/e/eves.md.sig", "content": "{}"})),
            Expectation::Code("EN-WRITE-D-001"),
        ),
        (
            "a key given to a tool of mere",
            tool("sign", json!({"item_type": "tool", "item_id": "e/eves"})),
            Expectation::Code("MCP-ARG-I-002"),
        ),
    ]
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    let damage = damage().into_iter();
    let damage = damage
        .map(|(name, changes, request, expects)| case(AREA, name, request, expects).after(changes));
    let agents = agents().into_iter();
    let agents = agents.map(|(name, request, expects)| case(AREA, name, request, expects));
    strangers().into_iter().chain(damage).chain(agents).collect()
}

/// A note and a tool of somebody else, in a category.
pub(super) fn made_by(world: &World, who: &str, category: &str) {
    world.stage.file(&format!("{who}/.ai/config.yaml"), "sign: {unattended: true}\n");
    world.other_person(who, "keys generate --no-passphrase");
    let id = format!("{who}s");
    let at = |folder: &str, name: &str| format!("project/.ai/{folder}/{category}/{name}");
    world.stage.file(&at("knowledge", &format!("{id}.md")), &note(&id, "Theirs."));
    let script = format!("{id}.sh");
    world.stage.file(&at("tools", &format!("{id}.yaml")), &manifest(&id, "bash_runtime", &script));
    world.stage.file(&at("tools", &script), "echo theirs\n");
    world.other_person(who, &format!("sign knowledge {category}/{id}"));
    world.other_person(who, &format!("sign tool {category}/{id}"));
}

#[test]
fn no_key_counts_that_nobody_trusts() {
    let world = World::signed();
    made_by(&world, "eve", "e");
    made_by(&world, "mallory", "r");
    let key = world.stage.path("mallory/.config/merestone/keys/id_ed25519.pub");
    world.person(&format!("trust add {} --name Mallory", key.display()));
    world.person("trust revoke Mallory");
    Runner::new(&world).run(&cases());
}
