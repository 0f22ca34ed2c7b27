//! How the signatures that an item had look to a person: as a table, the newest first.

use serde::Deserialize;

use super::Printer;
use super::items::push_line;
use super::reply::ReplyView;

/// The data of a reply to `mere log`.
#[derive(Deserialize)]
pub(crate) struct SignatureLog {
    signatures: Vec<LoggedSignature>,
    newest_seen: Option<String>,
}

/// A signature that an item has, or had.
#[derive(Deserialize)]
struct LoggedSignature {
    /// When it was made, as its signer claims.
    signed: Option<String>,
    version: Option<String>,
    key: Option<String>,
    signer: Option<String>,
    standing: String,
    /// The commit that has it; one that is not committed has none.
    commit: Option<String>,
}

impl Printer {
    /// Formats who signed an item, what, and when.
    pub(crate) fn signature_log(&self, reply: &ReplyView<SignatureLog>) -> String {
        let data = &reply.data;
        if data.signatures.is_empty() {
            return format!("{}\n", reply.message);
        }
        let rows = data.signatures.iter().map(|one| {
            let signer = match (&one.signer, &one.key) {
                (Some(name), Some(key)) => format!("{name} ({key})"),
                (Some(name), None) => name.clone(),
                (None, key) => key.clone().unwrap_or_default(),
            };
            [
                one.signed.clone().unwrap_or_default(),
                one.version.clone().unwrap_or_default(),
                self.escape_controls(&signer),
                one.standing.clone(),
                one.commit.clone().unwrap_or_else(|| "not committed".to_owned()),
            ]
        });
        let mut out =
            self.table(["SIGNED", "VERSION", "BY", "KEY", "COMMIT"], rows.collect::<Vec<_>>());
        if let Some(newest) = &data.newest_seen {
            push_line(&mut out, format_args!("newest version seen on this machine: {newest}"));
        }
        out
    }
}
