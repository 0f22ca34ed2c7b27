//! How the list of secrets looks to a person. Values are never printed.

use serde::Deserialize;

use super::Printer;
use super::items::FAINT;
use super::reply::ReplyView;

/// The data of a reply to `mere secret list`.
#[derive(Deserialize)]
pub(crate) struct SecretList {
    secrets: Vec<ListedSecret>,
}

#[derive(Deserialize)]
struct ListedSecret {
    name: String,
    from: String,
}

impl Printer {
    /// Formats the names of the secrets.
    pub(crate) fn secrets(&self, reply: &ReplyView<SecretList>) -> String {
        let lines = reply.data.secrets.iter().map(|one| {
            let note = match one.from.as_str() {
                "command" => self.paint("  from a command", FAINT),
                _ => String::new(),
            };
            format!("{}{note}\n", self.escape_controls(&one.name))
        });
        self.with_sentence(lines.collect(), reply)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use serde_json::json;

    #[test]
    fn names_are_listed() {
        let data = json!({ "secrets": [{ "name": "A", "from": "value" },
                                       { "name": "B", "from": "command" }] });
        assert_eq!(pipe_printer().secrets(&success(data)), "A\nB  from a command\nDone.\n");
    }
}
