//! The sentences for other people's keys that could not be added, found or changed. They are for
//! people.

use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::trust::Fingerprint;

use super::keys::{end_sentence, file_prose, needed_admin_reply};
use crate::trust::signers::SignerFault;
use mere_host::KeyFileError;

/// Answers when the trust store was not changed.
pub(crate) fn signer_error_reply(fault: &SignerFault) -> Draft {
    match fault {
        SignerFault::Unknown => {
            Draft::invalid(codes::SIGNER_UNKNOWN, "No trusted key has that name.").hint(
                "`mere trust list` shows the trusted keys; give a name or a `SHA256:…` \
                 fingerprint.",
            )
        }
        SignerFault::Ambiguous(keys) => ambiguous_signer_reply(keys),
        SignerFault::NeededAdmin(key, teams) => needed_admin_reply(*key, *teams),
        SignerFault::Revoked(key) => {
            let hint = Prose::words("If that was a mistake, `mere trust remove ");
            let hint = hint.content((*key).into()).and("` undoes it; then add the key again.");
            let message = Prose::words("").content((*key).into()).and(" is revoked.");
            Draft::invalid(codes::SIGNER_IS_REVOKED, message).hint(hint)
        }
        SignerFault::Untrusted(key) => {
            let message =
                Prose::words("There is no trust to transfer from ").content((*key).into());
            Draft::invalid(codes::SIGNER_UNKNOWN, message.and(": it is not trusted."))
                .hint("To trust the new key on its own, use `mere trust add`.")
        }
        SignerFault::Form { file, cause } => {
            let message = file_prose(file).and(" does not contain a public key: ");
            Draft::invalid(codes::SIGNER_FORM, message.and(end_sentence(cause)))
                .hint("Give the file that ends in .pub, or its line in quotes.")
        }
        SignerFault::Rotation { file, cause } => {
            let message = file_prose(file).and(" is not a valid rotation: ");
            Draft::invalid(codes::SIGNER_ROTATION, message.and(end_sentence(cause))).hint(
                "Nothing was changed. Ask the key's owner for the output of `mere keys \
                 rotate`.",
            )
        }
        SignerFault::File(KeyFileError::Missing(file)) => {
            Draft::invalid(codes::SIGNER_MISSING, file_prose(file).and(" does not exist."))
        }
        SignerFault::File(error) => {
            let message =
                Prose::words("").content(Content::mention(end_sentence(&error.to_string())));
            Draft::fault(codes::SIGNER_UNREADABLE, message)
        }
        SignerFault::Damaged(file) => Draft::fault(
            codes::SIGNER_DAMAGED,
            file_prose(file).and(" is damaged, so no key in it is trusted."),
        )
        .hint(
            "Restore it from a backup, or move it away and start again; that loses the revocations \
             in it.",
        ),
        SignerFault::Exposed(reason) => {
            let message = Prose::words("").content(Content::mention(end_sentence(reason)));
            Draft::fault(codes::SIGNER_DAMAGED, message.and(" No key in it is trusted."))
        }
        SignerFault::NotSaved(cause) => {
            let message = Prose::words("").content(Content::mention(end_sentence(cause)));
            Draft::fault(codes::SIGNER_DAMAGED, message).hint("Nothing was changed.")
        }
    }
}

fn ambiguous_signer_reply(keys: &[Fingerprint]) -> Draft {
    let keys = keys.iter().map(|key| Data::from(Content::from(*key)));
    let data = Fields::default().with("keys", keys.collect::<Data>());
    Draft::invalid(codes::SIGNER_AMBIGUOUS, "Several trusted keys have that name.")
        .hint("Name one by its `SHA256:…` fingerprint, as shown by `mere trust list`.")
        .data(data)
}
