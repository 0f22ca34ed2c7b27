//! The arguments of `mere witness`.

use std::ffi::OsString;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand};
use mere_core::log::{NoteKeyName, VerifierKey};
use mere_registry::KeyFile;

/// A witness co-signs the checkpoints of a registry's log, as long as each continues all that came
/// before. With enough witnesses, nobody can be shown a history of their own.
#[derive(Args)]
#[command(after_help = "Examples:
  mere witness serve --key-file witness.key --origin 'merestone-registry/…+…+…'
  mere registry serve --witness 'http://127.0.0.1:7422=NAME+ID+KEY'")]
pub(crate) struct WitnessArguments {
    #[command(subcommand)]
    pub(crate) what: WitnessCommand,
}

#[derive(Subcommand)]
pub(crate) enum WitnessCommand {
    /// Co-sign checkpoints over HTTP
    Serve(WitnessServeArguments),
}

/// Prints the URL and the key of the witness, which clients name in `registry.witnesses`.
#[derive(Args)]
#[command(after_help = "Example:
  mere witness serve --key-file witness.key --origin 'merestone-registry/…+…+…'")]
pub(crate) struct WitnessServeArguments {
    /// The address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7422")]
    pub(crate) listen: String,
    /// A name by which logs reach the witness, besides its address; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Vec<String>,
    /// Its private key, created if it is missing; what it has co-signed is kept beside it
    #[arg(long, value_name = "FILE", value_parser = key_file_parser())]
    pub(crate) key_file: KeyFile,
    /// The name of its key [default: made of the key]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<NoteKeyName>,
    /// The key of a log that it co-signs, as `/api/v1/registry` shows it; may be repeated
    #[arg(long, value_name = "KEY", required = true)]
    pub(crate) origin: Vec<VerifierKey>,
    /// Log from this level up
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(crate) log: tracing::Level,
}

fn key_file_parser() -> impl TypedValueParser<Value = KeyFile> {
    OsStringValueParser::new().map(|path: OsString| KeyFile::from(path))
}
