//! The sentences for changes to files that were not made. Nothing was changed in any of these
//! cases.

use mere_core::address::Address;
use mere_core::digest::ShownDigest;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::text::markdown::PatchError;

use super::directive_run::run_refusal_reply;
use crate::files::file_change::{ChangeError, UnmovableReason};
use crate::files::view::usage_fields;
use crate::policy::Denied;
use mere_host::{LockHeld, WorkspaceLimits, WorkspaceSize};

/// Answers a change that was not made.
pub(super) fn change_error_reply(error: &ChangeError) -> Draft {
    match error {
        ChangeError::Denied(denied) => denial_reply(denied),
        ChangeError::Stale { address, current } => stale_reply(address, *current),
        ChangeError::DigestKey(address) => digest_key_reply(address),
        ChangeError::NotOnce { address, count } => not_once_reply(address, *count),
        ChangeError::Section { address, error } => section_error_reply(address, error),
        ChangeError::NotText(address) => Draft::invalid(
            codes::WRITE_NOT_TEXT,
            address_prose(address, " is not UTF-8 text of at most 16 MiB."),
        )
        .hint("`write` can replace the whole file."),
        ChangeError::NotRegularFile(address) => {
            Draft::invalid(codes::WRITE_TAKEN, address_prose(address, " is not a regular file."))
                .hint("Choose another name; directories and links cannot be written to.")
        }
        ChangeError::NoDirectory(address) => {
            let words = " cannot be written: its directory does not exist.";
            Draft::invalid(codes::WRITE_NO_DIRECTORY, address_prose(address, words))
                .hint("Pass `create_dirs`: true to `write`, or use `mkdir`, to create it.")
        }
        ChangeError::Exists(address) | ChangeError::LooksAlike(address) => {
            taken_name_reply(address, error)
        }
        ChangeError::NotEmpty(address) => {
            let whole = Address::directory(address.root().clone(), address.path().clone());
            let hint = Prose::words("To delete it with everything in it, pass ").address(whole);
            Draft::invalid(codes::WRITE_NOT_EMPTY, address_prose(address, " is not empty."))
                .hint(hint.and("."))
        }
        ChangeError::Unmovable(address, reason) => unmovable_reply(address, *reason),
        ChangeError::TooDeep(address) => {
            let words = " was not created: a workspace has at most 64 levels of directories.";
            Draft::invalid(codes::WRITE_TOO_DEEP, address_prose(address, words))
                .hint("Choose a path with fewer levels.")
        }
        ChangeError::Full { address, size, limits } => full_workspace_reply(address, size, limits),
        ChangeError::TouchesRedaction(address) => redaction_reply(address),
        ChangeError::Failed { address, cause } if LockHeld::is_cause_of(cause) => {
            super::lock_held_reply(address_prose(address, " was not changed"))
        }
        ChangeError::Failed { address, cause } => {
            tracing::error!(%cause, %address, "a file could not be written");
            let words = " could not be written; the existing content was not changed.";
            Draft::fault(codes::WRITE_FAILED, address_prose(address, words)).hint(
                "Ask a person to check whether the disk is full or the folder is read-only; the \
                 log says why.",
            )
        }
    }
}

/// Answers a change to text that the caller did not see as it is.
fn redaction_reply(address: &Address) -> Draft {
    let words = "The change touches text that was hidden from you in ";
    let message = Prose::words(words).address(address.clone()).and(".");
    Draft::invalid(codes::WRITE_OBSCURED, message).hint(
        "Secrets are masked and host folders are shown as addresses. Leave such lines unchanged, \
         or remove them.",
    )
}

/// Answers a new name that something has, or seems to have.
fn taken_name_reply(address: &Address, error: &ChangeError) -> Draft {
    let (words, hint) = match error {
        ChangeError::LooksAlike(_) => (
            " was not created: another name there differs from it only in invisible characters.",
            "Use the existing name, or one that looks different.",
        ),
        _ => (
            " exists already, and nothing is replaced.",
            "Choose another name, or `delete` what is there.",
        ),
    };
    Draft::invalid(codes::WRITE_EXISTS, address_prose(address, words)).hint(hint)
}

pub(super) fn denial_reply(denied: &Denied) -> Draft {
    match denied {
        Denied::OutsideWorkspace(instead) => {
            let hint = Prose::words("Write to ").address(instead.clone());
            Draft::denied(codes::WRITE_DENIED, "Agents may only write in their workspace.")
                .hint(hint.and(", and ask a person to move it from there."))
        }
        Denied::NotInWorkspace(instead) => {
            let hint = Prose::words("Only what is in ROOT_WORKSPACE is yours, such as ");
            let message = "Agents may only delete and move what is in their workspace.";
            Draft::denied(codes::WRITE_DENIED, message)
                .hint(hint.address(instead.clone()).and("; ask a person to change the rest."))
        }
        Denied::OutsideRun(refusal) => run_refusal_reply(refusal),
        Denied::Reveals => {
            let message = "The move would show you something that only a person may show.";
            Draft::denied(codes::WRITE_REVEALS, message)
                .hint("Choose a name that is hidden or masked in the same way, or ask a person.")
        }
        Denied::Install => Draft::denied(
            codes::INSTALL_DENIED,
            "Agents may not copy items between spaces.",
        )
        .hint("Ask a person to run `mere copy`, or set `agents.may_install` in the user's config."),
        Denied::Publish => Draft::denied(codes::PUBLISH_DENIED, "Agents may not publish items.").hint(
            "Ask a person to run `mere publish`, or set `agents.may_publish` in the user's config.",
        ),
        Denied::Sign => Draft::denied(
            codes::SIGN_DENIED,
            "Nothing was signed: signing needs a person at a terminal, or a key in ssh-agent.",
        )
        .hint(
            "Ask a person to do this at a terminal. For scripts the user's own config can say \
             `sign: {unattended: true}`; a project's cannot.",
        ),
        Denied::Repository(name) => {
            let name = name.as_str();
            let message = format!("Agents may not make anything called `{name}`.");
            Draft::denied(codes::WRITE_REPOSITORY, Prose::words(message)).hint(
                "Choose another name: a version control program would take it for part of a \
                 repository, and run what that configures.",
            )
        }
    }
}

fn unmovable_reply(address: &Address, reason: UnmovableReason) -> Draft {
    let (words, hint) = match reason {
        UnmovableReason::Workspace => (
            " is the workspace itself, which is neither deleted nor moved.",
            "Name what is in it. A person can empty it with `mere workspace clean`.",
        ),
        UnmovableReason::IntoItself => (
            " cannot be moved into itself.",
            "Choose a path that is not below the directory that is moved.",
        ),
        UnmovableReason::NamedAsDirectory => (
            " ends in `/`, but a file is moved.",
            "`to` is the new path of the file, with its name.",
        ),
    };
    Draft::invalid(codes::WRITE_UNMOVABLE, address_prose(address, words)).hint(hint)
}

/// Answers a change for which the workspace has no room, and says what it holds.
pub(super) fn full_workspace_reply(
    address: &Address,
    size: &WorkspaceSize,
    limits: &WorkspaceLimits,
) -> Draft {
    let (words, hint) = if size.is_partial {
        (
            " was not written: a part of the workspace cannot be measured.".to_owned(),
            "A tool may have made a folder that nobody can enter: `delete` it, or ask a person to \
             run `mere workspace list`.",
        )
    } else {
        let words = format!(
            " was not written: the workspace holds {} of {} bytes and {} of {} files.",
            size.bytes, limits.bytes, size.files, limits.files
        );
        let hint = "`delete` what is not needed any more. A person can set \
                    `agents.workspace.max_bytes` and `max_files` in the user's config.";
        (words, hint)
    };
    let message = Prose::words("").address(address.clone()).and(words);
    let data = usage_fields(size, limits).with("target", address.clone());
    Draft::invalid(codes::WRITE_FULL, message).hint(hint).data(data)
}

fn stale_reply(address: &Address, current: Option<ShownDigest>) -> Draft {
    let (words, hint) = match current {
        Some(_) => (
            " does not match `expect_sha256`.",
            "Someone changed it. Read it again; `data.sha256` is its current hash.",
        ),
        None => (" does not exist.", "Leave `expect_sha256` out to create it."),
    };
    let data = Fields::default().with("target", address.clone()).with("sha256", current);
    Draft::invalid(codes::WRITE_STALE, address_prose(address, words)).hint(hint).data(data)
}

/// Answers a change whose `expect_sha256` cannot be compared, because the digest of the file has a
/// key that cannot be used.
pub(super) fn digest_key_reply(address: &Address) -> Draft {
    let words = " was not changed: its digest cannot be compared, because this machine's key for \
                 the digests of masked files cannot be used.";
    Draft::fault(codes::DIGEST_KEY, address_prose(address, words))
        .hint("Ask a person to run `mere doctor`, which names the file and the fix.")
}

fn not_once_reply(address: &Address, count: usize) -> Draft {
    let (words, hint) = match count {
        0 => (
            "The old text does not occur in ".to_owned(),
            "Read the file, and give the text exactly as it is there.",
        ),
        _ => (
            format!("The old text occurs {count} times in "),
            "Give more of the text around it, so that it occurs once.",
        ),
    };
    let message = Prose::words(words).address(address.clone()).and(".");
    let data = Fields::default().with("target", address.clone()).with("count", count as u64);
    Draft::invalid(codes::WRITE_NOT_ONCE, message).hint(hint).data(data)
}

fn section_error_reply(address: &Address, error: &PatchError) -> Draft {
    let data = Fields::default().with("target", address.clone());
    match error {
        PatchError::Missing { available } => {
            let available =
                available.iter().map(|name| Data::from(Content::mention(name.as_str())));
            let message = Prose::words("There is no such section in ").address(address.clone());
            Draft::invalid(codes::WRITE_NO_SECTION, message.and("."))
                .hint("`data.there` lists the existing sections.")
                .data(data.with("there", available.collect::<Data>()))
        }
        PatchError::Ambiguous { count } | PatchError::NoSuchOccurrence { count } => {
            let message = Prose::words(format!("{count} sections have that name in "));
            Draft::invalid(codes::WRITE_NO_SECTION, message.address(address.clone()).and("."))
                .hint(Prose::words(format!("Say which one with `occurrence`, from 1 to {count}.")))
                .data(data.with("count", *count as u64))
        }
        PatchError::ContentEscapes | PatchError::TooDeep => {
            let message = Prose::words("The content does not stay within the section in ");
            Draft::invalid(codes::WRITE_SPILLS, message.address(address.clone()).and("."))
                .hint(
                    "It opens a section of the same or a higher level, leaves a fence open, or \
                     repeats a marker; or the file is nested too deeply. `edit` accepts any text.",
                )
                .data(data)
        }
        PatchError::Frontmatter(error) => {
            let message = Prose::words("The frontmatter of ").address(address.clone());
            Draft::invalid(
                codes::WRITE_FRONTMATTER,
                message.and(format!(" was not changed: {error}.")),
            )
            .hint("The content is the value of one key, in YAML.")
            .data(data)
        }
    }
}

fn address_prose(address: &Address, words: &'static str) -> Prose {
    Prose::words("").address(address.clone()).and(words)
}
