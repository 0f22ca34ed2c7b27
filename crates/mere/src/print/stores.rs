//! How stores look to a person: each with its mode and the categories that the configuration names.
//!
//! Categories that exist only as folders are not listed here.

use serde_json::Value;

use super::Printer;
use super::items::{BAD, FAINT, GOOD, STRONG, as_list, as_text, push_line};

impl Printer {
    /// Formats the stores, each with its configured categories as a tree. An arrow marks the one in
    /// use.
    pub(crate) fn stores(&self, reply: &Value) -> String {
        let mut out = String::new();
        for store in as_list(&reply["data"]["stores"]) {
            let mark = if store["current"] == true { "→" } else { " " };
            let name = self.paint(&self.escape_controls(as_text(&store["name"])), STRONG);
            let told = [&store["categoryMode"], &store["path"]].map(as_text).join(" · ");
            push_line(&mut out, format_args!("{mark} {name} · {}", self.escape_controls(&told)));
            if let Some(description) = non_empty_line(&store["description"]) {
                push_line(&mut out, format_args!("    {}", self.escape_controls(&description)));
            }
            let mut branches = Vec::new();
            collect_rows(&store["categories"], 0, &mut branches);
            out += &self.category_tree(&branches);
        }
        if out.is_empty() { "No stores.\n".to_owned() } else { out }
    }

    /// Formats a store that was created, and what to do next.
    pub(crate) fn new_store(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let mut out = self.outcome(reply);
        for address in as_list(&data["made"]) {
            let mark = self.paint("+", GOOD);
            push_line(&mut out, format_args!("  {mark} {}", self.path(as_text(address))));
        }
        if let Some(config) = data["config"].as_str() {
            push_line(&mut out, format_args!("  in {}", self.path(config)));
        }
        let mut steps = as_list(&data["next"]).peekable();
        if steps.peek().is_some() {
            out += "\nTry next:\n";
        }
        for step in steps {
            push_line(
                &mut out,
                format_args!("  {}", self.paint(&self.escape_controls(as_text(step)), STRONG)),
            );
        }
        out
    }

    /// Formats what is wrong with the memories of a store.
    pub(crate) fn reindex_result(&self, reply: &Value) -> String {
        let mut out = String::new();
        for fault in as_list(&reply["data"]["faults"]) {
            let path = self.paint(&self.escape_controls(as_text(&fault["path"])), BAD);
            push_line(
                &mut out,
                format_args!("{path}: {}", self.escape_controls(as_text(&fault["problem"]))),
            );
        }
        if reply["reply_type"] == "S" { out + &self.outcome(reply) } else { out }
    }

    fn category_tree(&self, branches: &[CategoryRow]) -> String {
        let widest = branches.iter().map(CategoryRow::width).max().unwrap_or_default();
        let mut out = String::new();
        for branch in branches {
            let name =
                format!("    {}{}", "  ".repeat(branch.depth), self.escape_controls(&branch.name));
            let Some(description) = &branch.description else {
                push_line(&mut out, format_args!("{name}"));
                continue;
            };
            let gap = " ".repeat(widest - branch.width() + 2);
            let description = self.paint(&self.escape_controls(description), FAINT);
            push_line(&mut out, format_args!("{name}{gap}{description}"));
        }
        out
    }
}

/// A configured category.
struct CategoryRow {
    depth: usize,
    name: String,
    description: Option<String>,
}

impl CategoryRow {
    fn width(&self) -> usize {
        2 * self.depth + self.name.chars().count()
    }
}

/// Collects the categories of a tree, parents before their children.
fn collect_rows(categories: &Value, depth: usize, branches: &mut Vec<CategoryRow>) {
    for category in as_list(categories) {
        let name = as_text(&category["path"]).rsplit('/').next().unwrap_or_default().to_owned();
        branches.push(CategoryRow {
            depth,
            name,
            description: non_empty_line(&category["description"]),
        });
        collect_rows(&category["subcategories"], depth + 1, branches);
    }
}

/// Joins a text into one line. Returns `None` if it is empty.
fn non_empty_line(value: &Value) -> Option<String> {
    let words = as_text(value).split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn printer(watched: bool) -> Printer {
        let working = "ROOT_PROJECT:/".parse().ok();
        Printer {
            uses_colours: false,
            is_terminal: watched,
            working_directory: working,
            last_file: None,
        }
    }

    #[test]
    fn stores_are_listed_with_their_trees() {
        let standards = json!([
            { "path": "standards/architecture", "description": "Patterns\nof it", "subcategories": [] },
        ]);
        let reply = json!({ "reply_type": "S", "data": { "stores": [
            { "name": "cortex", "path": "ROOT_PROJECT:/.ai/memory/", "description": "What we know",
              "categoryMode": "strict", "current": true, "categories": [
                { "path": "standards", "description": "How we work", "subcategories": standards },
                { "path": "todo", "description": "", "subcategories": [] },
            ] },
            { "name": "notes", "path": "ROOT_USER:/notes/", "description": "",
              "categoryMode": "free", "categories": [] },
        ] } });
        let expected = "→ cortex · strict · ROOT_PROJECT:/.ai/memory/
    What we know
    standards       How we work
      architecture  Patterns of it
    todo
  notes · free · ROOT_USER:/notes/
";
        assert_eq!(printer(true).stores(&reply), expected);
        assert_eq!(printer(false).stores(&reply), expected);
        assert_eq!(printer(true).stores(&json!({ "data": { "stores": [] } })), "No stores.\n");
    }

    #[test]
    fn a_description_cannot_steer_the_terminal() {
        let reply = json!({ "data": { "stores": [
            { "name": "a", "path": "ROOT_USER:/a/", "description": "x\u{1b}[2J",
              "categoryMode": "free",
              "categories": [{ "path": "b", "description": "\u{202e}y", "subcategories": [] }] },
        ] } });
        let shown = printer(true).stores(&reply);
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    }

    #[test]
    fn a_new_store_says_what_was_made_and_what_comes_next() {
        let mut reply = json!({ "reply_type": "S", "message": "The store `cortex` is there.", "data": {
            "store": "cortex", "config": "ROOT_PROJECT:/.ai/config.yaml",
            "made": ["ROOT_PROJECT:/.ai/cortex/todo/"], "next": ["mere memory create todo/first"],
        } });
        let expected = "The store `cortex` is there.
  + .ai/cortex/todo/
  in .ai/config.yaml

Try next:
  mere memory create todo/first
";
        assert_eq!(printer(true).new_store(&reply), expected);
        reply["data"] = json!({ "made": [] });
        assert_eq!(printer(false).new_store(&reply), "The store `cortex` is there.\n");
    }

    #[test]
    fn faults_come_before_the_message() {
        let faults = json!([{ "path": "todo/a", "problem": "the frontmatter is not closed" }]);
        let data = json!({ "store": "cortex", "memories": 3, "categories": 1, "faults": faults });
        let mut reply = json!({ "reply_type": "S", "message": "3 memories.", "data": data });
        let fault = "todo/a: the frontmatter is not closed\n";
        assert_eq!(printer(true).reindex_result(&reply), format!("{fault}3 memories.\n"));
        reply["reply_type"] = "E".into();
        assert_eq!(printer(true).reindex_result(&reply), fault, "what is wrong is said elsewhere");
    }
}
