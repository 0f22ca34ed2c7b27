//! Offline proofs: they verify with the pinned key alone, and no field of them can be changed.

use serde_json::{Value, json};

use super::{MemoryLog, NOW, ORIGIN, counting_leaf, log_signer, yank_of};
use crate::log::{
    CheckpointRefusal, EntryDisclosure, EntryNonce, LogSigner, MAX_OFFLINE_PROOF_BYTES,
    OfflineProof, OfflineProofError, ProofError,
};

fn prove(disclosure: EntryDisclosure) -> OfflineProof {
    let mut log = MemoryLog::counting(300);
    log.append(disclosure.leaf().hash());
    log.append(counting_leaf(301));
    let inclusion = log.tree(302).inclusion_proof(300).expect("a proof");
    OfflineProof { disclosure, inclusion, checkpoint: log.sign(NOW) }
}

fn sealed() -> EntryDisclosure {
    EntryDisclosure::sealed(yank_of("1.0.0").event, EntryNonce::new([7; 32]))
}

#[test]
fn a_proof_verifies_with_the_key_alone() {
    for disclosure in [yank_of("1.0.0"), sealed()] {
        let proof = prove(disclosure.clone());
        let parsed = OfflineProof::parse(proof.to_text().as_bytes()).expect("a proof");
        assert_eq!(parsed, proof);
        let included = parsed.verify(log_signer().key()).expect("included");
        assert_eq!((included.index(), included.disclosure()), (300, &disclosure));
    }
}

#[test]
fn a_proof_with_another_key_shows_nothing() {
    let proof = prove(sealed());
    let other = LogSigner::new(ORIGIN.parse().expect("a name"), &[2; 32]).expect("a key");
    let expected = OfflineProofError::Checkpoint(CheckpointRefusal::BadSignature);
    assert_eq!(proof.verify(other.key()), Err(expected));
}

#[test]
fn every_changed_field_is_noticed() {
    let proof = prove(sealed());
    let text = proof.to_text();
    let value = serde_json::from_str::<Value>(&text).expect("JSON");
    let with = |pointer: &str, changed: Value| {
        let mut value = value.clone();
        *value.pointer_mut(pointer).expect("a field") = changed;
        OfflineProof::parse(value.to_string().as_bytes())
    };
    let refused = [
        ("/entry/version", json!("1.0.1")),
        ("/entry/id", json!("jwu")),
        ("/entry/namespace", json!("acne")),
        ("/entry/type", json!("directive")),
        ("/entry/at", json!("2026-01-31T23:59:58Z")),
        ("/nonce", json!("08".repeat(32))),
        ("/index", json!(301)),
        ("/inclusion/0", value["inclusion"][1].clone()),
    ];
    for (pointer, changed) in refused {
        let changed = with(pointer, changed).expect("well formed");
        let judged = changed.verify(log_signer().key());
        assert!(matches!(judged, Err(OfflineProofError::Inclusion(_))), "{pointer}");
    }
    let older = MemoryLog::counting(302).sign(NOW).to_string();
    let other = with("/checkpoint", json!(older)).expect("well formed");
    let expected = OfflineProofError::Inclusion(ProofError::OtherRoot);
    assert_eq!(other.verify(log_signer().key()), Err(expected));
    for (pointer, changed) in [
        ("/v", json!(2)),
        ("/index", json!("300")),
        ("/index", json!(-1)),
        ("/nonce", json!(null)),
        ("/inclusion", json!("")),
        ("/inclusion/0", json!("AAAA")),
        ("/entry/kind", json!("sealed")),
        ("/entry", json!([])),
        ("/checkpoint", json!("")),
    ] {
        assert!(with(pointer, changed).is_err(), "{pointer}");
    }
}

#[test]
fn a_malformed_document_is_refused() {
    let text = prove(yank_of("1.0.0")).to_text();
    let mut value = serde_json::from_str::<Value>(&text).expect("JSON");
    for key in ["v", "entry", "index", "inclusion", "checkpoint"] {
        let mut value = value.clone();
        value.as_object_mut().expect("an object").remove(key);
        assert!(OfflineProof::parse(value.to_string().as_bytes()).is_err(), "{key}");
    }
    value["more"] = json!(1);
    assert!(OfflineProof::parse(value.to_string().as_bytes()).is_err());
    let twice = text.replacen("\"v\": 1,", "\"v\": 1, \"v\": 1,", 1);
    assert_ne!(twice, text);
    assert!(OfflineProof::parse(twice.as_bytes()).is_err());
    let long = format!("{text}{}", " ".repeat(MAX_OFFLINE_PROOF_BYTES));
    assert!(OfflineProof::parse(long.as_bytes()).is_err());
    for end in (0..text.trim_end().len()).filter(|end| text.is_char_boundary(*end)) {
        assert!(OfflineProof::parse(&text.as_bytes()[..end]).is_err(), "{end}");
    }
}
