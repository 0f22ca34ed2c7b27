//! The reasons why something was not done with a registry.
//!
//! They carry addresses and names that were parsed, never host paths. The sentences for people and
//! agents are written elsewhere.

use mere_core::address::Address;
use mere_core::chain::lock::LockMismatch;
use mere_core::item::{ItemType, Version};
use mere_core::log::LogFingerprint;
use mere_core::registry::{ProblemCode, PublishedReference, RegistryId};
use mere_core::trust::{Fingerprint, PublicKey, VerificationFailure};

use super::publish_check::PublishFinding;
use crate::items::ItemError;
use crate::run::RunError;
use crate::space::ItemChangeError;
use crate::trust::Membership;
use crate::trust::approvals::records::RecordError;
use mere_host::{HttpError, RegistryUrlError};

/// The reason why something was not done with a registry.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RegistryError {
    /// Nobody has logged in to it.
    #[error("nobody has logged in to that registry")]
    NoLogin,
    #[error(transparent)]
    Url(#[from] RegistryUrlError),
    /// The registry shows a log key that nobody has accepted yet.
    #[error("the log key is not pinned yet")]
    NewKey { registry_id: RegistryId, fingerprint: LogFingerprint },
    /// The log key is not the one that the person named.
    #[error("the log key is not the one that was named")]
    WrongKey { fingerprint: LogFingerprint },
    /// The registry shows another log key or id than the pinned one.
    #[error("the registry shows another log key than before")]
    ChangedKey,
    /// What the user keeps about registries cannot be read or written. For people.
    #[error("{0}")]
    Unkept(String),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Net(#[from] HttpError),
    /// The folder of a mirror cannot be read.
    #[error("the mirror cannot be read: {0}")]
    Folder(std::io::Error),
    /// The folder of a mirror cannot be written.
    #[error("the mirror cannot be written: {0}")]
    MirrorUnwritten(std::io::Error),
    /// A mirror in a folder cannot be changed.
    #[error("a mirror cannot be changed")]
    ReadOnly,
    /// The registry said no, with its own words.
    #[error("the registry refused: {detail}")]
    Refused { detail: String, code: Option<ProblemCode> },
    /// The registry could not do what it was asked for.
    #[error("the registry failed: {detail}")]
    Failed { detail: String },
    #[error("the registry has no such item")]
    Absent,
    #[error("the registry's answer cannot be understood: {0}")]
    Answer(&'static str),
    /// The registry contradicts its log, or what it said before.
    #[error("{}", .0.fault)]
    Distrusted(Box<DistrustedAnswer>),
    /// An agent may not install it.
    #[error("agents may not install items")]
    InstallDenied { kind: ItemType, item: Box<PublishedReference> },
    /// The user has no key, with which the place of an installed item is signed.
    #[error("there is no key to sign with")]
    NoKey,
    #[error("the author is not trusted")]
    UnknownAuthor(Box<AuthorKey>),
    #[error("the author's signature does not hold: {}", .0.status())]
    Signature(VerificationFailure),
    #[error("the item is not valid: {0}")]
    Content(String),
    #[error("{address} did not come from this namespace")]
    Taken { address: Address, namespace: Option<String> },
    #[error("{0} was changed since it was installed")]
    Changed(Address),
    #[error("the version was yanked")]
    Yanked(Box<PublishedReference>),
    #[error("version {version} is older than {newest}")]
    Older { version: Version, newest: Version },
    /// The author pinned another tool than the one that would be used.
    #[error(transparent)]
    LockMismatch(Box<LockMismatch>),
    #[error("items of type {0} are not shared")]
    UnsharedType(ItemType),
    #[error("{0} is not signed by one's own key")]
    NotOwn(Address),
    #[error("files contain what must not leave the machine")]
    Private { address: Address, findings: Vec<PublishFinding> },
    #[error("no namespace is named")]
    NoNamespace,
    /// An item is named without its namespace.
    #[error("an item is named without its namespace")]
    NoQualifiedName,
    #[error("publishing needs a confirmation")]
    Unconfirmed,
    #[error("the version to yank must be named")]
    NoVersion,
    #[error("the call was cancelled")]
    Cancelled,
    #[error(transparent)]
    Item(#[from] ItemError),
    #[error(transparent)]
    Run(#[from] Box<RunError>),
}

impl From<ItemChangeError> for RegistryError {
    fn from(error: ItemChangeError) -> Self {
        Self::Item(error.into())
    }
}

/// An author whom the user does not trust.
#[derive(Debug)]
pub(crate) struct AuthorKey {
    pub(crate) item: PublishedReference,
    pub(crate) fingerprint: Fingerprint,
    /// The key itself, if it made the signature and trusting it would be enough.
    pub(crate) key: Option<PublicKey>,
    /// Who decides whose keys count where the item would be installed.
    pub(crate) membership: Membership,
}

/// An answer of a registry that contradicts its log, or what it said before.
#[derive(Debug)]
pub(crate) struct DistrustedAnswer {
    pub(crate) fault: LogFault,
    /// The name of the file that keeps the evidence, if it could be kept.
    pub(crate) evidence: Option<String>,
}

/// What is wrong with an answer of a registry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LogFault {
    #[error("the checkpoint is not signed by the pinned key")]
    Signature,
    #[error("the log had {seen} entries, and now it has {shown}")]
    Rollback { seen: u64, shown: u64 },
    #[error("the log does not continue the one that was shown before")]
    Fork,
    #[error("the checkpoint is {age_seconds} seconds old")]
    Stale { age_seconds: u64 },
    #[error("the checkpoint is from the future")]
    Future,
    #[error("{found} of {needed} witnesses have signed the checkpoint")]
    Witnesses { found: usize, needed: usize },
    #[error("the version is not in the log")]
    Unlogged,
    #[error("the answer is about another item")]
    OtherItem,
    #[error("a file is not the one that its author signed")]
    OtherBytes { path: String },
    #[error("the registry conceals that the version was yanked")]
    HiddenYank,
    #[error("the registry conceals how the keys of the namespace changed")]
    HiddenKeyChange,
    #[error("the registry conceals version {0}")]
    HiddenVersion(Version),
    #[error("the log contradicts itself, or a part of it is missing")]
    Proof,
}
