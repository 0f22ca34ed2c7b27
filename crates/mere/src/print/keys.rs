//! How keys look to a person: a table, a single line for a program, and a proof as it is.
//!
//! Public keys and proofs are printed without decoration, so that they can be redirected to a file.

use serde::Deserialize;

use super::Printer;
use super::items::push_line;
use super::reply::{ReplyView, nullable};

/// What a key without limits counts for.
const EVERYTHING: &str = "everything";

/// The data of a reply to `mere keys list`.
#[derive(Deserialize)]
pub(crate) struct KeyList {
    keys: Vec<KeyRow>,
    problem: Option<String>,
}

/// A key of the user, or one that ssh-agent offers.
#[derive(Deserialize)]
struct KeyRow {
    key: String,
    /// Only a key in a file has this.
    file: Option<String>,
    #[serde(rename = "where")]
    place: String,
    own: bool,
    current: bool,
    #[serde(deserialize_with = "nullable")]
    locked: Option<bool>,
    in_agent: bool,
    problem: Option<String>,
}

/// The data of a reply to `mere keys export`.
#[derive(Deserialize)]
pub(crate) struct ExportedKey {
    pub(crate) public: String,
}

/// The data of a reply about one of the user's keys. A key in ssh-agent has no file.
#[derive(Deserialize)]
pub(crate) struct OwnKey {
    file: Option<String>,
}

/// The data of a reply that refuses because a key is locked.
#[derive(Deserialize)]
pub(crate) struct LockedKey {
    pub(crate) key: String,
}

/// The data of a reply to `mere keys rotate`, which contains the proof.
#[derive(Deserialize)]
pub(crate) struct RotationProof {
    rotation: String,
}

/// The data of a reply to `mere keys rotate --out`, which names the file of the proof.
#[derive(Deserialize)]
pub(crate) struct RotationFile {
    proof: String,
}

/// The data of a reply to `mere trust list`.
#[derive(Deserialize)]
pub(crate) struct SignerList {
    keys: Vec<Signer>,
}

/// The key of another person, and what it counts for.
#[derive(Deserialize)]
pub(crate) struct Signer {
    key: String,
    #[serde(deserialize_with = "nullable")]
    name: Option<String>,
    scopes: Vec<String>,
    types: Vec<String>,
    categories: Vec<String>,
    revoked: bool,
}

impl Printer {
    /// Formats the user's keys and those that ssh-agent offers.
    pub(crate) fn keys(&self, reply: &ReplyView<KeyList>) -> String {
        let rows = reply.data.keys.iter().map(|key| {
            let mark = if key.current { "→" } else { "" };
            let place = key.file.as_ref().unwrap_or(&key.place);
            [mark.to_owned(), key.key.clone(), key.state(), place.clone()]
        });
        let mut out = self.table(["", "KEY", "STATE", "WHERE"], rows.collect());
        if let Some(problem) = &reply.data.problem {
            push_line(&mut out, format_args!("{}", self.escape_controls(problem)));
        }
        out
    }

    /// Formats the line of a public key, and nothing else.
    #[expect(clippy::unused_self, reason = "a printer prints every answer")]
    pub(crate) fn public_key(&self, reply: &ReplyView<ExportedKey>) -> String {
        format!("{}\n", reply.data.public)
    }

    /// Formats what happened to one key.
    pub(crate) fn own_key(&self, reply: &ReplyView<OwnKey>) -> String {
        let mut out = self.sentence(reply);
        if let Some(file) = &reply.data.file {
            push_line(&mut out, format_args!("  {}", self.escape_controls(file)));
        }
        out
    }

    /// Formats the proof of a rotation.
    #[expect(clippy::unused_self, reason = "a printer prints every answer")]
    pub(crate) fn rotation_proof(&self, reply: &ReplyView<RotationProof>) -> String {
        reply.data.rotation.clone()
    }

    /// Formats a rotation, and says which file holds its proof.
    pub(crate) fn rotation_file(&self, reply: &ReplyView<RotationFile>) -> String {
        let proof = self.escape_controls(&reply.data.proof);
        format!("{}The proof is in {proof}.\n", self.sentence(reply))
    }

    /// Formats the keys of other people.
    pub(crate) fn signers(&self, reply: &ReplyView<SignerList>) -> String {
        let rows = reply.data.keys.iter().map(|key| {
            let counts = if key.revoked { "REVOKED".to_owned() } else { key.limits() };
            [key.key.clone(), key.name.clone().unwrap_or_default(), counts]
        });
        self.table(["KEY", "NAME", "TRUSTED FOR"], rows.collect())
    }

    /// Formats what another person's key counts for from now on.
    pub(crate) fn signer(&self, reply: &ReplyView<Signer>) -> String {
        let mut out = self.sentence(reply);
        let limits = reply.data.limits();
        if limits != EVERYTHING {
            push_line(&mut out, format_args!("  {}", self.escape_controls(&limits)));
        }
        out
    }
}

impl Signer {
    /// Describes what the key counts for.
    fn limits(&self) -> String {
        let limits =
            [(&self.scopes, "scope"), (&self.types, "type"), (&self.categories, "category")];
        let limits = limits.into_iter().filter(|(names, _)| !names.is_empty());
        let limits = limits.map(|(names, word)| format!("{word} {}", names.join(", ")));
        let limits = limits.collect::<Vec<_>>();
        if limits.is_empty() { EVERYTHING.to_owned() } else { limits.join("; ") }
    }
}

impl KeyRow {
    /// Describes the state of the key in a few words.
    fn state(&self) -> String {
        if let Some(problem) = &self.problem {
            return problem.clone();
        }
        let words = [
            (!self.own, "not yours yet; `mere keys use` adds it"),
            (self.locked == Some(true), "passphrase"),
            (self.locked == Some(false), "no passphrase"),
            (self.own && self.in_agent, "in ssh-agent"),
        ];
        let words = words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word);
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{pipe_printer, success};
    use serde_json::json;

    #[test]
    fn keys_are_told_with_their_state() {
        let data = json!({ "problem": "no agent", "keys": [
            { "key": "a", "where": "keys", "file": "f", "own": true, "current": true,
              "locked": true, "in_agent": true },
            { "key": "b", "where": "ssh-agent", "own": false, "current": false, "locked": null,
              "in_agent": true },
            { "key": "c", "where": "keys", "own": true, "current": false, "locked": false,
              "in_agent": false },
            { "key": "d", "where": "keys", "own": true, "current": false, "locked": null,
              "in_agent": false, "problem": "gone" },
        ] });
        let expected = "→  a    passphrase, in ssh-agent                f
   b    not yours yet; `mere keys use` adds it  ssh-agent
   c    no passphrase                           keys
   d    gone                                    keys
no agent
";
        assert_eq!(pipe_printer().keys(&success(data)), expected);
        let own = success(json!({ "key": "a", "file": "f" }));
        assert_eq!(pipe_printer().own_key(&own), "Done.\n  f\n");
    }

    #[test]
    fn a_signer_is_told_with_its_limits() {
        let data = json!({ "key": "a", "name": null, "scopes": ["user"], "types": ["tool"],
                           "categories": ["x", "y"], "revoked": false });
        let limits = "scope user; type tool; category x, y";
        let shown = pipe_printer().signer(&success(data.clone()));
        assert_eq!(shown, format!("Done.\n  {limits}\n"));
        let mut revoked = data.clone();
        revoked["revoked"] = true.into();
        revoked["name"] = "n".into();
        let list = pipe_printer().signers(&success(json!({ "keys": [data, revoked] })));
        assert_eq!(list, format!("a          {limits}\na    n     REVOKED\n"));
    }
}
