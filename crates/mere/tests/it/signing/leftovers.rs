//! What editors and systems leave behind is called that, and is still not used.

use crate::support::harness::Stage;

fn stage() -> Stage {
    let stage = Stage::new();
    stage.folder("project/.git");
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    assert!(stage.person(&["init"]).status.success());
    stage
}

fn verify(stage: &Stage) -> (String, i32) {
    let output = stage.person(&["verify"]);
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().expect("a code"))
}

#[test]
fn leftovers_beside_a_tool_are_named_and_to_be_removed() {
    let stage = stage();
    let tool = "project/.ai/tools/examples/hello_tool";
    for ending in [".py~", ".yaml.bak", ".py.orig"] {
        let file = stage.file(&format!("{tool}{ending}"), "print('evil')\n");
        let (shown, code) = verify(&stage);
        assert_eq!(code, 4, "{shown}");
        assert!(shown.contains("an editor or a system left behind"), "{shown}");
        assert!(shown.contains("Remove these files") && !shown.contains("mere sign"), "{shown}");
        // It is not used all the same: an interpreter could load such a file.
        let call = r#"{"item_type":"tool","item_id":"hello_tool"}"#;
        assert_eq!(stage.call_text("execute", call).reply["reply_type"], "E");
        std::fs::remove_file(file).expect("removed");
        assert_eq!(verify(&stage).1, 0);
    }
}

#[test]
fn a_leftover_beside_another_file_excuses_nothing() {
    let stage = stage();
    stage.file("project/.ai/tools/examples/hello_tool.py~", "");
    stage.file("project/.ai/tools/examples/hello_tool.txt", "");
    let (shown, code) = verify(&stage);
    assert_eq!(code, 4);
    assert!(shown.contains("has files that were not signed"), "{shown}");
}
