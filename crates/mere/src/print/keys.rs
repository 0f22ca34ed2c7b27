//! How keys look to a person: a table, a single line for a program, and a proof as it is.
//!
//! Public keys and proofs are printed without decoration, so that they can be redirected to a file.

use serde_json::Value;

use super::Printer;
use super::items::{as_list, as_text, push_line};

/// What a key without limits counts for.
const EVERYTHING: &str = "everything";

impl Printer {
    /// Formats the user's keys and those that ssh-agent offers.
    pub(crate) fn keys(&self, reply: &Value) -> String {
        let data = &reply["data"];
        let rows = as_list(&data["keys"]).map(|key| {
            let mark = if key["current"] == true { "→" } else { "" };
            let place = match as_text(&key["file"]) {
                "" => as_text(&key["where"]).to_owned(),
                file => file.to_owned(),
            };
            [mark.to_owned(), as_text(&key["key"]).to_owned(), state(key), place]
        });
        let mut out = self.table(["", "KEY", "STATE", "WHERE"], rows.collect());
        if let Some(problem) = data["problem"].as_str() {
            push_line(&mut out, format_args!("{}", self.escape_controls(problem)));
        }
        out
    }

    /// Formats the line of a public key, and nothing else.
    #[expect(clippy::unused_self, reason = "every answer is printed by a method of the printer")]
    pub(crate) fn public_key(&self, reply: &Value) -> String {
        format!("{}\n", as_text(&reply["data"]["public"]))
    }

    /// Formats what happened to one key.
    pub(crate) fn own_key(&self, reply: &Value) -> String {
        let mut out = self.outcome(reply);
        if let Some(file) = reply["data"]["file"].as_str() {
            push_line(&mut out, format_args!("  {}", self.escape_controls(file)));
        }
        out
    }

    /// Formats the proof of a rotation, or says which file holds it.
    pub(crate) fn rotation(&self, reply: &Value) -> String {
        if let Some(proof) = reply["data"]["rotation"].as_str() {
            return proof.to_owned();
        }
        let mut out = self.outcome(reply);
        let proof = self.escape_controls(as_text(&reply["data"]["proof"]));
        push_line(&mut out, format_args!("The proof is in {proof}."));
        out
    }

    /// Formats the keys of other people.
    pub(crate) fn signers(&self, reply: &Value) -> String {
        let rows = as_list(&reply["data"]["keys"]).map(|key| {
            let key_name = as_text(&key["key"]).to_owned();
            let counts = if key["revoked"] == true { "REVOKED".to_owned() } else { limits(key) };
            [key_name, as_text(&key["name"]).to_owned(), counts]
        });
        self.table(["KEY", "NAME", "TRUSTED FOR"], rows.collect())
    }

    /// Formats what another person's key counts for from now on.
    pub(crate) fn signer(&self, reply: &Value) -> String {
        let mut out = self.outcome(reply);
        let limits = limits(&reply["data"]);
        if limits != EVERYTHING {
            push_line(&mut out, format_args!("  {}", self.escape_controls(&limits)));
        }
        out
    }
}

/// Describes what a key counts for.
fn limits(key: &Value) -> String {
    let words = [("scopes", "scope"), ("types", "type"), ("categories", "category")];
    let words = words.into_iter().filter_map(|(field, word)| {
        let said = as_list(&key[field]).map(as_text).collect::<Vec<_>>();
        (!said.is_empty()).then(|| format!("{word} {}", said.join(", ")))
    });
    let words = words.collect::<Vec<_>>();
    if words.is_empty() { EVERYTHING.to_owned() } else { words.join("; ") }
}

/// Describes the state of a key in a few words.
fn state(key: &Value) -> String {
    if let Some(problem) = key["problem"].as_str() {
        return problem.to_owned();
    }
    let words = [
        (key["own"] == false, "not yours yet; `mere keys use` adds it"),
        (key["locked"] == true, "passphrase"),
        (key["locked"] == false, "no passphrase"),
        (key["own"] == true && key["in_agent"] == true, "in ssh-agent"),
    ];
    let words = words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word);
    words.collect::<Vec<_>>().join(", ")
}
