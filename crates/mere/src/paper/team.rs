//! How a team looks to a person: whose word counts, and who signs.

use serde_json::Value;

use super::Paper;
use super::items::{BAD, FAINT, GOOD, STRONG, line, list, text};

impl Paper {
    /// A roster, and what it changes in the one that counts.
    pub(crate) fn team(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let mut out = self.outcome(reply);
        if data["serial"].is_null() {
            return out;
        }
        let space = [text(&data["space"]), text(&data["space_id"])].join(" ");
        line(&mut out, format_args!("\nspace      {}", self.plain(space.trim())));
        line(&mut out, format_args!("serial     {}", data["serial"]));
        let required = words(&data["require_signed"]);
        line(&mut out, format_args!("required   {}", self.plain(&required)));
        out += &self.admins(data);
        out += &self.members(data);
        let changes = list(&data["changes"]).collect::<Vec<_>>();
        if !changes.is_empty() {
            line(&mut out, format_args!("\n{}", self.painted("What changes", STRONG)));
        }
        for change in changes {
            line(&mut out, format_args!("  {}", self.plain(text(change))));
        }
        if let Some(trouble) = data["trouble"].as_str() {
            let trouble = self.painted(&self.plain(trouble), BAD);
            line(&mut out, format_args!("\n{trouble}.\n  {}", self.plain(text(&data["fix"]))));
        }
        out + "\n"
    }

    /// What became of a team.
    pub(crate) fn team_change(&self, reply: &Value) -> String {
        let mut out = self.outcome(reply);
        for item in list(&reply["data"]["countersigned"]) {
            let mark = self.painted("countersigned", GOOD);
            line(&mut out, format_args!("  {mark} {}", self.plain(text(item))));
        }
        for item in list(&reply["data"]["left"]) {
            let mark = self.painted("not countersigned:", BAD);
            let words = [&item["address"], &item["why"]].map(text).join(" ");
            line(&mut out, format_args!("  {mark} {}", self.plain(&words)));
        }
        out
    }

    fn admins(&self, data: &Value) -> String {
        let count = list(&data["admins"]).count();
        let need = match (data["threshold"].as_u64(), count) {
            (Some(1), 1) => String::new(),
            (Some(1), _) => ": any one of them changes the team".to_owned(),
            (threshold, _) => format!(": {} of them sign each change", threshold.unwrap_or(0)),
        };
        let mut out = format!("\n{}{need}\n", self.painted("Admins", STRONG));
        for admin in list(&data["admins"]) {
            let name = self.plain(text(&admin["name"]));
            let signed = match admin["signed"].as_bool() {
                Some(true) => self.painted(" signed", GOOD),
                Some(false) => self.painted(" not signed", FAINT),
                None => String::new(),
            };
            let key = self.plain(text(&admin["key"]));
            let you = if admin["you"] == true { " (you)" } else { "" };
            let name = if name.is_empty() { name } else { format!(" {name}") };
            line(&mut out, format_args!("{key}{name}{you}{signed}"));
        }
        out
    }

    fn members(&self, data: &Value) -> String {
        let rows = list(&data["members"]).map(|member| {
            let you = if member["you"] == true { "you" } else { "" };
            let key = text(&member["key"]).to_owned();
            let said = [you.to_owned(), limits(member)].into_iter().filter(|one| !one.is_empty());
            [text(&member["name"]).to_owned(), key, said.collect::<Vec<_>>().join(", ")]
        });
        let head = format!("\n{}\n", self.painted("Members", STRONG));
        head + &self.table(["NAME", "KEY", "LIMITS"], rows.collect())
    }
}

/// What a member counts for, if it is not everything.
fn limits(member: &Value) -> String {
    let mut said = Vec::new();
    if member["types"].is_array() {
        said.push(words(&member["types"]));
    }
    if member["categories"].is_array() {
        said.push(format!("in {}", words(&member["categories"])));
    }
    if let Some(last) = member["not_after"].as_str() {
        said.push(format!("until {last}"));
    }
    said.join(", ")
}

fn words(texts: &Value) -> String {
    list(texts).map(text).collect::<Vec<_>>().join(", ")
}
