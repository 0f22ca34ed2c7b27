//! What is in the main file of an item: its text, its inputs and what it asks for.

use mere_core::item::{Directive, Item, ScopedPath, ToolManifest, decode_text};
use mere_core::registry::VersionInfo;
use mere_pages::{Attribute, Html, Tag, definition_list, element, render_markdown, table};
use serde_json::Value;

use super::PageRequest;
use crate::error::RegistryError;
use crate::items::SignedStatement;

/// The longest source that is shown, in bytes.
const MAX_SOURCE: usize = 20 * 1024;

/// The main file of a version.
pub(super) struct ItemContent {
    /// Its whole text.
    pub(super) text: String,
    place: ScopedPath,
}

impl PageRequest<'_> {
    /// Reads the main file of a version.
    pub(super) fn read_content(&self, info: &VersionInfo) -> Result<ItemContent, RegistryError> {
        let statement = info.record.parse_statement();
        let statement = statement.map_err(|error| RegistryError::InvalidStatement(error.0))?;
        let signed = SignedStatement { statement, envelope: info.record.statement.clone() };
        let (place, main) = signed.main_file()?;
        let namespace = &info.record.version.item.namespace;
        let bytes = self.registry.get_blob(self.access, namespace, &main.sha256)?;
        let text = decode_text(&bytes).map_err(|_| RegistryError::NotFound)?.to_owned();
        Ok(ItemContent { text, place })
    }
}

impl ItemContent {
    /// Renders the text and what follows from it.
    pub(super) fn render(&self) -> Html {
        match Item::parse(&self.text, &self.place) {
            Ok(Item::Directive(directive)) => self.render_directive(&directive),
            Ok(Item::Tool(tool)) => self.render_tool(&tool),
            Ok(Item::Knowledge(entry)) => render_prose(&self.text[entry.content]),
            Ok(Item::Skill(skill)) => render_prose(&self.text[skill.content]),
            _ => source(&self.text),
        }
    }

    fn render_directive(&self, directive: &Directive) -> Html {
        let rows = directive.inputs.iter().map(|input| {
            let need = if input.required { "required" } else { "optional" };
            let kind = input.kind.clone().unwrap_or_default();
            vec![
                element(Tag::Code).with(&input.name).into(),
                kind.into(),
                need.into(),
                Html::text(&input.about),
            ]
        });
        let inputs = panel_table("Inputs", &["Name", "Type", "Needed", "Meaning"], rows.collect());
        let permitted = directive.permissions.iter().flat_map(permission_rows).collect();
        let permissions = panel_table("Permissions", &["Permission", "Details"], permitted);
        let around = [&self.text[..directive.content.start], &self.text[directive.content.end..]];
        // The element is often written in a fenced block, whose fences are left without it.
        let lines = around.iter().flat_map(|part| part.lines());
        let prose = lines.filter(|line| !line.trim_start().starts_with("```"));
        let prose = prose.collect::<Vec<_>>().join("\n");
        let prose = (!prose.trim().is_empty()).then(|| render_prose(&prose));
        let element = &self.text[directive.content.clone()];
        Html::from(prose).with(inputs).with(permissions).with(source(element))
    }

    fn render_tool(&self, tool: &ToolManifest) -> Html {
        let hosts = tool.permissions.hosts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let secrets = tool.permissions.secrets.iter().map(|name| name.as_str().to_owned());
        let secrets = secrets.collect::<Vec<_>>();
        let project = tool.permissions.project.map(|access| access.as_str().to_owned());
        let asks = definition_list([
            ("Project", project.into()),
            ("Hosts", hosts.join(", ").into()),
            ("Secrets", secrets.join(", ").into()),
        ]);
        let asks = if tool.permissions.is_empty() {
            "It asks for nothing beyond its own files and the workspace.".into()
        } else {
            asks
        };
        let permissions = element(Tag::Section).class("panel");
        let permissions = permissions.with(element(Tag::H2).with("Permissions")).with(asks);
        let inputs = panel_table(
            "Inputs",
            &["Name", "Type", "Needed", "Meaning"],
            parameter_rows(&tool.manifest),
        );
        inputs.with(permissions).with(source(&self.text))
    }
}

fn render_prose(text: &str) -> Html {
    element(Tag::Article).class("panel").with(render_markdown(text)).into()
}

/// Returns a row for each parameter that a manifest declares by JSON Schema, or as a list.
fn parameter_rows(manifest: &serde_json::Map<String, Value>) -> Vec<Vec<Html>> {
    let schema = ["parameters", "input_schema", "inputs"].iter().find_map(|key| manifest.get(*key));
    let Some(schema) = schema else { return Vec::new() };
    let text = |value: &Value, key: &str| {
        value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let row = |name: &str, value: &Value, is_needed: &dyn Fn(&str) -> bool| {
        let need = if is_needed(name) { "required" } else { "optional" };
        let name = element(Tag::Code).with(name);
        let (kind, about) = (text(value, "type"), text(value, "description"));
        vec![name.into(), kind.into(), need.into(), about.into()]
    };
    if let Some(list) = schema.as_array() {
        let named = list.iter().map(|one| {
            let is_needed = one.get("required").and_then(Value::as_bool).unwrap_or_default();
            row(&text(one, "name"), one, &|_| is_needed)
        });
        return named.collect();
    }
    let required = schema.get("required").and_then(Value::as_array);
    let is_needed = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let rows = properties.into_iter().flatten();
    rows.map(|(name, value)| row(name, value, &is_needed)).collect()
}

/// Returns a row for each element of a directive's permissions.
fn permission_rows(permissions: &Value) -> Vec<Vec<Html>> {
    let Some(parts) = permissions.as_object() else { return Vec::new() };
    let parts = parts.iter().filter(|(name, _)| !name.starts_with(['@', '_']));
    // An element that is there several times is a list.
    let rows = parts.flat_map(|(name, value)| {
        let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        all.iter().map(move |one| {
            let details = element(Tag::Code).with(permission_words(one));
            vec![Html::text(name), details.into()]
        })
    });
    rows.collect()
}

/// Returns what a permission names, such as `filesystem src/**`.
fn permission_words(permission: &Value) -> String {
    let fields = permission.as_object().map(|fields| fields.values().map(Value::as_str));
    let words = fields.and_then(Iterator::collect::<Option<Vec<_>>>);
    match (words, permission.as_str()) {
        (Some(words), _) => words.join(" "),
        (None, Some(text)) => text.to_owned(),
        (None, None) => permission.to_string(),
    }
}

fn panel_table(title: &'static str, columns: &[&'static str], rows: Vec<Vec<Html>>) -> Html {
    if rows.is_empty() {
        return Html::default();
    }
    let section = element(Tag::Section).class("panel").with(element(Tag::H2).with(title));
    section.with(table(title, columns, rows)).into()
}

fn source(text: &str) -> Html {
    let (shown, cut) = Html::beginning(text, MAX_SOURCE);
    let code = element(Tag::Pre).set(Attribute::TabIndex, "0").with(element(Tag::Code).with(shown));
    let cut = cut.map(|words| element(Tag::P).class("note").with(words));
    let section = element(Tag::Section).class("panel").with(element(Tag::H2).with("Source"));
    section.with(code).with(cut).into()
}
