//! The arguments of `mere git`.

use std::ffi::OsString;

use clap::{Args, Subcommand};
use mere_engine::{MergeVersions, TypedPath};

use super::{AnswerArguments, typed_parser};

/// A merge or a rebase then leaves an item that both sides changed to be signed once, at its end.
#[derive(Args)]
#[command(after_help = "Example:
  mere git setup")]
pub(crate) struct GitArguments {
    #[command(subcommand)]
    pub(crate) what: GitCommandArguments,
}

#[derive(Subcommand)]
pub(crate) enum GitCommandArguments {
    /// Let git merge signatures, lockfiles and memories with `mere`, in this clone
    ///
    /// Adds lines to .gitattributes, which is committed, and a merge driver to the configuration of
    /// this clone. `mere init --git-hook` does it too.
    #[command(after_help = "Examples:
  mere git setup

Then commit the file .gitattributes, so that everybody has the lines.")]
    Setup(AnswerArguments),
    /// Merge three versions of a file; git runs this
    #[command(
        hide = true,
        disable_help_flag = true,
        after_help = "Example:
  mere git merge-file base.sig ours.sig theirs.sig 7 .ai/knowledge/ops/retry.md.sig"
    )]
    MergeFile(MergeFileArguments),
}

#[derive(Args)]
pub(crate) struct MergeFileArguments {
    /// The version that both sides come from
    #[arg(value_parser = typed_parser())]
    base: TypedPath,
    /// Our version, which the result replaces
    #[arg(value_parser = typed_parser())]
    ours: TypedPath,
    /// Their version
    #[arg(value_parser = typed_parser())]
    theirs: TypedPath,
    /// The length of conflict markers
    pub(crate) marker_length: u8,
    /// The path of the file in the repository
    #[arg(allow_hyphen_values = true)]
    path: OsString,
}

impl MergeFileArguments {
    /// Returns the three versions.
    pub(crate) fn versions(&self) -> MergeVersions {
        let Self { base, ours, theirs, .. } = self;
        MergeVersions { base: base.clone(), ours: ours.clone(), theirs: theirs.clone() }
    }

    /// Returns the path of the file in the repository, for the person and to tell its kind.
    pub(crate) fn path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }
}
