//! Knowledge entries, memories, files and the files of skills as resources.

use mere_core::address::Spoken;
use mere_core::gate::{ClearedPart, ClearedReply};
use mere_core::item::{ItemRef, ItemType};
use mere_core::reply::codes;
use mere_core::request::{
    FileVerb, ItemVerb, Load, LookupScope, OfferCall, OfferList, Read, ResourceUri, Verb,
};
use rmcp::ErrorData;
use rmcp::model::{
    ErrorCode, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
};
use serde_json::{Map, Value, json};

use super::{ClientRequestContext, next_cursor, offer, to_page, to_protocol};

/// The templates of resources that are named and not listed one by one.
pub(super) const KNOWLEDGE_TEMPLATE: &str = "mere://knowledge/{+id}";
pub(super) const MEMORY_TEMPLATE: &str = "mere://memory/{+path}";
const FILE_TEMPLATE: &str = "mere://file/{+address}";
const SKILL_TEMPLATE: &str = "skill://{+skill}/{+path}";

/// How many lines of a file are returned, the most that one reading takes.
const MAX_LINES: u64 = 1_000_000;

/// The names of a resource's fields, in a reply and in the protocol.
pub(super) const RESOURCE_FIELDS: [(&str, &str); 6] = [
    ("uri", "uri"),
    ("name", "name"),
    ("title", "title"),
    ("description", "description"),
    ("media_type", "mimeType"),
    ("size", "size"),
];

/// Lists the main files of skills, the knowledge entries and the memories.
pub(in super::super) async fn list_resources(
    request: ClientRequestContext<'_>,
    page: Option<PaginatedRequestParams>,
) -> Result<ListResourcesResult, ErrorData> {
    let cursor = page.and_then(|page| page.cursor);
    let reply = request.ask_for_page(OfferList::Resources, cursor.as_deref()).await?;
    let resources = reply.list("resources");
    let resources =
        resources.map(|resource| Value::Object(request.copy(resource, &RESOURCE_FIELDS)));
    to_page("resources", resources.collect(), next_cursor(&reply))
}

/// Lists the templates.
pub(in super::super) fn list_templates() -> Result<ListResourceTemplatesResult, ErrorData> {
    let template = |uri: &str, name: &str, about: &str| json!({ "uriTemplate": uri, "name": name, "description": about });
    let templates = vec![
        template(KNOWLEDGE_TEMPLATE, "knowledge", "A knowledge entry by its category/id."),
        template(MEMORY_TEMPLATE, "memory", "A memory by its category/slug."),
        template(
            FILE_TEMPLATE,
            "file",
            "A text file by its address, such as ROOT_PROJECT:/src/a.rs.",
        ),
        template(SKILL_TEMPLATE, "skill", "A file of a skill, as skills/list names it."),
    ];
    to_page("resourceTemplates", templates, None)
}

/// Parses the URI of a resource.
pub(super) fn parse_uri(uri: &str) -> Result<ResourceUri, ErrorData> {
    uri.parse().map_err(|_| {
        ErrorData::invalid_params(
            "this is not the URI of a resource here; resources/list and resources/templates/list \
             show their forms",
            None,
        )
    })
}

/// Reads a resource.
pub(in super::super) async fn read_resource(
    request: ClientRequestContext<'_>,
    params: ReadResourceRequestParams,
) -> Result<ReadResourceResponse, ErrorData> {
    let uri = parse_uri(&params.uri)?;
    let canonical = uri.to_string();
    let mut contents = match uri {
        ResourceUri::Note(kind, item) => {
            let reply = request.ask(load(kind, item)).await.map_err(not_found)?;
            text_contents(request, &reply, "content", "text/markdown")
        }
        ResourceUri::File(address) => {
            let read = Read { path: Spoken::Rooted(address), offset: 1, limit: MAX_LINES };
            let reply = request.ask(Verb::Files(FileVerb::Read(read))).await;
            let reply = reply.map_err(not_found)?;
            file_contents(request, &reply)?
        }
        ResourceUri::Skill(path) => {
            let reply = request.ask(offer(OfferCall::SkillFile { path })).await;
            let reply = reply.map_err(not_found)?;
            skill_contents(request, &reply)
        }
    };
    contents.insert("uri".to_owned(), canonical.into());
    let result = json!({ "resultType": "complete", "contents": [contents] });
    Ok(to_protocol::<ReadResourceResult>(result)?.into())
}

/// Gives the error of a resource that does not exist the code that 2025-11-25 has for it.
fn not_found(mut error: ErrorData) -> ErrorData {
    let missing = [codes::PATH_NOT_VISIBLE, codes::ITEM_MISSING, codes::OFFER_NO_FILE];
    let code = error.data.as_ref().and_then(|data| data["code"].as_str());
    if missing.iter().any(|missing| code == Some(missing.id().to_string().as_str())) {
        error.code = ErrorCode::RESOURCE_NOT_FOUND;
    }
    error
}

fn load(kind: ItemType, item: ItemRef) -> ItemVerb {
    let source = LookupScope::Local;
    let (destination, version, relationships) = (None, None, None);
    ItemVerb::Load(Load { kind, item, source, destination, version, relationships })
}

fn text_contents(
    request: ClientRequestContext<'_>,
    reply: &ClearedReply,
    field: &str,
    media_type: &str,
) -> Map<String, Value> {
    let mut contents = Map::new();
    contents.insert("mimeType".to_owned(), media_type.into());
    contents.extend(reply.field(field).map(|text| ("text".to_owned(), request.seal(text).into())));
    let status = reply.field("trust").and_then(|trust| trust.get("status"));
    if let Some(status) = status.and_then(ClearedPart::text) {
        contents.insert("_meta".to_owned(), json!({ super::skills::TRUST_KEY: status }));
    }
    contents
}

/// Returns the text of a file. Its whole text, or nothing: a client could not tell a part from all
/// of it.
fn file_contents(
    request: ClientRequestContext<'_>,
    reply: &ClearedReply,
) -> Result<Map<String, Value>, ErrorData> {
    let is_true = |name: &str| reply.field(name).is_some_and(ClearedPart::is_true);
    if is_true("binary") {
        return Err(ErrorData::invalid_params(
            "the file is binary, and only text files are resources; the tool `read` describes it",
            None,
        ));
    }
    if is_true("truncated") {
        return Err(ErrorData::invalid_params(
            "the file is too long for one resource; read it in parts with the tool `read`",
            None,
        ));
    }
    Ok(text_contents(request, reply, "content", "text/plain"))
}

fn skill_contents(request: ClientRequestContext<'_>, reply: &ClearedReply) -> Map<String, Value> {
    let mut contents = Map::new();
    for (from, to) in [("media_type", "mimeType"), ("text", "text"), ("blob", "blob")] {
        contents.extend(reply.field(from).map(|part| (to.to_owned(), request.seal(part).into())));
    }
    contents
}
