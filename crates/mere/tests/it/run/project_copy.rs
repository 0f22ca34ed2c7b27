//! A machine without overlays: the project is copied for a tool, within stated bounds, and everything
//! else is the same.

use serde_json::{Value, json};

use super::layers::lacking;
use super::project_changes::{formatter, project_files};
use super::project_view::{HIDDEN, SHOWN, furnish};
use crate::support::workshop::{EVERYBODY, Who, Workshop};

const LIST: &str = "cd /project; find . -type f | sort; touch x 2>&1; cat .env 2>&1; true\n";

fn call(workshop: &Workshop, id: &str) -> Value {
    let call = json!({ "item_type": "tool", "item_id": id }).to_string();
    let output = lacking(workshop, "overlay", &["call", "execute", &call]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    workshop.stage.check(&text);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"))
}

#[test]
fn the_copy_shows_what_the_overlay_shows() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        furnish(&workshop);
        workshop.project_tool("lists", ("bash_runtime", "read"), LIST);
        let copied = call(&workshop, "lists");
        let mounted = workshop.call("lists", &json!({}));
        assert_eq!(copied["data"]["stdout"], mounted["data"]["stdout"], "{who:?}");
        let said = copied["data"]["stdout"].as_str().expect("output");
        assert!(said.contains("Read-only file system"), "{who:?} {said}");
        for (path, _) in SHOWN {
            assert!(said.contains(&format!("./{path}\n")), "{who:?} {path} {said}");
        }
        for path in HIDDEN {
            assert!(!said.contains(&format!("./{path}\n")), "{who:?} {path} {said}");
        }
    }
}

#[test]
fn changes_to_the_copy_are_proposed() {
    for who in EVERYBODY {
        let workshop = formatter(who);
        let before = project_files(&workshop);
        let reply = call(&workshop, "format_code");
        assert_eq!(reply["data"]["proposal"]["files"], 3, "{who:?} {reply:#}");
        assert_eq!(reply["data"]["left_out"], json!([]), "{who:?} {reply:#}");
        assert_eq!(project_files(&workshop), before, "{who:?}");
        let id = reply["data"]["proposal"]["id"].as_str().expect("an id");
        workshop.person(&["review", "--accept", id]);
        assert_eq!(project_files(&workshop)["src/deep/c.py"].0, b"d = 1\n", "{who:?}");
    }
}

#[test]
fn a_project_that_is_too_large_to_copy_is_refused_with_the_bounds() {
    let workshop = formatter(Who::Ordinary);
    workshop.project_tool("lists", ("bash_runtime", "read"), LIST);
    let large = workshop.stage.path("project/large.bin");
    let file = std::fs::File::create(&large).expect("a file");
    file.set_len(600 * 1024 * 1024).expect("a size");
    let reply = call(&workshop, "lists");
    assert_eq!(reply["code"], "EX-RUN-I-008", "{reply:#}");
    assert_eq!(reply["data"], json!({ "max_files": 20_000, "max_bytes": 512 * 1024 * 1024 }));
    let message = reply["message"].as_str().expect("a message");
    assert!(message.contains("20000 files or 512 MiB"), "{message}");
    // Where there are overlays, it is shown.
    let reply = workshop.call("lists", &json!({}));
    let said = reply["data"]["stdout"].as_str().expect("output");
    assert!(said.contains("./large.bin\n"), "{reply:#}");
}
