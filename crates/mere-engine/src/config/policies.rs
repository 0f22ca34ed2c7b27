//! `policies:` of a store or a category: the limits on its memories.
//!
//! This file only parses them; the category rules enforce them.

use std::ops::RangeInclusive;
use std::sync::Arc;

use mere_core::category::{MAX_TTL_DAYS, MemoryPermissions, MemoryPolicy};
use mere_core::schema::Schema;
use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::Spanned;

use super::YamlError;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPolicy {
    #[serde(rename = "defaultTtl")]
    default_ttl: Option<Spanned<Value>>,
    #[serde(rename = "maxContentLength")]
    max_content_length: Option<Spanned<Value>>,
    #[serde(rename = "maxMemories")]
    max_memories: Option<Spanned<Value>>,
    permissions: Option<RawPermissions>,
    schema: Option<Spanned<Value>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPermissions {
    create: Option<Spanned<Value>>,
    update: Option<Spanned<Value>>,
    delete: Option<Spanned<Value>>,
}

pub(super) fn parse(raw: Option<RawPolicy>) -> Result<MemoryPolicy, YamlError> {
    let Some(raw) = raw else { return Ok(MemoryPolicy::default()) };
    let days = "`defaultTtl` must be a whole number of days from 1 to 36500";
    let days = parse_number(raw.default_ttl, 1..=u64::from(MAX_TTL_DAYS), days)?;
    let bytes = "`maxContentLength` must be a whole number of bytes, at least 1";
    let most = "`maxMemories` must be a whole number, at least 1";
    let permissions = raw.permissions.unwrap_or_default();
    Ok(MemoryPolicy {
        default_ttl: days.and_then(|days| u32::try_from(days).ok()),
        max_content_length: parse_number(raw.max_content_length, 1..=u64::MAX, bytes)?,
        max_memories: parse_number(raw.max_memories, 1..=u64::MAX, most)?,
        permissions: MemoryPermissions {
            create: parse_flag(permissions.create)?,
            update: parse_flag(permissions.update)?,
            delete: parse_flag(permissions.delete)?,
        },
        schema: raw.schema.as_ref().map(parse_schema).transpose()?,
    })
}

fn parse_number(
    value: Option<Spanned<Value>>,
    range: RangeInclusive<u64>,
    expected: &str,
) -> Result<Option<u64>, YamlError> {
    let Some(value) = value else { return Ok(None) };
    let number = value.value.as_u64().filter(|number| range.contains(number));
    number.map(Some).ok_or_else(|| YamlError::at_location(value.referenced, expected.to_owned()))
}

fn parse_flag(value: Option<Spanned<Value>>) -> Result<Option<bool>, YamlError> {
    let Some(value) = value else { return Ok(None) };
    let reason = "a permission must be true or false";
    let flag = value.value.as_bool();
    flag.map(Some).ok_or_else(|| YamlError::at_location(value.referenced, reason.to_owned()))
}

fn parse_schema(value: &Spanned<Value>) -> Result<Arc<Schema>, YamlError> {
    let fault = |reason| YamlError::at_location(value.referenced, reason);
    if !value.value.is_object() {
        return Err(fault("a schema must be a JSON Schema, written as a mapping".to_owned()));
    }
    Schema::compile(&value.value).map(Arc::new).map_err(|error| fault(error.to_string()))
}
