//! Folders that cannot be read or written: a clear answer, nothing lost.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use crate::support::harness::Stage;

#[test]
fn a_directory_that_cannot_be_read_is_an_error_with_its_address() {
    let stage = Stage::new();
    let closed = stage.folder("project/closed");
    stage.folder("project/open");
    std::fs::set_permissions(&closed, Permissions::from_mode(0o000)).expect("closed");
    let call = |arguments: &str| {
        stage.answer(stage.unprivileged("project").args(["call", "dir", arguments]))
    };
    let answer = call(r#"{"command":"list","path":"closed"}"#);
    assert_eq!((answer.code(), answer.status), ("WA-DIR-E-001", 4));
    let tree = call(r#"{"command":"tree"}"#);
    assert_eq!(tree.paths(), ["ROOT_PROJECT:/closed/", "ROOT_PROJECT:/open/"]);
    assert!(call(r#"{"command":"list"}"#).paths().contains(&"ROOT_PROJECT:/closed/".to_owned()));
    std::fs::set_permissions(&closed, Permissions::from_mode(0o700)).expect("open again");
}

#[test]
fn trust_that_cannot_be_recorded_says_so() {
    let stage = Stage::new();
    stage.file("project/.ai/config.yaml", "mods: [{id: a, name: a, path: .}]\n");
    let closed = stage.folder("home/.local/state");
    std::fs::set_permissions(&closed, Permissions::from_mode(0o500)).expect("read-only");
    let output =
        stage.unprivileged("project").args(["trust", "project", "--yes"]).output().expect("runs");
    assert_eq!(output.status.code(), Some(4));
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.starts_with("mere: the user's own folder cannot be written: "), "{words}");
    std::fs::set_permissions(&closed, Permissions::from_mode(0o700)).expect("writable again");
}
