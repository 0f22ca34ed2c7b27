//! The commands about the team of a space: no agent can ask for any of them.

use jiff::civil::Date;

use super::{PersonFile, ShownItem, SignerKey, SignerName};
use crate::digest::Sha256;
use crate::item::{Category, ItemType};
use crate::trust::Fingerprint;

/// One command about the team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TeamCommand {
    /// Creates a team.
    Init(NewTeam),
    /// Adds a member, whose items count from now on.
    Add(Box<NewMember>),
    /// Lists the items that would lose their last counting signature without this member.
    PreviewRemoval {
        /// The member, by name or fingerprint.
        member: String,
    },
    /// Removes a member, whose items no longer count.
    Remove {
        /// The member, by name or fingerprint.
        member: String,
        /// Items of theirs that the person countersigns, each as it was shown.
        countersign: Vec<ShownItem>,
    },
    /// Sets the number of admins who must sign each change.
    Threshold(usize),
    /// Requires a signature for items of these types.
    Require(Vec<ItemType>),
    /// Signs the change that is pending in the space.
    Sign {
        /// The digest of what was shown; `None` only shows the change.
        shown_digest: Option<Sha256>,
    },
    /// Replaces a member's key.
    Rotate {
        /// The proof that both keys signed.
        proof: PersonFile,
    },
    /// Puts the last seen roster back into the space.
    Restore,
    /// Shows the members of the team.
    Show,
}

/// A team to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTeam {
    /// The name of the person who creates it.
    pub name: Option<SignerName>,
    /// The number of admins who must sign.
    pub threshold: usize,
    /// The other admins.
    pub admins: Vec<SignerKey>,
}

/// A member to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMember {
    /// The name of the member.
    pub name: SignerName,
    /// The member's key.
    pub key: SignerKey,
    /// The only types that their signatures count for; empty for all.
    pub types: Vec<ItemType>,
    /// The only categories, with those below, that their signatures count for; empty for all.
    pub categories: Vec<Category>,
    /// The last day on which their signatures count.
    pub not_after: Option<Date>,
    /// The role of the member.
    pub role: TeamRole,
}

/// The role of a person in a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamRole {
    /// Their items count.
    Member,
    /// They can also change the team.
    Admin,
}

/// A command to join the team of a space, or to leave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinCommand {
    /// Shows whose signatures would count.
    Show,
    /// Joins, so that the team's signatures count from now on.
    Join {
        /// The digest of what was shown.
        shown_digest: Sha256,
        /// The way in which the person agreed.
        consent: JoinConsent,
    },
    /// Leaves the team.
    Leave,
}

/// The way in which a person agreed to a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JoinConsent {
    /// They were shown the team and asked.
    Asked,
    /// They named the team's admins.
    Admins(Vec<Fingerprint>),
    /// They accepted whatever roster is there.
    Unchecked,
}
