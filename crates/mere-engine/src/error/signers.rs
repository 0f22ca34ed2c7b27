//! The sentences for other people's keys that could not be added, found or changed. They are for
//! people.

use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};

use super::keys::{end_sentence, file_prose};
use crate::trust::signers::SignerFault;
use mere_host::KeyFileError;

/// Answers when the trust store was not changed.
pub(crate) fn signer_error_reply(fault: &SignerFault) -> Draft {
    match fault {
        SignerFault::Unknown => {
            Draft::invalid(codes::SIGNER_UNKNOWN, "No trusted key is called that.")
                .hint("`mere trust list` shows them; a key is named by its name or `SHA256:…`.")
        }
        SignerFault::Ambiguous(keys) => {
            let keys = keys.iter().map(|key| Data::from(Content::from(*key)));
            let data = Fields::default().with("keys", keys.collect::<Data>());
            Draft::invalid(codes::SIGNER_AMBIGUOUS, "Several trusted keys are called that.")
                .hint("Say which one by its `SHA256:…`, as `mere trust list` shows it.")
                .data(data)
        }
        SignerFault::Revoked(key) => {
            let hint = Prose::words("If that was a mistake: `mere trust remove ");
            let hint = hint.content((*key).into()).and("` takes it back, then add the key again.");
            let message = Prose::words("").content((*key).into()).and(" is revoked.");
            Draft::invalid(codes::SIGNER_IS_REVOKED, message).hint(hint)
        }
        SignerFault::Untrusted(key) => {
            let message = Prose::words("Nothing can come in the place of ").content((*key).into());
            Draft::invalid(codes::SIGNER_UNKNOWN, message.and(": it is not trusted."))
                .hint("`mere trust add` trusts the new key by itself.")
        }
        SignerFault::Form { file, cause } => {
            let message = file_prose(file).and(" holds no public key: ");
            Draft::invalid(codes::SIGNER_FORM, message.and(end_sentence(cause)))
                .hint("Name the file that ends in .pub, or the line in it, in quotes.")
        }
        SignerFault::Rotation { file, cause } => {
            let message = file_prose(file).and(" is no rotation that counts: ");
            Draft::invalid(codes::SIGNER_ROTATION, message.and(end_sentence(cause)))
                .hint("Nothing was changed. Ask the key's owner what `mere keys rotate` gave.")
        }
        SignerFault::File(KeyFileError::Missing(file)) => {
            Draft::invalid(codes::SIGNER_MISSING, file_prose(file).and(" is not there."))
        }
        SignerFault::File(error) => {
            let message =
                Prose::words("").content(Content::mention(end_sentence(&error.to_string())));
            Draft::fault(codes::SIGNER_UNREADABLE, message)
        }
        SignerFault::Damaged(file) => Draft::fault(
            codes::SIGNER_DAMAGED,
            file_prose(file).and(" is damaged: no key in it counts."),
        )
        .hint(
            "Bring a whole one back, or move it away and begin anew; revocations in it are \
                     lost then.",
        ),
        SignerFault::NotSaved(cause) => {
            let message = Prose::words("").content(Content::mention(end_sentence(cause)));
            Draft::fault(codes::SIGNER_DAMAGED, message).hint("Nothing was changed.")
        }
    }
}
