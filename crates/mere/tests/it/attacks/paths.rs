//! Paths that want out of the visible world, in every argument that takes one.

use serde_json::json;

use super::case::{AttackCase, Expectation, Request, case, tool};
use super::runner::Runner;
use super::world::World;

const AREA: &str = "paths";
const NOWHERE: Expectation = Expectation::Code("WA-PATH-I-001");
const NOT_YOURS: Expectation = Expectation::Code("EN-WRITE-D-001");

/// Spellings of a place that is not to be seen, or of nothing at all.
const WAYS_OUT: [(&str, &str); 40] = [
    ("the parent folder", "../beside/canary.txt"),
    ("a parent from within", "src/../../beside/canary.txt"),
    ("a folder whose name begins alike", "../project-twin/canary.txt"),
    ("the absolute path of a file outside", "{stage}/beside/canary.txt"),
    ("the absolute path of the project's own file", "{stage}/project/src/main.rs"),
    ("an absolute path behind a root", "ROOT_PROJECT:{stage}/beside/canary.txt"),
    ("the home folder by its tilde", "~/notes.txt"),
    ("somebody's home folder by name", "~root/notes.txt"),
    ("a parent behind a root", "ROOT_PROJECT:/../beside/canary.txt"),
    ("a parent of the workspace", "ROOT_WORKSPACE:/../other/theirs.txt"),
    ("another agent's workspace", ".ai/workspaces/other/theirs.txt"),
    ("the user's space left by a parent", "ROOT_USER:/../notes.txt"),
    ("the user's keys", "ROOT_USER:/../.config/merestone/keys/spare"),
    ("percent-encoded dots", "%2e%2e/beside/canary.txt"),
    ("percent-encoded slashes", "..%2fbeside%2fcanary.txt"),
    ("doubly encoded dots", "%252e%252e/beside/canary.txt"),
    ("an overlong encoding of a dot", "%c0%ae%c0%ae/beside/canary.txt"),
    ("full-width dots", "\u{ff0e}\u{ff0e}/beside/canary.txt"),
    ("a two-dot leader", "\u{2025}/beside/canary.txt"),
    ("a division slash", "..\u{2215}beside\u{2215}canary.txt"),
    ("backslashes", "..\\beside\\canary.txt"),
    ("a drive letter", "C:\\Windows\\win.ini"),
    ("a share of another machine", "\\\\server\\share\\x"),
    ("a device path", "\\\\?\\C:\\x"),
    ("a file URL", "file:///etc/passwd"),
    ("a stream of a file", "src/main.rs::$DATA"),
    ("a NUL that cuts the name", "src/main.rs\0.txt"),
    ("a line break in the name", "src/main.rs\n../../beside/canary.txt"),
    ("a carriage return in the name", "src/\rmain.rs"),
    ("a right-to-left override", "src/\u{202e}sr.niam"),
    ("a zero-width space", "src/\u{200b}main.rs"),
    ("a byte order mark", "\u{feff}src/main.rs"),
    ("a tag character", "src/\u{e0041}main.rs"),
    ("an empty segment", "src//main.rs"),
    ("a root that does not exist", "ROOT_NOPE:/x"),
    ("a root in lower case", "root_project:/src/main.rs"),
    ("a root inside a root", "ROOT_PROJECT:/ROOT_USER:/x"),
    ("an extra folder that nobody named", "mod:handbook:/x"),
    ("the descriptors of the server", "/proc/self/fd/0"),
    ("the environment of the server", "/proc/self/environ"),
];

/// Places that are there, and are not shown.
const HIDDEN: [(&str, &str); 6] = [
    ("a hidden environment file", ".env"),
    ("a hidden environment file in capitals", ".ENV"),
    ("a private key of the project", "certs/server.key"),
    ("a hidden file with a final slash", ".env/"),
    ("a hidden file by its root", "ROOT_PROJECT:/.env"),
    ("a hidden file behind a dot", "./.env"),
];

/// Arguments of other tools that take a path or a pattern.
fn other_arguments() -> Vec<(&'static str, Request, Expectation)> {
    let out = "../beside";
    vec![
        ("a listing of the parent", tool("dir", json!({"command": "list", "path": ".."})), NOWHERE),
        (
            "a tree of the file system",
            tool("dir", json!({"command": "tree", "path": "/"})),
            NOWHERE,
        ),
        (
            "a home folder outside",
            tool("dir", json!({"command": "cd", "path": "{stage}"})),
            NOWHERE,
        ),
        (
            "a home that is a host path",
            tool("read", json!({"path": "canary.txt", "home": "{stage}/beside"})),
            NOWHERE,
        ),
        (
            "a home in another agent's workspace",
            tool(
                "read",
                json!({"path": "theirs.txt", "home": "ROOT_PROJECT:/.ai/workspaces/other"}),
            ),
            NOWHERE,
        ),
        (
            "a pattern with a parent",
            tool("glob", json!({"pattern": "../**"})),
            Expectation::Code("WA-GLOB-I-001"),
        ),
        (
            "an absolute pattern",
            tool("glob", json!({"pattern": "{stage}/**"})),
            Expectation::Code("WA-GLOB-I-001"),
        ),
        (
            "a pattern with a parent in an alternative",
            tool("glob", json!({"pattern": "{src,../beside}/*"})),
            Expectation::Code("WA-GLOB-I-001"),
        ),
        (
            "a pattern with a parent in an alternative of an alternative",
            tool("glob", json!({"pattern": "{src,{docs,../beside}}/*"})),
            Expectation::Code("WA-GLOB-I-001"),
        ),
        (
            "a pattern with an absolute alternative",
            tool("glob", json!({"pattern": "{src,/etc}/*"})),
            Expectation::Code("WA-GLOB-I-001"),
        ),
        (
            "a pattern whose empty alternative makes it absolute",
            tool("glob", json!({"pattern": "{,src}/*"})),
            Expectation::Code("WA-GLOB-I-001"),
        ),
        (
            "a pattern with an escaped comma before a parent",
            tool("glob", json!({"pattern": "{src,a\\,b,../beside}/*"})),
            Expectation::Code("WA-GLOB-I-001"),
        ),
        (
            "a pattern with a parent in an alternative of a grep",
            tool("grep", json!({"pattern": "main", "glob": "{src,../beside}/*"})),
            Expectation::Code("WA-GLOB-I-001"),
        ),
        (
            "a pattern for hidden files",
            tool("glob", json!({"pattern": "**/.env*"})),
            Expectation::Says("WA-GLOB-S-001", "/data/matches", json!([])),
        ),
        (
            "a pattern for keys",
            tool("glob", json!({"pattern": "**/*.key"})),
            Expectation::Says("WA-GLOB-S-001", "/data/matches", json!([])),
        ),
        (
            "a folder to match in, outside",
            tool("glob", json!({"pattern": "*", "path": out})),
            NOWHERE,
        ),
        (
            "a folder to search, outside",
            tool("grep", json!({"pattern": "c", "path": out})),
            NOWHERE,
        ),
        (
            "a search for every canary",
            tool("grep", json!({"pattern": "(?i)canary7"})),
            Expectation::Says("WA-GREP-S-001", "/data/matches", json!([])),
        ),
        (
            "a search for a secret by its prefix",
            tool("grep", json!({"pattern": "ghp_[0-9a-zA-Z]+"})),
            Expectation::Says("WA-GREP-S-001", "/data/matches", json!([])),
        ),
        (
            "a file filter that leaves",
            tool("grep", json!({"pattern": "c", "glob": "../**"})),
            Expectation::Code("WA-GLOB-I-001"),
        ),
        (
            "a regular expression without end",
            tool("grep", json!({"pattern": "(a{1000}){1000}"})),
            Expectation::Code("WA-GREP-I-001"),
        ),
        (
            "an item by a path",
            tool("load", json!({"item_type": "knowledge", "item_id": "../../.env"})),
            Expectation::Code("MCP-ARG-I-001"),
        ),
        (
            "an item by a host path",
            tool("load", json!({"item_type": "tool", "item_id": "{stage}/beside/canary"})),
            Expectation::Code("MCP-ARG-I-001"),
        ),
        (
            "a memory by a path",
            tool("get_memory", json!({"path": "../../../.env"})),
            Expectation::Code("MCP-ARG-I-001"),
        ),
        (
            "a category by a path",
            tool("create_category", json!({"path": "../escape"})),
            Expectation::Code("MCP-ARG-I-001"),
        ),
    ]
}

/// Changes outside the agent's own workspace.
fn changes() -> Vec<(&'static str, Request, Expectation)> {
    let new =
        |path: &str| tool("write", json!({ "path": path, "content": "x", "create_dirs": true }));
    vec![
        ("a file written into the project", new("src/new.rs"), NOT_YOURS),
        ("a file written over the project's own", new("src/main.rs"), NOT_YOURS),
        ("a file written outside", new("../beside/new.txt"), NOWHERE),
        ("a file written by its host path", new("{stage}/beside/new.txt"), NOWHERE),
        ("a file written into another workspace", new(".ai/workspaces/other/new.txt"), NOT_YOURS),
        ("a file written above the workspace", new("ROOT_WORKSPACE:/../x.txt"), NOWHERE),
        ("a file written into the user's space", new("ROOT_USER:/config.yaml"), NOT_YOURS),
        ("the project's config written", new(".ai/config.yaml"), NOT_YOURS),
        ("the project's hidden file written", new(".env"), NOT_YOURS),
        ("a git hook written", new(".git/hooks/pre-commit"), NOT_YOURS),
        (
            "a repository in the workspace",
            new("ROOT_WORKSPACE:/.git/config"),
            Expectation::Code("EN-WRITE-D-002"),
        ),
        (
            "a repository in capitals",
            new("ROOT_WORKSPACE:/.GIT/config"),
            Expectation::Code("EN-WRITE-D-002"),
        ),
        (
            "the project's file edited",
            tool("edit", json!({"path": "README.md", "old": "needle", "new": "x"})),
            NOT_YOURS,
        ),
        (
            "the project's section replaced",
            tool(
                "patch_section",
                json!({"path": "README.md", "heading": "Readme", "content": "x"}),
            ),
            NOT_YOURS,
        ),
        ("the project's file deleted", tool("delete", json!({"path": "README.md"})), NOT_YOURS),
        ("the whole project deleted", tool("delete", json!({"path": "ROOT_PROJECT:/"})), NOT_YOURS),
        (
            "a file outside deleted",
            tool("delete", json!({"path": "../beside/canary.txt"})),
            NOWHERE,
        ),
        (
            "the workspace deleted",
            tool("delete", json!({"path": "ROOT_WORKSPACE:/"})),
            Expectation::Code("WA-WRITE-I-014"),
        ),
        (
            "the project's file moved to the workspace",
            tool("move", json!({"from": "README.md", "to": "ROOT_WORKSPACE:/r.md"})),
            NOT_YOURS,
        ),
        (
            "a hidden file moved to the workspace",
            tool("move", json!({"from": ".env", "to": "ROOT_WORKSPACE:/env.txt"})),
            NOT_YOURS,
        ),
        (
            "a file of the workspace moved out",
            tool("move", json!({"from": "ROOT_WORKSPACE:/own.txt", "to": "../beside/own.txt"})),
            NOWHERE,
        ),
        (
            "a file of the workspace moved into the project",
            tool("move", json!({"from": "ROOT_WORKSPACE:/own.txt", "to": "src/own.txt"})),
            NOT_YOURS,
        ),
        ("a folder made outside", tool("mkdir", json!({"path": "../beside/new"})), NOWHERE),
        ("a folder made in the project", tool("mkdir", json!({"path": "new"})), NOT_YOURS),
    ]
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    let reading = WAYS_OUT.iter().chain(&HIDDEN).map(|(name, path)| {
        case(AREA, format!("{name}, read"), tool("read", json!({ "path": path })), NOWHERE)
    });
    let typed = [WAYS_OUT[0], WAYS_OUT[3], WAYS_OUT[6], HIDDEN[0]].into_iter();
    let typed = typed.map(|(name, path)| {
        let request = Request::Keyboard("read", json!({ "path": path }));
        case(AREA, format!("{name}, read from the keyboard"), request, NOWHERE)
    });
    let rest = other_arguments().into_iter().chain(changes());
    let rest = rest.map(|(name, request, expects)| case(AREA, name, request, expects));
    reading.chain(typed).chain(rest).collect()
}

#[test]
fn no_path_leads_out() {
    let world = World::new();
    Runner::new(&world).run(&cases());
}
