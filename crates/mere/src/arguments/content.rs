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
    #[arg(long, short, value_name = "FILE|-", value_parser = input())]
    pub(crate) file: Option<Input>,
}

/// What is read.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// Standard input.
    Standard,
    /// A file.
    File(TypedPath),
}

fn input() -> impl TypedValueParser<Value = Input> {
    OsStringValueParser::new().map(|text: OsString| match text.to_str() {
        Some("-") => Input::Standard,
        _ => Input::File(text.into()),
    })
}
