//! The protocol's methods besides tools: prompts, resources, completion and the Skills extension.
//!
//! Each method is one call at the door. Its reply is cleared there; only its fields are put into
//! the protocol's shapes here, under the seal.

mod completion;
mod prompts;
mod resources;
mod skills;
mod subscriptions;

pub(super) use completion::complete;
pub(super) use prompts::{get_prompt, list_prompts};
pub(super) use resources::{list_resources, list_templates, read_resource};
pub(super) use skills::answer_extension;
pub(super) use subscriptions::{parse_canonical_uri, subscribe, unsubscribe, watch_all};

use mere_core::cursor::Cursor;
use mere_core::gate::{Cleared, ClearedPart, ClearedReply, Seal};
use mere_core::reply::ReplyType;
use mere_core::request::{ItemVerb, OfferCall, OfferList, Request, Verb};
use mere_core::turn::{Answer, Outcome, Turn};
use rmcp::model::{ErrorCode, ProtocolVersion};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::call_runner::CallRunner;

/// The identifier of the Skills extension.
pub(super) const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";

/// One request of a client that calls no tool.
#[derive(Clone, Copy)]
pub(super) struct ClientRequestContext<'a> {
    pub(super) runner: &'a CallRunner,
    pub(super) context: &'a RequestContext<RoleServer>,
}

impl ClientRequestContext<'_> {
    /// Makes a call at the door. A reply other than success is the request's error.
    async fn ask(self, verb: impl Into<Verb>) -> Result<ClearedReply, ErrorData> {
        let cleared = self.ask_door(verb.into()).await?;
        match cleared.reply_type() {
            ReplyType::Success => Ok(cleared.to_reply()),
            _ => Err(self.refusal(&cleared)),
        }
    }

    async fn ask_door(self, verb: Verb) -> Result<Cleared, ErrorData> {
        let session = std::sync::Arc::clone(&self.runner.session);
        let handler = move |request: &Request, turn: &mut dyn Turn| {
            // Nobody can be asked by these methods, so that every question is answered with no.
            match session.handle(request, turn) {
                Outcome::Ask(_, resume) => {
                    let mut request = request.clone();
                    request.answer = Some((resume, Answer::No));
                    session.handle(&request, turn)
                }
                done @ Outcome::Done(_) => done,
            }
        };
        let mut caller = self.runner.caller(self.context);
        caller.person = mere_core::request::PersonPresence::Absent;
        self.runner
            .run_client_request(Request::from_client(caller, verb), self.context, handler)
            .await
    }

    /// Turns a reply that is no success into the protocol's error.
    fn refusal(self, cleared: &Cleared) -> ErrorData {
        let code = match cleared.reply_type() {
            ReplyType::Invalid | ReplyType::Denied => ErrorCode::INVALID_PARAMS,
            ReplyType::Success | ReplyType::Error => ErrorCode::INTERNAL_ERROR,
        };
        let (reply, value) = (cleared.to_reply(), cleared.to_value());
        let mut data = Map::new();
        data.insert("code".to_owned(), cleared.code().to_string().into());
        data.insert("trace_id".to_owned(), value["trace"]["trace_id"].clone());
        data.extend(reply.hint().map(|hint| ("hint".to_owned(), self.seal(hint).into())));
        data.insert("data".to_owned(), self.seal(reply.data()).into());
        ErrorData::new(code, self.seal(reply.message()), Some(Value::Object(data)))
    }

    /// Seals a part of a reply, to be put where JSON may stand.
    fn seal(self, part: ClearedPart<'_>) -> String {
        Seal::seal_part(&self.runner.seal, part)
    }

    /// Copies fields of a part that have a value, under the protocol's names for them.
    fn copy(self, part: ClearedPart<'_>, names: &[(&str, &str)]) -> Map<String, Value> {
        let fields = names.iter().filter_map(|(from, to)| {
            let value = part.get(from)?;
            let copied = match (value.number(), value.truth()) {
                (Some(number), _) => number.into(),
                (None, Some(truth)) => truth.into(),
                (None, None) => self.seal(value).into(),
            };
            Some(((*to).to_owned(), copied))
        });
        fields.collect()
    }

    /// Adds what every result of an extension's method has in the client's version.
    fn complete(self, mut result: Map<String, Value>) -> Value {
        if self.is_modern() {
            result.insert("resultType".to_owned(), "complete".into());
            result.insert("ttlMs".to_owned(), 0.into());
            result.insert("cacheScope".to_owned(), "private".into());
        }
        Value::Object(result)
    }

    fn is_modern(self) -> bool {
        let version = self.context.protocol_version();
        version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
    }

    /// Asks for a page of a list.
    async fn ask_for_page(
        self,
        list: OfferList,
        cursor: Option<&str>,
    ) -> Result<ClearedReply, ErrorData> {
        let cursor = cursor.map(str::parse::<Cursor>).transpose();
        let cursor =
            cursor.map_err(|_| ErrorData::invalid_params("the cursor is not valid", None))?;
        self.ask(offer(OfferCall::List { list, cursor })).await
    }
}

/// Returns the cursor of the next page, which is a constant form and needs no seal.
fn next_cursor(reply: &ClearedReply) -> Option<&str> {
    reply.field("next").and_then(ClearedPart::text)
}

fn offer(call: OfferCall) -> ItemVerb {
    ItemVerb::Offer(call)
}

/// Builds a value of the protocol from JSON.
fn to_protocol<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|_| ErrorData::internal_error("the answer does not fit the protocol", None))
}

/// Builds a page of a list.
fn to_page<T: DeserializeOwned>(
    name: &str,
    entries: Vec<Value>,
    next: Option<&str>,
) -> Result<T, ErrorData> {
    let mut page = Map::new();
    page.insert("resultType".to_owned(), "complete".into());
    page.insert(name.to_owned(), entries.into());
    page.extend(next.map(|next| ("nextCursor".to_owned(), json!(next))));
    to_protocol(Value::Object(page))
}
