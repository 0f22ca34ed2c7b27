//! The sidecar of a signed item: cut, swapped, put together from others, signed by others.

use serde_json::{Value, json};

use crate::matrix::attacks::{Expected, check, check_all, misplaced, run_cases};
use crate::matrix::items::{Signed, TestItem, decode, encode, kinds, read, sign_all};
use crate::support::harness::Mcp;

const BAD: Expected = Expected::Broken("bad-signature");
const ENVELOPES: [&str; 2] = ["statement", "placement"];

/// A case that changes the sidecar as JSON.
fn with(signed: &Signed, case: &str, change: impl Fn(&TestItem, &mut Value), expected: &Expected) {
    let stage = signed.copy();
    let found = kinds().map(|item| {
        let mut sidecar = item.read_sidecar(&stage);
        change(&item, &mut sidecar);
        item.write_sidecar(&stage, &sidecar);
        (item, expected.clone())
    });
    check_all(&stage, case, &found);
}

#[test]
fn without_a_sidecar_it_is_unsigned() {
    run_cases(
        &Signed::new(),
        &[("deleted", |stage, item| {
            std::fs::remove_file(stage.path(&item.sidecar())).expect("removed");
            Some((item.clone(), Expected::Warned("unsigned")))
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
        let found = kinds().map(|item| {
            stage.file(&item.sidecar(), &change(&read(&stage, &item.sidecar())));
            (item, expected.clone())
        });
        check_all(&stage, case, &found);
    }
}

#[test]
fn a_sidecar_is_whole_or_none_at_every_offset() {
    let stage = Signed::new().copy();
    let kinds = kinds();
    let mut mcp = Mcp::greeted(&stage, &[]);
    for item in [&kinds[0], &kinds[2], &kinds[3]] {
        let whole = read(&stage, &item.sidecar());
        let load = json!({ "item_type": item.kind, "item_id": item.reference() });
        for end in 0..whole.len() {
            stage.file(&item.sidecar(), &whole[..end]);
            let reply = mcp.call("load", &load);
            assert_eq!(reply["code"], "IT-TRUST-E-004", "{end}: {reply}");
            assert!(!reply.to_string().contains("BODY"), "{end}: {reply}");
        }
        stage.file(&item.sidecar(), &whole);
        assert_eq!(mcp.call("load", &load)["data"]["trust"]["status"], "verified");
    }
}

#[test]
fn a_sidecar_is_of_its_own_item() {
    let signed = Signed::new();
    let kinds = kinds();
    for (item, other) in kinds.iter().zip(kinds.iter().cycle().skip(1)) {
        let stage = signed.copy();
        let [own, foreign] = [item, other].map(|one| one.read_sidecar(&stage));
        item.write_sidecar(&stage, &foreign);
        other.write_sidecar(&stage, &own);
        let field = if item.kind == other.kind { "id" } else { "type" };
        let found = [(item, other), (other, item)]
            .map(|(item, home)| (item.clone(), misplaced(field, home, item)));
        check_all(&stage, "swapped", &found);
        for envelope in ENVELOPES {
            let mut sidecar = own.clone();
            sidecar[envelope] = foreign[envelope].clone();
            item.write_sidecar(&stage, &sidecar);
            check(&stage, &format!("the {envelope} of another item"), item, &BAD);
        }
    }
}

#[test]
fn its_parts_stay_what_they_are() {
    let signed = Signed::new();
    with(
        &signed,
        "envelopes swapped",
        |_, sidecar| {
            let [statement, placement] = ENVELOPES.map(|key| sidecar[key].clone());
            *sidecar = json!({ "statement": placement, "placement": statement });
        },
        &BAD,
    );
    with(
        &signed,
        "payload types swapped",
        |_, sidecar| {
            let [one, other] = ENVELOPES.map(|key| sidecar[key]["payloadType"].clone());
            sidecar["statement"]["payloadType"] = other;
            sidecar["placement"]["payloadType"] = one;
        },
        &BAD,
    );
    with(
        &signed,
        "signatures swapped",
        |_, sidecar| {
            let [one, other] = ENVELOPES.map(|key| sidecar[key]["signatures"].clone());
            sidecar["statement"]["signatures"] = other;
            sidecar["placement"]["signatures"] = one;
        },
        &BAD,
    );
    for envelope in ENVELOPES {
        with(
            &signed,
            "one is missing",
            |_, sidecar| {
                sidecar.as_object_mut().expect("an object").remove(envelope);
            },
            &BAD,
        );
        with(
            &signed,
            "no signatures",
            |_, sidecar| sidecar[envelope]["signatures"] = json!([]),
            &BAD,
        );
        with(
            &signed,
            "a letter of the payload",
            |_, sidecar| {
                let payload = sidecar[envelope]["payload"].as_str().expect("a text");
                let changed = if payload.starts_with("eyJ") { "eyK" } else { "eyJ" };
                sidecar[envelope]["payload"] = format!("{changed}{}", &payload[3..]).into();
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
            |_, sidecar| {
                let payload = decode(&sidecar[envelope]["payload"]);
                assert!(payload.contains(from), "{payload}");
                let forged = encode(&payload.replacen(from, to, 1));
                sidecar[envelope]["payload"] = forged.into();
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
    let theirs = |item: &TestItem| item.read_sidecar(&another);
    with(&signed, "another's", |item, sidecar| *sidecar = theirs(item), &unknown);
    with(
        &signed,
        "another's, who does not say so",
        |item, sidecar| {
            *sidecar = theirs(item);
            for envelope in ENVELOPES {
                remove_name(sidecar, envelope);
            }
        },
        &Expected::Broken("bad-signature"),
    );
    for envelope in ENVELOPES {
        with(
            &signed,
            "another's, in our name",
            |item, sidecar| {
                let own = sidecar[envelope]["signatures"][0]["keyid"].clone();
                *sidecar = theirs(item);
                sidecar[envelope]["signatures"][0]["keyid"] = own;
            },
            &BAD,
        );
        with(
            &signed,
            "ours, in another's name",
            |item, sidecar| {
                let name = theirs(item)[envelope]["signatures"][0]["keyid"].clone();
                sidecar[envelope]["signatures"][0]["keyid"] = name;
            },
            &unknown,
        );
        let stage = signed.copy();
        let half = kinds().map(|item| {
            let (mut sidecar, theirs) = (item.read_sidecar(&stage), theirs(&item));
            let same = sidecar["statement"]["payload"] == theirs["statement"]["payload"];
            sidecar[envelope] = theirs[envelope].clone();
            item.write_sidecar(&stage, &sidecar);
            // Both may have signed in the same second; then the statements are the same.
            (item, if same { unknown.clone() } else { BAD })
        });
        check_all(&stage, "half another's", &half);
    }
}

#[test]
fn of_two_signatures_none_may_be_wrong_that_can_be_checked() {
    let signed = Signed::new();
    let another = signed.by_another();
    for envelope in ENVELOPES {
        let both = |sidecar: &Value, more: Value, first: bool| {
            let own = sidecar[envelope]["signatures"][0].clone();
            if first { json!([more, own]) } else { json!([own, more]) }
        };
        for first in [true, false] {
            with(
                &signed,
                "one of ours is wrong",
                |item, sidecar| {
                    let mut wrong = item.read_sidecar(&another)[envelope]["signatures"][0].clone();
                    wrong["keyid"] = sidecar[envelope]["signatures"][0]["keyid"].clone();
                    sidecar[envelope]["signatures"] = both(sidecar, wrong, first);
                },
                &BAD,
            );
            with(
                &signed,
                "one of a stranger",
                |item, sidecar| {
                    let unknown = item.read_sidecar(&another)[envelope]["signatures"][0].clone();
                    sidecar[envelope]["signatures"] = both(sidecar, unknown, first);
                },
                &Expected::Verified,
            );
        }
        with(
            &signed,
            "ours, which does not say so",
            |_, sidecar| remove_name(sidecar, envelope),
            &Expected::Broken("bad-signature"),
        );
        with(
            &signed,
            "more than there may be",
            |_, sidecar| {
                let own = sidecar[envelope]["signatures"][0].clone();
                sidecar[envelope]["signatures"] = vec![own; 33].into();
            },
            &BAD,
        );
    }
}

#[test]
fn an_older_signature_is_not_the_newer_ones() {
    let signed = Signed::new();
    let stage = signed.copy();
    let old = kinds().map(|item| (item.read_sidecar(&stage), read(&stage, &item.main())));
    for (item, (_, text)) in kinds().iter().zip(&old) {
        let new = text.replace("BODY", "BODY too").replacen("b0d7", "b0d8", 1);
        stage.file(&item.main(), &new);
    }
    sign_all(&stage);
    check_all(&stage, "signed again", &kinds().map(|item| (item, Expected::Verified)));
    for (item, (sidecar, _)) in kinds().iter().zip(&old) {
        item.write_sidecar(&stage, sidecar);
    }
    let changed = Expected::Broken("changed");
    check_all(&stage, "older signatures", &kinds().map(|item| (item, changed.clone())));
    for (item, (_, text)) in kinds().iter().zip(&old) {
        stage.file(&item.main(), text);
    }
    check_all(&stage, "older items too", &kinds().map(|item| (item, Expected::Verified)));
}

#[test]
fn a_lockfile_keeps_its_version() {
    let stage = Signed::new().copy();
    let item = kinds()[6].clone();
    let to = item.version("1.0.1");
    item.moved(&stage, &to);
    check(&stage, "another version", &to, &Expected::Broken("wrong-version"));
    check(&stage, "where it was", &item, &Expected::Absent);
}

fn remove_name(sidecar: &mut Value, envelope: &str) {
    let mark = sidecar[envelope]["signatures"][0].as_object_mut().expect("a signature");
    mark.remove("keyid");
}
