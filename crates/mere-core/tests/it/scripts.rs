//! What is read from scripts, and the manifests that are made from it.

use mere_core::address::RelPath;
use mere_core::item::{
    Item, Scope, ScopedPath, ScriptFile, ScriptLanguage, ScriptMetadata, draft_manifest,
    read_script,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn python(text: &str) -> ScriptMetadata {
    read_script(ScriptLanguage::Python, text)
}

fn node(text: &str) -> ScriptMetadata {
    read_script(ScriptLanguage::Node, text)
}

/// The schema of the function that can be called.
fn signature(metadata: &ScriptMetadata) -> Option<&Value> {
    metadata.function.as_ref().map(|function| &function.input_schema)
}

/// The manifest that is made for a script of this name.
fn manifest(name: &str, metadata: &ScriptMetadata, call: Option<&str>) -> Value {
    let path = format!("tools/data/{name}").parse::<RelPath>().expect("a path");
    let at = ScopedPath::from_script_path(Scope::Project, &path).expect("a place");
    let (_, language) = ScriptLanguage::split_file_name(name).expect("a script");
    let text = draft_manifest(&at, ScriptFile { name, language }, metadata, call);
    match Item::parse(&text, &at) {
        Ok(Item::Tool(tool)) => Value::Object(tool.manifest),
        other => panic!("{other:?}\n{text}"),
    }
}

const OLDER_TOOL: &str = r#"#!/usr/bin/env python3
# kiwi-mcp:validated:2026-01-24T10:00:00Z:abcdef
"""Enrich contacts
with what the 'CRM' knows: names, and more.

More about it.
"""
from __future__ import annotations
import json  # a comment with "quotes

__tool_type__ = "python"
__version__ = "1.2.3"
__executor_id__ = "python_runtime"
__category__ = 'data'
__dependencies__ = ["httpx"]

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {
        "emails": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer", "default": -1, "description": ("How "
            'many.')},
        "on": {"type": "boolean", "default": True},
    },
    "required": ["emails",],
}


class Helper:
    def main(self, other): ...


async def main(emails: list[str], limit: int = 1_000, *, on: bool = False) -> dict:
    """def main(fake): no"""
    return {"__version__": "9.9.9"}
"#;

#[test]
fn an_older_tool_says_everything_that_its_manifest_needs() {
    let metadata = python(OLDER_TOOL);
    assert_eq!(metadata.version.as_ref().map(ToString::to_string).as_deref(), Some("1.2.3"));
    assert_eq!((metadata.tool_type, metadata.category.as_deref()), (Some("script"), Some("data")));
    assert!(!metadata.runs_itself);
    let about = "Enrich contacts with what the 'CRM' knows: names, and more.";
    assert_eq!(metadata.description.as_deref(), Some(about));
    let notes = metadata.notes.join("\n");
    assert!(notes.contains("old in-file signature"), "{notes}");
    assert!(notes.contains("`__dependencies__`"), "{notes}");
    assert_eq!(metadata.notes.len(), 2, "{notes}");
    assert_eq!(
        signature(&metadata),
        Some(&json!({
            "type": "object",
            "properties": {
                "emails": { "type": "array", "items": { "type": "string" } },
                "limit": { "type": "integer", "default": 1000 },
                "on": { "type": "boolean", "default": false }
            },
            "required": ["emails"], "additionalProperties": false
        }))
    );
    assert_eq!(
        manifest("enrich.py", &metadata, Some("main")),
        json!({
            "tool_id": "enrich", "tool_type": "script", "executor_id": "python_runtime",
            "version": "1.2.3", "description": about,
            "manifest": { "entrypoint": "enrich.py", "language": "python" },
            "config": { "call": "main" },
            "input_schema": {
                "type": "object",
                "properties": {
                    "emails": { "type": "array", "items": { "type": "string" } },
                    "limit": { "type": "integer", "default": -1, "description": "How many." },
                    "on": { "type": "boolean", "default": true }
                },
                "required": ["emails"]
            }
        })
    );
}

#[test]
fn the_signature_of_main_becomes_a_schema() {
    for (parameters, expected) in [
        ("", json!({})),
        ("a", json!({ "a": {} })),
        (
            "a: str, b: int, c: float, d: bool",
            json!({
                "a": { "type": "string" }, "b": { "type": "integer" }, "c": { "type": "number" },
                "d": { "type": "boolean" }
            }),
        ),
        (
            "a: list, b: dict, c: List[dict[str, int]], d: typing.Dict",
            json!({
                "a": { "type": "array" }, "b": { "type": "object" },
                "c": { "type": "array", "items": { "type": "object" } }, "d": { "type": "object" }
            }),
        ),
        (
            "a: Optional[str], b: int | None, c: None | bool, d: str | int",
            json!({
                "a": { "type": ["string", "null"] }, "b": { "type": ["integer", "null"] },
                "c": { "type": ["boolean", "null"] }, "d": {}
            }),
        ),
        (
            "a: Literal['x', \"y\"], b: 'str', c: Path, d: Callable[[int], str]",
            json!({
                "a": { "enum": ["x", "y"] }, "b": {}, "c": {}, "d": {}
            }),
        ),
    ] {
        let text = format!("def main({parameters}) -> dict[str, (int)]:\n    pass\n");
        let metadata = python(&text);
        let schema = signature(&metadata).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(schema["properties"], expected, "{text}");
        assert_eq!(schema["additionalProperties"], json!(false));
    }
    // A default that is no literal, or does not fit, is left to the function.
    let text = "def main(\n    a=1, # one\n    b: str = None, c: int = 'x', d=f(1, 2), e=[1, {'k': (1,)}],\n    *args, f, **more,\n):\n  pass";
    assert_eq!(
        signature(&python(text)),
        Some(&json!({
            "type": "object",
            "properties": {
                "a": { "default": 1 }, "b": { "type": ["string", "null"] },
                "c": { "type": "integer" }, "d": {}, "e": { "default": [1, { "k": [1] }] }, "f": {}
            },
            "required": ["f"], "additionalProperties": true
        }))
    );
}

#[test]
fn a_function_that_cannot_be_called_by_name_is_told() {
    let metadata = python("def main(a, /, b): pass\n");
    assert_eq!(metadata.function, None);
    assert!(metadata.notes.join("").contains("positional-only"), "{:?}", metadata.notes);
    let metadata = python("def main(entrypoint): pass\n");
    assert!(metadata.notes.join("").contains("rename it"), "{:?}", metadata.notes);
    let metadata = python("__call__ = 'os.system'\ndef main(): pass\n");
    assert_eq!(metadata.function, None);
    let metadata = python("__call__ = 'work'\ndef main(): pass\ndef work(x: int): pass\n");
    assert_eq!(metadata.function.map(|function| function.name).as_deref(), Some("work"));
}

#[test]
fn a_script_that_does_its_work_by_itself_is_known() {
    for text in [
        "def main(a): pass\nif __name__ == '__main__':\n    main(1)\n",
        "def main(a): pass\nif \"__main__\" == __name__: pass\n",
        "def main(a): pass\nmain(1)\n",
        "def main(a): pass\ntry:\n    main(1)\nfinally:\n    pass\n",
        "import sys\ndef main(): pass\nsys.exit(main())\n",
    ] {
        assert!(python(text).runs_itself, "{text}");
    }
    for text in [
        "def main(a):\n    main(1)\n",
        "def other():\n    if __name__ == '__main__': pass\n",
        "# if __name__ == '__main__':\n'''\nif __name__ == \"__main__\":\n'''\n",
        "class A:\n    x = main(1)\n",
    ] {
        assert!(!python(text).runs_itself, "{text}");
    }
}

#[test]
fn what_is_not_written_out_is_left_out_and_told() {
    for (text, note) in [
        ("__version__ = get()\n", "`__version__` is not a plain text"),
        ("__version__ = f'{x}'\n", "`__version__` is not a plain text"),
        ("__version__ = '1.0'\n", "not SemVer"),
        ("__executor_id__ = '../x'\n", "not a valid id"),
        ("__tool_type__ = 'primitive'\n", "not that of a script"),
        ("CONFIG_SCHEMA = {**BASE}\n", "`CONFIG_SCHEMA` is not a JSON Schema"),
        ("INPUT_SCHEMA = {'type': 'spell', 'properties': {}}\n", "`INPUT_SCHEMA`"),
        ("x = 'never closed\n", "only in part"),
        ("x = (1\n", "only in part"),
        ("x = 1)\n", "only in part"),
    ] {
        let metadata = python(text);
        let notes = metadata.notes.join("\n");
        assert!(notes.contains(note), "{text}: {notes}");
        manifest("a.py", &metadata, None);
    }
    // The schema of the signature stands in for one that cannot be read.
    let metadata = python("CONFIG_SCHEMA = make()\ndef main(a: str): pass\n");
    assert_eq!(metadata.input_schema, None);
    assert!(signature(&metadata).is_some());
    // Only what is at the top level counts.
    let metadata =
        python("if x:\n    __version__ = '2.0.0'\nclass A:\n    __version__ = '3.0.0'\n");
    assert_eq!(metadata.version, None);
}

#[test]
fn one_parameter_of_an_exported_arrow_is_an_object_of_anything() {
    for text in ["module.exports = { main: (p) => p }", "exports.main = p => p"] {
        let schema = signature(&node(text)).cloned().unwrap_or_default();
        assert_eq!(schema["additionalProperties"], true, "{text}");
    }
}

#[test]
fn a_program_does_not_take_its_schema_from_main() {
    let text = "def main(argv=None):\n    pass\n\nif __name__ == '__main__':\n    main()\n";
    let metadata = python(text);
    assert!(metadata.runs_itself);
    assert_eq!(manifest("x.py", &metadata, None).get("input_schema"), None);
    let called = manifest("x.py", &metadata, Some("main"));
    assert!(called["input_schema"]["properties"].get("argv").is_some(), "{called}");
}

#[test]
fn javascript_exports_its_function() {
    let schema = json!({
        "type": "object",
        "properties": { "name": {}, "times": { "type": "number", "default": 2 } },
        "required": ["name"], "additionalProperties": false
    });
    for text in [
        "exports.main = async function main({ name, times = 2 }) { return /[\"']/.test(name) }",
        "module.exports.main = ({ name, times = 2 }) => ({ name })",
        "async function main({ name, times = 2 }) {}\nmodule.exports = { main, other: 1 };",
        "export async function main({ name: own, times = 2 }) { const a = `x${1}`; }",
        "export const main = async ({ name, times = 2, }) => { return 1 / 2 };",
        "const main = function ({ name, times = 2 }) {};\nexport { main };",
        "module.exports = { main: ({ name, times = 2 }) => name };",
        "module.exports = { other: 1, main: async function ({ name, times = 2 }) { f(1, 2) }, };",
        "module.exports = { async main({ name, times = 2 }) { return { a, b } }, other() {} };",
    ] {
        let metadata = node(text);
        assert_eq!(signature(&metadata), Some(&schema), "{text}");
        assert!(!metadata.runs_itself, "{text}");
        assert_eq!(metadata.notes, Vec::<String>::new(), "{text}");
    }
    for text in [
        "function main({ name }) {}",
        "exports.other = function ({ name }) {}",
        "// exports.main = () => 1\n",
        "const text = 'exports.main = () => 1'",
        "if (x) { exports.main = (a) => 1 }",
        "module.exports = { other: { main: (a) => 1 } };",
        "module.exports = { main: 1, other: (a) => 1 };",
    ] {
        assert_eq!(node(text).function, None, "{text}");
    }
    for text in [
        "exports.main = () => 1;\nif (require.main === module) { exports.main() }",
        "export function main() {}\nmain();",
        "export async function main() {}\nawait main();",
        "export function main() {}\nif (process.argv[1] === x) main();",
    ] {
        assert!(node(text).runs_itself, "{text}");
    }
    let text = "/**\n * Greets people.\n *\n * @param x\n */\nconst __version__ = '2.0.1'\nexports.main = (parameters) => 1\n";
    let metadata = node(text);
    assert_eq!(metadata.description.as_deref(), Some("Greets people."));
    let made = manifest("greet.mjs", &metadata, Some("main"));
    assert_eq!(made["version"], "2.0.1");
    assert_eq!(made["executor_id"], "node_runtime");
    assert_eq!(made["input_schema"]["additionalProperties"], true);
}

#[test]
fn bash_says_what_it_is_in_its_first_comment() {
    let text = "#!/bin/bash\n# Cleans\n# up.\n#\n# More.\n__version__=\"3.0.0\"\n__category__=$X\n";
    let metadata = read_script(ScriptLanguage::Bash, text);
    assert_eq!(metadata.description.as_deref(), Some("Cleans up."));
    assert!(metadata.runs_itself && metadata.function.is_none() && metadata.category.is_none());
    let made = manifest("clean.sh", &metadata, None);
    assert_eq!((&made["version"], &made["executor_id"]), (&json!("3.0.0"), &json!("bash_runtime")));
    assert_eq!(made.get("input_schema"), None);
}

#[test]
fn texts_of_a_script_are_only_texts_in_the_manifest() {
    let text = "'''x: y\\n# not a comment \"quoted\" {a} [b] ${name} \\u2028'''\ndef main(yes, no: str='- a: b', é=1, **k): pass\n";
    let metadata = python(text);
    let made = manifest("a.py", &metadata, Some("main"));
    assert_eq!(made["input_schema"]["properties"]["no"]["default"], "- a: b");
    assert!(made["input_schema"]["properties"].get("yes").is_some(), "{made}");
    assert!(made["input_schema"]["properties"].get("é").is_some(), "{made}");
}

#[test]
fn a_huge_script_is_read_in_bounds() {
    let brackets = "[".repeat(500_000);
    let lists = format!("CONFIG_SCHEMA = {}{}\n", "[".repeat(900), "]".repeat(900));
    let names = "a ".repeat(500_000);
    for text in [&brackets, &lists, &names, &"\"".repeat(999_999), &"é'".repeat(300_000)] {
        for language in ScriptLanguage::ALL {
            let metadata = read_script(language, text);
            assert!(metadata.function.is_none());
        }
    }
}

proptest! {
    /// Nothing that a script contains makes the scanner panic, or the manifest invalid.
    #[test]
    fn any_script_gives_a_valid_manifest(
        parts in prop::collection::vec(prop_oneof![
            Just("def main(".to_owned()), Just("):\n".to_owned()), Just("__version__ = ".to_owned()),
            Just("INPUT_SCHEMA = {".to_owned()), Just("'type': 'object', ".to_owned()),
            Just("\"\"\"".to_owned()), Just("'".to_owned()), Just("}".to_owned()),
            Just("\\".to_owned()), Just("\n".to_owned()), Just("#".to_owned()),
            Just("exports.main = (".to_owned()), Just("{ a = 1, ...b }".to_owned()),
            Just("=> 1\n".to_owned()), Just("/".to_owned()), Just("`${".to_owned()),
            Just("a: str | None = 'x', ".to_owned()), "[ -~]{0,12}", "\\PC{0,6}",
        ], 0..40),
    ) {
        let text = parts.concat();
        for (language, name) in [
            (ScriptLanguage::Python, "a.py"), (ScriptLanguage::Node, "a.js"),
            (ScriptLanguage::Bash, "a.sh"),
        ] {
            let metadata = read_script(language, &text);
            let call = metadata.function.as_ref().map(|function| function.name.clone());
            manifest(name, &metadata, call.as_deref());
        }
    }
}
