//! Rosters: whose signatures a team's space trusts. The file is `signers.json`, signed by its
//! admins.
//!
//! The file that people read and compare is the payload itself, in any layout; its sidecar holds
//! the envelope, whose payload is the canonical text of the file. A roster is for one space. Of two
//! rosters, the one with the higher serial counts.

use jiff::civil::Date;
use serde_json::{Value, json};

use super::envelope::{Envelope, PayloadType};
use super::key::{Fingerprint, PublicKey};
use super::keyring::{KeyLimits, TrustedKey};
use super::signed_data::{self, ClosedObject, SignedDataError};
use super::statement::parse_item_type;
use crate::digest::Sha256;
use crate::item::{Category, ItemType, Scope};
use crate::text::{canonical, json};

/// How many admins or members a roster may have.
const MAX_PEOPLE: usize = 1_000;
/// The largest threshold: the signatures of two such thresholds fit into one envelope.
const MAX_THRESHOLD: usize = 16;
/// The longest name of a member, in bytes.
const MAX_NAME: usize = 64;

/// The roster of a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    /// The id of the space it is for.
    pub space_id: String,
    /// The serial; of two rosters, the one with the higher serial counts.
    pub serial: u64,
    /// How many admins must sign.
    pub threshold: usize,
    /// The keys that may change it.
    pub admins: Vec<PublicKey>,
    /// The members, whose items are trusted.
    pub members: Vec<RosterMember>,
    /// The item types that must be signed.
    pub require_signed: Vec<ItemType>,
}

/// A member, whose items are trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RosterMember {
    /// The name the team uses for them.
    pub name: String,
    /// Their key.
    pub key: PublicKey,
    /// The item types they are trusted for; empty for all.
    pub types: Vec<ItemType>,
    /// The categories they are trusted in, including subcategories; empty for all.
    pub categories: Vec<Category>,
    /// The last day on which they are trusted.
    pub not_after: Option<Date>,
}

impl RosterMember {
    /// Returns the member's key for a keyring. It is trusted in the project's space only.
    pub fn to_trusted_key(&self) -> TrustedKey {
        let limits = KeyLimits {
            scopes: vec![Scope::Project],
            kinds: self.types.clone(),
            categories: self.categories.clone(),
            not_after: self.not_after,
        };
        TrustedKey { key: self.key.clone(), name: Some(self.name.clone()), limits }
    }

    fn parse(value: &Value) -> Result<Self, SignedDataError> {
        let fields =
            ClosedObject::new(value, &["name", "key", "types", "categories", "not_after"])?;
        let name = fields.text("name")?;
        if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(SignedDataError("a name has between 1 and 64 bytes on one line"));
        }
        let categories =
            fields.get_optional("categories").map(signed_data::parse_list).transpose()?;
        let not_after =
            fields.get_optional("not_after").map(|_| fields.parse("not_after")).transpose()?;
        Ok(Self {
            name: name.to_owned(),
            key: fields.parse("key")?,
            types: fields
                .get_optional("types")
                .map(parse_item_types)
                .transpose()?
                .unwrap_or_default(),
            categories: categories.unwrap_or_default(),
            not_after,
        })
    }

    fn to_json(&self) -> Value {
        let mut value = json!({ "name": self.name, "key": self.key.to_string() });
        if !self.types.is_empty() {
            value["types"] = item_type_names(&self.types);
        }
        if !self.categories.is_empty() {
            value["categories"] = self.categories.iter().map(Category::as_str).collect();
        }
        if let Some(last) = self.not_after {
            value["not_after"] = last.to_string().into();
        }
        value
    }
}

impl Roster {
    /// Parses `signers.json`.
    pub fn parse(bytes: &[u8]) -> Result<Self, SignedDataError> {
        const KEYS: [&str; 7] =
            ["v", "space_id", "serial", "threshold", "admins", "members", "require_signed"];
        let value = json::parse(bytes)
            .map_err(|_| SignedDataError("it is not valid JSON without duplicate keys"))?;
        let fields = ClosedObject::new(&value, &KEYS)?;
        fields.check_version(1)?;
        let roster = Self {
            space_id: fields.text("space_id")?.to_owned(),
            serial: fields.number("serial")?,
            threshold: usize::try_from(fields.number("threshold")?).unwrap_or(usize::MAX),
            admins: signed_data::parse_list(fields.get("admins")?)?,
            members: fields
                .list("members")?
                .iter()
                .map(RosterMember::parse)
                .collect::<Result<_, _>>()?,
            require_signed: parse_item_types(fields.get("require_signed")?)?,
        };
        roster.check()?;
        Ok(roster)
    }

    /// Checks that the roster is consistent.
    pub fn check(&self) -> Result<(), SignedDataError> {
        if self.threshold == 0 || self.threshold > self.admins.len() {
            return Err(SignedDataError(
                "its threshold is not between 1 and the number of its admins",
            ));
        }
        if self.threshold > MAX_THRESHOLD {
            return Err(SignedDataError("its threshold is more than 16"));
        }
        if self.admins.len() > MAX_PEOPLE || self.members.len() > MAX_PEOPLE {
            return Err(SignedDataError("it has more than 1,000 admins or members"));
        }
        let admins = self.admins.iter().map(PublicKey::fingerprint).collect();
        let keys = self.members.iter().map(|member| member.key.fingerprint()).collect();
        let names = self.members.iter().map(|member| member.name.clone()).collect();
        if !has_no_duplicates(admins) || !has_no_duplicates(keys) || !has_no_duplicates(names) {
            return Err(SignedDataError("it names a person or a key twice"));
        }
        Ok(())
    }

    /// Returns the roster as JSON.
    pub fn to_json(&self) -> Value {
        json!({
            "v": 1,
            "space_id": self.space_id,
            "serial": self.serial,
            "threshold": self.threshold,
            "admins": self.admins.iter().map(PublicKey::to_string).collect::<Vec<_>>(),
            "members": self.members.iter().map(RosterMember::to_json).collect::<Vec<_>>(),
            "require_signed": item_type_names(&self.require_signed),
        })
    }

    /// Returns the digest of everything it says.
    pub fn digest(&self) -> Sha256 {
        Sha256::digest(self.envelope().payload())
    }

    /// Creates an envelope that nobody has signed yet.
    pub fn envelope(&self) -> Envelope {
        Envelope::new(PayloadType::Roster, canonical::to_text(&self.to_json()).into_bytes())
    }

    /// Returns the member with this key.
    pub fn member(&self, key: Fingerprint) -> Option<&RosterMember> {
        self.members.iter().find(|member| member.key.fingerprint() == key)
    }

    /// Reports whether no change of the roster could count without this admin.
    pub fn needs_admin(&self, key: Fingerprint) -> bool {
        self.admin(key).is_some() && self.admins.len() - 1 < self.threshold
    }

    /// Returns the admin with this key.
    pub fn admin(&self, key: Fingerprint) -> Option<&PublicKey> {
        self.admins.iter().find(|admin| admin.fingerprint() == key)
    }
}

/// A roster and its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedRoster {
    /// The roster.
    pub roster: Roster,
    /// The envelope with its signatures.
    pub envelope: Envelope,
}

impl SignedRoster {
    /// Parses `signers.json` and its sidecar, which must agree. Who signed is not checked here.
    pub fn parse(roster: &[u8], sidecar: &[u8]) -> Result<Self, SignedDataError> {
        let roster = Roster::parse(roster)?;
        let value = json::parse(sidecar).map_err(|_| {
            SignedDataError("its signature is not valid JSON without duplicate keys")
        })?;
        let envelope = ClosedObject::new(&value, &["roster"])?.get("roster")?;
        let envelope = Envelope::parse(envelope, PayloadType::Roster)?;
        if envelope.payload() != roster.envelope().payload() {
            return Err(SignedDataError("it does not match what was signed"));
        }
        Ok(Self { roster, envelope })
    }

    /// Returns the text of the sidecar.
    pub fn to_sidecar_text(&self) -> String {
        format!("{:#}", json!({ "roster": self.envelope.to_json() }))
    }

    /// Counts how many of these keys signed it.
    pub fn count_signatures_by(&self, keys: &[PublicKey]) -> usize {
        keys.iter().filter(|key| self.envelope.is_signed_by(key)).count()
    }

    /// Reports whether enough of its own admins have signed it.
    pub fn is_complete(&self) -> bool {
        self.count_signatures_by(&self.roster.admins) >= self.roster.threshold
    }

    /// Reports whether it may follow an earlier roster of the same space: it must be newer, and
    /// signed by enough of that roster's admins and of its own.
    pub fn can_follow(&self, last: &Roster) -> bool {
        self.roster.space_id == last.space_id
            && self.roster.serial > last.serial
            && self.count_signatures_by(&last.admins) >= last.threshold
            && self.is_complete()
    }
}

fn parse_item_types(value: &Value) -> Result<Vec<ItemType>, SignedDataError> {
    let kinds = signed_data::expect_list(value)?.iter();
    kinds
        .map(|name| {
            parse_item_type(name.as_str().ok_or(SignedDataError("a field is not a string"))?)
        })
        .collect()
}

fn item_type_names(kinds: &[ItemType]) -> Value {
    kinds.iter().map(|kind| kind.name()).collect()
}

fn has_no_duplicates<T: Ord>(mut all: Vec<T>) -> bool {
    all.sort();
    all.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};

    use super::*;

    fn key(number: u8) -> (SigningKey, PublicKey) {
        let private = SigningKey::from_bytes(&[number; 32]);
        let public = PublicKey::from_bytes(private.verifying_key().as_bytes()).expect("a key");
        (private, public)
    }

    fn roster(serial: u64, threshold: usize, admins: &[u8]) -> Roster {
        let member = RosterMember {
            name: "Ada".to_owned(),
            key: key(1).1,
            types: vec![ItemType::Tool],
            categories: vec!["api".parse().expect("a category")],
            not_after: "2027-01-31".parse().ok(),
        };
        Roster {
            space_id: "s".to_owned(),
            serial,
            threshold,
            admins: admins.iter().map(|number| key(*number).1).collect(),
            members: vec![member],
            require_signed: vec![ItemType::Directive],
        }
    }

    fn signed(roster: Roster, by: &[u8]) -> SignedRoster {
        let mut envelope = roster.envelope();
        let message = envelope.message();
        for number in by {
            let (private, public) = key(*number);
            envelope.add_signature(public.fingerprint(), private.sign(&message).to_bytes());
        }
        SignedRoster { roster, envelope }
    }

    #[test]
    fn reads_what_it_writes_in_any_layout() {
        let signed = signed(roster(3, 2, &[1, 2]), &[1]);
        for text in [signed.roster.to_json().to_string(), format!("{:#}", signed.roster.to_json())]
        {
            let read = SignedRoster::parse(text.as_bytes(), signed.to_sidecar_text().as_bytes());
            assert_eq!(read.as_ref(), Ok(&signed));
        }
    }

    #[test]
    fn refuses_what_makes_no_sense() {
        let text = roster(3, 2, &[1, 2]).to_json().to_string();
        for (from, to) in [
            ("\"threshold\":2", "\"threshold\":0"),
            ("\"threshold\":2", "\"threshold\":3"),
            ("\"threshold\":2", "\"threshold\":2,\"threshold\":2"),
            ("\"threshold\":2", "\"threshold\":2,\"more\":1"),
            ("\"serial\":3", "\"serial\":-3"),
            ("\"v\":1", "\"v\":2"),
            ("\"name\":\"Ada\"", "\"name\":\"\""),
            ("\"name\":\"Ada\"", "\"name\":\"A\\nB\""),
            ("2027-01-31", "2027-02-31"),
            ("\"tool\"", "\"tools\""),
        ] {
            let changed = text.replace(from, to);
            assert_ne!(changed, text, "{from}");
            assert!(Roster::parse(changed.as_bytes()).is_err(), "{to}");
        }
        let many = (1..=17).collect::<Vec<_>>();
        assert_eq!(roster(1, 16, &many).check(), Ok(()));
        assert!(roster(1, 17, &many).check().is_err());
        assert!(roster(1, 1, &[1, 1]).check().is_err());
        for (name, number, is_new) in
            [("Ada", 1, false), ("Ada", 2, false), ("Bob", 1, false), ("Bob", 2, true)]
        {
            let mut two = roster(1, 1, &[1]);
            let other = RosterMember {
                name: name.to_owned(),
                key: key(number).1,
                ..two.members[0].clone()
            };
            two.members.push(other);
            assert_eq!(two.check().is_ok(), is_new, "{name} {number}");
        }
        for (length, is_taken) in [(63, true), (64, true), (65, false)] {
            let changed = text.replace("Ada", &"a".repeat(length));
            assert_eq!(Roster::parse(changed.as_bytes()).is_ok(), is_taken, "{length}");
        }
    }

    #[test]
    fn a_member_and_an_admin_are_found_by_their_own_key() {
        let roster = roster(1, 1, &[2, 3]);
        let name = |number| key(number).1.fingerprint();
        assert_eq!(roster.member(name(1)), roster.members.first());
        assert_eq!(roster.admin(name(3)), Some(&key(3).1));
        assert_eq!((roster.member(name(2)), roster.admin(name(1))), (None, None));
    }

    #[test]
    fn follows_by_both_thresholds_and_the_serial() {
        let last = roster(3, 2, &[1, 2, 3]);
        let check = |next: Roster, by: &[u8], expected: bool| {
            assert_eq!(signed(next, by).can_follow(&last), expected, "{by:?}");
        };
        check(roster(4, 2, &[1, 2]), &[1, 2], true);
        check(roster(9, 1, &[4]), &[1, 2, 4], true);
        check(roster(4, 2, &[1, 2]), &[1], false);
        check(roster(4, 1, &[1]), &[1], false);
        check(roster(4, 1, &[4]), &[1, 2], false);
        check(roster(4, 1, &[4]), &[4], false);
        check(roster(3, 2, &[1, 2]), &[1, 2], false);
        check(roster(2, 2, &[1, 2]), &[1, 2], false);
        check(Roster { space_id: "t".to_owned(), ..roster(4, 2, &[1, 2]) }, &[1, 2], false);
    }

    #[test]
    fn only_what_admins_made_is_kept() {
        let mut some = signed(roster(4, 2, &[1, 2]), &[1, 5]);
        // Sign with one key and claim another.
        let (signer, message) = (key(6).0, some.envelope.message());
        some.envelope.add_signature(key(2).1.fingerprint(), signer.sign(&message).to_bytes());
        some.envelope.retain_signed_by(&some.roster.admins);
        assert_eq!(some.envelope.signatures().len(), 1);
        assert_eq!(some.count_signatures_by(&some.roster.admins), 1);
    }
}
