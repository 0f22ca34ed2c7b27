//! A signed tool that runs hostile code: each try is refused, and says so itself.

use serde_json::json;

use super::case::{AttackCase, Expectation, case, execute};
use super::runner::Runner;
use super::world::World;
use crate::support::workshop::manifest;

const AREA: &str = "sandbox";

/// Runs the code that it is given, and says whether the system refused it.
const SCRIPT: &str = r#"import ctypes, json, os, platform, socket, sys, time
given = json.load(sys.stdin)
libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {"pivot_root": (155, 41), "init_module": (175, 105), "bpf": (321, 280),
    "perf_event_open": (298, 241), "unshare": (272, 97), "userfaultfd": (323, 282)}
def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
def raw(name, *arguments):
    call("syscall", NUMBERS[name][platform.machine() != "x86_64"], *arguments)
try:
    outcome = eval(given["try"]) if "try" in given else exec(given["run"])
except OSError as error:
    print("refused")
else:
    print("allowed", str(outcome)[:2000].strip())
"#;

/// What is tried and must be refused.
const REFUSED: [(&str, &str); 47] = [
    ("the system's passwords read", "open('/etc/shadow').read()"),
    ("the home folder listed", "os.listdir('/root')"),
    ("the folder of all homes listed", "os.listdir('/home')"),
    ("the temporary folder of the machine listed", "os.listdir('/tmp')"),
    ("the system's settings listed", "os.listdir('/etc/ssh')"),
    ("the devices of the machine read", "open('/dev/sda', 'rb').read(1)"),
    ("the memory of the machine read", "open('/dev/mem', 'rb').read(1)"),
    ("the kernel's log read", "open('/dev/kmsg', 'rb').read(1)"),
    ("the root of the first process", "os.listdir('/proc/1/root/root')"),
    ("the environment of the first process", "open('/proc/2/environ').read()"),
    ("the memory of the first process written", "open('/proc/1/mem', 'r+b').write(b'x')"),
    ("the kernel's settings written", "open('/proc/sys/kernel/core_pattern', 'w').write('|/x')"),
    ("the kernel's keys triggered", "open('/proc/sysrq-trigger', 'w').write('b')"),
    ("the machine's settings read", "os.listdir('/sys/kernel')"),
    ("a file written into the root", "open('/x', 'w').write('x')"),
    ("a program replaced", "open('/usr/bin/env', 'w').write('x')"),
    ("the tool's own script written", "open('/tool/try.py', 'w').write('x')"),
    ("a parent of the workspace listed", "os.listdir('/work/../root')"),
    ("the folder of the other agent", "open('/work/../other/theirs.txt').read()"),
    ("a file system mounted", "call('mount', b'none', b'/work', b'tmpfs', 0, None)"),
    ("the root taken down", "call('umount2', b'/', 2)"),
    ("the root changed", "os.chroot('/work')"),
    ("the root pivoted", "raw('pivot_root', b'/work', b'/work')"),
    ("a namespace of users made", "raw('unshare', 0x10000000)"),
    ("a namespace of the network made", "raw('unshare', 0x40000000)"),
    ("faults of memory taken over", "raw('userfaultfd', 0)"),
    ("the network devices listed", "socket.if_nameindex()"),
    ("every process killed", "os.kill(-1, 9)"),
    ("the mounts of the cell read", "open('/proc/self/mountinfo').read()"),
    ("the processes of the machine listed", "os.listdir('/proc')"),
    ("its own descriptors listed", "os.listdir('/proc/self/fd')"),
    ("a device made", "os.mknod('/work/device', 0o600 | 0o020000, os.makedev(1, 1))"),
    ("the user changed", "os.setuid(1)"),
    ("the groups changed", "os.setgroups([0])"),
    ("the name of the machine changed", "socket.sethostname('x')"),
    ("the clock set", "time.clock_settime(time.CLOCK_REALTIME, 0)"),
    ("the machine restarted", "call('reboot', 0x1234567)"),
    ("a module loaded", "raw('init_module', 0, 0, 0)"),
    ("a process traced", "call('ptrace', 16, 1, 0, 0)"),
    ("the memory of a process read", "call('process_vm_readv', 1, 0, 0, 0, 0, 0)"),
    ("a program of the kernel loaded", "raw('bpf', 0, 0, 0)"),
    ("the calls of a process watched", "raw('perf_event_open', 0, 0, -1, -1, 0)"),
    ("a connection to this machine", "socket.create_connection(('127.0.0.1', 80), 2)"),
    ("a connection to the world", "socket.create_connection(('1.1.1.1', 53), 2)"),
    ("a name looked up", "socket.getaddrinfo('example.org', 80)"),
    ("a raw socket", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"),
    ("a local socket", "socket.socket(socket.AF_UNIX).connect('/run/dbus/system_bus_socket')"),
];

/// What is allowed, and tells nothing.
const HARMLESS: [(&str, &str, &str); 7] = [
    (
        "no user of the machine but its own",
        "open('/etc/passwd').read()",
        "tool:x:1000:1000::/work:/bin/sh",
    ),
    (
        "the environment holds no secret",
        "sorted(k for k in os.environ if 'AWS' in k or 'DATABASE' in k or 'CANARY' in k)",
        "[]",
    ),
    ("the first process of the cell survives its killer", "os.kill(1, 9)", "None"),
    ("the working directory tells no folder", "os.getcwd()", "/work"),
    ("the arguments tell no folder", "sys.argv[0]", "/tool/try.py"),
    ("no privilege is in reach", "libc.prctl(23, 21, 0, 0, 0)", "0"),
    ("no privilege can be gained", "libc.prctl(39, 0, 0, 0, 0)", "1"),
];

/// What takes more than it may.
const GREEDY: [(&str, &str); 3] = [
    ("a fork bomb", "while True:\n    if os.fork() == 0:\n        time.sleep(60)"),
    ("all of the handles", "x = []\nwhile True:\n    x.append(open('/tool/try.py'))"),
    ("a limit raised", "call('setrlimit', 7, (ctypes.c_ulong * 2)(1 << 30, 1 << 30))"),
];

fn attempt(name: &str, what: &str, code: &str, says: &str) -> AttackCase {
    let stdout = json!(format!("{says}\n"));
    let expects = Expectation::Says("EX-RUN-S-001", "/data/stdout", stdout);
    case(AREA, name, execute("k/try", &json!({ what: code })), expects).in_workspace()
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    let refused = REFUSED.iter().map(|(name, code)| attempt(name, "try", code, "refused"));
    let harmless = HARMLESS.iter();
    let harmless =
        harmless.map(|(name, code, says)| attempt(name, "try", code, &format!("allowed {says}")));
    let greedy = GREEDY.iter().map(|(name, code)| attempt(name, "run", code, "refused"));
    let memory = json!({ "run": "x = []\nwhile True:\n    x.append(bytearray(1 << 26))" });
    let ended = Expectation::Says("EX-RUN-S-001", "/data/ended", json!("memory"));
    let memory = case(AREA, "all of the memory", execute("k/try", &memory), ended).in_workspace();
    refused.chain(harmless).chain(greedy).chain([memory]).collect()
}

#[test]
fn no_tool_leaves_its_cell() {
    let world = World::new();
    let text = manifest("try", "python_runtime", "try.py");
    world.stage.file("project/.ai/tools/k/try.yaml", &text);
    world.stage.file("project/.ai/tools/k/try.py", SCRIPT);
    world.person("sign tool k/try");
    Runner::new(&world).run(&cases());
}
