//! An item of the retrieval set, written as a file of its type.
//!
//! The title, description and body go into the fields that its type has.

use std::path::Path;

use serde_json::{Value, json};

/// A line of `items.jsonl`.
pub(crate) struct RetrievalItem(Value);

impl RetrievalItem {
    pub(crate) fn parse(line: &str) -> Result<Self, String> {
        serde_json::from_str(line).map(Self).map_err(|error| error.to_string())
    }

    fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    /// Writes its file into a project.
    pub(crate) fn write(&self, project: &Path) -> Result<(), String> {
        let (folder, ending, text) = match self.text("type") {
            "knowledge" => ("knowledge", "md", self.knowledge()),
            "memory" => ("memory", "md", self.memory()),
            "tool" => ("tools", "yaml", self.tool()),
            "directive" => ("directives", "md", self.directive()),
            kind => return Err(format!("there is no type `{kind}`")),
        };
        let folder = project.join(".ai").join(folder).join(self.text("category"));
        let file = folder.join(format!("{}.{ending}", self.text("id")));
        let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(file, text));
        written.map_err(|error| error.to_string())
    }

    fn knowledge(&self) -> String {
        let [title, description, tags] = ["title", "description", "tags"].map(|name| &self.0[name]);
        format!(
            "---\nid: {}\ntitle: {title}\ndescription: {description}\nentry_type: reference\n\
             tags: {tags}\n---\n\n{}\n",
            self.text("id"),
            self.text("body"),
        )
    }

    fn memory(&self) -> String {
        let [description, tags] = ["description", "tags"].map(|name| &self.0[name]);
        let (title, body) = (self.text("title"), self.text("body"));
        format!("---\ndescription: {description}\ntags: {tags}\n---\n# {title}\n\n{body}\n")
    }

    fn tool(&self) -> String {
        let about = [self.text("description"), self.text("body")].join(" ");
        let about = json!(format!("{}. {about}", self.text("title")));
        format!(
            "tool_id: {}\ntool_type: script\nexecutor_id: python_runtime\nversion: 1.0.0\n\
             description: {about}\n",
            self.text("id"),
        )
    }

    fn directive(&self) -> String {
        let about = escape_xml(&format!("{}. {}", self.text("title"), self.text("description")));
        format!(
            "# {}\n\n<directive name=\"{}\" version=\"1.0.0\">\n<metadata><description>{about}\
             </description></metadata>\n<process><step name=\"do\"><description>{}</description>\
             </step></process>\n</directive>\n",
            self.text("title"),
            self.text("id"),
            escape_xml(self.text("body")),
        )
    }
}

fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
