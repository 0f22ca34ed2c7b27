//! The sentences for what was not done with a registry.
//!
//! What a registry says is passed on as content, never as words of our own.

use mere_core::chain::lock::LockMismatch;
use mere_core::registry::ProblemCode;
use mere_core::reply::{Code, Content, Draft, Fault, Fields, Prose, codes};

use super::keys::end_sentence;
use super::publish::publish_refusal_reply;
use super::{file_error_reply, item_error_reply, run, trust};
use crate::files::error::FileError;
use crate::registry::{AuthorKey, DistrustedAnswer, LogFault, RegistryError};
use crate::trust::Membership;
use mere_host::HttpError;

/// Answers a call about a registry that failed.
pub(crate) fn registry_error_reply(error: &RegistryError) -> Draft {
    match error {
        RegistryError::NoLogin
        | RegistryError::Url(_)
        | RegistryError::NewKey { .. }
        | RegistryError::WrongKey { .. }
        | RegistryError::ChangedKey
        | RegistryError::Unkept(_)
        | RegistryError::Record(_) => login_error_reply(error),
        RegistryError::Net(error) => net_error_reply(*error),
        RegistryError::Folder(cause) => {
            tracing::error!(%cause, "the folder of a mirror cannot be read");
            Draft::fault(codes::REGISTRY_UNREACHABLE, "The folder of the mirror cannot be read.")
        }
        RegistryError::MirrorUnwritten(cause) => {
            tracing::error!(%cause, "the folder of a mirror cannot be written");
            Draft::fault(codes::MIRROR_UNWRITTEN, "The folder of the mirror cannot be written.")
                .hint("Check its permissions; the log says what failed.")
        }
        RegistryError::ReadOnly => {
            Draft::invalid(codes::REGISTRY_READ_ONLY, "A mirror in a folder cannot be changed.")
                .hint("Log in to the registry itself, or name it with `--registry`.")
        }
        RegistryError::Refused { detail, code } => {
            let message = quote_registry("The registry refused: ", detail);
            Draft::invalid(codes::REGISTRY_REFUSED, message).hint(refusal_hint(*code))
        }
        RegistryError::Failed { detail } => {
            let message = quote_registry("The registry failed: ", detail);
            Draft::fault(codes::REGISTRY_FAILED, message)
                .hint("Nothing was changed. Tell its operator: `mere registry audit` checks it.")
        }
        RegistryError::Absent => Draft::invalid(
            codes::REGISTRY_ABSENT,
            "The registry has no such item or version, or does not show it to you.",
        )
        .hint("`search` with `source: registry` finds items. A private one needs a token."),
        RegistryError::Answer(what) => {
            let message = format!("The registry's answer cannot be understood: {what}.");
            Draft::fault(codes::REGISTRY_ANSWER, Prose::words(message))
                .hint("Nothing was changed. Is it a registry, and is this program up to date?")
        }
        RegistryError::Distrusted(answer) => distrusted_reply(answer),
        RegistryError::UnknownAuthor(author) => unknown_author_reply(author),
        RegistryError::Signature(failure) => {
            let message = Prose::words("The signatures of the item do not hold: it ");
            let message = message.append(&trust::describe_failure(failure)).and(".");
            Draft::fault(codes::PULL_SIGNATURE, message).hint("Nothing was installed.")
        }
        RegistryError::Content(what) => {
            let message = Prose::words("The item from the registry is not valid: ");
            let message = message.content(Content::mention(end_sentence(what)));
            Draft::fault(codes::PULL_CONTENT, message).hint("Nothing was installed.")
        }
        RegistryError::Cancelled => file_error_reply(&FileError::Cancelled),
        RegistryError::Item(error) => item_error_reply(error),
        RegistryError::Run(error) => run::run_error_reply(error),
        error => refusal_reply(error),
    }
}

/// Puts what a registry says about itself behind words of our own.
/// Returns what can be done about a refusal of a registry.
fn refusal_hint(code: Option<ProblemCode>) -> &'static str {
    match code {
        Some(ProblemCode::InvalidToken) => {
            "Nothing was changed. Ask a person to run `mere login URL --token-file FILE` with a valid token."
        }
        Some(ProblemCode::NotPermitted) => {
            "Nothing was changed. Ask a person to log in with a token that permits it; the registry's operator \
             makes tokens."
        }
        Some(ProblemCode::UnknownSigner) => {
            "Nothing was changed. The registry's operator adds a key with `mere registry key add NAMESPACE FILE`; \
             `mere keys export` prints yours."
        }
        Some(ProblemCode::VersionExists) => {
            "Nothing was changed. Raise `version` in the item, sign it, and publish it again."
        }
        _ => "Nothing was changed.",
    }
}

fn quote_registry(words: &'static str, detail: &str) -> Prose {
    Prose::words(words).content(Content::mention(end_sentence(detail)))
}

fn login_error_reply(error: &RegistryError) -> Draft {
    match error {
        RegistryError::Url(cause) => {
            let message = format!("This does not say where a registry is: {cause}.");
            Draft::invalid(codes::LOGIN_URL, Prose::words(message))
                .hint("Give a URL that begins with `https://`, or `file:` and a folder.")
        }
        RegistryError::NewKey { registry_id, fingerprint } => {
            let message = "Nobody here has accepted the log key of this registry yet.";
            let data = Fields::default()
                .with("registry_id", Content::mention(registry_id.to_string()))
                .with("log_key", Content::mention(fingerprint.to_string()));
            Draft::invalid(codes::LOGIN_NEW_KEY, message).data(data).hint(
                "Compare the fingerprint with one that you have from elsewhere, then give it as `--log-key`.",
            )
        }
        RegistryError::WrongKey { fingerprint } => {
            let message = Prose::words("The registry's log key is not the one that you named: ");
            let message = message.content(Content::mention(fingerprint.to_string())).and(".");
            Draft::invalid(codes::LOGIN_WRONG_KEY, message).hint("Nothing was remembered.")
        }
        RegistryError::ChangedKey => Draft::fault(
            codes::LOGIN_CHANGED_KEY,
            "The registry is not the one that you logged in to: its id or its log key has changed.",
        )
        .hint(
            "Somebody else may be answering in its place. If the registry was really set up anew, log \
             in to it with `--log-key` and the fingerprint that its operator tells you.",
        ),
        RegistryError::Unkept(why) => unkept_reply(why),
        RegistryError::Record(error) => unkept_reply(&error.to_string()),
        _ => Draft::invalid(codes::LOGIN_NONE, "Nobody has logged in to a registry here.")
            .hint("Ask a person to run `mere login URL`."),
    }
}

fn unkept_reply(why: &str) -> Draft {
    tracing::error!(why, "what is remembered about registries cannot be used");
    Draft::fault(
        codes::LOGIN_UNKEPT,
        "What is remembered about registries cannot be read or written.",
    )
    .hint("Ask a person to look at the log, which says what failed.")
}

fn net_error_reply(error: HttpError) -> Draft {
    let nothing = "Nothing was changed. What is installed keeps working.";
    match error {
        HttpError::Timeout => {
            Draft::fault(codes::REGISTRY_TIMEOUT, "The registry did not answer in time.")
                .hint(nothing)
        }
        HttpError::TooLarge => Draft::fault(
            codes::REGISTRY_ENDLESS,
            "The registry sent more than such an answer may have; it was not read further.",
        )
        .hint(nothing),
        HttpError::InvalidResponse | HttpError::Status(_) => {
            Draft::fault(codes::REGISTRY_ANSWER, "The registry's answer cannot be understood.")
                .hint(nothing)
        }
        HttpError::Unreachable | HttpError::Untrusted | HttpError::InvalidKey => {
            let message = format!("There is no connection to the registry: {error}.");
            Draft::fault(codes::REGISTRY_UNREACHABLE, Prose::words(message)).hint(nothing)
        }
    }
}

/// Answers where a registry contradicts its log or what it said before.
fn distrusted_reply(answer: &DistrustedAnswer) -> Draft {
    let (code, words) = fault_words(&answer.fault);
    let evidence = answer.evidence.clone();
    let kept = if evidence.is_some() {
        "The evidence is kept in the state folder; `data.evidence` names the file. "
    } else {
        ""
    };
    let hint = match &answer.fault {
        LogFault::Stale { .. } => "The registry may be cut off, or somebody may be hiding newer entries. Try again, or ask its operator.".to_owned(),
        LogFault::Future => "The clock of this machine or that of the registry is wrong.".to_owned(),
        _ => "Nothing was installed. Tell the operator of the registry and others who use it.".to_owned(),
    };
    let data = Fields::default().with_some("evidence", evidence.map(Content::mention));
    Draft::fault(code, Prose::words(words)).hint(Prose::words(format!("{kept}{hint}"))).data(data)
}

/// Says what is wrong with the log of a registry, or with its answer.
fn fault_words(fault: &LogFault) -> (Code<Fault>, String) {
    let own = str::to_owned;
    match fault {
        LogFault::Signature => (
            codes::LOG_SIGNATURE,
            own("The registry's log is not signed by the key that was pinned at login."),
        ),
        LogFault::Rollback { seen, shown } => (
            codes::LOG_ROLLBACK,
            format!(
                "The registry shows an older log than before: it had {seen} entries, and now it has {shown}."
            ),
        ),
        LogFault::Fork => (
            codes::LOG_FORK,
            own(
                "The registry shows another history than before: its log does not continue the one that was seen.",
            ),
        ),
        LogFault::Stale { age_seconds } => (
            codes::LOG_STALE,
            format!(
                "The registry's log was last signed {} hours ago, which is too long.",
                age_seconds / 3600
            ),
        ),
        LogFault::Future => {
            (codes::LOG_FUTURE, own("The registry's log was signed in the future."))
        }
        LogFault::Witnesses { found, needed } => (
            codes::LOG_WITNESSES,
            format!(
                "Too few witnesses have seen the registry's log: {found} of the {needed} that are needed."
            ),
        ),
        LogFault::Proof => (
            codes::LOG_PROOF,
            own("The registry's log contradicts itself, or a part of it is missing."),
        ),
        LogFault::Unlogged
        | LogFault::OtherItem
        | LogFault::OtherBytes { .. }
        | LogFault::HiddenYank
        | LogFault::HiddenKeyChange
        | LogFault::HiddenVersion(_) => answer_fault_words(fault),
    }
}

/// Says what is wrong with an answer, given the log.
fn answer_fault_words(fault: &LogFault) -> (Code<Fault>, String) {
    let own = str::to_owned;
    match fault {
        LogFault::OtherItem => (
            codes::LOG_OTHER_ITEM,
            own(
                "The registry answered with another item or version than the one that was asked for.",
            ),
        ),
        LogFault::OtherBytes { .. } => (
            codes::LOG_OTHER_BYTES,
            own("A file from the registry is not the one that its author signed."),
        ),
        LogFault::HiddenYank => (
            codes::LOG_HIDDEN_YANK,
            own("The registry conceals that the version was yanked: its log says so."),
        ),
        LogFault::HiddenKeyChange => (
            codes::LOG_HIDDEN_KEYS,
            own("The registry conceals a change of the namespace's keys that it showed before."),
        ),
        LogFault::HiddenVersion(version) => (
            codes::LOG_HIDDEN_VERSION,
            format!("The registry conceals version {version}, which its log contains."),
        ),
        _ => (
            codes::LOG_UNLOGGED,
            own(
                "The registry offers a version that is not in its log, so that others may not see it.",
            ),
        ),
    }
}

/// Answers where the author of an item is not trusted. A person may be asked; an agent cannot answer.
fn unknown_author_reply(author: &AuthorKey) -> Draft {
    let message = Prose::words("The author of `")
        .content(Content::mention(author.item.to_string()))
        .and("` is not trusted here. Nothing was installed.");
    let key = author.key.as_ref().map(ToString::to_string);
    let data = Fields::default()
        .with("namespace", Content::mention(author.item.name.namespace.to_string()))
        .with("fingerprint", Content::mention(author.fingerprint.to_string()))
        .with_some("key", key.clone().map(Content::mention));
    let hint = match (author.membership, &key) {
        (Membership::NoTeam, Some(key)) => {
            let hint = Prose::words(
                "If the fingerprint is the author's, ask a person to run `mere trust add '",
            );
            hint.content(Content::mention(key.clone())).and("'` and pull again.")
        }
        (Membership::NoTeam, None) => Prose::words(
            "Ask the author for the public key; a person can add it with `mere trust add`.",
        ),
        (Membership::Joined | Membership::NotJoined, _) => Prose::words(
            "The team of this space decides whose signatures count: an admin can run `mere team add`. \
             `--to user` installs it in your own space.",
        ),
    };
    Draft::denied(codes::AUTHOR_UNKNOWN, message).hint(hint).data(data)
}

/// Answers what was asked for and cannot be done.
fn refusal_reply(error: &RegistryError) -> Draft {
    match error {
        RegistryError::Taken { address, namespace } => {
            let message = Prose::words("").address(address.clone());
            let message = match namespace {
                Some(namespace) => message
                    .and(" came from the namespace `")
                    .content(Content::mention(namespace.clone()))
                    .and("`. Nothing was installed."),
                None => message.and(" did not come from this registry. Nothing was installed."),
            };
            Draft::invalid(codes::PULL_TAKEN, message)
                .hint("Rename, move or delete it first, or install in the other scope.")
        }
        RegistryError::Changed(address) => {
            let message = Prose::words("").address(address.clone());
            let message = message.and(" was changed since it was installed. Nothing was replaced.");
            Draft::invalid(codes::PULL_CHANGED, message).hint(
                "Ask a person to run `mere sign --dry-run`, which shows what differs. To keep the change, it is \
                 signed; to install the item anew, it is deleted first.",
            )
        }
        RegistryError::Yanked(item) => {
            let message = Prose::words("`").content(Content::mention(item.to_string()));
            Draft::invalid(codes::PULL_YANKED, message.and("` was yanked by its author."))
                .hint("A yanked version can still be had by its number, NAMESPACE/ID@VERSION.")
        }
        RegistryError::InstallDenied { kind, item } => {
            let hint = Prose::words(format!("Ask a person to run `mere pull {} ", kind.name()));
            let hint = hint.content(Content::mention(item.to_string()));
            Draft::denied(codes::INSTALL_DENIED, "Agents may not install items of a registry.")
                .hint(hint.and("`, or to set `agents.may_install` in the user's config."))
        }
        RegistryError::NoKey => Draft::invalid(
            codes::KEY_NONE,
            "You have no key, and where an installed item lies is signed with it.",
        )
        .hint("Nothing was installed. Ask a person to run `mere keys generate`."),
        RegistryError::Older { version, newest } => {
            let message = format!(
                "Version {version} is older than {newest}, which was installed here before."
            );
            Draft::invalid(codes::PULL_OLDER, Prose::words(message)).hint(
                "Its author may have withdrawn the newer one, which `mere outdated` says, or the registry may be \
                 hiding it. To go back on purpose, ask for the version by its number.",
            )
        }
        RegistryError::LockMismatch(mismatch) => lock_mismatch_reply(mismatch),
        RegistryError::UnsharedType(kind) => {
            let message = format!("Items of the type {kind} are not shared through a registry.");
            Draft::invalid(codes::PULL_TYPE, Prose::words(message)).hint(
                "Directives, tools and knowledge are. Installing a tool also writes its lockfile.",
            )
        }
        error => publish_refusal_reply(error),
    }
}

/// Answers a tool that would not run on what its author pinned.
fn lock_mismatch_reply(mismatch: &LockMismatch) -> Draft {
    let LockMismatch { index, id, field, expected, found } = mismatch;
    let message = format!(
        "The author's lockfile pins another `{id}` than the one that would be used: its {field} is \
         {expected} in the lockfile and {found} here. Nothing was installed."
    );
    let data = Fields::default()
        .with("link", *index as u64)
        .with("tool_id", Content::mention(id.to_string()))
        .with("field", *field)
        .with("expected", Content::mention(expected.clone()))
        .with("found", Content::mention(found.clone()));
    Draft::invalid(codes::PULL_LOCK, Prose::words(message))
        .hint(
            "Rename or delete your own tool of this id, or install in the other scope; else ask the \
             author for a lockfile that fits.",
        )
        .data(data)
}
