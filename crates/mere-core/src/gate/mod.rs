//! The leak gate: the last thing every agent-visible byte passes.
//!
//! Two rules. *Our words* may hold no host path: a hit replaces the whole reply by an error that
//! repeats nothing of it. In *content* this session's real folders are rewritten to addresses; if
//! one remains, that content is withheld. Only the gate makes a [`Cleared`].

mod landmarks;
mod message;
mod mirror;
mod spelling;
mod words;

use serde_json::{Map, Value};

use crate::name::AgentName;
use crate::reply::{CodeId, Content, Data, Draft, Fields, Part, Prose, Reach, ReplyType, codes};
use crate::trace::{SessionId, TraceId};
use landmarks::Landmarks;

pub use landmarks::{Landmark, Replacement, StandIn};
pub use message::{ClearedMessage, Seal};

/// What content becomes when a real folder cannot be taken out of it.
const WITHHELD: &str = "[withheld: it names a folder outside the visible world]";

/// The gate of one config snapshot.
pub struct Gate {
    landmarks: Landmarks,
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
#[derive(Clone, Debug, PartialEq)]
pub struct Cleared {
    value: Value,
    reply: ReplyType,
}

impl Cleared {
    /// The reply as JSON.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Its type.
    pub fn reply(&self) -> ReplyType {
        self.reply
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
        Self { landmarks: Landmarks::new(landmarks) }
    }

    /// Passes a draft through both rules.
    pub fn clear(&self, draft: &Draft, stamp: &Stamp) -> Cleared {
        let body = Pass { gate: self, agent: &stamp.agent, redacted: 0 }.body(draft);
        match body {
            Ok(body) => stamped(draft.code, body, stamp),
            Err(Leak) => withheld(stamp),
        }
    }

    /// Passes one sentence: a question or a note on the way. `None` if it leaks.
    pub fn clear_text(&self, prose: &Prose, agent: &AgentName) -> Option<ClearedText> {
        Pass { gate: self, agent, redacted: 0 }.prose(prose).ok().map(ClearedText)
    }

    /// What the gate will change in the body of a file; `None` if it will withhold it.
    pub fn changes_in(&self, body: &str, agent: &AgentName) -> Option<Vec<Replacement>> {
        let (shown, _) = self.landmarks.rewrite(body, Reach::Body, agent);
        let passes = self.landmarks.is_whole() && !self.landmarks.stand_in(&shown, Reach::Body);
        passes.then(|| self.landmarks.replacements(body, Reach::Body, agent))
    }

    /// Whether a name on disk spells out a real folder, escaped: an address with it would be one.
    pub fn finds_folder_in(&self, name: &str) -> bool {
        self.landmarks.stand_in(name, Reach::Mention)
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
struct Body {
    message: String,
    hint: Option<String>,
    data: Map<String, Value>,
}

impl Pass<'_> {
    fn body(mut self, draft: &Draft) -> Result<Body, Leak> {
        let message = self.prose(&draft.message)?;
        let hint = draft.hint.as_ref().map(|hint| self.prose(hint)).transpose()?;
        let mut data = self.fields(&draft.data)?;
        if self.redacted > 0 {
            data.insert("redacted".to_owned(), self.redacted.into());
        }
        Ok(Body { message, hint, data })
    }

    fn prose(&mut self, prose: &Prose) -> Result<String, Leak> {
        let mut out = String::new();
        for part in prose.parts() {
            match part {
                Part::Words(words) => out.push_str(self.gate.check_words(words)?),
                Part::Address(address) => out.push_str(&address.to_string()),
                Part::Content(content) => out.push_str(&self.content(content)),
            }
        }
        Ok(out)
    }

    fn fields(&mut self, fields: &Fields) -> Result<Map<String, Value>, Leak> {
        let mut map = Map::new();
        for (name, value) in fields.iter() {
            let name = self.gate.check_words(name)?.to_owned();
            map.insert(name, self.value(value)?);
        }
        Ok(map)
    }

    fn value(&mut self, data: &Data) -> Result<Value, Leak> {
        Ok(match data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(number) => Value::from(*number),
            Data::Words(words) => Value::from(self.gate.check_words(words)?),
            Data::Address(address) => Value::from(address.to_string()),
            Data::Root(root) => Value::from(root.to_string()),
            Data::Content(content) => Value::from(self.content(content)),
            Data::Fields(fields) => Value::Object(self.fields(fields)?),
            Data::List(list) => {
                Value::Array(list.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?)
            }
        })
    }

    fn content(&mut self, content: &Content) -> String {
        let landmarks = &self.gate.landmarks;
        let (text, count) = landmarks.rewrite(content.text(), content.reach(), self.agent);
        self.redacted += count;
        if landmarks.is_whole() && !landmarks.stand_in(&text, content.reach()) {
            return text;
        }
        self.redacted += 1;
        WITHHELD.to_owned()
    }
}

fn stamped(code: CodeId, body: Body, stamp: &Stamp) -> Cleared {
    let mut reply = Map::new();
    reply.insert("reply_type".to_owned(), code.reply().letter().into());
    reply.insert("code".to_owned(), code.to_string().into());
    reply.insert("message".to_owned(), body.message.into());
    if let Some(hint) = body.hint {
        reply.insert("hint".to_owned(), hint.into());
    }
    reply.insert("data".to_owned(), body.data.into());
    let session_id = stamp.session_id.map(|id| id.to_string());
    reply.insert(
        "trace".to_owned(),
        serde_json::json!({ "trace_id": stamp.trace_id.to_string(), "session_id": session_id }),
    );
    reply.insert(
        "meta".to_owned(),
        serde_json::json!({ "layer": code.layer().to_string(), "tool": stamp.tool }),
    );
    Cleared { value: Value::Object(reply), reply: code.reply() }
}

/// The gate's own error. Its words are constants, so it needs no gate.
fn withheld(stamp: &Stamp) -> Cleared {
    let body = Body {
        message: "The reply was withheld: it named a place outside the visible world.".to_owned(),
        hint: Some("This is a fault of the server. Report the trace id to a person.".to_owned()),
        data: Map::new(),
    };
    stamped(codes::GATE_WITHHELD.id(), body, stamp)
}

#[cfg(test)]
mod tests;
