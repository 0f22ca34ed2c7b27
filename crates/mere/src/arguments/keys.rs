//! The arguments of `mere keys`.
//!
//! No passphrase is ever an argument, because other processes can see the command line.

use std::ffi::OsString;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand};
use mere_core::request::{KeyArgument, KeyName, PersonFile};
use mere_core::trust::{Fingerprint, FingerprintError};

use super::AnswerArguments;

/// Keys are Ed25519 keys in OpenSSH's format: one that you already have will do.
#[derive(Args)]
#[command(after_help = "Examples:
  mere keys generate                    generate a key
  mere keys use ~/.ssh/id_ed25519       sign with a key you already have
  mere keys list                        which keys there are, and which one signs
  mere keys export > ada.pub            what others need to trust you
  mere keys rotate --out rotation.json  replace the old key with a new one")]
pub(crate) struct KeysArguments {
    #[command(subcommand)]
    pub(crate) what: KeysCommandArguments,
}

#[derive(Subcommand)]
pub(crate) enum KeysCommandArguments {
    /// Generate a key
    Generate(GenerateArguments),
    /// List your keys and those that ssh-agent offers
    List(AnswerArguments),
    /// Print the public half of a key
    Export {
        /// Which key [default: the one that signs]
        #[arg(value_name = "SHA256:…")]
        key: Option<Fingerprint>,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Keep a copy of a private key
    Import {
        /// The private key; it keeps its passphrase
        #[arg(value_parser = file_parser())]
        file: PersonFile,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Sign with a key that you already have
    Use {
        /// A private key, used where it is; or the .pub file or the fingerprint of a key that
        /// ssh-agent holds; or the fingerprint of one of your keys
        #[arg(value_name = "FILE|SHA256:…", value_parser = key_parser())]
        key: KeyArgument,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Replace the key that signs with another one, and print the proof
    Rotate(RotateArguments),
}

/// At a terminal you are asked for a passphrase. The first key becomes the one that signs.
#[derive(Args)]
pub(crate) struct GenerateArguments {
    /// The name of its file [default: `id_ed25519`, then `id_ed25519_2`, …]
    #[arg(long)]
    pub(crate) name: Option<KeyName>,
    /// Generate it without a passphrase, and ask nothing
    #[arg(long)]
    pub(crate) no_passphrase: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Both keys sign the proof. The old key remains one of yours: what it signed still counts.
#[derive(Args)]
pub(crate) struct RotateArguments {
    /// Use another of your keys instead of a new one
    #[arg(long, value_name = "SHA256:…")]
    pub(crate) to: Option<Fingerprint>,
    /// Write the proof to this file, which must not exist yet [default: standard output]
    #[arg(long, value_name = "FILE", value_parser = file_parser())]
    pub(crate) out: Option<PersonFile>,
    /// Generate the new key without a passphrase, and ask nothing
    #[arg(long, conflicts_with = "to")]
    pub(crate) no_passphrase: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

pub(super) fn file_parser() -> impl TypedValueParser<Value = PersonFile> {
    OsStringValueParser::new().map(PersonFile::from)
}

pub(super) fn key_parser() -> impl TypedValueParser<Value = KeyArgument> {
    OsStringValueParser::new().try_map(parse_key)
}

/// Parses a key argument. A text that starts like a fingerprint must be one; any other is a file.
pub(super) fn parse_key(text: OsString) -> Result<KeyArgument, FingerprintError> {
    match text.to_str().filter(|text| text.starts_with("SHA256:")) {
        Some(text) => text.parse().map(KeyArgument::Fingerprint),
        None => Ok(KeyArgument::File(text.into())),
    }
}
