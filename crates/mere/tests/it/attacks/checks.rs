//! What is checked after each case: nothing leaks in any spelling, nothing has changed, and every
//! reply has a type and a code that the document knows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::Value;

use crate::attacks::case::Effect;
use crate::attacks::world::World;

/// Every spelling of every text that agents must not see.
pub(crate) struct Leaks {
    for_agents: Vec<String>,
    for_people: Vec<String>,
}

impl Leaks {
    pub(crate) fn of(world: &World) -> Self {
        let host = world.host();
        let canonical = std::fs::canonicalize(&host).expect("a canonical path");
        let own_name = canonical.file_name().expect("a name").to_str().expect("UTF-8");
        let mut paths = vec![host.clone(), canonical.to_str().expect("UTF-8").to_owned()];
        paths.push(own_name.to_owned());
        let for_people = world.canaries.iter().flat_map(|one| spellings(one)).collect::<Vec<_>>();
        let hosts = paths.iter().flat_map(|one| spellings(one));
        Self { for_agents: hosts.chain(for_people.iter().cloned()).collect(), for_people }
    }

    /// What of it is in bytes that an agent sees.
    pub(crate) fn in_agents_view(&self, bytes: &[u8]) -> Option<&str> {
        find(&self.for_agents, bytes)
    }

    /// What of it is in bytes that a person sees; they know their own folders.
    pub(crate) fn in_persons_view(&self, bytes: &[u8]) -> Option<&str> {
        find(&self.for_people, bytes)
    }
}

fn find<'a>(spellings: &'a [String], bytes: &[u8]) -> Option<&'a str> {
    let text = String::from_utf8_lossy(bytes);
    spellings.iter().find(|one| text.contains(one.as_str())).map(String::as_str)
}

/// A text plain, percent-encoded, escaped as JSON and HTML, in base64, in hex and in UTF-16.
fn spellings(text: &str) -> Vec<String> {
    let mut all = vec![text.to_owned()];
    let slashes = [
        "%2F", "%2f", "%252F", "%252f", "\\/", "\\\\/", "\\u002f", "\\u002F", "\\", "\\\\",
        "&#47;", "&#x2F;", "&#x2f;", "&sol;", "//", "/./",
    ];
    all.extend(slashes.map(|other| text.replace('/', other)));
    let each = |format: fn(u8) -> String| text.bytes().map(format).collect::<String>();
    all.push(each(|byte| format!("%{byte:02X}")));
    all.push(each(|byte| format!("%{byte:02x}")));
    all.push(each(|byte| format!("%25{byte:02X}")));
    all.push(each(|byte| format!("{byte:02x}")));
    all.push(each(|byte| format!("{byte:02X}")));
    all.push(each(|byte| format!("\\x{byte:02x}")));
    all.push(each(|byte| format!("\\u{:04x}", u16::from(byte))));
    all.push(each(|byte| format!("&#{byte};")));
    all.push(each(|byte| format!("&#x{byte:x};")));
    all.push(text.chars().rev().collect());
    // UTF-16, as bytes and as JSON shows them.
    for zero in ["\0", "\\u0000"] {
        all.push(text.chars().fold(String::new(), |mut all, c| {
            let _ = write!(all, "{c}{zero}");
            all
        }));
        all.push(text.chars().fold(String::new(), |mut all, c| {
            let _ = write!(all, "{zero}{c}");
            all
        }));
    }
    for before in 0..3 {
        let padded = [" ".repeat(before).as_bytes(), text.as_bytes()].concat();
        for encoded in [STANDARD_NO_PAD.encode(&padded), URL_SAFE_NO_PAD.encode(&padded)] {
            // The first and the last letters depend on what is around the text.
            let start = [0, 2, 3][before];
            all.push(encoded[start..encoded.len() - 2].to_owned());
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// What may change without anybody having asked for it: what is derived from other files, the
/// server's own log, the records of what `mere` has seen on this machine, its key for digests, and the
/// receipts of runs and refusals with the key that signs them.
const DERIVED: [&str; 11] = [
    "home/.cache",
    "mcp.log",
    "home/.ai/.index.json",
    "project/.ai/.index.json",
    "project/.ai/workspaces/.lock-default",
    "home/.local/state/merestone/.lock",
    "home/.local/state/merestone/digest-key",
    "home/.local/state/merestone/machine",
    "home/.local/state/merestone/project-rules.json",
    "home/.local/state/merestone/runs",
    "home/.local/state/merestone/seen",
];

/// The folder of the agent that makes the requests, and the files beside it that hold its locks.
const WORKSPACE: [&str; 3] = [
    "project/.ai/workspaces/default",
    "project/.ai/workspaces/.gitignore",
    "project/.ai/workspaces/.new-files",
];

/// Everything on a stage: what it is, its permissions, and its content or target.
pub(crate) fn disk(world: &World) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    look(&world.stage.path(""), "", &mut found);
    found
}

fn look(folder: &Path, above: &str, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let below = if above.is_empty() { name } else { format!("{above}/{name}") };
        if DERIVED.contains(&below.as_str()) {
            continue;
        }
        let Ok(about) = path.symlink_metadata() else { continue };
        let (kind, mode) = (about.file_type(), about.mode());
        let what = if kind.is_symlink() {
            format!("link to {:?}", std::fs::read_link(&path).ok())
        } else if kind.is_dir() {
            look(&path, &below, found);
            format!("folder {mode:o}")
        } else if kind.is_file() && about.len() < 1 << 20 {
            let bytes = std::fs::read(&path).unwrap_or_default();
            format!("file {mode:o} {}", String::from_utf8_lossy(&bytes))
        } else {
            format!("{mode:o} {} {} {}", kind.is_fifo(), about.len(), about.mtime_nsec())
        };
        found.insert(below, what);
    }
}

/// What is different between two looks at the disk, apart from what an effect allows.
pub(crate) fn changes(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    effect: Effect,
) -> Vec<String> {
    let is_allowed = |path: &str| {
        let of_workspace = WORKSPACE.iter().any(|top| Path::new(path).starts_with(top));
        effect == Effect::Workspace && (of_workspace || path == "project/.ai/workspaces")
    };
    let gone = before.iter().filter(|(path, what)| after.get(*path) != Some(what));
    let new = after.keys().filter(|path| !before.contains_key(*path));
    let all = gone.map(|(path, _)| path).chain(new);
    all.filter(|path| !is_allowed(path)).cloned().collect()
}

/// The codes of the document.
pub(crate) fn known_codes() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/replies.md");
    let text = std::fs::read_to_string(path).expect("docs/replies.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    rows.map(str::to_owned).collect()
}

/// What is wrong with the form of a reply.
pub(crate) fn form_of_reply(reply: &Value, codes: &[String]) -> Option<String> {
    let code = reply["code"].as_str().unwrap_or_default();
    let kind = reply["reply_type"].as_str().unwrap_or_default();
    let of_code = code.rsplit('-').nth(1).unwrap_or_default();
    let is_well_formed = ["S", "I", "D", "E"].contains(&kind)
        && kind == of_code
        && codes.iter().any(|known| known == code)
        && reply["message"].as_str().is_some_and(|message| !message.is_empty())
        && reply["trace"]["trace_id"].as_str().is_some_and(|trace| trace.len() == 32);
    (!is_well_formed).then(|| format!("a reply without type and known code: {reply}"))
}
