//! How a team looks to a person: its admins, its members, and what changes.
//!
//! The fingerprints are printed whole, because people compare them.

use serde::Deserialize;

use super::Printer;
use super::items::{BAD, FAINT, GOOD, STRONG, push_line};
use super::reply::ReplyView;
use super::signing::UnsignedItem;

/// The data of a reply to `mere team show`.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum ShownTeam {
    Roster(Box<Roster>),
    /// The space has no team.
    None(NoFields),
}

/// Data without fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoFields {}

/// A roster, and what it changes in the one that counts.
#[derive(Deserialize)]
pub(crate) struct Roster {
    /// The name of the space, if it has one.
    space: Option<String>,
    space_id: String,
    serial: u64,
    threshold: u64,
    admins: Vec<Admin>,
    members: Vec<Member>,
    require_signed: Vec<String>,
    pub(crate) digest: String,
    #[serde(default)]
    changes: Vec<String>,
    /// Why the roster does not count, and what to do about it.
    trouble: Option<String>,
    fix: Option<String>,
}

/// An admin. Only an admin who is a member has a name, and only a roster with its signatures says
/// who signed it.
#[derive(Deserialize)]
struct Admin {
    key: String,
    name: Option<String>,
    you: bool,
    signed: Option<bool>,
}

/// A member, with their limits.
#[derive(Deserialize)]
struct Member {
    name: String,
    key: String,
    you: bool,
    types: Option<Vec<String>>,
    categories: Option<Vec<String>>,
    not_after: Option<String>,
}

/// The data of a reply to `mere team remove`.
#[derive(Deserialize)]
pub(crate) struct MemberRemoval {
    countersigned: Vec<String>,
    left: Vec<UnsignedItem>,
}

impl Printer {
    /// Formats the team of a space.
    pub(crate) fn team(&self, reply: &ReplyView<ShownTeam>) -> String {
        let sentence = self.sentence(reply);
        match &reply.data {
            ShownTeam::Roster(roster) => sentence + &self.roster(roster),
            ShownTeam::None(NoFields {}) => sentence,
        }
    }

    /// Formats a roster that a person is asked about.
    pub(crate) fn roster_plan(&self, reply: &ReplyView<Roster>) -> String {
        self.sentence(reply) + &self.roster(&reply.data)
    }

    fn roster(&self, roster: &Roster) -> String {
        let mut out = String::new();
        let space = [roster.space.as_deref().unwrap_or_default(), &roster.space_id].join(" ");
        push_line(&mut out, format_args!("\nspace      {}", self.escape_controls(space.trim())));
        push_line(&mut out, format_args!("serial     {}", roster.serial));
        let required = roster.require_signed.join(", ");
        push_line(&mut out, format_args!("required   {}", self.escape_controls(&required)));
        out += &self.admins(roster);
        out += &self.members(roster);
        if !roster.changes.is_empty() {
            push_line(&mut out, format_args!("\n{}", self.paint("What changes", STRONG)));
        }
        for change in &roster.changes {
            push_line(&mut out, format_args!("  {}", self.escape_controls(change)));
        }
        if let Some(trouble) = &roster.trouble {
            let trouble = self.paint(&self.escape_controls(trouble), BAD);
            let fix = self.escape_controls(roster.fix.as_deref().unwrap_or_default());
            push_line(&mut out, format_args!("\n{trouble}.\n  {fix}"));
        }
        out + "\n"
    }

    /// Formats what became of a member's items.
    pub(crate) fn member_removal(&self, reply: &ReplyView<MemberRemoval>) -> String {
        let mut out = self.sentence(reply);
        for item in &reply.data.countersigned {
            let mark = self.paint("countersigned", GOOD);
            push_line(&mut out, format_args!("  {mark} {}", self.escape_controls(item)));
        }
        for UnsignedItem { address, why } in &reply.data.left {
            let mark = self.paint("not countersigned:", BAD);
            let words = self.escape_controls(&format!("{address} {why}"));
            push_line(&mut out, format_args!("  {mark} {words}"));
        }
        out
    }

    fn admins(&self, roster: &Roster) -> String {
        let need = match (roster.threshold, roster.admins.len()) {
            (1, 1) => String::new(),
            (1, _) => ": any one of them can change the team".to_owned(),
            (threshold, _) => format!(": {threshold} of them must sign each change"),
        };
        let mut out = format!("\n{}{need}\n", self.paint("Admins", STRONG));
        for admin in &roster.admins {
            let signed = match admin.signed {
                Some(true) => self.paint(" signed", GOOD),
                Some(false) => self.paint(" not signed", FAINT),
                None => String::new(),
            };
            let key = self.escape_controls(&admin.key);
            let you = if admin.you { " (you)" } else { "" };
            let name = admin.name.as_ref().map(|name| format!(" {}", self.escape_controls(name)));
            let name = name.unwrap_or_default();
            push_line(&mut out, format_args!("{key}{name}{you}{signed}"));
        }
        out
    }

    fn members(&self, roster: &Roster) -> String {
        let rows = roster.members.iter().map(|member| {
            let you = member.you.then(|| "you".to_owned());
            let notes = you.into_iter().chain(member.limits()).collect::<Vec<_>>();
            [member.name.clone(), member.key.clone(), notes.join(", ")]
        });
        let head = format!("\n{}\n", self.paint("Members", STRONG));
        head + &self.table(["NAME", "KEY", "LIMITS"], rows.collect())
    }
}

impl Member {
    /// Describes the member's limits; none if there are none.
    fn limits(&self) -> impl Iterator<Item = String> {
        let types = self.types.as_ref().map(|types| types.join(", "));
        let categories = self.categories.as_ref().map(|names| format!("in {}", names.join(", ")));
        let last = self.not_after.as_ref().map(|last| format!("until {last}"));
        [types, categories, last].into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use super::*;
    use serde_json::json;

    #[test]
    fn a_roster_is_told_with_its_changes_and_its_trouble() {
        let data = json!({ "space": "s", "space_id": "id", "serial": 3, "threshold": 2,
            "admins": [{ "key": "k", "name": "n", "you": true, "signed": true },
                       { "key": "l", "you": false, "signed": false }],
            "members": [{ "name": "n", "key": "k", "you": true, "types": ["tool"],
                          "categories": ["c"], "not_after": "2030-01-02" }],
            "require_signed": ["tool", "directive"], "digest": "00", "changes": ["a new admin: l"],
            "trouble": "t", "fix": "f" });
        let expected = "Done.

space      s id
serial     3
required   tool, directive

Admins: 2 of them must sign each change
k n (you) signed
l not signed

Members
n     k    you, tool, in c, until 2030-01-02

What changes
  a new admin: l

t.
  f

";
        assert_eq!(pipe_printer().roster_plan(&success(data.clone())), expected);
        assert_eq!(pipe_printer().team(&success(data)), expected);
    }

    #[test]
    fn a_space_without_a_team_says_so_and_half_a_roster_is_an_error() {
        assert_eq!(pipe_printer().team(&success(json!({}))), "Done.\n");
        let half = json!({ "reply_type": "S", "message": "", "data": { "serial": 3 } });
        assert!(ReplyView::<ShownTeam>::from_value(half).is_err());
    }

    #[test]
    fn items_of_a_removed_member_are_named() {
        let data = json!({ "countersigned": ["a"], "left": [{ "address": "b", "why": "w" }] });
        let expected = "Done.\n  countersigned a\n  not countersigned: b w\n";
        assert_eq!(pipe_printer().member_removal(&success(data)), expected);
    }
}
