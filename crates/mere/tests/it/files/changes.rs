//! What becomes of a file's text: `edit` and `patch_section` change what they are told to, once, and
//! keep everything else, also what the agent did not see as it is.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

const FILE: &str = "project/.ai/workspaces/default/a.md";
const PATH: &str = "ROOT_WORKSPACE:/a.md";

/// A file of the workspace, and an agent that changes it.
struct FileEditor<'a> {
    stage: &'a Stage,
    mcp: Mcp<'a>,
}

impl<'a> FileEditor<'a> {
    fn new(stage: &'a Stage) -> Self {
        Self { stage, mcp: Mcp::greeted(stage, &["--agent", "default"]) }
    }

    /// Calls a tool on the file as it is with `text` in it; returns the reply and the file's new
    /// text.
    fn change(&mut self, text: &str, tool: &str, mut arguments: Value) -> (Value, String) {
        let file = self.stage.file(FILE, text);
        arguments["path"] = PATH.into();
        let reply = self.mcp.call(tool, &arguments);
        (reply, std::fs::read_to_string(file).expect("the file"))
    }

    fn edit(&mut self, text: &str, old: &str, new: &str) -> (Value, String) {
        self.change(text, "edit", json!({ "old": old, "new": new }))
    }

    /// What the agent reads.
    fn read(&mut self) -> Value {
        self.mcp.call("read", &json!({ "path": PATH }))["data"].clone()
    }
}

/// A token of a known form, in two pieces so that no scanner takes it for a real one.
fn token(last: char) -> String {
    ["gh", "p_", "0123456789abcdefghijABCDEFGHIJ01234"].concat() + &last.to_string()
}

#[test]
fn an_edit_replaces_what_occurs_exactly_once() {
    let stage = Stage::new();
    let mut editor = FileEditor::new(&stage);
    for (text, old, count) in [
        ("a b a\n", "a", Some(2)),
        ("a b a\n", "c", Some(0)),
        ("a b a\n", "", Some(0)),
        ("aaa\n", "aa", Some(2)),
        ("a b a\n", "b", None),
        ("a b a\n", "a b a\n", None),
        ("ä ö\n", "ö", None),
        ("line\nline\n", "line\nline", None),
        ("line\nline\n", "line\n", Some(2)),
        ("A\n", "a", Some(0)),
    ] {
        let (reply, after) = editor.edit(text, old, "x");
        if let Some(count) = count {
            assert_eq!(reply["code"], "WA-WRITE-I-002", "{text:?} {old:?}");
            assert_eq!(reply["data"]["count"], count, "{text:?} {old:?}");
            assert_eq!(after, text);
        } else {
            assert_eq!(reply["code"], "WA-WRITE-S-002", "{text:?} {old:?}");
            assert_eq!(after, text.replacen(old, "x", 1));
        }
    }
}

#[test]
fn what_is_no_text_is_not_edited() {
    let stage = Stage::new();
    let mut editor = FileEditor::new(&stage);
    let file = stage.file(FILE, "");
    for (bytes, code) in [(&b"old \xff\n"[..], "WA-WRITE-I-005"), (b"old \0\n", "WA-WRITE-S-002")] {
        std::fs::write(&file, bytes).expect("the file");
        let edit = json!({ "path": PATH, "old": "old", "new": "new" });
        assert_eq!(editor.mcp.call("edit", &edit)["code"], code, "{bytes:?}");
    }
    std::fs::remove_file(&file).expect("gone");
    let edit = json!({ "path": PATH, "old": "old", "new": "new" });
    assert_eq!(editor.mcp.call("edit", &edit)["code"], "WA-PATH-I-001");
}

#[test]
fn windows_line_ends_stay_through_edits() {
    let stage = Stage::new();
    let mut editor = FileEditor::new(&stage);
    for (text, old, new, expected) in [
        ("a\r\nb\r\nc\r\n", "b", "x", "a\r\nx\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\n", "x\r\ny\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\nc\r\n"),
        ("a\r\nb", "a\nb", "a\n\nb", "a\r\n\r\nb"),
        ("a\nb\n", "a\nb", "x\ny", "x\ny\n"),
        ("a\r\nb\r\nc\r\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\r\n"),
    ] {
        let (reply, after) = editor.edit(text, old, new);
        assert_eq!((reply["code"].as_str(), after.as_str()), (Some("WA-WRITE-S-002"), expected));
    }
}

#[test]
fn windows_line_ends_stay_through_patches() {
    let stage = Stage::new();
    let mut editor = FileEditor::new(&stage);
    let text = "---\nk: 1\nl: 2\n---\n# One\n\nfirst\n\n## Deep\n\nx\n\n# Two\n\nsecond ^mark\n";
    for (arguments, expected) in [
        (json!({ "heading": "Deep", "content": "y\nz\n" }), "y\nz\n"),
        (json!({ "heading": "Two", "content": "y\nz" }), "y\nz"),
        (json!({ "block": "^mark", "content": "y\nz" }), "y\nz"),
        (json!({ "frontmatter_key": "k", "content": "3" }), "k: 3\nl: 2\n"),
    ] {
        let (plain, kept) = editor.change(text, "patch_section", arguments.clone());
        let (reply, after) =
            editor.change(&text.replace('\n', "\r\n"), "patch_section", arguments.clone());
        for reply in [plain, reply] {
            assert_eq!(reply["code"], "WA-WRITE-S-003", "{arguments}");
        }
        assert!(kept.contains(expected), "{kept:?}");
        assert_eq!(after, kept.replace('\n', "\r\n"), "{arguments}");
    }
}

#[test]
fn a_patch_means_one_section() {
    let stage = Stage::new();
    let mut editor = FileEditor::new(&stage);
    let text = "# A\n\none\n\n# B\n\n```\n# A\n```\n\nA\n=\n\ntwo\n";
    let patch = |occurrence: Option<u64>| json!({ "heading": "A", "content": "new\n", "occurrence": occurrence });
    let (reply, after) = editor.change(text, "patch_section", patch(None));
    assert_eq!((&reply["code"], &reply["data"]["count"]), (&json!("WA-WRITE-I-003"), &json!(2)));
    assert_eq!(after, text);
    let (_, after) = editor.change(text, "patch_section", patch(Some(1)));
    assert!(after.starts_with("# A\n\nnew\n\n# B") && after.ends_with("two\n"), "{after}");
    let (_, after) = editor.change(text, "patch_section", patch(Some(2)));
    assert!(after.contains("one\n") && after.ends_with("A\n=\n\nnew\n"), "{after}");
    let (reply, _) = editor.change(text, "patch_section", patch(Some(3)));
    assert_eq!(reply["code"], "WA-WRITE-I-003");
    let (reply, after) = editor.change(text, "patch_section", json!({ "content": "x" }));
    assert_eq!((&reply["code"], after.as_str()), (&json!("MCP-ARG-I-001"), text));
    let two = json!({ "content": "x", "heading": "A", "block": "b" });
    assert_eq!(editor.change(text, "patch_section", two).0["code"], "MCP-ARG-I-001");
}

/// A file whose text names the project and the home folder and holds two tokens; and that text as
/// an agent sees it.
fn hiding(stage: &Stage) -> (String, String) {
    let path = |below: &str| stage.path(below).display().to_string();
    let text = format!(
        "# Notes\n\nroot = {}/src\nkey = {}\nhome = {}/x\nkey = {}\n\n# End\n\nplain\n",
        path("project"),
        token('5'),
        path("home"),
        token('6')
    );
    let seen = "# Notes\n\nroot = ROOT_PROJECT:/src\nkey = [masked]\nhome = <home>/x\n\
                key = [masked]\n\n# End\n\nplain\n";
    (text, seen.to_owned())
}

#[test]
fn what_was_hidden_from_the_reader_survives_its_edits() {
    let stage = Stage::new();
    let (text, seen) = hiding(&stage);
    let mut editor = FileEditor::new(&stage);
    stage.file(FILE, &text);
    let data = editor.read();
    assert_eq!(data["content"], seen.as_str());
    assert_eq!((&data["redacted"], &data["masked"]), (&json!(2), &json!(2)));
    let (reply, after) = editor.edit(&text, "plain", "fancy");
    assert_eq!((&reply["reply_type"], after), (&json!("S"), text.replace("plain", "fancy")));
    // What stands around the change may be said as it was seen.
    let around = "/src\nkey = [masked]\nhome = <home>/x";
    let (reply, after) = editor.edit(&text, around, &around.replace("/x", "/y"));
    assert_eq!((&reply["reply_type"], after), (&json!("S"), text.replace("/x\n", "/y\n")));
    let token = token('5');
    for (old, new, expected) in [
        ("ROOT_PROJECT:/src", "ROOT_PROJECT:/lib", Some(text.replace("/src\n", "/lib\n"))),
        ("[masked]\nhome", "[masked]-2\nhome", Some(text.replace(&token, &format!("{token}-2")))),
        ("key = [masked]\nhome", "home", Some(text.replace(&format!("key = {token}\n"), ""))),
        ("<home>", "<house>", None),
        ("ROOT_PROJECT:/src", "ROOT_USER:/src", None),
        ("key = [masked]\nhome", "token = [masked] home", None),
    ] {
        let (reply, after) = editor.edit(&text, old, new);
        let code = if expected.is_some() { "WA-WRITE-S-002" } else { "WA-WRITE-I-008" };
        assert_eq!(reply["code"], code, "{new:?}");
        assert_eq!(after, expected.unwrap_or_else(|| text.clone()), "{new:?}");
    }
    let section = json!({ "heading": "End", "content": "patched\n" });
    let (reply, after) = editor.change(&text, "patch_section", section);
    assert_eq!((&reply["reply_type"], after), (&json!("S"), text.replace("plain", "patched")));
}

#[test]
fn what_was_hidden_from_the_reader_survives_a_whole_write() {
    let stage = Stage::new();
    let (text, seen) = hiding(&stage);
    let mut editor = FileEditor::new(&stage);
    stage.file(FILE, &text);
    let expect = editor.read()["sha256"].clone();
    let mut check = |new: &str, expected: Option<&str>| {
        let arguments = json!({ "content": new, "expect_sha256": expect });
        let (reply, after) = editor.change(&text, "write", arguments);
        let code = if expected.is_some() { "WA-WRITE-S-001" } else { "WA-WRITE-I-008" };
        assert_eq!(reply["code"], code, "{new}");
        assert_eq!(after, expected.unwrap_or(&text), "{new}");
    };
    check(&seen, Some(&text));
    check(&seen.replace("plain", "fancy"), Some(&text.replace("plain", "fancy")));
    check(&format!("top\n{seen}"), Some(&format!("top\n{text}")));
    check("nothing of it\n", Some("nothing of it\n"));
    // Two different tokens look alike: with one line gone, nobody knows which is meant.
    check(&seen.replacen("key = [masked]\n", "", 1), None);
    check(&seen.replace("key = [masked]\n\n", "key = [masked] \n\n"), None);
    check(&seen.replace("root = ROOT_PROJECT:/src", "root = ROOT_PROJECT:/lib"), None);
}

#[test]
fn no_change_brings_out_what_was_hidden() {
    let stage = Stage::new();
    let mut editor = FileEditor::new(&stage);
    let (key, other) = (token('a'), token('b'));
    let root = stage.path("project").display().to_string();
    for (text, old, new) in [
        (format!("pass={key}\n"), "pass=", "passx"),
        (format!("see {root}\n"), "ROOT_PROJECT:/", "ROOT_PROJECT:/2"),
        (format!("pass={key}\n"), "pass=[masked]\n", "pass=[masked]\nbackup=[masked]\n"),
        (format!("{key} {other}\n"), "[masked] [masked]", "[masked]"),
    ] {
        let (reply, left) = editor.edit(&text, old, new);
        assert_eq!((&reply["code"], left), (&"WA-WRITE-I-008".into(), text), "{old} {new}");
    }
    let text = format!("[a]\npass={key}\n[b]\npass={other}\n");
    stage.file(FILE, &text);
    let expect = editor.read()["sha256"].clone();
    let swapped = "[b]\npass=[masked]\n[a]\npass=[masked]\n";
    let arguments = json!({ "content": swapped, "expect_sha256": expect });
    let (reply, left) = editor.change(&text, "write", arguments);
    assert_eq!((&reply["code"], left), (&"WA-WRITE-I-008".into(), text));
    // A secret of one's own may be written.
    let (reply, left) = editor.edit("a\n", "a", &format!("a {key}"));
    assert_eq!((&reply["code"], left), (&"WA-WRITE-S-002".into(), format!("a {key}\n")));
}

#[test]
fn what_is_not_exact_is_not_written_back() {
    let stage = Stage::new();
    let mut editor = FileEditor::new(&stage);
    editor.change("", "write", json!({ "content": "x" }));
    let bytes = b"caf\xe9 and more\n";
    let path = stage.path("project/.ai/workspaces/default/a.md");
    std::fs::write(&path, bytes).expect("written");
    let seen = editor.read();
    let arguments = json!({ "path": "ROOT_WORKSPACE:/a.md", "content": seen["content"], "expect_sha256": seen["sha256"] });
    let reply = editor.mcp.call("write", &arguments);
    assert_eq!(reply["code"], "WA-WRITE-I-005", "{reply}");
    assert_eq!(std::fs::read(path).expect("the file"), bytes);
}

#[test]
fn agents_make_no_repositories() {
    let stage = Stage::new();
    let mut editor = FileEditor::new(&stage);
    for path in [".git/config", "a/.GIT/hooks/x"] {
        let arguments = json!({ "path": format!("ROOT_WORKSPACE:/{path}"), "content": "", "create_dirs": true });
        assert_eq!(editor.mcp.call("write", &arguments)["code"], "EN-WRITE-D-002", "{path}");
    }
}
