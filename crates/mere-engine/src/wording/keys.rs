//! The sentences for keys that are not there, are locked, or do not do.
//!
//! They are for people: file names are content, and so are fingerprints, whose base64 may look like
//! a path.

use mere_core::reply::{Content, Draft, Fields, Prose, codes};
use mere_core::trust::Fingerprint;

use crate::keys::KeyFault;

/// A key that cannot be used.
pub(crate) fn key(fault: &KeyFault) -> Draft {
    match fault {
        KeyFault::NoKey => Draft::invalid(codes::KEY_NONE, "You have no key to sign with.").hint(
            "`mere keys generate` makes one; `mere keys use` takes one you have, from a file or \
             from ssh-agent.",
        ),
        KeyFault::Unknown(key) => {
            Draft::invalid(codes::KEY_UNKNOWN, named(*key).and(" is none of your keys."))
                .hint("`mere keys list` shows them, and what ssh-agent offers.")
        }
        KeyFault::Locked(key) => locked(codes::KEY_LOCKED, *key),
        KeyFault::NextLocked(key) => locked(codes::KEY_NEXT_LOCKED, *key),
        KeyFault::WrongPassphrase(key) => {
            let message = Prose::words("That is not the passphrase of ");
            let message = message.content((*key).into()).and(".");
            Draft::invalid(codes::KEY_PASSPHRASE, message).data(about(*key))
        }
        KeyFault::Revoked(key) => {
            Draft::invalid(codes::KEY_REVOKED, named(*key).and(" is yours, and you revoked it."))
                .hint("Sign with another: `mere keys generate`, then `mere keys use`.")
                .data(about(*key))
        }
        KeyFault::NotInAgent(key) => {
            Draft::invalid(codes::KEY_NOT_IN_AGENT, named(*key).and(" is not in ssh-agent."))
                .hint("`ssh-add FILE` loads it; `ssh-add -l` shows what is loaded.")
                .data(about(*key))
        }
        KeyFault::Agent(cause) => {
            let message = Prose::words("").content(Content::mention(sentence(cause)));
            Draft::fault(codes::KEY_AGENT, message)
                .hint("`ssh-add -l` shows whether it is there; `SSH_AUTH_SOCK` says where.")
        }
        KeyFault::Unkept(cause) => {
            let message = Prose::words("").content(Content::mention(sentence(cause)));
            Draft::fault(codes::KEY_UNKEPT, message).hint("No key was changed.")
        }
        KeyFault::Random => {
            Draft::fault(codes::KEY_UNKEPT, "The system gave no random bytes to make a key of.")
        }
        KeyFault::Taken(what) => {
            let message = Prose::words("").content(Content::mention(what.as_str()));
            Draft::invalid(codes::KEY_TAKEN, message.and(" is there already."))
                .hint("Nothing was changed. Choose another name, or use what is there.")
        }
        about_file => file(about_file),
    }
}

/// A file that holds no key that can be used.
fn file(fault: &KeyFault) -> Draft {
    match fault {
        KeyFault::OpenMode { file, mode } => {
            let message =
                at(file).and(format!(" is not used: its mode {mode:04o} lets others in."));
            let hint =
                Prose::words("`chmod 600 ").content(quoted(file)).and("` makes it yours alone.");
            Draft::fault(codes::KEY_OPEN, message).hint(hint)
        }
        KeyFault::Missing { file } => {
            Draft::invalid(codes::KEY_MISSING, at(file).and(" is not there."))
                .hint("`mere keys list` shows where your keys should be.")
        }
        KeyFault::Link { file } => {
            Draft::invalid(codes::KEY_FORM, at(file).and(" is a link, and is not followed."))
                .hint("Name the file itself; `mere keys use` takes a link too.")
        }
        KeyFault::Form { file, cause } => {
            let message = at(file).and(format!(" holds no key that can be used: {cause}."));
            let hint = Prose::words("`ssh-keygen -p -f ").content(quoted(file));
            Draft::invalid(codes::KEY_FORM, message)
                .hint(hint.and("` rewrites a private key of an older form."))
        }
        KeyFault::NotEd25519 { file } => {
            Draft::invalid(codes::KEY_FORM, at(file).and(" is not an Ed25519 key."))
                .hint("`mere keys generate` makes one, and so does `ssh-keygen -t ed25519`.")
        }
        KeyFault::Changed { file, key } => {
            let message = at(file).and(" does not hold ").content((*key).into());
            Draft::fault(codes::KEY_UNREADABLE, message.and(" any more."))
                .hint("Put the key back, or take what is there with `mere keys use`.")
                .data(about(*key))
        }
        other => {
            let message = Prose::words("").content(Content::mention(sentence(&other.to_string())));
            Draft::fault(codes::KEY_UNREADABLE, message)
                .hint("Look at its owner and its permissions.")
        }
    }
}

fn locked(code: mere_core::reply::Code<mere_core::reply::Invalid>, key: Fingerprint) -> Draft {
    Draft::invalid(code, named(key).and(" is locked by a passphrase."))
        .hint("Run this at a terminal, where it is asked for, or load the key with `ssh-add`.")
        .data(about(key))
}

fn about(key: Fingerprint) -> Fields {
    Fields::default().with("key", Content::from(key))
}

fn named(key: Fingerprint) -> Prose {
    Prose::words("").content(key.into())
}

pub(super) fn at(file: &str) -> Prose {
    Prose::words("").content(Content::mention(file))
}

/// Something as it is typed in a shell.
fn quoted(file: &str) -> Content {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:,".contains(c);
    if file.chars().all(is_plain) && !file.is_empty() {
        return Content::mention(file);
    }
    Content::mention(format!("'{}'", file.replace('\'', "'\\''")))
}

/// A fragment as a sentence.
pub(super) fn sentence(fragment: &str) -> String {
    let fragment = fragment.trim_end_matches('.');
    format!("{fragment}.")
}
