//! Links, special files, and folders that become links while they are read.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::case::{AttackCase, Expectation, Request, Tampering, case, load, tool};
use super::runner::Runner;
use super::world::World;
use crate::support::samples::note;

const AREA: &str = "links";
const NOWHERE: Expectation = Expectation::Code("WA-PATH-I-001");
const A_LINK: Expectation = Expectation::Code("WA-WRITE-I-006");

/// A link at a path of the project, what it leads to, and what is read through it.
const LINKS: [(&str, &str, &str, &str); 18] = [
    ("an absolute link to a file outside", "l", "{stage}/beside/canary.txt", "l"),
    ("an absolute link to a folder outside", "l", "{stage}/beside", "l/canary.txt"),
    ("a relative link to a folder outside", "l", "../beside", "l/canary.txt"),
    ("a link to a folder whose name begins alike", "l", "../project-twin", "l/canary.txt"),
    ("a link that winds its way out", "l", "src/../../beside", "l/canary.txt"),
    ("a link out from a folder", "src/l", "../../beside", "src/l/canary.txt"),
    ("a link to the root of the file system", "l", "/", "l/etc/passwd"),
    ("a link to the server's working directory", "l", "/proc/self/cwd", "l/../beside/canary.txt"),
    ("a link to the server's own root", "l", "/proc/self/root", "l/etc/passwd"),
    ("a link to an open descriptor", "l", "/proc/self/fd/0", "l"),
    ("a link to itself", "l", "l", "l"),
    ("a link to a hidden file", "shown.txt", ".env", "shown.txt"),
    ("a link to a private key", "shown.txt", "certs/server.key", "shown.txt"),
    ("a link to another agent's file", "l", ".ai/workspaces/other/theirs.txt", "l"),
    ("a link to the user's keys", "l", "{stage}/home/.config/merestone/keys", "l/spare"),
    ("a link to a device without end", "l", "/dev/zero", "l"),
    (
        "a link in the workspace to a file outside",
        ".ai/workspaces/default/l",
        "{stage}/beside/canary.txt",
        "ROOT_WORKSPACE:/l",
    ),
    (
        "a link in the workspace to the project's hidden file",
        ".ai/workspaces/default/l",
        "../../../.env",
        "ROOT_WORKSPACE:/l",
    ),
];

fn link(path: &str, target: &str) -> Tampering {
    Tampering::Link(format!("project/{path}"), target.to_owned())
}

/// Requests other than a read, through a link of the workspace to a folder outside.
fn through_a_link() -> Vec<(&'static str, Request, Expectation)> {
    let new =
        |path: &str| tool("write", json!({ "path": path, "content": "x", "create_dirs": true }));
    let own = "ROOT_WORKSPACE:/l";
    vec![
        ("a file written through a link", new("ROOT_WORKSPACE:/l/new.txt"), A_LINK),
        ("a file outside written over through a link", new("ROOT_WORKSPACE:/l/canary.txt"), A_LINK),
        (
            "a folder made through a link",
            tool("mkdir", json!({"path": "ROOT_WORKSPACE:/l/new"})),
            A_LINK,
        ),
        (
            "a file deleted through a link",
            tool("delete", json!({"path": "ROOT_WORKSPACE:/l/canary.txt"})),
            NOWHERE,
        ),
        (
            "a file moved out through a link",
            tool(
                "move",
                json!({"from": "ROOT_WORKSPACE:/own.txt", "to": "ROOT_WORKSPACE:/l/own.txt"}),
            ),
            A_LINK,
        ),
        (
            "a file moved in through a link",
            tool(
                "move",
                json!({"from": "ROOT_WORKSPACE:/l/canary.txt", "to": "ROOT_WORKSPACE:/c.txt"}),
            ),
            NOWHERE,
        ),
        (
            "a link listed as a folder",
            tool("dir", json!({"command": "list", "path": own})),
            NOWHERE,
        ),
        ("a link walked as a tree", tool("dir", json!({"command": "tree", "path": own})), NOWHERE),
        ("a link searched", tool("grep", json!({"pattern": "canary", "path": own})), NOWHERE),
        ("a link matched", tool("glob", json!({"pattern": "**", "path": own})), NOWHERE),
        (
            "a link edited through",
            tool("edit", json!({"path": "ROOT_WORKSPACE:/l/canary.txt", "old": "c", "new": "d"})),
            A_LINK,
        ),
    ]
}

/// Items, spaces and stores that are links or special files.
fn items() -> Vec<AttackCase> {
    const NONE: Expectation = Expectation::Code("IT-ITEM-I-001");
    let note = "project/.ai/knowledge/n/linked.md";
    let item = |name, tampering: Vec<Tampering>, expects| {
        case(AREA, name, load("knowledge", "n/linked"), expects).after(tampering)
    };
    let to = |path: &str, target: &str| Tampering::Link(path.to_owned(), target.to_owned());
    vec![
        item(
            "a note that is a link to a file outside",
            vec![to(note, "{stage}/beside/canary.txt")],
            NONE,
        ),
        item("a note that is a link to a hidden file", vec![to(note, "../../../.env")], NONE),
        item("a note that is a pipe", vec![Tampering::Pipe(note.to_owned())], NONE),
        item("a note that is a folder", vec![Tampering::Folder(note.to_owned())], NONE),
        item(
            "a category that is a link outside",
            vec![to("project/.ai/knowledge/n", "{stage}/beside")],
            NONE,
        ),
        item(
            "a type that is a link outside",
            vec![to("project/.ai/tools", "{stage}/beside")],
            NONE,
        ),
        case(
            AREA,
            "a store that is a link outside",
            tool("list_memories", json!({})),
            Expectation::Code("IT-STORE-E-001"),
        )
        .after([to("project/.ai/memory", "{stage}/beside")]),
        case(
            AREA,
            "a store that is a pipe",
            tool("list_memories", json!({})),
            Expectation::Code("IT-STORE-E-001"),
        )
        .after([Tampering::Pipe("project/.ai/memory".to_owned())]),
        case(AREA, "a pipe read", tool("read", json!({"path": "pipe"})), NOWHERE)
            .after([Tampering::Pipe("project/pipe".to_owned())]),
        case(
            AREA,
            "a pipe searched",
            tool("grep", json!({"pattern": "needle"})),
            Expectation::Says("WA-GREP-S-001", "/data/count", json!(1)),
        )
        .after([Tampering::Pipe("project/pipe".to_owned())]),
    ]
}

/// What is asked while a folder and a link change places.
const RACED: [(&str, &str, &str); 6] = [
    ("a file read while its folder becomes a link", "read", r#"{"path": "swap/file.txt"}"#),
    ("a folder listed while it becomes a link", "dir", r#"{"command": "list", "path": "swap"}"#),
    ("a tree walked while a folder becomes a link", "dir", r#"{"command": "tree"}"#),
    ("a search while a folder becomes a link", "grep", r#"{"pattern": "canary|inside"}"#),
    ("a match while a folder becomes a link", "glob", r#"{"pattern": "**/*.txt"}"#),
    (
        "a write while its folder becomes a link",
        "write",
        r#"{"path": "ROOT_WORKSPACE:/swap/file.txt", "content": "inside\n"}"#,
    ),
];

/// Either the folder was there, or the link, which leads nowhere.
const EITHER: [(&str, Expectation); 5] = [
    ("read", Expectation::OneOf(&["WA-READ-S-001", "WA-PATH-I-001"])),
    ("dir", Expectation::OneOf(&["WA-DIR-S-003", "WA-DIR-S-004", "WA-PATH-I-001"])),
    ("grep", Expectation::Code("WA-GREP-S-001")),
    ("glob", Expectation::Code("WA-GLOB-S-001")),
    ("write", Expectation::OneOf(&["WA-WRITE-S-001", "WA-WRITE-I-006", "WA-WRITE-I-007"])),
];

fn raced() -> Vec<AttackCase> {
    let cases = RACED.iter().map(|(name, verb, arguments)| {
        let arguments = serde_json::from_str::<Value>(arguments).expect("JSON");
        let either = EITHER.iter().find(|(other, _)| other == verb).expect("an expectation");
        case(AREA, *name, tool(verb, arguments), either.1.clone()).in_workspace()
    });
    cases.collect()
}

/// The cases without races.
fn still() -> Vec<AttackCase> {
    let reading = LINKS.iter().map(|(name, at, target, path)| {
        let request = tool("read", json!({ "path": path }));
        case(AREA, *name, request, NOWHERE).after([link(at, target)])
    });
    let through = through_a_link().into_iter().map(|(name, request, expects)| {
        let at = ".ai/workspaces/default/l";
        case(AREA, name, request, expects).after([link(at, "{stage}/beside")])
    });
    reading.chain(through).chain(items()).collect()
}

/// The cases of this area.
pub(super) fn cases() -> Vec<AttackCase> {
    still().into_iter().chain(raced()).collect()
}

#[test]
fn no_link_leads_out() {
    let world = World::new();
    world.stage.file("project/.ai/knowledge/here.md", &note("here", "here"));
    Runner::new(&world).run(&still());
}

/// Each place is a folder with `file.txt` in it, and a link to the folder outside, in turns.
#[test]
fn no_race_leads_out() {
    let world = World::new();
    world.stage.file("beside/file.txt", "canary7outside7a81c\n");
    let places = ["project/swap", "project/.ai/workspaces/default/swap"];
    for place in places {
        world.stage.file(&format!("{place}/file.txt"), "inside\n");
    }
    let is_over = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for place in places.map(|place| world.stage.path(place)) {
                    let aside = place.with_extension("aside");
                    std::fs::rename(&place, &aside).expect("the folder steps aside");
                    symlink(world.stage.path("beside"), &place).expect("a link");
                    std::thread::yield_now();
                    std::fs::remove_file(&place).expect("the link");
                    std::fs::rename(&aside, &place).expect("the folder is back");
                }
            }
        });
        let result = std::panic::catch_unwind(|| Runner::new(&world).run_raced(&raced()));
        is_over.store(true, Ordering::Relaxed);
        if let Err(fault) = result {
            std::panic::resume_unwind(fault);
        }
    });
    let outside = std::fs::read_dir(world.stage.path("beside")).expect("a folder").count();
    assert_eq!(outside, 2, "something was written outside");
    let text = std::fs::read_to_string(world.stage.path("beside/file.txt")).expect("a file");
    assert_eq!(text, "canary7outside7a81c\n");
}
