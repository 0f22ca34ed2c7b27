//! The leak gate, which every byte that an agent sees must pass last.
//!
//! It has two rules. *Our words* must not contain a host path: if they do, the whole reply is
//! replaced by an error that repeats nothing of it. In *content*, this session's real folders are
//! rewritten to addresses; if one remains, that content is withheld. Only the gate can make a
//! [`Cleared`].

mod absolute_path;
mod cleared_part;
mod cleared_value;
mod document_mirror;
mod folder_trie;
mod host_path_scanner;
mod landmarks;
mod message;
mod path_reading;
mod short_mirror;

use std::borrow::Cow;

use serde_json::Value;

use crate::address::AgentName;
use crate::reply::{
    CodeId, Content, ContentKind, Data, Draft, Fields, Prose, ProsePart, ReplyType, codes,
};
use crate::secrets;
use crate::text::hidden_characters::HiddenCharacters;
use crate::trace::{SessionId, TraceId};
use cleared_value::{ClearedFields, ClearedValue};
use landmarks::Landmarks;

pub use cleared_part::{ClearedPart, ClearedReply};
pub use landmarks::{Landmark, Replacement, StandIn};
pub use message::{ClearedMessage, Seal};

/// Replaces content from which a real folder could not be removed.
const WITHHELD: &str = "[withheld: it names a folder outside the visible world]";

/// The gate that belongs to one config snapshot.
pub struct Gate {
    landmarks: Landmarks,
    mirror_format: MirrorFormat,
}

/// The format of the text mirror, for clients that read text only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MirrorFormat {
    /// One line for each entry.
    #[default]
    Short,
    /// One YAML document.
    Yaml,
    /// One JSON document.
    Json,
}

/// The metadata that every reply carries besides its draft.
#[derive(Clone, Debug)]
pub struct ReplyMetadata {
    /// The id of this call.
    pub trace_id: TraceId,
    /// The id of the session, where there is one.
    pub session_id: Option<SessionId>,
    /// The tool that was called, or `None` if the call did not name a known one.
    pub tool: Option<&'static str>,
    /// The agent that gets the reply: content names this agent's workspace by its address.
    pub agent: AgentName,
}

/// A reply that passed the gate, and the only kind of reply that an edge may send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cleared {
    json: String,
    /// The text mirror as a JSON string.
    mirror_json: String,
    code: CodeId,
}

impl Cleared {
    /// Returns the reply as JSON text.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Parses the reply into a JSON value.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(&self.json).unwrap_or_default()
    }

    /// Returns the text mirror, for clients that read text only, as a JSON string.
    pub fn mirror_json(&self) -> &str {
        &self.mirror_json
    }

    /// Returns the reply's code.
    pub fn code(&self) -> CodeId {
        self.code
    }

    /// Returns the reply's type.
    pub fn reply_type(&self) -> ReplyType {
        self.code.reply_type()
    }
}

/// A sentence that passed the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClearedText(String);

impl ClearedText {
    /// Returns the sentence.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The error that our words contain a host path. It carries nothing of the path.
struct Leak;

impl Gate {
    /// Makes a gate that recognises these folders.
    pub fn new(landmarks: Vec<Landmark>) -> Self {
        Self { landmarks: Landmarks::new(landmarks), mirror_format: MirrorFormat::default() }
    }

    /// Sets the format of the replies' text mirrors.
    #[must_use]
    pub fn with_mirror_format(self, mirror: MirrorFormat) -> Self {
        Self { mirror_format: mirror, ..self }
    }

    /// Passes a draft through both rules.
    pub fn clear(&self, draft: &Draft, metadata: &ReplyMetadata) -> Cleared {
        let body = DraftClearing::new(self, &metadata.agent).clear_body(draft);
        match body {
            Ok(body) => build_cleared(draft.code, body, (metadata, self.mirror_format)),
            Err(Leak) => withheld_reply((metadata, self.mirror_format)),
        }
    }

    /// Clears one sentence, such as a question or a progress note. Returns `None` if it leaks.
    pub fn clear_text(&self, prose: &Prose, agent: &AgentName) -> Option<ClearedText> {
        DraftClearing::new(self, agent).clear_prose(prose).ok().map(ClearedText)
    }

    /// Returns the body of a file as it will leave the gate, or `None` if it will be withheld.
    pub fn preview<'a>(&self, body: &'a str, agent: &AgentName) -> Option<Cow<'a, str>> {
        let (shown, count) = self.landmarks.rewrite(body, ContentKind::Body, agent);
        let clean = count == 0 || !self.landmarks.has_match(&shown, ContentKind::Body);
        clean.then_some(shown)
    }

    /// Lists the replacements that the gate will make in the body of a file. Returns `None` if
    /// it will withhold the body.
    pub fn replacements_in(&self, body: &str, agent: &AgentName) -> Option<Vec<Replacement>> {
        self.preview(body, agent)?;
        Some(self.landmarks.replacements(body, ContentKind::Body, agent))
    }

    /// Checks whether the body of a file leaves the gate other than it is.
    pub fn alters(&self, body: &str) -> bool {
        self.landmarks.has_match(body, ContentKind::Body)
    }

    /// Checks whether a name in a path below a root spells out a real folder with escapes, since an
    /// address with that name would contain the folder.
    pub fn has_escaped_folder_in(&self, path: &str) -> bool {
        // Without escapes it would have to begin with a slash, and no path below a root does.
        path.contains(['%', '\\', '&']) && path.split('/').any(|name| self.landmarks.occur_in(name))
    }

    fn check_words<'a>(&self, words: &'a str) -> Result<&'a str, Leak> {
        let leaks = host_path_scanner::has_host_path(words) || self.landmarks.occur_in(words);
        if leaks { Err(Leak) } else { Ok(words) }
    }
}

/// Clears one draft, and counts the changes made to its content.
struct DraftClearing<'a> {
    gate: &'a Gate,
    agent: &'a AgentName,
    redaction_count: u64,
    hidden_characters: HiddenCharacters,
}

/// The message, hint and data of a reply after the gate.
struct ClearedBody<'a> {
    message: String,
    hint: Option<String>,
    data: ClearedFields<'a>,
}

impl<'g> DraftClearing<'g> {
    fn new(gate: &'g Gate, agent: &'g AgentName) -> Self {
        let hidden_characters = HiddenCharacters::default();
        Self { gate, agent, redaction_count: 0, hidden_characters }
    }

    fn clear_body(mut self, draft: &Draft) -> Result<ClearedBody<'_>, Leak> {
        let message = self.clear_prose(&draft.message)?;
        let hint = draft.hint.as_ref().map(|hint| self.clear_prose(hint)).transpose()?;
        let mut data = self.clear_fields(&draft.data)?;
        if self.redaction_count > 0 {
            data.push(("redacted".into(), ClearedValue::Number(self.redaction_count)));
        }
        if !self.hidden_characters.is_empty() {
            add_warning(&mut data, hidden_characters_warning(self.hidden_characters));
        }
        Ok(ClearedBody { message, hint, data })
    }

    fn clear_prose(&mut self, prose: &Prose) -> Result<String, Leak> {
        let mut out = String::new();
        for part in prose.parts() {
            match part {
                ProsePart::Words(words) => out.push_str(self.gate.check_words(words)?),
                ProsePart::Address(address) => out.push_str(&address.to_text()),
                ProsePart::Name(name) => out.push_str(name.as_str()),
                ProsePart::Content(content) => out.push_str(&self.clear_content(content)),
            }
        }
        Ok(out)
    }

    fn clear_fields<'a>(&mut self, fields: &'a Fields) -> Result<ClearedFields<'a>, Leak> {
        let cleared = fields.iter().map(|(name, value)| {
            Ok((Cow::Borrowed(self.gate.check_words(name)?), self.clear_value(value)?))
        });
        cleared.collect()
    }

    fn clear_value<'a>(&mut self, data: &'a Data) -> Result<ClearedValue<'a>, Leak> {
        Ok(match data {
            Data::Null => ClearedValue::Null,
            Data::Bool(value) => ClearedValue::Bool(*value),
            Data::Number(number) => ClearedValue::Number(*number),
            Data::ForeignNumber(number) => ClearedValue::Json(number.to_string()),
            Data::Words(words) => ClearedValue::Text(self.gate.check_words(words)?.into()),
            Data::Address(address) => ClearedValue::Text(address.to_text().into()),
            Data::Name(name) => ClearedValue::Text(name.as_str().into()),
            Data::Root(root) => ClearedValue::Text(root.to_string().into()),
            Data::Content(content) => ClearedValue::Text(self.clear_content(content)),
            Data::Fields(fields) => ClearedValue::Fields(self.clear_fields(fields)?),
            Data::ForeignFields(fields) => {
                let fields = fields.iter();
                let fields = fields
                    .map(|(name, value)| Ok((self.clear_content(name), self.clear_value(value)?)));
                ClearedValue::Fields(fields.collect::<Result<_, _>>()?)
            }
            Data::List(list) => ClearedValue::List(
                list.iter().map(|item| self.clear_value(item)).collect::<Result<_, _>>()?,
            ),
        })
    }

    fn clear_content<'a>(&mut self, content: &'a Content) -> Cow<'a, str> {
        let landmarks = &self.gate.landmarks;
        let whole = content.text();
        let end =
            content.cut().map_or(whole.len(), |cut| secrets::end_outside_mask(whole, cut.end));
        let (text, count) = landmarks.rewrite_until(whole, end, content.kind(), self.agent);
        let text = match content.cut().map_or("", |cut| cut.mark) {
            "" => text,
            mark => Cow::Owned(text.into_owned() + mark),
        };
        self.redaction_count += count;
        // Text that needed no rewriting has already been searched.
        let passes = count == 0 || !landmarks.has_match(&text, content.kind());
        if passes {
            self.hidden_characters.add(HiddenCharacters::count(&text));
            return text;
        }
        self.redaction_count += 1;
        Cow::Borrowed(WITHHELD)
    }
}

/// Says that a content is not what it looks like.
fn hidden_characters_warning(found: HiddenCharacters) -> String {
    format!("hidden characters: {found}; a person who sees this text sees something else")
}

/// Adds a sentence to the warnings of a reply.
fn add_warning(data: &mut ClearedFields<'_>, warning: String) {
    let warning = ClearedValue::Text(warning.into());
    match data.iter_mut().find(|(name, _)| name == WARNINGS_FIELD) {
        Some((_, ClearedValue::List(warnings))) => warnings.push(warning),
        _ => data.push((WARNINGS_FIELD.into(), ClearedValue::List(vec![warning]))),
    }
}

/// The name of the field that holds warnings.
const WARNINGS_FIELD: &str = "warnings";

fn build_cleared(
    code: CodeId,
    body: ClearedBody<'_>,
    (stamp, mirror): (&ReplyMetadata, MirrorFormat),
) -> Cleared {
    let trace_id = stamp.trace_id.to_string();
    let content = body.data.iter().find(|(name, _)| name == CONTENT_FIELD);
    let content = content.and_then(|(_, value)| value.as_text()).map(cleared_value::json_string);
    let mirror = match mirror {
        MirrorFormat::Short => short_mirror::join_content(
            &render_short_mirror(code, &body, &trace_id),
            content.as_deref(),
        ),
        MirrorFormat::Json => cleared_value::json_string(&document_mirror::render_json(
            document_fields(code, &body, &trace_id),
        )),
        MirrorFormat::Yaml => cleared_value::json_string(&document_mirror::render_yaml(
            document_fields(code, &body, &trace_id),
        )),
    };
    let content_size = content.as_ref().map_or(0, String::len);
    let text = |text: String| ClearedValue::Text(text.into());
    let session_id = stamp.session_id.map_or(ClearedValue::Null, |id| text(id.to_string()));
    let tool = stamp.tool.map_or(ClearedValue::Null, |tool| ClearedValue::Text(tool.into()));
    let mut reply: ClearedFields<'_> = vec![
        ("reply_type".into(), ClearedValue::Text(code.reply_type().letter().into())),
        ("code".into(), text(code.to_string())),
        ("message".into(), text(body.message)),
    ];
    reply.extend(body.hint.map(|hint| ("hint".into(), text(hint))));
    let trace = vec![("trace_id".into(), text(trace_id)), ("session_id".into(), session_id)];
    let meta = vec![("layer".into(), text(code.layer().to_string())), ("tool".into(), tool)];
    reply.push(("data".into(), ClearedValue::Fields(with_escaped_content(body.data, content))));
    reply.push(("trace".into(), ClearedValue::Fields(trace)));
    reply.push(("meta".into(), ClearedValue::Fields(meta)));
    // Leave room for a seal, so that adding one does not copy the text.
    let size = content_size + 2 * mirror.len() + 1024;
    let json = ClearedValue::Fields(reply).to_json_with_capacity(size);
    Cleared { json, mirror_json: mirror, code }
}

/// Renders the part of a short mirror that precedes the content of a file.
fn render_short_mirror(code: CodeId, body: &ClearedBody<'_>, trace_id: &str) -> String {
    let mut text = format!("{code} {}", body.message);
    if let Some(hint) = &body.hint {
        text.push('\n');
        text.push_str(hint);
    }
    if code.reply_type() == ReplyType::Error {
        text.push_str("\ntrace_id: ");
        text.push_str(trace_id);
    }
    short_mirror::render_data(&body.data, &mut text);
    text
}

/// Collects the fields of a mirror that is one document.
fn document_fields<'a>(
    code: CodeId,
    body: &'a ClearedBody<'_>,
    trace_id: &'a str,
) -> ClearedFields<'a> {
    let mut fields: ClearedFields<'_> = vec![
        ("code".into(), ClearedValue::Text(code.to_string().into())),
        ("message".into(), ClearedValue::Text(body.message.as_str().into())),
    ];
    fields.extend(body.hint.as_ref().map(|hint| ("hint".into(), ClearedValue::Text(hint.into()))));
    if code.reply_type() == ReplyType::Error {
        fields.push(("trace_id".into(), ClearedValue::Text(trace_id.into())));
    }
    let data = body.data.iter().map(|(name, value)| (name.as_ref().into(), value.to_borrowed()));
    fields.push(("data".into(), ClearedValue::Fields(data.collect())));
    fields
}

/// The name of the field that holds the whole content of a file.
const CONTENT_FIELD: &str = "content";

/// Replaces the content field by its JSON, which exists already, so that a large text is escaped
/// only once.
fn with_escaped_content(mut data: ClearedFields<'_>, content: Option<String>) -> ClearedFields<'_> {
    let field = data.iter_mut().find(|(name, _)| name == CONTENT_FIELD);
    if let (Some((_, value)), Some(json)) = (field, content) {
        *value = ClearedValue::Json(json);
    }
    data
}

/// Builds the gate's own error. Its words are constants, so they need not pass the gate.
fn withheld_reply(how: (&ReplyMetadata, MirrorFormat)) -> Cleared {
    let body = ClearedBody {
        message: "The reply was withheld because it named a location outside the visible world."
            .to_owned(),
        hint: Some("This is a bug in the server. Report the trace id to a person.".to_owned()),
        data: Vec::new(),
    };
    build_cleared(codes::GATE_WITHHELD.id(), body, how)
}

#[cfg(test)]
mod tests;
