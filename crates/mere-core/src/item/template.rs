//! Templates: a small new item of each type that is valid where it is put.
//!
//! Nothing is written to disk here. A test parses every template.

use super::kind::ItemType;
use super::path::{ItemForm, MANIFEST_FILE, SKILL_FILE, ScopedPath};

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
executor_id: python_runtime
version: "0.1.0"
description: Say in one sentence what this tool does.
manifest:
  entrypoint: {entrypoint}
  language: python
input_schema:
  type: object
  properties:
    name:
      type: string
      description: Whom to greet.
  required: [name]
"#;

const SCRIPT: &str = r#""""Reads its parameters as JSON from standard input, and writes its result as JSON."""

import json
import sys


def main():
    parameters = json.load(sys.stdin)
    result = {"greeting": f"Hello, {parameters['name']}!"}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
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

/// Returns the files of a new item at `at`, as names relative to the main file's folder and texts,
/// the main file first. Returns `None` for a lockfile, which is made by locking.
pub fn template_files(at: &ScopedPath) -> Option<Vec<(String, String)>> {
    let id = at.id.as_str();
    let note = || format!("{id}.md");
    let files = match (at.kind, at.form) {
        (ItemType::Directive, ItemForm::Flat) => vec![(note(), DIRECTIVE.to_owned())],
        (ItemType::Directive, ItemForm::Folder) => vec![(SKILL_FILE.to_owned(), SKILL.to_owned())],
        (ItemType::Tool, ItemForm::Flat) => tool_files(format!("{id}.yaml"), format!("{id}.py")),
        (ItemType::Tool, ItemForm::Folder) => {
            tool_files(MANIFEST_FILE.to_owned(), "main.py".to_owned())
        }
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

fn tool_files(manifest: String, script: String) -> Vec<(String, String)> {
    let text = TOOL.replace("{entrypoint}", &script);
    vec![(manifest, text), (script, SCRIPT.to_owned())]
}

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
            let files = template_files(&at).expect("a template");
            let name = path.names().last().expect("a name").to_owned();
            assert_eq!(files[0].0, name);
            assert!(Item::parse(&files[0].1, &at).is_ok(), "{path}");
            let unfilled = files.iter().any(|(_, text)| text.contains("{id}"));
            assert!(!unfilled, "{path}");
        }
        let lockfile = "lockfiles/a@1.0.0.lock.json".parse::<RelPath>().expect("a path");
        let at = ScopedPath::from_space_path(Scope::Project, &lockfile).expect("an item");
        assert_eq!(template_files(&at), None);
    }
}
