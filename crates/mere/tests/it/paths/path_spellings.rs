//! A real path does not leave however a text spells it: emphasised, escaped for a URL, a form, a
//! shell, JSON, C or HTML, with names that change nothing, in colours.

use serde_json::json;

use crate::support::harness::{Mcp, Stage};

/// Escapes every byte of a path but letters and digits.
fn percent_encode(path: &str) -> String {
    let escape = |byte: u8| match byte {
        b' ' => "+".to_owned(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    path.bytes().map(escape).collect()
}

/// The ways in which a text can name the folder at `path`, whose last name is `My Project`.
fn spellings(path: &str) -> Vec<String> {
    let encoded = percent_encode(path);
    let (above, _) = path.rsplit_once('/').expect("a parent");
    let mut all = vec![
        path.replace('/', "//"),
        path.replace('/', "/./"),
        format!("{above}/other/../My Project"),
        format!("{above}/a/b/../../My Project"),
        path.replace(' ', "\\ "),
        path.replace("My Project", "'My Project'"),
        path.replace("My Project", "My\" \"Project"),
        path.replace("My Project", "$'My Project'"),
        path.replace("My Project", "\u{1b}[01;31mMy Project\u{1b}[m"),
        path.replace("My Project", "My\u{200b} Project"),
        encoded.replace("%2F", "%2f"),
        encoded.replace('+', "%20"),
        encoded.replace('%', "%25"),
        encoded.replace('%', "%2525"),
        path.replace('/', "\\/"),
        path.replace('/', "\\\\/"),
        path.replace('/', "\\u002f"),
        path.replace('/', "\\x2F"),
        path.replace('/', "\\057"),
        path.replace('/', "&#47;"),
        path.replace('/', "&#x2F;"),
        path.replace('/', "&sol;"),
        path.replace('/', "&amp;#47;"),
        encoded,
    ];
    for (before, after) in [
        ("_", "_"),
        ("__", "__"),
        ("*", "*"),
        ("**", "**"),
        ("~~", "~~"),
        ("x=", "+and+more"),
        ("x=", "%26y"),
        ("x=", "%3A3"),
        ("%22", "%22"),
        ("&quot;", "&quot;"),
        ("git+file://", "@main"),
        ("in ", "--there"),
    ] {
        all.push(format!("{before}{path}{after}"));
    }
    all
}

#[test]
fn a_path_is_hidden_however_a_text_spells_it() {
    let stage = Stage::new();
    stage.folder("My Project/.git");
    let path = stage.path("My Project").display().to_string();
    // The name of the stage's own folder is nowhere but in its path.
    let canary = stage.path("").file_name().expect("a name").to_str().expect("UTF-8").to_owned();
    let canaries = [canary.clone(), canary.replace('.', "%2E")];
    let mut command = stage.command("My Project");
    command.args(["mcp", "--agent", "default"]);
    let all = spellings(&path);
    for (at, text) in all.iter().enumerate() {
        stage.file(&format!("My Project/said/{at:02}.txt"), &format!("see {text} there\n"));
    }
    let mut mcp = Mcp::spawn(&stage, command);
    mcp.greet();
    for (at, text) in all.iter().enumerate() {
        let file = format!("said/{at:02}.txt");
        let read = mcp.call("read", &json!({ "path": file }));
        let found = mcp.call("grep", &json!({ "path": file, "pattern": "see" }));
        for reply in [&read["data"]["content"], &found["data"]["matches"][0]["text"]] {
            let shown = reply.as_str().expect("a text");
            assert!(canaries.iter().all(|canary| !shown.contains(canary)), "{text:?}: {shown:?}");
            assert!(shown.contains("ROOT_PROJECT:/"), "{text:?}: {shown:?}");
        }
        assert_eq!(read["data"]["redacted"], 1, "{text:?}: {read}");
    }
}

#[test]
fn siblings_of_the_project_and_ordinary_text_stay_as_they_are() {
    let stage = Stage::new();
    let text = "a_b_ **x**/y ~~z~~ 100% // & /./ ../ \\d+ &amp; src%2Flib /usr//lib /opt/./x\n";
    stage.file("project/plain.txt", text);
    let reply = stage.call_text("read", "{\"path\":\"plain.txt\"}").reply;
    assert_eq!(reply["data"]["content"], text);
    assert_eq!(reply["data"].get("redacted"), None);
}
