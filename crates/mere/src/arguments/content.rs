//! Where the text of a memory comes from.

use std::ffi::OsString;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use mere_engine::TypedPath;

/// A text, or where it is read from.
#[derive(Args)]
pub(crate) struct ContentArguments {
    /// What it says, in Markdown
    #[arg(value_name = "TEXT", conflicts_with = "file")]
    pub(crate) text: Option<String>,
    /// Read what it says from FILE, or with `-` from standard input
    #[arg(long, short, value_name = "FILE|-", value_parser = content_source_parser())]
    pub(crate) file: Option<ContentSource>,
}

/// What is read.
#[derive(Clone, Debug)]
pub(crate) enum ContentSource {
    /// Standard input.
    StandardInput,
    /// A file.
    File(TypedPath),
}

fn content_source_parser() -> impl TypedValueParser<Value = ContentSource> {
    OsStringValueParser::new().map(|text: OsString| match text.to_str() {
        Some("-") => ContentSource::StandardInput,
        _ => ContentSource::File(text.into()),
    })
}
