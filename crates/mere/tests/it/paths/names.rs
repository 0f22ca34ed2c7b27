//! Names that people really use have addresses; names that look alike are shown to nobody; and what
//! a listing leaves out is counted, each kind apart.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

/// Names with invisible characters that writing needs.
const USED: [&str; 10] = [
    "love \u{2764}\u{fe0f}.md",
    "1\u{fe0f}\u{20e3} first.md",
    "family \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}.md",
    "flag \u{1f3f3}\u{fe0f}\u{200d}\u{1f308}.md",
    "coder \u{1f469}\u{1f3fd}\u{200d}\u{1f4bb}.md",
    "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}.md",
    "\u{dc1}\u{dca}\u{200d}\u{dbb}\u{dd3}.md",
    "\u{915}\u{94d}\u{200c}\u{937}.md",
    "\u{845b}\u{e0100}\u{57ce}.md",
    "Donau\u{ad}dampf.md",
];

/// Names with invisible characters that hide something, or that nobody has assigned.
const REFUSED: [&str; 9] = [
    "zero\u{200b}width",
    "a\u{200d}b",
    "a\u{200c}b",
    "right\u{202e}left",
    "isolate\u{2066}d",
    "end\u{ad}",
    "x\u{fe0f}",
    "x\u{e0100}",
    "unassigned\u{378}",
];

fn list(mcp: &mut Mcp<'_>, path: &str) -> Value {
    mcp.call("dir", &json!({ "command": "list", "path": path }))["data"].clone()
}

fn names(data: &Value) -> Vec<&str> {
    let entries = data["entries"].as_array().expect("entries");
    entries.iter().map(|entry| entry["name"].as_str().expect("a name")).collect()
}

#[test]
fn names_people_use_have_addresses_everywhere() {
    let stage = Stage::new();
    for name in USED {
        stage.file(&format!("project/d/{name}"), &format!("text of {name}\n"));
    }
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let data = list(&mut mcp, "d");
    let mut expected = USED.to_vec();
    expected.sort_unstable();
    assert_eq!(names(&data), expected);
    assert!(data["unaddressable"].is_null(), "{data}");
    let found = mcp.call("glob", &json!({ "pattern": "d/*.md" }));
    assert_eq!(found["data"]["count"], 10, "{found}");
    let found = mcp.call("grep", &json!({ "pattern": "text of", "path": "d" }));
    assert_eq!(found["data"]["files"], 10, "{found}");
    for name in USED {
        let path = format!("ROOT_PROJECT:/d/{name}");
        let read = mcp.call("read", &json!({ "path": path }));
        assert_eq!(read["data"]["target"], path.as_str(), "{read}");
        assert_eq!(read["data"]["content"], format!("text of {name}\n"));
        let found = mcp.call("glob", &json!({ "pattern": name }));
        assert_eq!(found["data"]["matches"], json!([path]), "{found}");
        let own = format!("ROOT_WORKSPACE:/{name}");
        let written = mcp.call("write", &json!({ "path": own, "content": "x" }));
        assert_eq!(written["code"], "WA-WRITE-S-001", "{written}");
    }
}

#[test]
fn invisible_characters_out_of_their_place_have_no_address() {
    let stage = Stage::new();
    for name in REFUSED {
        stage.file(&format!("project/d/{name}"), "x");
    }
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let data = list(&mut mcp, "d");
    assert_eq!((names(&data).len(), &data["unaddressable"]), (0, &9.into()), "{data}");
    for name in REFUSED {
        let read = mcp.call("read", &json!({ "path": format!("d/{name}") }));
        assert_eq!(read["code"], "WA-PATH-I-001", "{name:?}");
        let own = format!("ROOT_WORKSPACE:/{name}");
        let written = mcp.call("write", &json!({ "path": own, "content": "x" }));
        assert_eq!(written["code"], "WA-PATH-I-001", "{name:?}");
    }
}

#[test]
fn two_names_that_look_alike_are_both_withheld() {
    let stage = Stage::new();
    let secret = "one of two";
    for name in ["notes.md", "no\u{ad}tes.md"] {
        stage.file(&format!("project/d/{name}"), secret);
    }
    for name in ["sub\u{ad}dir/in.md", "subdir/in.md", "\u{2764}/in.md", "\u{2764}\u{fe0f}/in.md"] {
        stage.file(&format!("project/d/{name}"), secret);
    }
    stage.file("project/d/fine.md", "fine");
    stage.file("project/d/on\u{ad}ly.md", "fine");
    stage.link("notes.md", "project/d/link.md");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let data = list(&mut mcp, "d");
    assert_eq!(names(&data), ["fine.md", "on\u{ad}ly.md"], "{data}");
    assert_eq!((&data["lookalikes"], &data["unaddressable"]), (&6.into(), &Value::Null));
    let tree = mcp.call("dir", &json!({ "command": "tree", "path": "d" }));
    assert_eq!((&tree["data"]["count"], &tree["data"]["lookalikes"]), (&0.into(), &4.into()));
    for (tool, arguments) in
        [("glob", json!({ "pattern": "d/**" })), ("grep", json!({ "pattern": ".", "path": "d" }))]
    {
        let reply = mcp.call(tool, &arguments);
        assert_eq!(reply["data"]["count"], 2, "{tool} {reply}");
        assert!(!reply.to_string().contains(secret));
    }
    for path in ["d/notes.md", "d/no\u{ad}tes.md", "d/subdir", "d/sub\u{ad}dir/in.md", "d/link.md"]
    {
        let read = mcp.call("read", &json!({ "path": path }));
        assert_eq!(read["code"], "WA-PATH-I-001", "{path:?}");
    }
    std::fs::remove_file(stage.path("project/d/no\u{ad}tes.md")).expect("removed");
    assert_eq!(mcp.call("read", &json!({ "path": "d/notes.md" }))["data"]["content"], secret);
}

#[test]
fn a_server_notices_at_once_that_a_name_looks_like_another() {
    let stage = Stage::new();
    stage.file("project/d/notes.md", "fine");
    // By then, what a server learned about the folder is remembered until the folder changes.
    std::thread::sleep(std::time::Duration::from_millis(2_100));
    let mut mcp = Mcp::greeted(&stage, &[]);
    for _ in 0..2 {
        let twin = stage.path("project/d/no\u{ad}tes.md");
        let mut read = || mcp.call("read", &json!({ "path": "d/notes.md" }))["reply_type"].clone();
        assert_eq!([read(), read()], ["S", "S"]);
        std::fs::write(&twin, "another").expect("written");
        assert_eq!([read(), read()], ["I", "I"]);
        std::fs::remove_file(&twin).expect("removed");
    }
}

#[test]
fn doctor_names_what_looks_alike() {
    let stage = Stage::new();
    stage.file("project/d/notes.md", "");
    stage.file("project/d/no\u{ad}tes.md", "");
    let output = stage.person(&["doctor", "--json"]);
    let reply = serde_json::from_slice::<Value>(&output.stdout).expect("JSON");
    let checks = reply["data"]["checks"].as_array().expect("checks");
    let names = checks.iter().find(|check| check["check"] == "names").expect("a check of names");
    assert_eq!((&names["state"], &names["address"]), (&"wrong".into(), &"ROOT_PROJECT:/d/".into()));
    let what = names["what"].as_str().expect("words");
    assert!(what.contains("`notes.md`, `no\\u{ad}tes.md`"), "{what}");
    std::fs::remove_file(stage.path("project/d/notes.md")).expect("removed");
    let output = stage.person(&["doctor", "--json"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("no two names look alike"));
}

#[test]
fn an_agent_makes_no_twin() {
    let stage = Stage::new();
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let own = |name: &str| format!("ROOT_WORKSPACE:/{name}");
    let mut check = |tool: &str, arguments: Value, code: &str| {
        let reply = mcp.call(tool, &arguments);
        assert_eq!(reply["code"], code, "{tool} {arguments} {reply}");
    };
    check("write", json!({ "path": own("notes"), "content": "1" }), "WA-WRITE-S-001");
    check("write", json!({ "path": own("no\u{ad}tes"), "content": "2" }), "WA-WRITE-I-010");
    check("mkdir", json!({ "path": own("no\u{ad}tes") }), "WA-WRITE-I-010");
    let deep = json!({ "path": own("no\u{ad}tes/a/b"), "content": "", "create_dirs": true });
    check("write", deep, "WA-WRITE-I-010");
    check("write", json!({ "path": own("b"), "content": "2" }), "WA-WRITE-S-001");
    check("move", json!({ "from": own("b"), "to": own("not\u{ad}es") }), "WA-WRITE-I-010");
    // A name may be given or lose its invisible characters.
    check("move", json!({ "from": own("notes"), "to": own("not\u{ad}es") }), "WA-WRITE-S-005");
    check("move", json!({ "from": own("not\u{ad}es"), "to": own("notes") }), "WA-WRITE-S-005");
    // What others made alike is not there for an agent.
    stage.file("project/.ai/workspaces/default/no\u{ad}tes", "3");
    check("write", json!({ "path": own("notes"), "content": "4" }), "WA-PATH-I-001");
    check("delete", json!({ "path": own("notes") }), "WA-PATH-I-001");
    let notes = stage.path("project/.ai/workspaces/default/notes");
    assert_eq!(std::fs::read_to_string(notes).expect("the file"), "1");
}

#[test]
fn what_is_left_out_is_counted_each_kind_apart() {
    let stage = Stage::new();
    stage.file("project/d/real/file", "x");
    stage.file("beside/file", "x");
    let inside = stage.path("project/d/real");
    for (target, link) in [
        (inside.clone(), "absolute"),
        (stage.path("project/nothing"), "absolute-dangling"),
        (stage.path("beside"), "outside"),
        (stage.path("project-2"), "outside-sibling"),
        ("/".into(), "top"),
        ("../../beside/file".into(), "climbs"),
        (inside.join("../../../beside"), "absolute-climbs"),
        ("climbs".into(), "chained"),
        ("real".into(), "relative"),
        ("nothing".into(), "dangling"),
    ] {
        stage.link(target, &format!("project/d/{link}"));
    }
    stage.link(stage.path("beside"), "project/d/.env");
    stage.folder("project/d/bi\u{202e}di");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let data = list(&mut mcp, "d");
    assert_eq!(names(&data), ["real", "relative"]);
    let counts = ["unaddressable", "absolute_links", "outside_links"];
    assert_eq!(counts.map(|key| data[key].as_u64()), [Some(1), Some(2), Some(6)], "{data}");
    let tree = mcp.call("dir", &json!({ "command": "tree" }))["data"].clone();
    assert_eq!(counts.map(|key| tree[key].as_u64()), [Some(1), Some(2), Some(6)], "{tree}");
    let plain = list(&mut mcp, "d/real");
    assert_eq!(counts.map(|key| plain[key].as_u64()), [None, None, None]);
}

#[test]
fn a_link_in_the_workspace_confirms_no_guess() {
    let stage = Stage::new();
    let own = stage.folder("project/.ai/workspaces/default");
    stage.link(own.join("x"), "project/.ai/workspaces/default/right");
    stage.link("/home/nobody/x", "project/.ai/workspaces/default/wrong");
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let data = list(&mut mcp, "ROOT_WORKSPACE:/");
    assert_eq!((&data["absolute_links"], &data["outside_links"]), (&Value::Null, &2.into()));
}

#[test]
fn a_folder_full_of_links_is_listed_in_time() {
    let stage = Stage::new();
    stage.file("project/d/real", "x");
    for number in 0..3000 {
        stage.link("real", &format!("project/d/link-{number}"));
    }
    let mut mcp = Mcp::greeted(&stage, &["--agent", "default"]);
    let data = list(&mut mcp, "d");
    assert_eq!(data["count"], 500, "{data}");
}
