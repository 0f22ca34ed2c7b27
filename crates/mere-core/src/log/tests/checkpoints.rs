//! Which checkpoints are trusted: each thing that can be wrong has a refusal of its own.

use super::{MemoryLog, NOW, ORIGIN, counting_leaf, log_signer, time, yank_of};
use crate::log::{
    Checkpoint, CheckpointPolicy, CheckpointRefusal, ConsistencyProof, Freshness, LogSigner,
    MAX_CLOCK_LEAD_SECONDS, NoteError, OfferedCheckpoint, ProofError, SignedCheckpoint, TreeHash,
    TreeHead, TrustedCheckpoint, WitnessPolicy, WitnessPolicyError, WitnessSigner,
};

const DAY: u64 = 24 * 60 * 60;

fn policy() -> CheckpointPolicy {
    CheckpointPolicy {
        log_key: log_signer().key().clone(),
        witnesses: WitnessPolicy::default(),
        freshness: Freshness::Within(DAY),
    }
}

fn witness(seed: u8) -> WitnessSigner {
    let name = format!("witness.example/w{seed}").parse().expect("a name");
    WitnessSigner::new(name, &[seed; 32]).expect("a key")
}

/// Asks whether the present state of a log is trusted by somebody who saw a part of it.
fn judge_log(
    policy: &CheckpointPolicy,
    log: &MemoryLog,
    seen: Option<TreeHead>,
) -> Result<TrustedCheckpoint, CheckpointRefusal> {
    let proof = log.tree(log.head().size).growth_proof(seen).expect("tiles");
    let offered = OfferedCheckpoint { checkpoint: log.sign(NOW - 60), proof };
    policy.judge(offered, seen, time(NOW))
}

fn judge_first(checkpoint: SignedCheckpoint) -> Result<TrustedCheckpoint, CheckpointRefusal> {
    let proof = ConsistencyProof::default();
    policy().judge(OfferedCheckpoint { checkpoint, proof }, None, time(NOW))
}

#[test]
fn a_checkpoint_is_read_as_it_is_written() {
    let signed = MemoryLog::counting(5).sign(NOW);
    let text = signed.to_string();
    let body =
        format!("{ORIGIN}\n5\n{}\ntime {NOW}\n\n— {ORIGIN} ", MemoryLog::counting(5).head().root);
    assert!(text.starts_with(&body), "{text}");
    assert_eq!(SignedCheckpoint::parse(text.as_bytes()), Ok(signed));
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let root = TreeHash::leaf(b"x");
    for good in [
        format!("log.example\n1\n{root}\n"),
        format!("log.example\n1\n{root}\nanything\ntime 7\n"),
        format!("log.example\n0\n{}\n", TreeHash::empty_tree()),
    ] {
        let checkpoint = good.parse::<Checkpoint>().expect("a checkpoint");
        assert_eq!(checkpoint.to_string(), good);
    }
    for bad in [
        String::new(),
        "\n".to_owned(),
        format!("log.example\n1\n{root}"),
        format!("\n1\n{root}\n"),
        format!("log example\n1\n{root}\n"),
        format!("log.example\n01\n{root}\n"),
        format!("log.example\n+1\n{root}\n"),
        format!("log.example\n-1\n{root}\n"),
        format!("log.example\n9223372036854775808\n{root}\n"),
        "log.example\n1\nAAAA\n".to_owned(),
        format!("log.example\n0\n{root}\n"),
        format!("log.example\n1\n{root}\n\ntime 7\n"),
        format!("log.example\n1\n{root}\n{}", "more\n".repeat(17)),
    ] {
        assert_eq!(bad.parse::<Checkpoint>(), Err(NoteError::Form), "{bad}");
    }
    let time_of = |lines: &str| {
        let checkpoint = format!("log.example\n1\n{root}\n{lines}").parse::<Checkpoint>();
        checkpoint.expect("a checkpoint").time()
    };
    assert_eq!(time_of("time 7\n"), Some(time(7)));
    for none in ["", "time x\n", "time 07\n", "Time 7\n", "time 7\ntime 8\n"] {
        assert_eq!(time_of(none), None, "{none}");
    }
}

#[test]
fn a_log_that_grows_is_trusted() {
    for (old, new) in [(0, 0), (0, 9), (1, 9), (3, 9), (8, 9), (9, 9), (255, 300)] {
        let seen = MemoryLog::counting(old).head();
        let log = MemoryLog::counting(new);
        let trusted = judge_log(&policy(), &log, Some(seen)).expect("trusted");
        assert_eq!((trusted.head(), trusted.time()), (log.head(), time(NOW - 60)));
    }
    assert!(judge_log(&policy(), &MemoryLog::counting(9), None).is_ok());
}

#[test]
fn an_older_log_is_refused() {
    let seen = MemoryLog::counting(9).head();
    let refusal = CheckpointRefusal::Older { offered: 8, seen: 9 };
    assert_eq!(judge_log(&policy(), &MemoryLog::counting(8), Some(seen)), Err(refusal));
    // Older is worse than stale, and is what is said.
    let stale = MemoryLog::counting(8).sign(NOW - 2 * DAY);
    let offered = OfferedCheckpoint { checkpoint: stale, proof: ConsistencyProof::default() };
    assert_eq!(policy().judge(offered, Some(seen), time(NOW)), Err(refusal));
}

#[test]
fn a_forked_log_is_refused() {
    for (common, old, new) in [(2, 5, 9), (2, 8, 9), (8, 9, 9), (0, 1, 2), (299, 300, 600)] {
        let mut log = MemoryLog::counting(common);
        while log.frontier.size() < new {
            log.append(TreeHash::leaf(b"another history"));
        }
        let seen = MemoryLog::counting(old).head();
        let judged = judge_log(&policy(), &log, Some(seen));
        assert_eq!(judged, Err(CheckpointRefusal::Forked), "{common} {old} {new}");
    }
}

#[test]
fn growth_without_a_proof_is_refused() {
    let log = MemoryLog::counting(9);
    let seen = MemoryLog::counting(5).head();
    let right = log.tree(9).growth_proof(Some(seen)).expect("tiles");
    let mut changed = right.clone();
    changed.hashes[0] = TreeHash::leaf(b"x");
    let mut longer = right;
    longer.hashes.push(TreeHash::leaf(b"x"));
    for proof in [ConsistencyProof::default(), changed, longer] {
        let offered = OfferedCheckpoint { checkpoint: log.sign(NOW), proof };
        let judged = policy().judge(offered, Some(seen), time(NOW));
        assert_eq!(judged, Err(CheckpointRefusal::Unproven));
    }
}

#[test]
fn a_checkpoint_has_to_be_of_now() {
    let log = MemoryLog::counting(3);
    for (seconds, expected) in [
        (NOW, None),
        (NOW - DAY, None),
        (NOW + MAX_CLOCK_LEAD_SECONDS, None),
        (
            NOW - DAY - 1,
            Some(CheckpointRefusal::Stale { age_seconds: DAY + 1, max_age_seconds: DAY }),
        ),
        (NOW + 301, Some(CheckpointRefusal::FromTheFuture { ahead_seconds: 301 })),
    ] {
        assert_eq!(judge_first(log.sign(seconds)).err(), expected, "{seconds}");
    }
    let folder = CheckpointPolicy { freshness: Freshness::Unbounded, ..policy() };
    let judge = |seconds| {
        let proof = ConsistencyProof::default();
        folder.judge(OfferedCheckpoint { checkpoint: log.sign(seconds), proof }, None, time(NOW))
    };
    assert!(judge(0).is_ok());
    assert!(matches!(judge(NOW + 301), Err(CheckpointRefusal::FromTheFuture { .. })));
}

#[test]
fn only_the_pinned_key_counts() {
    let log = MemoryLog::counting(3);
    let sign = |origin: &str, signer: &LogSigner| {
        let checkpoint = Checkpoint::new(origin.parse().expect("a name"), log.head(), time(NOW));
        SignedCheckpoint::sign(checkpoint, signer).expect("a checkpoint")
    };
    let other_key = LogSigner::new(ORIGIN.parse().expect("a name"), &[2; 32]).expect("a key");
    assert_eq!(judge_first(sign(ORIGIN, &other_key)), Err(CheckpointRefusal::BadSignature));
    let other_log = sign("merestone-registry/other", &log_signer());
    assert_eq!(judge_first(other_log), Err(CheckpointRefusal::OtherLog));
    let text = log.sign(NOW).to_string();
    for (from, to) in [("\n3\n", "\n4\n"), ("time 18", "time 17")] {
        let changed = SignedCheckpoint::parse(text.replacen(from, to, 1).as_bytes());
        let judged = judge_first(changed.expect("a checkpoint"));
        assert_eq!(judged, Err(CheckpointRefusal::BadSignature), "{to}");
    }
    let root = log.head().root;
    let timeless = format!("{ORIGIN}\n3\n{root}\n").parse::<Checkpoint>().expect("a checkpoint");
    let timeless = SignedCheckpoint::sign(timeless, &log_signer()).expect("a checkpoint");
    assert_eq!(judge_first(timeless), Err(CheckpointRefusal::WithoutTime));
}

#[test]
fn enough_witnesses_have_to_co_sign() {
    let log = MemoryLog::counting(3);
    let keys = [11, 12, 13].map(|seed| witness(seed).key().clone()).to_vec();
    let witnesses = WitnessPolicy::new(2, keys).expect("witnesses");
    let policy = CheckpointPolicy { witnesses, ..policy() };
    let judge = |seeds: &[u8]| {
        let mut checkpoint = log.sign(NOW);
        for seed in seeds {
            let cosignature = witness(*seed).cosign(checkpoint.note(), time(NOW));
            checkpoint.add_signature(cosignature);
        }
        let proof = ConsistencyProof::default();
        policy.judge(OfferedCheckpoint { checkpoint, proof }, None, time(NOW))
    };
    assert!(judge(&[11, 13]).is_ok() && judge(&[13, 12, 11, 99]).is_ok());
    for (seeds, found) in [(&[][..], 0), (&[11], 1), (&[11, 11], 1), (&[11, 98, 99], 1)] {
        let refusal = CheckpointRefusal::TooFewWitnesses { found, needed: 2 };
        assert_eq!(judge(seeds), Err(refusal), "{seeds:?}");
    }
    // A cosignature of another checkpoint is not one of this.
    let mut checkpoint = log.sign(NOW);
    let of_another = witness(11).cosign(log.sign(NOW - 1).note(), time(NOW));
    checkpoint.add_signature(of_another);
    assert_eq!(policy.check_signatures(&checkpoint), Err(CheckpointRefusal::BadSignature));
}

#[test]
fn one_witness_does_not_count_twice() {
    let key = witness(11).key().clone();
    let twice = WitnessPolicy::new(2, vec![key.clone(), key.clone()]);
    assert_eq!(twice, Err(WitnessPolicyError::Duplicate));
    let renamed = WitnessSigner::new("other.example".parse().expect("a name"), &[11; 32]);
    let renamed = renamed.expect("a key").key().clone();
    let both = WitnessPolicy::new(2, vec![key.clone(), renamed]);
    assert_eq!(both, Err(WitnessPolicyError::Duplicate));
    let none = WitnessPolicy::new(2, vec![key]);
    assert_eq!(none, Err(WitnessPolicyError::Threshold));
    let of_a_log = WitnessPolicy::new(1, vec![log_signer().key().clone()]);
    assert_eq!(of_a_log, Err(WitnessPolicyError::NotAWitness));
}

#[test]
fn an_entry_is_in_the_log_or_it_is_not() {
    let mut log = MemoryLog::counting(4);
    log.append(yank_of("1.0.0").leaf().hash());
    log.append(counting_leaf(5));
    let trusted = judge_log(&policy(), &log, None).expect("trusted");
    let proof = log.tree(6).inclusion_proof(4).expect("a proof");
    let included = trusted.verify_inclusion(yank_of("1.0.0"), &proof).expect("included");
    assert_eq!((included.index(), included.disclosure()), (4, &yank_of("1.0.0")));
    let other = trusted.verify_inclusion(yank_of("1.0.1"), &proof);
    assert_eq!(other, Err(ProofError::OtherRoot));
    let elsewhere = log.tree(6).inclusion_proof(3).expect("a proof");
    let elsewhere = trusted.verify_inclusion(yank_of("1.0.0"), &elsewhere);
    assert_eq!(elsewhere, Err(ProofError::OtherRoot));
}
