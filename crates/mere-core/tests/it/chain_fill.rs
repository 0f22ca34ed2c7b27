//! What is put into arguments, what never is, and how much.

use std::collections::BTreeMap;

use mere_core::chain::{
    Chain, EntrypointFault, FillFault, MAX_ARGUMENT_BYTES, MAX_ARGUMENTS, TemplateValues,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::chain::{id, shipped, tool};

/// A script that the primitive runs with these arguments.
fn chain(config: &Value, entrypoint: Option<&str>) -> Chain {
    let rest = "config: {command: [x]}\n\
        env_config: {HOST: {env: HOST}, KEY: {env: KEY}, TOKEN: {secret: K}}\n";
    let mut leaf = tool("leaf", "script", "subprocess", rest);
    if let (Value::Object(leaf), Value::Object(config)) =
        (&mut leaf.manifest["config"], config.clone())
    {
        leaf.extend(config);
    }
    if let Some(entrypoint) = entrypoint {
        leaf.manifest.insert("manifest".to_owned(), json!({ "entrypoint": entrypoint }));
    }
    Chain::new(vec![leaf, shipped("subprocess")]).expect("a chain")
}

fn parameters() -> Map<String, Value> {
    let Value::Object(parameters) = json!({
        "text": "a b", "empty": "", "n": 3, "f": 1.5, "yes": true, "none": null,
        "list": ["x", 1, false, "${text}"], "deep": [["x"]], "map": {"a": 1}, "HOST": "mine",
        "again": "${text}", "zero": "a\u{0}b", "dry-run": "d", "big": "x".repeat(70_000)
    }) else {
        panic!("an object")
    };
    parameters
}

fn fill(chain: &Chain, parameters: &Map<String, Value>) -> Result<Map<String, Value>, FillFault> {
    let environment = [("HOST", "there"), ("OTHER", "not named")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let environment = BTreeMap::from(environment);
    let values = TemplateValues { folder: "/tool", parameters, environment: &environment };
    Ok(chain.config().expect("a config").fill(values)?.value().clone())
}

/// What becomes of the arguments.
fn args(args: &Value) -> Result<Value, FillFault> {
    let chain = chain(&json!({ "args": args }), Some("bin/run.sh"));
    fill(&chain, &parameters()).map(|config| config["args"].clone())
}

#[test]
fn a_template_is_filled_and_stays_one_argument() {
    for (said, expected) in [
        (json!([]), json!([])),
        (json!(["plain", 1, true, 1.5]), json!(["plain", "1", "true", "1.5"])),
        (json!(["${text}", "${n}", "${f}", "${yes}"]), json!(["a b", "3", "1.5", "true"])),
        (json!(["--n=${n}", "${n}${text}!", "${empty}"]), json!(["--n=3", "3a b!", ""])),
        (json!(["${absent:-the default}", "${absent:-}"]), json!(["the default", ""])),
        (json!(["${n:-4}", "${empty:-x}"]), json!(["3", ""])),
        (json!(["${dry-run}"]), json!(["d"])),
        (json!(["$${text}", "$${", "$", "$text"]), json!(["${text}", "${", "$", "$text"])),
        (json!(["${again}", "<${again}>"]), json!(["${text}", "<${text}>"])),
        (json!(["${entrypoint}"]), json!(["/tool/bin/run.sh"])),
        (json!(["${KEY:-none}"]), json!(["none"])),
        (json!("${list}"), json!(["x", "1", "false", "${text}"])),
    ] {
        assert_eq!(args(&said), Ok(expected), "{said}");
    }
}

#[test]
fn what_cannot_be_filled_is_named() {
    let field = || "config.args[1]".to_owned();
    let name = |name: &str| name.to_owned();
    let text = |found| FillFault::NotText { field: "config.args[1]".to_owned(), found };
    for (said, expected) in [
        (json!("${absent}"), FillFault::UnknownName { field: field(), name: name("absent") }),
        (json!("${OTHER}"), FillFault::UnknownName { field: field(), name: name("OTHER") }),
        (json!("${KEY}"), FillFault::UnsetVariable { field: field(), name: name("KEY") }),
        (json!("${TOKEN}"), FillFault::SecretArgument { field: field(), name: name("TOKEN") }),
        (json!("${TOKEN:-x}"), FillFault::SecretArgument { field: field(), name: name("TOKEN") }),
        (json!("${text"), FillFault::Unclosed { field: field() }),
        (json!("${}"), FillFault::InvalidName { field: field() }),
        (json!("${ text }"), FillFault::InvalidName { field: field() }),
        (json!("${text:-${n}}"), FillFault::Nested { field: field() }),
        (json!("${list}"), text("a list")),
        (json!("<${list}>"), text("a list")),
        (json!("${map}"), text("an object")),
        (json!("<${map}>"), text("an object")),
        (json!("${none}"), text("null")),
        (json!("<${none}>"), text("null")),
        (json!("${none:-x}"), text("null")),
        (json!(null), text("null")),
        (json!(["${text}"]), text("a list")),
        (json!({"a": "${text}"}), text("an object")),
        (json!("${zero}"), FillFault::Nul { field: field() }),
        (json!("a\u{0}"), FillFault::Nul { field: field() }),
    ] {
        assert_eq!(args(&json!(["first", said])), Err(expected), "{said}");
    }
    let list = |found| FillFault::NotAList { field: "config.args".to_owned(), found };
    for (said, expected) in [
        (json!("x"), list("a string")),
        (json!("${text}"), list("a string")),
        (json!("${list} "), list("a string")),
        (json!("${absent:-x}"), list("a string")),
        (json!("${n}"), list("a number")),
        (json!("${yes}"), list("true or false")),
        (json!({}), list("an object")),
        (json!(null), list("null")),
        (json!("${deep}"), FillFault::NotText { field: name("config.args[0]"), found: "a list" }),
    ] {
        assert_eq!(args(&said), Err(expected), "{said}");
    }
    let unknown = FillFault::UnknownName { field: field(), name: name("absent") };
    assert_eq!(
        unknown.to_string(),
        "`config.args[1]` needs `absent`, which is neither a parameter nor in `env_config`"
    );
    let unclosed = FillFault::Unclosed { field: field() };
    assert_eq!(
        unclosed.to_string(),
        "`config.args[1]` has a `${` without a `}`; write `$${` for the characters themselves"
    );
}

#[test]
fn a_parameter_comes_before_a_variable() {
    assert_eq!(args(&json!(["${HOST}"])), Ok(json!(["mine"])));
    let chain = chain(&json!({"args": ["${HOST}"]}), None);
    let config = fill(&chain, &Map::new()).expect("filled");
    assert_eq!(config["args"], json!(["there"]));
}

#[test]
fn texts_of_the_config_are_filled_and_keep_their_types() {
    let said = json!({
        "command": ["${text}"], "stdin": "<${text}>", "timeout_s": "${seconds:-7}",
        "whole": "${list}", "other": ["${text}"],
        "env_config": {"A": {"value": "${text}"}}
    });
    let leaf = tool("leaf", "script", "subprocess", "config: {command: [x]}\n");
    let mut members = vec![leaf, shipped("subprocess")];
    members[0].manifest.insert("config".to_owned(), said.clone());
    let chain = Chain::new(members).expect("a chain");
    let mut parameters = parameters();
    parameters.insert("list".to_owned(), json!([1, "${text}"]));
    let config = fill(&chain, &parameters).expect("filled");
    assert_eq!(config["command"], json!(["a b"]));
    assert_eq!((&config["stdin"], &config["timeout_s"]), (&json!("<a b>"), &json!(7)));
    assert_eq!(config["whole"], json!([1, "${text}"]));
    // Values are filled at any depth; the sources of variables never are.
    assert_eq!(config["other"], json!(["a b"]));
    assert_eq!(config["env_config"], said["env_config"]);
    parameters.insert("seconds".to_owned(), json!(2.5));
    assert_eq!(fill(&chain, &parameters).expect("filled")["timeout_s"], json!(2.5));
}

#[test]
fn the_entrypoint_is_a_file_of_the_tool() {
    let said = json!({"command": ["${entrypoint}", "${entrypoint:-none}"]});
    let none = chain(&said, None);
    let unknown = FillFault::UnknownName {
        field: "config.command[0]".to_owned(),
        name: "entrypoint".to_owned(),
    };
    assert_eq!(fill(&none, &parameters()), Err(unknown));
    let run = chain(&said, Some("run"));
    let filled = fill(&run, &parameters()).expect("filled");
    assert_eq!(filled["command"], json!(["/tool/run", "/tool/run"]));
    let found = run.entrypoint().expect("no fault").expect("a file");
    assert_eq!((found.tool_index(), found.path().as_str()), (0, "run"));

    let mut taken = parameters();
    taken.insert("entrypoint".to_owned(), json!("/etc/passwd"));
    assert_eq!(fill(&run, &taken), Err(FillFault::ReservedParameter));

    // A runtime of somebody's own need not look at it.
    let rest = "config: {command: [own, \"${entrypoint}\"]}\n\
                validation: {child_schemas: [{match: {}, schema: true}]}\n";
    for path in ["../x", "/x", "-c", ""] {
        let rest = rest.to_owned();
        let leaf = tool("leaf", "script", "own", &format!("manifest: {{entrypoint: \"{path}\"}}"));
        let own = tool("own", "runtime", "subprocess", &rest);
        let chain = Chain::new(vec![leaf, own, shipped("subprocess")]).expect("a chain");
        let fault = FillFault::Entrypoint(EntrypointFault { link: id("leaf") });
        assert_eq!(fill(&chain, &parameters()), Err(fault), "{path}");
    }
}

#[test]
fn arguments_are_bounded() {
    let many = |count: usize| args(&json!(vec!["x"; count]));
    assert!(many(MAX_ARGUMENTS - 1).is_ok());
    assert_eq!(many(MAX_ARGUMENTS), Err(FillFault::TooMany { field: "config.args".to_owned() }));
    let long = |index: usize| FillFault::TooLong { field: format!("config.args[{index}]") };
    // `x` and the zeros of both count too.
    let most = MAX_ARGUMENT_BYTES - 3;
    assert!(args(&json!(["a".repeat(most)])).is_ok());
    assert_eq!(args(&json!(["a".repeat(most + 1)])), Err(long(0)));
    assert_eq!(args(&json!(["${big}", "${big}"])), Err(long(1)));
    assert_eq!(args(&json!(["${big}".repeat(10_000)])), Err(long(0)));
}

fn texts() -> impl Strategy<Value = String> {
    let parts = ["${a}", "${b:-x}", "${", "}", "$", "$${", "a", "${HOST}", ":-", "{", "é", "\\"];
    let made =
        prop::collection::vec(select(parts.to_vec()), 0..12).prop_map(|parts| parts.concat());
    prop_oneof![made, any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_filled_or_refused(text in texts()) {
        let said = json!({"args": [text], "command": ["x", text]});
        let _ = fill(&chain(&said, None), &parameters());
        let _ = fill(&chain(&json!({ "args": text }), None), &parameters());
    }

    /// Whatever is put in stands there as it was, once.
    #[test]
    fn nothing_is_expanded_twice(value in texts(), before in "[a-z ]*", after in "[a-z} ]*") {
        let parameters = Map::from_iter([
            ("p".to_owned(), Value::from(value.as_str())),
            ("a".to_owned(), Value::from("EXPANDED")),
            ("b".to_owned(), Value::from("EXPANDED")),
        ]);
        let said = json!({"args": [format!("{before}${{p}}{after}"), "${p}"]});
        match fill(&chain(&said, None), &parameters) {
            Ok(config) => {
                prop_assert_eq!(&config["args"][0], &json!(format!("{before}{value}{after}")));
                prop_assert_eq!(&config["args"][1], &json!(value));
            }
            Err(fault) => {
                let field = "config.args[0]".to_owned();
                prop_assert_eq!(fault, FillFault::Nul { field });
                prop_assert!(value.contains('\0'));
            }
        }
    }
}
