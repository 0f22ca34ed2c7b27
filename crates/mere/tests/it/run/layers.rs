//! A machine that lacks a layer of the sandbox: nothing runs there, and it is said what is missing. The
//! user's own config may do with less, but never without namespaces.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::workshop::{EVERYBODY, Who, Workshop};

const WITHOUT: &str = include_str!("attacks/without.py");
/// What a machine may lack, and which layer that is.
const LAYERS: [(&str, &str); 3] =
    [("landlock", "landlock"), ("unshare", "namespaces"), ("seccomp", "seccomp")];
const WEAKER: &str = "sandbox: {level: namespaces}\n";

/// `mere` where something is missing.
pub(crate) fn lacking(workshop: &Workshop, what: &str, arguments: &[&str]) -> Output {
    let plain = workshop.command();
    let mut command = Command::new("python3");
    command.args(["-c", WITHOUT, what]).arg(plain.get_program()).args(plain.get_args());
    command.args(arguments).env_clear().env("PATH", path());
    command.env("HOME", workshop.stage.path("home"));
    command.current_dir(workshop.stage.path("project")).output().expect("it runs")
}

fn path() -> std::ffi::OsString {
    std::env::var_os("PATH").expect("a path")
}

/// Runs a tool there, as an agent would.
fn call(workshop: &Workshop, what: &str, id: &str) -> Value {
    let call = json!({ "item_type": "tool", "item_id": id }).to_string();
    let output = lacking(workshop, what, &["call", "execute", &call]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    workshop.stage.check(&text);
    serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{error}: {text:?} {:?}", String::from_utf8_lossy(&output.stderr))
    })
}

fn marked(who: Who) -> Workshop {
    let workshop = Workshop::new(who);
    let script = "touch /work/ran; test -e /proc/self && echo seen || echo hidden\n";
    workshop.tool("marks", "bash_runtime", script);
    workshop
}

fn has_run(workshop: &Workshop) -> bool {
    workshop.stage.path("project/.ai/workspaces/default/ran").exists()
}

/// It was refused for a layer, and nothing ran.
fn assert_refused(workshop: &Workshop, (what, layer): (&str, &str)) {
    let reply = call(workshop, what, "marks");
    assert_eq!(reply["code"], "EX-RUN-E-003", "{what} {reply:#}");
    assert_eq!(reply["data"]["layer"], layer, "{what} {reply:#}");
    let message = reply["message"].as_str().expect("a message");
    assert!(
        message.starts_with(&format!("The layer `{layer}` of the sandbox is missing")),
        "{message}"
    );
    assert!(message.ends_with("Nothing was run."), "{message}");
    assert!(!has_run(workshop), "{what}: it ran");
}

#[test]
fn without_a_layer_nothing_runs_and_the_layer_is_named() {
    for who in EVERYBODY {
        let workshop = marked(who);
        for case in LAYERS {
            assert_refused(&workshop, case);
        }
        // Where nothing is missing it runs.
        assert_eq!(workshop.call("marks", &json!({}))["data"]["stdout"], "seen\n");
    }
}

#[test]
fn the_doctor_says_which_layer_is_missing() {
    for who in EVERYBODY {
        let workshop = marked(who);
        for (what, layer) in LAYERS {
            let output = lacking(&workshop, what, &["doctor"]);
            let printed = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(printed.contains(&format!("{layer}: missing")), "{who:?} {what} {printed}");
            assert!(!output.status.success(), "{who:?} {what} {printed}");
            let others = LAYERS.iter().filter(|(_, other)| *other != layer);
            for (_, other) in others {
                assert!(
                    !printed.contains(&format!("{other}: missing")),
                    "{who:?} {what} {printed}"
                );
            }
        }
        let output = workshop.command().arg("doctor").output().expect("it runs");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!printed.contains(": missing"), "{printed}");
    }
}

#[test]
fn the_user_may_do_with_less_but_not_without_namespaces() {
    for who in EVERYBODY {
        let workshop = marked(who);
        let config = format!("sign: {{unattended: true}}\n{WEAKER}");
        workshop.stage.file("home/.ai/config.yaml", &config);
        assert_refused(&workshop, ("unshare", "namespaces"));
        // Nothing says there who may look where: so processes are not shown.
        let reply = call(&workshop, "landlock", "marks");
        assert_eq!(reply["data"]["stdout"], "hidden\n", "{who:?} {reply:#}");
        let reply = call(&workshop, "seccomp", "marks");
        assert_eq!(reply["data"]["stdout"], "seen\n", "{who:?} {reply:#}");
        assert!(has_run(&workshop));
    }
}

#[test]
fn a_project_cannot_do_with_less() {
    for who in EVERYBODY {
        let workshop = marked(who);
        workshop.stage.file("project/.ai/config.yaml", WEAKER);
        for case in LAYERS {
            let reply = call(&workshop, case.0, "marks");
            assert_ne!(reply["reply_type"], "S", "{who:?} {reply:#}");
            assert!(!has_run(&workshop), "{who:?} {case:?}");
        }
    }
}

#[test]
fn the_doctor_says_whether_the_project_is_shown_by_overlay_or_copied() {
    for who in EVERYBODY {
        let workshop = marked(who);
        let report = |output: Output| String::from_utf8(output.stdout).expect("UTF-8");
        let here = report(workshop.command().arg("doctor").output().expect("it runs"));
        assert!(here.contains("sandbox: the project: by overlay"), "{who:?} {here}");
        let lacking = report(lacking(&workshop, "overlay", &["doctor"]));
        assert!(lacking.contains("sandbox: the project: by copy"), "{who:?} {lacking}");
        assert!(lacking.contains("sandbox: seccomp: available"), "{who:?} {lacking}");
    }
}
