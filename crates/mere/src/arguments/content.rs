//! The arguments for the text of a memory: the text itself, or where it is read from.
//!
//! Nothing is read while the command line is parsed; `content.rs` does that.

use std::ffi::OsString;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use mere_engine::TypedPath;

/// A text, or where it is read from.
#[derive(Args)]
pub(crate) struct ContentArguments {
    /// The content, in Markdown
    #[arg(value_name = "TEXT", conflicts_with = "file")]
    pub(crate) text: Option<String>,
    /// Read the content from FILE, or from standard input with `-`
    #[arg(long, short, value_name = "FILE|-", value_parser = content_source_parser())]
    pub(crate) file: Option<ContentSource>,
}

/// Where a text is read from.
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
