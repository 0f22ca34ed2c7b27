//! The arguments of `mere trust` for the keys of other people.
//!
//! A text that starts like a key or a fingerprint must be a valid one, and is never taken for a
//! file name.

use std::ffi::OsString;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand};
use mere_core::item::{Category, Scope};
use mere_core::request::{PersonFile, SignerKey, SignerName, SignerSelector};
use mere_core::trust::{KeyLimits, PublicKey};

use super::AnswerArguments;
use super::items::{ScopeArgument, TypeArgument};
use super::keys::{file_parser, parse_key};

#[derive(Subcommand)]
pub(crate) enum SignersCommand {
    /// Trust what a key signs
    Add(Box<AddSignerArguments>),
    /// List the keys you trust, and those that were revoked
    List(AnswerArguments),
    /// Forget a key
    Remove(Box<SignerArguments>),
    /// Never trust a key again, whoever vouches for it
    Revoke(Box<SignerArguments>),
    /// Trust a key's successor like the key itself, by the proof of `mere keys rotate`
    Rotate(SuccessorArguments),
}

/// Adding a key again replaces its limits.
#[derive(Args)]
#[command(after_help = "Examples:
  mere trust add ada.pub --name Ada
  mere trust add 'ssh-ed25519 AAAA…' --type tool --category api
  mere trust add ci.pub --name CI --scope project")]
pub(crate) struct AddSignerArguments {
    /// The public key: a file, or the key's line in quotes
    #[arg(value_name = "PUBKEY_FILE|'ssh-ed25519 …'", value_parser = public_key_parser())]
    pub(crate) key: SignerKey,
    /// Whose key it is
    #[arg(long)]
    pub(crate) name: Option<SignerName>,
    /// Trust it only for items in this scope; may be repeated
    #[arg(long, value_enum, value_delimiter = ',')]
    scope: Vec<ScopeArgument>,
    /// Trust it only for items of this type; may be repeated
    #[arg(long = "type", alias = "types", value_name = "TYPE", value_delimiter = ',')]
    kinds: Vec<TypeArgument>,
    /// Trust it only for items in this category and below; may be repeated
    #[arg(long = "category", alias = "categories", value_name = "CATEGORY", value_delimiter = ',')]
    categories: Vec<Category>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl AddSignerArguments {
    pub(crate) fn limits(&self) -> KeyLimits {
        KeyLimits {
            scopes: self.scope.iter().copied().map(Scope::from).collect(),
            kinds: self.kinds.iter().map(|one| one.kind).collect(),
            categories: self.categories.clone(),
            not_after: None,
        }
    }
}

#[derive(Args)]
pub(crate) struct SignerArguments {
    /// The key: its fingerprint, the name you gave it, its line in quotes, or its file
    #[arg(value_name = "SHA256:…|NAME|PUBKEY", value_parser = signer_parser())]
    pub(crate) signer: SignerSelector,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The old key must be trusted, and counts until you remove it.
#[derive(Args)]
pub(crate) struct SuccessorArguments {
    /// The proof that `mere keys rotate` printed for the key's owner
    #[arg(value_parser = file_parser())]
    pub(crate) file: PersonFile,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

fn public_key_parser() -> impl TypedValueParser<Value = SignerKey> {
    OsStringValueParser::new().try_map(|text| {
        let line = parse_key_line(&text).transpose()?;
        Ok::<_, KeyArgumentError>(
            line.map_or_else(|| SignerKey::File(text.into()), SignerKey::Line),
        )
    })
}

fn signer_parser() -> impl TypedValueParser<Value = SignerSelector> {
    OsStringValueParser::new().try_map(|text| match parse_key_line(&text).transpose()? {
        Some(key) => Ok(SignerSelector::Line(key)),
        None => parse_key(text).map(SignerSelector::from).map_err(KeyArgumentError::from),
    })
}

/// Parses the line of a public key. Returns `None` for a text that does not start like one.
fn parse_key_line(text: &OsString) -> Option<Result<PublicKey, KeyArgumentError>> {
    let text = text.to_str().filter(|text| text.starts_with("ssh-") && text.contains(' '))?;
    Some(text.parse().map_err(KeyArgumentError::from))
}

/// Why a key argument is invalid.
#[derive(Debug, thiserror::Error)]
enum KeyArgumentError {
    #[error(transparent)]
    Key(#[from] mere_core::trust::KeyError),
    #[error(transparent)]
    Fingerprint(#[from] mere_core::trust::FingerprintError),
}
