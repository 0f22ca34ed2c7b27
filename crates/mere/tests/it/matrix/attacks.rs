//! Attack × kind: what becomes of a signed item that is changed, renamed, moved or copied by hand.
//!
//! What is broken is an error whose reply has no byte of the item, is named by `mere verify`, and is
//! not passed over for an item of the same name in the user's own space. Sidecars and the files of
//! an item have files of their own: `matrix/sidecars.rs` and `matrix/files.rs`.

use serde_json::{Value, json};

use crate::matrix::items::{OWN_SPACE, SPACE, Shape, Signed, TestItem, kinds, read};
use crate::support::harness::{Answer, Mcp, Stage};

/// What `load` must come to.
#[derive(Clone, Debug)]
pub(crate) enum Expected {
    Verified,
    /// Given with a warning, and denied where it must be signed: the status.
    Warned(&'static str),
    /// An error: the status.
    Broken(&'static str),
    /// At the wrong place: what differs, as it was signed and as it is, and where it belongs.
    Misplaced {
        field: &'static str,
        signed: String,
        found: String,
        home: String,
        /// Where its signature was left, if it was moved without it.
        signature: Option<String>,
    },
    /// There is no such item.
    Absent,
}

/// Signed for `home`, and found at `found`.
pub(crate) fn misplaced(field: &'static str, home: &TestItem, found: &TestItem) -> Expected {
    let value = |item: &TestItem| match field {
        "type" => item.kind.to_owned(),
        "id" => item.id.clone(),
        "category" => item.category.to_owned(),
        "scope" => if item.root == "home" { "user" } else { "project" }.to_owned(),
        "space" => space_of(item).to_owned(),
        _ => item.base.trim_start_matches(".ai/").to_owned(),
    };
    let (signed, found, home) = (value(home), value(found), home.address());
    Expected::Misplaced { field, signed, found, home, signature: None }
}

/// The spaces of the stage's folders: `strange` says nothing of its own.
fn space_of(item: &TestItem) -> &'static str {
    match item.root.as_str() {
        "home" => OWN_SPACE,
        "other" => "8d7f3a52-0c1e-4b8e-9a51-3f0e6f1b2c3d",
        "strange" => "",
        _ => SPACE,
    }
}

/// The project that an item is looked at from.
fn project_of(item: &TestItem) -> &str {
    if item.root == "home" { "project" } else { &item.root }
}

fn arguments(item: &TestItem, source: Option<&str>) -> Value {
    let mut arguments = json!({ "item_type": item.kind, "item_id": item.reference() });
    if let Some(source) = source {
        arguments["source"] = source.into();
    }
    arguments
}

fn own_source(item: &TestItem) -> &'static str {
    if item.root == "home" { "user" } else { "project" }
}

/// One call of `load`, as an agent makes it, from the project that the item lies in.
pub(crate) fn load(stage: &Stage, item: &TestItem) -> Answer {
    let arguments = arguments(item, Some(own_source(item))).to_string();
    stage.answer(stage.command(project_of(item)).args(["call", "load", &arguments]))
}

/// See [`check_all`].
pub(crate) fn check(stage: &Stage, case: &str, item: &TestItem, expected: &Expected) {
    check_all(stage, case, &[(item.clone(), expected.clone())]);
}

/// Loads items of one project, with and without others of the same name in the user's own space,
/// where they must be signed and where not, and verifies all.
pub(crate) fn check_all(stage: &Stage, case: &str, found: &[(TestItem, Expected)]) {
    let Some((first, _)) = found.first() else { return };
    for (item, expected) in found {
        let answer = load(stage, item);
        let status = match answer.reply["reply_type"].as_str() {
            Some("S") => 0,
            Some("I") => 1,
            _ => 4,
        };
        assert_eq!(answer.status, status, "{case}: {}", answer.reply);
        check_reply(&answer.reply, &format!("{case}: {}", item.address()), item, expected);
    }
    named(stage, case, found, |expected| match expected {
        Expected::Broken(status) => Some(status),
        Expected::Misplaced { .. } => Some("wrong-location"),
        _ => None,
    });
    shadowed(stage, case, found);
    require_all(stage, first);
    let mut mcp = serve(stage, first);
    for (item, expected) in found {
        let case = format!("{case}, where it must be signed: {}", item.address());
        let reply = mcp.call("load", &arguments(item, Some(own_source(item))));
        match expected {
            Expected::Warned(status) => denied(&reply, &case, status),
            expected => check_reply(&reply, &case, item, expected),
        }
    }
    named(stage, case, found, |expected| match expected {
        Expected::Warned(status) => Some(status),
        _ => None,
    });
}

/// `mere mcp` in the project that an item lies in.
fn serve<'a>(stage: &'a Stage, item: &TestItem) -> Mcp<'a> {
    let mut command = stage.command(project_of(item));
    command.arg("mcp");
    let mut mcp = Mcp::spawn(stage, command);
    mcp.greet();
    mcp
}

fn check_reply(reply: &Value, case: &str, item: &TestItem, expected: &Expected) {
    let found = (reply["reply_type"].as_str(), reply["code"].as_str());
    let trust = &reply["data"]["trust"];
    match expected {
        Expected::Verified => {
            assert_eq!(found, (Some("S"), Some("IT-LOAD-S-001")), "{case}: {reply}");
            assert_eq!((&trust["status"], &trust["signer"]), (&json!("verified"), &json!("you")));
            assert!(shows_item(reply) && reply.get("hint").is_none(), "{case}: {reply}");
        }
        Expected::Warned(status) => {
            assert_eq!(found, (Some("S"), Some("IT-LOAD-S-001")), "{case}: {reply}");
            assert_eq!(trust["status"], *status, "{case}: {reply}");
            let hint = reply["hint"].as_str().unwrap_or_default();
            let command = format!("mere sign {} {}", item.kind, item.name());
            assert!(hint.contains(&command), "{case}: {reply}");
            assert!(shows_item(reply), "{case}: {reply}");
        }
        Expected::Broken(status) => {
            assert_eq!(found, (Some("E"), Some(code(status))), "{case}: {reply}");
            assert_eq!(trust["status"], *status, "{case}: {reply}");
            let begin = format!("Integrity verification failed: {} ", item.address());
            let message = reply["message"].as_str().unwrap_or_default();
            assert!(message.starts_with(&begin) && message.ends_with('.'), "{case}: {reply}");
            withheld(reply, case);
        }
        Expected::Misplaced { field, signed, found: there, home, signature } => {
            assert_eq!(found, (Some("E"), Some("IT-TRUST-E-001")), "{case}: {reply}");
            assert_eq!(trust["status"], "wrong-location", "{case}: {reply}");
            let mismatch = json!({ "field": field, "expected": signed, "found": there });
            assert_eq!(trust["mismatch"], mismatch, "{case}: {reply}");
            let space = |id: &str| match (*field, id) {
                ("space", "") => " in a space without an id".to_owned(),
                ("space", id) => format!(" in the space {id}"),
                _ => String::new(),
            };
            let message = format!(
                "Item {} at wrong location. Expected: {home}{}. Found: {}{}.",
                item.id,
                space(signed),
                item.address(),
                space(there)
            );
            let message = match signature {
                Some(signature) => format!("{message} Its signature lies at {signature}."),
                None => message,
            };
            assert_eq!(reply["message"], message, "{case}");
            assert_eq!(trust.get("signature"), signature.clone().map(Value::from).as_ref());
            withheld(reply, case);
        }
        Expected::Absent => {
            assert_eq!(found, (Some("I"), Some("IT-ITEM-I-001")), "{case}: {reply}");
            withheld(reply, case);
        }
    }
}

fn denied(reply: &Value, case: &str, status: &str) {
    let code = if status == "unsigned" { "EN-ITEM-D-002" } else { "EN-ITEM-D-003" };
    let found = (reply["reply_type"].as_str(), reply["code"].as_str());
    assert_eq!(found, (Some("D"), Some(code)), "{case}: {reply}");
    assert_eq!(reply["data"]["trust"]["status"], status, "{case}: {reply}");
    withheld(reply, case);
}

fn code(status: &str) -> &'static str {
    match status {
        "changed" => "IT-TRUST-E-002",
        "wrong-files" => "IT-TRUST-E-003",
        "bad-signature" => "IT-TRUST-E-004",
        "revoked-key" => "IT-TRUST-E-005",
        "wrong-version" => "IT-TRUST-E-006",
        other => panic!("{other} is not broken"),
    }
}

/// Whether a reply tells anything of the item.
fn shows_item(reply: &Value) -> bool {
    let text = [&reply["message"], &reply["hint"], &reply["data"]].map(Value::to_string).join("\n");
    ["BODY", "SIDE", "EDIT", "b0d7"].iter().any(|piece| text.contains(piece))
}

fn withheld(reply: &Value, case: &str) {
    assert!(!shows_item(reply), "{case}: {reply}");
    for key in ["content", "metadata", "files", "integrity"] {
        assert!(reply["data"].get(key).is_none(), "{case}: {reply}");
    }
}

/// From now on every type must be signed.
fn require_all(stage: &Stage, item: &TestItem) {
    let config = "folders: {directives: [.claude/skills]}\n\
                  require_signed: [directive, tool, knowledge, lockfile]\n";
    stage.file(&format!("{}/.ai/config.yaml", project_of(item)), config);
}

/// `mere verify --all` fails and names each that has a status here, with a fix.
fn named(
    stage: &Stage,
    case: &str,
    found: &[(TestItem, Expected)],
    status: impl Fn(&Expected) -> Option<&'static str>,
) {
    let reported = found.iter().filter_map(|(item, expected)| Some((item, status(expected)?)));
    let reported = reported.collect::<Vec<_>>();
    let Some((first, _)) = reported.first() else { return };
    let mut command = stage.command(project_of(first));
    let output = command.args(["verify", "--all", "--json"]).output().expect("mere runs");
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let ended = (output.status.code(), &reply["reply_type"], &reply["code"]);
    assert_eq!(ended, (Some(4), &json!("E"), &json!("IT-VERIFY-E-001")), "{case}: {reply}");
    let items = reply["data"]["items"].as_array().expect("items");
    for (item, status) in reported {
        let named = items.iter().find(|listed| listed["address"] == item.address().as_str());
        let named = named.unwrap_or_else(|| panic!("{case}: {} in {reply}", item.address()));
        let verdict = (&named["status"], &named["finding"]);
        assert_eq!(verdict, (&json!(status), &json!(true)), "{case}: {named}");
        assert!(named["fix"].as_str().is_some_and(|fix| !fix.is_empty()), "{case}: {named}");
    }
}

/// An item of the same name in the user's own space does not take the place of a broken one.
fn shadowed(stage: &Stage, case: &str, found: &[(TestItem, Expected)]) {
    let is_broken =
        |expected: &Expected| matches!(expected, Expected::Broken(_) | Expected::Misplaced { .. });
    let broken = found.iter().filter(|(item, expected)| {
        item.root == "project" && !item.in_own_space().is_there(stage) && is_broken(expected)
    });
    let broken = broken.collect::<Vec<_>>();
    let Some((first, _)) = broken.first() else { return };
    for (item, _) in &broken {
        item.in_own_space().write(stage, "EDIT");
    }
    let mut mcp = serve(stage, first);
    for (item, expected) in broken {
        let case = format!("{case}, shadowed: {}", item.address());
        check_reply(&mcp.call("load", &arguments(item, None)), &case, item, expected);
    }
}

/// Whether a case makes sense for a kind, and where the item is afterwards.
type Case = (&'static str, fn(&Stage, &TestItem) -> Option<(TestItem, Expected)>);

/// Runs every case for every kind, on a copy of its own.
pub(crate) fn run_cases(signed: &Signed, cases: &[Case]) {
    for (name, change) in cases {
        let stage = signed.copy();
        let found = kinds().iter().filter_map(|item| change(&stage, item)).collect::<Vec<_>>();
        check_all(&stage, name, &found);
    }
}

/// A text in which one piece is another, and that is written back.
pub(crate) fn edit(stage: &Stage, below: &str, from: &str, to: &str) {
    let text = read(stage, below);
    assert!(text.contains(from), "{from:?} is not in {below}");
    stage.file(below, &text.replacen(from, to, 1));
}

#[test]
fn what_was_signed_is_verified() {
    let signed = Signed::new();
    run_cases(&signed, &[("untouched", |_, item| Some((item.clone(), Expected::Verified)))]);
    let output = signed.copy().person(&["verify", "--all", "--json"]);
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &reply["data"]["findings"]), (Some(0), &json!(0)), "{reply}");
    assert_eq!(reply["data"]["counts"], json!({ "verified": 7 }), "{reply}");
}

#[test]
fn not_a_byte_of_it_may_change() {
    let signed = Signed::new();
    for item in kinds() {
        let edits: &[(&str, &str)] = match (item.kind, item.shape) {
            ("directive", Shape::Markdown) => &[
                ("<action>BODY", "<action>EDIT"),
                ("BODY described", "EDIT described"),
                ("# Before", "# In front"),
                ("\n\nAfter", "\n\n\nAfter"),
                ("After BODY\n", "After BODY"),
                ("version=\"1.0.0\"", "version=\"1.0.1\""),
                ("name=\"one\"", "name='one'"),
            ],
            ("tool", _) => &[
                ("x_note: BODY", "x_note: EDIT"),
                ("description: BODY", "description: EDIT"),
                ("subprocess", "bash_runtime"),
                ("version: \"1.0.0\"", "version: '1.0.0'"),
                ("tool_id", "# a comment\ntool_id"),
            ],
            ("lockfile", _) => &[
                ("b0d7", "b0d8"),
                ("\"registry\": null", "\"registry\":null"),
                ("}\n}\n", "}\n}\n\n"),
            ],
            _ => &[
                ("---\nBODY\n", "---\nEDIT\n"),
                ("BODY described", "EDIT described"),
                ("---\nBODY\n", "---\nBODY\n\n"),
                ("---\nBODY\n", "---\nBODY"),
                ("---\nBODY\n", "---\r\nBODY\n"),
            ],
        };
        for (from, to) in edits {
            let stage = signed.copy();
            edit(&stage, &item.main(), from, to);
            check(&stage, &format!("{to:?}"), &item, &Expected::Broken("changed"));
        }
        if let Some(side) = item.side() {
            let stage = signed.copy();
            edit(&stage, &side, "SIDE", "EDIT");
            check(&stage, "a side file is edited", &item, &Expected::Broken("changed"));
        }
    }
}

#[test]
fn it_stays_where_it_was_signed_for() {
    run_cases(
        &Signed::new(),
        &[
            ("renamed", |stage, item| {
                Some(go(stage, item, item.id(&format!("{}-too", item.id)), "id"))
            }),
            ("to another category", |stage, item| {
                Some(go(stage, item, item.category("ops"), "category"))
            }),
            ("to a deeper category", |stage, item| {
                Some(go(stage, item, item.category("api/deep"), "category"))
            }),
            ("to the type's root", |stage, item| {
                let is_there = item.category.is_empty();
                (!is_there).then(|| go(stage, item, item.category(""), "category"))
            }),
            ("to another type's folder", |stage, item| Some(to_another_type(stage, item))),
            ("to another base", |stage, item| match (item.base, item.shape) {
                (".claude/skills", _) => Some(go(stage, item, item.base(".ai/directives"), "base")),
                (_, Shape::Folder("SKILL.md")) => {
                    Some(go(stage, item, item.base(".claude/skills").category("api"), "base"))
                }
                _ => None,
            }),
        ],
    );
}

/// Notes and directives have files of one form; what else is moved is no item of the other type.
fn to_another_type(stage: &Stage, item: &TestItem) -> (TestItem, Expected) {
    let directive = item.kind("directive", ".ai/directives");
    let knowledge = item.kind("knowledge", ".ai/knowledge");
    match (item.kind, item.shape) {
        ("directive", Shape::Markdown) => go(stage, item, knowledge, "type"),
        ("knowledge", _) => go(stage, item, directive, "type"),
        ("tool", Shape::Folder(_)) => gone(stage, item, directive),
        ("tool", _) => gone(stage, item, knowledge),
        _ => gone(stage, item, item.kind("tool", ".ai/tools")),
    }
}

/// Moves it; it is at the wrong place then.
fn go(stage: &Stage, item: &TestItem, to: TestItem, field: &'static str) -> (TestItem, Expected) {
    item.moved(stage, &to);
    let expected = misplaced(field, item, &to);
    (to, expected)
}

/// Moves it where no item of the type can lie: there is none there.
fn gone(stage: &Stage, item: &TestItem, to: TestItem) -> (TestItem, Expected) {
    item.moved(stage, &to);
    (TestItem { shape: Shape::Markdown, ..to }, Expected::Absent)
}
