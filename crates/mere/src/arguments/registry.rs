//! The arguments of `mere registry`: serving a registry, and what its operator does with it.
//!
//! The operator's commands act on the database itself, so they need no token.

use std::ffi::OsString;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand};
use mere_core::registry::{Namespace, NewNamespace, TokenScope};
use mere_core::trust::Fingerprint;
use mere_registry::{BlobLocation, DatabaseLocation, KeyFile, RegistryOptions, WitnessAddress};

use super::{AnswerArguments, Moment};

/// A registry shares items: people publish what they have signed, and others find and pull it.
/// Everything that happens is in a log that nobody can rewrite.
#[derive(Args)]
#[command(after_help = "Examples:
  mere registry serve                                 on 127.0.0.1:7420, in your data folder
  mere registry user add ada
  mere registry namespace create ada --owner ada
  mere registry key add ada ada.pub                   whose signatures count there
  mere registry token create --user ada --scope 'publish:ada/*' --expires 90d
  mere registry audit                                 check the log against tables and files")]
pub(crate) struct RegistryArguments {
    #[command(subcommand)]
    pub(crate) what: RegistryCommandArguments,
    #[command(flatten)]
    pub(crate) place: RegistryPlaceArguments,
}

/// Where the registry is.
#[derive(Args)]
pub(crate) struct RegistryPlaceArguments {
    /// `sqlite:PATH` or `postgres://…` [default: `MERE_REGISTRY_DATABASE`, else registry.db in
    /// `$XDG_DATA_HOME/merestone`]
    #[arg(long, global = true, value_name = "URL")]
    database: Option<DatabaseLocation>,
    /// `file:PATH` or `s3://BUCKET/PREFIX?endpoint=URL&region=NAME` [default:
    /// `MERE_REGISTRY_BLOBS`, else blobs in `$XDG_DATA_HOME/merestone`]
    #[arg(long, global = true, value_name = "URL")]
    blobs: Option<BlobLocation>,
    /// Keep the private key of the log in this file instead of the database
    #[arg(long, global = true, value_name = "FILE", value_parser = key_file_parser())]
    log_key_file: Option<KeyFile>,
}

impl From<RegistryPlaceArguments> for RegistryOptions {
    fn from(place: RegistryPlaceArguments) -> Self {
        let RegistryPlaceArguments { database, blobs, log_key_file } = place;
        Self { database, blobs, log_key_file }
    }
}

#[derive(Subcommand)]
pub(crate) enum RegistryCommandArguments {
    /// Serve the registry over HTTP
    Serve(RegistryServeArguments),
    /// Manage accounts
    #[command(subcommand)]
    User(RegistryUserCommand),
    /// Manage namespaces
    #[command(subcommand)]
    Namespace(RegistryNamespaceCommand),
    /// Manage the keys whose signatures count in a namespace
    #[command(subcommand)]
    Key(RegistryKeyCommand),
    /// Manage tokens
    #[command(subcommand)]
    Token(RegistryTokenCommand),
    /// Check the whole log against the tables and the files
    #[command(after_help = "Examples:
  mere registry audit            every entry, every version, every file; 4 if something is wrong
  mere registry audit --events   who changed what")]
    Audit {
        /// List who changed what instead
        #[arg(long)]
        events: bool,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Remove files that were sent and never published
    #[command(after_help = "Examples:
  mere registry sweep --dry-run         how many there are, and how large
  mere registry sweep                   those that were sent more than a week ago
  mere registry sweep --older-than 24h")]
    Sweep {
        /// Leave those that were sent later than this long ago, such as 24h, 7d or 2w
        #[arg(long, value_name = "AGE", default_value = "7d")]
        older_than: Moment,
        /// Count them and remove nothing
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        answer: AnswerArguments,
    },
}

impl RegistryCommandArguments {
    /// Starts the log that suits the command.
    pub(super) fn start_log(&self) -> std::io::Result<()> {
        if let Self::Serve(serve) = self {
            return crate::log::start_json(serve.log, None);
        }
        crate::log::start_plain(tracing::Level::ERROR);
        Ok(())
    }
}

/// With nothing given, the database and the files are in your data folder and only this machine can
/// connect.
#[derive(Args)]
#[command(after_help = "Examples:
  mere registry serve
  mere registry serve --listen 0.0.0.0:7420 --host registry.example.org
  mere registry serve --database postgres://mere@db/registry --blobs 's3://items?region=eu-central-1'
  mere registry serve --witness 'https://witness.example.org=NAME+ID+KEY'")]
pub(crate) struct RegistryServeArguments {
    /// The address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7420")]
    pub(crate) listen: String,
    /// A name by which clients reach the server, besides its address; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// How many requests one client may send in a second
    #[arg(long, value_name = "N", default_value = "5000")]
    pub(crate) rate: u32,
    /// A witness that co-signs checkpoints: its URL, `=`, and its key; may be repeated
    #[arg(long, value_name = "URL=KEY")]
    pub(crate) witness: Vec<WitnessAddress>,
    /// Log from this level up
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(crate) log: tracing::Level,
}

#[derive(Subcommand)]
pub(crate) enum RegistryUserCommand {
    /// Create an account
    Add {
        /// Its name
        name: String,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// List the accounts
    List(AnswerArguments),
}

#[derive(Subcommand)]
pub(crate) enum RegistryNamespaceCommand {
    /// Create a namespace
    Create {
        /// Its name
        #[arg(value_name = "NS")]
        name: NewNamespace,
        /// The account that owns it
        #[arg(long, value_name = "NAME")]
        owner: String,
        /// Show it only to those whose token permits it
        #[arg(long)]
        private: bool,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// List the namespaces
    List(AnswerArguments),
}

#[derive(Subcommand)]
pub(crate) enum RegistryKeyCommand {
    /// Let the signatures of a key count in a namespace
    Add {
        /// The namespace
        #[arg(value_name = "NS")]
        namespace: Namespace,
        /// The public key, such as ada.pub
        #[arg(value_name = "FILE", value_parser = key_file_parser())]
        file: KeyFile,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// List the keys
    List(AnswerArguments),
    /// Let new signatures of a key count no more; what it signed stays
    Remove {
        /// The namespace
        #[arg(value_name = "NS")]
        namespace: Namespace,
        /// The fingerprint of the key
        #[arg(value_name = "SHA256:…")]
        key: Fingerprint,
        #[command(flatten)]
        answer: AnswerArguments,
    },
}

#[derive(Subcommand)]
pub(crate) enum RegistryTokenCommand {
    /// Create a token, and print it once
    Create {
        /// The account that it acts for
        #[arg(long, value_name = "NAME")]
        user: String,
        /// What it permits: `publish:NS/*`, `read:NS/*` or `yank:NS/*`, or an id for the `*`; may
        /// be repeated
        #[arg(long, value_name = "SCOPE", required = true)]
        scope: Vec<TokenScope>,
        /// When it ends, such as 90d or 2027-01-31T12:00:00Z [default: never]
        #[arg(long, value_name = "WHEN")]
        expires: Option<Moment>,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Revoke a token
    Revoke {
        /// Its id, as `list` shows it
        id: String,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// List the tokens by id
    List(AnswerArguments),
}

fn key_file_parser() -> impl TypedValueParser<Value = KeyFile> {
    OsStringValueParser::new().map(|path: OsString| KeyFile::from(path))
}
