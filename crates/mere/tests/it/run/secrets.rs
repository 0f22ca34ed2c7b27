//! Secrets: kept for the person, given to a tool that was granted them, and removed from all it says.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::workshop::{EVERYBODY, Who, Workshop};

const VALUE: &str = "s3cr3t/value+with?odd=chars&\u{e9}";
const FILE: &str = "home/.config/merestone/secrets.json";

/// Gives a command its standard input; the reply, and the exit status.
fn with_input(workshop: &Workshop, arguments: &[&str], input: &str) -> (Value, i32) {
    let mut command = workshop.command();
    command.args(arguments).arg("--json").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("mere runs");
    let mut stdin = child.stdin.take().expect("its input");
    // A command that refuses its arguments does not read.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("mere ends");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let reply = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
    (reply, output.status.code().expect("an exit status"))
}

fn set(workshop: &Workshop, name: &str, value: &str) {
    let (reply, status) = with_input(workshop, &["secret", "set", name], value);
    assert_eq!(status, 0, "{reply:#}");
    assert!(!reply.to_string().contains(value.trim()), "{reply:#}");
}

/// A workshop in which the tool `a` is granted the secret `KEY`.
fn granted(who: Who, script: &str) -> Workshop {
    let workshop = Workshop::new(who);
    set(&workshop, "KEY", &format!("{VALUE}\n"));
    workshop.tool_with("a", "python_runtime", script, "permissions: {secrets: [KEY]}\n");
    workshop.person(&["grant", "a", "--secret", "KEY"]);
    workshop
}

#[test]
fn a_secret_is_kept_for_its_owner_and_never_shown() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        set(&workshop, "KEY", &format!("{VALUE}\n"));
        let mode = workshop.stage.path(FILE).metadata().expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{who:?}");
        let listed = workshop.person(&["secret", "list"]);
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        assert!(listed.contains("KEY") && !listed.contains("s3cr3t"), "{listed}");
        // No root shows the file to an agent, wherever it lies.
        let call = json!({ "path": "ROOT_USER:/../.config/merestone/secrets.json" }).to_string();
        let mut command = workshop.command();
        let reply = workshop.stage.answer(command.args(["call", "read", &call])).reply;
        assert_eq!(reply["reply_type"], "I", "{reply:#}");
        workshop.person(&["secret", "remove", "KEY"]);
        let (reply, status) = with_input(&workshop, &["secret", "remove", "KEY"], "");
        assert_eq!((status, &reply["code"]), (1, &json!("IT-SECRET-I-001")), "{reply:#}");
    }
}

#[test]
fn a_tool_is_given_a_secret_and_cannot_print_it_in_any_encoding() {
    let script = "import os, sys, json, base64, urllib.parse, time\n\
        v = os.environ['KEY']; b = v.encode()\n\
        assert len(v) == 29, len(v)\n\
        print(v, json.dumps(v), json.dumps(v, ensure_ascii=False), urllib.parse.quote(v),\n\
          urllib.parse.quote_plus(v), urllib.parse.quote(v, safe=''), b.hex(), b.hex().upper())\n\
        for n in range(3):\n\
        \x20 for m in range(3):\n\
        \x20   w = b'x' * n + b + b'y' * m\n\
        \x20   print(base64.b64encode(w).decode(), base64.urlsafe_b64encode(w).decode())\n\
        sys.stderr.write(v[:9]); sys.stderr.flush(); time.sleep(0.5); sys.stderr.write(v[9:] + '\\n')\n";
    let workshop = granted(Who::Tester, script);
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["data"]["success"], true, "{reply:#}");
    let (stdout, stderr) =
        (reply["data"]["stdout"].to_string(), reply["data"]["stderr"].to_string());
    assert_eq!(stdout.matches("[secret KEY]").count(), 8 + 18, "{stdout}");
    assert_eq!(stderr, "\"[secret KEY]\\n\"");
    for part in ["s3cr3t", "7333637233742f", "czNjcjN0L3Zhb", "NzY3IzdC92YWx1", "zM2NyM3Qvdm"] {
        assert!(!reply.to_string().contains(part), "{part}: {reply:#}");
    }
    // A person who watches does not see it either, nor half of it before the rest arrives.
    let output = workshop.command().args(["run", "a"]).output().expect("mere runs");
    let shown = [output.stdout, output.stderr].concat();
    assert!(
        !String::from_utf8_lossy(&shown).contains("s3cr3t"),
        "{output:?}",
        output = String::from_utf8_lossy(&shown)
    );
    let state = workshop.stage.path("home/.local/state");
    let grep = std::process::Command::new("grep").args(["-rl", "s3cr3t"]).arg(state).output();
    assert_eq!(String::from_utf8_lossy(&grep.expect("grep runs").stdout), "");
}

#[test]
fn a_variable_may_have_another_name_than_its_secret_but_no_argument_holds_one() {
    let workshop = Workshop::new(Who::Tester);
    set(&workshop, "api.key", VALUE);
    let script = "import os\nprint(len(os.environ['TOKEN']), 'api.key' in os.environ)\n";
    workshop.tool_with("a", "python_runtime", script, "env_config: {TOKEN: {secret: api.key}}\n");
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["data"]["missing"]["secrets"], json!(["api.key"]), "{reply:#}");
    workshop.person(&["grant", "a", "--secret", "api.key"]);
    assert_eq!(workshop.call("a", &json!({}))["data"]["stdout"], "29 False\n");
    let more = "env_config: {TOKEN: {secret: api.key}}\nconfig: {args: ['--token=${TOKEN}']}\n";
    workshop.tool_with("a", "python_runtime", script, more);
    workshop.person(&["grant", "a", "--secret", "api.key"]);
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["code"], "EX-RUN-I-002", "{reply:#}");
    assert!(!reply.to_string().contains("s3cr3t"), "{reply:#}");
}

#[test]
fn a_secret_without_a_value_is_named_with_the_command() {
    let workshop = granted(Who::Tester, "print('ran')\n");
    workshop.person(&["secret", "remove", "KEY"]);
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["code"], "EN-RUN-D-003", "{reply:#}");
    assert!(reply["hint"].as_str().expect("a hint").contains("mere secret set KEY"), "{reply:#}");
}

#[test]
fn a_command_prints_a_secret_whenever_it_is_needed() {
    let workshop = granted(Who::Tester, "import os\nprint(len(os.environ['KEY']))\n");
    workshop.stage.file("home/vault", "another-secret\n");
    workshop.person(&["secret", "set", "KEY", "--from-command", "cat \"$HOME/vault\""]);
    let text = std::fs::read_to_string(workshop.stage.path(FILE)).expect("the file");
    assert!(!text.contains("another-secret"), "{text}");
    assert_eq!(workshop.call("a", &json!({}))["data"]["stdout"], "14\n");
    workshop.stage.file("home/vault", "a-changed-secret\n");
    assert_eq!(workshop.call("a", &json!({}))["data"]["stdout"], "16\n");
    std::fs::remove_file(workshop.stage.path("home/vault")).expect("removed");
    let reply = workshop.call("a", &json!({}));
    assert_eq!(reply["code"], "IT-SECRET-E-001", "{reply:#}");
    let (reply, status) =
        with_input(&workshop, &["secret", "set", "B", "--from-command", "exit 3"], "");
    assert_eq!(status, 4, "{reply:#}");
}

#[test]
fn what_could_not_be_kept_out_of_output_is_no_secret() {
    let workshop = Workshop::new(Who::Tester);
    for value in ["short", "1234567\n", "nul\0inside-it"] {
        let (reply, status) = with_input(&workshop, &["secret", "set", "KEY"], value);
        assert_eq!((status, &reply["code"]), (1, &json!("IT-SECRET-I-002")), "{reply:#}");
    }
    let long = "x".repeat(17 * 1024);
    let (reply, status) = with_input(&workshop, &["secret", "set", "KEY"], &long);
    assert_eq!((status, &reply["code"]), (1, &json!("IT-SECRET-I-002")), "{reply:#}");
    assert!(!workshop.stage.path(FILE).exists());
}

#[test]
fn a_damaged_or_exposed_file_of_secrets_is_not_used() {
    let workshop = granted(Who::Tester, "print('ran')\n");
    let file = workshop.stage.path(FILE);
    let text = std::fs::read_to_string(&file).expect("the file");
    std::fs::write(&file, text.replace("\"value\"", "\"other\"")).expect("written");
    assert_eq!(workshop.call("a", &json!({}))["code"], "IT-SECRET-E-001");
    std::fs::write(&file, &text).expect("written");
    let folder = file.parent().expect("a folder");
    let others = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(folder, others(0o777)).expect("open to all");
    let reply = workshop.call("a", &json!({}));
    assert_ne!(reply["reply_type"], "S", "{reply:#}");
    std::fs::set_permissions(folder, others(0o700)).expect("private again");
    assert_eq!(workshop.call("a", &json!({}))["reply_type"], "S");
}
