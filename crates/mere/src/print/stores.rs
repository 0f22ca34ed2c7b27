//! How stores look to a person: each with its mode and the categories that the configuration names.
//!
//! Categories that exist only as folders are not listed here.

use serde::Deserialize;

use super::Printer;
use super::items::{BAD, FAINT, GOOD, STRONG, push_line};
use super::reply::ReplyView;

/// The data of a reply to `mere store list`.
#[derive(Deserialize)]
pub(crate) struct StoreList {
    stores: Vec<ListedStore>,
}

#[derive(Deserialize)]
struct ListedStore {
    name: String,
    path: String,
    description: String,
    #[serde(rename = "categoryMode")]
    category_mode: String,
    categories: Vec<ConfiguredCategory>,
    #[serde(default)]
    current: bool,
}

#[derive(Deserialize)]
struct ConfiguredCategory {
    path: String,
    description: String,
    subcategories: Vec<ConfiguredCategory>,
}

/// The data of a reply to `mere store init`.
#[derive(Deserialize)]
pub(crate) struct CreatedStore {
    config: String,
    made: Vec<String>,
    next: Vec<String>,
}

/// The data of a reply to `mere store sync`.
#[derive(Deserialize)]
pub(crate) struct StoreSync {
    made: Vec<String>,
}

/// The data of a reply to `mere store reindex`.
#[derive(Deserialize)]
pub(crate) struct StoreCheck {
    faults: Vec<MemoryFault>,
}

#[derive(Deserialize)]
struct MemoryFault {
    path: String,
    problem: String,
}

impl Printer {
    /// Formats the stores, each with its configured categories as a tree. An arrow marks the one in
    /// use.
    pub(crate) fn stores(&self, reply: &ReplyView<StoreList>) -> String {
        let mut out = String::new();
        for store in &reply.data.stores {
            let mark = if store.current { "→" } else { " " };
            let name = self.paint(&self.escape_controls(&store.name), STRONG);
            let details = [store.category_mode.as_str(), &store.path].join(" · ");
            push_line(&mut out, format_args!("{mark} {name} · {}", self.escape_controls(&details)));
            if let Some(description) = non_empty_line(&store.description) {
                push_line(&mut out, format_args!("    {}", self.escape_controls(&description)));
            }
            let mut branches = Vec::new();
            collect_branches(&store.categories, 0, &mut branches);
            out += &self.category_tree(&branches);
        }
        if out.is_empty() { "No stores.\n".to_owned() } else { out }
    }

    /// Formats a store that was created, and what to do next.
    pub(crate) fn new_store(&self, reply: &ReplyView<CreatedStore>) -> String {
        let CreatedStore { config, made, next } = &reply.data;
        let mut out = self.sentence(reply) + &self.new_folders(made);
        push_line(&mut out, format_args!("  in {}", self.path(config)));
        if !next.is_empty() {
            out += "\nTry next:\n";
        }
        for step in next {
            let step = self.paint(&self.escape_controls(step), STRONG);
            push_line(&mut out, format_args!("  {step}"));
        }
        out
    }

    /// Formats the folders that were missing.
    pub(crate) fn store_sync(&self, reply: &ReplyView<StoreSync>) -> String {
        self.sentence(reply) + &self.new_folders(&reply.data.made)
    }

    fn new_folders(&self, made: &[String]) -> String {
        let mark = self.paint("+", GOOD);
        let mut out = String::new();
        for address in made {
            push_line(&mut out, format_args!("  {mark} {}", self.path(address)));
        }
        out
    }

    /// Formats what is wrong with the memories of a store.
    pub(crate) fn reindex_result(&self, reply: &ReplyView<StoreCheck>) -> String {
        let mut out = String::new();
        for MemoryFault { path, problem } in &reply.data.faults {
            let path = self.paint(&self.escape_controls(path), BAD);
            push_line(&mut out, format_args!("{path}: {}", self.escape_controls(problem)));
        }
        self.with_sentence(out, reply)
    }

    fn category_tree(&self, branches: &[CategoryBranch]) -> String {
        let widest = branches.iter().map(CategoryBranch::width).max().unwrap_or_default();
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

/// A category as it is printed.
struct CategoryBranch {
    depth: usize,
    name: String,
    description: Option<String>,
}

impl CategoryBranch {
    fn width(&self) -> usize {
        2 * self.depth + self.name.chars().count()
    }
}

/// Collects the categories of a tree, parents before their children.
fn collect_branches(
    categories: &[ConfiguredCategory],
    depth: usize,
    branches: &mut Vec<CategoryBranch>,
) {
    for ConfiguredCategory { path, description, subcategories } in categories {
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        branches.push(CategoryBranch { depth, name, description: non_empty_line(description) });
        collect_branches(subcategories, depth + 1, branches);
    }
}

/// Joins a text into one line. Returns `None` if it is empty.
fn non_empty_line(text: &str) -> Option<String> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success, terminal_printer};
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn stores_are_listed_with_their_trees() {
        let standards = json!([
            { "path": "standards/architecture", "description": "Patterns\nof it", "subcategories": [] },
        ]);
        let reply = success(json!({ "stores": [
            { "name": "cortex", "path": "ROOT_PROJECT:/.ai/memory/", "description": "What we know",
              "categoryMode": "strict", "current": true, "categories": [
                { "path": "standards", "description": "How we work", "subcategories": standards },
                { "path": "todo", "description": "", "subcategories": [] },
            ] },
            { "name": "notes", "path": "ROOT_USER:/notes/", "description": "",
              "categoryMode": "free", "categories": [] },
        ] }));
        let expected = "→ cortex · strict · ROOT_PROJECT:/.ai/memory/
    What we know
    standards       How we work
      architecture  Patterns of it
    todo
  notes · free · ROOT_USER:/notes/
";
        assert_eq!(terminal_printer().stores(&reply), expected);
        assert_eq!(pipe_printer().stores(&reply), expected);
        let none = success(json!({ "stores": [] }));
        assert_eq!(terminal_printer().stores(&none), "No stores.\n");
    }

    #[test]
    fn a_description_cannot_steer_the_terminal() {
        let reply = success(json!({ "stores": [
            { "name": "a", "path": "ROOT_USER:/a/", "description": "x\u{1b}[2J",
              "categoryMode": "free",
              "categories": [{ "path": "b", "description": "\u{202e}y", "subcategories": [] }] },
        ] }));
        let shown = terminal_printer().stores(&reply);
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    }

    #[test]
    fn a_new_store_says_what_was_made_and_what_comes_next() {
        let data = json!({
            "store": "cortex", "config": "ROOT_PROJECT:/.ai/config.yaml",
            "made": ["ROOT_PROJECT:/.ai/cortex/todo/"], "next": ["mere memory create todo/first"],
        });
        let expected = "Done.
  + .ai/cortex/todo/
  in .ai/config.yaml

Try next:
  mere memory create todo/first
";
        assert_eq!(terminal_printer().new_store(&success(data)), expected);
        let synced = success(json!({ "made": ["ROOT_PROJECT:/.ai/cortex/todo/"] }));
        assert_eq!(pipe_printer().store_sync(&synced), "Done.\n  + .ai/cortex/todo/\n");
    }

    #[test]
    fn faults_come_before_the_message() {
        let faults = json!([{ "path": "todo/a", "problem": "the frontmatter is not closed" }]);
        let data = json!({ "store": "cortex", "memories": 3, "categories": 1, "faults": faults });
        let mut reply = json!({ "reply_type": "S", "message": "3 memories.", "data": data });
        let fault = "todo/a: the frontmatter is not closed\n";
        let shown = |reply: &Value| {
            let view = ReplyView::from_value(reply.clone()).expect("a reply");
            terminal_printer().reindex_result(&view)
        };
        assert_eq!(shown(&reply), format!("{fault}3 memories.\n"));
        reply["reply_type"] = "E".into();
        assert_eq!(shown(&reply), fault, "what is wrong is said elsewhere");
    }
}
