//! The sidecar of a signed item: cut, swapped, put together from others, signed by others.

use serde_json::{Value, json};

use crate::matrix::attacks::{Expected, check, check_all, misplaced, run_cases};
use crate::matrix::items::{Signed, Spot, decode, encode, kinds, read, sign_all};
use crate::support::harness::Mcp;

const BAD: Expected = Expected::Broken("bad-signature");
const ENVELOPES: [&str; 2] = ["statement", "placement"];

/// A case that changes the sidecar as JSON.
fn with(signed: &Signed, case: &str, change: impl Fn(&Spot, &mut Value), expected: &Expected) {
    let stage = signed.copy();
    let found = kinds().map(|spot| {
        let mut letter = spot.letter(&stage);
        change(&spot, &mut letter);
        spot.reseal(&stage, &letter);
        (spot, expected.clone())
    });
    check_all(&stage, case, &found);
}

#[test]
fn without_a_sidecar_it_is_unsigned() {
    run_cases(
        &Signed::new(),
        &[("deleted", |stage, spot| {
            std::fs::remove_file(stage.path(&spot.sidecar())).expect("removed");
            Some((spot.clone(), Expected::Warned("unsigned")))
        })],
    );
}

#[test]
fn a_sidecar_that_is_cut_or_grown_is_none() {
    type Change = fn(&str) -> String;
    let broken: [(&str, Change); 14] = [
        ("empty", |_| String::new()),
        ("a brace", |whole| whole[..1].to_owned()),
        ("a third", |whole| whole[..whole.len() / 3].to_owned()),
        ("half", |whole| whole[..whole.len() / 2].to_owned()),
        ("two less", |whole| whole[..whole.len() - 2].to_owned()),
        ("one less", |whole| whole[..whole.len() - 1].to_owned()),
        ("an empty object", |_| "{}".to_owned()),
        ("null", |_| "null".to_owned()),
        ("twice", |whole| whole.repeat(2)),
        ("more", |whole| format!("{whole} x")),
        ("a NUL", |whole| format!("{whole}\0")),
        ("too large", |whole| format!("{whole}{}", " ".repeat(1024 * 1024))),
        ("a key twice", |whole| whole.replacen('{', "{\"statement\": 1,", 1)),
        ("a key more", |whole| whole.replacen('{', "{\"more\": 1,", 1)),
    ];
    let space: (&str, Change) = ("space around it", |whole| format!("  {whole}\n\n"));
    let signed = Signed::new();
    for (case, change) in broken.into_iter().chain([space]) {
        let stage = signed.copy();
        let expected = if case == space.0 { Expected::Verified } else { BAD };
        let found = kinds().map(|spot| {
            stage.file(&spot.sidecar(), &change(&read(&stage, &spot.sidecar())));
            (spot, expected.clone())
        });
        check_all(&stage, case, &found);
    }
}

#[test]
fn a_sidecar_is_whole_or_none_at_every_offset() {
    let stage = Signed::new().copy();
    let kinds = kinds();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for spot in [&kinds[0], &kinds[2], &kinds[3]] {
        let whole = read(&stage, &spot.sidecar());
        let load = json!({ "item_type": spot.kind, "item_id": spot.reference() });
        for end in 0..whole.len() {
            stage.file(&spot.sidecar(), &whole[..end]);
            let reply = mcp.call("load", &load);
            assert_eq!(reply["code"], "IT-TRUST-E-004", "{end}: {reply}");
            assert!(!reply.to_string().contains("BODY"), "{end}: {reply}");
        }
        stage.file(&spot.sidecar(), &whole);
        assert_eq!(mcp.call("load", &load)["data"]["trust"]["status"], "verified");
    }
}

#[test]
fn a_sidecar_is_of_its_own_item() {
    let signed = Signed::new();
    let kinds = kinds();
    for (spot, other) in kinds.iter().zip(kinds.iter().cycle().skip(1)) {
        let stage = signed.copy();
        let [own, foreign] = [spot, other].map(|one| one.letter(&stage));
        spot.reseal(&stage, &foreign);
        other.reseal(&stage, &own);
        let field = if spot.kind == other.kind { "id" } else { "type" };
        let found = [(spot, other), (other, spot)]
            .map(|(spot, home)| (spot.clone(), misplaced(field, home, spot)));
        check_all(&stage, "swapped", &found);
        for envelope in ENVELOPES {
            let mut letter = own.clone();
            letter[envelope] = foreign[envelope].clone();
            spot.reseal(&stage, &letter);
            check(&stage, &format!("the {envelope} of another item"), spot, &BAD);
        }
    }
}

#[test]
fn its_parts_stay_what_they_are() {
    let signed = Signed::new();
    with(
        &signed,
        "envelopes swapped",
        |_, letter| {
            let [statement, placement] = ENVELOPES.map(|key| letter[key].clone());
            *letter = json!({ "statement": placement, "placement": statement });
        },
        &BAD,
    );
    with(
        &signed,
        "payload types swapped",
        |_, letter| {
            let [one, other] = ENVELOPES.map(|key| letter[key]["payloadType"].clone());
            letter["statement"]["payloadType"] = other;
            letter["placement"]["payloadType"] = one;
        },
        &BAD,
    );
    with(
        &signed,
        "signatures swapped",
        |_, letter| {
            let [one, other] = ENVELOPES.map(|key| letter[key]["signatures"].clone());
            letter["statement"]["signatures"] = other;
            letter["placement"]["signatures"] = one;
        },
        &BAD,
    );
    for envelope in ENVELOPES {
        with(
            &signed,
            "one is missing",
            |_, letter| {
                letter.as_object_mut().expect("an object").remove(envelope);
            },
            &BAD,
        );
        with(
            &signed,
            "no signatures",
            |_, letter| letter[envelope]["signatures"] = json!([]),
            &BAD,
        );
        with(
            &signed,
            "a letter of the payload",
            |_, letter| {
                let payload = letter[envelope]["payload"].as_str().expect("a text");
                let changed = if payload.starts_with("eyJ") { "eyK" } else { "eyJ" };
                letter[envelope]["payload"] = format!("{changed}{}", &payload[3..]).into();
            },
            &BAD,
        );
    }
}

#[test]
fn what_a_payload_says_is_what_was_signed() {
    let signed = Signed::new();
    for (envelope, from, to) in [
        ("statement", "\"v\":1", "\"v\":1 "),
        ("statement", "\"version\":\"", "\"version\":\"9"),
        ("statement", "\"category\":\"", "\"category\":\"x"),
        ("statement", "\"created\":\"2", "\"created\":\"3"),
        ("placement", "\"scope\":\"project\"", "\"scope\":\"user\""),
        ("placement", "\"origin\":null", "\"origin\":null,\"more\":1"),
        ("placement", "\"base\":\"", "\"base\":\"x"),
    ] {
        with(
            &signed,
            &format!("{from} is {to}"),
            |_, letter| {
                let payload = decode(&letter[envelope]["payload"]);
                assert!(payload.contains(from), "{payload}");
                let forged = encode(&payload.replacen(from, to, 1));
                letter[envelope]["payload"] = forged.into();
            },
            &BAD,
        );
    }
}

#[test]
fn by_a_key_that_nobody_trusts_it_counts_for_little() {
    let signed = Signed::new();
    let another = signed.by_another();
    let unknown = Expected::Warned("unknown-key");
    let theirs = |spot: &Spot| spot.letter(&another);
    with(&signed, "another's", |spot, letter| *letter = theirs(spot), &unknown);
    with(
        &signed,
        "another's, who does not say so",
        |spot, letter| {
            *letter = theirs(spot);
            for envelope in ENVELOPES {
                remove_name(letter, envelope);
            }
        },
        &Expected::Broken("bad-signature"),
    );
    for envelope in ENVELOPES {
        with(
            &signed,
            "another's, in our name",
            |spot, letter| {
                let own = letter[envelope]["signatures"][0]["keyid"].clone();
                *letter = theirs(spot);
                letter[envelope]["signatures"][0]["keyid"] = own;
            },
            &BAD,
        );
        with(
            &signed,
            "ours, in another's name",
            |spot, letter| {
                let name = theirs(spot)[envelope]["signatures"][0]["keyid"].clone();
                letter[envelope]["signatures"][0]["keyid"] = name;
            },
            &unknown,
        );
        let stage = signed.copy();
        let half = kinds().map(|spot| {
            let (mut letter, theirs) = (spot.letter(&stage), theirs(&spot));
            let same = letter["statement"]["payload"] == theirs["statement"]["payload"];
            letter[envelope] = theirs[envelope].clone();
            spot.reseal(&stage, &letter);
            // Both may have signed in the same second; then the statements are the same.
            (spot, if same { unknown.clone() } else { BAD })
        });
        check_all(&stage, "half another's", &half);
    }
}

#[test]
fn of_two_signatures_none_may_be_wrong_that_can_be_checked() {
    let signed = Signed::new();
    let another = signed.by_another();
    for envelope in ENVELOPES {
        let both = |letter: &Value, more: Value, first: bool| {
            let own = letter[envelope]["signatures"][0].clone();
            if first { json!([more, own]) } else { json!([own, more]) }
        };
        for first in [true, false] {
            with(
                &signed,
                "one of ours is wrong",
                |spot, letter| {
                    let mut wrong = spot.letter(&another)[envelope]["signatures"][0].clone();
                    wrong["keyid"] = letter[envelope]["signatures"][0]["keyid"].clone();
                    letter[envelope]["signatures"] = both(letter, wrong, first);
                },
                &BAD,
            );
            with(
                &signed,
                "one of a stranger",
                |spot, letter| {
                    let strange = spot.letter(&another)[envelope]["signatures"][0].clone();
                    letter[envelope]["signatures"] = both(letter, strange, first);
                },
                &Expected::Verified,
            );
        }
        with(
            &signed,
            "ours, which does not say so",
            |_, letter| remove_name(letter, envelope),
            &Expected::Broken("bad-signature"),
        );
        with(
            &signed,
            "more than there may be",
            |_, letter| {
                let own = letter[envelope]["signatures"][0].clone();
                letter[envelope]["signatures"] = vec![own; 33].into();
            },
            &BAD,
        );
    }
}

#[test]
fn an_older_signature_is_not_the_newer_ones() {
    let signed = Signed::new();
    let stage = signed.copy();
    let old = kinds().map(|spot| (spot.letter(&stage), read(&stage, &spot.main())));
    for (spot, (_, text)) in kinds().iter().zip(&old) {
        let new = text.replace("BODY", "BODY too").replacen("b0d7", "b0d8", 1);
        stage.file(&spot.main(), &new);
    }
    sign_all(&stage);
    check_all(&stage, "signed again", &kinds().map(|spot| (spot, Expected::Verified)));
    for (spot, (letter, _)) in kinds().iter().zip(&old) {
        spot.reseal(&stage, letter);
    }
    let changed = Expected::Broken("changed");
    check_all(&stage, "older signatures", &kinds().map(|spot| (spot, changed.clone())));
    for (spot, (_, text)) in kinds().iter().zip(&old) {
        stage.file(&spot.main(), text);
    }
    check_all(&stage, "older items too", &kinds().map(|spot| (spot, Expected::Verified)));
}

#[test]
fn a_lockfile_keeps_its_version() {
    let stage = Signed::new().copy();
    let spot = kinds()[6].clone();
    let to = spot.version("1.0.1");
    spot.moved(&stage, &to);
    check(&stage, "another version", &to, &Expected::Broken("wrong-version"));
    check(&stage, "where it was", &spot, &Expected::Absent);
}

fn remove_name(letter: &mut Value, envelope: &str) {
    let mark = letter[envelope]["signatures"][0].as_object_mut().expect("a signature");
    mark.remove("keyid");
}
