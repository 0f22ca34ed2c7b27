//! The arguments of `mere team`, `join` and `leave`.
//!
//! A text that starts like a public key must be a valid one, and is never taken for a file name.

use std::ffi::OsString;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand};
use mere_core::item::Category;
use mere_core::request::{NewMember, NewTeam, SignerKey, SignerName, TeamRole};
use mere_core::trust::{Date, Fingerprint, KeyError};

use super::AnswerArguments;
use super::items::TypeArgument;

/// The members of a team sign items, and its admins decide who the members are.
///
/// The team is defined in .ai/signers.json, which is committed; it counts for whoever runs `mere
/// join`.
#[derive(Args)]
#[command(after_help = "Examples:
  mere team init --name Ada             a team, with you as its admin and first member
  mere team add Ben ben.pub             add Ben as a member
  mere team add CI ci.pub --types lockfile --not-after 2027-01-31
  mere team remove Ben                  shows what only Ben signed
  mere team show")]
pub(crate) struct TeamArguments {
    #[command(subcommand)]
    pub(crate) what: TeamCommandArguments,
}

#[derive(Subcommand)]
pub(crate) enum TeamCommandArguments {
    /// Create a team
    Init(InitTeamArguments),
    /// Add a member, whose signatures then count
    Add(Box<AddMemberArguments>),
    /// Remove a member, whose signatures then no longer count
    Remove(RemoveMemberArguments),
    /// Set how many admins must sign each change
    Threshold {
        /// The number of admins
        #[arg(value_parser = clap::value_parser!(u16).range(1..=16))]
        admins: u16,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Set which types must be signed
    Require {
        /// The types, such as directive,tool,lockfile
        #[arg(value_name = "TYPES", value_delimiter = ',', required = true)]
        types: Vec<TypeArgument>,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Sign the change that another admin made
    Sign(TeamSignArguments),
    /// Put a member's new key in the place of the old one, by the proof of `mere keys rotate`
    ///
    /// The old key stays in the team under another name, so that what it signed still counts, until
    /// you remove it. If you rotated your own key, run this where both keys are.
    #[command(after_help = "Examples:
  mere keys rotate --out rotation.json     by the member
  mere team rotate rotation.json           by an admin
  mere team remove Ada-old                 later; shows what only the old key signed")]
    Rotate {
        /// The file that `mere keys rotate` wrote
        #[arg(value_name = "FILE")]
        proof: OsString,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Restore the roster you saw last, if the space has an older one
    Restore(AnswerArguments),
    /// Show who is in the team, and whether it counts for you
    Show(AnswerArguments),
}

#[derive(Args)]
pub(crate) struct InitTeamArguments {
    /// Your name in the team
    #[arg(long)]
    name: Option<SignerName>,
    /// How many admins must sign each change
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=16))]
    threshold: u16,
    /// The public key of another admin; may be repeated
    #[arg(long, value_name = "PUBKEY_FILE|'ssh-ed25519 …'", value_parser = public_key_parser())]
    admin: Vec<SignerKey>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl InitTeamArguments {
    pub(crate) fn to_team(&self) -> NewTeam {
        let (name, admins) = (self.name.clone(), self.admin.clone());
        NewTeam { name, threshold: self.threshold.into(), admins }
    }
}

#[derive(Args)]
pub(crate) struct AddMemberArguments {
    /// The member's name in the team
    name: SignerName,
    /// The member's public key: a file, or the key's line in quotes
    #[arg(value_name = "PUBKEY_FILE|'ssh-ed25519 …'", value_parser = public_key_parser())]
    key: SignerKey,
    /// Limit the member to these types, such as tool,lockfile
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    types: Vec<TypeArgument>,
    /// Limit the member to these categories and those below them
    #[arg(long, value_name = "CATEGORIES", value_delimiter = ',')]
    categories: Vec<Category>,
    /// The last day on which the member's signatures count
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    not_after: Option<Date>,
    /// Let the member change the team as well
    #[arg(long)]
    admin: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl AddMemberArguments {
    pub(crate) fn to_member(&self) -> NewMember {
        NewMember {
            name: self.name.clone(),
            key: self.key.clone(),
            types: self.types.iter().map(|one| one.kind).collect(),
            categories: self.categories.clone(),
            not_after: self.not_after,
            role: if self.admin { TeamRole::Admin } else { TeamRole::Member },
        }
    }
}

/// Lists the items that nobody else has signed, and asks whether you countersign them.
#[derive(Args)]
pub(crate) struct RemoveMemberArguments {
    /// The member's name or fingerprint, as `mere team show` prints it
    #[arg(value_name = "NAME|SHA256:…")]
    pub(crate) member: String,
    /// Countersign the member's items without asking
    #[arg(long)]
    pub(crate) countersign: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Shows what the change does, and asks.
#[derive(Args)]
pub(crate) struct TeamSignArguments {
    /// Answer yes to all questions
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// Shows the admins and the members, and asks. Later changes count automatically if the admins you
/// accepted sign them.
#[derive(Args)]
#[command(after_help = "Examples:
  mere join                     compare the admins' fingerprints and say yes
  mere join --admin SHA256:…    join if this admin signed it, without a question")]
pub(crate) struct JoinArguments {
    /// An admin that you know; joins without asking if that admin signed; may be repeated
    #[arg(long, value_name = "SHA256:…")]
    pub(crate) admin: Vec<Fingerprint>,
    /// Answer yes to all questions
    #[arg(long, short, conflicts_with = "admin")]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// After that, only keys that you trust yourself count.
#[derive(Args)]
pub(crate) struct LeaveArguments {
    /// Answer yes to all questions
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

fn parse_day(text: &str) -> Result<Date, &'static str> {
    text.parse().map_err(|_| "expected a day such as 2027-01-31")
}

/// Parses a public key. A text that starts like a key's line must be one; any other is a file.
fn public_key_parser() -> impl TypedValueParser<Value = SignerKey> {
    OsStringValueParser::new().try_map(|text| {
        let line = text.to_str().filter(|text| text.starts_with("ssh-") && text.contains(' '));
        let line = line.map(str::parse).transpose()?;
        Ok::<_, KeyError>(line.map_or_else(|| SignerKey::File(text.into()), SignerKey::Line))
    })
}
