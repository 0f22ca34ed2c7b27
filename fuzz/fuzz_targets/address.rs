//! Any text is refused or becomes an address that prints and parses to itself.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::address::{Address, Root, Spoken};
use mere_core::cursor::Cursor;

fuzz_target!(|text: &str| {
    let _ = text.parse::<Cursor>();
    let Ok(spoken) = text.parse::<Spoken>() else { return };
    let address = spoken.address(&Root::Project);
    let printed = address.to_string();
    assert!(printed.starts_with("ROOT_") || printed.starts_with("mod:"));
    assert!(!printed.contains("/../") && !printed.ends_with("/..") && !printed.contains('\\'));
    assert_eq!(printed.parse::<Address>().is_ok(), address.is_within_length_limit());
    assert!(!address.is_within_length_limit() || printed.parse::<Address>() == Ok(address));
});
