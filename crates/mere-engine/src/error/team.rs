//! The sentences for teams that were not created, changed or joined. They are for people.
//!
//! Nothing was changed in any of these cases.

use mere_core::reply::{Content, Draft, Prose, codes};

use crate::trust::TeamRefusal;

/// Answers a refused change to a team.
pub(super) fn team_error_reply(fault: &TeamRefusal) -> Draft {
    match fault {
        TeamRefusal::RosterExists => {
            Draft::invalid(codes::TEAM_EXISTS, "The space already has a team.")
                .hint("`mere team show` shows it, `mere join` joins it.")
        }
        TeamRefusal::UserSpace => {
            Draft::invalid(codes::TEAM_UNFIT, "Your own user space cannot have a team.")
                .hint("Run this in a project.")
        }
        TeamRefusal::NotJoined => {
            Draft::invalid(codes::TEAM_NOT_JOINED, "You have not joined the team of this space.")
                .hint("Join it first with `mere join`; only its admins can change it.")
        }
        TeamRefusal::NotAdmin(key) => {
            let message = prose_mentioning("Your key ", key).and(" is not an admin key.");
            Draft::invalid(codes::TEAM_NOT_ADMIN, message).hint(
                "`mere team show` lists the admins; `mere keys use` switches to another key of \
                 yours. If you rotated your key, `mere team rotate` with its proof comes first.",
            )
        }
        TeamRefusal::KeyNeeded(key) => {
            let message = prose_mentioning("The team cannot be changed without the key ", key)
                .and(", which is not on this machine: nobody would accept the change.");
            Draft::invalid(codes::TEAM_UNFIT, message).hint(
                "Nothing was changed. Run this where both keys are, or let that admin first add \
                 another one with `mere team add --admin`.",
            )
        }
        other => member_error_reply(other),
    }
}

/// Answers when a member exists already, or does not exist.
fn member_error_reply(fault: &TeamRefusal) -> Draft {
    match fault {
        TeamRefusal::NameTaken(name) => {
            let message = prose_mentioning("The team already has a member called ", name).and(".");
            Draft::invalid(codes::TEAM_TAKEN, message)
                .hint("Choose another name. To replace a member's key, remove the member first.")
        }
        TeamRefusal::KeyTaken(name) => {
            let message = prose_mentioning("The key is already in the team, as ", name).and(".");
            Draft::invalid(codes::TEAM_TAKEN, message)
                .hint("To change its limits, remove the member and add them again.")
        }
        TeamRefusal::NoMember(name) => {
            let message = prose_mentioning("Nobody in the team is called ", name).and(".");
            Draft::invalid(codes::TEAM_NO_MEMBER, message)
                .hint("`mere team show` lists the members; a fingerprint works too.")
        }
        other => invalid_team_reply(other),
    }
}

/// Answers when the changed team would not be valid.
fn invalid_team_reply(fault: &TeamRefusal) -> Draft {
    match fault {
        TeamRefusal::LastAdmin => {
            Draft::invalid(codes::TEAM_UNFIT, "The last admin of a team cannot be removed.")
                .hint("First add another one with `mere team add NAME KEY --admin`.")
        }
        TeamRefusal::ThresholdTooHigh { admins, threshold } => {
            let words = if *admins == 1 { "1 admin" } else { &format!("{admins} admins") };
            let needed = match threshold {
                1 => "1 signature that is".to_owned(),
                _ => format!("{threshold} signatures that are"),
            };
            let message = format!("{words} cannot provide the {needed} required.");
            Draft::invalid(codes::TEAM_UNFIT, Prose::words(message))
                .hint("Lower the threshold with `mere team threshold N`, or add admins first.")
        }
        TeamRefusal::InvalidRoster(why) => Draft::invalid(
            codes::TEAM_UNFIT,
            Prose::words(format!("The team would not be valid: {why}.")),
        )
        .hint("Nothing was changed."),
        other => changed_team_reply(other),
    }
}

/// Answers when the team is not the one that was looked at, or needs nothing more.
fn changed_team_reply(fault: &TeamRefusal) -> Draft {
    match fault {
        TeamRefusal::AlreadyInForce => {
            Draft::invalid(codes::TEAM_SETTLED, "The team's roster needs no more signatures.")
                .hint("It is the roster you trust already.")
        }
        TeamRefusal::AlreadySigned(key) => {
            let message =
                prose_mentioning("Your key ", key).and(" has already signed the team's roster.");
            Draft::invalid(codes::TEAM_SETTLED, message)
                .hint("Ask another admin to run `mere team sign`.")
        }
        TeamRefusal::AdminsReplaced => Draft::invalid(
            codes::JOIN_UNASKED,
            "The team's admins have changed, and not enough of the admins you know have signed the \
             change.",
        )
        .hint(
            "Check the new admins with somebody you trust; then run `mere join` at a terminal, or \
             name them with `--admin`.",
        ),
        TeamRefusal::KeyNotAccepted => Draft::invalid(
            codes::TEAM_UNCOUNTED,
            "Your key is not trusted for this item, so your signature would have no effect.",
        )
        .hint("Ask a member whose key is trusted for it to run `mere sign`."),
        TeamRefusal::ItemNotVerified => Draft::invalid(
            codes::TEAM_UNCOUNTED,
            "The item's signature does not verify, so it is not signed automatically.",
        )
        .hint("Read it; then `mere sign` makes you its author."),
        _ => Draft::invalid(
            codes::TEAM_OTHER,
            "The team's roster is not the one that was shown. Nothing was changed.",
        )
        .hint("Look at it again."),
    }
}

fn prose_mentioning(before: &'static str, what: &impl ToString) -> Prose {
    Prose::words(before).content(Content::mention(what.to_string()))
}
