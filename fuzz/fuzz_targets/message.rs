//! Any JSON message either passes, becomes an error, or is dropped; no root leaves.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mere_core::gate::{Gate, Landmark, Seal, StandIn};
use mere_core::text::json;
use mere_core::address::Root;

fuzz_target!(|text: &[u8]| {
    let Ok(message) = json::parse(text) else { return };
    let mark = Landmark { path: "/work/app".to_owned(), stand_in: StandIn::Root(Root::Project) };
    let seal = Seal::new(uuid::Uuid::from_u128(7));
    let answers = message.get("method").is_none();
    match Gate::new(vec![mark]).clear_message(message, &seal) {
        Some(cleared) => assert!(json::parse(cleared.to_line().as_bytes()).is_ok()),
        None => assert!(!answers),
    }
});
