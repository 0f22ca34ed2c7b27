//! Tests of the table of reply codes.

use super::codes::{DIR_PWD, GATE_WITHHELD, all};
use crate::reply::{Layer, ReplyType};

#[test]
fn codes_are_unique() {
    let mut printed = all().map(|entry| entry.id.to_string()).collect::<Vec<_>>();
    printed.sort();
    let before = printed.len();
    printed.dedup();
    assert_eq!(printed.len(), before);
}

#[test]
fn only_enforcement_denies() {
    for entry in all() {
        let denies = entry.id.reply_type() == ReplyType::Denied;
        assert!(!denies || entry.id.layer() == Layer::Enforcement, "{}", entry.id);
    }
}

#[test]
fn codes_print_as_the_contract_says() {
    assert_eq!(DIR_PWD.id().to_string(), "WA-DIR-S-001");
    assert_eq!(GATE_WITHHELD.id().to_string(), "MCP-GATE-E-001");
}
