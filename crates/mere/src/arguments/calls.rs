//! The arguments of `mere calls`.

use clap::Args;
use mere_core::request::{PersonCommand, Verb};

use super::AnswerArguments;

/// What agents called lately in this project, over MCP, and what each of them was shown. Servers
/// keep this from the first time that you look, here or at the pages of `mere ui`: only the newest
/// calls, without their content. `mere runs` has the record of what was run.
#[derive(Args)]
#[command(after_help = "Examples:
  mere calls               the last calls of agents in this project
  mere calls --limit 100   the last hundred")]
pub(crate) struct CallsArguments {
    /// How many at most
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl CallsArguments {
    pub(crate) fn to_request(&self) -> Verb {
        Verb::Person(PersonCommand::Calls { limit: usize::from(self.limit) })
    }
}
