//! Chains that were tampered with, each with what is found.

use ed25519_dalek::{Signer, SigningKey};

use super::*;
use crate::digest::Sha256;
use crate::trust::key::PublicKey;

fn key(seed: u8) -> (SigningKey, PublicKey) {
    let key = SigningKey::from_bytes(&[seed; 32]);
    let public = PublicKey::from_bytes(key.verifying_key().as_bytes()).expect("a key");
    (key, public)
}

fn record(tool: &str) -> RunRecord {
    let time = "2026-01-24T09:30:00.5Z".parse().expect("a time");
    let link = ReceiptLink {
        id: "clean".parse().expect("an id"),
        version: "1.0.0".parse().expect("a version"),
        scope: None,
        category: "data".parse().expect("a category"),
        integrity: Sha256::digest(b"tool"),
    };
    RunRecord {
        began: time,
        ended: time,
        project: Some("p".to_owned()),
        agent: "ada".parse().expect("a name"),
        reader: crate::request::Reader::Agent,
        tool: tool.to_owned(),
        chain: vec![link],
        lockfile: "ROOT_PROJECT:/.ai/lockfiles/data/clean@1.0.0.lock.json".parse().ok(),
        approvals: vec!["secret:TOKEN".to_owned()],
        inputs: Some(Sha256::digest(b"{}")),
        outcome: Some(RunOutcome {
            exit_code: Some(-1),
            end: None,
            duration_ms: 7,
            stdout: Sha256::digest(b"out"),
            stderr: Sha256::digest(b""),
            truncated: false,
        }),
        refused: None,
        replays: None,
    }
}

fn sign(receipt: Receipt, (key, public): &(SigningKey, PublicKey)) -> SignedReceipt {
    let signature = key.sign(&receipt.envelope().message()).to_bytes();
    SignedReceipt::new(receipt, public.fingerprint(), signature)
}

/// A chain of signed receipts that follow a position.
fn chain(length: u64, after: ReceiptPosition, key: &(SigningKey, PublicKey)) -> Vec<SignedReceipt> {
    let mut last = after;
    let receipts = (1..=length).map(|number| {
        let receipt = Receipt {
            id: uuid::Uuid::from_u128(u128::from(number)).into(),
            sequence: last.sequence + 1,
            previous: last.digest,
            head_fault: None,
            run: record(&format!("t{number}")),
        };
        let signed = sign(receipt, key);
        last = signed.position();
        signed
    });
    receipts.collect()
}

fn lines(receipts: &[SignedReceipt]) -> Vec<String> {
    receipts.iter().map(SignedReceipt::to_line).collect()
}

fn check(
    lines: &[String],
    head: Result<ReceiptHead, HeadFault>,
) -> Vec<(Option<u64>, ReceiptFault)> {
    let (_, public) = key(1);
    let mut check = ReceiptChainCheck::new(&public, head);
    for line in lines {
        check.add_line(line.as_bytes());
    }
    check.finish().into_iter().map(|finding| (finding.sequence, finding.fault)).collect()
}

fn head_at(receipts: &[SignedReceipt], number: usize) -> ReceiptHead {
    ReceiptHead { last: receipts[number - 1].position(), ..ReceiptHead::empty() }
}

#[test]
fn a_line_reads_back_and_has_one_spelling() {
    let signed = chain(1, ReceiptPosition::start(), &key(1)).remove(0);
    let line = signed.to_line();
    assert_eq!(SignedReceipt::parse(line.as_bytes()), Ok(signed.clone()));
    assert!(signed.is_signed_by(&key(1).1) && !signed.is_signed_by(&key(2).1));
    for other in [
        format!(" {line}"),
        line.replace("\"tool\":", "\"tool\": "),
        line.replace("\"v\":1", "\"v\":2"),
        line.replace("{\"key\"", "{\"a\":1,\"key\""),
        line.replace("\"agent\":\"ada\",", ""),
    ] {
        assert!(SignedReceipt::parse(other.as_bytes()).is_err(), "{other}");
    }
}

#[test]
fn a_head_reads_back_with_its_own_key_only() {
    let (signing, public) = key(1);
    let last = ReceiptPosition { sequence: u64::MAX, digest: Sha256::digest(b"x") };
    let head = ReceiptHead { last, removed: last };
    let signature = signing.sign(&head.envelope().message()).to_bytes();
    let text = head.to_text(public.fingerprint(), &signature);
    assert_eq!(text.len(), RECEIPT_HEAD_BYTES);
    assert_eq!(ReceiptHead::parse(text.as_bytes(), &public), Ok(head));
    assert!(ReceiptHead::parse(text.as_bytes(), &key(2).1).is_err());
    assert!(ReceiptHead::parse(text.trim_end().as_bytes(), &public).is_err());
    let edited = text.replace("\"removed\":1", "\"removed\":2");
    assert!(ReceiptHead::parse(edited.as_bytes(), &public).is_err());
}

#[test]
fn a_chain_that_nobody_touched_has_no_findings() {
    let all = chain(5, ReceiptPosition::start(), &key(1));
    // The head may lag behind.
    for number in 1..=5 {
        assert_eq!(check(&lines(&all), Ok(head_at(&all, number))), []);
    }
    assert_eq!(check(&lines(&all), Ok(ReceiptHead::empty())), []);
    assert_eq!(check(&[], Ok(ReceiptHead::empty())), []);
    assert_eq!(check(&[], Err(HeadFault::Missing)), []);
}

#[test]
fn what_was_changed_is_named_once() {
    let all = chain(6, ReceiptPosition::start(), &key(1));
    let foreign = chain(6, ReceiptPosition::start(), &key(2));
    let (good, foreign) = (lines(&all), lines(&foreign));
    let changed = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = good.clone();
        change(&mut lines);
        check(&lines, Ok(head_at(&all, 6)))
    };
    let edit = |lines: &mut Vec<String>| lines[2] = lines[2].replace("\"t3\"", "\"t9\"");
    assert_eq!(changed(&edit), [(Some(3), ReceiptFault::Edited)]);
    let garble = |lines: &mut Vec<String>| lines[2].truncate(20);
    assert_eq!(changed(&garble), [(Some(3), ReceiptFault::Unreadable)]);
    let insert = |lines: &mut Vec<String>| lines.insert(2, "{}".to_owned());
    assert_eq!(changed(&insert), [(Some(3), ReceiptFault::Unreadable)]);
    let garble_first = |lines: &mut Vec<String>| lines[0].truncate(20);
    assert_eq!(changed(&garble_first), [(Some(1), ReceiptFault::Unreadable)]);
    let drop = |lines: &mut Vec<String>| drop(lines.drain(1..3));
    assert_eq!(changed(&drop), [(Some(2), ReceiptFault::Dropped { to: 3 })]);
    let behead = |lines: &mut Vec<String>| std::mem::drop(lines.drain(..2));
    assert_eq!(changed(&behead), [(Some(1), ReceiptFault::Dropped { to: 2 })]);
    let swap = |lines: &mut Vec<String>| lines.swap(2, 3);
    assert_eq!(changed(&swap), [(Some(3), ReceiptFault::Reordered)]);
    let repeat = |lines: &mut Vec<String>| lines.insert(4, lines[1].clone());
    assert_eq!(changed(&repeat), [(Some(2), ReceiptFault::Reordered)]);
    let truncate = |lines: &mut Vec<String>| lines.truncate(4);
    assert_eq!(changed(&truncate), [(Some(5), ReceiptFault::TailDropped { to: 6 })]);
    let garble_and_drop = |lines: &mut Vec<String>| {
        lines[1].truncate(20);
        lines.remove(3);
        lines.remove(2);
    };
    let unreadable = (Some(2), ReceiptFault::Unreadable);
    assert_eq!(changed(&garble_and_drop), [unreadable, (Some(3), ReceiptFault::Dropped { to: 4 })]);
    let garble_and_truncate = |lines: &mut Vec<String>| {
        lines[1].truncate(20);
        lines.truncate(2);
    };
    let dropped = (Some(3), ReceiptFault::TailDropped { to: 6 });
    assert_eq!(changed(&garble_and_truncate), [unreadable, dropped]);
    let clear = |lines: &mut Vec<String>| lines.clear();
    assert_eq!(changed(&clear), [(Some(1), ReceiptFault::TailDropped { to: 6 })]);
    let replace = |lines: &mut Vec<String>| lines[2].clone_from(&foreign[2]);
    assert_eq!(changed(&replace), [(Some(3), ReceiptFault::WrongKey)]);
    assert_eq!(check(&good, Err(HeadFault::Missing)), [(None, ReceiptFault::NoHead)]);
    assert_eq!(check(&good, Err(HeadFault::Damaged)), [(None, ReceiptFault::DamagedHead)]);
}

#[test]
fn another_history_of_the_same_key_does_not_fit() {
    let all = chain(4, ReceiptPosition::start(), &key(1));
    let start = ReceiptPosition { sequence: 0, digest: Sha256::digest(b"elsewhere") };
    let other = chain(4, start, &key(1));
    let spliced = [lines(&all[..2]), lines(&other[2..])].concat();
    assert_eq!(check(&spliced, Ok(head_at(&all, 2))), [(Some(3), ReceiptFault::Unlinked)]);
    assert_eq!(
        check(&lines(&other), Ok(head_at(&all, 4))),
        [(Some(1), ReceiptFault::Unlinked), (Some(4), ReceiptFault::OtherHead)]
    );
}

#[test]
fn a_chain_may_begin_where_older_receipts_were_removed() {
    let all = chain(6, ReceiptPosition::start(), &key(1));
    let head = ReceiptHead { last: all[5].position(), removed: all[1].position() };
    assert_eq!(check(&lines(&all[2..]), Ok(head)), []);
    // The process was killed before it had removed them.
    assert_eq!(check(&lines(&all), Ok(head)), []);
    assert_eq!(check(&lines(&all[1..]), Ok(head)), []);
    let dropped = [(Some(3), ReceiptFault::Dropped { to: 3 })];
    assert_eq!(check(&lines(&all[3..]), Ok(head)), dropped);
    let wrong = ReceiptPosition { sequence: 2, digest: Sha256::digest(b"") };
    let head = ReceiptHead { removed: wrong, ..head };
    assert_eq!(check(&lines(&all[2..]), Ok(head)), [(Some(3), ReceiptFault::Unlinked)]);
}

#[test]
fn a_forged_largest_number_does_not_stop_the_check() {
    let all = chain(2, ReceiptPosition::start(), &key(1));
    let forged = Receipt { sequence: u64::MAX, ..all[0].receipt().clone() };
    let forged = sign(forged, &key(2)).to_line();
    let (first, second) = (all[0].to_line(), all[1].to_line());
    let found = check(&[first, forged, "{}".to_owned(), second], Ok(head_at(&all, 2)));
    let expected = [
        (Some(u64::MAX), ReceiptFault::WrongKey),
        (Some(u64::MAX), ReceiptFault::Unreadable),
        (Some(2), ReceiptFault::Reordered),
        (Some(3), ReceiptFault::Dropped { to: u64::MAX - 1 }),
    ];
    assert_eq!(found, expected);
}

#[test]
fn findings_that_are_not_listed_are_counted() {
    let (_, public) = key(1);
    for (lines, listed, left_out) in [(99, 99, 0), (100, 100, 0), (101, 100, 1), (103, 100, 3)] {
        let mut check = ReceiptChainCheck::new(&public, Ok(ReceiptHead::empty()));
        (0..lines).for_each(|_| check.add_line(b"{}"));
        assert_eq!((check.count(), check.left_out()), (lines, left_out));
        assert_eq!(check.finish().len(), listed);
    }
}

#[test]
fn what_a_receipt_says_of_its_run_and_its_head_reads_back() {
    for (fault, name) in
        [(HeadFault::Missing, "\"head\":\"missing\""), (HeadFault::Damaged, "\"head\":\"damaged\"")]
    {
        let mut receipt = chain(1, ReceiptPosition::start(), &key(1))[0].receipt().clone();
        receipt.head_fault = Some(fault);
        receipt.run.reader = crate::request::Reader::Person;
        let signed = sign(receipt, &key(1));
        let line = signed.to_line();
        assert!(line.contains(name) && line.contains("\"reader\":\"person\""), "{line}");
        assert_eq!(SignedReceipt::parse(line.as_bytes()), Ok(signed));
        let other = line.replace(name, "\"head\":\"gone\"");
        assert!(SignedReceipt::parse(other.as_bytes()).is_err(), "{other}");
        assert_eq!(
            check(&[line], Ok(ReceiptHead::empty())),
            [(Some(1), ReceiptFault::WithoutHead(fault))]
        );
    }
}

#[test]
fn the_longest_receipt_is_read_and_a_longer_one_is_not() {
    let of_length = |length: usize| {
        let run = |tool: &str| Receipt {
            run: record(tool),
            ..chain(1, ReceiptPosition::start(), &key(1))[0].receipt().clone()
        };
        let base = sign(run(""), &key(1)).to_line().len();
        sign(run(&"t".repeat(length - base)), &key(1))
    };
    for (length, is_read) in
        [(64 * 1024 - 1, true), (64 * 1024, true), (64 * 1024 + 1, false), (80 * 1024, false)]
    {
        let signed = of_length(length);
        let line = signed.to_line();
        assert_eq!(line.len(), length);
        assert_eq!(SignedReceipt::parse(line.as_bytes()).ok(), is_read.then_some(signed));
    }
}

#[test]
fn two_runs_have_the_same_result_however_long_they_took() {
    let outcome = record("t").outcome.expect("one");
    let same = |other: RunOutcome| outcome.has_same_result(&other);
    assert!(same(outcome.clone()) && same(RunOutcome { duration_ms: 8, ..outcome.clone() }));
    assert!(!same(RunOutcome { exit_code: Some(0), ..outcome.clone() }));
    assert!(!same(RunOutcome { stdout: Sha256::digest(b"other"), ..outcome.clone() }));
    assert!(!same(RunOutcome { truncated: true, ..outcome.clone() }));
}
