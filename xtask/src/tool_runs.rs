//! Running a tool: the same script as a bare process and in a sandbox cell, with a verified chain
//! of three.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::items::time_command;
use crate::measurement::{Measurement, Unit, in_turns, millis};
use crate::peer::{Call, Peer};

/// How often each is run.
const ROUNDS: usize = 60;
/// The input of the example tool in a new space.
const INPUT: &[u8] = b"{\"name\":\"world\"}";

/// Creates a space with the example tool.
pub(crate) fn fill(peer: &Peer) {
    std::fs::create_dir(peer.folder.join(".git")).expect("a folder");
    time_command(&peer.program(), &peer.folder, &["init"]);
}

/// Measures the tool through a server or a command, and the script alone.
pub(crate) fn measure_all(peer: &Peer) -> Vec<Measurement> {
    let call = Call {
        tool: "execute",
        arguments: json!({ "item_type": "tool", "item_id": "hello_tool" }),
    };
    let mut client = peer.connect();
    let script = peer.folder.join(".ai/tools/examples/hello_tool.py");
    let bare = || {
        let mut command = Command::new("/usr/bin/python3");
        command.arg("-s").arg(&script).env_clear().env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("PATH", "/usr/bin:/bin").env("LANG", "C.UTF-8");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let began = Instant::now();
        let mut child = command.spawn().expect("python3 starts");
        child.stdin.take().expect("its input").write_all(INPUT).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "the script runs");
        millis(began.elapsed())
    };
    let mut served = || {
        let answer = client.call(&call);
        let data = &answer.message["result"]["structuredContent"]["data"];
        assert_eq!(data["success"], true, "{}", answer.message);
        millis(answer.took)
    };
    served();
    let warm = in_turns(&mut [true, false], ROUNDS, |ours| if *ours { served() } else { bare() });
    let program = peer.program();
    let commands = in_turns(&mut [true, false], ROUNDS, |ours| {
        if *ours { time_command(&program, &peer.folder, &["run", "hello_tool"]) } else { bare() }
    });
    vec![
        Measurement {
            name: "a tool through a warm server".into(),
            unit: Unit::Millis,
            samples: warm,
        },
        Measurement {
            name: "`mere run`, as a process".into(),
            unit: Unit::Millis,
            samples: commands,
        },
    ]
}

/// Describes by how much each is slower than the script alone.
pub(crate) fn overhead_lines(measurements: &[Measurement]) -> Vec<String> {
    let median = |samples: &[f64]| crate::table::percentile(samples, 50).unwrap_or_default();
    let line = |row: &Measurement| {
        let over = median(&row.samples[0]) - median(&row.samples[1]);
        format!("Over the bare script, {}: {over:.1} ms.", row.name)
    };
    measurements.iter().map(line).collect()
}
