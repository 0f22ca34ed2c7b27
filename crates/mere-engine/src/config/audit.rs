//! `audit:` of the user's config: where every receipt is sent besides the user's own folder.
//!
//! A project's config cannot set it: it would learn what else is run.

use mere_host::AuditSink;
use serde::Deserialize;
use serde_saphyr::Spanned;

use super::YamlError;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAudit {
    file: Option<Spanned<String>>,
    syslog: Option<Spanned<bool>>,
}

pub(super) fn parse(raw: Option<Spanned<RawAudit>>) -> Result<Option<AuditSink>, YamlError> {
    let Some(raw) = raw else { return Ok(None) };
    let error = |at, reason: &str| Err(YamlError::at_location(at, reason.to_owned()));
    match (raw.value.file, raw.value.syslog.filter(|syslog| syslog.value)) {
        (Some(file), None) if file.value.starts_with('/') || file.value.starts_with("~/") => {
            Ok(Some(AuditSink::File(file.value)))
        }
        (Some(file), None) => error(file.referenced, "the path must begin with `/` or `~/`"),
        (None, Some(_)) => Ok(Some(AuditSink::Syslog)),
        (Some(_), Some(_)) => error(raw.referenced, "the audit sink is a file or syslog, not both"),
        (None, None) => Ok(None),
    }
}
