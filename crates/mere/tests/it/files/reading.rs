//! `read`, `glob` and `grep` as an agent uses them.

use serde_json::{Value, json};

use crate::support::harness::{Mcp, Stage};

fn stage() -> Stage {
    let stage = Stage::new();
    stage.file("project/src/main.rs", "fn main() {\n    run();\n}\n\nfn run() {}\n");
    stage.file("project/src/deep/lib.rs", "pub fn lib() {}\r\npub fn two() {}\r\n");
    stage.file("project/src-gen/a.rs", "fn generated() {}\n");
    stage.file("project/README.md", "# Read me\n\nMAIN idea\n");
    std::fs::write(stage.path("project/logo.png"), b"\x89PNG\r\n\x1a\n\0\0fn main")
        .expect("written");
    stage
}

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

#[test]
fn read_gives_lines_and_counts_them_all() {
    let stage = stage();
    let whole = call(&stage, "read", &json!({ "path": "src/main.rs" }))["data"].clone();
    assert_eq!(whole["content"], "fn main() {\n    run();\n}\n\nfn run() {}\n");
    assert_eq!(
        (&whole["lines"], &whole["first"], &whole["last"]),
        (&json!(5), &json!(1), &json!(5))
    );
    assert_eq!(whole["truncated"], false);
    let part = json!({ "path": "src/main.rs", "offset": 2, "limit": 2 });
    let part = call(&stage, "read", &part);
    assert_eq!(part["data"]["content"], "    run();\n}\n");
    assert_eq!(part["data"]["truncated"], true);
    assert_eq!(part["data"]["sha256"], whole["sha256"], "of the file, not of the part");
    assert_eq!(part["hint"], "Continue with `offset` 4.");
    let crlf = call(&stage, "read", &json!({ "path": "src/deep/lib.rs" }));
    assert_eq!(crlf["data"]["content"], "pub fn lib() {}\r\npub fn two() {}\r\n");
    let beyond =
        call(&stage, "read", &json!({ "path": "src/main.rs", "offset": 9 }))["data"].clone();
    assert_eq!((&beyond["content"], &beyond["truncated"]), (&json!(""), &json!(false)));
}

#[test]
fn read_says_what_a_binary_file_is_and_that_a_directory_is_none() {
    let stage = stage();
    let binary = call(&stage, "read", &json!({ "path": "logo.png" }))["data"].clone();
    assert_eq!(binary["binary"], true);
    assert_eq!((&binary["size"], &binary["media_type"]), (&json!(17), &json!("image/png")));
    assert_eq!(binary["sha256"].as_str().map(str::len), Some(64));
    let folder = call(&stage, "read", &json!({ "path": "src" }));
    assert_eq!(folder["code"], "WA-READ-I-001");
    assert_eq!(call(&stage, "read", &json!({}))["code"], "MCP-ARG-I-001");
}

#[test]
fn read_shows_latin_text_and_says_that_it_is_not_exact() {
    let stage = stage();
    std::fs::write(stage.path("project/old.txt"), b"caf\xe9 and more words\n").expect("written");
    let reply = call(&stage, "read", &json!({ "path": "old.txt" }))["data"].clone();
    assert_eq!(
        (&reply["content"], &reply["lossy"]),
        (&json!("caf\u{fffd} and more words\n"), &json!(true))
    );
}

#[test]
fn host_paths_in_a_file_become_addresses_and_are_counted() {
    let stage = stage();
    let root = stage.path("project").display().to_string();
    stage.file("project/log.txt", &format!("at {root}/src/main.rs:3\n"));
    let reply = call(&stage, "read", &json!({ "path": "log.txt" }));
    assert_eq!(reply["data"]["content"], "at ROOT_PROJECT:/src/main.rs:3\n");
    assert_eq!(reply["data"]["redacted"], 1);
    let grep = call(&stage, "grep", &json!({ "pattern": "at " }));
    assert_eq!(grep["data"]["matches"][0]["text"], "at ROOT_PROJECT:/src/main.rs:3");
}

#[test]
fn glob_finds_files_in_byte_order_of_their_paths() {
    let stage = stage();
    let rust = call(&stage, "glob", &json!({ "pattern": "*.rs" }));
    let all = json!([
        "ROOT_PROJECT:/src-gen/a.rs",
        "ROOT_PROJECT:/src/deep/lib.rs",
        "ROOT_PROJECT:/src/main.rs"
    ]);
    assert_eq!((&rust["data"]["matches"], &rust["data"]["count"]), (&all, &json!(3)));
    let below = call(&stage, "glob", &json!({ "pattern": "*/*.rs", "path": "src" }));
    assert_eq!(below["data"]["matches"], json!(["ROOT_PROJECT:/src/deep/lib.rs"]));
    let slash = call(&stage, "glob", &json!({ "pattern": "src/*.rs" }));
    assert_eq!(slash["data"]["matches"], json!(["ROOT_PROJECT:/src/main.rs"]));
    let none = call(&stage, "glob", &json!({ "pattern": "*.zig" }));
    assert_eq!((&none["reply_type"], &none["data"]["count"]), (&json!("S"), &json!(0)));
    for pattern in ["/etc/*", "../*", "a/../*", "~/x", "C:/x", "", "a[", "x\u{202e}"] {
        let reply = call(&stage, "glob", &json!({ "pattern": pattern }));
        assert_eq!(reply["code"], "WA-GLOB-I-001", "{pattern}");
    }
}

#[test]
fn grep_finds_lines_with_what_stands_around_them() {
    let stage = stage();
    let main = call(&stage, "grep", &json!({ "pattern": r"fn (main|run)\(", "context": 1 }));
    let expected = json!([
        { "path": "ROOT_PROJECT:/src/main.rs", "line": 1, "text": "fn main() {", "after": ["    run();"] },
        { "path": "ROOT_PROJECT:/src/main.rs", "line": 5, "text": "fn run() {}", "before": [""] },
    ]);
    assert_eq!(main["data"]["matches"], expected);
    assert_eq!((&main["data"]["count"], &main["data"]["files"]), (&json!(2), &json!(1)));
    stage.file("project/near.txt", "0\nx1\n2\nx3\nx4\n5\n");
    let near = call(&stage, "grep", &json!({ "pattern": "x", "path": "near.txt", "context": 1 }));
    let around = |at: usize| {
        let found = &near["data"]["matches"][at];
        (found["before"].to_string(), found["after"].to_string())
    };
    assert_eq!(around(0), (r#"["0"]"#.to_owned(), r#"["2"]"#.to_owned()));
    assert_eq!(around(1), (r#"["2"]"#.to_owned(), r#"["x4"]"#.to_owned()), "each has its own");
    assert_eq!(around(2), (r#"["x3"]"#.to_owned(), r#"["5"]"#.to_owned()));
    std::fs::remove_file(stage.path("project/near.txt")).expect("removed");
    let case = json!({ "pattern": "main", "ignore_case": true, "glob": "*.md" });
    let case = call(&stage, "grep", &case);
    assert_eq!(case["data"]["matches"][0]["path"], "ROOT_PROJECT:/README.md");
    let file = call(&stage, "grep", &json!({ "pattern": "^pub", "path": "src/deep/lib.rs" }));
    assert_eq!(file["data"]["matches"][1]["text"], "pub fn two() {}", "without its line end");
    let binary = call(&stage, "grep", &json!({ "pattern": "fn main", "path": "logo.png" }));
    assert_eq!(binary["data"]["count"], 0, "a binary file has no lines");
    for pattern in ["(", "a\\1", "(?=x)", "a\nb", &"(a{1,900}){1,900}".repeat(3)] {
        let reply = call(&stage, "grep", &json!({ "pattern": pattern }));
        assert_eq!(reply["code"], "WA-GREP-I-001", "{pattern}");
    }
}

#[test]
fn pages_of_glob_and_grep_join_without_a_gap_and_belong_to_one_question() {
    let stage = Stage::new();
    for number in 0..23 {
        let text = format!("x {number}\nx again\nno\nx end\n");
        stage.file(&format!("project/d{}/f{number}.txt", number % 4), &text);
    }
    let mut mcp = Mcp::greeted(&stage, &[]);
    for (tool, arguments, limit, total) in [
        ("glob", json!({ "pattern": "*.txt" }), 5, 23),
        ("grep", json!({ "pattern": "^x" }), 4, 69),
        ("grep", json!({ "pattern": "^x", "context": 2 }), 7, 69),
        ("grep", json!({ "pattern": "x", "path": "d1/f1.txt" }), 2, 3),
    ] {
        let all = drain(&mut mcp, tool, &arguments, 10_000);
        assert_eq!((all.1, all.0.len()), (1, total), "{tool}");
        let paged = drain(&mut mcp, tool, &arguments, limit);
        assert_eq!(paged.1, total.div_ceil(limit), "{tool}");
        assert_eq!(paged.0, all.0, "{tool}");
    }
    let first = json!({ "pattern": "*.txt", "limit": 1 });
    let first = mcp.tool("glob", &first)["structuredContent"]["data"]["next"].clone();
    let other = json!({ "pattern": "*", "cursor": first });
    assert_eq!(mcp.tool("glob", &other)["structuredContent"]["code"], "WA-DIR-I-002");
}

/// Every match, and how many pages it took.
fn drain(mcp: &mut Mcp<'_>, tool: &str, arguments: &Value, limit: usize) -> (Vec<Value>, usize) {
    let mut arguments = arguments.clone();
    arguments["limit"] = limit.into();
    let (mut all, mut pages) = (Vec::new(), 0);
    loop {
        let data = mcp.tool(tool, &arguments)["structuredContent"]["data"].clone();
        all.extend(data["matches"].as_array().expect("matches").clone());
        pages += 1;
        match data.get("next") {
            Some(next) => arguments["cursor"] = next.clone(),
            None => return (all, pages),
        }
    }
}

#[test]
fn what_is_listed_is_what_was_chosen_and_it_is_short() {
    let stage = stage();
    let listed = |arguments: &[&str]| {
        let mut mcp = Mcp::greeted(&stage, arguments);
        let tools = mcp.request("tools/list", &json!({}))["result"]["tools"].clone();
        let names = tools.as_array().expect("tools").iter().map(|tool| tool["name"].clone());
        (names.collect::<Vec<_>>(), tools.to_string().len() / 4)
    };
    let (names, tokens) = listed(&[]);
    let memory = [
        "create_memory",
        "get_memory",
        "update_memory",
        "move_memory",
        "remove_memory",
        "list_memories",
        "create_category",
        "delete_category",
        "set_category_description",
        "list_stores",
    ];
    let usual = [&["search", "load", "execute"], &memory[..], &["help", "dir", "read"]].concat();
    assert_eq!(names, usual);
    assert!(tokens < 2500, "about {tokens} tokens");
    let (names, tokens) = listed(&["--toolsets", "items,memory,files"]);
    let files = ["glob", "grep", "write", "edit", "patch_section", "delete", "move", "mkdir"];
    assert_eq!(names, [&usual[..], &files[..]].concat());
    assert!(tokens < 6000, "about {tokens} tokens");
    let mut mcp = Mcp::greeted(&stage, &[]);
    let glob = mcp.tool("glob", &json!({ "pattern": "*.md" }));
    assert_eq!(glob["structuredContent"]["data"]["count"], 1, "what is not listed can be called");
}

#[test]
fn glob_understands_escapes_and_refuses_what_it_does_not() {
    let stage = Stage::new();
    for file in ["pages/[id].tsx", "pages/i.tsx", "pages/!keep", "src/a.rs"] {
        stage.file(&format!("project/{file}"), "x");
    }
    let mut mcp = Mcp::greeted(&stage, &[]);
    for (pattern, expected) in [
        (r"\[id\].tsx", "ROOT_PROJECT:/pages/[id].tsx"),
        (r"pages/\[*\].tsx", "ROOT_PROJECT:/pages/[id].tsx"),
        ("pages/[id].tsx", "ROOT_PROJECT:/pages/i.tsx"),
        (r"\!keep", "ROOT_PROJECT:/pages/!keep"),
    ] {
        let reply = mcp.call("glob", &json!({ "pattern": pattern }));
        assert_eq!(reply["data"]["matches"], json!([expected]), "{pattern} {reply}");
    }
    for pattern in ["!src/**", "a\\b", "{1..3}", "[[:alpha:]]", "src\\a.rs"] {
        for (tool, arguments) in [
            ("glob", json!({ "pattern": pattern })),
            ("grep", json!({ "pattern": "x", "glob": pattern })),
        ] {
            let reply = mcp.call(tool, &arguments);
            assert_eq!(reply["code"], "WA-GLOB-I-001", "{pattern} {reply}");
            assert!(reply["hint"].is_string(), "{reply}");
        }
    }
}
