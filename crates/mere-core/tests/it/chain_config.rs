//! What the tools of a chain say together, and what is run in the end.

use std::collections::BTreeMap;
use std::time::Duration;

use mere_core::chain::{
    Chain, ChainConfigFault, ChainTool, EnvSource, PrimitiveFault, Stdin, Subprocess,
    TemplateValues, ToolAction,
};
use serde_json::{Map, Value, json};

use crate::chain::{id, script, shipped, tool};

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("an object") };
    map
}

/// A tool over a runtime over the primitive, the first two with these manifests beside what they
/// need.
fn chain(leaf: Value, runtime: Value) -> Chain {
    let open = "validation: {child_schemas: [{match: {}, schema: true}]}\n\
                config: {command: [own]}\n";
    let mut members = [
        tool("leaf", "script", "own", ""),
        tool("own", "runtime", "subprocess", open),
        shipped("subprocess"),
    ];
    members[0].manifest.extend(object(leaf));
    members[1].manifest.extend(object(runtime));
    Chain::new(members.into()).expect("a chain")
}

fn merged(leaf: Value, runtime: Value) -> Value {
    let chain = chain(leaf, runtime);
    Value::Object(chain.config().expect("a config").value().clone())
}

#[test]
fn the_leaf_has_the_last_word() {
    let command = |more: Value| {
        let mut config = object(json!({"command": ["own"]}));
        config.extend(object(more));
        json!({ "config": config })
    };
    for (leaf, runtime, expected) in [
        (
            json!({}),
            json!({}),
            json!({"args": [], "stdin": "json", "timeout_s": 60, "command": ["own"]}),
        ),
        (
            json!({"config": {"args": ["b"], "stdin": "none"}}),
            command(json!({"args": ["a", "a"], "timeout_s": 5})),
            json!({"args": ["b"], "stdin": "none", "timeout_s": 5, "command": ["own"]}),
        ),
        (
            json!({"config": {"x": {"deep": {"b": 2}, "gone": null, "new": 1}, "timeout_s": null}}),
            command(json!({"x": {"deep": {"a": 1, "b": 1}, "gone": {"c": 1}, "old": [1]}})),
            json!({
                "args": [], "stdin": "json", "timeout_s": null, "command": ["own"],
                "x": {"deep": {"a": 1, "b": 2}, "gone": null, "old": [1], "new": 1}
            }),
        ),
        (
            json!({"config": {"x": 1, "y": {"a": 1}}}),
            command(json!({"x": {"a": 1}, "y": 1})),
            json!({
                "args": [], "stdin": "json", "timeout_s": 60, "command": ["own"],
                "x": 1, "y": {"a": 1}
            }),
        ),
    ] {
        assert_eq!(merged(leaf, runtime), expected);
    }
}

#[test]
fn variables_are_replaced_and_never_mixed() {
    let runtime = json!({"env_config": {"A": {"value": "1"}, "B": {"env": "LANG"}}});
    let leaf = json!({"config": {"env_config": {"C": {"value": ""}, "A": {"secret": "KEY"}}}});
    let expected = json!({"A": {"secret": "KEY"}, "B": {"env": "LANG"}, "C": {"value": ""}});
    assert_eq!(merged(leaf.clone(), runtime.clone())["env_config"], expected);
    let chain = chain(leaf, runtime);
    let sources = chain.config().expect("a config").environment().expect("sources");
    let text = |text: &str| text.to_owned();
    let expected = [
        (text("A"), EnvSource::Secret("KEY".parse().expect("a name"))),
        (text("B"), EnvSource::Env(text("LANG"))),
        (text("C"), EnvSource::Value(text(""))),
    ];
    assert_eq!(sources, expected);
}

/// A value that lies so many levels below a mapping.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!({ "a": inner }))
}

#[test]
fn what_cannot_be_merged_is_refused() {
    let link = || id("leaf");
    let variable = |field, name: &str| ChainConfigFault::VariableSource {
        link: id("leaf"),
        field,
        name: name.to_owned(),
    };
    for (leaf, expected) in [
        (json!({"config": []}), ChainConfigFault::NotAMapping { link: link(), field: "config" }),
        (json!({"config": null}), ChainConfigFault::NotAMapping { link: link(), field: "config" }),
        (
            json!({"config": {"env_config": null}}),
            ChainConfigFault::NotAMapping { link: link(), field: "config.env_config" },
        ),
        (
            json!({"env_config": "A=b"}),
            ChainConfigFault::NotAMapping { link: link(), field: "env_config" },
        ),
        (
            json!({"config": {"env_config": {}}, "env_config": {}}),
            ChainConfigFault::DuplicateEnvConfig { link: link() },
        ),
        (
            json!({"config": nested(33)}),
            ChainConfigFault::TooNested { link: link(), field: "config" },
        ),
        (
            json!({"env_config": nested(33)}),
            ChainConfigFault::TooNested { link: link(), field: "env_config" },
        ),
        (
            json!({"env_config": {"A-B": {"value": "x"}}}),
            ChainConfigFault::VariableName { link: link(), field: "env_config" },
        ),
        (
            json!({"config": {"env_config": {"A": {"value": 1}}}}),
            variable("config.env_config", "A"),
        ),
        (json!({"env_config": {"A": {"value": "x", "env": "B"}}}), variable("env_config", "A")),
    ] {
        let chain = chain(leaf.clone(), json!({}));
        let fault = chain.config().and_then(|config| config.environment()).expect_err("a fault");
        assert_eq!(fault, expected, "{leaf}");
    }
    assert_eq!(merged(json!({"config": {"x": nested(31)}}), json!({}))["x"], nested(31));
    assert_eq!(
        variable("env_config", "A").to_string(),
        "`env_config.A` of `leaf` must have exactly one of `secret`, `env` and `value`, set to a \
         string"
    );
}

#[test]
fn a_variable_that_is_overruled_must_be_one_too() {
    let leaf = json!({"env_config": {"A": {"value": "x"}}});
    let chain = chain(leaf, json!({"env_config": {"A": {"value": 1}}}));
    let fault = chain.config().expect("a config").environment().expect_err("a fault");
    let (link, field, name) = (id("own"), "env_config", "A".to_owned());
    assert_eq!(fault, ChainConfigFault::VariableSource { link, field, name });
}

fn run(chain: &Chain, parameters: Value) -> Result<Subprocess, PrimitiveFault> {
    let (parameters, environment) = (object(parameters), BTreeMap::new());
    let values =
        TemplateValues { folder: "/tool", parameters: &parameters, environment: &environment };
    match chain.config().expect("a config").fill(values).expect("filled").action()? {
        ToolAction::Subprocess(subprocess) => Ok(subprocess),
        ToolAction::Http(request) => panic!("a request: {request:?}"),
        ToolAction::Mcp(call) => panic!("a call: {call:?}"),
    }
}

#[test]
fn a_script_is_run_by_its_runtime() {
    let python = |rest: &str| {
        let rest = format!("manifest: {{entrypoint: src/word.py}}\n{rest}");
        let leaf = tool("word", "script", "python_runtime", &rest);
        vec![leaf, shipped("python_runtime"), shipped("subprocess")]
    };
    let other = |runtime: &str, entrypoint: &str| {
        vec![script("word", runtime, entrypoint), shipped(runtime), shipped("subprocess")]
    };
    let chain = |members: Vec<ChainTool>| Chain::new(members).expect("a chain");
    let half = Duration::from_millis(500);
    for (chain, argv, stdin, timeout) in [
        (chain(python("")), "python3 -s /tool/src/word.py", Stdin::Json, Duration::from_mins(1)),
        (
            chain(python(
                "config: {args: [--count, 3, \"${n}\", true], stdin: none, timeout_s: 0.5}",
            )),
            "python3 -s /tool/src/word.py --count 3 7 true",
            Stdin::None,
            half,
        ),
        (
            chain(other("node_runtime", "a.mjs")),
            "node /tool/a.mjs",
            Stdin::Json,
            Duration::from_mins(1),
        ),
        (
            chain(other("bash_runtime", "a.sh")),
            "bash --noprofile --norc /tool/a.sh",
            Stdin::Json,
            Duration::from_mins(1),
        ),
    ] {
        let run = run(&chain, json!({"n": 7})).expect(argv);
        assert_eq!(run.argv, argv.split(' ').collect::<Vec<_>>());
        assert_eq!((run.stdin, run.timeout), (stdin, timeout));
    }
    let chain = chain(python(""));
    let names = chain.config().expect("a config").environment().expect("sources");
    let value = |text: &str| EnvSource::Value(text.to_owned());
    let expected = [
        ("PYTHONDONTWRITEBYTECODE".to_owned(), value("1")),
        ("PYTHONUNBUFFERED".to_owned(), value("1")),
        ("PYTHONPATH".to_owned(), value("/packages")),
    ];
    assert_eq!(names, expected);
}

/// Who refuses a config with this leaf, and where.
fn refusal(leaf: Value, runtime: Value) -> (String, Vec<String>) {
    match run(&chain(leaf, runtime), json!({})) {
        Err(PrimitiveFault::SchemaMismatch { link, problems }) => {
            (link.to_string(), problems.into_iter().map(|problem| problem.pointer).collect())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_primitive_says_what_a_config_is() {
    for (config, at) in [
        (json!({"command": []}), "/command"),
        (json!({"command": [""]}), "/command/0"),
        (json!({"stdin": "text"}), "/stdin"),
        (json!({"timeout_s": 0}), "/timeout_s"),
        (json!({"timeout_s": 3601}), "/timeout_s"),
        (json!({"timeout_s": "60"}), "/timeout_s"),
        (json!({"timeout_s": null}), "/timeout_s"),
        (json!({"odd": 1}), ""),
        (json!({"env_config": {"A-B": {"value": "x"}}}), "/env_config"),
        (json!({"env_config": {"A": {"value": 1}}}), "/env_config/A/value"),
        (json!({"env_config": {"A": {"value": "x", "env": "B"}}}), "/env_config/A"),
        (json!({"env_config": {"A": {}}}), "/env_config/A"),
        (json!({"env_config": {"A": {"other": "x"}}}), "/env_config/A"),
        (json!({"env_config": {"A": {"env": "B C"}}}), "/env_config/A/env"),
        (json!({"env_config": {"A": {"secret": ""}}}), "/env_config/A/secret"),
    ] {
        let expected = ("subprocess".to_owned(), vec![at.to_owned()]);
        assert_eq!(refusal(json!({ "config": config }), json!({})), expected, "{config}");
    }
    let alone = Chain::new(vec![shipped("subprocess")]).expect("a chain");
    let fault = run(&alone, json!({})).expect_err("no command");
    assert_eq!(
        fault.to_string(),
        "`config_schema` of `subprocess` refuses the config: `command` is missing"
    );
    let shortest = chain(json!({"config": {"timeout_s": 1e-20}}), json!({}));
    let fault = run(&shortest, json!({})).expect_err("no time");
    let expected = "a number of seconds greater than 0";
    assert_eq!(fault, PrimitiveFault::InvalidField { field: "config.timeout_s", expected });
}

#[test]
fn every_tool_may_say_what_a_config_is() {
    let short = json!({"properties": {"args": {"maxItems": 1}}});
    let long = json!({"config": {"args": ["a", "b"]}});
    let runtime = json!({ "config_schema": short });
    assert_eq!(refusal(long.clone(), runtime.clone()), ("own".to_owned(), vec!["/args".into()]));
    run(&chain(json!({"config": {"args": ["a"]}}), runtime.clone()), json!({})).expect("it fits");
    let mut both = object(long);
    both.insert("config_schema".to_owned(), short);
    let both = Value::Object(both);
    assert_eq!(refusal(both.clone(), json!({})), ("leaf".to_owned(), vec!["/args".into()]));
    assert_eq!(refusal(both, runtime), ("own".to_owned(), vec!["/args".into()]));
    // It is checked with the values, and not with the templates.
    let filled = json!({
        "config": {"args": ["${n:-long}"]},
        "config_schema": {"properties": {"args": {"items": {"maxLength": 4}}}}
    });
    run(&chain(filled, json!({})), json!({})).expect("it fits");

    let broken = chain(json!({"config_schema": {"type": 1}}), json!({}));
    let fault = run(&broken, json!({})).expect_err("no schema");
    let PrimitiveFault::InvalidSchema { link, .. } = fault else { panic!("{fault}") };
    assert_eq!(link, id("leaf"));
}

#[test]
fn arguments_are_not_printed_by_accident() {
    let chain = chain(json!({"config": {"args": ["hunter2"]}}), json!({}));
    let run = run(&chain, json!({})).expect("a run");
    assert!(!format!("{run:?}").contains("hunter2"), "{run:?}");
}
