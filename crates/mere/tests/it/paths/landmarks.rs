//! Host paths that are ours to know: whatever a file says about them, agents see an address or a
//! label.

use serde_json::{Value, json};

use crate::support::container::Container;
use crate::support::harness::{Mcp, Stage};
use crate::support::searches::full_search;

fn call(stage: &Stage, tool: &str, arguments: &Value) -> Value {
    stage.call_text(tool, &arguments.to_string()).reply
}

fn read(stage: &Stage, path: &str) -> Value {
    call(stage, "read", &json!({ "path": path }))
}

/// What a file in a container may say, and what an agent sees of it.
const SAID: [(&str, &str); 14] = [
    ("cd /app && make", "cd ROOT_PROJECT:/ && make"),
    ("see /app/src/main.rs:3", "see ROOT_PROJECT:/src/main.rs:3"),
    ("HOME=/root", "HOME=<home>"),
    ("cat '/root/.bashrc'", "cat '<home>/.bashrc'"),
    ("note /root/.ai/knowledge/n.md", "note ROOT_USER:/knowledge/n.md"),
    ("PATH=/usr/bin:/app/bin:/root/bin", "PATH=/usr/bin:ROOT_PROJECT:/bin:<home>/bin"),
    ("{\"root\":\"\\/app\\/x\"}", "{\"root\":\"ROOT_PROJECT:/x\"}"),
    ("file:///app/x%20y", "file://ROOT_PROJECT:/x%20y"),
    ("q=%2Fapp%2Fx&h=%2Froot", "q=ROOT_PROJECT:/x&h=<home>"),
    ("-I/app/include -L/app/lib", "-IROOT_PROJECT:/include -LROOT_PROJECT:/lib"),
    ("import page from 'src/app/page.tsx'", "import page from 'src/app/page.tsx'"),
    (
        "import page from '@/app/page'; x ./app ../app",
        "import page from '@/app/page'; x ./app ../app",
    ),
    ("https://example.org/app/x and ${DIR}/app", "https://example.org/app/x and ${DIR}/app"),
    ("<app></app> #!/usr/bin/env python3 /apple", "<app></app> #!/usr/bin/env python3 /apple"),
];

/// A container with a project and a home folder.
fn container() -> Container {
    let container = Container::new(&["app/.git"]);
    for (at, (said, _)) in SAID.iter().enumerate() {
        container.file(&format!("app/said/{at:02}.txt"), &format!("{said}\n"));
    }
    container.file("app/src/app/page.tsx", "export default 1\n");
    container.file("app/.ai/knowledge/n.md", "---\nid: n\ntitle: At /app/src\n---\nIn /root/x.\n");
    container.file("root/.ai/knowledge/u.md", "---\nid: u\ntitle: U\n---\n/app\n");
    container
}

/// Checks that no text of a reply names the project or the home folder.
fn check_canary(reply: &Value) {
    let text = reply.to_string();
    let relative = ["src/app/", "@/app/", "./app", "example.org/app/", "}/app", "</app"];
    let rest = relative.iter().fold(text.clone(), |text, known| text.replace(known, "-"));
    assert!(!rest.contains("/app\"") && !rest.contains("/app/"), "{text}");
    assert!(!rest.contains("/root"), "{text}");
}

#[test]
fn in_a_container_the_project_at_app_and_the_home_at_root_are_hidden() {
    let container = container();
    let command = container.command("/app", &["mcp", "--agent", "default"]);
    let mut mcp = Mcp::spawn(container.stage(), command);
    mcp.greet();
    for (at, (said, seen)) in SAID.iter().enumerate() {
        let path = format!("said/{at:02}.txt");
        let reply = mcp.call("read", &json!({ "path": path }));
        assert_eq!(reply["data"]["content"], format!("{seen}\n"), "{said}");
        assert_eq!(reply["data"].get("redacted").is_some(), said != seen, "{reply}");
        check_canary(&reply);
    }
    for (tool, arguments) in [
        ("dir", json!({ "command": "pwd" })),
        ("dir", json!({ "command": "list" })),
        ("dir", json!({ "command": "tree" })),
        ("glob", json!({ "pattern": "**/*.tsx" })),
        ("grep", json!({ "pattern": "app|root", "context": 1 })),
        ("grep", json!({ "pattern": "^cd /app" })),
        ("load", json!({ "item_type": "knowledge", "item_id": "n" })),
        ("load", json!({ "item_type": "knowledge", "item_id": "u" })),
        ("search", full_search(json!({ "query": "app" }))),
        ("read", json!({ "path": "/app/said/00.txt" })),
        ("read", json!({ "path": "missing" })),
        ("write", json!({ "path": "ROOT_WORKSPACE:/a.md", "content": "/app/x\n" })),
        ("read", json!({ "path": "ROOT_WORKSPACE:/a.md" })),
        ("write", json!({ "path": "a.md", "content": "x" })),
        ("list_memories", json!({})),
    ] {
        let reply = mcp.call(tool, &arguments);
        assert!(reply["reply_type"] != "E", "{tool} {arguments}: {reply}");
        check_canary(&reply);
    }
    let guessed = mcp.call("grep", &json!({ "pattern": "^cd /app" }));
    assert_eq!(guessed["data"]["count"], 0, "a search sees what reading sees: {guessed}");
    let found = mcp.call("glob", &json!({ "pattern": "src/app/*" }));
    assert_eq!(found["data"]["matches"], json!(["ROOT_PROJECT:/src/app/page.tsx"]));
}

#[test]
fn in_a_container_an_edit_keeps_the_paths_that_were_rewritten() {
    let container = container();
    let file = container.file("app/.ai/workspaces/default/run.sh", "cd /app\nls src/app /root\n");
    let command = container.command("/app", &["mcp", "--agent", "default"]);
    let mut mcp = Mcp::spawn(container.stage(), command);
    mcp.greet();
    let path = "ROOT_WORKSPACE:/run.sh";
    let seen = mcp.call("read", &json!({ "path": path }));
    assert_eq!(seen["data"]["content"], "cd ROOT_PROJECT:/\nls src/app <home>\n");
    let edit = json!({ "path": path, "old": "ls src/app", "new": "ls -l src/app" });
    assert_eq!(mcp.call("edit", &edit)["reply_type"], "S");
    let kept = std::fs::read_to_string(file).expect("it");
    assert_eq!(kept, "cd /app\nls -l src/app /root\n");
}

#[test]
fn folders_of_configs_are_hidden_whether_missing_off_or_untrusted() {
    let stage = Stage::new();
    let docs = "/srv/team/docs-that-are-missing";
    let notes = "/opt/notes-elsewhere";
    let theirs = "/mnt/share/of-a-repository";
    let system = "/usr";
    stage.file(
        "home/.ai/config.yaml",
        &format!(
            "mods: [{{id: d, name: docs, path: {docs}}}]\n\
             stores: {{notes: {{path: {notes}}}}}\n"
        ),
    );
    stage.file(
        "project/.ai/config.yaml",
        &format!(
            "mods: [{{id: t, name: theirs, path: {theirs}}}, {{id: s, name: sys, path: {system}}}]\n\
             stores: {{more: {{path: {theirs}/memories}}}}\n"
        ),
    );
    let text = format!("{docs}/a {notes} {theirs}/b {theirs}/memories/c #!/usr/bin/env sh\n");
    stage.file("project/a.txt", &text);
    let expected = "<outside>/a <outside> <outside>/b <outside>/c #!/usr/bin/env sh\n";
    assert_eq!(read(&stage, "a.txt")["data"]["content"], expected);
    for config in [".ai/config.yaml", "ROOT_USER:/config.yaml"] {
        let reply = read(&stage, config);
        assert_eq!(reply["reply_type"], "S", "{reply}");
        for hidden in [docs, notes, theirs] {
            assert!(!reply.to_string().contains(hidden), "{config}: {reply}");
        }
    }
    let mut command = stage.command("project");
    command.args(["call", "--no-mods", "read", r#"{"path":"a.txt"}"#]);
    assert_eq!(stage.answer(&mut command).reply["data"]["content"], expected);
}

#[test]
fn a_missing_folder_beside_a_space_outside_the_home_is_hidden() {
    let stage = Stage::new();
    stage.file(
        "spaces/.ai/config.yaml",
        "mods: [{id: hb, name: hb, path: ../handbook}]\nstores: {notes: {path: ../notes}}\n",
    );
    let [space, mods, store] =
        ["spaces", "spaces/handbook", "spaces/notes"].map(|path| stage.path(path));
    let text = format!("{}/x {}/y\n", mods.display(), store.display());
    stage.file("project/a.txt", &text);
    let mut command = stage.command("project");
    command.env("USER_SPACE", space).args(["call", "read", r#"{"path":"a.txt"}"#]);
    assert_eq!(stage.answer(&mut command).reply["data"]["content"], "<outside>/x <outside>/y\n");
}

#[test]
fn a_repository_cannot_spoil_texts_by_naming_what_everybody_has() {
    let stage = Stage::new();
    let text = "#!/usr/bin/env sh\nGET /users/{id}\n. /etc/os-release\n";
    stage.file("project/a.txt", text);
    stage.file(
        "project/.ai/config.yaml",
        "mods: [{name: b, path: /usr/bin}, {name: u, path: /users}, {name: e, path: /etc/x/..}]\n",
    );
    assert_eq!(read(&stage, "a.txt")["data"]["content"], text);
    std::fs::remove_dir_all(stage.path("project/.git")).expect("removed");
    for named in ["/usr/bin", "/users", "/etc/git/worktrees/x"] {
        stage.file("project/.git", &format!("gitdir: {named}\n"));
        assert_eq!(read(&stage, "a.txt")["data"]["content"], text, "{named}");
    }
}

#[test]
fn a_mistake_in_a_config_does_not_uncover_its_folders() {
    let stage = Stage::new();
    let theirs = "/mnt/share/of-a-repository";
    let mods = format!("mods: [{{name: theirs, path: {theirs}}}, {{nonsense: 1}}]\n");
    stage.file("project/.ai/config.yaml", &mods);
    stage.file("project/a.txt", &format!("{theirs}/b\n"));
    assert_eq!(read(&stage, "a.txt")["data"]["content"], "<outside>/b\n");
    let reply = read(&stage, ".ai/config.yaml");
    assert!(!reply.to_string().contains(theirs), "{reply}");
}

#[test]
fn the_repository_of_a_working_tree_and_the_other_trees_are_hidden() {
    let stage = Stage::new();
    let gone = "/srv/checkout-of-another-machine";
    std::fs::remove_dir_all(stage.path("project/.git")).expect("it is there");
    stage.file("project/.git", &format!("gitdir: {gone}/.git/worktrees/w\n"));
    stage.file("project/a.txt", &format!("{gone}/.git/config {gone}/.git/worktrees/w/HEAD\n"));
    assert_eq!(read(&stage, "a.txt")["data"]["content"], "<git>/config <git>/HEAD\n");
    let reply = read(&stage, ".git");
    assert!(!reply.to_string().contains(gone), "{reply}");

    let main = stage.path("main");
    let main = main.to_str().expect("UTF-8");
    stage.file("main/.git/HEAD", "ref: refs/heads/main\n");
    stage.file("main/.git/worktrees/w/commondir", "../..\n");
    stage.file("project/.git", &format!("gitdir: {main}/.git/worktrees/w\n"));
    stage.file("project/a.txt", &format!("{main}/src {main}/.git/config\n"));
    assert_eq!(read(&stage, "a.txt")["data"]["content"], "<worktree>/src <git>/config\n");
    assert_eq!(read(&stage, ".git")["data"]["content"], "gitdir: <git>\n");

    // The main tree itself, with another tree and a repository that it borrows from.
    let main = Stage::new();
    let other = "/srv/another-tree";
    main.file("project/.git/HEAD", "ref: refs/heads/main\n");
    main.file("project/.git/worktrees/w/gitdir", &format!("{other}/.git\n"));
    main.file("project/.git/objects/info/alternates", "/srv/mirror/objects\n");
    main.file("project/a.txt", &format!("{other}/src /srv/mirror/objects/ab\n"));
    assert_eq!(read(&main, "a.txt")["data"]["content"], "<worktree>/src <git>/ab\n");
}

#[test]
fn folders_of_the_program_outside_the_home_are_hidden() {
    let mut stage = Stage::new();
    stage.setting("XDG_CACHE_HOME", "/var/cache-of-somebody");
    stage.setting("XDG_STATE_HOME", "/var/state-of-somebody");
    let text = "/var/cache-of-somebody/merestone/x /var/state-of-somebody/merestone\n";
    stage.file("project/a.txt", text);
    assert_eq!(read(&stage, "a.txt")["data"]["content"], "<mere>/x <mere>\n");
}
