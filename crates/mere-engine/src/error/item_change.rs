//! The sentences for items that were not created, changed or deleted.
//!
//! Merestone has changed nothing in any of these cases.

use mere_core::address::{Address, RelPath};
use mere_core::digest::ShownDigest;
use mere_core::item::{ItemFault, ItemId, ItemType};
use mere_core::reply::{Content, Draft, Fields, Prose, codes};

use super::file_change::{denial_reply, digest_key_reply, full_workspace_reply};
use super::item::parse_error_fields;
use crate::space::{ItemChangeError, ProposalError};
use crate::world::NoProject;
use mere_host::LockHeld;

/// Answers a change to an item that was not made.
pub(super) fn item_change_error_reply(error: &ItemChangeError) -> Draft {
    match error {
        ItemChangeError::AlreadyExists(address) => {
            let message = Prose::words("").address(address.clone()).and(" already exists.");
            Draft::invalid(codes::ITEM_TAKEN, message)
                .hint("Choose another id or category. The existing item was not changed.")
        }
        ItemChangeError::Stale { address, current } => stale_item_reply(address, *current),
        ItemChangeError::DigestKey(address) => digest_key_reply(address),
        ItemChangeError::UnsupportedType(kind) => unsupported_type_reply(*kind),
        ItemChangeError::Invalid { address, fault } => invalid_content_reply(address, fault, None),
        ItemChangeError::InvalidContent { address, fault, template } => {
            invalid_content_reply(address, fault, template.as_deref())
        }
        ItemChangeError::InvalidFiles(allowed) => {
            Draft::invalid(codes::CHANGE_FILES, "The files are not valid for this item.")
                .hint(Prose::words(format!("An item may have {allowed}.")))
        }
        ItemChangeError::ScriptChoice { what, fix } => {
            Draft::invalid(codes::CHANGE_SCRIPT, *what).hint(*fix)
        }
        ItemChangeError::InvalidPlace => {
            Draft::invalid(codes::CHANGE_PLACE, "No item can be placed there.")
                .hint("Choose a shorter or different id or category.")
        }
        ItemChangeError::TouchesMasked(address) => masked_text_reply(address),
        ItemChangeError::NewerFormat => newer_space_reply(),
        ItemChangeError::TimedOut(address) => {
            let message = Prose::words("Another process is changing the files around ");
            Draft::fault(codes::CALL_TIMED_OUT, message.address(address.clone()).and("."))
                .hint("Nothing was changed. Try again.")
        }
        ItemChangeError::SignedByOther(address) => signed_by_other_reply(address),
        ItemChangeError::IsDraft(address) => draft_reply(address),
        ItemChangeError::LockfileOfOtherSpace { address, tool } => {
            foreign_lockfile_reply(address, tool)
        }
        ItemChangeError::NoSpaceId => unnamed_space_reply(),
        ItemChangeError::MemoryNotSigned => {
            Draft::invalid(codes::SIGN_MEMORY, "Memories cannot be signed.")
                .hint("Agents use it as it is. `mere memory update` changes it.")
        }
        ItemChangeError::NoProject(_) => super::no_project_reply(),
        ItemChangeError::ConflictMarkers { file, line } => conflict_reply(file, *line),
        ItemChangeError::NoGitRepository => no_git_repository_reply(),
        ItemChangeError::GitFailed(cause) => git_failure_reply(cause),
        ItemChangeError::NotStaged(path) => not_staged_reply(path),
        ItemChangeError::EditorFailed(address) => editor_failure_reply(address),
        ItemChangeError::WorkspaceFull { address, size, limits } => {
            full_workspace_reply(address, size, limits)
        }
        ItemChangeError::WriteFailed { address, cause } => write_failure_reply(address, cause),
        ItemChangeError::Denied(denied) => denial_reply(denied),
        ItemChangeError::Proposal(error) => proposal_error_reply(error),
    }
}

/// Answers content that is not valid for its item, with an example of what would be.
fn invalid_content_reply(address: &Address, fault: &ItemFault, template: Option<&str>) -> Draft {
    let message = Prose::words("The content for ").address(address.clone());
    let place = format!(" is not valid at line {}, column {}: ", fault.line, fault.column);
    let message = message.and(place).append(&fault.what).and(".");
    let draft = Draft::invalid(codes::CHANGE_UNFIT, message).hint(fault.fix.clone());
    let data = parse_error_fields(address, fault);
    draft.data(data.with_some("template", template.map(Content::body)))
}

/// Answers a change of text that the caller could not see.
fn masked_text_reply(address: &Address) -> Draft {
    let message = Prose::words("The change touches text that was hidden from you in ");
    Draft::invalid(codes::CHANGE_OBSCURED, message.address(address.clone()).and("."))
        .hint("Leave lines with masked secrets or rewritten paths unchanged, or remove them.")
}

/// Answers a change to an item that is no longer what the caller saw.
fn stale_item_reply(address: &Address, current: Option<ShownDigest>) -> Draft {
    let message = Prose::words("").address(address.clone());
    Draft::invalid(codes::ITEM_STALE, message.and(" has changed in the meantime."))
        .hint("Nothing was changed. Load it again, and apply your change to the current version.")
        .data(Fields::default().with("sha256", current))
}

/// Answers a change to a type whose items are created in another way.
fn unsupported_type_reply(kind: ItemType) -> Draft {
    let message = format!("A {} cannot be created or changed this way.", kind.noun());
    Draft::invalid(codes::CHANGE_TYPE, Prose::words(message)).hint(match kind {
        ItemType::Lockfile => "It belongs to its tool and must not be written by hand.",
        ItemType::Memory => {
            "create_memory, update_memory, move_memory and remove_memory are the tools for memories; people use `mere memory`."
        }
        _ => "Directives, tools and knowledge entries can be.",
    })
}

pub(super) fn newer_space_reply() -> Draft {
    Draft::invalid(
        codes::CHANGE_NEWER,
        "The space is read-only: its space.json has a newer format, or is not valid.",
    )
    .hint("Ask a person to install a newer version of Merestone, or correct the file.")
}

/// Answers a change that only the item's author may make.
fn signed_by_other_reply(address: &Address) -> Draft {
    let message = Prose::words("").address(address.clone());
    Draft::invalid(
        codes::SIGN_FOREIGN,
        message.and(" is signed by someone else, for its current location and name."),
    )
    .hint("Read it; then `--as-mine` makes you its author.")
}

/// Answers an attempt to sign a lockfile that pins what lies in another space.
fn foreign_lockfile_reply(address: &Address, tool: &ItemId) -> Draft {
    let message = Prose::words("The lockfile ").address(address.clone());
    let message = message.and(" was made for another space, so it is not signed here.");
    Draft::invalid(codes::SIGN_LOCKFILE, message)
        .hint(Prose::words(format!("`mere lock {tool}` pins the tool as it is in this space.")))
}

/// Answers an attempt to renew an id that does not exist.
fn unnamed_space_reply() -> Draft {
    Draft::invalid(codes::SPACE_WITHOUT_ID, "The space has no id.").hint(
        "`mere init` (`--user` for your own space) gives it one. If its space.json is there and says no \
         id, remove that file first.",
    )
}

/// Answers a change to an item that is a draft.
fn draft_reply(address: &Address) -> Draft {
    let message = Prose::words("").address(address.clone());
    Draft::invalid(codes::SIGN_UNFINISHED, message.and(" is a draft that is being worked on."))
        .hint("Sign it first; `mere sign` shows what has changed.")
}

/// Answers an attempt to sign an item in which a merge is not settled.
fn conflict_reply(file: &str, line: usize) -> Draft {
    let message = Prose::words("git left its conflict markers in ").content(Content::mention(file));
    Draft::invalid(codes::SIGN_CONFLICT, message.and(format!(", from line {line} on."))).hint(
        "Keep what is right between `<<<<<<<` and `>>>>>>>`, remove the markers, and sign it then. \
         If the text is about such markers, indent them.",
    )
}

/// Answers a call that needs a git repository where there is none.
fn no_git_repository_reply() -> Draft {
    Draft::invalid(codes::SIGN_NO_GIT, "There is no git repository here.")
        .hint("Make one with `git init`, or leave out the option that needs it.")
}

/// Answers a call for which git was needed and did not work.
fn git_failure_reply(cause: &std::io::Error) -> Draft {
    tracing::error!(%cause, "git failed");
    Draft::fault(codes::SIGN_GIT, "git could not be run, or failed.").hint(
        "Look at what `git status` says; the log names the cause. What was signed stays signed.",
    )
}

/// Answers an attempt to sign a file whose changes git would not commit.
fn not_staged_reply(path: &RelPath) -> Draft {
    let path = Content::mention(path.to_string());
    let message = Prose::words("").content(path.clone());
    Draft::invalid(codes::SIGN_UNSTAGED, message.and(" has changes that are not staged."))
        .hint(Prose::words("Stage it with `git add ").content(path).and("`, or undo the changes."))
}

/// Answers an edit that ended with an error of the editor.
fn editor_failure_reply(address: &Address) -> Draft {
    let message = Prose::words("The editor failed on ").address(address.clone());
    Draft::fault(codes::SIGN_EDITOR, message.and(". Nothing was signed.")).hint(
        "Set `VISUAL` or `EDITOR` to choose the editor. If it changed the item, `mere sign` shows \
         the changes.",
    )
}

/// Answers a decision about a proposal that could not be carried out.
fn proposal_error_reply(error: &ProposalError) -> Draft {
    match error {
        ProposalError::Missing => {
            Draft::invalid(codes::REVIEW_MISSING, "There is no such proposal.")
                .hint("`mere review --list` shows the pending proposals.")
        }
        ProposalError::Changed => Draft::invalid(
            codes::REVIEW_OTHER,
            "The proposal is not the one that was shown. Nothing was changed.",
        )
        .hint("Look at it again: agents may change their proposals."),
        ProposalError::Conflict(paths) => super::project::conflict_reply(paths),
        ProposalError::Invalid(why) => {
            let message = format!("The proposal is incomplete: {why}.");
            Draft::invalid(codes::REVIEW_BROKEN, Prose::words(message))
                .hint("Reject it, and let the agent propose it again.")
        }
    }
}

fn write_failure_reply(address: &Address, cause: &std::io::Error) -> Draft {
    if LockHeld::is_cause_of(cause) {
        let what = Prose::words("").address(address.clone()).and(" was not changed");
        return super::lock_held_reply(what);
    }
    if NoProject::is_cause_of(cause) {
        return super::no_project_reply();
    }
    tracing::error!(%cause, %address, "an item could not be written");
    let message = Prose::words("").address(address.clone());
    let words = " could not be written; the existing content was not changed.";
    Draft::fault(codes::CHANGE_FAILED, message.and(words))
        .hint("Ask a person to check whether the disk is full or the folder is read-only; the log says why.")
}
