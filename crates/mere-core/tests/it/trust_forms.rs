//! Statements, placements, sidecars, rosters and rotations: what is written is what is read, in the
//! one spelling it has.

use ed25519_dalek::SigningKey;
use jiff::Timestamp;
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{ItemId, ItemType, Scope};
use mere_core::trust::{
    ClaimedTime, Fingerprint, Placement, PublicKey, RegistryOrigin, Roster, RosterMember, Rotation,
    Sidecar, SignedRoster, Statement,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::trust::{Person, SPACE};

const CASES: u32 = 200;

fn ids() -> impl Strategy<Value = String> {
    "[a-z0-9][a-z0-9_-]{0,8}".prop_filter("reserved", |id| id.parse::<ItemId>().is_ok())
}

fn categories() -> impl Strategy<Value = String> {
    prop::collection::vec(ids(), 0..4).prop_map(|levels| levels.join("/"))
}

fn digests() -> impl Strategy<Value = Sha256> {
    any::<[u8; 8]>().prop_map(|bytes| Sha256::digest(&bytes))
}

fn times() -> impl Strategy<Value = ClaimedTime> {
    (0_i64..250_000_000_000).prop_map(|second| {
        ClaimedTime::from_timestamp(Timestamp::from_second(second).expect("a time"))
    })
}

fn statements() -> impl Strategy<Value = Statement> {
    let names = prop::collection::btree_map(".{1,12}", (digests(), 0_u64..u64::MAX / 2), 1..5);
    let versions = (0_u64..99, 0_u64..99, select(&["", "-rc.1", "+build"][..]));
    let kinds = select(ItemType::ALL.to_vec());
    (kinds, ids(), versions, categories(), digests(), names, prop::option::of(ids()), times())
        .prop_map(|(kind, id, version, category, integrity, names, executor, created)| {
            let files = names.into_iter();
            let files = files.map(|(path, (sha256, size))| FileDigest { path, sha256, size });
            Statement {
                kind,
                id: id.parse().expect("an id"),
                version: format!("{}.{}.0{}", version.0, version.1, version.2)
                    .parse()
                    .expect("a version"),
                category: category.parse().expect("a category"),
                integrity,
                files: files.collect(),
                executor: executor.map(|id| id.parse().expect("an id")),
                created,
            }
        })
}

fn placements() -> impl Strategy<Value = Placement> {
    let origins = (".{0,8}", ".{0,8}", ".{0,8}").prop_map(|(registry_id, namespace, version)| {
        RegistryOrigin { registry_id, namespace, version }
    });
    let scopes = select(&[Scope::Project, Scope::User][..]);
    (digests(), scopes, ".{1,40}", ".{0,20}", prop::option::of(origins), times()).prop_map(
        |(statement, scope, space_id, base, origin, created)| Placement {
            statement,
            scope,
            space_id,
            base,
            origin,
            created,
        },
    )
}

fn rosters() -> impl Strategy<Value = Roster> {
    let kinds = || prop::collection::vec(select(ItemType::ALL.to_vec()), 0..3);
    let member =
        (kinds(), prop::collection::vec(categories(), 0..3), prop::option::of(0_i16..9999));
    let members = prop::collection::vec(member, 0..4);
    (1_u8..4, members, any::<u64>(), kinds()).prop_map(|(admins, members, serial, required)| {
        Roster {
            space_id: SPACE.to_owned(),
            serial,
            threshold: usize::from(admins),
            admins: (1..=admins).map(|number| Person::new(number).public()).collect(),
            members: (100..)
                .zip(members)
                .map(|(number, (types, categories, year))| RosterMember {
                    name: format!("Nº {number}"),
                    key: Person::new(number).public(),
                    types,
                    categories: categories.iter().map(|one| one.parse().expect("one")).collect(),
                    not_after: year.map(|year| jiff::civil::date(year, 2, 28)),
                })
                .collect(),
            require_signed: required,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn statements_and_placements_are_read_as_they_are_written(
        statement in statements(), placement in placements(),
    ) {
        prop_assert_eq!(Statement::parse(&statement.payload()), Ok(statement.clone()));
        prop_assert_eq!(Placement::parse(&placement.payload()), Ok(placement.clone()));
        let mut sidecar = Sidecar::new(statement, placement);
        prop_assert!(Sidecar::parse(sidecar.to_text().as_bytes()).is_err(), "nobody signed it");
        Person::new(1).sign(&mut sidecar.author);
        Person::new(2).sign(&mut sidecar.installer);
        prop_assert_eq!(Sidecar::parse(sidecar.to_text().as_bytes()), Ok(sidecar));
    }

    #[test]
    fn a_placement_names_a_space(placement in placements()) {
        let nowhere = Placement { space_id: String::new(), ..placement };
        prop_assert!(Placement::parse(&nowhere.payload()).is_err());
    }

    #[test]
    fn a_payload_has_no_other_spelling(statement in statements(), at in any::<prop::sample::Index>()) {
        let payload = statement.payload();
        let mut spaced = payload.clone();
        let comma = payload.iter().enumerate().filter(|(_, byte)| **byte == b',').map(|(at, _)| at);
        let commas = comma.collect::<Vec<_>>();
        spaced.insert(at.get(&commas) + 1, b' ');
        if serde_json::from_slice::<serde_json::Value>(&spaced).is_ok_and(|value| {
            value == serde_json::from_slice::<serde_json::Value>(&payload).expect("JSON")
        }) {
            prop_assert!(Statement::parse(&spaced).is_err());
        }
        let more = [&payload[..payload.len() - 1], b",\"z\":1}"].concat();
        prop_assert!(Statement::parse(&more).is_err());
    }

    #[test]
    fn rosters_are_read_as_they_are_written(roster in rosters()) {
        let text = format!("{:#}", roster.to_json());
        prop_assert_eq!(Roster::parse(text.as_bytes()), Ok(roster.clone()));
        let mut signed = SignedRoster { envelope: roster.envelope(), roster };
        for number in 1..=signed.roster.threshold {
            prop_assert!(!signed.is_complete());
            Person::new(u8::try_from(number).expect("few")).sign(&mut signed.envelope);
        }
        prop_assert!(signed.is_complete());
        let read = SignedRoster::parse(text.as_bytes(), signed.to_sidecar_text().as_bytes());
        prop_assert_eq!(read.as_ref(), Ok(&signed));
        let other = text.replacen("\"v\": 1", "\"v\": 1, \"more\": 1", 1);
        prop_assert!(SignedRoster::parse(other.as_bytes(), signed.to_sidecar_text().as_bytes()).is_err());
    }

    #[test]
    fn rotations_need_both(created in times()) {
        let (old, new, other) = (Person::new(1), Person::new(2), Person::new(3));
        let rotation = Rotation { old: old.public(), new: new.public(), created };
        let mut envelope = rotation.envelope();
        for person in [&old, &other] {
            person.sign(&mut envelope);
            prop_assert!(Rotation::parse(Rotation::to_file_text(&envelope).as_bytes()).is_err());
        }
        new.sign(&mut envelope);
        prop_assert_eq!(Rotation::parse(Rotation::to_file_text(&envelope).as_bytes()), Ok(rotation));
    }

    #[test]
    fn fingerprints_are_read_as_they_are_written(bytes in any::<[u8; 32]>()) {
        let Ok(key) = PublicKey::from_bytes(&SigningKey::from_bytes(&bytes).verifying_key().to_bytes())
        else {
            return Ok(());
        };
        prop_assert_eq!(key.to_string().parse::<PublicKey>(), Ok(key.clone()));
        let name = key.fingerprint();
        prop_assert_eq!(name.to_string().parse::<Fingerprint>(), Ok(name));
    }
}

#[test]
fn a_roster_follows_only_what_its_admins_signed() {
    let people = [1, 2, 3, 4].map(Person::new);
    let roster = |admins: &[usize], threshold, serial| Roster {
        space_id: SPACE.to_owned(),
        serial,
        threshold,
        admins: admins.iter().map(|at| people[*at].public()).collect(),
        members: Vec::new(),
        require_signed: vec![ItemType::Tool],
    };
    let first = roster(&[0, 1], 2, 5);
    for (next, signers, follows) in [
        (roster(&[0, 1], 2, 6), &[0, 1][..], true),
        (roster(&[0, 1], 2, 5), &[0, 1], false),
        (roster(&[0, 1], 2, 4), &[0, 1], false),
        (roster(&[0, 1], 2, 6), &[0], false),
        (roster(&[0, 1], 1, 6), &[0], false),
        (roster(&[2], 1, 6), &[2], false),
        (roster(&[2], 1, 6), &[0, 1], false),
        (roster(&[2], 1, 6), &[0, 1, 2], true),
        (Roster { space_id: "other".to_owned(), ..roster(&[0, 1], 2, 6) }, &[0, 1], false),
    ] {
        let mut signed = SignedRoster { envelope: next.envelope(), roster: next };
        for at in signers {
            people[*at].sign(&mut signed.envelope);
        }
        assert_eq!(signed.can_follow(&first), follows, "{:?} by {signers:?}", signed.roster);
    }
    let broken = [
        ("threshold", json!(0)),
        ("threshold", json!(3)),
        ("admins", json!([])),
        ("members", json!([{ "name": "", "key": people[3].public().to_string() }])),
        ("members", json!([{ "name": "a", "key": "ssh-ed25519 AAAA" }])),
        ("members", json!([{ "name": "a", "key": people[3].public().to_string(), "role": "x" }])),
        ("require_signed", json!(["skill"])),
        ("v", json!(2)),
        ("more", json!(1)),
    ];
    for (key, value) in broken {
        let mut text = first.to_json();
        text[key] = value;
        assert!(Roster::parse(text.to_string().as_bytes()).is_err(), "{text}");
    }
}
