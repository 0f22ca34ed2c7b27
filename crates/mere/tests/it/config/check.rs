//! `config.yaml`: `mere config check`, and the published schema, which must say what the parser does.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::support::harness::{Answer, Stage};

/// Which of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    Project,
    User,
}

use Whose::{Project, User};

impl Whose {
    fn path(self) -> &'static str {
        match self {
            Project => "project/.ai/config.yaml",
            User => "home/.ai/config.yaml",
        }
    }

    fn address(self) -> &'static str {
        match self {
            Project => "ROOT_PROJECT:/.ai/config.yaml",
            User => "ROOT_USER:/config.yaml",
        }
    }

    fn definition(self) -> &'static str {
        match self {
            Project => "project",
            User => "user",
        }
    }
}

/// What `mere config check --json` says, and how it ends.
fn check(stage: &Stage) -> Answer {
    let output = stage.person(&["config", "check", "--json"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let reply = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    Answer { reply, status: output.status.code().expect("an exit status") }
}

/// What is said about one of the files.
fn report(answer: &Answer, whose: Whose) -> Value {
    let files = answer.reply["data"]["files"].as_array().expect("files").iter();
    let mut files = files.filter(|file| file["address"] == whose.address());
    files.next().unwrap_or_else(|| panic!("no {whose:?} in {}", answer.reply)).clone()
}

/// The problem with a text as one of the files, if there is one.
fn problem(stage: &Stage, whose: Whose, text: &str) -> Option<String> {
    stage.file(whose.path(), text);
    let answer = check(stage);
    let file = report(&answer, whose);
    std::fs::remove_file(stage.path(whose.path())).expect("the file");
    let problem = file["problem"].as_str().map(str::to_owned);
    assert_eq!(answer.status, if problem.is_some() { 4 } else { 0 }, "{text}: {}", answer.reply);
    assert_eq!(file["state"], if problem.is_some() { "wrong" } else { "valid" }, "{text}");
    problem
}

fn published() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/config.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the schema")).expect("JSON")
}

/// The schema of one of the files.
fn validator(schema: &Value, whose: Whose) -> Validator {
    let reference = format!("#/$defs/{}", whose.definition());
    let schema = json!({ "$ref": reference, "$defs": schema["$defs"] });
    jsonschema::draft202012::new(&schema).expect("a schema")
}

/// Texts for one of the files, and whether they are right. Not here is what a schema cannot know (a
/// bracket that does not close, `..` in a pattern) and what YAML makes of numbers without quotes,
/// which are read as text.
#[rustfmt::skip]
fn cases() -> Vec<(Whose, Value, bool)> {
    let many = |count: usize| vec!["a"; count];
    vec![
        (Project, json!(null), true),
        (Project, json!({}), true),
        (Project, json!([]), false),
        (Project, json!("mods"), false),
        (Project, json!({"unknown": 1}), false),
        (Project, json!({"projectMarkers": ["a"]}), false),
        (User, json!({"projectMarkers": ["BUILD"]}), true),
        (User, json!({"projectMarkers": ["a/b"]}), false),
        (User, json!({"projectMarkers": [".."]}), false),
        (User, json!({"projectMarkers": "BUILD"}), false),
        (Project, json!({"audit": {"syslog": true}}), false),
        (User, json!({"audit": {"syslog": true}}), true),
        (User, json!({"audit": {"syslog": false, "file": "/var/log/mere.jsonl"}}), true),
        (User, json!({"audit": {"file": "~/audit.jsonl", "syslog": null}}), true),
        (User, json!({"audit": {}}), true),
        (User, json!({"audit": null}), true),
        (User, json!({"audit": {"file": "audit.jsonl"}}), false),
        (User, json!({"audit": {"file": "/a", "syslog": true}}), false),
        (User, json!({"audit": {"files": "/a"}}), false),
        (User, json!({"audit": "/a"}), false),
        (Project, json!({"wide_roots": ["~"]}), false),
        (User, json!({"wide_roots": ["~", "~/", "~/x", "/root", "/etc/"]}), true),
        (User, json!({"wide_roots": null}), true),
        (User, json!({"wide_roots": ["/"]}), false),
        (User, json!({"wide_roots": ["//"]}), false),
        (User, json!({"wide_roots": ["etc"]}), false),
        (User, json!({"wide_roots": ["~root"]}), false),
        (User, json!({"wide_roots": [""]}), false),
        (User, json!({"wide_roots": "~"}), false),
        (User, json!({"projects": ["a/*"]}), false),
        (User, json!({"stores": {}, "items": {}, "settings": {}}), true),
        (Project, json!({"stores": null, "items": null, "settings": null}), true),
        (Project, json!({"embeddings": true, "registry": "x", "sandbox": null}), true),
        (Project, json!({"grants": {"any": {"thing": 1}}}), true),
        (Project, json!({"mods": null, "sensitive": null, "agents": null, "folders": null}), true),
        (Project, json!({"mods": [{"id": "a", "name": "b", "path": "../c"}]}), true),
        (User, json!({"mods": [{"id": "a", "name": "b", "path": "~/c"}]}), true),
        (User, json!({"mods": [{"id": "a", "name": "b"}]}), false),
        (User, json!({"mods": [{"id": "a", "name": "b", "path": "c", "more": 1}]}), false),
        (User, json!({"mods": [{"id": "-a", "name": "b", "path": "c"}]}), false),
        (Project, json!({"mods": [{"id": "a", "name": "b/c", "path": "c"}]}), false),
        (Project, json!({"mods": {"id": "a", "name": "b", "path": "c"}}), false),
        (Project, json!({"sensitive": ["*.tfstate", "!credentials"]}), true),
        (Project, json!({"sensitive": "*.tfstate"}), false),
        (Project, json!({"sensitive": [null]}), false),
        (Project, json!({"sensitive": [""]}), false),
        (Project, json!({"sensitive": ["!"]}), false),
        (Project, json!({"sensitive": ["/etc"]}), false),
        (Project, json!({"sensitive": many(500)}), true),
        (Project, json!({"sensitive": many(501)}), false),
        (User, json!({"visible": ["a/.env"]}), true),
        (User, json!({"visible": ["!a/.env"]}), false),
        (Project, json!({"projects": ["!a/*"]}), false),
        (User, json!({"visible": ["a/\\[b\\]/.env"]}), true),
        (User, json!({"visible": {"a": "b"}}), false),
        (Project, json!({"visible": many(501)}), false),
        (Project, json!({"projects": ["packages/*"]}), true),
        (Project, json!({"projects": [["packages/*"]]}), false),
        (User, json!({"agents": {}}), true),
        (User, json!({"agents": {"write": {"directive": "direct", "tool": "propose"}}}), true),
        (User, json!({"agents": {"write": {"knowledge": null}, "may_install": null}}), true),
        (User, json!({"agents": {"write": {"knowledge": "Direct"}}}), false),
        (User, json!({"agents": {"write": {"memory": "direct"}}}), false),
        (User, json!({"agents": {"write": "direct"}}), false),
        (User, json!({"agents": {"may_install": "yes"}}), false),
        (User, json!({"agents": {"may_publish": true}}), true),
        (User, json!({"agents": {"may_publish": "yes"}}), false),
        (User, json!({"registry": null}), true),
        (User, json!({"registry": {}}), true),
        (User, json!({"registry": {"url": "https://registry.example.org", "max_age": "12h"}}), true),
        (User, json!({"registry": {"url": "http://127.0.0.1:7420"}}), true),
        (User, json!({"registry": {"url": "file:/srv/mirror", "witnesses": {"keys": []}}}), true),
        (User, json!({"registry": {"url": "http://example.org"}}), false),
        (User, json!({"registry": {"url": "file:mirror"}}), false),
        (User, json!({"registry": {"max_age": "soon"}}), false),
        (User, json!({"registry": {"max_age": "0h"}}), false),
        (User, json!({"registry": {"witnesses": {"keys": ["x"]}}}), false),
        (User, json!({"registry": {"token": "x"}}), false),
        (User, json!({"agents": {"workspace": {"max_bytes": 0, "max_files": null}}}), true),
        (Project, json!({"agents": {"workspace": {"max_files": 10}}}), true),
        (User, json!({"agents": {"workspace": {"max_bytes": -1}}}), false),
        (User, json!({"agents": {"workspace": {"max_bytes": "1 GiB"}}}), false),
        (User, json!({"agents": {"workspace": {"bytes": 1}}}), false),
        (Project, json!({"agents": {"may_install": true}}), true),
        (Project, json!({"agents": ["direct"]}), false),
        (Project, json!({"folders": {"directives": [".claude/skills", ".agents/skills/"]}}), true),
        (User, json!({"folders": {"directives": [".claude/skills"]}}), true),
        (Project, json!({"folders": {"directives": ["../elsewhere"]}}), true),
        (Project, json!({"folders": {"directives": ["/elsewhere"]}}), true),
        (Project, json!({"folders": {"directives": ["~/elsewhere", "~", ".."]}}), true),
        (Project, json!({"folders": {"directives": ["a/../b"]}}), false),
        (Project, json!({"folders": {"directives": ["."]}}), false),
        (Project, json!({"folders": {"directives": ["a//b"]}}), false),
        (Project, json!({"folders": {"tools": ["a"]}}), false),
        (Project, json!({"folders": ["a"]}), false),
        (User, json!({"settings": {"outputFormat": "json", "defaultStore": "memory"}}), true),
        (User, json!({"settings": {"outputFormat": "toml"}}), false),
        (Project, json!({"settings": {"defaultStore": "a b"}}), false),
        (Project, json!({"settings": {"more": 1}}), false),
        (Project, json!({"stores": ["a"]}), false),
        (Project, json!({"stores": {"a": {"path": "./memory"}}}), true),
        (User, json!({"stores": {"a": {"path": "./memory"}, "b": {"path": "./more"}}}), true),
        (User, json!({"stores": {"a": {"path": ""}}}), false),
        (User, json!({"stores": {"a": {}}}), false),
        (User, json!({"stores": {"a": null}}), false),
        (User, json!({"stores": {"-a": {"path": "x"}}}), false),
        (User, store(&json!({"more": 1})), false),
        (User, store(&json!({"description": "x".repeat(500)})), true),
        (User, store(&json!({"description": "x".repeat(501)})), false),
        (User, store(&json!({"categoryMode": "strict"})), true),
        (User, store(&json!({"categoryMode": null, "categories": null, "policies": null})), true),
        (User, store(&json!({"categoryMode": "loose"})), false),
        (User, store(&json!({"categories": {"a": {}, "b": null, "c": {"description": ""}}})), true),
        (User, store(&json!({"categories": {"a": {"subcategories": {"b": {"subcategories": {}}}}}})), true),
        (User, store(&json!({"categories": ["a"]})), false),
        (User, store(&json!({"categories": {"a/b": {}}})), false),
        (User, store(&json!({"categories": {"A": {}}})), false),
        (User, store(&json!({"categories": {"con": {}}})), false),
        (User, store(&json!({"categories": {"a": "words"}})), false),
        (User, store(&json!({"categories": {"a": {"categories": {}}}})), false),
        (User, store(&json!({"categories": {"a": {"policies": {"defaultTtl": 30}}}})), true),
        (User, store(&json!({"policies": {"defaultTtl": 36500, "maxContentLength": 1, "maxMemories": 1}})), true),
        (User, store(&json!({"policies": {"defaultTtl": 0}})), false),
        (User, store(&json!({"policies": {"defaultTtl": 36501}})), false),
        (User, store(&json!({"policies": {"defaultTtl": 1.5}})), false),
        (User, store(&json!({"policies": {"maxMemories": 0}})), false),
        (User, store(&json!({"policies": {"maxContentLength": -1}})), false),
        (User, store(&json!({"policies": {"more": 1}})), false),
        (User, store(&json!({"policies": {"permissions": {"create": true, "update": null, "delete": false}}})), true),
        (User, store(&json!({"policies": {"permissions": {"create": "yes"}}})), false),
        (User, store(&json!({"policies": {"permissions": {"read": true}}})), false),
        (User, store(&json!({"policies": {"schema": {"required": ["tags"]}}})), true),
        (User, store(&json!({"policies": {"schema": "tags"}})), false),
        (User, json!({"embeddings": null, "search": null}), true),
        (User, json!({"embeddings": {}, "search": {}}), true),
        (User, json!({"embeddings": {"model": "static"}}), true),
        (User, json!({"embeddings": {"model": "minilm", "url": null, "keyEnv": null}}), true),
        (User, json!({"embeddings": {"model": "Static"}}), false),
        (User, json!({"embeddings": {"model": "endpoint"}}), false),
        (User, json!({"embeddings": {"model": "endpoint", "name": "m"}}), false),
        (User, endpoint(&json!({})), true),
        (User, endpoint(&json!({"keyEnv": "MY_KEY_2", "dimensions": 768})), true),
        (User, endpoint(&json!({"url": "http://localhost:8080/v1/embeddings"})), true),
        (User, endpoint(&json!({"url": "http://[::1]:8080/v1/embeddings"})), true),
        (User, endpoint(&json!({"url": "http://10.0.0.1/v1/embeddings"})), false),
        (User, endpoint(&json!({"url": "http://example.com/v1/embeddings"})), false),
        (User, endpoint(&json!({"url": "http://localhost.example.com/"})), false),
        (User, endpoint(&json!({"url": "https://me:secret@example.com/"})), false),
        (User, endpoint(&json!({"url": "ftp://example.com/"})), false),
        (User, endpoint(&json!({"url": "example.com"})), false),
        (User, endpoint(&json!({"url": null})), false),
        (User, endpoint(&json!({"name": ""})), false),
        (User, endpoint(&json!({"keyEnv": "sk-12345"})), false),
        (User, endpoint(&json!({"keyEnv": ""})), false),
        (User, endpoint(&json!({"dimensions": 0})), false),
        (User, endpoint(&json!({"dimensions": 16385})), false),
        (User, endpoint(&json!({"dimensions": "many"})), false),
        (User, endpoint(&json!({"key": "x"})), false),
        (User, json!({"search": {"typePriority": ["memory", "tool"]}}), true),
        (Project, json!({"search": {"typePriority": []}}), true),
        (Project, json!({"search": {"typePriority": ["lockfile"]}}), false),
        (Project, json!({"search": {"typePriority": ["tool", "tool"]}}), false),
        (Project, json!({"search": {"typePriority": "tool"}}), false),
        (Project, json!({"search": {"order": []}}), false),
        (Project, json!({"items": {"directives": {"categoryMode": "strict"}, "tools": null}}), true),
        (User, json!({"items": {"knowledge": {"categories": {"a": {"subcategories": {"b": {}}}}}}}), true),
        (Project, json!({"items": {"memory": {}}}), false),
        (Project, json!({"items": {"tools": {"policies": {}}}}), false),
        (Project, json!({"items": {"tools": {"categories": {"a": {"policies": {}}}}}}), false),
    ]
}

/// A file with an endpoint, of which this is said besides what is needed.
fn endpoint(fields: &Value) -> Value {
    let mut endpoint =
        json!({ "model": "endpoint", "url": "https://example.com/v1/embeddings", "name": "m" });
    endpoint.as_object_mut().expect("keys").extend(fields.as_object().expect("keys").clone());
    json!({ "embeddings": endpoint })
}

/// A file with one store, of which this is said besides its path.
fn store(fields: &Value) -> Value {
    let mut store = json!({ "path": "./memory" });
    store.as_object_mut().expect("a store").extend(fields.as_object().expect("keys").clone());
    json!({ "stores": { "a": store } })
}

#[test]
fn the_schema_and_the_parser_agree() {
    let (stage, schema) = (Stage::new(), published());
    let whole = jsonschema::draft202012::new(&schema).expect("a schema");
    for (whose, value, right) in cases() {
        let problem = problem(&stage, whose, &value.to_string());
        assert_eq!(problem.is_none(), right, "the parser, {whose:?} {value}: {problem:?}");
        let fits = validator(&schema, whose).is_valid(&value);
        assert_eq!(fits, right, "the schema, {whose:?} {value}");
        assert!(!right || whole.is_valid(&value), "the whole schema, {value}");
    }
}

/// A key of the schema: its path, and what the schema says of it.
struct Key {
    path: Vec<String>,
    about: Map<String, Value>,
}

/// The keys of an object in the schema, and those below them. What is referred to is laid under
/// what stands there itself, and who may set a key may set what lies in it.
fn keys(schema: &Value, object: &Value, above: &[String], who: Option<&Value>) -> Vec<Key> {
    let mut found = Vec::new();
    for (name, about) in object["properties"].as_object().expect("properties") {
        let mut merged = Map::new();
        if let Some(reference) = about["$ref"].as_str() {
            let there =
                schema.pointer(reference.trim_start_matches('#')).expect("what it refers to");
            merged.extend(there.as_object().expect("a schema").clone());
        }
        merged.extend(about.as_object().expect("a schema").clone());
        if let Some(who) = who {
            merged.entry("x-who").or_insert(who.clone());
        }
        let path = above.iter().cloned().chain([name.clone()]).collect::<Vec<_>>();
        if merged.contains_key("properties") {
            let merged = Value::Object(merged.clone());
            found.extend(keys(schema, &merged, &path, Some(&merged["x-who"])));
        }
        found.push(Key { path, about: merged });
    }
    found
}

fn keys_of(schema: &Value, whose: Whose) -> Vec<Key> {
    keys(schema, &schema["$defs"][whose.definition()], &[], None)
}

#[test]
fn every_key_of_the_schema_is_described_and_has_an_example_that_the_parser_takes() {
    let (stage, schema) = (Stage::new(), published());
    for whose in [Project, User] {
        for Key { path, about } in keys_of(&schema, whose) {
            let name = path.join(".");
            for word in ["description", "type", "default", "x-who", "examples"] {
                assert!(about.contains_key(word), "{whose:?} {name} has no {word}");
            }
            let who = about["x-who"].as_str().expect("a word");
            match whose {
                User => assert_eq!(who, "user", "{name}"),
                Project => assert!(["project", "project-after-trust"].contains(&who), "{name}"),
            }
            let values = about["examples"].as_array().expect("examples").iter();
            for value in values.chain([&about["default"]]) {
                let wrap = |inner: Value, key: &String| json!({ key.as_str(): inner });
                let text = path.iter().rev().fold(value.clone(), wrap);
                assert!(validator(&schema, whose).is_valid(&text), "{text}");
                let problem = problem(&stage, whose, &text.to_string());
                assert_eq!(problem, None, "{whose:?} {text}");
            }
        }
    }
}

/// The keys that the parser knows where it found an unknown one: it names them.
fn known(stage: &Stage, whose: Whose, text: &str) -> Vec<String> {
    let problem = problem(stage, whose, text).expect("a problem");
    let (_, known) = problem.split_once("expected one of ").unwrap_or_else(|| panic!("{problem}"));
    let mut known = known.split(", ").map(str::to_owned).collect::<Vec<_>>();
    known.sort();
    known
}

#[test]
fn the_schema_has_every_key_that_the_parser_knows() {
    let (stage, schema) = (Stage::new(), published());
    for whose in [Project, User] {
        let all = keys_of(&schema, whose);
        let below = |above: &[&str]| {
            let own = all.iter().filter(|key| key.path[..key.path.len() - 1] == *above);
            let mut own = own.filter_map(|key| key.path.last().cloned()).collect::<Vec<_>>();
            own.sort();
            own
        };
        assert_eq!(known(&stage, whose, "zz: 1"), below(&[]));
        assert_eq!(known(&stage, whose, "agents: {zz: 1}"), below(&["agents"]));
        assert_eq!(known(&stage, whose, "agents: {write: {zz: 1}}"), below(&["agents", "write"]));
        assert_eq!(known(&stage, whose, "folders: {zz: 1}"), below(&["folders"]));
        assert_eq!(known(&stage, whose, "settings: {zz: 1}"), below(&["settings"]));
        assert_eq!(known(&stage, whose, "search: {zz: 1}"), below(&["search"]));
        if whose == User {
            assert_eq!(known(&stage, whose, "embeddings: {zz: 1}"), below(&["embeddings"]));
            assert_eq!(known(&stage, whose, "sandbox: {zz: 1}"), below(&["sandbox"]));
            assert_eq!(known(&stage, whose, "registry: {zz: 1}"), below(&["registry"]));
        }
        assert_eq!(known(&stage, whose, "items: {zz: 1}"), below(&["items"]));
        assert_eq!(known(&stage, whose, "items: {tools: {zz: 1}}"), below(&["items", "tools"]));
        // What a person named themselves is no key of the schema; what stands below it is.
        for (definition, text) in [
            ("store", "stores: {a: {zz: 1}}"),
            ("category", "stores: {a: {path: x, categories: {b: {zz: 1}}}}"),
            ("policies", "stores: {a: {path: x, policies: {zz: 1}}}"),
            ("runtime", "runtimes: {a: {zz: 1}}"),
        ] {
            if whose == Project && definition == "runtime" {
                continue;
            }
            let own = schema["$defs"][definition]["properties"].as_object().expect("properties");
            let mut own = own.keys().cloned().collect::<Vec<_>>();
            own.sort();
            assert_eq!(known(&stage, whose, text), own);
        }
    }
}

#[test]
fn nothing_to_check_is_right() {
    let answer = check(&Stage::new());
    assert_eq!((answer.status, answer.code()), (0, "WA-CONFIG-S-001"));
    for whose in [Project, User] {
        assert_eq!(report(&answer, whose)["state"], "not there");
    }
}

#[test]
fn a_check_says_what_does_not_count_before_it_is_trusted() {
    let stage = Stage::new();
    stage.file(Project.path(), "visible: ['.env.test']\nagents: {write: {tool: direct}}\n");
    let answer = check(&stage);
    assert_eq!(answer.status, 0);
    let note = report(&answer, Project)["note"].as_str().expect("a note").to_owned();
    for word in ["`visible`", "`agents`", "`mere trust project`"] {
        assert!(note.contains(word), "{note}");
    }
    assert!(stage.person(&["trust", "project", "--yes"]).status.success());
    assert_eq!(report(&check(&stage), Project)["note"], Value::Null);
}

#[test]
fn a_check_names_the_file_the_line_the_column_and_what_to_do() {
    let stage = Stage::new();
    stage.file(Project.path(), "# a comment\nfolders:\n  directives: ['.']\n");
    stage.file(User.path(), "mods: []\nmodes: []\n");
    let answer = check(&stage);
    assert_eq!((answer.status, answer.code()), (4, "WA-CONFIG-E-003"));
    for (whose, place) in [(Project, "line 3, column 16: "), (User, "line 2, column 1: ")] {
        let file = report(&answer, whose);
        assert_eq!(file["state"], "wrong");
        let problem = file["problem"].as_str().expect("a problem");
        assert!(problem.contains(whose.address()) && problem.contains(place), "{problem}");
    }
    assert!(answer.reply["hint"].as_str().expect("a hint").contains("docs/config.md"));

    let output = stage.person(&["config", "check"]);
    assert_eq!(output.status.code(), Some(4));
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(shown.contains("ROOT_USER:/config.yaml: wrong"), "{shown}");
    assert!(
        shown.contains("line 3, column 16: a folder must be a path inside the project"),
        "{shown}"
    );
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(stderr.contains("2 config files are invalid.") && stderr.contains("docs/config.md"));
}

#[test]
fn a_check_answers_where_every_other_call_only_says_that_it_cannot() {
    let stage = Stage::new();
    stage.file(User.path(), "sensitive: 3\n");
    assert_eq!(stage.list("").code(), "WA-CONFIG-E-001");
    assert_eq!(stage.person(&["list"]).status.code(), Some(4));
    let answer = check(&stage);
    assert_eq!((answer.status, answer.code()), (4, "WA-CONFIG-E-003"));
    assert_eq!(report(&answer, Project)["state"], "not there");
}

#[test]
fn a_config_that_is_no_file_is_wrong() {
    let stage = Stage::new();
    stage.file("beside/config.yaml", "{}\n");
    stage.link("../../beside/config.yaml", Project.path());
    stage.folder(User.path());
    let answer = check(&stage);
    assert_eq!(answer.status, 4);
    for whose in [Project, User] {
        let problem = report(&answer, whose)["problem"].as_str().expect("a problem").to_owned();
        assert!(problem.contains("cannot be read"), "{problem}");
    }
}
