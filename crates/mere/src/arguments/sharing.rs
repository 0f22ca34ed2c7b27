//! The arguments of the commands that share items through a registry.
//!
//! No token is ever an argument, because other processes can see the command line.

use clap::Args;
use mere_core::item::{ItemRef, Scope};
use mere_core::log::LogFingerprint;
use mere_core::registry::{Namespace, PublishedReference};
use mere_core::request::{PersonFile, PublishItem, PublishMode, PullItem};
use mere_engine::TypedPath;

use super::items::{ScopeArgument, SourceArguments, TypeArgument};
use super::keys::file_parser;
use super::{AnswerArguments, typed_parser};

/// Which registry is meant.
#[derive(Args)]
pub(crate) struct RegistryChoiceArguments {
    /// The registry: a URL, or `file:` and the folder of a mirror [default: `registry.url` of your
    /// config, else the one that you logged in to last]
    #[arg(long = "registry", value_name = "URL")]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The log key of the registry is shown, and remembered after a yes: from then on every answer is
/// checked against the log that this key signs.
#[derive(Args)]
#[command(after_help = "Examples:
  mere login https://registry.example.org
  mere login https://registry.example.org --token-file token.txt --log-key SHA256:…
  mere login file:/srv/mirror")]
pub(crate) struct LoginArguments {
    /// The URL of the registry, or `file:` and the folder of a mirror
    pub(crate) url: String,
    /// Read the token from this file [default: asked for; nothing means no token]
    #[arg(long, value_name = "FILE", value_parser = typed_parser())]
    pub(crate) token_file: Option<TypedPath>,
    /// Log in without a token, to read what is public
    #[arg(long, conflicts_with = "token_file")]
    pub(crate) no_token: bool,
    /// Accept this log key without being asked
    #[arg(long, value_name = "SHA256:…")]
    pub(crate) log_key: Option<LogFingerprint>,
    /// The namespace to publish to by default
    #[arg(long, value_name = "NS")]
    pub(crate) namespace: Option<Namespace>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The token is deleted. The log key stays, so that the same registry is recognised later.
#[derive(Args)]
#[command(after_help = "Example:
  mere logout")]
pub(crate) struct LogoutArguments {
    #[command(flatten)]
    pub(crate) registry: RegistryChoiceArguments,
}

/// The item must be signed with your own key, and the registry must know that key. It is sent without
/// a question: `--dry-run` shows first what would leave the machine. A version that was published
/// cannot be changed or deleted; `mere yank` withdraws it. Files with secrets, or that name folders of
/// this machine, are refused.
#[derive(Args)]
#[command(after_help = "Examples:
  mere publish tool api/deploy --dry-run      show what would leave this machine
  mere publish tool api/deploy
  mere publish note style --namespace acme")]
pub(crate) struct PublishArguments {
    /// directive (or skill), tool, knowledge (or note), lockfile
    #[arg(value_name = "TYPE")]
    kind: TypeArgument,
    /// Its id, or category/id; a lockfile's id ends in @version
    #[arg(value_name = "ID")]
    item: ItemRef,
    #[command(flatten)]
    pub(crate) source: SourceArguments,
    /// The namespace [default: that of the login]
    #[arg(long, value_name = "NS")]
    pub(crate) namespace: Option<Namespace>,
    /// Only show what would leave this machine
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) registry: RegistryChoiceArguments,
}

impl PublishArguments {
    /// Builds the request.
    pub(crate) fn to_request(&self) -> PublishItem {
        PublishItem {
            kind: self.kind.kind,
            item: self.item.clone(),
            source: self.source.source(),
            namespace: self.namespace.clone(),
            mode: if self.dry_run { PublishMode::DryRun } else { PublishMode::Send },
        }
    }
}

/// Everything is checked before anything is written: the author's signature against the keys that
/// you trust, every file, and that the version is in the registry's log, as everybody sees it. A
/// tool comes with the tools that it runs on.
#[derive(Args)]
#[command(after_help = "Examples:
  mere pull tool acme/deploy
  mere pull note acme/style@1.2.0 --to user")]
pub(crate) struct PullArguments {
    /// directive (or skill), tool, knowledge (or note)
    #[arg(value_name = "TYPE")]
    kind: TypeArgument,
    /// Its name in the registry, with @version for one version
    #[arg(value_name = "NS/ID")]
    item: PublishedReference,
    /// The scope to install it in
    #[arg(long, value_enum, default_value_t = ScopeArgument::Project)]
    to: ScopeArgument,
    #[command(flatten)]
    pub(crate) registry: RegistryChoiceArguments,
}

impl PullArguments {
    /// Builds the request.
    pub(crate) fn to_request(&self) -> PullItem {
        let to = Scope::from(self.to);
        PullItem { kind: self.kind.kind, item: self.item.clone(), to }
    }
}

/// Which item of a registry is meant.
#[derive(Args)]
pub(crate) struct SharedItemArguments {
    /// directive (or skill), tool, knowledge (or note), lockfile
    #[arg(value_name = "TYPE")]
    pub(crate) kind: TypeArgument,
    /// Its name in the registry, with @version for one version
    #[arg(value_name = "NS/ID")]
    pub(crate) item: PublishedReference,
}

/// A version that an author published later replaces the installed one, after the same checks as
/// `mere pull` makes. Yanked versions are passed over.
#[derive(Args)]
#[command(after_help = "Examples:
  mere update                     every item that came from the registry
  mere update tool api/deploy")]
pub(crate) struct UpdateArguments {
    /// directive (or skill), tool, knowledge (or note)
    #[arg(value_name = "TYPE", requires = "item")]
    pub(crate) kind: Option<TypeArgument>,
    /// Its id, or category/id
    #[arg(value_name = "ID")]
    pub(crate) item: Option<ItemRef>,
    #[command(flatten)]
    pub(crate) registry: RegistryChoiceArguments,
}

/// The items that came from the registry, each with its version and the newest one there.
#[derive(Args)]
#[command(after_help = "Example:
  mere outdated")]
pub(crate) struct OutdatedArguments {
    #[command(flatten)]
    pub(crate) registry: RegistryChoiceArguments,
}

/// A yanked version is not found and not installed any more, unless somebody asks for it by number.
/// It cannot be published again.
#[derive(Args)]
#[command(after_help = "Example:
  mere yank tool acme/deploy@1.2.0")]
pub(crate) struct YankArguments {
    #[command(flatten)]
    pub(crate) item: SharedItemArguments,
    #[command(flatten)]
    pub(crate) registry: RegistryChoiceArguments,
}

/// The folder then serves as a registry by itself: `mere login file:DIR`. Everything is checked
/// while it is copied; what is there already is not copied again.
#[derive(Args)]
#[command(after_help = "Examples:
  mere mirror /srv/mirror
  mere mirror /srv/mirror --namespace acme")]
pub(crate) struct MirrorArguments {
    /// The folder
    #[arg(value_name = "DIR", value_parser = file_parser())]
    pub(crate) folder: PersonFile,
    /// Copy only the items of this namespace
    #[arg(long, value_name = "NS")]
    pub(crate) namespace: Option<Namespace>,
    #[command(flatten)]
    pub(crate) registry: RegistryChoiceArguments,
}
