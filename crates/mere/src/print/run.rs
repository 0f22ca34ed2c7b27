//! How chains, lockfiles and the output of tools look to a person.
//!
//! On a terminal a tool's output is escaped, so that it cannot control the terminal.

use anstyle::{AnsiColor, Style};
use serde_json::Value;

use super::Printer;

const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

impl Printer {
    /// Escapes what a tool printed.
    pub(crate) fn tool_output(&self, text: &str) -> String {
        self.escape_controls(text)
    }

    /// Formats the command that would be run.
    pub(crate) fn dry_run(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let words = data["argv"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let command = words.map(|word| self.escape_controls(word)).collect::<Vec<_>>().join(" ");
        let message = reply["message"].as_str().unwrap_or_default();
        format!("{}\n  {command}\n", self.escape_controls(message))
    }

    /// Formats the lockfiles that do not hold, and why.
    pub(crate) fn lockfiles(&self, reply: &Value) -> String {
        let found = reply["data"]["lockfiles"].as_array().into_iter().flatten();
        let lines = found.map(|one| {
            let (path, why) = (one["address"].as_str(), one["why"].as_str());
            let path = self.path(path.unwrap_or_default());
            format!(
                "{} {path}\n    {}\n",
                self.paint("✗", BAD),
                self.escape_controls(why.unwrap_or_default())
            )
        });
        let lines = lines.collect::<String>();
        if reply["reply_type"] == "S" { lines + &self.outcome(reply) } else { lines }
    }

    /// Formats the links of a chain, their merged config, and whether the chain is pinned.
    pub(crate) fn chain(&self, reply: &Value) -> String {
        let data = &reply["data"];
        if !data["chain"].is_array() {
            return String::new();
        }
        let links = data["chain"].as_array().into_iter().flatten().enumerate();
        let links = links.map(|(depth, link)| match depth {
            0 => self.link(link) + "\n",
            _ => format!("{}└─ {}\n", "   ".repeat(depth - 1), self.link(link)),
        });
        let config = data["config"].as_object().into_iter().flatten();
        let config = config.map(|(key, value)| {
            format!(
                "  {}: {}\n",
                self.escape_controls(key),
                self.escape_controls(&value.to_string())
            )
        });
        let pinned = match (data["lockfile"].as_str(), data["refused"].as_str()) {
            (_, Some(refused)) => {
                format!("{} {}\n", self.paint("not run:", BAD), self.escape_controls(refused))
            }
            (Some(lockfile), None) => {
                format!("{} {}\n", self.paint("pinned by", GOOD), self.path(lockfile))
            }
            (None, None) => self.paint("not pinned; `mere lock` pins it", DIM) + "\n",
        };
        links
            .chain(["\nconfig\n".to_owned()])
            .chain(config)
            .chain(["\n".to_owned(), pinned])
            .collect()
    }

    fn link(&self, link: &Value) -> String {
        let word = |key: &str| link[key].as_str().unwrap_or_default();
        let status = link["trust"]["status"].as_str().unwrap_or_default();
        let style = match status {
            "verified" => GOOD,
            "builtin" => DIM,
            _ => BAD,
        };
        let category = Some(word("category")).filter(|category| !category.is_empty());
        let place = match (status, category) {
            ("builtin", _) => String::new(),
            (_, Some(category)) => format!("  {} {category}", word("scope")),
            (_, None) => format!("  {}", word("scope")),
        };
        let (status, digest) = (self.paint(status, style), word("integrity").get(..12));
        let digest = self.paint(digest.unwrap_or_default(), DIM);
        format!("{} {}  {status}{place}  {digest}", word("tool_id"), word("version"))
    }
}
