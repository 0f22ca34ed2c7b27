//! The pages in a real browser: Debian's Chromium, driven by `tests/web/browser.mjs`.

use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::started::Started;
use crate::registry_client::fixture::{Person, TestRegistry};

/// A body that a browser must not run.
const HOSTILE: &str = "With jitter, and a limit.\n\n<img src=x onerror=\"document.title='hacked'\">\n\n\
    [x](javascript:document.title='hacked')";

/// Publishes knowledge whose links make a graph worth drawing.
fn publish_examples(author: &Person) {
    let notes = [
        ("jwt", "1.0.0", "", "# Verify first\n\nCheck the signature **before** anything is read."),
        (
            "jwt",
            "1.1.0",
            "",
            "# Verify first\n\nCheck the signature **before** anything is read, and refuse `none`.\n\n\
             - pin the algorithm\n- check the audience\n\n| claim | check |\n|---|---|\n| aud | it \
             is us |\n| exp | it is in the future |\n\n```rust\nlet claims = verify(token, \
             &keys)?;\n```\n\nSee [RFC 7519](https://www.rfc-editor.org/rfc/rfc7519).",
        ),
        ("sessions", "1.0.0", "related: [jwt]\n", "Short-lived, and `HttpOnly`."),
        ("rotation", "1.0.0", "depends_on: [jwt]\nextends: [sessions]\n", "Every quarter."),
        ("retry", "2.0.0", "references: [jwt]\n", HOSTILE),
        ("release", "1.2.0", "references: [rotation, retry]\n", "1. tag\n2. build\n3. sign"),
    ];
    let titles = [
        ("jwt", "JSON web tokens"),
        ("sessions", "Session cookies"),
        ("rotation", "Key rotation"),
        ("retry", "Retry with backoff"),
        ("release", "Release checklist"),
    ];
    for (id, version, links, body) in notes {
        let title = titles.iter().find(|(name, _)| *name == id).map_or(id, |(_, title)| title);
        let text = format!(
            "---\nid: {id}\ntitle: {title}\nversion: {version}\nentry_type: pattern\n{links}---\n\
             {body}\n"
        );
        author.stage.file(&format!("project/.ai/knowledge/api/{id}.md"), &text);
        author.print(&["sign", "note", &format!("api/{id}")]);
        author.print(&["publish", "note", &format!("api/{id}"), "--namespace", "acme"]);
    }
    author.print(&["publish", "tool", "examples/hello_tool", "--namespace", "acme"]);
}

/// Makes something that needs a person: a changed item, a proposal and a run.
fn make_work(author: &Person) {
    let text = std::fs::read_to_string(author.stage.path("project/.ai/knowledge/api/retry.md"));
    let text = text.expect("a note").replace("and a limit.", "a limit, and a budget.");
    let update = json!({
        "action": "update", "item_type": "knowledge", "item_id": "api/retry", "content": text,
    });
    author.print(&["call", "execute", &update.to_string()]);
    author.print(&["run", "hello_tool", "--param", "name=Ada"]);
    let release = author.stage.path("project/.ai/knowledge/api/release.md");
    let text = std::fs::read_to_string(&release).expect("a note");
    std::fs::write(release, text.replace("3. sign", "3. skip the signature")).expect("written");
}

#[test]
fn a_browser_finds_its_way_with_keyboard_without_script_and_on_a_phone() {
    let (registry, author) = (TestRegistry::start(), Person::with_examples());
    let token = registry.admit(&author);
    author.log_in(&registry.url, &registry.log_key, Some(&token));
    publish_examples(&author);
    make_work(&author);
    let mut server = Started::new(&author.stage, &["ui", "--port", "0"]);
    let pages = server.wait_for("http://");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tools = here.join("../../target/web-tools/node_modules");
    assert!(tools.is_dir(), "`./test` installs what drives the browser");
    let mut command = Command::new("node");
    command.arg(here.join("tests/web/browser.mjs")).env("WEB_TOOLS", tools);
    command.env("REGISTRY_URL", &registry.url).env("UI_URL", pages);
    if std::env::var_os("MERE_BLESS").is_some() {
        command.env("IMAGES", here.join("../../docs/images"));
    }
    let output = command.output().expect("node runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}");
    assert!(text.ends_with("all steps passed\n"), "{text}");
}
