//! The replies that are printed, each read into a type of its own.
//!
//! The type of a reply's data stands beside the function that prints it. A field is optional there
//! only if the engine leaves it out sometimes; if any other is missing, the reply is reported as
//! unreadable instead of being printed without it.

use std::io;

use mere_core::gate::Cleared;
use mere_core::reply::{CodeId, ReplyType, codes};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The refusals that carry findings. Their data is that of the command's success, and it is printed
/// before them.
const WITH_FINDINGS: [CodeId; 10] = [
    codes::CONFIG_WRONG.id(),
    codes::DOCTOR_FINDINGS.id(),
    codes::EXPORT_STALE.id(),
    codes::GRAPH_FINDINGS.id(),
    codes::INDEX_DIFFERS.id(),
    codes::LOCK_FINDINGS.id(),
    codes::RUNS_FINDINGS.id(),
    codes::SIGN_LEFT.id(),
    codes::STORE_FAULTS.id(),
    codes::VERIFY_FINDINGS.id(),
];

/// A reply with as much of its data as is printed.
#[derive(Deserialize)]
pub(crate) struct ReplyView<T> {
    reply_type: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    pub(crate) data: T,
}

/// A reply of which only the sentences matter.
pub(crate) type ReplySentences = ReplyView<IgnoredAny>;

/// The error that a reply does not have the fields that are printed.
#[derive(Debug, thiserror::Error)]
#[error("internal error: the reply {code} cannot be printed: {cause}")]
pub(crate) struct UnreadableReply {
    code: String,
    cause: serde_json::Error,
}

impl From<UnreadableReply> for io::Error {
    fn from(error: UnreadableReply) -> Self {
        Self::other(error)
    }
}

impl<T: DeserializeOwned> ReplyView<T> {
    /// Reads a reply.
    pub(crate) fn read(reply: &Cleared) -> Result<Self, UnreadableReply> {
        serde_json::from_str(reply.json())
            .map_err(|cause| UnreadableReply { code: reply.code().to_string(), cause })
    }

    /// Reads a reply that was put together from several.
    pub(crate) fn from_value(reply: Value) -> Result<Self, UnreadableReply> {
        let code = reply["code"].as_str().unwrap_or_default().to_owned();
        serde_json::from_value(reply).map_err(|cause| UnreadableReply { code, cause })
    }
}

impl<T> ReplyView<T> {
    pub(crate) fn is_success(&self) -> bool {
        self.reply_type == ReplyType::Success.letter()
    }
}

/// Checks whether a reply is printed with its data: it is a success, or it carries findings.
pub(crate) fn is_answer(reply: &Cleared) -> bool {
    reply.reply_type() == ReplyType::Success || WITH_FINDINGS.contains(&reply.code())
}

/// Reads a field that must be there, but may be null.
pub(super) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    field: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Deserialize)]
    struct Sample {
        count: u64,
        #[serde(deserialize_with = "nullable")]
        version: Option<String>,
        note: Option<String>,
    }

    fn read(data: &Value) -> Result<Sample, String> {
        let reply = json!({ "reply_type": "S", "code": "A-B-S-001", "message": "m", "data": data });
        ReplyView::from_value(reply).map(|view| view.data).map_err(|error| error.to_string())
    }

    #[test]
    fn a_field_that_is_not_there_is_an_error_and_not_nothing() {
        let whole = read(&json!({ "count": 2, "version": null, "more": 1 })).expect("a reply");
        assert_eq!((whole.count, whole.version, whole.note), (2, None, None));
        let known = read(&json!({ "count": 2, "version": "1", "note": "n" })).expect("a reply");
        assert_eq!((known.version, known.note), (Some("1".to_owned()), Some("n".to_owned())));
        for (data, field) in [
            (json!({ "counts": 2, "version": null }), "count"),
            (json!({ "count": 2, "versions": "1" }), "version"),
        ] {
            let error = read(&data).err().expect("an error");
            let expected = "internal error: the reply A-B-S-001 cannot be printed: missing field";
            assert!(error.starts_with(&format!("{expected} `{field}`")), "{error}");
        }
        assert!(read(&json!({ "count": "2", "version": null })).is_err(), "of another type");
    }
}
