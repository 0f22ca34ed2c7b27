//! Keeping a memory: what is said is what is read back, byte by byte, and nothing is lost.

use mere_core::digest::Sha256;
use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};
use crate::support::store_fixture::{CONFIG, STORE, Surface, disk, in_seconds, outcome, text};

/// A stage with a server, and one category.
fn stage() -> Stage {
    let stage = Stage::new();
    stage.file(CONFIG, "stores: {cortex: {path: ./memory}}\n");
    stage.file(&format!("{STORE}/t/.category.yaml"), "description: \"Tests\"\n");
    stage
}

/// A memory's file.
fn file(path: &str) -> String {
    format!("{STORE}/{path}.md")
}

/// What a call that succeeds tells.
fn done(mcp: &mut Mcp<'_>, tool: &str, arguments: &Value) -> Value {
    let reply = mcp.call(tool, arguments);
    assert_eq!(reply["reply_type"], "S", "{tool} {arguments}: {reply}");
    reply["data"].clone()
}

/// The same for one that is refused: its type, code and message.
fn refused(mcp: &mut Mcp<'_>, tool: &str, arguments: &Value) -> [String; 3] {
    let reply = mcp.call(tool, arguments);
    assert_ne!(reply["reply_type"], "S", "{tool} {arguments}: {reply}");
    outcome(&reply).map(str::to_owned)
}

fn digest(stage: &Stage, path: &str) -> String {
    Sha256::digest(text(stage, &file(path)).as_bytes()).to_string()
}

fn keys(data: &Value) -> Vec<&str> {
    data.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn a_memory_has_these_fields_and_no_others() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let arguments = json!({
        "path": "t/auth", "content": "# Auth\n\nTokens.\n", "tags": ["a", "b"],
        "expires_at": "2999-01-31T12:00:00+01:00", "citations": ["RFC 6750"], "source": "review"
    });
    let made = done(&mut mcp, "create_memory", &arguments);
    let outline = [
        "store",
        "path",
        "address",
        "title",
        "tags",
        "created_at",
        "updated_at",
        "expires_at",
        "citations",
        "source",
        "sha256",
    ];
    assert_eq!(keys(&made), outline);
    let got = done(&mut mcp, "get_memory", &json!({ "path": "t/auth" }));
    let mut whole = outline.to_vec();
    whole.insert(4, "content");
    assert_eq!(keys(&got), whole);
    let expected = json!({
        "store": "cortex", "path": "t/auth", "address": "ROOT_PROJECT:/.ai/memory/t/auth.md",
        "title": "Auth", "content": "# Auth\n\nTokens.\n", "tags": ["a", "b"],
        "created_at": made["created_at"], "updated_at": made["created_at"],
        "expires_at": "2999-01-31T11:00:00Z", "citations": ["RFC 6750"], "source": "review",
        "sha256": digest(&stage, "t/auth"),
    });
    assert_eq!(got, expected);
    let created = made["created_at"].as_str().expect("a time");
    let at = |text: &str| text.parse::<jiff::Timestamp>().expect("RFC 3339");
    let age = in_seconds(0).as_second() - at(created).as_second();
    assert!((0..60).contains(&age), "{created}");
    let plain = done(&mut mcp, "create_memory", &json!({ "path": "plain", "content": "x" }));
    assert_eq!(
        keys(&plain),
        ["store", "path", "address", "title", "tags", "created_at", "updated_at", "sha256"]
    );
}

#[test]
fn a_change_a_move_and_a_removal_tell_these_fields() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let arguments = json!({
        "path": "t/auth", "content": "# Auth\n", "tags": ["a"], "citations": ["RFC 6750"],
        "expires_at": "2999-01-31T12:00:00Z", "source": "review"
    });
    let made = done(&mut mcp, "create_memory", &arguments);
    let update = json!({ "path": "t/auth", "tags": [], "citations": [], "expires_at": null });
    let changed = done(&mut mcp, "update_memory", &update);
    assert_eq!(
        keys(&changed),
        [
            "store",
            "path",
            "address",
            "title",
            "tags",
            "created_at",
            "updated_at",
            "source",
            "sha256"
        ]
    );
    assert_eq!((&changed["tags"], &changed["created_at"]), (&json!([]), &made["created_at"]));
    let moved = done(&mut mcp, "move_memory", &json!({ "from": "t/auth", "to": "login" }));
    assert_eq!((&moved["path"], &moved["sha256"]), (&json!("login"), &changed["sha256"]));
    assert_eq!(moved["address"], "ROOT_PROJECT:/.ai/memory/login.md");
    let removed = done(&mut mcp, "remove_memory", &json!({ "path": "login" }));
    let expected = json!({
        "store": "cortex", "path": "login", "address": "ROOT_PROJECT:/.ai/memory/login.md",
        "removed": true
    });
    assert_eq!(removed, expected);
    assert!(!stage.path(&file("login")).exists() && !stage.path(&file("t/auth")).exists());
}

#[test]
fn the_title_is_the_first_heading_else_the_slug() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for (at, (content, title)) in [
        ("# One\n# Two\n", "One"),
        ("Text.\n\n### Three ###\n", "Three"),
        ("```\n# no\n```\n## C#\n", "C#"),
        ("no heading\n", "n4"),
        ("#hash\n    # code\n", "n5"),
        ("", "n6"),
        ("# \n## Next\n", "Next"),
        ("# \u{1f980} é\r\n", "\u{1f980} é"),
    ]
    .into_iter()
    .enumerate()
    {
        let path = format!("t/n{}", at + 1);
        let arguments = json!({ "path": path, "content": content });
        assert_eq!(done(&mut mcp, "create_memory", &arguments)["title"], title, "{content:?}");
        let got = done(&mut mcp, "get_memory", &json!({ "path": path }));
        assert_eq!(got["title"], title, "{content:?}");
    }
}

/// Contents that a careless reader or writer would change.
fn fragile_contents() -> Vec<String> {
    let mut contents = [
        "",
        "\n",
        "no newline",
        "a\r\nb\r\n",
        "a\rb",
        "---\nx: 1\n---\nbody\n",
        "---\n",
        "---",
        "...\n",
        "--- \n---\n",
        "\u{feff}mark",
        " leading and trailing \n\n\n",
        "\ttab",
        "\u{1f980} e\u{301} \u{202e}x\u{2028}y\u{85}z",
        "nul is none, \u{7} is a bell",
        "{{x}} ${y} %s \\n \" ' `",
        "# T\n\n```yaml\n---\na: 1\n---\n```\n",
    ]
    .map(str::to_owned)
    .to_vec();
    contents.push("long line ".repeat(10_000));
    contents
}

#[test]
fn a_content_is_read_back_byte_by_byte() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for (at, content) in fragile_contents().into_iter().enumerate() {
        let path = format!("t/odd{at}");
        let arguments = json!({ "path": path, "content": content });
        let made = done(&mut mcp, "create_memory", &arguments);
        assert_eq!(made["sha256"], digest(&stage, &path), "{content:?}");
        assert!(text(&stage, &file(&path)).ends_with(&format!("\n---\n{content}")), "{content:?}");
        let got = done(&mut mcp, "get_memory", &json!({ "path": path }));
        assert_eq!(got["content"], content);
        // And as a change of one that was another, whose other keys stay.
        let plain = format!("t/was{at}");
        let arguments = json!({ "path": plain, "content": "# Was\n", "tags": ["kept"] });
        done(&mut mcp, "create_memory", &arguments);
        let arguments = json!({ "path": plain, "content": content });
        done(&mut mcp, "update_memory", &arguments);
        let got = done(&mut mcp, "get_memory", &json!({ "path": plain }));
        assert_eq!((&got["content"], &got["tags"]), (&json!(content), &json!(["kept"])));
    }
}

#[test]
fn a_memory_is_at_most_one_mebibyte_and_text() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    done(&mut mcp, "create_memory", &json!({ "path": "t/small", "content": "x" }));
    let front = text(&stage, &file("t/small")).len() - 1;
    let room = 1024 * 1024 - front;
    let large = |bytes| json!({ "path": "t/large", "content": "x".repeat(bytes) });
    let [kind, code, message] = refused(&mut mcp, "create_memory", &large(room + 1));
    assert_eq!((kind.as_str(), code.as_str()), ("I", "IT-CHANGE-I-002"));
    assert!(message.contains("larger than 1 MiB"), "{message}");
    assert!(!stage.path(&file("t/large")).exists());
    done(&mut mcp, "create_memory", &large(room));
    let got = done(&mut mcp, "get_memory", &json!({ "path": "t/large" }));
    assert_eq!(got["content"].as_str().map(str::len), Some(room));
    let before = disk(&stage);
    let grown = json!({ "path": "t/large", "tags": ["one tag more"] });
    assert_eq!(refused(&mut mcp, "update_memory", &grown)[1], "IT-CHANGE-I-002");
    let nul = json!({ "path": "t/zero", "content": "a\0b" });
    assert_eq!(refused(&mut mcp, "create_memory", &nul)[1], "IT-CHANGE-I-002");
    let nul = json!({ "path": "t/small", "content": "a\0b" });
    assert_eq!(refused(&mut mcp, "update_memory", &nul)[1], "IT-CHANGE-I-002");
    assert_eq!(disk(&stage), before);
}

/// Words that a careless writer of YAML would turn into something else.
const LOADED: &[&str] = &[
    "yes",
    "no",
    "null",
    "~",
    "1.0",
    "0x1f",
    "2024-01-01",
    "a: b",
    "- x",
    "# c",
    "'q'",
    "\"dq\"",
    "\\back",
    "two\nlines",
    "{x}",
    "[y]",
    "&a",
    "*b",
    "!t",
    "%p",
    "@at",
    "`bt`",
    " lead",
    "trail ",
    "é",
    "\u{1f980}",
    "---",
    "...",
    "a, b",
    "<<",
    "=",
];

#[test]
fn words_that_mean_something_in_yaml_are_words() {
    let stage = stage();
    for surface in Surface::ALL {
        let words = LOADED.iter().collect::<Vec<_>>();
        for (at, source) in words.iter().enumerate() {
            let path = format!("t/{surface:?}{at}").to_lowercase();
            let arguments = json!({
                "path": path, "content": "x", "tags": words, "citations": words, "source": source
            });
            surface.done(&stage, "create_memory", &arguments);
            let got = Surface::Call.done(&stage, "get_memory", &json!({ "path": path }));
            assert_eq!(got["tags"], json!(words), "{surface:?}");
            assert_eq!(got["citations"], json!(words), "{surface:?}");
            assert_eq!(got["source"], **source, "{surface:?}");
            if at % 8 != 0 {
                continue;
            }
            let fewer = json!({ "path": path, "tags": [source], "citations": [source] });
            surface.done(&stage, "update_memory", &fewer);
            let got = Surface::Call.done(&stage, "get_memory", &json!({ "path": path }));
            assert_eq!((&got["tags"], &got["citations"]), (&json!([source]), &json!([source])));
        }
    }
}

#[test]
fn what_a_person_wrote_stays_where_it_is() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for (was, change, becomes) in [
        ("A note.\n", json!({ "content": "Other.\n" }), "---\nNOW\n---\nOther.\n"),
        ("A note.\n", json!({ "tags": ["x"] }), "---\ntags: [\"x\"]\nNOW\n---\nA note.\n"),
        (
            "---\n# mine\nmood: good # today\nnested: {a: [1, 2]}\n---\nOld.\n",
            json!({ "content": "New.\n" }),
            "---\n# mine\nmood: good # today\nnested: {a: [1, 2]}\nNOW\n---\nNew.\n",
        ),
        (
            "---\ntags:\n  - a # one\n  - b\nk: 1\n---\nOld.\n",
            json!({ "tags": ["c"] }),
            "---\ntags: [\"c\"]\nk: 1\nNOW\n---\nOld.\n",
        ),
        (
            "---\r\nupdated_at: 2020-01-01T00:00:00Z\r\nk: 1\r\n---\r\nOld.\r\n",
            json!({ "content": "New.\r\n" }),
            "---\r\nNOW\r\nk: 1\r\n---\r\nNew.\r\n",
        ),
        (
            "---\na: 1\nexpires_at: 2999-01-01T00:00:00Z # then\nb: 2\n---\nOld.\n",
            json!({ "expires_at": null }),
            "---\na: 1\nb: 2\nNOW\n---\nOld.\n",
        ),
        (
            "---\nsource: me\ncitations: [x]\n---\nOld.\n",
            json!({ "citations": [] }),
            "---\nsource: me\ncitations: []\nNOW\n---\nOld.\n",
        ),
    ] {
        stage.file(&file("t/note"), was);
        let mut change = change;
        change["path"] = json!("t/note");
        let updated = done(&mut mcp, "update_memory", &change);
        let now = format!("updated_at: {}", written(&updated["updated_at"]));
        assert_eq!(text(&stage, &file("t/note")), becomes.replace("NOW", &now), "{was:?}");
        assert_eq!(updated["created_at"], Value::Null, "nobody said when it was made");
    }
}

/// A time as it is written, to the millisecond.
fn written(time: &Value) -> String {
    let time = time.as_str().expect("a time").parse::<jiff::Timestamp>().expect("RFC 3339");
    format!("{time:.3}")
}

#[test]
fn a_memory_is_changed_only_as_it_was_seen() {
    let stage = stage();
    for surface in Surface::ALL {
        let path = format!("t/{surface:?}").to_lowercase();
        let create = json!({ "path": path, "content": "One.\n" });
        let first = surface.done(&stage, "create_memory", &create)["sha256"].clone();
        let update = |content: &str, sha256: &Value| {
            let arguments = json!({ "path": path, "content": content, "expect_sha256": sha256 });
            surface.ask(&stage, "update_memory", &arguments)
        };
        let second = update("Two.\n", &first)["data"]["sha256"].clone();
        assert_eq!(second, digest(&stage, &path));
        let before = disk(&stage);
        let late = update("Three.\n", &first);
        let message = format!("ROOT_PROJECT:/.ai/memory/{path}.md has changed in the meantime.");
        assert_eq!(outcome(&late), ["I", "IT-ITEM-I-008", &message]);
        assert_eq!(late["data"], json!({ "sha256": second }));
        let again = surface.ask(&stage, "create_memory", &create);
        let message = format!("There is already a memory at '{path}'.");
        assert_eq!(outcome(&again), ["I", "IT-MEMORY-I-003", &message]);
        assert_eq!(disk(&stage), before, "nothing is overwritten");
        // An editor has been there meanwhile.
        stage.file(&file(&path), "By hand.\n");
        let late = update("Three.\n", &second);
        assert_eq!(late["data"], json!({ "sha256": digest(&stage, &path) }));
        assert_eq!(text(&stage, &file(&path)), "By hand.\n");
    }
}

#[test]
fn a_move_changes_not_a_byte() {
    let stage = stage();
    let mut mcp = Mcp::greeted(&stage, &[]);
    let fragile_text = "---\nk: 'v'   # c\n---\r\nno newline";
    stage.file(&file("t/one"), fragile_text);
    for (from, to) in [("t/one", "t/two"), ("t/two", "two"), ("two", "t/one")] {
        let moved = done(&mut mcp, "move_memory", &json!({ "from": from, "to": to }));
        assert_eq!((&moved["path"], &moved["sha256"]), (&json!(to), &json!(digest(&stage, to))));
        assert_eq!(text(&stage, &file(to)), fragile_text);
        assert!(!stage.path(&file(from)).exists());
        let missing = refused(&mut mcp, "get_memory", &json!({ "path": from }));
        assert_eq!(missing, ["I", "IT-MEMORY-I-001", &format!("There is no memory at '{from}'.")]);
    }
}
