//! Tools that run while somebody changes things: what runs is what was signed, where it was meant to.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::run::escape_limits::{assert_gone, server, unique};
use crate::support::workshop::{EVERYBODY, Who, Workshop};

const WORKSPACES: &str = "project/.ai/workspaces";
const SIGNED: &str = "print('the signed one')\n";
const RUNS: usize = 200;

fn tool_call(id: &str, parameters: &Value) -> (&'static str, Value) {
    ("execute", json!({ "item_type": "tool", "item_id": id, "parameters": parameters }))
}

/// Writes other scripts in the place of the signed one, in place and by exchange, and puts it back.
fn rewrite(script: &Path, over: &AtomicBool) {
    let beside = script.with_extension("new");
    let others =
        ["print('the forged one')\n", "print('the signed one')\nprint('and more')\n", "", "print("];
    for round in 0_usize.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let other = others[round % others.len()];
        if round.is_multiple_of(2) {
            std::fs::write(script, other).expect("a script");
        } else {
            std::fs::write(&beside, other).expect("a script");
            std::fs::rename(&beside, script).expect("a script");
        }
        std::thread::sleep(Duration::from_millis(3));
        std::fs::write(&beside, SIGNED).expect("a script");
        std::fs::rename(&beside, script).expect("a script");
        std::thread::sleep(Duration::from_millis(12));
    }
    let _ = std::fs::remove_file(beside);
}

#[test]
fn a_script_that_is_rewritten_runs_as_it_was_signed_or_not_at_all() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("race", "python_runtime", SIGNED);
    let script = workshop.stage.path("project/.ai/tools/t/race.py");
    let over = AtomicBool::new(false);
    let calls = vec![tool_call("race", &json!({})); RUNS];
    let mut mcp = server(&workshop);
    let replies = std::thread::scope(|threads| {
        threads.spawn(|| rewrite(&script, &over));
        let replies = mcp.pipeline(&calls);
        over.store(true, Ordering::Relaxed);
        replies
    });
    let (ran, refused) = replies.iter().partition::<Vec<_>, _>(|reply| reply["reply_type"] == "S");
    for reply in &ran {
        assert_eq!(reply["data"]["stdout"], "the signed one\n", "{reply:#}");
    }
    for reply in &refused {
        assert_ne!(reply["code"], "EX-RUN-E-003", "the sandbox is not what refuses: {reply:#}");
        assert!(!reply.to_string().contains("forged"), "{reply:#}");
    }
    assert_eq!(ran.len() + refused.len(), RUNS);
    let (tool, arguments) = tool_call("race", &json!({}));
    assert_eq!(mcp.call(tool, &arguments)["data"]["stdout"], "the signed one\n");
}

#[test]
fn a_tool_runs_several_times_at_once_and_none_sees_the_other() {
    let script = "import json, os, sys, time\nname = json.load(sys.stdin)['name']\n\
                  open('/work/' + name, 'w').write(name)\ntime.sleep(0.5)\n\
                  print(name, os.getpid() < 100, {p for p in range(1, 300) if os.path.exists(f'/proc/{p}')} \
                  <= {1, 2, os.getpid()})\n";
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let id = unique("several");
        workshop.tool(&id, "python_runtime", script);
        let mut mcp = server(&workshop);
        let names = ["a", "b", "c", "d", "e", "f"];
        let calls = names.map(|name| tool_call(&id, &json!({ "name": name })));
        for (name, reply) in names.iter().zip(mcp.pipeline(&calls)) {
            assert_eq!(reply["data"]["stdout"], format!("{name} True True\n"), "{who:?} {reply:#}");
            let file = workshop.stage.path(&format!("{WORKSPACES}/Test-Client/{name}"));
            assert_eq!(std::fs::read_to_string(file).expect("its file"), *name);
        }
        assert_gone(&id, Duration::from_secs(2));
    }
}

#[test]
fn a_workspace_that_is_exchanged_leads_a_tool_nowhere_else() {
    for who in EVERYBODY {
        let workshop = Workshop::new(who);
        let id = unique("waits");
        let script = "touch /work/begun; read -t 1.5 < /work/pipe; touch /work/late; ls /work\n";
        workshop.tool(
            &id,
            "bash_runtime",
            &format!("mkfifo /work/pipe; exec 5<>/work/pipe; {script}"),
        );
        let stage = &workshop.stage;
        let work = stage.folder(&format!("{WORKSPACES}/default"));
        stage.file("beside/other.txt", "somebody else's");
        let reply = std::thread::scope(|threads| {
            let running = threads.spawn(|| workshop.call(&id, &json!({})));
            while !work.join("begun").exists() {
                assert!(!running.is_finished(), "it has not begun");
                std::thread::sleep(Duration::from_millis(10));
            }
            std::fs::rename(&work, stage.path("project/moved")).expect("a folder");
            stage.link(stage.path("beside"), &format!("{WORKSPACES}/default"));
            running.join().expect("a reply")
        });
        assert_eq!(reply["data"]["stdout"], "begun\nlate\npipe\n", "{who:?} {reply:#}");
        assert!(stage.path("project/moved/late").exists(), "it wrote where it was");
        // With a link in its place nothing runs there at all.
        let again = workshop.call(&id, &json!({}));
        assert_ne!(again["reply_type"], "S", "{who:?} {again:#}");
        let beside = std::fs::read_dir(stage.path("beside")).expect("a folder").flatten();
        let beside = beside.map(|entry| entry.file_name()).collect::<Vec<_>>();
        assert_eq!(beside, ["other.txt"], "{who:?}");
    }
}

#[test]
fn a_workspace_that_comes_and_goes_is_never_another_folder() {
    let workshop = Workshop::new(Who::Tester);
    workshop.tool("touches", "bash_runtime", "touch /work/touched\n");
    let stage = &workshop.stage;
    let work = stage.folder(&format!("{WORKSPACES}/Test-Client"));
    let (away, link) = (stage.path("away"), stage.path("link"));
    stage.link(stage.path("beside"), "link");
    let over = AtomicBool::new(false);
    let mut mcp = server(&workshop);
    let calls = vec![tool_call("touches", &json!({})); 60];
    let replies = std::thread::scope(|threads| {
        threads.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                // Somebody may have made a new one meanwhile: then that one is left.
                let _ = std::fs::rename(&work, &away);
                let _ = std::fs::rename(&link, &work);
                std::thread::sleep(Duration::from_millis(4));
                let _ = std::fs::rename(&work, &link);
                let _ = std::fs::rename(&away, &work);
                std::thread::sleep(Duration::from_millis(4));
            }
        });
        let replies = mcp.pipeline(&calls);
        over.store(true, Ordering::Relaxed);
        replies
    });
    assert_eq!(replies.len(), 60);
    assert!(!stage.path("beside/touched").exists(), "a tool wrote into another folder");
}
