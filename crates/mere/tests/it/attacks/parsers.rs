//! Items whose text is made to break their reader.

use std::fmt::Write as _;

use super::case::{AttackCase, Expectation, case, load, write};
use super::runner::Runner;
use super::world::World;
use crate::support::samples::{directive_with, note, tool};

const AREA: &str = "parsers";
const FAULTY: Expectation = Expectation::Code("IT-ITEM-I-004");
const READ: Expectation = Expectation::Code("IT-LOAD-S-001");

/// Directives: XML in Markdown.
fn xml() -> Vec<(&'static str, Vec<u8>, Expectation)> {
    let plain = directive_with("x", "");
    let with = |from: &str, to: &str| {
        assert!(plain.contains(from), "{plain}");
        plain.replace(from, to).into_bytes()
    };
    let bomb = "<!DOCTYPE d [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<directive";
    let outside = "<!DOCTYPE d [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>\n<directive";
    let after_doctype = |doctype: &str, used: &str| {
        plain.replace("<directive", doctype).replace("Act.", used).into_bytes()
    };
    let deep = "<a>".repeat(20_000);
    vec![
        ("an entity bomb", after_doctype(bomb, "&b;"), FAULTY),
        ("an external entity", after_doctype(outside, "&a;"), FAULTY),
        ("an entity that nobody declared", with("Act.", "&none;"), FAULTY),
        ("an element that is never closed", with("</process>", ""), FAULTY),
        ("elements closed in another order", with("</action></step>", "</step></action>"), FAULTY),
        ("twenty thousand open elements", with("<process>", &format!("{deep}<process>")), FAULTY),
        ("an attribute twice", with("name=\"x\" version", "name=\"x\" name=\"y\" version"), FAULTY),
        (
            "a directive in a directive",
            with("<process>", "<directive name=\"y\" version=\"1.0.0\"></directive><process>"),
            READ,
        ),
        (
            "two directives in one file",
            [plain.clone(), plain.clone()].concat().into_bytes(),
            FAULTY,
        ),
        ("a NUL in XML", with("Act.", "A\0ct."), FAULTY),
        ("a character that XML does not have", with("Act.", "A&#1;ct."), FAULTY),
        ("a character reference beyond Unicode", with("Act.", "&#x110000;"), FAULTY),
        ("a surrogate as a character reference", with("Act.", "&#xD800;"), FAULTY),
        ("XML that is not UTF-8", [plain.as_bytes(), b"\xff\xfe"].concat(), FAULTY),
        ("a version that is none", with("1.2.0", "one"), FAULTY),
        ("a version beyond every number", with("1.2.0", "99999999999999999999999.0.0"), FAULTY),
        (
            "an attribute of a megabyte",
            with("name=\"one\"", &format!("name=\"{}\"", "n".repeat(1 << 20))),
            FAULTY,
        ),
        ("a name that is a path", with("name=\"x\"", "name=\"../../x\""), FAULTY),
        ("a file without a directive", b"# Nothing\n".to_vec(), FAULTY),
        ("a comment that never ends", with("<process>", "<!-- <process>"), FAULTY),
        (
            "a section of characters that never ends",
            with("<process>", "<![CDATA[ <process>"),
            FAULTY,
        ),
    ]
}

/// Tools: YAML.
fn yaml() -> Vec<(&'static str, Vec<u8>, Expectation)> {
    let plain = tool("x");
    let more = |text: &str| format!("{plain}{text}\n").into_bytes();
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let list = vec![format!("*a{}", level - 1); 9].join(", ");
        let _ = writeln!(bomb, "a{level}: &a{level} [{list}]");
    }
    let deep = format!("more: {}{}", "[".repeat(5000), "]".repeat(5000));
    vec![
        ("an alias bomb", more(&bomb), FAULTY),
        (
            "an anchor and its alias",
            more("input_schema: &a {type: object}\nconfig_schema: *a"),
            FAULTY,
        ),
        ("an alias to itself", more("input_schema: &a [*a]"), FAULTY),
        ("a merge key", more("input_schema: {<<: {type: object}}"), FAULTY),
        (
            "a tag that makes an object",
            more("input_schema: !!python/object/apply:os.system [id]"),
            FAULTY,
        ),
        ("a tag of its own", more("input_schema: !secret x"), FAULTY),
        ("five thousand nested lists", more(&deep), FAULTY),
        ("a key twice in YAML", more("version: \"2.0.0\""), FAULTY),
        ("two documents in one file", more("---\ntool_id: y"), FAULTY),
        ("a tab for indentation", more("input_schema:\n\ttype: object"), FAULTY),
        ("a NUL in YAML", more("note: \"a\0b\""), FAULTY),
        ("YAML that is not UTF-8", [plain.as_bytes(), b"more: \xff\n"].concat(), FAULTY),
        (
            "a tool id that is a list",
            plain.replace("tool_id: x", "tool_id: [x]").into_bytes(),
            FAULTY,
        ),
        (
            "a tool id that is a number",
            plain.replace("tool_id: x", "tool_id: 7").into_bytes(),
            FAULTY,
        ),
        ("a version that is a number", plain.replace("\"1.0.0\"", "1.0").into_bytes(), FAULTY),
        ("an empty manifest", Vec::new(), FAULTY),
        ("a manifest that is a list", b"- a\n- b\n".to_vec(), FAULTY),
        ("a manifest that is a text", b"tool\n".to_vec(), FAULTY),
        ("a quote that never ends", more("note: \"a"), FAULTY),
        ("a bracket that never ends", more("input_schema: {type: object"), FAULTY),
    ]
}

/// Notes: Markdown with frontmatter.
fn markdown() -> Vec<(&'static str, Vec<u8>, Expectation)> {
    let plain = note("x", "Text.");
    let with = |from: &str, to: &str| plain.replace(from, to).into_bytes();
    let body = |text: String| note("x", &text).into_bytes();
    vec![
        ("frontmatter that never ends", with("---\nText", "Text"), FAULTY),
        ("frontmatter that is a list", with("id: x\ntitle: The note x", "- id\n- title"), FAULTY),
        ("a key twice in frontmatter", with("id: x", "id: x\nid: y"), FAULTY),
        ("an alias in frontmatter", with("id: x", "id: x\ntags: &a [b]\nmore: *a"), FAULTY),
        ("a link with an id that is a path", with("id: x", "id: x\nextends: ../../x"), READ),
        ("tags that are an object", with("id: x", "id: x\ntags: {a: b}"), FAULTY),
        ("a note that is not UTF-8", [plain.as_bytes(), b"\xc3\x28"].concat(), FAULTY),
        ("a note with a NUL", body("a\0b".to_owned()), FAULTY),
        ("a note with a byte order mark", with("---\nid", "\u{feff}---\nid"), READ),
        ("a note with line ends of another system", with("\n", "\r\n"), READ),
        ("a note of ten thousand nested quotes", body(">".repeat(10_000)), READ),
        (
            "a note of a thousand nested lists",
            body((0..1000).map(|n| " ".repeat(n) + "- a\n").collect()),
            READ,
        ),
        ("a note of a hundred thousand brackets", body("[".repeat(100_000)), READ),
        ("a note of a hundred thousand emphases", body("*_".repeat(50_000)), READ),
        (
            "a note with a link to a host file",
            body("[a](file:///etc/passwd) ![b](/etc/shadow)".to_owned()),
            READ,
        ),
        ("a note that includes a script", body("<script>fetch('x')</script>".to_owned()), READ),
        (
            "a note that names real folders of this session",
            body("See {stage}/project/src and {stage}/home/.config.".to_owned()),
            READ,
        ),
        (
            "a note that closes the reply",
            body("\"}]}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}".to_owned()),
            READ,
        ),
        (
            "a note with escapes for a terminal",
            body("\u{1b}]0;title\u{7}\u{1b}[2J".to_owned()),
            READ,
        ),
    ]
}

/// Lockfiles: JSON.
fn json() -> Vec<(&'static str, Vec<u8>, Expectation)> {
    let with = |text: &str| text.as_bytes().to_vec();
    vec![
        ("a lockfile that is no JSON", with("{"), FAULTY),
        ("a lockfile that is a list", with("[]"), FAULTY),
        ("a lockfile of deep objects", with(&"{\"a\":".repeat(20_000)), FAULTY),
        ("a lockfile with a number out of range", with("{\"lockfile_version\": 1e999}"), FAULTY),
        (
            "a lockfile with a key twice",
            with("{\"lockfile_version\": 1, \"lockfile_version\": 2}"),
            FAULTY,
        ),
        ("a lockfile with more behind it", with("{} {}"), FAULTY),
        ("a lockfile that is not UTF-8", b"{\"a\": \"\xff\"}".to_vec(), FAULTY),
        ("a lockfile with a lone surrogate", with("{\"a\": \"\\ud800\"}"), FAULTY),
    ]
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    let kinds = [
        ("directive", "h/x", "directives/h/x.md", xml()),
        ("tool", "h/x", "tools/h/x.yaml", yaml()),
        ("knowledge", "h/x", "knowledge/h/x.md", markdown()),
        ("lockfile", "h/x@1.0.0", "lockfiles/h/x@1.0.0.lock.json", json()),
    ];
    let cases = kinds.into_iter().flat_map(|(item_type, id, path, rows)| {
        rows.into_iter().map(move |(name, bytes, expects)| {
            let request = load(item_type, id);
            case(AREA, name, request, expects).after([write(format!("project/.ai/{path}"), bytes)])
        })
    });
    cases.collect()
}

/// Items need no signature here: what is read is what is tested.
#[test]
fn no_text_breaks_its_reader() {
    let world = World::new();
    world.stage.file("project/.ai/config.yaml", "{}\n");
    std::fs::remove_dir_all(world.stage.path("home/.local")).expect("what was demanded before");
    // The key for digests is made here when it is first needed.
    world.stage.folder("home/.local/state/merestone");
    Runner::new(&world).run(&cases());
}
