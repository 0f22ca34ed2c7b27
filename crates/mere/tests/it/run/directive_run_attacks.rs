//! Ways around the permissions of a directive that an agent follows.

use serde_json::json;

use super::directive_runs::{ask, follow, run, sign_directive, workshop};
use crate::support::harness::Mcp;
use crate::support::searches::full_search;

#[test]
fn no_spelling_of_a_path_leads_outside() {
    let workshop = workshop();
    workshop.stage.link("../docs", "project/src/linked");
    workshop.stage.link("../docs/b.md", "project/src/b.md");
    workshop.stage.file("project/SRC2/c", "needle");
    let mut mcp = Mcp::greeted(&workshop.stage, &[]);
    follow(&mut mcp, "research");
    let absent = ask(&mut mcp, "read", &json!({ "path": "absent" }));
    for path in [
        "src/linked/b.md",
        "src/b.md",
        "src/../docs/b.md",
        "SRC/a.rs",
        "SRC2/c",
        "docs//b.md",
        "ROOT_PROJECT:/docs/b.md",
        ".ai/tools/t/web_search.sh",
        ".ai/directives/research.md",
    ] {
        let reply = ask(&mut mcp, "read", &json!({ "path": path }));
        assert_eq!(reply["message"], absent["message"], "{path}: {reply:#}");
    }
    let listed = ask(&mut mcp, "dir", &json!({ "command": "list", "path": "src" }));
    let entries = listed["data"]["entries"].to_string();
    assert!(!entries.contains("linked") && !entries.contains("b.md"), "{listed:#}");
    for (tool, arguments) in [
        ("glob", json!({ "pattern": "**" })),
        ("grep", json!({ "pattern": "needle", "path": "ROOT_PROJECT:/" })),
        ("dir", json!({ "command": "tree", "depth": 5 })),
    ] {
        let reply = ask(&mut mcp, tool, &arguments).to_string();
        assert!(!reply.contains("docs") && !reply.contains(".ai"), "{tool}: {reply}");
    }
}

#[test]
fn no_item_is_found_that_the_run_may_not_read() {
    let workshop = workshop();
    let mut mcp = Mcp::greeted(&workshop.stage, &[]);
    let search = full_search(json!({ "query": "needle", "item_types": ["knowledge"] }));
    assert!(ask(&mut mcp, "search", &search).to_string().contains("knowledge/n.md"));
    follow(&mut mcp, "research");
    let hidden = ask(&mut mcp, "search", &search);
    assert!(!hidden.to_string().contains("knowledge/n.md"), "{hidden:#}");
    assert_eq!(hidden["data"]["total"], 0, "not even the number of matches is told");
    for tool in ["load", "execute"] {
        let there = ask(&mut mcp, tool, &run("knowledge", "n"));
        assert_eq!(there["code"], ask(&mut mcp, tool, &run("knowledge", "gone"))["code"]);
        assert!(!there.to_string().contains("needle"), "{there:#}");
    }
    let delete = json!({ "item_type": "knowledge", "action": "delete", "item_id": "n" });
    let there = ask(&mut mcp, "execute", &delete);
    assert_eq!(there["data"]["missing"], "filesystem write .ai/knowledge/n.md", "{there:#}");
    // The index still has what other calls may see.
    ask(&mut mcp, "execute", &json!({ "action": "close" }));
    assert!(ask(&mut mcp, "search", &search).to_string().contains("knowledge/n.md"));
}

#[test]
fn a_listed_tool_sees_no_more_of_the_project_than_its_run() {
    let workshop = workshop();
    workshop.project_tool("look", ("bash_runtime", "read"), "find /project -type f\n");
    let parts = "<permissions><execute resource=\"tool\" id=\"look\"/>\
                 <read resource=\"filesystem\" path=\"src/**\"/></permissions>";
    sign_directive(&workshop, "looks", parts);
    let mut mcp = Mcp::greeted(&workshop.stage, &[]);
    let before = ask(&mut mcp, "execute", &run("tool", "look"));
    assert!(before["data"]["stdout"].to_string().contains("docs/b.md"), "{before:#}");
    follow(&mut mcp, "looks");
    let bound = ask(&mut mcp, "execute", &run("tool", "look"));
    let seen = bound["data"]["stdout"].to_string();
    assert!(seen.contains("src/a.rs") && !seen.contains("docs"), "{bound:#}");
}

#[test]
fn a_category_in_a_permission_is_part_of_the_tools_name() {
    let workshop = workshop();
    let parts = "<permissions><execute resource=\"tool\" id=\"u/web_search\"/></permissions>";
    sign_directive(&workshop, "narrow", parts);
    let mut mcp = Mcp::greeted(&workshop.stage, &[]);
    follow(&mut mcp, "narrow");
    for id in ["web_search", "t/web_search"] {
        let reply = ask(&mut mcp, "execute", &run("tool", id));
        assert_eq!(reply["code"], "EN-RUN-D-006", "{reply:#}");
    }
}

#[test]
fn a_directive_that_fails_opens_no_run_and_closes_none() {
    let workshop = workshop();
    let mut mcp = Mcp::greeted(&workshop.stage, &[]);
    follow(&mut mcp, "research");
    let mut wrong = run("directive", "free");
    wrong["parameters"] = json!({ "unknown": 1 });
    assert_eq!(ask(&mut mcp, "execute", &wrong)["reply_type"], "I");
    let mut dry = run("directive", "free");
    dry["dry_run"] = json!(true);
    ask(&mut mcp, "execute", &dry);
    let reply = ask(&mut mcp, "read", &json!({ "path": "docs/b.md" }));
    assert_eq!(reply["reply_type"], "I", "{reply:#}");
}
