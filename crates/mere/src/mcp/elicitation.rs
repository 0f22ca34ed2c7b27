//! Questions to a person, asked in the way the client's protocol version provides.
//!
//! Every doubt is a no: a missing answer, a timeout, a cancelled call, or a form without a yes.

use std::collections::BTreeMap;
use std::time::Duration;

use mere_core::gate::Seal;
use mere_core::turn::{Answer, Question};
use rmcp::model::{
    CallToolResponse, ClientResult, ElicitRequest, ElicitRequestParams, InputRequest,
    InputRequiredResult, ProtocolVersion, ServerRequest,
};
use rmcp::service::{OriginatingRequestId, PeerRequestOptions, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

/// How long a person may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);
/// The key of the answer in `inputRequests`.
const ANSWER_KEY: &str = "answer";

/// How the person behind a client can be asked.
pub(super) enum ElicitationMode {
    /// The client cannot ask.
    Unsupported,
    /// By a request to the client while the call waits (2025-11-25).
    Request,
    /// By returning, and being called again (2026-07-28).
    InputRequired,
}

impl ElicitationMode {
    pub(super) fn for_client(context: &RequestContext<RoleServer>) -> Self {
        let elicitation = context.client_capabilities().and_then(|able| able.elicitation);
        // A client that names neither form nor URL means forms.
        let forms = elicitation.is_some_and(|able| able.form.is_some() || able.url.is_none());
        let version = context.protocol_version();
        let modern = version.is_some_and(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        match (forms, modern) {
            (false, _) => Self::Unsupported,
            (true, false) => Self::Request,
            (true, true) => Self::InputRequired,
        }
    }
}

/// Sends a request and waits for the answer. No answer, for whatever reason, means no.
pub(super) async fn elicit(
    question: &Question,
    context: &RequestContext<RoleServer>,
    seal: &Seal,
) -> Answer {
    let Ok(mut request) = build_form(question, seal) else { return Answer::No };
    request.extensions.insert(OriginatingRequestId(context.id.clone()));
    let response = async {
        let options = PeerRequestOptions::with_timeout(ANSWER_TIMEOUT);
        let request = ServerRequest::ElicitRequest(request);
        context.peer.send_request_with_option(request, options).await?.await_response().await
    };
    let answer = tokio::select! {
        answer = response => answer.ok(),
        () = context.ct.cancelled() => None,
    };
    match answer {
        Some(ClientResult::ElicitResult(result)) => {
            parse_answer(&serde_json::to_value(result).unwrap_or_default())
        }
        _ => Answer::No,
    }
}

/// Builds the result that asks: the client calls again with the answer and the state.
pub(super) fn input_required(
    question: &Question,
    state: String,
    seal: &Seal,
) -> Result<CallToolResponse, ErrorData> {
    let request = InputRequest::Elicitation(build_form(question, seal)?);
    let requests = BTreeMap::from([(ANSWER_KEY.to_owned(), request)]);
    Ok(InputRequiredResult::new(Some(requests), Some(state)).into())
}

/// Returns the answer that came back with a state, or `None` if it is not among the responses, so
/// that the question is asked again.
pub(super) fn find_answer(responses: Option<&BTreeMap<String, Value>>) -> Option<Answer> {
    responses?.get(ANSWER_KEY).map(parse_answer)
}

/// Parses an answer. Only an accepted form with a yes in it means yes.
fn parse_answer(result: &Value) -> Answer {
    let yes = result["action"] == "accept" && result["content"]["confirm"] == true;
    if yes { Answer::Yes } else { Answer::No }
}

fn build_form(question: &Question, seal: &Seal) -> Result<ElicitRequest, ErrorData> {
    let schema = json!({
        "type": "object",
        "properties": { "confirm": { "type": "boolean", "title": "Yes" } },
        "required": ["confirm"]
    });
    let requested_schema = serde_json::from_value(schema)
        .map_err(|_| ErrorData::internal_error("the question could not be asked", None))?;
    Ok(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: seal.seal_text(&question.text),
        requested_schema,
    }))
}
