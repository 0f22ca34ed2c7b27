//! The sentences for keys that are missing, locked or unusable.
//!
//! They are for people: file names are content, and so are fingerprints, whose base64 may look like
//! a path.

use mere_core::reply::{Content, Draft, Fields, Prose, codes};
use mere_core::trust::Fingerprint;

use super::file_change::denial_reply;
use crate::trust::keys::KeyFault;

/// Answers when a key cannot be used.
pub(crate) fn key_error_reply(fault: &KeyFault) -> Draft {
    match fault {
        KeyFault::NoKey => Draft::invalid(codes::KEY_NONE, "You have no key to sign with.").hint(
            "`mere keys generate` creates one; `mere keys use` selects an existing one, from a \
             file or from ssh-agent.",
        ),
        KeyFault::Denied(denied) => denial_reply(denied),
        KeyFault::Unknown(key) => Draft::invalid(
            codes::KEY_UNKNOWN,
            fingerprint_prose(*key).and(" is not one of your keys."),
        )
        .hint("`mere keys list` shows your keys and those in ssh-agent."),
        KeyFault::Locked(key) => locked_key_reply(codes::KEY_LOCKED, *key),
        KeyFault::NextLocked(key) => locked_key_reply(codes::KEY_NEXT_LOCKED, *key),
        KeyFault::WrongPassphrase(key) => {
            let message = Prose::words("That is not the passphrase of ");
            let message = message.content((*key).into()).and(".");
            Draft::invalid(codes::KEY_PASSPHRASE, message).data(key_fields(*key))
        }
        KeyFault::Revoked(key) => Draft::invalid(
            codes::KEY_REVOKED,
            fingerprint_prose(*key).and(" is your key, but you revoked it."),
        )
        .hint("Sign with another key: run `mere keys generate`, then `mere keys use`.")
        .data(key_fields(*key)),
        KeyFault::NotInAgent(key) => Draft::invalid(
            codes::KEY_NOT_IN_AGENT,
            fingerprint_prose(*key).and(" is not in ssh-agent."),
        )
        .hint("`ssh-add FILE` loads it; `ssh-add -l` shows what is loaded.")
        .data(key_fields(*key)),
        KeyFault::Agent(cause) => {
            let message = Prose::words("").content(Content::mention(end_sentence(cause)));
            Draft::fault(codes::KEY_AGENT, message)
                .hint("`ssh-add -l` shows whether it is running; `SSH_AUTH_SOCK` names its socket.")
        }
        KeyFault::NotSaved(cause) => {
            let message = Prose::words("").content(Content::mention(end_sentence(cause)));
            Draft::fault(codes::KEY_UNKEPT, message).hint("No key was changed.")
        }
        KeyFault::Random => {
            Draft::fault(codes::KEY_UNKEPT, "The system did not provide random bytes for a key.")
        }
        KeyFault::NeededAdmin { key, teams } => needed_admin_reply(*key, *teams),
        KeyFault::AlreadyExists(what) => {
            let message = Prose::words("").content(Content::mention(what.as_str()));
            Draft::invalid(codes::KEY_TAKEN, message.and(" already exists."))
                .hint("Nothing was changed. Choose another name, or use the existing one.")
        }
        about_file => key_file_error_reply(about_file),
    }
}

/// Answers when a file does not hold a usable key.
fn key_file_error_reply(fault: &KeyFault) -> Draft {
    match fault {
        KeyFault::UnsafeMode { file, mode } => {
            let message = file_prose(file)
                .and(format!(" was not used: its mode {mode:04o} gives other users access."));
            let hint = Prose::words("`chmod 600 ")
                .content(quote_for_shell(file))
                .and("` restricts it to you.");
            Draft::fault(codes::KEY_OPEN, message).hint(hint)
        }
        KeyFault::Missing { file } => {
            Draft::invalid(codes::KEY_MISSING, file_prose(file).and(" does not exist."))
                .hint("`mere keys list` shows where your keys should be.")
        }
        KeyFault::Link { file } => Draft::invalid(
            codes::KEY_FORM,
            file_prose(file).and(" is a link, which is not followed here."),
        )
        .hint("Name the file itself; `mere keys use` also accepts a link."),
        KeyFault::InvalidFormat { file, cause } => {
            let message = file_prose(file).and(format!(" does not contain a usable key: {cause}."));
            let hint = Prose::words("`ssh-keygen -p -f ").content(quote_for_shell(file));
            Draft::invalid(codes::KEY_FORM, message)
                .hint(hint.and("` converts a private key from an older format."))
        }
        KeyFault::NotEd25519 { file } => {
            Draft::invalid(codes::KEY_FORM, file_prose(file).and(" is not an Ed25519 key."))
                .hint("`mere keys generate` creates one, and so does `ssh-keygen -t ed25519`.")
        }
        KeyFault::Changed { file, key } => {
            let message = file_prose(file).and(" does not hold ").content((*key).into());
            Draft::fault(codes::KEY_UNREADABLE, message.and(" any more."))
                .hint("Put the key back, or switch to the one in the file with `mere keys use`.")
                .data(key_fields(*key))
        }
        other => {
            let message =
                Prose::words("").content(Content::mention(end_sentence(&other.to_string())));
            Draft::fault(codes::KEY_UNREADABLE, message)
                .hint("Check its owner and its permissions.")
        }
    }
}

fn locked_key_reply(
    code: mere_core::reply::Code<mere_core::reply::Invalid>,
    key: Fingerprint,
) -> Draft {
    Draft::invalid(code, fingerprint_prose(key).and(" is locked with a passphrase."))
        .hint(
            "Run this at a terminal, which asks for the passphrase, or load the key with \
             `ssh-add`.",
        )
        .data(key_fields(key))
}

fn key_fields(key: Fingerprint) -> Fields {
    Fields::default().with("key", Content::from(key))
}

fn fingerprint_prose(key: Fingerprint) -> Prose {
    Prose::words("").content(key.into())
}

pub(super) fn file_prose(file: &str) -> Prose {
    Prose::words("").content(Content::mention(file))
}

/// Quotes a file name for a shell, if it needs quotes.
fn quote_for_shell(file: &str) -> Content {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:,".contains(c);
    if file.chars().all(is_plain) && !file.is_empty() {
        return Content::mention(file);
    }
    Content::mention(format!("'{}'", file.replace('\'', "'\\''")))
}

/// Ends a fragment with a full stop, unless it is a question.
pub(super) fn end_sentence(fragment: &str) -> String {
    if fragment.ends_with('?') {
        return fragment.to_owned();
    }
    let fragment = fragment.trim_end_matches('.');
    format!("{fragment}.")
}

/// Answers an attempt to give up a key without which a team could not be changed any more.
pub(super) fn needed_admin_reply(key: Fingerprint, teams: usize) -> Draft {
    let words = match teams {
        1 => " is an admin's, and a team that you joined cannot be changed without it.".to_owned(),
        _ => {
            format!(
                " is an admin's, and {teams} teams that you joined cannot be changed without it."
            )
        }
    };
    Draft::invalid(codes::KEY_NEEDED, Prose::words("").content(key.into()).and(words)).hint(
        "Nothing was changed. Run `mere keys rotate --out rotation.json`, and then `mere team rotate \
         rotation.json` in each project of such a team.",
    )
}
