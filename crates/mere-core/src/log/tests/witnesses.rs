//! What a witness co-signs: only what continues all that it co-signed before.

use super::{MemoryLog, NOW, ORIGIN, log_signer, time};
use crate::log::{
    ConsistencyProof, LogSigner, MAX_PROOF_HASHES, NoteError, TreeHash, TreeHead, WitnessRefusal,
    WitnessRequest, WitnessSigner, WitnessedSize, format_signatures, parse_signatures,
};

/// The example of C2SP `tlog-witness`.
const EXAMPLE: &str = "old 20852014\n\
    PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n\
    jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n\
    5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n\
    /6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n\
    \n\
    example.com/behind-the-sofa\n\
    20852163\n\
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\
    \n\
    — example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1\
    gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";

fn request(log: &MemoryLog, old_size: u64) -> WitnessRequest {
    let proof = log.tree(log.head().size).consistency_proof(old_size).expect("tiles");
    WitnessRequest { old_size, proof, checkpoint: log.sign(NOW) }
}

fn check(request: WitnessRequest, last: Option<TreeHead>) -> Result<TreeHead, WitnessRefusal> {
    request.check(log_signer().key(), last).map(|cosignable| cosignable.head())
}

#[test]
fn a_request_is_read_as_it_is_written() {
    let parsed = WitnessRequest::parse(EXAMPLE.as_bytes()).expect("a request");
    assert_eq!((parsed.old_size, parsed.proof.hashes.len()), (20_852_014, 4));
    assert_eq!(parsed.checkpoint.checkpoint().head().size, 20_852_163);
    assert_eq!(parsed.to_string(), EXAMPLE);
    let first = request(&MemoryLog::counting(3), 0);
    assert_eq!(WitnessRequest::parse(first.to_string().as_bytes()), Ok(first));
}

#[test]
fn what_is_no_request_is_refused() {
    let hash = "PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n";
    for (from, to) in [
        ("old 20852014", "old 020852014"),
        ("old 20852014", "old -1"),
        ("old 20852014", "old"),
        ("old 20852014", "Old 20852014"),
        ("old 20852014", "old  20852014"),
        ("old 20852014", "old 9223372036854775807"),
        (hash, "x\n"),
        (hash, "PlRNCrwHpqhGrupue0L7\n"),
        (hash, "\n\n"),
        ("\n20852163\n", "\n\n"),
    ] {
        let changed = EXAMPLE.replacen(from, to, 1);
        assert_ne!(changed, EXAMPLE);
        assert_eq!(WitnessRequest::parse(changed.as_bytes()), Err(NoteError::Form), "{changed}");
    }
    let long = EXAMPLE.replacen(hash, &hash.repeat(MAX_PROOF_HASHES), 1);
    assert_eq!(WitnessRequest::parse(long.as_bytes()), Err(NoteError::TooLong));
    for end in (0..EXAMPLE.len()).filter(|end| EXAMPLE.is_char_boundary(*end)) {
        assert!(WitnessRequest::parse(&EXAMPLE.as_bytes()[..end]).is_err(), "{end}");
    }
}

#[test]
fn a_witness_co_signs_what_continues_the_last_tree() {
    let seen = |size| Some(MemoryLog::counting(size).head());
    for (old, new) in [(0, 0), (0, 7), (3, 7), (4, 7), (7, 7)] {
        let log = MemoryLog::counting(new);
        assert_eq!(check(request(&log, old), seen(old)), Ok(log.head()), "{old} {new}");
    }
    assert!(check(request(&MemoryLog::counting(7), 0), None).is_ok());
    let signer = WitnessSigner::new("w.example".parse().expect("a name"), &[9; 32]);
    let signer = signer.expect("a key");
    let cosignable = request(&MemoryLog::counting(7), 0).check(log_signer().key(), None);
    let cosignable = cosignable.expect("co-signable");
    let answer = format_signatures(&[cosignable.cosign(&signer, time(NOW))]);
    let mut checkpoint = cosignable.checkpoint().clone();
    for signature in parse_signatures(&answer).expect("signatures") {
        checkpoint.add_signature(signature);
    }
    assert_eq!(checkpoint.note().check_cosigned_by(signer.key()), Ok(time(NOW)));
    assert_eq!(checkpoint.note().check_signed_by(log_signer().key()), Ok(()));
}

#[test]
fn a_witness_refuses_everything_else_with_the_status_of_the_protocol() {
    let seen = |size| Some(MemoryLog::counting(size).head());
    let log = MemoryLog::counting(7);
    let mut forked = MemoryLog::counting(2);
    while forked.frontier.size() < 7 {
        forked.append(TreeHash::leaf(b"another history"));
    }
    let unproven = WitnessRequest { proof: ConsistencyProof::default(), ..request(&log, 3) };
    let too_old = WitnessRequest { old_size: 8, ..request(&log, 7) };
    for (request, last, refusal, status) in [
        (too_old, seen(8), WitnessRefusal::OldSize, 400),
        (request(&log, 3), seen(4), WitnessRefusal::OtherSize(4), 409),
        (request(&log, 3), None, WitnessRefusal::OtherSize(0), 409),
        (request(&log, 0), seen(4), WitnessRefusal::OtherSize(4), 409),
        (request(&forked, 7), seen(7), WitnessRefusal::OtherRoot(7), 409),
        (request(&forked, 3), seen(3), WitnessRefusal::BadProof, 422),
        (request(&forked, 4), seen(4), WitnessRefusal::BadProof, 422),
        (unproven, seen(3), WitnessRefusal::BadProof, 422),
    ] {
        assert_eq!(refusal.status(), status);
        assert_eq!(check(request, last), Err(refusal));
    }
    let other = LogSigner::new(ORIGIN.parse().expect("a name"), &[2; 32]).expect("a key");
    let refused = request(&log, 0).check(other.key(), None).err();
    assert_eq!(refused, Some(WitnessRefusal::BadSignature));
    assert_eq!(WitnessRefusal::BadSignature.status(), 403);
}

#[test]
fn a_size_has_one_spelling() {
    assert_eq!("20852163\n".parse(), Ok(WitnessedSize(20_852_163)));
    assert_eq!(WitnessedSize(7).to_string(), "7\n");
    for bad in ["", "7", "07\n", "7\n\n", "-7\n", "18446744073709551615\n"] {
        assert_eq!(bad.parse::<WitnessedSize>(), Err(NoteError::Form), "{bad}");
    }
}
