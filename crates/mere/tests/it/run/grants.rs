//! A tool asks, a person grants: for these bytes, in this project, and never by an agent.

use serde_json::{Value, json};

use crate::support::typist::Typist;
use crate::support::workshop::{Who, Workshop};

const ASKING: &str =
    "permissions: {project: read, net: [api.example.org, 'b.example:8443'], secrets: [KEY]}\n";

/// A workshop with a tool that asks for much.
fn asking() -> Workshop {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool_with("a", "bash_runtime", "echo ran\n", ASKING);
    workshop
}

/// The reply of a command for people, with its exit status.
fn person(workshop: &Workshop, arguments: &[&str]) -> (Value, i32) {
    let output = workshop.command().args(arguments).arg("--json").output().expect("mere runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let reply = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
    (reply, output.status.code().expect("an exit status"))
}

#[test]
fn what_is_missing_is_denied_and_named_with_the_command() {
    let workshop = asking();
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["code"], "EN-RUN-D-003", "{reply:#}");
    let missing = json!({
        "project": "read", "net": ["api.example.org", "b.example:8443"], "secrets": ["KEY"],
    });
    assert_eq!(reply["data"]["missing"], missing, "{reply:#}");
    let hint = reply["hint"].as_str().expect("a hint");
    let command = "mere grant t/a --project read --net api.example.org --net b.example:8443 \
                   --secret KEY";
    assert!(hint.contains(command), "{hint}");
    // What is granted is no longer missing.
    let (reply, status) =
        person(&workshop, &["grant", "a", "--project", "read", "--net", "b.example:8443"]);
    assert_eq!(status, 0, "{reply:#}");
    let reply = workshop.call("a", &json!({}));
    let missing = json!({ "project": null, "net": ["api.example.org"], "secrets": ["KEY"] });
    assert_eq!(reply["data"]["missing"], missing, "{reply:#}");
}

#[test]
fn a_grant_counts_for_these_bytes_in_this_project_only() {
    let workshop = Workshop::new(Who::Tester);
    let asking = "permissions: {net: [api.example.org]}\n";
    workshop.tool_with("a", "bash_runtime", "echo ran\n", asking);
    workshop.person(&["grant", "t/a", "--net", "api.example.org"]);
    let (reply, status) = workshop.run("a", &[]);
    assert_eq!((status, &reply["data"]["stdout"]), (0, &json!("ran\n")), "{reply:#}");
    // The same tool in another folder, whose space has the same id.
    let copy = workshop.stage.path("elsewhere");
    let from = workshop.stage.path("project");
    let status = std::process::Command::new("cp").arg("-a").args([&from, &copy]).status();
    assert!(status.expect("cp runs").success());
    let mut command = workshop.stage.command("elsewhere");
    let output = command.args(["run", "a", "--json"]).output().expect("mere runs");
    let reply = serde_json::from_slice::<Value>(&output.stdout).expect("a reply");
    assert_eq!(reply["code"], "EN-RUN-D-003", "{reply:#}");
    // Other bytes under the same name.
    workshop.tool_with("a", "bash_runtime", "echo changed\n", asking);
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["code"], "EN-RUN-D-003", "{reply:#}");
    let (reply, _) = person(&workshop, &["grants"]);
    assert_eq!(reply["data"]["grants"][0]["current"], false, "{reply:#}");
    // Granted again, and taken back.
    workshop.person(&["grant", "a", "--net", "api.example.org"]);
    assert_eq!(workshop.run("a", &[]).1, 0);
    workshop.person(&["revoke", "a"]);
    assert_eq!(workshop.run("a", &[]).1, 3);
    let (reply, status) = person(&workshop, &["revoke", "a"]);
    assert_eq!((status, &reply["code"]), (1, &json!("EX-GRANT-I-002")), "{reply:#}");
}

#[test]
fn a_runtime_of_ones_own_that_asks_for_more_needs_another_grant() {
    let workshop = Workshop::new(Who::Tester);
    let runtime = |more: &str| {
        format!(
            "tool_id: own\nversion: 1.0.0\ntool_type: runtime\nexecutor_id: subprocess\n\
             description: An executor\nconfig: {{command: [bash, '${{entrypoint}}']}}\n\
             validation: {{child_schemas: [{{match: {{}}, schema: {{}}}}]}}\n{more}"
        )
    };
    workshop.manifest("own", &runtime(""), "");
    workshop.tool_with("a", "own", "echo ran\n", "permissions: {net: [a.example]}\n");
    workshop.person(&["grant", "t/a", "--net", "a.example"]);
    let (reply, status) = workshop.run("a", &[]);
    assert_eq!(status, 0, "{reply:#}");
    workshop.manifest("own", &runtime("permissions: {secrets: [KEY]}\n"), "");
    let reply = workshop.call("a", &json!({}));
    let missing = json!({ "project": null, "net": ["a.example"], "secrets": ["KEY"] });
    assert_eq!(reply["data"]["missing"], missing, "{reply:#}");
}

#[test]
fn nothing_is_granted_that_a_tool_does_not_ask_for() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool_with("a", "bash_runtime", "echo ran\n", "permissions: {project: read}\n");
    for option in [["--net", "a.example"], ["--secret", "KEY"], ["--project", "propose"]] {
        let (reply, status) = person(&workshop, &["grant", "a", option[0], option[1]]);
        assert_eq!((status, &reply["code"]), (1, &json!("EX-GRANT-I-001")), "{reply:#}");
    }
    assert_eq!(workshop.call("a", &json!({}))["code"], "EN-RUN-D-003");
    let (reply, _) = person(&workshop, &["grants"]);
    assert_eq!(reply["data"]["grants"], json!([]), "{reply:#}");
}

#[test]
fn a_person_at_a_terminal_is_asked_once_in_plain_words() {
    let workshop = Workshop::new(Who::Tester);
    let asking = "permissions: {net: [api.example.org]}\n";
    workshop.tool_with("a", "bash_runtime", "echo ran\n", asking);
    let mut no = Typist::start(&workshop.stage, "run a");
    no.wait_for("and to nothing else");
    no.answer("[y/N]", "n");
    let (status, shown) = no.finish();
    assert_eq!(status, 3, "{shown}");
    let mut yes = Typist::start(&workshop.stage, "run a");
    yes.answer("[y/N]", "y");
    let (status, shown) = yes.finish();
    assert!(status == 0 && shown.contains("ran"), "{shown}");
    let (status, shown) = Typist::start(&workshop.stage, "run a").finish();
    assert!(status == 0 && !shown.contains("[y/N]"), "{shown}");
}

#[test]
fn a_manifest_that_asks_in_another_form_is_invalid() {
    let workshop = Workshop::new(Who::Tester);
    for asking in [
        "permissions: [net]",
        "permissions: {shell: true}",
        "permissions: {project: write}",
        "permissions: {net: ['*']}",
        "permissions: {net: ['127.1']}",
        "permissions: {net: ['http://a.example']}",
        "permissions: {secrets: ['A B']}",
    ] {
        let manifest = crate::support::workshop::manifest("a", "bash_runtime", "a.sh");
        workshop.stage.file("project/.ai/tools/t/a.sh", "echo ran\n");
        workshop.stage.file("project/.ai/tools/t/a.yaml", &format!("{manifest}{asking}\n"));
        let reply = workshop.call("a", &json!({}));
        assert_eq!(reply["reply_type"], "I", "{asking}: {reply:#}");
        assert!(reply["message"].as_str().expect("words").contains("permissions"), "{reply:#}");
    }
}

#[test]
fn a_damaged_list_of_grants_grants_nothing() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool_with("a", "bash_runtime", "echo ran\n", "permissions: {net: [a.example]}\n");
    workshop.person(&["grant", "a", "--net", "a.example"]);
    let file = workshop.stage.path("home/.local/state/merestone/grants.json");
    let text = std::fs::read_to_string(&file).expect("the grants");
    for damaged in
        [String::new(), "{".to_owned(), text.replace("a.example", "*"), text.replace("[\n", "{\n")]
    {
        std::fs::write(&file, &damaged).expect("written");
        assert_eq!(workshop.call("a", &json!({}))["code"], "EN-RUN-D-003", "{damaged}");
    }
    std::fs::write(&file, &text).expect("written");
    assert_eq!(workshop.call("a", &json!({}))["reply_type"], "S");
}

#[test]
fn a_mistyped_grant_is_told_how_it_is_written() {
    let workshop = asking();
    let check = |arguments: &[&str], expected: &str| {
        let output = workshop.command().args(arguments).output().expect("mere runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    };
    check(&["grant", "a", "--project", "write"], "takes `read` or `propose`");
    check(&["grant", "a", "--net", "https://api.example.org"], "without `http://`");
}
