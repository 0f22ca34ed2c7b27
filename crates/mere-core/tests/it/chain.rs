//! Which tools make a chain, and what is said of those that do not.

use mere_core::address::RelPath;
use mere_core::chain::{Chain, ChainFault, ChainTool, MAX_CHAIN_LENGTH, builtin};
use mere_core::item::{ItemId, Scope, ScopedPath, ToolManifest};
use serde_json::json;

pub(crate) fn id(text: &str) -> ItemId {
    text.parse().expect("an id")
}

pub(crate) fn shipped(name: &str) -> ChainTool {
    builtin::find(&id(name)).expect(name)
}

/// Somebody's tool: its id, its kind and what runs it, and the rest of its manifest. A name that is kept is
/// given to it afterwards: no manifest with one is read.
pub(crate) fn tool(name: &str, kind: &str, executor: &str, rest: &str) -> ChainTool {
    if builtin::is_reserved(&id(name)) {
        let mut member = tool("own", kind, executor, rest);
        member.pin.id = id(name);
        member.manifest.insert("tool_id".to_owned(), json!(name));
        return member;
    }
    let path = format!("tools/data/{name}.yaml").parse::<RelPath>().expect("a path");
    let at = ScopedPath::from_space_path(Scope::Project, &path).expect("an item");
    let executor = match executor {
        "" => String::new(),
        executor => format!("executor_id: {executor}\n"),
    };
    let text = format!("tool_id: {name}\ntool_type: {kind}\n{executor}version: \"1.2.0\"\n{rest}");
    let tool = ToolManifest::parse(&text, &at).expect(&text);
    let integrity = tool.integrity(&at, &[]);
    ChainTool::new(tool, &at, integrity)
}

pub(crate) fn script(name: &str, executor: &str, entrypoint: &str) -> ChainTool {
    tool(name, "script", executor, &format!("manifest: {{entrypoint: \"{entrypoint}\"}}\n"))
}

/// A tool that runs anything.
fn open(name: &str, kind: &str, executor: &str) -> ChainTool {
    let rest = "validation: {child_schemas: [{match: {}, schema: true}]}\n\
                config: {command: [x]}\n";
    tool(name, kind, executor, rest)
}

fn word() -> Vec<ChainTool> {
    let word = script("word", "python_runtime", "word.py");
    vec![word, shipped("python_runtime"), shipped("subprocess")]
}

/// A chain of so many tools.
fn long(length: usize) -> Vec<ChainTool> {
    let mut members = vec![shipped("subprocess")];
    for number in 1..length {
        let executor = members[0].pin.id.to_string();
        members.insert(0, open(&format!("t{number}"), "script", &executor));
    }
    members
}

fn refused(members: Vec<ChainTool>, expected: &ChainFault) {
    let fault = Chain::new(members).expect_err("no chain");
    assert_eq!(&fault, expected, "{fault}");
}

#[test]
fn tools_that_fit_are_a_chain() {
    let chain = Chain::new(word()).expect("a chain");
    assert_eq!(chain.tools(), word());
    assert_eq!((chain.leaf(), chain.primitive()), (&word()[0], &word()[2]));
    let pins = chain.pins().map(|pin| pin.id.as_str()).collect::<Vec<_>>();
    assert_eq!(pins, ["word", "python_runtime", "subprocess"]);

    let alone = Chain::new(vec![shipped("subprocess")]).expect("a chain");
    assert_eq!(alone.leaf(), alone.primitive());
    Chain::new(long(MAX_CHAIN_LENGTH)).expect("a chain");
    let runtime = open("ruby_runtime", "runtime", "subprocess");
    let ruby = tool("ruby", "script", "ruby_runtime", "");
    Chain::new(vec![ruby, runtime, shipped("subprocess")]).expect("a chain");
}

#[test]
fn how_long_a_chain_is() {
    refused(vec![], &ChainFault::Empty);
    refused(long(MAX_CHAIN_LENGTH + 1), &ChainFault::TooDeep { found: 11 });
    let circle = [open("a", "script", "b"), open("b", "script", "a")];
    let around = circle.iter().cycle().take(50).cloned().collect();
    refused(around, &ChainFault::Cycle { link: id("a") });
    let again = vec![open("a", "script", "a"), open("a", "script", "a")];
    refused(again, &ChainFault::Cycle { link: id("a") });
}

#[test]
fn each_tool_is_run_by_the_next() {
    let [leaf, python, subprocess] = <[ChainTool; 3]>::try_from(word()).expect("three");
    let unlinked = ChainFault::WrongExecutor {
        link: id("word"),
        expected: id("python_runtime"),
        found: id("node_runtime"),
    };
    refused(vec![leaf.clone(), shipped("node_runtime"), subprocess], &unlinked);
    let unfinished =
        ChainFault::MissingExecutor { link: id("python_runtime"), executor: id("subprocess") };
    refused(vec![leaf.clone(), python], &unfinished);
    let unfinished =
        ChainFault::MissingExecutor { link: id("word"), executor: id("python_runtime") };
    refused(vec![leaf], &unfinished);
}

#[test]
fn a_chain_ends_in_a_primitive_that_ships() {
    let within = ChainFault::PrimitiveNotLast { link: id("mine") };
    refused(vec![open("mine", "primitive", "subprocess"), shipped("subprocess")], &within);
    refused(vec![open("mine", "primitive", ""), shipped("subprocess")], &within);
    let leaf = open("leaf", "script", "mine");
    for executor in ["", "subprocess"] {
        let own = ChainFault::EndsWithoutPrimitive { link: id("mine") };
        refused(vec![leaf.clone(), open("mine", "primitive", executor)], &own);
    }
    let mut bare = open("mine", "script", "x");
    bare.pin.executor = None;
    bare.manifest.remove("executor_id");
    refused(vec![leaf, bare], &ChainFault::EndsWithoutPrimitive { link: id("mine") });
}

#[test]
fn nobody_shadows_what_ships() {
    for name in ["subprocess", "python_runtime", "http_client"] {
        let own = open(name, "primitive", "");
        let expected = ChainFault::ReservedName { link: id(name), scope: Scope::Project };
        refused(vec![open("leaf", "script", name), own], &expected);
    }
    let mut own = open("mine", "primitive", "");
    own.pin.scope = None;
    refused(vec![own], &ChainFault::NotBuiltin { link: id("mine") });
    let mut changed = word();
    changed[1].manifest.insert("config".to_owned(), json!({"command": ["sh"]}));
    refused(changed, &ChainFault::NotBuiltin { link: id("python_runtime") });
    let mut changed = word();
    changed[2].pin.integrity = changed[1].pin.integrity;
    refused(changed, &ChainFault::NotBuiltin { link: id("subprocess") });
}

#[test]
fn a_manifest_says_what_is_pinned() {
    for (field, value, expected) in [
        ("tool_id", json!("other"), "`word`"),
        ("version", json!("1.2.1"), "`1.2.0`"),
        ("version", json!(1), "`1.2.0`"),
        ("executor_id", json!("subprocess"), "`python_runtime`"),
        ("executor_id", json!(null), "`python_runtime`"),
        ("category", json!("elsewhere"), "`data`"),
        ("category", json!([]), "`data`"),
        ("tool_type", json!(null), "a tool type"),
    ] {
        let mut members = word();
        members[0].manifest.insert(field.to_owned(), value);
        let (link, expected) = (id("word"), expected.to_owned());
        refused(members, &ChainFault::ManifestMismatch { link, field, expected });
    }
    let mut members = word();
    members[0].pin.executor = None;
    let (link, field) = (id("word"), "executor_id");
    refused(
        members,
        &ChainFault::ManifestMismatch { link, field, expected: "left out".to_owned() },
    );
    let mut members = word();
    members[0].pin.executor = None;
    members[0].manifest.remove("executor_id");
    let (link, expected) = (id("word"), "`python_runtime`".to_owned());
    refused(members, &ChainFault::ManifestMismatch { link, field, expected });
}

#[test]
fn faults_say_which_link_and_field() {
    for (fault, expected) in [
        (
            Chain::new(vec![script("word", "python_runtime", "x.py")]),
            "`executor_id` of `word` is `python_runtime`, which is not in the chain",
        ),
        (
            Chain::new(vec![script("word", "mcp_client", "x.py")]),
            "`executor_id` of `word` is `mcp_client`, which is not in the chain",
        ),
        (
            Chain::new(vec![tool("bash_runtime", "primitive", "", "")]),
            "`bash_runtime` is a reserved name; a tool in scope project must not use it",
        ),
        (
            Chain::new(vec![
                script("word", "python_runtime", "x.sh"),
                shipped("python_runtime"),
                shipped("subprocess"),
            ]),
            "`python_runtime` does not run `word`: its `validation.child_schemas[0].schema` \
             refuses the manifest: `/manifest/entrypoint` must match the pattern \
             `^[^-./\\\\][^/\\\\]*(/[^./\\\\][^/\\\\]*)*[.]py$`",
        ),
    ] {
        assert_eq!(fault.expect_err(expected).to_string(), expected);
    }
}
