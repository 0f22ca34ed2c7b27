//! How embedding models look to a person.
//!
//! The texts come from the reply; nothing is looked up here.

use serde::Deserialize;

use super::Printer;
use super::items::push_line;
use super::reply::ReplyView;

/// The data of a reply to `mere model list`.
#[derive(Deserialize)]
pub(crate) struct ModelList {
    models: Vec<ModelRow>,
    waiting: u64,
}

/// A model. Its size, its dimensions and its endpoint are listed as far as they are known.
#[derive(Deserialize)]
struct ModelRow {
    name: String,
    state: String,
    in_use: bool,
    items: u64,
    bytes: Option<u64>,
    dimensions: Option<u64>,
    model: Option<String>,
    url: Option<String>,
}

/// The data of a reply to `mere model fetch`.
#[derive(Deserialize)]
pub(crate) struct FetchedModel {
    file: String,
    bytes: u64,
}

impl Printer {
    /// Formats the models, and marks the one in use.
    pub(crate) fn models(&self, reply: &ReplyView<ModelList>) -> String {
        let ModelList { models, waiting } = &reply.data;
        let rows = models.iter().map(|model| {
            let mark = if model.in_use { "→" } else { "" };
            [mark.to_owned(), model.name.clone(), model.summary(), model.items.to_string()]
        });
        let mut out = self.table(["", "MODEL", "STATE", "ITEMS"], rows.collect());
        if *waiting > 0 {
            let items = if *waiting == 1 { "item has" } else { "items have" };
            push_line(
                &mut out,
                format_args!("{waiting} {items} no vector yet; `mere index` creates them."),
            );
        }
        out
    }

    /// Formats a model that was fetched, with its file and size.
    pub(crate) fn fetched_model(&self, reply: &ReplyView<FetchedModel>) -> String {
        let (file, size) = (self.escape_controls(&reply.data.file), megabytes(reply.data.bytes));
        format!("{}  {file} ({size})\n", self.sentence(reply))
    }
}

impl ModelRow {
    /// Describes the state of the model in a few words.
    fn summary(&self) -> String {
        let size = self.bytes.map(megabytes);
        let dimensions = self.dimensions.map(|count| format!("{count} dimensions"));
        let fetch = (self.state == "not fetched").then(|| "`mere model fetch minilm`".to_owned());
        let endpoint = self.model.as_ref().zip(self.url.as_ref());
        let endpoint = endpoint.map(|(name, url)| format!("{name} at {url}"));
        let words = [Some(self.state.clone()), fetch, endpoint, size, dimensions];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

fn megabytes(bytes: u64) -> String {
    let tenths = bytes.div_ceil(100_000);
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use serde_json::json;

    #[test]
    fn models_are_told_with_what_is_known_of_them() {
        let data = json!({ "waiting": 1, "models": [
            { "name": "m", "state": "fetched", "in_use": true, "items": 2, "bytes": 1_250_000,
              "dimensions": 3 },
            { "name": "e", "state": "configured", "in_use": false, "items": 0, "model": "x",
              "url": "http://y/" },
        ] });
        let expected = "→  m      fetched, 1.3 MB, 3 dimensions  2
   e      configured, x at http://y/     0
1 item has no vector yet; `mere index` creates them.
";
        assert_eq!(pipe_printer().models(&success(data)), expected);
        let fetched = success(json!({ "model": "minilm", "file": "f", "bytes": 100_000 }));
        assert_eq!(pipe_printer().fetched_model(&fetched), "Done.\n  f (0.1 MB)\n");
    }
}
