//! What people see: each kind of reply is printed from a real reply of its command.
//!
//! The printer reads every reply into a type of its own. A field that the engine calls by another
//! name makes the command fail, so each command is run here once, and its optional fields are
//! looked for in what it prints.

use crate::support::harness::Stage;
use crate::support::typist::Typist;

/// Runs a command and checks its exit status and parts of what it prints on either stream.
fn check(stage: &Stage, command: &str, status: i32, parts: &[&str]) -> String {
    let words = command.split(' ').collect::<Vec<_>>();
    let output = stage.person(&words);
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8(printed).expect("UTF-8");
    assert!(!printed.contains("internal error"), "{command}: {printed}");
    assert_eq!(output.status.code(), Some(status), "{command}: {printed}");
    for part in parts {
        assert!(printed.contains(part), "{command} prints no {part:?}: {printed}");
    }
    printed
}

/// A project with a space that has examples, and a user whose key signs unattended.
fn space() -> Stage {
    let stage = Stage::new();
    stage.file("home/.ai/config.yaml", "sign: {unattended: true}\n");
    let made =
        ["is now a space", "  + .ai/space.json", "generated now", "Try next:\n", "/mere list\n"];
    check(&stage, "init", 0, &made);
    stage
}

const RETRIES: &str = "---\nid: retries\ntitle: Retries\nextends: [nowhere]\n---\n# Retries\n";

#[test]
fn items_are_printed() {
    let stage = space();
    check(&stage, "init", 0, &["nothing was changed", "(yours)"]);
    stage.file("project/.ai/knowledge/api/retries.md", RETRIES);
    stage.file("project/.ai/knowledge/net/retries.md", &RETRIES.replace("Retries", "Others"));
    stage.file("project/.ai/knowledge/api/broken.md", "---\nid: [\n---\n");
    let rows = ["verified  How items work", "Greet somebody", "1.0.0    project", "BROKEN: line 2"];
    check(&stage, "list", 0, &rows);
    check(&stage, "show note how-items-work", 0, &["# How items work"]);
    check(&stage, "show note retries", 1, &["api/retries  ROOT_PROJECT:/.ai/knowledge/api/re"]);
    let why =
        ["→  ROOT_PROJECT:/.ai", "the project's item wins", "author's signature: you (SHA256"];
    check(&stage, "why tool hello_tool", 0, &why);
    check(&stage, "why note api/broken", 0, &["  line 2, column 5: ", "  Write each key once"]);
    check(&stage, "index", 0, &["project: 8 items\n", "The index has"]);
    check(&stage, "index --check", 0, &["project: up to date\n", "a fresh scan"]);
    check(&stage, "graph", 0, &["retries"]);
    let found =
        ["✗ dangling: .ai/knowledge/api/retries.md", "    Write that entry", "mere: Some li"];
    check(&stage, "graph --check", 4, &found);
    check(&stage, "doctor", 4, &["✓ keys: ", "✗ items: ", "wrong."]);
    check(&stage, "config check", 0, &["ROOT_USER:/config.yaml: valid"]);
    stage.file("project/.ai/config.yaml", "stores: [\n");
    check(
        &stage,
        "config check",
        4,
        &[".ai/config.yaml: wrong\n  ROOT_PROJECT", "not well-formed"],
    );
}

#[test]
fn changes_are_printed() {
    let stage = space();
    stage.file("project/.ai/knowledge/api/retries.md", RETRIES);
    let link = "---\nid: linker\ntitle: L\n---\n[[api/retries]]\n";
    stage.file("project/.ai/knowledge/linker.md", link);
    stage.file("project/.ai/knowledge/signed.md", &link.replace("linker", "signed"));
    stage.file("project/.ai/knowledge/signed.md.sig", "{}");
    check(&stage, "new note plain", 0, &["plain.md was created.\n"]);
    let links = ["Moved ROOT", "  links changed in ROOT_PROJECT:/.ai/knowledge/linker.md\n"];
    let printed = check(&stage, "rename note retries again", 0, &links);
    let proposed =
        "  proposed for a note that somebody else signed: ROOT_PROJECT:/.ai/knowledge/signed.md";
    assert!(printed.contains(proposed), "{printed}");
    check(&stage, "move note again net", 0, &["  links changed in ROOT"]);
    check(&stage, "copy note net/again --to user", 0, &["Copied to ROOT_USER:/knowledge/net/"]);
    check(
        &stage,
        "delete note net/again",
        1,
        &["mere: ROOT_PROJECT:/.ai/knowledge/net/again.md was not deleted; use `--yes` if"],
    );
    check(&stage, "delete note net/again --yes", 0, &["was deleted"]);
    let list = check(&stage, "review --list", 0, &["  update  knowledge  signed\n"]);
    let name = list.split(' ').next().expect("a name");
    let shown =
        ["default proposes to update the knowledge entry signed\n", "signed.md\n", "\ndigest "];
    check(&stage, &format!("review --show {name}"), 0, &shown);
    check(&stage, &format!("review --reject {name}"), 0, &["was rejected"]);
    check(&stage, "review", 0, &["There are no proposals."]);
}

#[test]
fn signatures_are_printed() {
    let stage = space();
    stage.file("project/.ai/knowledge/api/retries.md", RETRIES);
    stage.file("project/.ai/knowledge/api/broken.md", "---\nid: [\n---\n");
    let plan =
        ["knowledge api/retries\nROOT_PROJECT", " · unsigned\n\nretries.md\n+---\n", "compared"];
    check(&stage, "sign --dry-run note api/retries", 0, &plan);
    let expected = ["broken.md cannot be signed: line 2", "signed knowledge api/retries\n"];
    check(&stage, "sign --all --yes", 1, &expected);
    stage.file("project/.ai/knowledge/api/retries.md", &(RETRIES.to_owned() + "changed\n"));
    let findings =
        ["changed ROOT_PROJECT:/.ai/knowledge/api/retries.md\n  is not what", "  Look at"];
    check(&stage, "verify", 4, &findings);
    check(&stage, "verify --staged", 1, &["git"]);
    let (status, printed) = Typist::start(&stage, "show note api/retries").finish();
    assert_eq!(status, 4, "{printed}");
    assert!(printed.contains("knowledge api/retries"), "{printed}");
    assert!(printed.contains("/api/retries.md) · changed\n"), "{printed}");
    check(&stage, "draft note api/retries", 0, &["is now a draft"]);
}

#[test]
fn searches_and_runs_are_printed() {
    let stage = space();
    stage.file("project/.ai/knowledge/api/retries.md", RETRIES);
    let hit =
        ["Knowledge\n  Retries  api/retries · project · unsigned · ", "    # Retries", "1 match"];
    check(&stage, "search retries", 0, &hit);
    check(&stage, "search retries --unified", 0, &["  Retries  knowledge · api/retries · proj"]);
    check(&stage, "search zzzqqq", 0, &["No matches."]);
    check(&stage, "model list", 0, &["→  static    built in, ", "fetch minilm`, 640 dimensions"]);
    let chain =
        ["hello_tool 1.0.0  verified  project examples  ", "└─ python_runtime", "  timeout_s: 60"];
    check(&stage, "chain hello_tool", 0, &chain);
    check(&stage, "chain hello_tool", 0, &["pinned by .ai/lockfiles/examples/hello_tool@1.0.0"]);
    check(&stage, "run hello_tool --dry-run", 0, &["this is a dry run.\n  /", "/hello_tool.py\n"]);
    check(
        &stage,
        "run hello_tool -p nam=Ada",
        1,
        &["mere: The inputs", "      - `nam` is unknown; did you mean `name`?"],
    );
    check(&stage, "lock hello_tool", 0, &["it pins 3 links."]);
    check(&stage, "lock --check", 0, &["1 lockfile matches."]);
    stage.file("project/.ai/tools/examples/hello_tool.py", "print(1)\n");
    check(
        &stage,
        "lock --check",
        4,
        &["✗ .ai/lockfiles/examples/hello_tool@1.0.0.lock.json\n    "],
    );
    check(&stage, "chain hello_tool", 4, &["mere: "]);
    stage.file("project/.ai/tools/examples/hello_tool.yaml.sig", "");
    let removed =
        std::fs::remove_file(stage.path("project/.ai/tools/examples/hello_tool.yaml.sig"));
    removed.expect("a sidecar");
    check(&stage, "chain hello_tool", 0, &["hello_tool 1.0.0  unsigned  ", "not run: "]);
}

#[test]
fn memories_and_stores_are_printed() {
    let stage = space();
    let init =
        ["is configured", "  + .ai/memory/todo/", "  in .ai/config.yaml", "Try next:\n  mere"];
    check(&stage, "store init cortex --template team", 0, &init);
    let stores =
        ["→ cortex · strict · ROOT_PROJECT:/.ai/memory/\n    Shared notes", "\n      testing  "];
    check(&stage, "store list", 0, &stores);
    check(&stage, "store sync", 0, &["All configured categories exist.\n"]);
    let create = "memory create todo/a text --tag x --citation y --source z --expires-at 30d";
    check(&stage, create, 0, &["was created"]);
    let (_, printed) = Typist::start(&stage, "memory get todo/a").finish();
    for part in ["todo/a · ROOT", "tags: x", "· expires 20", "source: z", "based on: y", "text"] {
        assert!(printed.contains(part), "no {part:?}: {printed}");
    }
    let list = ["todo/a", "x     a", "todo/", "1         Open tasks"];
    check(&stage, "memory list todo", 0, &list[..2]);
    check(&stage, "category list", 0, &list[2..]);
    check(&stage, "memory create b text", 0, &[]);
    check(&stage, "memory list --limit 1", 0, &["1 of 3 memories; 2 more."]);
    stage.file("project/.ai/memory/bad.md", "---\nexpires_at: [\n---\n");
    let old = "---\nexpires_at: 2020-01-01T00:00:00Z\n---\nOld\n";
    stage.file("project/.ai/memory/old.md", old);
    check(&stage, "memory list", 0, &["(not valid) bad"]);
    check(&stage, "memory prune", 1, &["- old\n1 memory has expired.\n"]);
    check(&stage, "memory prune --yes", 0, &["- old\n1 expired memory was deleted.\n"]);
    check(&stage, "store reindex", 4, &["bad: line 2", "mere: "]);
}

#[test]
fn keys_and_teams_are_printed() {
    let stage = space();
    check(&stage, "keys list", 0, &["→  SHA256:", "  no passphrase  "]);
    let public = check(&stage, "keys export", 0, &["ssh-ed25519 "]);
    check(&stage, "team show", 0, &["The space has no team."]);
    check(&stage, "team init --name ada", 0, &[]);
    stage.file("beside/bob.pub", &ssh_key(&stage));
    let bob = stage.path("beside/bob.pub");
    let bob = bob.to_str().expect("UTF-8");
    let limits = "--types tool --categories api --not-after 2030-01-02";
    check(&stage, &format!("team add bob {bob} {limits}"), 0, &["is now a member of the team"]);
    let team =
        ["space      project ", "serial     2\n", "\nAdmins\nSHA256:", " ada (you) signed\n"];
    check(&stage, "team show", 0, &team);
    check(&stage, "team show", 0, &["\nMembers\n", "tool, in api, until 2030-01-02\n"]);
    check(&stage, "team remove bob", 0, &["is no longer in the team"]);
    check(&stage, "leave --yes", 0, &[]);
    let plan = ["Whose signatures would count.\n", "\nspace      project ", "Admins"];
    check(&stage, "join", 1, &plan);
    let add = format!("trust add {bob} --name bob --type tool");
    check(&stage, &add, 0, &["(bob) is trusted within its limits.\n  type tool\n"]);
    check(&stage, "trust list", 0, &["  bob   type tool\n"]);
    check(&stage, "trust revoke bob", 0, &["is revoked"]);
    check(&stage, "trust list", 0, &["  bob   REVOKED\n"]);
    let generated = check(&stage, "keys generate --no-passphrase", 0, &["\n  /"]);
    assert!(!generated.contains(public.trim()), "{generated}");
    check(&stage, "keys rotate --no-passphrase", 0, &["{\n  \"rotation\": {", "mere: SHA256:"]);
    let proof = stage.path("beside/proof.json");
    let rotate = format!("keys rotate --no-passphrase --out {}", proof.to_str().expect("UTF-8"));
    check(&stage, &rotate, 0, &["The proof is in /", "proof.json.\n"]);
}

/// The public key of somebody else.
fn ssh_key(stage: &Stage) -> String {
    let mut command = stage.command("project");
    let elsewhere = command.env("HOME", stage.folder("other"));
    let generated = elsewhere.args(["keys", "generate", "--no-passphrase"]).output();
    assert!(generated.expect("mere runs").status.success());
    let mut command = stage.command("project");
    let elsewhere = command.env("HOME", stage.path("other"));
    let exported = elsewhere.args(["keys", "export"]).output().expect("mere runs");
    String::from_utf8(exported.stdout).expect("UTF-8")
}

#[test]
fn a_rotation_that_is_refused_names_no_proof() {
    let stage = space();
    let key = stage.path("home/.config/merestone/keys/id_ed25519");
    check(&stage, "keys generate --no-passphrase --name other", 0, &[]);
    let other = stage.path("home/.config/merestone/keys/other");
    std::fs::copy(other, key).expect("another key in its file");
    let printed = check(&stage, "keys rotate --no-passphrase", 4, &["does not hold SHA256:"]);
    assert!(!printed.contains("The proof is in"), "{printed}");
    assert_eq!(printed.matches("does not hold").count(), 1, "{printed}");
}

#[test]
fn files_are_printed() {
    let stage = Stage::new();
    stage.file("project/src/a.rs", "fn main() {\n    let x = 1;\n}\n");
    stage.file("project/src/deep/b.rs", "let key = \"AKIAIOSFODNN7EXAMPLQ\";\n");
    stage.file("project/empty.txt", "");
    let png = stage.path("project/a.png");
    std::fs::write(png, b"\x89PNG\r\n\x1a\n\0\0").expect("a picture");
    check(&stage, "read src/a.rs", 0, &["fn main() {\n    let x = 1;\n}\n"]);
    check(&stage, "read src/a.rs --offset 2 --limit 1", 0, &["    let x = 1;\n"]);
    check(&stage, "read a.png", 0, &["binary file, image/png, 10 bytes\n"]);
    check(&stage, "read empty.txt", 0, &["mere: ROOT_PROJECT:/empty.txt is empty."]);
    check(&stage, "read src/deep/b.rs", 0, &["[masked]", "secrets are masked: 1;"]);
    check(&stage, "read nothing", 1, &["there is no such file or folder"]);
    check(&stage, "glob **/*.rs --limit 1", 0, &["src/a.rs\n"]);
    let lines =
        ["src/a.rs-1-fn main() {\n", "src/a.rs:2:    let x", "src/a.rs-3-}\n", "masked: 1;"];
    check(&stage, "grep let --context 1", 0, &lines);
    check(&stage, "tree", 0, &["src/\nsrc/deep/\n"]);
}
