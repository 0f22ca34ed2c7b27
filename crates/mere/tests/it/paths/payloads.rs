//! Paths that want out, several hundred of them, built from what such paths are made of.
//!
//! None of them names anything that an agent may see on the stage they are built for, so whatever
//! answers with more than a refusal has understood one of them.

use std::collections::BTreeSet;

use crate::support::harness::Stage;

/// Two dots, and what somebody might take for two dots.
const DOTS: [&str; 36] = [
    "..",
    "...",
    "....",
    "%2e%2e",
    "%2E%2e",
    ".%2e",
    "%2e.",
    "%252e%252e",
    "%25252e%25252e",
    "%c0%ae%c0%ae",
    "%c0.%c0.",
    "%e0%80%ae%e0%80%ae",
    "%f0%80%80%ae%f0%80%80%ae",
    "%uff0e%uff0e",
    "%u002e%u002e",
    "\\u002e\\u002e",
    "\\x2e\\x2e",
    "&#46;&#46;",
    "&period;&period;",
    "．．",
    "‥",
    "․․",
    "。。",
    "｡｡",
    ".\u{301}.",
    "..\u{301}",
    "..\u{200b}",
    "\u{200b}..",
    ".\u{200d}.",
    ".\u{2060}.",
    "\u{202e}..",
    "..\0",
    "..%00",
    "..;",
    ".. ",
    " ..",
];

/// A slash, and what somebody might take for a slash.
const SLASHES: [&str; 17] = [
    "/", "\\", "%2f", "%2F", "%5c", "%252f", "%255c", "%c0%af", "%c1%9c", "%u2215", "∕", "⁄", "／",
    "＼", "//", "/./", "\\/",
];

/// What is to be reached.
const ENDS: [&str; 3] = ["decoy.txt", "beside/decoy.txt", "etc/passwd"];

/// Places of machines, by their own names.
const MACHINE: [&str; 52] = [
    "/",
    "//",
    "/.",
    "/..",
    "/etc/passwd",
    "//etc/passwd",
    "/./etc/passwd",
    "/etc/../etc/passwd",
    "/proc/self/environ",
    "/proc/self/cwd",
    "/proc/self/root",
    "/proc/self/root/etc/passwd",
    "/proc/self/fd/0",
    "/proc/thread-self/cwd",
    "/proc/1/root",
    "/dev/stdin",
    "/dev/fd/0",
    "/dev/zero",
    "/dev/tty",
    "/dev/null",
    "/sys/kernel",
    "/var/run",
    "/home/someone/.ssh/id_rsa",
    "C:",
    "C:\\",
    "C:/",
    "C:\\Windows",
    "C:/Windows/win.ini",
    "C:Windows",
    "c:/windows",
    "\\Windows",
    "\\\\server\\share",
    "//server/share/x",
    "\\\\?\\C:\\x",
    "\\\\.\\PhysicalDrive0",
    "//?/C:/x",
    "\\\\?\\UNC\\server\\share",
    "\\??\\C:\\x",
    "\\\\localhost\\c$\\x",
    "CON:",
    "file:///etc/passwd",
    "file:/etc/passwd",
    "file://localhost/etc/passwd",
    "FILE:///etc",
    "file:etc",
    "http://x/y",
    "jar:file:///x!/y",
    "data:text/plain,x",
    "~",
    "~/",
    "~/.ssh",
    "~root/x",
];

/// Addresses that are none, and good ones of nothing.
const ADDRESSES: [&str; 62] = [
    "root_project:/",
    "root_project:/src",
    "Root_Project:/src",
    "ROOT_project:/src",
    "ROOT_NOPE:/",
    "ROOT_NOPE:/src",
    "ROOT_:/",
    "ROOT:/",
    ":/",
    ":",
    ":/src",
    "ROOT_PROJECT",
    "ROOT_PROJECT:",
    "ROOT_PROJECT:src",
    "ROOT_PROJECT://src",
    "ROOT_PROJECT:/../decoy.txt",
    "ROOT_PROJECT:/..",
    "ROOT_PROJECT:/src/..",
    "ROOT_PROJECT:/src/../../decoy.txt",
    "ROOT_PROJECT:/./src",
    "ROOT_PROJECT:/src/.",
    "ROOT_PROJECT:/src//a.rs",
    "ROOT_PROJECT:/\\..\\x",
    "ROOT_PROJECT:\\src",
    "ROOT_PROJECT:/src\\a.rs",
    "ROOT_PROJECT:/%2e%2e/decoy.txt",
    "ROOT_PROJECT:/C:/x",
    "ROOT_PROJECT:/~/x",
    "ROOT_PROJECT:/ROOT_PROJECT:/src",
    "ROOT_PROJECT:/missing",
    "ROOT_PROJECT:/absolute/decoy.txt",
    "ROOT_PROJECT:/relative",
    "ROOT_PROJECT:/pipe",
    "ROOT_PROJECT:/.ai/workspaces",
    "ROOT_PROJECT:/.ai/workspaces/other/theirs.txt",
    " ROOT_PROJECT:/src",
    "ROOT_PROJECT :/src",
    "ROOT_PROJECT：/src",
    "ROOT_PROJECT:∕src",
    "ROOT_PROJECT%3A/src",
    "ROOT_PROJECT:/src\0",
    "ROOT_PROJECT\0:/src",
    "ROOT_USER:/..",
    "ROOT_USER:/../.bashrc",
    "ROOT_USER:/missing",
    "ROOT_USER:/%2e%2e",
    "ROOT_REGISTRY:/x",
    "ROOT_REGISTRY:/../x",
    "ROOT_WORKSPACE:/..",
    "ROOT_WORKSPACE:/../other/theirs.txt",
    "ROOT_WORKSPACE:/missing",
    "ROOT_WORKSPACE:/link/decoy.txt",
    "ROOT_WORKSPACE:/a/../../other",
    "mod:",
    "mod::/",
    "mod:/",
    "mod:none:/",
    "mod:none:/x",
    "mod:../x",
    "mod:..:/x",
    "mod:ROOT_PROJECT:/src",
    "MOD:none:/",
];

/// Names with something about them.
const NAMES: [&str; 44] = [
    "missing",
    "missing/deeper",
    "absolute",
    "absolute/",
    "absolute/decoy.txt",
    "relative",
    "relative/decoy.txt",
    "winding",
    "winding/decoy.txt",
    "slash",
    "slash/etc/passwd",
    "magic",
    "magic/decoy.txt",
    "loop-a",
    "dangling",
    "chain/decoy.txt",
    "src/up",
    "src/up/beside/decoy.txt",
    "direct",
    "absolute/../decoy.txt",
    "src/..",
    "src/../src",
    "src/../../beside",
    "./../beside",
    "././src",
    "src/./a.rs",
    "src//a.rs",
    "src/a.rs/",
    "src/a.rs/..",
    "src/a.rs/x",
    "pipe",
    "pipe/x",
    "src/a.rs::$DATA",
    "src::$DATA",
    "src:x",
    "src::$INDEX_ALLOCATION/a.rs",
    "src.",
    "src/a.rs.",
    "src ",
    "src/a.rs ",
    "SRC/a.rs",
    "src/A.RS",
    ".ai/workspaces/default/own.txt",
    ".ai/workspaces/other/theirs.txt",
];

/// Characters that do not show, or that turn a text around.
const UNSEEN: [char; 34] = [
    '\u{ad}',
    '\u{61c}',
    '\u{115f}',
    '\u{180e}',
    '\u{200b}',
    '\u{200c}',
    '\u{200d}',
    '\u{200e}',
    '\u{200f}',
    '\u{2028}',
    '\u{2029}',
    '\u{202a}',
    '\u{202b}',
    '\u{202c}',
    '\u{202d}',
    '\u{202e}',
    '\u{2060}',
    '\u{2061}',
    '\u{2064}',
    '\u{2066}',
    '\u{2067}',
    '\u{2068}',
    '\u{2069}',
    '\u{206a}',
    '\u{206f}',
    '\u{3164}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{ffa0}',
    '\u{fff9}',
    '\u{fffe}',
    '\u{1d173}',
    '\u{e0001}',
    '\u{e0041}',
];

/// All of them, each once.
pub(crate) fn payloads() -> Vec<String> {
    let mut all = BTreeSet::new();
    let fixed = MACHINE.iter().chain(&ADDRESSES).chain(&NAMES).copied();
    all.extend(fixed.map(str::to_owned));
    for (number, dots) in DOTS.iter().enumerate() {
        for (place, slash) in SLASHES.iter().enumerate().skip(number % 2).step_by(2) {
            let end = ENDS[(number + place) % ENDS.len()];
            let steps = 1 + (number + place) % 4;
            all.insert(format!("{}{end}", format!("{dots}{slash}").repeat(steps)));
        }
        all.insert(format!("src/{dots}/{dots}/decoy.txt"));
        all.insert(format!("ROOT_PROJECT:/{dots}/decoy.txt"));
        all.insert(format!("ROOT_WORKSPACE:/{dots}/other/theirs.txt"));
    }
    let controls = (0..0x20_u8).chain([0x7f, 0x80, 0x85, 0x9f]).map(char::from);
    for character in controls.chain(UNSEEN) {
        all.insert(format!("src{character}"));
        all.insert(format!("src/a.rs{character}"));
        all.insert(format!("{character}src/a.rs"));
    }
    all.extend(long());
    all.into_iter().collect()
}

/// Longer than a name, an address or a system call takes.
fn long() -> [String; 10] {
    [
        "a".repeat(256),
        "ä".repeat(128),
        "a/".repeat(2049),
        "../".repeat(1366),
        format!("{}decoy.txt", "../".repeat(60)),
        format!("src/{}", "a".repeat(4093)),
        format!("ROOT_PROJECT:/{}", "a/".repeat(2048)),
        format!("ROOT_PROJECT:/{}/../decoy.txt", "a".repeat(255)),
        format!("mod:{}:/", "a".repeat(65)),
        "%2e%2e%2f".repeat(500),
    ]
}

/// The stage's own folders as the machine knows them. Some of these are good addresses of nothing.
pub(crate) fn own(stage: &Stage) -> Vec<String> {
    let mut own = Vec::new();
    for below in
        ["project", "project/src/a.rs", "beside/decoy.txt", "home", "project-twin/decoy.txt"]
    {
        let path = stage.path(below);
        let path = path.to_str().expect("UTF-8");
        own.extend([
            path.to_owned(),
            format!("/{path}"),
            format!("file://{path}"),
            format!("/proc/self/root{path}"),
            format!("ROOT_PROJECT:{path}"),
            format!("ROOT_PROJECT:/{path}"),
            format!("mod:{path}"),
            path.trim_start_matches('/').to_owned(),
            format!("{}{path}", "../".repeat(12)),
            path.replace('/', "\\"),
            path.replace('/', "%2f"),
        ]);
    }
    own
}

/// Whether a text is a path below something: segments that are no dots, show all they hold, and
/// are not too long.
fn is_path(text: &str) -> bool {
    let shows = |c: char| !c.is_control() && c != '\\' && !UNSEEN.contains(&c);
    let segment = |name: &str| {
        !matches!(name, "" | "." | "..") && name.len() <= 255 && name.chars().all(shows)
    };
    text.strip_suffix('/').unwrap_or(text).split('/').all(segment)
}

/// Whether a text is a bare path that an agent may say, by the letter of the contract.
pub(crate) fn is_bare(text: &str) -> bool {
    let head = text.split('/').next().unwrap_or_default();
    let bare = !head.contains(':') && !text.starts_with('~') && text.len() <= 4096;
    bare && is_path(text.strip_prefix("./").unwrap_or(text))
}

/// Whether a text is a good address of a root other than the workspace.
pub(crate) fn is_elsewhere(text: &str) -> bool {
    let Some((root, path)) = text.split_once(":/") else { return false };
    let name = |name: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        first && name.len() <= 64 && name.bytes().all(plain)
    };
    let root = match root.strip_prefix("mod:") {
        Some(rest) => name(rest),
        None => matches!(root, "ROOT_PROJECT" | "ROOT_USER" | "ROOT_REGISTRY"),
    };
    root && text.len() <= 4096 && (path.is_empty() || is_path(path))
}
