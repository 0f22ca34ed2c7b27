//! The arguments of the command that adopts what other programs keep.

use clap::Args;
use mere_engine::TypedPath;

use super::typed_parser;

/// Agent Skills in the project are used where they lie: their folders are added to `folders:` in
/// .ai/config.yaml. Instructions and rules become directives, notes and memories become knowledge
/// entries, in the category `adopted`. A plan is shown first, nothing is overwritten, and what is
/// adopted is unsigned until you sign it.
#[derive(Args)]
#[command(after_help = "Examples:
  mere adopt --dry-run           report on this project and your home folder; needs no space
  mere adopt                     show a plan, ask, and adopt what is in this project
  mere adopt ../shared-skills    copy the skills and notes of a folder
  mere adopt ../skills.tar.gz    the same from an archive: tar, tar.gz or zip
  mere adopt --undo              take it back")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct AdoptArguments {
    /// A folder or an archive (tar, tar.gz, zip) to adopt from [default: the project]
    #[arg(value_name = "FOLDER", value_parser = typed_parser())]
    pub(crate) folder: Option<TypedPath>,
    /// Only report what is there, and change nothing
    #[arg(long, conflicts_with_all = ["undo", "yes"])]
    pub(crate) dry_run: bool,
    /// Take back what was adopted in this project; what was changed since stays
    #[arg(long, conflicts_with_all = ["folder", "yes"])]
    pub(crate) undo: bool,
    /// Do not ask before the plan is carried out
    #[arg(long, short = 'y')]
    pub(crate) yes: bool,
    /// Print the reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
