//! The arguments of `mere review`.
//!
//! Without any, each proposal is shown and asked about.

use clap::Args;
use mere_core::digest::Sha256;

use super::AnswerArguments;

/// Review what agents and tools propose, and what somebody signed whose key does not count here, as
/// a difference from what was signed last: shows each change and asks.
#[derive(Args)]
#[command(after_help = "Examples:
  mere review                        one after the other
  mere review --list
  mere review --show NAME
  mere review --accept NAME          accepts the proposal as it is now, without asking
  mere review --accept NAME --digest SHA256
  mere review --reject NAME")]
pub(crate) struct ReviewArguments {
    /// List everything without asking
    #[arg(long)]
    pub(crate) list: bool,
    /// Show one proposal
    #[arg(long, value_name = "NAME", conflicts_with = "list")]
    pub(crate) show: Option<String>,
    /// Accept a proposal
    #[arg(long, value_name = "NAME", conflicts_with_all = ["list", "show"])]
    pub(crate) accept: Option<String>,
    /// With --accept: only if it is still what --show printed this digest for
    #[arg(long, value_name = "SHA256", requires = "accept")]
    pub(crate) digest: Option<Sha256>,
    /// Reject a proposal
    #[arg(long, value_name = "NAME", conflicts_with_all = ["list", "show", "accept"])]
    pub(crate) reject: Option<String>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}
