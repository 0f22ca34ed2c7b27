//! Fills the templates of a chain's configuration: values at any depth, and `command` and `args` one
//! element at a time.
//!
//! An element stays one element whatever is put into it, what is put into a URL stays one part of
//! it, and nothing that was put in is read as a template again. The size limits are checked while the arguments grow, not afterwards.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

use super::template::{self, TemplateError, TemplatePart};
use super::{Chain, ChainConfig, FillFault};
use crate::network::encode_component;
use crate::text::json;

/// How many arguments a program may have, including its own name.
pub const MAX_ARGUMENTS: usize = 4_096;
/// How many bytes the arguments may have together, including the NUL that ends each.
pub const MAX_ARGUMENT_BYTES: usize = 128 * 1024;

/// The template name that means the path of the entrypoint.
const ENTRYPOINT: &str = "entrypoint";

/// The values for templates. Some of them may be secret, so the type is not `Debug`.
#[derive(Clone, Copy)]
pub struct TemplateValues<'a> {
    /// The folder in which the program finds the files of the tool, without a final `/`.
    pub folder: &'a str,
    /// The parameters of the call.
    pub parameters: &'a Map<String, Value>,
    /// Those variables of [`ChainConfig::environment`] that have a value.
    pub environment: &'a BTreeMap<String, String>,
}

/// A configuration with its templates filled. Its `Debug` does not print the arguments.
#[derive(Clone)]
pub struct FilledConfig<'a> {
    pub(super) chain: &'a Chain,
    pub(super) value: Map<String, Value>,
}

/// The key of a URL, into which values are put encoded.
const URL: &str = "url";

/// The keys that are not filled as typed values: two are lists of texts, and `env_config` is never
/// filled.
const UNTYPED_KEYS: [&str; 3] = ["command", "args", "env_config"];

impl<'a> ChainConfig<'a> {
    /// Fills every template.
    pub fn fill(&self, values: TemplateValues<'_>) -> Result<FilledConfig<'a>, FillFault> {
        if values.parameters.contains_key(ENTRYPOINT) {
            return Err(FillFault::ReservedParameter);
        }
        let mut value = self.value.clone();
        let mut filling =
            Filler { config: self, values, use_as: FilledAs::Value, count: 0, bytes: 0 };
        for (key, field_value) in
            value.iter_mut().filter(|(key, _)| !UNTYPED_KEYS.contains(&key.as_str()))
        {
            let field = format!("config.{key}");
            match field_value {
                Value::String(text) if key == URL => {
                    *field_value = filling.fill_url(text, &field)?;
                }
                _ => filling.fill_within(field_value, &field)?,
            }
        }
        filling.use_as = FilledAs::Argument;
        for key in ["command", "args"] {
            if let Some(field_value) = value.get_mut(key) {
                *field_value = filling.fill_list(field_value, &format!("config.{key}"))?.into();
            }
        }
        Ok(FilledConfig { chain: self.chain, value })
    }
}

impl FilledConfig<'_> {
    /// Returns the whole configuration as JSON.
    pub fn value(&self) -> &Map<String, Value> {
        &self.value
    }
}

impl fmt::Debug for FilledConfig<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilledConfig").field("chain", &self.chain).finish_non_exhaustive()
    }
}

/// The value that a template name resolves to.
enum ResolvedName<'a> {
    Json(&'a Value),
    Text(Cow<'a, str>),
}

/// What a filled text becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FilledAs {
    Value,
    /// An argument of a program, which every process of the machine may read.
    Argument,
}

/// A filler of templates, which keeps track of the size of the arguments so far.
struct Filler<'a> {
    config: &'a ChainConfig<'a>,
    values: TemplateValues<'a>,
    use_as: FilledAs,
    count: usize,
    bytes: usize,
}

/// A way to turn an element into a text.
type ElementReader<'a> = fn(&Filler<'a>, &Value, &str) -> Result<String, FillFault>;

impl<'a> Filler<'a> {
    /// Fills a list, or a text that is one template for a whole list.
    fn fill_list(&mut self, value: &Value, field: &str) -> Result<Vec<String>, FillFault> {
        let text = match value {
            Value::Array(items) => return self.fill_elements(items, field, Self::expand),
            Value::String(text) => text,
            other => return Err(not_a_list(field, json_type_name(other))),
        };
        match parse_template(text, field)?[..] {
            [TemplatePart::Name { name, default }] => match self.resolve(name, default, field)? {
                ResolvedName::Json(Value::Array(items)) => {
                    self.fill_elements(items, field, Self::literal)
                }
                ResolvedName::Json(other) => Err(not_a_list(field, json_type_name(other))),
                ResolvedName::Text(_) => Err(not_a_list(field, "a string")),
            },
            _ => Err(not_a_list(field, "a string")),
        }
    }

    fn fill_elements(
        &mut self,
        items: &[Value],
        field: &str,
        read: ElementReader<'a>,
    ) -> Result<Vec<String>, FillFault> {
        self.count += items.len();
        if self.count > MAX_ARGUMENTS {
            return Err(FillFault::TooMany { field: field.to_owned() });
        }
        let mut elements = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let field = format!("{field}[{index}]");
            let element = read(self, item, &field)?;
            if element.contains('\0') {
                return Err(FillFault::Nul { field });
            }
            self.check_size(element.len(), &field)?;
            self.bytes += element.len() + 1;
            elements.push(element);
        }
        Ok(elements)
    }

    /// Fills all texts within a value. The merged configuration is not nested too deeply to be
    /// walked.
    fn fill_within(&self, value: &mut Value, field: &str) -> Result<(), FillFault> {
        match value {
            Value::String(text) => *value = self.fill_typed(text, field)?,
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.fill_within(item, &format!("{field}[{index}]"))?;
                }
            }
            Value::Object(map) => {
                for (key, item) in map {
                    self.fill_within(item, &format!("{field}.{key}"))?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(())
    }

    /// Fills a URL. What it begins with is put in as it is; anything after that is encoded, so that
    /// it cannot lead to another host, path or query.
    fn fill_url(&self, text: &str, field: &str) -> Result<Value, FillFault> {
        let mut url = String::new();
        for (index, piece) in parse_template(text, field)?.into_iter().enumerate() {
            let text = match piece {
                TemplatePart::Text(text) => Cow::Borrowed(text),
                TemplatePart::Name { name, default } => {
                    let value = match self.resolve(name, default, field)? {
                        ResolvedName::Text(text) => text,
                        ResolvedName::Json(value) => argument_text(value, field)?,
                    };
                    if index == 0 { value } else { encode_component(&value).into() }
                }
            };
            self.check_size(url.len() + text.len(), field)?;
            url.push_str(&text);
        }
        Ok(url.into())
    }

    /// Fills a value that is not an argument. If the value is a single template, the result keeps
    /// the type of what it resolves to.
    fn fill_typed(&self, text: &str, field: &str) -> Result<Value, FillFault> {
        match parse_template(text, field)?[..] {
            [TemplatePart::Name { name, default }] => {
                match (self.resolve(name, None, field), default) {
                    (Ok(ResolvedName::Json(value)), _) => Ok(value.clone()),
                    (Ok(ResolvedName::Text(text)), _) => Ok(text.into()),
                    (Err(_), Some(default)) => Ok(parse_scalar(default)),
                    (Err(fault), None) => Err(fault),
                }
            }
            _ => Ok(self.expand(&Value::String(text.to_owned()), field)?.into()),
        }
    }

    /// Expands the templates in an element that the author wrote.
    fn expand(&self, item: &Value, field: &str) -> Result<String, FillFault> {
        let Value::String(text) = item else { return self.literal(item, field) };
        let mut element = String::new();
        for piece in parse_template(text, field)? {
            let text = match piece {
                TemplatePart::Text(text) => Cow::Borrowed(text),
                TemplatePart::Name { name, default } => match self.resolve(name, default, field)? {
                    ResolvedName::Text(text) => text,
                    ResolvedName::Json(value) => argument_text(value, field)?,
                },
            };
            self.check_size(element.len() + text.len(), field)?;
            element.push_str(&text);
        }
        Ok(element)
    }

    /// Turns an element into a text without expanding templates in it.
    fn literal(&self, item: &Value, field: &str) -> Result<String, FillFault> {
        let text = argument_text(item, field)?;
        self.check_size(text.len(), field)?;
        Ok(text.into_owned())
    }

    /// Refuses an element of this many bytes if it exceeds the limit.
    fn check_size(&self, bytes: usize, field: &str) -> Result<(), FillFault> {
        if self.bytes + bytes < MAX_ARGUMENT_BYTES {
            return Ok(());
        }
        Err(FillFault::TooLong { field: field.to_owned() })
    }

    fn resolve<'b>(
        &self,
        name: &str,
        default: Option<&'b str>,
        field: &str,
    ) -> Result<ResolvedName<'b>, FillFault>
    where
        'a: 'b,
    {
        if name == ENTRYPOINT {
            if let Some(entrypoint) = self.config.chain.entrypoint()? {
                let path = format!("{}/{}", self.values.folder, entrypoint.path());
                return Ok(ResolvedName::Text(path.into()));
            }
        } else if let Some(value) = self.values.parameters.get(name) {
            return Ok(ResolvedName::Json(value));
        }
        if self.use_as == FilledAs::Argument && self.config.is_secret_variable(name) {
            let (field, name) = (field.to_owned(), name.to_owned());
            return Err(FillFault::SecretArgument { field, name });
        }
        let is_variable = self.config.has_variable(name);
        let variable = self.values.environment.get(name).filter(|_| is_variable);
        if let Some(text) = variable.map(String::as_str).or(default) {
            return Ok(ResolvedName::Text(text.into()));
        }
        let (field, name) = (field.to_owned(), name.to_owned());
        Err(if is_variable {
            FillFault::UnsetVariable { field, name }
        } else {
            FillFault::UnknownName { field, name }
        })
    }
}

/// Parses a default as a number or boolean if it reads as one; otherwise it is a text.
fn parse_scalar(text: &str) -> Value {
    let read = json::parse(text.as_bytes()).ok();
    let read = read.filter(|value| value.is_number() || value.is_boolean());
    read.unwrap_or_else(|| text.into())
}

fn parse_template<'b>(text: &'b str, field: &str) -> Result<Vec<TemplatePart<'b>>, FillFault> {
    let field = || field.to_owned();
    template::parse_parts(text).map_err(|wrong| match wrong {
        TemplateError::Unclosed => FillFault::Unclosed { field: field() },
        TemplateError::InvalidName => FillFault::InvalidName { field: field() },
        TemplateError::Nested => FillFault::Nested { field: field() },
    })
}

fn argument_text<'b>(value: &'b Value, field: &str) -> Result<Cow<'b, str>, FillFault> {
    match value {
        Value::String(text) => Ok(text.into()),
        Value::Number(number) => Ok(number.to_string().into()),
        Value::Bool(flag) => Ok(flag.to_string().into()),
        other => Err(FillFault::NotText { field: field.to_owned(), found: json_type_name(other) }),
    }
}

fn not_a_list(field: &str, found: &'static str) -> FillFault {
    FillFault::NotAList { field: field.to_owned(), found }
}

fn json_type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
