//! The sentences for teams that were not created, changed or joined. They are for people.
//!
//! Nothing was changed in any of these cases.

use mere_core::reply::{Content, Draft, Prose, codes};

use crate::commands::TeamRefusal;

/// Answers a refused change to a team.
pub(super) fn team_error_reply(fault: &TeamRefusal) -> Draft {
    match fault {
        TeamRefusal::RosterExists => {
            Draft::invalid(codes::TEAM_EXISTS, "The space has a team already.")
                .hint("`mere team show` shows it, `mere join` joins it.")
        }
        TeamRefusal::UserSpace => Draft::invalid(codes::TEAM_UNFIT, "Your own space has no team.")
            .hint("Run it in a project."),
        TeamRefusal::NotJoined => {
            Draft::invalid(codes::TEAM_NOT_JOINED, "You have not joined the team of this space.")
                .hint("`mere join` shows it first; then it can be changed by its admins.")
        }
        TeamRefusal::NotAdmin(key) => {
            let message = prose_mentioning("Your key ", key).and(" is not an admin's.");
            Draft::invalid(codes::TEAM_NOT_ADMIN, message).hint(
                "`mere team show` names the admins; `mere keys use` chooses another key of yours.",
            )
        }
        other => member_error_reply(other),
    }
}

/// Answers when a member exists already, or does not exist.
fn member_error_reply(fault: &TeamRefusal) -> Draft {
    match fault {
        TeamRefusal::NameTaken(name) => {
            let message =
                prose_mentioning("Somebody in the team is called ", name).and(" already.");
            Draft::invalid(codes::TEAM_TAKEN, message)
                .hint("Choose another name; for another key of theirs, remove the old one first.")
        }
        TeamRefusal::KeyTaken(name) => {
            let message = prose_mentioning("The key is in the team already, as ", name).and(".");
            Draft::invalid(codes::TEAM_TAKEN, message)
                .hint("To change its limits, remove the member and add them again.")
        }
        TeamRefusal::NoMember(name) => {
            let message = prose_mentioning("Nobody in the team is called ", name).and(".");
            Draft::invalid(codes::TEAM_NO_MEMBER, message)
                .hint("`mere team show` names everybody; a fingerprint does, too.")
        }
        other => invalid_team_reply(other),
    }
}

/// Answers when the changed team would not be valid.
fn invalid_team_reply(fault: &TeamRefusal) -> Draft {
    match fault {
        TeamRefusal::LastAdmin => {
            Draft::invalid(codes::TEAM_UNFIT, "A team cannot be without its last admin.")
                .hint("Add another one first, with `mere team add NAME KEY --admin`.")
        }
        TeamRefusal::ThresholdTooHigh { admins, threshold } => {
            let words = if *admins == 1 { "1 admin" } else { &format!("{admins} admins") };
            let message =
                format!("{words} cannot give the {threshold} signatures that are needed.");
            Draft::invalid(codes::TEAM_UNFIT, Prose::words(message))
                .hint("Lower the threshold with `mere team threshold N`, or add admins first.")
        }
        TeamRefusal::InvalidRoster(why) => {
            Draft::invalid(codes::TEAM_UNFIT, Prose::words(format!("That cannot be: {why}.")))
                .hint("Nothing was changed.")
        }
        other => changed_team_reply(other),
    }
}

/// Answers when the team is not the one that was looked at, or needs nothing more.
fn changed_team_reply(fault: &TeamRefusal) -> Draft {
    match fault {
        TeamRefusal::AlreadyInForce => {
            Draft::invalid(codes::TEAM_SETTLED, "The team's roster needs no more signatures.")
                .hint("It is the one that counts for you.")
        }
        TeamRefusal::AlreadySigned(key) => {
            let message =
                prose_mentioning("Your key ", key).and(" has signed the team's roster already.");
            Draft::invalid(codes::TEAM_SETTLED, message)
                .hint("Another admin runs `mere team sign`.")
        }
        TeamRefusal::AdminsReplaced => Draft::invalid(
            codes::JOIN_UNASKED,
            "The team's admins have changed, and not enough of those you know signed that.",
        )
        .hint(
            "Compare the new ones with somebody you trust; then run `mere join` at a terminal, or \
             name them with `--admin`.",
        ),
        TeamRefusal::KeyNotAccepted => Draft::invalid(
            codes::TEAM_UNCOUNTED,
            "Your key does not count for this item, so your signature would not help.",
        )
        .hint("A member whose key does signs it with `mere sign`."),
        TeamRefusal::ItemNotVerified => Draft::invalid(
            codes::TEAM_UNCOUNTED,
            "The item does not verify, so nobody signs it by the way.",
        )
        .hint("Read it; `mere sign` then makes you its author."),
        _ => Draft::invalid(
            codes::TEAM_OTHER,
            "The team's roster is not the one that was looked at. Nothing was changed.",
        )
        .hint("Look at it again."),
    }
}

fn prose_mentioning(before: &'static str, what: &impl ToString) -> Prose {
    Prose::words(before).content(Content::mention(what.to_string()))
}
