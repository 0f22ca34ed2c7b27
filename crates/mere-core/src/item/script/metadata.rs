//! What a script says about itself, in the words of a manifest.

use serde_json::{Map, Value};

use super::ScriptLanguage;
use crate::chain::is_function_name;
use crate::item::old_signature::{OLD_SIGNATURE_WARNING, has_old_signature};
use crate::item::tool::read_tool_type;
use crate::item::{ItemId, Version};
use crate::schema::Schema;

/// The names of metadata in a script.
const METADATA_NAMES: [&str; 11] = [
    "__version__",
    "__tool_type__",
    "__executor_id__",
    "__category__",
    "__description__",
    "__call__",
    "__dependencies__",
    "INPUT_SCHEMA",
    "CONFIG_SCHEMA",
    "__input_schema__",
    "__config_schema__",
];
/// Those of them that hold the schema of the parameters, the strongest first.
const SCHEMA_NAMES: [&str; 4] =
    ["INPUT_SCHEMA", "__input_schema__", "CONFIG_SCHEMA", "__config_schema__"];
/// The function that is called if the script names no other.
const MAIN: &str = "main";
/// The longest description, in characters.
const MAX_DESCRIPTION: usize = 300;

/// What a script says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScriptMetadata {
    /// Its version.
    pub version: Option<Version>,
    /// Its tool type, `script` or `api`.
    pub tool_type: Option<&'static str>,
    /// The tool that runs it.
    pub executor: Option<ItemId>,
    /// The category that it says it is in.
    pub category: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// The function that can be called: `main`, or the one that `__call__` names.
    pub function: Option<ScriptFunction>,
    /// Whether it does its work when it is run as a program.
    pub runs_itself: bool,
    /// The schema of its parameters, if it states one.
    pub input_schema: Option<Value>,
    /// What could not be read, and what a person should know.
    pub notes: Vec<String>,
}

/// A function that can be called.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptFunction {
    /// Its name.
    pub name: String,
    /// The schema of its parameters.
    pub input_schema: Value,
}

/// What a scanner found in a script.
#[derive(Default)]
pub(super) struct ScriptFacts {
    /// The metadata by name.
    pub(super) assigned: Vec<(String, Result<Value, NotLiteral>)>,
    pub(super) functions: Vec<FunctionFacts>,
    pub(super) runs_itself: bool,
    /// The text at its start that describes it.
    pub(super) about: Option<String>,
    /// Whether all of the script could be read.
    pub(super) is_complete: bool,
}

/// A value is not a plain literal.
pub(super) struct NotLiteral;

/// A function that a scanner found.
pub(super) struct FunctionFacts {
    pub(super) name: String,
    pub(super) parameters: Result<Parameters, &'static str>,
}

/// The parameters of a function.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) list: Vec<FunctionParameter>,
    /// Whether it also takes parameters that it does not name.
    pub(super) takes_others: bool,
}

/// A parameter of a function.
pub(super) struct FunctionParameter {
    pub(super) name: String,
    pub(super) schema: Map<String, Value>,
    pub(super) is_required: bool,
}

/// Reports whether a name is one of metadata.
pub(super) fn is_metadata(name: &str) -> bool {
    METADATA_NAMES.contains(&name)
}

impl Parameters {
    fn into_schema(self) -> Value {
        let is_required = |one: &&FunctionParameter| one.is_required;
        let required = self.list.iter().filter(is_required).map(|one| Value::from(&*one.name));
        let required = required.collect::<Vec<_>>();
        let properties = self.list.into_iter().map(|one| (one.name, Value::Object(one.schema)));
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "object".into());
        schema.insert("properties".to_owned(), Value::Object(properties.collect()));
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        schema.insert("additionalProperties".to_owned(), self.takes_others.into());
        Value::Object(schema)
    }
}

impl ScriptFacts {
    fn take(&mut self, name: &str) -> Option<Result<Value, NotLiteral>> {
        let at = self.assigned.iter().rposition(|(assigned, _)| assigned == name)?;
        Some(self.assigned.swap_remove(at).1)
    }

    /// Turns what was found into the words of a manifest.
    pub(super) fn into_metadata(mut self, text: &str, language: ScriptLanguage) -> ScriptMetadata {
        let mut metadata =
            ScriptMetadata { runs_itself: self.runs_itself, ..ScriptMetadata::default() };
        let notes = &mut metadata.notes;
        if !self.is_complete {
            notes.push("the script could be read only in part".to_owned());
        }
        if has_old_signature(text) {
            notes.push(OLD_SIGNATURE_WARNING.to_owned());
        }
        let mut texts = |facts: &mut Self, name: &str| match facts.take(name) {
            None | Some(Ok(Value::Null)) => None,
            Some(Ok(Value::String(text))) => Some(text),
            Some(_) => {
                notes.push(format!("`{name}` is not a plain text, so it was left out"));
                None
            }
        };
        let version = texts(&mut self, "__version__");
        let tool_type = texts(&mut self, "__tool_type__");
        let executor = texts(&mut self, "__executor_id__");
        metadata.category = texts(&mut self, "__category__");
        let described = texts(&mut self, "__description__");
        let called = texts(&mut self, "__call__");
        metadata.version = version.and_then(|version| {
            let parsed = version.parse().ok();
            if parsed.is_none() {
                notes.push("`__version__` is not SemVer, so the version is 0.1.0".to_owned());
            }
            parsed
        });
        metadata.tool_type = tool_type.and_then(|stated| {
            let known = read_tool_type(&stated).map(|(current, _)| current);
            let known = known.filter(|known| ["script", "api"].contains(known));
            if known.is_none() {
                notes.push("`__tool_type__` is not that of a script, so it is `script`".to_owned());
            }
            known
        });
        metadata.executor = executor.and_then(|stated| {
            let parsed = stated.parse().ok();
            if parsed.is_none() {
                notes.push("`__executor_id__` is not a valid id, so it was left out".to_owned());
            }
            parsed
        });
        let about = described.or(self.about.take()).or_else(|| leading_comment(text, language));
        metadata.description = about.map(|about| first_paragraph(&about));
        metadata.description = metadata.description.filter(|about| !about.is_empty());
        self.note_dependencies(notes, language);
        metadata.input_schema = self.find_schema(notes);
        metadata.function = self.find_function(called.as_deref(), notes);
        metadata
    }

    fn note_dependencies(&mut self, notes: &mut Vec<String>, language: ScriptLanguage) {
        let named = self.take("__dependencies__").and_then(Result::ok);
        if named.is_some_and(|named| named.as_array().is_some_and(|list| !list.is_empty())) {
            let file = match language {
                ScriptLanguage::Node => "package.json",
                ScriptLanguage::Python | ScriptLanguage::Bash => "requirements.txt",
            };
            notes.push(format!(
                "`__dependencies__` names packages: write them, with versions, into a file of the \
                 script's name that ends in `.{file}`, then `mere prepare` fetches them"
            ));
        }
    }

    /// Returns the schema of the parameters, if the script states one that can be used.
    fn find_schema(&mut self, notes: &mut Vec<String>) -> Option<Value> {
        for name in SCHEMA_NAMES {
            let Some(value) = self.take(name) else { continue };
            let is_schema = |value: &Value| {
                let of_object = value.get("type").is_some_and(|kind| kind == "object");
                of_object || value.get("properties").is_some_and(Value::is_object)
            };
            match value.ok().filter(is_schema).filter(|value| Schema::compile(value).is_ok()) {
                Some(schema) => return Some(schema),
                None => notes.push(format!(
                    "`{name}` is not a JSON Schema in plain literals, so it was left out"
                )),
            }
        }
        None
    }

    fn find_function(
        &mut self,
        called: Option<&str>,
        notes: &mut Vec<String>,
    ) -> Option<ScriptFunction> {
        let name = called.unwrap_or(MAIN);
        let at = self.functions.iter().rposition(|one| one.name == name);
        let Some(at) = at.filter(|_| is_function_name(name)) else {
            if called.is_some() {
                notes.push(
                    "`__call__` names no function of the script, so it was left out".to_owned(),
                );
            }
            return None;
        };
        let FunctionFacts { name, parameters } = self.functions.swap_remove(at);
        match parameters {
            Ok(parameters) => {
                if parameters.list.iter().any(|one| one.name == "entrypoint") {
                    notes.push(format!(
                        "`{name}` has a parameter `entrypoint`, a name that no call can use: \
                         rename it"
                    ));
                }
                Some(ScriptFunction { name, input_schema: parameters.into_schema() })
            }
            Err(reason) => {
                notes.push(format!("`{name}` cannot be called with parameters by name: {reason}"));
                None
            }
        }
    }
}

/// Returns the comment at the start of a script.
fn leading_comment(text: &str, language: ScriptLanguage) -> Option<String> {
    let text = text.trim_start_matches('\u{feff}');
    if language == ScriptLanguage::Node
        && let Some(comment) = text.trim_start().strip_prefix("/*")
    {
        let (comment, _) = comment.split_once("*/")?;
        let lines = comment.lines().map(|line| line.trim().trim_start_matches('*').trim());
        return Some(lines.collect::<Vec<_>>().join("\n"));
    }
    let mark = if language == ScriptLanguage::Node { "//" } else { "#" };
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_known = line.starts_with("#!") || has_old_signature(line) || line.contains("-*-");
        match line.strip_prefix(mark) {
            _ if is_known && lines.is_empty() => {}
            Some(comment) => lines.push(comment.trim()),
            None if line.trim().is_empty() && lines.is_empty() => {}
            None => break,
        }
    }
    Some(lines.join("\n")).filter(|comment| !comment.trim().is_empty())
}

/// Returns the first paragraph of a text as one line of limited length.
fn first_paragraph(text: &str) -> String {
    let lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
    let lines = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let words = lines.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(|letter| !letter.is_control()).take(MAX_DESCRIPTION).collect()
}
