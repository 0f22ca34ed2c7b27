//! The edges of what is trusted: the limits of a key, drafts, memories, versions of lockfiles, and
//! sidecars that lie elsewhere.

use ed25519_dalek::SigningKey;
use mere_core::item::{Scope, ScopedPath};
use mere_core::trust::{
    Checked, FoundItem, KeyLimits, Keyring, LocationField, MAX_SIDECAR_BYTES, PublicKey, Roster,
    RosterMember, Sidecar, SidecarFile, TrustedKey, UntrustedReason, VerificationFailure, Vouching,
    check_displaced_sidecar, trusted_sidecar, trusted_statement, verify,
};

use crate::trust::{Case, Person, SPACE, file, keyring, now, place, status};

/// Ada's key, for tools of the project below `api` until the first of June.
fn limited(ada: &Person) -> Keyring {
    let limits = KeyLimits {
        scopes: vec![Scope::Project],
        kinds: vec![place("tools/api/jwt.yaml").kind],
        categories: vec!["api".parse().expect("a category")],
        not_after: "2026-06-01".parse().ok(),
    };
    let mut keyring = Keyring::default();
    keyring.add(TrustedKey { key: ada.public(), name: None, limits });
    keyring
}

fn in_user_space(path: &str) -> ScopedPath {
    ScopedPath { scope: Scope::User, ..place(path) }
}

#[test]
fn a_key_is_trusted_within_each_of_its_limits_only() {
    let ada = Person::new(1);
    let (keyring, key) = (limited(&ada), ada.public().fingerprint());
    for (place, is_trusted) in [
        (place("tools/api/jwt.yaml"), true),
        (place("tools/api/v2/jwt.yaml"), true),
        (place("tools/jwt.yaml"), false),
        (place("tools/apis/jwt.yaml"), false),
        (place("knowledge/api/jwt.md"), false),
        (in_user_space("tools/api/jwt.yaml"), false),
    ] {
        assert_eq!(keyring.is_trusted(key, &place, now()), is_trusted, "{place:?}");
        let case = Case::at(place, &ada, &ada);
        let verdict = case.judge(&keyring, case.sidecar.to_text().as_bytes());
        match verdict {
            Ok(Checked::Verified(_)) => assert!(is_trusted, "{:?}", case.place),
            Ok(Checked::UnknownKey((), signer)) => {
                assert!(!is_trusted, "{:?}", case.place);
                assert_eq!(signer.reason, UntrustedReason::OutsideLimits);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_key_is_trusted_to_the_end_of_its_last_day() {
    let ada = Person::new(1);
    let (keyring, case) = (limited(&ada), Case::new(&ada, &ada));
    let key = ada.public().fingerprint();
    for (moment, is_trusted) in [
        ("2026-05-31T12:00:00Z", true),
        ("2026-06-01T23:59:59Z", true),
        ("2026-06-02T00:00:00Z", false),
        ("2027-06-01T12:00:00Z", false),
    ] {
        let moment = moment.parse().expect("a time");
        assert_eq!(keyring.is_trusted(key, &case.place, moment), is_trusted, "{moment}");
        let sidecar = SidecarFile::Bytes(case.sidecar.to_text().into_bytes());
        let found = FoundItem { now: moment, ..found(&case, &sidecar) };
        match judge(&found, &case, &keyring) {
            Ok(Checked::Verified(_)) => assert!(is_trusted, "{moment}"),
            Ok(Checked::UnknownKey((), signer)) => {
                assert!(!is_trusted, "{moment}");
                assert_eq!(signer.reason, UntrustedReason::Expired);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn revocations_are_taken_over_and_keys_are_sorted_out() {
    let (ada, bob, eve) = (Person::new(1), Person::new(2), Person::new(3));
    let key = |person: &Person| person.public().fingerprint();
    let (mut ours, at) = (keyring(&[&ada, &bob, &eve]), place("tools/api/jwt.yaml"));
    let mut theirs = Keyring::default();
    theirs.revoke(key(&bob));
    assert!(!ours.is_revoked(key(&bob)) && theirs.is_revoked(key(&bob)));
    ours.revoke_all_of(&theirs);
    assert!(ours.is_revoked(key(&bob)) && !ours.is_revoked(key(&ada)));
    assert!(ours.is_trusted(key(&ada), &at, now()) && ours.is_trusted(key(&eve), &at, now()));
    assert!(!ours.is_trusted(key(&bob), &at, now()));
    ours.retain_only(&[key(&ada), key(&bob)]);
    assert!(ours.is_trusted(key(&ada), &at, now()));
    assert!(!ours.is_trusted(key(&eve), &at, now()) && !ours.is_trusted(key(&bob), &at, now()));
}

fn found<'a>(case: &'a Case, sidecar: &'a SidecarFile) -> FoundItem<'a> {
    FoundItem {
        path: &case.place,
        space_id: Some(SPACE),
        files: &case.files,
        sidecar,
        is_draft: false,
        now: now(),
    }
}

fn judge(
    found: &FoundItem<'_>,
    case: &Case,
    keyring: &Keyring,
) -> mere_core::trust::Verification<()> {
    let read = || Ok::<_, std::convert::Infallible>(((), case.said.clone()));
    match verify(found, keyring, read) {
        Ok(verdict) => verdict,
    }
}

#[test]
fn only_what_trusted_keys_signed_has_signers_and_counts_as_seen() {
    let (ada, eve) = (Person::new(1), Person::new(3));
    let (case, trusting, nobody) = (Case::new(&ada, &ada), keyring(&[&ada]), keyring(&[&eve]));
    let signed = SidecarFile::Bytes(case.sidecar.to_text().into_bytes());
    let plain = found(&case, &signed);
    let unsigned = FoundItem { sidecar: &SidecarFile::None, ..plain };
    for (found, keyring, expected) in [
        (plain, &trusting, ("verified", Vouching::Person, true)),
        (FoundItem { is_draft: true, ..plain }, &trusting, ("draft", Vouching::Person, false)),
        (FoundItem { is_draft: true, ..unsigned }, &trusting, ("draft", Vouching::Person, false)),
        (unsigned, &trusting, ("unsigned", Vouching::Nobody, false)),
        (plain, &nobody, ("unknown-key", Vouching::Nobody, false)),
    ] {
        let checked = judge(&found, &case, keyring).expect("nothing is broken");
        let is_seen = checked.counts_as_seen();
        assert_eq!((checked.status(), checked.vouching(), is_seen), expected);
        let author = checked.signers().map(|signers| signers.author.key);
        assert_eq!(author, expected.2.then(|| ada.public().fingerprint()));
    }
    assert_eq!(signed.bytes(), Some(case.sidecar.to_text().as_bytes()));
    assert_eq!(SidecarFile::None.bytes(), None);
    assert_eq!(SidecarFile::Unreadable.bytes(), None);
}

#[test]
fn a_sidecar_beside_a_memory_means_nothing() {
    let ada = Person::new(1);
    let case = Case::at(place("memory/team/standup.md"), &ada, &ada);
    let keyring = keyring(&[&ada]);
    for sidecar in [SidecarFile::None, SidecarFile::Unreadable, SidecarFile::Bytes(b"{".to_vec())] {
        let found = FoundItem { is_draft: true, ..found(&case, &sidecar) };
        assert_eq!(status(&judge(&found, &case, &keyring)), "unsigned", "{sidecar:?}");
    }
}

#[test]
fn a_lockfile_is_signed_as_the_version_in_its_name() {
    let ada = Person::new(1);
    let keyring = keyring(&[&ada]);
    let case = Case::at(place("lockfiles/api/jwt@1.2.0.lock.json"), &ada, &ada);
    let text = case.sidecar.to_text();
    assert_eq!(status(&case.judge(&keyring, text.as_bytes())), "verified");
    let renamed = Case { place: place("lockfiles/api/jwt@1.3.0.lock.json"), ..case };
    let verdict = renamed.judge(&keyring, text.as_bytes());
    let (expected, found) = ("1.2.0".parse().expect("a version"), "1.3.0".parse().ok());
    let failure = VerificationFailure::WrongVersion { expected, found };
    assert_eq!(verdict.expect_err("another version"), failure);
}

#[test]
fn one_file_too_many_or_too_few_is_named() {
    let ada = Person::new(1);
    let (case, keyring) = (Case::new(&ada, &ada), keyring(&[&ada]));
    let text = case.sidecar.to_text();
    let judge = |files| {
        let case = Case { files, ..Case::new(&ada, &ada) };
        case.judge(&keyring, text.as_bytes()).expect_err("other files")
    };
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let wrong = |extra: &[&str], missing: &[&str]| VerificationFailure::WrongFiles {
        extra: names(extra),
        missing: names(missing),
    };
    let more = [&case.files[..], &[file("jwt.yaml~", "")]].concat();
    let (more, fewer, other) =
        (judge(more), judge(case.files[1..].to_vec()), judge(vec![file("a", "")]));
    assert_eq!(more, wrong(&["jwt.yaml~"], &[]));
    assert_eq!(fewer, wrong(&[], &["jwt.py"]));
    assert_eq!(other, wrong(&["a"], &["jwt.py", "jwt.yaml"]));
    // A file that an editor left behind is no change of the item; one that is missing is.
    assert!(more.is_only_leftovers());
    assert!(!fewer.is_only_leftovers() && !other.is_only_leftovers());
    assert!(!wrong(&["jwt.yaml~", "jwt.sh"], &[]).is_only_leftovers());
    assert!(!wrong(&["jwt.yaml~"], &["jwt.py"]).is_only_leftovers());
    assert!(!wrong(&[], &[]).is_only_leftovers());
    assert!(!VerificationFailure::Changed(names(&["jwt.yaml~"])).is_only_leftovers());
}

#[test]
fn each_claim_of_an_item_must_be_the_signed_one() {
    let ada = Person::new(1);
    let keyring = keyring(&[&ada]);
    let judge = |case: Case| {
        let text = case.sidecar.to_text();
        case.judge(&keyring, text.as_bytes()).expect_err("another claim")
    };
    let mut case = Case::new(&ada, &ada);
    case.said.version = None;
    let expected = "1.2.0".parse().expect("a version");
    assert_eq!(judge(case), VerificationFailure::WrongVersion { expected, found: None });
    let mut case = Case::new(&ada, &ada);
    case.said.integrity = None;
    assert_eq!(judge(case), VerificationFailure::Changed(Vec::new()));
    let mut case = Case::new(&ada, &ada);
    case.said.executor = "node_runtime".parse().ok();
    assert_eq!(judge(case), VerificationFailure::Changed(Vec::new()));
}

#[test]
fn a_sidecar_counts_elsewhere_if_trusted_keys_signed_all_of_it() {
    let (ada, eve) = (Person::new(1), Person::new(3));
    let (trusting, at) = (keyring(&[&ada]), place("tools/api/jwt.yaml"));
    for (author, installer, statement, whole) in
        [(&ada, &ada, true, true), (&ada, &eve, true, false), (&eve, &ada, false, false)]
    {
        let case = Case::new(author, installer);
        let text = case.sidecar.to_text().into_bytes();
        let found = trusted_statement(&text, &trusting, &at, now());
        assert_eq!(found, statement.then(|| case.sidecar.statement.clone()));
        let found = trusted_sidecar(&text, &trusting, now());
        assert_eq!(found, whole.then(|| (case.sidecar, at.clone())));
    }
    assert_eq!(trusted_statement(b"{}", &trusting, &at, now()), None);
    assert_eq!(trusted_sidecar(b"{}", &trusting, now()), None);
}

#[test]
fn a_sidecar_that_lies_elsewhere_contradicts_within_its_own_space_and_type() {
    let (ada, eve) = (Person::new(1), Person::new(3));
    let (trusting, signed) = (keyring(&[&ada]), Case::new(&ada, &ada));
    let text = signed.sidecar.to_text().into_bytes();
    let check = |found: &FoundItem<'_>| check_displaced_sidecar(found, &text, &trusting);
    let none = SidecarFile::None;
    let same = found(&signed, &none);
    assert_eq!(check(&same), Ok(()), "it says what is there");
    let changed = vec![file("jwt.py", "other"), signed.files[1].clone()];
    let changed = FoundItem { files: &changed, ..same };
    let failure = VerificationFailure::Changed(vec!["jwt.py".to_owned()]);
    assert_eq!(check(&changed), Err(failure));
    assert_eq!(check(&FoundItem { is_draft: true, ..changed }), Ok(()), "a person works on it");
    let elsewhere = place("tools/web/jwt.yaml");
    let Err(VerificationFailure::WrongLocation(mismatch)) =
        check(&FoundItem { path: &elsewhere, ..same })
    else {
        panic!("an item of another category is taken for the signed one")
    };
    assert_eq!((mismatch.field, mismatch.field.to_string()), {
        (LocationField::Category, "category".to_owned())
    });
    // Anybody could drop such a file to make an item unusable.
    let by_others = check_displaced_sidecar(&changed, &text, &keyring(&[&eve]));
    assert_eq!(by_others, Ok(()), "nobody trusted signed it");
    let (user, note) = (in_user_space("tools/api/jwt.yaml"), place("knowledge/api/jwt.md"));
    for found in [
        FoundItem { space_id: None, ..changed },
        FoundItem { space_id: Some("another"), ..changed },
        FoundItem { path: &user, ..changed },
        FoundItem { path: &note, ..changed },
    ] {
        assert_eq!(check(&found), Ok(()), "it is for another space or type");
    }
}

#[test]
fn a_sidecar_that_lies_elsewhere_contradicts_a_renamed_lockfile_and_no_memory() {
    let ada = Person::new(1);
    let (trusting, none) = (keyring(&[&ada]), SidecarFile::None);
    let lockfile = Case::at(place("lockfiles/api/jwt@1.2.0.lock.json"), &ada, &ada);
    let text = lockfile.sidecar.to_text().into_bytes();
    let renamed = place("lockfiles/api/jwt@1.3.0.lock.json");
    let found_item = FoundItem { path: &renamed, ..found(&lockfile, &none) };
    let verdict = check_displaced_sidecar(&found_item, &text, &trusting);
    assert!(matches!(verdict, Err(VerificationFailure::WrongVersion { .. })), "{verdict:?}");
    let memory = Case::at(place("memory/team/standup.md"), &ada, &ada);
    let text = memory.sidecar.to_text().into_bytes();
    let found_item = FoundItem { files: &[], ..found(&memory, &none) };
    assert_eq!(check_displaced_sidecar(&found_item, &text, &trusting), Ok(()));
}

#[test]
fn the_fields_of_a_location_have_names() {
    use LocationField::{Base, Category, Id, Scope, Space, Type};
    let names = [Type, Id, Category, Scope, Space, Base].map(LocationField::name);
    assert_eq!(names, ["type", "id", "category", "scope", "space", "base"]);
}

#[test]
fn a_roster_has_at_most_1000_admins_and_members() {
    let all = (1..=1_001_u16).map(|number| {
        let mut seed = [0; 32];
        seed[..2].copy_from_slice(&number.to_be_bytes());
        let key = SigningKey::from_bytes(&seed).verifying_key();
        PublicKey::from_bytes(key.as_bytes()).expect("a key")
    });
    let all = all.collect::<Vec<_>>();
    let member = |key: &PublicKey| RosterMember {
        name: key.fingerprint().to_string(),
        key: key.clone(),
        types: Vec::new(),
        categories: Vec::new(),
        not_after: None,
    };
    let members = all.iter().map(member).collect::<Vec<_>>();
    for (admins, count, is_taken) in
        [(1_000, 1_000, true), (1_001, 1, false), (1, 1_001, false), (1_001, 1_001, false)]
    {
        let roster = Roster {
            space_id: SPACE.to_owned(),
            serial: 1,
            threshold: 1,
            admins: all[..admins].to_vec(),
            members: members[..count].to_vec(),
            require_signed: Vec::new(),
        };
        assert_eq!(roster.check().is_ok(), is_taken, "{admins} {count}");
    }
}

#[test]
fn the_sidecar_of_an_item_with_a_thousand_files_can_be_read() {
    let Sidecar { mut statement, placement, .. } =
        Case::new(&Person::new(1), &Person::new(1)).sidecar;
    statement.files = (1_000..2_000).map(|number| file(&format!("lib/{number}.py"), "")).collect();
    let length = Sidecar::new(statement, placement).to_text().len();
    assert!(u64::try_from(length).is_ok_and(|length| length <= MAX_SIDECAR_BYTES), "{length}");
}
