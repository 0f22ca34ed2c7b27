//! The user's own keys, compared with what OpenSSH's own programs say of them.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::harness::Stage;
use crate::support::typist::Typist;

const KEPT: &str = "home/.config/merestone/keys";
const LIST: &str = "home/.config/merestone/keys.json";
/// Typed by nobody but these tests.
const PASSPHRASE: &str = "correct horse";

/// Runs a command of a person who sits at no terminal, with `--json`: its status and its reply.
pub(crate) fn run(stage: &Stage, arguments: &[&str]) -> (i32, Value) {
    run_with(stage, arguments, &[])
}

fn run_with(stage: &Stage, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, Value) {
    // Whoever runs the tests may sit at one.
    let mut command = Command::new("setsid");
    command.args(["--wait", env!("CARGO_BIN_EXE_mere")]).args(arguments).arg("--json");
    command.env_clear().env("HOME", stage.path("home")).env("PATH", "/usr/bin:/bin");
    command.envs(variables.iter().copied()).current_dir(stage.path("project"));
    let output = command.stdin(Stdio::null()).output().expect("setsid runs");
    let reply = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!("{arguments:?}: {error} {}", String::from_utf8_lossy(&output.stderr))
    });
    (output.status.code().expect("an exit status"), reply)
}

/// The same for a command that must succeed: what it says.
pub(crate) fn done(stage: &Stage, arguments: &[&str]) -> Value {
    let (status, reply) = run(stage, arguments);
    assert_eq!((status, &reply["reply_type"]), (0, &json!("S")), "{arguments:?}: {reply}");
    reply["data"].clone()
}

/// The code of a command that must not succeed.
pub(crate) fn refused(stage: &Stage, arguments: &[&str]) -> String {
    let (status, reply) = run(stage, arguments);
    assert_ne!(status, 0, "{arguments:?}: {reply}");
    reply["code"].as_str().expect("a code").to_owned()
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

fn ssh(stage: &Stage, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(arguments).env("HOME", stage.path("home")).current_dir(stage.path("beside"));
    command.stdin(Stdio::null()).output().expect("OpenSSH is installed")
}

/// Makes a key as people do, beside the project.
pub(crate) fn ssh_keygen(stage: &Stage, name: &str, kind: &str, passphrase: &str) -> String {
    let arguments = ["-q", "-t", kind, "-N", passphrase, "-C", "ada@engine", "-f", name];
    let made = ssh(stage, "ssh-keygen", &arguments);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    stage.path("beside").join(name).to_str().expect("UTF-8").to_owned()
}

/// The fingerprint that OpenSSH says a file has.
pub(crate) fn fingerprint(stage: &Stage, file: &str) -> String {
    let printed = ssh(stage, "ssh-keygen", &["-lf", file]);
    let printed = String::from_utf8(printed.stdout).expect("UTF-8");
    printed.split(' ').nth(1).unwrap_or_else(|| panic!("no fingerprint: {printed}")).to_owned()
}

fn mode(stage: &Stage, below: &str) -> u32 {
    std::fs::metadata(stage.path(below)).expect("there").permissions().mode() & 0o7777
}

fn set_mode(file: &str, mode: u32) {
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).expect("a mode");
}

fn host_path(stage: &Stage, below: &str) -> String {
    stage.path(below).to_str().expect("UTF-8").to_owned()
}

#[test]
fn a_generated_key_is_a_key_to_openssh() {
    let stage = Stage::new();
    let made = done(&stage, &["keys", "generate", "--no-passphrase"]);
    let file = host_path(&stage, &format!("{KEPT}/id_ed25519"));
    assert_eq!((text(&made["file"]), &made["current"]), (file.as_str(), &json!(true)));
    assert_eq!(text(&made["key"]), fingerprint(&stage, &file));
    assert_eq!(text(&made["key"]), fingerprint(&stage, &format!("{file}.pub")));
    let public = ssh(&stage, "ssh-keygen", &["-y", "-f", &file]);
    let public = String::from_utf8(public.stdout).expect("UTF-8");
    assert_eq!(public, format!("{} merestone\n", text(&made["public"])), "no user, no host");
    let exported = stage.person(&["keys", "export"]);
    let line = format!("{}\n", text(&made["public"]));
    assert_eq!(String::from_utf8(exported.stdout), Ok(line), "the line and nothing else");
    for (below, expected) in [(KEPT, 0o700), ("home/.config/merestone", 0o700), (LIST, 0o600)] {
        assert_eq!(mode(&stage, below), expected, "{below}");
    }
    assert_eq!(mode(&stage, &format!("{KEPT}/id_ed25519")), 0o600);
    let second = done(&stage, &["keys", "generate", "--no-passphrase"]);
    assert!(text(&second["file"]).ends_with("/id_ed25519_2") && second["current"] == false);
    let named = done(&stage, &["keys", "generate", "--no-passphrase", "--name", "work"]);
    assert!(text(&named["file"]).ends_with("/work"));
    let again = ["keys", "generate", "--no-passphrase", "--name", "work"];
    assert_eq!(refused(&stage, &again), "IT-KEY-I-007");
    let outside = stage.person(&["keys", "generate", "--no-passphrase", "--name", "../x"]);
    assert_eq!(outside.status.code(), Some(2));
    let listed = done(&stage, &["keys", "list"]);
    let current = listed["keys"].as_array().expect("keys").iter().map(|key| &key["current"]);
    assert_eq!(current.collect::<Vec<_>>(), [&json!(true), &json!(false), &json!(false)]);
}

#[test]
fn nobody_is_asked_where_there_is_no_terminal() {
    let stage = Stage::new();
    assert_eq!(refused(&stage, &["keys", "export"]), "IT-KEY-I-001");
    assert_eq!(refused(&stage, &["keys", "rotate", "--no-passphrase"]), "IT-KEY-I-001");
    let made = done(&stage, &["keys", "generate"]);
    let readable = std::process::Command::new("ssh-keygen")
        .args(["-y", "-P", "", "-f", text(&made["file"])])
        .output()
        .expect("ssh-keygen");
    assert!(readable.status.success(), "nobody was asked, so there is no passphrase");
    let locked = ssh_keygen(&stage, "locked", "ed25519", PASSPHRASE);
    done(&stage, &["keys", "use", &locked]);
    let (status, reply) = run(&stage, &["keys", "rotate", "--no-passphrase"]);
    assert_eq!((status, text(&reply["code"])), (1, "IT-KEY-I-002"));
    assert_eq!(text(&reply["data"]["key"]), fingerprint(&stage, &locked));
    assert_eq!(done(&stage, &["keys", "list"])["keys"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_passphrase_is_asked_for_twice_and_never_shown() {
    let stage = Stage::new();
    let mut typist = Typist::start(&stage, "keys generate --color never");
    typist.answer("Passphrase for the new key (empty for none): ", PASSPHRASE);
    typist.answer("Repeat the passphrase: ", "another");
    typist.wait_for("The passphrases do not match.");
    typist.answer("Passphrase for the new key (empty for none): ", PASSPHRASE);
    typist.answer("Repeat the passphrase: ", PASSPHRASE);
    let (status, printed) = typist.finish();
    assert_eq!(status, 0, "{printed}");
    assert!(printed.contains("A key was generated: SHA256:"), "{printed}");
    assert!(!printed.contains("correct") && !printed.contains("another"), "{printed}");
    let file = host_path(&stage, &format!("{KEPT}/id_ed25519"));
    let open = |passphrase| ssh(&stage, "ssh-keygen", &["-y", "-P", passphrase, "-f", &file]);
    assert!(open(PASSPHRASE).status.success(), "OpenSSH unlocks it");
    assert!(!open("another").status.success() && !open("").status.success());
    assert_eq!(done(&stage, &["keys", "list"])["keys"][0]["locked"], true);
}

#[test]
fn a_locked_key_is_unlocked_at_the_terminal() {
    let stage = Stage::new();
    let locked = ssh_keygen(&stage, "locked", "ed25519", PASSPHRASE);
    let key = fingerprint(&stage, &locked);
    done(&stage, &["keys", "use", &locked]);
    let question = format!("Passphrase of {key}: ");
    let mut typist = Typist::start(&stage, "keys rotate --no-passphrase --out proof");
    typist.answer(&question, "wrong");
    typist.answer(&format!("Wrong passphrase. {question}"), "wrong");
    typist.answer(&format!("Wrong passphrase. {question}"), "wrong");
    let (status, printed) = typist.finish();
    assert_eq!(status, 1, "{printed}");
    assert!(printed.contains("That is not the passphrase of"), "{printed}");
    assert_eq!(done(&stage, &["keys", "list"])["keys"].as_array().map(Vec::len), Some(1));
    for ending in ["\u{3}", "\u{4}"] {
        let mut typist = Typist::start(&stage, "keys rotate --no-passphrase; stty -a");
        typist.wait_for(&question);
        typist.press(ending);
        let (_, printed) = typist.finish();
        assert!(printed.contains(" echo ") && printed.contains(" icanon "), "as before: {printed}");
    }
    let mut typist = Typist::start(&stage, "keys rotate --no-passphrase --out proof; stty -a");
    typist.answer(&question, &format!("oh\u{15}wrong\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}{PASSPHRASE}"));
    let (status, printed) = typist.finish();
    assert!(status == 0 && !printed.contains("horse") && printed.contains(" echo "), "{printed}");
    let listed = done(&stage, &["keys", "list"])["keys"].clone();
    assert_eq!((text(&listed[0]["key"]), &listed[0]["current"]), (key.as_str(), &json!(false)));
    assert_eq!((&listed[1]["where"], &listed[1]["current"]), (&json!("kept"), &json!(true)));
}

#[test]
fn a_rotation_to_another_locked_key_asks_for_both() {
    let stage = Stage::new();
    let old = ssh_keygen(&stage, "old", "ed25519", "first");
    let new = ssh_keygen(&stage, "new", "ed25519", "second");
    done(&stage, &["keys", "use", &new]);
    done(&stage, &["keys", "use", &old]);
    let (old, new) = (fingerprint(&stage, &old), fingerprint(&stage, &new));
    let to_itself = ["keys", "rotate", "--to", &old];
    assert_eq!(refused(&stage, &to_itself), "IT-KEY-I-002");
    let mut typist = Typist::start(&stage, &format!("keys rotate --to {new} --out proof"));
    typist.answer(&format!("Passphrase of {old}: "), "first");
    typist.answer(&format!("Passphrase of {new}: "), "wrong");
    typist.answer(&format!("Passphrase of {new}: "), "second");
    let (status, printed) = typist.finish();
    assert_eq!(status, 0, "{printed}");
    let proof = std::fs::read_to_string(stage.path("project/proof")).expect("the proof");
    assert!(proof.contains(&old) && proof.contains(&new), "{proof}");
    assert_eq!(text(&done(&stage, &["keys", "export"])["key"]), new);
    let known = "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU";
    assert_eq!(refused(&stage, &["keys", "export", known]), "IT-KEY-I-005");
}

#[test]
fn a_key_people_have_is_used_where_it_lies_or_copied() {
    let stage = Stage::new();
    let open = ssh_keygen(&stage, "open", "ed25519", "");
    let locked = ssh_keygen(&stage, "locked", "ed25519", PASSPHRASE);
    stage.link(&open, "beside/link");
    let link = host_path(&stage, "beside/link");
    let used = done(&stage, &["keys", "use", "../beside/link"]);
    assert_eq!(text(&used["key"]), fingerprint(&stage, &open));
    assert_eq!((&used["where"], &used["current"]), (&json!("in place"), &json!(true)));
    done(&stage, &["keys", "rotate", "--no-passphrase"]);
    assert_eq!(refused(&stage, &["keys", "import", &link]), "IT-KEY-I-006", "a link");
    let imported = done(&stage, &["keys", "import", &locked]);
    assert_eq!(text(&imported["key"]), fingerprint(&stage, &locked));
    let copy = std::fs::read(text(&imported["file"])).expect("the copy");
    assert_eq!(copy, std::fs::read(&locked).expect("a key"), "as locked as it was");
    let public = std::fs::read_to_string(format!("{}.pub", text(&imported["file"])));
    assert!(!public.expect("its public half").contains("ada@engine"));
    assert_eq!(refused(&stage, &["keys", "import", &locked]), "IT-KEY-I-007");
    let imported = done(&stage, &["keys", "import", &open]);
    assert_eq!(imported["where"], "kept");
    std::fs::remove_file(&open).expect("removed");
    let used = done(&stage, &["keys", "use", text(&imported["key"])]);
    assert_eq!(used["current"], true);
    done(&stage, &["keys", "rotate", "--no-passphrase"]);
    let listed = done(&stage, &["keys", "list"])["keys"].clone();
    let mut names = listed.as_array().expect("keys").iter().map(|key| text(&key["key"]));
    assert_eq!(names.clone().count(), 4, "{listed}");
    assert!(names.any(|name| name == text(&imported["key"])));
}

#[test]
fn other_keys_are_refused_by_name() {
    let stage = Stage::new();
    let check = |file: &str, code: &str| {
        for command in ["use", "import"] {
            assert_eq!(refused(&stage, &["keys", command, file]), code, "{command} {file}");
        }
    };
    for (name, kind, passphrase) in
        [("rsa", "rsa", ""), ("ecdsa", "ecdsa", ""), ("locked-rsa", "rsa", PASSPHRASE)]
    {
        check(&ssh_keygen(&stage, name, kind, passphrase), "IT-KEY-I-006");
    }
    check("../beside/none", "IT-KEY-I-009");
    check("../beside/none/below", "IT-KEY-I-009");
    check("../beside", "IT-KEY-E-002");
    let pipe = host_path(&stage, "beside/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    check(&pipe, "IT-KEY-E-002");
    let good = std::fs::read_to_string(ssh_keygen(&stage, "good", "ed25519", "")).expect("a key");
    let written = |name: &str, text: &str| {
        let path = stage.file(&format!("beside/{name}"), text);
        set_mode(path.to_str().expect("UTF-8"), 0o600);
        path.to_str().expect("UTF-8").to_owned()
    };
    check(&written("empty", ""), "IT-KEY-I-006");
    check(&written("half", &good[..good.len() / 2]), "IT-KEY-I-006");
    check(&written("pem", &good.replace("OPENSSH ", "")), "IT-KEY-I-006");
    check(&written("large", &" ".repeat(65 * 1024)), "IT-KEY-E-002");
    let rsa_public = host_path(&stage, "beside/rsa.pub");
    assert_eq!(refused(&stage, &["keys", "use", &rsa_public]), "IT-KEY-I-006");
    assert!(!stage.path(LIST).exists(), "nothing was recorded");
}

/// Every way in for a private key, while others may open it.
#[test]
fn a_key_that_others_may_open_is_refused_with_the_fix() {
    let stage = Stage::new();
    let used = ssh_keygen(&stage, "used", "ed25519", "");
    done(&stage, &["keys", "use", &used]);
    let kept = done(&stage, &["keys", "generate", "--no-passphrase"]);
    let kept_file = text(&kept["file"]).to_owned();
    let check = |file: &str, arguments: &[&str]| {
        for mode in [0o644, 0o640, 0o604, 0o610, 0o601, 0o666, 0o4640] {
            set_mode(file, mode);
            let (status, reply) = run(&stage, arguments);
            assert_eq!((status, text(&reply["code"])), (4, "IT-KEY-E-001"), "{mode:o} {reply}");
            assert!(text(&reply["hint"]).contains(&format!("`chmod 600 {file}`")), "{reply}");
        }
        set_mode(file, 0o600);
    };
    check(&used, &["keys", "rotate", "--no-passphrase"]);
    check(&used, &["keys", "use", &used]);
    check(&used, &["keys", "import", &used]);
    done(&stage, &["keys", "use", text(&kept["key"])]);
    check(&kept_file, &["keys", "rotate", "--no-passphrase"]);
    set_mode(&kept_file, 0o640);
    let listed = done(&stage, &["keys", "list"])["keys"].clone();
    assert!(text(&listed[1]["problem"]).contains("can be opened by other users"), "{listed}");
    set_mode(&kept_file, 0o400);
    done(&stage, &["keys", "rotate", "--no-passphrase"]);
    let mut command = stage.unprivileged("project");
    set_mode(&used, 0o644);
    let output = command.args(["keys", "use", &used, "--json"]).output().expect("mere runs");
    let reply: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(reply["code"], "IT-KEY-E-001");
}

#[test]
fn doctor_closes_a_stored_key_that_others_may_open_and_no_other_file() {
    let stage = Stage::new();
    let used = ssh_keygen(&stage, "used", "ed25519", "");
    done(&stage, &["keys", "use", &used]);
    let made = done(&stage, &["keys", "generate", "--no-passphrase"]);
    done(&stage, &["keys", "use", text(&made["key"])]);
    set_mode(text(&made["file"]), 0o644);
    set_mode(&used, 0o644);
    let states = |arguments: &[&str]| {
        let (_, reply) = run(&stage, arguments);
        let findings = reply["data"]["checks"].as_array().expect("checks").clone();
        let of_keys = findings.into_iter().filter(|one| one["check"] == "keys");
        of_keys.map(|one| text(&one["state"]).to_owned()).collect::<Vec<_>>()
    };
    let kept = format!("{KEPT}/id_ed25519");
    assert_eq!(states(&["doctor"]), ["wrong"]);
    assert_eq!(mode(&stage, &kept), 0o644, "nothing is repaired unasked");
    assert_eq!(states(&["doctor", "--fix"]), ["fixed"]);
    assert_eq!(mode(&stage, &kept), 0o600);
    assert_eq!(mode(&stage, "beside/used"), 0o644, "a key that lies elsewhere is its owner's");
    done(&stage, &["keys", "rotate", "--no-passphrase"]);
}

/// A real ssh-agent, until it is dropped.
struct Agent {
    child: Child,
    socket: String,
}

impl Agent {
    fn start(stage: &Stage) -> Self {
        let socket = host_path(stage, "beside/agent");
        let mut command = Command::new("ssh-agent");
        command.args(["-D", "-a", &socket]).stdout(Stdio::null());
        let child = command.spawn().expect("ssh-agent runs");
        while !stage.path("beside/agent").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        Self { child, socket }
    }

    fn add(&self, file: &str) {
        let mut command = Command::new("ssh-add");
        command.args(["-q", file]).env("SSH_AUTH_SOCK", &self.socket).stdin(Stdio::null());
        assert!(command.status().expect("ssh-add runs").success());
    }

    fn run(&self, stage: &Stage, arguments: &[&str]) -> Value {
        run_with(stage, arguments, &[("SSH_AUTH_SOCK", &self.socket)]).1
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn ssh_agent_signs_with_what_it_holds() {
    let stage = Stage::new();
    let agent = Agent::start(&stage);
    let (held, rsa) = (ssh_keygen(&stage, "held", "ed25519", ""), "rsa");
    agent.add(&held);
    agent.add(&ssh_keygen(&stage, rsa, "rsa", ""));
    let key = fingerprint(&stage, &held);
    let listed = agent.run(&stage, &["keys", "list"])["data"]["keys"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "no other keys: {listed}");
    assert_eq!((text(&listed[0]["key"]), &listed[0]["own"]), (key.as_str(), &json!(false)));
    let public = format!("{held}.pub");
    assert_eq!(refused(&stage, &["keys", "use", &public]), "IT-KEY-I-004", "without an agent");
    std::fs::remove_file(&held).expect("the agent alone holds it");
    let used = agent.run(&stage, &["keys", "use", &public]);
    assert_eq!(
        (&used["code"], &used["data"]["where"]),
        (&json!("IT-KEY-S-005"), &json!("ssh-agent"))
    );
    let public = std::fs::read_to_string(public).expect("its public half");
    done(&stage, &["trust", "add", public.trim()]);
    let rotated = agent.run(&stage, &["keys", "rotate", "--no-passphrase", "--out", "proof"]);
    assert_eq!(rotated["code"], "IT-KEY-S-006", "{rotated}");
    assert_eq!(text(&done(&stage, &["trust", "rotate", "proof"])["old"]), key);
    let again = agent.run(&stage, &["keys", "use", &key]);
    assert_eq!(again["code"], "IT-KEY-S-005");
    assert_eq!(refused(&stage, &["keys", "rotate", "--no-passphrase"]), "IT-KEY-I-004");
    let socket = agent.socket.clone();
    drop(agent);
    let gone =
        run_with(&stage, &["keys", "rotate", "--no-passphrase"], &[("SSH_AUTH_SOCK", &socket)]);
    assert_eq!((gone.0, text(&gone.1["code"])), (4, "IT-KEY-E-003"));
}

#[test]
fn a_locked_key_in_ssh_agent_needs_no_passphrase() {
    let stage = Stage::new();
    let agent = Agent::start(&stage);
    let file = ssh_keygen(&stage, "key", "ed25519", "");
    agent.add(&file);
    let relock = ["-q", "-p", "-P", "", "-N", PASSPHRASE, "-f", &file];
    assert!(ssh(&stage, "ssh-keygen", &relock).status.success());
    done(&stage, &["keys", "use", &file]);
    assert_eq!(refused(&stage, &["keys", "rotate", "--no-passphrase"]), "IT-KEY-I-002");
    let listed = agent.run(&stage, &["keys", "list"])["data"]["keys"][0].clone();
    assert_eq!((&listed["locked"], &listed["in_agent"]), (&json!(true), &json!(true)));
    let rotated = agent.run(&stage, &["keys", "rotate", "--no-passphrase"]);
    assert_eq!(rotated["code"], "IT-KEY-S-006", "{rotated}");
}

/// Whatever listens at `SSH_AUTH_SOCK`, nothing it says is believed, and nothing hangs.
#[test]
fn a_false_agent_gains_nothing() {
    let stage = Stage::new();
    let file = ssh_keygen(&stage, "key", "ed25519", "");
    let key = fingerprint(&stage, &file);
    let public = std::fs::read_to_string(format!("{file}.pub")).expect("its public half");
    let blob = public.split(' ').nth(1).expect("base64");
    let mut base64 = Command::new("base64");
    let mut base64 = base64.arg("-d").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let base64 = base64.as_mut().expect("base64 runs");
    base64.stdin.take().expect("its input").write_all(blob.as_bytes()).expect("written");
    let mut wire = Vec::new();
    base64.stdout.take().expect("its output").read_to_end(&mut wire).expect("read");
    base64.wait().expect("it ends");
    let piece = |bytes: &[u8]| {
        let length = u32::try_from(bytes.len()).expect("short").to_be_bytes();
        [&length[..], bytes].concat()
    };
    let identities = [&[12, 0, 0, 0, 1][..], &piece(&wire), &piece(b"x")].concat();
    let forged = [piece(b"ssh-ed25519"), piece(&[7; 64])].concat();
    let check = |name: &str, answers: Vec<Vec<u8>>, arguments: &[&str], code: &str| {
        let socket = host_path(&stage, &format!("beside/{name}"));
        let listener = UnixListener::bind(&socket).expect("a socket");
        std::thread::spawn(move || {
            for answer in answers {
                let Ok((mut stream, _)) = listener.accept() else { return };
                let mut length = [0; 4];
                let _ = stream.read_exact(&mut length);
                let mut request = vec![0; u32::from_be_bytes(length) as usize];
                let _ = stream.read_exact(&mut request);
                let _ = stream.write_all(&answer);
                if answer.is_empty() {
                    // Says nothing, and does not hang up.
                    std::thread::sleep(std::time::Duration::from_secs(30));
                }
            }
        });
        let began = std::time::Instant::now();
        let (_, reply) = run_with(&stage, arguments, &[("SSH_AUTH_SOCK", &socket)]);
        assert_eq!(text(&reply["code"]), code, "{name}: {reply}");
        assert!(began.elapsed().as_secs() < 20, "{name} held us up");
    };
    let take = ["keys", "use", &key];
    check("huge", vec![vec![0xff; 64]], &take, "IT-KEY-E-003");
    check("cut", vec![piece(&[12, 0, 0, 0, 9])], &take, "IT-KEY-E-003");
    check("many", vec![piece(&[12, 0xff, 0xff, 0xff, 0xff])], &take, "IT-KEY-E-003");
    check("failure", vec![piece(&[5])], &take, "IT-KEY-E-003");
    check("mute", vec![Vec::new()], &take, "IT-KEY-E-003");
    check("others", vec![piece(&[12, 0, 0, 0, 0])], &take, "IT-KEY-I-005");
    check("holds", vec![piece(&identities)], &take, "IT-KEY-S-005");
    let sign = ["keys", "rotate", "--no-passphrase"];
    let signed = [&[14][..], &piece(&forged)].concat();
    check("forger", vec![piece(&identities), piece(&signed)], &sign, "IT-KEY-E-003");
    check("refuser", vec![piece(&identities), piece(&[5])], &sign, "IT-KEY-E-003");
    assert!(!stage.path(KEPT).exists(), "what nobody signed for is not kept");
    let relative = run_with(&stage, &sign, &[("SSH_AUTH_SOCK", "beside/holds")]);
    assert_eq!(text(&relative.1["code"]), "IT-KEY-I-004", "relative to whom?");
}

#[test]
fn a_damaged_list_of_keys_is_never_written_over() {
    let stage = Stage::new();
    done(&stage, &["keys", "generate", "--no-passphrase"]);
    let other = ssh_keygen(&stage, "other", "ed25519", "");
    for damage in ["", "{", "{\"records\": 1}", "{\"format\":1,\"records\":[],\"records\":[]}"] {
        stage.file(LIST, damage);
        for command in [
            &["keys", "list"][..],
            &["keys", "export"],
            &["keys", "generate", "--no-passphrase"],
            &["keys", "use", &other],
            &["keys", "import", &other],
            &["keys", "rotate", "--no-passphrase"],
        ] {
            assert_eq!(refused(&stage, command), "IT-KEY-E-004", "{damage:?} {command:?}");
        }
        assert_eq!(std::fs::read_to_string(stage.path(LIST)).expect("there"), damage);
    }
    let left = std::fs::read_dir(stage.path(KEPT)).expect("a folder").count();
    assert_eq!(left, 2, "no half-made keys");
}

#[test]
fn a_record_leads_to_no_other_file() {
    let stage = Stage::new();
    let made = done(&stage, &["keys", "generate", "--no-passphrase"]);
    let own = text(&made["file"]).to_owned();
    let other = ssh_keygen(&stage, "other", "ed25519", "");
    let sign = ["keys", "rotate", "--no-passphrase"];
    let good = std::fs::read(&own).expect("a key");
    std::fs::copy(&other, &own).expect("another key in its place");
    assert_eq!(refused(&stage, &sign), "IT-KEY-E-002");
    let listed = done(&stage, &["keys", "list"])["keys"][0].clone();
    assert!(text(&listed["problem"]).contains("no longer holds"), "{listed}");
    std::fs::remove_file(&own).expect("removed");
    assert_eq!(refused(&stage, &sign), "IT-KEY-I-009");
    stage.link(&other, &format!("{KEPT}/id_ed25519"));
    assert_eq!(refused(&stage, &sign), "IT-KEY-E-002", "a link");
    std::fs::remove_file(&own).expect("removed");
    std::fs::write(&own, good).expect("back again");
    set_mode(&own, 0o600);
    let list = std::fs::read_to_string(stage.path(LIST)).expect("a list");
    stage.file(LIST, &list.replace("\"id_ed25519\"", "\"../../../../beside/other\""));
    assert_eq!(refused(&stage, &sign), "IT-KEY-I-001", "a record that is none");
}

#[test]
fn keys_made_at_once_are_all_there() {
    let stage = Stage::new();
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| done(&stage, &["keys", "generate", "--no-passphrase"]));
        }
    });
    let listed = done(&stage, &["keys", "list"])["keys"].clone();
    let listed = listed.as_array().expect("keys");
    assert_eq!(listed.len(), 8);
    assert_eq!(listed.iter().filter(|key| key["current"] == true).count(), 1);
    assert!(listed.iter().all(|key| key["locked"] == false && key.get("problem").is_none()));
}

#[test]
fn no_agent_reaches_keys_or_trust() {
    for config in ["project/conf", "project/.ai/conf", "home/.ai/conf"] {
        let mut stage = Stage::new();
        stage.variable("MERE_CONFIG_DIR", config);
        let made = stage.person(&["keys", "generate", "--no-passphrase", "--json"]);
        let made: Value = serde_json::from_slice(&made.stdout).expect("JSON");
        let public = text(&made["data"]["public"]).to_owned();
        assert!(stage.person(&["trust", "add", &public, "--name", "me"]).status.success());
        assert!(stage.path(config).join("keys/id_ed25519").exists());
        for tool in ["keys", "trust", "sign", "Keys", "keep"] {
            let answer = stage.call_text(tool, "{\"command\":\"list\"}");
            assert_eq!(answer.code(), "MCP-ARG-I-002");
        }
        let root = if config.starts_with("home") {
            "ROOT_USER:/conf"
        } else {
            &format!("ROOT_PROJECT:/{}", config.trim_start_matches("project/"))
        };
        for file in ["", "/keys.json", "/trust.json", "/keys/id_ed25519", "/keys/id_ed25519.pub"] {
            let path = json!({ "path": format!("{root}{file}") }).to_string();
            assert_eq!(stage.call_text("read", &path).code(), "WA-PATH-I-001", "{path}");
            let grep = json!({ "pattern": "ssh-ed25519", "path": format!("{root}{file}") });
            assert_eq!(stage.call_text("grep", &grep.to_string()).code(), "WA-PATH-I-001");
        }
        for home in ["ROOT_PROJECT:/", "ROOT_USER:/"] {
            let grep = json!({ "pattern": "ssh-ed25519|PRIVATE KEY", "path": home });
            let found = stage.call_text("grep", &grep.to_string()).reply;
            assert!(!found.to_string().contains(&public), "{found}");
        }
    }
}

#[test]
fn a_repository_has_no_say_in_keys_or_trust() {
    let stage = Stage::new();
    let planted = ssh_keygen(&stage, "planted", "ed25519", "");
    let public = std::fs::read_to_string(format!("{planted}.pub")).expect("a key");
    let key = fingerprint(&stage, &planted);
    let line = public.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let own = json!({ "format": 1, "records": [{
        "fingerprint": key, "public": line, "file": null, "path": planted, "agent": false,
        "current": true,
    }]});
    let trusted = json!({ "format": 1, "records": [{
        "fingerprint": key, "key": line, "name": "Mallory", "scopes": [], "types": [],
        "categories": [], "revoked": false,
    }]});
    for folder in ["project", "project/.ai", "project/.config/merestone", "project/merestone"] {
        stage.file(&format!("{folder}/keys.json"), &own.to_string());
        stage.file(&format!("{folder}/trust.json"), &trusted.to_string());
    }
    // A config that does not parse matters to agents, and not here.
    stage.file("project/.ai/config.yaml", "keys: {use: x\n");
    assert_eq!(done(&stage, &["keys", "list"])["keys"], json!([]));
    assert_eq!(done(&stage, &["trust", "list"])["keys"], json!([]));
    let made = done(&stage, &["keys", "generate", "--no-passphrase"]);
    assert_ne!(text(&made["key"]), key);
    assert_eq!(refused(&stage, &["trust", "remove", "Mallory"]), "IT-SIGNER-I-001");
}
