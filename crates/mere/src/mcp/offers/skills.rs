//! The Skills extension: `skills/list`, `skills/get` and `resources/directory/read`.
//!
//! The digests of the extension are claims of the server. Ours carry in `_meta` what the author
//! and the installer signed, so that a client can check them against a key that it trusts.

use mere_core::gate::ClearedPart;
use mere_core::item::{Category, ItemRef};
use mere_core::request::{OfferCall, OfferList, ResourceUri};
use rmcp::ErrorData;
use rmcp::model::{CustomRequest, CustomResult};
use serde_json::{Map, Value};

use super::resources::{RESOURCE_FIELDS, parse_uri};
use super::{ClientRequestContext, next_cursor, offer};

/// The key of the author's statement and the placement in `_meta` of a skill.
const SIGNED_KEY: &str = "io.merestone/signed";
/// The key of what those signatures are worth here.
pub(super) const TRUST_KEY: &str = "io.merestone/trust";

/// Answers a method of the extension, or returns `None` if it is none.
pub(in super::super) async fn answer_extension(
    request: ClientRequestContext<'_>,
    asked: &CustomRequest,
) -> Option<Result<CustomResult, ErrorData>> {
    let params = asked.params.clone().unwrap_or_default();
    let result = match asked.method.as_str() {
        "skills/list" => list_skills(request, &params).await,
        "skills/get" => get_skill(request, &params).await,
        "resources/directory/read" => read_directory(request, &params).await,
        _ => return None,
    };
    Some(result.map(|result| CustomResult::new(request.complete(result))))
}

async fn list_skills(
    request: ClientRequestContext<'_>,
    params: &Value,
) -> Result<Map<String, Value>, ErrorData> {
    let cursor = optional_text(params, "cursor")?;
    let reply = request.ask_for_page(OfferList::Skills, cursor).await?;
    let skills = reply.list("skills").map(|skill| Value::Object(entry(request, skill)));
    let mut result = Map::new();
    result.insert("skills".to_owned(), skills.collect());
    result.extend(next_cursor(&reply).map(|next| ("nextCursor".to_owned(), next.into())));
    Ok(result)
}

async fn get_skill(
    request: ClientRequestContext<'_>,
    params: &Value,
) -> Result<Map<String, Value>, ErrorData> {
    let path = skill_path(params)?;
    let name = path.as_str().strip_suffix("/SKILL.md").and_then(|name| name.parse().ok());
    let name: ItemRef = name.ok_or_else(not_a_skill)?;
    let category = name.category.clone().or_else(|| Some(Category::default()));
    let skill = ItemRef { category, ..name };
    let reply = request.ask(offer(OfferCall::Skill { skill })).await?;
    let mut result = Map::new();
    let skill = reply.field("skill").map(|skill| Value::Object(entry(request, skill)));
    result.insert("skill".to_owned(), skill.unwrap_or_default());
    Ok(result)
}

async fn read_directory(
    request: ClientRequestContext<'_>,
    params: &Value,
) -> Result<Map<String, Value>, ErrorData> {
    if optional_text(params, "cursor")?.is_some() {
        return Err(ErrorData::invalid_params("a folder is one page, so it has no cursor", None));
    }
    let path = skill_path(params)?;
    let reply = request.ask(offer(OfferCall::SkillFolder { path })).await?;
    let entries = reply.list("entries");
    let entries = entries.map(|entry| Value::Object(request.copy(entry, &RESOURCE_FIELDS)));
    let mut result = Map::new();
    result.insert("resources".to_owned(), entries.collect());
    Ok(result)
}

/// Builds the entry of a skill.
fn entry(request: ClientRequestContext<'_>, skill: ClearedPart<'_>) -> Map<String, Value> {
    let names = [("uri", "uri"), ("frontmatter", "frontmatter"), ("resources", "resources")];
    let mut entry = request.copy(skill, &names);
    let meta = request.copy(skill, &[("signed", SIGNED_KEY), ("trust", TRUST_KEY)]);
    entry.insert("_meta".to_owned(), Value::Object(meta));
    entry
}

/// Returns the path of the skill's file or folder that a request names.
fn skill_path(params: &Value) -> Result<mere_core::address::RelPath, ErrorData> {
    let uri = optional_text(params, "uri")?.ok_or_else(not_a_skill)?;
    match parse_uri(uri.strip_suffix('/').unwrap_or(uri))? {
        ResourceUri::Skill(path) => Ok(path),
        ResourceUri::Note(..) | ResourceUri::File(_) => Err(not_a_skill()),
    }
}

fn not_a_skill() -> ErrorData {
    ErrorData::invalid_params("`uri` is the URI of a skill, as skills/list shows it", None)
}

fn optional_text<'a>(params: &'a Value, name: &str) -> Result<Option<&'a str>, ErrorData> {
    match params.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ErrorData::invalid_params("`uri` and `cursor` are strings", None)),
    }
}
