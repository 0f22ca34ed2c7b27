//! Completion of a prompt's arguments and of the parts of resource templates.

use mere_core::gate::ClearedPart;
use mere_core::item::ItemType;
use mere_core::request::OfferCall;
use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompleteResult, Reference};
use serde_json::json;

use super::prompts::parse_name;
use super::resources::{KNOWLEDGE_TEMPLATE, MEMORY_TEMPLATE};
use super::{ClientRequestContext, offer, to_protocol};

/// Completes what was typed for an argument. What cannot be completed has no values.
pub(in super::super) async fn complete(
    request: ClientRequestContext<'_>,
    params: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let typed = params.argument.value;
    let call = match params.r#ref {
        Reference::Prompt(prompt) => {
            let directive = parse_name(&prompt.name)?;
            OfferCall::InputValues { directive, input: params.argument.name, typed }
        }
        Reference::Resource(template) => match template.uri.as_str() {
            KNOWLEDGE_TEMPLATE => OfferCall::ItemNames { kind: ItemType::Knowledge, typed },
            MEMORY_TEMPLATE => OfferCall::ItemNames { kind: ItemType::Memory, typed },
            _ => return Ok(CompleteResult::default()),
        },
        _ => return Ok(CompleteResult::default()),
    };
    let reply = request.ask(offer(call)).await?;
    let values = reply.list("values").map(|value| request.seal(value)).collect::<Vec<_>>();
    let total = reply.field("total").and_then(ClearedPart::number).unwrap_or_default();
    let has_more = total > values.len() as u64;
    let completion = json!({ "values": values, "total": total, "hasMore": has_more });
    to_protocol(json!({ "resultType": "complete", "completion": completion }))
}
