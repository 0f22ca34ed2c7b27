//! The leak gate: the last thing every agent-visible byte passes.
//!
//! Two rules. *Our words* may hold no host path: a hit replaces the whole reply by an error that
//! repeats nothing of it. In *content* this session's real folders are rewritten to addresses; if
//! one remains, that content is withheld. Only the gate makes a [`Cleared`].

mod clean;
mod document;
mod landmarks;
mod message;
mod mirror;
mod spelling;
mod words;

use std::borrow::Cow;

use serde_json::Value;

use crate::name::AgentName;
use crate::reply::{CodeId, Content, Data, Draft, Fields, Part, Prose, Reach, ReplyType, codes};
use crate::trace::{SessionId, TraceId};
use clean::{Clean, CleanFields};
use landmarks::Landmarks;

pub use landmarks::{Landmark, Replacement, StandIn};
pub use message::{ClearedMessage, Seal};

/// What content becomes when a real folder cannot be taken out of it.
const WITHHELD: &str = "[withheld: it names a folder outside the visible world]";

/// The gate of one config snapshot.
pub struct Gate {
    landmarks: Landmarks,
    mirror: Mirror,
}

/// What a reply looks like to a client that reads text only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mirror {
    /// A line for each thing.
    #[default]
    Short,
    /// One YAML document.
    Yaml,
    /// One JSON document.
    Json,
}

/// What every reply carries besides its draft.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// The id of this call.
    pub trace_id: TraceId,
    /// The id of the session, where there is one.
    pub session_id: Option<SessionId>,
    /// The tool that was called; `None` when the call named none we know.
    pub tool: Option<&'static str>,
    /// For whom the reply is: content names this agent's workspace by its address.
    pub agent: AgentName,
}

/// A reply that passed the gate: the only reply an edge may send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cleared {
    json: String,
    /// A JSON string.
    mirror: String,
    code: CodeId,
}

impl Cleared {
    /// The reply as JSON text.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The reply as a JSON value.
    pub fn value(&self) -> Value {
        serde_json::from_str(&self.json).unwrap_or_default()
    }

    /// The reply for a client that reads text only, as a JSON string.
    pub fn mirror_json(&self) -> &str {
        &self.mirror
    }

    /// Its code.
    pub fn code(&self) -> CodeId {
        self.code
    }

    /// Its type.
    pub fn reply(&self) -> ReplyType {
        self.code.reply()
    }
}

/// A sentence that passed the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClearedText(String);

impl ClearedText {
    /// The sentence.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Our words held a host path. Carries nothing of it.
struct Leak;

impl Gate {
    /// A gate that knows these folders.
    pub fn new(landmarks: Vec<Landmark>) -> Self {
        Self { landmarks: Landmarks::new(landmarks), mirror: Mirror::default() }
    }

    /// The same gate, whose replies mirror so.
    #[must_use]
    pub fn mirroring(self, mirror: Mirror) -> Self {
        Self { mirror, ..self }
    }

    /// Passes a draft through both rules.
    pub fn clear(&self, draft: &Draft, stamp: &Stamp) -> Cleared {
        let body = Pass { gate: self, agent: &stamp.agent, redacted: 0 }.body(draft);
        match body {
            Ok(body) => stamped(draft.code, body, (stamp, self.mirror)),
            Err(Leak) => withheld((stamp, self.mirror)),
        }
    }

    /// Passes one sentence: a question or a note on the way. `None` if it leaks.
    pub fn clear_text(&self, prose: &Prose, agent: &AgentName) -> Option<ClearedText> {
        Pass { gate: self, agent, redacted: 0 }.prose(prose).ok().map(ClearedText)
    }

    /// The body of a file as it will leave the gate; `None` if it will be withheld.
    pub fn preview<'a>(&self, body: &'a str, agent: &AgentName) -> Option<Cow<'a, str>> {
        let (shown, count) = self.landmarks.rewrite(body, Reach::Body, agent);
        let clean = count == 0 || !self.landmarks.stand_in(&shown, Reach::Body);
        (self.landmarks.is_whole() && clean).then_some(shown)
    }

    /// What the gate will change in the body of a file; `None` if it will withhold it.
    pub fn changes_in(&self, body: &str, agent: &AgentName) -> Option<Vec<Replacement>> {
        self.preview(body, agent)?;
        Some(self.landmarks.replacements(body, Reach::Body, agent))
    }

    /// Whether a name in a path below a root spells out a real folder, escaped: an address with it would be one.
    pub fn finds_folder_in(&self, path: &str) -> bool {
        // Unescaped it would have to begin with a slash, and no path below a root does.
        path.contains(['%', '\\'])
            && path.split('/').any(|name| self.landmarks.stand_in(name, Reach::Mention))
    }

    fn check_words<'a>(&self, words: &'a str) -> Result<&'a str, Leak> {
        let leaks = !self.landmarks.is_whole()
            || words::name_a_host_path(words)
            || self.landmarks.stand_in(words, Reach::Mention);
        if leaks { Err(Leak) } else { Ok(words) }
    }
}

/// One passage of one draft, counting what it changes.
struct Pass<'a> {
    gate: &'a Gate,
    agent: &'a AgentName,
    redacted: u64,
}

/// Message, hint and data after the gate.
struct Body<'a> {
    message: String,
    hint: Option<String>,
    data: CleanFields<'a>,
}

impl Pass<'_> {
    fn body(mut self, draft: &Draft) -> Result<Body<'_>, Leak> {
        let message = self.prose(&draft.message)?;
        let hint = draft.hint.as_ref().map(|hint| self.prose(hint)).transpose()?;
        let mut data = self.fields(&draft.data)?;
        if self.redacted > 0 {
            data.push(("redacted".into(), Clean::Number(self.redacted)));
        }
        Ok(Body { message, hint, data })
    }

    fn prose(&mut self, prose: &Prose) -> Result<String, Leak> {
        let mut out = String::new();
        for part in prose.parts() {
            match part {
                Part::Words(words) => out.push_str(self.gate.check_words(words)?),
                Part::Address(address) => out.push_str(&address.to_text()),
                Part::Name(name) => out.push_str(name.as_str()),
                Part::Content(content) => out.push_str(&self.content(content)),
            }
        }
        Ok(out)
    }

    fn fields<'a>(&mut self, fields: &'a Fields) -> Result<CleanFields<'a>, Leak> {
        let cleared = fields.iter().map(|(name, value)| {
            Ok((Cow::Borrowed(self.gate.check_words(name)?), self.value(value)?))
        });
        cleared.collect()
    }

    fn value<'a>(&mut self, data: &'a Data) -> Result<Clean<'a>, Leak> {
        Ok(match data {
            Data::Null => Clean::Null,
            Data::Bool(value) => Clean::Bool(*value),
            Data::Number(number) => Clean::Number(*number),
            Data::Figure(number) => Clean::Json(number.to_string()),
            Data::Words(words) => Clean::Text(self.gate.check_words(words)?.into()),
            Data::Address(address) => Clean::Text(address.to_text().into()),
            Data::Name(name) => Clean::Text(name.as_str().into()),
            Data::Root(root) => Clean::Text(root.to_string().into()),
            Data::Content(content) => Clean::Text(self.content(content)),
            Data::Fields(fields) => Clean::Fields(self.fields(fields)?),
            Data::Mapping(fields) => {
                let fields = fields.iter();
                let fields =
                    fields.map(|(name, value)| Ok((self.content(name), self.value(value)?)));
                Clean::Fields(fields.collect::<Result<_, _>>()?)
            }
            Data::List(list) => {
                Clean::List(list.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?)
            }
        })
    }

    fn content<'a>(&mut self, content: &'a Content) -> Cow<'a, str> {
        let landmarks = &self.gate.landmarks;
        let (text, count) = landmarks.rewrite(content.text(), content.reach(), self.agent);
        self.redacted += count;
        // What needed no rewriting has just been looked at.
        let passes = count == 0 || !landmarks.stand_in(&text, content.reach());
        if landmarks.is_whole() && passes {
            return text;
        }
        self.redacted += 1;
        Cow::Borrowed(WITHHELD)
    }
}

fn stamped(code: CodeId, body: Body<'_>, (stamp, mirror): (&Stamp, Mirror)) -> Cleared {
    let trace_id = stamp.trace_id.to_string();
    let content = body.data.iter().find(|(name, _)| name == CONTENT);
    let content = content.and_then(|(_, value)| value.text()).map(clean::json_text);
    let mirror = match mirror {
        Mirror::Short => mirror::json(&short(code, &body, &trace_id), content.as_deref()),
        Mirror::Json => clean::json_text(&document::json(outline(code, &body, &trace_id))),
        Mirror::Yaml => clean::json_text(&document::yaml(outline(code, &body, &trace_id))),
    };
    let content_size = content.as_ref().map_or(0, String::len);
    let text = |text: String| Clean::Text(text.into());
    let session_id = stamp.session_id.map_or(Clean::Null, |id| text(id.to_string()));
    let tool = stamp.tool.map_or(Clean::Null, |tool| Clean::Text(tool.into()));
    let mut reply: CleanFields<'_> = vec![
        ("reply_type".into(), Clean::Text(code.reply().letter().into())),
        ("code".into(), text(code.to_string())),
        ("message".into(), text(body.message)),
    ];
    reply.extend(body.hint.map(|hint| ("hint".into(), text(hint))));
    let trace = vec![("trace_id".into(), text(trace_id)), ("session_id".into(), session_id)];
    let meta = vec![("layer".into(), text(code.layer().to_string())), ("tool".into(), tool)];
    reply.push(("data".into(), Clean::Fields(with_json(body.data, content))));
    reply.push(("trace".into(), Clean::Fields(trace)));
    reply.push(("meta".into(), Clean::Fields(meta)));
    // With room for a seal, so that nothing is copied for that.
    let size = content_size + 2 * mirror.len() + 1024;
    let json = Clean::Fields(reply).to_json_of(size);
    Cleared { json, mirror, code }
}

/// What a short mirror says before the content of a file.
fn short(code: CodeId, body: &Body<'_>, trace_id: &str) -> String {
    let mut said = format!("{code} {}", body.message);
    if let Some(hint) = &body.hint {
        said.push('\n');
        said.push_str(hint);
    }
    if code.reply() == ReplyType::Error {
        said.push_str("\ntrace_id: ");
        said.push_str(trace_id);
    }
    mirror::render(&body.data, &mut said);
    said
}

/// What a mirror that is one document holds.
fn outline<'a>(code: CodeId, body: &'a Body<'_>, trace_id: &'a str) -> CleanFields<'a> {
    let mut fields: CleanFields<'_> = vec![
        ("code".into(), Clean::Text(code.to_string().into())),
        ("message".into(), Clean::Text(body.message.as_str().into())),
    ];
    fields.extend(body.hint.as_ref().map(|hint| ("hint".into(), Clean::Text(hint.into()))));
    if code.reply() == ReplyType::Error {
        fields.push(("trace_id".into(), Clean::Text(trace_id.into())));
    }
    let data = body.data.iter().map(|(name, value)| (name.as_ref().into(), value.borrowed()));
    fields.push(("data".into(), Clean::Fields(data.collect())));
    fields
}

/// The field that holds the whole of a file.
const CONTENT: &str = "content";

/// The data with its content as the JSON it already is: a large text is escaped once.
fn with_json(mut data: CleanFields<'_>, content: Option<String>) -> CleanFields<'_> {
    let field = data.iter_mut().find(|(name, _)| name == CONTENT);
    if let (Some((_, value)), Some(json)) = (field, content) {
        *value = Clean::Json(json);
    }
    data
}

/// The gate's own error. Its words are constants, so it needs no gate.
fn withheld(how: (&Stamp, Mirror)) -> Cleared {
    let body = Body {
        message: "The reply was withheld: it named a place outside the visible world.".to_owned(),
        hint: Some("This is a fault of the server. Report the trace id to a person.".to_owned()),
        data: Vec::new(),
    };
    stamped(codes::GATE_WITHHELD.id(), body, how)
}

#[cfg(test)]
mod tests;
