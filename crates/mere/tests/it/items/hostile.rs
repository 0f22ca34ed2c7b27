//! Items made to break their reader: each gets a typed reply soon and in little memory, and the
//! server goes on.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::harness::{Mcp, Stage};
use crate::support::samples::{directive, lockfile, note, person, skill, tool};

/// How soon a reply is there.
const SOON: Duration = Duration::from_secs(1);
/// How much more memory the server may hold than at its start, in KiB.
const MORE: usize = 64 * 1024;
/// The size of what is too large.
const LARGE: u64 = 200 * 1024 * 1024;

const FAULTY: &str = "IT-ITEM-I-004";
const MISSING: &str = "IT-ITEM-I-001";

/// An item that is on the stage, and the reply it gets.
struct Hostile {
    kind: &'static str,
    id: &'static str,
    code: &'static str,
}

/// Loads each over one server; then the server still answers and all broken ones are listed.
fn check(stage: &Stage, hostile: &[Hostile]) {
    stage.file("project/.ai/knowledge/healthy.md", &note("healthy", "well"));
    let mut mcp = Mcp::greeted(stage, &["--agent", "a"]);
    let healthy = json!({ "item_type": "knowledge", "item_id": "/healthy" });
    assert_eq!(mcp.call("load", &healthy)["data"]["trust"]["status"], "unsigned");
    let start = mcp.memory();
    for Hostile { kind, id, code } in hostile {
        for name in [(*id).to_owned(), format!("h/{id}")] {
            for tool in ["load", "execute"] {
                let runs = matches!(*kind, "directive" | "knowledge");
                if tool == "execute" && !runs {
                    continue;
                }
                let began = Instant::now();
                let reply = mcp.call(tool, &json!({ "item_type": kind, "item_id": name }));
                let took = began.elapsed();
                assert_eq!(reply["code"], *code, "{kind} {name} {reply}");
                assert!(took < SOON, "{kind} {name} took {took:?}");
                assert!(!reply.to_string().contains("root:"), "{reply}");
            }
        }
        let now = mcp.memory();
        assert!(now < start + MORE, "{kind} {id}: from {start} to {now} KiB");
    }
    assert_eq!(mcp.call("load", &healthy)["reply_type"], "S");
    assert_eq!(mcp.dir(&json!({ "command": "list" }))["reply_type"], "S");
    let listed = person(stage, &["list"]);
    let items = listed["data"]["items"].as_array().expect("items");
    for Hostile { kind, id, code } in hostile {
        let found = items.iter().filter(|one| one["item_type"] == *kind && one["id"] == *id);
        let faults = found.map(|one| one["fault"].is_string()).collect::<Vec<_>>();
        let expected = if *code == FAULTY { vec![true] } else { Vec::new() };
        assert_eq!(faults, expected, "{kind} {id}");
    }
}

fn invalid_item(kind: &'static str, id: &'static str) -> Hostile {
    Hostile { kind, id, code: FAULTY }
}

fn missing(kind: &'static str, id: &'static str) -> Hostile {
    Hostile { kind, id, code: MISSING }
}

/// A directive with something more in its metadata.
fn with(id: &str, more: &str) -> String {
    directive(id).replacen("<metadata>", &format!("<metadata>{more}"), 1)
}

#[test]
fn entities_and_their_bombs_are_not_expanded() {
    let stage = Stage::new();
    let mut laughs = String::from("<!DOCTYPE lolz [<!ENTITY lol0 \"lol\">");
    for level in 1..10 {
        let ten = format!("&lol{};", level - 1).repeat(10);
        let _ = write!(laughs, "<!ENTITY lol{level} \"{ten}\">");
    }
    laughs += "]>";
    let outside = "<!DOCTYPE x [<!ENTITY xxe SYSTEM \"file:///etc/passwd\">]>";
    let folder = "project/.ai/directives/h";
    for (id, text) in [
        ("laughs", format!("{laughs}\n{}", with("laughs", "&lol9;"))),
        ("within", with("within", &format!("{laughs}&lol9;"))),
        ("inner", with("inner", &format!("\n{laughs}\n<a>&lol9;</a>"))),
        ("xxe", format!("{outside}\n{}", with("xxe", "&xxe;"))),
        ("xxetwo", with("xxetwo", &format!("{outside}&xxe;"))),
        (
            "parameter",
            with("parameter", "<!DOCTYPE x [<!ENTITY % p SYSTEM \"file:///etc/passwd\">%p;]>"),
        ),
        ("numbers", with("numbers", "&#0;")),
        ("include", with("include", "<?xml-stylesheet href='x'?>&nbsp;")),
    ] {
        stage.file(&format!("{folder}/{id}.md"), &text);
    }
    let ids = ["laughs", "within", "inner", "xxe", "xxetwo", "parameter", "numbers", "include"];
    check(&stage, &ids.map(|id| invalid_item("directive", id)));
}

/// How deep what is too deep lies.
const DEEP: usize = 100_000;

/// As many texts, each from its number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn markup_and_json_that_are_deep_wide_or_double_are_refused() {
    let stage = Stage::new();
    let attributes = lines(50_000, |number| format!(" a{number}=\"x\""));
    let (open, close) = ("[".repeat(DEEP), "]".repeat(DEEP));
    let lock = lockfile("x", "1.0.0", "h");
    let deep =
        lock.replace("\"resolved_chain\": []", &format!("\"resolved_chain\": {open}{close}"));
    let objects = "{\"a\":".repeat(DEEP);
    for (path, text) in [
        ("directives/h/attributes.md", with("attributes", &format!("<a{attributes}/>"))),
        ("directives/h/deep.md", with("deep", &("<a>".repeat(DEEP) + &"</a>".repeat(DEEP)))),
        ("directives/h/open.md", with("open", &"<a>".repeat(DEEP))),
        ("directives/h/twice.md", with("twice", "<a b=\"1\" b=\"2\"/>")),
        ("lockfiles/h/x@1.0.0.lock.json", deep),
        ("lockfiles/h/y@1.0.0.lock.json", open),
        ("lockfiles/h/o@1.0.0.lock.json", objects),
        ("lockfiles/h/z@1.0.0.lock.json", lock.replacen('{', "{\"root\": 1,", 1)),
    ] {
        stage.file(&format!("project/.ai/{path}"), &text);
    }
    let directives =
        ["attributes", "deep", "open", "twice"].map(|id| invalid_item("directive", id));
    let locks = ["x", "y", "o", "z"].map(|id| invalid_item("lockfile", id));
    check(&stage, &directives.into_iter().chain(locks).collect::<Vec<_>>());
}

#[test]
fn yaml_that_is_deep_wide_or_double_is_refused() {
    let stage = Stage::new();
    let block = lines(700, |level| format!(" {}a:\n", " ".repeat(level)));
    let bomb = lines(10, |level| match level {
        0 => "a0: &a0 [lol, lol]\n".to_owned(),
        level => format!("a{level}: &a{level} [{}]\n", format!("*a{},", level - 1).repeat(10)),
    });
    let front = |id: &str, more: &str| format!("---\nid: {id}\ntitle: X\n{more}\n---\n");
    let flow = format!("a: {}{}\n", "[".repeat(DEEP), "]".repeat(DEEP));
    for (path, text) in [
        ("knowledge/h/flow.md", front("flow", &flow)),
        ("knowledge/h/alias.md", front("alias", &bomb)),
        ("knowledge/h/same.md", front("same", "a: 1\na: 2")),
        (
            "directives/h/alias/SKILL.md",
            skill("alias").replacen("---\n", &format!("---\n{bomb}"), 1),
        ),
        ("memory/h/alias.md", format!("---\n{bomb}---\n")),
        ("tools/h/flow.yaml", tool("flow") + &flow),
        ("tools/h/open.yaml", tool("open") + &format!("a: {}\n", "[".repeat(DEEP))),
        ("tools/h/braces.yaml", tool("braces") + &format!("a: {}\n", "{a: ".repeat(DEEP))),
        ("tools/h/dashes.yaml", tool("dashes") + &format!("a:\n {}\n", "- ".repeat(DEEP))),
        ("tools/h/block.yaml", tool("block") + &format!("b:\n{block}")),
        ("tools/h/alias.yaml", tool("alias") + &bomb),
        ("tools/h/merge.yaml", tool("merge") + "a: &a {b: c}\nd: {<<: *a}\n"),
        ("tools/h/tag.yaml", tool("tag") + "a: !!python/object/apply:os.system [id]\n"),
        ("tools/h/same.yaml", tool("same") + "tool_id: same\n"),
        ("tools/h/keys.yaml", tool("keys") + &lines(60_000, |number| format!("k{number}: 1\n"))),
    ] {
        stage.file(&format!("project/.ai/{path}"), &text);
    }
    let notes = ["flow", "alias", "same"].map(|id| invalid_item("knowledge", id));
    let others = [invalid_item("directive", "alias"), invalid_item("memory", "alias")];
    let tools =
        ["flow", "open", "braces", "dashes", "block", "alias", "merge", "tag", "same", "keys"];
    let tools = tools.map(|id| invalid_item("tool", id));
    check(&stage, &notes.into_iter().chain(others).chain(tools).collect::<Vec<_>>());
}

fn hole(path: &Path) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    let file = std::fs::File::create(path).expect("a file");
    file.set_len(LARGE).expect("a hole");
}

fn pipe(path: &Path) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

#[test]
fn what_is_large_or_no_text_is_refused() {
    let stage = Stage::new();
    for path in [
        "directives/h/large.md",
        "directives/h/skill/SKILL.md",
        "knowledge/h/large.md",
        "tools/h/large.yaml",
        "tools/h/kit/manifest.yaml",
        "lockfiles/h/large@1.0.0.lock.json",
    ] {
        hole(&stage.path(&format!("project/.ai/{path}")));
    }
    for (path, bytes) in [
        ("directives/h/bytes.md", directive("bytes").replace("Act.", "\u{1}").into_bytes()),
        ("knowledge/h/bytes.md", note("bytes", "Body").into_bytes()),
        ("tools/h/bytes.yaml", tool("bytes").into_bytes()),
    ] {
        let file = stage.file(&format!("project/.ai/{path}"), "");
        std::fs::write(&file, [&bytes[..], b"\xff\xfe\xc3\x28"].concat()).expect("written");
        let nul =
            file.with_file_name(path.rsplit('/').next().expect("a name").replace("bytes", "zeros"));
        let text = String::from_utf8(bytes).expect("UTF-8").replace("bytes", "zeros") + "\0";
        std::fs::write(nul, text).expect("written");
    }
    check(
        &stage,
        &[
            invalid_item("directive", "large"),
            invalid_item("directive", "skill"),
            invalid_item("knowledge", "large"),
            invalid_item("tool", "large"),
            invalid_item("tool", "kit"),
            invalid_item("lockfile", "large"),
            invalid_item("directive", "bytes"),
            invalid_item("knowledge", "bytes"),
            invalid_item("tool", "bytes"),
            invalid_item("directive", "zeros"),
            invalid_item("knowledge", "zeros"),
            invalid_item("tool", "zeros"),
        ],
    );
}

#[test]
fn what_is_no_file_is_no_item() {
    let stage = Stage::new();
    for path in ["knowledge/h/pipe.md", "tools/h/pipe.yaml", "directives/h/pipe/SKILL.md"] {
        pipe(&stage.path(&format!("project/.ai/{path}")));
    }
    for (device, path) in [
        ("/dev/zero", "knowledge/h/zero.md"),
        ("/dev/zero", "tools/h/zero/manifest.yaml"),
        ("/dev/random", "directives/h/random.md"),
        ("/proc/self/environ", "knowledge/h/environ.md"),
        ("loop.md", "knowledge/h/loop.md"),
    ] {
        stage.link(device, &format!("project/.ai/{path}"));
    }
    stage.folder("project/.ai/knowledge/h/folder.md");
    let socket = stage.path("project/.ai/knowledge/h/socket.md");
    let _socket = std::os::unix::net::UnixListener::bind(socket).expect("a socket");
    check(
        &stage,
        &[
            missing("knowledge", "pipe"),
            missing("tool", "pipe"),
            missing("directive", "pipe"),
            missing("knowledge", "zero"),
            missing("tool", "zero"),
            missing("directive", "random"),
            missing("knowledge", "environ"),
            missing("knowledge", "loop"),
            missing("knowledge", "folder"),
            missing("knowledge", "socket"),
        ],
    );
}

#[test]
fn a_folder_that_holds_too_much_is_refused() {
    let stage = Stage::new();
    let folder = |id: &str| {
        stage.file(&format!("project/.ai/tools/h/{id}/manifest.yaml"), &tool(id));
        stage.path(&format!("project/.ai/tools/h/{id}"))
    };
    let many = folder("many");
    for number in 0..5_000 {
        std::fs::write(many.join(format!("f{number}")), "x").expect("a file");
    }
    hole(&folder("large").join("data/large.bin"));
    for number in 0..4 {
        let part = folder("parts").join(format!("part{number}"));
        std::fs::File::create(part).expect("a file").set_len(LARGE / 8).expect("a hole");
    }
    pipe(&folder("pipe").join("lib/pipe"));
    let deep = folder("deep").join("d/".repeat(40));
    std::fs::create_dir_all(deep).expect("folders");
    folder("device");
    stage.link("/dev/zero", "project/.ai/tools/h/device/zero");
    stage.file("project/.ai/tools/h/beside.yaml", &tool("beside"));
    hole(&stage.path("project/.ai/tools/h/beside.bin"));
    stage.file("project/.ai/directives/h/skill/SKILL.md", &skill("skill"));
    hole(&stage.path("project/.ai/directives/h/skill/large.bin"));
    let tools = ["many", "large", "parts", "pipe", "deep", "device", "beside"];
    let tools = tools.map(|id| invalid_item("tool", id)).into_iter();
    check(&stage, &tools.chain([invalid_item("directive", "skill")]).collect::<Vec<_>>());
}
