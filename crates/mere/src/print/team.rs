//! How a team looks to a person: its admins, its members, and what changes.
//!
//! The fingerprints are printed whole, because people compare them.

use serde_json::Value;

use super::Printer;
use super::items::{BAD, FAINT, GOOD, STRONG, as_list, as_text, push_line};

impl Printer {
    /// Formats a roster, and what it changes in the one that counts.
    pub(crate) fn team(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let mut out = self.outcome(reply);
        if data["serial"].is_null() {
            return out;
        }
        let space = [as_text(&data["space"]), as_text(&data["space_id"])].join(" ");
        push_line(&mut out, format_args!("\nspace      {}", self.escape_controls(space.trim())));
        push_line(&mut out, format_args!("serial     {}", data["serial"]));
        let required = join_texts(&data["require_signed"]);
        push_line(&mut out, format_args!("required   {}", self.escape_controls(&required)));
        out += &self.admins(data);
        out += &self.members(data);
        let changes = as_list(&data["changes"]).collect::<Vec<_>>();
        if !changes.is_empty() {
            push_line(&mut out, format_args!("\n{}", self.paint("What changes", STRONG)));
        }
        for change in changes {
            push_line(&mut out, format_args!("  {}", self.escape_controls(as_text(change))));
        }
        if let Some(trouble) = data["trouble"].as_str() {
            let trouble = self.paint(&self.escape_controls(trouble), BAD);
            push_line(
                &mut out,
                format_args!("\n{trouble}.\n  {}", self.escape_controls(as_text(&data["fix"]))),
            );
        }
        out + "\n"
    }

    /// Formats what happened to a team.
    pub(crate) fn team_change(&self, reply: &Value) -> String {
        let mut out = self.outcome(reply);
        for item in as_list(&reply["data"]["countersigned"]) {
            let mark = self.paint("countersigned", GOOD);
            push_line(&mut out, format_args!("  {mark} {}", self.escape_controls(as_text(item))));
        }
        for item in as_list(&reply["data"]["left"]) {
            let mark = self.paint("not countersigned:", BAD);
            let words = [&item["address"], &item["why"]].map(as_text).join(" ");
            push_line(&mut out, format_args!("  {mark} {}", self.escape_controls(&words)));
        }
        out
    }

    fn admins(&self, data: &Value) -> String {
        let count = as_list(&data["admins"]).count();
        let need = match (data["threshold"].as_u64(), count) {
            (Some(1), 1) => String::new(),
            (Some(1), _) => ": any one of them can change the team".to_owned(),
            (threshold, _) => format!(": {} of them must sign each change", threshold.unwrap_or(0)),
        };
        let mut out = format!("\n{}{need}\n", self.paint("Admins", STRONG));
        for admin in as_list(&data["admins"]) {
            let name = self.escape_controls(as_text(&admin["name"]));
            let signed = match admin["signed"].as_bool() {
                Some(true) => self.paint(" signed", GOOD),
                Some(false) => self.paint(" not signed", FAINT),
                None => String::new(),
            };
            let key = self.escape_controls(as_text(&admin["key"]));
            let you = if admin["you"] == true { " (you)" } else { "" };
            let name = if name.is_empty() { name } else { format!(" {name}") };
            push_line(&mut out, format_args!("{key}{name}{you}{signed}"));
        }
        out
    }

    fn members(&self, data: &Value) -> String {
        let rows = as_list(&data["members"]).map(|member| {
            let you = if member["you"] == true { "you" } else { "" };
            let key = as_text(&member["key"]).to_owned();
            let said = [you.to_owned(), limits(member)].into_iter().filter(|one| !one.is_empty());
            [as_text(&member["name"]).to_owned(), key, said.collect::<Vec<_>>().join(", ")]
        });
        let head = format!("\n{}\n", self.paint("Members", STRONG));
        head + &self.table(["NAME", "KEY", "LIMITS"], rows.collect())
    }
}

/// Describes a member's limits; empty if there are none.
fn limits(member: &Value) -> String {
    let mut said = Vec::new();
    if member["types"].is_array() {
        said.push(join_texts(&member["types"]));
    }
    if member["categories"].is_array() {
        said.push(format!("in {}", join_texts(&member["categories"])));
    }
    if let Some(last) = member["not_after"].as_str() {
        said.push(format!("until {last}"));
    }
    said.join(", ")
}

fn join_texts(texts: &Value) -> String {
    as_list(texts).map(as_text).collect::<Vec<_>>().join(", ")
}
