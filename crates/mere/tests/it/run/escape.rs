//! A signed tool that is hostile: whatever it reads, writes or calls that is none of its business is
//! refused, and each refusal is the right one. What each tool tries is in `escape/*.py`.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::workshop::{EVERYBODY, Workshop};

const TRIES: &str = include_str!("attacks/tries.py");
const WORK: &str = "project/.ai/workspaces/default";

/// A hostile tool, ready to run.
fn hostile(workshop: &Workshop, id: &str, script: &str) {
    workshop.tool(id, "python_runtime", &format!("{TRIES}{script}"));
}

/// Runs it: so many tries at least, and none that went another way than it must.
fn assert_refused(workshop: &Workshop, (id, given): (&str, &Value), least: u64) {
    let result = workshop.result(id, given);
    assert_eq!(result["wrong"], json!([]), "what `{id}` tried");
    assert!(result["tries"].as_u64().is_some_and(|tries| tries >= least), "{result}");
}

/// What lies on the stage and is nobody's business, by its host path.
fn secrets(workshop: &Workshop) -> Vec<String> {
    let stage = &workshop.stage;
    stage.file("home/.ssh/id_ed25519", "the key of a person");
    stage.file("home/notes.txt", "what a person wrote");
    stage.file("project/src/main.rs", "fn main() {}");
    stage.file("beside/other.txt", "another project");
    stage.file("project/.ai/workspaces/another/theirs.txt", "another agent's");
    stage.file(&format!("{WORK}/own.txt"), "its own");
    let keys = std::fs::read_dir(stage.path("home")).expect("a home").flatten();
    let hidden = keys.map(|entry| entry.path()).filter(|path| path.is_dir());
    let named =
        ["home", "home/.ssh/id_ed25519", "home/notes.txt", "home/.ai/config.yaml", "project"]
            .into_iter()
            .chain([
                "project/src/main.rs",
                "beside/other.txt",
                "project/.ai/tools/t",
                "project/.ai",
            ])
            .chain([
                "project/.ai/workspaces/another/theirs.txt",
                "project/.ai/workspaces/another",
                WORK,
            ]);
    let named = named.map(|below| stage.path(below)).chain(hidden);
    named.map(|path| path.to_str().expect("UTF-8").to_owned()).collect()
}

#[test]
fn a_tool_cannot_read_what_is_not_its_own() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        hostile(&workshop, "reads", include_str!("attacks/reads.py"));
        let secrets = secrets(&workshop);
        assert!(secrets.len() >= 13, "keys and config are among them: {secrets:?}");
        let processes = [std::process::id(), std::os::unix::process::parent_id()];
        let given = json!({ "secrets": secrets, "processes": processes });
        assert_refused(&workshop, ("reads", &given), 1000);
    }
}

#[test]
fn a_tool_cannot_write_outside_its_workspace_or_become_somebody_else() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        hostile(&workshop, "writes", include_str!("attacks/writes.py"));
        assert_refused(&workshop, ("writes", &json!({ "given": 1 })), 300);
        // What it left behind is plain files and folders, without rights that its user does not have.
        for entry in std::fs::read_dir(workshop.stage.path(WORK)).expect("a workspace").flatten() {
            let found = entry.path().symlink_metadata().expect("a file");
            let kind = found.file_type();
            let name = entry.file_name();
            assert!(!kind.is_char_device() && !kind.is_block_device(), "{name:?}");
            assert_eq!(found.permissions().mode() & 0o6000, 0, "{name:?}");
        }
        let tool = workshop.stage.path("project/.ai/tools/t/writes.py");
        let text = std::fs::read_to_string(tool).expect("a tool");
        assert!(text.starts_with(TRIES), "the tool was changed");
    }
}

#[test]
fn a_tool_cannot_make_calls_that_it_does_not_need() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        hostile(&workshop, "calls", include_str!("attacks/calls.py"));
        assert_refused(&workshop, ("calls", &json!({ "given": 1 })), 140);
    }
}

#[test]
fn a_tool_cannot_talk_to_anybody() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        hostile(&workshop, "network", include_str!("attacks/network.py"));
        workshop.stage.folder(WORK);
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let listener = UnixListener::bind(workshop.stage.path(&format!("{WORK}/host.sock")))
            .expect("a socket");
        let path = workshop.stage.path("beside/host.dgram");
        let places = [workshop.stage.path(&format!("{WORK}/host.dgram")), path.clone()];
        let datagrams = places.map(|place| UnixDatagram::bind(place).expect("a socket"));
        let name = format!("mere-{}-{who:?}", std::process::id());
        let address = |name: &str| SocketAddr::from_abstract_name(name).expect("a name");
        let hidden = UnixListener::bind_addr(&address(&name)).expect("a socket");
        let outside = UnixDatagram::bind_addr(&address(&format!("/{name}"))).expect("a socket");
        let port = tcp.local_addr().expect("an address").port();
        let given = json!({ "port": port, "path": path, "abstract": name });
        assert_refused(&workshop, ("network", &given), 250);
        tcp.set_nonblocking(true).expect("a listener");
        assert_eq!(tcp.accept().map_err(|error| error.kind()).err(), Some(ErrorKind::WouldBlock));
        for listener in [listener, hidden] {
            listener.set_nonblocking(true).expect("a listener");
            let nobody = listener.accept().map_err(|error| error.kind()).err();
            assert_eq!(nobody, Some(ErrorKind::WouldBlock));
        }
        for socket in datagrams.iter().chain([&outside]) {
            socket.set_nonblocking(true).expect("a socket");
            let nothing = socket.recv(&mut [0; 16]).map_err(|error| error.kind()).err();
            assert_eq!(nothing, Some(ErrorKind::WouldBlock));
        }
    }
}

#[test]
fn a_tool_does_not_get_what_somebody_left_open() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        hostile(&workshop, "reads", include_str!("attacks/reads.py"));
        let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
        let port = listener.local_addr().expect("an address").port();
        let script = format!(
            "exec 7<\"$HOME\" 9<\"$HOME/.ai/config.yaml\" 25<>/dev/tcp/127.0.0.1/{port}; exec \"$@\""
        );
        let parameters = json!({ "secrets": [], "processes": [] });
        let call = json!({ "item_type": "tool", "item_id": "reads", "parameters": parameters });
        let plain = workshop.command();
        let mut command = Command::new("bash");
        command.args(["-c", &script, "bash"]).arg(plain.get_program()).args(plain.get_args());
        command.args(["call", "execute", &call.to_string()]).env_clear();
        command.env("HOME", workshop.stage.path("home"));
        command.current_dir(workshop.stage.path("project"));
        let reply = workshop.stage.answer(&mut command).reply;
        let stdout = reply["data"]["stdout"].as_str().expect("said");
        let stdout = serde_json::from_str::<Value>(stdout).expect("JSON");
        assert_eq!(stdout["wrong"], json!([]), "{who:?}");
    }
}

/// Prints all it can learn of where it is.
const TELLTALE: &str = "import os, sys, traceback, json, glob, site, sysconfig
def links(): return {p: os.readlink(p) for p in glob.glob('/proc/self/*') + glob.glob('/proc/self/fd/*') if os.path.islink(p)}
told = [dict(os.environ), sys.argv, sys.path, __file__, sys.executable, sys.prefix, os.getcwd(), links(),
        sysconfig.get_paths(), os.uname(), sorted(os.listdir('/work')), sorted(glob.glob('/*/*'))]
for what in ('/proc/1/exe', '/proc/self/mountinfo', '/nowhere', '/work/../x'):
    try: told.append(open(what).read())
    except OSError as error: told.append(repr(error))
try: raise ValueError(os.path.realpath('.'))
except ValueError: told.append(traceback.format_exc())
text = json.dumps(told, default=repr)
open('/work/told.txt', 'w').write(text)
os.symlink(os.readlink('/proc/self/cwd'), '/work/here')
print(text[::-1])
print(text)
raise SystemExit(os.path.abspath('gone'))
";

#[test]
fn a_tool_cannot_learn_where_it_is_on_the_machine() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        workshop.tool("tells", "python_runtime", TELLTALE);
        let reply = workshop.call("tells", &json!({}));
        let stdout = reply["data"]["stdout"].as_str().expect("said");
        assert!(stdout.contains("/tool/tells.py"), "{reply:#}");
        // The gate rewrites what it knows: backwards it does not.
        let backwards = stdout.lines().next().expect("a line").chars().rev().collect::<String>();
        workshop.stage.check(&backwards);
        assert!(!backwards.contains("ROOT_"), "{backwards}");
        // The same for what it wrote, which others read.
        let text = std::fs::read_to_string(workshop.stage.path(&format!("{WORK}/told.txt")));
        workshop.stage.check(&text.expect("what it wrote"));
        let link = std::fs::read_link(workshop.stage.path(&format!("{WORK}/here")));
        assert_eq!(link.expect("a link").to_str(), Some("/work"));
        let read = json!({ "path": "ROOT_WORKSPACE:/told.txt" }).to_string();
        let mut command = workshop.command();
        let answer = workshop.stage.answer(command.args(["call", "read", &read]));
        assert_eq!(answer.reply["reply_type"], "S", "{}", answer.reply);
    }
}

#[test]
fn what_a_tool_makes_belongs_to_whoever_runs_it_or_to_nobody() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        workshop.tool(
            "makes",
            "bash_runtime",
            "mkdir -p a/b; touch a/b/c; ln a/b/c a/d; mkfifo p\n",
        );
        assert_eq!(workshop.call("makes", &json!({}))["data"]["success"], true);
        let own = std::fs::metadata(workshop.stage.path("home")).expect("a home").uid();
        let expected = if own == 0 { 65_534 } else { own };
        for name in ["a", "a/b", "a/b/c", "a/d"] {
            let path = workshop.stage.path(&format!("{WORK}/{name}"));
            assert_eq!(path.metadata().expect("what it made").uid(), expected, "{who:?} {name}");
        }
        // Nobody waits for a pipe that it left.
        let read = json!({ "path": "ROOT_WORKSPACE:/p" }).to_string();
        let mut command = workshop.command();
        let answer = workshop.stage.answer(command.args(["call", "read", &read]));
        assert_ne!(answer.reply["reply_type"], "S", "{}", answer.reply);
    }
}

/// What programs of the other language do.
const NODE: &str = "const { fork, execFileSync } = require('child_process');
const { Worker, isMainThread, parentPort } = require('worker_threads');
const fs = require('fs');
if (process.argv[2] === 'child') {
  process.on('message', (text) => { process.send(text + ' and back', () => process.disconnect()); });
} else {
  fs.writeFileSync('/work/a', 'x'); fs.copyFileSync('/work/a', '/work/b'); fs.chmodSync('/work/b', 0o755);
  const child = fork(__filename, ['child']);
  child.on('message', (text) => {
    const worker = new Worker(\"require('worker_threads').parentPort.postMessage('worker')\", { eval: true });
    worker.on('message', (word) => {
      console.log(text, word, execFileSync('cat', ['/work/b']).toString());
    });
  });
  child.send('there');
}
";

#[test]
fn what_ordinary_programs_do_works() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        hostile(&workshop, "works", include_str!("attacks/works.py"));
        assert_refused(&workshop, ("works", &json!({ "given": 1 })), 9);
        workshop.tool("node", "node_runtime", NODE);
        let reply = workshop.call("node", &json!({}));
        assert_eq!(reply["data"]["stdout"], "there and back worker x\n", "{who:?} {reply:#}");
    }
}
