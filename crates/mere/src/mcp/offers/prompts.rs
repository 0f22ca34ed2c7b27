//! Directives and skills as prompts.

use mere_core::gate::ClearedPart;
use mere_core::item::ItemRef;
use mere_core::request::{OfferCall, OfferList};
use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, ListPromptsResult,
    PaginatedRequestParams,
};
use serde_json::{Value, json};

use super::{ClientRequestContext, next_cursor, offer, to_page, to_protocol};

/// Lists the directives as prompts.
pub(in super::super) async fn list_prompts(
    request: ClientRequestContext<'_>,
    page: Option<PaginatedRequestParams>,
) -> Result<ListPromptsResult, ErrorData> {
    let cursor = page.and_then(|page| page.cursor);
    let reply = request.ask_for_page(OfferList::Prompts, cursor.as_deref()).await?;
    let prompts = reply.list("prompts").map(|prompt| {
        let mut fields = request.copy(prompt, &[("name", "name"), ("description", "description")]);
        let arguments = prompt.get("arguments").into_iter().flat_map(ClearedPart::items);
        let arguments = arguments.map(|argument| {
            let names =
                [("name", "name"), ("description", "description"), ("required", "required")];
            Value::Object(request.copy(argument, &names))
        });
        fields.insert("arguments".to_owned(), arguments.collect());
        Value::Object(fields)
    });
    to_page("prompts", prompts.collect(), next_cursor(&reply))
}

/// Returns the text of a directive, with the inputs that were given.
pub(in super::super) async fn get_prompt(
    request: ClientRequestContext<'_>,
    params: GetPromptRequestParams,
) -> Result<GetPromptResponse, ErrorData> {
    let directive = parse_name(&params.name)?;
    let inputs =
        params.arguments.unwrap_or_default().into_iter().map(|(name, value)| match value {
            Value::String(text) => (name, text),
            other => (name, other.to_string()),
        });
    let inputs = inputs.collect();
    let reply = request.ask(offer(OfferCall::Prompt { directive, inputs })).await?;
    let sealed = |name: &str| reply.field(name).map(|part| request.seal(part));
    let content = json!({ "type": "text", "text": sealed("text").unwrap_or_default() });
    let result = json!({
        "resultType": "complete",
        "description": sealed("description"),
        "messages": [{ "role": "user", "content": content }]
    });
    Ok(to_protocol::<GetPromptResult>(result)?.into())
}

/// Parses the name of a prompt, which is that of its directive.
pub(super) fn parse_name(name: &str) -> Result<ItemRef, ErrorData> {
    name.parse().map_err(|_| {
        ErrorData::invalid_params("there is no prompt of this name; prompts/list shows all", None)
    })
}
