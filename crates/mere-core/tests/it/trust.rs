//! The one verification: no byte of a sidecar, of an item or of its place can be another.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ed25519_dalek::{Signer, SigningKey, Verifier};
use jiff::Timestamp;
use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{Scope, ScopedPath};
use mere_core::trust::{
    Checked, ClaimedTime, Envelope, FoundItem, ItemClaims, KeyError, KeyLimits, Keyring,
    LocationField, PayloadType, Placement, PublicKey, Sidecar, SidecarFile, Statement, TrustedKey,
    Verification, VerificationFailure, verify,
};
use proptest::prelude::*;

const CASES: u32 = 200;
pub(crate) const SPACE: &str = "0190a6c4-3b5e-7cc3-98c4-dc0c0c07398f";

/// Somebody's key; each number is another person.
pub(crate) struct Person(SigningKey);

impl Person {
    pub(crate) fn new(number: u8) -> Self {
        Self(SigningKey::from_bytes(&[number; 32]))
    }

    pub(crate) fn public(&self) -> PublicKey {
        PublicKey::from_bytes(&self.0.verifying_key().to_bytes()).expect("a key")
    }

    pub(crate) fn sign(&self, envelope: &mut Envelope) {
        let signature = self.0.sign(&envelope.message()).to_bytes();
        envelope.add_signature(self.public().fingerprint(), signature);
    }
}

pub(crate) fn keyring(people: &[&Person]) -> Keyring {
    let mut keyring = Keyring::default();
    for person in people {
        let (key, limits) = (person.public(), KeyLimits::default());
        keyring.add(TrustedKey { key, name: Some("Ada".to_owned()), limits });
    }
    keyring
}

pub(crate) fn now() -> Timestamp {
    "2026-06-01T12:00:00Z".parse().expect("a time")
}

pub(crate) fn file(path: &str, content: &str) -> FileDigest {
    let (sha256, size) = (Sha256::digest(content.as_bytes()), content.len() as u64);
    FileDigest { path: path.to_owned(), sha256, size }
}

pub(crate) fn place(path: &str) -> ScopedPath {
    let path = path.parse::<RelPath>().expect("a path");
    ScopedPath::from_space_path(Scope::Project, &path).expect("an item")
}

/// A signed item with two files, and what it says of itself.
pub(crate) struct Case {
    pub(crate) place: ScopedPath,
    pub(crate) files: Vec<FileDigest>,
    pub(crate) said: ItemClaims,
    pub(crate) sidecar: Sidecar,
}

impl Case {
    /// A tool.
    pub(crate) fn new(author: &Person, installer: &Person) -> Self {
        Self::at(place("tools/api/jwt.yaml"), author, installer)
    }

    /// An item that was signed for a place.
    pub(crate) fn at(place: ScopedPath, author: &Person, installer: &Person) -> Self {
        let files = vec![file("jwt.py", "print()\n"), file("jwt.yaml", "tool_id: jwt\n")];
        let said = ItemClaims {
            version: Some("1.2.0".parse().expect("a version")),
            integrity: Some(Sha256::digest(b"integrity")),
            executor: Some("python_runtime".parse().expect("an id")),
        };
        let created = ClaimedTime::from_timestamp(now());
        let statement = Statement {
            kind: place.kind,
            id: place.id.clone(),
            version: said.version.clone().expect("one"),
            category: place.category.clone(),
            integrity: said.integrity.expect("one"),
            files: files.clone(),
            executor: said.executor.clone(),
            created,
        };
        let placement = Placement {
            statement: Sha256::digest(b""),
            scope: place.scope,
            space_id: SPACE.to_owned(),
            base: Placement::base_name(place.kind, &place.base),
            origin: None,
            created,
        };
        let mut sidecar = Sidecar::new(statement, placement);
        author.sign(&mut sidecar.author);
        installer.sign(&mut sidecar.installer);
        Self { place, files, said, sidecar }
    }

    pub(crate) fn judge(&self, keyring: &Keyring, letter: &[u8]) -> Verification<()> {
        let exhibit = FoundItem {
            path: &self.place,
            space_id: Some(SPACE),
            files: &self.files,
            sidecar: &SidecarFile::Bytes(letter.to_vec()),
            is_draft: false,
            now: now(),
        };
        let read = || Ok::<_, std::convert::Infallible>(((), self.said.clone()));
        match verify(&exhibit, keyring, read) {
            Ok(verdict) => verdict,
        }
    }
}

/// Returns the name of a result in `trust.status`.
pub(crate) fn status(verdict: &Verification<()>) -> &'static str {
    match verdict {
        Ok(checked) => checked.status(),
        Err(failure) => failure.status(),
    }
}

#[test]
fn no_bit_of_a_sidecar_can_be_another() {
    let (ada, bob) = (Person::new(1), Person::new(2));
    let (case, keyring) = (Case::new(&ada, &bob), keyring(&[&ada, &bob]));
    let text = case.sidecar.to_text().into_bytes();
    assert_eq!(status(&case.judge(&keyring, &text)), "verified");
    for at in 0..text.len() {
        for bit in 0..8 {
            let mut flipped = text.clone();
            flipped[at] ^= 1 << bit;
            let verdict = case.judge(&keyring, &flipped);
            let same = Sidecar::parse(&flipped).is_ok_and(|parsed| parsed == case.sidecar);
            assert_eq!(matches!(verdict, Ok(Checked::Verified(_))), same, "byte {at}, bit {bit}");
        }
        let verdict = case.judge(&keyring, &text[..at]);
        assert_eq!(status(&verdict), "bad-signature", "cut at {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn no_bytes_of_a_sidecar_can_be_others(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let ada = Person::new(1);
        let (case, keyring) = (Case::new(&ada, &ada), keyring(&[&ada]));
        let mut text = case.sidecar.to_text().into_bytes();
        for (at, byte) in changes {
            let at = at.index(text.len());
            text[at] = byte;
        }
        if let Ok(Checked::Verified(_)) = case.judge(&keyring, &text) {
            prop_assert_eq!(Sidecar::parse(&text), Ok(case.sidecar));
        }
    }

    #[test]
    fn another_item_is_never_verified(
        content in any::<[String; 2]>(), version in 0_u64..3, extra in any::<bool>(),
    ) {
        let ada = Person::new(1);
        let (mut case, keyring) = (Case::new(&ada, &ada), keyring(&[&ada]));
        let (before, said) = (case.files.clone(), case.said.version.clone());
        case.files = vec![file("jwt.py", &content[0]), file("jwt.yaml", &content[1])];
        case.said.version = format!("1.{version}.0").parse().ok();
        if extra {
            case.files.push(file("jwt.zip", ""));
        }
        let verdict = case.judge(&keyring, case.sidecar.to_text().as_bytes());
        let is_same = case.files == before && case.said.version == said;
        prop_assert_eq!(matches!(verdict, Ok(Checked::Verified(_))), is_same);
    }
}

#[test]
fn every_fact_of_the_place_is_compared() {
    let ada = Person::new(1);
    let keyring = keyring(&[&ada]);
    let text = Case::new(&ada, &ada).sidecar.to_text();
    let user = |path: &str| ScopedPath { scope: Scope::User, ..place(path) };
    for (found, field) in [
        (place("tools/api/jwt2.yaml"), LocationField::Id),
        (place("tools/jwt.yaml"), LocationField::Category),
        (place("tools/api/v2/jwt.yaml"), LocationField::Category),
        (place("knowledge/api/jwt.md"), LocationField::Type),
        (user("tools/api/jwt.yaml"), LocationField::Scope),
        (user("tools/jwt.yaml"), LocationField::Category),
    ] {
        let case = Case { place: found, ..Case::new(&ada, &ada) };
        let Err(VerificationFailure::WrongLocation(mismatch)) =
            case.judge(&keyring, text.as_bytes())
        else {
            panic!("{:?} is taken", case.place);
        };
        assert_eq!(mismatch.field, field);
        assert_eq!(mismatch.expected_path, Some(place("tools/api/jwt.yaml")));
    }
    let case = Case::new(&ada, &ada);
    let sidecar = SidecarFile::Bytes(text.as_bytes().to_vec());
    let exhibit = |space_id| FoundItem {
        path: &case.place,
        space_id,
        files: &case.files,
        sidecar: &sidecar,
        is_draft: true,
        now: now(),
    };
    for space in [None, Some(""), Some("0190a6c4-3b5e-7cc3-98c4-dc0c0c07398e")] {
        let read = || Err::<((), ItemClaims), _>("what is broken is not read");
        let Ok(Err(VerificationFailure::WrongLocation(mismatch))) =
            verify(&exhibit(space), &keyring, read)
        else {
            panic!("{space:?} is taken");
        };
        assert_eq!(mismatch.field, LocationField::Space);
    }
}

#[test]
fn whose_signature_it_is_decides() {
    let (ada, bob, eve) = (Person::new(1), Person::new(2), Person::new(3));
    let status = |case: &Case, keyring: &Keyring| {
        status(&case.judge(keyring, case.sidecar.to_text().as_bytes()))
    };
    let both = keyring(&[&ada, &bob]);
    assert_eq!(status(&Case::new(&ada, &bob), &both), "verified");
    assert_eq!(status(&Case::new(&ada, &eve), &both), "unknown-key");
    assert_eq!(status(&Case::new(&eve, &bob), &both), "unknown-key");
    let mut revoked = both.clone();
    revoked.revoke(bob.public().fingerprint());
    assert_eq!(status(&Case::new(&ada, &bob), &revoked), "revoked-key");
    assert_eq!(status(&Case::new(&bob, &ada), &revoked), "revoked-key");
    // One more signature that counts makes up for one that was revoked, and a wrong one for none.
    let mut case = Case::new(&ada, &bob);
    ada.sign(&mut case.sidecar.installer);
    assert_eq!(status(&case, &revoked), "verified");
    case.sidecar.author.add_signature(bob.public().fingerprint(), [7; 64]);
    assert_eq!(status(&case, &both), "bad-signature");
    let mut case = Case::new(&ada, &bob);
    case.sidecar.author.add_signature(eve.public().fingerprint(), [7; 64]);
    assert_eq!(status(&case, &both), "verified", "nobody can say whether it is wrong");
    // What is signed is bound to what kind of payload it is.
    let mut case = Case::new(&ada, &ada);
    let other = Envelope::new(PayloadType::Placement, case.sidecar.author.payload().to_vec());
    let signature = ada.0.sign(&other.message()).to_bytes();
    case.sidecar.author.add_signature(ada.public().fingerprint(), signature);
    assert_eq!(status(&case, &both), "bad-signature");
}

fn hex<const N: usize>(text: &str) -> [u8; N] {
    let digits = |at: usize| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).expect("hex");
    std::array::from_fn(digits)
}

#[test]
fn keys_with_which_anything_can_be_signed_are_none() {
    // The eight points of small order, and their other spellings.
    let points = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ];
    for point in points {
        for sign in [0, 0x80] {
            let mut bytes = hex::<32>(point);
            bytes[31] |= sign;
            assert_eq!(PublicKey::from_bytes(&bytes), Err(KeyError::Weak), "{point} {sign}");
            let wire = [b"\0\0\0\x0bssh-ed25519\0\0\0\x20", &bytes[..]].concat();
            let line = format!("ssh-ed25519 {}", BASE64_STANDARD.encode(wire));
            assert_eq!(line.parse::<PublicKey>(), Err(KeyError::Weak), "{line}");
        }
    }
}

#[test]
fn a_signature_has_one_spelling() {
    // The order of the group, which the second half of a signature must be below.
    let order = hex::<32>("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let ada = Person::new(1);
    let message = b"DSSEv1 1 x 1 y";
    let signature = ada.0.sign(message).to_bytes();
    assert!(ada.public().is_signature_valid(&signature, message));
    let (mut other, mut carry) = (signature, 0_u16);
    for (byte, more) in other[32..].iter_mut().zip(order) {
        carry += u16::from(*byte) + u16::from(more);
        [*byte, _] = carry.to_le_bytes();
        carry >>= 8;
    }
    assert_eq!(carry, 0, "it still fits");
    assert!(!ada.public().is_signature_valid(&other, message), "S plus the order of the group");
    for at in 0..64 {
        let mut flipped = signature;
        flipped[at] ^= 1;
        assert!(!ada.public().is_signature_valid(&flipped, message), "byte {at}");
    }
    // R is the point at infinity and S is H(R, A, M) times the secret: made without the secret's
    // other half, and taken by everyone who does not look at R. Of the key with the seed 0 to 31.
    let key = hex::<32>("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8");
    let infinite = hex::<64>(
        "0100000000000000000000000000000000000000000000000000000000000000\
         4d6bc2cddb8ef9901af1dfca4b68a1c1a7a46216cee30112d14033f3aa00c906",
    );
    let loose = ed25519_dalek::VerifyingKey::from_bytes(&key).expect("a key");
    assert!(loose.verify(message, &infinite.into()).is_ok(), "others take it");
    assert!(!PublicKey::from_bytes(&key).expect("a key").is_signature_valid(&infinite, message));
}
