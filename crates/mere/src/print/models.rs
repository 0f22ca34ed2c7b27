//! How embedding models look to a person.
//!
//! The texts come from the reply; nothing is looked up here.

use serde_json::Value;

use super::Printer;
use super::items::{as_list, as_text, push_line};

impl Printer {
    /// Formats the models, and marks the one in use.
    pub(crate) fn models(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let rows = as_list(&data["models"]).map(|model| {
            let mark = if model["in_use"] == true { "→" } else { "" };
            let name = as_text(&model["name"]).to_owned();
            [mark.to_owned(), name, state(model), model["items"].to_string()]
        });
        let mut out = self.table(["", "MODEL", "STATE", "ITEMS"], rows.collect());
        let waiting = data["waiting"].as_u64().unwrap_or_default();
        if waiting > 0 {
            let items = if waiting == 1 { "item has" } else { "items have" };
            push_line(
                &mut out,
                format_args!("{waiting} {items} no vector yet; `mere index` creates them."),
            );
        }
        out
    }

    /// Formats a model that was fetched, with its file and size.
    pub(crate) fn fetched_model(&self, reply: &Value) -> String {
        let mut out = self.outcome(reply);
        let (file, bytes) = (as_text(&reply["data"]["file"]), reply["data"]["bytes"].as_u64());
        let size = bytes.map(megabytes).unwrap_or_default();
        push_line(&mut out, format_args!("  {} ({size})", self.escape_controls(file)));
        out
    }
}

/// Describes the state of a model in a few words.
fn state(model: &Value) -> String {
    let size = model["bytes"].as_u64().map(megabytes);
    let dimensions = model["dimensions"].as_u64().map(|count| format!("{count} dimensions"));
    let fetch = (model["state"] == "not fetched").then(|| "`mere model fetch minilm`".to_owned());
    let named = model["model"].as_str().map(|name| format!("{name} at {}", as_text(&model["url"])));
    let state = Some(as_text(&model["state"]).to_owned());
    let words = [state, fetch, named, size, dimensions];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn megabytes(bytes: u64) -> String {
    let tenths = bytes.div_ceil(100_000);
    format!("{}.{} MB", tenths / 10, tenths % 10)
}
