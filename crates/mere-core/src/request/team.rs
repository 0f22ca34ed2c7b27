//! What a person does with the team of a space: no agent can ask for any of it.

use jiff::civil::Date;

use super::{ShownItem, SignerKey, SignerName};
use crate::digest::Sha256;
use crate::item::{Category, ItemType};
use crate::trust::Fingerprint;

/// One thing a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamCommand {
    /// Make a team.
    Init(NewTeam),
    /// Let somebody's items count.
    Add(Box<NewMember>),
    /// Which items would lose their last signature that counts without this member?
    PreviewRemoval {
        /// Who, by name or fingerprint.
        member: String,
    },
    /// Let somebody's items count no more.
    Remove {
        /// Who, by name or fingerprint.
        member: String,
        /// Items of theirs that the person vouches for from now on, each as it was shown.
        countersign: Vec<ShownItem>,
    },
    /// Let so many admins sign each change.
    Threshold(usize),
    /// Let items of these types be used only if they are signed.
    Require(Vec<ItemType>),
    /// Sign the change that lies in the space.
    Sign {
        /// The digest that came with what was shown; none only shows it.
        shown_digest: Option<Sha256>,
    },
    /// Put the roster that was seen last back into the space.
    Restore,
    /// Who is in the team?
    Show,
}

/// A team that is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTeam {
    /// What it calls the person who makes it.
    pub name: Option<SignerName>,
    /// How many admins must sign.
    pub threshold: usize,
    /// Admins besides the person who makes it.
    pub admins: Vec<SignerKey>,
}

/// A member that is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMember {
    /// What the team calls them.
    pub name: SignerName,
    /// Their key.
    pub key: SignerKey,
    /// Only for these types; empty for all.
    pub types: Vec<ItemType>,
    /// Only in these categories and below; empty for all.
    pub categories: Vec<Category>,
    /// Until the end of this day.
    pub not_after: Option<Date>,
    /// What they may do.
    pub role: TeamRole,
}

/// What somebody in a team may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamRole {
    /// Their items count.
    Member,
    /// They change the team, too.
    Admin,
}

/// A person and the team of a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinCommand {
    /// Show whose signatures would count.
    Show,
    /// Let the team's signatures count from now on.
    Join {
        /// The digest that came with what was shown.
        shown_digest: Sha256,
        /// How the person said yes.
        consent: JoinConsent,
    },
    /// Forget the team.
    Leave,
}

/// How a person said yes to a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinConsent {
    /// It was shown to them, and they were asked.
    Asked,
    /// They named its admins.
    Admins(Vec<Fingerprint>),
    /// To whatever lies there.
    Unchecked,
}
