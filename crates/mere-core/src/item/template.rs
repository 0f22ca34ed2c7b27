//! Templates: a small new item of each type that is valid where it is put.
//!
//! Nothing is written to disk here. A test parses every template.

use super::kind::ItemType;
use super::path::{ItemForm, MANIFEST_FILE, SKILL_FILE, ScopedPath};
use super::script::{ScriptLanguage, ScriptStyle};

const DIRECTIVE: &str = r#"# {title}

Say here, for people, when this workflow helps. What counts is the element below.

```xml
<directive name="{id}" version="0.1.0">
  <metadata>
    <description>Say in one sentence what this does and when to use it.</description>
  </metadata>
  <inputs>
    <input name="topic" type="string" required="true">What the work is about.</input>
  </inputs>
  <process>
    <step name="gather">
      <description>Find out what is already known.</description>
      <action>Search the knowledge entries for the topic and read the best matches.</action>
    </step>
    <step name="report">
      <description>Say what was found.</description>
      <action>Write a short summary, and name the sources.</action>
    </step>
  </process>
</directive>
```
"#;

const SKILL: &str = r#"---
name: "{id}"
description: Say in a sentence what this skill does and when to use it.
metadata:
  version: "0.1.0"
---

# {title}

## When to use it

Describe the requests that this skill answers.

## Steps

1. Read what was asked, and the files it names.
2. Do the work, one step at a time.
3. Check the result, and say what was done.
"#;

const TOOL: &str = r#"tool_id: "{id}"
tool_type: script
executor_id: {runtime}
version: "0.1.0"
description: Say in one sentence what this tool does.
manifest:
  entrypoint: {entrypoint}
  language: {language}
{config}input_schema:
  type: object
  properties:
    name:
      type: string
      description: Whom to greet.
  required: [name]
  additionalProperties: false
"#;

const PYTHON_PROGRAM: &str = r#""""Reads its parameters as JSON from standard input, and writes its result as JSON."""

import json
import sys


def main():
    parameters = json.load(sys.stdin)
    result = {"greeting": f"Hello, {parameters['name']}!"}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
"#;

const PYTHON_FUNCTION: &str = r#""""The function `main` is called with the parameters; what it returns is the result, as JSON."""


def main(name: str) -> dict:
    return {"greeting": f"Hello, {name}!"}
"#;

const NODE_PROGRAM: &str = r#"// Reads its parameters as JSON from standard input, and writes its result as JSON.

const { readFileSync } = require("node:fs");

const parameters = JSON.parse(readFileSync(0, "utf8"));
const result = { greeting: `Hello, ${parameters.name}!` };
process.stdout.write(JSON.stringify(result) + "\n");
"#;

const NODE_FUNCTION: &str = r"// The function `main` is called with the parameters; what it returns is the result, as JSON.

exports.main = async function main({ name }) {
  return { greeting: `Hello, ${name}!` };
};
";

const BASH_PROGRAM: &str = r#"# Gets its parameters as arguments, as `config.args` of its manifest says, and writes its result.
set -euo pipefail

echo "Hello, $1!"
"#;

const KNOWLEDGE: &str = r#"---
id: "{id}"
title: "{title}"
entry_type: learning
tags: []
version: "0.1.0"
---

# {title}

Write what you learned, so that someone who was not there can use it.
Link to other entries with double square brackets around their ids.
"#;

const MEMORY: &str = r"# {title}

One fact or decision, in a few sentences.
";

/// The script that a new tool begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolTemplate {
    /// Its language.
    pub language: ScriptLanguage,
    /// How it is run. Bash has no functions that can be called.
    pub style: ScriptStyle,
}

/// Returns the files of a new item at `at`, as names relative to the main file's folder and texts,
/// the main file first. Returns `None` for a lockfile, which is made by locking, and for a function
/// in a language that has none. Only a tool has a script.
pub fn template_files(at: &ScopedPath, tool: ToolTemplate) -> Option<Vec<(String, String)>> {
    let id = at.id.as_str();
    let note = || format!("{id}.md");
    let files = match (at.kind, at.form) {
        (ItemType::Directive, ItemForm::Flat) => vec![(note(), DIRECTIVE.to_owned())],
        (ItemType::Directive, ItemForm::Folder) => vec![(SKILL_FILE.to_owned(), SKILL.to_owned())],
        (ItemType::Tool, ItemForm::Flat) => tool_files(format!("{id}.yaml"), id, tool)?,
        (ItemType::Tool, ItemForm::Folder) => tool_files(MANIFEST_FILE.to_owned(), "main", tool)?,
        (ItemType::Knowledge, _) => vec![(note(), KNOWLEDGE.to_owned())],
        (ItemType::Memory, _) => vec![(note(), MEMORY.to_owned())],
        (ItemType::Lockfile, _) => return None,
    };
    let title = id.replace(['_', '-'], " ");
    let filled = files.into_iter().map(|(name, text)| {
        let text = text.replace("{id}", id).replace("{title}", &title);
        (name, text)
    });
    Some(filled.collect())
}

fn tool_files(manifest: String, stem: &str, tool: ToolTemplate) -> Option<Vec<(String, String)>> {
    let ToolTemplate { language, style } = tool;
    let (script, config) = match (language, style) {
        (ScriptLanguage::Python, ScriptStyle::Program) => (PYTHON_PROGRAM, ""),
        (ScriptLanguage::Python, ScriptStyle::Function) => (PYTHON_FUNCTION, CALL_CONFIG),
        (ScriptLanguage::Node, ScriptStyle::Program) => (NODE_PROGRAM, ""),
        (ScriptLanguage::Node, ScriptStyle::Function) => (NODE_FUNCTION, CALL_CONFIG),
        (ScriptLanguage::Bash, ScriptStyle::Program) => (BASH_PROGRAM, ARGUMENTS_CONFIG),
        (ScriptLanguage::Bash, ScriptStyle::Function) => return None,
    };
    let name = format!("{stem}.{}", language.extensions()[0]);
    let text = TOOL
        .replace("{runtime}", language.runtime())
        .replace("{language}", language.name())
        .replace("{entrypoint}", &name)
        .replace("{config}", config);
    Some(vec![(manifest, text), (name, script.to_owned())])
}

const CALL_CONFIG: &str = "config:\n  call: main\n";
const ARGUMENTS_CONFIG: &str = "config:\n  args: [\"${name}\"]\n  stdin: none\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::RelPath;
    use crate::item::{Item, Scope};

    #[test]
    fn a_template_is_valid_where_it_is_put() {
        for path in [
            "directives/research/topic.md",
            "directives/code-review/SKILL.md",
            "tools/data/20260124.yaml",
            "tools/data/true/manifest.yaml",
            "knowledge/api/0x1f.md",
            "memory/null.md",
        ] {
            let path = path.parse::<RelPath>().expect("a path");
            let at = ScopedPath::from_space_path(Scope::Project, &path).expect("an item");
            let files = template_files(&at, ToolTemplate::default()).expect("a template");
            let name = path.names().last().expect("a name").to_owned();
            assert_eq!(files[0].0, name);
            assert!(Item::parse(&files[0].1, &at).is_ok(), "{path}");
            let unfilled = files.iter().any(|(_, text)| text.contains("{id}"));
            assert!(!unfilled, "{path}");
        }
        let lockfile = "lockfiles/a@1.0.0.lock.json".parse::<RelPath>().expect("a path");
        let at = ScopedPath::from_space_path(Scope::Project, &lockfile).expect("an item");
        assert_eq!(template_files(&at, ToolTemplate::default()), None);
    }

    #[test]
    fn a_tool_begins_in_each_language_and_style() {
        let path = "tools/t/greet.yaml".parse::<RelPath>().expect("a path");
        let at = ScopedPath::from_space_path(Scope::Project, &path).expect("an item");
        for language in ScriptLanguage::ALL {
            for style in [ScriptStyle::Program, ScriptStyle::Function] {
                let files = template_files(&at, ToolTemplate { language, style });
                if (language, style) == (ScriptLanguage::Bash, ScriptStyle::Function) {
                    assert_eq!(files, None);
                    continue;
                }
                let files = files.expect("files");
                assert!(Item::parse(&files[0].1, &at).is_ok(), "{}", files[0].1);
                let found = ScriptLanguage::split_file_name(&files[1].0);
                assert_eq!(found, Some(("greet", language)));
            }
        }
    }
}
